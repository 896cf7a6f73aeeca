# SPDX-License-Identifier: Apache-2.0
"""Builds the tree for other compilers, machines and C standards, and runs the unit tests and all vectors there.

A foreign machine is emulated by qemu-user, Windows by wine; what the programs for Windows print and write is also compared
with the native build. rows.py names the few tests that a row cannot run. A row whose compiler or emulator is not installed
is skipped, and named with its packages.
"""
import json
import os
import shutil
import subprocess
import sys
import time
from typing import NamedTuple

from etlproof import ROOT
from runner import command
from runner.command import Parser
from runner.failure import FAILED, INPUT, PASSED, Failure
from .rows import ROWS

NAME = "scripts/matrix"
FOLDER = os.path.join(ROOT, "build", "matrix")
EPILOG = """\
The output of each row is in build/matrix/ROW.log. Vectors about EventSource manifests are skipped in a row whose compiler
finds no libexpat for its machine.

exit status: 0 all rows passed, 1 a row failed, 64 wrong usage, 66 no row could run or, with --all, a row was skipped,
70 an internal error, 74 cannot write, 130 interrupted
"""

# Campaigns over thousands of inputs, which the vectors stand for here.
CAMPAIGNS = ("replay-", "damage", "seeds", "carve")
# Seconds. Emulated tests take ten times as long as others.
TEST_SECONDS = 600


class Result(NamedTuple):
    row: str
    title: str
    build: str = ""
    tests: str = ""
    vectors: str = ""
    seconds: float = 0.0
    failed: bool = False


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="default: all")
    parser.add_argument("--list", action="store_true", help="list the rows and run none")
    parser.add_argument("--all", action="store_true", help="a skipped row is an error")
    options = parser.parse_args(arguments)
    names = [row.name for row in ROWS]
    for name in options.rows:
        if name not in names:
            parser.error(f"unknown row: {name}; the rows are {', '.join(names)}")
    options.rows = [row for row in ROWS if not options.rows or row.name in options.rows]
    return options


class Trial:
    """The trial of one row. Each step returns whether it passed, and leaves one cell of the table."""

    def __init__(self, row):
        self.row = row
        self.folder = os.path.join(FOLDER, row.name)
        self.log = f"{self.folder}.log"
        self.cells = {}

    def run(self):
        start = time.monotonic()
        open(self.log, "w", encoding="utf-8").close()
        passed = all(step() for step in (self._build, self._tests, self._vectors, self._compare))
        return Result(self.row.name, self.row.title, **self.cells, seconds=time.monotonic() - start, failed=not passed)

    def _call(self, *words):
        """Runs a command with its output in the log. Returns its exit status."""
        with open(self.log, "a", encoding="utf-8") as log:
            print("+", *words, file=log, flush=True)
            return subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                  check=False).returncode

    def _build(self):
        emulator = [f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(self.row.emulator)}"] if self.row.emulator else []
        options = [f"-DCMAKE_C_COMPILER={self.row.compiler}", "-DCMAKE_BUILD_TYPE=Release", *emulator, *self.row.options]
        done = self._call("cmake", "-S", ROOT, "-B", self.folder, "-G", "Ninja", *options) == 0 \
            and self._call("cmake", "--build", self.folder) == 0
        self.cells["build"] = "passed" if done else "FAILED"
        return done

    def _chosen_tests(self):
        """The tests that are programs of the build: a script would start such programs, which needs their machine."""
        listed = subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"], stdout=subprocess.PIPE,
                                check=True)
        for test in json.loads(listed.stdout)["tests"]:
            words = test["command"][len(self.row.emulator):]
            if words and words[0].startswith(self.folder) and not test["name"].startswith(CAMPAIGNS + self.row.left_out):
                yield test["name"]

    def _tests(self):
        names = list(self._chosen_tests())
        report = f"{self.folder}.xml"
        status = self._call("ctest", "--test-dir", self.folder, "-j", str(os.cpu_count()), "--timeout", str(TEST_SECONDS),
                            "--output-on-failure", "--no-tests=error", "--output-junit", report,
                            "-R", f"^({'|'.join(names)})$")
        with open(report, encoding="utf-8", errors="replace") as file:
            failed = file.read().count('status="fail"')
        self.cells["tests"] = f"{len(names)} passed" if status == 0 else f"{failed} of {len(names)} FAILED"
        return status == 0

    def _vectors(self):
        """All vectors, by the host: one process decodes them all. Built without libexpat, it declares no manifests."""
        report = os.path.join(self.folder, "vectors")
        host = os.path.join(self.folder, "bin", "etlproof-host" + self.row.suffix)
        shutil.rmtree(report, ignore_errors=True)
        status = self._call(sys.executable, "-B", os.path.join(ROOT, "conformance", "run"), "--mode", "long-lived",
                            "--policy", os.path.join(ROOT, "conformance", "adapters", "etlproof", "policy.txt"),
                            "--report", report, "--", *self.row.emulator, host)
        try:
            with open(os.path.join(report, "report.jsonl"), encoding="utf-8") as file:
                verdicts = [json.loads(line).get("verdict") for line in file]
        except OSError:
            verdicts = []
        passed, skipped = verdicts.count("pass"), verdicts.count("unsupported")
        failed = sum(verdict is not None for verdict in verdicts) - passed - skipped
        self.cells["vectors"] = f"{passed:,} passed" + (f", {skipped} skipped" if skipped else "") \
            + (f", {failed:,} FAILED" if status else "")
        return status == 0

    def _compare(self):
        """By the row's script, with a build of the first row."""
        if not self.row.script:
            return True
        native = Trial(ROWS[0])
        same = native._build() and \
            self._call("sh", os.path.join(os.path.dirname(__file__), self.row.script), native.folder, self.folder) == 0
        self.cells["vectors"] += "" if same else ", outputs FAILED"
        return same


def lacking(row):
    """The first program that the row needs and that is not installed."""
    for program in (row.compiler, *row.emulator[:1]):
        if shutil.which(program) is None:
            return program
    return None


def show(result):
    print(f"{result.row:12} {result.title:40} {result.build:8} {result.tests:20} {result.vectors:26} "
          f"{result.seconds:6.0f}", flush=True)


def body(options):
    if options.list:
        for row in options.rows:
            print(f"{row.name:12} {row.title:40} {lacking(row) or 'installed':10} {row.packages}")
        return PASSED
    os.makedirs(FOLDER, exist_ok=True)
    # So that wine leaves the settings of the user alone, and prints only what the program prints.
    os.environ.update(WINEPREFIX=os.path.join(FOLDER, "wine"), WINEARCH="win64", WINEDEBUG="-all", LC_ALL="C.UTF-8")
    print(f"{'row':12} {'':40} {'build':8} {'tests':20} {'vectors':26} seconds", flush=True)
    skipped, results = [], []
    for row in options.rows:
        missing = lacking(row)
        if missing:
            skipped.append(row)
            print(f"{row.name:12} {row.title:40} skipped: no {missing} (Debian: {row.packages})", flush=True)
            continue
        result = Trial(row).run()
        results.append(result)
        show(result)
        if result.failed:
            print(f"  see {os.path.join('build', 'matrix', row.name)}.log", flush=True)
    if not results or (options.all and skipped):
        raise Failure(INPUT, f"{len(skipped)} rows skipped; scripts/bootstrap matrix installs what they need")
    return FAILED if any(result.failed for result in results) else PASSED


def main(arguments):
    return command.run(NAME, lambda: body(parse_arguments(arguments)))
