# SPDX-License-Identifier: Apache-2.0
"""What of the decode path a set of inputs reaches, by source-based coverage."""
import json
import os
import subprocess

from . import ROOT, builds
from .children import end_with_parent
from runner.failure import INPUT, Failure

PRESET = "coverage"
DECODE_PATH = os.path.join(ROOT, "decoder", "src")


def _run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          preexec_fn=end_with_parent(), **options)
    if done.returncode != 0:
        raise Failure(INPUT, f"{command[0]} ends with exit status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def profile(target, inputs, folder):
    """Runs the target on the inputs, which are files or folders; returns the path of what was counted."""
    raw, counted = (os.path.join(folder, f"{target.name}.{kind}") for kind in ("profraw", "profdata"))
    _run([builds.target_path(PRESET, target), *inputs], env={**os.environ, "LLVM_PROFILE_FILE": raw})
    _run(["llvm-profdata", "merge", "-sparse", raw, "-o", counted])
    os.remove(raw)
    return counted


def together(profiles, folder):
    """The path of what was counted in all of them."""
    counted = os.path.join(folder, "all.profdata")
    _run(["llvm-profdata", "merge", "-sparse", *profiles, "-o", counted])
    return counted


def _binaries(targets):
    first, *others = (builds.target_path(PRESET, target) for target in targets)
    return [first, *(f"-object={other}" for other in others)]


def regions(targets, counted):
    """Regions of code in decoder/src that the targets reach: (reached, all)."""
    report = json.loads(_run(["llvm-cov", "export", "-summary-only", f"-instr-profile={counted}", *_binaries(targets),
                              DECODE_PATH]))
    found = report["data"][0]["totals"]["regions"]
    return found["covered"], found["count"]


def show(targets, counted, folder):
    """Writes HTML that marks in the source what was reached."""
    _run(["llvm-cov", "show", "-format=html", f"-instr-profile={counted}", f"-output-dir={folder}", *_binaries(targets),
          DECODE_PATH])


def reached(target, inputs, folder):
    """The regions that the target reaches on the inputs."""
    return regions([target], profile(target, inputs, folder))
