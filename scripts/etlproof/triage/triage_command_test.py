# SPDX-License-Identifier: Apache-2.0
"""Tests the command scripts/triage with scripts as parsers, and its error messages. Called with the
build folder whose etlproof is the reference."""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from etlproof import ROOT
from runner.failure import FAILED, INPUT, INTERRUPTED, OUTPUT, PASSED, USAGE
from runner.vectors import GOLDEN
from .triage_case import Folder

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
AS_BUILT = ["--build", BUILD, "--no-build"]
TRIAGE = [sys.executable, "-B", os.path.join(ROOT, "scripts", "triage")]
# Fails according to the first byte of the file.
PARSER = """\
import os, sys, time
def deep(byte):
    if byte == b"k": raise KeyError("gone")
    if byte == b"v": int("x")
    if byte == b"s": os.abort()
    if byte == b"t": time.sleep(60)
    if byte == b"3": sys.exit(3)
    if byte == b"1": sys.exit(1)
    if byte == b"j": print("no JSON", flush=True)
def read(path):
    with open(path, "rb") as file:
        deep(file.read(1))
read(sys.argv[1])
"""
# The same as a long-lived process; it rejects each file that does not crash it.
STAYING = PARSER.replace("read(sys.argv[1])\n", """\
import json
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "start":
        print('{"ready": true, "name": "own name", "records": {}, "verdict": true}', flush=True)
    elif request["cmd"] == "run":
        read(request["file"])
        print(json.dumps({"id": request["id"], "verdict": "reject"}), flush=True)
""")
# The same with a description; it prints no records, and rejects with exit status 2.
DESCRIBED = PARSER.replace("read(sys.argv[1])\n", """\
if "--describe" in sys.argv:
    print('{"name": "x", "records": {"event": ["offset"]}, "reject": [2]}')
else:
    read(sys.argv[1])
""")
HAS_REFERENCE = os.path.exists(os.path.join(BUILD, "bin", "etlproof-host"))


class CommandTest(Folder):
    """The command on a parser that is started without a shell, so that the test also runs on Windows."""

    def setUp(self):
        super().setUp()
        self.parser = f'"{sys.executable}" "{self.write("reader.py", PARSER.encode())}" @@'

    def triage(self, *words, code=FAILED, parser=True, way="--quick"):
        words = [*words, "--parser", self.parser, "--plain", way] if parser else words
        done = subprocess.run([*TRIAGE, *words, "--state", self.path("state")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def buckets(self, *words, code=FAILED):
        found = json.loads(self.triage(*words, "--json", code=code))
        self.validate(found)
        return found

    def validate(self, found):
        try:
            from etlproof.pages import schemas
        except ImportError:
            return  # jsonschema is not installed
        schemas.validator("triage").validate(found)

    def test_kinds(self):
        files = [self.write(name, name[0].encode()) for name in ("k1", "k2", "v1", "31", "11", "ok")]
        found = self.buckets(*files, "--runs", "2")
        self.assertEqual({bucket["what"]: len(bucket["inputs"]) for bucket in found["buckets"]},
                         {"uncaught-KeyError": 2, "uncaught-ValueError": 1, "exit-3": 1})
        self.assertEqual(found["passed"], sorted(files[4:]))
        first = found["buckets"][0]
        self.assertEqual((first["parser"], first["target"], first["frame"]["function"]), ("reader", None, "deep"))
        folder = os.path.join(self.path("state"), "buckets", first["id"])
        with open(os.path.join(folder, "bucket.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), first)
        self.assertEqual(sorted(os.listdir(folder)), ["bucket.json", "input"])

    def test_page(self):
        """The page is written with and without a built etlproof."""
        found = self.triage(self.write("k", b"k"), "--runs", "1", "--json", way="--no-build")
        folder = os.path.join(self.path("state"), "buckets", json.loads(found)["buckets"][0]["id"])
        self.assertLessEqual({"bucket.json", "index.html", "input"}, set(os.listdir(folder)))

    @unittest.skipUnless(HAS_REFERENCE, "etlproof is not built")
    def test_records_are_compared_with_the_reference(self):
        """The toy parser reads events in the file, and skips events in a compressed buffer."""
        paths = [os.path.join(GOLDEN, name) for name in ("compression/compression-greedy-data-of-0.etl",
                                                         "size/size-compact32-least.etl")]
        self.parser = f'"{sys.executable}" "{os.path.join(ROOT, "conformance", "adapters", "toy", "toy.py")}"'
        words = [*paths, "--parser", self.parser, *AS_BUILT, "--runs", "1", "--json", "--quick",
                 "--state", self.path("state")]
        done = subprocess.run([*TRIAGE, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([(bucket["kind"], bucket["what"], bucket["detail"]) for bucket in found["buckets"]],
                         [("parser", "silent-loss", "event")])
        self.assertEqual(found["passed"], paths[1:])

    @unittest.skipUnless(HAS_REFERENCE, "etlproof is not built")
    def test_bucket_is_not_fixed_without_the_comparison_that_found_it(self):
        """Neither a bucket that only the comparison shows, nor an exit status that --plain counts as a rejection."""
        sound = os.path.join(GOLDEN, "size", "size-compact32-least.etl")
        script = self.write("reader.py", DESCRIBED.encode())
        self.parser = f'"{sys.executable}" "{script}" @@'
        held = ["--parser", self.parser, "--name", "reader", *AS_BUILT, "--quick", "--runs", "1"]
        self.assertIn("2 buckets, 2 of them new", self.triage(sound, self.write("1", b"1"), *held, parser=False))
        said = self.triage(sound, self.path("1"), "--name", "reader", "--runs", "1", code=PASSED)
        self.assertIn("none of 2 files fails\n", said)
        self.assertIn(": passes without the comparison with the reference decode", said)
        self.assertIn(": passes where its exit status is no failure", said)
        self.assertEqual(2, self.triage("--list", parser=False, code=PASSED).count("[known]"))

    def test_invalid_description(self):
        """A parser that prints nothing has no description; any other invalid answer is an error."""
        for answer, code, message in (("sys.exit(2)", FAILED, "has no description"),
                                      ("print('{'), sys.exit()", INPUT, "not JSON"),
                                      ("print('{}'), sys.exit()", INPUT, 'has no "name"'),
                                      ("print('usage'), sys.exit(2)", INPUT, "found exit 2"),
                                      ("time.sleep(60)", INPUT, "no answer within 1 s"),
                                      ("os.abort()", INPUT, "SIGABRT" if os.name == "posix" else "exit")):
            with self.subTest(answer):
                text = PARSER.replace("read(sys", f"if '--describe' in sys.argv: {answer}\nread(sys")
                script = self.write("reader.py", text.encode())
                said = self.triage(self.write("k", b"k"), "--parser", f'"{sys.executable}" "{script}" @@', "--quick",
                                   "--runs", "1", "--timeout", "1", parser=False, code=code)
                self.assertIn(message, said)
                self.assertEqual(code == INPUT, "with --plain only" in said)

    @unittest.skipUnless(HAS_REFERENCE, "etlproof is not built")
    def test_long_lived_parser(self):
        """Started by command and by adapter file; its exits, and its answers to inputs that do not crash it."""
        words = [sys.executable, self.write("staying.py", STAYING.encode())]
        file = self.write("adapter.json", json.dumps({"command": words, "mode": "long-lived"}).encode())
        sound = os.path.join(ROOT, "conformance", "golden", "size", "size-compact32-least.etl")
        paths = [*(self.write(name, name[0].encode()) for name in ("k1", "k2", "31", "t", "j", "ok")), sound]
        command = ["--parser", f'"{words[0]}" "{words[1]}"', "--mode", "long-lived"]
        for number, way in enumerate((command, ["--adapter", file])):
            with self.subTest(way):
                more = [*way, *AS_BUILT, "--runs", "1", "--timeout", "1", "--json", "--quick",
                        "--state", self.path(f"state-{number}")]
                found = json.loads(self.triage(*paths, *more, parser=False))
                self.assertEqual({bucket["what"]: len(bucket["inputs"]) for bucket in found["buckets"]},
                                 {"uncaught-KeyError": 2, "exit-3": 1, "timeout": 1, "answer": 1, "wrong-reject": 1})
                self.assertEqual(found["passed"], [self.path("ok")])
                self.assertEqual({bucket["parser"] for bucket in found["buckets"]}, {"own name"})
                self.assertIn('"cmd": "run"', found["buckets"][0]["commands"]["reproduce"])

    def test_long_lived_parser_without_an_answer(self):
        """Otherwise each file would count as a failure, though the parser read none."""
        self.write("x", b"x")
        said = self.triage(self.path("x"), "--parser", self.parser.replace(" @@", ""), "--mode", "long-lived", parser=False,
                           code=INPUT)
        self.assertIn("no answer to", said)

    @unittest.skipIf(sys.platform == "win32", "abort() gives an exit status on Windows")
    def test_signal(self):
        found = self.buckets(self.write("s", b"s"), "--runs", "1")
        self.assertEqual([(bucket["kind"], bucket["what"]) for bucket in found["buckets"]], [("signal", "ABRT")])

    def test_without_modules_that_windows_lacks(self):
        """Triage of a parser's files needs only modules that every Python has; only building needs Linux."""
        path = self.write("k", b"k")
        code = ("import runpy, sys; sys.modules.update(fcntl=None, termios=None, pwd=None, grp=None); "
                f"sys.argv[0] = {TRIAGE[-1]!r}; runpy.run_path(sys.argv[0], run_name='__main__')")
        words = ["-c", code, path, "--parser", self.parser, "--plain", "--quick", "--json", "--state", self.path("state")]
        done = subprocess.run([sys.executable, "-B", *words], capture_output=True, text=True, check=False)
        self.assertEqual(FAILED, done.returncode, done.stderr)
        self.assertEqual(["uncaught-KeyError"], [bucket["what"] for bucket in json.loads(done.stdout)["buckets"]])

    def test_hang(self):
        found = self.buckets(self.write("t", b"t"), "--runs", "2", "--timeout", "1")
        self.assertEqual([(bucket["kind"], bucket["failed"]) for bucket in found["buckets"]], [("timeout", 2)])

    def test_status_from_new_to_fixed(self):
        path = self.write("k", b"k")
        text = self.triage(path)
        self.assertTrue(text.startswith("1 bucket, 1 of them new: 1 of 1 file fails"), text)
        self.assertIn("low: uncaught-KeyError in deep  [new]", text)
        self.assertIn("5 of 5 runs failed, 1 input", text)
        self.assertIn("[known]", self.triage(path, "--sarif", self.path("sarif.json")))
        with open(self.path("sarif.json"), encoding="utf-8") as file:
            self.assertEqual([result["baselineState"] for result in json.load(file)["runs"][0]["results"]], ["unchanged"])
        self.write("reader.py", b"")
        text = self.triage(path, code=PASSED)
        self.assertTrue(text.startswith("none of 1 file fails any more; 1 bucket fixed"), text)
        self.assertIn("[fixed]", self.triage("--list", parser=False, code=PASSED))
        self.write("reader.py", PARSER.encode())
        text = self.triage(path)
        self.assertTrue(text.startswith("1 bucket, 0 of them new, 1 fixed before and back: 1 of 1 file fails"), text)
        self.assertIn("[regressed]", text)

    @unittest.skipUnless(sys.platform == "linux", "needs file names that are bytes")
    def test_file_name_that_is_not_utf_8(self):
        path = self.write("k\udcff", b"k")
        self.assertIn(self.path("k\\udcff"), self.triage(path, "--runs", "1"))
        self.assertIn("[known]", self.triage(path, "--runs", "1", "--sarif", self.path("sarif.json")))
        self.assertIn("k\\udcff", self.triage("--list", parser=False, code=PASSED))

    def test_bucket_with_one_passing_input_is_not_fixed(self):
        paths = [self.write(name, name.encode()) for name in ("k1", "k2")]
        self.triage(*paths, "--runs", "1")
        self.write("reader.py", PARSER.replace("    if byte == b\"k\"", "    if sys.argv[1].endswith('2')").encode())
        found = self.buckets(*paths, "--runs", "1")
        self.assertEqual([(bucket["status"], len(bucket["inputs"])) for bucket in found["buckets"]], [("known", 1)])

    @unittest.skipIf(sys.platform == "win32", "needs a shell")
    def test_bucket_is_not_fixed_by_another_preset(self):
        def program(text):
            os.chmod(self.write("program", f"#!/bin/sh\n{text}\n".encode()), 0o700)
            return "--target", "fuzz_file", "--program", self.path("program"), "--quick"

        path = self.write("k", b"k")
        self.triage(path, "--preset", "libfuzzer-msan", *program("exit 77"), parser=False)
        said = self.triage(path, *program("exit 0"), parser=False, code=PASSED)
        self.assertTrue(said.startswith("none of 1 file fails\n"), said)
        self.assertIn(": passes under libfuzzer; the bug is of libfuzzer-msan", said)
        said = self.triage(path, "--preset", "libfuzzer-msan", *program("exit 0"), parser=False, code=PASSED)
        self.assertTrue(said.startswith("none of 1 file fails any more; 1 bucket fixed"), said)

    def test_merge_and_split(self):
        paths = [self.write(name, name.encode()) for name in ("k", "v")]
        one, other = (bucket["id"] for bucket in self.buckets(*paths, "--runs", "1")["buckets"])
        self.triage("--merge", one, other, parser=False, code=PASSED)
        found = self.buckets(*paths, "--runs", "1")["buckets"]
        self.assertEqual([(bucket["id"], bucket["merged"], len(bucket["inputs"])) for bucket in found], [(one, [other], 2)])
        self.triage("--split", one, paths[1], parser=False, code=PASSED)
        found = self.buckets(*paths, "--runs", "1")["buckets"]
        self.assertEqual(sorted(bucket["split_from"] or "" for bucket in found), ["", one])
        self.assertIn("by hand: split from " + one, self.triage(*paths, "--runs", "1"))

    def test_refused(self):
        path = self.write("k", b"k")
        for words, code, message in (((), USAGE, "FILE expected"),
                                     ((path, "--target", "fuzz_fil"), USAGE, "did you mean fuzz_file"),
                                     ((path, "--list"), USAGE, "exclude each other"),
                                     ((path, "--parser", "x", "--target", "fuzz_file"), USAGE, "exclude each other"),
                                     ((path, "--parser", "x", "--adapter", "y"), USAGE, "leave out --parser"),
                                     ((path, "--adapter", "y", "--plain"), USAGE, "excludes --mode and --plain"),
                                     ((path, "--mode", "long-lived"), USAGE, "--mode is for --parser"),
                                     ((path, "--parser", "x", "--mode", "long-lived", "--plain"), USAGE,
                                      "excludes --mode long-lived"),
                                     ((path, "--adapter", "no-such-file"), INPUT, "cannot read the adapter"),
                                     ((path, "--parser", ""), USAGE, "--parser: a command expected, found ''"),
                                     ((path, "--parser", "no-such-program"), INPUT, "cannot be started"),
                                     (("no-such-file", "--parser", "x"), INPUT, "no-such-file: cannot read"),
                                     ((path, "--parser", "x", "--plain", "--level", "should"), USAGE, "is compared with"),
                                     ((path, "--target", "fuzz_file", "--timeout", "0.5"), USAGE, "whole seconds"),
                                     (("--merge", "a", "b"), USAGE, "no such bucket")):
            with self.subTest(words):
                self.assertIn(message, self.triage(*words, parser=False, code=code))

    def test_cannot_write(self):
        self.write("state", b"a file, not a folder")
        self.assertIn("cannot open the database", self.triage(self.write("k", b"k"), code=OUTPUT))

    def test_bucket_that_was_not_written_is_new(self):
        for status in ("new", "known"):
            path = self.write("k", b"k")
            self.assertIn("cannot write", self.triage(path, "-o", path, "--runs", "1", code=OUTPUT))
            self.assertIn(f"[{status}]", self.triage(path, "--runs", "1"))

    def test_cannot_write_sarif(self):
        """The other output has been printed before, and the bucket is kept."""
        text = self.triage(self.write("k", b"k"), "--sarif", self.path("no/such/folder"), code=OUTPUT)
        self.assertIn("low: uncaught-KeyError in deep  [new]", text)
        self.assertIn(self.path("no/such/folder") + ": cannot write: No such file", text)

    @unittest.skipUnless(os.path.exists("/dev/stdout"), "needs /dev/stdout")
    def test_sarif_to_a_device(self):
        os.symlink("/dev/stdout", self.path("link"))
        self.assertIn('"baselineState": "new"', self.triage(self.write("k", b"k"), "--sarif", self.path("link")))
        self.assertTrue(os.path.islink(self.path("link")))

    @unittest.skipUnless(hasattr(os, "mkfifo"), "needs named pipes")
    def test_no_ordinary_file(self):
        os.mkfifo(self.path("pipe"))
        self.assertIn("pipe: not an ordinary file", self.triage(self.path("pipe"), code=INPUT))

    @unittest.skipUnless(sys.platform == "linux", "signals")
    def test_ends_with_its_children(self):
        path = self.write("t", b"t")
        for number, code in ((signal.SIGTERM, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)):
            with self.subTest(number):
                words = [*TRIAGE, path, "--parser", self.parser, "--plain", "--no-build", "--state", self.path("state")]
                process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
                self.wait(lambda: self.running("t"))
                process.send_signal(number)
                self.assertEqual(process.wait(10), code)
                self.wait(lambda: not self.running("t"))

    def running(self, name):
        """Whether the parser runs on a copy of the file."""
        reader = self.path("reader.py")
        for words in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(words, "rb") as file:
                    if re.search(f"{re.escape(reader)}\0[^\0]*/{name}\0$", os.fsdecode(file.read())):
                        return True
            except OSError:
                continue
        return False

    def wait(self, holds):
        until = time.monotonic() + 10
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
