# SPDX-License-Identifier: Apache-2.0
"""Tests the mode --trim of targets, on two targets that fail on purpose.

    target_command_test.py BINARIES     the folder of victim_file, victim_text and made_file
"""
import itertools
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

BINARIES = os.path.abspath(sys.argv.pop(1))
DONE, NOT_SHOWN, USAGE, INPUT, OUTPUT, INTERRUPTED = 0, 1, 64, 66, 74, 130
# Bytes of a buffer header, an event header and an item header, and the overhead of compression.
LEAST_PACKED = 72 + 80 + 8 + 8
# Candidates replace the remaining letter by others, some of which hang.
QUICK = ("--timeout", "0.2")


def tool(name):
    return os.path.join(BINARIES, name)


def made():
    """The trace on which victim_file fails."""
    return subprocess.run([tool("made_file")], stdout=subprocess.PIPE, check=True).stdout


class Trimming(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, data, name="in"):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def out(self):
        with open(self.path("out"), "rb") as file:
            return file.read()

    def run_tool(self, target, *arguments, code=DONE):
        done = subprocess.run([tool(target), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              text=True, errors="replace", timeout=240)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def trim(self, data, *arguments, target="victim_text"):
        """(the smallest input, the message)."""
        said, error = self.run_tool(target, "--trim", self.write(data), "-o", self.path("out"), *arguments)
        self.assertEqual(error, "")
        self.assertFalse([name for name in os.listdir(self.folder.name) if "unfinished" in name])
        return self.out(), said

    def test_structure(self):
        """The result is one event with an item, in a compressed buffer; without its item it fails in another way."""
        trace = made()
        left, said = self.trim(trace, "--searches", "64", target="victim_file")
        self.assertGreater(len(trace), 10000)
        self.assertLessEqual(len(left), LEAST_PACKED)
        self.assertIn("oracle item in", said + " in")
        others = re.search(r", (\d+) failed otherwise", said)
        self.assertGreater(int(others[1]), 0)
        # As text the input could not be changed inside the stream.
        blind, _ = self.trim(trace, "--kind", "text", "--tries", "200", target="victim_file")
        self.assertGreater(len(blind), 2 * len(left))

    def test_same_failure(self):
        """Each letter fails in its own way; the result must not fail in the way of another letter."""
        titles = {"A": "ABRT|signal 6", "E": "exit 3", "H": "SEGV|signal 11", "T": "SEGV|signal 11", "X": "exit 4"}
        for letter, other in itertools.permutations(titles, 2):
            left, said = self.trim(f"much {other} and {letter} more".encode(), *QUICK)
            self.assertEqual(left, letter.encode(), f"{other} is there too")
            self.assertRegex(said, titles[letter])
            self.assertGreater(int(re.search(r", (\d+) failed otherwise", said)[1]), 0)

    def test_alone(self):
        """Many runs share one process: a candidate that fails only after other candidates is not accepted."""
        self.trim(b"x2" + b"x" * 50 + b"12", "--searches", "1")  # neither half fails alone; the second does after the first
        self.assertEqual(self.out(), b"22")

    def test_place(self):
        """Failures of one kind at different places are different; the message names the place."""
        for data, place in ((b"TxHxx", "fail_here"), (b"HxTxx", "fail_there")):
            _, said = self.trim(data)
            self.assertIn(f" in {place}: ", said)

    def test_strict(self):
        """Within one function, the place counts only with --strict."""
        data = b"xHxIxx"
        self.assertEqual(self.trim(data, "--strict")[0], b"I")
        self.assertEqual(self.trim(data)[0], b"H")

    def test_limits(self):
        left, said = self.trim(b"xALx", *QUICK)
        self.assertEqual(left, b"L")
        self.assertIn("timeout", said)
        left, said = self.trim(b"xAMx", "--memory", "200", "--timeout", "4")  # the candidate with an L is tried too
        self.assertEqual(left, b"M")
        self.assertIn("memory", said)

    def test_budget(self):
        data = b"x" * 5000 + b"A" + b"x" * 5000
        left, said = self.trim(data, "--tries", "5")
        self.assertIn(" 5 tries", said)
        self.assertIn(b"A", left)
        trace = made()
        begun = time.monotonic()
        left, _ = self.trim(trace, "--seconds", "1", "--searches", "100000000", target="victim_file")
        self.assertLess(time.monotonic() - begun, 30)
        self.assertLess(len(left), len(trace))

    def test_interrupted(self):
        """OUT is complete at any time: it fails as IN does, and it is smaller."""
        for number in (signal.SIGINT, signal.SIGTERM):
            path = self.write(b"x" * 3000 + b"L" + b"x" * 3000)
            child = subprocess.Popen([tool("victim_text"), "--trim", path, "-o", self.path("out"), *QUICK],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not os.path.exists(self.path("out")) or len(self.out()) == 6001:
                time.sleep(0.02)
            child.send_signal(number)
            said, error = child.communicate(timeout=60)
            self.assertEqual(child.returncode, INTERRUPTED, error)
            self.assertIn(b"L", self.out())
            self.assertIn(f"-> {len(self.out())} bytes".encode(), said)
            os.remove(self.path("out"))

    def test_killed(self):
        """OUT is complete even then, and no child process remains."""
        path = self.write(b"x" * 3000 + b"L" + b"x" * 3000)
        child = subprocess.Popen([tool("victim_text"), "--trim", path, "-o", self.path("out"), "--timeout", "100"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5)
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            inner = file.read().split()
        self.assertTrue(inner)
        child.kill()
        child.communicate()
        until = time.monotonic() + 10
        while any(_runs(pid) for pid in inner) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertFalse([pid for pid in inner if _runs(pid)])

    def test_without_minimiser(self):
        """A minimiser that exits at once, or prints nonsense, is ignored."""
        for program in ("/bin/true", "/bin/yes"):
            said, error = self.run_tool("victim_text", "--trim", self.write(b"xxAxx"), "-o", self.path("out"),
                                        "--kind", "file", "--minimiser", program)
            self.assertIn("without structure", error)
            self.assertEqual(self.out(), b"xxAxx")
            self.assertIn("5 -> 5 bytes", said)

    def test_structure_only(self):
        """etlproof-minimiser ends after the structural candidates; bytes and chance would bring many more."""
        text = b"a text of no structure, of which runs of bytes go, down to one in sixteen" * 4

        def count(*options):
            with subprocess.Popen([tool("etlproof-minimiser"), *options, "text", "0"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as process:
                process.stdin.write(struct.pack("=I", len(text)) + text)
                for found in itertools.count():
                    process.stdin.flush()
                    size = struct.unpack("=I", process.stdout.read(4))[0]
                    if size == 0:
                        return found
                    process.stdout.read(size)
                    process.stdin.write(b"\0")

        self.assertGreater(count("--structure-only"), 10)
        self.assertLess(count("--structure-only"), count() / 10)

    def test_refused(self):
        fails, out = self.write(b"A"), self.path("out")
        _, error = self.run_tool("victim_text", "--trim", self.write(b"x", "fine"), "-o", out, code=NOT_SHOWN)
        self.assertIn("does not fail", error)
        self.assertFalse(os.path.exists(out))
        for arguments, message in ((["--trim", fails], "-o OUT is missing"), (["-o", out, "--trim"], "needs a value"),
                                   (["--trim", fails, "-o", out, "--tries", "x"], "number above 0"),
                                   (["--trim", fails, "-o", out, "--tries", "0"], "number above 0"),
                                   (["--trim", fails, "-o", out, "--frames", "9"], "from 1 to 8"),
                                   (["--trim", fails, "-o", out, "--kind", "page"], "one of: file"),
                                   (["--trim", fails, "-o", out, "more"], "unknown argument: more")):
            _, error = self.run_tool("victim_text", *arguments, code=USAGE)
            self.assertIn(message, error)
            self.assertIn("usage: ", error)
        _, error = self.run_tool("victim_text", "--trim", self.path("none"), "-o", out, code=INPUT)
        self.assertIn("cannot read " + self.path("none"), error)
        _, error = self.run_tool("victim_text", "--trim", fails, "-o", self.path("none/out"), code=OUTPUT)
        self.assertIn("cannot write", error)
        _, error = self.run_tool("victim_text", "--trim", fails, "-o", out, "--minimiser", "/nowhere", code=INPUT)
        self.assertIn("cannot start /nowhere", error)

    def test_files_that_are_not_overwritten(self):
        """The input, and any file that is not ordinary: a device would become an ordinary file."""
        data = b"A little more than it takes"
        fails = self.write(data)
        os.link(fails, self.path("hard"))
        os.mkdir(self.path("folder"))
        os.symlink("/dev/null", self.path("device"))
        for name, text in (("in", "is IN"), ("hard", "is IN"), ("folder", "is not an ordinary file"),
                           ("device", "is not an ordinary file")):
            _, error = self.run_tool("victim_text", "--trim", fails, "-o", self.path(name), code=USAGE)
            self.assertIn(f"-o {text}", error)
        for name in ("out.part", "out.unfinished-1"):  # a killed process may have left it under any name
            self.run_tool("victim_text", "--trim", self.write(data, name), "-o", self.path("out"))
            self.assertEqual(b"A", self.out())
        for name in ("in", "out.part", "out.unfinished-1"):
            with open(self.path(name), "rb") as file:
                self.assertEqual(data, file.read())
        self.assertTrue(os.path.islink(self.path("device")))


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
