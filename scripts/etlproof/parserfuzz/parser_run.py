# SPDX-License-Identifier: Apache-2.0
"""A run: batch after batch of mutants, until the time is up or the run is interrupted."""
import contextlib
import os
import time

from etlproof.campaign import machine
from runner.failure import OUTPUT, Failure, read_bytes
from runner.progress import Line
from runner.atomic_file import write
from . import findings

# Bytes of disk to leave free.
ROOM = 64 << 20
# The share of the time that minimising findings may take while fuzzing.
TRIM_SHARE = 0.4
# Mutants per request to each pair. A resumed run may repeat as many.
PIECE = 16


class Budget:
    """The length of a run, as a time or as a number of mutants."""

    def __init__(self, seconds, mutants):
        self.seconds, self.mutants = seconds, mutants
        self.begun = time.monotonic()

    def took(self):
        return time.monotonic() - self.begun

    def is_over(self, mutants):
        return mutants >= self.mutants if self.mutants else self.took() >= self.seconds

    def left(self, mutants):
        """How many mutants are left; None: no limit."""
        return self.mutants - mutants if self.mutants else None


class Run:
    """Passes batches to the crew and keeps findings. `pair` runs single mutants."""

    def __init__(self, store, crew, pair, trimmer, budget, trim_seconds):
        self.store, self.crew, self.pair, self.trimmer = store, crew, pair, trimmer
        self.budget, self.trim_seconds = budget, trim_seconds
        self.trimmed_for = 0.0
        self.before = store.mutants  # of a run that is resumed
        self.line = Line()
        self.notes = []  # lines of the summary
        self.too_large = 0  # mutants that could not be compared
        self.slow = 0  # mutants that exceeded a limit, but not when run alone
        self.origin = None  # of the mutants that were judged last
        self.is_cut = False  # whether mutants beyond the budget are skipped
        self.given = os.path.join(store.folder, "mutants")  # the folder of the files that the parser gets
        self.scratch = os.path.join(store.folder, "trying.etl")

    def go(self, source):
        """Runs batch after batch. If the budget cuts a batch off, --resume continues at the next mutant."""
        self.is_cut = True
        while not self.budget.is_over(self.store.mutants):
            batch = source.batch(self.store.next)
            waiting = batch[self.store.at:]
            left = self.budget.left(self.store.mutants)
            self.judge(waiting if left is None else waiting[:left], source.origin(self.store.next))
            if self.store.at >= len(batch):
                self.store.next, self.store.at = self.store.next + 1, 0
                self.store.mark()
            self.trim_some()
            check_room(self.store.folder)

    def judge(self, mutants, origin):
        """Judges in portions, between which the time is checked."""
        self.origin = origin
        step = PIECE * len(self.crew.pairs)
        for at in range(0, len(mutants), step):
            if at and self.is_cut and self.budget.is_over(self.store.mutants):
                return
            piece = mutants[at:at + step]
            for vector, result in self.crew.results(piece):
                self._take(vector, result)
            self.store.at += len(piece)
            self.store.mark()
            self._show()

    def _take(self, vector, result):
        self.store.mutants += 1
        self.store.either += vector["verdict"] == "either" and not vector["is_too_large"]
        self.too_large += vector["is_too_large"]
        key = result["key"]
        if key is not None and key not in self.store.findings:
            self._keep(vector, result)

    def _keep(self, vector, result):
        """Keeps a finding after running its mutant alone in a fresh process; if that does not reproduce it, the record
        states it."""
        key, image = result["key"], vector["image"]
        alone_vector, alone = self._alone(vector["id"], image)
        repeats = alone["key"] == key
        if repeats:
            vector, result = alone_vector, alone
        elif key[0] in ("hang", "oom") and alone["key"] is None and self.pair.parser.parser.mode == "one-shot":
            self.slow += 1  # the machine was slow, not the parser: it was a new process both times
            return
        finding = self._finding(vector, result, self.origin)
        finding["repeats"] = repeats
        self.store.add(finding, image)

    def _alone(self, name, image):
        with self._trying(image) as path:
            return self.pair.result_alone(name, path)

    @contextlib.contextmanager
    def _trying(self, image):
        """The path of a temporary file, which the parser may change or remove."""
        write(self.scratch, image)
        try:
            yield self.scratch
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.scratch)

    def _finding(self, vector, result, origin):
        path = self.store.path_of(result["key"])
        command = self.pair.oracle.judge.parser.reproduce({**vector, "path": path})
        return findings.finding_of(vector, {**result, "command": command}, path, origin)

    def _waiting(self):
        return [finding for finding in self.store.findings.values() if finding["repeats"] and not finding["trimmed"]]

    def trim_some(self, all_of_them=False):
        """Minimises findings, as long as this takes no more than its share of the time."""
        if not self.trim_seconds or not self.trimmer.usable:
            return
        for finding in self._waiting():
            if not all_of_them and self.trimmed_for > TRIM_SHARE * self.budget.took():
                return
            begun = time.monotonic()
            self._trim(finding)
            self.trimmed_for += time.monotonic() - begun
            self._show()

    def _trim(self, finding):
        key = tuple(finding["key"])
        image = read_bytes(finding["path"])
        smallest, _ = self.trimmer.trim(image, lambda candidate: self._holds(candidate, key), self.trim_seconds)
        vector, result = self._alone(finding["mutant"], smallest)
        if result["key"] != key:
            finding["trimmed"] = True  # a smaller input does not show the finding
            self.store.add(finding, image)
            return
        smaller = self._finding(vector, result, finding["origin"])
        smaller.update(trimmed=True, whole_size=finding["whole_size"])
        self.store.add(smaller, smallest)

    def _holds(self, candidate, key):
        with self._trying(candidate) as path:
            return self.pair.results([("candidate", path)])[0][1]["key"] == key

    def stop(self):
        """Lets all parsers exit. A failure at exit, such as a leak report, is a finding too: it is attributed to the last
        mutant that the parser answered."""
        for pair in (self.pair, *self.crew.pairs):
            for vector, result in pair.stop():
                if result["key"] not in self.store.findings:
                    self._keep_last(vector, result)

    def _keep_last(self, vector, result):
        with self._trying(vector["image"]) as path:
            self.pair.result_alone(vector["id"], path)
            repeats = any(alone["key"] == result["key"] for _, alone in self.pair.stop())
        finding = self._finding(vector, result, self.origin)
        finding.update(repeats=repeats, trimmed=True)  # smaller inputs cannot be tested
        self.store.add(finding, vector["image"])

    def _show(self):
        self.line.show(self.text())

    def text(self):
        done = self.store.mutants - self.before
        took = self.budget.took()
        return (f"{findings.counted(self.store.mutants, 'mutant')}, {done / max(took, 0.1):,.0f}/s, "
                f"{findings.counts_text(self.store.findings.values())}")

    def summary(self, name, ending, triage):
        """The last line of the report. `ending` describes how a run ended early; `triage` is the command that explains the
        findings."""
        found = list(self.store.findings.values())
        lines = [f"{name}: {self.text()}", *self.notes]
        if self.store.either and self.pair.parser.parser.description:
            lines.append(f"{self.store.either:,} of them touch open questions of the format: only crash, hang and oom "
                         "count there")
        if self.too_large:
            lines.append(f"{self.too_large:,} of them were too large to be compared")
        if self.slow:
            lines.append(f"{self.slow:,} of them hung or took too much memory, but not when run alone: not counted")
        if found:
            lines += ["", findings.listing(found, findings.SHOWN), "",
                      f"{findings.counted(len(found), 'finding')} in {self.store.found}; a page of each bug, explained:",
                      f"    {triage}"]
        waiting = len(self._waiting())
        if waiting and self.trim_seconds:
            why = "was not built" if not self.trimmer.usable else "had no time; --resume continues"
            lines.append(f"{waiting} of them not minimised: the minimiser {why}")
        if ending:
            lines.append(ending)
        return {"rec": "summary", "mutants": self.store.mutants, "resumed": self.before,
                "either": self.store.either,
                "findings": findings.counts(found), "seconds": round(self.budget.took(), 3),
                "interrupted": ending is not None, "text": "\n".join(lines) + "\n"}


def check_room(folder):
    rest = machine.free(folder)
    if rest < ROOM:
        raise Failure(OUTPUT, f"{folder}: {rest >> 20} MiB are free, and {ROOM >> 20} MiB must stay free: make room, or "
                              "use --state DIR on another disk")
