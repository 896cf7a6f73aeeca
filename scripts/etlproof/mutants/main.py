# SPDX-License-Identifier: Apache-2.0
"""Mutation test of the vectors: each mutant of the decoder must fail at least one vector.

A mutant is a copy of the decoder with one change: a rule removed, a condition negated, a comparison, constant, offset,
argument, width or table row changed, a statement deleted. With --pairs it has two: each may hide the other. A change that
compiles to the same machine code is skipped. A mutant that no vector fails survives; it needs a vector, or a row in
conformance/mutation-equivalent.tsv that says why none is possible. Mutants of the trace reader run on the vectors of
traces, mutants of the memory reader on those of structures. With --oracles the mutants are those of harness/oracle; a unit
test or a fuzz target over the vectors must fail. The code that ranks guesses (guess.c, plan.c, clues.def) is
not mutated, since no vector covers it.
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
from runner import command, vector_build
from runner.command import Parser, positive
from runner.failure import FAILED, INPUT, PASSED, USAGE, Failure
from runner.vectors import Golden
from . import mutant_run, oracle_run, results, toolchain, trial

GOLDEN = os.path.join("conformance", "golden")
LARGE = os.path.join("conformance", "recipes-large")
POLICY = os.path.join("conformance", "adapters", "etlproof", "policy.txt")
NAME = "scripts/mutation"
EPILOG = """\
kinds: rule, report, comparison, constant, offset, size, logic, negation, truth, arithmetic, statement, argument (two
arguments swapped), width (a load or cast of another width or sign), branch (of ?: swapped), else (the word removed), step
(of a loop), stale (an assignment removed), table, pair

exit status: 0 passed, 1 the score is below the floor, a removed rule fails no vector, or an explanation is stale; 64 wrong
usage, 66 cannot read or build, 70 an internal error, 74 cannot write, 130 interrupted: --resume continues
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("--sample", metavar="N", type=positive(int), help="try N mutants, picked at random")
    add("--seed", metavar="N", type=int, default=1, help="seed of the sample (default: %(default)s)")
    add("--only", metavar="FILE|FOLDER|RULE|KIND", action="append", default=[],
        help="only mutants of a file (event.c, event.c:120), folder (decoder/memory), rule (SIZ-001, SIZ-*) or kind (see "
             "below); may be repeated")
    add("-j", "--jobs", metavar="N", type=positive(int), default=os.cpu_count() or 1,
        help="mutants at the same time (default: %(default)s)")
    add("--pairs", action="store_true",
        help="try two explained survivors at once, if they stand at most 30 lines apart; survivors need no explanation")
    add("--large", action="store_true", help="try the large vectors too, built with etlproof-build: several seconds more "
                                             "for each mutant that survives the others")
    add("--oracles", action="store_true", help="mutants of harness/oracle, which unit tests or fuzz targets must fail")
    add("--list", action="store_true", help="list the mutants and try none")
    add("--report", metavar="FILE", default=os.path.join("build", "mutation.jsonl"),
        help="one JSON line per mutant; FILE.txt lists the survivors (default: %(default)s)")
    add("--resume", action="store_true",
        help="continue a report of the same decoder; survivors are tried again if vectors changed. Results of mutants "
             "that are not selected now are kept")
    add("--survivors-explained", metavar="FILE", help="explanations (default: conformance/mutation-equivalent.tsv)")
    add("--floor", metavar="PERCENT", type=float, default=95.0, help="lowest score that passes (default: %(default)s)")
    add("--hang", metavar="SECONDS", type=positive(float), default=20.0,
        help="time limit for one vector (default: %(default)s)")
    add("--leave-out-failing", action="store_true", help="ignore vectors that the unchanged decoder fails")
    return parser.parse_args(arguments)


def choose(mutants, options):
    """Chooses mutants by --only, then by --sample."""
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
    """The hash of the decoder and the host, without documentation: that names vectors too."""
    rooms = [*(os.path.join("decoder", room) for room in ("src", "memory", "payload", "include", "tool", "format")),
             os.path.join("conformance", "adapters", "etlproof"),
             *(os.path.join("conformance", "runner", name) for name in ("host.c", "shim.h"))]
    return source_hash.hash_of(tree, rooms, but=("*.md", "decoder/format/rule_vectors.def"))


class Mutation:
    """A run in its own folder."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tree = os.path.join(folder, "tree")
        (oracle_run if options.oracles else toolchain).copy_tree(ROOT, self.tree)
        explained = options.survivors_explained
        default = os.path.join(ROOT, "conformance", "mutation-equivalent.tsv")
        self.explained = results.Explained(explained or (default if os.path.exists(default) else None),
                                           lambda file: file.startswith(oracle_run.FOLDER) == options.oracles)
        self.mutants = (oracle_run if options.oracles else mutant_run).all_mutants(self.tree)
        if options.pairs:
            self.mutants = mutant_run.pairs_of(self.tree, [one for one in self.mutants if one.key in self.explained.rows])
        self.chosen = choose(self.mutants, options)
        self.results = {}  # as printed
        self.counts = collections.Counter()

    def list(self):
        for mutant in self.chosen:
            print(f"{mutant.where}\t{mutant.change}\t{mutant.rule or ''}")

    def run(self):
        goldens = self._goldens()
        of = {"rec": "run", "version": 1, "program": hash_of_program(self.tree),
              "vectors": source_hash.hash_of(self.tree, [GOLDEN, *([LARGE] if self.options.large else [])])}
        if self.options.oracles:
            of |= {"program": source_hash.hash_of(self.tree, ["decoder", "harness"])}
        hashes = {vector["id"]: results.hash_of(vector) for golden in goldens for vector in golden.vectors}
        report = results.Report(self.options.report, of, hashes)
        before = self._before(report) if self.options.resume else {}
        for mutant in self.chosen:
            if mutant.key in before:
                self._take(before[mutant.key])
        left = [mutant for mutant in self.chosen if mutant.key not in before]
        prepared = self._prepare(goldens) if left else None
        report.open(before.values())
        try:
            self._try(prepared, left, report)
        finally:
            report.close()
        return self._finish()

    def _before(self, report):
        """Results of an earlier run that still hold, including those of mutants that this run does not try."""
        found = report.resume()
        if found is None:
            command.complain(NAME, f"{report.path}: belongs to another decoder; starting over")
        there = {mutant.key for mutant in self.mutants}
        return {key: result for key, result in (found or {}).items() if key in there}

    def _take(self, result):
        """Marks explained survivors here, so that a report does not depend on the explanations."""
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

    def _goldens(self):
        golden = Golden(os.path.join(self.tree, GOLDEN))
        if not self.options.large:
            return [golden]
        folder = os.path.join(self.folder, "large")
        vector_build.build_large(folder)
        return [golden, Golden(folder)]

    def _prepare(self, goldens):
        self._check_machine()
        if self.options.oracles:
            return oracle_run.Trial(self.tree, self.folder, self.options.hang)
        plain = toolchain.Toolchain("gcc", ["-O2", "-fPIC"], self.tree, os.path.join(self.folder, "plain"))
        sanitized = toolchain.Toolchain("clang", ["-O1", "-fPIC", "-fsanitize=address,undefined",
                                                  "-fno-sanitize-recover=all"],
                                        self.tree, os.path.join(self.folder, "sanitized"), "address,undefined")
        for each in (plain, sanitized):
            each.build()
        suite = trial.Suite(goldens, os.path.join(self.tree, POLICY))
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
        if self.options.pairs:
            return PASSED
        rules = [result["rule"] for result in shown if result["kind"] == "rule" and result["outcome"] == "survived"]
        complaints = [f"{rule}: no vector fails when it is not reported" for rule in rules]
        complaints += self.explained.stale({mutant.key for mutant in self.chosen},
                                           {mutant.key for mutant in self.mutants}, self.results)
        if results.score(self.counts) < self.options.floor:
            complaints.append(f"{results.score(self.counts):.1f} % of the mutants are killed; the floor is "
                              f"{self.options.floor:g} %")
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
    return command.run(NAME, lambda: _main(arguments), interrupted="interrupted; --resume continues")
