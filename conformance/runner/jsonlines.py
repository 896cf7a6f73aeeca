# SPDX-License-Identifier: Apache-2.0
"""Reads JSON that a parser printed: strictly, fast, and with the number of the line that is wrong."""
import json
import math


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def _fraction(text):
    """A number too large for a double is kept as text, so that the report can show it."""
    number = float(text)
    return number if math.isfinite(number) else text


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_fraction)
# Output may nest deeper than Python can recurse.
_ERRORS = (ValueError, RecursionError)
_DEPTH_MAX = 64  # the code behind this cannot recurse as deep as the decoder
VALUES_MAX = 16 << 20  # about 1 GB of memory if all are short, fifty times their text


class NotJson(Exception):
    """The message has what is wrong, and where."""


def decode(text, values=VALUES_MAX):
    _check_size(text, values)
    try:
        return _decode(text)
    except _ERRORS as error:
        raise NotJson(str(error)) from error


def _check_size(text, values):
    if sum(map(text.count, ",[{\n")) > values:
        raise NotJson(f"more than {values:,} values")


def _decode(text):
    value = _DECODER.decode(text)
    level = [[value]]
    for _ in range(_DEPTH_MAX + 1):
        level = [inner for outer in level for inner in (outer.values() if type(outer) is dict else outer)
                 if type(inner) in (dict, list)]
        if not level:
            return value
    raise ValueError(f"nested deeper than {_DEPTH_MAX}")


def decode_lines(data, values=VALUES_MAX):
    """The objects of JSON Lines, from bytes, with at most so many values. Decodes all lines at once; only if that fails,
    one by one, to find the line. Windows programs may print a byte order mark first."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8: {error}") from error
    _check_size(text, values)
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    try:
        objects = _decode("[" + ",".join(lines) + "]")
    except _ERRORS:
        objects = None
    if objects is None or len(objects) != len(lines):
        objects = [_decode_line(number, line) for number, line in enumerate(lines, 1)]
    for number, item in enumerate(objects, 1):
        if not isinstance(item, dict):
            raise NotJson(f"line {number} is not an object: {lines[number - 1][:60]}")
    return objects


def _decode_line(number, line):
    try:
        return _decode(line)
    except _ERRORS as error:
        raise NotJson(f"line {number} is not JSON ({error}): {line[:60]}") from error
