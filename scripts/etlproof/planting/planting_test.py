# SPDX-License-Identifier: Apache-2.0
"""Unit tests of scripts/planted: patches, output of targets, time limits, resumed reports and tables."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from etlproof import ROOT
from etlproof.bench import minimiser_comparison
from etlproof.folder_case import matters
from runner.failure import Failure
from . import detection_report, main as planted, patches, planted_build, planted_campaign

HEADER = "Bug: it is\n  wrong\nSeen in: parsers\nTells: an oracle\nTargets: fuzz_a fuzz_b\n\n"
CHANGE = "--- a/decoder/src/x.c\n+++ b/decoder/src/x.c\n@@ -1 +1 @@\n-a\n+Bug: b\n"


class PatchTest(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "name.patch")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return patches.load(folder)[0]

    def test_header(self):
        patch = self.read(HEADER + CHANGE)
        self.assertEqual((patch.name, patch.bug, patch.targets, patch.files),
                         ("name", "it is wrong", ["fuzz_a", "fuzz_b"], ["decoder/src/x.c"]))

    def test_patches_of_every_decoder_folder_are_accepted(self):
        for room in ("decoder/memory", "decoder/recover", "decoder/tool", "decoder/include/etlproof"):
            with self.subTest(room):
                self.assertEqual(self.read(HEADER + CHANGE.replace("decoder/src", room)).files, [f"{room}/x.c"])

    def test_refused(self):
        for text, message in ((CHANGE, "lacks Bug, Seen in, Tells, Targets"),
                              (HEADER, "nothing is changed"),
                              ("Bug: again\n" + HEADER + CHANGE, "a second Bug"),
                              (HEADER + CHANGE.replace("decoder/src", "harness/oracle"), "changes harness/oracle/x.c")):
            with self.subTest(message), self.assertRaisesRegex(Failure, message):
                self.read(text)

    def test_no_patches(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(Failure, "there are no patches"):
            patches.load(folder)


class BuildTest(unittest.TestCase):
    def test_commands(self):
        """The command of the library's own folder counts, in any order of the commands."""
        of_library = {"file": "/t/decoder/src/item.c", "command": "cc -fsanitize=address -o decoder/x.dir/src/item.c.o"}
        of_program = {"file": "/t/decoder/src/item.c", "command": "cc -o harness/y.dir/__/__/decoder/src/item.c.o"}
        for commands in ([of_library, of_program], [of_program, of_library]):
            self.assertEqual(planted_build.own_commands(commands, "/t"), {"decoder/src/item.c": of_library})

    def test_link(self):
        """One linker command with its own output, so that several bugs can be linked at once."""
        base = planted_build.Base.__new__(planted_build.Base)
        base.folder = "/base"
        base._link = {"fuzz_a": ["cc", "-g", "-o", "harness/fuzz_a", "x/libfuzzer_mutator.c.o", "libetlproof.a"]}
        with mock.patch.object(planted_build, "run") as run:
            base.link("fuzz_a", ["/bug/item.c.o"], "/bug/fuzz_a")
        run.assert_called_once_with(
            ["cc", "-g", "-o", "/bug/fuzz_a", "/bug/item.c.o", "x/libfuzzer_mutator.c.o", "libetlproof.a"], "/base")

    def test_has_mutator(self):
        self.assertTrue(os.path.exists(os.path.join(ROOT, planted_build.MUTATOR)))
        base = planted_build.Base.__new__(planted_build.Base)
        base._link = {"fuzz_a": ["cc", "x/libfuzzer_mutator.c.o"], "fuzz_b": ["cc", "x/y.c.o"]}
        self.assertEqual([base.has_mutator(name) for name in base._link], [True, False])

    def test_missing_build_tools(self):
        """A missing tool is reported before anything is built."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, PATH=folder):
            for preset, tool in (("libfuzzer", "clang"), ("asan-ubsan", "clang"), ("afl-asan", "afl-fuzz")):
                with self.assertRaisesRegex(Failure, f"{tool} is not installed; .* run scripts/bootstrap nightly$"):
                    planted_build.Base(ROOT, os.path.join(folder, "base"), ["fuzz_file"], 1, preset)
            bench = minimiser_comparison.Bench(os.path.join(folder, "bench"), folder, ["item-stack-count"], 1, 1)
            os.symlink(sys.executable, os.path.join(folder, "clang"))
            os.symlink(sys.executable, os.path.join(folder, "cmake"))
            os.symlink(sys.executable, os.path.join(folder, "ninja"))
            with self.assertRaisesRegex(Failure, "afl-fuzz is not installed"):
                bench.run()
            self.assertEqual(["crashes"], os.listdir(os.path.join(folder, "bench")))

    def test_fresh(self):
        """A program that is older than the target without the bug is rebuilt."""
        with tempfile.TemporaryDirectory() as folder:
            base, path = os.path.join(folder, "base"), os.path.join(folder, "fuzz_a")
            for name, at in ((base, 2000), (path, 1000)):
                with open(name, "w", encoding="utf-8"):
                    pass
                os.utime(name, (at, at))
            bug = planted_build.Planted(mock.Mock(program=lambda _: base), None, folder)
            bug.program = lambda target: "rebuilt"
            self.assertEqual(bug.fresh("fuzz_a"), "rebuilt")
            os.utime(path, (3000, 3000))
            self.assertEqual(bug.fresh("fuzz_a"), path)


# A target that fails on every input.
FAILS = """\
#!/bin/sh
for word; do
    case $word in -artifact_prefix=*) echo bad > "${word#*=}crash-1" ;; esac
done
echo "==1== ERROR: libFuzzer: deadly signal" >&2
exit 77
"""


class ProgramTest(unittest.TestCase):
    """Which sources the hash of the program covers."""

    PARTS = ("CMakeLists.txt", "CMakePresets.json", "decoder/src/item.c", "decoder/format/item_types.def",
             "conformance/builder/model/chunk.c", "corpus/seeds/clock/types.recipe", "dictionaries/etl.dict",
             "harness/oracle/oracle.c", "harness/targets/fuzz_file.c", "harness/targets.tsv")

    def test_sources_change_the_hash(self):
        for name in self.PARTS:
            with self.subTest(name):
                self.assertTrue(os.path.isfile(os.path.join(ROOT, name)))
                self.assertTrue(matters(planted.hash_of_program, self.PARTS, name))

    def test_other_files_do_not_change_the_hash(self):
        """Patches have their own hashes."""
        for name in ("harness/planted/item-stack-count.patch", "harness/planted/README.md", "harness/README.md",
                     "harness/bench/timed.c", "harness/mutator/tests/victim_trace.h", "decoder/tests/item_test.c"):
            with self.subTest(name):
                self.assertTrue(os.path.isfile(os.path.join(ROOT, name)))
                self.assertFalse(matters(planted.hash_of_program, self.PARTS, name))


@mock.patch.object(planted.Planting, "__init__", return_value=None)
class PlantingTest(unittest.TestCase):
    def test_resume_keeps_results_of_other_bugs(self, _):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(planted, "hash_of_program", return_value="p"), \
                mock.patch.object(planted.Planting, "_finish"), contextlib.redirect_stderr(io.StringIO()) as said:
            run = planted.Planting()
            run.options = mock.Mock(report=os.path.join(folder, "report.jsonl"), resume=True, mode=["plain"], jobs=1)
            run.patches, run.target_of = [], {"other": "fuzz_a"}
            before = detection_report.Report(run.options.report)
            before.open([result(1.0), {**result(2.0), "program": "q"}])
            before.close()
            run.run()
            self.assertEqual([result(1.0)], [*before.resume("p")[0].values()])
            self.assertIn(": 1 results belong to another decoder", said.getvalue())

    def test_input_that_fails_on_the_unchanged_target_is_kept(self, _):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o700)) as file:
                file.write(FAILS)
            run = planted.Planting()
            run.options, run.folder, run.runner = mock.Mock(seconds=5, empty=True), folder, planted_campaign.Runner()
            run.targets, run.base = {"fuzz_a": mock.Mock(most=10)}, mock.Mock(program=lambda _: program)
            run.targets["fuzz_a"].name = "fuzz_a"
            with mock.patch.object(run, "_start_of", return_value=(program, None, 0)):
                came = run._campaign(mock.Mock(), planted_campaign.MODES["plain"], {"target": "fuzz_a", "trial": 1})
            self.assertEqual(("ours", "deadly signal"), (came["outcome"], came["told"]))
            shutil.rmtree(os.path.join(folder, "runs"))  # as another campaign does
            self.assertEqual(os.path.join(folder, "ours", planted_campaign.digest(came["input"])), came["input"])


class CommandTest(unittest.TestCase):
    def test_cannot_write(self):
        with tempfile.NamedTemporaryFile() as file:
            command = [sys.executable, os.path.join(ROOT, "scripts", "planted"), "--check", "--folder", file.name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((74, f"scripts/planted: {file.name}: cannot write: File exists\n"),
                             (done.returncode, done.stderr))


class ToldTest(unittest.TestCase):
    def test_each(self):
        for text, told in (
                ("oracle silent-loss broken at offset 0x48: x\n==1== ERROR: libFuzzer: deadly signal\n",
                 "oracle silent-loss"),
                ("==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n", "sanitizer heap-buffer-overflow"),
                ("x.c:1:2: runtime error: index 9 out of bounds for type 'int [7]'\n", "sanitizer index out of bounds"),
                ("x.c:1:2: runtime error: division by zero\n", "sanitizer division by zero"),
                ("ALARM: working on the last Unit\n==1== ERROR: libFuzzer: timeout after 5 seconds\n", "timeout"),
                ("==1== ERROR: libFuzzer: out-of-memory (used: 1Mb)\n", "out-of-memory"),
                ("no word\n", "unknown")):
            with self.subTest(told):
                self.assertEqual(planted_campaign.told_by(text), told)


def text_of(path):
    """The text of a file, "" if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


class RunnerTest(unittest.TestCase):
    def wait_for(self, find):
        """Waits until find() returns a true value; returns that value."""
        until = time.monotonic() + 30
        while not (found := find()):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        return found

    def test_status_and_output(self):
        done = planted_campaign.Runner().run(["sh", "-c", "echo out; echo err >&2; exit 3"], 10, 10)
        self.assertEqual((done.status, sorted(done.said.split())), (3, ["err", "out"]))

    def test_processor_time_ends(self):
        done = planted_campaign.Runner().run([sys.executable, "-c", "while True: pass"], 0.2, 60)
        self.assertIsNone(done.status)
        self.assertGreaterEqual(done.processor, 0.2)

    def test_clock_ends(self):
        done = planted_campaign.Runner().run(["sleep", "60"], 10, 0.2)
        self.assertIsNone(done.status)
        self.assertLess(done.processor, 0.2)

    def test_child_ends_when_the_runner_is_killed(self):
        code = ("from etlproof.planting.planted_campaign import Runner; "
                "Runner().run(['sh', '-c', 'echo $$ > pid; exec sleep 60'], 60, 60)")
        with tempfile.TemporaryDirectory() as folder:
            paths = os.path.join(ROOT, "scripts")
            process = subprocess.Popen([sys.executable, "-B", "-c", code], cwd=folder,
                                       env={**os.environ, "PYTHONPATH": paths})
            pid = self.wait_for(lambda: text_of(os.path.join(folder, "pid")).strip())
            process.kill()
            process.wait()
            self.wait_for(lambda: "sleep" not in text_of(f"/proc/{pid}/cmdline"))

    def campaign_of(self, budget):
        """The calls of a mock runner whose target uses all but 0.1 s of the processor time that it gets."""
        runner = mock.Mock()
        runner.run.side_effect = lambda command, processor, *_: planted_campaign.Done(None, "", processor, processor - 0.1)
        with tempfile.TemporaryDirectory() as folder:
            run = planted_campaign.Campaign(runner, os.path.join(folder, "run"), "program", "program",
                                            mock.Mock(most=10), None, None)
            run.run(planted_campaign.MODES["plain"], budget, 1)
        return [call.args for call in runner.run.call_args_list]

    def test_target_has_its_own_time_limit(self):
        """-max_total_time ends a target whose runner is suspended; it is longer than the runner's own limit."""
        (command, _, seconds, _), = self.campaign_of(5)
        self.assertIn(f"-max_total_time={seconds + 10}", command)

    def test_one_second_is_enough_for_a_campaign(self):
        self.assertEqual([1], [processor for _, processor, *_ in self.campaign_of(1)])

    def test_stopped(self):
        runner = planted_campaign.Runner()
        runner.stop()
        with self.assertRaises(KeyboardInterrupt):
            runner.run(["true"], 1, 1)


def result(seconds, outcome="found", mode="plain"):
    return {"patch": "name", "mode": mode, "target": "fuzz_a", "outcome": outcome, "seconds": seconds, "executions": 1,
            "told": "timeout", "program": "p"}


class TableTest(unittest.TestCase):
    def cell(self, *results):
        return detection_report.Cell(list(results)).text()

    def test_cells(self):
        self.assertEqual(self.cell(result(1.0)), "1.0 s")
        self.assertEqual(self.cell(result(60, "not found")), "not found")
        self.assertEqual(self.cell(result(60, "ours")), "not found")
        self.assertEqual(self.cell(result(1.0), result(0, "broken")), "broken")
        self.assertEqual(self.cell(result(1.0), result(3.0), result(60, "not found")), "3.0 s (2/3)")
        self.assertEqual(self.cell(result(1.0), result(60, "not found")), "— (1/2)")

    def test_sums(self):
        class Named:
            name = "name"
        table = detection_report.Table([Named], ["plain", "mutator"], [result(2.0), result(60, "not found", "mutator")])
        self.assertIn("plain: 1 of 1 found, median time 2.0 s", table.text())
        self.assertIn("mutator: 0 of 1 found, median time more than the budget", table.text())
        self.assertIn("| name | fuzz_a | timeout | 2.0 s | not found |", table.markdown())
        self.assertNotIn("not tried", table.text())

    def test_bug_of_a_target_without_a_mutator(self):
        class Named:
            name = "name"
        table = detection_report.Table([Named], ["plain", "mutator"], [result(2.0)])
        self.assertIn("| name | fuzz_a | timeout | 2.0 s | not tried |", table.markdown())
        self.assertIn("; 1 not tried: their targets have no mutator or dictionary\n", table.text())


class ReportTest(unittest.TestCase):
    def test_resume_ignores_an_incomplete_last_line(self):
        with tempfile.TemporaryDirectory() as folder:
            written = detection_report.Report(os.path.join(folder, "report.jsonl"))
            self.assertEqual(written.resume("p"), ({}, 0))
            of_another = {**result(2.0), "program": "q"}
            written.open([result(1.0), of_another])
            written.close()
            with open(written.path, "a", encoding="utf-8") as file:
                file.write('{"patch": "na')
            found, others = written.resume("p")
            self.assertEqual((list(found.values()), others), ([result(1.0)], 1))

    def test_failed_write_keeps_the_old_report(self):
        with tempfile.TemporaryDirectory() as folder:
            written = detection_report.Report(os.path.join(folder, "report.jsonl"))
            written.open([result(1.0)])
            written.close()
            with self.assertRaises(TypeError):
                written.open([result(2.0), {"patch": object()}])
            self.assertEqual(list(written.resume("p")[0].values()), [result(1.0)])

    def test_resume_of_a_file_that_is_no_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.write("text\n")
            with self.assertRaisesRegex(Failure, "cannot continue"):
                detection_report.Report(path).resume("p")


if __name__ == "__main__":
    unittest.main()
