# SPDX-License-Identifier: Apache-2.0
"""Mutates the tables of structures in memory: each cell that decides what is read. A row of a member gets one change, in a
column chosen by the hash of its text, so that all columns are mutated and no row depends on another."""
import hashlib

from .table_operators import Table, rows_of

# The most similar kind that is read differently; BYTES for kinds without a row.
_OTHER_KIND = {"UNSIGNED": "SIGNED", "SIGNED": "UNSIGNED", "POINTER": "HANDLE", "FAST_REF": "POINTER",
               "BYTES": "LIST_ENTRY"}
_NONE = "NONE"
_UNTAKEN = "CONTRADICTED"
_PAGE = "PAGE"


class Facts:
    """What the rows of one table need from other tables: `texts` by name."""

    def __init__(self, texts):
        self.windows = [row[0] for row in rows_of(texts["windows.def"], "ETL_WINDOWS")]
        self.types = [row[0] for row in rows_of(texts["types.def"])]
        self.sizes = {row[0]: (row[3], row[4]) for row in rows_of(texts["types.def"])}
        self.taken = {row[0] for row in rows_of(texts["evidence.def"], "ETL_EVIDENCE") if row[1] == "1"}


def mutants_of(name, path, text, facts):
    """All mutants of a table of structures in memory."""
    found = _Layouts(path, text, facts)
    tables = {"types.def": found.types, "kinds.def": found.kinds, "meanings.def": found.meanings, "bits.def": found.bits,
              "structures.def": found.structures, "evidence.def": found.evidence}
    tables.get(name, found.members)()
    return found.found


class _Layouts(Table):
    def __init__(self, path, text, facts):
        super().__init__(path, text)
        self.facts = facts

    def members(self):
        """Mutants of accepted rows; rejected rows are only printed."""
        for row in self.rows:
            if row.macro != "ETL_MEMORY_MEMBER" or row[6] not in self.facts.taken:
                continue
            changes = [(self._type, (row, 1)), (self._since, (row, 2)), (self._until, (row, 3)), (self._take, (row, 6))]
            changes += [(self._shift_row, (row, number)) for number in (4, 5) if row[number] != _NONE]
            pick = hashlib.sha256(self.source.text[row.start:row.end].encode()).digest()[0]
            change, where = changes[pick % len(changes)]
            change(*where)

    def types(self):
        for row in self.rows:
            self._kind(row, 1)
            self._shift_row(row, 2)
            for number in (3, 4):
                if row[number] != _NONE:
                    self._shift_row(row, number, int(row[2]))  # each element is a byte longer

    def kinds(self):
        for row in self.rows:
            if row.macro == "ETL_MEMORY_PART":
                self._kind(row, 2)
                for number in (3, 4, 5, 6):
                    self._shift_row(row, number)

    def meanings(self):
        for row in self.rows:
            if row.macro == "ETL_MEMORY_MEANS":
                self._cell(row, 1, _NONE, row.macro)

    def bits(self):
        """Rejected rows are only mutated into accepted ones."""
        for row in self.rows:
            self._take(row, 6)
            if row[6] not in self.facts.taken:
                continue
            mask = int(row[1], 0)
            self._cell(row, 1, f"0x{mask << 1 & 0xFFFFFFFF or mask >> 1:08X}", row.macro)
            self._cell(row, 3, {"USED": "SPARE", "SPARE": "USED"}[row[3]], row.macro)
            self._since(row, 4)
            self._until(row, 5)

    def structures(self):
        for row in self.rows:
            if row.macro == "ETL_MEMORY_STRUCTURE":
                self._cell(row, 1, {"KERNEL": "USER", "USER": "KERNEL"}[row[1]], row.macro)
                continue
            self._since(row, 1)
            self._until(row, 2)
            for number in (3, 4):
                if row[number] != _NONE:
                    self._shift(row, number, 8, -8, word=row.macro)

    def evidence(self):
        for row in self.rows:
            if row.macro == "ETL_EVIDENCE":
                self._cell(row, 1, {"0": "1", "1": "0"}[row[1]], row.macro)
            else:
                self._take(row, 6)

    def _shift_row(self, row, number, step=1):
        self._shift(row, number, step, word=row.macro)

    def _kind(self, row, number):
        self._cell(row, number, _OTHER_KIND.get(row[number], "BYTES"), row.macro)

    def _type(self, row, number):
        """The next type that has another size in both architectures; kinds are in types.def."""
        types, sizes = self.facts.types, self.facts.sizes
        at = types.index(row[number])
        other = next(name for name in types[at + 1:] + types[:at]
                     if all(a != b for a, b in zip(sizes[name], sizes[row[number]])))
        self._cell(row, number, other, row.macro)

    # One version less, not more: no vector fails if a reader reports members that the structure does not have.
    def _since(self, row, number):
        self._version(row, number, 1)

    def _until(self, row, number):
        self._version(row, number, -1)

    def _version(self, row, number, step):
        windows = self.facts.windows
        at = windows.index(row[number]) + step
        if 0 <= at < len(windows):
            self._cell(row, number, windows[at], row.macro)

    def _take(self, row, number):
        self._cell(row, number, _UNTAKEN if row[number] in self.facts.taken else _PAGE, row.macro)
