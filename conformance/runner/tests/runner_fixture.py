# SPDX-License-Identifier: Apache-2.0
"""A small set of made-up vectors in a temporary folder, and running `conformance/run` over it with fake parsers. The files
hold no trace: the fake parsers know what is expected, and are wrong on purpose."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from ..vectors import MANIFEST, manifest_name

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.join(os.path.dirname(os.path.dirname(HERE)), "run")
FAKE = os.path.join(HERE, "fake_parser.py")
ALL = {kind: ["*"] for kind in ("trace", "buffer", "event", "item", "field", "finding", "end")}


def event(index, offset, **more):
    return {"rec": "event", "buffer": "0", "index": str(index), "offset": str(offset), "header_type": "0x13",
            "name": "EVENT_HEADER64", "size": 88, "timestamp": str(1000 + index), "pid": 4, "id": index,
            "items": [{"type": "0xb", "name": "EVENT_SCHEMA_TL", "offset": str(offset + 80), "size": 8, "data": "0102"}],
            "data": "00", **more}


def records(events, verdict="conforming", findings=()):
    counts = {"note": "0", "warning": "0", "limit": "0", "error": str(len(findings))}
    return [{"rec": "trace", "windows": "10.0.19041", "pointer_size": 8, "start_utc": "2020-01-01T00:00:00.0000000Z"},
            {"rec": "buffer", "index": "0", "offset": "0", "size": 1024, "state": 3}, *events, *findings,
            {"rec": "end", "verdict": verdict, "buffers": "1", "events": str(len(events)),
             "events_by_header_type": {"0x13": str(len(events))}, "findings": counts, "bytes": {"payload": "64"}}]


def finding(rule, offset):
    return {"rec": "finding", "rule": rule, "severity": "error", "layer": "event", "offset": str(offset)}


def vector(identifier, group, rule, verdict, expect, level="must", **more):
    return {"id": identifier, "title": f"What {identifier} shows", "group": group, "rule": rule, "level": level,
            "verdict": verdict, "flags": {}, "layer": "event", "offset": "160", "source": "made up",
            "recipe": "made-up.recipe:1", "regions": [{"offset": "0", "size": "64", "kind": "payload"}], **more,
            "expect": expect}


def structure(identifier, verdict, members, findings=(), **more):
    """A vector that is a structure in memory."""
    end = {"rec": "end", "verdict": "damaged" if findings else "conforming"}
    made = vector(identifier, "layout", "LAY-001", verdict, [*members, *findings, end], structure="ETW_GUID_ENTRY",
                  windows="2004", arch="x64", **more)
    del made["regions"]
    return made


def default_vectors():
    three = [event(n, 72 + 88 * n) for n in range(3)]
    damaged = records([three[0], dict(three[2], recovery="should")], "damaged", [finding("SIZ-001", 160)])
    return [vector("size-ok", "size", "SIZ-001", "accept", records(three)),
            vector("size-bad", "size", "SIZ-001", "reject", damaged),
            vector("marker-ok", "marker-flags", "MRK-001", "accept", records(three[:2]), level="should"),
            vector("clock-open", "clock", "CLK-001", "either", records(three[:1]),
                   flags={"clock-rounding": "not documented"})]


class RunnerCase(unittest.TestCase):
    """A temporary folder with golden/ and report/."""
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.golden = os.path.join(self.folder, "golden")
        self.report = os.path.join(self.folder, "report")
        # A sandbox hides golden/; it shows what variables such as PATH name.
        self.copy = os.path.join(self.folder, "copy-of-golden")
        self.enterContext(mock.patch.dict(os.environ, FAKE_PATH=self.copy))
        self.write_golden(default_vectors())

    def write_golden(self, vectors, contents=None):
        """`contents` are the files, by id, as text or bytes, if they matter."""
        files = {}
        for one in vectors:
            content = contents[one["id"]] if contents else one["id"].ljust(64, ".")
            content = content.encode() if isinstance(content, str) else content
            one = dict(one, size=len(content), sha256=hashlib.sha256(content).hexdigest())
            files[manifest_name(one)] = content
            lines = f"{one['group']}/made-up.jsonl"
            files[lines] = files.get(lines, b"") + json.dumps(one).encode() + b"\n"
        rows = "".join(f"{name}\t{hashlib.sha256(data).hexdigest()}\n" for name, data in files.items())
        for name, data in (*files.items(), (MANIFEST, rows.encode())):
            path = os.path.join(self.golden, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        shutil.copytree(self.golden, self.copy, dirs_exist_ok=True)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def arguments(self, *more):
        return [sys.executable, RUN, "--golden", self.golden, "--report", self.report, "-j", "2", *more]

    def run_raw(self, *arguments, code):
        done = subprocess.run(self.arguments(*arguments), capture_output=True, timeout=120, check=False, encoding="utf-8",
                              errors="replace")
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout, done.stderr

    def run_fake(self, behaviour, *options, code=0, mode="one-shot"):
        """Runs a fake parser; `behaviour` as fake_parser.py takes it."""
        return self.run_raw("--mode", mode, *options, "--", sys.executable, FAKE, behaviour, code=code)

    def read_report(self):
        with open(os.path.join(self.report, "report.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def results(self):
        return {record["id"]: record for record in self.read_report() if record["rec"] == "result"}

    def verdicts(self):
        return {identifier: result["verdict"] for identifier, result in self.results().items()}
