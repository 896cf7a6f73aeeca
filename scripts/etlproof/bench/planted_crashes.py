# SPDX-License-Identifier: Apache-2.0
"""Makes crash inputs whose cause is known: each planted bug is fuzzed until enough different inputs show it. They are kept,
so that later runs need no fuzzing."""
import collections
import functools
import os
import shutil

from etlproof import ROOT, minimiser
from etlproof.campaign import targets
from etlproof.planting import patches, planted_build, planted_campaign, starting_seeds
from runner.failure import FAILED, OUTPUT, USAGE, Failure

# Starts of a campaign for each wanted input, and seconds of processor time of each start.
TRIES = 3
SECONDS = 20


class Crop:
    """`folder` has base/ and bugs/ as scripts/planted builds them, and crashes/NAME/ with the inputs of each bug."""

    def __init__(self, folder, names, each, jobs):
        self.folder, self.each = folder, each
        every = {patch.name: patch for patch in patches.load(os.path.join(ROOT, "harness", "planted"))}
        unknown = [name for name in names if name not in every]
        if unknown:
            raise Failure(USAGE, f"no planted bug {unknown[0]}; scripts/planted --list names them")
        self.patches = [every[name] for name in names or every]
        self.targets = targets.load()
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise Failure(OUTPUT, f"{folder}: cannot make the folder: {error.strerror}") from error
        self.wanted, self.jobs = sorted({patch.targets[0] for patch in self.patches}), jobs
        self.base = planted_build.Base(ROOT, os.path.join(folder, "base"), self.wanted, jobs)
        self.seeds = starting_seeds.Seeds(ROOT, self.base, folder)
        self.runner = planted_campaign.Runner()

    def program(self, patch):
        """The target with the bug; rebuilt if the unchanged target is newer."""
        folder = os.path.join(self.folder, "bugs", patch.name)
        return planted_build.Planted(self.base, patch, folder).fresh(patch.targets[0])

    def replay(self, patch):
        """The same target without an engine, which minimises failing inputs: a fork takes far less time than a start."""
        folder = os.path.join(self.folder, "replay-bugs", patch.name)
        return planted_build.Planted(self._replay_base(), patch, folder).fresh(patch.targets[0])

    @functools.cache
    def _replay_base(self):
        """The build folder of the preset, in which scripts/triage builds its replay programs too: most of it is already
        built."""
        preset = minimiser.REPLAY["libfuzzer"]
        return planted_build.Base(ROOT, os.path.join(ROOT, "build", preset), self.wanted, self.jobs, preset)

    def inputs(self, patch):
        """Paths of the bug's crash inputs; missing ones are fuzzed for. Fewer than wanted if the bug is hard to find."""
        folder = os.path.join(self.folder, "crashes", patch.name)
        os.makedirs(folder, exist_ok=True)
        if len(os.listdir(folder)) < self.each:
            self._fuzz(patch, folder)
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))[:self.each]]

    def _fuzz(self, patch, folder):
        program, name = self.program(patch), patch.targets[0]
        target, work = self.targets[name], os.path.join(self.folder, "run")
        start, _ = self.seeds.without_failing(self.runner, program, target, os.path.join(self.folder, "seeds"))
        mode = planted_campaign.Mode(self.base.has_mutator(name), self.base.dictionary(name) is not None)
        for seed in range(1, self.each * TRIES + 1):
            run = planted_campaign.Campaign(self.runner, work, program, self.base.program(name), target, start,
                                            self.base.dictionary(name))
            came = run.run(mode, SECONDS, seed)
            if came["outcome"] == "ours":
                kept = planted_campaign.keep(came["input"], os.path.join(self.folder, "ours"))
                raise Failure(FAILED, f"{kept}: fails on the unchanged {name} too, detected by {came['told']}: a real bug")
            if came["outcome"] == "found":
                shutil.copyfile(came["input"], os.path.join(folder, planted_campaign.digest(came["input"])))
            if len(os.listdir(folder)) >= self.each:
                return


def judge(found):
    """Compares {bug: {bucket: inputs}}: returns the bugs that have exactly one bucket of their own, and lines that describe
    the others."""
    bugs_of = collections.defaultdict(set)
    for bug, buckets in found.items():
        for name in buckets:
            bugs_of[name].add(bug)
    alone = [bug for bug, buckets in found.items() if len(buckets) == 1 and len(bugs_of[next(iter(buckets))]) == 1]
    lines = [f"{bug}: no input was found" for bug, buckets in found.items() if not buckets]
    lines += [f"{bug}: {len(buckets)} buckets: " + ", ".join(f"{name} ({count})" for name, count in buckets.items())
              for bug, buckets in found.items() if len(buckets) > 1]
    lines += [f"{name}: of {len(bugs)} bugs: {', '.join(sorted(bugs))}" for name, bugs in bugs_of.items() if len(bugs) > 1]
    return alone, lines
