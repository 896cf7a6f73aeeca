# SPDX-License-Identifier: Apache-2.0
"""What scripts/fuzz-parser and scripts/triage need of etlproof, as the sources are now: parsers would else be held to the
decoder of yesterday."""
import os
import shutil
import sys

from etlproof.campaign import builds
from runner.failure import INPUT, Failure

_fresh = set()  # (preset, CMake target) of what this process has brought up


def bring_up(preset, targets, log):
    """Builds of the CMake targets what is older than its sources, once in a run. Where nothing can be built, as where only
    a parser is looked at, they are used as they are."""
    old = [target for target in targets if (preset, target) not in _fresh]
    if not old or builds.fcntl is None or shutil.which("cmake") is None:
        return
    print(f"building {', '.join(old)}; the log is {log}", file=sys.stderr, flush=True)
    builds.build_all(preset, old, log)
    _fresh.update((preset, target) for target in old)


def built(path, target):
    """The path, if it is there."""
    if not os.path.exists(path):
        raise Failure(INPUT, f"{path}: not built: cmake --preset release && cmake --build --preset release --target "
                             f"{target}")
    return path
