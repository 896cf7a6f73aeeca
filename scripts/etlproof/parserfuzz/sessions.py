# SPDX-License-Identifier: Apache-2.0
"""Sessions with the reference and the parser: several mutants at a time; long-lived processes run across batches."""
import concurrent.futures
import hashlib
import os
import signal
import tempfile

from runner import crash_reports, long_lived, one_shot
from runner.failure import INTERNAL, Failure, read_bytes, shown
from runner.parser_under_test import Answer

# Exit statuses of a shell whose program was killed by a signal.
_SHELL = {128 + number: number for number in (signal.SIGILL, signal.SIGABRT, signal.SIGFPE, signal.SIGSEGV)}

# The size of a file from which the reference may need all of its time and memory.
LARGE = 16 << 20
_TOO_LARGE = Answer("skip", "too large to compare: the reference decode reached a limit")


class ReferenceFailed(Failure):
    """The reference crashed or hung, which is the worst finding. `vector` is the mutant."""

    def __init__(self, vector, answer):
        super().__init__(INTERNAL, f"{vector['path']}: the reference decoder failed ({answer.outcome}: {answer.reason}); "
                                   "that is an error of etlproof, not of the parser")
        self.vector, self.answer = vector, answer


class Staying(long_lived.Worker):
    """A long-lived process that speaks JSON Lines."""

    def __init__(self, parser, limits, children):
        super().__init__(parser, limits, children, self._next, self._keep)
        self._left, self._answers = iter(()), {}

    def _next(self):
        return next(self._left, None)

    def _keep(self, vector, answer):
        self._answers[vector["id"]] = answer

    def ask(self, vectors):
        self._left, self._answers = iter(vectors), {}
        if self.process:
            self.process.watch.restart()
        while self._send_ahead():
            self._read_next_answer()
        return self._answers

    def forget(self):
        """Makes the next mutant run in a new process."""
        self._end()

    def close(self):
        """(vector, Answer) if the process fails when it is stopped, attributed to the last vector that it answered; else
        None."""
        self._answers = {}
        self._stop()
        return next(((self.last, answer) for answer in self._answers.values()), None)


class Starting:
    """One process for each mutant."""

    def __init__(self, parser, limits, children):
        self.parser, self.limits, self.children = parser, limits, children

    def ask(self, vectors):
        return {vector["id"]: self._one(vector) for vector in vectors}

    def _one(self, vector):
        return one_shot.run_vector(self.parser, vector, self.limits, self.children)

    def forget(self):
        pass

    close = forget


class Plain(Starting):
    """A command that prints no records: only its exit counts."""

    def _one(self, vector):
        output = one_shot.run_process(self.parser.for_file(vector["path"]), self.limits, self.children)
        outcome, reason = _end_of(output)
        return Answer(outcome, reason, seconds=output.seconds, stderr=crash_reports.excerpt(output.stderr))


def _end_of(output):
    if output.over:
        return output.over
    report = crash_reports.sanitizer_report(output.stderr)
    if report:
        return "crash", report
    status = -_SHELL[output.status] if output.status in _SHELL else output.status
    if one_shot.died_of_signal(status) or crash_reports.uncaught(output.stderr, status):
        return "crash", one_shot.crash_text(status, output.stderr)
    return "accept", ""


def asker_of(parser, limits, children):
    if parser.description is None:
        return Plain(parser, limits, children)
    return (Staying if parser.mode == "long-lived" else Starting)(parser, limits, children)


def _is_too_large(vector, answer):
    """Whether the reference reached a limit only because of the size of the file."""
    is_slow = answer.outcome in ("hang", "oom") and len(vector["image"]) > LARGE
    return is_slow or answer.reason.startswith(long_lived.TOO_LONG)


class Links:
    """Links to files whose path is not UTF-8, which JSON cannot express."""

    def __init__(self):
        self._folder = None

    def sayable(self, path):
        if shown(path) == path:
            return path
        self._folder = self._folder or tempfile.TemporaryDirectory()
        link = os.path.join(self._folder.name, hashlib.sha256(os.fsencode(path)).hexdigest())
        if not os.path.lexists(link):
            os.symlink(path, link)
        return link

    def close(self):
        if self._folder:
            self._folder.cleanup()


class Pair:
    """The reference and the parser, run one after the other by one thread."""

    def __init__(self, reference, parser, oracle, reference_limits, limits, children):
        self.reference = Staying(reference, reference_limits, children)
        self.parser = asker_of(parser, limits, children)
        self.oracle = oracle
        self.links = Links()

    def results(self, mutants):
        """The result of each (name, path), in order."""
        asked = [{"id": shown(name), "path": self.links.sayable(path), "image": read_bytes(path)} for name, path in mutants]
        reference = self.reference.ask(asked)
        vectors = [self._vector(vector, reference[vector["id"]]) for vector in asked]
        # A parser that prints no records is not compared in either case.
        is_plain = self.parser.parser.description is None
        answers = self.parser.ask([vector for vector in vectors if is_plain or not vector["is_too_large"]])
        return [(vector, self.oracle.result(vector, answers.get(vector["id"], _TOO_LARGE))) for vector in vectors]

    def _vector(self, asked, answer):
        if _is_too_large(asked, answer):
            return self.oracle.too_large(asked)
        if answer.outcome not in ("accept", "reject"):
            raise ReferenceFailed(asked, answer)
        return self.oracle.vector(asked, answer)

    def result_alone(self, name, path):
        """The result of a fresh process."""
        self.parser.forget()
        return self.results([(name, path)])[0]

    def stop(self):
        """Stops both. Returns [(vector, result)] of a failure of the parser at exit: one at most."""
        failed = self.reference.close()
        if failed:
            raise ReferenceFailed(*failed)
        ended = self.parser.close()
        return [(vector, self.oracle.result(vector, answer)) for vector, answer in filter(None, [ended])]

    def close(self):
        self.reference.close()
        self.parser.close()
        self.links.close()


class Crew:
    """The pairs that run in parallel."""

    def __init__(self, make_pair, jobs):
        self.pairs = [make_pair() for _ in range(jobs)]
        self._threads = concurrent.futures.ThreadPoolExecutor(jobs)

    def results(self, mutants):
        """The results in the order of the mutants, whichever pair finishes first."""
        count = len(self.pairs)
        parts = [self._threads.submit(pair.results, mutants[number::count]) for number, pair in enumerate(self.pairs)]
        found = [part.result() for part in parts]
        return [found[number % count][number // count] for number in range(len(mutants))]

    def close(self):
        self._threads.shutdown(wait=True)
        for pair in self.pairs:
            pair.close()
