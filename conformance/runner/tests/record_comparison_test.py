# SPDX-License-Identifier: Apache-2.0
"""Comparing records: declared fields, equal values, and pairs of records."""
import copy
import json
import time
import unittest

from ..jsonlines import NotJson, decode, decode_lines
from ..number_text import same
from ..parser_under_test import Answer, check_description, parts_not_compared
from ..record_comparison import Comparer
from ..verdict import Judge, difference_text
from .runner_fixture import ALL, default_vectors, event, finding, records, vector

KNOWN = {"trace": {"windows", "start_utc", "end_utc"}, "event": {"pid", "utc", "offset", "items"},
         "event.logfile.time_zone": {"bias", "standard_bias"}, "item": {"data", "guid"}, "item.schema.fields": {"tag"}}


def differences(expected, actual, fields=None, must_only=False, **description):
    comparer = Comparer({"name": "x", "records": fields or ALL, **description}, KNOWN, must_only)
    found = comparer.compare(vector("v", "size", "SIZ-001", "accept", expected), actual)
    return [difference_text(difference) for difference in found.differences]


class SameTest(unittest.TestCase):
    def test_numbers_in_other_spellings(self):
        for expected, actual in (("12", 12), (12, "12"), ("0x0a", "0xA"), ("-3", -3)):
            self.assertTrue(same(expected, actual), (expected, actual))

    def test_texts_in_other_spellings_differ(self):
        for expected, actual in (("0010", "10"), ("0010", 10), ("12", "12 "), ("ab", "AB"), (12, None), ("", 0),
                                 ("12", "13"), ("1" * 9000, "1" * 8999 + "2")):
            self.assertFalse(same(expected, actual), (expected, actual))


class DeclaredTest(unittest.TestCase):
    def setUp(self):
        self.expected = records([event(0, 72), event(1, 160)])
        self.actual = copy.deepcopy(self.expected)

    def test_equal_records_do_not_differ(self):
        self.assertEqual([], differences(self.expected, self.actual))

    def test_only_declared_fields_are_compared(self):
        self.actual[2].update(pid=5, name="other")
        self.assertEqual(["event 0 at 72: name is other, expected EVENT_HEADER64"],
                         differences(self.expected, self.actual, {"event": ["name", "index"]}))
        self.assertEqual([], differences(self.expected, self.actual, {"event": ["size"]}))
        self.assertEqual([], differences(self.expected, self.actual, {"trace": ["*"]}))

    def test_items_are_compared_if_declared(self):
        self.actual[2]["items"][0]["data"] = "ff"
        self.assertEqual([], differences(self.expected, self.actual, {"event": ["*"]}))
        self.assertEqual([], differences(self.expected, self.actual, {"event": ["*"], "item": ["type"]}))
        self.assertEqual(["event 0 at 72: items[0].data is ff, expected 0102"],
                         differences(self.expected, self.actual, {"event": ["*"], "item": ["data"]}))

    def test_parts_that_are_declared_in_vain_are_reported(self):
        for records_, why in (({"item": ["*"]}, ['declares "item", but no "event"']),
                              ({"event": ["items"]}, ['declares event.items, but no "item"']),
                              ({"event": ["items", "fields"], "item": ["type"]}, ['declares event.fields, but no "field"']),
                              ({"event": ["items"], "item": ["type"]}, []), ({"event": ["*"]}, []), ({}, [])):
            self.assertEqual(why, parts_not_compared({"records": records_}))

    def test_missing_item(self):
        self.actual[2]["items"] = []
        self.assertEqual(["event 0 at 72: items[0] is absent, expected {'type': '0xb'}"],
                         differences(self.expected, self.actual, {"event": ["pid"], "item": ["type"]}))

    def test_extra_item(self):
        self.actual[2]["items"] *= 2
        self.assertEqual(["event 0 at 72: items[1] is {'type': '0xb'}, expected absent"],
                         differences(self.expected, self.actual, {"event": ["pid"], "item": ["type"]}))

    def test_field_that_should_be_absent(self):
        self.actual[0]["end_utc"] = "2020"
        self.assertEqual(["trace: end_utc is 2020, expected absent"], differences(self.expected, self.actual))
        self.assertEqual([], differences(self.expected, self.actual, {"trace": ["windows"]}))

    def test_fields_that_no_vector_has_are_ignored(self):
        self.actual[0]["clock_type_name"] = "PERFCOUNTER"
        self.assertEqual([], differences(self.expected, self.actual))

    def test_members_of_members(self):
        self.expected[2]["logfile"] = {"time_zone": {"bias": 1}}
        self.actual[2]["logfile"] = {"time_zone": {"bias": 2, "more": 1}}
        self.assertEqual(["event 0 at 72: logfile.time_zone.bias is 2, expected 1"],
                         differences(self.expected, self.actual))

    def test_member_that_should_be_absent(self):
        self.expected[2]["logfile"] = {"time_zone": {"bias": 1}}
        self.actual[2]["logfile"] = {"time_zone": {"bias": 1, "standard_bias": 2}}
        self.assertEqual(["event 0 at 72: logfile.time_zone.standard_bias is 2, expected absent"],
                         differences(self.expected, self.actual))

    def test_member_of_an_item_that_should_be_absent(self):
        self.expected[2]["items"] = [{"type": "0xb", "schema": {"fields": [{"name": "a"}]}}]
        self.actual[2]["items"] = [{"type": "0xb", "schema": {"fields": [{"name": "a", "tag": 1}]}, "guid": "0"}]
        self.assertEqual(["event 0 at 72: items[0].schema.fields[0].tag is 1, expected absent",
                          "event 0 at 72: items[0].guid is 0, expected absent"],
                         differences(self.expected, self.actual))
        self.assertEqual([], differences(self.expected, self.actual, {"event": ["pid"], "item": ["type"]}))

    def test_counts_of_zero_may_be_left_out(self):
        self.actual[-1]["bytes"]["slack"] = "0"
        del self.actual[-1]["findings"]["note"]
        self.assertEqual([], differences(self.expected, self.actual))
        self.actual[-1]["bytes"]["slack"] = "1"
        self.assertEqual(["end: bytes.slack is 1, expected 0"], differences(self.expected, self.actual))

    def test_finding_may_have_more_members_than_expected(self):
        self.expected.insert(-1, finding("SIZ-001", 160))
        self.actual.insert(1, dict(finding("SIZ-001", 160), event="1", message="more"))
        self.assertEqual([], differences(self.expected, self.actual))
        self.actual[1]["rule"] = "SIZ-002"
        self.assertEqual(["finding at 160 is missing", "finding at 160 is not in the file"],
                         differences(self.expected, self.actual))


class FieldsTest(unittest.TestCase):
    """Fields of payloads are compared for parsers that declare the kind `field`, by the members that they declare."""

    def setUp(self):
        number = {"name": "n", "type": "UINT8", "value": 1, "offset": "160", "size": 1}
        array = {"name": "a", "type": "UINT8", "elements": [{"value": 2, "offset": "161", "size": 1}]}
        self.expected = records([event(0, 72, fields=[number, array])])
        self.actual = copy.deepcopy(self.expected)
        self.fields = next(one for one in self.actual if one["rec"] == "event")["fields"]

    def differences(self, *names):
        return differences(self.expected, self.actual, {"event": ["offset"], **({"field": names} if names else {})})

    def test_only_declared_members_are_compared(self):
        self.fields[0].update(value=7, offset="0")
        self.fields[1]["elements"][0]["offset"] = "0"
        self.assertEqual([], self.differences())
        self.assertEqual([], self.differences("name", "type", "elements"))
        self.assertEqual(["event 0 at 72: fields[0].value is 7, expected 1"], self.differences("name", "value", "elements"))

    def test_elements_are_compared(self):
        self.fields[1]["elements"][0]["value"] = 3
        self.assertEqual(["event 0 at 72: fields[1].elements[0].value is 3, expected 2"],
                         self.differences("name", "value", "elements"))

    def test_missing_and_extra_fields(self):
        extra = self.fields.pop()
        self.assertEqual(["event 0 at 72: fields[1] is absent, expected {'name': 'a'}"], self.differences("name"))
        self.fields += [extra, extra]
        self.assertEqual(["event 0 at 72: fields[2] is {'name': 'a'}, expected absent"], self.differences("name"))

    def test_events_whose_fields_no_vector_states(self):
        del next(one for one in self.expected if one["rec"] == "event")["fields"]
        self.assertEqual([], self.differences("*"))


class PayloadFindingsTest(unittest.TestCase):
    """Findings about the fields of payloads count in vectors about payloads only."""

    def setUp(self):
        self.expected = records([event(0, 72)])
        self.actual = copy.deepcopy(self.expected)
        self.actual.insert(-1, finding("PAY-007", 160))
        self.actual[-1]["findings"] = {"error": "1"}

    def differences(self, layer):
        comparer = Comparer({"name": "x", "records": ALL}, KNOWN, False)
        subject = {**vector("v", "size", "SIZ-001", "accept", self.expected), "layer": layer}
        return [difference_text(difference) for difference in comparer.compare(subject, self.actual).differences]

    def test_they_do_not_count_in_other_vectors(self):
        self.assertEqual([], self.differences("event"))

    def test_they_count_in_vectors_about_payloads(self):
        self.assertNotEqual([], self.differences("payload"))

    def test_other_findings_count(self):
        self.actual[-2]["rule"] = "PAY-001"
        self.assertNotEqual([], self.differences("event"))


class FindingValuesTest(unittest.TestCase):
    """`expected` and `actual` of a finding: SIZ-001 compares Size, PAY-001 compares nothing."""

    def differences(self, rule, stated, reported, fields=None):
        expected, actual = (records([event(0, 72)], findings=[{**finding(rule, 160), **values}])
                            for values in (stated, reported))
        return differences(expected, actual, fields)

    def test_values_where_the_rule_compares_nothing(self):
        for reported, differs in (({}, []), ({"expected": None, "actual": None}, []),
                                  ({"expected": "0x1"}, ["expected is 0x1"]), ({"actual": ""}, ["actual is "]),
                                  ({"expected": "0x1", "actual": "0x2"}, ["expected is 0x1", "actual is 0x2"])):
            self.assertEqual([f"finding at 160: {text}, expected absent" for text in differs],
                             self.differences("PAY-001", {}, reported), reported)
            self.assertEqual([], self.differences("PAY-001", {}, reported, {"finding": ["rule", "offset"]}))

    def test_value_is_due_where_the_vector_states_the_other_one(self):
        both = {"expected": "0x50", "actual": "0x4"}
        for name, other in (("expected", "actual"), ("actual", "expected")):
            stated = {other: both[other]}
            self.assertEqual([], self.differences("SIZ-001", stated, both))
            for reported in (stated, {**stated, name: None}):
                self.assertEqual([f"finding at 160: {name} is absent, expected a value"],
                                 self.differences("SIZ-001", stated, reported))
                self.assertEqual([], self.differences("SIZ-001", stated, reported, {"finding": ["rule", other]}))

    def test_value_that_the_vector_states_is_one_difference(self):
        stated = {"expected": "0x50", "actual": "0x4"}
        self.assertEqual([f"finding at 160: {name} is absent, expected {value}" for name, value in stated.items()],
                         self.differences("SIZ-001", stated, {}))

    def test_values_that_must_be_absent(self):
        none = {"expected": None, "actual": None}
        for reported in ({}, none):
            self.assertEqual([], self.differences("SIZ-001", none, reported))
        for name in none:
            self.assertEqual([f"finding at 160: {name} is 0x4, expected absent"],
                             self.differences("SIZ-001", none, {name: "0x4"}))

    def test_values_that_the_vector_omits_are_not_compared(self):
        for reported in ({}, {"actual": "0x4"}, {"expected": "0x50", "actual": "0x4"}):
            self.assertEqual([], self.differences("SIZ-001", {}, reported))


class PairingTest(unittest.TestCase):
    def setUp(self):
        self.expected = records([event(n, 72 + 88 * n) for n in range(4)])

    def without(self, *numbers, start=2):
        actual = copy.deepcopy(self.expected)
        for number in sorted(numbers, reverse=True):
            del actual[start + number]
        return actual

    def test_missing_event_does_not_shift_the_following_ones(self):
        actual = self.without(1)
        for number, record in enumerate(actual[2:-1]):
            record["index"] = str(number)
        for fields in (["*"], ["pid", "id", "timestamp", "index"]):
            self.assertEqual(["event 1 at 160 is missing"], differences(self.expected, actual, {"event": fields}))

    def test_extra_event_does_not_shift_the_following_ones(self):
        actual = copy.deepcopy(self.expected)
        actual.insert(3, event(9, 999, pid=77, id=99))
        for fields in (["*"], ["pid", "id", "timestamp", "index"]):
            found = differences(self.expected, actual, {"event": fields})
            self.assertEqual(1, len(found), found)
            self.assertIn("is not in the file", found[0])

    def test_differing_event_is_neither_missing_nor_extra(self):
        actual = copy.deepcopy(self.expected)
        actual[3]["id"] = 77
        self.assertEqual(["event 1 at 160: id is 77, expected 1"],
                         differences(self.expected, actual, {"event": ["pid", "id", "timestamp", "size"]}))

    def test_offset_in_another_spelling(self):
        for spell in (int, lambda offset: hex(int(offset))):
            actual = [{**record, "offset": spell(record["offset"])} if "offset" in record else record
                      for record in self.without(1)]
            self.assertEqual(["event 1 at 160 is missing"],
                             differences(self.expected, actual, {"event": ["offset", "pid"]}))

    def test_wrong_index_is_a_difference_if_no_event_is_missing(self):
        actual = copy.deepcopy(self.expected)
        actual[3]["index"] = "7"
        self.assertEqual(["event 1 at 160: index is 7, expected 1"], differences(self.expected, actual, {"event": ["*"]}))

    def test_one_missing_and_one_extra_event_keep_the_other_pairs(self):
        actual = self.without(0)
        actual.insert(5, event(9, 999, pid=77, id=99, size=8))
        found = differences(self.expected, actual, {"event": ["id", "timestamp"]})
        self.assertEqual(["event 0 at 72 is missing", "event 9 at 999 is not in the file"], found)

    def test_order_counts(self):
        actual = copy.deepcopy(self.expected)
        actual[2], actual[3] = actual[3], actual[2]
        self.assertEqual(["event 1 at 160: order is out of order, expected file order"],
                         differences(self.expected, actual, {"event": ["offset", "pid"]}))

    def test_order_by_time(self):
        self.expected[2]["timestamp"] = "5000"
        actual = [self.expected[n] for n in (0, 1, 3, 4, 5, 2, 6)]
        self.assertEqual([], differences(self.expected, actual, {"event": ["*"]}, order="time"))
        self.assertNotEqual([], differences(self.expected, actual, {"event": ["*"]}))

    def test_equal_offsets_in_two_inflated_buffers_are_paired_in_order(self):
        events = [event(0, 72, space="inflated", id=1), event(1, 72, space="inflated", id=2, buffer="1")]
        expected = records(events)
        self.assertEqual([], differences(expected, copy.deepcopy(expected), {"event": ["*"]}))
        actual = [record for record in copy.deepcopy(expected) if record.get("id") != 1]
        self.assertEqual(["event 0 at 72 (inflated) is missing"], differences(expected, actual, {"event": ["*"]}))

    def test_findings_are_paired_by_rule_if_it_is_declared(self):
        self.expected.insert(-1, finding("SIZ-001", 160))
        actual = copy.deepcopy(self.expected)
        del actual[-2]["rule"]
        self.assertEqual([], differences(self.expected, actual, {"finding": ["offset", "severity"]}))
        self.assertEqual(["finding at 160 is missing", "finding at 160 is not in the file"],
                         differences(self.expected, actual, {"finding": ["*"]}))

    def test_rule_of_an_event_is_ignored(self):
        actual = copy.deepcopy(self.expected)
        actual[2]["rule"] = "SIZ-001"
        self.assertEqual([], differences(self.expected, actual))

    def test_offset_of_any_type(self):
        for name in ("offset", "space", "rule"):
            for value in ({"a": 1}, [1]):
                actual = copy.deepcopy(self.expected)
                actual[2][name] = value
                self.assertEqual(name == "rule", not differences(self.expected, actual), (name, value))

    def test_many_events_are_compared_quickly(self):
        def seconds(count):
            actual = self.expected[:2] + [{"rec": "event", "offset": str(n)} for n in range(1000, 1000 + count)]
            started = time.process_time()
            differences(self.expected, actual, {"event": ["*"]})
            return time.process_time() - started

        self.assertLess(seconds(80_000), 40 * max(seconds(8_000), 0.01))

    def test_recommended_records_may_be_missing(self):
        for record in self.expected[4:6]:
            record["recovery"] = "should"
        actual = self.without(2, 3)
        actual[-1].update(events="2", events_by_header_type={"0x13": "2"}, bytes={"payload": "20", "damaged": "44"})
        self.assertEqual([], differences(self.expected, actual, must_only=True))
        self.assertIn("event 2 at 248 is missing", differences(self.expected, actual))
        actual[-1]["events"] = "3"
        self.assertEqual(["end: events is 3, expected 2"], differences(self.expected, actual, must_only=True))


def judge_of(policy="any"):
    parser = type("P", (), {"description": {"name": "x", "records": ALL}, "reproduce": lambda self, v: ""})()
    return Judge(parser, KNOWN, {"clock-rounding": policy}, "should")


class LongAnswerTest(unittest.TestCase):
    def test_long_values_are_cut(self):
        one = default_vectors()[0]
        wrong = [dict(record, pid="x" * 200_000, id=["y" * 200_000]) if record["rec"] == "event" else record
                 for record in one["expect"]]
        result = judge_of().result(one, Answer("accept", records=wrong))
        first, second = (difference["actual"] for difference in result["differences"][:2])
        self.assertEqual("x" * 200_000, first)
        self.assertRegex(second, r'^\["y{60000,62999}\.\.\.$')
        self.assertLess(len(json.dumps(result)), 270_000)
        self.assertEqual(1000, len(judge_of().result(one, Answer("skip", "because " * 9000))["detail"]))


class SilentLossTest(unittest.TestCase):
    """The second of three events, of 88 bytes from 160 on, is missing."""

    def verdict(self, *findings):
        one = default_vectors()[0]
        actual = [record for record in one["expect"] if record.get("index") != "1"]
        result = judge_of().result(one, Answer("accept", records=[*actual[:-1], *findings, actual[-1]]))
        return result["verdict"]

    def test_loss_is_silent_if_no_finding_reports_it(self):
        for findings in ((), (finding("SIZ-001", 159),), (finding("SIZ-001", 248),), ({"rec": "finding", "lost": "9999"},),
                         ({**finding("SIZ-001", 72), "lost": "88"}, {**finding("SIZ-001", 248), "lost": 88}),
                         ({**finding("SIZ-001", 160), "space": "inflated"},), ({**finding("SIZ-001", [160])},)):
            self.assertEqual("silent-loss", self.verdict(*findings), findings)

    def test_loss_is_not_silent_if_a_finding_reports_it(self):
        for findings in ((finding("SIZ-001", 160),), (finding("SIZ-001", 247),), (finding("SIZ-001", "0xa0"),),
                         ({**finding("SIZ-001", 72), "lost": 89},),
                         (finding("SIZ-001", 300), {**finding("SIZ-001", 0), "lost": "1024"}, finding("SIZ-001", 8))):
            self.assertEqual("wrong-value", self.verdict(*findings), findings)


class PolicyOfJudgeTest(unittest.TestCase):
    def setUp(self):
        self.open = default_vectors()[3]

    def verdict(self, policy, outcome, actual):
        return judge_of(policy).result(self.open, Answer(outcome, records=actual))["verdict"]

    def test_each_value(self):
        right = self.open["expect"]
        wrong = [dict(record, pid=5) if record["rec"] == "event" else record for record in right]
        self.assertEqual("pass", self.verdict("any", "accept", wrong))
        self.assertEqual("pass", self.verdict("any", "reject", wrong))
        self.assertEqual("crash", self.verdict("any", "crash", wrong))
        self.assertEqual("pass", self.verdict("accept", "accept", wrong))
        self.assertEqual("wrong-reject", self.verdict("accept", "reject", right))
        self.assertEqual("pass", self.verdict("reject", "reject", wrong))
        self.assertEqual("wrong-accept", self.verdict("reject", "accept", right))
        self.assertEqual("pass", self.verdict("reference", "accept", right))
        self.assertEqual("wrong-value", self.verdict("reference", "accept", wrong))
        self.assertEqual("wrong-reject", self.verdict("reference", "reject", right))


class InputTest(unittest.TestCase):
    def test_invalid_lines(self):
        for data, why in ((b'{"a":1}\n{', "line 2 is not JSON"), (b'{"a":1},{"b":2}\n', "line 1 is not JSON"),
                          (b"[1]\n", "line 1 is not an object"), (b"\xff\n", "not UTF-8"),
                          (b'{"a":NaN}\n', "NaN is not JSON"), (b"[" * 100000, "line 1 is not JSON"),
                          (b'{"a":1}\n{"b"', "line 2")):
            with self.assertRaises(NotJson) as caught:
                decode_lines(data)
            self.assertIn(why, str(caught.exception))

    def test_output_that_would_exhaust_the_runner(self):
        for deep, name in (("[" * 62 + "]" * 62, ""), ("[" * 500 + "]" * 500, "nested deeper than 64")):
            line = f'{{"a":{deep}}}'
            for read in (lambda: decode_lines(line.encode()), lambda: decode(line)):  # noqa: B023
                self.check_refused(read, name)
        for text, name in (("{}\n" * 500, ""), ("{}\n" * 501, "more than 1,000 values"),
                           ('{"a":[' + "0," * 999 + "0]}", "more than 1,000 values")):
            self.check_refused(lambda: decode_lines(text.encode(), 1000), name)  # noqa: B023

    def check_refused(self, read, why):
        try:
            read()
            self.assertEqual("", why)
        except NotJson as error:
            self.assertIn(why or "nothing", str(error))

    def test_valid_lines(self):
        self.assertEqual([{"a": 1}, {"b": "\u2028"}], decode_lines('{"a":1}\r\n\n{"b":"\u2028"}'.encode()))
        self.assertEqual([], decode_lines(b""))

    def test_invalid_descriptions(self):
        good = {"name": "x", "records": {}}
        check_description(good, "here")
        for change, why in (({"name": ""}, '"name"'), ({"records": []}, '"records"'), ({"records": {"evnt": []}}, '"evnt"'),
                            ({"records": {"event": "pid"}}, "list of field names"), ({"order": "size"}, '"order"'),
                            ({"reject": [0]}, '"reject"'), ({"reject": 1}, '"reject"'), ({"verdict": "no"}, '"verdict"')):
            with self.assertRaises(Exception) as caught:
                check_description({**good, **change}, "here")
            self.assertIn(why, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
