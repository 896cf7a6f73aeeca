# SPDX-License-Identifier: Apache-2.0
"""Values and texts of a parser as short texts, for reports that show a part of them."""
import json
import os

from .html_page import clean

BEFORE = 40  # characters of a long value before the first that differs


def shorten(text, most):
    text = str(text)
    shown = clean(text[:most], "\n\t")[:most]
    return shown if len(text) <= most else f"{shown}… ({len(text) - most:,} more characters)"


def _value_text(value):
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=True)


def beside(expected, actual, most):
    """Two values as texts; of long ones the part where they first differ. None stays None."""
    both = [_value_text(value) for value in (expected, actual)]
    known = [text for text in both if text is not None]
    same = len(os.path.commonprefix(known)) if len(known) == 2 else 0
    return [text if text is None else _around(text, same, most) for text in both]


def _around(text, place, most):
    if len(text) <= most:
        return clean(text, "\n\t")
    # An even start, so that no byte in hex is cut in two.
    start = max(0, min(place - BEFORE, len(text) - most)) & ~1
    end = min(len(text), start + most)
    head = f"({start:,} characters)…" if start else ""
    tail = f"…({len(text) - end:,} characters)" if end < len(text) else ""
    return head + clean(text[start:end], "\n\t") + tail
