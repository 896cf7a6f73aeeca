# SPDX-License-Identifier: Apache-2.0
"""One-shot mode: one process a vector. Its output goes to unnamed files, so that a grandchild that outlives it, or endless
output, cannot block the runner."""
import os
import signal
import subprocess
import tempfile
import time

from . import answer_limits, crash_reports
from .crash_reports import excerpt, sanitizer_report, tail
from .failure import INPUT, OUTPUT, Failure
from .jsonlines import NotJson, decode_lines
from .limits import OUTPUT_MAX, SAMPLE, STDERR_MAX, Watch
from .parser_under_test import Answer, CannotStart, shell_line


class NotDescribed(Failure):
    """A command that exited and printed nothing for --describe: it may not know the option."""


class Output:
    """How a process ended: `over` as in Watch.over, else its exit status; and what it printed."""

    def __init__(self, over, status, stdout, stderr, seconds):
        self.over, self.status, self.stdout, self.stderr, self.seconds = over, status, stdout, stderr, seconds


def run_process(command, limits, children, stdin=subprocess.DEVNULL, most=OUTPUT_MAX, **popen):
    """Runs a command to its end or to a limit. `children` starts it, so that the run can be stopped. `most`: bytes
    of standard output. `popen`: as in Child."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        try:
            child = children.start(command, stdin, out, err, limits.cpu, **popen)
        except (OSError, ValueError) as error:
            raise CannotStart(command, error) from error
        try:
            over = _wait(child, limits, ((out, most), (err, STDERR_MAX)))
        finally:
            children.discard(child)
        seconds = time.monotonic() - started
        _check_room(out)
        return Output(over, child.status, _content(out, most), _content(err, STDERR_MAX), seconds)


def _wait(child, limits, files):
    watch = Watch(child, limits)
    over = None
    while over is None and not child.wait(SAMPLE):
        over = watch.over() or _too_long(files)
    child.kill()
    return over or _too_long(files)


def _too_long(files):
    """As Watch.over: whether a file is longer than its limit."""
    for file, most in files:
        if os.fstat(file.fileno()).st_size > most:
            return "crash", f"protocol: printed more than {most >> 20} MiB"
    return None


def _check_room(file):
    """Raises Failure if the disk is full: the parser may then fail through no fault of its own."""
    disk = os.fstatvfs(file.fileno()) if hasattr(os, "fstatvfs") else None
    if disk and disk.f_blocks and not disk.f_bavail:
        raise Failure(OUTPUT, f"{tempfile.gettempdir()}: no space is left for what a parser prints")


def _content(file, most):
    file.seek(0)
    return file.read(most)


def ask_description(parser, limits, children):
    command = parser.for_description()
    output = run_process(command, limits, children)
    where = f"the answer to {shell_line(command)}"
    hint = " (conformance/README.md shows one; a description can also stand in an --adapter file)"
    ended = not output.over and not died_of_signal(output.status)
    failure = NotDescribed if ended and not output.stdout.strip() else Failure
    if output.over or output.status != 0:
        why = output.over[1] if output.over else exit_text(output.status)
        stderr = tail(output.stderr)[-300:].strip()
        raise failure(INPUT, f"{where}: one JSON object and exit 0 expected, found {why}: {stderr}{hint}")
    try:
        objects = decode_lines(output.stdout.strip().replace(b"\n", b" "))
    except NotJson as error:
        raise Failure(INPUT, f"{where}: one JSON object expected: {error}{hint}") from error
    if len(objects) != 1:
        raise failure(INPUT, f"{where}: one JSON object expected, found nothing{hint}")
    parser.describe(objects[0], where)


def died_of_signal(status):
    """Whether the status is that of a signal, or of an exception on Windows."""
    return not 0 <= status <= 255


def exit_text(status):
    """How a process ended, for people."""
    if status < 0:
        return f"signal {-status}{_signal_name(-status)}"
    return f"exit 0x{status:08x}" if status > 255 else f"exit {status}"


def crash_text(status, stderr):
    """How a process crashed, for people: its end, and what its runtime reports of it."""
    report = crash_reports.uncaught(stderr, status) or crash_reports.reported(stderr)
    return exit_text(status) + (f": {report.text()}" if report else "")


def _signal_name(number):
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


def run_vector(parser, vector, limits, children):
    """The answer of a one-shot parser to a vector."""
    most = answer_limits.of_vector(vector)
    output = run_process(parser.for_vector(vector), limits, children, most=most.bytes)
    answer = Answer("accept", seconds=output.seconds)
    answer.outcome, answer.reason = _outcome(parser, output)
    answer.stderr = excerpt(output.stderr) if answer.outcome == "crash" else tail(output.stderr)
    if answer.outcome == "reject":
        answer.reason = answer.stderr
    if answer.outcome in ("accept", "reject"):
        try:
            answer.records = decode_lines(output.stdout, most.values)
        except NotJson as error:
            answer.outcome, answer.reason = "crash", f"protocol: {error}"
    return answer


def _outcome(parser, output):
    if output.over:
        return output.over
    report = sanitizer_report(output.stderr)
    if report:
        return "crash", report
    if output.status == 0:
        return "accept", ""
    # Many runtimes end with the status of a rejection after an uncaught exception.
    if output.status in parser.reject_codes() and not crash_reports.uncaught(output.stderr, output.status):
        return "reject", ""
    return "crash", crash_text(output.status, output.stderr)
