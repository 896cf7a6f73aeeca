# SPDX-License-Identifier: Apache-2.0
"""Reads the XML that tracerpt printed."""
import xml.etree.ElementTree as ElementTree

from ..failure import INPUT, Failure
from .event import SHOWN_EVERY, UNKNOWN, Event, time_of

_EVENTS = "http://schemas.microsoft.com/win/2004/08/events/event"
_SPACES = {"": _EVENTS, "trace": "http://schemas.microsoft.com/win/2004/08/events/trace"}


def read_xml(path, line):
    """([Event], how many messages there are besides): a WPP message has no members of its own. `line`: a progress Line."""
    events, messages = [], 0
    try:
        for _, element in ElementTree.iterparse(path):
            if element.tag == f"{{{_EVENTS}}}Event":
                event = _event(len(events) + messages + 1, element)
                messages += event is None
                events += [] if event is None else [event]
                element.clear()
                if len(events) % SHOWN_EVERY == 0:
                    line.show(f"{len(events):,} events of the XML")
    except OSError as error:
        raise Failure(INPUT, f"{path}: cannot be read: {error.strerror}") from error
    except (ElementTree.ParseError, ValueError, TypeError) as error:
        raise Failure(INPUT, f"{path}: not the XML of tracerpt: {error}") from error
    if not events and not messages:
        raise Failure(INPUT, f"{path}: not the XML of tracerpt: it has no <Event> of {_EVENTS}")
    return events, messages


def _event(number, element):
    """The Event of an <Event>, or None for a message."""
    system = element.find("System", _SPACES)
    if system is None or element.find("DebugData", _SPACES) is not None:
        return None

    def value(name):
        return int(system.findtext(name, "0", _SPACES) or "0", 0)

    def attribute(name, which):
        found = system.find(name, _SPACES)
        return None if found is None else found.get(which)

    def execution(which):
        return _number(attribute("Execution", which))

    def id_of(which):
        found = execution(which)
        return UNKNOWN if found is None else found

    def traced(name):
        return element.findtext(f"trace:ExtendedTracingInfo/trace:{name}", None, _SPACES)

    members = {"provider": _guid(attribute("Provider", "Guid")), "event_guid": _guid(traced("EventGuid")),
               "instance_id": _number(traced("InstanceID")), "parent_instance_id": _number(traced("ParentInstanceID")),
               "level": value("Level"), "task": value("Task"), "keyword": value("Keywords"),
               "activity": _guid(attribute("Correlation", "ActivityID")), "processor": execution("ProcessorID"),
               "kernel_time": execution("KernelTime"), "user_time": execution("UserTime"), "data": _data(element)}
    key = id_of("ProcessID"), id_of("ThreadID"), value("EventID"), value("Version"), value("Opcode")
    return Event(key, time_of(attribute("TimeCreated", "SystemTime")), f"event {number} of the XML", members,
                 _fields(element))


def _guid(text):
    return (text or "").strip("{}").lower() or None


def _number(text):
    return None if text is None else int(text, 0)


def _data(element):
    """The payload in hex, which tracerpt prints if it cannot decode the event."""
    for name in ("BinaryEventData", "ProcessingErrorData/EventPayload"):
        text = element.findtext(name, None, _SPACES)
        if text is not None:
            return text.strip().lower()
    return None


def _fields(element):
    data = element.find("EventData", _SPACES)
    return None if data is None else [(one.get("Name"), one.text or "") for one in data if one.get("Name")]
