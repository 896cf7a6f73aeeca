# SPDX-License-Identifier: Apache-2.0
"""feed.xml, an Atom feed: one entry for each report, with what got better and worse since the parser's report before it.
All dates come from the reports, so that the same reports give the same feed."""
import uuid

from ..columns import score_text
from ..html_page import escape

_SHOWN = 10     # vectors named of a kind of change
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://etlproof.invalid/conformance/site")


def write(site):
    reports = [(report.started, parser.slug, parser, report) for parser in site.parsers for report in parser.reports]
    ordered = sorted(reports, key=lambda row: row[:2], reverse=True)
    entries = "".join(_entry(parser, report) for _, _, parser, report in ordered)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>ETL conformance</title>
<id>urn:uuid:{_SPACE}</id>
<updated>{ordered[0][0]}</updated>
<author><name>conformance/site</name></author>
<link rel="alternate" href="index.html"/>
{entries}</feed>
"""


def _entry(parser, report):
    name = f"{report.name} {report.version}".strip()
    score = score_text(report.passed, report.applicable)
    before = parser.before(report)
    return f"""<entry>
<title>{escape(f"{name}: {score}")}</title>
<id>urn:uuid:{uuid.uuid5(_SPACE, f"{parser.slug} {report.started}")}</id>
<updated>{report.started}</updated>
<link rel="alternate" href="parser/{parser.slug}/{report.stamp}.html"/>
<content type="text">{escape(_changes(report, before) if before else "The first report of this parser.", chr(10))}</content>
</entry>
"""


def _changes(report, before):
    changes = report.changes_since(before)
    counts = ", ".join(f"{len(rows)} {kind}" for kind, rows in changes.items())
    lines = [f"Since {before.version or before.started}: {counts}."]
    for kind in ("worse", "better"):
        lines += [f"{kind}: {result['id']}: {was['verdict']} -> {result['verdict']}"
                  for was, result in changes[kind][:_SHOWN]]
        if len(changes[kind]) > _SHOWN:
            lines.append(f"{kind}: {len(changes[kind]) - _SHOWN} more")
    return "\n".join(lines)
