# SPDX-License-Identifier: Apache-2.0
"""Numbers in records: a JSON number, or a string in decimal or hex. All spellings of a number are equal."""
import re

# A text with leading zeros is no number: it is the hex of bytes.
_NUMBER = re.compile(r"(?:0x[0-9a-fA-F]{1,16}|-?(?:0|[1-9][0-9]{0,19}))\Z")


def number(value):
    """The value as a number, or None if it is none."""
    if type(value) is int:
        return value
    if isinstance(value, str) and _NUMBER.match(value):
        return int(value, 16 if value[:2] == "0x" else 10)
    return None


def same(expected, actual):
    """Whether the values are equal, or the same number in two spellings."""
    if expected == actual:
        return True
    spelt = number(expected)
    return spelt is not None and spelt == number(actual)


def key(value):
    """A dictionary key that is the same for all spellings of a number. The value may be anything, such as a list."""
    spelt = number(value)
    return str(value) if spelt is None else spelt
