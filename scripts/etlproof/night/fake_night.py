# SPDX-License-Identifier: Apache-2.0
"""A night for night_case.py, with everything but the night itself replaced. Arguments are those of scripts/nightly; the
environment has the rest:

    WORK      a folder with the scripts `engine` and `target` (`target-PRESET` where that is there), `seeds`, and what is
              wrong: `broken-CONFIGURATION`, `killed-CONFIGURATION`, `unbuildable-PRESET`, `interrupted-PHASE` and
              `failing-PHASE`, which are so at their end; `unprofiled` names a target without coverage; the number in
              `regions` is what all corpora reach
    STOP      kills the night before the phase of that name, or, as `fuzz+0.3`, so many seconds after that; as `rows+N`,
              between the N-th files of a corpus and their rows
    MOST      bytes that minimising cuts inputs to
    FREE      bytes that are free on the disk, look by look
    RUNS      how often triage runs an input
    TESTED    the hash of the sources that are tested
    COMMIT    what is tested; nothing where there is no git
"""
import contextlib
import os
import signal
import sys
from unittest import mock

from etlproof.campaign import engines, machine
from runner.failure import INPUT, Failure
from . import build, corpus, coverage, fuzz, main, minimise, replay, report, retry, schedule, seeds, slots, state, triage

WORK, STOP = os.environ["WORK"], os.environ.get("STOP", "")
MOST = int(os.environ.get("MOST", "99"))
FREE = [int(text) for text in os.environ.get("FREE", str(1 << 40)).split(",")]
COMMIT = os.environ.get("COMMIT", "c0ffee")
RUNS = int(os.environ.get("RUNS", "1"))


def there_is(name):
    return os.path.exists(os.path.join(WORK, name))


def die():
    os.kill(os.getpid(), signal.SIGKILL)


# The phases, which STOP can kill.


def stopping(name, phase):
    """The row of the phase, which ends as STOP and WORK demand."""
    def run(night):
        if STOP == name:
            die()
        if STOP.startswith(name + "+"):
            signal.signal(signal.SIGALRM, lambda *_: die())
            signal.setitimer(signal.ITIMER_REAL, float(STOP.split("+")[1]))
        told = phase(night)
        if there_is("interrupted-" + name):
            raise KeyboardInterrupt
        if there_is("failing-" + name):
            raise Failure(INPUT, f"{name} has failed")
        return told
    return name, run


def stopping_write(night, write=report.write):
    if STOP == "report":
        die()
    return write(night)


class StoppingState(state.State):
    """Counts how often rows are added to a corpus."""

    writes = 0

    def do_all(self, query, rows):
        StoppingState.writes += "INTO inputs" in query
        if STOP == f"rows+{StoppingState.writes}":
            die()
        super().do_all(query, rows)


# Replacements for builds, engines and targets.


class Engine(engines.LibFuzzer):
    """An engine that is a script."""

    def command(self, _seconds):
        if there_is("broken-" + self.preset):
            return ["sh", "-c", "echo no such engine >&2; exit 1"]
        if there_is("killed-" + self.preset):
            return ["sh", "-c", "echo '#7 pulse cov: 5'; kill -KILL $$"]
        return ["sh", os.path.join(WORK, "engine"), self.folder, os.path.join(WORK, "journal"), self.preset]


class Target(triage.Target):
    """A target that is a script."""

    def __init__(self, name, preset):
        own = "target-" + preset
        super().__init__(name, preset, os.path.join(WORK, own if there_is(own) else "target"))


def build_all(preset, _names, _log):
    if there_is("unbuildable-" + preset):
        raise Failure(INPUT, f"preset {preset}: cannot build")


def regions(_targets, _counted):
    if not there_is("regions"):
        return 90, 100
    with open(os.path.join(WORK, "regions"), encoding="ascii") as file:
        return int(file.read()), 100


def profile(target, *_):
    if there_is("unprofiled"):
        with open(os.path.join(WORK, "unprofiled"), encoding="ascii") as file:
            if file.read() == target.name:
                raise Failure(INPUT, f"{target.name}: cannot be measured")
    return ""


def cover(_night, _target, folder):
    cut = [corpus.read(os.path.join(folder, name))[:MOST] for name in corpus.files(folder)]
    return {corpus.digest(data): data for data in cut}, set()


def free(_folder):
    return FREE.pop(0) if len(FREE) > 1 else FREE[0]


REPLACED: tuple = (
    (engines, {"engine_of": lambda name, target, plan, folder: Engine(target, plan, folder, name),
               "builds_of": lambda name, target: {(name, target.name)}}),
    (build, {"tested": lambda: os.environ.get("TESTED", "sources")}),
    (build.builds, {"build_all": build_all}),
    (replay, {"_inputs": lambda _: []}),
    (seeds.plan, {"made_seeds": lambda _: os.path.join(WORK, "seeds")}),
    (minimise, {"cover": cover, "_seen_by_afl": lambda *_: set()}),
    (coverage.region_coverage, {"profile": profile, "together": lambda *_: "", "show": lambda *_: None,
                                "functions": lambda *_: [],
                                "regions": regions}),
    (retry, {"Target": Target, "RUNS": 1}),
    (triage, {"Target": Target, "RUNS": RUNS, "QUICK_RUNS": RUNS, "FLAKY_RUNS": 3 * RUNS}),
    (triage.finisher, {"SECONDS": 1}),
    (schedule, {"SLOT_LEAST": 0.15}),
    (slots, {"SETTLED": 0.05}),
    (slots.engine_run, {"WORTH": -1}),  # seconds: slots are shorter here
    (fuzz, {"STEP": 0.05, "BEAT": 0.2}),
    (main, {"State": StoppingState, "_commit": lambda: COMMIT or None}),
    (report, {"write": stopping_write}),
    (machine, {"free": free}),
)


def bisected(night):
    return "searched", {bucket["id"]: {"commit": "c0ffee" + "0" * 34, "subject": "break it", "steps": 3, "note": None}
                        for bucket in night.state.result(night.number, "triage")}


PHASES = {**dict(main.PHASES), "conformance": lambda _: ("9 of 9", {"vectors": 9, "passed": 9}), "bisect": bisected}


def run(arguments):
    """The exit code."""
    with contextlib.ExitStack() as stack:
        for module, names in REPLACED:
            stack.enter_context(mock.patch.multiple(module, **names))
        stack.enter_context(mock.patch.object(main, "PHASES", [stopping(*one) for one in PHASES.items()]))
        return main.main(arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
