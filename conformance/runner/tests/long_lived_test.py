# SPDX-License-Identifier: Apache-2.0
"""A process that stays, and does not keep to what it is asked."""
import sys
import unittest
from unittest import mock

from .. import long_lived
from ..adapter import Parser
from ..limits import Children, Limits, unenforced
from .fixture import ALL, FAKE, RunnerCase

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


if __name__ == "__main__":
    unittest.main()
