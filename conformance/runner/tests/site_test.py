# SPDX-License-Identifier: Apache-2.0
"""conformance/site over made-up reports: links, hostile text, versions, causes, schemas, and the folder of the site."""
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

from .. import byte_windows, columns, rules, tables
from ..failure import INPUT, INTERNAL, OUTPUT, USAGE, Failure
from ..site import badge, compare_page, feed, site_command, site_folder
from ..site.causes import add_causes
from ..site.difference_markup import difference_table, without_paths
from ..site.dump_markup import window_markup
from ..site.score_markup import whole_percent
from ..site.site_reports import load_parsers
from ..site.slug import slug_of
from ..site.vector_page import records_at_fault
from ..vectors import GOLDEN, Golden
from .hostile_text import MARKDOWN_ONLY, PAYLOADS
from .html_fixture import EVIL, difference, victim_vector
from .reports_test import jsonschema, validator
from .site_fixture import LATER, STARTED, Page, SiteCase

SITE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "site")
ATOM = "{http://www.w3.org/2005/Atom}"
CAUSE = {"id": "no-check", "title": "A size is not checked", "text": "Two\nlines.", "vectors": ["v-c*", "v-hang"],
         "where": "src/a.c:7", "smallest": "v-crash", "expected": "reject", "actual": "a crash", "fix": "Check it."}


class PagesTest(SiteCase):
    """A site of two parsers, one of them in two versions."""

    def setUp(self):
        super().setUp()
        before = {"v-crash": "pass", "v-hang": "crash", "v-pass": "wrong-value", "v-oom": None}
        self.reports = [self.saved("old reader", "1.9", change=before), self.saved("old reader", "2.0", LATER),
                        self.saved("Toy", change={result["id"]: "pass" for _, result in self.pairs[2:6]})]
        self.build(*self.reports)

    def test_every_link_resolves(self):
        pages = {name: Page(data.decode()) for name, data in self.files().items() if name.endswith(".html")}
        for name, page in pages.items():
            for link in page.links:
                if link.startswith("https://example.org"):
                    continue
                path, _, anchor = link.partition("#")
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
                self.assertIn(target, self.files(), f"{name}: {link}")
                self.assertTrue(not anchor or anchor in pages[target].ids, f"{name}: {link}")
        self.assertEqual({f"vector/{vector.json['id']}.html" for vector, _ in self.pairs},
                         {name for name in pages if name.startswith("vector/")})
        self.assertEqual(len(rules.load_rules()), sum(name.startswith("rule/") for name in pages))

    def test_pages_load_only_their_style_files(self):
        for name, data in self.files().items():
            if not name.endswith(".html"):
                continue
            for tag, attrs in Page(data.decode()).tags:
                self.assertNotIn(tag, ("script", "style", "img", "iframe", "form"), name)
                self.assertFalse([attr for attr in attrs if attr == "style" or attr.startswith("on")], name)
            self.assertIn("\"default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'\"", data.decode())

    def test_index_has_scores_and_groups(self):
        page = self.page("index.html")
        self.assertIn("Toy 1.0 C 5 of 8 applicable 62.5 %", page.text)
        self.assertLess(page.text.index("Toy"), page.text.index("old reader"))
        heads = [attrs.get("data-label") for tag, attrs in page.tags if tag == "td" and "alarm" in attrs.get("class", "")]
        self.assertEqual(["Crashes", "Hangs", "Out of memory", "Silent losses"] * 2, heads)
        self.assertIn('<span title="size: 2 of 2 applicable">100</span>', self.read("index.html"))
        self.assertIn('class="heat s10" data-label="size"><a href="parser/toy.html#group-size">', self.read("index.html"))

    def test_versions_of_a_parser(self):
        page = self.page("parser/old-reader.html")
        self.assertIn("2.0 2026-04-01 09:30:00 UTC", page.text)
        self.assertIn("1 better, 1 worse, 1 changed, 1 new", page.text)
        self.assertIn("../parser/old-reader/20260301T093000Z.html", page.links)
        self.assertIn("v-pass wrong-value → pass", page.text)
        self.assertIn("An older run. The newest", self.page("parser/old-reader/20260301T093000Z.html").text)
        self.assertNotIn("An older run", self.page("parser/old-reader/20260401T093000Z.html").text)
        self.assertIn('aria-label="1.9: 14.3 %, 2.0: 12.5 %"', self.read("index.html"))
        self.assertIn("▼ −1.8", self.page("index.html").text)
        self.assertIn("hang old reader 2.0 crash in 1.9", self.page("vector/v-hang.html").text)

    def test_parser_page(self):
        page = self.page("parser/toy.html")
        self.assertIn("Limits: 10 s a file · 10 s of processor time · 1024 MiB · confined: bwrap", page.text)
        self.assertNotIn("other vectors than this site", page.text)
        self.assertIn("Known failures 1", page.text.replace("</span>", ""))
        self.assertIn("https://example.org/issues/1", page.links)
        rows = re.findall(r'<tr><td><a href="../rule/([A-Z0-9-]+).html">', self.read("parser/toy.html"))
        self.assertEqual(["SIZ-002", "SIZ-001"], rows)

    def test_compared_parsers(self):
        page = self.page("compare/old-reader-and-toy.html")
        self.assertIn("Of 8 vectors that are applicable to both, 1 pass with both, 0 only with old reader, 4 only with "
                      "Toy, and 3 with neither.", page.text)
        self.assertIn("Only Toy passes 4 vectors of 3 rules, which old reader fails", page.text)
        self.assertNotIn("Only old reader passes", page.text)
        self.assertIn("v-wrong-reject wrong-reject", page.text)
        with mock.patch.object(compare_page, "EXAMPLES", 1):
            self.build(*self.reports)
        text = self.page("compare/old-reader-and-toy.html").text
        self.assertIn("bytes after this one. v-wrong-reject wrong-reject and 1 more in BUF-001", text)

    def test_rule_page(self):
        page = self.page("rule/SIZ-001.html")
        self.assertIn("Size is at least the size of the header of its type.", page.text)
        self.assertIn("old reader 33 1 of 3", page.text)
        ids = [rule.id for rule in rules.load_rules()]
        at = ids.index("SIZ-001")
        self.assertLess({f"{ids[at - 1]}.html", f"{ids[at + 1]}.html"}, set(page.links))
        self.assertIn("size/family.recipe 1 vector, 0 violate it", page.text)
        self.assertIn("../vector/v-hang.html", page.links)
        self.assertIn("SIZ-001 error Size is at least the size of the header of its type. 4", self.page("rules.html").text)

    def test_vector_page(self):
        page = self.page("vector/v-wrong-value.html")
        for text in ("Changed victim.Size", "Expected reject (must)", "Source seen in real files", "Fault at 0x",
                     "event 3 went wrong: wrong-value", "./my-parser golden/alignment/v-wrong-value.etl"):
            self.assertIn(text, page.text)
        self.assertIn("alignment/family.recipe:17 , printed by conformance/show v-wrong-value", page.text)
        self.assertIn('<mark>aa</mark>', self.read("vector/v-wrong-value.html"))
        self.assertIn("inflated buffer b", self.page("vector/v-hang.html").text)

    def test_vectors_of_a_rule_lead_to_each_other(self):
        ids = {vector.json["id"] for vector, _ in self.pairs if vector.json["rule"] == "SIZ-001"}
        for rel in ("next", "prev"):
            turns = {one: [attrs["href"] for _, attrs in self.page(f"vector/{one}.html").tags if attrs.get("rel") == rel]
                     for one in ids}
            led_to = [f"{one}.html" for one in ids if [f"{one}.html"] in turns.values()]
            self.assertEqual((1, len(ids) - 1), (list(turns.values()).count([]), len(led_to)))

    def test_vector_page_is_small(self):
        self.assertLess(max(len(data) for name, data in self.files().items() if name.startswith("vector/")), 14_000)

    def test_feed_has_dates_of_the_reports(self):
        root = ElementTree.fromstring(self.read("feed.xml"))
        entries = root.findall(f"{ATOM}entry")
        self.assertEqual([LATER, STARTED, STARTED], [entry.findtext(f"{ATOM}updated") for entry in entries])
        self.assertEqual(LATER, root.findtext(f"{ATOM}updated"))
        self.assertEqual(4, len({one.text for one in root.iter(f"{ATOM}id")}))
        text = entries[0].findtext(f"{ATOM}content")
        self.assertIn("Since 1.9: 1 better, 1 worse, 1 changed, 1 new.\nworse: v-crash: pass -> crash\n", text)
        self.assertIn("first report", entries[1].findtext(f"{ATOM}content"))
        for entry in entries:
            self.assertIn(entry.find(f"{ATOM}link").get("href"), self.files())

    def test_drawings_are_well_formed(self):
        for name in ("badge/toy.svg", "badge/old-reader.svg"):
            root = ElementTree.fromstring(self.read(name))
            self.assertEqual("{http://www.w3.org/2000/svg}svg", root.tag)
        for drawing in re.findall(r"<svg.*?</svg>", self.read("index.html") + self.read("parser/toy.html"), re.S):
            ElementTree.fromstring(drawing)
        self.assertIn("62.5 %", self.read("badge/toy.svg"))

    def test_same_reports_give_the_same_bytes(self):
        first = self.files()
        self.build(*reversed(self.reports))
        self.assertEqual(first, self.files())

    def test_data(self):
        data = json.loads(self.read("index.json"))
        self.assertEqual(["toy", "old-reader"], [parser["slug"] for parser in data["parsers"]])
        report = data["parsers"][1]["reports"][1]
        at = data["vectors"].index("v-oom")
        self.assertEqual(("1.9", "-"), (report["version"], report["verdicts"][at]))
        self.assertEqual("oom", data["letters"][data["parsers"][1]["reports"][0]["verdicts"][at]])
        self.assertEqual({"passed": 2, "applicable": 2}, data["parsers"][0]["reports"][0]["groups"]["size"])

    @unittest.skipUnless(jsonschema, "needs jsonschema (Debian: python3-jsonschema)")
    def test_data_matches_its_schema(self):
        check, data = validator("site"), json.loads(self.read("index.json"))
        check.validate(data)
        for name in data:
            self.assertFalse(check.is_valid({key: value for key, value in data.items() if key != name}), name)
        self.assertFalse(check.is_valid({**data, "letters": {".": "good"}}))

    def test_badge_is_an_endpoint(self):
        """The members that https://shields.io/badges/endpoint-badge requires."""
        self.assertEqual({"schemaVersion": 1, "label": "ETL conformance", "message": "62.5 %", "color": "yellow"},
                         json.loads(self.read("badge/toy.json")))


class ScoreTest(SiteCase):
    def test_no_share_is_rounded_to_all_or_nothing(self):
        self.assertEqual([0, 1, 50, 99, 100], [whole_percent(part, 1000) for part in (0, 1, 500, 999, 1000)])
        self.assertEqual(0, whole_percent(0, 0))

    def test_parser_that_was_asked_nothing(self):
        skipped = {result["id"]: "skip" for _, result in self.pairs}
        self.build(self.saved("shy", change=skipped))
        self.assertIn("no score: no vector is applicable", self.page("index.html").text)
        self.assertEqual("no score", json.loads(self.read("badge/shy.json"))["message"])
        self.assertIn("No rule is broken.", self.page("parser/shy.html").text)
        self.assertNotIn("side by side", self.page("index.html").text)

    def test_colours_of_badges(self):
        for passed, colour in ((1000, "brightgreen"), (999, "green"), (899, "yellow"), (599, "orange"), (299, "red")):
            report = mock.Mock(passed=passed, applicable=1000)
            self.assertEqual(colour, json.loads(badge.endpoint(report))["color"])

    def test_reports_of_parts_and_of_other_vectors(self):
        part = self.saved("part", filter="group=size", vectors=2, manifest_sha256="0" * 64)
        cut = self.saved("cut", vectors=1000)
        self.build(part, cut)
        self.assertIn("part 1.0 C · only group=size", self.page("index.html").text)
        self.assertIn("cut 1.0 C · cut short", self.page("index.html").text)
        self.assertIn("The run used other vectors than this site: 0 were not run, 0 no longer exist.",
                      self.page("parser/part.html").text)

    def test_vectors_that_are_gone(self):
        self.pairs[4][1]["id"] = "v-<gone>"
        self.build(self.saved("p", manifest_sha256="0" * 64))
        self.assertIn("1 were not run, 1 no longer exist", self.page("parser/p.html").text)
        self.assertIn("v-<gone>", self.page("parser/p.html").text)

    def test_trend_is_of_runs_over_the_same_vectors(self):
        self.build(self.saved("p", "1"), self.saved("p", "2", LATER, filter="group=size"))
        self.assertNotIn('class="trend"', self.read("index.html"))


class HostileTest(SiteCase):
    """All that a parser and its report decide is text."""

    def hostile(self, payload):
        for _, result in self.pairs:
            result.update(detail=payload, title=payload, command=payload, known=payload, stderr=payload, rule=payload,
                          group=payload, differences=[difference(payload, payload, payload, {"a": payload}, payload)])
        path = self.saved(payload, payload)
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        run = {**records[0], "filter": payload, "level": payload, "mode": payload, "policy": {payload: payload}}
        run["parser"] = {**run["parser"], "url": payload, "language": payload}
        run["limits"] = {"timeout": payload, "cpu": None, "memory": payload, "confined": payload}
        records[-1]["stale"] = [payload]
        return self.lines(os.path.basename(path), [run, *records[1:]])

    def test_nothing_harmful_reaches_a_file(self):
        for name in PAYLOADS.keys() - MARKDOWN_ONLY - {"line"}:
            payload, left = PAYLOADS[name]
            with self.subTest(payload=name):
                self.build(self.hostile(payload), self.saved("other"))
                for path, data in self.files().items():
                    self.assertRegex(path, r"^[A-Za-z0-9./_-]+$")
                    self.assertNotIn("..", path)
                    text = data.decode()
                    self.assertTrue(left is None or path == "index.json" or left not in text, path)
                    if path.endswith(".html"):
                        self.assertFalse([tag for tag, _ in Page(text).tags if tag in ("script", "img", "x")], path)
                ElementTree.fromstring(self.read("feed.xml"))
                json.loads(self.read("index.json"))

    def test_address_of_a_parser_is_a_link_only_to_the_web(self):
        path = self.hostile("javascript:alert(1)")
        self.build(path)
        for name, data in self.files().items():
            self.assertNotIn('href="javascript', data.decode(), name)

    def test_long_texts_are_cut(self):
        self.build(self.hostile("x/" * 50_000))
        self.assertLess(max(len(data) for name, data in self.files().items() if name.startswith("vector/")), 30_000)

    def test_whole_markup(self):
        self.build(self.hostile(EVIL))
        page = self.page("index.html")
        self.assertIn("</script><script>document.title=", page.text)
        self.assertNotIn("script", [tag for tag, _ in page.tags])

    def test_slugs(self):
        for name, slug in (("ETL parser/2", "etl-parser-2"), ("../A.b", "a.b"), ("C++", "c"), ("a.html", "a-html")):
            self.assertEqual(slug, slug_of(name))
        self.assertRegex(slug_of("读取器"), r"^parser-[0-9a-f]{8}$")
        self.assertRegex(slug_of("\ud800"), r"^parser-[0-9a-f]{8}$")
        self.assertRegex(slug_of("x" * 1000), r"^x{60}-[0-9a-f]{8}$")
        self.assertNotEqual(slug_of("x" * 1000), slug_of("x" * 1001))


class InputTest(SiteCase):
    def refused(self, code, *arguments):
        with self.assertRaises(Failure) as caught:
            self.build(*arguments)
        self.assertEqual(code, caught.exception.code)
        self.assertFalse(os.path.exists(self.site))
        return str(caught.exception)

    def test_two_parsers_with_one_slug(self):
        one, other = self.saved("A b"), self.saved("a/B")
        self.assertEqual(f"{other}: the parser a/B would have the page parser/a-b.html, as A b in {one} has; change one of "
                         "the names", self.refused(USAGE, one, other))

    def test_two_pairs_with_one_name(self):
        reports = [self.saved(name) for name in ("a", "b-and-c", "a-and-b", "c")]
        self.assertIn("compare/a-and-b-and-c.html: two pages", self.refused(USAGE, *reports))

    def test_report_that_is_given_twice(self):
        one, other = self.saved("a"), self.saved("a")
        self.assertIn(f"{other}: the run of a that started at {STARTED} is in {one} too", self.refused(USAGE, one, other))

    def test_reports_that_are_none(self):
        good = self.saved("a")
        with open(good, encoding="utf-8") as file:
            lines = file.read().splitlines()
        run, result = json.loads(lines[0]), json.loads(lines[1])
        for number, records, message in (
                (1, ["{"], "not JSON"), (1, [], "not a report"), (1, [{**run, "parser": []}], "has no name"),
                (1, [{**run, "parser": {"name": ""}}], "has no name"), (1, [{**run, "started": "today"}], '"started"'),
                (2, [run, {**result, "verdict": "good"}], 'unexpected value of "verdict"'),
                (3, [run, result, result], "a second result of the vector v-pass"),
                (2, [run, {**result, "differences": ["x"]}], "a difference is no object")):
            texts = [one if isinstance(one, str) else json.dumps(one) for one in records]
            path = self.file("bad.jsonl", "\n".join(texts) + "\n")
            said = self.refused(INPUT, path)
            self.assertTrue(said.startswith(f"{path}:{number}: ") and message in said, said)
        self.assertIn("cannot read", self.refused(INPUT, os.path.join(self.folder, "none.jsonl")))

    def test_exit_status(self):
        def ending(*arguments):
            done = subprocess.run([sys.executable, SITE, *arguments], capture_output=True, timeout=120, check=False,
                                  encoding="utf-8")
            self.assertNotIn("Traceback", done.stderr)
            return done.returncode, done.stderr + done.stdout
        self.assertEqual(USAGE, ending()[0])
        self.assertIn("Exit status: 0 built", ending("--help")[1])
        code, said = ending(self.saved("p"), "-o", self.site, "--golden", self.golden)
        self.assertEqual((0, True), (code, "index.html: " in said and " files, " in said), said)
        self.assertEqual(INPUT, ending("none", "-o", self.site)[0])

    def test_bug_is_an_internal_error(self):
        with mock.patch.object(feed, "write", side_effect=ZeroDivisionError), mock.patch("sys.stderr"):
            code = site_command.main([self.saved("p"), "-o", self.site, "--golden", self.golden])
        self.assertEqual(INTERNAL, code)
        self.assertFalse(os.path.exists(self.site) or os.path.exists(self.site + site_folder.NEW))


class CauseTest(SiteCase):
    def causes(self, text, name="p.json"):
        folder = os.path.join(self.folder, "causes")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            whole = {"parsers": [name.removesuffix(".json")], "causes": text}
            file.write(text if isinstance(text, str) else json.dumps(whole))
        return folder

    def test_causes_on_pages(self):
        other = {**CAUSE, "id": "other", "title": "Other <b>", "vectors": ["v-hang"], "smallest": "v-hang"}
        folder = self.causes([{**CAUSE, "vectors": ["v-c*"]}, other])
        self.assertEqual("", self.build(self.saved("p"), "--causes", folder))
        text = self.page("parser/p.html").text
        self.assertIn("2 causes explain 2 of 7 failures, 28.6 %", text)
        self.assertIn("A size is not checked 1 failure, 14.3 % Two lines. Where src/a.c:7 Smallest v-crash Expected "
                      "reject Actual a crash Fix Check it. Rules BUF-001 1", text.replace(" , ", ", "))
        self.assertIn("Other <b> 1 failure, 14.3 %", text)
        self.assertIn("Cause: A size is not checked", self.page("vector/v-crash.html").text)
        self.assertIn("../parser/p.html#cause-other", self.page("vector/v-hang.html").links)
        self.assertIn("Cause: Other <b>", self.page("vector/v-hang.html").text)
        self.assertNotIn("Cause:", self.page("vector/v-oom.html").text)

    def explained(self, *entries):
        """The vectors that each entry explains."""
        parsers = load_parsers([self.saved("p")])
        add_causes(self.causes([{**CAUSE, "id": f"c{at}", **entry} for at, entry in enumerate(entries)]), parsers)
        return [{result["id"] for result in cause.failures} for cause in parsers[0].causes]

    def test_the_first_that_fits_explains(self):
        self.assertEqual([{"v-crash", "v-hang"}], self.explained({}))
        self.assertEqual([{"v-hang"}, {"v-crash"}], self.explained({"vectors": ["v-h*"]}, {}))

    def test_every_list_must_match(self):
        failures = load_parsers([self.saved("p")])[0].newest.failures()
        everything = {"vectors": ["*"]}
        self.assertEqual([{"v-hang"}], self.explained({**everything, "verdicts": ["ha*"]}))
        self.assertEqual([set()], self.explained({"vectors": ["v-crash"], "verdicts": ["hang"]}))
        for result in failures:
            same = {other["id"] for other in failures if other["detail"] == result["detail"]}
            self.assertEqual([same], self.explained({**everything, "details": [result["detail"]]}))
        fields = {f"{difference['record']}.{difference['field'] or ''}": set() for result in failures
                  for difference in result["differences"]}
        self.assertNotEqual({}, fields)
        for field in fields:
            with_it = {result["id"] for result in failures if any(
                f"{one['record']}.{one['field'] or ''}" == field for one in result["differences"])}
            self.assertEqual([with_it], self.explained({**everything, "fields": [field]}))

    def test_two_parsers_share_causes(self):
        folder = self.causes(json.dumps({"parsers": ["p", "fork", "gone"], "causes": [CAUSE]}))
        self.assertEqual("", self.build(self.saved("p"), self.saved("fork"), "--causes", folder))
        for name in ("p", "fork"):
            self.assertIn("1 cause explains 2 of 7", self.page(f"parser/{name}.html").text)

    def test_warnings(self):
        folder = self.causes([{**CAUSE, "smallest": "v-oom"}, {**CAUSE, "id": "idle", "vectors": ["v-pass", "x*"]}])
        self.causes([], "q.json")
        said = self.build(self.saved("p"), "--causes", folder)
        self.assertEqual([f"conformance/site: warning: {folder}/{doubt}" for doubt in (
            "p.json: no-check does not explain its smallest vector, v-oom", "p.json: idle explains no failure",
            "q.json: no report is of q; there are p")], said.splitlines())

    def test_causes_of_the_suite(self):
        """Each file is sound, and the smallest vectors exist."""
        folder = os.path.join(os.path.dirname(SITE), "causes")
        vectors = {vector["id"] for vector in Golden(GOLDEN).vectors}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                whole = json.load(file)
            if jsonschema:
                validator("causes").validate(whole)
            self.assertEqual(set(), {cause["smallest"] for cause in whole["causes"]} - vectors, name)

    def test_files_that_are_wrong(self):
        """The schema and the code refuse the same files."""
        check = validator("causes") if jsonschema else None
        parsers = load_parsers([self.saved("p")])
        wholes = [(f": {said}", whole) for said, whole in (
            ("an object with", []), ("an object with", {"parsers": ["p"]}),
            ("an object with", {"parsers": ["p"], "causes": [], "x": 1}),
            ("\"parsers\" is no list", {"parsers": "p", "causes": []}),
            ("\"parsers\" is no list", {"parsers": [], "causes": []}),
            ("\"causes\" is no list", {"parsers": ["p"], "causes": {}}))]
        entries = [(": cause 1: ", {"parsers": ["p"], "causes": [wrong]}) for wrong in (
            1, {**CAUSE, "id": "No"}, {**CAUSE, "vectors": []}, {**CAUSE, "vectors": "v"}, {**CAUSE, "verdicts": [1]},
            {**CAUSE, "more": ""}, {**CAUSE, "fix": None}, {"id": "x"}, {**CAUSE, "id": 5})]
        for said, wrong in wholes + entries:
            with self.assertRaises(Failure) as caught:
                add_causes(self.causes(json.dumps(wrong)), parsers)
            self.assertEqual((INPUT, True), (caught.exception.code, f"p.json{said}" in str(caught.exception)),
                             str(caught.exception))
            if check:
                self.assertFalse(check.is_valid(wrong), wrong)

    def test_two_files_of_one_parser(self):
        self.causes([CAUSE])
        folder = self.causes(json.dumps({"parsers": ["p"], "causes": [CAUSE]}), "r.json")
        with self.assertRaises(Failure) as caught:
            add_causes(folder, load_parsers([self.saved("p")]))
        self.assertIn("r.json: a second file with causes of p", str(caught.exception))

    def test_files_that_are_no_json(self):
        parsers = load_parsers([self.saved("p")])
        for line, text in ((2, "[\n{]"), (1, ""), (1, "[" * 100_000)):
            with self.assertRaises(Failure) as caught:
                add_causes(self.causes(text), parsers)
            self.assertIn(f"p.json:{line}: not JSON", str(caught.exception))
        for wrong in ([CAUSE, CAUSE],):
            with self.assertRaises(Failure) as caught:
                add_causes(self.causes(wrong), parsers)
            self.assertIn("a second cause with the id no-check", str(caught.exception))
        with self.assertRaises(Failure):
            add_causes(os.path.join(self.folder, "none"), parsers)


class FolderTest(SiteCase):
    def put(self, name, text="x"):
        path = os.path.join(self.site, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def refused(self):
        before = self.files()
        with self.assertRaises(Failure) as caught:
            self.build(self.saved("p"))
        self.assertEqual(before, self.files())
        self.assertEqual(OUTPUT, caught.exception.code)
        return str(caught.exception)

    def test_site_is_replaced(self):
        os.mkdir(self.site)
        self.build(self.saved("p"))
        self.put("vector/of-an-old-site.html")
        self.build(self.saved("q"))
        self.assertNotIn("vector/of-an-old-site.html", self.files())
        self.assertNotIn("parser/p.html", self.files())
        for ending in (site_folder.NEW, site_folder.OLD):
            self.assertFalse(os.path.exists(self.site + ending))

    def test_nothing_else_is_replaced(self):
        self.put("notes.txt")
        self.assertIn("notes.txt in it is not of a site", self.refused())

    def test_site_with_other_files_is_not_replaced(self):
        self.build(self.saved("p"))
        self.put(".git/config")
        self.assertIn(".git in it is not of a site", self.refused())

    def test_folder_that_looks_like_a_site(self):
        self.put("index.html")
        self.put("index.json", "{}")
        self.assertIn("its index.json is not of a site", self.refused())

    def test_file_in_its_place(self):
        with open(self.site, "w", encoding="utf-8") as file:
            file.write("x")
        self.assertIn("cannot be replaced by a site", self.refused())

    def test_failure_leaves_the_old_site(self):
        self.build(self.saved("p"))
        before = self.files()
        with mock.patch.object(feed, "write", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.build(self.saved("q"))
        self.assertEqual(before, self.files())
        self.assertFalse(os.path.exists(self.site + site_folder.NEW))

    def test_rest_of_a_build_that_was_killed(self):
        self.build(self.saved("p"))
        os.rename(self.site, self.site + site_folder.OLD)
        os.makedirs(os.path.join(self.site + site_folder.NEW, "vector"))
        self.build(self.saved("p"))
        self.assertIn("index.html", self.files())
        self.assertFalse(os.path.exists(self.site + site_folder.OLD))
        shutil.copytree(self.site, self.site + site_folder.OLD)
        self.build(self.saved("q"))
        self.assertIn("parser/q.html", self.files())


class MarkupTest(unittest.TestCase):
    def test_bytes_of_a_window(self):
        vector = victim_vector("v", size=4)
        annotated = byte_windows.Annotated(vector.json, vector.image, tables.load_tables())
        window, = annotated.windows(byte_windows.marks_of(vector.json, {}, annotated), 3)
        markup = window_markup(window)
        shown = "".join(re.findall(r"<span class=\"r-[^\"]*\">([0-9a-f ]+)</span>", markup)).replace(" ", "")
        self.assertEqual(vector.image[window["at"]:window["at"] + 112].hex(), shown)
        self.assertEqual(["04 00"], re.findall(r"<span class=\"[^\"]* fault\">([0-9a-f ]+)</span>", markup))
        self.assertIn('<em>Size</em>', markup)

    def test_mark_inside_a_member(self):
        vector = victim_vector("v")
        annotated = byte_windows.Annotated(vector.json, vector.image, tables.load_tables())
        at = int(vector.json["offset"]) + 0x18
        window, = annotated.windows([byte_windows.Mark("fault", at + 1, None)], 1)
        self.assertEqual([f"{vector.image[at + 1]:02x}"],
                         re.findall(r"<span class=\"[^\"]*fault\">([0-9a-f ]+)</span>", window_markup(window)))

    def test_expected_records_at_the_fault(self):
        events = [{"rec": "event", "offset": str(at), "size": 80, "index": str(at)} for at in (72, 152, 232)]
        expect = [{"rec": "trace"}, {"rec": "buffer", "offset": "0", "size": 1024}, *events,
                  *({"rec": "finding", "rule": f"SIZ-00{number}"} for number in range(9)), {"rec": "end"}]
        for offset, near in (("0", [expect[1]]), ("151", [events[0]]), ("152", [events[1]]), ("312", []), (None, [])):
            found = records_at_fault({"expect": expect, "offset": offset})
            self.assertEqual(["SIZ-000", "SIZ-001", "SIZ-002", "SIZ-003"], [record["rule"] for record in found[:4]])
            self.assertEqual([*near, expect[-1]], found[4:])

    def test_no_path_of_the_machine_is_shown(self):
        for text, shown in (
                ("/home/me/x/conformance/adapters/a.py golden/size/v.etl", "conformance/adapters/a.py golden/size/v.etl"),
                ("cat '../../../conformance/golden/v.etl' | /usr/bin/a -c x", "cat 'conformance/golden/v.etl' | a -c x"),
                ("\"C:\\Users\\A B\\reader.exe\" golden\\v.etl", "\"reader.exe\" golden\\v.etl"),
                ("C:\\tools\\reader.exe v.etl", "reader.exe v.etl"), ("'/opt/my tools/reader' v", "'reader' v"),
                ("in parse (/home/me/src/a.js:25): x", "in parse (a.js:25): x"), ("see https://example.org/a/b", None),
                ("1/2 and a/b/c and /x", None)):
            self.assertEqual(text if shown is None else shown, without_paths(text))

    def test_values_side_by_side(self):
        for expected, actual, marked in (("abcd", "abxd", ["c", "x"]), ("aa", "bb", []), ("same", "same", []),
                                         ("00112233", "00152233", ["11", "15"]),
                                         ("00112133", "00155133", ["1121", "1551"])):
            markup = difference_table([difference("1", "f", expected, actual, "8")], 3)
            self.assertEqual(marked, re.findall("<mark>(.*?)</mark>", markup))
        self.assertIn("and 2 more differences", difference_table([difference("1", "f", 1, 2, "8")] * 5, 3))

    def test_every_verdict_has_a_letter_in_the_data(self):
        letters = {verdict.letter or "." for verdict in columns.VERDICT_TABLE}
        self.assertEqual(len(columns.VERDICT_TABLE), len(letters - {"-"}))


if __name__ == "__main__":
    unittest.main()
