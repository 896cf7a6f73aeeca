# SPDX-License-Identifier: Apache-2.0
"""badge/NAME.svg and badge/NAME.json: the score of a parser for the README of its project."""
import json

from ..columns import score_text
from ..html_page import escape, percent

LABEL = "ETL conformance"
# Least share in percent, colour of shields.io, the same colour for the drawing.
_COLOURS = ((100, "brightgreen", "#3d7a00"), (90, "green", "#567600"), (60, "yellow", "#8a6d00"), (30, "orange", "#a85a10"),
            (0, "red", "#b03a2e"))
_NO_SCORE = ("lightgrey", "#6b6b6b")
_CHAR = 6.6     # units that a character takes at most, in a font of 11
_MARGIN = 6


def _message(report):
    return percent(report.passed, report.applicable) if report.applicable else "no score"


def _colours(report):
    if not report.applicable:
        return _NO_SCORE
    return next(names for least, *names in _COLOURS if 100 * report.passed >= least * report.applicable)


def endpoint(report):
    """The badge for the endpoint of shields.io."""
    badge = {"schemaVersion": 1, "label": LABEL, "message": _message(report), "color": _colours(report)[0]}
    return json.dumps(badge) + "\n"


def svg(report):
    message, colour = _message(report), _colours(report)[1]
    left, right = (round(len(text) * _CHAR + 2 * _MARGIN) for text in (LABEL, message))
    label = escape(f"{LABEL}: {score_text(report.passed, report.applicable)}")
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{label}">
<title>{label}</title>
<clipPath id="round"><rect width="{left + right}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="{left}" height="20" fill="#444"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
{_text(LABEL, 0, left)}{_text(message, left, right)}</g>
</svg>
"""


def _text(text, left, width):
    """textLength keeps the text inside, whatever font there is."""
    return f'<text x="{left + width / 2:g}" y="14" textLength="{width - 2 * _MARGIN}">{escape(text)}</text>\n'
