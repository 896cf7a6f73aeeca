# SPDX-License-Identifier: Apache-2.0
"""conformance/compare-tracerpt: holds a decode of etlproof against the XML that Windows' tracerpt printed of the same file.

Both are lists of events. Those of one process, thread, EventID, Version and Opcode are paired in the order of their times;
then their other members are compared. What tracerpt does with them, and what is therefore allowed for:

- times are local, and the offset behind them is no time zone: all may differ by one number of minutes;
- KernelTime and UserTime are ticks times floor(TimerResolution / 10000) milliseconds;
- an unknown process or thread is 4294967295;
- a WPP message has no members of its own: messages are counted only.
"""
import collections
import datetime
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

from . import command
from .failure import FAILED, INPUT, PASSED, Failure

NAME = "conformance/compare-tracerpt"
SPACE = "{http://schemas.microsoft.com/win/2004/08/events/event}"
EPOCH = datetime.datetime(1601, 1, 1)
UNKNOWN = 0xFFFFFFFF
MINUTE = 60 * 10_000_000
SHOWN = 10
HERE = os.path.dirname(os.path.abspath(__file__))
EPILOG = """\
On Windows:  tracerpt FILE.etl -of XML -o FILE.xml -lr -y

Exit status: 0 the two agree, 1 they differ, 64 wrong usage, 66 cannot read or run, 70 an internal error, 74 cannot write.
"""


class Event(NamedTuple):
    """An event of either side. `members` are compared where both sides have them."""
    key: tuple       # process, thread, EventID, Version, Opcode
    time: int        # in units of 100 ns since 1601
    where: str
    members: dict


# tracerpt

def _time_of(text):
    """The local time, without the offset behind it."""
    day, _, rest = text.partition("T")
    clock, _, fraction = rest[:8], rest[8:9], rest[9:]
    digits = fraction[:len(fraction) - len(fraction.lstrip("0123456789"))]
    since = datetime.datetime.fromisoformat(f"{day}T{clock}") - EPOCH
    return (since.days * 86_400 + since.seconds) * 10_000_000 + int(f"{digits:0<7}"[:7])


def _printed(number, element):
    """The Event of an <Event>, or None for a message."""
    system = element.find(f"{SPACE}System")
    if system is None or element.find(f"{SPACE}DebugData") is not None:
        return None

    def value(name):
        return int(system.findtext(f"{SPACE}{name}") or "0", 0)

    def attribute(name, which):
        found = system.find(f"{SPACE}{name}")
        return None if found is None else found.get(which)

    def ids(which):
        return int(attribute("Execution", which) or UNKNOWN)

    data = element.findtext(f"{SPACE}BinaryEventData")
    members = {"provider": (attribute("Provider", "Guid") or "").strip("{}").lower() or None, "level": value("Level"),
               "task": value("Task"), "keyword": value("Keywords"), "processor": ids("ProcessorID"),
               "activity": (attribute("Correlation", "ActivityID") or "").strip("{}").lower() or None,
               "kernel_time": ids("KernelTime"), "user_time": ids("UserTime"),
               "data": None if data is None else data.strip().lower()}
    key = ids("ProcessID"), ids("ThreadID"), value("EventID"), value("Version"), value("Opcode")
    return Event(key, _time_of(attribute("TimeCreated", "SystemTime")), f"event {number} of the XML", members)


def read_xml(path):
    """([Event], how many messages there are besides)"""
    events, messages = [], 0
    try:
        for _, element in ElementTree.iterparse(path):
            if element.tag == f"{SPACE}Event":
                event = _printed(len(events) + messages + 1, element)
                messages += event is None
                events += [] if event is None else [event]
                element.clear()
    except OSError as error:
        raise Failure(INPUT, f"{path}: cannot be read: {error.strerror}") from error
    except (ElementTree.ParseError, ValueError, TypeError) as error:
        raise Failure(INPUT, f"{path}: not the XML of tracerpt: {error}") from error
    if not events and not messages:
        raise Failure(INPUT, f"{path}: not the XML of tracerpt: it has no <Event> of {SPACE.strip('{}')}")
    return events, messages


# etlproof

def _is_message(record):
    return record["header_type"] == "0x0f"


def _decoded(record, resolution):
    """The Event of a decode record."""
    manifest = "id" in record
    scale = resolution // 10_000
    times = {name: record[name] * scale if name in record else None for name in ("kernel_time", "user_time")}
    members = {"provider": record.get("provider") if manifest else None, "level": record.get("level"),
               "task": record.get("task"), "keyword": int(record["keyword"], 16) if manifest else None,
               "processor": record.get("processor"), "activity": record.get("activity"), **times,
               "data": record.get("data")}
    key = (record.get("pid", UNKNOWN), record.get("tid", UNKNOWN), record.get("id", 0), record["version"],
           record.get("opcode", record.get("type", 0)))
    return Event(key, _time_of(record["utc"]), f"the event at {record['offset']}", members)


def read_etl(path, etlproof):
    """The same of a trace. Events without a time, which tracerpt leaves out, are messages here too."""
    words = [etlproof, "decode", "--payload", "hex", "--order", "time", path]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise Failure(INPUT, f"{etlproof}: cannot be started: {error.strerror}") from error
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if not records:
        raise Failure(INPUT, f"{' '.join(words)}: no records, exit status {done.returncode}")
    events = [record for record in records if record["rec"] == "event"]
    resolution = next((event["logfile"]["timer_resolution"] for event in events if "logfile" in event), 0)
    compared = [event for event in events if not _is_message(event) and "utc" in event and "version" in event]
    return [_decoded(event, resolution) for event in compared], len(events) - len(compared)


# Comparing

def _by_key(events):
    groups = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: event.time):
        groups[event.key].append(event)
    return groups


def _pairs(ours, theirs):
    """([pair], events without a partner on either side)"""
    pairs, alone = [], ([], [])
    groups = _by_key(ours), _by_key(theirs)
    for key in sorted({**groups[0], **groups[1]}):
        sides = [group.get(key, []) for group in groups]
        pairs += zip(*sides)
        fewer = min(map(len, sides))
        for found, events in zip(alone, sides):
            found += events[fewer:]
    return pairs, alone


def _zone(pairs):
    """The minutes by which most of the other side's times are later."""
    minutes = collections.Counter(round((theirs.time - ours.time) / MINUTE) for ours, theirs in pairs)
    return minutes.most_common(1)[0][0] if minutes else 0


def _differences(pairs):
    """{member: [text]}"""
    found, zone = collections.defaultdict(list), _zone(pairs)
    for ours, theirs in pairs:
        late = theirs.time - ours.time - zone * MINUTE
        if abs(late) > 1:
            found["time"].append(f"{theirs.where} is {late / 10_000_000:+.7f} s from {ours.where}")
        for name, value in ours.members.items():
            other = theirs.members[name]
            if value is not None and other is not None and value != other:
                found[name].append(f"{theirs.where}: {other}; {ours.where}: {value}")
    return found, zone


def compare(ours, theirs):
    """(text, whether both agree). Each side: ([Event], number of messages)."""
    pairs, (only_ours, only_theirs) = _pairs(ours[0], theirs[0])
    differences, zone = _differences(pairs)
    lines = [f"{len(pairs):,} events in both, {len(only_ours):,} only of etlproof, {len(only_theirs):,} only of tracerpt",
             f"messages and events without a time: {ours[1]:,} of etlproof, {theirs[1]:,} of tracerpt",
             f"tracerpt's times are {zone:+} minutes from UTC"]
    for title, texts in (("only of etlproof", [one.where for one in only_ours]),
                         ("only of tracerpt", [one.where for one in only_theirs]),
                         *((f"{name} differs", texts) for name, texts in sorted(differences.items()))):
        if texts:
            lines += ["", f"{title}: {len(texts):,}", *(f"  {text}" for text in texts[:SHOWN])]
            lines += [f"  and {len(texts) - SHOWN:,} more"] * (len(texts) > SHOWN)
    return "\n".join(lines) + "\n", len(lines) == 3


def _default_etlproof():
    built = os.path.join(HERE, "..", "..", "build", "release", "bin", "etlproof")
    return os.path.normpath(built) if os.path.exists(built) else "etlproof"


def _body(arguments):
    parser = command.Parser(prog=NAME, epilog=EPILOG, description="Compares etlproof with what tracerpt printed of a file.")
    parser.add_argument("etl", metavar="FILE.etl")
    parser.add_argument("xml", metavar="FILE.xml", help="what tracerpt printed of it")
    parser.add_argument("--etlproof", metavar="CMD", default=_default_etlproof(), help="default: %(default)s")
    options = parser.parse_args(arguments)
    text, agree = compare(read_etl(options.etl, options.etlproof), read_xml(options.xml))
    command.print_text(text)
    return PASSED if agree else FAILED


def main(arguments):
    return command.run(NAME, lambda: _body(arguments))
