# SPDX-License-Identifier: Apache-2.0
"""Measures how many edges a target reaches from an empty corpus, with the structure-aware mutator and without."""
import os
import shutil
import statistics
import time

from etlproof.campaign import plan
from etlproof.campaign.engines import LibFuzzer
from runner.failure import INPUT, Failure

STEP = 0.2
# Wall-clock limit of a trial, as a multiple of its processor time: the machine may be shared.
PATIENCE = 20


class Trial:
    """A fuzzing run of `seconds` of processor time, so that other work on the machine does not shorten it. Its corpus is in
    corpus/ of `folder`."""

    def __init__(self, target, folder, mutator, seconds):
        self.target, self.folder = target, folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("corpus", "findings"):
            os.makedirs(os.path.join(folder, name))
        self.engine = LibFuzzer(target, plan.Plan(target, folder, None, mutator, True), folder)
        self.seconds = seconds

    def go(self):
        """Returns the statistics that the engine prints at the end of its time; raises if the engine ended earlier."""
        patience = PATIENCE * self.seconds
        self.engine.start(patience)
        ends = time.monotonic() + patience
        try:
            while (used := self.engine.used()) < self.seconds:
                if time.monotonic() > ends:
                    raise self._failure(used, f"it got no more in {patience} s; the machine is too busy")
                if not self.engine.alive():
                    raise self._failure(used, f"{self.engine.how_ended()}{self._found()}; the end of {self.engine.log}:\n"
                                              f"{self.engine.log_end()}")
                time.sleep(STEP)
        finally:
            self.engine.interrupt()
        return self.engine.stats()

    def _failure(self, used, why):
        return Failure(INPUT, f"{self.target.name}: not measured: {self.engine.name} ended after {used:.0f} of "
                              f"{self.seconds} s of processor time: {why}")

    def _found(self):
        folder = os.path.join(self.folder, "findings")
        return "".join(f", and found {os.path.join(folder, name)}" for name in sorted(os.listdir(folder)))


def kinds(target):
    """The trials of a target: with the mutator, if the mutator knows the structure of its inputs, and without it."""
    return (True, False) if target.has_structure else (False,)


def folder_of(folder, target, mutator, number):
    """The folder of a trial."""
    return os.path.join(folder, f"{target.name}-{'with' if mutator else 'without'}-{number}")


def medians(stats):
    """The medians of edges, features and executions."""
    return {name: statistics.median(one[name] or 0 for one in stats) for name in ("edges", "features", "executions")}
