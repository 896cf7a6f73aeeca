# SPDX-License-Identifier: Apache-2.0
"""Runs `etlproof layout` for its tests, validates its JSON, and lists the layouts it knows."""
import functools
import json
import os

import command_case
from command_case import CommandCase, CONFORMING, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "conformance", "schema", "layout.schema.json")
STRUCTURES = ["ETW_GUID_ENTRY", "WMI_LOGGER_CONTEXT", "ETW_UM_LOGGER_CONTEXT"]


@functools.cache
def schema():
    if jsonschema is None:
        return None
    with open(SCHEMA, encoding="utf-8") as file:
        return jsonschema.Draft202012Validator(json.load(file))


@functools.cache
def exported():
    """All layouts, from --export json."""
    return json.loads(run("layout", "--export", "json")[1])["layouts"]


class LayoutCase(CommandCase):
    def read(self, content, structure="ETW_GUID_ENTRY", windows="1903", arch="x64", code=CONFORMING, more=()):
        """A decode as JSON, validated against its schema."""
        text = self.out("layout", structure, "--windows", windows, "--arch", arch, self.file(bytes(content), "memory.bin"),
                        "--format", "json", *more, code=code)
        self.assertEqual(1, text.count("\n"))
        return self.check_schema(json.loads(text, object_pairs_hook=self.once))

    def once(self, pairs):
        """A JSON object; fails if a key occurs twice."""
        self.assertEqual(len(pairs), len(dict(pairs)), pairs)
        return dict(pairs)

    def check_schema(self, document):
        validator = schema()
        if validator:
            validator.validate(document)
        return document

    def json(self, *arguments):
        text = self.out("layout", *arguments, "--format", "json")
        return self.check_schema(json.loads(text, object_pairs_hook=self.once))

    def layouts(self):
        """Every known structure, version and architecture, with its size."""
        for each in exported():
            yield each["structure"], each["windows"], each["arch"], each["size"]

    def text(self, content, structure="ETW_GUID_ENTRY", windows="1903", arch="x64", code=CONFORMING, more=()):
        return self.out("layout", structure, "--windows", windows, "--arch", arch, self.file(bytes(content), "memory.bin"),
                        *more, code=code)

    def refused(self, *arguments, code=command_case.USAGE):
        """The error message. Standard output must be empty."""
        actual, out, err = run("layout", *arguments)
        self.assertEqual((code, b""), (actual, out), err)
        return err


def member(reading, name, taken=True):
    found = [each for each in reading["members"] if each["name"] == name and each["taken"] == taken]
    assert len(found) == 1, (name, found)
    return found[0]


def part(of, name):
    return next(each for each in of["parts"] if each["name"] == name)
