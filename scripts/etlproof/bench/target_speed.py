# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of a target with a target that does nothing: same sanitizers, same inputs, in turns. Once alone, where
only the target costs time, and once in a libFuzzer session, where the engine costs time too."""
import collections
import os
import re
import statistics
import subprocess
import tempfile

from etlproof.campaign import builds, plan
from runner.failure import INPUT, Failure

# AddressSanitizer and UndefinedBehaviorSanitizer, without an engine, whose cost is the same for all targets.
PRESET = "asan-ubsan"
# Least seconds of processor time of a measurement.
LEAST = 0.5

# For sessions: these binaries print the time of their executions.
SESSION_PRESET = "libfuzzer"
TIMED = "_timed"

# Executions per second of processor time, of the target and of the empty target; `mean` is the mean size of the inputs.
Speed = collections.namedtuple("Speed", "target empty inputs mean")
# Microseconds per execution with and without the target, mutation excluded; microseconds in the target, and of
# mutation.
Session = collections.namedtuple("Session", "execution empty target mutation")


def _replay(binary, folder, repeat):
    """Seconds of processor time of the target alone."""
    done = subprocess.run([binary, "--repeat", str(repeat), folder], capture_output=True, text=True, check=False)
    said = re.search(r"in ([0-9.]+) s of processor time", done.stdout)
    if done.returncode != 0 or not said:
        raise Failure(INPUT, f"{binary}: cannot be measured: {done.stderr.strip()[-500:]}")
    return float(said[1])


def _enough(binary, folder):
    """How often each input must be run for a measurement of sufficient length."""
    repeat = 4
    while _replay(binary, folder, repeat) < LEAST:
        repeat *= 4
    return repeat


def measure(target, rounds):
    """The medians over so many rounds, in which the two targets alternate."""
    folder = plan.made_seeds(target)
    sizes = [entry.stat().st_size for entry in os.scandir(folder)]
    binaries = [os.path.join(os.path.dirname(builds.target_path(PRESET, target)), name)
                for name in (target.name, "fuzz_empty")]
    repeats = [_enough(binary, folder) for binary in binaries]
    rounds = [[repeat * len(sizes) / _replay(binary, folder, repeat) for binary, repeat in zip(binaries, repeats)]
              for _ in range(rounds)]
    own, empty = (statistics.median(column) for column in zip(*rounds))
    return Speed(own, empty, len(sizes), sum(sizes) // len(sizes))


def _session(target, folder, seconds, seed):
    """Runs one session from the target's seeds and writes nothing to the corpus. Every other input is withheld from the
    target."""
    with tempfile.NamedTemporaryFile("w", suffix=".list") as names:
        names.write(",".join(entry.path for entry in os.scandir(folder)))
        names.flush()
        command = [builds.target_path(SESSION_PRESET, target) + TIMED, f"-seed_inputs=@{names.name}", f"-seed={seed}",
                   f"-max_total_time={seconds}", f"-max_len={target.usual}", "-verbosity=0"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    said = [int(number) for line in done.stdout.splitlines() if line.startswith("timed: ")
            for number in re.findall(r"\d+", line)]
    if done.returncode != 0 or len(said) != 8 or not said[0] or not said[4]:
        raise Failure(INPUT, f"{command[0]}: cannot be measured: {done.stderr.strip()[-500:]}")
    with_target, _, price, in_target, without, _, nothing, mutation = said
    return Session(price / with_target / 1e3, nothing / without / 1e3, in_target / with_target / 1e3,
                   mutation / (with_target + without) / 1e3)


def session(target, rounds, seconds):
    """The round with the median ratio of an execution with the target to one without."""
    found = [_session(target, plan.made_seeds(target), seconds, seed) for seed in range(1, rounds + 1)]
    return sorted(found, key=lambda one: one.execution / one.empty)[len(found) // 2]
