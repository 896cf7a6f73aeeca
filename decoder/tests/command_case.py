# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command `etlproof` share: running it, and reading what it printed."""
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
    """Runs the command to its end; returns exit code, standard output and standard error, as bytes and text."""
    done = subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, timeout=120, check=False, **more)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def is_sanitized():
    """Sanitizers take memory of their own, and stop a program that handles SIGBUS."""
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
        """What the command prints; the test fails unless it exits with `code`."""
        actual, out, err = run(*arguments, stdin=stdin)
        self.assertEqual(code, actual, err)
        return out.decode("utf-8")

    def lines(self, *arguments, **more):
        return [json.loads(line) for line in self.out(*arguments, **more).splitlines()]

    def check_lines(self, name, *arguments):
        """Holds what the command prints, a document a line, against the schema of that name."""
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
