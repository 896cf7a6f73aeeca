# SPDX-License-Identifier: Apache-2.0
"""Numbers as records spell them. Whether one is a string or not, and of which base, is no matter of the trace."""
import re

# Not what starts with zeros: those are the bytes of a payload.
_NUMBER = re.compile(r"(?:0x[0-9a-fA-F]{1,16}|-?(?:0|[1-9][0-9]{0,19}))\Z")


def number(value):
    """The number that a value spells, or None."""
    if type(value) is int:
        return value
    if isinstance(value, str) and _NUMBER.match(value):
        return int(value, 16 if value[:2] == "0x" else 10)
    return None


def same(expected, actual):
    """Equal, or the same number spelt otherwise."""
    if expected == actual:
        return True
    spelt = number(expected)
    return spelt is not None and spelt == number(actual)


def key(value):
    """By which a value is found, however it is spelt. A parser may say anything, lists too."""
    spelt = number(value)
    return str(value) if spelt is None else spelt
