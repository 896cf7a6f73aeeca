# SPDX-License-Identifier: Apache-2.0
"""What of the decode path a set of inputs reaches, by source-based coverage."""
import json
import os
import subprocess

from . import ROOT, builds
from runner.failure import INPUT, Failure

PRESET = "coverage"
DECODE_PATH = os.path.join(ROOT, "decoder", "src")


def _run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failure(INPUT, f"{command[0]} ends with exit status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def reached(target, inputs, folder):
    """Regions of code in decoder/src that the target reaches on the inputs, which are files or folders: (reached, all)."""
    binary = builds.target_path(PRESET, target)
    raw, merged = os.path.join(folder, "reach.profraw"), os.path.join(folder, "reach.profdata")
    _run([binary, *inputs], env={**os.environ, "LLVM_PROFILE_FILE": raw})
    _run(["llvm-profdata", "merge", "-sparse", raw, "-o", merged])
    report = json.loads(_run(["llvm-cov", "export", "-summary-only", "-instr-profile", merged, binary, DECODE_PATH]))
    regions = report["data"][0]["totals"]["regions"]
    return regions["covered"], regions["count"]
