# SPDX-License-Identifier: Apache-2.0
"""Runs Frama-C's WP on one file: each function fulfils its contract, ends, and has no run-time error.

A goal that one prover cannot prove is often easy for another, so each file is first tried with little time for each goal,
and last the functions of goals that are left over, with all the time. Between these, goals about shifts are split, in files
that have any: that makes many of one. A goal that no prover can prove costs all of its time, in each pass.
The characters of literals are in the goals of files that have a lemma about lengths of literals (see etlproof/memory.h).
WP keeps the answers of the provers, by goal, in build/proofs: a second run asks only for what is not proved.
"""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

from etlproof import ROOT
from runner.failure import INPUT, Failure, read_text
from . import table

CACHE = os.path.join(ROOT, "build", "proofs")
FIRST_TIMEOUT = 5
# In the order in which they try a goal: cvc4 proves most of those that take long.
PROVERS = ("cvc4", "z3", "alt-ergo")
TOOLS = ("frama-c", "why3", "z3", "cvc4")
_INLINE = re.compile(r"^static inline .*?\b(etl_[a-z0-9_]+)\(", re.MULTILINE)
_SUM = re.compile(r"^\[wp\] Proved goals: *(\d+) */ *(\d+)", re.MULTILINE)
_GOAL = re.compile(r"^\[wp\] \[\w+\] Goal (\w+)\b(?! : (?:Valid|trivial))", re.MULTILINE)


class Proof(NamedTuple):
    goals: int
    unproved: list   # names of goals
    seconds: int

    @property
    def proved(self):
        return self.goals - len(self.unproved)


def missing():
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def _forget_failures():
    """Removes answers that are no proof. WP would take a failure for final, though a prover that ran out of time on a
    busy machine sometimes counts as failed."""
    for entry in os.scandir(CACHE):
        with contextlib.suppress(FileNotFoundError):  # another proof may remove it
            with open(entry.path, encoding="utf-8") as file:
                proved = '"valid"' in file.read()
            if not proved:
                os.unlink(entry.path)


def _functions_elsewhere(path):
    """Functions of the other headers of decoder/src: each is proved with its own header."""
    names = []
    for one in table.sources(path):
        if one != path and one.endswith(".h") and os.path.dirname(one) == os.path.join(table.DECODER, "src"):
            with open(one, encoding="utf-8") as file:
                names += _INLINE.findall(file.read())
    return names


def _function_of(goal, functions):
    """The function whose goal this is; None for a lemma."""
    return max((name for name in functions if goal.startswith(f"typed_{name}_")), key=len, default=None)


def _passes(path, timeout):
    """The options of WP of each pass over the file."""
    lines = read_text(path, "a source file")
    literals = ["-wp-literals"] * any("etl_ends(" in line for line in lines)
    split = ["-wp-auto", "wp:bitshift"] * any("<<" in line or ">>" in line for line in lines)
    first = str(min(FIRST_TIMEOUT, timeout))
    yield [*literals, "-wp-timeout", first]
    if split:
        yield [*literals, "-wp-timeout", first, *split]
    yield [*literals, "-wp-timeout", str(timeout), *split]


class _Unit(NamedTuple):
    """What WP is run on."""
    path: str
    text: str          # what Frama-C reads: the file, or one that includes the header
    folder: str        # for what lasts as long as the proof
    environment: dict


class FramaC:
    """Proves files, several at the same time if called from several threads. `provers`: at once, for each file."""

    def __init__(self, provers):
        self._provers, self._running, self._stopped = provers, set(), False

    def stop(self):
        """Ends all that runs. Nothing can be proved after this."""
        self._stopped = True
        for process in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def prove(self, path, timeout, known=()):
        """The Proof of a source file, or of the functions of a header. Functions of which only `known` goals are left over
        are not tried again."""
        with tempfile.TemporaryDirectory() as folder:
            unit = _Unit(path, path, folder, {**os.environ, "WHY3CONFIG": os.path.join(folder, "why3.conf")})
            self._run(["why3", "config", "detect"], unit.environment)
            if path.endswith(".h"):
                unit = unit._replace(text=os.path.join(folder, "unit.c"))
                with open(unit.text, "w", encoding="utf-8") as file:
                    file.write(f'#include "{path}"\n')
            begun = time.monotonic()
            goals, unproved = self._prove_in_passes(unit, timeout, known)
            return Proof(goals, unproved, round(time.monotonic() - begun))

    def _prove_in_passes(self, unit, timeout, known):
        """The number of goals, and the names of those that are not proved."""
        functions, elsewhere = table.functions_of(unit.path), _functions_elsewhere(unit.path)
        select = ["-wp-skip-fct", ",".join(elsewhere)] if elsewhere else []
        goals, unproved, tried = 0, [], {None, *functions}
        for options in _passes(unit.path, timeout):
            total, left_over = self._wp(unit, [*options, *select])
            goals = goals or total
            unproved = [goal for goal in unproved if _function_of(goal, functions) not in tried] + left_over
            tried = {_function_of(goal, functions) for goal in unproved if goal not in known}
            if not tried:
                break
            if None in tried:
                tried.update(functions)
            else:
                select = ["-wp-fct", ",".join(sorted(tried))]
        return goals, unproved

    def _wp(self, unit, options):
        """The number of goals, and the names of those that are not proved."""
        os.makedirs(CACHE, exist_ok=True)
        _forget_failures()
        said = self._run(["frama-c", f"-cpp-extra-args={' '.join(table.INCLUDES)}", "-wp", "-wp-rte",
                          "-wp-prover", ",".join(prover for prover in PROVERS if shutil.which(prover)),
                          "-wp-par", str(self._provers), "-wp-cache", "update", "-wp-cache-dir", CACHE,
                          "-wp-session", os.path.join(unit.folder, "session"), *options, unit.text], unit.environment)
        found, unproved = _SUM.search(said), _GOAL.findall(said)
        if found is None or int(found[2]) - int(found[1]) != len(unproved):
            raise Failure(INPUT, f"{unit.path}: Frama-C proves nothing, or not what it lists: {said[-2000:]}")
        return int(found[2]), unproved

    def _run(self, words, environment):
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                              errors="replace", env=environment, start_new_session=True) as process:
            self._running.add(process)
            if self._stopped:
                self.stop()
            said, _ = process.communicate()
            self._running.discard(process)
        if process.returncode != 0:
            raise Failure(INPUT, f"{words[0]} failed: {said[-2000:]}")
        return said
