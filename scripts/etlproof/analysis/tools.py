# SPDX-License-Identifier: Apache-2.0
"""The analysers: how each is run over the tree, and what it finds."""
import concurrent.futures
import json
import os
import re
import subprocess
from typing import NamedTuple

from etlproof import ROOT
from runner.failure import INPUT, Failure

FOLDER = os.path.join(ROOT, "build", "analyse")
COLUMNS = 124  # of a line, as in scripts/lint
# Colours of clang-tidy, which has no option to turn them off.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# gcc, clang-tidy and cppcheck (by its template); mypy has no column.
_OF_COMPILER = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+):(?:\d+:)? (?:warning|error|style|portability|performance): "
                          r"(?P<message>.*) \[(?P<check>[^\[\]]*)\]$")
_OF_SHELLCHECK = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+):\d+: \w+: (?P<message>.*) \[(?P<check>SC\d+)\]$")
_OF_FLAKE8 = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?P<check>[A-Z]\d+) (?P<message>.*)$")


class Finding(NamedTuple):
    tool: str
    check: str
    file: str  # from the root
    line: int
    message: str


def _run(*command, cwd=ROOT, **variables):
    """What a command prints. Analysers exit with 1 if they find something."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          errors="replace", env={**os.environ, **variables}, check=False)
    return done.stdout


def _found(tool, pattern, text, base=ROOT):
    """The findings in the output of a tool, each once: a header is analysed with every file that includes it."""
    found = set()
    for line in _COLOUR.sub("", text).splitlines():
        match = pattern.match(line)
        if match is None:
            continue
        path = os.path.relpath(os.path.normpath(os.path.join(base, match["file"])), ROOT)
        if not path.startswith(os.pardir):
            found.add(Finding(tool, match["check"], path, int(match["line"]), match["message"]))
    return found


def _configure(folder, *options):
    said = _run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Release", "-D",
                "CMAKE_EXPORT_COMPILE_COMMANDS=ON", "-D", "ETLPROOF_WERROR=OFF", *options)
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        raise Failure(INPUT, f"cannot configure {folder}: {said[-1000:]}")


def _tracked(*patterns):
    return _run("git", "ls-files", *patterns).split()


def _with_interpreter(name):
    """Files without an ending whose first line names the interpreter."""
    found = []
    for path in _tracked("scripts", "conformance", "decoder/cmake", ".ci"):
        if "." not in os.path.basename(path):
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                if re.match(rf"#!.*\b{name}$", file.readline().strip()):
                    found.append(path)
    return found


def gcc():
    folder = os.path.join(FOLDER, "gcc")
    _configure(folder, "-D", "CMAKE_C_COMPILER=gcc", "-D", "CMAKE_C_FLAGS=-fanalyzer")
    _run("ninja", "-C", folder, "-t", "clean")
    return _found("gcc", _OF_COMPILER, _run("ninja", "-C", folder, "-k", "0"), folder)


def clang(off):
    """clang-tidy, with the path-sensitive checks that scan-build runs too."""
    folder = os.path.join(FOLDER, "clang")
    _configure(folder, "-D", "CMAKE_C_COMPILER=clang")
    _run("ninja", "-C", folder)  # files that the build generates
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        files = sorted({entry["file"] for entry in json.load(file)})
    checks = ",".join(["-*", "clang-analyzer-*", "bugprone-*", "cert-*", *("-" + check for check in off)])

    def tidy(path):
        return _run("clang-tidy", "-p", folder, "-quiet", f"-checks={checks}", "-header-filter=.*", path)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return _found("clang-tidy", _OF_COMPILER, "\n".join(pool.map(tidy, files)), folder)


def cppcheck():
    folder = os.path.join(FOLDER, "clang")
    _configure(folder, "-D", "CMAKE_C_COMPILER=clang")
    said = _run("cppcheck", f"--project={folder}/compile_commands.json", "--enable=warning,portability,performance",
                "--std=c11", "--quiet", "-j", str(os.cpu_count()),
                "--template={file}:{line}:{column}: {severity}: {message} [{id}]")
    return _found("cppcheck", _OF_COMPILER, said)


def shellcheck():
    scripts = _with_interpreter("sh") + _with_interpreter("bash") + _tracked("*.sh", "*.bash")
    return _found("shellcheck", _OF_SHELLCHECK, _run(
        "shellcheck", "--format=gcc", "--external-sources", "--source-path=SCRIPTDIR", *scripts))


def flake8():
    files = _tracked("*.py") + _with_interpreter("python3")
    return _found("flake8", _OF_FLAKE8, _run("/usr/bin/python3", "-m", "flake8", f"--max-line-length={COLUMNS}", *files))


def mypy():
    """Checks what is annotated, and the values of members of modules and classes: the same ones whether or not a module of
    others is installed."""
    folder = os.path.join(ROOT, "scripts")
    said = _run("/usr/bin/python3", "-m", "mypy", "--ignore-missing-imports", "--no-site-packages", "--no-error-summary",
                "--cache-dir", os.path.join(FOLDER, "mypy"), "-p", "etlproof", "-p", "runner", cwd=folder,
                MYPYPATH=os.pathsep.join([folder, os.path.join(ROOT, "conformance")]))
    return _found("mypy", _OF_COMPILER, said, folder)
