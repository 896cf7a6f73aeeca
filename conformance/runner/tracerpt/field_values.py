# SPDX-License-Identifier: Apache-2.0
"""Compares the fields of a payload: values of decode records with the text of tracerpt.

tracerpt pads integers with spaces, prints some in hexadecimal, and others as names, times, accounts or addresses, as the
machine it runs on describes them. Only what it prints as a number, a text, a GUID or bytes can be compared.
"""
import math
import re

SAME, DIFFERENT, APART = "same", "different", "apart"
_INTEGER = re.compile(r"0[xX][0-9A-Fa-f]+|-?[0-9]+")
_REAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def compare_fields(ours, theirs):
    """(SAME, DIFFERENT or APART, name, etlproof's value, tracerpt's text) of each field. APART: of one side, or printed in
    a form that is not compared."""
    texts = {}
    for name, text in theirs:
        texts.setdefault(name, []).append(text)
    for field in ours:
        name = field["name"]
        values, printed = _scalars(field), texts.pop(name, [])
        if len(values) != len(printed):
            yield APART, name, None, None
            continue
        for value, text in zip(values, printed):
            yield _verdict(value, field.get("type", ""), text), name, value.get("text", value["value"]), text
    for name in texts:
        yield APART, name, None, None


def _scalars(field):
    """The values of the field, or of the elements of an array; none of a structure."""
    return [one for one in field.get("elements", [field]) if "value" in one]


def _verdict(field, in_type, text):
    value = field["value"]
    if text in (value, field.get("text")):
        return SAME
    same = _same_text(value, text) if "STRING" in in_type else _same_value(value, field.get("size", 8), text.strip())
    return APART if same is None else SAME if same else DIFFERENT


def _same_text(value, text):
    """None if XML cannot hold the text."""
    return None if _NOT_IN_XML.search(value) else value.replace("\r\n", "\n") == text


def _same_value(value, size, text):
    """None if the text is in another form than the value."""
    if isinstance(value, bool):
        return {"true": value, "false": not value}.get(text.lower())
    if isinstance(value, float):
        return math.isclose(value, float(text), rel_tol=1e-5, abs_tol=1e-6) if _REAL.fullmatch(text) else None
    ours, theirs = _integer(str(value)), _integer(text)
    if ours is not None and theirs is not None:
        return (ours - theirs) % (1 << 8 * size) == 0   # either may be signed
    return True if str(value) == text.strip("{}").lower() else None


def _integer(text):
    return int(text, 16 if text[:2].lower() == "0x" else 10) if _INTEGER.fullmatch(text) else None
