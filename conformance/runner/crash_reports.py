# SPDX-License-Identifier: Apache-2.0
"""Finds the report of a crash on a program's standard error, for the runner, scripts/fuzz-parser and scripts/triage.

After an uncaught exception, many runtimes end a program with exit status 1, which otherwise means that the parser rejects
the file. LANGUAGES has one row for each language: how its runtime reports an uncaught exception, with which exit statuses.
Such a report counts only if it is the last output: a program that prints more has handled the exception.
"""
import os
import re
from typing import NamedTuple

EXCERPT = 4000            # characters of standard error that go into a report
_SEARCHED = 4 << 20       # bytes at the end of standard error in which a report is sought
_FRAMES_MAX = 64
_ABORTED = (-6, 134, 3, 0xC0000409)  # abort(): as a signal, as the status of a shell, and on Windows
_VALUES = re.compile(r"0x[0-9a-fA-F]+|-?\d+")

# Whatever stands behind a report. The exit status is then enough to tell a crash.
_ANYTHING = r".*"


class Frame(NamedTuple):
    function: str
    file: str | None
    line: int | None


class Language(NamedTuple):
    """How a runtime reports an uncaught exception. Patterns match whole lines. Groups of `start`: `what` is the class of
    the exception, `message` its text; `function`, `file` and `line` are its place, if the first line has it."""
    name: str
    statuses: tuple          # exit statuses after an uncaught exception; a signal is negative
    start: str               # the first lines of a report
    frame: str               # a frame of the stack: groups function, file, line
    runtime: str             # `function file` of frames of the language's own library: they never have the bug
    after: str = _ANYTHING   # lines of a report that may follow its last frame
    cause: str = ""          # a line within a report, behind which the root cause stands
    chained: str = ""        # the text between a cause and the exception that was raised from it, if the cause comes first
    unnamed: str = "panic"   # `what` of a report without a class


LANGUAGES = (
    # A message may have several lines. A line such as "reader.py: bad header" is a message of the program itself.
    Language("Python", (1,),
             start=r"^(?P<group>  \+ Exception Group )?Traceback \(most recent call last\):\n(?P<stack>(?:[ \t].*\n)+)"
                   r"(?(group)  \| )(?P<what>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$",
             frame=r'^ +(?:\| +)?File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$',
             runtime=r".* (<frozen .*|.*/lib/python3[^/]*/(?!(site|dist)-packages/).*)",
             after=r"(?![\w./\\-][\w./\\ -]{0,60}:(\s|$)).*",
             chained="\nThe above exception was the direct cause of the following exception:\n\n"),
    Language("JavaScript", (1,),
             start=r"^(?P<file>\S.*):(?P<line>\d+)\n.*\n[ \t]*\^+\n\n?(?:Uncaught:?\s)?"
                   r"(?:(?P<what>[A-Z][\w$.]*)(?: \[\w+\])?(?::[ ]|$))?(?P<message>.*)$",
             frame=r"^ +at (?:async )?(?:(?P<function>[^\n(]+?) \()?(?P<file>[^\n()]+?):(?P<line>\d+):\d+\)?(?: \{)?$",
             runtime=r".* (node:|internal/).*",
             after=r"\s.*|[]}].*|Node\.js v.*|\(Use `node .*",
             unnamed="value"),
    Language("Java", (1,),
             start=r'^Exception in thread "[^"\n]*" (?P<what>[\w.$]+):? ?(?P<message>.*)$',
             frame=r"^\s+at (?P<function>[\w.$/<>@-]+)\((?P<file>[^:)\n]+)(?::(?P<line>\d+))?\)$",
             runtime=r"(java\.base/|java\.|jdk\.|sun\.).*",
             after=r"\s.*|Caused by: .*",
             cause=r"^Caused by: (?P<what>[\w.$]+)(?:: (?P<message>.*))?$"),
    # Mono exits with 1 and prints the report twice; .NET aborts.
    Language(".NET", (1, 0xE0434352, *_ABORTED),
             start=r"^Unhandled [eE]xception[.:]\s(?P<what>[\w.+`]+)(?:: (?P<message>.*))?$",
             frame=r"^ +at (?P<function>[^\n(]*[^\n( ]) ?\(.*?\)(?: \[0x\w+\])?"
                   r"(?: in (?P<file>.+?):(?:line )?(?P<line>\d+) *)?$",
             runtime=r"(System|Microsoft|Interop)\..*",
             after=r"\s.*|Aborted.*",
             cause=r"^ ---> (?P<what>[\w.+`]+)(?:: (?P<message>.*))?$"),
    Language("Go", (2,),
             start=r"^(?:panic|fatal error): (?P<message>.*)$",
             frame=r"^(?P<function>\S+?)\([^()\n]*\)\n\t(?P<file>.+?):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$",
             runtime=r"(runtime\..*|panic .*|\S+ /usr/(local|lib)/go[^/]*/src/.*)"),
    Language("Rust", (101,),
             start=r"^thread '[^'\n]*'(?: \(\d+\))? panicked at (?:'(?P<quoted>.*)', )?"
                   r"(?P<file>[^'\n]+?):(?P<line>\d+):\d+(?::\n(?P<message>.*))?$",
             frame=r"^ +\d+: (?:0x[0-9a-f]+ - )?(?P<function>\S.*?)(?:\n +at (?P<file>.+?):(?P<line>\d+)(?::\d+)?)?$",
             runtime=r"(__rust|rust_begin_unwind|<?(core|std|alloc)::).*"),
    Language("C++", _ABORTED,
             start=r"^(?:terminate called after throwing an instance of '"
                   r"|libc\+\+abi: terminating (?:due to|with) uncaught exception of type )"
                   r"(?P<what>(?:[^:'\n]|::)+)'?(?:(?:\n  what\(\):  |: )(?P<message>.*))?$",
             frame=r"(?!)", runtime=r"(?!)"),
    Language("C", _ABORTED,
             start=r"^(?:[^:\n]+: )?(?P<file>[^:\n]+):(?P<line>\d+): (?P<function>[^\n]+?): "
                   r"(?P<what>Assertion) [`'](?P<message>.*)' failed\.$",
             frame=r"(?!)", runtime=r"(?!)"),
    Language("Ruby", (1,),
             start=r"^(?P<file>[^:\s]+):(?P<line>\d+):in [`'](?P<function>.+)': (?P<message>.*) \((?P<what>[A-Z][\w:]*)\)$",
             frame=r"^\tfrom (?P<file>.+?):(?P<line>\d+):in [`'](?P<function>.+)'$",
             runtime=r".* (<internal:|/usr/lib/ruby/).*",
             after=r"\s.*"),
)
_UNNAMED = {language.unnamed for language in LANGUAGES}


class Report(NamedTuple):
    """A crash: `what` is the class of the exception, or `unnamed` of the language. `frames`: the stack, the innermost
    first, without frames of the runtime unless it has no others. `at`: where the report starts in the text."""
    language: str
    what: str
    message: str
    frames: tuple
    at: int

    def shape(self):
        """The message without its numbers, which change from file to file."""
        return _VALUES.sub("N", self.message)

    def distinction(self):
        """What tells two crashes of the same class apart besides their stacks: the message, where the class says nothing or
        there is no stack. Other messages may quote the file."""
        return self.shape() if self.what in _UNNAMED or not self.frames else ""

    def place(self):
        """`index.go:9` or a function, "" if unknown."""
        if not self.frames:
            return ""
        frame = self.frames[0]
        return f"{_base_name(frame.file)}:{frame.line}" if frame.file and frame.line else frame.function

    def text(self):
        """The crash in one sentence."""
        what = self.what if self.what in ("panic", "Assertion") else f"uncaught {self.what}"
        place = self.place()
        function = self.frames[0].function if self.frames else ""
        where = f" in {function}" if function and function != place else ""
        where += f" ({place})" if place else ""
        return f"{self.language}: {what}{where}{': ' if self.message else ''}{self.message}"[:300]


def find(text, status=None):
    """The Report of a crash, or None. `status`: the exit status, which must be one of the language's; the report must then
    be the last output. None: it is known to be a crash, so that any report counts."""
    for language in LANGUAGES:
        if status is None or status in language.statuses:
            report = _report(language, text, status is not None)
            if report:
                return report
    return None


def uncaught(stderr, status):
    """The Report if a process with this exit status and standard error (bytes) died of an uncaught exception, or None."""
    return find(_decoded(stderr[-_SEARCHED:]), status)


def reported(stderr):
    """The Report on standard error (bytes) of a process that crashed with a status of its own choice, or None."""
    return find(_decoded(stderr[-_SEARCHED:]))


def _report(language, text, is_last):
    starts = list(re.finditer(language.start, text, re.M))
    if not starts:
        return None
    if is_last and not _is_last(language, text, starts[-1]):
        return None
    root = _root(language, text, starts)
    stack = _stack(language, text, root)
    found = root.groupdict()
    message = next((found[name] for name in ("message", "quoted") if found.get(name)), "")
    return Report(language.name, found.get("what") or language.unnamed, message.strip(), stack, starts[0].start())


def _is_last(language, text, start):
    """Whether only lines of the report stand behind its last frame."""
    frames = [frame.end() for frame in re.compile(language.frame, re.M).finditer(text, start.end())]
    rest = text[max([start.end(), *frames]):].split("\n")[1:]
    return all(re.fullmatch(language.after, line) for line in rest if line.strip())


def _root(language, text, starts):
    """The match of the exception that began it all, if others were raised from it."""
    number = len(starts) - 1
    while number and language.chained and text[:starts[number].start()].endswith(language.chained):
        number -= 1
    start = starts[number]
    causes = list(re.finditer(language.cause, text[start.end():], re.M)) if language.cause else []
    return re.compile(language.cause, re.M).match(text, start.end() + causes[-1].start()) if causes else start


def _stack(language, text, root):
    """The frames of one report, the innermost first."""
    found = root.groupdict()
    block = found.get("stack")
    frames = [_frame(row) for row in re.finditer(language.frame, block or _first_stack(text[root.end():]), re.M)]
    if block:
        frames.reverse()  # Python prints the innermost last
    if found.get("function") or (found.get("file") and not frames):
        frames.insert(0, _frame(root))
    own = [frame for frame in frames if not re.match(language.runtime, f"{frame.function} {frame.file or ''}")]
    if found.get("file") and own and own[0].file is None:
        own[0] = own[0]._replace(file=found["file"], line=int(found["line"]))
    return tuple((own or frames)[:_FRAMES_MAX])


def _first_stack(text):
    """The text up to the next stack, such as that of another goroutine."""
    heads = [match.start() for match in re.finditer(r"^goroutine \d+ ", text, re.M)]
    return text[:heads[1]] if len(heads) > 1 else text


def _frame(match):
    """The frame; without a function, its place stands for the name. A file such as `<string>` is none."""
    found = match.groupdict()
    file = found["file"] if found.get("file") and not found["file"].startswith("<") else None
    line = int(found["line"]) if file and found.get("line") else None
    function = found.get("function") or f"{_base_name(found.get('file') or '?')}:{found.get('line')}"
    return Frame(re.sub(r"::h[0-9a-f]{16}$", "", function), file, line)


def _base_name(path):
    return os.path.basename(path.replace("\\", "/"))


# The place distinguishes a report of UBSan from a parser's own "runtime error".
_SANITIZER = re.compile(rb"==\d+==\s?ERROR: \w+Sanitizer|WARNING: (Memory|Thread)Sanitizer|SUMMARY: \w+Sanitizer"
                        rb"|(:\d+|<unknown>): runtime error: ")


def sanitizer_report(stderr):
    """The first line of a sanitizer's report, or None. After some reports the program continues, and exits with 0 or 1."""
    found = _SANITIZER.search(stderr)
    if not found:
        return None
    start = stderr.rfind(b"\n", 0, found.start()) + 1
    return stderr[start:].split(b"\n", 1)[0].decode("utf-8", "replace").strip()[:200]


def _decoded(stderr):
    return stderr.decode("utf-8", "replace").replace("\r\n", "\n")


def tail(stderr):
    return stderr[-EXCERPT:].decode("utf-8", "replace")


def excerpt(stderr):
    """What a report keeps of the standard error of a crash: the head and the tail of the stack; without a report, the
    tail."""
    found = _SANITIZER.search(stderr)
    if found:
        text = _decoded(stderr[stderr.rfind(b"\n", 0, found.start()) + 1:])
    else:
        text = _decoded(stderr[-_SEARCHED:])
        report = find(text)
        text = text[report.at if report else max(0, len(text) - EXCERPT):]
    return head_and_tail(text, EXCERPT)


def head_and_tail(text, most):
    """The text without its middle, if it is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters ...]\n{text[-half:]}"
