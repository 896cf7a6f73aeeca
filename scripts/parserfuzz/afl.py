# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided: afl-fuzz with the structure-aware mutator looks for inputs that take new ways through the parser, and each
that it keeps is held to the reference decode."""
import hashlib
import mmap
import os
import shutil
import subprocess
import time

from . import ROOT
from .run import check_room
from campaign import engines
from runner.failure import INPUT, Failure

# What afl-cc leaves in every program that it has instrumented.
_MARK = b"__AFL_SHM_ID"
_KINDS = ("queue", "crashes", "hangs")
STEP = 1.0
START_SECONDS = 60


def check(command, mutator):
    """Raises unless AFL++ is here and the command is one of its programs. Returns the command with its program's path."""
    if shutil.which("afl-fuzz") is None:
        raise Failure(INPUT, "--engine afl: afl-fuzz is not installed; it is in the package afl++: run scripts/bootstrap "
                             "nightly, or leave out --engine")
    program = shutil.which(command[0])
    if program is None:
        raise Failure(INPUT, f"{command[0]}: no such program")
    with open(program, "rb") as file:
        marked = os.path.getsize(program) and mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ).find(_MARK) >= 0
    if not marked:
        raise Failure(INPUT, f"{program}: not instrumented by AFL++: build it with afl-clang-fast or afl-gcc-fast, or leave "
                             "out --engine afl")
    if not os.path.exists(mutator):
        raise Failure(INPUT, f"{mutator}: not built")
    return [os.path.abspath(program), *command[1:]]


class Engine(engines.Afl):
    """One instance of afl-fuzz on someone else's program."""

    def __init__(self, command, mutator, folder, limits, most, seed):
        super().__init__(None, None, folder)
        self._command, self._mutator, self._limits, self._most, self._seed = command, mutator, limits, most, seed
        self.taken = set()

    def environment(self):
        return {**engines.AFL_ENVIRONMENT, "AFL_CUSTOM_MUTATOR_LIBRARY": self._mutator, "ETLPROOF_INPUT": "file"}

    def command(self, seconds):
        return ["afl-fuzz", "-i", os.path.join(self.folder, "afl-in"), "-o", os.path.join(self.folder, "afl"),
                "-M", self.instance, "-x", os.path.join(ROOT, "dictionaries", "etl.dict"), "-m", "none",
                "-t", f"{int(self._limits.wall * 1000)}+", "-G", str(self._most), "-s", str(self._seed),
                "-V", str(max(1, int(seconds))), "--", *(word.replace("{file}", "@@") for word in self._command)]

    def start(self, seconds):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command(seconds), env={**os.environ, **self.environment()},
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                            preexec_fn=engines.end_with_parent)

    def give_seeds(self, paths):
        folder = os.path.join(self.folder, "afl-in")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for path in paths:
            if os.path.getsize(path) <= self._most:
                with open(path, "rb") as file:
                    data = file.read()
                with open(os.path.join(folder, hashlib.sha256(data).hexdigest()[:16]), "wb") as file:
                    file.write(data)
        if not os.listdir(folder):
            raise Failure(INPUT, f"no seed is as small as --most {self._most}")

    def new(self):
        """[(name, path)] of what it has kept and has not been asked for yet."""
        fresh = [(f"{kind}/{os.path.basename(path)}", path) for kind in _KINDS for path in self.found(kind)
                 if path not in self.taken]
        self.taken.update(path for _, path in fresh)
        return fresh


def go(run, engine, seconds):
    """Until the time is up. What is found while AFL++ runs is judged while it runs."""
    engine.start(seconds)
    try:
        while engine.alive():
            time.sleep(STEP)
            _judge_new(run, engine)
            run.trim_some()
            check_room(run.store.folder)
            if run.budget.took() > seconds + START_SECONDS:
                break
    finally:
        engine.stop()
    if not engine.stats()["executions"]:
        raise Failure(INPUT, f"afl-fuzz did not run; the end of {engine.log}:\n{engine.log_end()}")
    run.budget.mutants = run.budget.mutants or 1 << 60  # what is kept is judged to the last
    _judge_new(run, engine)


def _judge_new(run, engine):
    run.judge(engine.new(), "afl-fuzz")
