# SPDX-License-Identifier: Apache-2.0
"""Facts of the format for scripts: the rows of the .def tables, as constants by name. No script types such a constant.

The rows are those of decoder/format; the C code is made of the same. rows() reads any other .def table too.
"""
import functools

from runner.annotate import FORMAT, load_tables, rows
from unbuild.format_facts import event_flag, field, marker_bit, markers, members, size_of, value

__all__ = ["constants", "event_flag", "field", "format_rows", "header_types_of", "load_tables", "marker_bit", "markers",
           "members", "rows", "size_of", "value"]


@functools.cache
def format_rows(table, macro):
    """The rows of a table of decoder/format."""
    return rows(FORMAT, table, macro)


@functools.cache
def constants(table, macro):
    """{name: value} of a table whose rows begin with a constant and a name."""
    return {row[1]: int(row[0], 0) for row in format_rows(table, macro)}


@functools.cache
def header_types_of(layout):
    """The header types whose events have that layout, ascending."""
    return tuple(sorted(number for number, (_, of) in load_tables().header_types.items() if of == layout))
