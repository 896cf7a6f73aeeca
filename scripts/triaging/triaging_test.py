#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What triage makes of reports that sanitizers and engines really printed (logs/), of stacks, and of parsers that are
scripts of this test's own; what it remembers; and the messages of what cannot work. Called with the build folder whose
etlproof is the reference."""
import glob
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from triaging import (  # noqa: E402  (found only by the line above)
    ROOT, buckets, classify, finish, main, minimise, reproduce, stack, subject, tools)
from triaging.store import Store  # noqa: E402
from triaging.subject import Parser, Said, Subject, Target  # noqa: E402
from runner import adapter  # noqa: E402
from campaign import builds  # noqa: E402
from parserfuzz import main as fuzz_parser  # noqa: E402
from runner.failure import FAILED, INPUT, INTERRUPTED, OUTPUT, PASSED, USAGE, Failure  # noqa: E402
from runner.limits import Limits  # noqa: E402
from runner.vectors import GOLDEN  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
LOGS = os.path.join(ROOT, "scripts", "triaging", "logs")
TRIAGE = [sys.executable, "-B", os.path.join(ROOT, "scripts", "triage")]
# Fails as the first byte says.
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
# The same, and it stays: what does not bring it down is rejected.
STAYING = PARSER.replace("read(sys.argv[1])\n", """\
import json
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "start":
        print('{"ready": true, "name": "as it calls itself", "records": {}}', flush=True)
    elif request["cmd"] == "run":
        read(request["file"])
        print(json.dumps({"id": request["id"], "verdict": "reject"}), flush=True)
""")
HAS_REFERENCE = os.path.exists(os.path.join(BUILD, "bin", "etlproof-host"))


def parser(*words):
    return adapter.Parser(words, "one-shot")


def said(text="", status=1, **more):
    return Said(**{"status": status, "signal": None, "timed_out": False, "out_of_memory": False, "text": text,
                   "seconds": 0.1, **more})


def frames(*functions, file="decoder/src/event.c"):
    return [stack.Frame(function, file, 1) for function in functions]


def crash(name, *functions, kind="asan", what="heap-buffer-overflow", access="read", subject=None):
    """A failure whose file has the hash `name`."""
    found = classify.Kind(kind, what, access, 1, "", frames(*functions))
    outcome = reproduce.Outcome(5, 5, False, found, said(), 0.1)
    return buckets.Crash(name, name, len(name), subject or Subject("it", None), outcome)


class ReportTest(unittest.TestCase):
    def test_logs(self):
        paths = sorted(glob.glob(os.path.join(LOGS, "*.txt")))
        self.assertGreater(len(paths), 20)
        for path in paths:
            with self.subTest(os.path.basename(path)), open(path, encoding="utf-8") as file:
                _, expected, text = file.read().split("\n", 2)
                kind = classify.classify(said(text))
                own = stack.own(kind.frames)[0]
                found = [kind.kind, kind.what, kind.access, kind.access_size, own.function, own.file, own.line]
                self.assertEqual(expected, "expected: " + " ".join("-" if word is None else str(word) for word in found))

    def test_undefined(self):
        shown = set()
        with open(os.path.join(LOGS, "ubsan.tsv"), encoding="utf-8") as file:
            for what, access, message in (line.rstrip("\n").split("\t") for line in file if not line.startswith("#")):
                with self.subTest(message):
                    kind = classify.classify(said("decoder/src/a.c:7:1: " + message + "\n"))
                    self.assertEqual((kind.kind, kind.what, kind.access or "-"), ("ubsan", what, access))
                    self.assertEqual((kind.frames[0].file, kind.frames[0].line), ("decoder/src/a.c", 7))
                    shown.add(what)
        self.assertEqual(shown, {row[0] for row in classify._UNDEFINED})
        self.assertEqual(classify.classify(said("a.c:1:2: runtime error: quite new at 0x12\n")).what, "quite-new-at")

    def test_ends(self):
        for how, kind, what in (({"status": None, "signal": 11}, "signal", "SEGV"), ({"status": 139}, "signal", "SEGV"),
                                ({"status": 0xC0000005}, "signal", "SEGV"), ({"status": 7}, "signal", "exit-7"),
                                ({"status": None, "timed_out": True}, "timeout", "timeout"),
                                ({"status": None, "out_of_memory": True}, "memory", "resident"),
                                ({"status": None}, "memory", "output"),
                                ({"key": ("silent-loss", "event", "", "SIZ-002")}, "parser", "silent-loss")):
            with self.subTest(how):
                found = classify.classify(said(**how))
                self.assertEqual((found.kind, found.what), (kind, what))
        self.assertEqual(classify.classify(said(key=("wrong-value", "event", "pid", "-"))).detail, "event pid")
        self.assertIsNone(classify.classify(said(status=0)))
        self.assertIsNone(classify.classify(said(status=1), accepts=(0, 1)))

    def test_the_first_report_counts(self):
        text = "x.c:1:2: runtime error: division by zero\n==1==ERROR: AddressSanitizer: heap-buffer-overflow on address\n"
        self.assertEqual(classify.classify(said(text)).kind, "ubsan")

    def test_sentence_of_an_oracle(self):
        for text, detail in (("oracle json broken at byte 71 of the output: each line: a control character\n",
                              "at byte N of the output: each line: a control character"),
                             ("oracle inflate broken: the status is one (room 7, status 2)\n", "the status is one"),
                             ("oracle tiling broken at offset 0x48 (one window): the regions\n", ""),
                             ("oracle tiling broken at offset 0x48 (one window): the regions; not so: a >= b\n", "a >= b")):
            with self.subTest(text):
                self.assertEqual(classify.classify(said(text)).detail, detail)

    def test_severity(self):
        """Each row is the one that counts for something."""
        shown = {}
        for of, what, access, _, why in classify.SEVERITY:
            kind = classify.Kind(of, what.replace("*", "-"), None if access == "*" else access, None, "", [])
            shown[why] = classify.severity(kind)["why"] == why
        self.assertEqual([why for why, own in shown.items() if not own], [])
        write = classify.Kind("asan", "heap-buffer-overflow", "write", 4, "", [])
        self.assertEqual(classify.severity(write)["level"], "high")
        self.assertEqual(classify.severity(write._replace(access="read"))["level"], "medium")


class StackTest(unittest.TestCase):
    def test_own(self):
        text = "\n".join(f"    #{number} 0x5{number} in {words}" for number, words in enumerate((
            "__asan_memcpy (/b/fuzz_event+0x1) (BuildId: ab)", "etl_load_u16 /b/decoder/src/span.h:68:33",
            "etl_traits_read /b/decoder/src/schema.c:195:25", "check.part.0 /b/decoder/src/content.c:57",
            "walk /b/harness/targets/fuzz_items.c:31:20", "fuzzer::Fuzzer::Execute(unsigned char const*, unsigned long) "
            "(/b/fuzz_event+0x2)", "__libc_start_main csu/../csu/libc-start.c:360:3")))
        own = stack.own(stack.parse(text)[0])
        self.assertEqual(own, [stack.Frame("etl_traits_read", "decoder/src/schema.c", 195),
                               stack.Frame("check", "decoder/src/content.c", 57)])

    def test_nothing_but_the_door(self):
        found = stack.own([stack.Frame("etl_load_u16", "decoder/src/span.h", 68)])
        self.assertEqual(found[0].function, "etl_load_u16")

    def test_of_others(self):
        text = "#0 0x1 in raise signal/../raise.c:26\n#1 0x2 in parse /src/parse.cc:3:1\n#2 0x3 in main /src/main.cc:9\n"
        self.assertEqual(stack.names(stack.own(stack.parse(text)[0])), ("parse", "main"))

    def test_python(self):
        text = ('Traceback (most recent call last):\n  File "/p/a.py", line 9, in <module>\n    f()\n'
                '  File "/p/a.py", line 3, in f\n    x\nKeyError: 1\n')
        self.assertEqual(stack.parse(text), [[stack.Frame("f", "/p/a.py", 3), stack.Frame("<module>", "/p/a.py", 9)]])

    def test_likeness(self):
        one = ("f", "a", "b", "c")
        self.assertEqual(stack.likeness(one, one), 1.0)
        self.assertEqual(stack.likeness(one, ("g", "h")), 0.0)
        self.assertEqual(stack.likeness(one, ("f", "a")), 1.0)
        self.assertAlmostEqual(stack.likeness(one, ("f", "x", "b", "c")), 0.724, 3)
        self.assertLess(stack.likeness(one, ("f", "x", "y", "z")), buckets.LIKE)
        self.assertEqual(stack.likeness((), ()), 1.0)

    def test_callers_of_a_loop(self):
        looks = [frames("load", "read", "walk", "main"), frames("check", "walk", "main"), frames("read", "walk", "main")]
        self.assertEqual(stack.names(stack.common_callers(looks)), ("walk", "main"))


class BucketTest(unittest.TestCase):
    def sort(self, *crashes, known=()):
        sorter = buckets.Sorter(known, {"it": {}})
        return {found.sha256: sorter.place(found).id for found in buckets.in_order(crashes)}

    def test_alike(self):
        found = self.sort(crash("1", "f", "a", "b"), crash("2", "f", "a", "b"), crash("3", "f", "x", "b"))
        self.assertEqual(len(set(found.values())), 1)

    def test_not_alike(self):
        found = self.sort(crash("1", "f", "a", "b", "c"), crash("2", "f", "x", "y", "z"), crash("3", "g", "a", "b", "c"))
        self.assertEqual(len(set(found.values())), 3)

    def test_kinds_never_meet(self):
        found = self.sort(crash("1", "f"), crash("2", "f", access="write"), crash("3", "f", what="use-after-poison"),
                          crash("4", "f", kind="oracle", what="tiling"), crash("5", "f", kind="oracle", what="bytes"))
        self.assertEqual(len(set(found.values())), 5)

    def test_loop(self):
        how = {"kind": "timeout", "what": "timeout", "access": None}
        found = self.sort(crash("1", "walk", "main", **how), crash("2", "load", "read", "walk", "main", **how),
                          crash("3", "other", "main", **how))
        self.assertEqual(found["1"], found["2"])
        self.assertNotEqual(found["1"], found["3"])

    def test_loop_without_a_stack(self):
        how = {"kind": "timeout", "what": "timeout", "access": None}
        found = self.sort(crash("1", **how), crash("2", **how), crash("3", "walk", "main", **how))
        self.assertEqual(found["1"], found["2"])
        self.assertNotEqual(found["1"], found["3"])

    def test_like_one_of_many(self):
        """A bucket that a person merged has stacks that are not alike; what is like one of them belongs to it."""
        trails = [("f", "a", "b", "c"), ("f", "x", "y", "z")]
        for trail in trails:
            with self.subTest(trail):
                one = crash("1", *trail)
                known = buckets.Bucket("known", buckets.key_of(one.outcome.kind), trails)
                self.assertEqual(self.sort(one, known=[known]), {"1": "known"})

    def test_id(self):
        """Neither lines, nor addresses, nor other files change it; kind and function do."""
        first = buckets.id_of(crash("1", "f", "a").outcome.kind)
        kind = crash("1", "f", "a").outcome.kind
        shifted = kind._replace(frames=[frame._replace(line=99) for frame in kind.frames], access_size=8)
        self.assertEqual(first, buckets.id_of(shifted))
        self.assertRegex(first, r"^asan-heap-buffer-overflow-f-[0-9a-f]{8}$")
        self.assertNotEqual(first, buckets.id_of(kind._replace(access="write")))
        self.assertNotEqual(first, buckets.id_of(crash("1", "f", "z").outcome.kind))

    def test_order_of_files(self):
        every = [crash(str(number), "f", caller, "main") for number, caller in enumerate("abcde")]
        self.assertEqual(self.sort(*every), self.sort(*reversed(every)))


class ReproduceTest(unittest.TestCase):
    class Fake(Subject):
        def __init__(self, *turns):
            super().__init__("it", None)
            self.turns = list(turns)

        def run(self, _path):
            return self.turns.pop(0)

    def test_flaky(self):
        turns = [said(status=0), said(status=7), said(status=7), said(status=8), said(status=0)]
        found = reproduce.reproduce(self.Fake(*turns), "x", 5)
        self.assertEqual((found.runs, found.failed, found.flaky, found.kind.what), (5, 3, True, "exit-7"))

    def test_steady(self):
        found = reproduce.reproduce(self.Fake(*[said(status=7)] * 5), "x", 5)
        self.assertEqual((found.runs, found.failed, found.flaky), (5, 5, False))

    def test_slow_runs_are_fewer(self):
        turns = [said(status=None, timed_out=True)] * 5
        self.assertEqual(reproduce.reproduce(self.Fake(*turns), "x", 5).runs, reproduce.SLOW_RUNS)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.database = self.path("t.sqlite")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)


class StoreTest(Folder):
    def put(self, *crashes):
        """{input: bucket} and {bucket: status} of a run over the database."""
        store = Store(self.database)
        sorter = buckets.Sorter(store.buckets(), {"it": store.given("it")})
        found = {}
        for each in buckets.in_order(crashes):
            bucket = sorter.place(each)
            store.add(bucket, each, buckets.trail_of(each.outcome.kind))
            found[each.sha256] = store.resolve(bucket.id)
        statuses = {name: store.seen(name)[0] for name in found.values()}
        store.close()
        return found, statuses

    def decide(self, what, *words):
        store = Store(self.database)
        try:
            return getattr(store, what)(*words)
        finally:
            store.close()

    def test_known(self):
        first, statuses = self.put(crash("1", "f", "a"))
        self.assertEqual(statuses[first["1"]], "new")
        again, statuses = self.put(crash("2", "f", "a"))
        self.assertEqual((again["2"], statuses[again["2"]]), (first["1"], "known"))

    def test_fixed_and_back(self):
        name = self.put(crash("1", "f"))[0]["1"]
        self.assertEqual(self.decide("passed", "1", "it"), name)
        self.assertIsNone(self.decide("passed", "1", "another target"))
        self.decide("fixed", name)
        self.assertEqual(self.decide("seen", name)[0], "fixed")
        self.assertEqual(self.put(crash("1", "f"))[1][name], "new")

    def test_merge(self):
        found, _ = self.put(crash("1", "f"), crash("2", "g"))
        self.decide("merge", found["1"], found["2"])
        again, _ = self.put(crash("2", "g"), crash("3", "g"))
        self.assertEqual(set(again.values()), {found["1"]})
        self.assertEqual(self.decide("by_hand", found["1"])["merged"], [found["2"]])

    def test_split(self):
        found, _ = self.put(crash("1", "f", "a", "b"), crash("2", "f", "x", "b"), crash("3", "f", "a", "b"))
        self.assertEqual(found["1"], found["2"])
        new = self.decide("split", found["1"], "2")
        again, _ = self.put(crash("1", "f", "a", "b"), crash("2", "f", "x", "b"), crash("4", "f", "x", "b"),
                            crash("5", "f", "a", "b"))
        self.assertEqual(again, {"1": found["1"], "2": new, "4": new, "5": found["1"]})
        self.assertEqual(self.decide("by_hand", new)["split_from"], found["1"])

    def test_split_of_the_same_stack(self):
        """Only the file itself goes: nothing tells those that come from the rest."""
        found, _ = self.put(crash("1", "f"), crash("2", "f"))
        new = self.decide("split", found["1"], "2")
        self.assertEqual(self.put(crash("2", "f"), crash("3", "f"))[0], {"2": new, "3": found["1"]})

    def test_another_bug_of_the_same_input(self):
        found, _ = self.put(crash("1", "f"))
        self.assertNotEqual(self.put(crash("1", "g"))[0]["1"], found["1"])

    def test_refused(self):
        name = self.put(crash("1", "f"))[0]["1"]
        for words in (("merge", name, "none"), ("merge", name, name), ("split", name, "9"), ("split", "none", "1")):
            with self.subTest(words), self.assertRaises(Failure) as caught:
                self.decide(*words)
            self.assertEqual(caught.exception.code, USAGE)

    def test_of_a_later_version(self):
        self.put(crash("1", "f"))
        self.decide("_do", "UPDATE triage_schema SET version = 99")
        with self.assertRaisesRegex(Failure, "version 99"):
            Store(self.database)


class CommandTest(Folder):
    """The command over a parser; the shim of a shell is not used, so that Windows can run it too."""

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
            from pages import schemas
        except ImportError:
            return  # no jsonschema here
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
        """Whether etlproof is built here or not."""
        found = self.triage(self.write("k", b"k"), "--runs", "1", "--json", way="--no-build")
        folder = os.path.join(self.path("state"), "buckets", json.loads(found)["buckets"][0]["id"])
        self.assertLessEqual({"bucket.json", "index.html", "input"}, set(os.listdir(folder)))

    @unittest.skipUnless(HAS_REFERENCE, "no etlproof to hold it to")
    def test_held_to_the_reference(self):
        """The toy reads events that lie in the file, and says nothing of those in a compressed buffer."""
        paths = [os.path.join(GOLDEN, name) for name in ("compression/compression-greedy-data-of-0.etl",
                                                         "size/size-compact32-least.etl")]
        self.parser = f'"{sys.executable}" "{os.path.join(ROOT, "conformance", "adapters", "toy", "toy.py")}"'
        words = [*paths, "--parser", self.parser, "--build", BUILD, "--runs", "1", "--json", "--quick",
                 "--state", self.path("state")]
        done = subprocess.run([*TRIAGE, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([(bucket["kind"], bucket["what"], bucket["detail"]) for bucket in found["buckets"]],
                         [("parser", "silent-loss", "event")])
        self.assertEqual(found["passed"], paths[1:])

    @unittest.skipUnless(HAS_REFERENCE, "no etlproof to hold it to")
    def test_one_that_stays(self):
        """By its command and by an adapter file: how it ends, and what it says of what does not bring it down."""
        words = [sys.executable, self.write("staying.py", STAYING.encode())]
        file = self.write("adapter.json", json.dumps({"command": words, "mode": "long-lived"}).encode())
        sound = os.path.join(ROOT, "conformance", "golden", "size", "size-compact32-least.etl")
        paths = [*(self.write(name, name[0].encode()) for name in ("k1", "k2", "31", "t", "j", "ok")), sound]
        command = ["--parser", f'"{words[0]}" "{words[1]}"', "--mode", "long-lived"]
        for number, way in enumerate((command, ["--adapter", file])):
            with self.subTest(way):
                more = [*way, "--build", BUILD, "--runs", "1", "--timeout", "1", "--json", "--quick",
                        "--state", self.path(f"state-{number}")]
                found = json.loads(self.triage(*paths, *more, parser=False))
                self.assertEqual({bucket["what"]: len(bucket["inputs"]) for bucket in found["buckets"]},
                                 {"uncaught-KeyError": 2, "exit-3": 1, "timeout": 1, "answer": 1, "wrong-reject": 1})
                self.assertEqual(found["passed"], [self.path("ok")])
                self.assertEqual({bucket["parser"] for bucket in found["buckets"]}, {"as it calls itself"})
                self.assertIn('"cmd": "run"', found["buckets"][0]["commands"]["reproduce"])

    def test_one_that_stays_and_says_nothing(self):
        """It would be a failure for each file, of which it has seen none."""
        self.write("x", b"x")
        said = self.triage(self.path("x"), "--parser", self.parser.replace(" @@", ""), "--mode", "long-lived", parser=False,
                           code=INPUT)
        self.assertIn("no answer to", said)

    @unittest.skipIf(sys.platform == "win32", "abort() is an exit status there")
    def test_signal(self):
        found = self.buckets(self.write("s", b"s"), "--runs", "1")
        self.assertEqual([(bucket["kind"], bucket["what"]) for bucket in found["buckets"]], [("signal", "ABRT")])

    def test_without_what_windows_lacks(self):
        """Only Linux builds; the rest of the work on a parser's files needs no more than every Python has."""
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

    def test_text_and_life(self):
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

    def test_one_that_passes_fixes_nothing(self):
        paths = [self.write(name, name.encode()) for name in ("k1", "k2")]
        self.triage(*paths, "--runs", "1")
        self.write("reader.py", PARSER.replace("    if byte == b\"k\"", "    if sys.argv[1].endswith('2')").encode())
        found = self.buckets(*paths, "--runs", "1")
        self.assertEqual([(bucket["status"], len(bucket["inputs"])) for bucket in found["buckets"]], [("known", 1)])

    def test_decisions(self):
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
                                     ((path, "--list"), USAGE, "stand alone"),
                                     ((path, "--parser", "x", "--target", "fuzz_file"), USAGE, "exclude each other"),
                                     ((path, "--parser", "x", "--adapter", "y"), USAGE, "leave out --parser"),
                                     ((path, "--adapter", "y", "--plain"), USAGE, "leave out --mode and --plain"),
                                     ((path, "--mode", "long-lived"), USAGE, "--mode is for --parser"),
                                     ((path, "--parser", "x", "--mode", "long-lived", "--plain"), USAGE, "not go with"),
                                     ((path, "--adapter", "no-such-file"), INPUT, "cannot read the adapter"),
                                     ((path, "--parser", ""), USAGE, "--parser: a command expected, found ''"),
                                     ((path, "--parser", "no-such-program"), INPUT, "cannot be started"),
                                     (("no-such-file", "--parser", "x"), INPUT, "no-such-file: cannot read"),
                                     (("--merge", "a", "b"), USAGE, "no such bucket")):
            with self.subTest(words):
                self.assertIn(message, self.triage(*words, parser=False, code=code))

    def test_cannot_write(self):
        self.write("state", b"a file, not a folder")
        self.assertIn("cannot open the database", self.triage(self.write("k", b"k"), code=OUTPUT))

    def test_cannot_write_sarif(self):
        """All else has been said by then, and is kept."""
        text = self.triage(self.write("k", b"k"), "--sarif", self.path("no/such/folder"), code=OUTPUT)
        self.assertIn("low: uncaught-KeyError in deep  [new]", text)
        self.assertIn(self.path("no/such/folder") + ": cannot write: No such file", text)

    @unittest.skipUnless(os.path.exists("/dev/stdout"), "needs /dev/stdout")
    def test_sarif_to_a_device(self):
        os.symlink("/dev/stdout", self.path("link"))
        self.assertIn('"baselineState": "new"', self.triage(self.write("k", b"k"), "--sarif", self.path("link")))
        self.assertTrue(os.path.islink(self.path("link")))

    @unittest.skipUnless(hasattr(os, "mkfifo"), "named pipes of POSIX")
    def test_no_ordinary_file(self):
        os.mkfifo(self.path("pipe"))
        self.assertIn("pipe: no ordinary file", self.triage(self.path("pipe"), code=INPUT))

    @unittest.skipUnless(sys.platform == "linux", "signals")
    def test_ends_with_its_children(self):
        path = self.write("t", b"t")
        for number, code in ((signal.SIGTERM, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)):
            with self.subTest(number):
                words = [*TRIAGE, path, "--parser", self.parser, "--plain", "--state", self.path("state")]
                process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
                self.wait(lambda: self.running(path))
                process.send_signal(number)
                self.assertEqual(process.wait(10), code)
                self.wait(lambda: not self.running(path))

    def running(self, path):
        """Whether the parser runs on the file."""
        for words in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(words, "rb") as file:
                    if file.read().rstrip(b"\0").endswith(f"reader.py\0{path}".encode()):
                        return True
            except OSError:
                continue
        return False

    def wait(self, holds):
        until = time.monotonic() + 10
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)


class FinishTest(unittest.TestCase):
    def complete(self, before=None, **explained):
        record = {"id": "b", "target": None, "inputs": [{"sha256": "1"}], "flaky": False, "smallest": None, "explain": None}
        finisher = finish.Finisher(0)
        with mock.patch.object(finish, "explain", **explained) as asked:
            finisher.complete(record, Parser(parser("x")), "y", "folder", before)
        return record["explain"], finisher.notes, asked.called

    def small(self, flaky=False, seconds=1, before=None):
        record = {"id": "b", "target": None, "inputs": [{"sha256": "1"}], "flaky": flaky, "smallest": None, "explain": None}
        made = {"path": __file__, "size": 1, "from": 2, "seconds": 0.1, "tries": 3}
        with mock.patch.object(finish, "explain") as explained, \
                mock.patch.object(finish, "minimise", return_value=made) as tried:
            finish.Finisher(seconds).complete(record, Parser(parser("x")), "y", "folder", before)
        return tried.called, explained.call_args.args[0], record["commands"]["reproduce"]

    def test_small(self):
        self.assertEqual(self.small(), (True, __file__, "x " + __file__))
        self.assertEqual(self.small(flaky=True), (False, "y", "x y"))
        self.assertEqual(self.small(seconds=0), (False, "y", "x y"))

    def test_small_once(self):
        before = {"inputs": [{"sha256": "1"}], "explain": None, "smallest": {"path": __file__}}
        self.assertEqual(self.small(before=before)[:2], (False, __file__))
        before["smallest"]["path"] = "gone"
        self.assertTrue(self.small(before=before)[0])

    def test_explained(self):
        self.assertEqual(self.complete(return_value={"rule": "r"}), ({"rule": "r"}, [], True))

    def test_a_bucket_without_is_a_bucket(self):
        found = self.complete(side_effect=Failure(INPUT, "not built"))
        self.assertEqual(found, (None, ["b: not explained: not built"], True))
        self.assertEqual(self.complete(side_effect=KeyError())[1], ["b: not explained: KeyError"])

    def test_explained_once(self):
        before = {"inputs": [{"sha256": "1"}], "explain": {"rule": "old"}, "smallest": None}
        self.assertEqual(self.complete(before, return_value={}), ({"rule": "old"}, [], False))
        before["inputs"][0]["sha256"] = "another"
        self.assertEqual(self.complete(before, return_value={}), ({}, [], True))


class WindowsTest(unittest.TestCase):
    """What is done otherwise there, as far as it can be made up elsewhere."""

    def test_programs(self):
        self.addCleanup(importlib.reload, builds)
        with mock.patch.object(os, "name", "nt"):
            importlib.reload(builds)
        with mock.patch.object(os.path, "exists", lambda path: path.endswith(".exe")), \
                mock.patch.object(builds, "build") as build:
            self.assertEqual("etlproof-minimiser.exe", os.path.basename(minimise.minimiser()))
            reference = fuzz_parser.Job._built(mock.Mock(**{"options.build": "b"}), fuzz_parser.REFERENCE)
            self.assertEqual("etlproof-host.exe", os.path.basename(reference))
            finish.Finisher().build(os.devnull)
        build.assert_not_called()

    def test_nothing_is_built(self):
        with mock.patch.object(builds, "fcntl", None), self.assertRaises(Failure) as failed:
            builds.build_all("release", ["etlproof_host"], os.devnull)
        self.assertIn("cmake --build --preset release --target etlproof_host", str(failed.exception))
        self.assertEqual(INPUT, failed.exception.code)

    def test_no_builder(self):
        said_of = (64, b"", b"etlproof: unknown verb: build\r\n")
        with mock.patch.object(tools.Tools, "ask", return_value=said_of), self.assertRaises(Failure) as failed:
            tools.Tools(sys.executable).flags
        self.assertEqual("etlproof build: etlproof: unknown verb: build", str(failed.exception))

    def test_processes_are_started_as_they_can_be(self):
        parser = Parser(adapter.Parser(["read.exe"], "one-shot"))
        with mock.patch.object(subject, "WINDOWS", True), mock.patch.object(subject.one_shot, "run_process") as run:
            parser._run(["read.exe", "x"])
            self.assertIsNone(parser.commands("x")["debug"])
        self.assertEqual({}, run.call_args.kwargs)
        with mock.patch.object(os, "name", "nt"), mock.patch.object(minimise, "minimiser", return_value="it"), \
                mock.patch.object(subprocess, "Popen") as started:
            minimise.Candidates("FILE", b"")
        self.assertEqual({"stdin", "stdout"}, set(started.call_args.kwargs))

    def test_text(self):
        self.assertEqual("a\nb\n", subject._text(b"a\r\nb\r\n"))


@unittest.skipIf(sys.platform == "win32", "planting bugs looks at /proc")
class PlantedTest(unittest.TestCase):
    def test_judged(self):
        from triaging.planted import judge
        alone, lines = judge({"a": {"1": 5}, "b": {"2": 4, "3": 1}, "c": {"4": 5}, "d": {"4": 5}, "e": {}})
        self.assertEqual(alone, ["a"])
        self.assertEqual(lines, ["e: no input was found", "b: 2 buckets: 2 (4), 3 (1)", "4: of 2 bugs: c, d"])


class SubjectTest(Folder):
    def test_files_of_a_folder(self):
        names = ("a", "a.etl", "a.json", "b.json", ".hidden")
        for name in names:
            self.write(name, b"")
        found = [os.path.basename(path) for path in main._files([self.path("")])]
        self.assertEqual(found, ["a", "a.etl", "b.json"])

    def test_target_of_a_folder(self):
        known = {"fuzz_file": None, "fuzz_event": None}
        for path, name in (("build/fuzz/fuzz_event/findings/crash-1", "fuzz_event"), ("fuzz_file", None),
                           ("corpus/regressions/fuzz_file/x", "fuzz_file"), ("some/where/x", None)):
            with self.subTest(path):
                self.assertEqual(main.target_of(path, known), name)

    def test_commands(self):
        target = Target("fuzz_file", "libfuzzer")
        said_of = target.commands("/x/input")
        self.assertIn("UBSAN_OPTIONS=print_stacktrace=1", said_of["reproduce"])
        self.assertTrue(said_of["reproduce"].endswith("harness/fuzz_file -timeout=25 -rss_limit_mb=4096 /x/input"))
        self.assertTrue(said_of["debug"].startswith("gdb "))

    def test_name_of_a_parser(self):
        for words, name in ((["./etl-dump"], "etl-dump"), (["python3", "-B", "a/reader.py", "{file}"], "reader"),
                            (["tool.exe", "--quiet"], "tool"), (["python3", "{file}"], "python3")):
            with self.subTest(words):
                self.assertEqual(Parser(parser(*words)).name, name)

    def test_limits(self):
        words = sys.executable, "-c", "x = bytearray(1 << 29); import time; time.sleep(60)"
        subject = Parser(parser(*words), limits=Limits(20, 20, 64 << 20))
        self.assertTrue(subject.run(self.write("x", b"")).out_of_memory)


if __name__ == "__main__":
    unittest.main()
