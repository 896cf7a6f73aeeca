# SPDX-License-Identifier: Apache-2.0
"""Scores of a site as markup: shaded cells, the trend of a parser's versions, the legend of verdicts."""
from ..columns import VERDICT_TABLE, score_text
from ..html_page import escape, percent, thousands
from ..verdict_markup import key

_WIDTH, _HEIGHT, _EDGE = 100, 28, 4  # of the drawing of a trend


def whole_percent(passed, applicable):
    """100 only if all pass, 0 only if none does, or none is applicable."""
    if passed in (0, applicable):
        return 100 if passed else 0
    return min(max(round(100 * passed / applicable), 1), 99)


def share_cell(passed, applicable, label, link=lambda markup: markup):
    """A table cell with the share as a number and a shade. `label` names its column, for narrow windows and for the tip."""
    shown = whole_percent(passed, applicable)
    kind, text = (f"s{shown // 10}", shown) if applicable else ("none", "–")
    tip = escape(f"{label}: {thousands(passed)} of {thousands(applicable)} applicable")
    markup = f'<span title="{tip}">{text}</span>'
    return f'<td class="heat {kind}" data-label="{escape(label)}">{link(markup) if applicable else markup}</td>'


def alarm_cell(count, verdict, label):
    """A cell with the number of crashes or the like, which stands out unless it is 0."""
    if not count:
        return f'<td class="alarm zero" data-label="{escape(label)}">0</td>'
    return f'<td class="alarm" data-label="{escape(label)}">{key(verdict)} <b>{thousands(count)}</b></td>'


def trend(reports):
    """A small drawing of the shares that pass, with the difference between the last two; nothing for a single report."""
    reports = [report for report in reports if report.applicable]
    if len(reports) < 2:
        return ""
    shares = [report.passed / report.applicable for report in reports]
    low, span, step = min(shares), (max(shares) - min(shares)) or 1, (_WIDTH - 2 * _EDGE) / (len(shares) - 1)
    points = [(_EDGE + number * step, _HEIGHT - _EDGE - (share - low) / span * (_HEIGHT - 2 * _EDGE))
              for number, share in enumerate(shares)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in points)
    label = escape(", ".join(f"{_version(report)}: {percent(report.passed, report.applicable)}" for report in reports))
    return (f'<svg class="trend" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
            f'<title>{label}</title><polyline points="{line}"/>{dots}</svg> {_step(shares, reports[-2])}')


def _version(report):
    return report.version or report.started


def _step(shares, before):
    points = round(100 * (shares[-1] - shares[-2]), 1)
    sign = "▲ +" if points > 0 else "▼ −" if points < 0 else "±"
    return f'<span class="step" title="percentage points since {escape(_version(before))}">{sign}{abs(points):.1f}</span>'


def legend(results, links):
    """The names of the letters of these results; the index explains them."""
    shown = {result["verdict"] for result in results}
    return '<p class="legend verdicts">' + "".join(
        f'<a href="{links.root}index.html#verdicts" title="{escape(verdict.text)}">'
        f"{verdict_key(verdict.name)} {verdict.name}</a>"
        for verdict in VERDICT_TABLE if verdict.name in shown) + "</p>"


def verdict_list():
    """What each verdict means."""
    return '<dl class="facts-list">' + "".join(
        f"<dt>{verdict_key(verdict.name)} {verdict.name}</dt><dd>{escape(verdict.text)}</dd>"
        for verdict in VERDICT_TABLE) + "</dl>"


def verdict_key(name):
    """The letter of a verdict; a tick for a pass, which has none."""
    verdict = next(verdict for verdict in VERDICT_TABLE if verdict.name == name)
    return key(verdict, verdict.letter or "✓")


def score_line(passed, applicable):
    if not applicable:
        return escape(score_text(passed, applicable))
    return (f'<b class="n">{thousands(passed)}</b> of {thousands(applicable)} applicable '
            f'<span class="pct">{percent(passed, applicable)}</span>')
