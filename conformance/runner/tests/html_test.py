# SPDX-License-Identifier: Apache-2.0
"""The structure of the HTML report, tested without a browser."""
import base64
import hashlib
import html.parser
import json
import re
import unittest
import unittest.mock

from .. import report_html
from ..html_page import asset, percent
from ..columns import FAILURES, VERDICT_TABLE, VERDICTS
from .html_fixture import (EVIL, GROUPS, RUN, Vectors, difference, every_verdict, page_of, result_of,
                           victim_vector)


class Tags(html.parser.HTMLParser):
    """Start tags with their attributes, and the texts of script and style elements."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.raw = [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.raw = tag if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.raw = None

    def handle_data(self, data):
        if self.raw:
            self.texts.append((self.tags[-1], data))


def data_of(page):
    return json.loads(next(text for (_, attrs), text in Tags(page).texts if attrs.get("id") == "data"))


class PageTest(unittest.TestCase):
    def test_verdicts_have_letters_of_their_own(self):
        letters = [verdict.letter for verdict in VERDICT_TABLE]
        self.assertEqual(len(set(letters)), len(letters))

    def test_one_cell_for_each_vector(self):
        page, _ = page_of(every_verdict())
        cells = [attrs for tag, attrs in Tags(page).tags if tag == "button" and "data-n" in attrs]
        self.assertEqual([cell["data-n"] for cell in cells if "known" in cell["class"]], ["1"])
        self.assertEqual(sorted(int(cell["data-n"]) for cell in cells), list(range(len(VERDICTS))))
        self.assertIn("v-crash: crash", [cell["aria-label"] for cell in cells])
        self.assertIn('<b id="passed">1</b> of 8 applicable', page)
        rows = [attrs["data-group"] for tag, attrs in Tags(page).tags if attrs.get("class") == "row"]
        self.assertEqual(rows, list(GROUPS[:4]))

    def test_page_needs_nothing_from_outside(self):
        page, _ = page_of(every_verdict())
        for tag, attrs in Tags(page).tags:
            self.assertNotIn("src", attrs)
            self.assertNotIn("style", attrs)
            self.assertFalse([name for name in attrs if name.startswith("on")], attrs)
            if "href" in attrs:
                self.assertEqual(tag, "a")
        code = "".join(map(asset, ("html_page.js", "html_page.css", "report.js", *report_html.STYLES)))
        self.assertIsNone(re.search(r"innerHTML|\beval\b|Function\(|document\.write|@import|url\(|fetch\(|XMLHttp", code))

    def test_only_its_own_script_may_run(self):
        page, _ = page_of(every_verdict())
        policy = next(attrs["content"] for tag, attrs in Tags(page).tags if "Content-Security-Policy" in attrs.values())
        texts = {tag: text for (tag, attrs), text in Tags(page).texts if "id" not in attrs}
        for tag in ("script", "style"):
            digest = base64.b64encode(hashlib.sha256(texts[tag].encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
        self.assertIn("default-src 'none'", policy)

    def test_only_failures_have_bytes(self):
        page, vectors = page_of(every_verdict())
        self.assertEqual(set(vectors.asked), {f"v-{verdict}" for verdict in FAILURES})
        details = data_of(page)["details"]
        with_bytes = {VERDICTS[int(number)] for number, detail in details.items() if "windows" in detail}
        self.assertEqual(with_bytes, set(FAILURES))
        self.assertEqual(len(details), len(VERDICTS) - 1)

    def test_long_values_are_cut_where_they_differ(self):
        data = data_of(page_of(every_verdict())[0])
        row = next(iter(data["details"].values()))["differences"][1]
        expected, actual = (data["texts"][number] for number in row[5:])
        self.assertTrue(expected.endswith("aa") and actual.endswith("ab"), (expected, actual))
        self.assertLess(len(expected), 500)
        self.assertIn("(802 characters)…", expected)

    def test_output_of_a_parser_is_text(self):
        vector = victim_vector("v")
        evil = result_of(vector, "crash", title=EVIL, detail=EVIL, stderr=EVIL, command="./p " + EVIL, known=EVIL,
                         differences=[difference("1", EVIL, EVIL, {"a": EVIL}, EVIL)])
        run = {**RUN, "parser": {"name": EVIL, "version": EVIL, "language": EVIL, "url": "javascript:alert(1)"},
               "command": [EVIL], "golden": EVIL, "filter": EVIL, "policy": {EVIL: EVIL}}
        page, _ = page_of([(vector, evil)], run, {"rec": "summary", "unexpected": 1, "stale": [EVIL], "seconds": 1})
        page.encode("utf-8")
        tags = Tags(page).tags
        self.assertEqual(len([tag for tag, _ in tags if tag == "script"]), 2)
        data = next(text for (_, attrs), text in Tags(page).texts if attrs.get("id") == "data")
        self.assertNotRegex(data, "[<>&]")
        self.assertFalse([tag for tag, attrs in tags if tag == "img" or "javascript" in attrs.get("href", "")])
        self.assertIsNone(re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page))
        self.assertNotRegex("".join(data_of(page)["texts"]), "[\x1b\u202e]")
        self.assertTrue(any("\\x1b[31m\\x00\\x07\\u202e&amp;\\ud800" in text for text in data_of(page)["texts"]))

    def test_no_failures(self):
        page, _ = page_of([(vector, result) for vector, result in every_verdict() if result["verdict"] not in FAILURES])
        self.assertIn("No failures.", page)
        self.assertIn("Not judged: 1 about what this parser does not report, 1 skipped.", page)
        self.assertNotIn("Broken rules", page)
        self.assertNotIn("No failures.", page_of(every_verdict())[0])
        self.assertNotIn("No failures.", page_of([])[0])

    def test_run_that_was_cut_short_is_marked(self):
        page, _ = page_of(every_verdict(), {**RUN, "vectors": 1702})
        self.assertIn("cut short: 10 of 1,702 vectors were run", page)
        self.assertNotIn("cut short", page_of(every_verdict())[0])

    def test_vectors_that_are_gone(self):
        results = [result for _, result in every_verdict()]
        page = report_html.write(RUN, results, None, Vectors([]))
        detail = data_of(page)["details"]["1"]
        self.assertNotIn("windows", detail)
        self.assertIn("not available", detail["no_bytes"])

    def test_shares_are_never_rounded_to_all_or_nothing(self):
        self.assertEqual(percent(1999, 2000), "99.9 %")
        self.assertEqual(percent(99999, 100000), "99.9 %")
        self.assertEqual(percent(1, 100000), "0.1 %")
        self.assertEqual([percent(part, 5) for part in (0, 5)], ["0 %", "100 %"])
        self.assertEqual(percent(0, 0), "0 %")

    def many(self, count, stderr):
        pairs = []
        for number in range(count):
            noise = hashlib.sha512(b"%d" % number)
            vector = victim_vector(f"size-family-of-vectors-{number}-{noise.hexdigest()[:8]}", GROUPS[number % 12],
                                   number)
            vector.image = noise.digest() * 32
            at = str(100 + number * 7 % 1500)
            differences = [difference(str(n), f"field{n}", f"{number * n:x}" * 40, f"{number + n:x}" * 40, at)
                           for n in range(30)]
            pairs.append((vector, result_of(vector, "silent-loss", detail=f"the parser lost {number} events", offset=at,
                                            differences=differences, stderr=stderr(number))))
        return pairs

    def test_size_is_bounded_even_if_all_fail(self):
        page, _ = page_of(self.many(2000, lambda number: f"line {number} of a log\n" * 100))
        self.assertLess(len(page.encode("utf-8")), report_html.LIMIT)
        self.assertIn("To keep this page under 3 MB", page)
        details = data_of(page)["details"]
        self.assertEqual(len(details), 2000)
        self.assertTrue(all(detail["windows"] for detail in details.values()))

    def test_page_tells_which_details_are_left_out(self):
        with unittest.mock.patch.object(report_html, "LIMIT", 1_000_000):
            page, _ = page_of(self.many(1000, lambda number: ""))
        self.assertLess(len(page.encode("utf-8")), 1_000_000)
        shown = re.search("To keep this page under 1 MB, only failures among the first ([0-9]+) vectors", page)
        details = data_of(page)["details"]
        self.assertEqual(list(map(int, details)), list(range(int(shown[1]))))
        self.assertGreater(len(details), 100)

    def test_small_page_leaves_nothing_out(self):
        self.assertNotIn("To keep this page", page_of(every_verdict())[0])
