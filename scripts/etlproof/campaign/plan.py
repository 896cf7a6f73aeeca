# SPDX-License-Identifier: Apache-2.0
"""What a campaign starts from: seeds, dictionary, and a first input."""
import os
import shutil

from etlproof import ROOT
from runner.failure import INPUT, Failure
from . import builds

# The CMake target that makes the seeds of all fuzz targets, and its preset.
SEEDS = ("release", "etlproof_seeds")

# What an engine without seeds starts from: AFL++ needs one input, and libFuzzer starts with the same one.
EMPTY_INPUT = b"\n"


class Plan:
    """`seeds` is a folder or None; `start` one that is never empty, for engines that want that."""

    def __init__(self, target, folder, seeds, mutator, dictionary):
        self.mutator = mutator and target.has_structure
        self.dictionary = _dictionary(target) if dictionary else None
        self.seeds = seeds
        self.start = seeds or _empty_start(folder)


def _dictionary(target):
    """The target's own, as the build has put it beside the target; None if it goes without."""
    path = builds.target_path("release", target) + ".dict"
    return path if os.path.isfile(path) else None


def _empty_start(folder):
    start = os.path.join(folder, "start")
    os.makedirs(start, exist_ok=True)
    with open(os.path.join(start, "empty"), "wb") as file:
        file.write(EMPTY_INPUT)
    return start


def made_seeds(target):
    """The seeds that the builder makes for the target; the build of SEEDS has to be done."""
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
    """Starts a campaign anew: what earlier ones learned is removed, their findings stay."""
    for name in ("corpus", "afl", "start"):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
