# SPDX-License-Identifier: Apache-2.0
"""Annotated bytes of small traces."""
import base64
import os
import tempfile
import unittest

from .. import byte_windows, tables
from ..inflate import inflate
from .html_fixture import Vector, difference, victim_vector


class AnnotateTest(unittest.TestCase):
    def setUp(self):
        self.tables = tables.load_tables()

    def spans(self, vector, context=8, tables=None, **result):
        annotated = byte_windows.Annotated(vector.json, vector.image, tables or self.tables)
        marks = byte_windows.marks_of(vector.json, result, annotated)
        return annotated, annotated.windows(marks, context)

    def test_tables_match_the_format(self):
        size, members = self.tables.structures["EVENT_HEADER"]
        self.assertEqual(size, 0x50)
        self.assertIn((0x28, 2, "Id"), members)
        self.assertEqual(self.tables.header_types[0x13], ("EVENT_HEADER64", "EVENT", 8))
        self.assertEqual(self.tables.rules["BUF-001"], "The next buffer starts BufferSize bytes after this one.")

    def test_spans_of_all_spaces_tile_their_regions(self):
        for trace in ("plain", "compressed"):
            annotated, _ = self.spans(Vector("v", "size", trace))
            for key, spans in annotated.spans.items():
                at = 0
                for span in spans:
                    self.assertEqual(span.offset, at)
                    at += span.size
                self.assertEqual(at, len(annotated.spaces[key].data))

    def test_members_by_name(self):
        annotated, _ = self.spans(Vector("v", "size", "plain"))
        found = {(span.owner, span.member): span for span in annotated.spans[None]}
        victim = int(next(r["offset"] for r in annotated.events if r.get("id") == 2))
        self.assertEqual(found["victim EVENT_HEADER64", "Id"].offset, victim + 0x28)
        self.assertEqual(found["b WMI_BUFFER_HEADER_61", "SavedOffset"].offset, 0x400 + 4)
        self.assertEqual(found["logfile TRACE_LOGFILE_HEADER64", "PointerSize"].offset, 0x48 + 0x20 + 0x2C)
        self.assertEqual(found["victim item RELATED_ACTIVITYID", "ExtType"].offset, victim + 0x50 + 2)
        self.assertEqual(found["after MESSAGE", "GUID"].size, 16)
        after = found["after MESSAGE", "MessageNumber"].offset - 4
        self.assertEqual(found["after MESSAGE", "SYSTEMINFO"].offset, after + 8 + 4 + 16 + 8)

    def test_headers_with_two_forms(self):
        vector = Vector("v", "size", "instances")
        vector.json["expect"][-1]["logfile"] = {}
        annotated, _ = self.spans(vector)
        places = [int(event["offset"]) for event in vector.json["expect"] if event["rec"] == "event"][1:]
        found = {span.offset: (span.owner, span.member) for span in annotated.spans[None]}
        self.assertEqual(found[places[0] + 0x30], ("before INSTANCE32", "ParentRegHandle"))
        self.assertEqual(found[places[1] + 0x38], ("victim INSTANCE64", "ParentGuid"))
        self.assertEqual(found[places[2] + 0x20 + 0xF8], ("after TRACE_LOGFILE_HEADER32", "PerfFreq"))

    def test_counters_of_perfinfo(self):
        vector = Vector("v", "size", "counters")
        annotated, _ = self.spans(vector)
        at = int(vector.json["expect"][-1]["offset"])
        found = {span.offset - at: span.member for span in annotated.spans[None]}
        self.assertEqual([found[place] for place in (0x10, 0x18, 0x20, 0x28)], ["Pebs", "Pmc[0]", "Pmc[1]", ""])

    def test_lost_event_is_still_named(self):
        vector = victim_vector("v")
        _, (window,) = self.spans(vector)
        (kind, offset, size, label, value), = window["marks"]
        self.assertEqual((kind, str(offset), size, label, value),
                         ("fault", vector.json["offset"], 2, "victim EVENT_HEADER64 · Size", "0x0000"))
        self.assertIn((2, "damaged", "victim EVENT_HEADER64", "Size", False), window["spans"])

    def test_patched_type_is_not_trusted(self):
        vector = victim_vector("v")
        vector.json["place"] = "victim.HeaderType"
        _, (window,) = self.spans(vector)
        self.assertNotIn("Size", {span[3] for span in window["spans"] if span[1] == "damaged"})

    def test_inflated_bytes(self):
        vector = victim_vector("v", compressed=True)
        _, (window,) = self.spans(vector)
        self.assertEqual(window["space"], "inflated buffer b")
        data = base64.b64decode(window["bytes"])
        at = int(vector.json["offset"]) - window["at"]
        self.assertEqual(data[at + 2:at + 4], b"\x13\xc0")
        self.assertEqual(window["marks"][0][3], "victim EVENT_HEADER64 · Size")

    def test_windows_tile_and_are_not_too_large(self):
        vector = victim_vector("v")
        for there in ("0", "72", "700", "1100", "1456", "2047", "2048", "99999999999"):
            _, windows = self.spans(vector, differences=[difference("9", "x", 1, 2, there)], offset=there)
            self.assertEqual(sum(len(window["marks"]) for window in windows), 2)
            # Touching windows are not merged if the result would be too large.
            self.assertEqual(len(windows), 1 if there in ("1100",) else 2)
            for window in windows:
                size = len(base64.b64decode(window["bytes"]))
                self.assertLessEqual(size, byte_windows.WINDOW)
                self.assertEqual(size, sum(span[0] for span in window["spans"]))

    def test_invalid_offset(self):
        for offset in ("x", "-1", -5, 7, None, "", "1" * 400, "٣"):
            _, windows = self.spans(victim_vector("v"), differences=[difference("9", "x", 1, 2, offset)])
            self.assertEqual([mark[0] for window in windows for mark in window["marks"]], ["fault"])

    def test_without_the_format_tables_regions_remain(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = tables.load_tables(os.path.join(folder, "none"))
        _, (window,) = self.spans(victim_vector("v"), tables=empty)
        self.assertEqual({span[3] for span in window["spans"]}, {""})
        self.assertIn("damaged", {span[1] for span in window["spans"]})

    def test_inflate(self):
        # MS-XCA 3.1: "abcdefghijklmnopqrstuvwxyz", and 300 times "abc".
        plain = bytes.fromhex("3f000000") + b"abcdefghijklmnopqrstuvwxyz"
        self.assertEqual(inflate(plain, 26), b"abcdefghijklmnopqrstuvwxyz")
        repeated = bytes.fromhex("ffffff1f 616263 1700 0f ff 2601".replace(" ", ""))
        self.assertEqual(inflate(repeated, 300), b"abc" * 100)
        # Two lengths share a byte, the third starts another.
        self.assertEqual(inflate(bytes.fromhex("ffffff7f 61 0700 52 0700 0700 03"), 99), b"a" * (1 + 12 + 15 + 13))
        for cut in range(len(repeated)):
            self.assertTrue((b"abc" * 100).startswith(inflate(repeated[:cut], 300)))
        self.assertEqual(inflate(b"\xff\xff\xff\xff\xf8\xff", 10), b"")


class Owner(unittest.TestCase):
    def test_of_each_byte(self):
        regions = [(0, 4, "a", "one"), (4, 0, "b", "two"), (4, 3, "c", ""), (7, 0, "d", ""), (7, 0, "e", "three"),
                   (9, 1, "f", "four")]
        space = byte_windows._Space("file", bytes(10), regions)
        self.assertEqual([space.owner_at(at) for at in range(11)],
                         ["one"] * 4 + ["two", "", "", "three", "", "four", ""])
