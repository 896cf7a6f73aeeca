# SPDX-License-Identifier: Apache-2.0
"""Runs the vectors on mutants, several mutants at the same time."""
import collections
import dataclasses
import itertools
import multiprocessing
import os
import re
import signal
import sys
import time

from runner.failure import Failure
from . import layout_operators, operators, table_operators
from .toolchain import Workshop, read, read_bytes
from .trial import Host, Order
from .worlds import RULES, TRACES, WORLDS, world_of


_NEAR = 30  # lines between two mutants of a pair


def all_mutants(tree):
    """Every mutant of the decode path of a tree."""
    mutants = []
    members = table_operators.members_of(read(os.path.join(tree, TRACES.tables, "structures.def")))
    windows = read(os.path.join(tree, TRACES.tables, "windows.def"))
    for world in WORLDS:
        texts = _texts(tree, world.sources, (".c", ".h"))
        mutants += table_operators.rule_mutants(world, texts, RULES, read(os.path.join(tree, RULES)))
        for name in sorted(texts.keys() - world.left_out):
            mutants += operators.mutants_of(os.path.join(world.sources, name), texts[name], members)
        mutants += _table_mutants(world, _texts(tree, world.tables, (".def",)), texts, windows)
    unique = collections.Counter(mutant.key for mutant in mutants)
    assert all(count == 1 for count in unique.values()), [key for key, count in unique.items() if count > 1]
    return mutants


def pairs_of(tree, mutants):
    """Two mutants of a file at once, for all pairs that do not overlap and stand near each other."""
    pairs = []
    for path in dict.fromkeys(mutant.file for mutant in mutants):
        text = read(os.path.join(tree, path))
        ones = sorted((one for one in mutants if one.file == path), key=lambda one: (one.start, one.end))
        pairs += [pair_of(text, one, other) for one, other in itertools.combinations(ones, 2)
                  if one.end <= other.start and other.line - one.line <= _NEAR]
    return pairs


def pair_of(text, one, other):
    """Both changes as one mutant."""
    return dataclasses.replace(
        one, kind="pair", end=other.end, old=text[one.start:other.end],
        new=one.new + text[one.end:other.start] + other.new,
        both=f"{one.change}; line +{other.line - one.line}, {other.change}")


def _texts(tree, folder, endings):
    return {name: read(os.path.join(tree, folder, name)) for name in sorted(os.listdir(os.path.join(tree, folder)))
            if name.endswith(endings)}


def _table_mutants(world, texts, sources, windows):
    mutants = []
    facts = layout_operators.Facts({**texts, "windows.def": windows}) if world.memory else None
    code = "\n".join([*(sources[name] for name in sources.keys() - world.left_out), texts.get("layouts.def", "")])
    for name in sorted(texts.keys() - world.left_out):
        path = os.path.join(world.tables, name)
        if world.memory:
            mutants += layout_operators.mutants_of(name, path, texts[name], facts)
        else:
            mutants += table_operators.mutants_of(name, path, texts[name], lambda word: re.search(word, code))
    return mutants


class Trial:
    """Everything that is needed to try a mutant. The plain host runs first; survivors then run under the sanitizers."""

    def __init__(self, tree, folder, toolchains, suite, seconds):
        self.tree, self.folder = tree, folder
        self.plain, self.sanitized = toolchains
        self.users = self.plain.users()
        self.words = {source: self._words(source) for source in self.plain.objects}
        self.suite, self.seconds = suite, seconds
        self.orders = {world: Order([vector for vector in suite.vectors if world.tells(vector)]) for world in WORLDS}
        self.workshop = None

    def _words(self, source):
        """All words of a source, of the headers beside it, and of the tables it includes."""
        texts = [read(os.path.join(self.tree, source))]
        texts += [read(os.path.join(self.tree, path)) for path, users in self.users.items()
                  if source in users and os.path.dirname(path) == os.path.dirname(source) and path.endswith(".h")]
        texts += [read(os.path.join(self.tree, TRACES.tables, name))
                  for name in re.findall(r'"format/([\w/]+\.def)"', texts[0])]
        return set(re.findall(r"\w+", "\n".join(texts)))

    def begin(self):
        """Runs in each worker after the fork."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A killed worker must kill its host too, which may hang.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        folder = os.path.join(self.folder, f"worker-{os.getpid()}")
        os.mkdir(folder)
        self.workshop = Workshop(self.tree, folder)

    def run(self, mutant):
        started = time.monotonic()
        outcome, vector, why = self._try(mutant)
        if vector:
            self.orders[world_of(mutant.file)].told(mutant.file, vector)
        return {"rec": "mutant", "key": mutant.key, "kind": mutant.kind, "where": mutant.where, "change": mutant.change,
                "rule": mutant.rule, "line_text": mutant.line_text, "new_line": mutant.new_line, "outcome": outcome,
                "by": vector, "by_hash": self.suite.hash_of(vector), "how": why,
                "seconds": round(time.monotonic() - started, 3)}

    def _try(self, mutant):
        world = world_of(mutant.file)
        sources = [source for source in self.users.get(mutant.file, [])
                   if world.has(source) and (mutant.word is None or mutant.word in self.words[source])]
        objects = self.workshop.objects(self.plain, mutant, sources)
        if objects is None:
            return "invalid", None, None
        changed = {source for source in objects if objects[source] != self.plain.objects[source]}
        if not changed:
            return "equivalent", None, None
        program = self._link(self.plain, {source: objects[source] for source in changed}, mutant)
        if read_bytes(program) == self.plain.program:
            return "unused", None, None
        vector, why = self._first_failure(program, self.plain, mutant)
        if not why:
            objects = self.workshop.objects(self.sanitized, mutant, sorted(changed))
            vector, why = self._first_failure(self._link(self.sanitized, objects, mutant), self.sanitized, mutant)
        return ("killed" if why else "survived"), vector and vector["id"], why

    def _link(self, toolchain, objects, mutant):
        program = None if objects is None else toolchain.link_host(self.workshop.folder, objects)
        if program is None:
            raise RuntimeError(f"{mutant.where}: {mutant.change}: does not build with {' '.join(toolchain.command)}")
        return program

    def _first_failure(self, program, toolchain, mutant):
        host = Host(program, not toolchain.sanitize, self.seconds)
        try:
            return self.suite.first_failure(host, self.orders[world_of(mutant.file)].of(mutant.file))
        finally:
            host.end()


_trial = _ended = None  # of a worker


def _begin(trial, ended):
    global _trial, _ended
    _trial, _ended = trial, ended
    trial.begin()


def _run(mutant):
    """The result, or a description of what went wrong; None if an earlier mutant went wrong."""
    if _ended.is_set():
        return None
    try:
        return _trial.run(mutant)
    except (Failure, OSError) as error:
        _ended.set()
        return error


def run_all(trial, mutants, jobs):
    """Yields the results as they come."""
    context = multiprocessing.get_context("fork")
    ended, errors = context.Event(), []
    with context.Pool(jobs, _begin, (trial, ended)) as pool:
        for result in pool.imap_unordered(_run, mutants):
            if isinstance(result, Exception):
                errors.append(result)
            elif result is not None:
                yield result
        # Idle workers exit without help; terminating a worker that is about to exit can hang.
        pool.close()
        pool.join()
    if errors:
        raise errors[0]
