# SPDX-License-Identifier: Apache-2.0
"""Measures which planted bugs the fuzz campaigns find, and how fast.

Each patch of harness/planted adds one known bug to a copy of the decoder. The fuzz target that should find the bug runs
until it does, or until its time is up: with the structure-aware mutator and the dictionary, and without. A find counts if
its input fails again and passes on the unchanged decoder. Only changed files are compiled, which takes seconds per bug.
"""
import fnmatch
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

from etlproof import ROOT, source_hash
from etlproof.campaign import lock, targets
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, OUTPUT, PASSED, USAGE, Failure, Writing
from . import detection_report, patches, planted_build, planted_campaign, starting_seeds

OURS = 2
NAME = "scripts/planted"
EPILOG = """\
exit status: 0 all bugs are found, 1 some are not, or cannot be planted; 2 an input fails on the unchanged decoder too: a
real bug, whose input is in DIR/ours; 64 wrong usage, 66 cannot read or build, 70 an internal error, 74 cannot write,
130 interrupted: --resume continues
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("--list", action="store_true", help="list the bugs and run nothing")
    add("--check", action="store_true",
        help="run no campaign: check that each patch applies, compiles without a warning, and fails at most a few seeds")
    add("--every", metavar="N", type=positive(int), default=1,
        help="with --check: compile and try only every N-th bug; all patches are still applied (default: %(default)s)")
    add("--only", metavar="NAME", action="append", default=[],
        help="only bugs with this name; * is a wildcard; may be repeated")
    add("--seconds", metavar="N", type=positive(int), default=60,
        help="processor time of one campaign (default: %(default)s)")
    add("--trials", metavar="N", type=positive(int), default=1, help="campaigns per bug and mode (default: %(default)s)")
    add("--mode", metavar="MODE", action="append", choices=list(planted_campaign.MODES),
        help="mutator+dictionary, mutator, dictionary or plain; may be repeated (default: all)")
    add("--target", metavar="NAME", help="run this target for all bugs (default: the first target that the patch names)")
    add("--empty", action="store_true", help="start from an empty corpus")
    add("-j", "--jobs", metavar="N", type=positive(int), default=1,
        help="campaigns at the same time (default: %(default)s)")
    add("--folder", metavar="DIR", default=os.path.join(ROOT, "build", "planted"),
        help="for builds and failing inputs (default: build/planted)")
    add("--report", metavar="FILE", help="one JSON line per campaign; FILE.txt and FILE.md get the tables (default: "
                                         "report.jsonl in the folder)")
    add("--resume", action="store_true",
        help="continue a report of the same decoder and patches; its other results are kept")
    return parser.parse_args(arguments)


def choose(options):
    every = patches.load(os.path.join(ROOT, "harness", "planted"))
    for only in options.only:
        if not fnmatch.filter([patch.name for patch in every], only):
            raise Failure(USAGE, f"--only {only}: there is no such bug; --list lists them")
    return [patch for patch in every if not options.only or any(fnmatch.fnmatchcase(patch.name, only)
                                                                for only in options.only)]


def hash_of_program(root=ROOT):
    """The hash of all sources of targets, seeds and dictionaries, without the patches, which have their own hashes."""
    return source_hash.hash_of(root, ["CMakeLists.txt", "CMakePresets.json", "decoder",
                                      os.path.join("conformance", "builder"),
                                      os.path.join("corpus", "seeds"), "dictionaries", "harness"],
                               but=("harness/planted/*", "harness/bench/*", "*/tests/*", "*.md"))


class Planting:
    """A run over some of the bugs."""

    def __init__(self, options):
        self.options = options
        self.patches = choose(options)
        self.targets = targets.load()
        self.folder = os.path.abspath(options.folder)
        self.runner = planted_campaign.Runner()
        self._starts = {}
        self._locks = {patch.name: threading.Lock() for patch in self.patches}
        if options.target and options.target not in self.targets:
            raise Failure(USAGE, f"--target {options.target}: there are {', '.join(self.targets)}")
        self.target_of = {patch.name: self._target_of(patch) for patch in self.patches}

    def _target_of(self, patch):
        names = [self.options.target] if self.options.target else patch.targets
        there = [name for name in names if name in self.targets]
        if not there:
            raise Failure(FAILED, f"{patch.path}: there is no target {' or '.join(names)}")
        return there[0]

    def list(self):
        for patch in self.patches:
            print(f"{patch.name}\t{self.target_of[patch.name]}\t{patch.tells}\t{patch.bug}")

    def prepare(self):
        with Writing(self.folder):
            os.makedirs(self.folder, exist_ok=True)
        self._held = lock.take(self.folder, ", or take another --folder")
        print("building the unchanged targets", file=sys.stderr, flush=True)
        names = sorted({*self.target_of.values(), *(["fuzz_file"] if self.options.check else [])})
        self.base = planted_build.Base(ROOT, os.path.join(self.folder, "base"), names, self.options.jobs)
        self.seeds = starting_seeds.Seeds(ROOT, self.base, self.folder)
        self.planted = {patch.name: planted_build.Planted(self.base, patch, os.path.join(self.folder, "bugs", patch.name))
                        for patch in self.patches}

    def _start_of(self, patch, target):
        """(program, folder of seeds, how many seeds were left out), made at the first call."""
        key = patch.name, target.name
        with self._locks[patch.name]:
            if key not in self._starts:
                planted = self.planted[patch.name]
                program = planted.program(target.name)
                copy = os.path.join(planted.folder, "seeds-" + target.name)
                self._starts[key] = program, *self.seeds.without_failing(self.runner, program, target, copy)
            return self._starts[key]

    # The check

    def check(self):
        for patch in self.patches:
            planted_build.apply_patch(patch, ROOT, "--dry-run")
        complaints, sample = [], self.patches[::self.options.every]
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for patch, (complaint, remark) in zip(sample, pool.map(self._check_patch, sample)):
                complaints += [complaint] if complaint else []
                print(f"{patch.name}: {complaint or 'applies and compiles' + remark}", flush=True)
        return FAILED if complaints else PASSED

    def _check_patch(self, patch):
        """(complaint, remark)"""
        left_out = 0
        try:
            # Seeds of fuzz_file are tried too, unless the bug is in the command, which fuzz_file does not link.
            for target in sorted({self.target_of[patch.name], *(["fuzz_file"] if patch.is_of_library else [])}):
                left_out = max(left_out, self._start_of(patch, self.targets[target])[2])
        except Failure as failure:
            return str(failure), ""
        finally:
            self.planted[patch.name].clear()
        return None, f"; {left_out} of the seeds trigger it, and are skipped" if left_out else ""

    # The campaigns

    def _modes(self):
        """The requested modes, without those that the target does not support."""
        names = self.options.mode or list(planted_campaign.MODES)
        able = [planted_campaign.MODES[name] for name in names]
        able = [mode for mode in able if any(self._has(target, mode) for target in self.target_of.values())]
        if not able:
            raise Failure(USAGE, f"--mode {' '.join(names)}: the targets have no such part")
        return able

    def _has(self, target, mode):
        return (not mode.mutator or self.base.has_mutator(target)) and \
               (not mode.dictionary or self.base.dictionary(target) is not None)

    def _tasks(self, modes, program):
        for patch in self.patches:
            target = self.target_of[patch.name]
            for mode in modes:
                if not self._has(target, mode):
                    continue
                for trial in range(1, self.options.trials + 1):
                    yield patch, mode, {
                        "patch": patch.name, "hash": patch.hash, "target": target, "mode": mode.name, "trial": trial,
                        "budget": self.options.seconds, "empty": self.options.empty, "program": program}

    def run(self):
        modes = self._modes()
        program = hash_of_program()
        tasks = list(self._tasks(modes, program))
        path = self.options.report or os.path.join(self.folder, "report.jsonl")
        self.report = detection_report.Report(path)
        before = self._before(program) if self.options.resume else {}
        results = [before[detection_report.key_of(task[2])] for task in tasks if detection_report.key_of(task[2]) in before]
        left = [task for task in tasks if detection_report.key_of(task[2]) not in before]
        self.report.open(before.values())
        self.progress = detection_report.Progress(len(left))
        try:
            results += self._run_all(left)
        finally:
            self.progress.clear()
            self.report.close()
        return self._finish(modes, results, path)

    def _before(self, program):
        """Results of an earlier run that still hold, including those of bugs that this run does not try."""
        results, others = self.report.resume(program)
        if others:
            command.complain(NAME, f"{self.report.path}: {others} results belong to another decoder or other patches, "
                                   "and are ignored")
        return results

    def _run_all(self, tasks):
        results = []
        with ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for future in as_completed([pool.submit(self._campaign, *task) for task in tasks]):
                    results.append(future.result())
                    self.report.add(results[-1])
                    self.progress.show(results[-1])
            except BaseException:
                self.runner.stop()
                pool.shutdown(cancel_futures=True)
                raise
        return results

    def _campaign(self, patch, mode, result):
        target = self.targets[result["target"]]
        try:
            program, start, _ = self._start_of(patch, target)
        except Failure as failure:
            return {**result, "outcome": "broken", "told": str(failure), "seconds": 0.0, "executions": 0}
        folder = os.path.join(self.folder, "runs", f"{patch.name}-{target.name}-{mode.name}-{result['trial']}")
        run = planted_campaign.Campaign(self.runner, folder, program, self.base.program(target.name), target,
                                        None if self.options.empty else start, self.base.dictionary(target.name))
        came = run.run(mode, self.options.seconds, result["trial"])
        if came["outcome"] == "ours":
            came["input"] = planted_campaign.keep(came["input"], os.path.join(self.folder, "ours"))
        shutil.rmtree(os.path.join(folder, "corpus"), ignore_errors=True)
        return {**result, **came}

    def _finish(self, modes, results, path):
        table = detection_report.Table(self.patches, [mode.name for mode in modes], results)
        try:
            for suffix, text in ((".txt", table.text()), (".md", table.markdown())):
                with open(path + suffix, "w", encoding="utf-8") as file:
                    file.write(text)
        except OSError as error:
            raise Failure(OUTPUT, f"{error.filename}: cannot write: {error.strerror}") from error
        print(table.text(), end="")
        for result in results:
            if result["outcome"] == "ours":
                print(f"planted: {result['input']}: fails on the unchanged {result['target']} too, by {result['told']}: "
                      "a real bug", file=sys.stderr)
            elif result["outcome"] == "broken":
                print(f"planted: {result['patch']}: {result['told']}", file=sys.stderr)
        if any(result["outcome"] == "ours" for result in results):
            return OURS
        found = {result["patch"] for result in results if result["outcome"] == "found"}
        return PASSED if all(patch.name in found for patch in self.patches) else FAILED


def _main(arguments):
    options = parse_arguments(arguments)
    planting = Planting(options)
    if options.list:
        planting.list()
        return PASSED
    planting.prepare()
    return planting.check() if options.check else planting.run()


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments), interrupted="interrupted; --resume continues")
