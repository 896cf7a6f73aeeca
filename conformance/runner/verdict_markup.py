# SPDX-License-Identifier: Apache-2.0
"""Verdicts, scores and parsers as markup: what the HTML report and the pages of the site share. Their style is
verdict_markup.css."""
from . import columns
from .columns import FAILURES, VERDICT_TABLE
from .html_page import escape, percent, thousands

BY_NAME = {verdict.name: verdict for verdict in VERDICT_TABLE}


def counts_of(results):
    """{verdict: number of results}, every verdict in the order of the table."""
    counts = dict.fromkeys(BY_NAME, 0)
    for result in results:
        counts[result["verdict"]] += 1
    return counts


def counts_text(counts):
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "no vectors"


def stacked_bar(parts, label):
    """A bar of parts (class, name, count), as SVG: widths in HTML need style attributes, which the policy forbids."""
    total, at, drawn = sum(count for _, _, count in parts) or 1, 0.0, []
    for kind, name, count in parts:
        if count:
            width = 1000 * count / total
            drawn.append(f'<rect class="{kind}" x="{at:.2f}" width="{width:.2f}" height="10">'
                         f"<title>{escape(name)}: {thousands(count)}</title></rect>")
            at += width
    return (f'<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
            f'{"".join(drawn)}</svg>')


def bar(counts, label):
    """The bar of verdicts."""
    return stacked_bar([(f"v-{name}", name, count) for name, count in counts.items()], label)


def key(verdict, letter=None):
    """The coloured letter of a verdict. Its name must stand beside it, or be the title of an element around it."""
    return f'<span class="key v-{verdict.name}" aria-hidden="true">{verdict.letter if letter is None else letter}</span>'


def failures_how(counts):
    """The numbers of each verdict, with its letter."""
    return " ".join(f'<span class="how" title="{name}">{key(BY_NAME[name])}{thousands(count)}</span>'
                    for name, count in counts.items() if count)


def broken_rules(results):
    """[(rule, failed results, applicable)] of the broken rules, those with most failures first; and the number of rules."""
    rules = {}
    for result in results:
        rules.setdefault(result["rule"], []).append(result)
    broken = []
    for rule, of in rules.items():
        failed = [result for result in of if result["verdict"] in FAILURES]
        if failed:
            broken.append((rule, failed, columns.score(of)[1]))
    return sorted(broken, key=lambda row: (-len(row[1]), row[0])), len(rules)


def score(passed, applicable):
    if not applicable:
        return columns.score_text(passed, applicable)
    return (f'<b id="passed">{thousands(passed)}</b> of {thousands(applicable)} applicable\n'
            f'<span class="share">{percent(passed, applicable)} pass</span>')


def is_link(url):
    return isinstance(url, str) and url.startswith(("https://", "http://"))


def link(url, markup):
    """A link to a page of others, or the markup alone if the address is none that a browser may open."""
    return f'<a href="{escape(url)}" rel="noreferrer noopener">{markup}</a>' if is_link(url) else markup


def parser_heading(run):
    parser = run.get("parser") or {}
    version = f' <span class="version">{escape(parser["version"])}</span>' if parser.get("version") else ""
    return link(parser.get("url"), escape(parser.get("name") or "parser")) + version


def time_text(started):
    return str(started or "").replace("T", " ").replace("Z", " UTC")


def run_facts(run, summary, results):
    """The line below the title: when and how the run was made."""
    parser = run.get("parser") or {}
    facts = [time_text(run.get("started")), parser.get("language"), run.get("mode"),
             f"level {run['level']}" if run.get("level") else None]
    if summary and summary.get("seconds") is not None:
        facts.append(f"{float(summary['seconds']):.1f} s")
    if run.get("filter"):
        facts.append(f"only {run['filter']}")
    if isinstance(run.get("vectors"), int) and run["vectors"] > len(results):
        facts.append(f"cut short: {thousands(len(results))} of {thousands(run['vectors'])} vectors were run")
    return " <i>·</i> ".join(f"<span>{escape(fact)}</span>" for fact in facts if fact)
