# SPDX-License-Identifier: Apache-2.0
"""Tests one run of scripts/nightly: runs that are killed or interrupted in any phase, lose files, are refused, or run out
of disk space."""
import contextlib
import json
import os
import signal
import time
import unittest

from etlproof.campaign import machine
from runner.failure import FAILED, INPUT, INTERRUPTED, OUTPUT, PASSED, USAGE
from . import corpus, slots
from .night_case import BROKEN, PATIENCE, PHASES, Nights


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
        pids = self.wait_for_slots()
        child.kill()
        child.communicate()
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
