# SPDX-License-Identifier: Apache-2.0
"""The phase that runs the inputs set aside by earlier runs again, before fuzzing: those that pass return to the corpus, so
that a fixed bug leaves no gap in it."""
import collections
import concurrent.futures
import os
import time

from etlproof import failures
from etlproof.triage.bucket_store import Store
from etlproof.triage.program import Target
from . import corpus

# The programs that an input is run on, by the configuration that found it: first the one with the best reports, so that
# a bug which several configurations find is one bucket; then the one on which it failed.
SUBJECTS = {"libfuzzer": ["libfuzzer"], "libfuzzer-msan": ["libfuzzer", "libfuzzer-msan"], "afl": ["libfuzzer", "afl"],
            "afl-cmplog": ["libfuzzer", "afl"], "afl-asan": ["libfuzzer", "afl-asan"]}
# Seconds for all inputs of a night. Those not tried for so long are first.
SECONDS = 600
# An input returns if it passes so many times: a flaky one would soon be set aside again.
RUNS = 2
# Inputs that one process runs. If one of them fails, each runs in a process of its own.
BATCH = 64
_WAITING = """SELECT a.sha1, c.configuration, c.kind FROM aside a JOIN crashes c ON c.target = a.target AND c.sha1 = a.sha1
WHERE a.target = ? AND a.run < ? ORDER BY a.tried, c.kind = 'timeout', a.sha1"""
_TRIED = "SELECT count(*) FROM aside WHERE target = ? AND tried = ?"
_RETURNED = "SELECT count(*) FROM inputs WHERE target = ? AND run = ? AND origin = ?"


class Retry:
    """`late` counts the inputs for which there was no time."""

    def __init__(self, night, store):
        self.night, self.state, self._store = night, night.state, store
        self.late = 0
        self._ends = time.monotonic() + SECONDS

    def target(self, name):
        shelf = corpus.Crashes(self.state, self.night.number, name)
        buckets, presets = self._store.given(name), {}
        for row in self.state.rows(_WAITING, name, self.night.number):
            bucket = buckets.get(corpus.sha256(os.path.join(shelf.folder, row["sha1"])))
            if found := self._presets(name, row["configuration"], bucket):
                presets[row["sha1"]] = found
        subjects = {preset: Target(name, preset) for found in presets.values() for preset in found}

        def passes(names):
            """Of inputs with the same presets."""
            paths = [os.path.join(shelf.folder, name) for name in names]
            return all(failures.classify(subjects[preset].run(*paths)) is None for preset in presets[names[0]] * RUNS)

        def outcomes(batch):
            """By name whether an input passes; None if there is no time."""
            if time.monotonic() <= self._ends and passes(batch):
                return dict.fromkeys(batch, True)
            return {name: passes([name]) if time.monotonic() <= self._ends else None for name in batch}

        with concurrent.futures.ThreadPoolExecutor(self.night.run()["jobs"]) as pool:
            try:
                results = dict(collections.ChainMap(*pool.map(outcomes, _batches(presets))))
            except BaseException:
                for subject in subjects.values():
                    subject.children.stop()
                pool.shutdown(cancel_futures=True)
                raise
        self._take(name, shelf, results)

    def _take(self, name, shelf, results):
        tried = [sha1 for sha1, passed in results.items() if passed is not None]
        passing = [sha1 for sha1 in tried if results[sha1]]
        self.state.do_all("UPDATE aside SET tried = ? WHERE target = ? AND sha1 = ?",
                          [(self.night.number, name, sha1) for sha1 in tried])
        shelf.take_back(passing)
        self.late += len(results) - len(tried)

    def _presets(self, name, configuration, bucket):
        """The presets on which an input must pass; none if the preset that shows its bug was not built tonight, because
        another one may not detect it."""
        among = SUBJECTS[configuration]
        built = [preset for preset in among if (preset, name) in self.night.built]
        record = self._store.record(self._store.resolve(bucket))
        shown = record and record["preset"]
        return [] if shown in among and shown not in built else built


def _batches(presets):
    """Lists of the names in {name: presets}, of the same presets each, in order."""
    alike = collections.defaultdict(list)
    for name, found in presets.items():
        alike[tuple(found)].append(name)
    return [names[at:at + BATCH] for names in alike.values() for at in range(0, len(names), BATCH)]


def phase(night):
    store = Store(night.state.database)
    try:
        work = Retry(night, store)
        for name in night.targets:
            night.status.say(f"trying inputs of {name} that are set aside")
            work.target(name)
    finally:
        store.close()
    left, returned = waiting(night), _count(night, _RETURNED, corpus.RETURNED)
    tried = returned + _count(night, _TRIED)
    text = f"{tried:,} of {returned + left:,} inputs set aside tried again, {returned:,} pass and return"
    if work.late:
        text += f"; no time for {work.late:,}, which are first next time"
    return (text if returned + left else "no input is set aside"), {"tried": tried, "returned": returned}


def _count(night, query, *more):
    """Over the targets of the run, also of its part before a kill."""
    return sum(night.state.value(query, name, night.number, *more) for name in night.targets)


def waiting(night):
    """The number of inputs of the run's targets that are set aside."""
    return sum(len(corpus.Crashes(night.state, night.number, name).aside()) for name in night.targets)
