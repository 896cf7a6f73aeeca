# SPDX-License-Identifier: Apache-2.0
"""Unit tests of scripts/fuzz-parser: which differences count as findings, and in which order they are found. Called with
the build folder whose etlproof is the reference."""
import contextlib
import copy
import os
import sys
import time
import unittest
from unittest import mock

from etlproof import ROOT, minimiser
from etlproof.folder_case import FolderCase
from runner import answer_limits, one_shot, parser_under_test, policy, vectors
from runner.failure import INPUT, OUTPUT, Failure, read_bytes
from runner.limits import Children, Limits, Stopped
from runner.parser_under_test import Answer
from runner.tests import crash_fixtures
from . import afl, either_flags, findings, main, mutant_batches, oracle, parser_run, sessions

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
GOLDEN = vectors.Golden(vectors.GOLDEN)
HOST = os.path.join(BUILD, "bin", "etlproof-host")
ALL = {"name": "all", "records": {kind: ["*"] for kind in ("trace", "buffer", "event", "item", "finding", "end")}}


class SettledTest(unittest.TestCase):
    """Open questions are derived from the vectors, so the vectors also test the derivation."""

    @classmethod
    def setUpClass(cls):
        cls.settled = either_flags.Settled(GOLDEN.traces)

    def flags(self, vector):
        return self.settled.flags([dict(record) for record in vector["expect"]], read_bytes(vector["path"]))

    def test_every_either_vector_has_a_flag(self):
        for vector in GOLDEN.traces:
            if vector["verdict"] == "either" and not set(vector["flags"]) <= set(either_flags.FIELD_FLAGS):
                self.assertTrue(self.flags(vector), vector["id"])

    def test_few_other_vectors_have_a_flag(self):
        """Some have: where the bytes of events in a compressed buffer are not visible, or Offset and an event are both
        wrong, the parser gets the benefit of the doubt."""
        others = [vector for vector in GOLDEN.traces if vector["verdict"] != "either"]
        opened = [vector["id"] for vector in others if self.flags(vector)]
        self.assertLess(len(opened), len(others) / 35, opened)

    def test_every_flag_occurs(self):
        seen = set(either_flags.FIELD_FLAGS)
        for vector in GOLDEN.traces:
            seen.update(self.flags(vector))
        self.assertEqual({flag for vector in GOLDEN.traces for flag in vector["flags"]}, seen)

    def test_rule_with_only_either_vectors_is_open(self):
        self.assertEqual(["opaque-size"], self.settled.flags_of_rule["SIZ-007"])
        self.assertNotIn("SIZ-001", self.settled.flags_of_rule)
        self.assertNotIn("BUF-010", self.settled.flags_of_rule)


class FieldTest(unittest.TestCase):
    def open(self, field, expected, actual, frequency="10000000", **record):
        trace = {"rec": "trace", "clock_type": 1, "clock_frequency": frequency, "start_utc": "2020-01-01T00:00:00.0000000Z"}
        return either_flags.open_difference({"rec": "event", **record}, (field, expected, actual),
                                            either_flags.Clock([trace]))

    def test_difference_of_one_tick_is_open_if_the_clock_needs_rounding(self):
        one, next_one = "2020-01-01T00:00:59.9999999Z", "2020-01-01T00:01:00.0000000Z"
        self.assertEqual("clock-rounding", self.open("utc", one, next_one, "3579545"))
        self.assertIsNone(self.open("utc", one, next_one))
        self.assertIsNone(self.open("utc", one, "2020-01-01T00:01:00.0000001Z", "3579545"))
        self.assertEqual("clock-rounding", self.open("utc", one, "2020-01-01T00:00:59.9999998Z", "3579545"))
        self.assertIsNone(self.open("utc", one, "2020-01-01T00:00:59.9999997Z", "3579545"))
        self.assertIsNone(self.open("utc", one, None, "3579545"))

    def test_time_out_of_range_is_open(self):
        self.assertEqual("time-out-of-range", self.open("utc", None, "1601-01-01T00:00:00.0000000Z"))
        self.assertIsNone(self.open("timestamp", "1", "2"))

    def test_processor_time_is_open(self):
        self.assertEqual("processor-time", self.open("processor_time", "7", None))
        self.assertEqual("processor-time", self.open("kernel_time", None, 7))
        self.assertIsNone(self.open("kernel_time", 7, 8))

    def test_counters_of_a_compressed_event_are_open(self):
        inside = {"space": "inflated", "header_type": "0x02"}
        self.assertEqual("counters-outside-perfinfo", self.open("data_size", 24, 16, **inside))
        self.assertEqual("counters-outside-perfinfo", self.open("data", "0102030405060708aa", "aa", **inside))
        self.assertIsNone(self.open("data_size", 24, 20, **inside))
        self.assertIsNone(self.open("data_size", 24, 16, header_type="0x02"))


class OracleTest(FolderCase):
    """The oracle, on answers of the reference with one change each."""

    @classmethod
    def setUpClass(cls):
        cls.children = Children()
        cls.reference = sessions.Staying(parser_under_test.Parser([HOST], "long-lived"), Limits(), cls.children)
        cls.by_id = {vector["id"]: vector for vector in GOLDEN.traces}

    @classmethod
    def tearDownClass(cls):
        cls.reference.close()

    def judged(self, identifier, change=lambda records: None, outcome=None, description=None, whole=False, settings=()):
        path = self.by_id[identifier]["path"]
        asked = {"id": "x", "path": path, "image": read_bytes(path)}
        reference = self.reference.ask([asked])["x"]
        answer = Answer(outcome or reference.outcome, records=copy.deepcopy(reference.records))
        change(answer.records)
        parser = parser_under_test.Parser(["parser"], "one-shot", description or ALL)
        judge = oracle.Oracle(parser, GOLDEN, policy.load(None, settings, GOLDEN.flags), whole)
        return judge.result(judge.vector(asked, reference), answer)

    @staticmethod
    def without(kind, index):
        def change(records):
            records[:] = [record for record in records if record["rec"] != kind or record["index"] != str(index)]
        return change

    @staticmethod
    def other(kind, index, field, value):
        def change(records):
            next(record for record in records if record["rec"] == kind and record["index"] == str(index))[field] = value
        return change

    def test_reference_passes(self):
        for identifier in ("size-decoy-type", "items-container-id-without-nul"):
            self.assertEqual("pass", self.judged(identifier)["verdict"])
            self.assertIsNone(self.judged(identifier, whole=True)["key"])

    def test_verdicts(self):
        good, bad = "clock-edge-at-1601", "size-decoy-type"
        self.assertEqual(("wrong-reject", "", "", "-"), self.judged(good, outcome="reject")["key"])
        self.assertEqual(("wrong-accept", "", "", "SIZ-003"), self.judged(bad, outcome="accept")["key"])
        self.assertEqual(("silent-loss", "event", "", "-"), self.judged(good, self.without("event", 1))["key"])
        self.assertEqual(("wrong-value", "event", "pid", "-"),
                         self.judged(good, self.other("event", 0, "pid", 5))["key"])
        self.assertEqual("crash", self.judged(good, outcome="crash")["verdict"])

    def test_key_of_a_loss_is_the_lost_record(self):
        def change(records):
            self.other("event", 0, "pid", 5)(records)
            self.without("event", 1)(records)
        self.assertEqual(("silent-loss", "event", "", "-"), self.judged("clock-edge-at-1601", change)["key"])

    def test_key_of_a_loss_behind_the_listed_differences(self):
        value = {"record": "event", "index": "0", "field": "pid", "expected": 4, "actual": 5, "offset": "72"}
        result = {"verdict": "silent-loss", "detail": "", "differences": [value] * 50}
        self.assertEqual(("silent-loss", "", "", "PAY-007"), oracle.key_of(result, {"rule": "PAY-007"}))

    def test_records_behind_the_first_fault_are_compared_only_at_level_should(self):
        """The last event of size-decoy-type lies behind the lost event, event 1 before it."""
        last = max(int(record["index"]) for record in self.by_id["size-decoy-type"]["expect"] if record["rec"] == "event")
        self.assertEqual("pass", self.judged("size-decoy-type", self.without("event", last))["verdict"])
        self.assertEqual("wrong-value", self.judged("size-decoy-type", self.without("event", last), whole=True)["verdict"])
        self.assertEqual("wrong-value", self.judged("size-decoy-type", self.without("event", 1))["verdict"])

    def test_only_a_crash_is_a_finding_on_an_open_question(self):
        open_one = "marker-compact64-b0"
        self.assertEqual("either", self.by_id[open_one]["verdict"])
        self.assertEqual("pass", self.judged(open_one, outcome="accept")["verdict"])
        self.assertEqual("pass", self.judged(open_one, self.without("event", 1))["verdict"])
        self.assertEqual("crash", self.judged(open_one, outcome="crash")["verdict"])
        self.assertEqual("wrong-accept",
                         self.judged(open_one, outcome="accept", settings=["* = reference"])["verdict"])

    def test_undeclared_fields_are_not_compared(self):
        few = {"name": "few", "records": {"event": ["offset", "size"]}}
        good = "clock-edge-at-1601"
        self.assertEqual("pass", self.judged(good, self.other("event", 0, "pid", 5), description=few)["verdict"])
        self.assertEqual("wrong-value", self.judged(good, self.other("event", 0, "size", 5), description=few)["verdict"])

    def test_fields_by_metadata_that_the_parser_does_not_read_are_not_compared(self):
        """Event 0 is a kernel event, whose fields are documented; event 1 brings its own metadata."""
        some = {"name": "some", "records": {"event": ["offset", "event_name", "fields"], "field": ["name", "value"]}}
        tracelogging = {**some, "metadata": ["tracelogging"]}

        def without_fields(index):
            def change(records):
                event = next(one for one in records if one["rec"] == "event" and one["index"] == index)
                del event["event_name"], event["fields"]
            return change

        for index, description, verdict in (("0", tracelogging, "pass"), ("0", some, "wrong-value"),
                                            ("1", tracelogging, "wrong-value")):
            judged = self.judged("payload-fixed-int8-of-1", without_fields(index), description=description)
            self.assertEqual(verdict, judged["verdict"], (index, judged["detail"]))

    def test_members_that_no_vector_has_are_not_compared(self):
        self.assertEqual("pass", self.judged("clock-edge-at-1601", self.other("buffer", 0, "type_name", "x"))["verdict"])

    def test_listing_has_the_place_and_last_line_of_a_crash(self):
        finding = {"verdict": "crash", "detail": "ended: exit 70", "key": ["crash", "deep.py:3", "", ""], "rule": "-",
                   "record": "deep.py:3", "stderr": "Traceback\nValueError: 5\n", "differences": [], "repeats": True,
                   "path": "p", "size": 1, "whole_size": 2, "command": "c"}
        self.assertEqual("crash: ended: exit 70, deep.py:3, ValueError: 5\n    p (1 bytes, minimised from 2)\n    c",
                         findings.listing([finding]))
        finding.update(detail="no answer within 3 s", record="no answer within N s", stderr="")
        self.assertEqual("crash: no answer within 3 s", findings.listing([finding]).splitlines()[0])

    def test_crashes_in_all_languages_have_keys_of_their_own(self):
        keys = {}
        for name, verdict, _, _, text in crash_fixtures.fixtures():
            if verdict == "crash":
                key = oracle.key_of({"verdict": "crash", "stderr": text, "detail": "exit 1"}, {"rule": "-"})
                keys.setdefault(key[1], []).append(name)
        # One panic of Rust is there twice, with and without a stack.
        self.assertEqual([["rust-backtrace.txt", "rust-index.txt"]], [names for names in keys.values() if len(names) > 1])

    def test_plain_command_that_panics_is_a_crash(self):
        for name, verdict, status, _, text in crash_fixtures.fixtures():
            with self.subTest(name):
                output = one_shot.Output(None, status, b"", text.encode(), 0.1)
                self.assertEqual("crash" if verdict == "crash" else "accept", sessions._end_of(output)[0])

    def test_key_of_a_crash_is_its_place(self):
        def key(stderr, reason="exit 70"):
            return oracle.key_of({"verdict": "crash", "stderr": stderr, "detail": reason}, {"rule": "-"})
        python = ('Traceback (most recent call last):\n  File "/a/parse.py", line 7, in x\n'
                  '  File "/a/deep.py", line {}, in y\nValueError: {}\n')
        self.assertEqual("ValueError at deep.py:3", key(python.format(3, 1))[1])
        self.assertEqual(key(python.format(3, 1)), key(python.format(3, 2)))
        self.assertNotEqual(key(python.format(3, 1)), key(python.format(4, 1)))
        asan = "    #0 0x55 in __interceptor_memcpy x.c\n    #1 0x{} in {} b.c:3\n"
        self.assertEqual(key(asan.format(1, "f")), key(asan.format(2, "f")))
        self.assertNotEqual(key(asan.format(1, "f")), key(asan.format(1, "g")))
        self.assertEqual(key("", "no answer within 3 s"), key("", "no answer within 4 s"))
        other = 'an answer with "id":"{}" expected, found b\'{{}}\''
        self.assertEqual(key("", other.format("01f7aa0ccb57bdd252049650ad3eea6b")),
                         key("", other.format("06f8d345fcb640af2e9a2d7e271966b4-4294967379")))
        self.assertEqual("not UTF-8: 'utf-16' codec can't decode byte N in position N: -N, xN, at-N",
                         key("", "not UTF-8: 'utf-16' codec can't decode byte 0xff in position 12: -3, x1.5, at-120")[1])


class MutantsTest(FolderCase):
    def test_seeds_of_equal_name_are_in_different_parts(self):
        paths = ["a/x", "b/x", "b/y", "c/y", "c/z"]
        self.assertEqual([["a/x"], ["b/x", "b/y"], ["c/y", "c/z"]], mutant_batches.parts_of(paths))
        self.assertEqual([["1", "2"], ["3"]], mutant_batches.parts_of(["1", "2", "3"], size=2))

    def test_only_accepted_vectors_are_seeds(self):
        found = mutant_batches.find_seeds(GOLDEN.folder, GOLDEN)
        self.assertEqual(sum(vector["verdict"] == "accept" for vector in GOLDEN.traces), len(found))

    def test_folder_without_seeds_is_refused(self):
        self.fails(INPUT, "no such folder of seeds", mutant_batches.find_seeds, os.path.join(self.folder, "none"), GOLDEN)
        self.write("seed.json", "{}")
        self.fails(INPUT, "no seeds in it: ETL files expected", mutant_batches.find_seeds,
                   self.folder, GOLDEN)
        with mock.patch.object(os, "scandir", side_effect=PermissionError(13, "Permission denied", self.folder)):
            self.fails(INPUT, f"{self.folder}: cannot read: Permission denied", mutant_batches.find_seeds,
                       self.folder, GOLDEN)

    def test_parser_gets_copies_of_the_seeds(self):
        """A parser may write to its input."""
        path = self.write("seeds/one.etl", "as it was")
        source = mutant_batches.Source("unused", [path], 1, 100, os.path.join(self.folder, "mutants"))
        for _ in range(2):
            (name, copy), = source.batch(0)
            self.assertEqual(("one.etl", b"as it was"), (name, read_bytes(copy)))
            self.write(os.path.relpath(copy, self.folder), "changed")
        self.assertEqual(b"as it was", read_bytes(path))

    def test_mutator_that_cannot_write_is_reported(self):
        full = self.write("mutate", "#!/bin/sh\necho no space >&2\nexit 74\n", executable=True)
        source = mutant_batches.Source(full, [__file__], 1, 100, os.path.join(self.folder, "mutants"))
        self.fails(OUTPUT, "no space", source.batch, 1)

    def test_full_disk_is_refused(self):
        with mock.patch.object(parser_run.machine.shutil, "disk_usage", return_value=mock.Mock(free=parser_run.ROOM - 1)):
            self.fails(OUTPUT, "63 MiB are free, and 64 MiB must stay free", parser_run.check_room, self.folder)


class NameTest(FolderCase):
    def test_state_folder_depends_on_the_script_of_an_interpreter(self):
        one, other = (self.write(name) for name in ("one.py", "other.py"))
        names = [main.plain_name(["/usr/bin/python3", path, "{file}"]) for path in (one, os.path.relpath(one), other)]
        self.assertEqual(names[0], names[1])
        self.assertNotEqual(names[0], names[2])
        self.assertTrue(all(name.startswith("python3-") for name in names))


class CrewTest(unittest.TestCase):
    """The pairs of this test take longer for earlier mutants, so the last one finishes first."""

    class Slow:
        def results(self, mutants):
            time.sleep(0.02 / (1 + mutants[0]) if mutants else 0)
            return [f"of {mutant}" for mutant in mutants]

        def close(self):
            pass

    def test_results_come_in_the_order_of_the_mutants(self):
        for jobs in range(1, 5):
            crew = sessions.Crew(self.Slow, jobs)
            for count in range(10):
                self.assertEqual([f"of {mutant}" for mutant in range(count)], crew.results(range(count)))
            crew.close()

    def test_mutants_are_judged_in_their_order(self):
        """The first of several mutants with the same finding is kept."""
        crew = mock.Mock(pairs=[None] * 2, results=lambda piece: [(mutant, "result") for mutant in piece])
        work = parser_run.Run(mock.Mock(folder="", mutants=0, at=0), crew, None, None, parser_run.Budget(1, None), 0)
        with mock.patch.object(work, "_take") as take, mock.patch.object(work, "_show"):
            work.judge(list(range(100)), "origin")
        self.assertEqual([mock.call(mutant, "result") for mutant in range(100)], take.call_args_list)


class ScratchTest(FolderCase):
    """The temporary file on which a finding is confirmed and minimised."""

    def work(self, result_alone):
        store = mock.Mock(folder=self.folder, mutants=0)
        return parser_run.Run(store, mock.Mock(), mock.Mock(result_alone=result_alone), None, parser_run.Budget(1, None), 0)

    def test_temporary_file_is_always_removed(self):
        for ends in (lambda _, path: os.remove(path), lambda _, path: read_bytes(path), mock.Mock(side_effect=Stopped)):
            with contextlib.suppress(Stopped):
                self.work(ends)._alone("name", b"image")
            self.assertEqual([], os.listdir(self.folder))


class TooLargeTest(unittest.TestCase):
    """A reference decode beyond the size limit is no error of the reference; the other files are still compared."""

    PATHS = [os.path.join(vectors.GOLDEN, "size", name) for name in ("size-sixteen-bits-ffff.etl",
                                                                     "size-compact32-least.etl")]

    def results(self, parser):
        reference = parser_under_test.Parser([HOST], "long-lived")
        judge = oracle.Oracle(parser, GOLDEN, policy.load(None, (), GOLDEN.flags))
        pair = sessions.Pair(reference, parser, judge, Limits(), Limits(), Children())
        try:
            with mock.patch.object(answer_limits, "WIDEST", answer_limits.WIDEST._replace(bytes=1 << 16)):
                return [result for _, result in pair.results([(os.path.basename(path), path) for path in self.PATHS])]
        finally:
            pair.close()

    def test_parser_with_records(self):
        parser = parser_under_test.Parser([sys.executable, "-c", "print('{}')"], "one-shot", ALL)
        large, small = self.results(parser)
        self.assertEqual(("skip", None), (large["verdict"], large["key"]))
        self.assertIn("too large to compare", large["detail"])
        self.assertEqual("crash", small["verdict"])  # no end record

    def test_parser_without_records(self):
        parser = parser_under_test.Parser([sys.executable, "-c", "import os; os.abort()", "{file}"], "one-shot")
        self.assertEqual(["crash"] * 2, [result["verdict"] for result in self.results(parser)])

    def test_time_and_memory_limits_of_the_reference(self):
        """They excuse the reference only on a large file."""
        judge = mock.Mock(too_large=lambda asked: "too large")
        pair = sessions.Pair(None, parser_under_test.Parser(["x"], "one-shot"), judge, Limits(), Limits(), Children())
        for outcome in ("hang", "oom"):
            vector = {"path": "x", "image": bytes(sessions.LARGE + 1)}
            self.assertEqual("too large", pair._vector(vector, Answer(outcome, "")))
            with self.assertRaises(sessions.ReferenceFailed):
                pair._vector({**vector, "image": vector["image"][1:]}, Answer(outcome, ""))


class AflTest(FolderCase):
    def test_each_kept_input_is_returned_once(self):
        """When AFL++ resumes, it moves its earlier crashes to another folder; they are not new."""
        engine = afl.Engine([], "", self.folder, Limits(), 1, 1)
        for name in ("queue/id:0", "crashes/id:1", "hangs/README.txt"):
            self.write("afl/main/" + name)
        self.assertEqual(["queue/id:0", "crashes/id:1"], [name for name, _ in engine.new()])
        engine.judged(["queue/id:0"])
        before = os.path.join(self.folder, "afl", "main", "crashes")
        os.rename(before, before + ".2026")
        self.write("afl/main/crashes/id:2")
        self.assertEqual(["crashes/id:2", "crashes/id:1"], [name for name, _ in engine.new()])
        engine.judged(["crashes/id:1"])
        self.assertEqual(["crashes/id:2"], [name for name, _ in engine.new()])

    def test_inputs_kept_at_the_end_are_judged(self):
        engine, work = mock.Mock(), mock.Mock(given=os.path.join(self.folder, "mutants"))
        engine.alive.return_value = False
        engine.new.return_value = [("queue/id:0", self.write("afl/id:0", "kept"))]
        engine.stats.return_value = {"executions": 5}
        afl.go(work, engine, 1)
        copy = os.path.join(work.given, "queue", "id:0")
        work.judge.assert_called_once_with([("queue/id:0", copy)], "afl-fuzz")
        self.assertEqual(b"kept", read_bytes(copy))
        engine.judged.assert_called_once_with(["queue/id:0"])

    def test_engine_that_did_not_run_is_an_error(self):
        engine = mock.Mock()
        engine.alive.return_value = False
        engine.stats.return_value = {"executions": 0}
        with self.assertRaises(Failure) as caught:
            afl.go(mock.Mock(), engine, 1)
        self.assertEqual(INPUT, caught.exception.code)


class TrimmingTest(unittest.TestCase):
    def setUp(self):
        self.trimmer = minimiser.Trimmer(os.path.join(BUILD, "harness", "etlproof-minimiser"))
        vector = next(vector for vector in GOLDEN.traces if vector["id"] == "size-decoy-type")
        self.image = read_bytes(vector["path"])

    def test_smallest_input_fulfils_the_condition(self):
        wanted = self.image[1112:1120]
        smallest, whole = self.trimmer.trim(self.image, lambda image: wanted in image, 30)
        self.assertTrue(whole)
        self.assertIn(wanted, smallest)
        self.assertLess(len(smallest), len(self.image) / 2)

    def test_trimming_ends_with_its_time(self):
        def slowly(_image):
            time.sleep(0.05)
            return False
        began = time.monotonic()
        smallest, whole = self.trimmer.trim(self.image, slowly, 0.2)
        self.assertEqual((self.image, False), (smallest, whole))
        self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    unittest.main()
