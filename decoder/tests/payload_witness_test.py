#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the fields of payloads with those that another decoder, TraceEvent, printed of the same traces: each field of
each event that has metadata of its own. Its values are cut at 19 characters.

The lists are in ../shared/format/payload, the traces in ../shared/samples, beside the tree or in $ETLPROOF_SHARED. Without
them the test exits 77, which ctest shows as skipped.
"""
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
# Where the two differ: trace, field, why the field is right here.
EXPLAINED = {
    ("primitive-types-19043", "int64_type"): "InType 10 is UINT64; TraceEvent prints it with a sign",
    ("primitive-types-19043", "char_type"): "OutType 2 is STRING: a character; TraceEvent prints its number",
    ("primitive-types-19043", "system_time_type"): "TraceEvent prints .03 s in each event; the FILETIME beside it has ours",
}


def events_of(path):
    """(name, {field: text}) of each event of a list, without those of the kernel."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"EVENT [\d,.]+: (?P<name>.*?) PID=(?P<rest>.*)", line)
            if match and not match["name"].startswith("Windows Kernel/"):
                fields = dict(one.split("=", 1) for one in f"PID={match['rest']}".strip().rstrip(";").split("; "))
                yield match["name"], {name: text for name, text in fields.items() if name not in COMMON}


def records_of(tool, trace):
    """(name, {field: value}) of each event that describes its payload."""
    done = subprocess.run([tool, "decode", "--payload", "fields", trace], capture_output=True, check=True)
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if "fields" in record:
            name = f"{record.get('provider_name', '')}/{record['event_name']}"
            yield name, {field["name"]: field.get("value") for field in record["fields"]}


def spelt(value):
    """A value in the form of the lists."""
    if isinstance(value, bool):
        return str(value)
    text = str(value)
    if re.fullmatch(r"-?\d+", text):
        return f"{int(text):,}"
    if time := re.match(r"20(\d\d)-(\d\d)-(\d\d)T(.*)", text):
        return f"{time[1]}/{time[2]}/{time[3]} {time[4]}"
    return text


def same(text, value):
    ours = spelt(value)
    return ours.startswith(text[:-len(CUT)]) if text.endswith(CUT) else ours == text


class Counts:
    def __init__(self):
        self.equal, self.failures, self.different = 0, [], {}

    def compare(self, trace, text, value, field):
        if same(text, value):
            self.equal += 1
        elif (trace, field) in EXPLAINED:
            self.different[trace, field] = self.different.get((trace, field), 0) + 1
        else:
            self.failures.append(f"{trace}: {field} is {spelt(value)}, TraceEvent has {text}")


def compare(tool, trace, counts):
    """Compares events of the same name in order; the list has only the first few of each name."""
    ours = {}
    for name, fields in records_of(tool, os.path.join(SHARED, "samples", trace + ".etl")):
        ours.setdefault(name, []).append(fields)
    theirs = {}
    for name, fields in events_of(os.path.join(LISTS, trace + ".baseline.txt")):
        theirs.setdefault(name, []).append(fields)
    for name in theirs.keys() & ours.keys():
        for here, there in zip(ours[name], theirs[name]):
            if list(here) != list(there):
                counts.failures.append(f"{trace}: {name} has fields {list(here)}, TraceEvent has {list(there)}")
                continue
            for field, text in there.items():
                counts.compare(trace, text, here[field], field)


def main():
    if not os.path.isdir(LISTS):
        print(f"{LISTS}: no such folder; the test is skipped")
        return 77
    counts = Counts()
    for name in sorted(os.listdir(LISTS)):
        if name.endswith(".baseline.txt"):
            compare(sys.argv[1], name.removesuffix(".baseline.txt"), counts)
    for (trace, field), number in counts.different.items():
        print(f"{trace}: {field}, {number} times: {EXPLAINED[trace, field]}")
    for key in EXPLAINED.keys() - counts.different.keys():
        counts.failures.append(f"{key[0]}: {key[1]} does not differ")
    if counts.equal == 0:
        counts.failures.append("no field was compared")
    print(*counts.failures, sep="\n")
    print(f"{counts.equal} fields equal, {sum(counts.different.values())} different and explained")
    return 1 if counts.failures else 0


if __name__ == "__main__":
    sys.exit(main())
