# SPDX-License-Identifier: Apache-2.0
"""Pairing records: by place, in order, and at the limits."""
import unittest
from unittest import mock

from .. import record_pairs
from ..parser_under_test import ALL


def differ(expected, actual):
    """The members that differ, of a list each element; the number `n` is for people."""
    found = []
    for name, value in expected.items():
        other = actual.get(name)
        if isinstance(value, list):
            found += [(f"{name}[{at}].value", one, other[at]) for at, one in enumerate(value) if one != other[at]]
        elif name != "n" and value != other:
            found.append((name, value, other))
    return found


def pair(expected, actual, fields=ALL, kind="event", fields_of=None):
    pairs, missing, extra, disordered = record_pairs.pair(kind, expected, actual, fields_of or (lambda _: fields), differ)
    return [(e["n"], a["n"]) for e, a in pairs], [one["n"] for one in missing], [one["n"] for one in extra], \
        [(e["n"], a["n"]) for e, a in disordered]


def named(*values, start=0):
    """Records without a place, with one field each."""
    return [{"rec": "event", "n": start + number, "id": value} for number, value in enumerate(values)]


def placed(*offsets, **more):
    return [{"rec": "event", "n": number, "offset": offset, **more} for number, offset in enumerate(offsets)]


class OrderTest(unittest.TestCase):
    def test_equal_head_and_tail_do_not_overlap(self):
        self.assertEqual(([(0, 0)], [], [1], []), pair(named("a"), named("a", "a")))
        self.assertEqual(([(0, 0)], [1], [], []), pair(named("a", "a"), named("a")))

    def test_one_record_against_several(self):
        self.assertEqual(([(0, 1)], [], [0, 2], []), pair(named("a"), named("x", "a", "y")))
        self.assertEqual(([(1, 0)], [0, 2], [], []), pair(named("x", "a", "y"), named("a")))
        self.assertEqual(([], [0, 1], [], []), pair(named("a", "b"), []))
        self.assertEqual(([], [], [0, 1], []), pair([], named("a", "b")))

    def test_two_records_of_which_nothing_is_equal_are_a_pair_if_they_are_alone(self):
        self.assertEqual(([(0, 0)], [], [], []), pair(named("a"), named("b")))

    def test_likeness_of_a_pair(self):
        """A pair has at most 80 % of its fields different."""
        def record(number, equal, different):
            fields = {f"e{field}": 0 for field in range(equal)} | {f"d{field}": number for field in range(different)}
            return {"rec": "event", "n": number, **fields}
        for equal, different, is_pair in ((1, 3, True), (1, 5, False), (2, 7, True), (2, 9, False)):
            with self.subTest((equal, different)):
                ours = [record(1, equal, different), {"rec": "event", "n": 2, "id": 7}]
                fields = frozenset({*ours[0], "id"} - {"rec", "n"})
                found = pair(ours, [record(3, equal, different), {"rec": "event", "n": 4}], fields)
                self.assertEqual(is_pair, (1, 3) in found[0], found)

    def test_list_counts_as_one_member(self):
        """Otherwise an event whose fields are wrong would be missing, and another one extra."""
        ours, theirs = ([{"n": n, "id": 1, "size": n, "fields": [n + more] * 9} for n in (0, 1)] for more in (0, 7))
        self.assertEqual(([(0, 0), (1, 1)], [], [], []), pair(ours, theirs))

    def test_weight_of_a_record_of_which_all_fields_are_reported(self):
        ours = [{"rec": "event", "n": 0, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}, {"rec": "event", "n": 1, "id": 7}]
        theirs = [{"n": 0, "a": 2, "b": 2, "c": 2, "d": 2, "e": 2}, {"n": 1}]
        self.assertNotIn((0, 0), pair(ours, theirs)[0])

    def test_records_beyond_the_limit_are_paired_in_order(self):
        ours, theirs = named("a", "b"), named("x", "a")
        with mock.patch.object(record_pairs, "_TABLE_MAX", 4):
            self.assertEqual(([(0, 1)], [1], [0], []), pair(ours, theirs))
        with mock.patch.object(record_pairs, "_TABLE_MAX", 3):
            self.assertEqual(([(0, 0), (1, 1)], [], [], []), pair(ours, theirs))
            self.assertEqual(([(0, 0), (1, 1)], [2, 3], [], []), pair(named("a", "b", "c", "d"), named("x", "y")))
            self.assertEqual(([(0, 0), (1, 1)], [], [2, 3], []), pair(named("x", "y"), named("a", "b", "c", "d")))


class PlaceTest(unittest.TestCase):
    def test_place_counts_only_if_all_records_have_it(self):
        for ours, theirs in ((placed(8, 16), placed(None, 16)), (named("a", "b"), placed(8, 16))):
            self.assertEqual(([(0, 0), (1, 1)], [], [], []), pair(ours, theirs))
        self.assertEqual(([(1, 0)], [0], [1], []), pair(placed(8, 16), placed(16, 24)))

    def test_place_counts_only_if_it_is_reported_of_all(self):
        ours, theirs = placed(8, 16), placed(8, 24)
        self.assertEqual(([(0, 0)], [1], [1], []), pair(ours, theirs))
        fields_of = {8: frozenset({"offset", "id"}), 16: frozenset({"id"})}
        found = pair(ours, theirs, fields_of=lambda record: fields_of[record["offset"]])
        self.assertEqual(([(0, 0), (1, 1)], [], []), found[:3])

    def test_findings_at_one_place_are_told_apart_by_rule(self):
        ours = [{"n": 0, "offset": 8, "rule": "A"}, {"n": 1, "offset": 8, "rule": "B"}]
        theirs = [{"n": 0, "offset": 8, "rule": "B"}, {"n": 1, "offset": 8, "rule": "C"}]
        self.assertEqual(([(1, 0)], [0], [1], []), pair(ours, theirs, kind="finding"))

    def test_rows_are_in_the_order_of_the_file(self):
        ours = placed(8, 16, 8, 24)
        self.assertEqual([0, 1, 2, 3], pair(ours, [])[1])
        self.assertEqual([0, 1, 2, 3], pair([], ours)[2])
        self.assertEqual([(0, 0), (1, 1), (2, 2), (3, 3)], pair(ours, ours)[0])
        self.assertEqual([], pair(ours, ours)[3])

    def test_disorder(self):
        self.assertEqual([(1, 0)], pair(placed(8, 16), placed(16, 8))[3])
        self.assertEqual([], pair(placed(8, 16, 24), placed(8, 24))[3])


if __name__ == "__main__":
    unittest.main()
