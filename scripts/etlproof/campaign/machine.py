# SPDX-License-Identifier: Apache-2.0
"""Checks the machine before and during a campaign: tools, and free space on the disk."""
import os
import shutil

from runner.failure import INPUT, OUTPUT, Failure

# Bytes. A campaign needs space for a corpus, and ends before the disk is full: a truncated corpus would be worse.
ROOM_TO_START = 512 << 20
ROOM_TO_GO_ON = 64 << 20

# The commands that an engine needs, and the Debian package of each.
TOOLS = {
    "libfuzzer": (("clang", "clang"), ("cmake", "cmake"), ("ninja", "ninja-build")),
    "libfuzzer-msan": (("clang", "clang"), ("cmake", "cmake"), ("ninja", "ninja-build")),
    "afl": (("afl-fuzz", "afl++"), ("afl-clang-fast", "afl++"), ("cmake", "cmake"), ("ninja", "ninja-build")),
}
# The same for measuring coverage.
COVERAGE_TOOLS = (("llvm-profdata", "llvm"), ("llvm-cov", "llvm"))

# The alternative to freeing space, for a command that has the option.
ANOTHER_DISK = ", or take --state FOLDER on another disk"


def check_engine(engine, can_choose=False):
    """Raises if a tool of the engine is missing; the message names all tools that would do."""
    others = ", ".join(name for name, tools in TOOLS.items() if can_choose and _missing(tools) is None)
    _check(f"engine {engine}", TOOLS[engine], f", or take --engine {others}" if others else "")


def check_coverage():
    """Raises if a tool that measures coverage is missing."""
    _check("reach", COVERAGE_TOOLS)


def _check(what, tools, otherwise=""):
    if missing := _missing(tools):
        command, package = missing
        raise Failure(INPUT, f"{what}: {command} is not installed; it is in the package {package}: run scripts/bootstrap "
                             f"nightly{otherwise}")


def _missing(tools):
    """The first that is not installed, with its package, or None."""
    return next((tool for tool in tools if shutil.which(tool[0]) is None), None)


def free(folder):
    """Free bytes on the disk of a folder, which need not exist yet."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder) or "."
    return shutil.disk_usage(folder).free


def check_room_left(folder):
    """Raises if the disk is so full that a running campaign must end."""
    if free(folder) < ROOM_TO_GO_ON:
        raise Failure(OUTPUT, f"{folder}: the disk is nearly full: make room")


def check_room(folder, otherwise=ANOTHER_DISK):
    """Raises, with advice, if there is too little space for a campaign that keeps its corpus in the folder."""
    rest = free(folder)
    if rest < ROOM_TO_START:
        raise Failure(OUTPUT, f"{folder}: {rest >> 20} MiB are free; a campaign wants {ROOM_TO_START >> 20} MiB for its "
                              f"corpus: make room{otherwise}")
