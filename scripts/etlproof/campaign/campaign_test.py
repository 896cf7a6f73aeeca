# SPDX-License-Identifier: Apache-2.0
"""Unit tests of scripts/fuzz; the engines are scripts of this test."""
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from etlproof import ROOT
from etlproof.bench import edge_growth
from etlproof.folder_case import FolderCase
from runner.failure import INPUT, OUTPUT, USAGE, read_text
from . import builds, children, engine_run, engines, machine, plan, region_coverage, reproducers, targets, unreached

LIBFUZZER_LOG = """\
INFO: Loaded 1 PC tables (4003 PCs): 4003 [0x1,0x2),
#2      INITED cov: 9 ft: 10 corp: 1/1b exec/s: 0 rss: 30Mb
#4096   NEW    cov: 600 ft: 700 corp: 80/9b lim: 4 exec/s: 0 rss: 30Mb L: 8/8 MS: 1 ChangeBit-
stat::number_of_executed_units: 5000
INFO: Loaded 1 PC tables (4003 PCs): 4003 [0x1,0x2),
#7000   pulse  cov: 607 ft: 705 corp: 85/9b exec/s: 6603 rss: 30Mb
"""
EMPTY_TARGET = "int LLVMFuzzerTestOneInput(const unsigned char *at, unsigned long size) { return (void)at, (int)size * 0; }"
AFL_STATS = """\
execs_done        : 19646
corpus_count      : 697
edges_found       : 1301
total_edges       : 2005
"""


class Folder(FolderCase):
    def setUp(self):
        super().setUp()
        for name in ("corpus", "findings"):
            os.mkdir(os.path.join(self.folder, name))
        self.target = targets.Target("fuzz_it", "FILE", 4096, "it")

    def plan(self, **options):
        return plan.Plan(self.target, self.folder, options.get("seeds"), options.get("mutator", True), False)


class TargetsTest(Folder):
    def test_every_target_has_its_source(self):
        for target in targets.load().values():
            self.assertTrue(os.path.isfile(os.path.join(ROOT, "harness", "targets", target.name + ".c")), target.name)
            self.assertGreater(target.most, 0)

    def test_readme_table_of_oracles(self):
        """harness/README.md has one row per target. Its cells name oracles, as a failure prints them, or other
        targets."""
        harness = os.path.join(ROOT, "harness")
        loaded = list(targets.load())
        sources = ["oracle/promise.h"] + [f"targets/{name}.c" for name in loaded]
        text = "\n".join(line for name in sources for line in read_text(os.path.join(harness, name), "the source"))
        names = re.findall(r'ORACLE\(\w+, "([a-z-]+)"', text) + re.findall(r'"oracle ([a-z]+) broken', text) + loaded
        rows = [line.strip("| ").split(" | ") for line in read_text(os.path.join(harness, "README.md"), "the table")
                if line.startswith("| fuzz_")]
        self.assertEqual(loaded, [row[0] for row in rows])
        self.assertEqual([], [cell for row in rows for cell in row if cell not in names + ["-"]])

    def test_prefix_is_optional(self):
        self.assertEqual("fuzz_file", targets.find("file").name)
        self.assertEqual("fuzz_file", targets.find("fuzz_file").name)

    def test_unknown_target_is_refused_with_suggestions(self):
        self.fails(USAGE, "no target fuzz_flie (did you mean fuzz_file?); there are: fuzz_file, ", targets.find,
                   "fuzz_flie")
        self.fails(USAGE, "no target zzz; there are: ", targets.find, "zzz")


class MachineTest(Folder):
    def test_missing_engine_is_reported_with_its_package(self):
        self.write("bin/clang", "", executable=True)
        self.write("bin/cmake", "", executable=True)
        self.write("bin/ninja", "", executable=True)
        with mock.patch.dict(os.environ, PATH=os.path.join(self.folder, "bin")):
            machine.check_engine("libfuzzer")
            self.fails(INPUT, "engine afl: afl-fuzz is not installed; it is in the package afl++", machine.check_engine,
                       "afl")
            self.fails(INPUT, "or take --engine libfuzzer, libfuzzer-msan", machine.check_engine, "afl", True)
            self.assertNotIn("or take", self.fails(INPUT, "run scripts/bootstrap nightly", machine.check_engine, "afl"))

    def test_missing_coverage_tool_is_reported_with_its_package(self):
        self.write("bin/llvm-profdata", "", executable=True)
        with mock.patch.dict(os.environ, PATH=os.path.join(self.folder, "bin")):
            self.fails(INPUT, "reach: llvm-cov is not installed; it is in the package llvm: run scripts/bootstrap nightly",
                       machine.check_coverage)
            self.write("bin/llvm-cov", "", executable=True)
            machine.check_coverage()

    def test_nearly_full_disk_is_refused(self):
        with mock.patch.object(machine.shutil, "disk_usage", return_value=mock.Mock(free=machine.ROOM_TO_START - 1)):
            wants = "511 MiB are free; a campaign wants 512 MiB for its corpus: make room"
            said = self.fails(OUTPUT, wants, machine.check_room, self.folder)
            self.assertEqual(said, self.fails(OUTPUT, wants, machine.check_room, self.folder, "") +
                             ", or take --state FOLDER on another disk")
        with mock.patch.object(machine.shutil, "disk_usage", return_value=mock.Mock(free=machine.ROOM_TO_START)):
            machine.check_room(os.path.join(self.folder, "not", "there", "yet"))


class PlanTest(Folder):
    def test_folder_without_seeds_is_refused(self):
        self.fails(INPUT, "no such folder of seeds", plan.check_seeds, os.path.join(self.folder, "none"))
        self.fails(INPUT, "no seeds in it; --empty starts without any", plan.check_seeds,
                   os.path.join(self.folder, "corpus"))

    def test_empty_start_has_one_input(self):
        start = self.plan().start
        self.assertEqual(["empty"], os.listdir(start))

    def test_inputs_without_structure_have_no_mutator(self):
        self.target = self.target._replace(input="TEXT")
        self.assertFalse(self.plan().mutator)

    def test_largest_input(self):
        """16 KiB, or what the target is meant for if that is less; with `large`, always what it is meant for."""
        for most, usual in ((4096, 4096), (131072, 16384)):
            target = self.target._replace(most=most)
            for large, size in ((False, usual), (True, most)):
                chosen = plan.Plan(target, self.folder, None, True, False, large)
                self.assertIn(f"-max_len={size}", engines.LibFuzzer(target, chosen, self.folder).command(1))
                command = engines.Afl(target, chosen, self.folder).command(1)
                self.assertEqual(str(size), command[command.index("-G") + 1])


class EnginesTest(Folder):
    def test_libfuzzer_statistics_cover_all_starts(self):
        engine = engines.LibFuzzer(self.target, self.plan(), self.folder)
        self.write("libfuzzer.log", LIBFUZZER_LOG)
        self.assertEqual({"executions": 12000, "edges": 607, "edges_total": 4003, "features": 705, "corpus": 85},
                         engine.stats())

    def test_afl_statistics_come_from_fuzzer_stats(self):
        engine = engines.Afl(self.target, self.plan(), self.folder)
        self.assertEqual(0, engine.stats()["executions"])
        self.write("afl/main/fuzzer_stats", AFL_STATS)
        self.assertEqual({"executions": 19646, "edges": 1301, "edges_total": 2005, "features": None, "corpus": 697},
                         engine.stats())

    def test_libfuzzer_knows_all_its_options(self):
        """libFuzzer ignores an option that it does not know, and prints a warning."""
        engine = engines.LibFuzzer(self.target, self.plan(), self.folder)
        source, binary = self.write("it.c", EMPTY_TARGET), os.path.join(self.folder, "it")
        subprocess.run(["clang", "-fsanitize=fuzzer", source, "-o", binary], check=True)
        with mock.patch.object(engine, "binary", return_value=binary):
            command = engine.command(9) + ["-runs=1"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        self.assertIn("INITED", said)
        self.assertNotIn("unrecognized", said)

    def test_mutator_is_optional(self):
        for wanted in (True, False):
            chosen = self.plan(mutator=wanted)
            libfuzzer = engines.LibFuzzer(self.target, chosen, self.folder).environment()
            self.assertEqual(wanted, "ETLPROOF_MUTATOR" not in libfuzzer)
            afl = engines.Afl(self.target, chosen, self.folder).environment()
            self.assertEqual(wanted, "AFL_CUSTOM_MUTATOR_LIBRARY" in afl)

    def test_one_afl_secondary_per_spare_processor(self):
        def names(wanted, jobs):
            return [engine.name for engine in engines.engines_of(wanted, self.target, self.plan(), self.folder, jobs)]
        self.assertEqual(["libfuzzer", "afl-main"], names(["libfuzzer", "afl"], 1))
        self.assertEqual(["afl-main", "afl-cmplog", "afl-asan"], names(["afl"], 3))
        self.assertEqual(["libfuzzer", "afl-main", "afl-cmplog", "afl-asan"], names(["libfuzzer", "afl"], 9))


class Script(engines.LibFuzzer):
    """An engine that is a script."""

    script = None

    def command(self, seconds):
        return [self.script, os.path.join(self.folder, "findings")]


class ConfigurationsTest(Folder):
    def test_each_configuration_is_one_engine_with_its_own_build(self):
        found = {name: engines.engine_of(name, self.target, self.plan(), self.folder) for name in engines.CONFIGURATIONS}
        self.assertEqual({"libfuzzer": "libfuzzer", "libfuzzer-msan": "libfuzzer-msan", "afl": "afl", "afl-cmplog": "afl",
                          "afl-asan": "afl-asan"}, {name: engine.preset for name, engine in found.items()})
        self.assertIn("-c", found["afl-cmplog"].command(9))
        self.assertNotIn("-c", found["afl"].command(9))
        self.assertIn(("afl-cmplog", "fuzz_it"), engines.builds_of("afl-cmplog", self.target))


class RunTest(Folder):
    def engine(self, text):
        engine = Script(self.target, self.plan(), self.folder)
        engine.script = self.write("engine", "#!/bin/sh\n" + text, executable=True)
        return engine

    def go(self, engine, seconds=20):
        campaign = engine_run.Run([engine], self.folder, seconds)
        with mock.patch.object(engine_run, "STEP", 0.05):
            campaign.go()
        return campaign

    def test_campaign_ends_when_its_engines_end(self):
        campaign = self.go(self.engine('echo "#7 pulse cov: 1"'))
        self.assertIsNone(campaign.stopped)

    def test_engine_restarts_only_after_a_new_finding(self):
        engine = self.engine('n=$(ls "$1" | wc -l); [ $n -ge 2 ] || : >"$1/crash-$n"; echo started')
        self.go(engine)
        with open(engine.log, encoding="utf-8") as log:
            self.assertEqual("started\n" * 3, log.read())

    def test_finding_written_before_the_engine_ends_is_new(self):
        """libFuzzer writes a timeout's input before it reports the timeout and exits; a slow unit does not end it."""
        engine = self.engine(': >"$1/slow-unit-1"; [ -e "$1/timeout-1" ] || { : >"$1/timeout-1"; sleep 0.5; }\n'
                             'echo started')
        self.go(engine)
        with open(engine.log, encoding="utf-8") as log:
            self.assertEqual("started\n" * 2, log.read())

    def test_engine_that_ends_early_is_reported(self):
        for text, status in (("kill -KILL $$", "SIGKILL"), ("exit 3", "exit status 3")):
            said, = self.go(self.engine(text)).early
            self.assertRegex(said, rf"^libfuzzer ended with {status} after \d of 20 s$")
        self.assertEqual([], self.go(self.engine("exec sleep 0.1"), seconds=engine_run.WORTH).early)

    def test_signal_handlers_are_restored_after_a_run(self):
        before = signal.getsignal(signal.SIGTERM)
        self.go(self.engine("exit"))
        self.assertIs(before, signal.getsignal(signal.SIGTERM))

    def test_campaign_ends_before_the_disk_is_full(self):
        with mock.patch.object(machine, "free", return_value=machine.ROOM_TO_GO_ON - 1):
            campaign = self.go(self.engine("sleep 60"))
        self.assertEqual((None, OUTPUT), (campaign.stopped, campaign.full.code))

    def test_interrupt_ends_the_campaign_and_its_engines(self):
        engine = self.engine("exec sleep 60")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        campaign = self.go(engine)
        self.assertEqual(("interrupted by SIGINT", []), (campaign.stopped, campaign.early))
        self.assertFalse(engine.alive())


def gone(pid):
    """Whether the process ends within some seconds."""
    for _ in range(100):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


class Leaving(engines.Engine):
    """An engine that exits at once and leaves a stopped process behind, as afl-fuzz may."""

    def command(self, seconds):
        leave = 'echo $$ >"$1/left"; kill -STOP $$'
        start = 'setsid sh -c "$2" sh "$1" & until [ -s "$1/left" ]; do sleep 0.01; done'
        return ["sh", "-c", start, "leaving", self.folder, leave]


class ChildrenTest(Folder):
    DEEP = "sleep 60 & echo $! >{path}; wait"  # a grandchild: the kernel signals only the child

    def started(self, path):
        while not os.path.exists(path) or not os.path.getsize(path):
            time.sleep(0.02)
        with open(path, encoding="ascii") as file:
            return int(file.read())

    def test_all_descendants_end_when_the_parent_is_killed(self):
        path = os.path.join(self.folder, "pid")
        code = f"from etlproof.campaign import children; children.run(['sh', '-c', '{self.DEEP.format(path=path)}'])"
        parent = subprocess.Popen([sys.executable, "-B", "-c", code], cwd=os.path.join(ROOT, "scripts"))
        pid = self.started(path)
        parent.kill()
        parent.wait()
        self.assertTrue(gone(pid))

    def test_no_child_starts_after_its_parent_has_ended(self):
        """The parent ends between fork and the request to the kernel; the child then has another parent."""
        path = os.path.join(self.folder, "started")
        with mock.patch.object(os, "getpid", return_value=os.getppid()):
            ask_kernel = children.end_with_parent()
        subprocess.run(["touch", path], preexec_fn=ask_kernel, check=False)
        self.assertFalse(os.path.exists(path))
        subprocess.run(["touch", path], preexec_fn=children.end_with_parent(), check=True)
        self.assertTrue(os.path.exists(path))

    def test_exit_status_is_that_of_the_program(self):
        self.assertEqual(7, children.run(["sh", "-c", "exit 7"]))
        self.assertEqual(128 + signal.SIGSEGV, children.run(["sh", "-c", "kill -SEGV $$"]))

    def test_background_processes_end_with_the_program(self):
        path = os.path.join(self.folder, "pid")
        children.run(["sh", "-c", f"sleep 60 & echo $! >{path}"])
        self.assertTrue(gone(self.started(path)))

    def left(self):
        """The engine, and the id of the stopped process that it left."""
        engine = Leaving(self.target, None, self.folder, "leaving")
        engine.start(1)
        engine.process.wait(10)
        return engine, self.started(os.path.join(self.folder, "left"))

    def test_stopped_process_of_an_engine_ends_with_it(self):
        engine, pid = self.left()
        engine.stop()
        self.assertTrue(gone(pid))

    def test_process_left_by_a_killed_campaign_is_found_by_its_folder(self):
        _, pid = self.left()
        Leaving(self.target, None, self.folder, "leaving").end_left()
        self.assertTrue(gone(pid))

    def test_processes_of_another_engine_keep_running(self):
        engine, pid = self.left()
        Leaving(self.target, None, self.folder, "other").stop()
        self.assertTrue(os.path.exists(f"/proc/{pid}"))
        engine.stop()


class BuildsTest(Folder):
    def test_builds_of_one_folder_do_not_overlap(self):
        """The script that replaces cmake takes a while between its two lines."""
        self.write("bin/cmake", '#!/bin/sh\necho begins >>"$LOG"\nsleep 0.2\necho ends >>"$LOG"\n', executable=True)
        log = os.path.join(self.folder, "said")
        environment = {"PATH": os.path.join(self.folder, "bin") + ":/usr/bin:/bin", "LOG": log}
        with mock.patch.dict(os.environ, environment), mock.patch.object(builds, "ROOT", self.folder):
            threads = [threading.Thread(target=builds.build, args=("release", name, os.path.join(self.folder, name)))
                       for name in ("one", "two")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        with open(log, encoding="ascii") as file:
            self.assertEqual("begins\nends\n" * 4, file.read())


class TrialTest(Folder):
    def trial(self, text):
        """A trial of 0.3 s of processor time whose engine is a script."""
        trial = edge_growth.Trial(self.target, os.path.join(self.folder, "trial"), False, 0.3)
        trial.engine = Script(self.target, self.plan(), trial.folder)
        trial.engine.script = self.write("engine", "#!/bin/sh\n" + text, executable=True)
        return trial

    def test_trial_ends_by_processor_time_and_the_engine_prints_its_totals(self):
        trial = self.trial('trap \'echo "stat::number_of_executed_units: 9"; exit\' INT\nwhile :; do :; done')
        begun = time.monotonic()
        self.assertEqual(9, trial.go()["executions"])
        self.assertLess(time.monotonic() - begun, edge_growth.PATIENCE * 0.3)
        self.assertFalse(trial.engine.alive())

    def test_idle_time_is_not_counted_but_is_limited(self):
        trial = self.trial("exec sleep 60")
        begun = time.monotonic()
        with mock.patch.object(edge_growth, "PATIENCE", 4):
            self.fails(INPUT, "fuzz_it: not measured: libfuzzer ended after 0 of 0.3 s of processor time: it got no more "
                              "in 1.2 s", trial.go)
        self.assertGreater(time.monotonic() - begun, 1.1)
        self.assertFalse(trial.engine.alive())

    def test_engine_that_ends_early_is_not_measured(self):
        trial = self.trial(': >"$1/crash-1"; echo "#7 pulse cov: 5"; exit 77')
        self.fails(INPUT, "fuzz_it: not measured: libfuzzer ended after 0 of 0.3 s of processor time: exit status 77, and "
                          f"found {trial.folder}/findings/crash-1; the end of {trial.engine.log}:\n#7 pulse cov: 5\n",
                   trial.go)

    def test_target_without_structure_is_measured_only_without_the_mutator(self):
        self.assertEqual((True, False), edge_growth.kinds(self.target))
        self.assertEqual((True, False), edge_growth.kinds(self.target._replace(input="RECIPE")))
        self.assertEqual((False,), edge_growth.kinds(self.target._replace(input="TEXT")))


class ReachTest(Folder):
    def reached(self, folders, files=()):
        """The contents of the inputs that the target was given, sorted. Target and tools are scripts; the target
        removes the corpus folder before it reads its inputs."""
        self.write("fuzz_it", f'#!/bin/sh\nrm -rf {self.folder}/corpus\nfind "$@" -type f -exec cat {{}} + | sort | '
                              'xargs >"$LLVM_PROFILE_FILE"\n', executable=True)
        self.write("bin/llvm-profdata", '#!/bin/sh\ncp "$3" "$5"\n', executable=True)
        self.write("bin/llvm-cov", '#!/bin/sh\nprintf \'{"data":[{"totals":{"regions":{"covered":"%s","count":9}}}]}\' '
                                   '"$(cat "${3#*=}")"\n', executable=True)
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        with mock.patch.object(builds, "target_path", lambda *_: os.path.join(self.folder, "fuzz_it")):
            with mock.patch.dict(os.environ, PATH=path):
                return region_coverage.reached(self.target, folders, files)

    def test_inputs_are_copied_before_an_engine_can_remove_them(self):
        learned = os.path.dirname(self.write("corpus/1", "one\n"))
        seeds = os.path.dirname(self.write("seeds/1", "seed\n"))
        never = os.path.join(self.folder, "never")
        self.assertEqual(("one seed vector", 9), self.reached([learned, seeds, never], [self.write("vector", "vector\n")]))
        self.assertFalse(os.path.exists(learned))

    def test_missing_program_is_reported(self):
        with mock.patch.object(builds, "target_path", lambda *_: os.path.join(self.folder, "fuzz_it")):
            self.fails(INPUT, f"{self.folder}/fuzz_it: cannot run it: No such file", region_coverage.reached,
                       self.target, [])

    def test_input_that_vanishes_meanwhile_is_skipped(self):
        learned = os.path.dirname(self.write("corpus/2", "two\n"))
        listed = mock.Mock(return_value=["1", "2"])
        with mock.patch.object(region_coverage.os, "listdir", listed):
            self.assertEqual(("two", 9), self.reached([learned]))


class FindingsTest(Folder):
    def binary(self):
        return self.write("fuzz_it", '#!/bin/sh\nfor last; do :; done\ngrep -q bad "$last" || exit 0\n'
                          'echo "oracle tiling broken at offset 0x12 (one window): x" >&2\nexit 77\n', executable=True)

    def test_passing_inputs_are_moved_and_failing_ones_grouped_by_cause(self):
        self.write("findings/crash-1", "bad and long")
        self.write("findings/crash-2", "bad")
        self.write("findings/crash-3", "good")
        failing, passed = reproducers.sift(self.folder, [self.binary()])
        self.assertEqual(["crash-2", "crash-1"], [os.path.basename(finding.path) for finding in failing])
        self.assertEqual({"oracle tiling broken: x"}, {finding.cause for finding in failing})
        self.assertEqual((1, ["crash-3"]), (passed, os.listdir(os.path.join(self.folder, "passed"))))
        self.assertIn("2 x oracle tiling broken: x", reproducers.text(failing))

    def test_equal_findings_of_afl_are_collected_once(self):
        for name in ("crashes/id:0", "crashes/id:1", "crashes/README.txt", "queue/id:0"):
            self.write("afl/main/" + name, "bad")
        self.write("afl/asan/hangs.2026-11-22-01:02:03/id:0", "slow")
        reproducers.collect(self.folder)
        self.assertEqual(["afl-crash", "afl-hang"], sorted(name.rpartition("-")[0] for name in
                         os.listdir(os.path.join(self.folder, "findings"))))


class UnreachedTest(unittest.TestCase):
    """What blocks the functions that no input reaches."""

    SOURCE = """\
int inner(int x) { return x; }
int outer(int x)
{
    if (x > 7 &&
        x < 9)
        return inner(x);
    return deep(x) ? 1 : far(x);
}
int deep(int x) { return lost(x); }
int lost(int x) { return x; }
"""

    def function(self, name, count, regions, branches=(), file="/d/a.c"):
        return {"name": name, "count": count, "filenames": [file], "regions": [[*one, 0, 0, 0] for one in regions],
                "branches": [[*one, 0, 0, 4] for one in branches]}

    def rows(self, *functions):
        export = {"data": [{"functions": functions}]}
        return unreached.blocked(unreached.functions_of(export, "/d/"), lambda _: self.SOURCE)

    def functions(self, false=3, never=0):
        return [self.function("a.c:inner", 0, [(1, 18, 1, 31, 0)]),
                self.function("outer", 3, [(3, 1, 8, 2, 3), (6, 9, 6, 24, never), (7, 12, 7, 32, 3)],
                              [(4, 9, 4, 14, 3, 0), (5, 9, 5, 14, 0, false), (7, 12, 7, 19, 1, 2)]),
                self.function("deep", 0, [(9, 17, 9, 36, 0)]), self.function("lost", 0, [(10, 17, 10, 30, 0)])]

    def test_condition_that_was_never_true(self):
        """The last one before the call; not that of a later line, nor one that was true."""
        inner, deep, lost = self.rows(*self.functions())
        blocking = {"function": "outer", "line": 6, "condition": "x < 9", "at": 5, "never": "true"}
        self.assertEqual(("inner", 1, [blocking], []),
                         (inner["function"], inner["line"], inner["callers"], inner["behind"]))
        self.assertEqual(([], ["deep"]), (lost["callers"], lost["behind"]))
        self.assertEqual([None], [caller["condition"] for caller in deep["callers"]])

    def test_condition_of_several_lines_that_was_never_false(self):
        functions = self.functions()
        functions[1]["branches"] = [[4, 9, 5, 14, 3, 0, 0, 0, 4]]
        self.assertEqual(("x > 7 && x < 9", "false"),
                         tuple(self.rows(*functions)[0]["callers"][0][name] for name in ("condition", "never")))

    def test_call_that_ran_is_blocked_by_no_condition(self):
        self.assertIsNone(self.rows(*self.functions(never=3))[0]["callers"][0]["condition"])

    def test_static_function_has_callers_in_its_file_only(self):
        other = self.function("other", 1, [(2, 1, 8, 2, 1)], file="/d/b.c")
        self.assertEqual(["outer"], [caller["function"] for caller in self.rows(*self.functions(), other)[0]["callers"]])

    def test_function_that_one_program_reaches_is_reached(self):
        found = self.rows(*self.functions(), self.function("deep", 5, [(9, 17, 9, 36, 5)]),
                          self.function("no.h", 0, [(1, 1, 1, 2, 0)], file="/elsewhere/no.h"))
        self.assertEqual(["inner", "lost"], [row["function"] for row in found])
        self.assertEqual(["deep"], [caller["function"] for caller in found[1]["callers"]])


if __name__ == "__main__":
    unittest.main()
