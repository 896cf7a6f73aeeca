# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the oracles, and the fuzz targets over the vectors, on mutants of harness/oracle.

An oracle that is too lenient must fail a test. One that is too strict fails a test, or calls a promise broken for some
vector, or for a vector that the mutator changed.
"""
import collections
import dataclasses
import glob
import os
import re
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
_FUNCTION = re.compile(r"^[a-z].*?\b(oracle_\w+)\(", re.MULTILINE)
# At -O1 the compiler takes half the time. Programs are linked with the objects, since an archive takes longer to make; the
# linker drops functions that a program does not call, so that changing them changes no byte of the program.
_CONFIGURE = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DETLPROOF_WERROR=OFF", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",
              "-DCMAKE_C_FLAGS=-ffunction-sections -fdata-sections")
_TESTS = ("oracle_test", "rule_oracles_test")
_TARGETS = tuple(f"fuzz_{name}" for name in ("event", "items", "logfile", "message", "clock", "file", "buffer", "layout",
                                             "stream", "json"))


def all_mutants(tree):
    """Every mutant of the oracles of a tree."""
    names = sorted(name for name in os.listdir(os.path.join(tree, FOLDER)) if name.endswith(".c"))
    return [mutant for name in names
            for mutant in operators.mutants_of(os.path.join(FOLDER, name), read(os.path.join(tree, FOLDER, name)), {})]


def copy_tree(root, folder):
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT))


@dataclasses.dataclass
class Program:
    """A test or a target: how it is linked and run, its bytes and the seconds it takes, both without a mutant."""

    name: str
    path: str
    arguments: tuple
    link: str
    linked: bytes = b""
    seconds: float = 0.0

    @property
    def command(self):
        return [self.path, *self.arguments]


class Trial:
    """Everything that is needed to try a mutant: a worker builds a tree of its own."""

    def __init__(self, tree, folder, seconds):
        self.tree, self.folder, self.seconds = tree, folder, seconds
        self.build = None
        self.objects, self.compile, self.programs = {}, {}, []
        self.kills = collections.Counter()  # by file and command

    def begin(self):
        """Runs in each worker after the fork."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        own = os.path.join(self.folder, f"worker-{os.getpid()}")
        copy_tree(self.tree, own)
        self.tree, self.build = own, os.path.join(own, "build")
        fault_tests = [f"{target}_test" for target in _TARGETS]
        self._must(["cmake", "-S", own, "-B", self.build, *_CONFIGURE])
        self._must(["ninja", "-C", self.build, *_TESTS, *fault_tests, *_TARGETS, "etlproof_carve", "etlproof_mutate"])
        seeds, golden = os.path.join(own, "seeds"), os.path.join(own, "conformance", "golden")
        changed, vectors = os.path.join(own, "changed"), glob.glob(os.path.join(golden, "*", "*.etl"))
        self._must([os.path.join(self.build, "bin", "etlproof-carve"), os.path.join(own, "conformance"), "-o", seeds])
        os.mkdir(changed)
        self._must([os.path.join(self.build, "bin", "etlproof-mutate"), "--count", "2", *sorted(vectors), "-o", changed])
        # The commands of ninja, which takes longer to find out what to run than the compiler and the linker run.
        self.compile = {name: next(command for command in self._commands(_LIBRARY) if f"/{name} -c " in command)
                        for name in os.listdir(self._objects())}
        self.objects = {name: read_bytes(os.path.join(self._objects(), name)) for name in self.compile}
        self.programs = [self._program(_TESTS[0]), self._program(_TESTS[1], golden), self._program(_TESTS[1], changed),
                         *(self._program(name) for name in fault_tests),
                         *(self._program(target, os.path.join(seeds, target)) for target in _TARGETS)]

    def _program(self, name, *arguments):
        objects = " ".join(os.path.join(self._objects(), name) for name in sorted(self.objects))
        link = self._commands(name)[-1].replace(f"harness/lib{_LIBRARY}.a", f"-Wl,--gc-sections {objects}")
        program = Program(name, os.path.join(self.build, link.split(" -o ")[1].split()[0]), arguments, link)
        self._shell(link)
        program.linked = read_bytes(program.path)
        started = time.monotonic()
        self._must(program.command)
        program.seconds = time.monotonic() - started
        return program

    @staticmethod
    def _must(command):
        done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")
        if done.returncode != 0:
            raise Failure(INPUT, f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-2000:]}")
        return done.stdout

    def _commands(self, target):
        return self._must(["ninja", "-C", self.build, "--quiet", "-t", "commands", target]).splitlines()

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
            return self._judge(mutant.file, name)
        finally:
            with open(os.path.join(self._objects(), name), "wb") as file:
                file.write(self.objects[name])

    def _judge(self, source, name):
        if not self._shell(self.compile[name]):
            return "invalid", None
        if read_bytes(os.path.join(self._objects(), name)) == self.objects[name]:
            return "equivalent", None
        functions = [name.encode() for name in _FUNCTION.findall(read(os.path.join(self.tree, source)))]
        programs = [program for program in self.programs if any(name in program.linked for name in functions)]
        # First what kills the most mutants of this file in a second.
        for program in sorted(programs, key=lambda one: -self.kills[(source, *one.command)] / one.seconds):
            self._shell(program.link)
            if read_bytes(program.path) != program.linked and self._fails(program.command):
                self.kills[(source, *program.command)] += 1
                return "killed", program.name
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
