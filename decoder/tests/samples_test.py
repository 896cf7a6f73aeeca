#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: samples_test.py ETLPROOF [DIRECTORY]

Runs the command ETLPROOF over the real traces in DIRECTORY and compares its counts with MANIFEST.tsv, which an independent
program made. Also checks the examples in README.md. Exits 77 (skipped) if there is no manifest.
"""
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT = os.path.join(os.environ.get("ETLPROOF_SHARED", os.path.join(HERE, "..", "..", "..", "shared")), "samples")

# The only sample that Windows never closed: it conforms, LFH-010 is its only finding, and --strict fails it, as does
# --profile writer.
NEVER_CLOSED = "cldflt2-never-finalised.etl"

# The trace in README.md is the start of this sample.
README = os.path.join(HERE, "..", "..", "README.md")
GUIDE, GUIDE_BYTES = "http-server-win7.etl", 100000

checks = 0
failures = 0


def check(file, what, expected, actual):
    global checks, failures
    checks += 1
    if expected != actual:
        failures += 1
        print(f"{file}: {what}: expected {expected}, actual {actual}")


def counts(text):
    """Converts "0x13:19 …" to {"0x13": 19, …}, with keys as the command writes them."""
    return {f"0x{int(key, 16):02x}": int(value) for key, value in (part.split(":") for part in text.split())}


def number(value):
    return int(value) if isinstance(value, str) else value


def plain(mapping):
    """The mapping with int values and two-digit keys; the command prints numbers in two forms."""
    return {f"0x{int(key, 16):02x}": number(value) for key, value in (mapping or {}).items()}


def run(command, *arguments):
    done = subprocess.run([command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def check_totals(row, name, what, record):
    check(name, f"{what} buffers", int(row["buffers"]), number(record.get("buffers")))
    check(name, f"{what} compressed_buffers", int(row["compressed_buffers"]), number(record.get("compressed_buffers")))
    check(name, f"{what} events", int(row["events"]), number(record.get("events")))
    check(name, f"{what} events_by_header_type", counts(row["by_header_type"]), plain(record.get("events_by_header_type")))
    check(name, f"{what} bytes", int(row["bytes"]), sum(number(count) for count in record.get("bytes", {}).values()))


def check_validate(command, path, row):
    name = row["file"]
    closed = name != NEVER_CLOSED
    status, records = run(command, "validate", "--json", path)
    check(name, "validate: exit status", 0, status)
    check(name, "validate: lines", 1, len(records))
    if len(records) != 1:
        return
    record = records[0]
    check(name, "validate: verdict", "conforming", record["verdict"])
    check(name, "validate: closed", closed, record["closed"])
    check(name, "validate: size", int(row["bytes"]), number(record["size"]))
    check(name, "validate: windows", row["windows"], record["windows"])
    check(name, "validate: pointer_size", int(row["pointer_size"]), number(record["pointer_size"]))
    check_totals(row, name, "validate:", record)
    check(name, "validate: extended_items", counts(row["ext_items"]), plain(record["extended_items"]))
    errors = [finding["rule"] for finding in record["findings"] if finding["severity"] == "error"]
    check(name, "validate: errors", [], errors)
    if not closed:
        check(name, "validate: findings", ["LFH-010"], [finding["rule"] for finding in record["findings"]])
        check(name, "validate --strict: exit status", 1, run(command, "validate", "--strict", "--json", path)[0])


def check_writer(command, path, row):
    """Windows keeps the rules for writers: the evidence of decoder/format/writer_rules.def."""
    status, records = run(command, "validate", "--profile", "writer", "--json", path)
    errors = [finding["rule"] for record in records for finding in record["findings"] if finding["severity"] == "error"]
    expected = ["LFH-010"] if row["file"] == NEVER_CLOSED else []
    check(row["file"], "validate --profile writer: errors", expected, errors)
    check(row["file"], "validate --profile writer: exit status", 1 if expected else 0, status)


def count(records, key):
    found = {}
    for record in records:
        found[record[key]] = found.get(record[key], 0) + 1
    return found


def check_decode(command, path, row):
    name = row["file"]
    status, records = run(command, "decode", path)
    check(name, "decode: exit status", 0, status)
    check(name, "decode: last record", "end", records[-1]["rec"] if records else None)
    if not records:
        return
    events = [record for record in records if record["rec"] == "event"]
    items = [item for event in events for item in event.get("items", [])]
    check(name, "decode: end records", 1, sum(record["rec"] == "end" for record in records))
    check(name, "decode: buffer records", int(row["buffers"]), sum(record["rec"] == "buffer" for record in records))
    check(name, "decode: event records", int(row["events"]), len(events))
    check(name, "decode: header types of events", counts(row["by_header_type"]), plain(count(events, "header_type")))
    check(name, "decode: types of items", counts(row["ext_items"]), plain(count(items, "type")))
    check(name, "decode: indexes", True, [number(event["index"]) for event in events] == list(range(len(events))))
    check_totals(row, name, "decode: end:", records[-1])


def check_guide(command, path):
    """The commands in README.md must print what README.md shows."""
    with open(README, encoding="utf-8") as file:
        shown = re.findall(r"^\$ (.*HTTP_Server.*|grep .*)\n((?:[^$`].*\n)*)", file.read(), re.M)
    check("README.md", "commands on the trace", 4, len(shown))
    with tempfile.TemporaryDirectory() as folder:
        with open(path, "rb") as whole, open(os.path.join(folder, "HTTP_Server.etl"), "wb") as cut:
            cut.write(whole.read(GUIDE_BYTES))
        for line, text in shown:
            words = shlex.split(line)
            done = subprocess.run([command if words[0] == "etlproof" else words[0], *words[1:]], cwd=folder,
                                  stdout=subprocess.PIPE, check=False, encoding="utf-8")
            is_part = words[1] == "map" and text in done.stdout
            check("README.md", line, text, text if is_part else done.stdout)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 64
    command = sys.argv[1]
    directory = sys.argv[2] if len(sys.argv) == 3 else DEFAULT
    manifest = os.path.join(directory, "MANIFEST.tsv")
    if not os.path.exists(manifest):
        print(f"SKIPPED: no {os.path.normpath(manifest)}")
        return 77
    with open(manifest, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        path = os.path.join(directory, row["file"])
        check_validate(command, path, row)
        check_writer(command, path, row)
        check_decode(command, path, row)
        if row["file"] == GUIDE:
            check_guide(os.path.abspath(command), path)
    print(f"{len(rows)} files, {checks} checks, {failures} failures")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
