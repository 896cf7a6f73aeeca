# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown, for an issue or a pull request: counts by group and failures by rule."""
from . import columns
from .report_text import by_rule, failures, parser_name, verdict_counts
from .columns import VERDICTS

_SHOWN = 20  # vectors a rule


def _cell(value):
    return " ".join(str(value).replace("|", "\\|").replace("<", "&lt;").replace("`", "'").split())


def _row(cells):
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _matrix(results, verdicts):
    lines = [_row(["group", "vectors", *verdicts]), "|---|" + "---:|" * (1 + len(verdicts))]
    groups = {}
    for result in results:
        groups.setdefault(result["group"], []).append(result["verdict"])
    for group, members in groups.items():
        lines.append(_row([group, len(members), *(members.count(verdict) or "" for verdict in verdicts)]))
    everything = [result["verdict"] for result in results]
    return [*lines, _row(["all", len(everything), *(everything.count(verdict) or "" for verdict in verdicts)])]


def _rule_section(rule, members):
    lines = ["", f"### {rule}: {verdict_counts(members)}", "",
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
             f"{len(results)} vectors, {summary['unexpected']} unexpected failures, {summary['seconds']:.1f} s, "
             f"{run['started']}.", "", *_matrix(results, verdicts)]
    failed = failures(results)
    if failed:
        lines += ["", "## Failures by rule"]
        for rule, members in by_rule(failed):
            lines += _rule_section(rule, members)
        lines += ["", "Reproduce the first one:", "", "    " + " ".join(failed[0]["command"].split("\n"))]
    known = [result for result in results if result["known"]]
    if known:
        lines += ["", "## Known failures", "", _row(["vector", "verdict", "issue"]), "|---|---|---|"]
        lines += [_row([result["id"], result["verdict"], result["known"]]) for result in known]
    if summary["stale"]:
        lines += ["", "## Known failures that no longer fail", ""]
        lines += [f"- `{_cell(entry)}`" for entry in summary["stale"]]
    return "\n".join(lines) + "\n"
