# SPDX-License-Identifier: Apache-2.0
"""A small site in a temporary folder: made-up vectors with every verdict, and reports of made-up parsers over them."""
import contextlib
import hashlib
import html.parser
import io
import json
import os

from ..columns import FAILURES
from ..report_jsonl import summarise
from ..site import site_command
from ..vectors import MANIFEST
from .html_fixture import RUN, every_verdict
from .runner_fixture import RunnerCase

STARTED = "2026-03-01T09:30:00Z"
LATER = "2026-04-01T09:30:00Z"
LIMITS = {"timeout": 10.0, "cpu": 10.0, "memory": 1024, "unenforced": [], "confined": "bwrap"}


class Page(html.parser.HTMLParser):
    """Start tags with their attributes, and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)
        self.close()
        self.ids = {attrs["id"] for _, attrs in self.tags if "id" in attrs}
        self.links = [attrs["href"] for tag, attrs in self.tags if tag in ("a", "link") and "href" in attrs]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


class SiteCase(RunnerCase):
    """self.site is the folder of the site, which build() makes from reports that saved() writes."""

    def setUp(self):
        super().setUp()
        self.pairs = every_verdict()
        rules = ("SIZ-001", "SIZ-002", "BUF-001")
        for number, (vector, result) in enumerate(self.pairs):
            vector.json["rule"] = result["rule"] = rules[number % 3]
        vectors = [dict(vector.json, layer="event") for vector, _ in self.pairs]
        self.write_golden(vectors, {vector.json["id"]: vector.image for vector, _ in self.pairs})
        with open(os.path.join(self.golden, MANIFEST), "rb") as file:
            self.manifest = hashlib.sha256(file.read()).hexdigest()
        self.site = os.path.join(self.folder, "site")

    def saved(self, name, version="1.0", started=STARTED, change=None, **more):
        """Writes a report with every verdict; `change` maps ids to other verdicts, or None for a vector that is missing."""
        change = change or {}
        results = [{**result, "verdict": change.get(result["id"], result["verdict"])} for _, result in self.pairs
                   if change.get(result["id"], "") is not None]
        parser = {"name": name, "version": version, "language": "C", "url": "https://example.org/", "records": {}}
        run = {**RUN, "parser": parser, "started": started, "limits": LIMITS, "vectors": len(results),
               "manifest_sha256": self.manifest, **more}
        return self.lines(f"{len(os.listdir(self.folder))}.jsonl", [run, *results, summarise(results, [], 1.5)])

    def lines(self, name, records):
        return self.file(name, "".join(json.dumps(record) + "\n" for record in records))

    def build(self, *arguments):
        """Builds the site in this process. Returns what is printed on standard error."""
        options = site_command.parse([*arguments, "-o", self.site, "--golden", self.golden, "--recipes", self.folder, "-q"])
        with contextlib.redirect_stderr(io.StringIO()) as said:
            site_command.build(options)
        return said.getvalue()

    def read(self, name):
        with open(os.path.join(self.site, *name.split("/")), encoding="utf-8") as file:
            return file.read()

    def page(self, name):
        return Page(self.read(name))

    def files(self):
        """{name: bytes} of the site."""
        found = {}
        for folder, _, names in os.walk(self.site):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.site).replace(os.sep, "/")] = file.read()
        return found

    def failed_ids(self):
        return [result["id"] for _, result in self.pairs if result["verdict"] in FAILURES]
