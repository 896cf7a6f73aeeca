# SPDX-License-Identifier: Apache-2.0
"""Functions of the decode path that no input reaches, and what blocks each: the condition in a reached caller that was
never true, or never false. From the functions of an `llvm-cov export`."""
import re
from typing import NamedTuple


class Range(NamedTuple):
    """A part of a source file; lines and columns from 1, the end column is the first one behind it."""
    first: tuple  # line, column
    last: tuple

    def holds(self, place):
        return self.first <= place < self.last


class Function:
    """A function: `places` are its ranges with their counts, `branches` its conditions, each with how often it was
    true, and how often false."""

    def __init__(self, record):
        self.file, self.name = record["filenames"][0], record["name"].split(":")[-1]
        self.is_static = ":" in record["name"]
        self.count = record["count"]
        own = [region for region in record["regions"] if region[5] == 0]
        self.body = _range(own[0])
        self.places = [(_range(region), region[4]) for region in own if region[7] == 0]
        self.branches = [(_range(branch), branch[4], branch[5]) for branch in record["branches"] if branch[6] == 0]


def _range(numbers):
    return Range(tuple(numbers[:2]), tuple(numbers[2:4]))


def functions_of(export, folder):
    """The functions whose source is in the folder. A function of several programs is there once, with its largest count."""
    found = {}
    for record in export["data"][0]["functions"]:
        function = Function(record)
        key = function.file, function.name
        if function.file.startswith(folder) and (key not in found or found[key].count < function.count):
            found[key] = function
    return list(found.values())


def blocked(functions, text_of):
    """For each function that was not reached, sorted by file and line: its name, file, line; `callers` that were reached,
    with the condition that blocks the call; and `behind`, the names of the others. text_of(file) is the source."""
    lines = {file: text_of(file).split("\n") for file in {function.file for function in functions}}
    rows = []
    for function in sorted((one for one in functions if not one.count), key=lambda one: (one.file, one.body.first)):
        callers = [(caller, place) for caller in functions
                   if caller is not function and (caller.file == function.file or not function.is_static)
                   for place in _mentions(function.name, caller, lines[caller.file])]
        reached = [_blocking(caller, place, lines[caller.file]) for caller, place in callers if caller.count]
        rows.append({"function": function.name, "file": function.file, "line": function.body.first[0], "callers": reached,
                     "behind": sorted({caller.name for caller, _ in callers if not caller.count})})
    return rows


def _mentions(name, caller, lines):
    """The places in the body of a function that name another one."""
    (first, _), (last, _) = caller.body
    for number in range(first, min(last, len(lines)) + 1):
        for found in re.finditer(rf"\b{re.escape(name)}\b", lines[number - 1]):
            if caller.body.holds((number, found.start() + 1)):
                yield number, found.start() + 1


def _blocking(caller, place, lines):
    """The last condition before the part of the caller that never ran which had always the same outcome."""
    never = [where for where, count in caller.places if not count and where.holds(place)]
    begins = min((where.first for where in never), default=place)
    one_sided = [branch for branch in caller.branches if 0 in branch[1:] and sum(branch[1:]) and branch[0].first <= begins]
    row = {"function": caller.name, "line": place[0], "condition": None, "at": None, "never": None}
    if never and one_sided:
        where, true, _ = max(one_sided, key=lambda branch: branch[0].first)
        row.update(condition=_text(where, lines), at=where.first[0], never="false" if true else "true")
    return row


def _text(where, lines):
    """The source of a condition on one line."""
    (first, begin), (last, end) = where
    if first == last:
        return lines[first - 1][begin - 1:end - 1]
    parts = [lines[first - 1][begin - 1:], *lines[first:last - 1], lines[last - 1][:end - 1]]
    return " ".join(part.strip() for part in parts)
