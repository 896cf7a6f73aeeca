# SPDX-License-Identifier: Apache-2.0
"""What scripts/fuzz-parser found in a parser, on the site."""
import json
import os
import shutil
import unittest

from ..failure import INPUT, USAGE, Failure
from .hostile_text import MARKDOWN_ONLY, PAYLOADS
from .html_fixture import difference
from .reports_test import jsonschema, validator
from .site_fixture import BATCH, CRASH, FOUND, FUZZED, LATER, SUMMARY, VALUE, SiteCase

class FuzzingTest(SiteCase):
    def built(self, records, **more):
        return self.build(self.saved("old reader"), "--fuzzed", self.state(records, **more))

    def test_page(self):
        self.assertEqual("", self.built(FOUND, data=b"\x00\xff"))
        page = self.page("fuzz/old-reader.html")
        self.assertIn("old reader 2.0 2 kinds of findings", page.text)
        self.assertIn("1,234 mutants · engine mutator · 60 s · 56 mutants touch open questions", page.text)
        self.assertLess(page.text.index("crash 1: a signal"), page.text.index("wrong-value 1: the right verdict"))
        self.assertIn("SIZ-001 80 bytes of 2,048 detail 1 Expected and actual", page.text)
        self.assertIn("event 3 at 0x60 size 32 48", page.text)
        self.assertIn("– 80 bytes of 2,048 detail 2 wrong-value", page.text)
        self.assertIn("crash-000000000002", page.ids)
        self.assertEqual(b"\x00\xff", self.files()["fuzz/old-reader/crash-000000000002.etl"])
        for link in page.links:
            if not link.startswith("http"):
                self.assertTrue(os.path.exists(os.path.join(self.site, "fuzz", link.partition("#")[0])), link)

    def test_page_of_the_parser(self):
        self.build(self.saved("old reader", "1.9"), self.saved("old reader", "2.0", LATER), "--fuzzed", self.state(FOUND))
        page = self.page("parser/old-reader.html")
        self.assertIn("Fuzzing 2 kinds of findings in 1,234 mutants", page.text)
        self.assertIn("../fuzz/old-reader.html", page.links)
        self.assertNotIn("Fuzzing", self.page("parser/old-reader/20260301T093000Z.html").text)

    def test_data(self):
        self.built(FOUND)
        data = json.loads(self.read("index.json"))
        self.assertEqual({"page": "fuzz/old-reader.html", "version": "2.0", "engine": "mutator", "mutants": 1234,
                          "counts": {"crash": 1, "wrong-value": 1}}, data["parsers"][0]["fuzzing"])
        if jsonschema:
            validator("site").validate(data)

    def test_the_last_line_of_a_finding_counts(self):
        long = {**VALUE, "size": 2048, "trimmed": False}
        self.built([FUZZED, long, {**BATCH, "mutants": 1}, VALUE, BATCH, SUMMARY])
        self.assertIn("1 kind of finding", self.page("fuzz/old-reader.html").text)
        self.assertIn("80 bytes of 2,048", self.page("fuzz/old-reader.html").text)

    def test_run_that_was_killed(self):
        self.built([FUZZED, VALUE, BATCH, '{"rec":"find'])
        text = self.page("fuzz/old-reader.html").text
        self.assertIn("1,234 mutants · engine mutator · 56 mutants", text)

    def test_time_of_a_resumed_run_is_not_shown(self):
        self.built([FUZZED, VALUE, BATCH, {**SUMMARY, "resumed": 1000}])
        self.assertNotIn("· 60 s", self.page("fuzz/old-reader.html").text)

    def test_run_without_findings(self):
        self.built([FUZZED, BATCH, SUMMARY])
        self.assertIn("0 kinds of findings", self.page("fuzz/old-reader.html").text)
        self.assertIn("no finding", self.page("parser/old-reader.html").text)

    def test_finding_that_does_not_repeat(self):
        self.built([FUZZED, {**VALUE, "repeats": False}, BATCH])
        self.assertIn("not repeated when run alone", self.page("fuzz/old-reader.html").text)

    def test_no_page_without_states(self):
        self.build(self.saved("old reader"))
        self.assertFalse([name for name in self.files() if name.startswith("fuzz/")])
        self.assertNotIn("Fuzzing", self.page("parser/old-reader.html").text)

    def test_hostile_texts(self):
        for name in PAYLOADS.keys() - MARKDOWN_ONLY - {"line"}:
            payload, left = PAYLOADS[name]
            with self.subTest(payload=name):
                shutil.rmtree(os.path.join(self.folder, "states"), ignore_errors=True)
                run = {**FUZZED, "engine": payload, "parser": {**FUZZED["parser"], "version": payload}}
                hostile = {**VALUE, "detail": payload, "rule": payload, "command": payload, "stderr": payload,
                           "differences": [difference(payload, payload, payload, {"a": payload}, payload)]}
                self.built([run, hostile, BATCH])
                text = self.read("fuzz/old-reader.html")
                self.assertTrue(left is None or left not in text)
                tags = {tag for tag, _ in self.page("fuzz/old-reader.html").tags}
                self.assertEqual(set(), tags & {"script", "img", "x"})

    def test_state_of_another_parser(self):
        self.state(FOUND)
        said = self.built([{**FUZZED, "parser": {"name": "Toy"}}, BATCH], name="toy")
        self.assertIn(os.path.join("states", "toy", "report.jsonl: no report is of Toy; there are old-reader"), said)

    def test_plain_run(self):
        self.state(FOUND)
        said = self.built([{**FUZZED, "parser": None}, CRASH, BATCH], name="plain")
        self.assertIn("plain/report.jsonl: skipped: a run with --plain names no parser", said)
        self.assertIn("2 kinds of findings", self.page("fuzz/old-reader.html").text)

    def refused(self, code, folder):
        with self.assertRaises(Failure) as caught:
            self.build(self.saved("old reader"), "--fuzzed", folder)
        self.assertEqual(code, caught.exception.code)
        self.assertFalse(os.path.exists(self.site))
        return str(caught.exception)

    def test_two_states_of_a_parser(self):
        self.state(FOUND)
        said = self.refused(USAGE, self.state(FOUND, name="second"))
        self.assertIn("is about old reader too; keep one of them", said)

    def test_folders_that_hold_no_state(self):
        self.assertIn("cannot read", self.refused(INPUT, os.path.join(self.folder, "none")))
        folder = self.state(FOUND)
        self.assertIn("give the folder that holds the states", self.refused(INPUT, os.path.join(folder, "old reader")))

    def test_file_of_a_finding_that_is_gone(self):
        folder = self.state(FOUND)
        os.remove(os.path.join(folder, "old reader", "findings", "crash-000000000002.etl"))
        self.assertIn("crash-000000000002.etl: cannot read", self.refused(INPUT, folder))

    def test_reports_that_are_wrong(self):
        """The schema and the code refuse the same lines."""
        check = validator("fuzzing") if jsonschema else None
        for record in FOUND:
            if check:
                check.validate(record)
        wrong = ((FUZZED, {"rec": "x"}), (FUZZED, {"version": 2}), (FUZZED, {"version": "1"}), (FUZZED, {"engine": 1}),
                 (FUZZED, {"parser": {"name": ""}}), (FUZZED, {"parser": {**FUZZED["parser"], "version": 1}}),
                 (FUZZED, {"parser": []}), (VALUE, {"rec": "x"}), (VALUE, {"verdict": "pass"}),
                 (VALUE, {"key": ["a", 1, "b", "c"]}), (VALUE, {"differences": ["x"]}), (VALUE, {"repeats": 1}),
                 (VALUE, {"size": -1}), (VALUE, {"size": "1"}), (VALUE, {"detail": None}), (VALUE, {"path": "/a/../b.etl"}),
                 (VALUE, {"path": "crash-000000000001.exe"}), (BATCH, {"mutants": True}), (SUMMARY, {"seconds": "1"}),
                 (SUMMARY, {"resumed": None}))
        for record, change in wrong:
            with self.subTest(change=change):
                changed = {**record, **change}
                folder = self.state([json.dumps(one) + "\n" for one in ([] if record is FUZZED else [FUZZED]) + [changed]])
                said = self.refused(INPUT, folder)
                self.assertIn(f"report.jsonl:{1 if record is FUZZED else 2}: not a report of scripts/fuzz-parser: ", said)
                self.assertFalse(check and check.is_valid(changed))
        for text in ("", "{\n", "[]\n", "[" * 100_000 + "\n"):
            self.assertIn("report.jsonl:", self.refused(INPUT, self.state([text])))


if __name__ == "__main__":
    unittest.main()
