# SPDX-License-Identifier: Apache-2.0
"""Facts of the format, read from the rows of decoder/format: structures and their members, markers, flags, names."""
import functools
from typing import NamedTuple

from runner import tables as def_tables


class Member(NamedTuple):
    name: str
    at: int        # in its structure
    size: int
    kind: str      # of member_kinds.def


@functools.cache
def tables():
    return def_tables.load_tables()


@functools.cache
def _kinds():
    """{(structure, member): kind}, which the runner has no use for and leaves out."""
    rows = def_tables.rows(def_tables.FORMAT, "structures.def", "ETL_MEMBER")
    return {(row[0], row[1]): row[3] for row in rows}


@functools.cache
def markers():
    """{name: MarkerFlags} of the whole bytes that the format knows."""
    return {row[1]: int(row[0], 0) for row in def_tables.rows(def_tables.FORMAT, "marker_flags.def", "ETL_MARKER")}


@functools.cache
def marker_bit(name):
    rows = def_tables.rows(def_tables.FORMAT, "marker_flags.def", "ETL_MARKER_FLAG")
    return next(int(row[0], 0) for row in rows if row[1] == name)


@functools.cache
def event_flag(name):
    rows = def_tables.rows(def_tables.FORMAT, "event_flags.def", "ETL_EVENT_FLAG")
    return next(int(row[0], 0) for row in rows if row[1] == name)


@functools.cache
def texts(table, macro):
    """The names in a table whose rows begin with a constant and a name, in its order."""
    return [row[1] for row in def_tables.rows(def_tables.FORMAT, table, macro)]


@functools.cache
def _item_types():
    return {int(row[0], 0): row[1] for row in def_tables.rows(def_tables.FORMAT, "item_types.def", "ETL_ITEM_TYPE")}


def item_type(number):
    """Its name, or the number as a recipe takes it."""
    return _item_types().get(number, f"(0x{number:02x})")


# The structures that a member of such a kind is.
_NESTED = {"TIME_ZONE": "TIME_ZONE_INFORMATION", "SYSTEMTIME": "SYSTEMTIME"}


@functools.cache
def members(structure):
    """All of a structure, those of nested ones as `TimeZone.Bias`."""
    found = []
    for at, size, name in tables().structures[structure][1]:
        kind = _kinds()[structure, name]
        if kind in _NESTED:
            found += [Member(f"{name}.{inner.name}", at + inner.at, inner.size, inner.kind)
                      for inner in members(_NESTED[kind])]
        else:
            found.append(Member(name, at, size, kind))
    return found


def size_of(structure):
    return tables().structures[structure][0]


@functools.cache
def field(structure, name):
    """The bytes that a member takes in its structure, as a slice."""
    member = next(one for one in members(structure) if one.name == name)
    return slice(member.at, member.at + member.size)


def value(structure, name, data):
    """The number in a member of the structure that the data begins with."""
    return int.from_bytes(data[field(structure, name)], "little")


@functools.cache
def latest(prefix):
    """The last structure in the table whose name begins so: that of the latest versions of Windows."""
    return [name for name in tables().structures if name.startswith(prefix)][-1]
