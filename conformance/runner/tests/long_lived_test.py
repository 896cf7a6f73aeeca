# SPDX-License-Identifier: Apache-2.0
"""Long-lived parsers that break the protocol."""
import os
import sys
import time
import unittest
from unittest import mock

from .. import long_lived
from ..limits import Children, Limits, unenforced
from ..parser_under_test import Parser
from .runner_fixture import ALL, FAKE, RunnerCase

WIDE = Limits(wall=100.0, cpu=100.0)


class WorkerTest(RunnerCase):
    def answers(self, behaviour, limits=WIDE, vectors=None):
        """The last (outcome, reason) by id."""
        parser = Parser([sys.executable, FAKE, behaviour], "long-lived", {"name": "fake", "records": ALL})
        left = iter(vectors or [self.vector(name, name) for name in ("size-bad", "size-ok")])
        given = {}
        long_lived.Worker(parser, limits, Children(), lambda: next(left, None),
                          lambda vector, answer: given.update({vector["id"]: (answer.outcome, answer.reason)})).run()
        return given

    def vector(self, identifier, name):
        return {"id": identifier, "path": f"{self.golden}/size/{name}.etl"}

    def test_parser_that_prints_without_a_pause_hangs(self):
        # A busy machine makes pauses: none is as long as this.
        with mock.patch.object(long_lived, "SAMPLE", 0.5):
            self.assertEqual({"size-bad": ("reject", ""), "size-ok": ("hang", "no answer within 2 s")},
                             self.answers("drip", Limits(wall=2.0, cpu=100.0)))

    @unittest.skipIf("memory" in unenforced(), "memory cannot be watched here")
    def test_memory_of_a_parser_that_answers_without_a_pause(self):
        """Each pause is shorter than the time between two checks, all of them together are longer."""
        many = [self.vector(str(number), "size-ok") for number in range(100)]
        with mock.patch.object(long_lived, "SAMPLE", 0.2):
            outcomes = self.answers("keep-more", Limits(wall=100.0, cpu=100.0, memory=80 << 20), many).values()
        self.assertEqual({"accept", "oom"}, {outcome for outcome, _ in outcomes})

    def test_second_answer_does_not_count_for_the_next_vector(self):
        twice = ("crash", "protocol: answered twice")
        self.assertEqual({"size-bad": twice, "size-ok": ("accept", "")}, self.answers("twice@size-bad"))
        self.assertEqual({"size-bad": ("reject", ""), "size-ok": twice}, self.answers("twice@size-ok"))

    def test_sanitizer_report_takes_precedence_over_a_wrong_answer(self):
        """The report explains the answer."""
        outcome, reason = self.answers("ubsan-wrong-id")["size-ok"]
        self.assertEqual("crash", outcome)
        self.assertIn("shift exponent 64 is too large", reason)

    def test_sanitizer_report_during_the_previous_answer_is_kept(self):
        taken = long_lived._to_answer

        def slowly(*answer):
            time.sleep(0.5)
            return taken(*answer)

        with mock.patch.object(long_lived, "_to_answer", slowly):
            outcome, reason = self.answers("ubsan")["size-ok"]
        self.assertEqual("crash", outcome)
        self.assertIn("shift exponent 64 is too large", reason)

    def test_last_words_written_before_the_previous_answer_is_read_are_kept(self):
        """Standard error does not tell which of two requests the process was at."""
        taken = long_lived.StderrFile.new

        def slowly(stderr):
            time.sleep(0.5)
            return taken(stderr)

        with mock.patch.object(long_lived.StderrFile, "new", slowly):
            outcome, reason = self.answers("raise")["size-ok"]
        self.assertEqual("crash", outcome)
        self.assertIn("uncaught KeyError", reason)

    def test_endless_standard_error_is_stopped(self):
        with mock.patch.object(long_lived, "STDERR_MAX", 8 << 20):
            self.assertEqual(("crash", "protocol: printed more than 8 MiB on standard error"),
                             self.answers("chatter")["size-ok"])

    def test_death_at_stop_counts_for_the_last_vector(self):
        for behaviour, words in (("stop-abort", "signal 6 (SIGABRT)"), ("stop-asan", "==12==ERROR: AddressSanitizer: ")):
            outcome, reason = self.answers(behaviour + "@nothing")["size-ok"]
            self.assertEqual("crash", outcome)
            self.assertIn(f"told to stop, after all vectors: {words}", reason)

    def test_exit_status_and_time_after_stop_do_not_matter(self):
        """The process is killed after STOP_SECONDS."""
        with mock.patch.object(long_lived, "STOP_SECONDS", 0.5):
            for behaviour in ("stop-exit-3@nothing", "stop-hang@nothing"):
                self.assertEqual(("accept", ""), self.answers(behaviour)["size-ok"])


class StderrFileTest(unittest.TestCase):
    def setUp(self):
        self.stderr = long_lived.StderrFile()
        self.addCleanup(self.stderr.close)

    def write(self, text):
        os.write(self.stderr.writer, text)

    def take(self, meanwhile=b""):
        """The new bytes; marks them as read, after `meanwhile` was written."""
        new = self.stderr.new()
        self.write(meanwhile)
        self.stderr.done_with(new)
        return new

    def test_text_written_while_an_answer_is_read_is_new(self):
        self.write(b"one\n")
        self.assertEqual(b"one\n", self.take(meanwhile=b"two\n"))
        self.assertEqual(b"two\n", self.take())
        self.assertEqual(b"", self.take())

    def test_unfinished_line_is_new_with_its_end(self):
        self.write(b"one\nx.c:3:5: runt")
        self.take(meanwhile=b"ime error: two\n")
        self.assertEqual(b"x.c:3:5: runtime error: two\n", self.take())

    def test_endless_line_is_not_kept_whole(self):
        self.write(b"." * 100000)
        self.take(meanwhile=b"x")
        self.assertEqual(b"." * long_lived.EXCERPT + b"x", self.take())


if __name__ == "__main__":
    unittest.main()
