# SPDX-License-Identifier: Apache-2.0
"""index.html: which parser passes how much, in all and by group."""
from ..html_page import escape, thousands
from ..value_text import shorten
from ..verdict_markup import BY_NAME, bar, counts_text
from .frame import Links, page, section, table
from .score_markup import alarm_cell, legend, score_line, share_cell, trend, verdict_list
from .site_reports import NAME_MAX

ALARMS = (("crash", "Crashes"), ("hang", "Hangs"), ("oom", "Out of memory"), ("silent-loss", "Silent losses"))


def write(site):
    links = Links(site, "")
    body = f"""<header><h1>Which ETL parser reads what</h1>
<p class="lead">{thousands(len(site.golden.vectors))} small Windows trace files (.etl), each at the edge of one of
{len(site.rules)} rules of the format or breaking it once. {_count(site)} each of them, and every answer is compared with
the expected decode.</p></header>
{section("Scores", _scores(site, links) + _legend(site, links), "most files read as expected first")}
{section("By group of rules", _groups(site, links), "percent of the applicable files that pass; – not applicable")}
{section("Two parsers side by side", _pairs(site, links))}
{section("Verdicts", verdict_list(), "", "verdicts")}
{_foot(site)}"""
    return page("Which ETL parser reads what", links, body)


def _legend(site, links):
    return legend([result for parser in site.parsers for result in parser.newest.results], links)


def _count(site):
    return "One parser read" if len(site.parsers) == 1 else f"{len(site.parsers)} parsers read"


def _scores(site, links):
    shown = [alarm for alarm in ALARMS if alarm[0] != "oom" or any(parser.newest.counts["oom"] for parser in site.parsers)]
    trends = {parser.slug: trend(parser.comparable()) for parser in site.parsers}
    last = ["Trend"] if any(trends.values()) else []
    rows = "".join(_score_row(parser, links, shown, trends[parser.slug] if last else None) for parser in site.parsers)
    heads = ["Parser", "Passed", "Verdicts of all files", *(label for _, label in shown), *last]
    return table("scores cards", heads, rows)


def _score_row(parser, links, shown, drawn):
    report = parser.newest
    notes = (report.run["parser"].get("language"), _partial(report))
    about = " · ".join(escape(shorten(note, NAME_MAX)) for note in notes if note)
    version = f' <span class="version">{escape(report.version)}</span>' if report.version else ""
    alarms = "".join(alarm_cell(report.counts[name], BY_NAME[name], label) for name, label in shown)
    last = "" if drawn is None else f'<td class="trend-cell" data-label="Trend">{drawn}</td>'
    return f"""<tr><th scope="row">{links.parser(parser)}{version}<small>{about}</small></th>
<td class="score-cell">{score_line(report.passed, report.applicable)}</td>
<td class="bar-cell">{bar(report.counts, counts_text(report.counts))}</td>{alarms}{last}</tr>
"""


def _partial(report):
    """Why the report is not about all vectors, or ""."""
    if report.run.get("filter"):
        return f"only {report.run['filter']}"
    total = report.run.get("vectors")
    return "cut short" if isinstance(total, int) and total > len(report.results) else ""


def _groups(site, links):
    heads = ["", *(f'<th scope="col">{escape(group)}</th>' for group in site.groups)]
    rows = []
    for parser in site.parsers:
        cells = "".join(share_cell(*parser.newest.groups.get(group, (0, 0)), group, _to_group(links, parser, group))
                        for group in site.groups)
        rows.append(f'<tr><th scope="row">{links.parser(parser)}</th>{cells}</tr>\n')
    return table("heatmap", heads, "".join(rows))


def _to_group(links, parser, group):
    return lambda markup: links.parser(parser, f"#group-{escape(group)}", markup)


def _pairs(site, links):
    pairs = [links.compare(one, other, f"{escape(one.name)} <i>and</i> {escape(other.name)}")
             for one, other in site.pairs()]
    return f'<p class="pairs">{" ".join(pairs)}</p>' if pairs else ""


def _foot(site):
    starts = [parser.newest.started for parser in site.parsers]
    dates = " to ".join(dict.fromkeys(text[:10] for text in (min(starts), max(starts))))
    return f"""<footer><p>Runs of {dates}. Vectors: MANIFEST.tsv with SHA-256 {site.golden.manifest_sha256[:16]}….
<a href="rules.html">All rules</a>. <a href="index.json">The same data as JSON</a>.
<a href="feed.xml">What changed, as an Atom feed</a>.</p></footer>"""
