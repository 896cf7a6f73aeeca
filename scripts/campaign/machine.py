# SPDX-License-Identifier: Apache-2.0
"""What the machine has to have before a campaign starts, and while it runs: tools, and room on its disk."""
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


def check_engine(engine, can_choose=False):
    """Raises if a tool of the engine is missing; says which would do, if there is a choice."""
    for command, package in TOOLS[engine]:
        if shutil.which(command) is None:
            others = ", ".join(name for name in TOOLS if all(shutil.which(tool) for tool, _ in TOOLS[name]))
            choice = f", or take --engine {others}" if can_choose and others else ""
            raise Failure(INPUT, f"engine {engine}: {command} is not installed; it is in the package {package}: run "
                                 f"scripts/bootstrap nightly{choice}")


def free(folder):
    """Bytes that are free where the folder is, or will be."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder) or "."
    return shutil.disk_usage(folder).free


def check_room_left(folder):
    """Raises if a campaign that runs has to end."""
    if free(folder) < ROOM_TO_GO_ON:
        raise Failure(OUTPUT, f"{folder}: the disk is nearly full: make room")


def check_room(folder):
    """Raises if there is too little room for a campaign that keeps its corpus in the folder."""
    rest = free(folder)
    if rest < ROOM_TO_START:
        raise Failure(OUTPUT, f"{folder}: {rest >> 20} MiB are free; a campaign wants {ROOM_TO_START >> 20} MiB for its "
                              "corpus: make room, or take --state FOLDER on another disk")
