# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz-parser from the command line to the exit code."""
import hashlib
import os
import re
import shutil
import sys

from etlproof import ROOT, minimiser
from etlproof.campaign import builds, lock
from runner import command, long_lived, one_shot, parser_under_test, policy
from runner.failure import FAILED, INPUT, INTERRUPTED, PASSED, Failure, read_bytes
from runner.limits import Children, Limits, Stopped
from runner.vectors import GOLDEN, Golden
from runner.verdict import difference_text
from . import afl, findings, mutant_batches, parser_options, parser_run, reference_build, sessions
from .oracle import Oracle

NAME = "scripts/fuzz-parser"
REFERENCE, MUTATE = os.path.join("bin", "etlproof-host"), os.path.join("bin", "etlproof-mutate")
LIBRARY = os.path.join("lib", "libetlproof-mutator-afl.so")
MINIMISER = os.path.join("harness", "etlproof-minimiser")
SEEDS = os.path.join("corpus", "seeds", "fuzz_file")
TARGETS = {REFERENCE: "etlproof_host", MUTATE: "etlproof_mutate", LIBRARY: "etlproof_mutator_afl", SEEDS: "etlproof_seeds",
           MINIMISER: "etlproof_minimiser"}
REFERENCE_SECONDS, REFERENCE_MEMORY = 120.0, 4 << 30
MINUTES = 10
PLAIN_HINT = "; scripts/fuzz-parser --plain runs any command, and checks crashes, hangs and memory only"


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(parser_options.parse(arguments)))


def _print(text):
    sys.stdout.reconfigure(errors="backslashreplace")
    print(text, flush=True)


def _main(chosen):
    if chosen.list and (chosen.state or chosen.name):
        return _list(_state(chosen, chosen.name))
    job = Job(chosen)
    if chosen.list:
        return _list(_state(chosen, job.name))
    return job.check() if chosen.check else job.fuzz()


def _list(folder):
    found = findings.load_all(folder)
    _print(findings.listing(found) if found else "nothing found")
    return FAILED if found else PASSED


def _state(chosen, name):
    return os.path.abspath(chosen.state or os.path.join(ROOT, "build", "fuzz-parser", name))


def plain_name(command):
    """A name for a command that reports none. One interpreter may run many parsers, whose findings must not overwrite one
    another: a hash distinguishes them, independent of how the path of a file is typed."""
    words = [os.path.abspath(word) if os.path.exists(word) else word for word in command]
    told_apart = hashlib.sha256(os.fsencode("\0".join(words))).hexdigest()[:8]
    return f"{os.path.basename(command[0])}-{told_apart}"


class Job:
    """The requested run, ready to start."""

    def __init__(self, chosen):
        self.options = chosen
        self.children = Children()
        self.limits = Limits(chosen.timeout, chosen.cpu, chosen.memory << 20)
        self.afl_command = None
        if chosen.engine == "afl":
            self.afl_command = afl.check(chosen.command, self._built(LIBRARY))
        self.parser = self._parser()
        self.name = re.sub(r"[^\w.+-]+", "-", chosen.name or self._own_name()).strip(".-") or "parser"
        self.reference = parser_under_test.Parser([self._built(REFERENCE)], "long-lived")
        long_lived.ask_description(self.reference, self.limits, self.children)

    def _parser(self):
        if self.options.adapter:
            parser = parser_under_test.from_options(self.options)
        else:
            parser = parser_under_test.Parser(self.options.command, self.options.mode or "one-shot")
        if self.options.plain:
            return parser
        if parser.description is None:
            self._ask_description(parser)
        return parser

    def _ask_description(self, parser):
        way = one_shot if parser.mode == "one-shot" else long_lived
        try:
            way.ask_description(parser, self.limits, self.children)
        except parser_under_test.CannotStart:
            raise
        except Failure as failure:
            raise Failure(failure.code, f"{failure}{PLAIN_HINT}") from failure

    def _own_name(self):
        if self.parser.description:
            return self.parser.description["name"]
        return plain_name(self.parser.command)

    def _built(self, what):
        """The path of a part of etlproof, built from the current sources."""
        path = os.path.abspath(os.path.join(self.options.build, what))
        path += builds.EXECUTABLE if what in (REFERENCE, MUTATE, MINIMISER) else ""
        if not self.options.no_build and self._is_ours():
            log = os.path.join(ROOT, "build", "fuzz-parser.log")
            reference_build.bring_up(os.path.basename(os.path.abspath(self.options.build)), [TARGETS[what]], log)
        return reference_build.built(path, TARGETS[what])

    def _minimiser(self):
        """The path of the minimiser; without it, findings are not minimised."""
        try:
            return self._built(MINIMISER)
        except Failure:
            return ""

    def _is_ours(self):
        """Whether the build folder belongs to the tree; it may not exist yet."""
        place = os.path.dirname(os.path.abspath(self.options.build))
        return os.path.realpath(place) == os.path.realpath(os.path.join(ROOT, "build"))

    def _make_oracle(self):
        golden = Golden(GOLDEN)
        self.golden = golden
        self.policy = policy.load(self.options.policy or self.parser.policy, (), golden.flags)
        if self.parser.description:
            for field in parser_under_test.unknown_fields(self.parser.description, golden.fields):
                command.complain(NAME, f"note: the description declares {field}, which no vector has")
        self.oracle = Oracle(self.parser, golden, self.policy, self.options.level == "should")

    def _pair(self):
        return sessions.Pair(self.reference, self.parser, self.oracle, Limits(REFERENCE_SECONDS, REFERENCE_SECONDS,
                             REFERENCE_MEMORY), self.limits, self.children)

    def ready_pair(self):
        """A pair of reference and parser for single files."""
        self._make_oracle()
        return self._pair()

    def check(self):
        """Prints what is wrong with the parser's answers to single files."""
        pair = self.ready_pair()
        for path in self.options.check:
            if os.path.exists(path) and not os.path.isfile(path):
                raise Failure(INPUT, f"{path}: " + ("is a folder" if os.path.isdir(path) else "not an ordinary file"))
            read_bytes(path)
        failed = False
        try:
            for path in self.options.check:
                vector, result = pair.results([(os.path.basename(path), os.path.abspath(path))])[0]
                failed |= result["key"] is not None
                _print(_check_text(path, vector, result))
            for vector, result in pair.stop():
                failed = True
                _print(_check_text(vector["path"], vector, result))
        finally:
            pair.close()
        return FAILED if failed else PASSED

    def fuzz(self):
        folder = _state(self.options, self.name)
        parser_run.check_room(folder)
        self._make_oracle()
        seeds = self._seeds()
        mutator = self._built(LIBRARY if self.options.engine == "afl" else MUTATE)  # not counted in the run's time
        trimmer = minimiser.Trimmer(self._minimiser())
        store = findings.Store(folder, self._record(seeds))
        self._held = lock.take(folder)
        sentence = store.open(self.options.resume)
        if sentence:
            _print(sentence)
        seconds = self.options.seconds or (self.options.minutes or MINUTES) * 60
        budget = parser_run.Budget(seconds, self.options.mutants)
        crew, pair = sessions.Crew(self._pair, self.options.jobs), self._pair()
        work = parser_run.Run(store, crew, pair, trimmer, budget, self.options.trim_seconds)
        try:
            interrupted = self._work(work, mutator, seeds)
            if not (store.mutants or interrupted):
                raise Failure(INPUT, f"no mutant was judged in {budget.took():.1f} s: allow more time")
        except Failure as failure:
            self._sum_up(work, f"ended by an error: {failure}")
            raise
        self._sum_up(work, "interrupted; --resume continues" if interrupted else None)
        return FAILED if store.findings else INTERRUPTED if interrupted else PASSED

    def _seeds(self):
        folder = os.path.abspath(self.options.seeds) if self.options.seeds else self._built(SEEDS)
        found = mutant_batches.find_seeds(folder, self.golden)
        small = [path for path in found if os.path.getsize(path) <= self.options.most]
        if not small:
            raise Failure(INPUT, f"{folder}: no seed is as small as --most {self.options.most}")
        if len(small) < len(found):
            command.complain(NAME, f"note: {len(found) - len(small)} of {len(found)} seeds are larger than --most "
                                   f"{self.options.most}, and skipped")
        return small

    def _sum_up(self, work, ending):
        """Ends the report. `ending` describes how a run ended early."""
        summary = work.summary(self.name, ending, self._triage(work.store.found))
        work.store.finish(summary)
        work.store.close()
        _print(summary["text"].rstrip())

    def _triage(self, folder):
        """The command that makes pages of the findings, as it works in the current folder."""
        script = os.path.join(ROOT, "scripts", "triage")
        words = [os.path.relpath(script) if os.path.samefile(ROOT, os.curdir) else script, folder]
        if self.options.adapter:
            words += ["--adapter", self.options.adapter]
        else:
            command_line = [word.replace("{file}", "@@") for word in self.options.command]
            words += ["--parser", parser_under_test.shell_line(command_line)]
            words += ["--mode", self.parser.mode] if self.parser.mode == "long-lived" else []
        words += ["--plain"] if self.options.plain else self._comparison()
        words += ["--timeout", f"{self.options.timeout:g}"] if self.options.timeout != parser_options.SECONDS else []
        words += ["--memory", str(self.options.memory)] if self.options.memory != parser_options.MEMORY else []
        return parser_under_test.shell_line(words)

    def _comparison(self):
        """The options of the comparison that differ from the default."""
        words = ["--level", self.options.level] if self.options.level != parser_options.LEVELS[0] else []
        words += ["--policy", self.options.policy] if self.options.policy else []
        return words + (["--build", self.options.build] if self.options.build != parser_options.BUILD else [])

    def _work(self, work, mutator, seeds):
        """Runs; returns whether the run was interrupted."""
        ended = False
        try:
            if self.options.engine == "afl":
                engine = afl.Engine(self.afl_command, mutator, work.store.folder, self.limits, self.options.most,
                                    self.options.seed)
                begin = (engine.go_on if work.store.resumed else
                         engine.judge_again if self.options.resume else engine.forget)
                begin()
                engine.give_seeds(seeds)
                afl.go(work, engine, work.budget.seconds)
            else:
                work.go(mutant_batches.Source(mutator, seeds, self.options.seed, self.options.most, work.given))
            work.trim_some(all_of_them=self.options.mutants is not None)
            work.stop()
            ended = True
        except (KeyboardInterrupt, Stopped):
            pass
        except sessions.ReferenceFailed as failure:
            kept = work.store.keep(failure.vector["image"])
            raise sessions.ReferenceFailed({**failure.vector, "path": kept}, failure.answer) from failure
        finally:
            work.line.clear()
            if not ended:
                self.children.stop()
            work.crew.close()
            work.pair.close()
            shutil.rmtree(work.given, ignore_errors=True)
        return not ended

    def _record(self, seeds):
        """The line of the run in the report."""
        return {"rec": "run", "version": 1, "engine": self.options.engine, "parser": self.parser.description,
                "mode": self.parser.mode, "command": self.parser.command, "seed": self.options.seed,
                "seeds": mutant_batches.digest(seeds), "most": self.options.most, "level": self.options.level,
                "policy": self.policy, "limits": self.limits.as_record()}


def _check_text(path, vector, result):
    expected = f"either: {', '.join(vector['flags'])}" if vector["flags"] else vector["verdict"]
    lines = [f"{path}: {result['verdict']} (expected: {expected}, first rule: {vector['rule']})"]
    if result["detail"]:
        lines.append(f"    {result['detail']}")
    lines += [f"    {difference_text(difference)}" for difference in result["differences"][:findings.DIFFERENCES]]
    return "\n".join(lines)
