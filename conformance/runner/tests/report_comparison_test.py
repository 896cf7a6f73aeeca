# SPDX-License-Identifier: Apache-2.0
"""--compare: what got better or worse between two reports."""
import json
import unittest

from ..failure import FAILED, PASSED
from ..report_comparison import compare
from .reports_test import RUN, SUMMARY, result
from .runner_fixture import RunnerCase


class CompareTest(RunnerCase):
    def saved(self, name, verdicts, summary=SUMMARY, **run):
        """A report of results, a verdict or (verdict, detail) for each id."""
        rows = [(identifier, *([row, "why"] if isinstance(row, str) else row)) for identifier, row in verdicts.items()]
        lines = [{**RUN, **run}, *(result(identifier, verdict, detail=detail) for identifier, verdict, detail in rows)]
        return self.file(name, "".join(json.dumps(line) + "\n" for line in [*lines, *filter(None, [summary])]))

    def compared(self, old, new):
        return compare(self.saved("old", old), self.saved("new", new))

    def test_every_change(self):
        for was, now, kind in (("pass", "crash", "worse"), ("pass", "skip", "worse"), ("pass", "unsupported", "worse"),
                               ("skip", "crash", "worse"), ("unsupported", "wrong-value", "worse"),
                               ("crash", "pass", "better"), ("skip", "pass", "better"), ("crash", "hang", "changed"),
                               ("crash", "skip", "changed"), ("skip", "unsupported", "changed"),
                               (("crash", "a"), ("crash", "b"), "changed")):
            with self.subTest((was, now)):
                text, code = self.compared({"v": was}, {"v": now})
                self.assertIn(f"1 {kind}", text)
                self.assertIn(f"\n{kind}:\n  v: ", text)
                self.assertEqual(FAILED if kind == "worse" else PASSED, code)

    def test_no_change(self):
        text, code = self.compared({"v": "crash"}, {"v": "crash"})
        self.assertIn("0 worse, 0 better, 0 changed, 0 new, 0 gone\n", text)
        self.assertNotIn("  v: ", text)
        self.assertEqual(PASSED, code)

    def test_vectors_that_are_new_or_gone(self):
        text, code = self.compared({"a": "pass", "b": "pass"}, {"b": "pass", "c": "pass"})
        self.assertIn("1 new, 1 gone", text)
        self.assertIn("gone:\n  a: was pass\n", text)
        self.assertIn("new:\n  c: absent -> pass: why\n", text)
        self.assertEqual(PASSED, code)
        text, code = self.compared({}, {"c": "crash"})
        self.assertIn("1 worse", text)
        self.assertEqual(FAILED, code)

    def test_reports_that_were_cut_short(self):
        whole, cut = self.saved("whole", {"v": "pass"}), self.saved("cut", {"v": "pass"}, None)
        text, code = compare(cut, whole)
        self.assertIn("the old report was cut short", text)
        self.assertEqual(PASSED, code)
        text, code = compare(whole, cut)
        self.assertIn("the new report was cut short", text)
        self.assertEqual(FAILED, code)

    def test_runs_over_different_vectors(self):
        one, other = self.saved("one", {}), self.saved("other", {}, manifest_sha256="1" * 64)
        self.assertIn("the two runs had different vectors", compare(one, other)[0])
        self.assertNotIn("the two runs had different vectors", compare(one, one)[0])


if __name__ == "__main__":
    unittest.main()
