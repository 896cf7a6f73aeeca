# SPDX-License-Identifier: Apache-2.0
"""Tests minimise() on a target and on a command that fail on purpose.

    minimise_test.py BINARIES     the folder of victim_text, made_file and etlproof-minimiser
"""
import collections
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from etlproof import minimiser
from runner.failure import INPUT, OUTPUT, Failure

BINARIES = os.path.abspath(sys.argv.pop(1))
minimiser.minimiser = lambda: os.path.join(BINARIES, "etlproof-minimiser")
minimiser.SEARCHES = 20  # one process each

Said = collections.namedtuple("Said", "status")
# Fails with 3 on the whole word, and with 4 on a part of it.
READER = """
import sys
data = open(sys.argv[1], 'rb').read()
sys.exit(3 if b'BOMB' in data else 4 if b'B' in data else 0)
"""


class Command:
    """A subject of triage, with the members that minimise() uses."""

    target = preset = None
    accepts = (0,)

    def __init__(self, *words):
        self.words, self.runs = words, 0

    def run(self, path):
        self.runs += 1
        try:
            done = subprocess.run([*self.words, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                                  timeout=2)
        except subprocess.TimeoutExpired:
            return Said("timeout")
        return Said(done.returncode)


class Target(Command):
    target, preset = "fuzz_recipe", "asan-ubsan"

    def __init__(self):
        self.replay = self.program = os.path.join(BINARIES, "victim_text")
        super().__init__(self.program)


def status_of(_, said):
    return said.status


class Minimise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "out")

    def minimise(self, subject, data, wanted, seconds=60, kind="signal", key=status_of):
        path = os.path.join(self.folder.name, "in")
        with open(path, "wb") as file:
            file.write(data)
        return minimiser.minimise(subject, path, kind, wanted, self.out, seconds, key)

    def left(self):
        with open(self.out, "rb") as file:
            return file.read()

    def test_target(self):
        subject = Target()
        said = self.minimise(subject, b"AxTxx" + b"x" * 500 + b"HxE" + b"x" * 500, 3)
        self.assertEqual(self.left(), b"E")
        self.assertEqual((said["path"], said["size"], said["from"]), (self.out, 1, 1008))
        self.assertGreater(said["tries"], 5)
        self.assertEqual(subject.runs, 2)  # before and after minimising

    def test_hang(self):
        said = self.minimise(Target(), b"xxAxLxx", "timeout", kind="timeout")
        self.assertEqual((self.left(), said["size"]), (b"L", 1))

    def test_result_of_the_target_is_verified(self):
        """The target may take a different failure for the same one, so the result is run again on the subject."""
        asked = []

        def key(_, said):
            asked.append(said)
            return len(asked) not in (2, 3)  # after each way of minimising in the target

        said = self.minimise(Target(), b"xxAxx", True, key=key)
        self.assertEqual(self.left(), b"\0")  # for this key all failures are equal
        self.assertEqual(len(asked), 3 + said["tries"])

    def test_command(self):
        """One process per try. Parts of the wanted bytes fail in another way, and are not accepted."""
        said = self.minimise(Command(sys.executable, "-c", READER), b"x" * 60 + b"BOMB" + b"y" * 60, 3)
        self.assertEqual(self.left(), b"BOMB")
        self.assertEqual((said["size"], said["from"]), (4, 124))

    def test_command_on_a_trace(self):
        trace = subprocess.run([os.path.join(BINARIES, "made_file")], stdout=subprocess.PIPE, check=True).stdout
        keep = trace[:4]
        reader = f"import sys; sys.exit(3 if open(sys.argv[1], 'rb').read().startswith({keep!r}) else 0)"
        self.minimise(Command(sys.executable, "-c", reader), trace, 3)
        self.assertEqual(self.left(), keep)

    def test_input_that_does_not_fail_again(self):
        """Otherwise an input that passes, or that fails in another way, would replace the failing input."""
        for data in (b"x", b"B"):
            with self.assertRaisesRegex(Failure, "does not fail again") as caught:
                self.minimise(Command(sys.executable, "-c", READER), data, 3)
            self.assertEqual((caught.exception.code, os.path.exists(self.out)), (INPUT, False))

    def test_budget(self):
        begun = time.monotonic()
        said = self.minimise(Command(sys.executable, "-c", "import time; time.sleep(0.2); exit(3)"), b"x" * 3000, 3, 1)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(len(self.left()), said["size"])

    def test_refused(self):
        with self.assertRaises(Failure) as caught:
            minimiser.minimise(Target(), os.path.join(self.folder.name, "none"), "signal", 3, self.out, 1, status_of)
        self.assertEqual(caught.exception.code, INPUT)
        for subject, status in ((Target(), -signal.SIGABRT), (Command(sys.executable, "-c", "exit(3)"), 3)):
            self.out = os.path.join(self.folder.name, "none", "out")
            with self.assertRaises(Failure) as caught:
                self.minimise(subject, b"A", status)
            self.assertEqual(caught.exception.code, OUTPUT)


if __name__ == "__main__":
    unittest.main()
