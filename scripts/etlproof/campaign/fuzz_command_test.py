# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/fuzz from command line to exit code; engines and targets are scripts of this test."""
import contextlib
import io
import os
import re
import subprocess
import sys
import unittest
from unittest import mock

from etlproof import ROOT
from etlproof.bench import edge_growth, fuzz_bench
from etlproof.folder_case import FolderCase
from runner.failure import FAILED, INPUT, OUTPUT, PASSED, USAGE
from . import builds, engine_run, lock, machine, main, plan, targets

FUZZ = os.path.join(ROOT, "scripts", "fuzz")
# A libFuzzer target: its last argument is a folder while it fuzzes, and a file when it replays an input.
TARGET = """\
#!/bin/sh
for last; do
    case $last in -artifact_prefix=*) findings=${{last#*=}} ;; esac
done
[ -f "$last" ] || {{
    {before}
    echo "#7 pulse cov: 5 ft: 7 corp: 1"
    {campaign}
    exit
}}
grep -q {bad} "$last" || exit 0
echo "SUMMARY: {preset}" >&2
exit 77
"""


class CampaignCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.write("seeds/1", "seed")
        for module, names in ((builds, {"build": lambda *_: None, "target_path": self.path_of}),
                              (plan, {"made_seeds": lambda _: os.path.join(self.folder, "seeds")}),
                              (machine, {"check_engine": lambda *_, **__: None}), (engine_run, {"STEP": 0.05})):
            patch = mock.patch.multiple(module, **names)
            patch.start()
            self.addCleanup(patch.stop)

    def path_of(self, preset, target):
        return os.path.join(self.folder, preset, target.name)

    def target(self, preset, before=":", campaign=":", bad="bad"):
        """Writes the script that replaces fuzz_file of the preset; `campaign` is what it runs while it fuzzes."""
        self.write(os.path.join(preset, "fuzz_file"),
                   TARGET.format(preset=preset, before=before, campaign=campaign, bad=bad), executable=True)

    def fuzz(self, *arguments):
        """Runs scripts/fuzz; returns the exit code. `said` and `complained` have the two outputs."""
        said, complained = io.StringIO(), io.StringIO()
        words = ["fuzz_file", "--state", os.path.join(self.folder, "state"), "--seconds", "5", *arguments]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            code = main.main(words)
        self.said, self.complained = said.getvalue(), complained.getvalue()
        return code

    def expect(self, code, *arguments):
        self.assertEqual(code, self.fuzz(*arguments), self.said + self.complained)

    def state(self, name):
        return os.listdir(os.path.join(self.folder, "state", name))


class FindingsTest(CampaignCase):
    def test_finding_of_memory_sanitizer_is_replayed_on_its_own_build(self):
        self.target("libfuzzer", bad="worse")
        self.target("libfuzzer-msan", campaign='[ -e "${findings}crash-1" ] || echo bad >"${findings}crash-1"')
        self.expect(FAILED, "--engine", "libfuzzer-msan")
        self.assertIn("1 x SUMMARY: libfuzzer-msan", self.said)
        self.assertRegex(self.said, f"replay: {self.folder}/libfuzzer-msan/fuzz_file .* {self.folder}/state/findings/crash")

    def test_replay_line_works_in_a_shell_and_has_the_limits_of_the_campaign(self):
        self.target("libfuzzer", campaign='echo bad >"${findings}crash-1"')
        self.expect(FAILED, "--state", os.path.join(self.folder, "a state"))
        line = re.search("replay: (.*)", self.said)[1]
        self.assertEqual(77, subprocess.run(line, shell=True, check=False, stderr=subprocess.DEVNULL).returncode)
        self.assertIn(" -timeout=25 -rss_limit_mb=4096 ", line)

    def test_findings_that_pass_now_are_reported(self):
        self.target("libfuzzer", campaign='echo good >"${findings}crash-1"')
        self.expect(PASSED)
        self.assertIn(f"inputs that failed once and pass now: 1, in {self.folder}/state/passed\n", self.said)
        self.assertNotIn("nothing found", self.said)
        self.assertEqual(["crash-1"], self.state("passed"))


class PlaceTest(CampaignCase):
    def test_seeds_are_relative_to_the_current_folder(self):
        """The engines run in the tree, not in the current folder."""
        last = os.path.join(self.folder, "last")
        self.target("libfuzzer", campaign=f'printf %s "$last" >{last}')
        with contextlib.chdir(self.folder):
            self.expect(PASSED, "--seeds", "seeds")
        with open(last, encoding="utf-8") as file:
            self.assertEqual(os.path.join(self.folder, "seeds"), file.read())


class EarlyTest(CampaignCase):
    def test_killed_engine_is_an_error(self):
        self.target("libfuzzer", campaign="kill -KILL $$")
        self.expect(INPUT, "--seconds", "60")
        self.assertRegex(self.complained, r"libfuzzer ended with SIGKILL after \d of 60 s")
        self.assertNotIn("nothing found", self.said)

    def test_full_disk_has_its_own_exit_code(self):
        for found, code in ((":", OUTPUT), ('echo bad >"${findings}crash-1"', FAILED)):
            full = os.path.join(self.folder, f"full-{code}")
            self.target("libfuzzer", campaign=f"{found}; : >{full}; sleep 60")
            room = mock.Mock(side_effect=lambda _, path=full: 0 if os.path.exists(path) else machine.ROOM_TO_START)
            with mock.patch.object(machine, "free", room):
                self.expect(code, "--seconds", "60")
            self.assertIn("scripts/fuzz: ended early: " + os.path.join(self.folder, "state") + ": the disk is nearly full",
                          self.complained)
            self.assertNotIn("ended early", self.said)


class AflTest(CampaignCase):
    def setUp(self):
        super().setUp()
        self.target("libfuzzer")
        self.set_environment(PATH=os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"])

    def set_environment(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def afl(self, text):
        """Writes the script that replaces afl-fuzz; its output folder is $out."""
        self.write("bin/afl-fuzz", f"#!/bin/sh\nout={self.folder}/state/afl/main\nmkdir -p $out/crashes\n{text}\n",
                   executable=True)

    def test_findings_that_a_resumed_afl_moved_are_collected(self):
        self.write("state/afl/main/crashes.2026-11-22-01:02:03/id:000000", "bad")
        self.afl("echo 'execs_done : 9' >$out/fuzzer_stats")
        self.expect(FAILED, "--engine", "afl", "-j", "1")
        self.assertIn("1 x SUMMARY: libfuzzer\n", self.said)

    def test_earlier_findings_are_collected_even_if_afl_does_not_start(self):
        self.write("state/afl/main/crashes/id:000000", "bad")
        self.afl("echo no such engine >&2; exit 1")
        self.expect(FAILED, "--engine", "afl", "-j", "1")
        self.assertIn("1 x SUMMARY: libfuzzer\n", self.said)
        self.assertIn("afl-main did not run; the end of ", self.complained)

    def test_findings_of_a_killed_campaign_survive_an_empty_start(self):
        self.write("state/afl/main/crashes/id:000000", "bad")
        self.afl("echo 'execs_done : 9' >$out/fuzzer_stats")
        self.expect(FAILED, "--engine", "afl", "-j", "1", "--empty")
        self.assertIn("1 x SUMMARY: libfuzzer\n", self.said)

    def test_executions_of_an_earlier_campaign_are_not_counted(self):
        self.afl("echo 'execs_done : 9' >$out/fuzzer_stats")
        for _ in range(2):
            self.expect(PASSED, "--engine", "both", "-j", "1")
        self.assertRegex(self.said, "libfuzzer +7 executions")
        self.target("libfuzzer", before="echo no such engine; exit 1")
        self.afl("echo no such engine; exit 1")
        self.expect(INPUT, "--engine", "both", "-j", "1")
        self.assertEqual(["libfuzzer", "afl-main"],
                         re.findall("^scripts/fuzz: (.*) did not run", self.complained, re.M))

    def test_engine_that_does_not_start_is_an_error(self):
        self.afl("echo no such engine >&2; exit 1")
        self.expect(INPUT, "--engine", "afl", "-j", "1")
        self.assertIn("no such engine", self.complained)
        self.assertNotIn("nothing found", self.said)


class LockTest(CampaignCase):
    def test_second_campaign_on_a_folder_is_refused_and_changes_nothing(self):
        self.target("libfuzzer")
        self.write("state/corpus/1", "learned")
        held = lock.take(os.path.join(self.folder, "state"))
        self.expect(INPUT, "--empty")
        self.assertIn(f"state: in use by another run, process {os.getpid()} since 2", self.complained)
        self.assertEqual(["1"], self.state("corpus"))
        held.close()
        self.expect(PASSED, "--empty")

    def test_other_commands_lock_the_folders_that_they_empty(self):
        for folder, *words in ((self.folder, "planted", "--folder", self.folder),
                               (os.path.join(ROOT, "build", "fuzz-bench"), "fuzz-bench", "--only", "reach")):
            os.makedirs(folder, exist_ok=True)
            with lock.take(folder):
                done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "scripts", words[0]), *words[1:]],
                                      check=False, capture_output=True, text=True, timeout=60)
            self.assertEqual(INPUT, done.returncode, done.stderr)
            self.assertIn("in use by another run", done.stderr)


class BenchTest(FolderCase):
    """scripts/fuzz-bench."""

    def setUp(self):
        super().setUp()
        patch = mock.patch.object(fuzz_bench, "FOLDER", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def refused(self, *arguments):
        """The exit code and the standard error of a run that must build nothing."""
        complained = io.StringIO()
        with contextlib.redirect_stderr(complained), mock.patch.multiple(builds, build=self.fail, build_all=self.fail):
            code = fuzz_bench.main(arguments)
        return code, complained.getvalue()

    def test_reach_without_its_tools_fails_before_any_build(self):
        for name in ("clang", "cmake", "ninja"):
            self.write(f"bin/{name}", "", executable=True)
        with mock.patch.dict(os.environ, PATH=os.path.join(self.folder, "bin")):
            for arguments in ((), ("--only", "reach")):
                code, complained = self.refused(*arguments)
                self.assertEqual(INPUT, code, complained)
                self.assertIn("reach: llvm-profdata is not installed", complained)

    def test_full_disk_message_does_not_suggest_another_state_folder(self):
        with mock.patch.object(machine, "check_engine"), mock.patch.object(machine, "free", return_value=0):
            code, complained = self.refused("--only", "growth")
        self.assertEqual(OUTPUT, code, complained)
        self.assertTrue(complained.endswith(": make room\n"), complained)

    def test_growth_table_has_a_row_for_each_kind_of_trial(self):
        said = io.StringIO()
        stats = {"edges": 5, "features": 7, "executions": 9}
        trial = mock.Mock(return_value=mock.Mock(go=mock.Mock(return_value=stats)))
        with mock.patch.object(edge_growth, "Trial", trial), contextlib.redirect_stdout(said):
            fuzz_bench.show_growth([targets.find("file"), targets.find("clock")], 300, 3)
        self.assertEqual([["fuzz_file", "with"], ["fuzz_file", "without"], ["fuzz_clock", "without"]],
                         [line.split()[:2] for line in said.getvalue().splitlines()[2:]])
        self.assertEqual(9, trial.call_count)


class CommandTest(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([sys.executable, FUZZ, *arguments], check=False,
                              capture_output=True, text=True)

    def test_wrong_usage(self):
        for arguments, text in (((), "TARGET expected"), (("file", "--seconds", "0"), "more than 0 expected, found 0"),
                                (("file", "--seeds", "x", "--empty"), "exclude each other"),
                                (("nothing",), "no target nothing"), (("file", "--engine", "honggfuzz"), "invalid choice")):
            done = self.run_it(*arguments)
            self.assertEqual(USAGE, done.returncode, arguments)
            self.assertIn(text, done.stderr)

    def test_list(self):
        done = self.run_it("--list")
        self.assertEqual(0, done.returncode)
        self.assertEqual(list(targets.load()), [line.split()[0] for line in done.stdout.splitlines()])

    def test_state_folder_that_cannot_be_made(self):
        done = self.run_it("file", "--state", "/proc/nothing")
        self.assertEqual(OUTPUT, done.returncode)
        self.assertIn("/proc/nothing: cannot make the folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
