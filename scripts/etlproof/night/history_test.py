# SPDX-License-Identifier: Apache-2.0
"""Tests what a run of scripts/nightly leaves to later runs: buckets, inputs that are set aside, and trends."""
import os
import signal
import unittest

from etlproof.campaign import targets
from runner.failure import FAILED, PASSED
from . import corpus, state, triage
from .night_case import BROKEN, ENGINE, TARGET, Nights


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

    def test_only_inputs_that_still_fail_stay_aside(self):
        """They are tried in the same process as others, which return."""
        self.write("seeds/bad", "bad seed")
        self.expect(PASSED, "--targets", "fuzz_clock")
        before = self.bad_night()
        failing = corpus.digest(b"bad seed")
        self.assertIn(failing, before)
        self.write("journal.bug")
        os.remove(os.path.join(self.folder, "journal.wide"))
        self.expect(PASSED, "--targets", "fuzz_clock")  # the bug is known
        self.assertEqual({failing}, before - self.kept("corpus"))

    def test_bug_fixed_before_a_killed_run_is_resumed(self):
        """What failed on the old program is tried on the new one, and neither waits for another night nor looks flaky."""
        bug = self.write("journal.bug")
        self.expect(-signal.SIGKILL, "--targets", "fuzz_clock", "--minutes", "0.05", STOP="minimise")
        os.remove(bug)
        self.assertTrue(self.journal("crash"))
        self.expect(PASSED, "--targets", "fuzz_clock", "--minutes", "0.05", COMMIT="decade")
        self.assertEqual(set(), self.journal("crash") - self.kept("corpus"))
        self.assertEqual({"waiting": 0, "returned": len(self.journal("crash"))}, self.report()["aside"])
        problem, = self.report()["problems"]
        self.assertRegex(problem["text"], "^resumed at commit decade after .* s of fuzzing, until then at commit c0ffee$")

    def test_inputs_that_returned_before_a_kill_are_counted(self):
        self.expect(PASSED, "--targets", "fuzz_clock")
        before = self.bad_night()
        os.remove(os.path.join(self.folder, "journal.wide"))
        self.expect(-signal.SIGKILL, "--targets", "fuzz_clock", STOP="conformance")
        self.expect(PASSED, "--targets", "fuzz_clock", COMMIT="decade")
        self.assertGreaterEqual(self.report()["aside"]["returned"], len(before))
        self.assertIn(f" {self.report()['aside']['returned']} pass and return\n", self.said)

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


if __name__ == "__main__":
    unittest.main()
