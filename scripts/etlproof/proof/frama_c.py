# SPDX-License-Identifier: Apache-2.0
"""Runs Frama-C's WP on one file: each function fulfils its contract, ends, and has no run-time error.

A goal that one prover cannot prove is often easy for another, so each file is first tried with little time for each goal.
Last, goals about shifts are split, in files that have any: that makes many of one. A goal that no prover can prove costs
all of its time, in each pass.
The characters of literals are in the goals of files that have a lemma about lengths of literals (see etlproof/memory.h).
WP keeps the answers of the provers, by goal, in build/proofs: a second run asks only for what is new.
"""
import os
import re
import shutil
import subprocess
import tempfile
import time
from typing import NamedTuple

from etlproof import ROOT
from runner.failure import INPUT, Failure, read_text
from . import table

CACHE = os.path.join(ROOT, "build", "proofs")
FIRST_TIMEOUT = 2
PROVERS = ("z3", "cvc4", "alt-ergo")
TOOLS = ("frama-c", "why3", "z3", "cvc4")
_INLINE = re.compile(r"^static inline .*?\b(etl_[a-z0-9_]+)\(", re.MULTILINE)
_SUM = re.compile(r"^\[wp\] Proved goals: *(\d+) */ *(\d+)", re.MULTILINE)
_GOAL = re.compile(r"^\[wp\] \[\w+\] Goal (\w+)\b(?! : (?:Valid|trivial))", re.MULTILINE)


class Proof(NamedTuple):
    goals: int
    proved: int
    seconds: int
    unproved: list   # names of goals


def missing():
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def _functions_elsewhere(path):
    """Functions of the other headers of decoder/src: each is proved with its own header."""
    names = []
    for one in table.sources(path):
        if one != path and one.endswith(".h") and os.path.dirname(one) == os.path.join(table.DECODER, "src"):
            with open(one, encoding="utf-8") as file:
                names += _INLINE.findall(file.read())
    return names


def prove(path, timeout, left=0):
    """The Proof of a source file, or of the functions of a header. It ends once at most `left` goals are not proved."""
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, "WHY3CONFIG": os.path.join(work, "why3.conf")}
        _run(["why3", "config", "detect"], environment)
        unit = path
        if path.endswith(".h"):
            unit = os.path.join(work, "unit.c")
            with open(unit, "w", encoding="utf-8") as file:
                file.write(f'#include "{path}"\n')
        elsewhere = _functions_elsewhere(path)
        begun = time.monotonic()
        lines = read_text(path, "a source file")
        shifts = any("<<" in line or ">>" in line for line in lines)
        literals = ["-wp-literals"] * any("etl_ends(" in line for line in lines)
        passes = [(min(FIRST_TIMEOUT, timeout), literals), (timeout, literals),
                  *([(timeout, [*literals, "-wp-auto", "wp:bitshift"])] * shifts)]
        for seconds, split in passes:
            said = _wp(unit, elsewhere, seconds, split, work, environment)
            found = _SUM.search(said)
            if found is None:
                raise Failure(INPUT, f"{path}: Frama-C proves nothing: {said[-2000:]}")
            if int(found[2]) - int(found[1]) <= left:
                break
    return Proof(int(found[2]), int(found[1]), round(time.monotonic() - begun), _GOAL.findall(said))


def _wp(unit, elsewhere, timeout, split, work, environment):
    os.makedirs(CACHE, exist_ok=True)
    return _run(["frama-c", f"-cpp-extra-args={' '.join(table.INCLUDES)}", "-wp", "-wp-rte",
                 "-wp-prover", ",".join(prover for prover in PROVERS if shutil.which(prover)),
                 *split, "-wp-timeout", str(timeout), "-wp-par", str(os.cpu_count()),
                 "-wp-cache", "update", "-wp-cache-dir", CACHE, "-wp-session", os.path.join(work, "session"),
                 *(["-wp-skip-fct", ",".join(elsewhere)] if elsewhere else []), unit], environment)


def _run(words, environment):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                          check=False, env=environment)
    if done.returncode != 0:
        raise Failure(INPUT, f"{words[0]} failed: {done.stdout[-2000:]}")
    return done.stdout
