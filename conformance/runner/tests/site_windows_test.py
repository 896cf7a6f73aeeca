# SPDX-License-Identifier: Apache-2.0
"""windows.html: results of conformance/compare-tracerpt on the site."""
import json
import os
import shutil
import unittest

from ..failure import INPUT, Failure
from .html_fixture import EVIL
from .reports_test import jsonschema, validator
from .site_fixture import SiteCase


class WindowsTest(SiteCase):
    RESULT = {"kind": "etlproof tracerpt comparison", "version": 1,
              "file": "boot.etl", "bytes": 131072, "sha256": "0a" * 32, "windows": "10.0.19041",
              "etlproof": "etlproof 1.0", "agree": False, "events": 1234,
              "messages": {"etlproof": 5, "tracerpt": 6}, "fields": {"same": 789, "different": 11, "apart": 22},
              "differences": [{"title": "level differs", "count": 12, "first": ["event 2: 5", "event 3: 5"]}]}

    def results(self, *results):
        """A folder of results."""
        folder = os.path.join(self.folder, "results")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for number, result in enumerate(results):
            text = result if isinstance(result, str) else json.dumps(result)
            self.file(os.path.join("results", f"{number}.json"), text)
        return folder

    def test_page(self):
        agreed = {**self.RESULT, "file": "app.etl", "agree": True, "differences": []}
        self.build(self.saved("a"), "--tracerpt", self.results(self.RESULT, agreed))
        page = self.page("windows.html")
        for text in ("of 2 files", "app.etl 131,072 bytes", "10.0.19041 etlproof 1.0 1,234 6 5 of etlproof",
                     "789 22 not compared 12", "level differs 12 event 2: 5 event 3: 5 and 10 more"):
            self.assertIn(text, page.text)
        self.assertEqual(1, sum(link.startswith("#file-") for link in page.links))
        for name in ("index.html", "rules.html", "windows.html"):
            self.assertIn("windows.html", self.page(name).links)

    def test_no_page_without_results(self):
        self.build(self.saved("a"))
        self.assertNotIn("windows.html", self.files())
        self.assertNotIn("windows.html", self.page("index.html").links)

    def test_hostile_result(self):
        result = {**self.RESULT, **dict.fromkeys(("file", "sha256", "windows", "etlproof"), EVIL),
                  "differences": [{"title": EVIL, "count": 1, "first": [EVIL]}]}
        self.build(self.saved("a"), "--tracerpt", self.results(result))
        page = self.page("windows.html")
        self.assertEqual(7, page.text.count("</script><script>document.title="))
        self.assertNotIn("script", [tag for tag, _ in page.tags])

    def test_files_that_are_wrong(self):
        """The schema and the code refuse the same files."""
        check = validator("tracerpt") if jsonschema else None
        if check:
            check.validate(self.RESULT)
        for change in ({"kind": "x"}, {"version": 2}, {"file": 1}, {"bytes": -1}, {"bytes": True}, {"events": "1"},
                       {"messages": {"etlproof": 1}}, {"fields": []}, {"differences": {}}, {"differences": [{}]},
                       {"differences": [{"title": "a", "count": 1, "first": [1]}]}):
            folder = self.results({**self.RESULT, **change})
            with self.assertRaises(Failure) as caught:
                self.build(self.saved("a"), "--tracerpt", folder)
            self.assertEqual(INPUT, caught.exception.code)
            self.assertIn(os.path.join(folder, "0.json") + ": not a result of conformance/compare-tracerpt: ",
                          str(caught.exception))
            if check:
                self.assertFalse(check.is_valid({**self.RESULT, **change}), change)

    def test_files_that_are_no_json(self):
        for text in ("{", "[]", "[" * 100_000, '"\xff"'):
            with self.assertRaises(Failure) as caught:
                self.build(self.saved("a"), "--tracerpt", self.results(text))
            self.assertEqual(INPUT, caught.exception.code)
        with self.assertRaises(Failure):
            self.build(self.saved("a"), "--tracerpt", os.path.join(self.folder, "none"))


if __name__ == "__main__":
    unittest.main()
