# SPDX-License-Identifier: Apache-2.0
"""Sizes of structures and offsets of members by name, from the tables of decoder/format, for tests that change or read
bytes of a trace. Needs the folder conformance on PYTHONPATH; ctest sets it."""
from runner.tables import load_tables

_STRUCTURES = load_tables().structures


def size_of(structure):
    return _STRUCTURES[structure][0]


def offset_of(structure, member):
    """The offset of a member in its structure."""
    return next(offset for offset, _, name in _STRUCTURES[structure][1] if name == member)


def in_buffer(member):
    """The offset of a member in WMI_BUFFER_HEADER as of Windows 6.1."""
    return offset_of("WMI_BUFFER_HEADER_61", member)


HEADER = size_of("WMI_BUFFER_HEADER_61")
LOGFILE = HEADER + size_of("SYSTEM_TRACE_HEADER")  # offset of TRACE_LOGFILE_HEADER in a file


def in_logfile(member):
    """The offset of a member of TRACE_LOGFILE_HEADER64 in a file."""
    return LOGFILE + offset_of("TRACE_LOGFILE_HEADER64", member)
