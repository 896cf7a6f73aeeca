# SPDX-License-Identifier: Apache-2.0
"""fuzz/NAME.html: what scripts/fuzz-parser found in a parser, each kind with the smallest file that shows it."""
from ..html_page import escape, thousands
from ..value_text import shorten
from ..verdict_markup import BY_NAME, bar, counts_text, failures_how
from .difference_markup import difference_table, without_paths
from .frame import Links, page, section, table

DETAIL = 300      # characters
DIFFERENCES = 3   # shown of a finding
HEADS = ("Rule", "File", "What differs")


def files(parser):
    """(name in the site, path) of the file of each finding."""
    return [(f"fuzz/{parser.slug}/{finding.file}", finding.path) for finding in parser.fuzzing.findings]


def summary(parser, links):
    """A section for the parser's page."""
    fuzzing = parser.fuzzing
    if fuzzing is None:
        return ""
    found = failures_how(fuzzing.counts) or "no finding"
    return section("Fuzzing", f"<p>{found}</p><p>{links.fuzzing(parser, 'Each finding with its smallest file')}</p>",
                   f"{_kinds(fuzzing)} in {thousands(fuzzing.mutants)} mutants", "fuzzing")


def _kinds(fuzzing, start="", end=""):
    count = len(fuzzing.findings)
    return f"{start}{thousands(count)}{end} {'kind of finding' if count == 1 else 'kinds of findings'}"


def write(site, parser):
    links, fuzzing = Links(site, "../"), parser.fuzzing
    title = f'{escape(parser.name)} <span class="version">{escape(shorten(fuzzing.version, 48))}</span>'
    sections = "".join(_verdict(parser, verdict, links) for verdict in fuzzing.counts)
    body = f"""<header><p class="kicker">Fuzzing</p><div class="top"><h1>{links.parser(parser, "", title)}</h1>
<p class="score">{_kinds(fuzzing, "<b>", "</b>")}</p></div>
{bar(fuzzing.counts, counts_text(fuzzing.counts))}
<p class="facts">{_facts(fuzzing)}</p>
<p class="lead">The parser and etlproof decoded mutants of traces. Each kind of difference or failure is here once, with the
smallest file that shows it; its rule is that of etlproof's first finding at that place.
<code>scripts/fuzz-parser --check FILE -- PARSER</code> compares both decodes of a file again, and
<code>etlproof map --hex FILE</code> names its bytes.</p></header>
{sections}"""
    return page(f"Fuzzing {parser.name}", links, body)


def _facts(fuzzing):
    facts = [f"{thousands(fuzzing.mutants)} mutants", f"engine {shorten(fuzzing.engine, 48)}"]
    if fuzzing.seconds is not None:
        facts.append(f"{fuzzing.seconds:,.0f} s")
    if fuzzing.either:
        facts.append(f"{thousands(fuzzing.either)} mutants touch open questions of the format: of these only crashes, "
                     "hangs and memory count")
    return " <i>·</i> ".join(f"<span>{escape(fact)}</span>" for fact in facts)


def _verdict(parser, verdict, links):
    found = [finding for finding in parser.fuzzing.findings if finding.verdict == verdict]
    rows = "".join(_row(parser, finding, links) for finding in found)
    return section(verdict, table("rules cards", HEADS, rows), f"{thousands(len(found))}: {BY_NAME[verdict].text}", verdict)


def _row(parser, finding, links):
    rule = links.rule(finding.rule) if finding.rule != "-" else "–"
    name = finding.file.removesuffix(".etl")
    size = f"{thousands(finding.size)} bytes"
    whole = f"of {thousands(finding.whole_size)}" if finding.size < finding.whole_size else ""
    once = "" if finding.repeats else "<small>not repeated when run alone</small>"
    detail = escape(shorten(without_paths(finding.detail), DETAIL))
    return f"""<tr id="{name}"><td>{rule}</td>
<td class="num"><a href="{parser.slug}/{finding.file}" download>{size}</a><small>{whole}</small></td>
<td>{detail}{once}{_differences(finding)}</td></tr>
"""


def _differences(finding):
    shown = difference_table(finding.differences, DIFFERENCES)
    return f"<details><summary>Expected and actual</summary>{shown}</details>" if finding.differences else ""
