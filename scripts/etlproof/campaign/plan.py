# SPDX-License-Identifier: Apache-2.0
"""The start of a campaign: seeds, dictionary, and a first input."""
import os
import shutil

from etlproof import ROOT
from runner.failure import INPUT, Failure
from . import builds

# The CMake target that makes the seeds of all fuzz targets, and its preset.
SEEDS = ("release", "etlproof_seeds")

# The first input of an engine without seeds: AFL++ needs one, and libFuzzer gets the same one.
EMPTY_INPUT = b"\n"


class Plan:
    """`seeds` is a folder or None; `start` is a folder that is never empty, for engines that need one; `size` is the
    largest input in bytes, the target's `most` if `large`."""

    def __init__(self, target, folder, seeds, mutator, dictionary, large=False):
        self.size = target.most if large else target.usual
        self.mutator = mutator and target.has_structure
        self.dictionary = _dictionary(target) if dictionary else None
        self.seeds = seeds
        self.start = seeds or _empty_start(folder)


def _dictionary(target):
    """The target's dictionary, which the build puts beside the target; None if there is none."""
    path = builds.target_path("release", target) + ".dict"
    return path if os.path.isfile(path) else None


def _empty_start(folder):
    start = os.path.join(folder, "start")
    os.makedirs(start, exist_ok=True)
    with open(os.path.join(start, "empty"), "wb") as file:
        file.write(EMPTY_INPUT)
    return start


def made_seeds(target):
    """The seeds that the builder makes for the target; SEEDS must be built."""
    folder = os.path.join(ROOT, "build", "release", "corpus", "seeds", target.name)
    check_seeds(folder)
    return folder


def check_seeds(folder):
    """Raises unless there is at least one input in the folder."""
    if not os.path.isdir(folder):
        raise Failure(INPUT, f"{folder}: no such folder of seeds")
    if not any(entry.is_file() for entry in os.scandir(folder)):
        raise Failure(INPUT, f"{folder}: no seeds in it; --empty starts without any")


def forget(folder):
    """Starts a campaign from nothing: removes the corpora of earlier campaigns, but keeps their findings."""
    for name in ("corpus", "afl", "start"):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
