# SPDX-License-Identifier: Apache-2.0
"""Measures which regions of the decode path a set of inputs reaches, by source-based coverage."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile

from etlproof import ROOT
from runner.failure import INPUT, Failure
from . import builds, unreached
from .children import end_with_parent

PRESET = "coverage"
DECODE_PATH = os.path.join(ROOT, "decoder", "src")


class InputFailed(Failure):
    """The target failed on an input, and its process left no profile."""


def _run(command, failure=Failure, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                              preexec_fn=end_with_parent(), **options)
    except OSError as error:
        raise Failure(INPUT, f"{command[0]}: cannot run it: {error.strerror}") from error
    if done.returncode != 0:
        raise failure(INPUT, f"{command[0]} ends with exit status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def profile(target, inputs, folder):
    """Runs the target on the inputs, files or folders; returns the path of the merged profile."""
    raw, counted = (os.path.join(folder, f"{target.name}.{kind}") for kind in ("profraw", "profdata"))
    _run([builds.target_path(PRESET, target), *inputs], InputFailed, env={**os.environ, "LLVM_PROFILE_FILE": raw})
    _run(["llvm-profdata", "merge", "-sparse", raw, "-o", counted])
    os.remove(raw)
    return counted


def together(profiles, folder, name="all"):
    """Merges profiles; returns the path of the result."""
    counted = os.path.join(folder, f"{name}.profdata")
    _run(["llvm-profdata", "merge", "-sparse", *profiles, "-o", counted])
    return counted


def _binaries(targets):
    first, *others = (builds.target_path(PRESET, target) for target in targets)
    return [first, *(f"-object={other}" for other in others)]


def regions(targets, counted):
    """Regions of code in decoder/src that the targets can reach: (reached, all)."""
    report = json.loads(_run(["llvm-cov", "export", "-summary-only", f"-instr-profile={counted}", *_binaries(targets),
                              DECODE_PATH]))
    found = report["data"][0]["totals"]["regions"]
    return found["covered"], found["count"]


def functions(targets, counted):
    """The functions of decoder/src that the targets contain."""
    report = json.loads(_run(["llvm-cov", "export", f"-instr-profile={counted}", *_binaries(targets), DECODE_PATH]))
    return unreached.functions_of(report, DECODE_PATH)


def show(targets, counted, folder):
    """Writes the covered source as HTML."""
    _run(["llvm-cov", "show", "-format=html", f"-instr-profile={counted}", f"-output-dir={folder}", *_binaries(targets),
          DECODE_PATH])


def _take(source, folder):
    """Copies the inputs of a folder to a new one. Inputs that vanish meanwhile are skipped: engines remove files, and a
    trial of growth starts empty."""
    os.mkdir(folder)
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(source):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(os.path.join(source, name), os.path.join(folder, name))


def reached(target, folders, files=()):
    """The regions that the target reaches on the files and on the inputs in the folders, which may change meanwhile."""
    with tempfile.TemporaryDirectory() as work:
        taken = [os.path.join(work, str(number)) for number in range(len(folders))]
        for source, folder in zip(folders, taken):
            _take(source, folder)
        return regions([target], profile(target, [*taken, *files], work))
