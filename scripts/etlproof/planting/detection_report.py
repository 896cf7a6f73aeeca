# SPDX-License-Identifier: Apache-2.0
"""The results for the planted bugs: JSON Lines as they arrive, and tables of them."""
import statistics
import time

from runner.failure import INPUT, Failure
from runner.progress import Line
from runner.atomic_file import Journal

KEY = ("patch", "hash", "target", "mode", "trial", "budget", "empty", "program")


def key_of(result):
    return tuple(result.get(name) for name in KEY)


class Report(Journal):
    """A JSON Lines file with one trial a line."""

    def resume(self, program):
        """The results that are there, by key, and how many are of another program."""
        try:
            found = self.read()
        except FileNotFoundError:
            return {}, 0
        except (OSError, ValueError) as error:
            raise Failure(INPUT, f"{self.path}: cannot continue this report: {error}") from error
        results = {key_of(result): result for result in found if result.get("program") == program}
        return results, sum(result.get("program") != program for result in found)


class Progress:
    """A line on a terminal that each result overwrites; otherwise a line for each result."""

    def __init__(self, total):
        self._total, self._started = total, time.monotonic()
        self._done = self._found = 0
        self._line = Line()

    def show(self, result):
        self._done += 1
        self._found += result["outcome"] == "found"
        left = (self._total - self._done) * (time.monotonic() - self._started) / self._done
        text = (f"{self._done}/{self._total} campaigns, {self._found} found, about {left / 60:.0f} min left; "
                f"{result['patch']} {result['mode']}: {phrase(result)}")
        self._line.say(text)

    def clear(self):
        self._line.clear()


def phrase(result):
    """The outcome of a campaign in a few words."""
    if result["outcome"] == "broken":
        return "broken: " + result["told"]
    if result["outcome"] == "not found":
        return f"not found in {result['seconds']:.0f} s"
    return f"{result['outcome']} in {result['seconds']:.1f} s by {result['told']}"


def _median(values, missing):
    """The median; None if it is one of the `missing` trials, which count as longer than all others."""
    ordered = [*sorted(values), *[None] * missing]
    if not ordered:
        return None
    middle = len(ordered) // 2
    if len(ordered) % 2 or ordered[middle] is None:
        return ordered[middle]
    return statistics.mean(ordered[middle - 1:middle + 1])


class Cell:
    """The trials of a bug in one mode."""

    def __init__(self, results):
        self.trials = len(results)
        self.broken = any(result["outcome"] == "broken" for result in results)
        self.found = [result for result in results if result["outcome"] == "found"]
        self.seconds = _median([result["seconds"] for result in self.found], self.trials - len(self.found))
        self.executions = _median([result["executions"] for result in self.found], self.trials - len(self.found))

    def text(self):
        if self.broken or not self.found:
            return "broken" if self.broken else "not found"
        share = f" ({len(self.found)}/{self.trials})" if self.trials > 1 else ""
        seconds = "—" if self.seconds is None else f"{self.seconds:.1f} s"
        return seconds + share


class Table:
    """A row a bug, a column a mode. A bug is not tried in a mode whose mutator or dictionary its target does not have."""

    def __init__(self, patches, modes, results):
        self.modes = modes
        of = {}
        for result in results:
            of.setdefault((result["patch"], result["mode"]), []).append(result)
        self.rows = [(patch, self._targets(patch, results),
                      {mode: Cell(of[patch.name, mode]) for mode in modes if (patch.name, mode) in of})
                     for patch in patches]

    @staticmethod
    def _targets(patch, results):
        return " ".join(sorted({result["target"] for result in results if result["patch"] == patch.name}))

    def _cells(self):
        yield ["bug", "target", "told by", *self.modes]
        for patch, targets, cells in self.rows:
            told = sorted({result["told"] for cell in cells.values() for result in cell.found})
            yield [patch.name, targets, ", ".join(told) or "—",
                   *(cells[mode].text() if mode in cells else "not tried" for mode in self.modes)]

    def _sums(self):
        for mode in self.modes:
            cells = [row[2][mode] for row in self.rows if mode in row[2]]
            found = [cell for cell in cells if cell.found]
            median = _median([cell.seconds for cell in cells if cell.seconds is not None],
                             sum(cell.seconds is None for cell in cells))
            text = "more than the budget" if median is None else f"{median:.1f} s"
            rest = len(self.rows) - len(cells)
            left_out = f"; {rest} not tried: their targets have no mutator or dictionary" if rest else ""
            yield f"{mode}: {len(found)} of {len(cells)} found, median time {text}{left_out}"

    def text(self):
        rows = list(self._cells())
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, "", *self._sums()]) + "\n"

    def markdown(self):
        head, *rows = self._cells()
        lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
        return "\n".join([*lines, "", *(f"- {line}" for line in self._sums())]) + "\n"
