# SPDX-License-Identifier: Apache-2.0
"""Runs the vectors on a host program until one fails."""
import collections
import hashlib
import os
import resource
import select
import signal
import subprocess
import time

from runner import policy
from runner.failure import INPUT, Failure
from runner.jsonlines import NotJson, decode
from runner.parser_under_test import START, Answer, Parser, run_request
from runner.verdict import Judge
from .results import hash_of

_BATCH = 64  # requests that fit into a pipe on every system
_MEMORY = 1 << 30


class Host:
    """A running host. `limited` if its address space can be limited, which is impossible under a sanitizer."""

    def __init__(self, program, limited, seconds):
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:hard_rss_limit_mb=1024")
        self._child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       bufsize=0, env=environment, preexec_fn=_limit if limited else _no_core)
        self._seconds = seconds
        self._rest = b""
        self._lines = collections.deque()

    def ask(self, lines):
        """Sends all lines; False if the host has exited."""
        try:
            self._child.stdin.write("".join(line + "\n" for line in lines).encode())
        except OSError:
            return False
        return True

    def answer(self):
        """(line, None), or (None, "crash" or "hang")."""
        deadline = time.monotonic() + self._seconds
        while not self._lines:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._child.stdout], [], [], left)[0]:
                return None, "hang"
            data = os.read(self._child.stdout.fileno(), 1 << 16)
            if not data:
                return None, "crash"
            *whole, self._rest = (self._rest + data).split(b"\n")
            self._lines.extend(whole)
        return self._lines.popleft(), None

    def end(self):
        self._child.kill()
        self._child.wait()
        self._child.stdin.close()
        self._child.stdout.close()


def _no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _limit():
    _no_core()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


class Suite:
    """The vectors, and the runner's comparison. Answers of the unchanged host are kept: only different answers are
    compared."""

    def __init__(self, goldens, policy_path):
        self.vectors = [vector for golden in goldens for vector in golden.vectors]
        self._goldens, self._policy_path = goldens, policy_path
        self._hashes = {vector["id"]: hash_of(vector) for vector in self.vectors}
        self._right = {}
        self._requests = {vector["id"]: run_request(vector) for vector in self.vectors}
        self._judge = None

    def learn(self, host):
        """Takes the description and the expected answers from an unchanged host; returns the vectors that it fails."""
        host.ask([START])
        line, why = host.answer()
        if line is None:
            raise Failure(INPUT, f"the host does not start: {why}")
        parser = Parser(["etlproof-host"], "long-lived", decode(line.decode("utf-8")))
        rules = policy.load(self._policy_path, [], {flag for golden in self._goldens for flag in golden.flags})
        fields = {record: set().union(*(golden.fields.get(record, ()) for golden in self._goldens))
                  for golden in self._goldens for record in golden.fields}
        self._judge = Judge(parser, fields, rules, "should")
        return [(vector, why) for vector, why in self._put(host, self.vectors, self._learn) if why]

    def hash_of(self, identifier):
        """The hash of a vector and its expectation; None if there is no such vector."""
        return self._hashes.get(identifier)

    def leave_out(self, vectors):
        gone = {vector["id"] for vector in vectors}
        self.vectors = [vector for vector in self.vectors if vector["id"] not in gone]

    def first_failure(self, host, order):
        """(vector, why) of the first vector in this order that fails; (None, None) if all pass."""
        return next(((vector, why) for vector, why in self._put(host, order, self._differs) if why), (None, None))

    def _put(self, host, vectors, judge):
        size, at = 1, 0
        while at < len(vectors):
            batch = vectors[at:at + size]
            host.ask([self._requests[vector["id"]] for vector in batch])
            for vector in batch:
                line, why = host.answer()
                yield vector, why if line is None else judge(vector, line)
            at, size = at + size, min(_BATCH, size * 4)

    def _learn(self, vector, line):
        why = self._verdict(vector, line)
        self._right[vector["id"]] = hashlib.sha256(line).digest()
        return why

    def _differs(self, vector, line):
        if hashlib.sha256(line).digest() == self._right[vector["id"]]:
            return None
        return self._verdict(vector, line)

    def _verdict(self, vector, line):
        """Why an answer is wrong; None if it is right."""
        try:
            message = decode(line.decode("utf-8"))
        except (NotJson, UnicodeDecodeError):
            return "crash"
        if not isinstance(message, dict) or message.get("id") != vector["id"] or "records" not in message:
            return "crash"
        result = self._judge.result(vector, Answer(message["verdict"], records=message["records"]))
        return None if result["verdict"] == "pass" else result["verdict"]


class Order:
    """The order in which vectors are tried: first those that recently killed a mutant of the same file, then those of other
    files."""

    _KEPT = 40

    def __init__(self, vectors):
        self._vectors = vectors
        self._by_id = {vector["id"]: vector for vector in vectors}
        self._lately = collections.defaultdict(dict)  # ids by file, the latest last
        self._all = {}

    def told(self, file, identifier):
        if identifier in self._by_id:
            for ids in (self._lately[file], self._all):
                ids.pop(identifier, None)
                ids[identifier] = None

    def of(self, file):
        ids = list(self._lately[file])[:-self._KEPT - 1:-1]
        ids = list(dict.fromkeys(ids + list(self._all)[:-self._KEPT - 1:-1]))
        first = set(ids)
        return [self._by_id[name] for name in ids] + [vector for vector in self._vectors if vector["id"] not in first]
