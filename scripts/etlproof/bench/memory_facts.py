# SPDX-License-Identifier: Apache-2.0
"""Facts about ETW's structures in memory, from the rows of decoder/format/layouts."""
import functools
import os

from runner.tables import FORMAT, rows

_LAYOUTS = os.path.join(FORMAT, "layouts")


@functools.cache
def windows_names():
    """The names of versions of Windows in tables, the oldest first, and the texts for people: {name: text}."""
    return {row[0]: row[1] for row in rows(FORMAT, "windows.def", "ETL_WINDOWS")}


@functools.cache
def parts_of(kind, arch):
    """{part: (offset, size)} of a kind of member in memory that is a structure; `arch` is "x86" or "x64"."""
    at, size = (3, 5) if arch == "x86" else (4, 6)
    return {row[1]: (int(row[at], 0), int(row[size], 0)) for row in rows(_LAYOUTS, "kinds.def", "ETL_MEMORY_PART")
            if row[0] == kind}


@functools.cache
def size_in_memory(name, arch):
    """Bytes of a type of member in memory."""
    row = next(row for row in rows(_LAYOUTS, "types.def", "ETL_MEMORY_TYPE") if row[0] == name)
    return int(row[3 if arch == "x86" else 4], 0)


@functools.cache
def bits_in_memory(member_name, windows):
    """{name: mask} of the used bits of a member in memory in a version of Windows, by its text; where no row is known to
    hold for the version, those of the oldest version with rows."""
    texts = windows_names()
    order = list(texts)
    taken = {row[0] for row in rows(_LAYOUTS, "evidence.def", "ETL_EVIDENCE") if row[1] == "1"}
    known = [row for row in rows(_LAYOUTS, "bits.def", "ETL_MEMORY_BITS")
             if row[0] == member_name and row[3] == "USED" and row[6] in taken]
    oldest = min(order.index(row[4]) for row in known)
    at = max(oldest, list(texts.values()).index(windows))
    return {row[2]: int(row[1], 0) for row in known if order.index(row[4]) <= at <= order.index(row[5])}
