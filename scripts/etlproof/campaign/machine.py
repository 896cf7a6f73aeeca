# SPDX-License-Identifier: Apache-2.0
"""Checks the machine before and during a campaign: tools, and free space on the disk."""
import os
import shutil

from runner.failure import INPUT, OUTPUT, Failure

# Bytes. Campaigns start with room for a corpus, and end before the file system is full: a corpus that is cut is worse.
ROOM_TO_START = 512 << 20
ROOM_TO_GO_ON = 64 << 20

# What an engine is made of: command, and the Debian package that has it.
TOOLS = {
    "libfuzzer": (("clang", "clang"), ("cmake", "cmake"), ("ninja", "ninja-build")),
    "libfuzzer-msan": (("clang", "clang"), ("cmake", "cmake"), ("ninja", "ninja-build")),
    "afl": (("afl-fuzz", "afl++"), ("afl-clang-fast", "afl++"), ("cmake", "cmake"), ("ninja", "ninja-build")),
}
# The same of what measures how far inputs reach.
COVERAGE_TOOLS = (("llvm-profdata", "llvm"), ("llvm-cov", "llvm"))

# What to do instead of making room, of a command that has the option.
ANOTHER_DISK = ", or take --state FOLDER on another disk"


def check_engine(engine, can_choose=False):
    """Raises if a tool of the engine is missing; says which would do, if there is a choice."""
    others = ", ".join(name for name, tools in TOOLS.items() if can_choose and _missing(tools) is None)
    _check(f"engine {engine}", TOOLS[engine], f", or take --engine {others}" if others else "")


def check_coverage():
    """Raises if a tool is missing that measures what is reached."""
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
    """Bytes that are free where the folder is, or will be."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder) or "."
    return shutil.disk_usage(folder).free


def check_room_left(folder):
    """Raises if a campaign that runs has to end."""
    if free(folder) < ROOM_TO_GO_ON:
        raise Failure(OUTPUT, f"{folder}: the disk is nearly full: make room")


def check_room(folder, otherwise=ANOTHER_DISK):
    """Raises if there is too little room for a campaign that keeps its corpus in the folder, and says what to do."""
    rest = free(folder)
    if rest < ROOM_TO_START:
        raise Failure(OUTPUT, f"{folder}: {rest >> 20} MiB are free; a campaign wants {ROOM_TO_START >> 20} MiB for its "
                              f"corpus: make room{otherwise}")
