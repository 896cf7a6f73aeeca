# SPDX-License-Identifier: Apache-2.0
"""The phase that replays corpus/regressions under each sanitizer. An input that fails again is triaged like any crash of
the night."""
import os

from etlproof import ROOT
from etlproof.campaign import builds, reproducers
from . import build, corpus


def _inputs(target):
    folder = os.path.join(ROOT, "corpus", "regressions", target.name)
    return [os.path.join(folder, name) for name in sorted(corpus.files(folder))]


def phase(night):
    replayed, failed = 0, 0
    for target in night.targets.values():
        for path in _inputs(target):
            causes = {preset: _cause(night, preset, target, path) for preset in build.REPLAY
                      if (preset, target.name) in night.built}
            broken = [preset for preset, cause in causes.items() if cause is not reproducers.PASSES]
            replayed, failed = replayed + bool(causes), failed + bool(broken)
            for preset in broken[:1]:
                corpus.Crashes(night.state, night.number, target.name).add([corpus.read(path)], "crash", preset)
    return f"{replayed} replayed, {failed} failed", {"replayed": replayed, "failed": failed}


def _cause(night, preset, target, path):
    return reproducers.cause_of(builds.target_path(preset, target), path, night.state.path("logs"))
