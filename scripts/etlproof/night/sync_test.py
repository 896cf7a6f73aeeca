# SPDX-License-Identifier: Apache-2.0
"""Tests nights that share their corpora over a folder: the exchange itself, and whole nights with scripts as engines."""
import os
import shutil
import signal
import tempfile
import unittest
from unittest import mock

from etlproof.campaign import engines, targets
from runner import atomic_file
from runner.failure import FAILED, INPUT, PASSED
from . import corpus, seeds, slots, state, sync
from .night_case import PATIENCE, Nights

IT = "fuzz_it"


class Machine:
    """A night with a state folder of its own in the folder."""

    def __init__(self, folder, shared, name):
        self.state = state.State(os.path.join(folder, name))
        self.state.open()
        self.night = mock.Mock(state=self.state, number=self.state.begin(60, 1, [IT], None, None, [], []),
                               targets={IT: targets.Target(IT, "FILE", 99, "it")})
        self.corpus = corpus.Corpus(self.state, self.night.number, IT)
        self.sync = sync.Sync(self.night, shared)
        self.part = os.path.join(shared, sync.machine(self.state), IT)

    def find(self, *inputs):
        self.corpus.add(inputs, "found")

    def exchange(self):
        return sorted(self.sync.exchange(IT))

    def has(self, *inputs):
        return {corpus.digest(data) for data in inputs} <= self.corpus.names()


class ExchangeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.shared = folder.name, os.path.join(folder.name, "shared")
        os.mkdir(self.shared)
        self.one, self.other = (Machine(folder.name, self.shared, name) for name in ("one", "other"))

    def write(self, path, data):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def all_shared(self):
        """The names of the files that all machines have shared."""
        return sorted(name for _, _, names in os.walk(self.shared) for name in names)

    def test_each_machine_gets_the_inputs_of_the_other(self):
        self.one.find(b"a", b"both")
        self.other.find(b"b", b"both")
        self.assertEqual([], self.one.exchange())
        self.assertEqual([b"a"], self.other.exchange())
        self.assertEqual([b"b"], self.one.exchange())
        with mock.patch.object(corpus, "read") as read:
            self.assertEqual([], self.one.exchange() + self.other.exchange())
        read.assert_not_called()
        for machine in (self.one, self.other):
            self.assertTrue(machine.has(b"a", b"b", b"both"))
        self.assertEqual(sorted(map(corpus.digest, (b"a", b"b", b"both"))), self.all_shared())  # each once
        self.assertIn("1 inputs taken from other machines, 2 offered to them in ", self.one.sync.text())

    def test_incomplete_files_are_left_until_they_are_complete(self):
        whole = b"an input that is written slowly"
        path = os.path.join(self.other.part, corpus.digest(whole))
        self.write(path, whole[:9])
        self.write(path + atomic_file.NEW, whole)
        self.write(os.path.join(self.other.part, "README"), b"not an input")
        self.assertEqual([], self.one.exchange())
        self.assertEqual(set(), self.one.corpus.names())
        self.write(path, whole)
        self.assertEqual([whole], self.one.exchange())

    def test_what_minimising_removes_does_not_come_back_and_is_no_longer_shared(self):
        self.one.find(b"a", b"b")
        self.one.exchange()
        self.other.exchange()
        for machine in (self.one, self.other):
            machine.corpus.drop({corpus.digest(b"a")})
        self.assertEqual([], self.other.exchange() + self.one.exchange() + self.other.exchange())
        self.assertEqual([corpus.digest(b"b")], self.all_shared())
        self.assertFalse(self.one.has(b"a") or self.other.has(b"a"))

    def test_input_that_its_finder_removed_is_shared_by_who_kept_it(self):
        self.one.find(b"a")
        self.one.exchange()
        self.other.exchange()
        self.one.corpus.drop({corpus.digest(b"a")})
        self.one.exchange()
        self.assertEqual([], self.all_shared())
        self.other.exchange()
        self.assertEqual([corpus.digest(b"a")], os.listdir(self.other.part))
        self.assertEqual([], self.one.exchange())

    def test_input_that_fails_here_is_not_taken(self):
        corpus.Crashes(self.one.state, self.one.night.number, IT).add([b"bad"], "crash", "libfuzzer")
        self.other.find(b"bad")
        self.other.exchange()
        self.assertEqual([], self.one.exchange())
        self.assertFalse(self.one.has(b"bad"))

    def test_lost_state_comes_back_from_the_shared_folder(self):
        self.one.find(b"a")
        self.one.exchange()
        shutil.rmtree(self.one.state.folder)
        again = Machine(self.folder, self.shared, "one")
        self.assertEqual([b"a"], again.exchange())
        self.assertEqual([corpus.digest(b"a")], self.all_shared())

    def test_machine_killed_between_a_file_and_its_mark(self):
        self.one.find(b"a")
        with mock.patch.object(seeds, "remember", side_effect=KeyboardInterrupt):
            self.assertRaises(KeyboardInterrupt, self.one.exchange)
        self.assertEqual([], self.one.exchange())
        self.one.corpus.drop({corpus.digest(b"a")})
        self.one.exchange()
        self.assertEqual([], self.all_shared())

    def test_folder_that_disappears_is_reported_once_and_not_made_anew(self):
        os.rmdir(self.shared)
        self.one.find(b"a")
        self.assertEqual([], self.one.exchange() + self.one.exchange())
        self.one.night.problem.assert_called_once_with(f"{self.shared}: cannot share the corpora: no such folder",
                                                       breaks=False)
        self.assertFalse(os.path.exists(self.shared))
        os.mkdir(self.shared)
        self.one.exchange()
        self.assertEqual([corpus.digest(b"a")], self.all_shared())
        shutil.rmtree(self.shared)
        self.one.exchange()
        self.assertIn(", 1 offered to them in ", self.one.sync.text())
        self.assertEqual(2, self.one.night.problem.call_count)

    def test_running_engine_is_fed(self):
        """libFuzzer reads its corpus folder again and again; AFL++ would not."""
        slot = slots.Slot.__new__(slots.Slot)
        for configuration, expected in (("libfuzzer", [corpus.digest(b"a")]), ("afl", [])):
            folder = os.path.join(self.folder, configuration)
            os.makedirs(os.path.join(folder, "corpus"))
            slot.engine = engines.engine_of(configuration, self.one.night.targets[IT], None, folder)
            slot.feed([b"a"])
            self.assertEqual(expected, os.listdir(os.path.join(folder, "corpus")))


class TwoNightsTest(Nights):
    """Two state folders count as two machines."""

    def setUp(self):
        super().setUp()
        self.shared = os.path.join(self.folder, "shared")
        os.mkdir(self.shared)
        self.chosen = ("--sync", self.shared, "--minutes", "0.03")

    def shared_files(self):
        return {name for _, _, names in os.walk(self.shared) for name in names}

    def test_second_machine_takes_what_the_first_found(self):
        self.expect(PASSED, *self.chosen)
        first = self.journal("input")
        self.assertIn("; 0 inputs taken from other machines, ", self.said)
        self.state = os.path.join(self.folder, "other")
        self.expect(PASSED, *self.chosen)
        self.assertEqual(set(), self.journal("input") - self.kept("corpus"))
        self.assertTrue(first)
        self.assertRegex(self.said, r"; [1-9]\d* inputs taken from other machines, ")
        self.assertEqual(self.kept("corpus"), self.shared_files())

    def test_one_of_two_is_killed(self):
        """The other continues, and the killed night resumes."""
        self.write("journal.bug")
        beside = self.start(*self.chosen, "--state", os.path.join(self.folder, "other"))
        self.expect(-signal.SIGKILL, *self.chosen, STOP="fuzz+0.8")
        said, complained = beside.communicate(timeout=PATIENCE)
        self.assertEqual(FAILED, beside.returncode, said + complained)
        self.expect(FAILED, *self.chosen)
        self.assertEqual(1, self.report()["resumed"])
        self.assertEqual(set(), self.journal("input") - self.kept("corpus"))
        self.assertEqual(set(), {name for name in self.shared_files() if name.endswith(atomic_file.NEW)})

    def test_folder_that_is_not_there_is_refused(self):
        self.expect(INPUT, "--sync", "/nowhere")


if __name__ == "__main__":
    unittest.main()
