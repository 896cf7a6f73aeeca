# SPDX-License-Identifier: Apache-2.0
"""Facts of the format for scripts: the rows of the .def tables, as constants by name. No script types such a constant.

The rows are those of decoder/format and decoder/format/layouts; the C code is made of the same rows.
"""
import functools
import os

from runner.tables import FORMAT, load_tables, rows

# The tables of ETW's structures in memory.
LAYOUTS = os.path.join(FORMAT, "layouts")


@functools.cache
def format_rows(table, macro):
    """The rows of a table of the format, or of its structures in memory."""
    folder = FORMAT if os.path.exists(os.path.join(FORMAT, table)) else LAYOUTS
    return rows(folder, table, macro)


@functools.cache
def constants(table, macro):
    """{name: value} of a table whose rows begin with a value and a name."""
    return {row[1]: int(row[0], 0) for row in format_rows(table, macro)}


@functools.cache
def header_types_of(*layouts):
    """The header types of events with one of the layouts, ascending."""
    return tuple(sorted(number for number, (_, layout, _) in load_tables().header_types.items() if layout in layouts))


@functools.cache
def size_of(structure):
    """Bytes of a structure of trace files."""
    return load_tables().structures[structure][0]


@functools.cache
def member(structure, name):
    """The bytes of a member in a structure of trace files, as a slice."""
    at, size = next((at, size) for at, size, one in load_tables().structures[structure][1] if one == name)
    return slice(at, at + size)


@functools.cache
def windows_versions():
    """(major, minor) of each version of Windows that a logfile header states, the latest first."""
    return tuple((int(row[1]), int(row[2])) for row in reversed(format_rows("windows.def", "ETL_WINDOWS_VERSION")))


@functools.cache
def windows_names():
    """The names of versions of Windows in tables, the oldest first, and the texts for people: {name: text}."""
    return {row[0]: row[1] for row in format_rows("windows.def", "ETL_WINDOWS")}


@functools.cache
def parts_of(kind, arch):
    """{part: (offset, size)} of a kind of member in memory that is a structure; `arch` is "x86" or "x64"."""
    at, size = (3, 5) if arch == "x86" else (4, 6)
    return {row[1]: (int(row[at], 0), int(row[size], 0)) for row in format_rows("kinds.def", "ETL_MEMORY_PART")
            if row[0] == kind}


@functools.cache
def size_in_memory(name, arch):
    """Bytes of a type of member in memory."""
    row = next(row for row in format_rows("types.def", "ETL_MEMORY_TYPE") if row[0] == name)
    return int(row[3 if arch == "x86" else 4], 0)


@functools.cache
def bits_in_memory(member_name, windows):
    """{name: mask} of the used bits of a member in memory in a version of Windows, by its text; where no row is known to
    hold for the version, those of the oldest version with rows."""
    texts = windows_names()
    order = list(texts)
    taken = {row[0] for row in format_rows("evidence.def", "ETL_EVIDENCE") if row[1] == "1"}
    known = [row for row in format_rows("bits.def", "ETL_MEMORY_BITS")
             if row[0] == member_name and row[3] == "USED" and row[6] in taken]
    oldest = min(order.index(row[4]) for row in known)
    at = max(oldest, list(texts.values()).index(windows))
    return {row[2]: int(row[1], 0) for row in known if order.index(row[4]) <= at <= order.index(row[5])}
