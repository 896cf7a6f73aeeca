# SPDX-License-Identifier: Apache-2.0
"""Builds the parts of etlproof that scripts/fuzz-parser and scripts/triage need from the current sources, so that parsers
are not compared with an outdated decoder."""
import os
import shutil
import sys

from etlproof.campaign import builds
from runner.failure import INPUT, Failure

_fresh = set()  # (preset, CMake target) that this process has built


def bring_up(preset, targets, log):
    """Builds those of the CMake targets that are older than their sources, once in a process. If nothing can be built, they
    are used as they are."""
    old = [target for target in targets if (preset, target) not in _fresh]
    if not old or builds.fcntl is None or shutil.which("cmake") is None:
        return
    print(f"building {', '.join(old)}; the log is {log}", file=sys.stderr, flush=True)
    builds.build_all(preset, old, log)
    _fresh.update((preset, target) for target in old)


def built(path, target):
    """The path, if it exists."""
    if not os.path.exists(path):
        raise Failure(INPUT, f"{path}: not built: cmake --preset release && cmake --build --preset release --target "
                             f"{target}")
    return path
