# SPDX-License-Identifier: Apache-2.0
"""Writes numbers and bytes as a recipe does: as short as possible, and readable for a person."""
import functools
import re

KEPT = 1 << 15     # texts to cache: a trace is written about ten times until it is right
LINE = 32          # bytes of one hex("…"), so that a line stays readable
GROUP = 32         # pieces in one pair of parentheses: each ++ copies, and thousands in a row exhaust the builder's memory
LONG = 0x10000     # more bytes than this become one string, for the same reason
_RUN = 16          # equal bytes from which on fill() is used
_WORD = 6          # characters from which on a string is used

_MOST = 80         # characters of one string
_NOTABLE = re.compile(rb"(?P<byte>.)(?P=byte){%d,}|(?:[ -~]\0){%d,%d}(?:\0\0)?|[ -~]{%d,%d}\0?"
                      % (_RUN - 1, _WORD, _MOST, 2 * _WORD, _MOST), re.S)


def number(value, kind="U64"):
    """A number in a recipe: small ones and times in decimal, others in hex."""
    if value < 0:
        return str(value)
    return str(value) if value < 10 or kind.startswith("I") else f"0x{value:x}"


def quoted(text):
    """A string in a recipe; braces are escaped because they would begin variables."""
    escapes = {'"': '\\"', "\\": "\\\\", "{": "\\x7b", "}": "\\x7d"}
    return '"' + "".join(escapes.get(c, c if " " <= c <= "~" else f"\\x{ord(c):02x}") for c in text) + '"'


def guid(data):
    first = "-".join(data[at:end][::-1].hex() for at, end in ((0, 4), (4, 6), (6, 8)))
    return f'"{first}-{data[8:10].hex()}-{data[10:].hex()}"'


def member(data, kind):
    """The value of a member with these bytes."""
    if kind == "GUID":
        return guid(data)
    if kind == "WCHAR32":
        return _fixed_text(data)
    return number(int.from_bytes(data, "little", signed=kind.startswith("I")), kind)


def _fixed_text(data):
    """The value of a UTF-16 text in a field of fixed size."""
    text = data.decode("utf-16-le", "replace").rstrip("\0")
    size = 2 * len(text)
    if not any(data):
        return f"zeros({len(data)})"
    if all(" " <= c <= "~" for c in text) and size < len(data):
        return f"utf16({quoted(text)}) ++ zeros({len(data) - size})"
    return expression(data)


@functools.lru_cache(KEPT)
def expression(data):
    """Bytes as one expression, which may have several lines."""
    parts = pieces(data)
    if len(parts) > GROUP:
        parts = ["(" + " ++\n".join(parts[at:at + GROUP]) + ")" for at in range(0, len(parts), GROUP)]
    return " ++\n".join(parts)


def pieces(data):
    """The parts of an expression that are joined by ++, each short enough for a line."""
    if data and _counts(data):
        return [f"count({len(data)})"]
    if len(data) > LONG:
        return [f"fill({len(data)}, 0x{data[0]:02x})" if len(set(data)) == 1 else f'hex("{data.hex()}")']
    found, at = [], 0
    for match in _NOTABLE.finditer(data):
        found += _hex(data[at:match.start()]) + [_named(match[0])]
        at = match.end()
    return found + _hex(data[at:]) or ['hex("")']


def _counts(data):
    return len(data) > 2 and all(byte == (i + 1) & 0xFF for i, byte in enumerate(data))


def _named(run):
    if len(set(run)) == 1:
        return f"zeros({len(run)})" if run[0] == 0 else f"fill({len(run)}, 0x{run[0]:02x})"
    wide = run[1] == 0
    text = run[::2] if wide else run
    ended = text.endswith(b"\0")
    name = ("utf16" if wide else "ascii") + ("z" if ended else "")
    return "{}({})".format(name, quoted(text.rstrip(b"\0").decode("ascii")))


def _hex(data):
    return ['hex("{}")'.format(data[at:at + LINE].hex(" ")) for at in range(0, len(data), LINE)]
