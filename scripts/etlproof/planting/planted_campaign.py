# SPDX-License-Identifier: Apache-2.0
"""One campaign: runs a target with a bug until its first failure or until its time is up, and reads its output."""
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from etlproof.campaign.children import end_with_parent
from runner.failure import INTERNAL, Failure, Writing
from runner.limits import usage_of

# What detected a failure. The first match counts: an oracle ends in abort(), which libFuzzer reports too.
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
_REPLAY = 100  # seconds of processor time, for all seeds together

_SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0", "UBSAN_OPTIONS": "print_stacktrace=0"}

# Time limit of one execution in seconds. The slowest of the unchanged targets takes far less than one.
HANG = 5
# A target is not restarted with fewer seconds of processor time left.
_WORTH = 1


def told_by(text):
    """What detected the failure: an oracle, a sanitizer, or libFuzzer's limits of time and memory."""
    for pattern, form in _TOLD:
        found = pattern.search(text)
        if found:
            return form.format(re.sub(r"index \S+", "index", found.group(1)).strip())
    return "unknown"


class Mode:
    """Whether the target's own mutator and the dictionary are used."""

    def __init__(self, mutator, dictionary):
        self.mutator, self.dictionary = mutator, dictionary
        self.name = "+".join(word for word, on in (("mutator", mutator), ("dictionary", dictionary)) if on) or "plain"


MODES = {mode.name: mode for mode in (Mode(True, True), Mode(True, False), Mode(False, True), Mode(False, False))}


class Done:
    """How a program ended: exit status (None: it was killed), output, wall-clock seconds, processor seconds."""

    def __init__(self, status, said, seconds, processor):
        self.status, self.said, self.seconds, self.processor = status, said, seconds, processor


class Runner:
    """Starts programs, each in its own process group, and kills them when it is stopped. If it is killed, the kernel kills
    them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self.stopped = False

    def _start(self, command, output, environment):
        with self._lock:
            if self.stopped:
                raise KeyboardInterrupt
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                     start_new_session=True, preexec_fn=end_with_parent(),
                                     env={**os.environ, **_SANITIZERS, **environment})
            self._running.add(child)
            return child

    def run(self, command, processor, seconds, environment=None):
        """Runs a command for so many seconds of processor time, and so many by the clock; then asks it to end."""
        with tempfile.TemporaryFile() as output:
            started = time.monotonic()
            child = self._start(command, output, environment or {})
            try:
                status, usage = _wait(child, processor, started + seconds)
            finally:
                with self._lock:
                    self._running.discard(child)
            if self.stopped:
                raise KeyboardInterrupt
            output.seek(0)
            return Done(status, output.read().decode("utf-8", "replace"), time.monotonic() - started, usage)

    def stop(self):
        with self._lock:
            self.stopped = True
            for child in self._running:
                child.kill()


def _wait(child, processor, deadline):
    """(exit status, processor time) when the child has ended. An interrupted libFuzzer prints its statistics and exits."""
    asked = None
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return None if asked else child.returncode, usage.ru_utime + usage.ru_stime
        now = time.monotonic()
        if asked is None and (now > deadline or usage_of(child.pid)[0] > processor):
            child.send_signal(signal.SIGINT)
            asked = now
        elif asked and now > asked + HANG:
            child.kill()
        time.sleep(0.02)


def _options(folder):
    return [f"-timeout={HANG}", f"-rss_limit_mb={_MEMORY_MB}", f"-artifact_prefix={folder}{os.sep}"]


def _artifact(folder):
    return next((os.path.join(folder, name) for name in os.listdir(folder) if _ARTIFACT.match(name)), None)


def replay(runner, program, inputs):
    """(what detected the failure, the failing input) for a target on these files or folders; None instead of the first if
    all pass."""
    with tempfile.TemporaryDirectory() as folder:
        done = runner.run([program, *_options(folder), "-runs=0", "-max_len=16777216", *inputs], _REPLAY, 4 * _REPLAY)
        if done.status == 0:
            return None, None
        path = _artifact(folder)
        return "timeout" if done.status is None else told_by(done.said), digest(path) if path else None


class Campaign:
    """A program, its seeds and dictionary, and its time limit."""

    def __init__(self, runner, folder, program, unchanged, target, seeds, dictionary):
        self.runner, self.folder = runner, folder
        self.program, self.unchanged, self.target = program, unchanged, target
        self.seeds, self.dictionary = seeds, dictionary

    def _command(self, mode, seed, seconds):
        corpus = os.path.join(self.folder, "corpus")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(corpus)
        command = [self.program, *_options(self.folder), f"-max_len={self.target.usual}", f"-seed={seed}",
                   f"-max_total_time={seconds + 2 * HANG}", "-print_final_stats=1", "-report_slow_units=1000"]
        if mode.dictionary:
            command.append(f"-dict={self.dictionary}")
        return command + [corpus] + ([self.seeds] if self.seeds else [])

    def run(self, mode, budget, seed):
        """The result, as the report has it. Times are processor time, since the machine may be shared."""
        result = {"outcome": "not found", "seconds": 0.0, "clock": 0.0, "executions": 0}
        clock = 20 * budget + 60
        while budget - result["seconds"] >= _WORTH:
            done = self.runner.run(self._command(mode, seed, clock), budget - result["seconds"], clock,
                                   {"ETLPROOF_MUTATOR": "on" if mode.mutator else "off"})
            counted = _EXECUTIONS.search(done.said)
            result["seconds"] = round(result["seconds"] + done.processor, 2)
            result["clock"] = round(result["clock"] + done.seconds, 2)
            result["executions"] += int(counted.group(1)) if counted else 0
            if done.status is None:
                break
            reproducer = _artifact(self.folder)
            if reproducer is None:
                raise Failure(INTERNAL, f"{self.program}: ended with {done.status} and left no input:\n{done.said[-2000:]}")
            confirmed = self._confirm(reproducer)
            if confirmed:
                return {**result, **confirmed}
            seed += 1000  # it does not fail again, so it is no find: continue with another seed
        return result

    def _confirm(self, reproducer):
        """A find counts if it fails again, and passes without the planted bug."""
        told, _ = replay(self.runner, self.unchanged, [reproducer])
        if told:
            return {"outcome": "ours", "told": told, "input": reproducer}
        told, _ = replay(self.runner, self.program, [reproducer])
        return {"outcome": "found", "told": told, "input": reproducer} if told else None


def keep(path, folder):
    """Copies an input to a path where no later campaign removes it; returns that path."""
    with Writing(folder):
        os.makedirs(folder, exist_ok=True)
        return shutil.copyfile(path, os.path.join(folder, digest(path)))


def digest(path):
    """The name that libFuzzer gives to an input."""
    with open(path, "rb") as file:
        return hashlib.sha1(file.read()).hexdigest()
