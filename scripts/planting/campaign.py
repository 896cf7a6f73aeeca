# SPDX-License-Identifier: Apache-2.0
"""One campaign: a target with a bug in it, run until the first failure or until its time is up, and what it says."""
import hashlib
import os
import re
import shutil
import subprocess
import threading
import time

from runner.failure import INTERNAL, Failure

# By what a failure was told. The first that matches counts: an oracle ends in abort(), which libFuzzer reports too.
_TOLD = (
    (re.compile(r"^oracle ([a-z0-9-]+) broken", re.M), "oracle {}"),
    (re.compile(r"ERROR: (?:Address|Memory|Leak)Sanitizer: ([A-Za-z-]+)"), "sanitizer {}"),
    (re.compile(r"runtime error: (division by zero|signed integer overflow|index \S+ out of bounds|load of \w+ pointer"
                r"|applying [a-z -]+|[a-z -]+)"), "sanitizer {}"),
    (re.compile(r"ERROR: libFuzzer: (timeout)"), "{}"),
    (re.compile(r"ERROR: libFuzzer: (out-of-memory)"), "{}"),
    (re.compile(r"ERROR: libFuzzer: (deadly signal|fuzz target exited)"), "{}"),
)
_EXECUTIONS = re.compile(r"^stat::number_of_executed_units: (\d+)", re.M)
_ARTIFACT = re.compile(r"^(?:crash|timeout|oom|leak)-")
_MEMORY_MB = 2048

# One execution may take so many seconds. The longest of the unchanged targets takes a small part of one.
HANG = 5


def told_by(text):
    """What told that a run failed: an oracle, a sanitizer, libFuzzer's watch over time and memory."""
    for pattern, form in _TOLD:
        found = pattern.search(text)
        if found:
            return form.format(re.sub(r"index \S+", "index", found.group(1)).strip())
    return "unknown"


class Mode:
    """Whether the targets' own mutator and the dictionary help."""

    def __init__(self, mutator, dictionary):
        self.mutator, self.dictionary = mutator, dictionary
        self.name = "+".join(word for word, on in (("mutator", mutator), ("dictionary", dictionary)) if on) or "plain"


MODES = {mode.name: mode for mode in (Mode(True, True), Mode(True, False), Mode(False, True), Mode(False, False))}


class Runner:
    """Starts programs, each by itself, and ends those that run when it is stopped."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self.stopped = False

    def run(self, command, seconds, environment=None):
        """(exit status, what it said), or None for the status if it had to be ended."""
        with self._lock:
            if self.stopped:
                return None, ""
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     env={**os.environ, **_SANITIZERS, **(environment or {})})
            self._running.add(child)
        try:
            said = child.communicate(timeout=seconds)[0]
            status = child.returncode
        except subprocess.TimeoutExpired:
            child.kill()
            said, status = child.communicate()[0], None
        finally:
            with self._lock:
                self._running.discard(child)
        return status, said.decode("utf-8", "replace")

    def stop(self):
        with self._lock:
            self.stopped = True
            for child in self._running:
                child.kill()


_SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0", "UBSAN_OPTIONS": "print_stacktrace=0"}


def replay(runner, program, inputs):
    """(held, what told): whether a target runs through these files or folders without a failure."""
    options = [f"-timeout={HANG}", f"-rss_limit_mb={_MEMORY_MB}", "-runs=0", "-max_len=16777216"]
    status, said = runner.run([program, *options, *inputs], 600)
    if runner.stopped:
        raise KeyboardInterrupt
    return status == 0, None if status == 0 else "timeout" if status is None else told_by(said)


class Campaign:
    """A program, what it starts from, and how long it may take."""

    def __init__(self, runner, folder, program, unchanged, target, seeds, dictionary):
        self.runner, self.folder = runner, folder
        self.program, self.unchanged, self.target = program, unchanged, target
        self.seeds, self.dictionary = seeds, dictionary

    def _command(self, mode, seconds, seed):
        corpus = os.path.join(self.folder, "corpus")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(corpus)
        command = [self.program, f"-max_total_time={seconds}", f"-timeout={HANG}", f"-rss_limit_mb={_MEMORY_MB}",
                   f"-max_len={self.target.most}", f"-seed={seed}", "-print_final_stats=1", "-report_slow_units=1000",
                   f"-artifact_prefix={self.folder}{os.sep}"]
        if mode.dictionary:
            command.append(f"-dict={self.dictionary}")
        return command + [corpus] + ([self.seeds] if self.seeds else [])

    def _reproducer(self):
        names = [name for name in os.listdir(self.folder) if _ARTIFACT.match(name)]
        return os.path.join(self.folder, names[0]) if names else None

    def run(self, mode, seconds, seed):
        """What came of it, as it stands in the report."""
        left, spent, executions, failed = float(seconds), 0.0, 0, 0
        while left >= 1:
            command = self._command(mode, int(left), seed + 1000 * failed)
            started = time.monotonic()
            status, said = self.runner.run(command, left + 60, {"ETLPROOF_MUTATOR": "on" if mode.mutator else "off"})
            if self.runner.stopped:
                raise KeyboardInterrupt
            spent, left = spent + time.monotonic() - started, left - (time.monotonic() - started)
            counted = _EXECUTIONS.search(said)
            executions += int(counted.group(1)) if counted else 0
            result = {"seconds": round(spent, 2), "executions": executions}
            if status == 0:
                return {"outcome": "not found", **result}
            reproducer = self._reproducer()
            if status is not None and reproducer is None and "Test unit written to" not in said:
                raise Failure(INTERNAL, f"{self.program}: ended with {status} and left no input:\n{said[-2000:]}")
            confirmed = self._confirm(reproducer) if reproducer else None
            if confirmed:
                return {**confirmed, **result, "told": confirmed.get("told") or told_by(said)}
            failed += 1 # the mutator met the bug, not the target: on, from another seed
        return {"outcome": "not found", "seconds": round(spent, 2), "executions": executions}

    def _confirm(self, reproducer):
        """A find counts if it fails again, and passes without the planted bug."""
        held, told = replay(self.runner, self.unchanged, [reproducer])
        if not held:
            return {"outcome": "ours", "told": told, "input": reproducer}
        held, told = replay(self.runner, self.program, [reproducer])
        if held:
            return None
        return {"outcome": "found", "told": told, "input": reproducer, "seed": self._is_seed(reproducer)}

    def _is_seed(self, reproducer):
        """Whether an input that the campaign started from shows the bug: then the time says nothing."""
        digest = _digest(reproducer)
        return bool(self.seeds) and any(_digest(entry.path) == digest for entry in os.scandir(self.seeds) if entry.is_file())


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.sha1(file.read()).digest()
