# SPDX-License-Identifier: Apache-2.0
"""rules.html, all rules with their coverage, and rule/ID.html, a rule with its vectors and who breaks it."""
from .. import columns
from ..html_page import escape, thousands
from ..verdict_markup import bar, counts_of, counts_text
from .frame import Links, fact_list, page, section, table, turn
from .score_markup import legend, share_cell, verdict_key


def _results(parser, vectors):
    """{vector: result of the newest report}, without vectors that the report lacks."""
    by_id = parser.newest.by_id
    return {vector["id"]: by_id[vector["id"]] for vector in vectors if vector["id"] in by_id}


# --- rules.html ---

def write_all(site):
    links = Links(site, "")
    groups = dict.fromkeys(rule.group for rule in site.rules.values())
    sections = "".join(_group(site, group, links) for group in groups)
    body = f"""<header><h1>Rules</h1>
<p class="lead">{len(site.rules)} rules, and the share of their applicable vectors that each parser passes, in percent. A
rule of severity <i>structure</i> says how to read a file; no file violates it, and its vectors show who follows it.</p>
<p class="pairs">{" ".join(f'<a href="#{escape(group)}">{escape(group)}</a>' for group in groups)}</p></header>
{sections}"""
    return page("Rules", links, body)


def _group(site, group, links):
    parsers = (f'<th scope="col">{links.parser(parser)}</th>' for parser in site.parsers)
    rows = "".join(_row(site, rule, links) for rule in site.rules.values() if rule.group == group)
    found = table("heatmap wide", ("Rule", "Statement", "Vectors", *parsers), rows)
    return section(escape(group), found, "", escape(group))


def _row(site, rule, links):
    vectors = site.by_rule[rule.id]
    cells = "".join(share_cell(*columns.score(_results(parser, vectors).values()), parser.name) for parser in site.parsers)
    violating = sum(row.violating for row in site.coverage[rule.id])
    return f"""<tr><th scope="row">{links.rule(rule.id)}<small>{escape(rule.severity)}</small></th>
<td class="text">{escape(rule.statement)}</td>
<td class="num">{thousands(len(vectors))}<small>{thousands(violating)} {_kind(rule)}</small></td>{cells}</tr>
"""


# --- rule/ID.html ---

def write(site, rule, before, after):
    """`before` and `after`: the rules next to this one, or None."""
    links, vectors = Links(site, "../"), site.by_rule[rule.id]
    results = [(parser, _results(parser, vectors)) for parser in site.parsers]
    shown = [result for _, of in results for result in of.values()]
    recipes = "".join(_recipe(rule, row, vectors, results, links) for row in site.coverage[rule.id])
    neighbours = ((one.id, one.id) if one else None for one in (before, after))
    body = f"""<header><p class="kicker">Rule {turn(*neighbours)}</p><h1>{escape(rule.id)}</h1>
<p class="lead">{escape(rule.statement)}</p>{_facts(rule)}</header>
{section("Results by parser", _parsers(results, links))}
{section("Vectors", recipes and recipes + legend(shown, links), thousands(len(vectors)))}"""
    return page(f"{rule.id}: {rule.statement}", links, body)


def _facts(rule):
    severity = f"{rule.severity}: {rule.meaning}" if rule.meaning else rule.severity
    rows = [("Severity", severity), ("Layer", rule.layer), ("Group", rule.group), ("Value", rule.value),
            ("If violated", rule.effect if rule.severity != "structure" else ""), ("Source", rule.source)]
    return fact_list(rows)


def _parsers(results, links):
    rows = "".join(_parser(parser, of, links) for parser, of in results if of)
    return table("groups", ("Parser", "%", "Passed", "Verdicts"), rows)


def _parser(parser, results, links):
    counts, (passed, applicable) = counts_of(results.values()), columns.score(results.values())
    return f"""<tr><th scope="row">{links.parser(parser)}</th>{share_cell(passed, applicable, parser.name)}
<td class="num">{thousands(passed)} of {thousands(applicable)}</td>
<td class="bar-cell">{bar(counts, counts_text(counts))}</td></tr>
"""


def _recipe(rule, row, vectors, results, links):
    of = [vector for vector in vectors if vector["recipe"].rpartition(":")[0] == row.recipe]
    heads = ["Vector", "Expected", *(f'<th scope="col"><span>{escape(parser.name)}</span></th>' for parser, _ in results)]
    rows = "".join(_vector(vector, results, links) for vector in of)
    head = f'<h3><code>{escape(row.recipe)}</code> <span class="soft">{_count(rule, row)}</span></h3>\n'
    return head + table("verdicts", heads, rows)


def _count(rule, row):
    plural = "" if row.vectors == 1 else "s"
    return f"{thousands(row.vectors)} vector{plural}, {thousands(row.violating)} {_kind(rule)}"


def _kind(rule):
    """What the vectors that are no valid edge do. No file violates a rule that says how to read."""
    return "depend on it" if rule.severity == "structure" else "violate it"


def _vector(vector, results, links):
    cells = "".join(_verdict(parser, of.get(vector["id"])) for parser, of in results)
    return f"""<tr><td>{links.vector(vector["id"])}<small>{escape(vector["title"])}</small></td>
<td>{escape(vector["verdict"])}</td>{cells}</tr>
"""


def _verdict(parser, result):
    if result is None:
        return "<td></td>"
    label = escape(f"{parser.name}: {result['verdict']}")
    return f'<td title="{label}" aria-label="{label}">{verdict_key(result["verdict"])}</td>'
