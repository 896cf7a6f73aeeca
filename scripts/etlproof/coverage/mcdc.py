# SPDX-License-Identifier: Apache-2.0
"""Modified condition/decision coverage: for each condition of a decision, two runs that differ in it alone, and in the
outcome."""
import collections
import os

from etlproof import ROOT
from .runs import in_library


def count(functions):
    """{(file, first line, column, last line, column): which conditions are shown}. A condition counts if one program shows
    it."""
    decisions = collections.defaultdict(list)
    for function in functions:
        path = in_library(function["filenames"][0])
        for *place, _, _, shown in function["mcdc_records"] if path else ():
            known = decisions[(path, *place)]
            known[:] = [a or b for a, b in zip(known, shown)] if known else shown
    return decisions


def _text(path, line, first, last_line, last):
    with open(os.path.join(ROOT, "decoder", path), encoding="utf-8") as file:
        lines = file.read().splitlines()[line - 1:last_line]
    lines[-1] = lines[-1][:last - 1]
    lines[0] = lines[0][first - 1:]
    return " ".join(part.strip() for part in lines)


def show(decisions):
    print(f"{'file':28} {'decisions':>10} {'conditions':>11} {'not shown':>10}")
    totals = [0, 0, 0]
    for path in sorted({key[0] for key in decisions}):
        mine = [shown for key, shown in decisions.items() if key[0] == path]
        row = [len(mine), sum(map(len, mine)), sum(shown.count(False) for shown in mine)]
        totals = [a + b for a, b in zip(totals, row)]
        print(f"{path:28} {row[0]:10,} {row[1]:11,} {row[2]:10,}")
    print(f"{'all':28} {totals[0]:10,} {totals[1]:11,} {totals[2]:10,}")
    for (path, *place), shown in sorted(decisions.items()):
        missing = [str(number) for number, one in enumerate(shown, 1) if not one]
        if missing:
            print(f"decoder/{path}:{place[0]}: condition {', '.join(missing)} of {len(shown)}\n    {_text(path, *place)}")
