# SPDX-License-Identifier: Apache-2.0
"""How fast a target is beside one that does nothing: the same sanitizers and the same inputs, taken in turns."""
import collections
import os
import re
import statistics
import subprocess

from . import builds, plan
from runner.failure import INPUT, Failure

# AddressSanitizer and UndefinedBehaviorSanitizer, without an engine: what that costs is the same for all.
PRESET = "asan-ubsan"
# Seconds of processor time of a measurement, at least.
LEAST = 0.5

# Executions a second of processor time of both; `mean` is that of the inputs' sizes.
Speed = collections.namedtuple("Speed", "target empty inputs mean")


def _replay(binary, folder, repeat):
    """Seconds of processor time that the target itself took."""
    done = subprocess.run([binary, "--repeat", str(repeat), folder], capture_output=True, text=True, check=False)
    said = re.search(r"in ([0-9.]+) s of processor time", done.stdout)
    if done.returncode != 0 or not said:
        raise Failure(INPUT, f"{binary}: cannot be measured: {done.stderr.strip()[-500:]}")
    return float(said[1])


def _enough(binary, folder):
    """How often each input has to be run."""
    repeat = 4
    while _replay(binary, folder, repeat) < LEAST:
        repeat *= 4
    return repeat


def measure(target, rounds):
    """The medians of so many rounds, in which the two take turns."""
    folder = plan.made_seeds(target)
    sizes = [entry.stat().st_size for entry in os.scandir(folder)]
    binaries = [os.path.join(os.path.dirname(builds.target_path(PRESET, target)), name)
                for name in (target.name, "fuzz_empty")]
    repeats = [_enough(binary, folder) for binary in binaries]
    rounds = [[repeat * len(sizes) / _replay(binary, folder, repeat) for binary, repeat in zip(binaries, repeats)]
              for _ in range(rounds)]
    own, empty = (statistics.median(column) for column in zip(*rounds))
    return Speed(own, empty, len(sizes), sum(sizes) // len(sizes))
