# SPDX-License-Identifier: Apache-2.0
"""How far a target gets from an empty corpus in a time, with the structure-aware mutator and without."""
import os
import shutil
import statistics
import time

from . import plan
from .engines import LibFuzzer

STEP = 0.2
# By the clock, a trial may take so many times its processor time: the machine may be shared.
PATIENCE = 20


class Trial:
    """`seconds` of processor time, which other work on the machine does not shorten. What it learns is in corpus/ of
    `folder`."""

    def __init__(self, target, folder, mutator, seconds):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("corpus", "findings"):
            os.makedirs(os.path.join(folder, name))
        self.engine = LibFuzzer(target, plan.Plan(target, folder, None, mutator, True), folder)
        self.seconds = seconds

    def go(self):
        patience = PATIENCE * self.seconds
        self.engine.start(patience)
        ends = time.monotonic() + patience
        while self.engine.alive() and self.engine.used() < self.seconds and time.monotonic() < ends:
            time.sleep(STEP)
        self.engine.interrupt()
        return self.engine.stats()


def folder_of(folder, target, mutator, number):
    """Of a trial."""
    return os.path.join(folder, f"{target.name}-{'with' if mutator else 'without'}-{number}")


def medians(stats):
    """Of edges, features and executions."""
    return {name: statistics.median(one[name] or 0 for one in stats) for name in ("edges", "features", "executions")}
