# SPDX-License-Identifier: Apache-2.0
"""The one reader of failures: from what a program printed, and how it ended, to kind, access, stack and severity.

classify() gives the Kind of a run, for programs under AddressSanitizer, UndefinedBehaviorSanitizer, MemorySanitizer or
LeakSanitizer, for libFuzzer, for the oracles, and for parsers of others, whose uncaught exceptions runner.crash_reports
reads. stacks_in() gives all stacks of a text, and own_frames() the frames that can have the bug. In C, harness/minimise
reads the failures of its own process, by addresses.
"""
import collections
import fnmatch
import math
import posixpath
import re
import signal

from etlproof import ROOT
from runner import crash_reports
from runner.crash_reports import Frame

# Stacks.

# The `file` of a Frame is relative to the tree if it is part of the tree, else as printed; None if it is unknown.
_FRAME = re.compile(r"^\s*#(\d+) 0x[0-9a-fA-F]+ (?:in )?(.*?)\s*$")
_MODULE = re.compile(r"^(.*?)\s*\((\S+)\+0x[0-9a-fA-F]+\)(?: \(BuildId: \w+\))?$")
_PLACE = re.compile(r"^(.*) (\S+?)(?::(\d+))?(?::\d+)?$")
# A decoder with a planted bug is a copy elsewhere, so our files are recognised by their top folder.
_OURS = re.compile(r"(?:^|/)((?:decoder|harness|conformance)/(?:[\w-]+/)*[\w.-]+\.[ch])$")

# Functions that report a bug but never have it: the loads of span.h, the end of a broken run, the loop of a run, and
# the collector of regions. The bug is in their caller.
_TELLERS = ("decoder/src/span.h", "decoder/src/scratch.h", "harness/oracle/promise.c", "harness/targets/broken_promise.c",
            "harness/targets/target_run.c")
_TELLING = re.compile(r"(fails?|takes_wanted|oracle_region|take_file|take_inflated|LLVMFuzzerTestOneInput)$")
# In other programs: frames of the system, of a sanitizer or of an engine.
_SYSTEM = re.compile(r"^/(usr|lib)/|(^|/)(csu|nptl|stdlib|signal|sysdeps|string|compiler-rt)/|^<frozen"
                     r"|/lib(c|m|stdc\+\+|pthread)[.-]|/ld-linux")
_MACHINERY = re.compile(r"__(asan|msan|ubsan|lsan|sanitizer|interceptor)|fuzzer::|_start$|__libc_start|abort$|raise$"
                        r"|(malloc|calloc|realloc|free|mem(cpy|set|move|cmp)|operator new)(\(|$|\[)")

# Of the likeness of stacks: how fast the weight of a frame falls with its depth, and with the distance to its match.
_DEPTH, _SHIFT = 0.5, 0.5


def stacks_in(text):
    """All stacks in the text, each a list of frames, the innermost first; that of an uncaught exception is one."""
    stacks = []
    for line in text.splitlines():
        found = _FRAME.match(line)
        if found:
            if found[1] == "0" or not stacks:
                stacks.append([])
            stacks[-1].append(_frame(found[2]))
    report = crash_reports.find(text)
    return stacks + ([_frames_of(report)] if report and report.frames else [])


def _frames_of(report):
    return [frame._replace(file=_relative(frame.file)) if frame.file else frame for frame in report.frames]


def _frame(text):
    module = _MODULE.match(text)
    if module:
        return Frame(_name(module[1]) or "?", module[2], None)
    place = _PLACE.match(text)
    if not place:
        return Frame(_name(text), None, None)
    return Frame(_name(place[1]), _relative(place[2]), int(place[3]) if place[3] else None)


def _name(text):
    """The name of a function without C++ parameters, and without suffixes that compilers add to parts of a function."""
    return re.sub(r"\.(cold|part|constprop|isra|llvm)[.\d]*$", "", re.sub(r"\(.*\)( const)?$", "", text))


def _relative(path):
    path = posixpath.normpath(path)  # a compiler cache may write build/x/../../decoder
    if path.startswith(ROOT + "/"):
        return path[len(ROOT) + 1:]
    ours = _OURS.search(path)
    return ours[1] if ours else path


def room_of(frame):
    """The room of one of our files: decoder, harness or conformance; None for all other files."""
    ours = _OURS.search(frame.file or "")
    return ours[1].split("/")[0] if ours else None


def _tells(frame):
    return frame.file in _TELLERS or bool(_TELLING.match(frame.function))


def _is_theirs(frame):
    """Whether a frame of another program belongs to that program, not to the system or a sanitizer."""
    return frame.function != "?" and not _SYSTEM.search(frame.file or "") and not _MACHINERY.match(frame.function)


def own_frames(frames):
    """The frames that may have the bug. In our code those of the innermost room, so that all targets which find a bug in
    the decoder agree, whoever called it. In other code all frames but the system's."""
    ours = [frame for frame in frames if room_of(frame)]
    if not ours:
        return [frame for frame in frames if _is_theirs(frame)]
    beyond = [frame for frame in ours if not _tells(frame)] or ours
    place = _part_of_tree(beyond[0])
    return [frame for frame in beyond if _part_of_tree(frame) == place]


def _part_of_tree(frame):
    """The part of the tree to which a frame belongs: the decoder, the oracles, a target, ..."""
    return frame.file.split("/")[:1 if frame.file.startswith("decoder/") else 2]


def function_names(frames):
    """The functions of a stack, for comparison: without lines, which change when other code in the file changes."""
    return tuple(frame.function for frame in frames)


def stack_likeness(one, other):
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
    """The outermost frames that all stacks share: those that call a loop, which may be interrupted anywhere."""
    shared = []
    for level in zip(*(reversed(frames) for frames in stacks)):
        if len({frame.function for frame in level}) > 1:
            break
        shared.insert(0, level[0])
    return shared


# The functions of a sanitizer's frames, anywhere in the text.
_FRAME_NAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (\S+)", re.M)
_NOT_OURS = ("__asan", "__interceptor", "__sanitizer", "abort", "raise", "__msan", "__ubsan")


def place_in(stderr):
    """What crashed a program, and where, by its own report: the function in a sanitizer's report, or the uncaught exception
    with its place. None if there is no report."""
    for name in _FRAME_NAME.findall(stderr):
        if not name.startswith(_NOT_OURS):
            return name
    report = crash_reports.find(stderr)
    if report is None:
        return None
    name = f"{report.what} at {report.place()}" if report.place() else report.what
    return f"{name}: {report.distinction()}" if report.distinction() else name


# Kinds.

# `what`: the name within the kind. `detail`: a sentence that distinguishes failures of equal kind and name, or "".
# `frames`: the whole stack of the failure.
Kind = collections.namedtuple("Kind", "kind what access access_size detail frames")

_SIGNALS = ("SEGV", "BUS", "FPE", "ILL", "ABRT", "TRAP")
_SIGNAL_ACCESS = re.compile(r"caused by a (READ|WRITE) memory access")
_ACCESS = re.compile(r"^(READ|WRITE) of size (\d+)", re.M)
_NOTICED = re.compile(r"^a broken promise is noticed here:$", re.M)
_VALUES = re.compile(r"0x[0-9a-fA-F]+|-?\d+")

_UNCAUGHT = "uncaught-"
# Exit statuses that stand for signals: those of a shell between us and the program, and those of Windows.
_ENDED = {128 + number: name for number, name in ((4, "ILL"), (6, "ABRT"), (7, "BUS"), (8, "FPE"), (11, "SEGV"))} | {
    0xC0000005: "SEGV", 0xC0000006: "BUS", 0xC000001D: "ILL", 0xC0000094: "FPE", 0xC0000095: "FPE", 0xC00000FD: "SEGV",
    0xC0000374: "ABRT", 0xC0000409: "ABRT"}

# Messages of UndefinedBehaviorSanitizer, without values: name, access, pattern. The first match counts.
_UNDEFINED = (
    ("division-by-zero", None, r"division by zero"),
    ("signed-integer-overflow", None, r"signed integer overflow|negation of|division of .* cannot be represented"),
    ("index-out-of-bounds", None, r"index .* out of bounds"),
    ("shift-exponent", None, r"shift exponent"),
    ("shift-base", None, r"left shift of"),
    ("null-pointer-offset", None, r"applying (non-)?zero offset .*null pointer"),
    ("pointer-overflow", None, r"(applying non-zero offset|pointer index expression|.* overflowed to)"),
    ("null-argument", None, r"null pointer (passed|returned)"),
    ("null-pointer-use", "read", r"load of null pointer"),
    ("null-pointer-use", "write", r"store to null pointer"),
    ("null-pointer-use", None, r"member (access|call) .*null pointer|reference binding to null"),
    ("misaligned-address", "read", r"load of misaligned"),
    ("misaligned-address", "write", r"store to misaligned"),
    ("misaligned-address", None, r".*misaligned address"),
    ("object-size", None, r".* address .* with insufficient space"),
    ("invalid-value", "read", r"load of value"),
    ("float-cast-overflow", None, r".*outside the range of representable values"),
    ("unreachable", None, r"execution reached"),
    ("variable-length-array", None, r"variable length array"),
)


def _oracle(found, said):
    return Kind("oracle", found["oracle"], None, None, _sentence(found["broken"]),
                _stack_after(said.text, _noticed(said.text, found)))


def _noticed(text, found):
    """The offset behind the last notice of a broken promise, else behind the oracle's message."""
    places = [place.end() for place in _NOTICED.finditer(text, 0, found.start())]
    return places[-1] if places else found.end()


def _sentence(broken):
    """The oracle's own part of its message: the check that failed, without the place and the promise."""
    text = broken.lstrip(": ")
    if text.startswith(("at offset", "at byte")):
        return text.partition("; not so: ")[2]
    text = re.split(r' \(|: "', text)[0]
    return _VALUES.sub("N", text)[:120]


def _address(found, said):
    name = found["asan"]
    if name in _SIGNALS:
        return _signal(found, said)
    access = _ACCESS.search(said.text, found.end())
    if name.startswith(("allocation-size", "requested", "allocator", "out-of-memory", "out")):
        return Kind("memory", "allocation-size", None, None, "", _stack_after(said.text, found.end()))
    if name == "attempting":
        name = "double-free" if said.text.startswith("double", found.end() + 1) else "bad-free"
    return Kind("asan", name.rstrip(":"), access and access[1].lower(), access and int(access[2]), "",
                _stack_after(said.text, found.end()))


def _signal(found, said):
    access = _SIGNAL_ACCESS.search(said.text, found.end())
    return Kind("signal", found["asan"] or found["other"], access and access[1].lower(), None, "",
                _stack_after(said.text, found.end()))


def _memory_sanitizer(found, said):
    return Kind("msan", found["msan"], None, None, "", _stack_after(said.text, found.end()))


def _leak(found, said):
    return Kind("lsan", "leak", None, None, "", _stack_after(said.text, found.end()))


def _undefined(found, said):
    text = found["ubsan"]
    for what, access, pattern in _UNDEFINED:
        if re.match(pattern, text):
            break
    else:
        what, access = _slug(_VALUES.sub("", text)), None
    frames = _stack_after(said.text, found.end())
    return Kind("ubsan", what, access, None, "", frames or _place_only(found["place"]))


def _place_only(place):
    """Without a symbolizer there is no stack, only the file."""
    path, line = re.match(r"(.*?):(\d+)", place).groups()
    return stacks_in(f"#0 0x0 in ? {path}:{line}")[0]


def _libfuzzer(found, said):
    name = found["libfuzzer"]
    frames = _stack_after(said.text, found.end())
    if name.startswith("timeout"):
        return Kind("timeout", "timeout", None, None, "", frames)
    if name.startswith("out-of-memory"):
        return Kind("memory", "malloc" if "malloc(" in name else "resident", None, None, "", frames)
    if name.startswith("deadly signal"):
        return Kind("signal", "deadly", None, None, "", frames)
    return Kind("signal", _slug(name), None, None, "", frames)


# The first report in the text counts: later ones are its consequences.
_REPORTS = (
    (r"^oracle (?P<oracle>[a-z0-9-]+) broken(?P<broken>.*)$", "oracle", _oracle),
    (r"^==\d+== ?ERROR: AddressSanitizer:? (?P<asan>[\w-]+)", "asan", _address),
    (r"^==\d+== ?ERROR: (?:Memory|UndefinedBehavior|Leak|Thread)Sanitizer: (?P<other>SEGV|BUS|FPE|ILL|ABRT|TRAP)", "other",
     _signal),
    (r"^==\d+== ?WARNING: MemorySanitizer: (?P<msan>[\w-]+)", "msan", _memory_sanitizer),
    (r"^==\d+== ?ERROR: LeakSanitizer: (?P<lsan>detected)", "lsan", _leak),
    (r"^(?P<place>\S+:\d+(?::\d+)?): runtime error: (?P<ubsan>.*)$", "ubsan", _undefined),
    (r"^==\d+== ?ERROR: libFuzzer: (?P<libfuzzer>.*)$", "libfuzzer", _libfuzzer),
)
_REPORT = re.compile("|".join(pattern for pattern, _, _ in _REPORTS), re.M)


def _stack_after(text, at):
    stacks = stacks_in(text[at:])
    return stacks[0] if stacks else []


def _slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40]


def classify(said, accepts=(0,)):
    """The kind of a failed run; None if the run did not fail. `accepts` are the exit statuses that are not failures."""
    found = _REPORT.search(said.text)
    if found:
        handler = next(handler for _, group, handler in _REPORTS if found[group] is not None)
        return handler(found, said)
    return _by_end(said, accepts)


def _by_end(said, accepts):
    """The kind of a run without a report, from how it ended and from the verdict on a parser's answer."""
    frames = _stack_after(said.text, 0)
    if said.timed_out:
        return Kind("timeout", "timeout", None, None, "", frames)
    if said.out_of_memory:
        return Kind("memory", "resident", None, None, "", frames)
    uncaught = _uncaught(said, accepts)
    if uncaught:
        return Kind("parser", _UNCAUGHT + uncaught.what, None, None, uncaught.distinction(), _frames_of(uncaught))
    if said.signal is not None:
        return Kind("signal", _signal_name(said.signal), None, None, "", frames)
    if said.status is None:
        return Kind("memory", "output", None, None, "", frames)
    if said.key is not None and said.key[0] not in ("crash", "hang", "oom"):
        return Kind("parser", said.key[0], None, None, " ".join(part for part in said.key[1:] if part.strip("-")), [])
    if said.status in _ENDED:
        return Kind("signal", _ENDED[said.status], None, None, "", frames)
    if said.status not in accepts:
        return Kind("signal", f"exit-{said.status}", None, None, "", frames)
    if said.key is not None and said.key[0] == "crash":
        return Kind("parser", "answer", None, None, said.key[1], frames)
    return None


def _uncaught(said, accepts):
    """The uncaught exception of which a program died, or None. Where the end is a failure in any case, the text counts;
    else the program must have ended as its runtime does."""
    status = -said.signal if said.signal is not None else said.status
    if not status:
        return None
    return crash_reports.find(said.text, None if status not in accepts else status)


def is_by_comparison(bucket):
    """Whether the failure of a bucket record shows only when the parser is compared with the reference decode."""
    return bucket["kind"] == "parser" and not bucket["what"].startswith(_UNCAUGHT)


def _signal_name(number):
    try:
        return signal.Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)


_SILENT = "data is lost and no finding reports it: the worst failure of a forensic reader"
# kind, what (* allowed), access (* for any): level and why. The first row that matches counts.
SEVERITY = (
    ("asan", "*free*", "*", "high", "memory is used or freed after it was freed; the input may control its content"),
    ("asan", "*", "write", "high", "a write outside an object corrupts other memory"),
    ("asan", "stack-overflow", "*", "medium", "the input controls the depth of recursion, and can end the program"),
    ("asan", "*", "read", "medium", "a read outside an object leaks other memory, or ends the program"),
    ("asan", "*", "*", "medium", "memory is used in an invalid way"),
    ("msan", "*", "*", "medium", "uninitialised memory decides the result, and may leak"),
    ("ubsan", "index-out-of-bounds", "*", "high", "an index outside an array reads or writes other memory"),
    ("ubsan", "object-size", "*", "high", "an access outside an object"),
    ("ubsan", "pointer-overflow", "*", "medium", "a pointer leaves its object; the compiler may remove checks on it"),
    ("ubsan", "*-integer-overflow", "*", "medium", "a size or time overflowed, and checks on it no longer hold"),
    ("ubsan", "division-by-zero", "*", "medium", "ends the program on most machines"),
    ("ubsan", "null-*", "*", "medium", "ends the program on most machines"),
    ("ubsan", "*", "*", "low", "undefined, with no effect known on common machines"),
    ("signal", "SEGV", "write", "high", "a write to an unmapped address; other inputs may reach mapped ones"),
    ("signal", "SEGV", "read", "medium", "a read of an unmapped address ends the program"),
    ("signal", "exit-*", "*", "low", "the program exits with a status of failure"),
    ("signal", "*", "*", "medium", "the input ends the program"),
    ("timeout", "*", "*", "medium", "the input keeps a processor busy without limit"),
    ("memory", "output", "*", "medium", "the input makes the program print without end"),
    ("memory", "*", "*", "medium", "the input controls how much memory is used"),
    ("lsan", "*", "*", "low", "memory is never freed, which matters to long-running programs"),
    ("oracle", "silent-loss", "*", "high", _SILENT),
    ("oracle", "internal", "*", "low", "the decoder detected an internal error and stopped"),
    ("oracle", "progress", "*", "medium", "time that is not linear in the input keeps a processor busy"),
    ("oracle", "*bounds", "*", "medium", "a reported range lies outside the input; a caller may read there"),
    ("oracle", "want", "*", "medium", "the input controls how much memory is requested"),
    ("oracle", "*", "*", "medium", "a reported value is wrong and looks right"),
    ("parser", "silent-loss", "*", "high", _SILENT),
    ("parser", "wrong-reject", "*", "low", "a valid file is rejected, and the rejection is reported"),
    ("parser", "answer", "*", "medium", "the answer cannot be read, so nothing is known of the file"),
    ("parser", "wrong-*", "*", "medium", "a reported value is wrong and looks right"),
    ("parser", "*", "*", "low", "the program ends, and the rest of the file is lost"),
)


def severity(kind):
    """An estimate of the severity, with the reason: {"level", "why"}."""
    for of, what, access, level, why in SEVERITY:
        if kind.kind == of and fnmatch.fnmatchcase(kind.what, what) and access in ("*", kind.access):
            return {"level": level, "why": why}
    raise LookupError(kind.kind)
