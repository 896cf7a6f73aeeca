#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz-parser: what it blames a parser for and what not, with parsers that are right and parsers that are wrong.
Called with the build folder whose etlproof is the reference."""
import copy
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Found only by the line above.
from parserfuzz import ROOT, afl, asking, findings, mutants, oracle, run, settled, trimming  # noqa: E402
from runner import adapter, policy, vectors  # noqa: E402
from runner.adapter import Answer  # noqa: E402
from runner.failure import FAILED, INPUT, INTERRUPTED, OUTPUT, PASSED, USAGE, Failure, read_bytes  # noqa: E402
from runner.limits import Children, Limits  # noqa: E402
from runner.vectors import Golden  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
GOLDEN = Golden(vectors.GOLDEN)
TOY = [sys.executable, os.path.join(ROOT, "conformance", "adapters", "toy", "toy.py")]
HOST = os.path.join(BUILD, "bin", "etlproof-host")
ALL = {"name": "all", "records": {kind: ["*"] for kind in ("trace", "buffer", "event", "item", "finding", "end")}}

# Parsers that go wrong where the header of the first event, or the end of that of its buffer, has a byte 0xff. No seed has.
BROKEN = """\
import os, sys, time
if b"\\xff" in open(sys.argv[-1], "rb").read()[32:104]:
    {what}
"""
# The reference, but for taking every file. A process that stays, as starting one takes longer than all else.
TRUSTING = """\
import subprocess, sys
host = subprocess.Popen([{host!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    host.stdin.write(line)
    host.stdin.flush()
    print(host.stdout.readline().replace('"verdict":"reject"', '"verdict":"accept"'), end="", flush=True)
"""
SPAWNS = """\
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
with open({pids!r}, "a") as file:
    file.write(str(child.pid) + "\\n")
"""
# As afl-fuzz, as far as scripts/fuzz-parser sees it: keeps two inputs of those it starts from, and says what it did.
AFL = """\
#!{python}
import os, shutil, sys, time
words = sys.argv
start, out = words[words.index("-i") + 1], words[words.index("-o") + 1]
folder = os.path.join(out, words[words.index("-M") + 1])
os.makedirs(os.path.join(folder, "queue"), exist_ok=True)
for number, name in enumerate(sorted(os.listdir(start))):
    shutil.copy(os.path.join(start, name), os.path.join(folder, "queue", f"id:{{number:06}}"))
with open(os.path.join(folder, "fuzzer_stats"), "w") as file:
    file.write("execs_done        : 5\\n")
with open(os.path.join(out, "said"), "w") as file:
    file.write(repr([words[1:], os.environ["AFL_CUSTOM_MUTATOR_LIBRARY"], os.environ["ETLPROOF_INPUT"]]))
"""


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text, executable=False):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if executable:
            os.chmod(path, stat.S_IRWXU)
        return path

    def fails(self, code, text, call, *arguments):
        with self.assertRaises(Failure) as caught:
            call(*arguments)
        self.assertEqual(code, caught.exception.code)
        self.assertIn(text, str(caught.exception))


class SettledTest(unittest.TestCase):
    """What is open is worked out of the vectors, so the vectors show whether that is right."""

    @classmethod
    def setUpClass(cls):
        cls.settled = settled.Settled(GOLDEN.traces)

    def flags(self, vector):
        return self.settled.flags([dict(record) for record in vector["expect"]], read_bytes(vector["path"]))

    def test_every_vector_that_is_either_is_open(self):
        for vector in GOLDEN.traces:
            if vector["verdict"] == "either" and not set(vector["flags"]) <= set(settled.FIELD_FLAGS):
                self.assertTrue(self.flags(vector), vector["id"])

    def test_hardly_any_other_is(self):
        """Not none: where an event lies in a compressed buffer its bytes are not seen, and doubt is for the parser."""
        others = [vector for vector in GOLDEN.traces if vector["verdict"] != "either"]
        opened = [vector["id"] for vector in others if self.flags(vector)]
        self.assertLess(len(opened), len(others) / 100, opened)

    def test_every_flag_is_known(self):
        seen = set(settled.FIELD_FLAGS)
        for vector in GOLDEN.traces:
            seen.update(self.flags(vector))
        self.assertEqual({flag for vector in GOLDEN.traces for flag in vector["flags"]}, seen)

    def test_a_rule_of_either_vectors_only_is_open(self):
        self.assertEqual(["opaque-size"], self.settled.flags_of_rule["SIZ-007"])
        self.assertNotIn("SIZ-001", self.settled.flags_of_rule)
        self.assertNotIn("BUF-010", self.settled.flags_of_rule)


class FieldTest(unittest.TestCase):
    def open(self, field, expected, actual, frequency="10000000", **record):
        trace = {"rec": "trace", "clock_type": 1, "clock_frequency": frequency, "start_utc": "2020-01-01T00:00:00.0000000Z"}
        return settled.open_difference({"rec": "event", **record}, (field, expected, actual), settled.Clock([trace]))

    def test_a_tick_is_open_where_the_clock_has_other_steps(self):
        one, next_one = "2020-01-01T00:00:59.9999999Z", "2020-01-01T00:01:00.0000000Z"
        self.assertEqual("clock-rounding", self.open("utc", one, next_one, "3579545"))
        self.assertIsNone(self.open("utc", one, next_one))
        self.assertIsNone(self.open("utc", one, "2020-01-01T00:01:00.0000001Z", "3579545"))
        self.assertEqual("clock-rounding", self.open("utc", one, "2020-01-01T00:00:59.9999998Z", "3579545"))
        self.assertIsNone(self.open("utc", one, "2020-01-01T00:00:59.9999997Z", "3579545"))
        self.assertIsNone(self.open("utc", one, None, "3579545"))

    def test_a_time_out_of_range_is_open(self):
        self.assertEqual("time-out-of-range", self.open("utc", None, "1601-01-01T00:00:00.0000000Z"))
        self.assertIsNone(self.open("timestamp", "1", "2"))

    def test_processor_time_is_open(self):
        self.assertEqual("processor-time", self.open("processor_time", "7", None))
        self.assertEqual("processor-time", self.open("kernel_time", None, 7))
        self.assertIsNone(self.open("kernel_time", 7, 8))

    def test_counters_of_an_event_that_is_not_seen_are_open(self):
        inside = {"space": "inflated", "header_type": "0x02"}
        self.assertEqual("counters-outside-perfinfo", self.open("data_size", 24, 16, **inside))
        self.assertEqual("counters-outside-perfinfo", self.open("data", "0102030405060708aa", "aa", **inside))
        self.assertIsNone(self.open("data_size", 24, 20, **inside))
        self.assertIsNone(self.open("data_size", 24, 16, header_type="0x02"))


class OracleTest(Folder):
    """The oracle over answers that are those of the reference but for one thing."""

    @classmethod
    def setUpClass(cls):
        cls.children = Children()
        cls.reference = asking.Staying(adapter.Parser([HOST], "long-lived"), Limits(), cls.children)
        cls.by_id = {vector["id"]: vector for vector in GOLDEN.traces}

    @classmethod
    def tearDownClass(cls):
        cls.reference.close()

    def judged(self, identifier, change=lambda records: None, outcome=None, description=None, whole=False, settings=()):
        path = self.by_id[identifier]["path"]
        reference = self.reference.ask([{"id": "x", "path": path}])["x"]
        answer = Answer(outcome or reference.outcome, records=copy.deepcopy(reference.records))
        change(answer.records)
        parser = adapter.Parser(["parser"], "one-shot", description or ALL)
        judge = oracle.Oracle(parser, GOLDEN, policy.load(None, settings, GOLDEN.flags), whole)
        return judge.result(judge.vector("x", path, reference), answer)

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

    def test_the_reference_itself_is_right(self):
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

    def test_a_loss_is_known_by_what_is_lost(self):
        def change(records):
            self.other("event", 0, "pid", 5)(records)
            self.without("event", 1)(records)
        self.assertEqual(("silent-loss", "event", "", "-"), self.judged("clock-edge-at-1601", change)["key"])

    def test_what_lies_behind_the_first_fault_is_asked_for_by_level_should_only(self):
        """Event 3 of size-decoy-type lies behind the event that is lost, event 1 before it."""
        last = max(int(record["index"]) for record in self.by_id["size-decoy-type"]["expect"] if record["rec"] == "event")
        self.assertEqual("pass", self.judged("size-decoy-type", self.without("event", last))["verdict"])
        self.assertEqual("wrong-value", self.judged("size-decoy-type", self.without("event", last), whole=True)["verdict"])
        self.assertEqual("wrong-value", self.judged("size-decoy-type", self.without("event", 1))["verdict"])

    def test_what_is_open_is_no_finding_but_for_a_crash(self):
        open_one = "marker-compact64-b0"
        self.assertEqual("either", self.by_id[open_one]["verdict"])
        self.assertEqual("pass", self.judged(open_one, outcome="accept")["verdict"])
        self.assertEqual("pass", self.judged(open_one, self.without("event", 1))["verdict"])
        self.assertEqual("crash", self.judged(open_one, outcome="crash")["verdict"])
        self.assertEqual("wrong-accept",
                         self.judged(open_one, outcome="accept", settings=["* = reference"])["verdict"])

    def test_what_is_not_declared_is_not_compared(self):
        few = {"name": "few", "records": {"event": ["offset", "size"]}}
        good = "clock-edge-at-1601"
        self.assertEqual("pass", self.judged(good, self.other("event", 0, "pid", 5), description=few)["verdict"])
        self.assertEqual("wrong-value", self.judged(good, self.other("event", 0, "size", 5), description=few)["verdict"])

    def test_names_that_no_vector_has_are_decoration(self):
        self.assertEqual("pass", self.judged("clock-edge-at-1601", self.other("buffer", 0, "type_name", "x"))["verdict"])

    def test_a_crash_is_told_with_its_place_and_last_words(self):
        finding = {"verdict": "crash", "detail": "ended: exit 70", "key": ["crash", "deep.py:3", "", ""], "rule": "-",
                   "record": "deep.py:3", "stderr": "Traceback\nValueError: 5\n", "differences": [], "repeats": True,
                   "path": "p", "size": 1, "whole_size": 2, "command": "c"}
        self.assertEqual("crash: ended: exit 70, deep.py:3, ValueError: 5\n    p (1 bytes, made of 2)\n    c",
                         findings.listing([finding]))
        finding.update(detail="no answer within 3 s", record="no answer within N s", stderr="")
        self.assertEqual("crash: no answer within 3 s", findings.listing([finding]).splitlines()[0])

    def test_a_crash_is_known_by_its_place(self):
        def key(stderr, reason="exit 70"):
            return oracle.key_of({"verdict": "crash", "stderr": stderr, "detail": reason}, {"rule": "-"})
        python = 'Traceback\n  File "/a/parse.py", line 7, in x\n  File "/a/deep.py", line {}, in y\nValueError: {}\n'
        self.assertEqual(key(python.format(3, 1)), key(python.format(3, 2)))
        self.assertNotEqual(key(python.format(3, 1)), key(python.format(4, 1)))
        asan = "    #0 0x55 in __interceptor_memcpy x.c\n    #1 0x{} in {} b.c:3\n"
        self.assertEqual(key(asan.format(1, "f")), key(asan.format(2, "f")))
        self.assertNotEqual(key(asan.format(1, "f")), key(asan.format(1, "g")))
        self.assertEqual(key("", "no answer within 3 s"), key("", "no answer within 4 s"))
        other = 'an answer with "id":"{}" expected, found b\'{{}}\''
        self.assertEqual(key("", other.format("01f7aa0ccb57bdd252049650ad3eea6b")),
                         key("", other.format("06f8d345fcb640af2e9a2d7e271966b4")))


class MutantsTest(Folder):
    def test_seeds_of_one_name_are_never_in_one_call(self):
        paths = ["a/x", "b/x", "b/y", "c/y", "c/z"]
        self.assertEqual([["a/x"], ["b/x", "b/y"], ["c/y", "c/z"]], mutants.parts_of(paths))
        self.assertEqual([["1", "2"], ["3"]], mutants.parts_of(["1", "2", "3"], size=2))

    def test_seeds_of_the_vectors_are_those_to_accept(self):
        found = mutants.find_seeds(GOLDEN.folder, GOLDEN)
        self.assertEqual(sum(vector["verdict"] == "accept" for vector in GOLDEN.traces), len(found))

    def test_folders_without_seeds(self):
        self.fails(INPUT, "no such folder of seeds", mutants.find_seeds, os.path.join(self.folder, "none"), GOLDEN)
        self.write("seed.json", "{}")
        self.fails(INPUT, "no seeds in it: ETL files expected", mutants.find_seeds, self.folder, GOLDEN)

    def test_what_the_mutator_cannot_write(self):
        full = self.write("mutate", "#!/bin/sh\necho no space >&2\nexit 74\n", executable=True)
        source = mutants.Source(full, [__file__], 1, 100, os.path.join(self.folder, "mutants"))
        self.fails(OUTPUT, "no space", source.batch, 1)

    def test_a_full_disk(self):
        with mock.patch.object(run.machine.shutil, "disk_usage", return_value=mock.Mock(free=run.ROOM - 1)):
            self.fails(OUTPUT, "63 MiB are free, and 64 MiB are left alone", run.check_room, self.folder)


class CrewTest(unittest.TestCase):
    """A pair here takes the longer the earlier its first mutant comes: the last is done first."""

    class Slow:
        def results(self, mutants):
            time.sleep(0.02 / (1 + mutants[0]) if mutants else 0)
            return [f"of {mutant}" for mutant in mutants]

        def close(self):
            pass

    def test_results_come_in_the_order_of_the_mutants(self):
        for jobs in range(1, 5):
            crew = asking.Crew(self.Slow, jobs)
            for count in range(10):
                self.assertEqual([f"of {mutant}" for mutant in range(count)], crew.results(range(count)))
            crew.close()

    def test_mutants_are_judged_in_their_order(self):
        """Of those that show one finding, the first is kept."""
        crew = mock.Mock(pairs=[None] * 2, results=lambda piece: [(mutant, "result") for mutant in piece])
        work = run.Run(mock.Mock(folder="", mutants=0, at=0), crew, None, None, run.Budget(1, None), 0)
        with mock.patch.object(work, "_take") as take, mock.patch.object(work, "_show"):
            work.judge(list(range(100)), "origin")
        self.assertEqual([mock.call(mutant, "result", "origin") for mutant in range(100)], take.call_args_list)


class AflTest(unittest.TestCase):
    def test_what_it_keeps_at_the_last_is_judged(self):
        engine, work = mock.Mock(), mock.Mock()
        engine.alive.return_value = False
        engine.new.return_value = [("queue/id:0", "path")]
        engine.stats.return_value = {"executions": 5}
        afl.go(work, engine, 1)
        work.judge.assert_called_once_with([("queue/id:0", "path")], "afl-fuzz")
        engine.judged.assert_called_once_with(["queue/id:0"])

    def test_one_that_did_not_run_is_no_run_without_findings(self):
        engine = mock.Mock()
        engine.alive.return_value = False
        engine.stats.return_value = {"executions": 0}
        with self.assertRaises(Failure) as caught:
            afl.go(mock.Mock(), engine, 1)
        self.assertEqual(INPUT, caught.exception.code)


class TrimmingTest(unittest.TestCase):
    def setUp(self):
        self.trimmer = trimming.Trimmer(os.path.join(BUILD, "lib", "libetlproof-mutator-afl.so"))
        vector = next(vector for vector in GOLDEN.traces if vector["id"] == "size-decoy-type")
        self.image = read_bytes(vector["path"])

    def test_it_keeps_what_has_to_hold(self):
        wanted = self.image[1112:1120]
        smallest, whole = self.trimmer.trim(self.image, lambda image: wanted in image, 30)
        self.assertTrue(whole)
        self.assertIn(wanted, smallest)
        self.assertLess(len(smallest), len(self.image) / 2)

    def test_it_ends_with_its_time(self):
        def slowly(_image):
            time.sleep(0.05)
            return False
        began = time.monotonic()
        smallest, whole = self.trimmer.trim(self.image, slowly, 0.2)
        self.assertEqual((self.image, False), (smallest, whole))
        self.assertLess(time.monotonic() - began, 5)


class CommandTest(Folder):
    """The command as a person types it."""

    def command(self, *arguments):
        return [sys.executable, "-B", os.path.join(ROOT, "scripts", "fuzz-parser"), "--build", BUILD, *arguments]

    def fuzz(self, *arguments, state="state", code=None, environment=None):
        place = ["--state", os.path.join(self.folder, state)]
        done = subprocess.run(self.command(*place, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=300, env={**os.environ, **(environment or {})})
        if code is not None:
            self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def findings(self, state="state"):
        folder = os.path.join(self.folder, state, "findings")
        found = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found.append(json.load(file))
        return found

    def verdicts(self, state="state"):
        return {finding["verdict"] for finding in self.findings(state)}

    def report(self, state="state"):
        with open(os.path.join(self.folder, state, "report.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def broken(self, what):
        return [sys.executable, self.write("broken.py", BROKEN.format(what=what)), "@@"]

    def trusting(self):
        script = self.write("trusting.py", TRUSTING.format(host=HOST))
        return ["--trim-seconds", "0", "--mode", "long-lived", "--", sys.executable, script]

    def triaged(self, done):
        """What the command of the summary makes of the findings: kinds of its buckets."""
        command = next(line for line in done.stdout.splitlines() if line.startswith("    scripts/triage "))
        more = ["--quick", "--runs", "1", "--json", "--build", BUILD, "--state", os.path.join(self.folder, "triage")]
        triage = subprocess.run(f"{sys.executable} -B {command.strip()} {shlex.join(more)}", shell=True, cwd=ROOT,
                                capture_output=True, text=True, check=False)
        self.assertEqual(FAILED, triage.returncode, triage.stderr)
        return {bucket["what"] for bucket in json.loads(triage.stdout)["buckets"]}

    def test_a_toy_is_found_wrong(self):
        done = self.fuzz("--mutants", "150", "--trim-seconds", "1", "--", *TOY, code=FAILED)
        self.assertEqual(self.verdicts(), self.triaged(done))
        self.assertIn("wrong-accept", self.verdicts())
        self.assertIn("toy: 150 mutants, ", done.stdout)
        self.assertTrue(any(finding["size"] < finding["whole_size"] for finding in self.findings()))
        for finding in self.findings():
            self.assertEqual(os.path.getsize(finding["path"]), finding["size"])
            self.assertIn(finding["path"], finding["command"])
        listed = self.fuzz("--list", code=FAILED)
        self.assertEqual(len(self.findings()), listed.stdout.count("    " + self.folder))
        one = self.findings()[0]
        checked = self.fuzz("--check", one["path"], "--", *TOY, code=FAILED)
        self.assertIn(f"{one['path']}: {one['verdict']} ", checked.stdout)

    def test_etlproof_is_not(self):
        adapter_file = os.path.join(ROOT, "conformance", "adapters", "etlproof", "etlproof.json")
        for state, parser in (("one", ["--adapter", adapter_file]), ("long", ["--mode", "long-lived", "--", HOST]),
                              ("shim", ["--engine", "shim", "--", HOST])):
            if state == "one" and BUILD != os.path.join(ROOT, "build", "release"):
                continue  # the adapter names the build that people have
            done = self.fuzz("--mutants", "400", *parser, state=state, code=PASSED)
            self.assertIn("nothing found", done.stdout)
            self.assertEqual(400, self.report(state)[-1]["mutants"])

    def test_a_crash_and_a_hang_on_a_certain_byte(self):
        abort = self.broken("os.abort()")
        done = self.fuzz("--mutants", "150", "--plain", "--trim-seconds", "1", "--", *abort, code=FAILED)
        self.assertEqual({"ABRT"}, self.triaged(done))
        self.assertEqual({"crash"}, self.verdicts())
        self.assertEqual(1, len(self.findings()))
        self.assertIn(b"\xff", read_bytes(self.findings()[0]["path"])[32:104])
        hang = ["--mutants", "150", "--plain", "--timeout", "0.5", "--trim-seconds", "1", "--"]
        self.fuzz(*hang, *self.broken("time.sleep(1000)"), state="hang", code=FAILED)
        self.assertEqual({"hang"}, self.verdicts("hang"))

    def test_a_parser_that_is_whole_is_not_blamed_by_plain(self):
        self.fuzz("--mutants", "100", "--plain", "--", *self.broken("sys.exit(1)"), code=PASSED)

    def test_a_file_that_is_no_trace(self):
        """No rule is broken where nothing can be read."""
        done = self.fuzz("--check", self.write("no.etl", ""), *self.trusting(), code=FAILED)
        self.assertIn("a file that is no trace was accepted", done.stdout)

    def test_the_same_seed_gives_the_same_run(self):
        keys = {}
        for state, more in (("a", ["-j1"]), ("b", ["-j2"]), ("c", ["--seed", "2"])):
            self.fuzz("--mutants", "300", *more, *self.trusting(), state=state, code=FAILED)
            keys[state] = [(finding["key"], finding["mutant"]) for finding in self.findings(state)]
            written = sum(line["rec"] == "finding" for line in self.report(state))
            self.assertEqual(len(keys[state]), written, "each finding is written once")
            self.assertTrue(all(finding["repeats"] for finding in self.findings(state)), "each is of its own mutant")
        self.assertEqual(keys["a"], keys["b"])
        self.assertNotEqual(keys["a"], keys["c"])

    def test_a_run_that_was_cut_off_goes_on(self):
        self.fuzz("-j2", "--mutants", "150", *self.trusting(), state="parts")
        first = len(self.findings("parts"))
        path = os.path.join(self.folder, "parts", "report.jsonl")
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"rec":"batch","next":99')  # killed while it wrote
        done = self.fuzz("-j2", "--mutants", "400", "--resume", *self.trusting(), state="parts", code=FAILED)
        self.assertIn("going on where it ended", done.stdout)
        self.fuzz("-j2", "--mutants", "400", *self.trusting(), state="whole", code=FAILED)
        self.assertLess(first, len(self.findings("whole")))
        both = [[(finding["key"], finding["mutant"]) for finding in self.findings(state)] for state in ("parts", "whole")]
        self.assertEqual(*both)
        self.assertEqual((400, 150), (self.report("parts")[-1]["mutants"], self.report("parts")[-1]["resumed"]))
        other = self.fuzz("--mutants", "100", "--seed", "9", "--resume", *self.trusting(), state="parts")
        self.assertIn("of another run (seed differ), starting anew", other.stdout)

    def test_an_interrupt_ends_it_with_the_summary(self):
        pids = os.path.join(self.folder, "pids")
        script = self.write("spawns.py", SPAWNS.format(pids=pids) + "import time; time.sleep(1000)\n")
        place = ["--state", os.path.join(self.folder, "state"), "--plain", "--timeout", "100", "--"]
        process = subprocess.Popen(self.command(*place, sys.executable, script, "@@"), stdout=subprocess.PIPE, text=True)
        self.wait_for(lambda: os.path.exists(pids) and os.path.getsize(pids))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(INTERRUPTED, process.returncode)
        self.assertIn("interrupted; --resume goes on", out)
        self.assertTrue(self.report()[-1]["interrupted"])
        self.all_are_gone(pids)

    def test_children_that_a_parser_leaves_behind_are_ended(self):
        pids = os.path.join(self.folder, "pids")
        script = self.write("spawns.py", SPAWNS.format(pids=pids))
        self.fuzz("--mutants", "5", "--plain", "--", sys.executable, script, "@@", code=PASSED)
        self.all_are_gone(pids)

    def wait_for(self, holds):
        until = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def all_are_gone(self, pids):
        with open(pids, encoding="ascii") as file:
            children = [int(line) for line in file]
        self.assertTrue(children)
        self.wait_for(lambda: not any(_is_alive(child) for child in children))

    def test_messages(self):
        toy = self.write("not_a_parser.py", "print('hello')\n")
        wrong = self.write("wrong.py", "print('{\"name\": \"x\", \"records\": {\"evnt\": []}}')\n")
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        for code, text, arguments in (
                (USAGE, "no parser: expected `-- CMD", []),
                (USAGE, "--plain: no @@", ["--plain", "--", "true"]),
                (USAGE, "--plain is for a command", ["--plain", "--mode", "long-lived", "--", "true", "@@"]),
                (USAGE, "--engine afl: no @@", ["--engine", "afl", "--", "true"]),
                (USAGE, "--minutes and --seconds exclude", ["--minutes", "1", "--seconds", "1", "--", "true"]),
                (INPUT, "the parser cannot be started: No such file", ["--", "/no/such/parser"]),
                (INPUT, "one JSON object expected", ["--", sys.executable, toy]),
                (INPUT, "--plain runs any command", ["--", sys.executable, toy]),
                (INPUT, "one of trace, buffer, event, item, member, finding, end expected, found \"evnt\"",
                 ["--", sys.executable, wrong]),
                (INPUT, "no answer to {\"cmd\": \"start\"", ["--engine", "shim", "--", "true"]),
                (INPUT, "no seeds in it", ["--seeds", empty, "--", *TOY]),
                (INPUT, "no such file", ["--check", "/no/such/file", "--", *TOY]),
                (INPUT, "is a folder", ["--check", empty, "--", *TOY]),
                (INPUT, "nothing was fuzzed there yet", ["--list"]),
                (INPUT, "not instrumented by AFL++", ["--engine", "afl", "--", "true", "@@"])):
            done = self.fuzz(*arguments, code=code)
            self.assertIn(text, done.stderr)
            self.assertEqual("", done.stdout)

    def test_afl_is_missing(self):
        done = self.fuzz("--engine", "afl", "--", "true", "@@", code=INPUT, environment={"PATH": self.folder})
        self.assertIn("afl-fuzz is not installed; it is in the package afl++", done.stderr)

    def test_what_afl_keeps_is_held_to_the_reference(self):
        self.write("bin/afl-fuzz", AFL.format(python=sys.executable), executable=True)
        with open(TOY[1], encoding="utf-8") as file:
            text = f"#!{sys.executable}\n# __AFL_SHM_ID\n" + file.read()
        toy = self.write("toy-instrumented", text, executable=True)
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        done = self.fuzz("--engine", "afl", "--seconds", "3", "--trim-seconds", "0", "--", toy, "@@", code=FAILED,
                         environment={"PATH": path})
        self.assertIn("wrong-reject", self.verdicts())  # the toy takes no compressed buffer, which seeds have
        self.assertIn("toy: ", done.stdout)
        self.assertTrue(all(finding["mutant"].startswith("queue/id:") for finding in self.findings()))
        with open(os.path.join(self.folder, "state", "afl", "said"), encoding="utf-8") as file:
            words, library, kind = eval(file.read())
        self.assertEqual([toy, "@@"], words[words.index("--") + 1:])
        self.assertEqual("etl.dict", os.path.basename(words[words.index("-x") + 1]))
        self.assertEqual(("libetlproof-mutator-afl.so", "file"), (os.path.basename(library), kind))


def _is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
