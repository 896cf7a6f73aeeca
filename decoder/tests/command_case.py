# SPDX-License-Identifier: Apache-2.0
"""Runs the command `etlproof` for its tests and reads its output."""
import functools
import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "conformance", "schema")
TOOL = None  # the path of the command, from the command line

CONFORMING, DAMAGED, NOT_ETL, LIMIT, USAGE, INPUT, OUTPUT = 0, 1, 2, 3, 64, 66, 74


def run(*arguments, stdin=b"", **more):
    """Runs the command. Returns the exit code, standard output as bytes and standard error as text."""
    done = subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, timeout=120, check=False, **more)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def is_sanitized():
    """True if the command was built with a sanitizer: it then uses more memory, and handles SIGBUS itself."""
    with open(TOOL, "rb") as program:
        code = program.read()
    return any(name in code for name in (b"__asan_init", b"__msan_init"))


@functools.cache
def schema(name):
    with open(os.path.join(SCHEMAS, f"{name}.schema.json"), encoding="utf-8") as file:
        return jsonschema.Draft202012Validator(json.load(file))


class CommandCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, content, name="trace.etl"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def out(self, *arguments, code=CONFORMING, stdin=b""):
        """The output of the command. Fails unless it exits with `code`."""
        actual, out, err = run(*arguments, stdin=stdin)
        self.assertEqual(code, actual, err)
        return out.decode("utf-8")

    def lines(self, *arguments, **more):
        return [json.loads(line) for line in self.out(*arguments, **more).splitlines()]

    def check_lines(self, name, *arguments):
        """Validates each line of output against the schema of that name."""
        if jsonschema is None:
            self.skipTest("no jsonschema")
        lines = run(*arguments)[1].splitlines()
        self.assertTrue(lines)
        for line in lines:
            schema(name).validate(json.loads(line))


def main():
    global TOOL
    if len(sys.argv) < 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ETLPROOF [TEST...]")
    TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__", verbosity=1)
