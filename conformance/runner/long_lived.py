# SPDX-License-Identifier: Apache-2.0
"""Long-lived mode: a process that answers requests in order, in JSON Lines. Several requests are sent ahead, so that the
parser never waits for the runner."""
import collections
import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time

from . import answer_limits, crash_reports
from .crash_reports import EXCERPT, excerpt, sanitizer_report, tail
from .failure import INPUT, Failure
from .jsonlines import VALUES_MAX, NotJson, decode
from .limits import SAMPLE, STDERR_MAX, Watch
from .one_shot import crash_text, died_of_signal
from .parser_under_test import START, STOP, Answer, CannotStart, run_request

AHEAD = 32         # requests
AHEAD_BYTES = 4000  # fits into the pipe of every system, so that writing never blocks
STOP_SECONDS = 2.0
TWICE = "protocol: answered twice"
# Ends the reason of a death that no single vector reproduces; it is given to the first vector in question.
NOT_ALONE = " (not repeated when run alone: it may need the vectors before it)"
TOO_LONG = "protocol: a line of more than "
CHUNKS = 64  # of 64 KiB, that are read ahead


class Died(Exception):
    """The process died or must be killed; `outcome` and `reason` as in Answer."""

    def __init__(self, outcome, reason):
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


class StderrFile:
    """The file that takes standard error. What it holds when an answer comes was written before that answer; a pipe would
    not show this. It is opened twice, so that reading does not move the offset at which the process writes."""

    def __init__(self):
        self.writer, self._path = tempfile.mkstemp(prefix="etlproof-")
        self._reader = open(self._path, "rb", buffering=0)
        self._seen = 0
        self._kept = sys.platform == "win32"  # where an open file cannot be removed
        if not self._kept:
            os.unlink(self._path)

    def new(self):
        """The bytes written since the last vector was done."""
        if self.new_size() <= 0:
            return b""
        self._reader.seek(self._seen)
        return self._reader.read(STDERR_MAX)

    def new_size(self):
        """How many bytes new() would return."""
        return os.fstat(self._reader.fileno()).st_size - self._seen

    def done_with(self, written):
        """Marks the bytes that new() returned as read. Later bytes, and a line without its end, belong to the next vector,
        which the process may have begun; of an endless line, only the last EXCERPT bytes are kept for it."""
        self._seen += max(written.rfind(b"\n") + 1, len(written) - EXCERPT)

    def close(self):
        os.close(self.writer)
        self._reader.close()
        if self._kept:
            with contextlib.suppress(OSError):  # a process that it started may still have the file open
                os.unlink(self._path)


class Process:
    """A started adapter."""

    def __init__(self, parser, limits, children):
        self._children, self._limits = children, limits
        self.stderr = StderrFile()
        try:
            self.child = children.start(parser.command, subprocess.PIPE, subprocess.PIPE, self.stderr.writer)
        except (OSError, ValueError) as error:
            self.stderr.close()
            raise CannotStart(parser.command, error) from error
        self.watch = Watch(self.child, limits.to_start())
        self.has_answered = False  # a vector
        self._looked = time.monotonic()
        self._killed = False
        self._chunks = queue.Queue(CHUNKS)
        self.most = answer_limits.WIDEST  # of the line that is read
        self._lines = collections.deque()
        self._rest, self._rest_size = [], 0
        # Only a thread can wait for a pipe on every system. It ends with the pipe. It has a descriptor of its own, because
        # the number of the first may be reused for another file.
        pipe = os.dup(self.child.stdout.fileno())
        threading.Thread(target=self._pump, args=(pipe,), daemon=True).start()

    def send(self, line):
        try:
            self.child.stdin.write(line.encode() + b"\n")
            self.child.stdin.flush()
        except (OSError, ValueError):
            pass  # it has died; the next read reports it

    def read_line(self):
        """The next line; raises Died on the end, a limit, or too much output."""
        looked = time.monotonic()
        while not self._lines:
            with contextlib.suppress(queue.Empty):
                self._add(self._chunks.get(timeout=SAMPLE))
            # Check the limits of a process that prints without a pause too.
            if not self._lines and time.monotonic() - looked >= SAMPLE:
                self._look()
                looked = time.monotonic()
        # Check the memory of a process that answers without a pause too.
        if time.monotonic() - self._looked >= SAMPLE:
            self._refuse(self.watch.over_memory() or self._over_stderr())
        line = self._lines.popleft()
        self._check_length(len(line))
        return line

    def _refuse(self, over):
        self._looked = time.monotonic()
        if over:
            raise Died(*over)

    def _look(self):
        self.child.wait(0)  # reap it: a process that it left behind would keep the pipe open
        self._refuse(self.watch.over() or self._over_stderr())

    def _over_stderr(self):
        """As Watch.over: whether the process has printed too much on standard error."""
        if self.stderr.new_size() > STDERR_MAX:
            return "crash", f"protocol: printed more than {STDERR_MAX >> 20} MiB on standard error"
        return None

    def _add(self, chunk):
        if not chunk:
            raise Died("crash", self._end_text())
        first, *others = chunk.split(b"\n")
        self._rest.append(first)
        self._rest_size += len(first)
        if others:
            self._lines.append(b"".join(self._rest))
            self._lines.extend(others[:-1])
            self._rest, self._rest_size = [others[-1]], len(others[-1])
        if not self._lines:
            self._check_length(self._rest_size)

    def _check_length(self, size):
        if size > self.most.bytes:
            raise Died("crash", f"{TOO_LONG}{self.most.bytes >> 20} MiB")

    def _pump(self, pipe):
        """Reads the pipe until it ends, no faster than the answers are taken."""
        chunk = b" "
        while chunk and not self._killed:
            try:
                chunk = os.read(pipe, 1 << 16)
            except OSError:
                chunk = b""
            self._put(chunk)
        os.close(pipe)

    def _put(self, chunk):
        while not self._killed:
            with contextlib.suppress(queue.Full):
                self._chunks.put(chunk, timeout=STOP_SECONDS)
                return

    def _end_text(self):
        if not self.child.wait(STOP_SECONDS):
            return "closed its standard output"
        stderr = self.stderr.new()
        return sanitizer_report(stderr) or f"ended: {crash_text(self.child.status, stderr)}"

    def done_with_vector(self, written):
        self.stderr.done_with(written)
        self.has_answered = True
        self.watch.restart()

    def start(self):
        """The description that the adapter answers to `start`."""
        self.send(START)
        line = self.read_line()
        try:
            answer = decode(line.decode("utf-8-sig"))
        except (NotJson, UnicodeDecodeError) as error:
            raise Died("crash", f"protocol: the answer to start is not JSON: {error}") from error
        if not isinstance(answer, dict) or answer.get("ready") is not True:
            raise Died("crash", "protocol: the answer to start has no \"ready\":true")
        self.stderr.done_with(self.stderr.new())
        self.watch = Watch(self.child, self._limits)
        return answer

    def stop(self):
        """Asks the process to end. Returns what went wrong, such as a sanitizer's report of leaks or an uncaught exception;
        else None. Any other exit status and the time do not matter, because all vectors have been answered."""
        self.send(STOP)
        try:
            self.child.stdin.close()
        except OSError:
            pass
        ended = self.child.wait(STOP_SECONDS)
        stderr = self.stderr.new()
        wrong = sanitizer_report(stderr)
        if ended and not wrong and (died_of_signal(self.child.status)
                                    or crash_reports.uncaught(stderr, self.child.status)):
            wrong = crash_text(self.child.status, stderr)
        if ended:
            self._read_rest()
        self.kill()
        return wrong

    def _read_rest(self):
        with contextlib.suppress(Died, queue.Empty):
            while True:
                self._add(self._chunks.get(timeout=SAMPLE))

    def left(self):
        """The lines that were printed and not read; after stop(), all of them."""
        return list(self._lines)

    def kill(self):
        self.child.kill()
        self._killed = True
        self._children.discard(self.child)
        self.stderr.close()


def ask_description(parser, limits, children):
    process = Process(parser, limits, children)
    try:
        description = process.start()
    except Died as died:
        stderr = tail(process.stderr.new())[-300:].strip()
        process.kill()
        why = f"{died.reason}: {stderr}" if stderr else died.reason
        raise Failure(INPUT, f"{parser.command[0]}: no answer to {START}: {why}") from died
    process.stop()
    if parser.description is None:
        parser.describe(description, f"the answer to start of {parser.command[0]}")


class Worker:
    """Runs vectors in one process, and in a new one after each death. `take` gives the next vector or None, `give`
    takes its answer."""

    def __init__(self, parser, limits, children, take, give):
        self.parser, self.limits, self.children = parser, limits, children
        self.take, self.give = take, give
        self.process = None
        self.start_failure = None
        self.waiting = collections.deque()  # vectors that were sent and are not answered
        self.last = None  # the vector that was answered last
        self.unsent = None
        self.bytes_ahead = 0

    def run(self):
        try:
            while self._send_ahead():
                self._read_next_answer()
            self._stop()
        finally:
            self._end()

    def _stop(self):
        """Stops the process. A death at the end must be reported: it replaces the last answer."""
        process, self.process = self.process, None
        wrong = process.stop() if process else None
        if wrong and self.last:
            self.give(self.last, Answer("crash", f"told to stop, after all vectors: {wrong}"))
        elif process and self.last and any(_answers(line, self.last) for line in process.left()):
            self.give(self.last, Answer("crash", TWICE))

    def _send_ahead(self):
        """Sends requests as far ahead as allowed. False if all are answered and there are no more."""
        while len(self.waiting) < AHEAD:
            vector = self.unsent or self.take()
            self.unsent = None
            if vector is None:
                break
            request = run_request(vector)
            if self.waiting and self.bytes_ahead + len(request) > AHEAD_BYTES:
                self.unsent = vector
                break
            self._send(vector, request)
        return bool(self.waiting)

    def _send(self, vector, request):
        if not self.waiting and self.process:
            self.process.watch.restart()
        self.waiting.append(vector)
        self.bytes_ahead += len(request)
        try:
            self._started().send(request)
        except Died:
            pass  # it does not start; the read raises again, for this vector

    def _started(self):
        if self.process is None:
            self.process = Process(self.parser, self.limits, self.children)
            try:
                self.process.start()
            except Died as died:
                self.start_failure = Died(died.outcome, f"does not start again: {died.reason}")
                self._end()
                raise self.start_failure from None
        return self.process

    def _read_next_answer(self):
        """Reads the answer to the oldest request. If the process dies instead, runs all unanswered vectors one by one; a
        single one too if it crashed after another: its last words may have been read with the answer to that one."""
        try:
            answer = self._read_answer(self.waiting[0])
        except Died as died:
            failed = self._failed(died)
            suspects = list(self.waiting)
            is_clear = died.outcome != "crash" or not (self.process and self.process.has_answered)
            self.waiting.clear()
            self.bytes_ahead = 0
            self._end()
            if len(suspects) == 1 and is_clear:
                self.give(suspects[0], failed)
            else:
                self._one_by_one(suspects, failed)
            return
        vector = self.waiting.popleft()
        self.bytes_ahead -= len(run_request(vector))
        self.give(vector, answer)

    def _failed(self, died):
        answer = Answer(died.outcome, died.reason)
        if self.process:
            answer.stderr = excerpt(self.process.stderr.new())
            answer.seconds = self.process.watch.seconds()
        return answer

    def _one_by_one(self, suspects, failed):
        """Finds the vector that killed the process, by running each alone. If none does it alone, the death counts for the
        first one that was not answered, because it must be reported."""
        answers = [self._alone(vector) for vector in suspects]
        if all(answer.outcome in ("accept", "reject", "skip") for answer in answers):
            failed.reason += NOT_ALONE
            answers[0] = failed
        for vector, answer in zip(suspects, answers):
            self.give(vector, answer)

    def _alone(self, vector):
        try:
            process = self._started()
            process.watch.restart()
            process.send(run_request(vector))
            return self._read_answer(vector)
        except Died as died:
            failed = self._failed(died)
            self._end()
            return failed

    def _read_answer(self, vector):
        process = self.process
        if process is None:
            raise self.start_failure
        process.most = answer_limits.of_vector(vector)
        while True:
            line = process.read_line()
            seconds = process.watch.seconds()
            written = process.stderr.new()
            report = sanitizer_report(written) if written else None
            if report:
                raise Died("crash", report)
            message = _decode(line, process.most.values)
            if not self._is_second(message, vector):
                break
            self.give(self.last, Answer("crash", TWICE))
        answer = _to_answer(line, message, vector)
        answer.seconds, answer.stderr = seconds, tail(written)
        process.done_with_vector(written)
        self.last = vector
        return answer

    def _is_second(self, message, vector):
        """Whether the message is a second answer to the previous vector, which is then at fault, not this one."""
        return self.last is not None and self.last["id"] != vector["id"] and _id_of(message) == self.last["id"]

    def _end(self):
        if self.process:
            self.process.kill()
            self.process = None


def _decode(line, values=VALUES_MAX):
    try:
        return decode(line.decode("utf-8"), values)
    except (NotJson, UnicodeDecodeError) as error:
        raise Died("crash", f"protocol: the answer is not JSON: {error}: {line[:60]!r}") from error


def _id_of(message):
    return message.get("id") if isinstance(message, dict) else None


def _answers(line, vector):
    """Whether an unread line is an answer to the vector. Any other line at the end is ignored."""
    try:
        return _id_of(_decode(line)) == vector["id"]
    except Died:
        return False


def _to_answer(line, message, vector):
    if _id_of(message) != vector["id"]:
        raise Died("crash", f"protocol: an answer with \"id\":\"{vector['id']}\" expected, found {line[:60]!r}")
    for name in ("error", "skip", "reason"):
        text = message.get(name)
        if text is not None and not (isinstance(text, str) and text):
            return Answer("crash", f"protocol: \"{name}\" is a text, found {text!r}"[:200])
    if message.get("error") is not None:
        return Answer("crash", f"the adapter failed: {message['error']}")
    if message.get("skip") is not None:
        return Answer("skip", message["skip"])
    records = message.get("records", [])
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        return Answer("crash", "protocol: \"records\" is not a list of objects")
    if message.get("verdict") not in ("accept", "reject"):
        return Answer("crash", f"protocol: \"verdict\" accept or reject expected, found {message.get('verdict')!r}")
    return Answer(message["verdict"], message.get("reason") or "", records)
