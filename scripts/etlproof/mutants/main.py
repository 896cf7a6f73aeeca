# SPDX-License-Identifier: Apache-2.0
"""Proves that the vectors bite: the decoder is changed in one place at a time, in a copy, and some vector has to tell.

Rules are taken out, conditions negated, comparisons, constants, offsets and rows of the format's tables changed, statements
deleted. What compiles to the same machine code is no change. What no vector tells survives: it wants a vector, or a row in
conformance/mutation-equivalent.tsv that says why nothing can tell it. Mutants of what reads traces meet the vectors that
are traces, those of what reads structures in memory the others. Guessing which structure bytes are (guess.c, plan.c,
clues.def) only ranks, and no vector asks for it: it is left out.
"""
import collections
import fnmatch
import os
import random
import shutil
import subprocess
import sys
import tempfile

from etlproof import ROOT, source_hash
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, INPUT, PASSED, USAGE, Failure
from runner.vectors import Golden
from . import mutant_run, results, toolchain, trial

GOLDEN = os.path.join("conformance", "golden")
POLICY = os.path.join("conformance", "adapters", "etlproof", "policy.txt")
NAME = "scripts/mutation"
EPILOG = """\
exit status: 0 all is told that has to be, 1 the score is under the floor, a rule can go without notice, or an explanation
is stale; 64 wrong usage, 66 cannot read or build, 70 an error of this program, 74 cannot write, 130 interrupted: --resume
goes on
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("--sample", metavar="N", type=positive(int), help="only N mutants, picked at random")
    add("--seed", metavar="N", type=int, default=1, help="of the sample (default: %(default)s)")
    add("--only", metavar="FILE|FOLDER|RULE|KIND", action="append", default=[],
        help="only mutants of this file (event.c, event.c:120), folder (decoder/memory, decoder/format/layouts), rule "
             "(SIZ-001, SIZ-*) or kind (rule, report, comparison, constant, offset, size, logic, negation, truth, "
             "arithmetic, statement, table); may be repeated")
    add("-j", "--jobs", metavar="N", type=positive(int), default=os.cpu_count() or 1, help="at once (default: %(default)s)")
    add("--list", action="store_true", help="lists the mutants and tries none")
    add("--report", metavar="FILE", default=os.path.join("build", "mutation.jsonl"),
        help="one JSON line a mutant; survivors go to FILE with .txt added (default: %(default)s)")
    add("--resume", action="store_true",
        help="goes on with a report of the same decoder; where vectors came or changed, what survived is tried again. "
             "Results of mutants that are not chosen now stay in it")
    add("--survivors-explained", metavar="FILE", help="default: conformance/mutation-equivalent.tsv if it is there")
    add("--floor", metavar="PERCENT", type=float, default=95.0, help="least score (default: %(default)s)")
    add("--hang", metavar="SECONDS", type=positive(float), default=20.0, help="a vector may take (default: %(default)s)")
    add("--leave-out-failing", action="store_true", help="goes on without vectors that the unchanged decoder fails")
    return parser.parse_args(arguments)


def choose(mutants, options):
    """By --only, then by --sample."""
    chosen = [mutant for mutant in mutants if not options.only or any(matches(mutant, only) for only in options.only)]
    if not chosen:
        raise Failure(USAGE, f"--only {' '.join(options.only)}: there are no such mutants")
    if options.sample is not None and options.sample < len(chosen):
        picked = set(random.Random(options.seed).sample(range(len(chosen)), options.sample))
        chosen = [mutant for number, mutant in enumerate(chosen) if number in picked]
    return chosen


def matches(mutant, only):
    folder, name = os.path.split(mutant.file)
    places = (mutant.kind, mutant.file, folder, name, f"{name}:{mutant.line}")
    return only in places or any(fnmatch.fnmatchcase(rule, only) for rule in (mutant.rule or "").split())


def hash_of_program(tree):
    """Of what is mutated and run, the decoder and the host; but for what only people read, which names vectors too."""
    rooms = [*(os.path.join("decoder", room) for room in ("src", "memory", "include", "tool", "format")),
             os.path.join("conformance", "adapters", "etlproof"),
             *(os.path.join("conformance", "runner", name) for name in ("host.c", "shim.h"))]
    return source_hash.hash_of(tree, rooms, but=("*.md", "decoder/format/rule_vectors.def"))


class Mutation:
    """A run, in a folder of its own."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tree = os.path.join(folder, "tree")
        toolchain.copy_tree(ROOT, self.tree)
        self.mutants = mutant_run.all_mutants(self.tree)
        self.chosen = choose(self.mutants, options)
        explained = options.survivors_explained
        default = os.path.join(ROOT, "conformance", "mutation-equivalent.tsv")
        self.explained = results.Explained(explained or (default if os.path.exists(default) else None))
        self.results = {}  # as they are shown
        self.counts = collections.Counter()

    def list(self):
        for mutant in self.chosen:
            print(f"{mutant.where}\t{mutant.change}\t{mutant.rule or ''}")

    def run(self):
        golden = Golden(os.path.join(self.tree, GOLDEN))
        of = {"rec": "run", "version": 1, "program": hash_of_program(self.tree),
              "vectors": source_hash.hash_of(self.tree, [GOLDEN])}
        hashes = {vector["id"]: results.hash_of(vector) for vector in golden.vectors}
        report = results.Report(self.options.report, of, hashes)
        before = self._before(report) if self.options.resume else {}
        for mutant in self.chosen:
            if mutant.key in before:
                self._take(before[mutant.key])
        left = [mutant for mutant in self.chosen if mutant.key not in before]
        prepared = self._prepare() if left else None
        report.open(before.values())
        try:
            self._try(prepared, left, report)
        finally:
            report.close()
        return self._finish()

    def _before(self, report):
        """Results that still hold, also those that this run does not ask for."""
        found = report.resume()
        if found is None:
            command.complain(NAME, f"{report.path}: of another decoder, starting anew")
        there = {mutant.key for mutant in self.mutants}
        return {key: result for key, result in (found or {}).items() if key in there}

    def _take(self, result):
        """A survivor becomes explained here, so that a report does not depend on the explanations."""
        shown = dict(result)
        if result["outcome"] == "survived" and result["key"] in self.explained.rows:
            shown["outcome"] = "explained"
        self.results[result["key"]] = shown
        self.counts[shown["outcome"]] += 1

    @staticmethod
    def _check_machine():
        done = subprocess.run([os.path.join(ROOT, "scripts", "bootstrap"), "--check", "mutation"], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise Failure(INPUT, f"{done.stdout.strip()}: run scripts/bootstrap mutation")

    def _prepare(self):
        self._check_machine()
        plain = toolchain.Toolchain("gcc", ["-O2", "-fPIC"], self.tree, os.path.join(self.folder, "plain"))
        sanitized = toolchain.Toolchain("clang", ["-O1", "-fPIC", "-fsanitize=address,undefined",
                                                  "-fno-sanitize-recover=all"],
                                        self.tree, os.path.join(self.folder, "sanitized"), "address,undefined")
        for each in (plain, sanitized):
            each.build()
        suite = trial.Suite(Golden(os.path.join(self.tree, GOLDEN)), os.path.join(self.tree, POLICY))
        failing = self._learn(suite, plain)
        if failing and not self.options.leave_out_failing:
            names = ", ".join(f"{vector['id']} ({why})" for vector, why in failing[:5])
            raise Failure(FAILED, f"{len(failing)} vectors fail on the unchanged decoder: {names}")
        suite.leave_out([vector for vector, _ in failing])
        print(f"{len(self.chosen)} mutants, {len(suite.vectors)} vectors"
              + (f" ({len(failing)} left out: they fail)" if failing else ""), flush=True)
        return mutant_run.Trial(self.tree, self.folder, (plain, sanitized), suite, self.options.hang)

    def _learn(self, suite, toolchain):
        host = trial.Host(toolchain.host, True, self.options.hang)
        try:
            return suite.learn(host)
        finally:
            host.end()

    def _try(self, prepared, left, report):
        progress = results.Progress(len(left))
        try:
            for done, result in enumerate(mutant_run.run_all(prepared, left, self.options.jobs) if left else (), 1):
                report.add(result)
                self._take(result)
                progress.show(done, self.counts)
        finally:
            progress.clear()

    def _finish(self):
        shown = [self.results[mutant.key] for mutant in self.chosen]
        survivors = results.survivors_text(shown)
        toolchain.write(self.options.report + ".txt", survivors)
        print(survivors, end="")
        print(results.table_text(shown), end="")
        rules = [result["rule"] for result in shown if result["kind"] == "rule" and result["outcome"] == "survived"]
        complaints = [f"{rule}: no vector tells when it is not reported" for rule in rules]
        complaints += self.explained.stale({mutant.key for mutant in self.chosen},
                                           {mutant.key for mutant in self.mutants}, self.results)
        if results.score(self.counts) < self.options.floor:
            complaints.append(f"{results.score(self.counts):.1f} % are killed; {self.options.floor:g} % have to be")
        for complaint in complaints:
            print(f"mutation: {complaint}", file=sys.stderr)
        return FAILED if complaints else PASSED


def _main(arguments):
    options = parse_arguments(arguments)
    folder = tempfile.mkdtemp(prefix="etlproof-mutation-")
    try:
        mutation = Mutation(options, folder)
        return mutation.list() or PASSED if options.list else mutation.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments), interrupted="interrupted; --resume goes on")
