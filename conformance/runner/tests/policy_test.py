# SPDX-License-Identifier: Apache-2.0
"""The policy for vectors of verdict `either`."""
import unittest

from .. import policy
from ..failure import INPUT, USAGE, Failure
from .runner_fixture import RunnerCase

FLAGS = ("clock-rounding", "clock-type", "opaque-size")


class PolicyTest(RunnerCase):
    def load(self, text="", settings=()):
        return policy.load(self.file("policy", text) if text else None, settings, FLAGS)

    def test_default(self):
        self.assertEqual(dict.fromkeys(FLAGS, "any"), self.load())

    def test_lines_comments_and_globs(self):
        loaded = self.load("# all\n\nclock-* = accept # both\nopaque-size=reference\n")
        self.assertEqual({"clock-rounding": "accept", "clock-type": "accept", "opaque-size": "reference"}, loaded)
        loaded = self.load("clock-* = accept\nopaque-size=reference\nclock-type = reject\n")
        self.assertEqual({"clock-rounding": "accept", "clock-type": "reject", "opaque-size": "reference"}, loaded)

    def test_settings_override_the_file(self):
        self.assertEqual("reject", self.load("clock-type = accept\n", ("clock-type=reject",))["clock-type"])

    def test_glob_of_all_flags_may_match_none(self):
        self.assertEqual({}, policy.load(None, ("* = accept",), ()))
        with self.assertRaises(Failure) as caught:
            policy.load(None, ("x* = accept",), ())
        self.assertIn("there are none", str(caught.exception))

    def test_invalid_lines(self):
        for text, code, words in (("clock-type\n", INPUT, ":1: FLAG = any|accept|reject|reference expected"),
                                  ("\nclock-type = maybe\n", INPUT, ":2: "), ("clokc = any\n", INPUT, "no vector has the"),
                                  ("reject\n", INPUT, ":1: FLAG = ")):
            with self.subTest(text), self.assertRaises(Failure) as caught:
                self.load(text)
            self.assertEqual(code, caught.exception.code)
            self.assertIn(words, str(caught.exception))
        for setting in ("clock-type", "any"):
            with self.assertRaises(Failure) as caught:
                self.load(settings=(setting,))
            self.assertEqual(USAGE, caught.exception.code)

    def test_strictest_flag_counts(self):
        chosen = {"a": "accept", "b": "reference", "c": "any", "d": "reject"}
        for flags, value in (("ac", "accept"), ("ab", "reference"), ("c", "any"), ("ad", "reject"), ("bd", "reference"),
                             ("", "any")):
            self.assertEqual(value, policy.of_vector(chosen, {"flags": dict.fromkeys(flags, "")}))


if __name__ == "__main__":
    unittest.main()
