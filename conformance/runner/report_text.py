# SPDX-License-Identifier: Apache-2.0
"""The report as text: the summary on the terminal, and report.txt with every failure."""
import functools
import os

from . import columns
from .columns import FAILURES, VERDICTS
from .html_page import clean
from .tables import load_tables
from .verdict import difference_text

IDS_SHOWN = 3
STDERR_LINES = 8  # shown from either end of standard error


def failures(results):
    """The failed results that are not known failures."""
    return [result for result in results if result["verdict"] in FAILURES and result["known"] is None]


@functools.cache
def rule_texts():
    """The statements of all rules; empty where the suite was copied without their table."""
    return load_tables().rules


def by_rule(results):
    """(rule, results), the rule with most results first."""
    rules = {}
    for result in results:
        rules.setdefault(result["rule"], []).append(result)
    return sorted(rules.items(), key=lambda row: (-len(row[1]), row[0]))


def verdict_counts(results):
    """`3 wrong-value, 1 crash`"""
    counts = {verdict: sum(result["verdict"] == verdict for result in results) for verdict in VERDICTS}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def parser_name(run):
    parser = run["parser"]
    return " ".join(filter(None, (parser["name"], parser.get("version"))))


def _text(lines):
    """One line for each: a line break in what a parser printed is escaped, so that it cannot add a line."""
    return "\n".join(clean(line, "\t") for line in lines).rstrip() + "\n"


def headline(run, results, summary):
    known = sum(result["known"] is not None for result in results)
    lines = [f"{parser_name(run)}: {columns.score_text(*columns.score(results))}, {len(results)} vectors in "
             f"{summary['seconds']:.1f} s"]
    lines += [f"  {count:6} {verdict}" for verdict, count in summary["counts"].items() if count]
    if known:
        lines.append(f"  {known:6} of the failures are known")
    unenforced = run["limits"]["unenforced"]
    if unenforced:
        lines.append(f"  limits not enforced on this system: {', '.join(unenforced)}")
    lines.append(f"  confined: {run['limits']['confined']}")
    return lines


def _rule_lines(results):
    lines = []
    for rule, group in by_rule(failures(results)):
        lines.append(f"{rule}  {len(group)} failed ({verdict_counts(group)}): {rule_texts().get(rule, group[0]['title'])}")
        lines += [f"    {result['id']}: {result['verdict']}: {result['detail']}" for result in group[:IDS_SHOWN]]
        if len(group) > IDS_SHOWN:
            lines.append(f"    and {len(group) - IDS_SHOWN} more")
    return lines


def _stale_lines(summary):
    return [f"known failure that no longer fails: {entry}" for entry in summary["stale"]]


def summary_text(run, results, summary, folder):
    """The summary at the end of a run."""
    lines = headline(run, results, summary)
    rules = _rule_lines(results)
    if rules:
        lines += ["", "Failures by rule:", *rules]
    stale = _stale_lines(summary)
    if stale:
        lines += ["", *stale]
    lines += ["", "Reports: " + os.path.join(folder, "report.html") + " (and .txt, .md, .xml, .jsonl)"]
    failed = failures(results)
    if failed:
        lines += ("First failure: " + failed[0]["command"]).split("\n")
    return _text(lines)


def _head_and_tail(lines):
    """The lines without those in the middle, if there are many: a stack may have its innermost frame at either end."""
    if len(lines) <= 2 * STDERR_LINES:
        return lines
    return [*lines[:STDERR_LINES], f"[... {len(lines) - 2 * STDERR_LINES} lines ...]", *lines[-STDERR_LINES:]]


def _result_lines(result):
    known = f" (known: {result['known']})" if result["known"] else ""
    lines = [f"{result['id']}: {result['verdict']}{known}", f"  {result['title']}",
             f"  rule {result['rule']}, expected {result['expected']}: {result['detail']}"]
    lines += [f"  {line}" for line in columns.lines(result)]
    lines += [f"  - {difference_text(difference)}" for difference in result["differences"]]
    if result.get("stderr"):
        lines += ["  standard error:", *(f"    {line}" for line in _head_and_tail(result["stderr"].strip().splitlines()))]
    return [*lines, *(f"  {line}" for line in result["command"].split("\n")), ""]


def write(run, results, summary, _vectors):
    lines = [*headline(run, results, summary), "", *_rule_lines(results), *_stale_lines(summary), ""]
    for result in results:
        if result["verdict"] in FAILURES:
            lines += _result_lines(result)
    lines += [f"{result['id']}: {result['verdict']}: {result['detail']}" for result in results
              if result["verdict"] in ("skip", "unsupported")]
    return _text(lines)
