# SPDX-License-Identifier: Apache-2.0
"""The fuzz targets of harness/targets.tsv, and the kinds of their inputs."""
import difflib
import functools
import os
from typing import NamedTuple

from etlproof import ROOT
from runner.failure import INPUT, USAGE, Failure, read_text
from runner.tables import rows

HARNESS = os.path.join(ROOT, "harness")
TABLE = os.path.join(HARNESS, "targets.tsv")

# Bytes of the largest input of most sessions. Larger ones find little more, and take most of the time: an input of this
# size holds several buffers.
USUAL = 16384


class Target(NamedTuple):
    name: str
    input: str   # as inputs.def names it
    most: int    # bytes of an input that a campaign makes
    takes: str

    @property
    def usual(self):
        """Bytes of the largest input of most sessions; a few make inputs of `most`."""
        return min(self.most, USUAL)

    @property
    def takes_traces(self):
        """Whether its inputs are traces, or parts of one."""
        return self._structure == "TRACE"

    @property
    def has_structure(self):
        """Whether the mutator knows the structure of the target's inputs."""
        return self._structure != "NONE"

    @property
    def _structure(self):
        return _inputs()[self.input][0]

    @property
    def input_text(self):
        """A description of the target's inputs."""
        return _inputs()[self.input][1]


@functools.cache
def _inputs():
    return {row[0]: row[2:] for row in rows(os.path.join(HARNESS, "input"), "inputs.def", "INPUT_KIND")}


def load(path=TABLE):
    """All targets in the order of the table, by name."""
    targets = {}
    for number, line in enumerate(read_text(path, "the targets"), 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 4 or not cells[2].isdigit() or cells[1] not in _inputs():
            raise Failure(INPUT, f"{path}:{number}: expected name, input, most and what it takes, found {line.strip()!r}")
        targets[cells[0]] = Target(cells[0], cells[1], int(cells[2]), cells[3])
    if not targets:
        raise Failure(INPUT, f"{path}: no target in it")
    return targets


def find(name):
    """The target of that name; `fuzz_` may be left out."""
    targets = load()
    for candidate in (name, "fuzz_" + name):
        if candidate in targets:
            return targets[candidate]
    near = difflib.get_close_matches("fuzz_" + name.removeprefix("fuzz_"), targets, 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise Failure(USAGE, f"no target {name}{hint}; there are: {', '.join(targets)}")
