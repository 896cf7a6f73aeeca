# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, for an issue or a pull request: counts by group and failures by rule."""
import re

from . import columns
from .html_page import clean
from .report_text import by_rule, failures, parser_name, rule_texts, verdict_counts
from .columns import VERDICTS

_SHOWN = 20  # vectors a rule
# Characters that start markup, a mention of a person (@) or an expression of a workflow ($).
_MARKUP = re.compile(r"[\\`*_\[\]|~]|[<&@$]")


def _escape(match):
    char = match[0]
    return f"&#{ord(char)};" if char in "<&@$" else "\\" + char


def _cell(value):
    return _MARKUP.sub(_escape, " ".join(clean(value, "\n\t").split()))


def _row(cells):
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _matrix(results, verdicts):
    groups = {}
    for result in results:
        groups.setdefault(result["group"], []).append(result)
    return [_row(["group", "vectors", "applicable", *verdicts]), "|---|" + "---:|" * (2 + len(verdicts)),
            *(_matrix_row(group, members, verdicts) for group, members in (*groups.items(), ("all", results)))]


def _matrix_row(group, results, verdicts):
    counts = [sum(result["verdict"] == verdict for result in results) for verdict in verdicts]
    return _row([group, len(results), columns.score(results)[1], *(count or "" for count in counts)])


def _rule_section(rule, members):
    statement = rule_texts().get(rule)
    lines = ["", f"### {rule}: {verdict_counts(members)}", "", *([_cell(statement), ""] if statement else []),
             _row(["vector", "verdict", "what", "offset", *columns.labels()]),
             "|---|---|---|---:|" + "---|" * len(columns.labels())]
    lines += [_row([result["id"], result["verdict"], result["detail"], result["offset"] or "",
                    *(text for _, text in columns.labelled(result))])
              for result in members[:_SHOWN]]
    if len(members) > _SHOWN:
        lines += ["", f"and {len(members) - _SHOWN} more."]
    return lines


def write(run, results, summary, _vectors):
    verdicts = [verdict for verdict in VERDICTS if summary["counts"].get(verdict)]
    lines = [f"# {_cell(parser_name(run))}", "",
             f"**{columns.score_text(*columns.score(results))}**, {len(results)} vectors, {summary['unexpected']} "
             f"unexpected failures, {summary['seconds']:.1f} s, {run['started']}.", "", *_matrix(results, verdicts)]
    failed = failures(results)
    if failed:
        lines += ["", "## Failures by rule"]
        for rule, members in by_rule(failed):
            lines += _rule_section(rule, members)
        lines += ["", "Reproduce the first one:", "", "    " + clean(" ".join(failed[0]["command"].split("\n")))]
    known = [result for result in results if result["known"]]
    if known:
        lines += ["", "## Known failures", "", _row(["vector", "verdict", "issue"]), "|---|---|---|"]
        lines += [_row([result["id"], result["verdict"], result["known"]]) for result in known]
    if summary["stale"]:
        lines += ["", "## Known failures that no longer fail", ""]
        lines += [f"- {_cell(entry)}" for entry in summary["stale"]]
    return "\n".join(lines) + "\n"
