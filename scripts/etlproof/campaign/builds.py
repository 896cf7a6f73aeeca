# SPDX-License-Identifier: Apache-2.0
"""Builds CMake targets with the presets of the tree."""
import contextlib
import os

from etlproof import ROOT
from runner.failure import INPUT, Failure
from . import children

try:
    import fcntl
except ImportError:  # Windows, where commands that build nothing still work
    fcntl = None

EXECUTABLE = ".exe" if os.name == "nt" else ""

LAST_LINES = 30


def target_path(preset, target):
    return os.path.join(ROOT, "build", preset, "harness", target.name)


@contextlib.contextmanager
def _alone(preset):
    """Locks a build folder: campaigns may run at the same time, but two builds must not use one folder. The lock ends with
    the process."""
    folder = os.path.join(ROOT, "build", preset)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(preset, name, log):
    """Builds a CMake target of a preset."""
    build_all(preset, [name], log)


def build_all(preset, names, log):
    """Builds CMake targets of a preset. The output of CMake and the compiler goes to the log, and its end into the message
    of a failure."""
    if fcntl is None:
        raise Failure(INPUT, f"not built: cmake --preset {preset} && cmake --build --preset {preset} --target "
                             f"{' '.join(names)}")
    with _alone(preset):
        for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", *names]):
            _run(command, log, f"preset {preset}: cannot build {', '.join(names)}")


def _run(command, log, complaint):
    with open(log, "a", encoding="utf-8") as file:
        status = children.run(command, cwd=ROOT, stdout=file, stderr=file)
    if status != 0:
        with open(log, encoding="utf-8", errors="replace") as file:
            end = "".join(file.readlines()[-LAST_LINES:])
        raise Failure(INPUT, f"{complaint}; the end of {log}:\n{end}")
