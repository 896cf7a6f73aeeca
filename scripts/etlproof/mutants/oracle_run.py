# SPDX-License-Identifier: Apache-2.0
"""Runs the unit tests of the oracles, and the fuzz targets over the vectors, on mutants of harness/oracle.

An oracle that is too lenient must fail a unit test. One that is too strict fails a unit test, or calls a promise broken for
some vector.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from runner.failure import INPUT, Failure
from . import operators
from .toolchain import read, read_bytes, write

FOLDER = os.path.join("harness", "oracle")
_LEFT_OUT = (".git", "build", "__pycache__", "etlproof-report")
_LIBRARY = "etlproof_oracle"
_TEST = "oracle_test"
_TARGETS = tuple(f"fuzz_{name}" for name in ("file", "event", "items", "logfile", "message", "clock", "json", "buffer",
                                             "stream", "layout"))


def all_mutants(tree):
    """Every mutant of the oracles of a tree."""
    names = sorted(name for name in os.listdir(os.path.join(tree, FOLDER)) if name.endswith(".c"))
    return [mutant for name in names
            for mutant in operators.mutants_of(os.path.join(FOLDER, name), read(os.path.join(tree, FOLDER, name)), {})]


def copy_tree(root, folder):
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT))


class Trial:
    """Everything that is needed to try a mutant: a worker builds a tree of its own."""

    def __init__(self, tree, folder, seconds):
        self.tree, self.folder, self.seconds = tree, folder, seconds
        self.build = self.seeds = self.objects = self.compile = self.link = None

    def begin(self):
        """Runs in each worker after the fork."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        own = os.path.join(self.folder, f"worker-{os.getpid()}")
        copy_tree(self.tree, own)
        self.tree, self.build, self.seeds = own, os.path.join(own, "build"), os.path.join(own, "seeds")
        self._must(["cmake", "-S", own, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DETLPROOF_WERROR=OFF"])
        self._must(["ninja", "-C", self.build, _TEST, *_TARGETS, "etlproof_carve"])
        self._must([os.path.join(self.build, "bin", "etlproof-carve"), os.path.join(own, "conformance"), "-o", self.seeds])
        for command in self._tests():
            self._must(command)
        # The commands of ninja, which takes longer to find out what to run than the compiler and the linker run.
        self.link = {name: self._commands(name)[-1] for name in (_LIBRARY, _TEST, *_TARGETS)}
        self.compile = {name: next(command for command in self._commands(_LIBRARY) if f"/{name} -c " in command)
                        for name in os.listdir(self._objects())}
        self.objects = {name: read_bytes(os.path.join(self._objects(), name)) for name in os.listdir(self._objects())}

    @staticmethod
    def _must(command):
        done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")
        if done.returncode != 0:
            raise Failure(INPUT, f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-2000:]}")
        return done.stdout

    def _commands(self, target):
        return self._must(["ninja", "-C", self.build, "--quiet", "-t", "commands", target]).splitlines()

    def _tests(self):
        harness = os.path.join(self.build, "harness")
        return [[os.path.join(harness, _TEST)],
                *([os.path.join(harness, target), os.path.join(self.seeds, target)] for target in _TARGETS)]

    def run(self, mutant):
        started = time.monotonic()
        path = os.path.join(self.tree, mutant.file)
        text = read(path)
        write(path, mutant.apply(text))
        try:
            outcome, by = self._try(mutant)
        finally:
            write(path, text)
        return {"rec": "mutant", "key": mutant.key, "kind": mutant.kind, "where": mutant.where, "change": mutant.change,
                "rule": mutant.rule, "line_text": mutant.line_text, "new_line": mutant.new_line, "outcome": outcome,
                "by": by, "by_hash": None, "how": None, "seconds": round(time.monotonic() - started, 3)}

    def _try(self, mutant):
        """Leaves the object as it was: the next mutant may be of another file."""
        name = os.path.basename(mutant.file) + ".o"
        try:
            return self._judge(name)
        finally:
            with open(os.path.join(self._objects(), name), "wb") as file:
                file.write(self.objects[name])

    def _judge(self, name):
        if not self._shell(self.compile[name]):
            return "invalid", None
        if read_bytes(os.path.join(self._objects(), name)) == self.objects[name]:
            return "equivalent", None
        self._shell(self.link[_LIBRARY])
        for program, command in zip((_TEST, *_TARGETS), self._tests()):
            self._shell(self.link[program])
            if self._fails(command):
                return "killed", program
        return "survived", None

    def _objects(self):
        return os.path.join(self.build, "harness", "CMakeFiles", "etlproof_oracle.dir", "oracle")

    def _shell(self, command):
        return subprocess.run(command, shell=True, cwd=self.build, capture_output=True, check=False).returncode == 0

    def _fails(self, command):
        try:
            return subprocess.run(command, capture_output=True, timeout=self.seconds, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            return True
