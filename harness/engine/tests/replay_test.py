# SPDX-License-Identifier: Apache-2.0
"""Tests replaying, on a target that fails on purpose.

    replay_test.py BINARIES     the folder of victim_text
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

VICTIM = os.path.join(os.path.abspath(sys.argv.pop(1)), "victim_text")
DONE, USAGE, INPUT, OUTPUT = 0, 64, 66, 74
ABORTED = (-6, 1)  # with the handler of a sanitizer, and without


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)
        return os.path.join(self.folder, name)

    def replay(self, *arguments, codes=(DONE,), **streams):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        done = subprocess.run([VICTIM, *arguments], check=False, timeout=60, **streams)
        error = done.stderr.decode(errors="replace")
        self.assertIn(done.returncode, codes, error)
        return done.stdout, error

    def test_files_and_folders(self):
        self.write("a", b"x" * 200000)
        self.write("b", b"")
        self.assertIn(b"3 inputs replayed", self.replay(self.folder, self.write("b", b""))[0])
        _, error = self.replay(self.folder, self.write("c", b"x" * 200000 + b"A"), codes=ABORTED)
        self.assertIn("while replaying " + os.path.join(self.folder, "c"), error)

    def test_failures(self):
        """The message names the input however the process ends, even without stack left."""
        for letter in b"AHS":
            _, error = self.replay(self.write("in", bytes([letter])), codes=(-6, -11, 1))
            self.assertIn("while replaying " + os.path.join(self.folder, "in"), error)
        path = self.write("in", b"L")
        for number in (signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP):
            child = subprocess.Popen([VICTIM, path], stderr=subprocess.PIPE)
            self.addCleanup(child.kill)
            time.sleep(0.3)
            child.send_signal(number)
            error = child.communicate(timeout=60)[1].decode(errors="replace")
            self.assertIn(child.returncode, (-number, 1), error)
            self.assertIn("while replaying " + path, error)

    def test_input_without_a_size(self):
        self.assertIn(b"1 input replayed", self.replay("/dev/stdin", input=b"fine")[0])
        _, error = self.replay("/dev/stdin", input=b"x" * 200000 + b"A", codes=ABORTED)
        self.assertIn("while replaying /dev/stdin", error)

    def test_nothing(self):
        """Without an input no oracle is checked."""
        out, error = self.replay(self.folder, codes=(INPUT,))
        self.assertEqual((b"", self.folder + ": no input to replay\n"), (out, error))
        self.replay(os.path.join(self.folder, "nowhere"), codes=(INPUT,))

    def test_full_output(self):
        path = self.write("a", b"A")
        with open("/dev/full", "wb") as full:
            for arguments in ([self.write("x", b"x")], ["--trim", path, "-o", os.path.join(self.folder, "out")]):
                _, error = self.replay(*arguments, stdout=full, codes=(OUTPUT,))
                self.assertIn("cannot write to standard output: No space left", error)

    def test_repeat(self):
        path = self.write("x", b"x")
        self.assertIn(b"10 times each", self.replay("--repeat", "10", path)[0])
        for number in ("1x", "x", "", "0", "-1", "+1", " 1", "99999999999999999999"):
            _, error = self.replay("--repeat", number, path, codes=(USAGE,))
            self.assertIn("usage: ", error)


if __name__ == "__main__":
    unittest.main()
