# SPDX-License-Identifier: Apache-2.0
"""The verdict on one answer: what counts, what is applicable, and which differences there are. No process is started."""
import unittest

from ..failure import Failure
from ..parser_under_test import Answer, Parser, check_description, declares_nothing, unknown_fields
from ..record_comparison import ACTUAL_MAX, DIFFERENCES_MAX, Comparer, Comparison, unreported
from ..verdict import Judge, difference_text, reference_verdict
from .runner_fixture import ALL, default_vectors, event, finding, records, structure, vector

KNOWN = {kind: {"pid", "id", "offset", "size", "index", "name", "header_type", "data", "type", "items"} for kind in ALL}
EVERY = {one["id"]: one for one in default_vectors()}
ACCEPT, REJECT, EITHER = EVERY["size-ok"], EVERY["size-bad"], EVERY["clock-open"]


def parser(records_declared, mode="one-shot", layout=None, **more):
    return Parser(["x"], mode, {"name": "p", "records": records_declared, **more}, layout)


def judged(one, outcome, found=(), declared=ALL, level="should", policy=None, **more):
    """The result for an answer of a parser with this description."""
    rules = {"clock-rounding": "any", **(policy or {})}
    judge = Judge(parser(declared, **more), KNOWN, rules, level)
    return judge.result({**one, "path": "x.etl"}, Answer(outcome, records=list(found)))


def verdict(*arguments, **more):
    return judged(*arguments, **more)["verdict"]


def right(one):
    return [{name: value for name, value in record.items() if name != "recovery"} for record in one["expect"]]


class ApplicableTest(unittest.TestCase):
    def test_parser_that_declares_nothing_is_asked_nothing(self):
        for one in (ACCEPT, REJECT, EITHER):
            for outcome in ("accept", "reject"):
                with self.subTest((one["id"], outcome)):
                    self.assertEqual("unsupported", verdict(one, outcome, declared={}))
                    self.assertEqual("unsupported", verdict(one, outcome, declared={"event": []}))
        self.assertEqual("crash", verdict(ACCEPT, "crash", declared={}))

    def test_stated_verdict_counts_without_records(self):
        for one, outcome, expected in ((ACCEPT, "accept", "pass"), (ACCEPT, "reject", "wrong-reject"),
                                       (REJECT, "accept", "wrong-accept"), (REJECT, "reject", "pass")):
            self.assertEqual(expected, verdict(one, outcome, declared={}, verdict=True))
        self.assertTrue(declares_nothing({"records": {}, "verdict": False}))
        self.assertFalse(declares_nothing({"records": {"end": ["events"]}, "verdict": False}))
        self.assertFalse(declares_nothing({"records": {}, "header_types": {"0x13": ["pid"]}}))

    def test_parser_that_cannot_reject_is_asked_only_for_its_fields(self):
        no_events = vector("v", "size", "SIZ-001", "reject", [])
        self.assertEqual("unsupported", verdict(no_events, "accept", declared={"event": ["pid"]}, verdict=False))
        self.assertEqual("wrong-accept", verdict(no_events, "accept", declared={"event": ["pid"]}))
        self.assertEqual("pass", verdict(ACCEPT, "accept", right(ACCEPT), declared={"event": ["pid"]}, verdict=False))

    def test_which_vectors_a_parser_is_run_on(self):
        trace, memory = ACCEPT, structure("s", "accept", [])
        for declared, layout, mode, takes in (
                ({"event": ["pid"]}, None, "one-shot", (True, False)),
                ({"event": ["pid"]}, ["x"], "one-shot", (True, False)),
                ({"event": ["pid"], "member": "*"}, None, "one-shot", (True, False)),
                ({"event": ["pid"], "member": "*"}, ["x"], "one-shot", (True, True)),
                ({"event": ["pid"], "member": "*"}, None, "long-lived", (True, True)),
                ({"member": "*"}, ["x"], "one-shot", (False, True)),
                ({"member": "*", "event": []}, ["x"], "one-shot", (False, True)),
                ({}, None, "one-shot", (True, False))):
            with self.subTest((declared, layout, mode)):
                one = parser(declared, mode, layout)
                self.assertEqual((None if takes[0] else "traces", None if takes[1] else "structures in memory"),
                                 (one.misses(trace), one.misses(memory)))

    def test_which_vectors_about_payloads_a_parser_is_run_on(self):
        about = {**ACCEPT, "layer": "payload", "metadata": "manifest"}
        for declared, metadata, misses in (({"event": ["pid"]}, {}, "fields of payloads"),
                                           ({"field": "*"}, {}, None),
                                           ({"field": "*"}, {"metadata": ["manifest"]}, None),
                                           ({"field": "*"}, {"metadata": ["tracelogging"]},
                                            "fields of payloads by metadata of the kind manifest")):
            with self.subTest((declared, metadata)):
                self.assertEqual(misses, parser(declared, **metadata).misses(about))


class EndTest(unittest.TestCase):
    """The end record, and what it accounts for."""

    def test_end_record_comes_last_and_once(self):
        good = right(ACCEPT)
        for found, words in ((good[:-1], "no end record"), ([*good, good[-1]], "found record 6 of 7"),
                             ([good[-1], *good[:-1]], "found record 1 of 6"), ([*good, good[0]], "found record 6 of 7")):
            result = judged(ACCEPT, "accept", found)
            self.assertEqual("crash", result["verdict"])
            self.assertIn(words, result["detail"])
        self.assertEqual("crash", verdict(EITHER, "accept"))
        self.assertEqual("pass", verdict(EITHER, "accept", right(EITHER)))
        self.assertEqual("pass", verdict(ACCEPT, "accept", good[:-1], declared={**ALL, "end": []}))

    def test_structure_in_memory_has_no_end_record_and_no_bytes(self):
        member = {"rec": "member", "name": "a", "offset": "0", "size": 4, "value": "1"}
        one = structure("s", "accept", [member], size=8)
        self.assertEqual("pass", verdict(one, "accept", [member], declared={**ALL, "member": ["*"]}))
        self.assertEqual("wrong-value", verdict(one, "accept", [{**member, "value": "2"}], declared={"member": ["*"]}))
        end = {"rec": "end", "verdict": "conforming", "bytes": {"payload": "1"}}
        self.assertNotEqual("silent-loss", verdict(one, "accept", [member, end], declared={**ALL, "member": ["*"]}))

    def test_bytes_that_are_not_accounted_for(self):
        one = {**ACCEPT, "size": 64}
        for counts, expected in (({"payload": "64"}, "pass"), ({"payload": "60"}, "silent-loss"),
                                 ({"payload": "68"}, "wrong-value"), ({"payload": "many"}, "silent-loss"),
                                 ({}, "silent-loss"), (None, "wrong-value"), (5, "wrong-value"),
                                 ({"payload": 60, "slack": "4"}, "wrong-value")):
            with self.subTest(str(counts)):
                found = right(one)
                found[-1]["bytes"] = counts
                self.assertEqual(expected, verdict(one, "accept", found))
        found = right(one)
        found[-1]["bytes"] = {"payload": "60"}
        self.assertEqual("pass", verdict(one, "accept", found, declared={**ALL, "end": ["events"]}))
        self.assertIn("4 bytes of the file are not accounted for", judged(one, "accept", found)["detail"])
        found[0]["bytes"] = {"payload": "1"}  # only those of the end record count
        found[-1]["bytes"] = {"payload": "64"}
        self.assertEqual("pass", verdict(one, "accept", found))

    def test_totals_of_any_type(self):
        for name, value in (("findings", 5), ("events_by_header_type", None), ("findings", {"error": "many"}),
                            ("findings", {"error": "0", "odd": "many"}), ("events_by_header_type", {"0x13": 2})):
            found = right(ACCEPT)
            found[-1][name] = value
            self.assertEqual("wrong-value", verdict(ACCEPT, "accept", found), (name, value))
        found = right(ACCEPT)
        found[-1]["findings"] = {}
        self.assertEqual("pass", verdict(ACCEPT, "accept", found))


class EitherTest(unittest.TestCase):
    def test_policy(self):
        for value, outcome, expected in (("any", "accept", "pass"), ("any", "reject", "pass"), ("accept", "accept", "pass"),
                                         ("accept", "reject", "wrong-reject"), ("reject", "reject", "pass"),
                                         ("reject", "accept", "wrong-accept"), ("reference", "accept", "pass"),
                                         ("reference", "reject", "wrong-reject")):
            with self.subTest((value, outcome)):
                found = judged(EITHER, outcome, right(EITHER), policy={"clock-rounding": value})
                self.assertEqual(expected, found["verdict"], found)
        changed = right(EITHER)
        changed[2]["pid"] = 9
        for value, expected in (("any", "pass"), ("accept", "pass"), ("reference", "wrong-value")):
            self.assertEqual(expected, verdict(EITHER, "accept", changed, policy={"clock-rounding": value}))
        self.assertEqual("the policy expects reject",
                         judged(EITHER, "accept", right(EITHER), policy={"clock-rounding": "reject"})["detail"])

    def test_policy_for_a_parser_that_cannot_reject(self):
        for value, expected in (("accept", "pass"), ("reject", "unsupported"), ("any", "pass")):
            found = verdict(EITHER, "accept", right(EITHER), policy={"clock-rounding": value}, verdict=False)
            self.assertEqual(expected, found, value)

    def test_reference_verdict(self):
        for end, expected in (("conforming", "accept"), ("damaged", "reject"), ("not-etl", "reject"), ("limit", "reject")):
            self.assertEqual(expected, reference_verdict({"expect": [{"rec": "end", "verdict": end}]}))
        self.assertEqual("reject", reference_verdict({"expect": []}))

    def test_other_outcomes_are_verdicts(self):
        for outcome in ("crash", "hang", "oom", "skip", "unsupported"):
            self.assertEqual(outcome, verdict(EITHER, outcome))


class LossTest(unittest.TestCase):
    """Records that are missing: silent, reported, recommended."""

    def without(self, one, *numbers):
        found = right(one)
        events = [record for record in found if record["rec"] == "event"]
        for number in numbers:
            found.remove(events[number])
        return found

    def events_only(self, one, outcome, found, **more):
        return judged(one, outcome, found, declared={"event": ["offset", "index", "pid"], "buffer": ["offset"],
                      "finding": ["rule", "offset"]}, **more)

    def test_count_of_lost_records(self):
        one = self.events_only(ACCEPT, "accept", self.without(ACCEPT, 0))
        self.assertEqual("accepted, but event 0 at 72 is missing and no finding reports it", one["detail"])
        two = self.events_only(ACCEPT, "accept", self.without(ACCEPT, 0, 1))
        self.assertEqual("accepted, but event 0 at 72 and 1 more are missing and no finding reports them", two["detail"])
        self.assertEqual("buffer 0 at 0 is missing (and 3 more)", self.events_only(REJECT, "reject", [])["detail"])

    def test_buffer_is_lost(self):
        found = [record for record in right(ACCEPT) if record["rec"] != "buffer"]
        self.assertEqual("silent-loss", self.events_only(ACCEPT, "accept", found)["verdict"])

    def test_missing_finding_is_no_loss(self):
        one = vector("v", "size", "SIZ-001", "accept", records([event(0, 72)], findings=[finding("SIZ-001", 160)]))
        found = [record for record in right(one) if record["rec"] != "finding"]
        self.assertEqual("wrong-value", self.events_only(one, "accept", found)["verdict"])

    def test_reported_loss(self):
        for offset, size, lost, at, reported in (
                (160, 88, None, 160, True), (160, 88, None, 247, True), (160, 88, None, 248, False),
                (160, 88, 0, 159, False), (160, 88, 1, 159, False), (160, 88, 2, 159, True), (160, 88, None, 100, False),
                (160, None, None, 160, True), (160, 0, None, 160, True), (160, None, None, 161, False)):
            with self.subTest((offset, size, lost, at)):
                missing = {"rec": "event", "offset": str(offset), "size": size}
                found = {"rec": "finding", "offset": str(at), "lost": lost}
                self.assertEqual(not reported, bool(unreported([missing], [found])))

    def test_findings_that_overlap(self):
        found = [{"rec": "finding", "offset": "0", "lost": "100"}, {"rec": "finding", "offset": "10", "lost": "5"}]
        self.assertEqual([], unreported([{"offset": "90", "size": 4}], found))
        self.assertEqual(1, len(unreported([{"offset": "100", "size": 4}], found)))

    def test_findings_of_another_space(self):
        missing = [{"offset": "8", "size": 4, "space": "inflated"}]
        self.assertEqual(missing, unreported(missing, [{"rec": "finding", "offset": "8"}]))
        self.assertEqual([], unreported(missing, [{"rec": "finding", "offset": "8", "space": "inflated"}]))

    def test_records_that_report_nothing(self):
        missing = [{"offset": "8", "size": 4}, {"size": 4}]
        self.assertEqual(missing, unreported(missing, [{"rec": "event", "offset": "8"}, {"rec": "finding", "offset": [8]},
                                                       {"rec": "finding"}]))
        self.assertEqual(missing[1:], unreported(missing, [{"rec": "finding", "offset": "8"}]))

    def test_recommended_records(self):
        lost = self.without(REJECT, 1)
        self.assertEqual("wrong-value", self.events_only(REJECT, "reject", lost)["verdict"])
        self.assertEqual("pass", self.events_only(REJECT, "reject", lost, level="must")["verdict"])
        self.assertEqual("wrong-accept", self.events_only(REJECT, "accept", lost)["verdict"])
        self.assertEqual("wrong-accept", self.events_only(REJECT, "accept", lost, level="must")["verdict"])

    def test_totals_without_recommended_records(self):
        buffer = {"rec": "buffer", "index": "1", "offset": "1024", "size": 1024, "state": 3, "recovery": "should"}
        expected = [*REJECT["expect"][:-1], buffer, {**REJECT["expect"][-1], "buffers": "2"}]
        one = {**REJECT, "expect": expected}
        lost = self.without(one, 1)
        lost = [record for record in lost if record.get("offset") != "1024"]
        lost[-1].update(events="1", buffers="1", events_by_header_type={"0x13": "1"}, bytes={"payload": "4"})
        self.assertEqual("pass", verdict(one, "reject", lost, level="must"))
        self.assertEqual("wrong-value", verdict(one, "reject", lost))
        self.assertIn("end: events is 1, expected 2",
                      [difference_text(each) for each in judged(one, "reject", lost)["differences"]])
        lost[-1]["buffers"] = "2"
        self.assertEqual("wrong-value", verdict(one, "reject", lost, level="must"))


class DifferenceTest(unittest.TestCase):
    def found(self, change, one=ACCEPT, declared=None, **more):
        found = right(one)
        change(found)
        return [difference_text(each) for each in
                judged(one, "accept", found, declared=declared or {**ALL, "end": []}, **more)["differences"]]

    def test_one_difference_is_a_wrong_value(self):
        self.assertEqual(["event 0 at 72: pid is 9, expected 4"], self.found(lambda found: found[2].update(pid=9)))
        changed = right(ACCEPT)
        changed[2].update(pid=9)
        changed[3].update(pid=8)
        self.assertIn("(and 1 more)", judged(ACCEPT, "accept", changed)["detail"])

    def test_numbers_behind_a_missing_or_extra_record(self):
        def shift(found, by, since):
            for record in found[since:5]:
                record["index"] = str(int(record["index"]) + by)

        def drop(found):
            del found[2]
            for record in found[2:4]:
                record["index"] = str(int(record["index"]) - 1)

        def add(found):
            found.insert(2, dict(found[2], offset="70"))
            for record in found[3:6]:
                record["index"] = str(int(record["index"]) + 1)

        self.assertEqual(["event 0 at 72 is missing"], self.found(drop))
        self.assertEqual(["event 0 at 70 is not in the file"], self.found(add))
        self.assertEqual(3, len(self.found(lambda found: shift(found, 1, 2))))

    def test_missing_buffer_moves_what_follows(self):
        one = vector("v", "size", "SIZ-001", "accept", records([event(0, 72)], findings=[
            {**finding("SIZ-001", 160), "buffer": "0", "event": "0"}]))

        def change(found):
            del found[1]
            found[1]["buffer"] = found[2]["buffer"] = "7"

        self.assertEqual(["buffer 0 at 0 is missing"], self.found(change, one))
        self.assertEqual(["event 0 at 72: buffer is 7, expected 0", "finding at 160: buffer is 7, expected 0"],
                         self.found(lambda found: (found[2].update(buffer="7"), found[3].update(buffer="7")), one))

    def test_index_of_a_parser_that_sorts_by_time(self):
        def number(found):
            for record in found[2:5]:
                record["index"] = str(9 - int(record["index"]))

        self.assertEqual([], self.found(number, order="time"))
        self.assertEqual(3, len(self.found(number)))

    def test_event_without_a_time_stays_behind_the_one_before(self):
        late, none, early = event(0, 72, timestamp="2000"), event(1, 160), event(2, 248, timestamp="1000")
        del none["timestamp"]
        one = vector("v", "size", "SIZ-001", "accept", records([late, none, early]))
        self.assertEqual([], self.found(lambda found: found.insert(2, found.pop(4)), one, order="time"))
        self.assertNotEqual([], self.found(lambda found: None, one, order="time"))

    def test_order_of_findings_does_not_matter(self):
        one = vector("v", "size", "SIZ-001", "accept", records([], findings=[finding("A", 8), finding("B", 16)]))
        self.assertEqual([], self.found(lambda found: found.insert(2, found.pop(3)), one))
        self.assertEqual(["event 1 at 160: order is out of order, expected file order"],
                         self.found(lambda found: found.insert(2, found.pop(3)), declared={"event": ["offset", "pid"]}))

    def test_members_that_are_not_expected(self):
        self.assertEqual(["event 0 at 72: type is 1, expected absent"], self.found(lambda found: found[2].update(type=1)))
        self.assertEqual([], self.found(lambda found: found[2].update(type=None, odd=1)))
        self.assertEqual([], self.found(lambda found: found[2].update(type=1), declared={"event": ["pid"]}))
        one = vector("v", "size", "SIZ-001", "accept", records([], findings=[finding("A", 8)]))
        self.assertEqual([], self.found(lambda found: found[2].update(size=1), one))

    def test_items(self):
        without = [dict(one) for one in right(ACCEPT)]
        items = without[2].pop("items")
        one = {**ACCEPT, "expect": without}
        changes = self.found(lambda found: found[2].update(items=items), one)
        self.assertEqual(1, len(changes), changes)
        self.assertIn("items[0]", changes[0])
        for odd in (5, [5], "x", [items[0], None]):
            with self.subTest(str(odd)):
                self.assertEqual(["event 0 at 72: items is no list of objects, expected 1 items"],
                                 self.found(lambda found, odd=odd: found[2].update(items=odd)))

    def test_records_of_any_type(self):
        self.assertEqual([], self.found(lambda found: found.append({"rec": []})))
        self.assertEqual([], self.found(lambda found: found.append({"rec": None})))

    def test_header_type_of_another_record(self):
        changes = self.found(lambda found: found.insert(2, dict(found[1], offset="512", header_type="0x0f")),
                             header_types={"0x0f": []})
        self.assertEqual(["buffer 0 at 512 is not in the file"], changes)

    def test_number_of_differences_is_bounded(self):
        for count in (DIFFERENCES_MAX, DIFFERENCES_MAX + 1):
            found = Comparison()
            for number in range(count):
                found.add({}, "event", "pid", number, 0)
            self.assertEqual((count, DIFFERENCES_MAX), (found.count, len(found.differences)))

    def test_value_that_just_fits(self):
        for size, whole in ((ACTUAL_MAX, True), (ACTUAL_MAX + 1, False)):
            found = Comparison()
            found.add({}, "event", "data", "", "x" * size)
            self.assertEqual(whole, found.differences[0]["actual"] == "x" * size)

    def test_comparison_without_end_records(self):
        comparer = Comparer({"records": {"end": ["*"]}}, {}, False)
        for expected, actual in (([], [{"rec": "end"}]), ([{"rec": "end"}], [])):
            self.assertEqual(0, comparer.compare(vector("v", "size", "SIZ-001", "accept", expected), actual).count)


class DescriptionTest(unittest.TestCase):
    def refused(self, words, **members):
        with self.assertRaises(Failure) as caught:
            check_description({"name": "p", "records": {}, **members}, "there")
        self.assertIn(words, str(caught.exception))

    def test_exit_statuses(self):
        for codes in ([0], [256], [-1], [True], ["1"], 1, [1, 0]):
            self.refused('"reject": exit codes from 1 to 255 expected', reject=codes)

    def test_texts(self):
        for name in ("name", "version", "language", "url"):
            for text in (7, ["1"], "x" * 201):
                is_nameless = name == "name" and not isinstance(text, str)
                expected = 'has no "name"' if is_nameless else f'"{name}": a text of at most 200 characters'
                self.refused(expected, **{name: text})
        check_description({"name": "x" * 200, "version": None, "records": {}}, "there")
        for codes in ([1], [255], [1, 2, 3]):
            check_description({"name": "p", "records": {}, "reject": codes}, "there")
            self.assertEqual(codes, parser({}, reject=codes).reject_codes())
        self.assertEqual([1], parser({}).reject_codes())

    def test_other_members(self):
        self.refused('"order": file or time expected', order="buffer")
        self.refused('found "events"', records={"events": ["pid"]})
        self.refused("a list of field names expected", records={"event": [1]})
        self.refused("a list of field names expected", records={"event": 5})

    def test_unknown_fields(self):
        self.assertEqual(["event.pdi"], unknown_fields({"records": {"event": ["pdi", "pid"], "end": "*"}}, KNOWN))
        self.assertEqual([], unknown_fields({"records": {"event": ["*", "pdi"]}}, KNOWN))

    def test_command_for_the_description(self):
        for words, expected in ((["p", "{file}"], ["p"]), (["p", "-i", "{file}"], ["p"]), (["p", "-q"], ["p", "-q"]),
                                (["p", "read", "{file}"], ["p", "read"]), (["p", "--in={file}", "-q"], ["p", "-q"])):
            self.assertEqual([*expected, "--describe"], Parser(words, "one-shot").for_description())


class HeaderTypeTest(unittest.TestCase):
    """Fields declared by header type."""

    def setUp(self):
        events = [event(0, 72), event(1, 160, header_type="0x0f"), event(2, 248)]
        self.vector = vector("v", "size", "SIZ-001", "accept", records(events))
        self.events = [dict(one) for one in events]

    def found(self, found, by_type, fields=("offset", "pid")):
        return judged(self.vector, "accept", found, declared={"event": list(fields)}, header_types=by_type)

    def test_fields_of_one_type_replace_those_of_all(self):
        self.events[1]["pid"] = 9
        self.assertEqual("wrong-value", self.found(self.events, {})["verdict"])
        self.assertEqual("pass", self.found(self.events, {"0x0f": ["offset"]})["verdict"])
        self.assertEqual("wrong-value", self.found(self.events, {"0x13": ["offset"]})["verdict"])
        self.assertEqual("wrong-value", self.found(self.events, {"0x0f": "*"})["verdict"])
        self.events[1].update(pid=4, size=9)
        self.assertEqual("wrong-value", self.found(self.events, {"0x0f": ["offset", "size"]})["verdict"])
        self.assertEqual("pass", self.found(self.events, {"0x13": ["offset", "size"]})["verdict"])

    def test_type_that_is_not_reported(self):
        left = [self.events[0], self.events[2]]
        self.assertEqual("silent-loss", self.found(left, {})["verdict"])
        self.assertEqual("pass", self.found(left, {"0x0f": []})["verdict"])
        self.assertEqual("pass", self.found(self.events, {"0x0f": []})["verdict"])
        self.assertEqual("silent-loss", self.found(left[:1], {"0x0f": []})["verdict"])

    def test_only_one_type_is_reported(self):
        self.assertEqual("pass", self.found(self.events[1:2], {"0x0f": ["offset"]}, ())["verdict"])
        self.assertEqual("silent-loss", self.found([], {"0x0f": ["offset"]}, ())["verdict"])

    def test_offset_of_some_types_only(self):
        for one in self.events[:1]:
            del one["offset"]
        self.assertEqual("pass", self.found(self.events, {"0x13": ["pid"]})["verdict"])

    def test_unexpected_fields(self):
        self.events[1]["type"] = 7
        self.assertEqual("pass", self.found(self.events, {"0x0f": ["offset"]}, "*")["verdict"])
        self.assertEqual("wrong-value", self.found(self.events, {"0x0f": ["offset", "type"]})["verdict"])

    def test_bad_declarations(self):
        for by_type, words in (([], "an object of field lists"), ({"19": []}, 'a header type such as "0x13"'),
                               ({"0x013": []}, 'a header type such as "0x13"'), ({"0x13": [1]}, "a list of field names"),
                               ({"0x13": "pid"}, "a list of field names")):
            with self.subTest(str(by_type)), self.assertRaises(Failure) as caught:
                check_description({"name": "p", "records": {}, "header_types": by_type}, "there")
            self.assertIn(words, str(caught.exception))
        check_description({"name": "p", "records": {}, "header_types": {"0x13": "*", "0x0f": ["pid"]}}, "there")

    def test_misspelt_field(self):
        description = {"records": {"event": ["pid"]}, "header_types": {"0x13": ["pdi", "pid"], "0x0f": "*", "0x11": []}}
        self.assertEqual(["header_types.0x13.pdi"], unknown_fields(description, KNOWN))


class PartialTest(unittest.TestCase):
    """A parser that stops at the first fault."""

    def test_correct_reject_without_records_is_a_pass(self):
        self.assertEqual("crash", verdict(REJECT, "reject"))
        self.assertEqual("pass", verdict(REJECT, "reject", partial=False))
        self.assertEqual("pass", verdict(REJECT, "reject", right(REJECT)[:2], partial=False))
        without_end = {kind: fields for kind, fields in ALL.items() if kind != "end"}
        self.assertEqual("wrong-value", verdict(REJECT, "reject", declared=without_end))
        self.assertEqual("pass", verdict(REJECT, "reject", declared=without_end, partial=False))

    def test_records_that_it_reports_are_compared(self):
        wrong = right(REJECT)[:3]
        wrong[2]["pid"] = 9
        self.assertEqual("wrong-value", verdict(REJECT, "reject", wrong, partial=False))
        extra = [*right(REJECT)[:2], {**right(REJECT)[2], "offset": "999"}]
        self.assertEqual("wrong-value", verdict(REJECT, "reject", extra, partial=False))

    def test_totals_of_a_rejected_file_are_not_compared(self):
        end = {**right(REJECT)[-1], "events": "0"}
        self.assertEqual("pass", verdict(REJECT, "reject", [end], partial=False))

    def test_everything_else_is_judged_as_ever(self):
        self.assertEqual("wrong-reject", verdict(ACCEPT, "reject", partial=False))
        self.assertEqual("silent-loss", verdict(REJECT, "accept", right(REJECT)[-1:], partial=False))
        self.assertEqual("crash", verdict(ACCEPT, "accept", right(ACCEPT)[:-1], partial=False))
        self.assertEqual("pass", verdict(ACCEPT, "accept", right(ACCEPT), partial=False))

    def test_description(self):
        for name in ("partial", "verdict"):
            with self.assertRaises(Failure) as caught:
                check_description({"name": "p", "records": {}, name: "no"}, "there")
            self.assertIn(f'"{name}": true or false expected, found \'no\'', str(caught.exception))


if __name__ == "__main__":
    unittest.main()
