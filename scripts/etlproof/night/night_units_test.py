# SPDX-License-Identifier: Apache-2.0
"""Unit tests of the modules of a night."""
import contextlib
import functools
import io
import os
import select
import signal
import subprocess
import tempfile
import time
import unittest
from unittest import mock

from etlproof.campaign import engines, region_coverage, targets
from etlproof.folder_case import FolderCase
from runner import atomic_file
from runner.failure import INPUT, Failure
from . import build, corpus, coverage, durable, minimise, notify, replay, report, schedule, seeds, slots, state, status


# Scripts like libFuzzer's merging and afl-cmin: both pass their arguments to a shell unquoted. libFuzzer does so with
# its temporary folder too, and fails silently.
MERGE = """\
#!/bin/sh
while [ $# -gt 2 ]; do shift; done
sh -c "cd $TMPDIR && test -x $0 && cp $2/* $1"
exit 0
"""
CMIN = """\
#!/bin/sh
sh -c "test -x ${10} && cp $2/* $4"
"""


class WaitTest(FolderCase):
    """Waiting for an engine that still works in the folder of a slot after its night was killed."""

    def started(self, seconds):
        """An engine that writes its last input when it ends."""
        child = subprocess.Popen(["sh", "-c", f'sleep {seconds}; echo >"$1/last"', "engine", os.path.join(self.folder, "")])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_engine_whose_process_id_was_not_recorded(self):
        self.started(0.3)
        slots._wait_for(None, self.folder)
        self.assertEqual(["last"], os.listdir(self.folder))

    def test_engine_that_does_not_end(self):
        """It is killed only if its process id is known."""
        child = self.started(5)
        with mock.patch.object(engines, "END_SECONDS", 0.2):
            slots._wait_for(None, self.folder)
            self.assertIsNone(child.poll())
            slots._wait_for(child.pid, self.folder)
        self.assertEqual(-signal.SIGKILL, child.wait())


class StateCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = state.State(folder.name)
        self.state.open()
        self.run_id = self.state.begin(60, 1, ["fuzz_it"], None, None, [], [])

    def slot(self, configuration, seconds, edges=None, tested="old"):
        number = self.state.do("INSERT INTO slots (run, target, configuration, begun, processor_seconds, edges, tested) "
                               "VALUES (?, 'fuzz_it', ?, '', ?, ?, ?)", self.run_id, configuration, seconds, edges, tested)
        return self.state.row("SELECT * FROM slots WHERE id = ?", number)


class StateTest(StateCase):
    def test_seconds_since_the_last_failure(self):
        self.slot("afl", 10)
        self.slot("libfuzzer", 20)
        self.state.failed("fuzz_it", "libfuzzer")
        self.assert_clean(afl=(10, 0), libfuzzer=(0, 0))
        self.slot("libfuzzer", 3)
        self.slot("libfuzzer", 4, tested="new")
        self.slot("afl", 5, tested="new")
        self.assert_clean(afl=(15, 5), libfuzzer=(7, 4))

    def assert_clean(self, **expected):
        """(seconds, of them on the sources `new`) by configuration."""
        self.assertEqual({name: {"seconds": seconds, "this_code": new} for name, (seconds, new) in expected.items()},
                         self.state.clean("fuzz_it", "new"))

    def test_files_that_a_full_disk_truncated_are_removed(self):
        shelf = corpus.Corpus(self.state, self.run_id, "fuzz_it")
        shelf.add([b"one"], "seed")
        path = os.path.join(shelf.folder, "00" + atomic_file.NEW)
        with open(path, "wb"):
            pass
        self.assertEqual(0, shelf.settle())
        self.assertEqual([corpus.digest(b"one")], os.listdir(shelf.folder))

    def test_half_written_inputs_are_not_collected(self):
        folder = slots.Folder(self.state, self.slot("afl", 0))
        queue = os.path.join(folder.path, "afl", "plain", "queue")
        os.makedirs(queue)
        for name in ("id:0,orig:seed", "id:1"):
            with open(os.path.join(queue, name), "w", encoding="ascii") as file:
                file.write(name)
        folder.take(gone=False)
        self.assertEqual(set(), folder.corpus.names())
        folder.take(gone=True)
        self.assertEqual({corpus.digest(b"id:1")}, folder.corpus.names())

    def test_status_table_on_a_terminal(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        self.state.do("UPDATE slots SET executions = 1234, crashes = 7 WHERE id = ?", self.slot("afl", 1, 99)["id"])
        running = mock.Mock(configuration="afl", target=mock.Mock())
        running.target.name = "fuzz_it"
        for edges in ("-", "56"):
            terminal = Terminal()
            status.Status(False, terminal).table(self.state, self.run_id, [running], 3723)
            self.assertIn("1:02:03 left", terminal.getvalue())
            self.assertRegex(terminal.getvalue(), rf"fuzz_it +1,234 +{edges} +7  afl")
            self.slot("libfuzzer", 1, 56)
        quiet = Terminal()
        status.Status(True, quiet).table(self.state, self.run_id, [running], 3723)
        self.assertEqual("", quiet.getvalue())


class StatusTest(unittest.TestCase):
    def lines(self, quiet, steps, seconds=0.5):
        """What is printed off a terminal while each of the steps takes `seconds`."""
        stream = io.StringIO()
        with mock.patch.object(status, "EVERY", 0.1), contextlib.redirect_stdout(io.StringIO()):
            shown = status.Status(quiet, stream)
            for step in steps:
                step(shown)
                time.sleep(seconds)
        return [line.rpartition(", ")[0] for line in stream.getvalue().splitlines()]

    def test_what_takes_long_is_printed_again_and_again_off_a_terminal(self):
        said = self.lines(False, [lambda shown: shown.say("building libfuzzer"), lambda shown: shown.phase("build  done"),
                                  lambda shown: shown.table(None, 1, [], 75)])
        for words in ("building libfuzzer", "fuzzing, 1:15 left"):
            self.assertGreater(said.count(words), 1)
        self.assertEqual({"building libfuzzer", "fuzzing, 1:15 left"}, set(said))

    def test_many_short_works_print_too(self):
        names = [f"building {number}" for number in range(40)]
        said = self.lines(False, [functools.partial(status.Status.say, text=name) for name in names], 0.02)
        self.assertGreater(len(said), 1)
        self.assertLess(len(said), 20)

    def test_quiet_night_prints_nothing(self):
        self.assertEqual([], self.lines(True, [lambda shown: shown.say("building libfuzzer")]))


class ReportTest(StateCase):
    """Edges are compared only within one build and one run."""

    def report(self):
        return report.Report(mock.Mock(state=self.state, number=self.run_id, tested="old",
                                       run=lambda: self.state.run(self.run_id)))

    def edges(self):
        """(edges in the row of the target, [edges of each run in the history])."""
        return self.report()._target("fuzz_it")["edges"], [past["edges"] for past in self.report()._history()]

    def test_edges_of_other_builds_are_ignored(self):
        self.slot("afl", 1, 90)
        self.assertEqual((None, [None]), self.edges())
        self.slot("libfuzzer", 1, 50)
        self.slot("libfuzzer", 1, 40)
        self.assertEqual((50, [50]), self.edges())

    def test_edges_of_an_earlier_run_are_ignored(self):
        self.slot("libfuzzer", 1, 50)
        self.run_id = self.state.begin(60, 1, ["fuzz_it"], None, None, [], [])
        self.slot("afl", 1, 90)
        self.assertEqual((None, [50, None]), self.edges())

    def test_lines_of_a_target_are_those_of_its_own_runs(self):
        """Speed is that of one build, since others differ by factors; a run of other targets is left out."""
        self.slot("libfuzzer", 4, 50)
        self.slot("afl", 9, 90)
        self.state.do("UPDATE slots SET executions = 1000 * processor_seconds")
        self.state.do("INSERT INTO slots (run, target, configuration, begun, executions, processor_seconds) "
                      "VALUES (?, 'fuzz_it', 'libfuzzer', '', 10, 6)", self.run_id)
        self.state.do("INSERT INTO coverage VALUES (?, 'fuzz_it', 30, 90), (?, '*', 40, 90)", self.run_id, self.run_id)
        self.state.do("INSERT INTO ends VALUES (?, 'fuzz_it', 7, 10.5)", self.run_id)
        first = {"run": self.run_id, "speed": 401.0, "regions": 30, "corpus": 7, "clean_seconds": 10.5}
        self.state.begin(60, 1, ["fuzz_other"], None, None, [], [])
        self.run_id = self.state.begin(60, 1, ["fuzz_it", "fuzz_other"], None, None, [], [])
        self.slot("afl", 1, 90)
        last = {"run": self.run_id, "speed": None, "regions": None, "corpus": None, "clean_seconds": None}
        self.assertEqual([first, last], self.report()._target("fuzz_it")["trend"])

    def test_lines_of_a_target_show_the_last_runs(self):
        runs = [self.state.begin(60, 1, ["fuzz_it"], None, None, [], []) for _ in range(70)]
        for self.run_id in runs:
            self.slot("libfuzzer", 1, 50)
        self.assertEqual(runs[10:], [one["run"] for one in self.report()._target("fuzz_it")["trend"]])

    def test_links_outlast_the_inputs(self):
        shelf = corpus.Corpus(self.state, self.run_id, "fuzz_it")
        start = self.state.path("start")
        self.assertIsNone(shelf.links(start))
        shelf.add([b"bad", b"good"], "found")
        self.assertEqual(start, shelf.links(start))
        shelf.drop({corpus.digest(b"bad")})
        self.assertEqual({corpus.digest(data) for data in (b"bad", b"good")}, set(os.listdir(start)))
        self.assertEqual(b"bad", corpus.read(os.path.join(start, corpus.digest(b"bad"))))

    def test_edges_without_all_targets_have_no_sum(self):
        self.run_id = self.state.begin(60, 1, ["fuzz_it", "fuzz_other"], None, None, [], [])
        self.slot("libfuzzer", 1, 50)
        self.assertEqual((50, [None]), self.edges())


class NightCase(StateCase):
    """A night of one target."""

    def setUp(self):
        super().setUp()
        self.night = mock.Mock(state=self.state, number=self.run_id,
                               built={(name, "fuzz_it") for name in engines.CONFIGURATIONS},
                               targets={"fuzz_it": targets.Target("fuzz_it", "FILE", 99, "it")})

    @staticmethod
    def write(data, *names):
        path = os.path.join(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path


class FailingTest(NightCase):
    """Failing inputs are kept out of the corpus, because an engine would stop at them at each start."""

    def folder_with(self, findings):
        """The folder of a slot with these findings."""
        folder = slots.Folder(self.state, self.slot("libfuzzer-msan", 0))
        for name, data in findings.items():
            self.write(data, folder.path, "findings", name)
        return folder

    def of_earlier_run(self):
        """An input that failed in an earlier run and then passed, so that it is in the corpus again."""
        shelf = corpus.Crashes(self.state, self.run_id - 1, "fuzz_it")
        shelf.take_back(shelf.add([b"bad"], "crash", "afl"))
        corpus.Corpus(self.state, self.run_id, "fuzz_it").add([b"bad", b"good"], "found")

    def assert_failed_again(self, configuration):
        self.assertEqual({corpus.digest(b"good")}, corpus.Corpus(self.state, self.run_id, "fuzz_it").names())
        self.assertEqual([("crash", configuration, self.run_id)],
                         [tuple(row) for row in self.state.rows("SELECT kind, configuration, run FROM crashes")])

    def test_failing_input_of_the_corpus_moves_to_the_crashes(self):
        """An engine would stop at it at each start."""
        folder = self.folder_with({"crash-1": b"bad", "slow-unit-2": b"good"})
        folder.corpus.add([b"good", b"bad"], "seed")
        folder.take(gone=True)
        self.assertEqual({corpus.digest(b"good")}, corpus.files(folder.corpus.folder))
        self.assertEqual({corpus.digest(b"bad")}, corpus.files(self.state.path("crashes", "fuzz_it")))

    def test_crash_of_an_earlier_run_counts_as_new_if_it_fails_again(self):
        self.of_earlier_run()
        folder = self.folder_with({"crash-1": b"bad"})
        folder.take(gone=True)
        self.assert_failed_again("libfuzzer-msan")
        self.assertEqual(1, self.state.value("SELECT crashes FROM slots WHERE id = ?", folder.row["id"]))

    def test_failed_input_of_another_engine_is_not_added(self):
        self.folder_with({"crash-1": b"bad"}).take(gone=True)
        shelf = corpus.Corpus(self.state, self.run_id, "fuzz_it")
        self.assertEqual({corpus.digest(b"good")}, shelf.add([b"good", b"bad"], "afl"))
        self.assertEqual({corpus.digest(b"good")}, shelf.names())

    def test_input_set_aside_in_an_earlier_run_is_not_added(self):
        """AFL++ may keep it, because its build detects fewer errors. Once it passes, it returns."""
        earlier = corpus.Crashes(self.state, self.run_id - 1, "fuzz_it")
        earlier.add([b"bad"], "crash", "libfuzzer")
        shelf = corpus.Corpus(self.state, self.run_id, "fuzz_it")
        shelf.add([b"good", b"bad"], "afl")
        self.assertEqual({corpus.digest(b"good")}, shelf.names())
        earlier.take_back([corpus.digest(b"bad")])
        self.assertEqual({corpus.digest(b"good"), corpus.digest(b"bad")}, shelf.names())

    def test_input_that_fails_during_merging_is_a_crash(self):
        """afl-cmin would keep it, because its build detects fewer errors."""
        self.of_earlier_run()

        def merge(command, **popen):
            out = os.path.join(popen["cwd"], "out")
            if "-set_cover_merge=1" in command:
                self.write(b"good", out, corpus.digest(b"good"))
                self.write(b"bad", out, "failed-crash-1")
            else:
                self.assertEqual("off", popen["env"]["ETLPROOF_SHARE"])  # all checks must run, not a share of them
                self.write(b"bad", out, corpus.digest(b"bad"))
            return 0
        with mock.patch.object(minimise.children, "run", merge):
            minimise.phase(self.night)
        self.assert_failed_again("libfuzzer")

    def test_merging_in_folders_with_spaces_in_their_names(self):
        tools, self.state.folder = self.state.folder, self.state.path("a b")
        corpus.Corpus(self.state, self.run_id, "fuzz_it").add([b"good"], "found")
        durable.make_folders(self.state.path("logs"))
        program = self.write(MERGE.encode(), self.state.path("c d"), "fuzz_it")
        for path in (program, self.write(CMIN.encode(), tools, "afl-cmin")):
            os.chmod(path, 0o700)
        environment = {"TMPDIR": os.path.dirname(program), "PATH": tools + os.pathsep + os.environ["PATH"]}
        with mock.patch.object(minimise.builds, "target_path", lambda *_: program), \
             mock.patch.dict(os.environ, environment):
            self.assertEqual("1 inputs to 1", minimise.phase(self.night)[0])

    def test_corpora_not_minimised_without_a_build_are_reported(self):
        """An empty corpus needs no build. If all targets lack their build, the message has no names."""
        self.assertEqual("0 inputs to 0", minimise.phase(self.night)[0])
        self.night.built.discard(("afl", "fuzz_it"))
        self.assertEqual("none minimised: no build", minimise.phase(self.night)[0])
        self.night.targets["fuzz_other"] = mock.Mock()
        self.night.targets["fuzz_other"].name = "fuzz_other"
        self.night.built |= {("libfuzzer", "fuzz_other"), ("afl", "fuzz_other")}
        self.assertEqual("0 inputs to 0; not minimised, no build: fuzz_it", minimise.phase(self.night)[0])

    def test_failed_seed_is_not_counted(self):
        corpus.Crashes(self.state, self.run_id, "fuzz_it").add([b"bad"], "crash", "libfuzzer")
        seed = {corpus.digest(data): data for data in (b"good", b"bad")}
        self.assertEqual(1, seeds.give(self.night, self.night.targets["fuzz_it"], seed))

    def test_regression_that_fails_again_is_a_crash(self):
        self.of_earlier_run()
        path = self.write(b"bad", self.state.folder, "regressions", "1")
        with mock.patch.multiple(replay, _inputs=lambda _: [path], _cause=lambda *_: "fails"):
            replay.phase(self.night)
        self.assert_failed_again("libfuzzer")


class OneFailingTest(NightCase):
    """One failing input, or one target that fails, does not end a phase for the rest."""

    def setUp(self):
        super().setUp()
        self.shelf = corpus.Corpus(self.state, self.run_id, "fuzz_it")
        self.shelf.add([b"good %d" % number for number in range(9)] + [b"bad 1", b"bad 2"], "found")
        self.profiled = []

    def profile(self, _target, arguments, _folder):
        """Like a target that ends at the first bad input."""
        paths = self.shelf.paths() if arguments == [self.shelf.folder] else arguments
        inputs = {corpus.read(path) for path in paths}
        if any(data.startswith(b"bad") for data in inputs):
            raise region_coverage.InputFailed(INPUT, "it fails")
        self.profiled.append(inputs)
        return f"profile {len(self.profiled)}"

    def test_coverage_is_that_of_the_passing_inputs(self):
        together = mock.Mock()
        with mock.patch.multiple(region_coverage, profile=self.profile, together=together):
            coverage._profile(self.night, self.night.targets["fuzz_it"], self.shelf, self.state.path("work"))
        self.assertEqual({b"good %d" % number for number in range(9)}, set.union(*self.profiled))
        self.assertEqual(9, sum(map(len, self.profiled)))  # each counts once
        self.assertEqual([f"profile {number + 1}" for number in range(len(self.profiled))], together.call_args[0][0])
        self.assertEqual({corpus.digest(b"bad 1"), corpus.digest(b"bad 2")},
                         corpus.Crashes(self.state, self.run_id, "fuzz_it").aside())
        self.assertEqual(9, len(self.shelf.names()))

    def test_program_on_which_all_inputs_fail_sets_none_aside(self):
        self.shelf.drop({corpus.digest(b"good %d" % number) for number in range(9)})
        with mock.patch.multiple(region_coverage, profile=self.profile), self.assertRaisesRegex(Failure, "all inputs"):
            coverage._profile(self.night, self.night.targets["fuzz_it"], self.shelf, self.state.path("work"))
        self.assertEqual(2, len(self.shelf.names()))

    def two_targets(self, step):
        """A step that fails on the first of two targets."""
        self.night.targets = {name: targets.Target(name, "FILE", 99, name) for name in ("fuzz_it", "fuzz_other")}
        self.night.built |= {(preset, name) for preset in (*minimise.PRESETS, region_coverage.PRESET)
                             for name in self.night.targets}
        corpus.Corpus(self.state, self.run_id, "fuzz_other").add([b"other"], "found")

        def fail_on_first(_night, target, *rest):
            if target.name == "fuzz_it":
                raise Failure(INPUT, "fuzz_it cannot be done")
            return step(target, *rest)
        return fail_on_first

    def test_minimising_goes_on_with_the_next_target(self):
        done = []
        with mock.patch.multiple(minimise, _minimise=self.two_targets(lambda target, *_: done.append(target.name))):
            self.assertEqual("12 inputs to 12", minimise.phase(self.night)[0])
        self.assertEqual(["fuzz_other"], done)
        self.night.problem.assert_called_once_with("fuzz_it cannot be done")

    def test_coverage_goes_on_with_the_next_target(self):
        with mock.patch.multiple(coverage, _profile=self.two_targets(lambda *_: "counted")), \
             mock.patch.multiple(region_coverage, regions=lambda *_: (90, 100), together=lambda *_: "",
                                 show=lambda *_: None, functions=lambda *_: []):
            self.assertEqual("90 of 100 regions", coverage.phase(self.night)[0])
        self.night.problem.assert_called_once_with("fuzz_it cannot be done")
        self.assertEqual([("fuzz_other", 90)],
                         [tuple(row) for row in self.state.rows("SELECT target, regions FROM coverage ORDER BY target")])

    def test_corpus_of_failing_inputs_only_becomes_empty(self):
        def merge(command, **popen):
            for number, path in enumerate(self.shelf.paths()):
                self.write(corpus.read(path), popen["cwd"], "out", f"failed-crash-{number}")
            self.assertIn("-set_cover_merge=1", command)
            return 0
        with mock.patch.object(minimise.children, "run", merge):
            self.assertEqual("11 inputs to 0", minimise.phase(self.night)[0])
        self.night.problem.assert_not_called()


class BuildTest(unittest.TestCase):
    def test_minimising_builds_plain_afl_for_every_target(self):
        every = targets.load()
        wanted = build.needed([("fuzz_event", "libfuzzer")], every)
        self.assertEqual(["release", "libfuzzer", "libfuzzer-msan", "coverage", "afl"], list(wanted))
        self.assertEqual(every.keys(), wanted["afl"])


class TracesTest(StateCase):
    def test_unreadable_folder_is_reported(self):
        night = mock.Mock()
        night.run.return_value = {"seeds": os.path.join(self.state.folder, "gone")}
        self.assertEqual({}, seeds._traces(night))
        night.problem.assert_called_once_with(f"{self.state.folder}/gone: cannot read: No such file or directory; skipped",
                                              breaks=False)

    def test_traces_are_used_again_if_merging_kept_nothing(self):
        night = mock.Mock(state=self.state, number=self.run_id, built={("libfuzzer", "fuzz_it")},
                          targets={"fuzz_it": targets.Target("fuzz_it", "FILE", 99, "it")})
        parts = self.state.path("parts", "fuzz_it")
        os.makedirs(parts)
        with open(os.path.join(parts, "1"), "wb"):
            pass
        with mock.patch.object(seeds, "_carve", lambda *_: os.path.dirname(parts)), \
             mock.patch.object(minimise.children, "run", lambda *_, **__: 0), \
             self.assertRaisesRegex(Failure, "^fuzz_it: merging kept no input of .*/parts/fuzz_it: see /.*.log$"):
            seeds._give_parts(night, {"1": b"a trace"})
        self.assertEqual([], self.state.rows("SELECT * FROM seeds"))


class NotifyTest(FolderCase):
    def tell(self, command, seconds):
        with mock.patch.multiple(notify, SECONDS=seconds, summary=lambda *_: {"verdict": "broken"}):
            notify.tell(command, None, None)

    def test_background_process_of_the_command_is_not_waited_for(self):
        path = os.path.join(self.folder, "left")
        self.tell(f"cat >{path}; sleep 60 & echo $! >>{path}", 20)
        with open(path, encoding="ascii") as file:
            told, pid = file.read().split("}")
        self.assertEqual('{"verdict": "broken"', told)
        os.kill(int(pid), signal.SIGKILL)  # it still runs

    def test_command_that_takes_too_long_is_killed_with_its_children(self):
        path = os.path.join(self.folder, "fifo")
        os.mkfifo(path)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as fifo:
            self.fails(INPUT, "no end within 2 s", self.tell, f"sleep 60 >{path}; :", 2)
            self.assertTrue(select.select([fifo], [], [], 20)[0])  # all writers have ended


class ScheduleTest(unittest.TestCase):
    def turns(self, spent, count, names=("one", "two")):
        among = schedule.combinations(names)
        plan = schedule.Schedule(among, spent, 10 ** 9)
        took = dict.fromkeys(among, 0)
        for _ in range(count):
            one = plan.next()
            plan.charge(one, 20)
            took[one] += 20
        return took

    def test_each_combination_runs_once_before_any_runs_again(self):
        self.assertEqual({20}, set(self.turns({}, 10).values()))

    def test_time_is_shared_by_weight(self):
        took = self.turns({}, 1000)
        unit = sum(took.values()) / sum(schedule.WEIGHTS[one[1]] for one in took)
        for one, seconds in took.items():
            self.assertAlmostEqual(schedule.WEIGHTS[one[1]], seconds / unit, delta=0.2)

    def test_short_nights_continue_where_the_last_one_stopped(self):
        spent = {}
        for _ in range(5):
            for one, seconds in self.turns(spent, 2).items():
                spent[one] = spent.get(one, 0) + seconds
        self.assertEqual({20}, set(spent.values()))

    def test_every_fourth_slot_makes_the_largest_inputs(self):
        self.assertEqual([3, 7, 11], [earlier for earlier in range(12) if schedule.is_large(earlier)])

    def test_new_combination_gains_at_most_one_extra_share(self):
        among = schedule.combinations(["old", "new"])
        spent = {one: 10 ** 6 * schedule.WEIGHTS[one[1]] for one in among if one[0] == "old"}
        plan = schedule.Schedule(among, spent, 2000)
        took = dict.fromkeys(among, 0)
        for _ in range(100):
            one = plan.next()
            plan.charge(one, 20)
            took[one] += 20
        self.assertGreater(sum(seconds for one, seconds in took.items() if one[0] == "old"), 400)

    def test_slots_have_a_minimum_length(self):
        self.assertEqual(20, schedule.slot_seconds(60, 2, 60))
        self.assertEqual(60, schedule.slot_seconds(1800, 2, 60))
        self.assertEqual(300, schedule.slot_seconds(10 ** 6, 2, 60))

    def test_preview_lists_the_combinations_of_a_night(self):
        among = schedule.combinations(["one", "two"])
        self.assertEqual(among[:6], schedule.preview(among, {}, 60, 2))
        self.assertEqual(among, schedule.preview(among, {}, 600, 2))


if __name__ == "__main__":
    unittest.main()
