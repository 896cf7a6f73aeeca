# SPDX-License-Identifier: Apache-2.0
"""Runs `etlproof recover` for its tests, on files of etl_file.py, and checks what holds for every recovery."""
import hashlib
import json
import os

import etl_file
from command_case import CommandCase, DAMAGED, run
from etl_file import Buffer, Logfile, Trace
from format_members import in_buffer, in_logfile, size_of

try:
    import jsonschema
except ImportError:
    jsonschema = None

A = "01020304-0506-0708-090a-0b0c0d0e0f10"
T = Logfile.START_TICKS
SIZE = 0x1000
MADE = 0x200  # bytes of an added header buffer, unless other buffers are larger
END_TIME, BUFFERS_WRITTEN = in_logfile("EndTime"), in_logfile("BuffersWritten")
SAVED_OFFSET, OFFSET, STATE = in_buffer("SavedOffset"), in_buffer("Offset"), in_buffer("State")
FIRST_ITEM = size_of("EVENT_HEADER")  # offset of the first item in its event
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCHEMA = os.path.join(ROOT, "conformance", "schema", "manifest.schema.json")
FLAG_WORD = os.path.join(ROOT, "corpus", "regressions", "fuzz_recover", "flag-word-that-begins-a-buffer.etl")


def events(count, first=0):
    return [etl_file.event(A, bytes([number]) * 5, time=T + number) for number in range(first, first + count)]


def three(**more):
    """A header buffer and two buffers of four events."""
    return Trace([Buffer(events(4)), Buffer(events(4, 4), processor=3)], **more)


def put(content, offset, value):
    return content[:offset] + value + content[offset + len(value):]


class RecoverCase(CommandCase):
    def recover(self, content, code=DAMAGED, more=()):
        """Recovers the content and checks what holds for every recovery. Returns OUT and the manifest."""
        source, target = self.file(content, "in.etl"), os.path.join(self.folder, "out.etl")
        actual, _, err = run("recover", source, "-o", target, *more)
        self.assertEqual((code, ""), (actual, err))
        with open(source, "rb") as file:
            self.assertEqual(content, file.read())
        with open(target, "rb") as file:
            made = file.read()
        with open(target + ".manifest.json", encoding="utf-8") as file:
            manifest = json.load(file)
        self.check_manifest(manifest, content, made)
        self.out("validate", target)
        return made, manifest

    def check_manifest(self, manifest, content, made):
        for key, data in (("in", content), ("out", made)):
            self.assertEqual((str(len(data)), hashlib.sha256(data).hexdigest()),
                             (manifest[key]["size"], manifest[key]["sha256"]))
        for note in manifest["notes"]:
            if note["note"] == "changed":
                offset, size = int(note["offset"]), int(note["size"])
                self.assertEqual(int(note["to"]), int.from_bytes(made[offset:offset + size], "little"), note)
                self.assertNotEqual(note["from"], note["to"])
        if jsonschema:
            with open(SCHEMA, encoding="utf-8") as file:
                jsonschema.Draft202012Validator(json.load(file)).validate(manifest)

    def notes(self, manifest, kind):
        return [note for note in manifest["notes"] if note["note"] == kind]

    def changed(self, manifest):
        return {note["member"]: (int(note["from"]), int(note["to"])) for note in self.notes(manifest, "changed")}

    def payloads(self, content):
        records = self.lines("decode", "--payload", "hex", self.file(content, "read.etl"))
        return [record["data"] for record in records if record["rec"] == "event"][1:]

    @staticmethod
    def data(*numbers):
        return [bytes([number]).hex() * 5 for number in numbers]
