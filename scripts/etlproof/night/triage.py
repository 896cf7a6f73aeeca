# SPDX-License-Identifier: Apache-2.0
"""The triage phase: sorts the crashes of this night and of earlier nights into buckets."""
import collections
import json
import os

from etlproof.pages.night_page import ABOUT, RARE
from etlproof.pages.wording import is_flaky
from etlproof.triage import finisher
from etlproof.triage.bucket_store import Store
from etlproof.triage.finisher import Finisher
from etlproof.triage.main import Triage
from etlproof.triage.program import Target
from . import corpus, durable, retry

# The buckets before the last run, if its page has no buckets.
_UNTOLD = """SELECT known, fixed FROM runs r WHERE id = (SELECT max(id) FROM runs)
AND NOT EXISTS (SELECT 1 FROM phases WHERE run = r.id AND name = 'triage' AND outcome = 'done')"""
# Inputs of an old bucket that are run again: the smallest ones; others would show the same.
AGAIN = 10
RUNS, QUICK_RUNS = 5, 2
# A bucket that failed only in some tries is fixed when its inputs pass so often.
FLAKY_RUNS = 25
# A shallow bug fails hundreds of times a night. If a target has more than MANY inputs, each is run less often.
MANY = 25


def before(state):
    """Ids of the buckets that fail as of now, and of those that are fixed. Buckets that only the last run found are no
    failing ones if its triage failed, because no page has reported them as new."""
    store = Store(state.database)
    try:
        status = {record["id"]: record["status"] for record in store.records()}
    finally:
        store.close()
    fixed = {name for name in status if status[name] == "fixed"}
    told = state.row(_UNTOLD)
    if told is None:
        return status.keys() - fixed, fixed
    known = set(json.loads(told["known"]))
    return (status.keys() - fixed) & known, fixed | set(json.loads(told["fixed"]))


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
            flaky = set() if self.night.interrupted else self._flaky(target, paths)
            self._triage.runs = FLAKY_RUNS
            self._triage.run(sorted(flaky), Target(target, preset))
            self._triage.runs = QUICK_RUNS if self.night.interrupted or len(paths) > MANY else RUNS
            self._triage.run([path for path in paths if path not in flaky], Target(target, preset))

    def _flaky(self, target, paths):
        """Those of the inputs whose bucket was flaky when it last failed."""
        buckets = self._store.given(target)
        names = {path: buckets.get(corpus.sha256(path)) for path in paths}
        records = {name: self._store.record(self._store.resolve(name)) for name in set(names.values())}
        return {path for path, name in names.items() if records[name] and is_flaky(records[name])}

    def records(self):
        """The records of the buckets with their states, by what was known before the run began, even if it was killed in
        between; without those that were fixed before it and pass."""
        ran = self._triage.finish(self.state.path("report", "buckets"))
        untried = self._untried({record["id"] for record in ran})
        for note in self._finisher.notes:
            self.night.problem(note, breaks=False)
        known, fixed = self.night.before()
        for record in ran + untried:
            record["status"] = _status(record, known, fixed, record in untried)
        return [record for record in ran + untried if record["status"] != "fixed" or record["id"] not in fixed]

    def _untried(self, ran):
        """Buckets that failed when they were last run, but were not run tonight: their target is excluded or was not built,
        or their inputs are gone."""
        return [record for record in self._store.records() if record["status"] != "fixed" and record["id"] not in ran]


def _status(record, known, fixed, is_untried):
    """A flaky bucket is neither new again nor fixed by passing once."""
    name = record["id"]
    if record["status"] == "fixed":
        return "fixed"
    if name not in known | fixed:
        return "new"
    if is_untried:
        return "untried"
    if is_flaky(record):
        return "flaky"
    return "known" if name in known else "regressed"


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
    return ", ".join(f"{count} {status}" for status, count in counts.items() if count or status not in RARE), records
