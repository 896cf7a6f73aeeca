# SPDX-License-Identifier: Apache-2.0
"""parser/NAME.html and parser/NAME/STARTED.html: one report of a parser, by group, by rule and by cause."""
from ..columns import FAILURES
from ..html_page import escape, percent, thousands
from ..value_text import shorten
from ..verdict_markup import (BY_NAME, bar, broken_rules, counts_of, counts_text, failures_how, is_link, link,
                              parser_heading, run_facts, score, stacked_bar, time_text)
from . import fuzzing_page
from .frame import Links, more, page, section, table
from .score_markup import legend, share_cell, verdict_key

EXAMPLES = 3    # vectors shown of a rule
CHANGES = 12    # vectors shown of a kind of change
KNOWN = 200     # known failures shown
LONGEST = 1500  # characters of a text of a cause


def write(site, parser, report, root="../"):
    """The page of a report; of the newest it is the page of the parser."""
    links = Links(site, root)
    body = f"""{_head(site, parser, report)}
{_versions(parser, report, links)}
{_causes(parser, report, links)}
{section("By group", _groups(site, report, links) + legend(report.results, links))}
{_rules(site, report, links)}
{fuzzing_page.summary(parser, links) if report is parser.newest else ""}
{_known(report, links)}
{_others(site, parser, links)}
{_badge(parser, links) if report is parser.newest else ""}"""
    return page(f"{report.name} {report.version}".strip(), links, body)


def _head(site, parser, report):
    newest = f'<p class="note">An older run. <a href="../{parser.slug}.html">The newest</a></p>'
    notes = ("" if report is parser.newest else newest) + _other_vectors(site, report)
    return f"""<header><p class="kicker">Parser</p><div class="top"><h1>{parser_heading(report.run)}</h1>
<p class="score">{score(report.passed, report.applicable)}</p></div>
{bar(report.counts, counts_text(report.counts))}
<p class="facts">{run_facts(report.run, report.summary, report.results)}</p>
<p class="facts">{_limits(report.run)}</p>{notes}</header>"""


def _limits(run):
    limits = run.get("limits")
    if not isinstance(limits, dict):
        return ""
    facts = [f"{limits['timeout']:g} s a file" if isinstance(limits.get("timeout"), (int, float)) else None,
             f"{limits['cpu']:g} s of processor time" if isinstance(limits.get("cpu"), (int, float)) else None,
             f"{limits['memory']} MiB" if limits.get("memory") else None,
             f"confined: {limits['confined']}" if limits.get("confined") else None]
    return "Limits: " + " <i>·</i> ".join(escape(fact) for fact in facts if fact)


def _other_vectors(site, report):
    if report.run.get("manifest_sha256") == site.golden.manifest_sha256:
        return ""
    gone = sum(result["id"] not in site.ids for result in report.results)
    added = len(site.ids) - (len(report.results) - gone)
    return (f'<p class="note">The run used other vectors than this site: {thousands(added)} were not run, '
            f"{thousands(gone)} no longer exist.</p>")


def _versions(parser, report, links):
    if len(parser.reports) < 2:
        return ""
    rows = "".join(_version_row(parser, one, report, links) for one in reversed(parser.reports))
    heads = ("Version", "Run", "Passed", "Against the version before")
    return section("Versions", table("versions", heads, rows) + _changes(parser, report, links))


def _version_row(parser, one, shown, links):
    name = escape(one.version or "no version")
    linked = f"<b>{name}</b>" if one is shown else links.report(parser, one, name)
    before = parser.before(one)
    kinds = one.changes_since(before) if before else {}
    against = ", ".join(f"{thousands(len(rows))} {kind}" for kind, rows in kinds.items() if rows) or "–"
    passed = f"{thousands(one.passed)} of {thousands(one.applicable)}"
    return (f'<tr><td>{linked}</td><td>{escape(time_text(one.started))}</td><td class="num">{passed} '
            f'<span class="soft">{percent(one.passed, one.applicable)}</span></td><td>{against}</td></tr>')


def _changes(parser, report, links):
    before = parser.before(report)
    if before is None:
        return ""
    changes = report.changes_since(before)
    return "".join(_change(kind, changes[kind], before, links) for kind in ("better", "worse") if changes[kind])


def _change(kind, rows, before, links):
    items = "".join(f"<li>{links.vector(result['id'])} <span class=\"soft\">{was['verdict']} → {result['verdict']}</span>"
                    "</li>" for was, result in rows[:CHANGES])
    name = escape(before.version or time_text(before.started))
    return (f"<details><summary>{thousands(len(rows))} {kind} than in {name}</summary>"
            f'<ul class="ids">{items}</ul>{more(len(rows) - CHANGES)}</details>')


def _causes(parser, report, links):
    if not parser.causes or report is not parser.newest:
        return ""
    failed = len(report.failures())
    explained = sum(len(cause.failures) for cause in parser.causes)
    ordered = sorted(parser.causes, key=lambda cause: (-len(cause.failures), cause.id))
    parts = [("v-pass", "explained", explained), ("v-unsupported", "not explained", failed - explained)]
    text = (f"{len(ordered)} {'cause explains' if len(ordered) == 1 else 'causes explain'} {thousands(explained)} of "
            f"{thousands(failed)} failures, {percent(explained, failed)}")
    cards = "".join(_cause(cause, failed, links) for cause in ordered)
    return section("Causes", f"{stacked_bar(parts, text)}\n{cards}", text, "causes")


def _cause(cause, failed, links):
    rows = [("Where", f"<code>{escape(cause.where)}</code>"), ("Smallest", links.vector(cause.smallest)),
            ("Expected", _text(cause.expected)), ("Actual", _text(cause.actual)), ("Fix", _text(cause.fix))]
    values = (cause.where, cause.smallest, cause.expected, cause.actual, cause.fix)
    facts = "".join(f"<dt>{name}</dt><dd>{markup}</dd>" for (name, markup), value in zip(rows, values) if value)
    rules = [f"{links.rule(rule)} {thousands(len(of))}" for rule, of, _ in broken_rules(cause.failures)[0]]
    note, plural = more(len(rules) - EXAMPLES), "failure" if len(cause.failures) == 1 else "failures"
    return f"""<article class="card" id="cause-{cause.id}"><div class="card-top"><h3>{escape(cause.title)}</h3>
<p class="of"><b>{thousands(len(cause.failures))}</b> {plural}, {percent(len(cause.failures), failed)}</p></div>
<p class="what">{_text(cause.text)}</p>
<dl class="facts-list">{facts}<dt>Rules</dt><dd>{", ".join(rules[:EXAMPLES]) or "none"} {note}</dd></dl></article>"""


def _text(text):
    return escape(shorten(text, LONGEST), "\n\t")


def _groups(site, report, links):
    counts = {group: counts_of(results) for group, results in report.in_groups().items()}
    verdicts = [name for name in BY_NAME if name != "pass" and report.counts[name]]
    heads = ["Group", "%", "Passed", "Verdicts", *(f'<th title="{name}">{verdict_key(name)}</th>' for name in verdicts)]
    rows = "".join(_group_row(group, counts[group], report.groups[group], verdicts, links)
                   for group in site.groups if group in counts)
    return table("groups", heads, rows)


def _group_row(group, counts, passed_of, verdicts, links):
    cells = "".join(f'<td class="num{"" if counts[name] else " soft"}">{thousands(counts[name])}</td>' for name in verdicts)
    passed, applicable = passed_of
    return f"""<tr id="group-{escape(group)}"><th scope="row">{links.group(group)}</th>
{share_cell(passed, applicable, group)}
<td class="num">{_passed(passed, applicable)}</td>
<td class="bar-cell">{bar(counts, counts_text(counts))}</td>{cells}</tr>
"""


def _passed(passed, applicable):
    return f"{thousands(passed)} of {thousands(applicable)}" if applicable else "not applicable"


def _rules(site, report, links):
    broken, total = broken_rules(report.results)
    rows = "".join(_rule(site, *row, links) for row in broken)
    found = table("rules cards", ("Rule", "Failing", "Verdicts", "Statement and vectors"), rows)
    return section("Broken rules", found or '<p class="soft">No rule is broken.</p>',
                   f"{len(broken)} of {total}, the worst first", "rules")


def _rule(site, rule, failed, total, links):
    statement = site.rules[rule].statement if rule in site.rules else ""
    examples = ", ".join(links.vector(result["id"]) for result in failed[:EXAMPLES])
    return f"""<tr><td>{links.rule(rule)}</td><td class="num">{thousands(len(failed))} of {thousands(total)}</td>
<td class="how-cell">{failures_how(counts_of(failed))}</td>
<td>{escape(statement)}<small>{examples} {more(len(failed) - EXAMPLES)}</small></td></tr>
"""


def _known(report, links):
    known = [result for result in report.results if result.get("known") and result["verdict"] in FAILURES]
    items = "".join(f"<li>{links.vector(result['id'])} <span class=\"soft\">{result['verdict']}</span> "
                    f"{_issue(result['known'])}</li>" for result in known[:KNOWN])
    return section("Known failures", f'<ul class="ids">{items}</ul>{more(len(known) - KNOWN)}' if known else "",
                   thousands(len(known)))


def _issue(text):
    shown = escape(shorten(text, 120))
    return link(text, shown) if is_link(text) else shown


def _others(site, parser, links):
    others = [links.compare(parser, other, escape(other.name)) for other in site.parsers if other is not parser]
    return section("Compared with", f'<p class="pairs">{" ".join(others)}</p>' if others else "")


def _badge(parser, links):
    name = f"badge/{parser.slug}"
    return section("Badge", f"""<p class="soft"><a href="{links.root}{name}.svg">{name}.svg</a>, or
<a href="{links.root}{name}.json">{name}.json</a> for the endpoint badge of shields.io.</p>""")
