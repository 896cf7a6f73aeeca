# SPDX-License-Identifier: Apache-2.0
"""Structures in memory: which parsers are run on them, and how members are compared."""
import copy
import json
import shlex
import sys
import unittest
from unittest import mock

from ..byte_windows import Annotated, Mark
from ..memory_structure import compare, leaves, records_of
from ..parser_under_test import ALL, Answer, words_of
from ..record_comparison import Comparison
from ..tables import load_tables
from ..verdict import Judge, difference_text
from .runner_fixture import FAKE, RunnerCase, default_vectors, finding, structure

MEMBERS = [
    {"rec": "member", "name": "RefCount", "offset": "16", "size": 4, "value": "3"},
    {"rec": "member", "name": "List", "offset": "24", "size": 16, "parts": [
        {"name": "Flink", "offset": "24", "size": 8, "value": "0xffff800000000000"},
        {"name": "Blink", "offset": "32", "size": 8, "value": "0xffff800000000008"}]},
    {"rec": "member", "name": "Info", "offset": "40", "size": 4, "elements": [
        {"offset": "40", "size": 2, "parts": [{"name": "Level", "offset": "40", "size": 1, "value": "4"},
                                              {"name": "Kind", "offset": "41", "size": 1, "value": "5"}]},
        {"offset": "42", "size": 2, "parts": [{"name": "Level", "offset": "42", "size": 1, "value": "6"},
                                              {"name": "Kind", "offset": "43", "size": 1, "missing": 1}]}]},
    {"rec": "member", "name": "Lock", "offset": "48", "size": 8, "raw": "0001020304050607"},
    {"rec": "member", "name": "Flags", "offset": "56", "size": 4, "value": "5",
     "bits": [{"name": "One", "value": 1}, {"name": "Index", "value": 2}]}]


def differences(actual, fields=ALL, expected=None):
    found = Comparison()
    compare(MEMBERS if expected is None else expected, records_of(actual), fields, found)
    return [difference_text(difference) for difference in found.differences]


class LeavesTest(unittest.TestCase):
    def test_paths(self):
        self.assertEqual(["RefCount", "List.Flink", "List.Blink", "Info[0].Level", "Info[0].Kind", "Info[1].Level",
                          "Info[1].Kind", "Lock", "Flags"], [path for path, _ in leaves(MEMBERS)])

    def test_any_output_is_accepted(self):
        """The runner survives any record."""
        deep = {"rec": "member", "name": []}
        for _ in range(200):
            deep = {"rec": "member", "name": "x", "parts": [deep, 1, None]}
        for record in (deep, {"rec": "member"}, {"members": [1, {"name": {}}]}, {"members": 7, "findings": 7},
                       {"rec": "member", "name": "Flags", "offset": [], "bits": [{"name": []}, 7, "One"]}):
            self.assertTrue(differences([record]))


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.actual = copy.deepcopy(MEMBERS)

    def test_equal(self):
        self.assertEqual([], differences(self.actual))

    def test_numbers_in_other_spellings(self):
        self.actual[0].update(value=3, offset=16)
        self.actual[1]["parts"][0]["value"] = 0xffff800000000000
        self.assertEqual([], differences(self.actual))

    def test_members_by_their_other_name(self):
        """Only by the `other_name` of that member in the vector."""
        expected = copy.deepcopy(MEMBERS)
        expected[0]["other_name"] = "RefCnt"
        self.assertEqual([], differences(self.actual, expected=expected))
        self.actual[0]["name"] = "RefCnt"
        self.assertEqual([], differences(self.actual, expected=expected))
        self.assertEqual(1, len(differences(self.actual)))
        self.actual[0]["value"] = "4"
        self.assertEqual(["member at 16: RefCount.value is 4, expected 3"], differences(self.actual, expected=expected))
        self.actual[0]["name"] = "Refs"
        self.assertEqual(1, len(differences(self.actual, expected=expected)))

    def test_value(self):
        self.actual[2]["elements"][1]["parts"][0]["value"] = "7"
        self.assertEqual(["member at 42: Info[1].Level.value is 7, expected 6"], differences(self.actual))

    def test_offset(self):
        self.actual[0]["offset"] = "20"
        self.assertEqual(["member at 16: RefCount.offset is 20, expected 16"], differences(self.actual))

    def test_bytes(self):
        self.actual[3]["raw"] = "0001020304050608"
        self.assertEqual(["member at 48: Lock.raw is 0001020304050608, expected 0001020304050607"],
                         differences(self.actual))

    def test_only_declared_fields_are_compared(self):
        self.actual[0].update(size=8, value="3")
        del self.actual[4]["bits"]
        self.assertEqual([], differences(self.actual, {"offset", "value"}))
        self.assertEqual(["member at 16: RefCount.size is 8, expected 4"], differences(self.actual, {"size"}))

    def test_missing_member(self):
        del self.actual[1]
        self.assertEqual(["member at 24 is missing", "member at 32 is missing"], differences(self.actual))

    def test_extra_members_and_fields_are_ignored(self):
        self.actual.append({"rec": "member", "name": "(padding)", "offset": "60", "size": 4, "raw": "00000000"})
        self.actual[0].update(type="LONG", address="x", raw="03000000")
        self.actual[3]["value"] = "506097522914230528"
        self.assertEqual([], differences(self.actual))

    def test_value_of_a_missing_member(self):
        self.actual[2]["elements"][1]["parts"][1]["value"] = "0"
        self.assertEqual(["member at 43: Info[1].Kind.value is 0, expected absent"], differences(self.actual))

    def test_bits(self):
        flags = self.actual[4]
        for bits, right in (([{"name": "One", "mask": "0x1", "value": 1}, {"name": "Index", "value": 2}], True),
                            (["One", "Index"], True), (["Index", "One"], True), (["One"], False), ([], False),
                            (["One", "Index", "Two"], False), ([{"name": "One"}, {"name": "Index", "value": 3}], False),
                            ("One Index", False), (None, False)):
            flags["bits"] = bits
            self.assertEqual(right, differences(self.actual) == [], bits)

    def test_one_object(self):
        """One object, as etlproof prints it. Of two members of equal name, the one that is taken counts."""
        members = [{name: value for name, value in member.items() if name != "rec"} for member in self.actual]
        other = {"name": "RefCount", "offset": "20", "size": 8, "value": "9", "taken": False}
        gap = {"name": "(padding)", "offset": "60", "size": 4, "padding": True}
        whole = {"structure": "X", "members": [other, *members, gap], "findings": [{"rule": "LAY-004", "offset": "16"}]}
        self.assertEqual([], differences([whole]))
        self.assertIn({"rec": "finding", "rule": "LAY-004", "offset": "16"}, records_of([whole]))
        members[0]["value"] = "4"
        self.assertEqual(["member at 16: RefCount.value is 4, expected 3"], differences([whole]))

    def test_member_at_the_expected_offset_counts(self):
        self.actual.insert(0, {"rec": "member", "name": "RefCount", "offset": "20", "size": 4, "value": "9"})
        self.assertEqual([], differences(self.actual))


class FakeMembers:
    """The parts of a parser that a Judge needs."""
    def __init__(self, records):
        self.description = {"name": "x", "records": records}

    def reproduce(self, _vector):
        return ""


class JudgeTest(unittest.TestCase):
    def verdict(self, vector, answer):
        parser = FakeMembers({"member": ["*"], "finding": ["rule", "offset"], "end": ["*"]})
        return Judge(parser, {}, {}, "should").result(vector, answer)["verdict"]

    def test_findings(self):
        vector = structure("bad", "reject", MEMBERS, [finding("LAY-003", 24)])
        right = [*MEMBERS, finding("LAY-003", 24)]
        self.assertEqual("pass", self.verdict(vector, Answer("reject", records=right)))
        self.assertEqual("wrong-value", self.verdict(vector, Answer("reject", records=MEMBERS)))
        self.assertEqual("wrong-value", self.verdict(vector, Answer("reject", records=[*MEMBERS, finding("LAY-003", 32)])))
        self.assertEqual("wrong-accept", self.verdict(vector, Answer("accept", records=right)))

    def test_extra_findings(self):
        vector = structure("good", "accept", MEMBERS)
        self.assertEqual("pass", self.verdict(vector, Answer("accept", records=MEMBERS)))
        self.assertEqual("wrong-value", self.verdict(vector, Answer("accept", records=[*MEMBERS, finding("LAY-003", 24)])))
        self.assertEqual("wrong-reject", self.verdict(vector, Answer("reject", records=MEMBERS)))


class AnnotateTest(unittest.TestCase):
    def test_members_are_named(self):
        annotated = Annotated(structure("one", "accept", MEMBERS), bytes(range(64)), load_tables())
        window, = annotated.windows([Mark("fault", 42, None)], 1)
        self.assertEqual(["fault", 42, 1, "ETW_GUID_ENTRY · Info[1].Level", "0x2a"], window["marks"][0])


class RunTest(RunnerCase):
    """Which parsers are run: for a parser of traces, the vectors are unsupported."""

    LAYOUT = shlex.join([sys.executable, FAKE, "members"]) + " {structure} {windows} {arch} {file}"

    def setUp(self):
        super().setUp()
        self.write_golden([*default_vectors()[:2], structure("layout-ok", "accept", MEMBERS),
                           structure("layout-bad", "reject", MEMBERS, [finding("LAY-003", 24)])])

    def layout_verdicts(self):
        verdicts = self.verdicts()
        self.assertEqual({"pass"}, {verdicts["size-ok"], verdicts["size-bad"]})
        return verdicts["layout-ok"], verdicts["layout-bad"]

    def test_parser_of_traces(self):
        for mode in ("one-shot", "long-lived"):
            self.run_fake("right", mode=mode)
            self.assertEqual(("unsupported", "unsupported"), self.layout_verdicts())
        self.assertIn("structures in memory", self.results()["layout-ok"]["detail"])

    def test_one_shot(self):
        self.run_fake("members", "--layout", self.LAYOUT)
        self.assertEqual(("pass", "pass"), self.layout_verdicts())

    def test_one_shot_without_a_command(self):
        self.run_fake("members")
        self.assertEqual(("unsupported", "unsupported"), self.layout_verdicts())

    def test_command_without_the_declaration(self):
        _, err = self.run_fake("right", "--layout", self.LAYOUT)
        self.assertIn("declares no \"member\"", err)
        self.assertEqual(("unsupported", "unsupported"), self.layout_verdicts())

    def test_placeholders_of_the_command(self):
        self.run_fake("members", "--layout", self.LAYOUT.replace("{arch}", "x86"), code=1)
        self.assertEqual(("crash", "crash"), self.layout_verdicts())

    def test_invalid_command(self):
        for command in ("cmd '{file}", ""):
            _, err = self.run_fake("members", "--layout", command, code=64)
            self.assertIn("--layout: a command expected", err)

    def test_command_on_windows(self):
        text = r'C:\bin\read.exe "D:\my files\x" --as="a b" {file}'
        with mock.patch.object(sys, "platform", "win32"):
            self.assertEqual([r"C:\bin\read.exe", r"D:\my files\x", "--as=a b", "{file}"], words_of("--layout", text))

    def test_long_lived(self):
        self.run_fake("members", mode="long-lived")
        self.assertEqual(("pass", "pass"), self.layout_verdicts())
        self.assertIn('"structure": "ETW_GUID_ENTRY"', self.results()["layout-ok"]["command"])

    def test_wrong_value(self):
        layout = self.LAYOUT.replace("members", "members-wrong@layout-ok")
        self.run_fake("members", "--layout", layout, code=1)
        self.assertEqual(("wrong-value", "pass"), self.layout_verdicts())
        self.assertIn("RefCount.value is 99, expected 3", self.results()["layout-ok"]["detail"])

    def test_command_of_an_adapter(self):
        adapter = self.file("adapter.json", json.dumps(
            {"name": "fake", "command": [sys.executable, FAKE, "members", "{file}"],
             "layout": [sys.executable, FAKE, "members", "{structure}", "{windows}", "{arch}", "{file}"]}))
        self.run_raw("--adapter", adapter, code=0)
        self.assertEqual(("pass", "pass"), self.layout_verdicts())

    def test_option_overrides_the_adapter(self):
        adapter = self.file("adapter.json", json.dumps(
            {"name": "fake", "command": [sys.executable, FAKE, "members", "{file}"], "layout": ["/none"]}))
        self.run_raw("--adapter", adapter, "--layout", self.LAYOUT, code=0)
        self.assertEqual(("pass", "pass"), self.layout_verdicts())


if __name__ == "__main__":
    unittest.main()
