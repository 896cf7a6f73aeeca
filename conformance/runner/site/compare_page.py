# SPDX-License-Identifier: Apache-2.0
"""compare/A-and-B.html: which vectors one of two parsers passes and the other fails."""
from ..columns import FAILURES
from ..html_page import escape, thousands
from ..verdict_markup import stacked_bar
from .frame import Links, more, page, section, table

EXAMPLES = 5  # vectors shown of a rule
_BOTH, _FIRST, _SECOND, _NEITHER = range(4)


def write(site, one, other):
    links = Links(site, "../")
    pairs = _judged(one.newest, other.newest)
    names = [escape(parser.name) for parser in (one, other)]
    body = f"""<header><p class="kicker">Compared</p>
<h1>{links.parser(one)} <i class="soft">and</i> {links.parser(other)}</h1>
<p class="lead">{_summary(pairs, names)}</p>{_bar(pairs, names)}{_legend(names)}</header>
{section("By group", _groups(site, pairs, names))}
{_only(site, pairs, _FIRST, names, links)}
{_only(site, pairs, _SECOND, names[::-1], links)}"""
    return page(f"{one.name} and {other.name}", links, body)


def _judged(one, other):
    """[(result of one, result of other, outcome)] of the vectors that both were asked about."""
    pairs = []
    for result in one.results:
        second = other.by_id.get(result["id"])
        if second and _asked(result) and _asked(second):
            outcome = (result["verdict"] != "pass") + 2 * (second["verdict"] != "pass")
            pairs.append((result, second, (_BOTH, _SECOND, _FIRST, _NEITHER)[outcome]))
    return pairs


def _asked(result):
    return result["verdict"] == "pass" or result["verdict"] in FAILURES


def _counts(pairs):
    outcomes = [outcome for _, _, outcome in pairs]
    return [outcomes.count(outcome) for outcome in (_BOTH, _FIRST, _SECOND, _NEITHER)]


def _summary(pairs, names):
    if not pairs:
        return "No vector is applicable to both."
    both, first, second, neither = map(thousands, _counts(pairs))
    return (f"Of {thousands(len(pairs))} vectors that are applicable to both, {both} pass with both, {first} only with "
            f"{names[0]}, {second} only with {names[1]}, and {neither} with neither.")


def _bar(pairs, names):
    """`names` are markup already; the bar escapes its labels, so it gets plain words."""
    both, first, second, neither = _counts(pairs)
    parts = [("c-both", "both", both), ("c-first", "only the first", first), ("c-second", "only the second", second),
             ("c-neither", "neither", neither)]
    return stacked_bar(parts, f"both {both}, only the first {first}, only the second {second}, neither {neither}")


def _legend(names):
    labels = (("c-both", "both pass"), ("c-first", f"only {names[0]}"), ("c-second", f"only {names[1]}"),
              ("c-neither", "neither"))
    return '<p class="legend">' + "".join(f'<span><i class="{kind}"></i>{label}</span>' for kind, label in labels) + "</p>"


def _groups(site, pairs, names):
    by_group = {}
    for pair in pairs:
        by_group.setdefault(pair[0]["group"], []).append(pair)
    rows = "".join(_group_row(group, by_group[group]) for group in site.groups if group in by_group)
    return table("groups", ("Group", "", "Both", f"Only {names[0]}", f"Only {names[1]}", "Neither"), rows)


def _group_row(group, pairs):
    cells = "".join(f'<td class="num{"" if count else " soft"}">{thousands(count)}</td>' for count in _counts(pairs))
    return f'<tr><th scope="row">{escape(group)}</th><td class="bar-cell">{_bar(pairs, ())}</td>{cells}</tr>\n'


def _only(site, pairs, outcome, names, links):
    """The vectors that only one parser passes, by rule."""
    by_rule = {}
    for one, other, of in pairs:
        if of == outcome:
            by_rule.setdefault(one["rule"], []).append(other if outcome == _FIRST else one)
    ordered = sorted(by_rule.items(), key=lambda row: (-len(row[1]), row[0]))
    rows = "".join(_rule_row(site, rule, failed, links) for rule, failed in ordered)
    total = sum(map(len, by_rule.values()))
    return section(f"Only {names[0]} passes", table("rules cards", ("Rule", "Vectors", "Statement and vectors"), rows),
                   f"{thousands(total)} vectors of {len(ordered)} rules, which {names[1]} fails")


def _rule_row(site, rule, failed, links):
    """`failed` are the results of the parser that fails."""
    statement = site.rules[rule].statement if rule in site.rules else ""
    items = ", ".join(f"{links.vector(result['id'])} <span class=\"soft\">{result['verdict']}</span>"
                      for result in failed[:EXAMPLES])
    rest = more(len(failed) - EXAMPLES, f" in {links.rule(rule)}")
    return f"""<tr><td>{links.rule(rule)}</td><td class="num">{thousands(len(failed))}</td>
<td>{escape(statement)}<small>{items} {rest}</small></td></tr>
"""
