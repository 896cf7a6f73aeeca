# SPDX-License-Identifier: Apache-2.0
"""Tells a command of the person's choice how the night was: a summary as JSON on its standard input."""
import json
import subprocess

from campaign.children import end_with_parent
from runner.failure import INPUT, Failure

SECONDS = 60
_KEPT = ("verdict", "sentence", "run", "begun", "ended", "commit", "problems", "coverage", "corpus")
_BUCKET = ("id", "title", "status", "target", "severity", "first_seen")


def summary(report, page):
    kept = {name: report[name] for name in _KEPT}
    return {**kept, "page": page, "buckets": [{name: bucket.get(name) for name in _BUCKET} for bucket in report["buckets"]]}


def tell(command, report, page):
    """Raises if the command fails, or takes too long."""
    try:
        done = subprocess.run(command, shell=True, input=json.dumps(summary(report, page)), capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False, preexec_fn=end_with_parent())
    except subprocess.TimeoutExpired as error:
        raise Failure(INPUT, f"--notify: {command}: no end within {SECONDS} s") from error
    if done.returncode != 0:
        raise Failure(INPUT, f"--notify: {command}: exit status {done.returncode}: {done.stderr.strip()[-500:]}")
