# SPDX-License-Identifier: Apache-2.0
"""Runs a night from the command line to the exit code. Each finished phase is recorded, so that a run that was killed
resumes at the phase it was in."""
import json
import os
import subprocess
import time

from etlproof import ROOT
from etlproof.campaign import lock, machine, targets
from etlproof.pages.wording import say_seconds
from runner import command
from runner.failure import FAILED, INTERRUPTED, OUTPUT, PASSED, Failure
from . import (bisect, build, conformance, corpus, coverage, fuzz, minimise, night_options, notify, replay, report, retry,
               schedule, seeds, slots, triage)
from .state import State, now, seconds_since
from .status import Status

NAME = "scripts/nightly"
BROKEN = 2
PHASES = (("build", build.phase), ("regressions", replay.phase), ("retry", retry.phase), ("conformance", conformance.phase),
          ("seeds", seeds.phase), ("fuzz", fuzz.phase), ("minimise", minimise.phase), ("coverage", coverage.phase),
          ("triage", triage.phase), ("bisect", bisect.phase))
# Phases that an interrupted run still completes. If they are interrupted too, the run is unfinished: nothing was reported.
_LAST = "triage"
# Only the build knows what has been built.
_EVERY_TIME = ("build",)
# Behind a commit hash: the tree has uncommitted changes.
_CHANGED = "+"
# Exit codes, the worst last.
_BAD = (PASSED, INTERRUPTED, FAILED, BROKEN)
# An upper bound of the seconds that a night takes besides fuzzing.
_BESIDE = 3600
_CODES = {report.NOTHING: PASSED, report.NEW: FAILED, report.BROKEN: BROKEN, report.INTERRUPTED: INTERRUPTED}


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(night_options.parse(arguments)),
                       "interrupted; the next run resumes this one")


def _main(chosen):
    state = State(chosen.state)
    with lock.take(chosen.state):
        machine.check_room(chosen.state)
        state.open()
        return _nights(state, chosen)


def _nights(state, chosen):
    """The exit code; the worse of two if a killed run is finished first."""
    night = Night(state, chosen)
    again = night.begin()
    code = night.go()
    if again or night.interrupted:
        return code
    asked = Night(state, chosen)
    asked.begin(night.before())
    return max(code, asked.go(), key=_BAD.index)


def _commit():
    """The commit of the tree; None without git."""
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty=" + _CHANGED], cwd=ROOT, capture_output=True,
                              text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def _named(commit):
    return f"commit {commit}" if commit else "an unknown commit"


def _is_same(old, commit):
    """Whether both runs are known to test the same program: a commit hash does not show uncommitted changes."""
    return commit is not None and commit == old and not commit.endswith(_CHANGED)


class Night:
    """`number` is the number of the run, `built` the built (preset, CMake target), `targets` its targets by name,
    `tested` the hash of the sources that they test."""

    def __init__(self, state, chosen):
        self.state, self.chosen = state, chosen
        self.status, self.tested = Status(chosen.quiet), build.tested()
        self.built, self.interrupted, self._phase = set(), False, "begin"

    # The run

    def run(self):
        return self.state.run(self.number)

    def before(self):
        """Before the run began: ids of the buckets that failed, and of those that were fixed."""
        run = self.run()
        return set(json.loads(run["known"])), set(json.loads(run["fixed"]))

    def problem(self, text, breaks=True):
        self.state.problem(self.number, self._phase, text, breaks)
        self.status.clear()
        command.complain(NAME, f"{self._phase}: {text}")

    def begin(self, before=None):
        """Resumes a run that did not finish, or begins a new one; `before` are the buckets before it, if not those of now.
        Returns whether the run is the requested one."""
        slots.recover(self.state)
        old = self.state.unfinished()
        asked = old is None or self._is_asked(old)
        if old:
            self._resume(old, asked)
        else:
            known, fixed = triage.before(self.state) if before is None else before
            self.number = self.state.begin(*self._settings(), _commit(), sorted(known), sorted(fixed))
        self.targets = self._targets()
        if old is None:
            self.state.plan(self.number, self.coming())
        self._check_corpora()
        return asked

    def _settings(self):
        return self.chosen.seconds, self.chosen.jobs, self.chosen.targets, self.chosen.seeds

    def _is_asked(self, old):
        """Whether the same options are given while the earlier run could still be under way; a run of an earlier day
        does not count."""
        same = self._settings() == (old["budget"], old["jobs"], json.loads(old["targets"]), old["seeds"])
        return same and seconds_since(old["begun"]) < old["budget"] + _BESIDE

    def _resume(self, old, asked):
        self.number, commit = old["id"], _commit()
        if _is_same(old["commit_id"], commit):
            self.state.do("DELETE FROM phases WHERE run = ? AND outcome = 'skipped'", self.number)
        else:
            # Results of the old program do not apply to this one; losses of the corpora do.
            self.state.do("DELETE FROM phases WHERE run = ?", self.number)
            self.state.do("DELETE FROM problems WHERE run = ? AND phase <> 'begin'", self.number)
            corpus.Crashes.count_as_earlier(self.state, self.number)
            if old["fuzzed"]:
                self.problem(f"resumed at {_named(commit)} after {say_seconds(old['fuzzed'])} of fuzzing, until then at "
                             f"{_named(old['commit_id'])}", breaks=False)
        self.state.do("UPDATE runs SET resumed = resumed + 1, commit_id = ? WHERE id = ?", commit, self.number)
        command.complain(NAME, f"resuming run {self.number} of {old['begun']}, which did not finish: "
                               f"{old['fuzzed']:.0f} of {old['budget']:.0f} s are fuzzed"
                               + ("" if asked else "; the requested run follows"))

    def _targets(self):
        """The targets of the run; after a kill, the tree may have changed."""
        every, names = targets.load(), json.loads(self.run()["targets"])
        left = {name: every[name] for name in names if name in every}
        if gone := [name for name in names if name not in every]:
            self.problem(f"no longer in the tree, and skipped: {', '.join(gone)}", breaks=not left)
        return left

    def _check_corpora(self):
        """Reports lost inputs: silent loss of a corpus is the classic failure of a nightly campaign."""
        if self.state.bereft:
            self.problem(f"{self.state.database} is missing or empty, and there are corpora beside it: their history is "
                         "lost")
        for name in self.targets:
            with self.state.together():
                self._check_corpus(name)

    def _check_corpus(self, name):
        """Atomic: a crash between repair and report would hide the loss."""
        shelf = corpus.Corpus(self.state, self.number, name)
        count, lost = len(shelf.names()), shelf.settle()
        gone = corpus.Crashes(self.state, self.number, name).settle()
        self.state.do("INSERT OR IGNORE INTO counts VALUES (?, ?, ?, 0)", self.number, name, count)
        self.state.do("UPDATE counts SET lost = lost + ? WHERE run = ? AND target = ?", lost, self.number, name)
        if lost:
            self.problem(f"{name}: {lost} of {count} inputs that the corpus had are missing or changed: see {shelf.folder}")
        if gone:
            self.problem(f"{name}: {gone} inputs that failed are missing or changed")

    # The plan

    def coming(self):
        """The combinations that the night will run, and those that it ran before it was killed."""
        run = self.run()
        among = schedule.combinations(self.targets)
        left = max(0.0, run["budget"] - run["fuzzed"])
        coming = schedule.preview(among, self.state.spent(), left, run["jobs"])
        been = self.state.ran(self.number)
        return [one for one in among if one in been or one in coming]

    def ready(self):
        """Those of the combinations that were built."""
        wanted = build.engines.builds_of
        return [one for one in self.coming() if wanted(one[1], self.targets[one[0]]) <= self.built]

    # The phases

    def go(self):
        """The exit code. A run without targets only writes the report."""
        for name, phase in PHASES if self.targets else ():
            if name == "bisect" and not self.chosen.bisect:
                continue
            if name not in _EVERY_TIME and self.state.phase_done(self.number, name):
                continue
            if self.interrupted and name != _LAST:
                self.state.end_phase(self.number, name, 0, "skipped", "interrupted")
            else:
                self._do(name, phase)
        return self._end()

    def _do(self, name, phase):
        self._phase = name
        begun = time.monotonic()
        self.status.say(name)
        result, outcome = None, "done"
        try:
            text, result = phase(self)
        except KeyboardInterrupt:
            if self.interrupted or name == _LAST:
                raise
            self.state.settle()
            self.interrupted, outcome, text = True, "skipped", "interrupted"
        except Failure as failure:
            if failure.code == OUTPUT:
                raise
            self.problem(str(failure))
            outcome, text = "failed", str(failure)
        self.state.end_phase(self.number, name, time.monotonic() - begun, outcome, text, result)
        self.status.phase(f"{name:12} {text}")

    def _end(self):
        self._phase = "report"
        record = report.write(self)
        page = self.state.path("report", report.PAGE)
        if self.chosen.notify:
            self._phase = "notify"
            try:
                notify.tell(self.chosen.notify, record, os.path.join(report.kept(self.state, self.number), report.PAGE))
            except Failure as failure:
                self.problem(str(failure), breaks=False)
                record = report.write(self)
        self.state.do("UPDATE runs SET ended = ?, verdict = ? WHERE id = ?", now(), record["verdict"], self.number)
        self.status.phase(f"\n{record['sentence']}\n{os.path.relpath(page)}")
        return _CODES[record["verdict"]]
