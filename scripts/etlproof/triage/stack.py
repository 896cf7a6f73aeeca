# SPDX-License-Identifier: Apache-2.0
"""Stacks in what a sanitizer, libFuzzer or Python prints: which frames are ours, which one names a bug, and how alike two
stacks are."""
import collections
import math
import re

from etlproof import ROOT

# `file` is relative to the tree where it is ours, else as printed; None where only the module is known.
Frame = collections.namedtuple("Frame", "function file line")

_FRAME = re.compile(r"^\s*#(\d+) 0x[0-9a-fA-F]+ (?:in )?(.*?)\s*$")
_MODULE = re.compile(r"^(.*?)\s*\((\S+)\+0x[0-9a-fA-F]+\)(?: \(BuildId: \w+\))?$")
_PLACE = re.compile(r"^(.*) (\S+?)(?::(\d+))?(?::\d+)?$")
_PYTHON = re.compile(r'^\s*File "([^"]+)", line (\d+)(?:, in (\S+))?')
# A decoder with a planted bug is a copy somewhere else: the rooms of the house say what is ours.
_OURS = re.compile(r"(?:^|/)((?:decoder|harness|conformance)/(?:[\w-]+/)*[\w.-]+\.[ch])$")

# Who tells of a bug, and never has it: the one door to bytes, what ends a run that broke a promise, how a run is driven,
# and what takes in regions: who reports one counts.
_TELLERS = ("decoder/src/span.h", "decoder/src/scratch.h", "harness/oracle/promise.c", "harness/targets/common.c",
            "harness/targets/run.c")
_TELLING = re.compile(r"(fail|oracle_region|take_file|take_inflated|LLVMFuzzerTestOneInput)$")
# Of others' programs: what is the system's, a sanitizer's or an engine's.
_SYSTEM = re.compile(r"^/(usr|lib)/|(^|/)(csu|nptl|stdlib|signal|sysdeps|string|compiler-rt)/|^<frozen"
                     r"|/lib(c|m|stdc\+\+|pthread)[.-]|/ld-linux")
_MACHINERY = re.compile(r"__(asan|msan|ubsan|lsan|sanitizer|interceptor)|fuzzer::|_start$|__libc_start|abort$|raise$"
                        r"|(malloc|calloc|realloc|free|mem(cpy|set|move|cmp)|operator new)(\(|$|\[)")

# Of the measure of likeness: how fast a frame counts less further out, and with the distance to its like.
_DEPTH, _SHIFT = 0.5, 0.5


def parse(text):
    """All stacks in the text, each a list of frames, the innermost first; a Python traceback is one."""
    stacks, python = [], []
    for line in text.splitlines():
        found = _FRAME.match(line)
        if found:
            if found[1] == "0" or not stacks:
                stacks.append([])
            stacks[-1].append(_frame(found[2]))
        elif place := _PYTHON.match(line):
            python.insert(0, Frame(place[3] or "<module>", _relative(place[1]), int(place[2])))
    return stacks + ([python] if python else [])


def _frame(text):
    module = _MODULE.match(text)
    if module:
        return Frame(_name(module[1]) or "?", module[2], None)
    place = _PLACE.match(text)
    if not place:
        return Frame(_name(text), None, None)
    return Frame(_name(place[1]), _relative(place[2]), int(place[3]) if place[3] else None)


def _name(text):
    """Without the parameters of C++, nor what a compiler appends to a part of a function."""
    return re.sub(r"\.(cold|part|constprop|isra|llvm)[.\d]*$", "", re.sub(r"\(.*\)( const)?$", "", text))


def _relative(path):
    if path.startswith(ROOT + "/"):
        return path[len(ROOT) + 1:]
    ours = _OURS.search(path)
    return ours[1] if ours else path


def room(frame):
    """decoder, harness or conformance; None for what is not ours."""
    ours = _OURS.search(frame.file or "")
    return ours[1].split("/")[0] if ours else None


def _tells(frame):
    return frame.file in _TELLERS or bool(_TELLING.match(frame.function))


def _is_theirs(frame):
    """Whether a frame of someone else's program is neither the system's nor a sanitizer's."""
    return frame.function != "?" and not _SYSTEM.search(frame.file or "") and not _MACHINERY.match(frame.function)


def own(frames):
    """The frames that may have the bug. Of our code, the innermost room: who called the decoder is no part of a bug in it,
    so that targets which find the same bug agree. Of code that is not ours, all but the system's."""
    ours = [frame for frame in frames if room(frame)]
    if not ours:
        return [frame for frame in frames if _is_theirs(frame)]
    beyond = [frame for frame in ours if not _tells(frame)] or ours
    place = _place(beyond[0])
    return [frame for frame in beyond if _place(frame) == place]


def _place(frame):
    """The part of the tree that a frame stands for: the decoder, the oracles, a target, ..."""
    return frame.file.split("/")[:1 if frame.file.startswith("decoder/") else 2]


def names(frames):
    """What is compared, and the same after a change elsewhere in the file: functions, without lines."""
    return tuple(frame.function for frame in frames)


def likeness(one, other):
    """0 to 1: how alike two stacks of names are, innermost first. The position-dependent measure of ReBucket (Dang et al.,
    2012): the best alignment of equal frames, where each weighs exp(-depth/2), less exp(-distance/2) for a frame that lies
    deeper in one than in the other, over what the shorter stack could reach."""
    if not one or not other:
        return float(one == other)
    best = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one, 1):
        for j, right in enumerate(other, 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1])
            if left == right:
                weight = math.exp(-_DEPTH * (min(i, j) - 1)) * math.exp(-_SHIFT * abs(i - j))
                best[i][j] = max(best[i][j], best[i - 1][j - 1] + weight)
    return best[-1][-1] / sum(math.exp(-_DEPTH * k) for k in range(min(len(one), len(other))))


def common_callers(stacks):
    """The outermost frames that all stacks share: who loops, when each look at a loop finds it somewhere else."""
    shared = []
    for level in zip(*(reversed(frames) for frames in stacks)):
        if len({frame.function for frame in level}) > 1:
            break
        shared.insert(0, level[0])
    return shared
