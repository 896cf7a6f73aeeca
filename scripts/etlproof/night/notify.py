# SPDX-License-Identifier: Apache-2.0
"""Runs the command of --notify with a summary of the night, as JSON on its standard input."""
import json
import subprocess
import tempfile

from etlproof.campaign.children import end_group, end_with_parent
from runner.failure import INPUT, Failure

SECONDS = 60
_KEPT = ("verdict", "sentence", "run", "begun", "ended", "commit", "plan", "causes", "problems", "coverage", "corpus")
_BUCKET = ("id", "title", "status", "target", "severity", "first_seen")


def summary(report, page):
    kept = {name: report[name] for name in _KEPT}
    return {**kept, "page": page, "buckets": [{name: bucket.get(name) for name in _BUCKET} for bucket in report["buckets"]]}


def tell(command, report, page):
    """Runs the command. Raises if it fails, or takes too long."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told, \
            tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words:
        json.dump(summary(report, page), told)
        told.seek(0)
        try:
            status = _run(command, told, words)
        except subprocess.TimeoutExpired as error:
            raise Failure(INPUT, f"--notify: {command}: no end within {SECONDS} s") from error
        words.seek(0)
        if status != 0:
            raise Failure(INPUT, f"--notify: {command}: exit status {status}: {words.read().strip()[-500:]}")


def _run(command, told, words):
    """Its exit status. Output goes to files, not pipes, so that a background process of the command does not delay the
    night. On a timeout or an interrupt, the command is killed together with its children."""
    child = subprocess.Popen(command, shell=True, stdin=told, stdout=subprocess.DEVNULL, stderr=words,
                             start_new_session=True, preexec_fn=end_with_parent())
    try:
        return child.wait(SECONDS)
    except BaseException:
        end_group(child)
        raise
