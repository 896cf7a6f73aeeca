# SPDX-License-Identifier: Apache-2.0
"""Measures which lines and branches of decoder/src, decoder/memory and decoder/recover are reached by the unit tests, the
tests of the command, the vectors and the real traces together. Prints a table, then each side of a branch and each region
that nothing reaches and unreached.tsv does not explain.

A row of unreached.tsv names a file, a part of the line, and why no input gets there. A row that is not needed is reported
too: so coverage cannot fall unnoticed.

With --mcdc, measures instead which conditions of each decision are shown to decide it alone (MC/DC), and prints those that
are not.
"""
import collections
import os
from typing import NamedTuple

from etlproof import ROOT
from runner import command
from runner.command import Parser
from runner.failure import FAILED, PASSED
from . import mcdc
from .runs import Runs, in_library

NAME = "scripts/coverage"
UNREACHED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unreached.tsv")
EPILOG = """\
exit status: 0 all is reached or explained, or --mcdc: measured; 1 something is not reached, 64 wrong usage,
66 cannot build or run, 70 an internal error, 74 cannot write, 130 interrupted
"""


class Row(NamedTuple):
    file: str
    text: str  # a part of the line
    reason: str


class Miss(NamedTuple):
    file: str  # from decoder/
    line: int
    text: str
    what: str


def count(functions):
    """How often each side of each branch was taken and each region entered, over all programs: the library is in each."""
    branches, regions = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(int)
    for function in functions:
        for branch in function["branches"]:
            path = in_library(function["filenames"][branch[6]])
            if path:
                sides = branches[(path, *branch[:4])]
                sides[0] += branch[4]
                sides[1] += branch[5]
        for region in function["regions"]:
            path = in_library(function["filenames"][region[5]])
            if path and region[7] == 0:  # code, not a gap or a macro
                regions[(path, *region[:4])] += region[4]
    return branches, regions


def source(path, line, first, last_line, last):
    """A line, and the part of it that is meant."""
    with open(os.path.join(ROOT, "decoder", path), encoding="utf-8") as file:
        text = file.read().splitlines()[line - 1]
    return text.strip(), text[first - 1:last - 1 if last_line == line else None]


def misses(branches, regions):
    found = []
    for (path, line, first, last_line, last), sides in branches.items():
        text, part = source(path, line, first, last_line, last)
        found.extend(Miss(path, line, text, f"never {side}: {part}")
                     for side, taken in zip(("true", "false"), sides) if taken == 0)
    branched = {(miss.file, miss.line) for miss in found}
    for (path, line, first, last_line, last), taken in regions.items():
        if taken == 0 and (path, line) not in branched and (path, line - 1) not in branched:
            text, part = source(path, line, first, last_line, last)
            found.append(Miss(path, line, text, f"never run: {part}"))
    return sorted(found)


def table(branches, regions):
    files = sorted({key[0] for key in regions})
    print(f"{'file':28} {'regions':>8} {'missed':>7} {'branch sides':>13} {'missed':>7}")
    totals = [0, 0, 0, 0]
    for path in files:
        mine = [taken for key, taken in regions.items() if key[0] == path]
        sides = [taken for key, both in branches.items() if key[0] == path for taken in both]
        row = [len(mine), mine.count(0), len(sides), sides.count(0)]
        totals = [a + b for a, b in zip(totals, row)]
        print(f"{path:28} {row[0]:8,} {row[1]:7,} {row[2]:13,} {row[3]:7,}")
    print(f"{'all':28} {totals[0]:8,} {totals[1]:7,} {totals[2]:13,} {totals[3]:7,}")


def read_rows():
    with open(UNREACHED, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return [Row(*line.split("\t")) for line in lines[1:]]


def judge(found):
    """Prints what is left to explain. Returns how much that is."""
    rows, needed, left = read_rows(), set(), 0
    for miss in found:
        explanations = [row for row in rows if row.file == miss.file and row.text in miss.text]
        needed.update(explanations)
        if not explanations:
            left += 1
            print(f"decoder/{miss.file}:{miss.line}: {miss.what}\n    {miss.text}")
    stale = [row for row in rows if row not in needed]
    for row in stale:
        print(f"{os.path.relpath(UNREACHED, ROOT)}: this row is not needed: {row.file} {row.text}")
    print(f"{len(found)} not reached, {len(found) - left} explained, {left} left, {len(stale)} rows not needed")
    return left + len(stale)


def body(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    parser.add_argument("--again", action="store_true", help="judge the counts of the last run; do not build, run nothing")
    parser.add_argument("--mcdc", action="store_true", help="measure the conditions of decisions, with clang 19")
    options = parser.parse_args(arguments)
    runs = Runs("coverage-mcdc", "-19") if options.mcdc else Runs("coverage")
    if not options.again:
        runs.execute()
    if options.mcdc:
        mcdc.show(mcdc.count(runs.functions()))
        return PASSED
    branches, regions = count(runs.functions())
    table(branches, regions)
    return FAILED if judge(misses(branches, regions)) else PASSED


def main(arguments):
    return command.run(NAME, lambda: body(arguments))
