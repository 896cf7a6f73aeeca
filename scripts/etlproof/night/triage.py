# SPDX-License-Identifier: Apache-2.0
"""The triage phase: sorts the crashes of this night and of earlier nights into buckets."""
import collections
import json
import os

from etlproof.pages.night_page import ABOUT
from etlproof.triage import finisher
from etlproof.triage.bucket_store import Store
from etlproof.triage.finisher import Finisher
from etlproof.triage.main import Triage
from etlproof.triage.program import Target
from . import corpus, durable, retry

# The buckets known to the last run, if its page has no buckets.
_UNTOLD = """SELECT known FROM runs r WHERE id = (SELECT max(id) FROM runs)
AND NOT EXISTS (SELECT 1 FROM phases WHERE run = r.id AND name = 'triage' AND outcome = 'done')"""
# Inputs of an old bucket that are run again: the smallest ones; others would show the same.
AGAIN = 10
RUNS, QUICK_RUNS = 5, 2
# A shallow bug fails hundreds of times a night. If a target has more than MANY inputs, each is run less often.
MANY = 25


def known(state):
    """Ids of the buckets that fail as of now. Buckets that only the last run found are excluded if its triage failed,
    because no page has reported them as new."""
    store = Store(state.database)
    try:
        failing = [record["id"] for record in store.records() if record["status"] != "fixed"]
    finally:
        store.close()
    before = state.value(_UNTOLD)
    return failing if before is None else sorted(set(failing) & set(json.loads(before)))


class Work:
    """The work of triage. An interrupted run is quick: it runs tonight's findings only, and less often."""

    def __init__(self, night):
        self.night, self.state = night, night.state
        self._store = Store(self.state.database)
        self._finisher = Finisher(0 if night.interrupted else finisher.SECONDS)
        self._triage = Triage(self._store, jobs=night.run()["jobs"], finisher=self._finisher)

    def close(self):
        self._store.close()

    def _inputs(self, target):
        """{path: configuration} of the inputs to run."""
        folder = corpus.Crashes(self.state, self.night.number, target).folder
        rows = self.state.rows("SELECT sha1, configuration, run FROM crashes WHERE target = ?", target)
        found = {os.path.join(folder, row["sha1"]): row for row in rows}
        old = [path for path, row in found.items() if row["run"] != self.night.number]
        again = set() if self.night.interrupted else self._again(target, old)
        return {path: row["configuration"] for path, row in found.items()
                if row["run"] == self.night.number or path in again}

    def _again(self, target, paths):
        """The smallest inputs of each bucket, and the inputs without a bucket."""
        buckets, taken, again = self._store.given(target), collections.Counter(), set()
        for path in sorted(paths, key=os.path.getsize):
            name = buckets.get(corpus.sha256(path), path)
            taken[name] += 1
            if taken[name] <= AGAIN:
                again.add(path)
        return again

    def run(self, target):
        """Runs each input on its first subject, and on the next one if it passes."""
        inputs = self._inputs(target)
        left = {path: retry.SUBJECTS[configuration] for path, configuration in inputs.items()}
        while left:
            for preset in sorted({presets[0] for presets in left.values()}):
                self._on(target, preset, [path for path, presets in left.items() if presets[0] == preset])
            failing = {crash.path for crash in self._triage.crashes}
            left = {path: presets[1:] for path, presets in left.items() if presets[1:] and path not in failing}
        failing = {crash.path for crash in self._triage.crashes} & set(inputs)
        for path in failing:
            self.state.failed(target, inputs[path])
        self._note_flaky(target, {crash.path for crash in self._triage.passed} & set(inputs) - failing)

    def _note_flaky(self, target, paths):
        """Inputs that failed in this run and pass now are reported; the next run tries them again."""
        shelf = corpus.Crashes(self.state, self.night.number, target)
        if flaky := sorted(shelf.of_run() & {os.path.basename(path) for path in paths}):
            self.night.problem(f"{target}: inputs that failed in this run and pass when they are run again: {len(flaky)}, "
                               f"such as {os.path.join(shelf.folder, flaky[0])}", breaks=False)

    def _on(self, target, preset, paths):
        if (preset, target) in self.night.built:
            self._triage.runs = QUICK_RUNS if self.night.interrupted or len(paths) > MANY else RUNS
            self._triage.run(paths, Target(target, preset))

    def records(self):
        """The records of the buckets. A bucket is new if it did not fail before the run began, even if the run was killed
        in between."""
        ran = self._triage.finish(self.state.path("report", "buckets"))
        untried = self._untried({record["id"] for record in ran})
        for note in self._finisher.notes:
            self.night.problem(note, breaks=False)
        before = self.night.known()
        for records, old in ((ran, "known"), (untried, "untried")):
            for record in records:
                if record["status"] != "fixed":
                    record["status"] = old if record["id"] in before else "new"
        return ran + untried

    def _untried(self, ran):
        """Buckets that failed when they were last run, but were not run tonight: their target is excluded or was not built,
        or their inputs are gone."""
        return [record for record in self._store.records() if record["status"] != "fixed" and record["id"] not in ran]


def phase(night):
    durable.make_folders(night.state.path("report", "buckets"))
    work = Work(night)
    try:
        for name in night.targets:
            work.run(name)
        records = work.records()
    finally:
        work.close()
    counts = {status: sum(record["status"] == status for record in records) for status in ABOUT}
    return ", ".join(f"{count} {status}" for status, count in counts.items()), records
