# SPDX-License-Identifier: Apache-2.0
"""Reads a trace by etlproof."""
import json
import subprocess
from typing import NamedTuple

from ..failure import INPUT, Failure
from .event import UNKNOWN, Event, time_of


class Decode(NamedTuple):
    windows: str     # that recorded the trace: major.minor.build, or "" if unknown
    events: list
    apart: int       # messages, and events without a time, which tracerpt leaves out


def read_etl(path, etlproof):
    words = [etlproof, "decode", "--payload", "both", "--order", "time", path]
    try:
        records = [json.loads(line) for line in _output(words).splitlines()]
    except ValueError as error:
        raise Failure(INPUT, f"{' '.join(words)}: not decode records: {error}") from error
    if not records:
        raise Failure(INPUT, f"{' '.join(words)}: no records")
    events = [record for record in records if record["rec"] == "event"]
    resolution = next((event["logfile"]["timer_resolution"] for event in events if "logfile" in event), 0)
    compared = [event for event in events if not _is_message(event) and "utc" in event and "version" in event]
    windows = next((record.get("windows", "") for record in records if record["rec"] == "trace"), "")
    return Decode(windows, [_event(event, resolution) for event in compared], len(events) - len(compared))


def version_of(etlproof):
    return _output([etlproof, "--version"]).decode("utf-8", "replace").strip()


def _output(words):
    try:
        return subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout
    except OSError as error:
        raise Failure(INPUT, f"{words[0]}: cannot be started: {error.strerror}") from error


def _is_message(record):
    return record["header_type"] == "0x0f"


def _event(record, resolution):
    """The Event of a decode record. Its times are ticks; tracerpt prints ticks times whole milliseconds of a tick."""
    manifest = "id" in record
    scale = resolution // 10_000
    times = {name: record[name] * scale if name in record else None for name in ("kernel_time", "user_time")}
    members = {"provider": record.get("provider") if manifest else None,
               "event_guid": None if manifest else record.get("provider"),
               "instance_id": record.get("instance_id"), "parent_instance_id": record.get("parent_instance_id"),
               "level": record.get("level"), "task": record.get("task"),
               "keyword": int(record["keyword"], 16) if manifest else None, "activity": record.get("activity"),
               "processor": record.get("processor"), **times, "data": record.get("data")}
    key = (record.get("pid", UNKNOWN), record.get("tid", UNKNOWN), record.get("id", 0), record["version"],
           record.get("opcode", record.get("type", 0)))
    return Event(key, time_of(record["utc"]), f"the event at {record['offset']}", members, record.get("fields"))
