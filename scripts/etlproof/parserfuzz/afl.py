# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided fuzzing of a parser: afl-fuzz with the structure-aware mutator looks for inputs with new coverage, and
each input that it keeps is compared with the reference decode."""
import glob
import hashlib
import mmap
import os
import shutil
import time

from etlproof import ROOT
from etlproof.campaign import engines
from runner.failure import INPUT, Failure, read_bytes
from . import mutant_batches
from .parser_run import check_room

# A string in every program that afl-cc has instrumented.
_MARK = b"__AFL_SHM_ID"
_KINDS = ("queue", "crashes", "hangs")
STEP = 1.0
OVERRUN = 60
AT_ONCE = 64  # inputs


def check(command, mutator):
    """Raises unless AFL++ is installed and the command is a program built with it. Returns the command with the full
    path."""
    if shutil.which("afl-fuzz") is None:
        raise Failure(INPUT, "--engine afl: afl-fuzz is not installed; it is in the package afl++: run scripts/bootstrap "
                             "nightly, or leave out --engine")
    program = shutil.which(command[0])
    if program is None:
        raise Failure(INPUT, f"{command[0]}: no such program")
    with open(program, "rb") as file:
        marked = os.path.getsize(program) and mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ).find(_MARK) >= 0
    if not marked:
        raise Failure(INPUT, f"{program}: not instrumented by AFL++: build it with afl-clang-fast or afl-gcc-fast, or "
                             "leave out --engine afl")
    if not os.path.exists(mutator):
        raise Failure(INPUT, f"{mutator}: not built")
    return [os.path.abspath(program), *command[1:]]


class Engine(engines.Afl):
    """One instance of afl-fuzz on another program, which runs in the person's current folder."""

    popen = {"start_new_session": True}

    def __init__(self, command, mutator, folder, limits, most, seed):
        super().__init__(None, None, folder)
        self._command, self._mutator, self._limits, self._most, self._seed = command, mutator, limits, most, seed
        self._judged = os.path.join(folder, "afl-judged.txt")
        self.taken = set()

    def forget(self):
        """Starts over; otherwise AFL++ continues with its earlier inputs."""
        shutil.rmtree(os.path.join(self.folder, "afl"), ignore_errors=True)
        self.judge_again()

    def judge_again(self):
        if os.path.exists(self._judged):
            os.remove(self._judged)

    def go_on(self):
        """Continues; inputs that were judged before are not judged again."""
        if os.path.exists(self._judged):
            with open(self._judged, encoding="utf-8") as file:
                self.taken = set(file.read().splitlines())

    def environment(self):
        return {**engines.AFL_ENVIRONMENT, "AFL_CUSTOM_MUTATOR_LIBRARY": self._mutator, "ETLPROOF_INPUT": "file"}

    def command(self, seconds):
        return ["afl-fuzz", "-i", os.path.join(self.folder, "afl-in"), "-o", os.path.join(self.folder, "afl"),
                "-M", self.instance, "-x", os.path.join(ROOT, "dictionaries", "etl.dict"), "-m", "none",
                "-t", f"{int(self._limits.wall * 1000)}+", "-G", str(self._most), "-s", str(self._seed),
                "-V", str(max(1, int(seconds))), "--", *(word.replace("{file}", "@@") for word in self._command)]

    def give_seeds(self, paths):
        folder = os.path.join(self.folder, "afl-in")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for path in paths:
            data = read_bytes(path)
            with open(os.path.join(folder, hashlib.sha256(data).hexdigest()[:16]), "wb") as file:
                file.write(data)

    def new(self):
        """[(name, path)] of the inputs that AFL++ kept and that were not judged yet. A resumed AFL++ moves its old crashes
        and hangs to `crashes.DATE`."""
        place = os.path.join(glob.escape(self.folder), "afl", self.instance)
        named = [(f"{kind}/{os.path.basename(path)}", path) for kind in _KINDS
                 for pattern in (kind, kind + ".*") for path in sorted(glob.glob(os.path.join(place, pattern, "id*")))]
        return [(name, path) for name, path in named if name not in self.taken]

    def judged(self, names):
        self.taken.update(names)
        with open(self._judged, "a", encoding="utf-8") as file:
            file.write("".join(name + "\n" for name in names))

    def text(self):
        """The statistics for the summary."""
        stats = self.stats()
        return (f"afl-fuzz: {stats['executions']:,} executions, {stats['edges']} of {stats['edges_total']} edges, "
                f"{stats['corpus']} inputs kept")


def go(run, engine, seconds):
    """Fuzzes until the time is up. Findings are judged while AFL++ runs."""
    engine.start(seconds)
    try:
        while engine.alive():
            time.sleep(STEP)
            _judge_new(run, engine)
            run.trim_some()
            check_room(run.store.folder)
            if run.budget.took() > seconds + OVERRUN:
                break  # afl-fuzz checks its clock only between inputs
    finally:
        engine.stop()
    if not engine.stats()["executions"]:
        raise Failure(INPUT, f"afl-fuzz did not run; the end of {engine.log}:\n{engine.log_end()}")
    _judge_new(run, engine)  # judge all inputs that AFL++ kept
    run.notes.append(engine.text())


def _judge_new(run, engine):
    fresh = engine.new()
    for at in range(0, len(fresh), AT_ONCE):
        part = fresh[at:at + AT_ONCE]
        run.judge(mutant_batches.copies(part, run.given), "afl-fuzz")
        engine.judged([name for name, _ in part])
