# SPDX-License-Identifier: Apache-2.0
"""The reports of a site, by parser: several reports of one parser are its versions, ordered by the start of their runs."""
import re

from .. import columns, report_jsonl, report_comparison
from ..failure import INPUT, USAGE, Failure
from ..verdict_markup import counts_of
from ..value_text import shorten
from .slug import slug_of

NAME_MAX = 48   # characters of a name or version
_STARTED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class SiteReport:
    """A report with the sums that pages show."""

    def __init__(self, path, report):
        self.path, self.run, self.results, self.summary = path, report.run, report.results, report.summary
        self.started = self.run["started"]
        self.slug = slug_of(self.run["parser"]["name"])
        # On every page of a vector: a long name would fill the site.
        self.name = shorten(self.run["parser"]["name"], NAME_MAX)
        self.version = shorten(self.run["parser"].get("version") or "", NAME_MAX)
        self.by_id = {result["id"]: result for result in self.results}
        self.counts = counts_of(self.results)
        self.passed, self.applicable = columns.score(self.results)
        self.groups = {group: columns.score(results) for group, results in self.in_groups().items()}

    @property
    def stamp(self):
        """The start of the run as a file name, such as 20260101T120000Z."""
        return self.started.replace("-", "").replace(":", "")

    def in_groups(self):
        groups = {}
        for result in self.results:
            groups.setdefault(result["group"], []).append(result)
        return groups

    def failures(self):
        return [result for result in self.results if result["verdict"] in columns.FAILURES]

    def changes_since(self, old):
        """{kind: [(result before, result)]}: `better`, `worse` and `changed` of vectors in both reports, and `new`."""
        changes = {"better": [], "worse": [], "changed": [], "new": []}
        for result in self.results:
            before = old.by_id.get(result["id"])
            kind = report_comparison.kind_of_change(before, result) if before else "new"
            if kind:
                changes[kind].append((before, result))
        return changes


class Parser:
    """A parser with its reports, the oldest first."""

    def __init__(self, slug, reports):
        self.slug, self.reports = slug, sorted(reports, key=lambda report: (report.started, report.version))
        self.causes, self.fuzzing = [], None

    @property
    def newest(self):
        return self.reports[-1]

    @property
    def name(self):
        return self.newest.name

    def before(self, report):
        """The report before this one, or None."""
        at = self.reports.index(report)
        return self.reports[at - 1] if at else None

    def comparable(self):
        """The reports over the same selection of vectors as the newest: only their shares show a trend."""
        same = ("filter", "level")
        return [report for report in self.reports
                if all(report.run.get(name) == self.newest.run.get(name) for name in same)]


def load_parsers(paths):
    """The parsers of the reports in these files: the one that passes most vectors first."""
    by_slug = {}
    for path in paths:
        report = _load(path)
        by_slug.setdefault(report.slug, []).append(report)
    for slug, reports in by_slug.items():
        _check_same_parser(slug, reports)
    parsers = [Parser(slug, reports) for slug, reports in by_slug.items()]
    return sorted(parsers, key=lambda parser: (-parser.newest.passed, parser.slug))


def _load(path):
    report = report_jsonl.load(path)
    parser, started = report.run["parser"], report.run["started"]
    if not isinstance(parser, dict) or not isinstance(parser.get("name"), str) or not parser["name"]:
        raise Failure(INPUT, f"{path}:1: the parser has no name")
    if not isinstance(started, str) or not _STARTED.fullmatch(started):
        raise Failure(INPUT, f"{path}:1: \"started\" is no time such as 2026-01-31T12:00:00Z")
    if report.summary is not None and not isinstance(report.summary.get("seconds", 0), (int, float)):
        raise Failure(INPUT, f"{path}: \"seconds\" of the summary is no number")
    _check_ids(path, report.results)
    return SiteReport(path, report)


def _check_ids(path, results):
    seen = set()
    for number, result in enumerate(results, 2):
        if result["id"] in seen:
            raise Failure(INPUT, f"{path}:{number}: a second result of the vector {result['id']}")
        seen.add(result["id"])
        if not all(isinstance(difference, dict) for difference in result["differences"]):
            raise Failure(INPUT, f"{path}:{number}: a difference is no object")


def _check_same_parser(slug, reports):
    for report in reports[1:]:
        first = reports[0]
        if report.run["parser"]["name"] != first.run["parser"]["name"]:
            raise Failure(USAGE, f"{report.path}: the parser {report.name} would have the page parser/{slug}.html, as "
                                 f"{first.name} in {first.path} has; change one of the names")
    starts = {}
    for report in reports:
        other = starts.setdefault(report.started, report)
        if other is not report:
            raise Failure(USAGE, f"{report.path}: the run of {report.name} that started at {report.started} is in "
                                 f"{other.path} too; give each report once")
