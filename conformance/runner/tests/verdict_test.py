# SPDX-License-Identifier: Apache-2.0
"""One deliberately wrong parser for each verdict and each reason, one-shot and long-lived."""
import os
import sys
import time
import unittest

from .runner_fixture import FAKE, RunnerCase

# behaviour of the fake parser: (the vector it concerns, verdict, words of the detail)
BOTH_MODES = {
    "invert": ("size-ok", "wrong-reject", "a well-formed file was rejected"),
    "invert@size-bad": ("size-bad", "wrong-accept", "a file that breaks SIZ-001 was accepted"),
    "wrong-value": ("size-ok", "wrong-value", "event 0 at 72: pid is 5, expected 4"),
    "wrong-item": ("size-ok", "wrong-value", "items[0].data is ff, expected 0102"),
    "extra-event": ("size-ok", "wrong-value", "event 7 at 999 is not in the file"),
    "first-event-lost": ("size-ok", "silent-loss", "event 0 at 72 is missing and no finding reports it"),
    "lost-bytes": ("size-ok", "silent-loss", "4 bytes of the file are not accounted for"),
    "accept-and-lose@size-bad": ("size-bad", "silent-loss", "event 0 at 72 is missing"),
    "first-event-lost@size-bad": ("size-bad", "wrong-value", "event 0 at 72 is missing"),
    "last-event-lost@size-bad": ("size-bad", "wrong-value", "event 2 at 248 is missing"),
    "abort": ("size-ok", "crash", "signal 6 (SIGABRT)"),
    "exit-3": ("size-ok", "crash", "exit 3"),
    "asan": ("size-ok", "crash", "ERROR: AddressSanitizer: heap-buffer-overflow"),
    "ubsan": ("size-ok", "crash", "runtime error: shift exponent"),
    "no-end": ("size-ok", "crash", "protocol: no end record"),
    "two-ends": ("size-ok", "crash", "protocol: the end record comes last, found record 6 of 7"),
    "end-first": ("size-ok", "crash", "protocol: the end record comes last, found record 1 of 6"),
    "hang": ("size-ok", "hang", "no answer within 3 s"),
    "spin": ("size-ok", "hang", "more than 0.5 s of processor time"),
    "grow": ("size-ok", "oom", "the limit is 150 MiB"),
    "abort@clock-open": ("clock-open", "crash", "SIGABRT"),
}
ONE_SHOT = {
    "exit-0": ("size-ok", "crash", "no end record"),
    "not-json": ("size-ok", "crash", "protocol: line 1 is not JSON"),
}
LONG_LIVED = {
    "leave-child": ("size-ok", "crash", "ended: exit 3"),
    "exit-0": ("size-ok", "crash", "ended: exit 0"),
    "error": ("size-ok", "crash", "the adapter failed: the adapter lost its way"),
    "skip-false": ("size-ok", "crash", 'protocol: "skip" is a text, found False'),
    "error-false": ("size-ok", "crash", 'protocol: "error" is a text, found False'),
    "reason": ("size-ok", "wrong-reject", "a well-formed file was rejected: a Size of 0"),
    "reason-false": ("size-ok", "crash", 'protocol: "reason" is a text, found False'),
    "wrong-id": ("size-ok", "crash", 'protocol: an answer with "id":"size-ok" expected'),
}
# Only the limit under test is tight: on a busy machine everything else may be slow.
LIMITS = {"hang": ("--timeout", "3"), "spin": ("--timeout", "120", "--cpu", "0.5"), "grow": ("--memory", "150")}
EVERY = {"size-ok", "size-bad", "marker-ok", "clock-open"}


class VerdictTest(RunnerCase):
    def check(self, mode, behaviour, victim, verdict, detail):
        self.run_fake(behaviour, *LIMITS.get(behaviour, ()), mode=mode, code=1)
        result = self.results()[victim]
        self.assertEqual(verdict, result["verdict"], result)
        self.assertIn(detail, result["detail"])
        others = {identifier: "pass" for identifier in EVERY - {victim}}
        self.assertEqual({**others, victim: verdict}, self.verdicts())

    def test_wrong_parsers_one_shot(self):
        for behaviour, expected in {**BOTH_MODES, **ONE_SHOT}.items():
            with self.subTest(behaviour):
                self.check("one-shot", behaviour, *expected)

    def test_wrong_parsers_long_lived(self):
        for behaviour, expected in {**BOTH_MODES, **LONG_LIVED}.items():
            with self.subTest(behaviour):
                self.check("long-lived", behaviour, *expected)

    def test_right_parser_passes(self):
        for mode in ("one-shot", "long-lived"):
            with self.subTest(mode):
                self.run_fake("right", mode=mode)
                self.assertEqual(dict.fromkeys(EVERY, "pass"), self.verdicts())

    def test_parser_may_print_runtime_error(self):
        for mode in ("one-shot", "long-lived"):
            self.run_fake("complain", mode=mode)
            self.assertEqual(dict.fromkeys(EVERY, "pass"), self.verdicts())

    def test_null_counts_as_absent(self):
        self.run_fake("nulls", mode="long-lived")
        self.assertEqual(dict.fromkeys(EVERY, "pass"), self.verdicts())

    def test_each_of_several_vectors_that_kill_a_process_is_found(self):
        self.run_fake("abort", mode="long-lived", code=1)
        self.run_fake("abort", "-j", "1", mode="long-lived", code=1)
        self.assertEqual({**dict.fromkeys(EVERY, "pass"), "size-ok": "crash"}, self.verdicts())

    def test_skip_is_no_failure_and_keeps_its_reason(self):
        self.run_fake("skip", mode="long-lived")
        result = self.results()["size-ok"]
        self.assertEqual(("skip", "no such form, https://example.org/7"), (result["verdict"], result["detail"]))

    def test_vector_that_cannot_be_judged_is_unsupported(self):
        self.run_fake("nothing")
        self.assertEqual({"size-ok": "unsupported", "marker-ok": "unsupported", "size-bad": "pass", "clock-open": "pass"},
                         self.verdicts())

    def test_parser_that_reports_only_events_is_judged_by_them(self):
        self.run_fake("events-only")
        self.assertEqual(dict.fromkeys(EVERY, "pass"), self.verdicts())

    def test_reject_status_of_its_own(self):
        self.run_fake("reject-7")
        self.assertEqual(dict.fromkeys(EVERY, "pass"), self.verdicts())

    def test_level_must_ignores_recommended_records(self):
        self.run_fake("last-event-lost@size-bad", "--level", "must")
        self.assertEqual({"size-ok": "pass", "size-bad": "pass", "clock-open": "pass"}, self.verdicts())
        self.run_fake("first-event-lost@size-bad", "--level", "must", code=1)

    def test_misspelt_field_is_reported(self):
        _, err = self.run_fake("misspelt")
        self.assertIn("the description declares event.timestmp, which no vector has", err)
        self.assertIn('the description declares event.items, but no "item": these are not compared', err)

    def test_children_of_a_parser_die_with_it(self):
        path = os.path.join(self.folder, "child")
        command = (sys.executable, FAKE, "hang-with-child", path, "{file}")
        self.run_raw("--no-confine", "--timeout", "1", "--filter", "size-ok", "--", *command, code=1)
        self.assertEqual({"size-ok": "hang"}, self.verdicts())
        with open(path, encoding="ascii") as file:
            child = int(file.read())
        self.assertTrue(self.has_died(child))

    @staticmethod
    def has_died(pid):
        for _ in range(100):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    if file.read().rpartition(")")[2].split()[0] == "Z":
                        return True
            except OSError:
                return True
            time.sleep(0.02)
        return False


if __name__ == "__main__":
    unittest.main()
