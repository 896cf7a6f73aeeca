# SPDX-License-Identifier: Apache-2.0
"""Minimises an input that makes a program fail, keeping the failure the same.

A fuzz target that is built without an engine minimises in its own process, and forks for each try (TARGET --trim). Any
other program is started once per try. Both take their candidates from etlproof-minimiser."""
import collections
import os
import re
import signal
import struct
import subprocess
import tempfile
import threading
import time

from etlproof import ROOT, failures
from etlproof.campaign import builds, targets
from etlproof.campaign.engines import end_with_parent
from etlproof.parserfuzz import reference_build
from etlproof.triage import buckets
from runner.failure import INPUT, INTERRUPTED, OUTPUT, Failure, read_bytes
from runner.atomic_file import write

# The presets whose targets replay inputs, with the sanitizers of the fuzzing presets.
REPLAY = {"libfuzzer": "asan-ubsan", "libfuzzer-msan": "msan", "afl": "release", "afl-asan": "asan-ubsan",
          "afl-cmplog": "release"}
# What must stay the same: the innermost function; if the result turns out to be another failure, three frames.
STRICTER = ((), ("--strict", "--frames", "3"))
# For timeouts: the limit in seconds of processor time. Most candidates hang, so the short limit usually suffices.
HANGS = (("--timeout", "0.25"), ("--timeout", "2"))
MINIMISER = "etlproof_minimiser"  # CMake target
# Making a candidate takes a small part of a second.
PATIENCE = 10.0
# Random candidates that may fail if each needs a process: far fewer than if each needs only a fork or a call.
SEARCHES = 300
_DONE, _NOT_SHOWN = 0, 1
_SAID = re.compile(r"^(\d+) -> (\d+) bytes, (\d+) tries, ", re.M)

Made = collections.namedtuple("Made", "tries")


def key_of(subject, said):
    """The part of a failure that minimising must preserve; None if the run did not fail."""
    kind = failures.classify(said, subject.accepts)
    return kind and buckets.key_of(kind)


def minimise(subject, path, kind, wanted, out, seconds, key=key_of):
    """Writes the smallest input to `out`; returns {"path", "size", "from", "seconds", "tries"}. `kind` is the kind of the
    failure, `wanted` its key, which every accepted candidate has: the result of key(subject, outcome)."""
    begun = time.monotonic()
    whole = read_bytes(path)
    if key(subject, subject.run(path)) != wanted:
        raise Failure(INPUT, f"{path}: does not fail again in the same way")
    made = _by_target(subject, path, kind, out, begun + seconds, key, wanted)
    if made is None:
        made = _by_running(subject, whole, out, begun + seconds, key, wanted)
    return {"path": out, "size": os.path.getsize(out), "from": len(whole),
            "seconds": round(time.monotonic() - begun, 2), "tries": made.tries}


# A target

def replay_program(subject):
    """The target without an engine, built if necessary. None if the subject is no target, or was built elsewhere and names
    no such program."""
    if subject.target is None:
        return None
    target = targets.find(subject.target)
    if subject.replay or subject.program != builds.target_path(subject.preset, target):
        return subject.replay
    preset = REPLAY.get(subject.preset, subject.preset)
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        builds.build(preset, target.name, log.name)
    return builds.target_path(preset, target)


def _by_target(subject, path, kind, out, until, key, wanted):
    """Minimises in the target's own process. None if the target cannot, or if the result fails in another way."""
    program = replay_program(subject)
    if program is None:
        return None
    for options in HANGS if kind == "timeout" else STRICTER:
        made = _trim(program, path, out, until, options)
        if made is None:
            return None
        if key(subject, subject.run(out)) == wanted:
            return made
    return None


def _trim(program, path, out, until, options):
    left = max(1.0, until - time.monotonic())
    command = [program, "--trim", path, "-o", out, "--seconds", f"{left:.3f}", *options]
    if not os.path.exists(os.path.join(os.path.dirname(program), "etlproof-minimiser")):
        command += ["--minimiser", minimiser()]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, encoding="utf-8", errors="replace", preexec_fn=end_with_parent())
    except OSError as error:
        raise Failure(INPUT, f"{program}: cannot be started: {error.strerror}") from error
    said = _SAID.search(done.stdout)
    if done.returncode == _NOT_SHOWN:
        return None
    if done.returncode == INTERRUPTED or done.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    if done.returncode != _DONE or not said:
        raise Failure(done.returncode if done.returncode in (INPUT, OUTPUT) else INPUT,
                      f"{program} --trim {path}: {done.stderr.strip() or done.returncode}")
    return Made(int(said[3]))


# Any program

def minimiser():
    """The path of etlproof-minimiser, built if it is not there."""
    path = os.path.join(ROOT, "build", "release", "harness", "etlproof-minimiser" + builds.EXECUTABLE)
    if not os.path.exists(path):
        reference_build.bring_up("release", [MINIMISER], os.path.join(ROOT, "build", "minimiser.log"))
    return reference_build.built(path, MINIMISER)


class Candidates:
    """A process of etlproof-minimiser. `kind` is the kind of input, as harness/targets.tsv names it."""

    def __init__(self, kind, image, program=None, structure_only=False):
        popen = {} if os.name == "nt" else {"preexec_fn": end_with_parent()}
        options = ["--structure-only"] if structure_only else []
        self._process = subprocess.Popen([program or minimiser(), *options, kind.lower(), str(SEARCHES)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen)
        self._put(struct.pack("=I", len(image)) + image)

    def _put(self, data):
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            pass  # the next read will show that it has ended

    def next(self):
        """The next candidate, b"" after the last; None if the process has ended too early or hangs."""
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            size = self._process.stdout.read(4)
            if len(size) < 4:
                return None
            size = struct.unpack("=I", size)[0]
            image = self._process.stdout.read(size)
            return image if len(image) == size else None
        finally:
            watch.cancel()

    def tell(self, holds):
        self._put(b"\1" if holds else b"\0")

    def close(self):
        self._process.kill()
        self._process.stdout.close()
        try:
            self._process.stdin.close()
        except OSError:
            pass
        self._process.wait()


def _by_running(subject, image, out, until, key, wanted):
    """Minimises with one process for each try."""
    write(out, image)
    kind = targets.find(subject.target).input if subject.target else "FILE"
    made, whole = _once(subject, kind, image, out, until, key, wanted)
    if not whole and time.monotonic() < until:
        # The bug may be in the decoder, which etlproof-minimiser uses.
        more, _ = _once(subject, "TEXT", read_bytes(out), out, until, key, wanted)
        made = Made(made.tries + more.tries)
    return made


def _rank(image):
    """The order of harness/minimise/simpler.h: smaller is better; of equal sizes, the lower sum of bytes."""
    return len(image), sum(image)


def _once(subject, kind, image, out, until, key, wanted):
    """(Made, whether the search finished)."""
    tries, best = 0, image
    candidates = Candidates(kind, image)
    try:
        with tempfile.TemporaryDirectory() as folder:
            trial = os.path.join(folder, "try.etl")
            while time.monotonic() < until:
                image = candidates.next()
                if not image:
                    return Made(tries), image is not None
                write(trial, image)
                tries += 1
                holds = key(subject, subject.run(trial)) == wanted
                if holds and _rank(image) < _rank(best):
                    best = image
                    write(out, best)
                candidates.tell(holds)
    finally:
        candidates.close()
    return Made(tries), False


# Any condition, by the structure of the trace only

class Trimmer:
    """Minimises by a function instead of a program. `program` is an etlproof-minimiser; `usable` is False if it was not
    built."""

    def __init__(self, program):
        self.program, self.usable = program, os.path.exists(program)

    def trim(self, image, holds, seconds):
        """(the smallest input for which holds() is true, whether the search finished within the seconds)."""
        until = time.monotonic() + seconds
        best, whole = image, False
        while not whole and time.monotonic() < until:
            smaller, whole = self._once(best, holds, until)
            whole = whole and len(smaller) == len(best)
            best = smaller
        return best, whole

    def _once(self, image, holds, until):
        best, candidates = image, Candidates("FILE", image, self.program, structure_only=True)
        try:
            while time.monotonic() < until:
                candidate = candidates.next()
                if not candidate:
                    return best, candidate is not None
                held = holds(candidate)
                best = candidate if held else best
                candidates.tell(held)
            return best, False
        finally:
            candidates.close()
