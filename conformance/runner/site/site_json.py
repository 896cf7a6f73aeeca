# SPDX-License-Identifier: Apache-2.0
"""index.json: all verdicts of a site for programs. schema/site.schema.json describes it.

The verdicts of a report are one string with a letter for each vector, in the order of `vectors`.
"""
import json

from ..columns import VERDICT_TABLE

KIND = "etlproof conformance site"
ABSENT = "-"    # the report lacks the vector
_LETTERS = {verdict.name: verdict.letter or "." for verdict in VERDICT_TABLE}


def write(site):
    ids = [vector["id"] for vector in site.golden.vectors]
    groups = {group: sum(vector["group"] == group for vector in site.golden.vectors) for group in site.groups}
    data = {"kind": KIND, "version": 1, "manifest_sha256": site.golden.manifest_sha256,
            "letters": {letter: name for name, letter in _LETTERS.items()},
            "groups": groups, "parsers": [_parser(parser, ids) for parser in site.parsers], "vectors": ids}
    return json.dumps(data, ensure_ascii=True, indent=0) + "\n"


def _parser(parser, ids):
    fuzzing = {"fuzzing": _fuzzing(parser)} if parser.fuzzing else {}
    return {"name": parser.name, "slug": parser.slug, "page": f"parser/{parser.slug}.html", **fuzzing,
            "reports": [_report(parser, report, ids) for report in reversed(parser.reports)]}


def _fuzzing(parser):
    fuzzing = parser.fuzzing
    return {"page": f"fuzz/{parser.slug}.html", "version": fuzzing.version, "engine": fuzzing.engine,
            "mutants": fuzzing.mutants, "counts": fuzzing.counts}


def _report(parser, report, ids):
    described = report.run["parser"]
    texts = {name: described[name] for name in ("version", "language", "url") if isinstance(described.get(name), str)}
    return {**texts, "started": report.started, "page": f"parser/{parser.slug}/{report.stamp}.html",
            "complete": report.summary is not None, "passed": report.passed, "applicable": report.applicable,
            "counts": report.counts,
            "groups": {group: {"passed": passed, "applicable": applicable}
                       for group, (passed, applicable) in sorted(report.groups.items())},
            "verdicts": "".join(_LETTERS[report.by_id[id_]["verdict"]] if id_ in report.by_id else ABSENT for id_ in ids)}
