# SPDX-License-Identifier: Apache-2.0
"""The fuzz targets, as harness/targets.tsv names them."""
import collections
import difflib
import os

from . import ROOT
from runner.failure import INPUT, USAGE, Failure

TABLE = os.path.join(ROOT, "harness", "targets.tsv")

Target = collections.namedtuple("Target", "name input most takes")


def load():
    """All targets in the order of the table, by name."""
    try:
        with open(TABLE, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if line.startswith("fuzz_")]
    except OSError as error:
        raise Failure(INPUT, f"{TABLE}: cannot read: {error.strerror}") from error
    return {name: Target(name, kind, int(most), takes) for name, kind, most, takes in rows}


def find(name):
    """The target of that name; `fuzz_` may be left out."""
    targets = load()
    for candidate in (name, "fuzz_" + name):
        if candidate in targets:
            return targets[candidate]
    near = difflib.get_close_matches("fuzz_" + name.removeprefix("fuzz_"), targets, 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise Failure(USAGE, f"no target {name}{hint}; there are: {', '.join(targets)}")
