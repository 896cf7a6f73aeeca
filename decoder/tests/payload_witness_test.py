#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the fields of payloads with those that another decoder, TraceEvent, printed of the same traces: each field of
each event in its lists. It cuts values at 19 characters, and has names and derived values of its own for many events.

The lists are in ../shared/format/payload, the traces in ../shared/samples, beside the tree or in $ETLPROOF_SHARED. Without
them the test exits 77, which ctest shows as skipped.
"""
import collections
import datetime
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("ETLPROOF_SHARED", os.path.join(HERE, "..", "..", "..", "shared"))
LISTS = os.path.join(SHARED, "format", "payload")
CUT = "..."
# Of the event, not of its payload.
COMMON = ("PID", "TID", "PName", "ProceNum", "DataLen")
MILLISECONDS = 0.0015  # by which the times of an event may differ: TraceEvent prints three decimals

# Fields that TraceEvent calls something else: (event and field, our name).
RENAMED = (
    (r"Windows Kernel/Process/.*\.PageDirectoryBase", "DirectoryTableBase"),
    (r"Windows Kernel/EventTrace\.SessionName", "SessionNameString"),
    (r"Windows Kernel/EventTrace\.LogFileName", "LogFileNameString"),
    (r".*\.BuildTime", "TimeDateStamp"),
    (r"Windows Kernel/PerfInfo/Collection.*\.SampleSource", "Source"),
    (r"Microsoft-Windows-Kernel-File/Create\.IrpPtr", "Irp"),
    (r"Microsoft-Windows-Kernel-File/Create\.FileAttributes", "CreateAttributes"),
    (r"KernelTraceControl/ImageID\.ProcessID", "4 in the payload; TraceEvent prints it as that of the event, and 0 here"),
    (r"Microsoft-Windows-DotNETRuntime.*\.ModuleILFileName", "ModuleILPath"),
    (r"Windows Kernel/Thread/.*\.StartAddr", "StackBase"),
    (r"Windows Kernel/UdpIp/.*\.dsize", "size"),
    (r"Windows Kernel/UdpIp/.*\.context", "PID"),
)

# Why a field differs or is missing here: (event and field, reason).
EXPLAINED = (
    (r".*/PrimitiveTypesTest\.char_type", "OutType STRING: a character; TraceEvent prints its number"),
    (r".*/PrimitiveTypesTest\.system_time_type",
     "TraceEvent prints .03 s in each event; the FILETIME beside it has ours"),
    (r".*\.(ElapsedTimeMSec|DiskServiceTimeMSec|UtcOffsetMinutes|FileKey|ParentThreadID|ParentProcessID)",
     "TraceEvent computes it from other events or other fields"),
    (r"Windows Kernel/(DiskIO|Memory)/.*\.FileName", "TraceEvent looks it up in other events"),
    (r".*\.(FileName|ImageFileName)", "TraceEvent replaces the name of a device by a letter"),
    (r"Windows Kernel/SystemConfig/Services\.ProcessName", "TraceEvent looks it up in other events"),
    (r".*\.(BuildTime|EndTime|BootTime|StartTime)", "stored as a number; TraceEvent prints a date"),
    (r"Windows Kernel/PerfInfo/Sample\.(Priority|ExecutingDPC|ExecutingISR|Rank|ProcessorNumber)",
     "TraceEvent splits Reserved into bits, and adds a member of the buffer header"),
    (r"Windows Kernel/DiskIO/.*\.Priority", "bits of IrpFlags"),
    (r".*\.(IrpFlags|ShareAccess|CreateOptions|CreateDisposition|keywords|stacks)",
     "TraceEvent's own names of bits; ours is the number"),
    (r".*\.(Flags|AssemblyFlags)", "0: TraceEvent prints None; the map of the trace has no text for it"),
    (r".*\.ModuleFlags", "two texts: a bar between them here, a comma there"),
    (r"Windows Kernel/Thread/.*\.(StartAddr|ThreadName)", "not in this version; TraceEvent prints 0 or nothing"),
    (r"Windows Kernel/UdpIp/.*\.(context|dsize)", "of version 0; TraceEvent prints 0 for later ones"),
    (r"Windows Kernel/Process/PerfCtr.*\.MemoryCount", "TraceEvent's count of the numbers that follow"),
    (r"Microsoft-Windows-DotNETRuntime/.*\.(ReJITID|OptimizationTier|ClientSequenceNumber|ObjectSize)",
     "of later versions; TraceEvent prints 0 for this one"),
    (r"Microsoft-Windows-DotNETRuntime/GC/HeapStats\.(TotalHeapSize|TotalPromoted|Depth|.*4)",
     "TraceEvent adds up other fields, and prints 0 for those of later versions"),
    (r"Microsoft-Windows-DotNETRuntime/GC/FinalizeObject\.TypeName", "TraceEvent looks it up in other events"),
    (r"Microsoft-Windows-DotNETRuntime/Type/BulkType\..*_0", "elements of the array Values here"),
    (r"Microsoft-Windows-DNS-Client/.*\.Address", "TraceEvent prints the address in the structure; ours are its bytes"),
    (r"KernelTraceControl/ImageID\.ProcessID", "4 in the payload; TraceEvent prints it as that of the event, and 0 here"),
    (r"Microsoft-Windows-DotNETRuntime.*\.ModuleILFileName", "TraceEvent prints the last part of the path"),
)


def ticks(utc):
    """FILETIME units since 1970."""
    seconds, fraction = utc.rstrip("Z").split(".")
    return int(datetime.datetime.fromisoformat(seconds + "+00:00").timestamp()) * 10**7 + int(fraction)


def events_of(path):
    """(milliseconds, name, {field: text}) of each event of a list."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"EVENT (?P<time>[\d,.]+): (?P<name>.*?) (?P<rest>PID=.*)", line)
            if match:
                fields = dict(one.split("=", 1) for one in match["rest"].strip().rstrip(";").split("; ") if "=" in one)
                yield float(match["time"].replace(",", "")), match["name"], fields


def records_of(tool, trace):
    """The event records by size of their payload, with their milliseconds since the start of the trace."""
    found = collections.defaultdict(list)
    start = None
    with subprocess.Popen([tool, "decode", "--payload", "fields", trace], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            record = json.loads(line)
            if record["rec"] == "trace":
                start = ticks(record["start_utc"])
            elif record["rec"] == "event" and "utc" in record:
                found[record["data_size"]].append(((ticks(record["utc"]) - start) / 10**4, record))
    return found


def number_of(text):
    text = str(text).replace(",", "")
    try:
        return int(text, 16) if text.startswith("0x") else int(text)
    except ValueError:
        return None


def texts_of(field):
    """What may be printed of a field: the text of a map, the value, and that of a number with a sign."""
    value = field.get("value")
    yield field.get("text")
    yield value
    if isinstance(number_of(value), int):
        yield number_of(value) - 2**(8 * field["size"])


def spelt(value):
    """A value in the form of the lists."""
    if isinstance(value, bool):
        return str(value)
    text = str(value)
    if re.fullmatch(r"-?\d+", text):
        return f"{int(text):,}"
    if time := re.match(r"(?:19|20)(\d\d)-(\d\d)-(\d\d)T(.*)", text):
        return f"{time[1]}/{time[2]}/{time[3]} {time[4]}"
    return text


def same(text, field):
    """Whether the text is the field's value, or what a map calls it; a number may have another base or a sign."""
    for value in texts_of(field):
        ours = spelt(value)
        if text in (ours, value) or (text.endswith(CUT) and ours.startswith(text[:-len(CUT)])):
            return True
    theirs, ours = number_of(text), number_of(field.get("value"))
    return None not in (theirs, ours) and (theirs - ours) % 2**(8 * field["size"]) == 0


def first(table, name):
    return next((value for pattern, value in table if re.fullmatch(pattern, name)), None)


def field_of(record, event, name):
    fields = {field["name"].lower(): field for field in record.get("fields", ())}
    return fields.get((first(RENAMED, f"{event}.{name}") or name).lower())


def find(records, time, event, fields):
    """The record of an event of a list: of those of its time, size and thread, the one with most of its values."""
    near = [record for at, record in records[int(fields["DataLen"].replace(",", ""))] if abs(at - time) < MILLISECONDS]
    near = [record for record in near if str(record.get("tid")) == fields["TID"].replace(",", "")] or near

    def equal(record):
        pairs = ((text, field_of(record, event, name)) for name, text in fields.items() if name not in COMMON)
        return sum(field is not None and same(text, field) for text, field in pairs)

    return max(near, key=equal, default=None)


class Counts:
    def __init__(self):
        self.equal, self.events, self.without = 0, 0, 0
        self.failures, self.different = [], collections.Counter()

    def compare(self, event, record, name, text):
        field = field_of(record, event, name)
        if field is not None and same(text, field):
            self.equal += 1
            return
        reason = first(EXPLAINED, f"{event}.{name}")
        if reason is not None:
            self.different[reason] += 1
        else:
            ours = "missing" if field is None else field.get("value")
            self.failures.append(f"{event}.{name} is {ours}, TraceEvent has {text}")

    def take(self, records, time, event, fields):
        record = find(records, time, event, fields)
        if record is None:
            self.failures.append(f"{event} at {time} ms: no such event here")
            return
        self.events += 1
        if "fields" not in record:
            self.without += 1
            return
        for name, text in fields.items():
            if name not in COMMON:
                self.compare(event, record, name, text)


def main():
    if not os.path.isdir(LISTS):
        print(f"{LISTS}: no such folder; the test is skipped")
        return 77
    counts = Counts()
    for name in sorted(os.listdir(LISTS)):
        if not name.endswith(".baseline.txt"):
            continue
        records = records_of(sys.argv[1], os.path.join(SHARED, "samples", name.replace(".baseline.txt", ".etl")))
        for time, event, fields in events_of(os.path.join(LISTS, name)):
            counts.take(records, time, event, fields)
    for reason, number in counts.different.items():
        print(f"{number} different: {reason}")
    for reason in {reason for _, reason in EXPLAINED} - counts.different.keys():
        counts.failures.append(f"no field differs, although it is explained: {reason}")
    print(*counts.failures, sep="\n")
    print(f"{counts.events} events, {counts.without} of them without a schema here; {counts.equal} fields equal, "
          f"{counts.different.total()} different and explained")
    return 1 if counts.failures or counts.equal == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
