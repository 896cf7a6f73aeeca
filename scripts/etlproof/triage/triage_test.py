# SPDX-License-Identifier: Apache-2.0
"""Unit tests of triage: real reports of sanitizers and engines (logs/), stacks, buckets, the database, and calls of other
programs."""
import glob
import importlib
import os
import re
import signal
import subprocess
import sys
import unittest
from unittest import mock

from etlproof import ROOT, failures, minimiser
from etlproof.campaign import builds
from etlproof.parserfuzz import main as fuzz_parser
from runner import parser_under_test
from runner.failure import INPUT, USAGE, Failure
from runner.limits import Limits
from runner.tests import crash_fixtures
from unbuild import reference
from . import buckets, finisher, main, program, reproduce
from .bucket_store import Store
from .program import Parser, Said, Subject, Target
from .triage_case import Folder

LOGS = os.path.join(ROOT, "scripts", "etlproof", "triage", "logs")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parser(*words):
    return parser_under_test.Parser(words, "one-shot")


def said(text="", status=1, **more):
    return Said(**{"status": status, "signal": None, "timed_out": False, "out_of_memory": False, "text": text,
                   "seconds": 0.1, **more})


def frames(*functions, file="decoder/src/event.c"):
    return [failures.Frame(function, file, 1) for function in functions]


def crash(name, *functions, kind="asan", what="heap-buffer-overflow", access="read", subject=None):
    """A failure whose file has the hash `name`."""
    found = failures.Kind(kind, what, access, 1, "", frames(*functions))
    outcome = reproduce.Outcome(5, 5, False, found, said(), 0.1)
    return buckets.Crash(name, name, len(name), subject or Subject("it", None), outcome)


class ReportTest(unittest.TestCase):
    def test_logs(self):
        paths = sorted(glob.glob(os.path.join(LOGS, "*.txt")))
        self.assertGreater(len(paths), 20)
        for path in paths:
            with self.subTest(os.path.basename(path)):
                _, expected, text = read(path).split("\n", 2)
                kind = failures.classify(said(text))
                own = failures.own_frames(kind.frames)[0]
                found = [kind.kind, kind.what, kind.access, kind.access_size, own.function, own.file, own.line]
                self.assertEqual(expected, "expected: " + " ".join("-" if word is None else str(word) for word in found))

    def test_logs_of_oracles_match_the_texts_of_the_harness(self):
        sources = "".join(read(path) for path in glob.glob(os.path.join(ROOT, "harness", "*", "*.[ch]")))
        sources = re.sub(r'"\s*\\?\s*"', "", sources)  # join adjacent string literals
        for path in glob.glob(os.path.join(LOGS, "oracle-*.txt")):
            text = read(path)
            noticed = re.findall(r"^.* noticed here:$", text, re.M)
            promises = re.findall(r"^oracle (\S+) broken at .*?\): (.*?)(?:; not so: .*)?$", text, re.M)
            with self.subTest(os.path.basename(path)):
                self.assertEqual((1, 1), (len(noticed), len(promises)))
                self.assertIn(f'"{noticed[0]}\\n"', sources)
                self.assertIn('"{}", "{}"'.format(*promises[0]), sources)

    def test_undefined(self):
        shown = set()
        with open(os.path.join(LOGS, "ubsan.tsv"), encoding="utf-8") as file:
            for what, access, message in (line.rstrip("\n").split("\t") for line in file if not line.startswith("#")):
                with self.subTest(message):
                    kind = failures.classify(said("decoder/src/a.c:7:1: " + message + "\n"))
                    self.assertEqual((kind.kind, kind.what, kind.access or "-"), ("ubsan", what, access))
                    self.assertEqual((kind.frames[0].file, kind.frames[0].line), ("decoder/src/a.c", 7))
                    shown.add(what)
        self.assertEqual(shown, {row[0] for row in failures._UNDEFINED})
        self.assertEqual(failures.classify(said("a.c:1:2: runtime error: quite new at 0x12\n")).what, "quite-new-at")

    def test_ends(self):
        for how, kind, what in (({"status": None, "signal": 11}, "signal", "SEGV"), ({"status": 139}, "signal", "SEGV"),
                                ({"status": 0xC0000005}, "signal", "SEGV"), ({"status": 7}, "signal", "exit-7"),
                                ({"status": None, "timed_out": True}, "timeout", "timeout"),
                                ({"status": None, "out_of_memory": True}, "memory", "resident"),
                                ({"status": None}, "memory", "output"),
                                ({"key": ("silent-loss", "event", "", "SIZ-002")}, "parser", "silent-loss")):
            with self.subTest(how):
                found = failures.classify(said(**how))
                self.assertEqual((found.kind, found.what), (kind, what))
        self.assertEqual(failures.classify(said(key=("wrong-value", "event", "pid", "-"))).detail, "event pid")
        self.assertIsNone(failures.classify(said(status=0)))
        self.assertIsNone(failures.classify(said(status=1), accepts=(0, 1)))

    def test_uncaught_exceptions_of_all_languages(self):
        keys = {}
        for name, verdict, status, expected, text in crash_fixtures.fixtures():
            end = {"status": None, "signal": -status} if status < 0 else {"status": status}
            kind = failures.classify(said(text, **end), accepts=(0, 1))
            with self.subTest(name):
                self.assertEqual(verdict == "reject", kind is None)
                if kind:
                    self.assertEqual(("parser", "uncaught-" + expected[1]), (kind.kind, kind.what))
                    self.assertIn(failures.severity(kind)["level"], ("low", "medium"))
                    keys.setdefault(buckets.key_of(kind), []).append(name)
        # A bucket has no lines: two null and range errors in one function differ by their message.
        self.assertEqual([], [names for names in keys.values() if len(names) > 1])

    def test_traceback_of_a_handled_exception(self):
        text = next(text for name, _, _, _, text in crash_fixtures.fixtures() if name == "python-handled.txt")
        self.assertIsNone(failures.classify(said(text), accepts=(0, 1)))
        self.assertEqual("uncaught-KeyError", failures.classify(said(text, status=70), accepts=(0, 1)).what)

    def test_text_keeps_both_ends(self):
        text = program._text(b"first" + b"." * 200_000 + b"last")
        self.assertTrue(text.startswith("first") and text.endswith("last"))
        self.assertLess(len(text), program.TEXT_MAX + 50)

    def test_first_report_counts(self):
        text = "x.c:1:2: runtime error: division by zero\n==1==ERROR: AddressSanitizer: heap-buffer-overflow on address\n"
        self.assertEqual(failures.classify(said(text)).kind, "ubsan")

    def test_sentence_of_an_oracle(self):
        for text, detail in (("oracle json broken at byte 71 of the output: each line; not so: a control character\n",
                              "a control character"),
                             ("oracle inflate broken: the status is one (room 7, status 2)\n", "the status is one"),
                             ("oracle tiling broken at offset 0x48 (one window): the regions\n", ""),
                             ("oracle tiling broken at offset 0x48 (one window): the regions; not so: a >= b\n", "a >= b")):
            with self.subTest(text):
                self.assertEqual(failures.classify(said(text)).detail, detail)

    def test_severity(self):
        """Each row of SEVERITY is used for at least one kind."""
        shown = {}
        for of, what, access, _, why in failures.SEVERITY:
            kind = failures.Kind(of, what.replace("*", "-"), None if access == "*" else access, None, "", [])
            shown[why] = failures.severity(kind)["why"] == why
        self.assertEqual([why for why, own in shown.items() if not own], [])
        write = failures.Kind("asan", "heap-buffer-overflow", "write", 4, "", [])
        self.assertEqual(failures.severity(write)["level"], "high")
        self.assertEqual(failures.severity(write._replace(access="read"))["level"], "medium")


class StackTest(unittest.TestCase):
    def test_own(self):
        text = "\n".join(f"    #{number} 0x5{number} in {words}" for number, words in enumerate((
            "__asan_memcpy (/b/fuzz_event+0x1) (BuildId: ab)", "etl_load_u16 /b/decoder/src/span.h:68:33",
            "etl_traits_read /b/decoder/src/schema.c:195:25", "check.part.0 /b/decoder/src/content.c:57",
            "walk /b/harness/targets/fuzz_items.c:31:20", "fuzzer::Fuzzer::Execute(unsigned char const*, unsigned long) "
            "(/b/fuzz_event+0x2)", "__libc_start_main csu/../csu/libc-start.c:360:3")))
        own = failures.own_frames(failures.stacks_in(text)[0])
        self.assertEqual(own, [failures.Frame("etl_traits_read", "decoder/src/schema.c", 195),
                               failures.Frame("check", "decoder/src/content.c", 57)])

    def test_paths_with_dots(self):
        """A compiler cache makes paths relative to the build folder. Where a failure is reported is no part of the bug."""
        text = (f"#0 0x1 in oracle_print_stack {ROOT}/build/x/base/../../../harness/oracle/promise.c:41:9\n"
                f"#1 0x2 in oracle_frame {ROOT}/build/x/base/../../../harness/oracle/event_frame.c:9:9\n")
        own = failures.own_frames(failures.stacks_in(text)[0])
        self.assertEqual(own, [failures.Frame("oracle_frame", "harness/oracle/event_frame.c", 9)])

    def test_stack_with_only_span_h(self):
        found = failures.own_frames([failures.Frame("etl_load_u16", "decoder/src/span.h", 68)])
        self.assertEqual(found[0].function, "etl_load_u16")

    def test_stack_of_another_program(self):
        text = "#0 0x1 in raise signal/../raise.c:26\n#1 0x2 in parse /src/parse.cc:3:1\n#2 0x3 in main /src/main.cc:9\n"
        self.assertEqual(failures.function_names(failures.own_frames(failures.stacks_in(text)[0])), ("parse", "main"))

    def test_python(self):
        text = ('Traceback (most recent call last):\n  File "/p/a.py", line 9, in <module>\n    f()\n'
                '  File "/p/a.py", line 3, in f\n    x\nKeyError: 1\n')
        self.assertEqual(failures.stacks_in(text), [[failures.Frame("f", "/p/a.py", 3),
                         failures.Frame("<module>", "/p/a.py", 9)]])

    def test_likeness(self):
        one = ("f", "a", "b", "c")
        self.assertEqual(failures.stack_likeness(one, one), 1.0)
        self.assertEqual(failures.stack_likeness(one, ("g", "h")), 0.0)
        self.assertEqual(failures.stack_likeness(one, ("f", "a")), 1.0)
        self.assertAlmostEqual(failures.stack_likeness(one, ("f", "x", "b", "c")), 0.724, 3)
        self.assertLess(failures.stack_likeness(one, ("f", "x", "y", "z")), buckets.LIKE)
        self.assertEqual(failures.stack_likeness((), ()), 1.0)

    def test_callers_of_a_loop(self):
        stacks = [frames("load", "read", "walk", "main"), frames("check", "walk", "main"), frames("read", "walk", "main")]
        self.assertEqual(failures.function_names(failures.common_callers(stacks)), ("walk", "main"))


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

    def test_different_kinds_have_different_buckets(self):
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

    def test_failure_like_one_member_of_a_merged_bucket(self):
        """A bucket merged by hand has dissimilar stacks; a failure that is like one of them belongs to it."""
        trails = [("f", "a", "b", "c"), ("f", "x", "y", "z")]
        for trail in trails:
            with self.subTest(trail):
                one = crash("1", *trail)
                known = buckets.Bucket("known", buckets.key_of(one.outcome.kind), trails)
                self.assertEqual(self.sort(one, known=[known]), {"1": "known"})

    def test_id(self):
        """The id depends on kind and functions, not on lines, addresses or other files."""
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


class StoreTest(Folder):
    def put(self, *crashes, written=True):
        """{input: bucket} and {bucket: status} of a run over the database."""
        store = Store(self.database)
        sorter = buckets.Sorter(store.buckets(), {"it": store.given("it")})
        found = {}
        for each in buckets.in_order(crashes):
            bucket = sorter.place(each)
            store.add(bucket, each, buckets.trail_of(each.outcome.kind))
            found[each.sha256] = store.resolve(bucket.id)
        statuses = {name: store.seen(name)[0] for name in found.values()}
        for name in statuses if written else ():
            store.keep(name, {"id": name})
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

    def test_buckets_that_were_not_written_stay_new(self):
        for _ in range(2):
            first, statuses = self.put(crash("1", "f"), written=False)
            self.assertEqual(statuses, {first["1"]: "new"})
        self.put(crash("1", "f"))
        self.decide("fixed", first["1"])
        self.assertEqual(self.put(crash("1", "f"), written=False)[1], {first["1"]: "regressed"})
        self.assertEqual(self.decide("seen", first["1"])[0], "fixed")
        self.assertEqual(self.put(crash("1", "f"))[1], {first["1"]: "regressed"})
        self.assertEqual(self.put(crash("1", "f"))[1], {first["1"]: "known"})

    def test_fixed_and_back(self):
        name = self.put(crash("1", "f"))[0]["1"]
        self.assertEqual(self.decide("passed", "1", "it"), name)
        self.assertIsNone(self.decide("passed", "1", "another target"))
        self.decide("fixed", name)
        self.assertEqual(self.decide("seen", name)[0], "fixed")
        self.assertEqual(self.put(crash("1", "f"))[1][name], "regressed")

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
        again, statuses = self.put(crash("1", "f", "a", "b"), crash("2", "f", "x", "b"), crash("4", "f", "x", "b"),
                                   crash("5", "f", "a", "b"))
        self.assertEqual(again, {"1": found["1"], "2": new, "4": new, "5": found["1"]})
        self.assertEqual(set(statuses.values()), {"known"})
        self.assertEqual(self.decide("by_hand", new)["split_from"], found["1"])

    def test_split_of_the_same_stack(self):
        """Only the file itself moves: later inputs with the same stack cannot be distinguished from the rest."""
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

    def test_database_of_a_later_version(self):
        self.put(crash("1", "f"))
        self.decide("_do", "UPDATE triage_schema SET version = 99")
        with self.assertRaisesRegex(Failure, "has triage version 99"):
            Store(self.database)


class FinishTest(unittest.TestCase):
    class Failing(Parser):
        """A parser that exits with `status`."""

        status = 3

        def run(self, _path):
            return said(status=self.status)

    KEY = buckets.key_of(failures.classify(said(status=3)))

    def complete(self, before=None, seconds=0, flaky=False, status=3, explained=None, made=None):
        """(record, notes, the steps that ran); `made` and `explained` are their results, or exceptions to raise."""
        record = {"id": "b", "kind": "signal", "target": None, "inputs": [{"sha256": "1"}], "flaky": flaky,
                  "smallest": None, "explain": None}
        work, steps = finisher.Finisher(seconds), []
        subject = self.Failing(parser("x"))
        subject.status = status
        with mock.patch.object(finisher, "explain", side_effect=[explained]) as explain, \
                mock.patch.object(finisher, "minimise", side_effect=[made]) as minimise:
            work.complete(record, self.KEY, subject, "y", "folder", before)
            steps += ["smallest"] if minimise.called else []
            steps += ["explain " + explain.call_args.args[0]] if explain.called else []
        return record, work.notes, steps

    def before(self, smallest=None, **named):
        explain = {"rule": "old", "decides": [], "recipe": None, "vector": None, **named}
        return {"inputs": [{"sha256": "1"}], "explain": explain, "smallest": smallest and {"path": smallest}}

    def test_smallest_input(self):
        made = {"path": "small"}
        record, _, steps = self.complete(seconds=1, made=made)
        self.assertEqual((record["smallest"], record["commands"]["reproduce"]), (made, "x small"))
        self.assertEqual(steps, ["smallest", "explain small"])
        for how in ({"flaky": True, "seconds": 1}, {"seconds": 0}):
            record, _, steps = self.complete(**how)
            self.assertEqual((record["commands"]["reproduce"], steps), ("x y", ["explain y"]))

    def test_smallest_input_is_kept(self):
        record, _, steps = self.complete(self.before(__file__), 1)
        self.assertEqual((record["smallest"]["path"], record["explain"]["rule"], steps), (__file__, "old", []))

    def test_smallest_input_is_made_again(self):
        """If the file is missing, passes now or fails in another way, because the program changed, the input is
        minimised and explained again."""
        for path, status in (("gone", 3), (__file__, 0), (__file__, 4)):
            with self.subTest((path, status)):
                _, _, steps = self.complete(self.before(path), 1, status=status, made={"path": "small"})
                self.assertEqual(steps, ["smallest", "explain small"])
                record, _, steps = self.complete(self.before(path), 0, status=status)
                self.assertEqual((record["smallest"], steps), (None, ["explain y"]))

    def test_bucket_without_an_explanation(self):
        for error, text in ((Failure(INPUT, "not built"), "not built"), (KeyError(), "KeyError")):
            record, notes, _ = self.complete(explained=error)
            self.assertEqual((record["explain"], notes), (None, ["b: not explained: " + text]))

    def test_explanation_is_kept(self):
        before = self.before(recipe=__file__)
        self.assertEqual(self.complete(before)[2], [])
        before["inputs"][0]["sha256"] = "another"
        record, _, steps = self.complete(before, explained={"rule": "r"})
        self.assertEqual((record["explain"], steps), ({"rule": "r"}, ["explain y"]))

    def test_explanation_is_made_again(self):
        """If a file that the explanation names is missing."""
        for name in ("recipe", "vector"):
            self.assertEqual(self.complete(self.before(**{name: "gone"}))[2], ["explain y"])

    def test_explanation_of_an_earlier_version(self):
        before = self.before()
        del before["explain"]["decides"]
        self.assertEqual(self.complete(before)[2], ["explain y"])


class WindowsTest(unittest.TestCase):
    """The code for Windows, as far as mocks can run it elsewhere."""

    def test_programs(self):
        self.addCleanup(importlib.reload, builds)
        with mock.patch.object(os, "name", "nt"):
            importlib.reload(builds)
        with mock.patch.object(os.path, "exists", lambda path: path.endswith(".exe")), \
                mock.patch.object(builds, "fcntl", None), mock.patch.object(builds, "build_all") as build:
            self.assertEqual("etlproof-minimiser.exe", os.path.basename(minimiser.minimiser()))
            reference = fuzz_parser.Job._built(mock.Mock(**{"options.build": "b"}), fuzz_parser.REFERENCE)
            self.assertEqual("etlproof-host.exe", os.path.basename(reference))
            finisher.Finisher().build(os.devnull)
        build.assert_not_called()

    def test_nothing_is_built(self):
        with mock.patch.object(builds, "fcntl", None), self.assertRaises(Failure) as failed:
            builds.build_all("release", ["etlproof_host"], os.devnull)
        self.assertIn("cmake --build --preset release --target etlproof_host", str(failed.exception))
        self.assertEqual(INPUT, failed.exception.code)

    def test_no_builder(self):
        said_of = (64, b"", b"etlproof: unknown verb: build\r\n")
        with mock.patch.object(reference.Reference, "ask", return_value=said_of), self.assertRaises(Failure) as failed:
            reference.Reference(sys.executable).flags
        self.assertEqual("etlproof build: etlproof: unknown verb: build", str(failed.exception))

    def test_processes_are_started_without_posix_options(self):
        parser = Parser(parser_under_test.Parser(["read.exe"], "one-shot"))
        with mock.patch.object(program, "WINDOWS", True), mock.patch.object(program.one_shot, "run_process") as run:
            parser._run(["read.exe", "x"])
            self.assertIsNone(parser.commands("x")["debug"])
        self.assertEqual({}, run.call_args.kwargs)
        with mock.patch.object(os, "name", "nt"), mock.patch.object(minimiser, "minimiser", return_value="it"), \
                mock.patch.object(subprocess, "Popen") as started:
            minimiser.Candidates("FILE", b"")
        self.assertEqual({"stdin", "stdout"}, set(started.call_args.kwargs))

    def test_text(self):
        self.assertEqual("a\nb\n", program._text(b"a\r\nb\r\n"))


@unittest.skipIf(sys.platform == "win32", "planting bugs looks at /proc")
class PlantedTest(unittest.TestCase):
    def test_judged(self):
        from etlproof.bench.planted_crashes import judge
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

    def test_files_of_a_bucket(self):
        for name in ("bucket.json", "index.html", "embedded.etl", "input.recipe", "smallest"):
            self.write(name, b"")
        self.assertEqual(["input.recipe", "smallest"], list(map(os.path.basename, main._files([self.path("")]))))
        self.write("input", b"")
        self.assertEqual(["input", "smallest"], list(map(os.path.basename, main._files([self.path("")]))))

    def test_unreadable_folder(self):
        with mock.patch.object(os, "listdir", side_effect=PermissionError(13, "Permission denied")), \
                self.assertRaisesRegex(Failure, "cannot read: Permission denied") as caught:
            main._files([self.path("")])
        self.assertEqual(caught.exception.code, INPUT)

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

    def test_parser_gets_a_copy(self):
        path = self.write("x", b"trace")
        words = sys.executable, "-c", "import os, sys; os.remove(sys.argv[1]); os.abort()"
        for _ in range(2):
            self.assertEqual(Parser(parser(*words)).run(path).signal, signal.SIGABRT)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"trace")

    def test_limits(self):
        words = sys.executable, "-c", "x = bytearray(1 << 29); import time; time.sleep(60)"
        subject = Parser(parser(*words), limits=Limits(20, 20, 64 << 20))
        self.assertTrue(subject.run(self.write("x", b"")).out_of_memory)


if __name__ == "__main__":
    unittest.main()
