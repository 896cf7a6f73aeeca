# SPDX-License-Identifier: Apache-2.0
"""Reads the format's .def tables, so that no fact of the format is typed in Python.

rows() gives the rows of one macro of any .def file; load_tables() gives the facts that byte_windows.py needs to name
the bytes of a vector. scripts/ reads its facts through rows() too.
"""
import os
import re
from typing import NamedTuple

FORMAT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "decoder", "format")

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s",()]+)|([,()])')
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|/\*.*?\*/', re.S)


def _arguments(text, at):
    """The arguments of the macro whose opening parenthesis ends at `at`. Adjacent strings are joined, as in C."""
    arguments, words, depth = [], [], 1
    for token in _TOKEN.finditer(text, at):
        string, word, sign = token.groups()
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0 or (sign == "," and depth == 1):
            arguments.append("".join(words))
            words = []
            if depth == 0:
                break
        else:
            words.append(re.sub(r"\\(.)", r"\1", string) if string is not None else word or sign)
    return arguments


def rows(folder, name, macro):
    """The rows of `macro` in the table folder/name, as lists of texts in the order of the file."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        text = _COMMENT.sub(lambda match: match[1] or "", file.read())
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    return [_arguments(text, match.end()) for match in re.finditer(rf"\b{macro}\(", text)]


class HeaderType(NamedTuple):
    name: str          # of TRACE_HEADER_TYPE
    layout: str        # the row of layouts.def
    pointer_size: int  # 0 if the type does not determine it


class MessageOption(NamedTuple):
    bit: int           # of OptionFlags
    name: str
    size: int          # bytes of the part
    unless: int        # the option that stores its part instead, if it is set too; 0: none


class Tables(NamedTuple):
    """The facts that byte_windows.py needs to name the bytes of a vector."""
    structures: dict    # name: (size, [(offset, size, member)])
    header_types: dict  # HeaderType: HeaderType row
    markers: dict       # MarkerFlags: name, of the whole bytes that the format knows
    layouts: dict       # layout: structure
    options: list       # MessageOption rows of the optional parts of a MESSAGE, in file order
    rules: dict         # rule: statement
    compared: dict      # rule: what the expected and the actual value of its findings are, such as "BufferSize"
    payload_rules: frozenset  # rules about the fields of payloads

    def place(self, structure, member):
        """(offset, size) of a member in its structure."""
        return next((offset, size) for offset, size, name in self.structures[structure][1] if name == member)

    def message_parts(self, word):
        """The MessageOption rows of the parts that a MESSAGE with OptionFlags `word` stores, in file order."""
        return [option for option in self.options if word & option.bit and option.size and not word & option.unless]

    def header_type(self, marker, type_byte):
        """The HeaderType of a header: the type that its marker is named after, if there is one, else the type byte."""
        name = self.markers.get(marker)
        return next((value for value, row in self.header_types.items() if row.name == name), type_byte)


def load_tables(folder=FORMAT):
    """Empty tables if there is no such folder, as where the suite was copied without the decoder. Raises OSError if the
    folder lacks a table."""
    if not os.path.isdir(folder):
        return Tables({}, {}, {}, {}, [], {}, {}, frozenset())
    kinds = {row[0]: int(row[1], 0) for row in rows(folder, "member_kinds.def", "ETL_MEMBER_KIND")}
    structures = {row[0]: (int(row[1], 0), []) for row in rows(folder, "structures.def", "ETL_STRUCTURE")}
    for structure, member, offset, kind in rows(folder, "structures.def", "ETL_MEMBER"):
        structures[structure][1].append((int(offset, 0), kinds[kind], member))
    header_types = rows(folder, "header_types.def", "ETL_HEADER_TYPE")
    options = rows(folder, "message_options.def", "ETL_MESSAGE_OPTION")
    rules = rows(folder, "rules.def", "ETL_RULE")
    return Tables(
        structures,
        {int(row[0], 0): HeaderType(row[1], row[2], int(row[3], 0)) for row in header_types},
        {int(row[0], 0): row[1] for row in rows(folder, "marker_flags.def", "ETL_MARKER")},
        {row[0]: row[1] for row in rows(folder, "layouts.def", "ETL_LAYOUT")},
        [MessageOption(int(row[0], 0), row[1], int(row[2], 0), int(row[3], 0)) for row in options],
        {row[1]: row[5] for row in rules}, {row[1]: row[6] for row in rules},
        frozenset(row[1] for row in rules if row[3] == "PAYLOAD"))
