# SPDX-License-Identifier: Apache-2.0
"""Reads a trace by etlproof."""
import json
import subprocess
from typing import NamedTuple

from ..failure import INPUT, Failure
from .event import SHOWN_EVERY, UNKNOWN, Event, time_of

TIMES = ("kernel_time", "user_time")


class Decode(NamedTuple):
    windows: str     # that recorded the trace: major.minor.build, or "" if unknown
    events: list
    apart: int       # messages, and events without a time, which tracerpt leaves out


def read_etl(path, etlproof, line):
    """`line`: a progress Line."""
    words = [etlproof, "decode", "--payload", "both", path]
    windows, events, apart, resolution, records = "", [], 0, 0, 0
    for records, record in enumerate(_records(words), 1):
        if record["rec"] == "trace":
            windows = record.get("windows", "")
        if record["rec"] != "event":
            continue
        if _is_message(record) or "utc" not in record or "version" not in record:
            apart += 1
            continue
        events.append(_event(record))
        resolution = resolution or record.get("logfile", {}).get("timer_resolution", 0)
        if len(events) % SHOWN_EVERY == 0:
            line.show(f"{len(events):,} events of the trace")
    if not records:
        raise Failure(INPUT, f"{' '.join(words)}: no records")
    _scale_times(events, resolution)
    return Decode(windows, events, apart)


def version_of(etlproof):
    return "".join(_lines([etlproof, "--version"])).strip()


def _lines(words):
    try:
        with subprocess.Popen(words, stdout=subprocess.PIPE, encoding="utf-8", errors="replace") as process:
            yield from process.stdout
    except OSError as error:
        raise Failure(INPUT, f"{words[0]}: cannot be started: {error.strerror}") from error


def _records(words):
    for text in _lines(words):
        try:
            yield json.loads(text)
        except ValueError as error:
            raise Failure(INPUT, f"{' '.join(words)}: not decode records: {error}") from error


def _scale_times(events, resolution):
    """Turns ticks into what tracerpt prints: ticks times the whole milliseconds of one tick."""
    for event in events:
        for name in TIMES:
            if event.members[name] is not None:
                event.members[name] *= resolution // 10_000


def _is_message(record):
    return record["header_type"] == "0x0f"


def _event(record):
    """The Event of a decode record, with times in ticks."""
    manifest = "id" in record
    members = {"provider": record.get("provider") if manifest else None,
               "event_guid": None if manifest else record.get("provider"),
               "instance_id": record.get("instance_id"), "parent_instance_id": record.get("parent_instance_id"),
               "level": record.get("level"), "task": record.get("task"),
               "keyword": int(record["keyword"], 16) if manifest else None, "activity": record.get("activity"),
               "processor": record.get("processor"), **{name: record.get(name) for name in TIMES},
               "data": record.get("data")}
    key = (record.get("pid", UNKNOWN), record.get("tid", UNKNOWN), record.get("id", 0), record["version"],
           record.get("opcode", record.get("type", 0)))
    return Event(key, time_of(record["utc"]), f"the event at {record['offset']}", members, record.get("fields"))
