# SPDX-License-Identifier: Apache-2.0
"""Runs the reproducers of a campaign again: those that pass now are put aside, the others are grouped by cause."""
import collections
import glob
import hashlib
import os
import re
import shlex
import shutil
import subprocess

from etlproof import ROOT
from .children import end_with_parent
from .engines import input_limits

Finding = collections.namedtuple("Finding", "path size cause binary")
_CAUSE = re.compile(r"^oracle .*|^.*runtime error: .*|^SUMMARY: .*", re.M)
PASSES = None
_AFL_KINDS = {"crashes": "crash", "hangs": "hang"}


def _line(text):
    """A line without addresses, offsets and paths of this machine, so that it is equal for equal bugs."""
    text = re.sub(r" at offset 0x[0-9a-f]+ \(.*?\)", "", text)
    return re.sub(r"0x[0-9a-f]+", "0x?", text).replace(ROOT + os.sep, "")[:200]


def cause_of(binary, path, folder):
    """Runs a reproducer on a libFuzzer target: PASSES, or a line that says what failed."""
    command = [binary, *input_limits(), f"-artifact_prefix={os.path.join(folder, 'replayed-')}", path]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, text=True,
                          errors="replace", preexec_fn=end_with_parent())
    for name in os.listdir(folder):
        if name.startswith("replayed-"):
            os.remove(os.path.join(folder, name))
    if done.returncode == 0:
        return PASSES
    said = _CAUSE.search(done.stderr)
    return _line(said[0]) if said else f"ends with exit status {done.returncode}"


def of_afl(folder):
    """(kind, path) of all findings of AFL++ in a campaign's folder. A resumed AFL++ moves its earlier findings to
    `crashes.DATE`."""
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "afl", "*", "*", "id*"))):
        kind = _AFL_KINDS.get(os.path.basename(os.path.dirname(path)).split(".")[0])
        if kind:
            found.append((kind, path))
    return found


def collect(folder):
    """Copies AFL++'s findings to the campaign's findings. They are named by content, so that equal findings are kept
    once."""
    for kind, path in of_afl(folder):
        with open(path, "rb") as file:
            digest = hashlib.sha1(file.read()).hexdigest()
        shutil.copyfile(path, os.path.join(folder, "findings", f"afl-{kind}-{digest}"))


def sift(folder, binaries):
    """(failing, how many passed): the findings that still fail, by cause, the smallest first. Each is run on the binaries
    in turn, because a failure under one sanitizer may pass under another. Findings that pass on all of them move to
    passed/."""
    failing, passed = [], 0
    findings = os.path.join(folder, "findings")
    for name in sorted(os.listdir(findings)):
        finding = _run_again(binaries, os.path.join(findings, name), folder)
        if finding:
            failing.append(finding)
        else:
            passed += 1
            os.makedirs(passed_folder(folder), exist_ok=True)
            os.replace(os.path.join(findings, name), os.path.join(passed_folder(folder), name))
    return sorted(failing, key=lambda finding: (finding.cause, finding.size)), passed


def _run_again(binaries, path, folder):
    """The cause on the first binary that fails; None if all pass."""
    for binary in binaries:
        cause = cause_of(binary, path, folder)
        if cause is not PASSES:
            return Finding(path, os.path.getsize(path), cause, binary)
    return None


def passed_folder(folder):
    return os.path.join(folder, "passed")


def text(failing):
    """Each cause once, with its smallest inputs and the command that reproduces it, for people."""
    lines = []
    by_cause = collections.defaultdict(list)
    for finding in failing:
        by_cause[finding.cause].append(finding)
    for cause, found in by_cause.items():
        lines += ["", f"{len(found)} x {cause}"]
        lines += [f"    {finding.path} ({finding.size} bytes)" for finding in found[:3]]
        if len(found) > 3:
            lines.append(f"    and {len(found) - 3} more")
        lines.append(f"    replay: {shlex.join([found[0].binary, *input_limits(), found[0].path])}")
    return "\n".join(lines)
