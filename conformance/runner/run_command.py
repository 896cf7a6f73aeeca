# SPDX-License-Identifier: Apache-2.0
"""conformance/run: runs the parser over the vectors, writes the reports and returns the exit status."""
import datetime
import time

from . import (command, long_lived, one_shot, parser_under_test, policy, report_comparison, report_jsonl, report_text,
               report_views, run_options, sandbox, vector_build, vectors)
from .columns import FAILURES
from .failure import FAILED, INTERRUPTED, PASSED, USAGE, Failure
from .known_failures import Known
from .limits import Limits
from .neutral_copies import NeutralCopies
from .pool import Pool
from .progress import Progress
from .verdict import Judge

NAME = "conformance/run"


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _run(run_options.parse(arguments)))


def _run(chosen):
    if chosen.compare:
        text, code = report_comparison.compare(*chosen.compare)
        command.print_text(text)
        return code
    if chosen.large:
        vector_build.build_large(chosen.golden, chosen.build)
    golden = vectors.Golden(chosen.golden)
    wanted = vectors.choose(golden, chosen.filter, chosen.level)
    if chosen.list:
        command.print_text(vectors.list_text(wanted))
        return PASSED
    return Run(chosen, golden, wanted).run()


class Run:
    """One run over the chosen vectors."""

    def __init__(self, chosen, golden, wanted):
        self.options, self.golden, self.vectors = chosen, golden, wanted
        self.started = datetime.datetime.now(datetime.timezone.utc)
        self.parser = parser_under_test.from_options(chosen)
        if chosen.layout is not None:
            self.parser.layout = parser_under_test.words_of("--layout", chosen.layout)
        self.limits = Limits(chosen.timeout, chosen.cpu, chosen.memory << 20)
        known = chosen.known or self.parser.known
        if chosen.fix and not known:
            raise Failure(USAGE, "--fix: no file of known failures: --known FILE expected")
        self.known = Known(known, chosen.fix_add is not None)
        self.policy = policy.load(chosen.policy or self.parser.policy, chosen.policy_set, golden.flags)
        golden.check_files(wanted)
        self.results = {}
        self.failed = 0

    def run(self):
        started = time.monotonic()
        report_jsonl.make_folder(self.options.report)
        with NeutralCopies() as self.copies:
            self.children, confined = self._confine()
            try:
                return self._run(started, confined)
            finally:
                self.children.stop()

    def _confine(self):
        """Children that see nothing of what the vectors expect, and how they are confined."""
        hidden = [self.options.golden, self.options.report, *vector_build.SOURCES]
        command = [*self.parser.command, *(self.parser.layout or ())]
        return sandbox.children_for(command, self.copies.folder, hidden, self.options.confine)

    def _run(self, started, confined):
        self._describe()
        self.record = self._run_record(confined)
        self.judge = Judge(self.parser, self.golden.fields, self.policy, self.options.level)
        self.writer = report_jsonl.Writer(self.options.report, self.record)
        self._resume()
        try:
            self._run_vectors()
        except KeyboardInterrupt:
            return self._interrupted()
        finally:
            self.writer.close()
        return self._finish(time.monotonic() - started)

    def _describe(self):
        if self.parser.description is None:
            way = one_shot if self.parser.mode == "one-shot" else long_lived
            way.ask_description(self.parser, self.limits, self.children)
        for field in parser_under_test.unknown_fields(self.parser.description, self.golden.fields):
            command.complain(NAME, f"note: the description declares {field}, which no vector has")
        for why in parser_under_test.parts_not_compared(self.parser.description):
            command.complain(NAME, f"note: the description {why}: these are not compared")
        if self.parser.layout and parser_under_test.declared(self.parser.description, "member") is None:
            command.complain(NAME, "note: there is a command for structures in memory, but the description declares no "
                                   "\"member\": they are not run")

    def _run_record(self, confined):
        filters = " ".join(self.options.filter) or None
        return {"rec": "run", "version": 1, "parser": self.parser.description, "mode": self.parser.mode,
                "command": self.parser.command, "started": self.started.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "vectors": len(self.vectors), "level": self.options.level, "filter": filters, "policy": self.policy,
                "golden": self.options.golden, "manifest_sha256": self.golden.manifest_sha256,
                "limits": {**self.limits.as_record(), "confined": confined}}

    def _resume(self):
        if self.options.resume:
            self.results, sentence = report_jsonl.kept_results(self.writer.path, self.record, self.vectors)
            if not self.options.quiet:
                command.print_text(sentence + "\n")
        for result in self.results.values():
            self._count(result)
        self.writer.open(self.results.values())

    def _count(self, result):
        result["known"] = self.known.url_of(result)
        self.failed += result["verdict"] in FAILURES and result["known"] is None

    def _take(self, vector, answer):
        """Judges an answer and keeps the result."""
        result = self.judge.result(vector, answer)
        self._count(result)
        self.results[vector["id"]] = result
        self.writer.add(result)

    def _run_vectors(self):
        left = [vector for vector in self.vectors if vector["id"] not in self.results]
        for vector in left:
            missed = self.parser.misses(vector)
            if missed:
                self._take(vector, parser_under_test.Answer("unsupported", f"the parser reads no {missed}"))
        left = [vector for vector in left if self.parser.misses(vector) is None]
        if left:
            self._run_copies(left)

    def _run_copies(self, left):
        def take(copy, answer):
            self._take(self.copies.original(copy, answer), answer)

        jobs = min(self.options.jobs, len(left))
        pool = Pool(self.parser, self.copies.of(left), self.limits, jobs, self.children, take)
        progress = Progress(len(self.vectors), self.options.quiet)
        try:
            pool.start()
            while not pool.wait(0.2):
                progress.show(len(self.results), self.failed)
        except KeyboardInterrupt:
            pool.stop()
            raise
        finally:
            progress.clear()

    def _interrupted(self):
        where = f"{len(self.results)} of {len(self.vectors)} results are in {self.writer.path}"
        command.complain(NAME, f"interrupted; {where}; the same command with --resume continues")
        return INTERRUPTED

    def _finish(self, seconds):
        results = [self.results[vector["id"]] for vector in self.vectors]
        stale = self.known.stale(results, self.golden.vectors)
        if self.options.fix:
            stale = self._fix(results, stale)
        summary = report_jsonl.summarise(results, stale, seconds)
        self.writer.finish(results, summary)
        report_views.write_all(self.options.report, self.record, results, summary, self.golden)
        if not self.options.quiet:
            command.print_text(report_text.summary_text(self.record, results, summary, self.options.report))
        return FAILED if summary["unexpected"] or summary["stale"] else PASSED

    def _fix(self, results, stale):
        """Updates the list of known failures and returns the entries that are still stale."""
        dropped, changed, added = self.known.fix(results, stale, self.options.fix_add)
        if not self.options.quiet:
            command.print_text(f"{self.known.path}: entries dropped: {dropped}, changed: {changed}, added: {added}\n")
        for result in results:
            result["known"] = self.known.url_of(result)
        return self.known.stale(results, self.golden.vectors)
