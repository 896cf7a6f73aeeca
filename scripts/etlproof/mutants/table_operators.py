# SPDX-License-Identifier: Apache-2.0
"""Mutates the tables of the format, one row at a time, and the rules."""
import os
import re

from .c_source import Source
from .worlds import COMMAND_GROUP, world_of_layer

_ROW = re.compile(r"^(ETL_\w+)\(((?:.|\n(?=[ ]))*?)\)[ \t]*$", re.MULTILINE)
_CELL = re.compile(r'\s*("(?:\\.|[^"\\])*"|[^,()]*(?:\([^()]*\)[^,()]*)*)\s*(?:,|\Z)')
# The column of a table's value, and the C names of its rows. Only rows that the decode path names affect it.
_VALUES = {"buffer_flags.def": "ETL_BUFFER_FLAG_", "buffer_states.def": "ETL_BUFFER_STATE_",
           "buffer_types.def": "ETL_BUFFER_TYPE_", "clock_types.def": "ETL_CLOCK_TYPE_",
           "compression_formats.def": "ETL_COMPRESSION_FORMAT_", "event_flags.def": "ETL_EVENT_FLAG_",
           "header_types.def": "ETL_HEADER_TYPE_", "item_types.def": "ETL_ITEM_TYPE_",
           "logger_modes.def": "ETL_LOGGER_MODE_", "marker_flags.def": ("ETL_MARKER_", "ETL_MARKER_FLAG_"),
           "message_options.def": "ETL_MESSAGE_OPTION_", "version_word.def": "ETL_VERSION_MASK_"}
_LEAVE_OUT = """
static void leave_out(etl_findings *findings)
{{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->at[i].rule != ETL_RULE_{rule})
            findings->at[kept++] = findings->at[i];
    findings->count = kept;
}}
"""


class Row:
    """A row of a table: the name of its macro, and (start, end) of each cell in the text."""

    def __init__(self, text, match):
        self.text = text
        self.macro = match.group(1)
        self.start, self.end = match.span()
        self.cells = []
        at = match.start(2)
        while at < match.end(2):
            cell = _CELL.match(text, at, match.end(2))
            self.cells.append(cell.span(1))
            at = cell.end()

    def __getitem__(self, number):
        start, end = self.cells[number]
        return self.text[start:end].strip()


def rows_of(text, macro=None):
    return [row for row in (Row(text, match) for match in _ROW.finditer(text)) if macro in (None, row.macro)]


def members_of(structures):
    """The members of each structure, in order."""
    members = {}
    for row in rows_of(structures, "ETL_MEMBER"):
        members.setdefault(row[0], []).append(row[1])
    return members


def mutants_of(name, path, text, used):
    """All mutants of a table. `used` tests whether the decode path contains a word, or a match of a regular expression."""
    found = _Traces(path, text, used)
    {"structures.def": found.structures, "item_types.def": found.item_types, "in_types.def": found.in_types,
     "header_types.def": found.header_types,
     "message_options.def": found.message_options, "version_word.def": found.version_word,
     "layouts.def": found.layouts, "windows.def": found.windows}.get(name, lambda: None)()
    if name in _VALUES:
        found.values(_VALUES[name])
    return found.found


class Table:
    """A table, and the mutants found in it."""

    def __init__(self, path, text):
        self.source, self.rows = Source(path, text), rows_of(text)
        self.found = []

    def _cell(self, row, number, new, word=None):
        start, end = row.cells[number]
        end = start + len(self.source.text[start:end].rstrip())
        if new != self.source.text[start:end]:
            self.found.append(self.source.mutant("table", start, end, new, word=word))

    def _shift(self, row, number, *steps, word=None):
        value = int(row[number], 0)
        for step in steps:
            if value + step >= 0:
                self._cell(row, number, f"0x{value + step:X}" if row[number].startswith("0x") else str(value + step), word)


class _Traces(Table):
    def __init__(self, path, text, used):
        super().__init__(path, text)
        self.used = used

    def _swap(self, row, other, number):
        """Swaps a cell of two adjacent rows."""
        (start, end), (first, last) = row.cells[number], other.cells[number]
        text = self.source.text
        swapped = text[first:last] + text[end:first] + text[start:end]
        if row[number] != other[number]:
            self.found.append(self.source.mutant("table", start, last, swapped))

    def structures(self):
        for row, other in zip(self.rows, self.rows[1:]):
            alike = row.macro == other.macro == "ETL_MEMBER" and (row[0], row[3]) == (other[0], other[3])
            if alike and all(self.used(rf"\b{one[0]}, {one[1]}\b") for one in (row, other)):
                self._swap(row, other, 2)
        for row in self.rows:
            if row.macro == "ETL_STRUCTURE" and self.used(rf"ETL_SIZE\({row[0]}\)|{row[0]}\)"):
                self._shift(row, 1, 8, -8, word=row[0])
            if row.macro == "ETL_MEMBER" and self.used(rf"\b{row[0]}, {row[1]}\b"):
                self._shift(row, 2, 1, -1, word=row[0])

    def item_types(self):
        for row in self.rows:
            self._cell(row, 2, "U32" if row[2] != "U32" else "U64")
            # `most` counts units: it has no effect if there are none.
            for column in (3, 4, 5) if row[4] != "0" else (3, 4):
                self._shift(row, column, 1, -1)

    def in_types(self):
        forms = list(dict.fromkeys(row[2] for row in self.rows))
        for row in self.rows:
            self._cell(row, 2, forms[(forms.index(row[2]) + 1) % len(forms)])
            if row[2] == "FIXED":
                self._shift(row, 3, 1, -1)

    def header_types(self):
        layouts = list(dict.fromkeys(row[2] for row in self.rows))
        for row in self.rows:
            self._cell(row, 2, layouts[(layouts.index(row[2]) + 1) % len(layouts)])
            self._cell(row, 3, {"0": "4", "4": "8", "8": "4"}[row[3]])

    def layouts(self):
        for row in self.rows:
            self._cell(row, 2, f"({row[2]}) + 8")

    def message_options(self):
        for row, after in zip(self.rows, self.rows[1:]):
            text = self.source.text[after.start:after.end] + "\n" + self.source.text[row.start:row.end]
            self.found.append(self.source.mutant("table", row.start, after.end, text))
        for row in self.rows:
            self._shift(row, 2, 4, -4)
            if row[2] != "0":
                self._cell(row, 3, "0" if row[3] != "0" else "0x0020")

    def version_word(self):
        for row in self.rows:
            mask = int(row[0], 0)
            for other in (mask & (mask - 1), mask | (mask << 1) & 0xFFFF, mask | mask >> 1):
                self._cell(row, 0, f"0x{other:04X}")

    def windows(self):
        for row in self.rows:
            if row.macro == "ETL_WINDOWS_VERSION" and self.used(rf"\bETL_WINDOWS_VERSION_{row[0]}\b"):
                self._shift(row, 1, 1, -1)
                self._shift(row, 2, 1, -1)

    def values(self, prefixes):
        for row in self.rows:
            prefix = prefixes if isinstance(prefixes, str) else prefixes[row.macro == "ETL_MARKER_FLAG"]
            # PROPERTY rows of event_flags.def have names of their own.
            if row.macro + "_" == prefix and self.used(rf"\b{prefix}{re.escape(row[1])}\b"):
                self._shift(row, 0, 1, -1)


def rule_mutants(world, readers, rules_path, rules_text):
    """One mutant for each rule of a world: the reader drops the findings of that rule. `readers`: texts by name."""
    found = []
    for match in re.finditer(r'^ETL_RULE\((\w+), "([\w-]+)", (\w+), (\w+), (\w+),', rules_text, re.MULTILINE):
        _, _, group, layer, severity = match.groups()
        if world_of_layer(layer) is not world or severity == "STRUCTURE" or group == COMMAND_GROUP:
            continue
        outlet = world.outlet_of(match.group(2))
        if outlet is None:
            continue
        text = readers[outlet.reader]
        at = text.index(outlet.outlet)
        line = rules_text.count("\n", 0, match.start()) + 1
        new = text[at:].replace(outlet.outlet, outlet.inner) + _LEAVE_OUT.format(rule=match.group(1)) + outlet.filter
        source = Source(os.path.join(world.sources, outlet.reader), text)
        found.append(source.mutant("rule", at, len(text), new, rule=match.group(2), about=f"{rules_path}:{line}"))
    return found
