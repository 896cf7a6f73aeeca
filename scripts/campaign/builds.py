# SPDX-License-Identifier: Apache-2.0
"""Building targets with the CMake presets."""
import contextlib
import fcntl
import os
import subprocess

from . import ROOT
from runner.failure import INPUT, Failure

LAST_LINES = 30


def target_path(preset, target):
    return os.path.join(ROOT, "build", preset, "harness", target.name)


@contextlib.contextmanager
def _alone(preset):
    """Campaigns run side by side, builds in one folder cannot: the second waits. The kernel lifts the lock of one that is
    gone."""
    folder = os.path.join(ROOT, "build", preset)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(preset, name, log):
    """Builds a CMake target of a preset. What CMake and the compiler say goes to the log, the end of it into the message of
    a failure."""
    with _alone(preset):
        _build(preset, name, log)


def _build(preset, name, log):
    for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", name]):
        with open(log, "a", encoding="utf-8") as file:
            done = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            with open(log, encoding="utf-8", errors="replace") as file:
                end = "".join(file.readlines()[-LAST_LINES:])
            raise Failure(INPUT, f"preset {preset}: cannot build {name}; the end of {log}:\n{end}")
