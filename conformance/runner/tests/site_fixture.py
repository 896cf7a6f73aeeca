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
from .html_fixture import RUN, difference, every_verdict
from .runner_fixture import RunnerCase

STARTED = "2026-03-01T09:30:00Z"
LATER = "2026-04-01T09:30:00Z"
LIMITS = {"timeout": 10.0, "cpu": 10.0, "memory": 1024, "unenforced": [], "confined": "bwrap"}

# What scripts/fuzz-parser writes: the run, progress, the end, and findings.
FUZZED = {"rec": "run", "version": 1, "engine": "mutator",
          "parser": {"name": "old reader", "version": "2.0", "records": {"event": ["size"]}},
          "mode": "one-shot", "command": ["./old"], "seed": 1, "seeds": "0" * 16, "most": 65536, "level": "must",
          "policy": {"reader-limit": "any"}, "limits": {"timeout": 10.0, "cpu": 10.0, "memory": 1024, "unenforced": []}}
BATCH = {"rec": "batch", "next": 2, "at": 0, "mutants": 1234, "either": 56}
SUMMARY = {"rec": "summary", "mutants": 1234, "resumed": 0, "either": 56, "findings": {"crash": 1, "wrong-value": 1},
           "seconds": 60.4, "interrupted": False, "text": ""}


def _finding(verdict, number, rule="SIZ-001", **more):
    name = f"{verdict}-{number:012x}.etl"
    return {"rec": "finding", "key": [verdict, "event", "", rule], "verdict": verdict, "detail": f"detail {number}",
            "rule": rule, "record": "event", "field": "", "offset": None, "expected": "accept", "differences": [],
            "stderr": "", "mutant": "m-1.etl", "origin": "mutate", "size": 80, "whole_size": 2048, "trimmed": True,
            "repeats": True, "path": f"/somewhere/else/findings/{name}", "command": f"./old {name}", **more}


VALUE = _finding("wrong-value", 1, differences=[difference("3", "size", 32, 48, "96")])
CRASH = _finding("crash", 2, rule="-")
FOUND = [FUZZED, VALUE, CRASH, BATCH, SUMMARY]


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

    def state(self, records, name="old reader", data=b"ETL"):
        """Writes a state of scripts/fuzz-parser, with `data` as the file of each finding. Returns the folder of states."""
        place = os.path.join(self.folder, "states", name)
        os.makedirs(os.path.join(place, "findings"), exist_ok=True)
        text = "".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in records)
        self.file(os.path.join(place, "report.jsonl"), text)
        for record in records:
            if isinstance(record, dict) and record.get("rec") == "finding":
                with open(os.path.join(place, "findings", os.path.basename(record["path"])), "wb") as file:
                    file.write(data)
        return os.path.join(self.folder, "states")

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
