# SPDX-License-Identifier: Apache-2.0
"""Completes a bucket: minimises its input, explains it by replacing its members, and writes its page."""
import os

from etlproof.minimiser import MINIMISER, key_of, minimise
from etlproof.pages import bucket_page
from etlproof.parserfuzz import reference_build
from runner.failure import OUTPUT, Failure
from runner.progress import Line
from .ablation import Trial
from .explain import explain

SECONDS = 30
# CMake targets of the command, and of the programs that run its verbs.
_SPEAKERS = ["etlproof_tool", "etlproof_build", "etlproof_carve"]


class Finisher:
    """`seconds` is the time for minimising, and as much for replacing members; 0 skips both. `notes` collects what could
    not be done; the bucket is written all the same."""

    def __init__(self, seconds=SECONDS):
        self.seconds, self.notes, self.line = seconds, [], Line()

    def build(self, log):
        """Builds the programs that it runs from the current sources. If one cannot be built, the bucket lacks its
        results."""
        try:
            reference_build.bring_up("release", [*_SPEAKERS, *([MINIMISER] if self.seconds else [])], log)
        except (Failure, OSError) as error:
            self.notes.append(f"etlproof is not built, so buckets are not explained: {error}")

    def complete(self, record, key, subject, path, folder, before):
        """Completes the record, except for results that `before` already has. `key` is that of its failure, from
        buckets.key_of."""
        if before and before["inputs"][0]["sha256"] != record["inputs"][0]["sha256"]:
            before = None
        kept = before and before["smallest"]
        if kept and self._try(record, "the smallest input was not run again", _fails, subject, kept["path"], key):
            record["smallest"] = kept
        elif self.seconds and not record["flaky"]:
            out = os.path.join(folder, "smallest" + os.path.splitext(path)[1])
            record["smallest"] = self._try(record, "not minimised", minimise, subject, path, record["kind"], key, out,
                                           self.seconds)
        least = record["smallest"]["path"] if record["smallest"] else path
        record["commands"] = subject.commands(least)
        if before and kept == record["smallest"] and _is_there(before["explain"]):
            record["explain"] = before["explain"]
        else:
            trial = Trial(subject, key, self.seconds, self.line, record["flaky"])
            record["explain"] = self._try(record, "not explained", explain, least, record["target"], record, folder, trial)

    def draw(self, record, folder):
        """Writes the page of a bucket whose folder is otherwise complete."""
        try:
            bucket_page.write(record, os.path.join(folder, bucket_page.NAME))
        except Failure as failure:
            if failure.code == OUTPUT:
                raise
            self.notes += [str(failure)] if str(failure) not in self.notes else []

    def _try(self, record, otherwise, step, *arguments):
        try:
            return step(*arguments)
        except Exception as error:  # noqa: BLE001  (the input is made to break programs, and this is one)
            self.notes.append(f"{record['id']}: {otherwise}: {str(error) or type(error).__name__}")
            return None


def _fails(subject, path, key):
    """Whether the reproducer exists and still fails in the same way: the program may have changed."""
    return os.path.exists(path) and key_of(subject, subject.run(path)) == key


def _is_there(explained):
    """Whether the explanation exists with all files that it names; an earlier version named no members that decide."""
    return explained and "decides" in explained and all(
        path is None or os.path.exists(path) for path in (explained["recipe"], explained["vector"]))
