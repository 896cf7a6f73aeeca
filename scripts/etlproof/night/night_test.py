# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/nightly with scripts as engines and targets: runs that are killed in any phase, lose files, are refused,
or run out of disk space. Engines record each complete input and each failing input in a journal; all must be
kept."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from etlproof.campaign import machine, targets
from etlproof.folder_case import FolderCase
from etlproof.pages import schemas
from runner.failure import FAILED, INPUT, INTERRUPTED, OUTPUT, PASSED, USAGE
from . import corpus, main, slots, state, triage

NIGHT = ("-m", "etlproof.night.fake_night")
BROKEN = 2
SECONDS = "0.01"  # minutes
TARGETS = "fuzz_clock,fuzz_event"

# An engine: FOLDER JOURNAL NAME. It makes inputs like libFuzzer or AFL++; one of them is bad while the file
# $journal.bug exists. While $journal.stops exists, it fails on the whole corpus of fuzz_clock.
ENGINE = """\
folder=$1 journal=$2 name=$3 number=0
case $name in
afl*) learned=$folder/afl/plain/queue failed=$folder/afl/plain/crashes bad=id:0 ;;
*) learned=$folder/corpus failed=$folder/findings bad=crash-x ;;
esac
mkdir -p "$learned" "$failed"
if [ -e "$journal.stops" ]; then
    mkdir -p "$folder/afl/plain/crashes"
    cp "$folder"/../../corpus/fuzz_clock/* "$folder/afl/plain/crashes"
    printf '%s' "$name $$" >"$learned/id:0"
    echo "#1 pulse cov: 5 ft: 7 corp: 1"
    exec sleep 9
fi
while :; do
    number=$((number + 1))
    printf '%s' "$name $$ $number" >"$learned/id:$number" && echo "input $name $$ $number" >>"$journal"
    if [ $number = 2 ] && [ -e "$journal.bug" ]; then
        printf '%s' "bad $name $$" >"$failed/$bad"
        echo "crash bad $name $$" >>"$journal"
    fi
    echo "#$number pulse cov: 5 ft: 7 corp: 1"
    sleep 0.02
done
"""
# A target, which fails on bad inputs while the file JOURNAL.bug exists, and on all while JOURNAL.wide exists.
TARGET = """\
#!/bin/sh
for last; do :; done
[ -e "{journal}.wide" ] || {{ [ -e "{journal}.bug" ] && grep -q bad "$last"; }} || exit 0
echo "oracle tiling broken at offset 0x12 (one window): x" >&2
exit 77
"""


# The phases of a night without --bisect.
PHASES = [name for name, _ in main.PHASES if name != "bisect"]
# Seconds to wait for a night that takes two on an idle machine.
PATIENCE = 120


class Nights(FolderCase):
    def setUp(self):
        super().setUp()
        self.state = os.path.join(self.folder, "state")
        self.write("engine", ENGINE)
        self.write("target", TARGET.format(journal=os.path.join(self.folder, "journal")), executable=True)
        for number in range(3):
            self.write(f"seeds/{number}", f"seed {number}")

    def start(self, *arguments, **environment):
        child = subprocess.Popen(
            [sys.executable, "-B", *NIGHT, "--state", self.state, "--minutes", SECONDS, "--targets", TARGETS,
             "--seeds", self.folder, *arguments], env={**os.environ, "WORK": self.folder, **environment}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        """Ends a process that a failed test left running."""
        child.kill()
        child.communicate()

    def night(self, *arguments, **environment):
        """The exit status; `said` and `complained` have the two outputs."""
        child = self.start(*arguments, **environment)
        self.said, self.complained = child.communicate(timeout=PATIENCE)
        return child.returncode

    def expect(self, code, *arguments, **environment):
        self.assertEqual(code, self.night(*arguments, **environment), self.said + self.complained)

    def report(self, *place, ending="json", schema="report"):
        with open(os.path.join(self.state, "report", *place, "report." + ending), encoding="utf-8") as file:
            record = json.load(file)
        schemas.validator(schema).validate(record)
        return record

    def page(self, *place):
        with open(os.path.join(self.state, "report", *place, "index.html"), encoding="utf-8") as file:
            return file.read()

    def journal(self, kind):
        """The hashes of the inputs that engines have made."""
        with open(os.path.join(self.folder, "journal"), encoding="ascii") as file:
            return {corpus.digest(line.split(" ", 1)[1].rstrip("\n").encode()) for line in file
                    if line.startswith(kind) and line.endswith("\n")}

    def one_of_the_corpus(self):
        folder = os.path.join(self.state, "corpus", "fuzz_clock")
        return os.path.join(folder, sorted(os.listdir(folder))[0])

    def kept(self, place):
        return {name for _, _, names in os.walk(os.path.join(self.state, place)) for name in names}

    def assert_nothing_lost(self):
        self.assertEqual(set(), self.journal("input") - self.kept("corpus"))
        self.assertEqual(set(), self.journal("crash") - self.kept("crashes"))
        self.assertEqual([], os.listdir(os.path.join(self.state, "slots")))
        self.assertEqual(self.kept("corpus"), {row[0] for row in self.rows("SELECT sha1 FROM inputs")})

    def wait_for_slots(self):
        until = time.monotonic() + 20
        while not os.path.exists(os.path.join(self.folder, "journal")):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def rows(self, query):
        with contextlib.closing(sqlite3.connect(os.path.join(self.state, "state.sqlite3"))) as database:
            found = database.execute(query).fetchall()
            database.commit()
            return found


class KilledTest(Nights):
    def test_run_killed_before_each_phase(self):
        """One run, killed nine times, finishes with all its inputs and fuzzes for no more than its time."""
        self.write("journal.bug")
        names = PHASES
        for name in [*names, "report"]:
            self.expect(-signal.SIGKILL, STOP=name)
        self.expect(FAILED)
        self.assertNotIn("conformance", self.said)  # a finished phase is not repeated
        record = self.report()
        self.assertEqual((1, len(names) + 1, 0), (record["run"], record["resumed"], record["corpus"]["lost"]))
        self.assertEqual(names,
                         [phase["name"] for phase in record["phases"] if phase["outcome"] == "done"])
        self.assertLess(sum(target["processor_seconds"] for target in record["targets"]), 10)
        self.assertGreater(len(self.journal("input")), 4)
        self.assertTrue(self.journal("crash"))
        self.assert_nothing_lost()

    def test_run_killed_during_slots(self):
        self.write("journal.bug")
        left = []
        for after in ("0.3", "0.5", "0.8"):
            self.expect(-signal.SIGKILL, "--minutes", "0.05", STOP="fuzz+" + after)
            left += os.listdir(os.path.join(self.state, "slots"))
        self.assertTrue(left)
        self.expect(FAILED, "--minutes", "0.05")
        self.assertEqual(3, self.report()["resumed"])
        self.assert_nothing_lost()

    def test_run_killed_between_files_and_their_rows(self):
        for number in range(1, 6):
            self.expect(-signal.SIGKILL, "--minutes", "0.05", STOP=f"rows+{number}")
        self.expect(PASSED, "--minutes", "0.05")
        self.assertEqual(0, self.report()["corpus"]["lost"])
        self.assert_nothing_lost()

    def test_engines_end_when_the_night_is_killed(self):
        child = self.start()
        self.wait_for_slots()
        pids = [row[0] for row in self.rows("SELECT pid FROM slots WHERE pid IS NOT NULL")]
        child.kill()
        child.communicate()
        self.assertTrue(pids)
        until = time.monotonic() + 5
        while any(slots._works_in(pid, self.state) for pid in pids):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_results_of_an_old_program_are_discarded(self):
        self.expect(-signal.SIGKILL, STOP="report")
        self.expect(PASSED, COMMIT="decade")
        self.assertEqual("decade", self.report()["commit"])
        self.assertIn("regressions ", self.said)

    def test_problems_of_an_old_program_are_discarded(self):
        """Inputs that the corpus had lost before the run began are still reported."""
        self.expect(PASSED)
        os.remove(self.one_of_the_corpus())
        mark = self.write("unbuildable-libfuzzer-msan")
        self.expect(-signal.SIGKILL, STOP="fuzz")
        os.remove(mark)
        self.expect(BROKEN, COMMIT="decade")
        self.assertEqual(["begin"], [problem["phase"] for problem in self.report()["problems"]])

    def test_program_is_not_known_to_be_the_same_with_changes_or_without_git(self):
        for commit in ("c0ffee+", ""):
            self.expect(-signal.SIGKILL, COMMIT=commit, STOP="report")
            self.expect(PASSED, COMMIT=commit)
            self.assertIn("regressions ", self.said)

    def test_interrupted_run_ends_early_with_a_report(self):
        """It runs triage, writes the report, and is not resumed."""
        self.write("journal.bug")
        child = self.start("--minutes", "1")
        self.wait_for_slots()
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        said, complained = child.communicate(timeout=PATIENCE)
        self.assertEqual(FAILED, child.returncode, said + complained)
        self.assertEqual("new", self.report()["verdict"])
        os.remove(os.path.join(self.folder, "journal.bug"))
        self.expect(PASSED)
        self.assertEqual(2, self.report()["run"])
        self.assert_nothing_lost()

    def test_run_interrupted_during_triage_is_resumed(self):
        """The database already knows the bug, but no page has reported it as new."""
        self.write("journal.bug")
        mark = self.write("interrupted-triage")
        self.expect(INTERRUPTED)
        self.assertIn("the next run resumes this one", self.complained)
        os.remove(mark)
        self.expect(FAILED)
        record = self.report()
        self.assertEqual((1, 1, "new"), (record["run"], record["resumed"], record["verdict"]))

    def test_interrupted_run_without_a_new_bug_is_not_green(self):
        """Verdict, sentence, exit status and page say so, and how much of the plan ran."""
        child = self.start("--minutes", "9")
        self.wait_for_slots()
        child.send_signal(signal.SIGTERM)
        said, _ = child.communicate(timeout=PATIENCE)
        self.assertEqual(INTERRUPTED, child.returncode)
        record = self.report()
        self.assertEqual("interrupted", record["verdict"])
        self.assertRegex(record["sentence"], "^Interrupted: .* s of 9 min fuzzed, [1-4] of 10 planned configurations ran; "
                                             "no new bug so far; ")
        self.assertIn(record["sentence"], said)
        plan = record["plan"]
        self.assertTrue(plan["is_interrupted"])
        self.assertLess(plan["fuzzed_seconds"], record["budget_seconds"])
        self.assertEqual((10, 10 - plan["ran"]), (plan["configurations"], len(plan["missed"])))
        self.assertEqual(plan["missed"], plan["never"])
        self.assertIn("verdict is-interrupted", self.page())
        self.expect(PASSED)
        self.assertFalse(self.report()["plan"]["is_interrupted"])
        self.assertEqual("nothing-new", self.report()["verdict"])

    def test_interrupted_run_with_a_new_bug_names_both(self):
        self.write("journal.bug")
        mark = self.write("interrupted-fuzz")
        self.expect(FAILED)
        os.remove(mark)
        self.assertRegex(self.report()["sentence"], "^New bug: .*; interrupted: .* fuzzed, .* ran; ")


class GoneTest(Nights):
    """A killed run with targets that are no longer in the tree."""

    def leave(self, names):
        self.expect(-signal.SIGKILL, STOP="fuzz")
        self.rows(f"UPDATE runs SET targets = '{json.dumps(names)}'")

    def test_all_targets_gone(self):
        """The killed run ends as broken, and the requested run follows."""
        self.leave(["fuzz_gone", "fuzz_lost"])
        self.expect(BROKEN)
        self.assertIn("begin: no longer in the tree, and skipped: fuzz_gone, fuzz_lost\n", self.complained)
        self.assertEqual([("broken",), ("nothing-new",)], self.rows("SELECT verdict FROM runs ORDER BY id"))
        self.assertEqual([], self.report("runs", "1")["targets"])
        self.expect(PASSED)

    def test_one_target_gone(self):
        self.leave(["fuzz_clock", "fuzz_gone"])
        self.expect(PASSED, "--targets", "fuzz_clock")
        self.assertIn("begin: no longer in the tree, and skipped: fuzz_gone\n", self.complained)
        self.assertEqual(["fuzz_clock"], [target["target"] for target in self.report("runs", "1")["targets"]])


class AskedTest(Nights):
    """Which run follows a killed run."""

    def runs(self):
        """(budget, verdict) of each run."""
        return self.rows("SELECT budget, verdict FROM runs ORDER BY id")

    def test_same_command_resumes_the_run_and_ends(self):
        self.expect(-signal.SIGKILL, STOP="minimise")
        self.expect(PASSED, "--quiet")
        self.assertEqual([(0.6, "nothing-new")], self.runs())
        self.assertRegex(self.complained, "^scripts/nightly: resuming run 1 of .* of 1 s are fuzzed\n$")

    def test_other_options_run_after_the_resumed_run(self):
        self.write("unbuildable-libfuzzer-msan")
        self.expect(-signal.SIGKILL, STOP="minimise")
        os.remove(os.path.join(self.folder, "unbuildable-libfuzzer-msan"))
        self.expect(BROKEN, "--quiet", "--minutes", "0.02")
        self.assertEqual([(0.6, "broken"), (1.2, "nothing-new")], self.runs())
        self.assertIn("are fuzzed; the requested run follows\n", self.complained)

    def test_todays_run_follows_the_resumed_run_of_an_earlier_day(self):
        """A bug that only the first run found is also new on the page of the second run, which people read."""
        self.write("journal.bug")
        self.expect(-signal.SIGKILL, "--minutes", "0.03", STOP="minimise")
        self.rows("UPDATE runs SET begun = '2026-01-01T00:00:00Z'")
        self.expect(FAILED, "--minutes", "0.03")
        self.assertEqual(["new"] * 2, [verdict for _, verdict in self.runs()])
        self.assertEqual(2, self.report()["run"])
        self.assertEqual([1, 2], [self.report("runs", str(run))["run"] for run in (1, 2)])
        self.assertIn('href="runs/1/index.html"', self.page())
        self.assertIn('href="../1/index.html"', self.page("runs", "2"))

    def test_phases_skipped_by_an_interrupt_are_run_later(self):
        child = self.start("--minutes", "0.05", STOP="triage")
        self.wait_for_slots()
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE)
        self.assertEqual([("skipped",)], self.rows("SELECT outcome FROM phases WHERE name = 'fuzz'"))
        self.expect(PASSED, "--minutes", "0.05")
        self.assertEqual({"done"}, {phase["outcome"] for phase in self.report()["phases"]})


class BucketsTest(Nights):
    def test_new_then_known_then_fixed(self):
        self.write("journal.bug")
        self.expect(FAILED)
        first = self.report()
        self.assertEqual(["new"], [bucket["status"] for bucket in first["buckets"]])
        self.assertEqual(0, first["targets"][0]["clean"]["libfuzzer"]["seconds"])
        for place in ((), ("runs", "1")):
            log = self.report(*place, ending="sarif", schema="sarif")
            self.assertEqual(["new"], [result["baselineState"] for result in log["runs"][0]["results"]])
            self.assertIn('href="report.sarif"', self.page(*place))
        self.expect(PASSED)
        self.assertEqual(["known"], [bucket["status"] for bucket in self.report()["buckets"]])
        os.remove(os.path.join(self.folder, "journal.bug"))
        self.expect(PASSED)
        last = self.report()
        self.assertEqual(["fixed"], [bucket["status"] for bucket in last["buckets"]])
        self.assertEqual(set(), self.journal("crash") - self.kept("corpus"))  # an input of the corpus again
        self.assertEqual([1, 0, 0], [past["new"] for past in last["history"]])

    def statuses(self):
        return [bucket["status"] for bucket in self.report()["buckets"]]

    def test_bug_that_was_fixed_and_is_back_is_regressed(self):
        """Such a night is red, even if no engine finds the bug; a bug that stays fixed is not listed again."""
        bug = self.write("journal.bug")
        self.expect(FAILED)
        os.remove(bug)
        self.expect(PASSED)
        self.assertEqual(["fixed"], self.statuses())
        self.expect(PASSED)
        self.assertEqual([], self.statuses())
        self.write("engine", ENGINE.replace("$number = 2", "$number = -1"))
        self.write("journal.bug")
        self.expect(FAILED)
        record = self.report()
        self.assertEqual((["regressed"], "new", 1), (self.statuses(), record["verdict"], record["history"][-1]["new"]))
        self.assertRegex(record["sentence"], "^Bug back after it was fixed: the decoder breaks the promise ")
        self.assertIn('id="regressed"', self.page())
        self.assertEqual("new", self.report(ending="sarif", schema="sarif")["runs"][0]["results"][0]["baselineState"])
        self.expect(PASSED)
        self.assertEqual(["known"], self.statuses())

    def fail_each(self, time):
        """From now on, bad inputs fail only every so many times."""
        text = TARGET.format(journal=os.path.join(self.folder, "journal")).replace("echo", f"""\
count=$(($(cat {self.folder}/count) + 1))
echo $count >{self.folder}/count
[ $((count % {time})) = 0 ] || exit 0
echo""", 1)
        self.write("target", text, executable=True)
        self.write("count", "0")

    def test_flaky_bug_is_known_and_not_fixed_by_passing_now_and_then(self):
        self.write("engine", ENGINE.replace("printf '%s' \"bad $name $$\"", "printf '%s' bad"))
        bug = self.write("journal.bug")
        chosen = ("--targets", "fuzz_clock", "-j", "1", "--minutes", "0.03")
        self.expect(FAILED, *chosen, RUNS="2")
        self.write("engine", ENGINE.replace("$number = 2", "$number = -1"))
        self.fail_each(2)
        self.expect(PASSED, *chosen, RUNS="2")
        self.assertEqual(["flaky"], self.statuses())
        self.assertIn("No new bug; 1 bug flaky; ", self.report()["sentence"])
        self.fail_each(5)
        self.expect(PASSED, *chosen, RUNS="2")  # it passes more often than triage runs other inputs
        self.assertEqual(["flaky"], self.statuses())
        os.remove(bug)
        self.expect(PASSED, *chosen, RUNS="2")
        self.assertEqual(["fixed"], self.statuses())

    def test_commit_of_a_bucket_is_searched_if_it_is_asked_for(self):
        self.write("journal.bug")
        self.expect(FAILED, "--bisect")
        found = self.report()["buckets"][0]["commit"]
        self.assertEqual(("break it", 3), (found["subject"], found["steps"]))
        self.assertIn('introduced by <span class="mono">c0ffee000000</span> break it', self.page())
        self.expect(PASSED)
        self.assertIsNone(self.report()["buckets"][0]["commit"])
        self.assertNotIn("introduced by", self.page())

    def test_bug_is_new_if_the_run_was_killed_after_triage(self):
        self.write("journal.bug")
        self.expect(-signal.SIGKILL, STOP="report")
        self.rows("DELETE FROM phases WHERE name = 'triage'")
        self.expect(FAILED)

    def test_bug_is_new_if_triage_failed_after_finding_it(self):
        """The page of the night in which triage failed has no buckets."""
        self.write("journal.bug")
        mark = self.write("failing-triage")
        self.expect(BROKEN)
        self.expect(BROKEN)
        self.assertIn("; whether a bug is new is not known; ", self.report()["sentence"])
        self.assertIn("Not known: triage did not finish.", self.page())
        os.remove(mark)
        self.expect(FAILED)
        self.expect(PASSED)

    def test_bug_of_an_excluded_target_is_untried(self):
        self.write("journal.bug")
        self.expect(FAILED, "--targets", "fuzz_event")
        os.remove(os.path.join(self.folder, "journal.bug"))
        self.expect(PASSED, "--targets", "fuzz_clock")
        record = self.report()
        self.assertEqual(["untried"], [bucket["status"] for bucket in record["buckets"]])
        self.assertIn("No new bug; 1 bug known, and not run; ", record["sentence"])
        self.assertIn("0 new, 0 known, 0 fixed, 1 untried", self.said)
        self.expect(PASSED, "--targets", "fuzz_event")
        self.assertEqual(["fixed"], [bucket["status"] for bucket in self.report()["buckets"]])

    def test_bug_is_new_if_the_reporting_night_did_not_run_it(self):
        self.write("journal.bug")
        mark = self.write("failing-triage")
        self.expect(BROKEN, "--targets", "fuzz_event")
        os.remove(mark)
        os.remove(os.path.join(self.folder, "journal.bug"))
        self.expect(FAILED, "--targets", "fuzz_clock")
        self.expect(PASSED, "--targets", "fuzz_clock")

    def test_input_waits_until_the_preset_that_detects_its_bug_is_built(self):
        self.write("journal.bug")
        os.rename(os.path.join(self.folder, "target"), os.path.join(self.folder, "target-libfuzzer-msan"))
        self.write("target", "#!/bin/sh\n", executable=True)
        self.expect(FAILED, "--minutes", "0.1", "--targets", "fuzz_clock")
        self.assertEqual({"libfuzzer-msan"}, {bucket["preset"] for bucket in self.report()["buckets"]})
        found = {row[0] for row in self.rows("SELECT sha1 FROM crashes WHERE configuration = 'libfuzzer-msan'")}
        self.assertTrue(found)
        os.remove(os.path.join(self.folder, "journal.bug"))
        self.write("unbuildable-libfuzzer-msan")
        self.expect(BROKEN)
        self.assertEqual(set(), found & self.kept("corpus"))
        os.remove(os.path.join(self.folder, "unbuildable-libfuzzer-msan"))
        self.expect(PASSED)
        self.assertEqual(["fixed"], [bucket["status"] for bucket in self.report()["buckets"]])
        self.assertEqual(set(), found - self.kept("corpus"))

    def test_inputs_that_pass_on_replay_are_reported(self):
        self.write("journal.bug")
        self.write("target", "#!/bin/sh\n", executable=True)
        self.expect(PASSED, "--minutes", "0.05")
        self.assertIn("triage: fuzz_clock: inputs that failed in this run and pass when they are run again: ",
                      self.complained)
        self.assertEqual(set(), self.journal("crash") & self.kept("corpus"))


class AsideTest(Nights):
    """Inputs that fail leave the corpus, and return when their bug is fixed."""

    def setUp(self):
        super().setUp()
        for number in range(triage.AGAIN + 5):  # more than triage runs again
            self.write(f"seeds/many {number}", f"many {number}")
        self.write("engine", ENGINE.replace("sleep 0.02", "sleep 0.1"))

    def bad_night(self):
        """A night with a bug on which the whole corpus fails; returns what was in it."""
        before = self.kept("corpus")
        marks = [self.write("journal." + name) for name in ("stops", "wide")]
        self.expect(FAILED, "--targets", "fuzz_clock", "--minutes", "0.05")
        os.remove(marks[0])
        self.assertEqual(set(), before & self.kept("corpus"))
        return before

    def fixed_night(self):
        os.remove(os.path.join(self.folder, "journal.wide"))
        self.expect(PASSED, "--targets", "fuzz_clock")
        return self.report()

    def test_all_inputs_return_when_the_bug_is_fixed(self):
        """Also if the bug comes back and is fixed again."""
        self.expect(PASSED, "--targets", "fuzz_clock")
        for _ in range(2):
            before = self.bad_night()
            self.assertGreater(len(before), triage.AGAIN)
            self.assertGreaterEqual(self.report()["aside"]["waiting"], len(before))
            record = self.fixed_night()
            self.assertEqual(set(), before - self.kept("corpus"))
            self.assertEqual(0, record["aside"]["waiting"])
            self.assertGreaterEqual(record["aside"]["returned"], len(before))
            self.assertEqual([], self.rows("SELECT * FROM aside"))

    def test_floor_does_not_compare_with_runs_before_inputs_were_set_aside(self):
        self.expect(PASSED, "--targets", "fuzz_clock")
        self.write("regions", "50")
        self.bad_night()
        self.assertIsNone(self.report()["targets"][0]["floor"])
        self.expect(PASSED, "--targets", "fuzz_clock")  # the bug is known, its inputs are still set aside
        self.assertEqual(49, self.report()["targets"][0]["floor"])
        self.write("regions", "40")  # less than with the same inputs set aside
        self.expect(BROKEN, "--targets", "fuzz_clock")
        self.write("regions", "90")
        self.assertEqual(89, self.fixed_night()["targets"][0]["floor"])
        self.write("regions", "50")
        self.expect(BROKEN, "--targets", "fuzz_clock")

    def test_state_of_the_first_version_is_upgraded(self):
        self.expect(PASSED, "--targets", "fuzz_clock")
        before = self.bad_night()
        self.rows("DELETE FROM aside")
        self.rows("UPDATE night_schema SET version = 1")
        for table, column in (("runs", "fixed"), ("slots", "tested")):
            self.rows(f"ALTER TABLE {table} DROP COLUMN {column}")
        self.fixed_night()
        self.assertEqual(set(), before - self.kept("corpus"))
        self.assertEqual([(state.VERSION,)], self.rows("SELECT version FROM night_schema"))


class TrendTest(Nights):
    """What a run leaves for the history of later ones."""

    def clean(self):
        """Seconds of all configurations together."""
        clean = self.report()["targets"][0]["clean"].values()
        return sum(one["seconds"] for one in clean), sum(one["this_code"] for one in clean)

    def test_time_without_a_finding_is_counted_over_nights(self):
        """Also for the present sources alone."""
        chosen = ("--targets", "fuzz_clock", "--minutes", "0.03")
        self.expect(PASSED, *chosen)
        first = self.report()
        before, _ = self.clean()
        self.assertGreater(before, 0)
        self.expect(PASSED, *chosen, TESTED="changed sources")
        every, new = self.clean()
        self.assertGreater(new, 0)
        self.assertAlmostEqual(every, before + new, delta=0.5)
        past = self.report()["history"]
        self.assertEqual(first["history"], past[:1])
        self.assertEqual([first["targets"][0]["clean"]["libfuzzer"]["seconds"], len(self.kept("corpus")), 0],
                         [past[0]["clean_seconds"], past[1]["corpus"], past[1]["failing"]])
        self.write("journal.bug")
        self.expect(FAILED, *chosen)
        self.assertEqual(1, self.report()["history"][-1]["failing"])

    def test_night_of_some_targets_is_no_point_of_the_trend_of_all(self):
        self.expect(PASSED)
        self.expect(PASSED, "--targets", "fuzz_clock")
        record = self.report()
        self.assertEqual((1, len(targets.load())), (record["coverage"]["targets"], record["coverage"]["of_targets"]))
        self.assertEqual([(2, False), (1, True)], [(one["targets"], one["is_comparable"]) for one in record["history"]])
        self.assertIsNone(record["coverage"]["before"])

    def test_coverage_without_one_of_the_targets_is_not_compared(self):
        self.expect(PASSED)
        self.write("unprofiled", "fuzz_event")
        self.write("regions", "50")
        self.expect(BROKEN)  # fuzz_clock is below its floor
        self.assertIn("coverage: fuzz_event: cannot be measured\n", self.complained)
        self.assertNotIn("all targets: the corpus reaches", self.complained)
        record = self.report()
        self.assertEqual((1, None), (record["coverage"]["targets"], record["coverage"]["before"]))
        self.assertEqual([90, None], [one["regions"] for one in record["history"]])


class CutTest(Nights):
    def test_input_longer_than_the_limit_of_the_target_is_truncated(self):
        self.expect(PASSED, MOST="4")
        self.assertIn(corpus.digest(b"seed"), self.kept("corpus"))
        self.assertNotIn(corpus.digest(b"seed 0"), self.kept("corpus"))
        self.expect(PASSED)
        self.assertEqual(0, self.report()["corpus"]["lost"])


class LostTest(Nights):
    def test_missing_and_changed_inputs_are_reported_as_lost(self):
        self.expect(PASSED)
        os.remove(self.one_of_the_corpus())
        with open(self.one_of_the_corpus(), "a", encoding="utf-8") as file:
            file.write("changed")
        self.expect(BROKEN)
        record = self.report()
        self.assertEqual(("broken", 2), (record["verdict"], record["corpus"]["lost"]))
        self.assertIn("fuzz_clock: 2 of ", self.complained)
        self.expect(PASSED)

    def test_missing_database_is_reported(self):
        self.expect(PASSED)
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.state, "state.sqlite3" + ending))
        self.expect(BROKEN)
        self.assertIn("their history is lost", self.complained)
        self.assert_nothing_lost()

    def test_empty_database_is_reported_as_missing(self):
        self.expect(PASSED)
        for ending in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.state, "state.sqlite3" + ending))
        self.write("state/state.sqlite3")
        self.expect(BROKEN)
        self.assertIn("their history is lost", self.complained)

    def test_file_that_is_no_database_is_refused(self):
        self.write("state/state.sqlite3", "not a database at all, whatever its name says" * 9)
        self.expect(INPUT)
        self.assertIn("state.sqlite3: file is not a database", self.complained)

    def test_coverage_below_its_floor_is_reported(self):
        self.expect(PASSED)
        self.write("regions", "90")
        self.expect(PASSED)
        self.assertEqual(90, self.report()["coverage"]["before"])
        self.write("regions", "88")
        self.expect(BROKEN)
        self.assertIn("fuzz_clock: the corpus reaches 88 regions, and 89 is its floor", self.complained)


class RefusedTest(Nights):
    def test_second_run_on_the_folder_is_refused(self):
        child = self.start("--minutes", "1")
        until = time.monotonic() + 20
        while not os.path.exists(os.path.join(self.folder, "journal")) and time.monotonic() < until:
            time.sleep(0.05)
        self.expect(INPUT)
        self.assertIn(f"in use by another run, process {child.pid} since 2", self.complained)
        child.terminate()
        child.communicate()

    def test_full_disk_at_the_start_is_refused(self):
        self.expect(OUTPUT, FREE=str(machine.ROOM_TO_START - 1))
        self.assertIn("511 MiB are free", self.complained)

    def test_disk_that_fills_up_ends_the_run(self):
        """The next run resumes it."""
        self.expect(PASSED)
        self.expect(OUTPUT, FREE=f"{machine.ROOM_TO_START},{machine.ROOM_TO_GO_ON - 1}")
        self.assertIn("the disk is nearly full", self.complained)
        self.expect(PASSED)
        self.assertEqual((2, 1), (self.report()["run"], self.report()["resumed"]))
        self.assert_nothing_lost()

    def test_preset_that_does_not_build_is_reported(self):
        self.write("unbuildable-libfuzzer-msan")
        self.expect(BROKEN)
        self.assertIn("build: preset libfuzzer-msan: cannot build", self.complained)
        self.assertTrue(self.journal("input"))

    def test_engine_that_does_not_start_is_reported(self):
        self.write("broken-afl")
        self.expect(BROKEN, "--minutes", "0.03")
        self.assertIn("fuzz: afl did not run on fuzz_clock; the end of its output:\nno such engine", self.complained)

    def test_killed_engine_is_reported(self):
        self.write("killed-afl")
        self.expect(BROKEN, "--minutes", "0.03")
        self.assertRegex(self.complained, r"fuzz: fuzz_clock: afl ended with SIGKILL after \d of \d s")
        self.assertNotIn("did not run", self.complained)

    def test_wrong_usage(self):
        self.expect(USAGE, "--minutes", "0")
        self.expect(USAGE, "--targets", "fuzz_flie")
        self.expect(INPUT, "--seeds", "/nowhere")
        self.expect(OUTPUT, "--state", "/proc/nothing")


class StrangeTest(Nights):
    """Unknown files in the folders."""

    def test_unknown_files_are_kept(self):
        self.expect(PASSED)
        strange = [self.write("state/" + name) for name in (
            "slots/mine/1", "slots/notes", "corpus/fuzz_clock/mine/1", "crashes/fuzz_clock/x.new/1")]
        self.expect(PASSED)
        self.assertEqual([], [path for path in strange if not os.path.exists(path)])
        self.assertEqual(0, self.report()["corpus"]["lost"])

    def test_unreadable_trace_is_skipped_with_a_warning(self):
        os.symlink("nowhere", os.path.join(self.folder, "gone.etl"))
        self.expect(PASSED)
        self.assertIn("gone.etl: cannot read: No such file or directory; skipped", self.complained)
        self.assertEqual(["seeds"], [problem["phase"] for problem in self.report()["problems"]])


class SaidTest(Nights):
    def test_one_line_per_phase_and_none_with_quiet(self):
        self.expect(PASSED)
        self.assertEqual(PHASES, [line.split()[0] for line in self.said.splitlines()
                                  if line and not line.startswith("..")][:len(PHASES)])
        self.assertEqual("", self.complained)
        self.expect(PASSED, "--quiet")
        self.assertEqual("", self.said + self.complained)

    def test_notify(self):
        told = os.path.join(self.folder, "told")
        self.expect(PASSED, "--notify", f"cat >{told}")
        with open(told, encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual(("nothing-new", 1), (summary["verdict"], summary["run"]))
        self.assertEqual(os.path.join(self.state, "report", "runs", "1", "index.html"), summary["page"])
        self.assertTrue(os.path.exists(summary["page"]))
        self.expect(PASSED, "--notify", "echo no such address >&2; exit 3")
        self.assertIn("exit status 3: no such address", self.complained)
        self.assertEqual(["notify"], [problem["phase"] for problem in self.report()["problems"]])


if __name__ == "__main__":
    unittest.main()
