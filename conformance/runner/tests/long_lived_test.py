# SPDX-License-Identifier: Apache-2.0
"""A process that stays, and does not keep to what it is asked."""
import os
import sys
import time
import unittest
from unittest import mock

from .. import long_lived
from ..adapter import Parser
from ..limits import Children, Limits, unenforced
from .runner_fixture import ALL, FAKE, RunnerCase

WIDE = Limits(wall=100.0, cpu=100.0)


class WorkerTest(RunnerCase):
    def answers(self, behaviour, limits=WIDE, vectors=None):
        """(outcome, reason) by id, the last one that was given."""
        parser = Parser([sys.executable, FAKE, behaviour], "long-lived", {"name": "fake", "records": ALL})
        left = iter(vectors or [self.vector(name, name) for name in ("size-bad", "size-ok")])
        given = {}
        long_lived.Worker(parser, limits, Children(), lambda: next(left, None),
                          lambda vector, answer: given.update({vector["id"]: (answer.outcome, answer.reason)})).run()
        return given

    def vector(self, identifier, name):
        return {"id": identifier, "path": f"{self.golden}/size/{name}.etl"}

    def test_one_that_prints_without_a_pause_hangs(self):
        # A busy machine makes pauses: none is as long as this.
        with mock.patch.object(long_lived, "SAMPLE", 0.5):
            self.assertEqual({"size-bad": ("reject", ""), "size-ok": ("hang", "no answer within 2 s")},
                             self.answers("drip", Limits(wall=2.0, cpu=100.0)))

    @unittest.skipIf("memory" in unenforced(), "memory cannot be watched here")
    def test_one_that_answers_without_a_pause_keeps_to_its_memory(self):
        """None of the pauses is as long as the time between two looks, and all of them are longer."""
        many = [self.vector(str(number), "size-ok") for number in range(100)]
        with mock.patch.object(long_lived, "SAMPLE", 0.2):
            outcomes = self.answers("keep-more", Limits(wall=100.0, cpu=100.0, memory=80 << 20), many).values()
        self.assertEqual({"accept", "oom"}, {outcome for outcome, _ in outcomes})

    def test_a_second_answer_is_not_the_next_vectors(self):
        twice = ("crash", "protocol: answered twice")
        self.assertEqual({"size-bad": twice, "size-ok": ("accept", "")}, self.answers("twice@size-bad"))
        self.assertEqual({"size-bad": ("reject", ""), "size-ok": twice}, self.answers("twice@size-ok"))

    def test_a_sanitizers_report_comes_before_what_is_wrong_with_the_answer(self):
        """The one explains the other."""
        outcome, reason = self.answers("ubsan-wrong-id")["size-ok"]
        self.assertEqual("crash", outcome)
        self.assertIn("shift exponent 64 is too large", reason)

    def test_a_sanitizers_report_that_comes_while_the_answer_before_is_taken_is_not_lost(self):
        taken = long_lived._to_answer

        def slowly(*answer):
            time.sleep(0.5)
            return taken(*answer)

        with mock.patch.object(long_lived, "_to_answer", slowly):
            outcome, reason = self.answers("ubsan")["size-ok"]
        self.assertEqual("crash", outcome)
        self.assertIn("shift exponent 64 is too large", reason)

    def test_one_that_prints_errors_without_end_is_stopped(self):
        with mock.patch.object(long_lived, "OUTPUT_MAX", 8 << 20):
            self.assertEqual(("crash", "protocol: printed more than 8 MiB on standard error"),
                             self.answers("chatter")["size-ok"])

    def test_a_death_when_told_to_stop_is_the_last_vectors(self):
        for behaviour, words in (("stop-abort", "signal 6 (SIGABRT)"), ("stop-asan", "==12==ERROR: AddressSanitizer: ")):
            outcome, reason = self.answers(behaviour + "@nothing")["size-ok"]
            self.assertEqual("crash", outcome)
            self.assertIn(f"told to stop, after all vectors: {words}", reason)

    def test_how_to_end_is_its_own_affair(self):
        """A code, and the time that it takes, after which it is ended."""
        with mock.patch.object(long_lived, "STOP_SECONDS", 0.5):
            for behaviour in ("stop-exit-3@nothing", "stop-hang@nothing"):
                self.assertEqual(("accept", ""), self.answers(behaviour)["size-ok"])


class SaidTest(unittest.TestCase):
    def setUp(self):
        self.said = long_lived.Said()
        self.addCleanup(self.said.close)

    def say(self, text):
        os.write(self.said.writer, text)

    def take(self, meanwhile=b""):
        """What is new, which is done with then."""
        new = self.said.new()
        self.say(meanwhile)
        self.said.done_with(new)
        return new

    def test_what_is_said_while_an_answer_is_taken_is_new(self):
        self.say(b"one\n")
        self.assertEqual(b"one\n", self.take(meanwhile=b"two\n"))
        self.assertEqual(b"two\n", self.take())
        self.assertEqual(b"", self.take())

    def test_a_line_that_has_only_begun_is_new_with_its_end(self):
        self.say(b"one\nx.c:3:5: runt")
        self.take(meanwhile=b"ime error: two\n")
        self.assertEqual(b"x.c:3:5: runtime error: two\n", self.take())

    def test_a_line_without_end_is_not_kept_whole(self):
        self.say(b"." * 100000)
        self.take(meanwhile=b"x")
        self.assertEqual(b"." * long_lived.STDERR_TAIL + b"x", self.take())


if __name__ == "__main__":
    unittest.main()
