# SPDX-License-Identifier: Apache-2.0
"""What a parser answered about a vector, as markup: differences side by side, and text without paths of the machine."""
import os
import re

from ..html_page import escape
from ..value_text import beside, shorten
from . import frame

_SEARCHED = 1000  # characters; the search in a hostile text takes time quadratic in its length
_VALUE = 160    # characters of a value
_RECORD = 90    # characters of a record that is missing, or is not in the file
_HEX = re.compile(r"(\([^)]*\)…)?[0-9a-f]{8,}(…\([^)]*\))?")
# The folder in front of conformance/, of other files between quotes, and of other files.
_PATHS = ((re.compile(r"[^\s'\"|]*/conformance/"), "conformance/"),
          (re.compile(r"""(["'])(?:/|[A-Za-z]:\\+)[^'"]*[/\\]([^'"/\\]+)\1"""), r"\1\2\1"),
          (re.compile(r"(?<![\w.:/-])/(?:[^\s'\"|/:]+/)+([^\s'\"|/]+)"), r"\1"),
          (re.compile(r"\b[A-Za-z]:\\+(?:[^\s'\"|\\]+\\+)*([^\s'\"|\\]+)"), r"\1"))


def without_paths(text):
    """The start of the text, with the names of files in place of their paths on the machine of the run."""
    text = text[:_SEARCHED]
    for pattern, replacement in _PATHS:
        text = pattern.sub(replacement, text)
    return text


def difference_table(differences, most):
    """The first differences; those left out are counted."""
    rows = "".join(_row(difference) for difference in differences[:most])
    left = len(differences) - most
    rest = f'<p class="more">and {left} more differences in report.jsonl</p>' if left > 0 else ""
    return frame.table("differences", ("Where", "Field", "Expected", "Actual"), rows) + rest


def _row(difference):
    record, index, offset = (difference.get(name) for name in ("record", "index", "offset"))
    where = " ".join(shorten(part, 40) for part in (record, index) if part is not None)
    at = f" at {int(offset):#x}" if isinstance(offset, str) and re.fullmatch("[0-9]{1,20}", offset) else ""
    field = difference.get("field")
    expected, actual = beside(difference.get("expected"), difference.get("actual"),
                              _RECORD if field is None else _VALUE)
    return (f"<tr><td>{escape(where)}<small>{at}</small></td><td>{'' if field is None else escape(shorten(field, 80))}</td>"
            f"{_value(expected, actual)}{_value(actual, expected)}</tr>\n")


def _value(own, other):
    """A value, with the part marked in which it differs from the other."""
    if own is None:
        return '<td class="soft">none</td>'
    start, end = _differing(own, other) if other is not None else (0, 0)
    parts = [escape(part, "\n\t") for part in (own[:start], own[start:end], own[end:])]
    return f'<td class="mono">{parts[0]}{f"<mark>{parts[1]}</mark>" if parts[1] else ""}{parts[2]}</td>'


def _differing(own, other):
    """(start, end) of the part of `own` between what both begin and end with; (0, 0) if they have nothing in common."""
    head = len(os.path.commonprefix([own, other]))
    tail = len(os.path.commonprefix([own[head:][::-1], other[head:][::-1]]))
    digits = _HEX.fullmatch(own)
    if digits and _HEX.fullmatch(other):
        # Whole bytes; the parentheses at either end say how much was cut off.
        head -= max(0, head - len(digits[1] or "")) % 2
        tail -= max(0, tail - len(digits[2] or "")) % 2
    return (head, len(own) - tail) if head + tail and own != other else (0, 0)
