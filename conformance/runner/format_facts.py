# SPDX-License-Identifier: Apache-2.0
"""Facts of the format by name: constants, structures and their members, header types. No Python file types such a fact.

The facts come from the rows of decoder/format, from which the C code is compiled too.
"""
import functools
from typing import NamedTuple

from . import tables as def_tables

# The structure of a member that is itself a structure, by its kind.
_NESTED = {"TIME_ZONE": "TIME_ZONE_INFORMATION", "SYSTEMTIME": "SYSTEMTIME"}


class Member(NamedTuple):
    name: str
    at: int        # in its structure
    size: int
    kind: str      # of member_kinds.def


@functools.cache
def tables():
    return def_tables.load_tables()


@functools.cache
def _rows(table, macro):
    return def_tables.rows(def_tables.FORMAT, table, macro)


@functools.cache
def constants(table, macro):
    """{name: value} of a table whose rows begin with a value and a name."""
    return {row[1]: int(row[0], 0) for row in _rows(table, macro)}


@functools.cache
def names(table, macro):
    """The names in a table whose rows begin with a value and a name, in the order of the table."""
    return [row[1] for row in _rows(table, macro)]


@functools.cache
def header_types_of(*layouts):
    """The header types of events with one of the layouts, ascending."""
    return tuple(sorted(number for number, row in tables().header_types.items() if row.layout in layouts))


@functools.cache
def windows_versions():
    """(major, minor) of each version of Windows that a logfile header states, the latest first."""
    return tuple((int(row[1]), int(row[2])) for row in reversed(_rows("windows.def", "ETL_WINDOWS_VERSION")))


@functools.cache
def item_type(number):
    """The name of an item type, or its number as a recipe writes it."""
    known = {value: name for name, value in constants("item_types.def", "ETL_ITEM_TYPE").items()}
    return known.get(number, f"(0x{number:02x})")


@functools.cache
def members(structure):
    """All members of a structure; those of nested structures are named like `TimeZone.Bias`."""
    found = []
    for name, member, at, kind in _rows("structures.def", "ETL_MEMBER"):
        if name == structure:
            outer = Member(member, int(at, 0), tables().place(structure, member)[1], kind)
            found += _nested_members(outer) if kind in _NESTED else [outer]
    return found


def _nested_members(outer):
    return [Member(f"{outer.name}.{inner.name}", outer.at + inner.at, inner.size, inner.kind)
            for inner in members(_NESTED[outer.kind])]


def size_of(structure):
    """Bytes of a structure of trace files."""
    return tables().structures[structure][0]


@functools.cache
def member(structure, name):
    """The bytes of a member in its structure, as a slice."""
    at, size = tables().place(structure, name)
    return slice(at, at + size)


def value(structure, name, data):
    """The number in a member of the structure at the start of the data."""
    return int.from_bytes(data[member(structure, name)], "little")


@functools.cache
def latest(prefix):
    """The last structure in the table whose name begins with `prefix`: that of the latest versions of Windows."""
    return [name for name in tables().structures if name.startswith(prefix)][-1]
