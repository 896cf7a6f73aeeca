# SPDX-License-Identifier: Apache-2.0
"""Runs static analysers over the tree: gcc -fanalyzer, clang-tidy (with the checks of scan-build), cppcheck, shellcheck,
flake8 and mypy. Prints each finding that explained.tsv does not explain, and each explanation that no finding needs.

A row of explained.tsv names a tool, a check, a file, and a part of the line; * is any. A row with * for file and line turns
the check off. The last column says why what is found there is no fault.
"""
import os
import shutil
import time
from typing import NamedTuple

from etlproof import ROOT
from runner import command
from runner.command import Parser
from runner.failure import FAILED, INPUT, PASSED, Failure
from . import tools

NAME = "scripts/analyse"
EXPLAINED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explained.tsv")
EPILOG = """\
exit status: 0 nothing is left to explain, 1 something is, 64 wrong usage, 66 a tool is missing, 70 an internal error,
74 cannot write, 130 interrupted
"""
ANY = "*"
# The program that each tool needs.
TOOLS = {"gcc": "gcc", "clang-tidy": "clang-tidy", "cppcheck": "cppcheck", "shellcheck": "shellcheck",
         "flake8": "/usr/bin/python3", "mypy": "mypy"}


class Row(NamedTuple):
    tool: str
    check: str
    file: str
    text: str  # a part of the line
    reason: str

    def is_off(self):
        return self.file == self.text == ANY

    def explains(self, finding, line):
        return (self.tool == finding.tool and self.check in (ANY, finding.check) and self.file in (ANY, finding.file) and
                (self.text == ANY or self.text in line))


def read_rows():
    with open(EXPLAINED, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return [Row(*line.split("\t")) for line in lines[1:]]


def line_of(finding):
    with open(os.path.join(ROOT, finding.file), encoding="utf-8", errors="replace") as file:
        return (file.readlines()[finding.line - 1:finding.line] or [""])[0].strip()


def find(tool, rows):
    if tool == "clang-tidy":
        return tools.clang([row.check for row in rows if row.tool == tool and row.is_off()])
    return getattr(tools, tool)()


def judge(tool, rows):
    """Prints what is left to explain. Returns how much that is."""
    begun = time.monotonic()
    found = sorted(find(tool, rows))
    rows = [row for row in rows if row.tool == tool]
    needed, left = set(), 0
    for finding in found:
        line = line_of(finding)
        explanations = [row for row in rows if row.explains(finding, line)]
        needed.update(explanations)
        if not explanations:
            left += 1
            print(f"{finding.file}:{finding.line}: {finding.message} [{tool}: {finding.check}]\n    {line}")
    stale = [row for row in rows if row not in needed and not (tool == "clang-tidy" and row.is_off())]
    for row in stale:
        print(f"{os.path.relpath(EXPLAINED, ROOT)}: no finding needs this row: {' '.join(row[:4])}")
    print(f"{tool:10} {len(found):4} found, {len(found) - left} explained, {left} left, {len(stale)} rows not needed, "
          f"{time.monotonic() - begun:.0f} s", flush=True)
    return left + len(stale)


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=f"default: all: {', '.join(TOOLS)}")
    options = parser.parse_args(arguments)
    for tool in options.tools:
        if tool not in TOOLS:
            parser.error(f"unknown tool: {tool}; the tools are {', '.join(TOOLS)}")
    return options


def run(arguments):
    chosen = parse_arguments(arguments).tools or list(TOOLS)
    for tool in chosen:
        if shutil.which(TOOLS[tool]) is None:
            raise Failure(INPUT, f"{TOOLS[tool]} is not installed (scripts/bootstrap analyse)")
    os.makedirs(tools.FOLDER, exist_ok=True)
    rows = read_rows()
    return FAILED if sum(judge(tool, rows) for tool in chosen) else PASSED


def main(arguments):
    return command.run(NAME, lambda: run(arguments))
