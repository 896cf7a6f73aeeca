# SPDX-License-Identifier: Apache-2.0
"""The views of a report, and the schemas of all files."""
import copy
import json
import os
import tempfile
import unittest
import warnings
import xml.etree.ElementTree as ElementTree
from unittest import mock

try:
    import jsonschema
except ImportError:  # jsonschema is installed for another Python
    jsonschema = None

from .. import (columns, report_comparison, report_html, report_jsonl, report_junit, report_markdown, report_text,
                vectors)
from ..failure import OUTPUT, Failure
from ..parser_under_test import START, STOP, Answer, run_request
from .html_fixture import Vectors
from .hostile_text import NOTICED, OUTPUTS, PAYLOADS, UNESCAPED, leaks
from .report_fixture import RESULTS, RUN, SUMMARY, result
from .runner_fixture import ALL, RunnerCase, default_vectors, event, structure, vector

CONFORMANCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMAS = os.path.join(CONFORMANCE, "schema")


class ViewTest(unittest.TestCase):
    def test_junit(self):
        text = report_junit.write(RUN, RESULTS, SUMMARY, None)
        root = ElementTree.fromstring(text.encode("utf-8", "backslashreplace"))
        suites = {suite.get("name"): suite for suite in root}
        size = suites["size"]
        self.assertEqual(("5", "1", "1", "2"), tuple(size.get(name) for name in ("tests", "failures", "errors", "skipped")))
        self.assertEqual("p|q <b>: 1 of 4 applicable", root.get("name"))
        properties, *cases = size
        self.assertEqual({"passed": "1", "applicable": "4"}, {one.get("name"): one.get("value") for one in properties})
        kinds = {case.get("name"): [child.tag for child in case] for case in cases}
        self.assertEqual({"a": [], "b": ["failure"], "c": ["error"], "d": ["skipped"], "e": ["skipped"]}, kinds)
        self.assertEqual("1", suites["known failures"].get("failures"))
        self.assertEqual("size.SIZ-001", cases[0].get("classname"))

    def test_markdown(self):
        text = report_markdown.write(RUN, RESULTS, SUMMARY, None)
        self.assertIn("**1 of 4 applicable**, 5 vectors, ", text)
        self.assertIn("| group | vectors | applicable | pass | wrong-value | crash | hang | skip |", text)
        self.assertIn("| size | 5 | 4 | 1 | 1 | 1 | 1 | 1 |", text)
        self.assertIn("### SIZ-001: 1 wrong-value, 1 crash\n\nSize is at least the size of the header", text)
        self.assertIn("what \\| &#60;happened>", text)
        self.assertIn("| e | hang | https://x/1 |", text)
        self.assertIn("- z crash SIZ-001 u", text)

    def test_text(self):
        text = report_text.write(RUN, RESULTS, SUMMARY, None)
        self.assertIn(r"  - event 2 at 72: pid is \ud800, expected 4", text)
        self.assertIn("e: hang (known: https://x/1)", text)
        self.assertIn("known failure that no longer fails: z crash", text)
        self.assertIn("d: skip: ", text)
        self.assertNotIn("e: hang", report_text.summary_text(RUN, RESULTS, SUMMARY, "folder"))
        self.assertIn("p|q <b>: 1 of 4 applicable, 5 vectors in 1.0 s\n", text)

    def test_failures_by_rule_are_sorted_by_number(self):
        rules = ("SIZ-002", "TYP-001", "TYP-001", "SIZ-001", "X-1", "X-1")
        results = [result(str(number), "crash", rule=rule) for number, rule in enumerate(rules)]
        self.assertEqual(["TYP-001", "X-1", "SIZ-001", "SIZ-002"], [rule for rule, _ in report_text.by_rule(results)])
        lines = report_text.write(RUN, results, SUMMARY, None).split("\n")
        heads = [line for line in lines if " failed (" in line]
        self.assertEqual(["TYP-001", "X-1", "SIZ-001", "SIZ-002"], [line.split()[0] for line in heads])
        self.assertIn(": " + report_text.rule_texts()["TYP-001"], heads[0])
        self.assertIn(": t & <t>", heads[1])  # the title of a vector where the rule has no text

    def test_parser_that_was_asked_nothing_has_no_score(self):
        results = [result("a", "unsupported"), result("b", "skip")]
        for view in (report_text, report_markdown):
            self.assertIn("no score: no vector is applicable", view.write(RUN, results, SUMMARY, None))
        self.assertIn("no score", report_junit.write(RUN, results, SUMMARY, None))
        self.assertEqual((0, 0), columns.score(results))
        self.assertEqual((1, 4), columns.score(RESULTS))


class HostileTextTest(unittest.TestCase):
    """No text of a parser harms who reads an output of the runner."""

    def test_nothing_harmful_reaches_an_output(self):
        for output, (_, harmless) in OUTPUTS.items():
            for payload in PAYLOADS.keys() - harmless:
                with self.subTest(output=output, payload=payload):
                    self.assertFalse(leaks(payload, output))

    def test_every_payload_is_noticed_where_it_is_not_escaped(self):
        for output, unescaped in UNESCAPED.items():
            with unescaped:
                noticed = {payload for payload in PAYLOADS if leaks(payload, output)}
            self.assertLessEqual(NOTICED[output], noticed, output)

    def test_junit_is_well_formed(self):
        for payload, _ in PAYLOADS.values():
            ElementTree.fromstring(OUTPUTS["report.xml"][0](payload))

    def test_length_is_bounded(self):
        """A long text is shown once or a few times, wherever it comes from."""
        for output, (shown, _) in OUTPUTS.items():
            self.assertLess(len(shown("x" * 100_000)), 1_500_000, output)


class ColumnTest(RunnerCase):
    """A row in columns.COLUMNS is all that a new column takes."""

    def setUp(self):
        super().setUp()
        column = columns.Column("source", {"type": "string"}, lambda case: case.vector["source"], compared=True,
                                label="Source")
        others = [each for each in columns.COLUMNS if not each.label]
        self.enterContext(mock.patch.object(columns, "COLUMNS", (*others, column)))
        self.results = [result("a", "wrong-value", source="a <book>"), result("b", "pass", source="none")]

    def test_schema(self):
        self.assertIn('"source": {\n      "type": "string"\n    }', columns.schema_text())

    def test_result_line(self):
        case = columns.Case(default_vectors()[0], Answer("accept"), "pass", "", [], "run x")
        self.assertEqual("made up", columns.result(case)["source"])
        self.assertNotIn("stderr", columns.result(case))

    def test_views_list_it(self):
        for module, line in ((report_text, "  Source: a <book>\n"), (report_markdown, "| a &#60;book> |\n"),
                             (report_junit, "\nSource: a &lt;book&gt;\n"), (report_html, '"columns":["Source"]')):
            self.assertIn(line, module.write(RUN, self.results, SUMMARY, Vectors([])), module.__name__)

    def test_compare_reports_it(self):
        old, new = (report_jsonl.Report(RUN, [result("a", "pass", source=source)], SUMMARY) for source in "xy")
        with mock.patch.object(report_jsonl, "load", side_effect=[old, new]):
            self.assertIn("1 changed", report_comparison.compare("old", "new")[0])


class LoadTest(RunnerCase):
    """Reports come from others; a value of another kind must not reach the views."""

    def test_values_of_the_wrong_kind(self):
        for member, value in (("id", 1), ("verdict", "good"), ("verdict", []), ("differences", {}), ("offset", 8),
                              ("seconds", "1"), ("stderr", None)):
            lines = [json.dumps(record) for record in (RUN, RESULTS[0], {**RESULTS[1], member: value})]
            path = self.file("report.jsonl", "\n".join(lines) + "\n")
            with self.assertRaises(Failure) as caught:
                report_jsonl.load(path)
            self.assertEqual(f'{path}:3: not a report: unexpected value of "{member}"', str(caught.exception))


class GeneratedSchemaTest(unittest.TestCase):
    def test_schema_matches_the_table(self):
        with open(columns.SCHEMA, encoding="utf-8") as file:
            self.assertEqual(columns.schema_text(), file.read(), "stale: run conformance/rebuild --write")


def validator(name, part=None):
    store = {}
    for file_name in os.listdir(SCHEMAS):
        with open(os.path.join(SCHEMAS, file_name), encoding="utf-8") as file:
            store[file_name] = json.load(file)
    schema = store[name + ".schema.json"]
    jsonschema.Draft202012Validator.check_schema(schema)
    with warnings.catch_warnings():
        # Its replacement is missing in the jsonschema of Debian 12.
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(name + ".schema.json", schema, store=store)
    return jsonschema.Draft202012Validator({"$ref": f"{name}.schema.json#{part or ''}"}, resolver=resolver)


def without_seen(one, seen):
    """The vector without records and regions that were seen before."""
    for part in one.keys() & {"expect", "regions"}:
        texts = [json.dumps(element) for element in one[part]]
        one[part] = [element for element, text in zip(one[part], texts) if (part, text) not in seen]
        seen.update((part, text) for text in texts)
    return one


@unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
class FullDiskTest(unittest.TestCase):
    def test_message_names_the_file(self):
        """Also if the write fails again when the file is closed."""
        with tempfile.TemporaryDirectory() as folder:
            writer = report_jsonl.Writer(folder, RUN)
            writer.open([])
            writer.close()
            writer._file = open("/dev/full", "ab")
            for write in (lambda: writer.add(RESULTS[0]), writer.close):
                with self.assertRaises(Failure) as caught:
                    write()
                self.assertEqual((OUTPUT, f"{writer.path}: cannot write: No space left on device"),
                                 (caught.exception.code, str(caught.exception)))


@unittest.skipUnless(jsonschema, "needs jsonschema (Debian: python3-jsonschema)")
class SchemaTest(RunnerCase):
    def test_report_of_a_run(self):
        self.run_fake("wrong-value", code=1)
        check = validator("report")
        lines = self.read_report()
        for record in lines:
            check.validate(record)
        for record in lines:
            for name in record:
                broken = {key: value for key, value in record.items() if key != name}
                self.assertEqual(name == "stderr", check.is_valid(broken), name)
            self.assertFalse(check.is_valid({**record, "more": 1}))

    def test_report_of_unexpected_records(self):
        member = {"rec": "member", "name": "RefCount", "offset": "16", "size": 4, "value": "3"}
        self.write_golden([*default_vectors(), structure("layout-ok", "accept", [member])])
        check = validator("report")
        for behaviour in ("members-wrong@layout-ok", "event-nowhere"):
            self.run_fake(behaviour, mode="long-lived", code=1)
            for record in self.read_report():
                check.validate(record)

    def test_every_view_is_written(self):
        self.run_fake("wrong-value", code=1)
        written = sorted(os.listdir(self.report))
        self.assertEqual(["report.html", "report.jsonl", "report.md", "report.txt", "report.xml"], written)
        for name in written:
            with open(os.path.join(self.report, name), encoding="utf-8") as file:
                self.assertIn("size-ok", file.read(), name)

    def test_vectors(self):
        check = validator("vector")
        good = dict(default_vectors()[1], size=64, sha256="0" * 64)
        check.validate(good)
        check.validate(dict(default_vectors()[3], size=64, sha256="0" * 64))
        for change in ({"verdict": "either"}, {"flags": {"x": "y"}}, {"level": "may"}, {"offset": 160}, {"rule": "X"},
                       {"expect": [{"rec": "evnt"}]}, {"expect": [dict(event(0, 72), offset=72)]}, {"more": 1}):
            self.assertFalse(check.is_valid({**good, **change}), change)

    def test_golden_vectors(self):
        """Equal records and regions are checked once; that leaves one in nine."""
        golden = os.path.join(CONFORMANCE, "golden")
        check, seen = validator("vector"), set()
        for path in vectors.find_lines(golden):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    check.validate(without_seen(json.loads(line), seen))

    def test_protocol(self):
        check = validator("protocol")
        one = dict(vector("a", "g", "SIZ-001", "accept", []), path="p")
        good = [START, STOP, run_request(one), '{"id":"a","verdict":"accept"}', '{"id":"a","error":"e"}',
                '{"id":"a","skip":"s"}', '{"id":"a","records":[{"rec":"end"}],"verdict":"reject"}',
                '{"ready":true,"name":"p","records":{}}']
        for text in good:
            check.validate(json.loads(text))
        for text in ('{"cmd":"run"}', '{"cmd":"go"}', '{"id":"a"}', '{"id":"a","verdict":"maybe"}',
                     '{"name":"p","records":{}}', '{"id":"a","records":{},"verdict":"accept"}', "[]"):
            self.assertFalse(check.is_valid(json.loads(text)), text)

    def test_descriptions(self):
        check = validator("description")
        good = {"name": "p", "records": ALL, "order": "time", "reject": [1, 2], "verdict": False}
        check.validate(good)
        for change in ({"name": ""}, {"order": "x"}, {"reject": [0]}, {"verdict": 1}, {"records": {"evnt": []}},
                       {"records": {"event": "pid"}}):
            self.assertFalse(check.is_valid({**copy.deepcopy(good), **change}), change)

    def test_adapters_of_the_tree(self):
        check = validator("adapter")
        adapters = os.path.join(CONFORMANCE, "adapters")
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(adapters) for name in names
                 if name.endswith(".json")]
        self.assertLess(4, len(paths))
        for path in paths:
            with open(path, encoding="utf-8") as file:
                check.validate(json.load(file))


if __name__ == "__main__":
    unittest.main()
