# SPDX-License-Identifier: Apache-2.0
"""Triage: from files to buckets, and from the command line to the exit code."""
import collections
import concurrent.futures
import hashlib
import json
import os
import shutil
import sys

from etlproof import failures
from etlproof.campaign import machine, targets
from etlproof.pages import sarif
from etlproof.parserfuzz import main as fuzz_parser
from runner import command, parser_under_test
from runner.crash_reports import head_and_tail
from runner.failure import FAILED, INPUT, OUTPUT, PASSED, Failure, read_bytes
from runner.limits import Limits, Stopped
from runner.progress import Line
from . import buckets, summary, triage_options
from .bucket_store import Store
from .finisher import SECONDS, Finisher
from .program import Parser, Target, symbolizer
from .reproduce import RUNS, reproduce

NAME = "scripts/triage"
TEXT_MAX = 16 << 10
RECORD = "bucket.json"


def triage(paths, subject, folder, store, runs=RUNS, jobs=1, seconds=SECONDS):
    """Returns the buckets of the files on the subject, each written to FOLDER/ID after minimising its input for at most so
    many seconds; and the fixed buckets of the store."""
    work = Triage(store, runs, jobs, Finisher(seconds))
    work.run(paths, subject)
    return work.finish(folder)


class Triage:
    """Sorts files of several subjects, one call of run() after the other: a bug that two targets find is one bucket.
    Without a finisher, buckets are not minimised, explained or given a page."""

    def __init__(self, store, runs=RUNS, jobs=1, finisher=None):
        self.store, self.runs, self.jobs, self.finisher = store, runs, jobs, finisher
        self.crashes, self.passed, self.notes = [], [], []
        self.line = finisher.line if finisher else Line()

    def run(self, paths, subject):
        """Runs each file so many times."""
        with concurrent.futures.ThreadPoolExecutor(1 if subject.alone else self.jobs) as pool:
            waiting = {pool.submit(self._one, path, subject): path for path in paths}
            try:
                for number, done in enumerate(concurrent.futures.as_completed(waiting), 1):
                    self._take(done.result())
                    self.line.show(f"{subject.name}: {number} of {len(paths)} files, {len(self.crashes)} fail")
            except BaseException:
                subject.children.stop()
                pool.shutdown(cancel_futures=True)
                raise
            finally:
                self.line.clear()

    def _one(self, path, subject):
        data = read_bytes(path)
        return buckets.Crash(os.path.abspath(path), hashlib.sha256(data).hexdigest(), len(data), subject,
                             reproduce(subject, path, self.runs))

    def _take(self, crash):
        (self.crashes if crash.outcome.kind else self.passed).append(crash)

    def finish(self, folder):
        """The records of the buckets, described by scripts/etlproof/pages/schema/bucket.schema.json; failing ones first."""
        members = self._sort()
        records = [self._write(name, found, folder) for name, found in members.items()]
        for record in records:  # keep them only when all are written: a run that ends here has reported nothing
            self.store.keep(record["id"], record)
        return records + self._fixed(members)

    def always_passed(self):
        """Paths of the files that failed on no subject."""
        return sorted({crash.path for crash in self.passed} - {crash.path for crash in self.crashes})

    def _sort(self):
        """The failures by bucket."""
        names = {crash.subject.name for crash in self.crashes}
        sorter = buckets.Sorter(self.store.buckets(), {name: self.store.given(name) for name in names})
        members = {}
        for crash in buckets.in_order(self.crashes):
            bucket = sorter.place(crash)
            self.store.add(bucket, crash, buckets.trail_of(crash.outcome.kind))
            members.setdefault(self.store.resolve(bucket.id), []).append(crash)
        return members

    def _write(self, name, members, folder):
        """Writes the folder of a bucket with its record and its smallest inputs."""
        members.sort(key=lambda crash: (crash.outcome.flaky, crash.size, crash.sha256))
        place = os.path.join(folder, name)
        path = os.path.join(place, "input" + os.path.splitext(members[0].path)[1])
        try:
            os.makedirs(place, exist_ok=True)
            if not os.path.exists(path) or not os.path.samefile(path, members[0].path):
                shutil.copyfile(members[0].path, path)
            record = self._record(name, members, path)
            if self.finisher:
                self.line.show(f"minimising and explaining: {name}")
                key = buckets.key_of(members[0].outcome.kind)
                self.finisher.complete(record, key, members[0].subject, path, place, self.store.record(name))
                self.finisher.draw(record, place)
                self.line.clear()
            with open(os.path.join(place, RECORD), "w", encoding="utf-8") as file:
                json.dump(record, file, indent=1)
                file.write("\n")
        except OSError as error:
            raise Failure(OUTPUT, f"{place}: cannot write: {error.strerror}") from error
        return record

    def _record(self, name, members, path):
        first = members[0]
        kind, subject = first.outcome.kind, first.subject
        status, first_seen, last_seen = self.store.seen(name)
        own = failures.own_frames(kind.frames)
        return {
            "id": name, "title": buckets.title_of(kind), "kind": kind.kind, "what": kind.what, "detail": kind.detail,
            "target": subject.target, "parser": subject.parser, "preset": subject.preset,
            "access": kind.access, "access_size": kind.access_size,
            "frame": own[0]._asdict() if own else None, "stack": [frame._asdict() for frame in kind.frames],
            "severity": failures.severity(kind),
            "runs": sum(crash.outcome.runs for crash in members), "failed": sum(crash.outcome.failed for crash in members),
            "flaky": any(crash.outcome.flaky for crash in members),
            "inputs": [{"sha256": crash.sha256, "path": crash.path, "size": crash.size, "on": crash.subject.name}
                       for crash in members],
            "smallest": None, "explain": None,
            "commands": subject.commands(path), "text": head_and_tail(first.outcome.said.text, TEXT_MAX),
            "status": status, "first_seen": first_seen, "last_seen": last_seen, **self.store.by_hand(name)}

    def _fixed(self, members):
        """Buckets with an input that failed and passes now on a subject that would detect the failure, and without a
        failing input."""
        on = collections.defaultdict(list)
        for crash in self.passed:
            on[self.store.passed(crash.sha256, crash.subject.name)].append(crash.subject)
        fixed = set()
        for record in self.store.records():
            if record["id"] in on.keys() - set(members):
                blind = {subject.blind_to(record) for subject in on[record["id"]]}
                if None in blind:
                    fixed.add(record["id"])
                    self.store.fixed(record["id"])
                else:
                    self.notes += [f"{record['id']}: {why}" for why in sorted(blind)]
        return [record for record in self.store.records() if record["id"] in fixed]


# The command


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(triage_options.parse(arguments)))


def _print(words):
    sys.stdout.reconfigure(errors="backslashreplace")
    print(words)


def _main(chosen):
    store = Store(os.path.join(os.path.abspath(chosen.state), "triage.sqlite"))
    try:
        if chosen.merge:
            _print(f"{chosen.merge[1]} is now part of {store.merge(*chosen.merge)}")
        elif chosen.split:
            _print(_split(store, *chosen.split))
        elif chosen.list:
            _print(_list(store))
        else:
            return _triage(chosen, store)
        return PASSED
    except Stopped:
        raise KeyboardInterrupt from None
    finally:
        store.close()


def _split(store, name, path):
    new = store.split(name, hashlib.sha256(read_bytes(path)).hexdigest())
    return f"{path} is now in {new}; run scripts/triage on it for details"


def _list(store):
    found = store.records()
    return summary.report(found) if found else "no bucket is known"


def _triage(chosen, store):
    paths = _files(chosen.files)
    notes = []
    subjects = _parser_of(chosen, paths, notes) if chosen.of_parser else _targets_of(chosen, paths, notes)
    work = Triage(store, chosen.runs, chosen.jobs, None if chosen.quick else _finisher(chosen))
    folder = os.path.abspath(chosen.output or os.path.join(chosen.state, "buckets"))
    try:
        for subject, its in subjects:
            work.run(its, subject)
        records = work.finish(folder)
    finally:
        for subject, _ in subjects:
            subject.close()
    failing = any(record["status"] != "fixed" for record in records)
    notes += [*work.notes, *_hints(chosen, records, failing), *(work.finisher.notes if work.finisher else ())]
    verdict = summary.verdict(records, len(paths), notes)
    if chosen.json:
        _print(json.dumps({"verdict": verdict, "files": len(paths), "buckets": records,
                           "passed": work.always_passed()}, indent=1))
    else:
        _print(verdict + ("\n\n" + summary.report(records) + f"\n\nin {folder}" if records else ""))
    if chosen.sarif:
        sarif.write(records, chosen.sarif)
    return FAILED if failing else PASSED


def _finisher(chosen):
    finisher = Finisher(0 if chosen.no_build else chosen.seconds)
    if not chosen.no_build:
        os.makedirs(chosen.state, exist_ok=True)
        finisher.build(os.path.join(chosen.state, "build.log"))
    return finisher


def _hints(chosen, records, failing):
    if not failing and not chosen.of_parser and not chosen.preset.endswith("msan"):
        yield f"under {chosen.preset}; --preset libfuzzer-msan also detects reads of uninitialised memory"
    if any(record["stack"] and not record["frame"] for record in records) and not symbolizer():
        yield "no llvm-symbolizer: stacks have no names; scripts/bootstrap nightly installs it"


def _files(words):
    """The files, and those in folders; without hidden files and records of scripts/fuzz-parser and triage."""
    found = []
    for word in words:
        if not os.path.isdir(word):
            if os.path.exists(word) and not os.path.isfile(word):
                raise Failure(INPUT, f"{word}: not an ordinary file: triage reads each file more than once")
            read_bytes(word)
            found.append(word)
            continue
        there = _names_in(word)
        names = [name for name in sorted(there) if not name.startswith(".") and not _is_record(name, there)]
        found += [path for path in (os.path.join(word, name) for name in names) if os.path.isfile(path)]
    if not found:
        raise Failure(INPUT, f"{' '.join(words)}: no files there")
    return found


def _names_in(folder):
    try:
        return set(os.listdir(folder))
    except OSError as error:
        raise Failure(INPUT, f"{folder}: cannot read: {error.strerror}") from error


def _is_record(name, there):
    stem, ending = os.path.splitext(name)
    if RECORD in there:  # of a bucket: records lie beside its inputs
        return stem not in ("input", "smallest") or (name == "input.recipe" and any(
            other.startswith("input") for other in there - {name}))
    if ending == ".jsonl":  # of a folder of vectors
        return any(other.endswith(".etl") for other in there)
    return ending == ".json" and stem + ".etl" in there


def target_of(path, known):
    """The target that the path names, as in corpus/regressions/TARGET/FILE; None if it names none."""
    parts = os.path.abspath(path).split(os.sep)[:-1]
    return next((part for part in reversed(parts) if part in known), None)


def _targets_of(chosen, paths, notes):
    """(subject, files), each target once."""
    known = targets.load()
    whole = [name for name, target in known.items() if target.input == "FILE"]
    its, guessed = {}, []
    for path in paths:
        name = targets.find(chosen.target).name if chosen.target else target_of(path, known)
        if name is None:
            guessed.append(path)
        for each in [name] if name else whole:
            its.setdefault(each, []).append(path)
    if guessed:
        tried = f"tried on {', '.join(whole)}; name the target with --target"
        notes.append(f"{summary.count(len(guessed), 'file')} of no known target: {tried}")
    return [(_target(chosen, name), files) for name, files in its.items()]


def _target(chosen, name):
    subject = Target(name, chosen.preset, chosen.program, **({"seconds": chosen.timeout} if chosen.timeout else {}))
    if not chosen.program and not chosen.no_build:
        os.makedirs(chosen.state, exist_ok=True)
        if sys.stderr.isatty():
            print(f"building {name}", file=sys.stderr, flush=True)
        if chosen.preset in machine.TOOLS:
            machine.check_engine(chosen.preset)
        subject.build(os.path.join(chosen.state, "build.log"))
    subject.check()
    return subject


def _parser_of(chosen, paths, notes):
    seconds = chosen.timeout or fuzz_parser.parser_options.SECONDS
    megabytes = chosen.memory or fuzz_parser.parser_options.MEMORY
    subject = Parser(parser_under_test.from_options(chosen), chosen.name, limits=Limits(seconds, seconds, megabytes << 20))
    subject.check()
    if not chosen.plain and subject.describe():
        way = ["--adapter", chosen.adapter] if chosen.adapter else ["--mode", subject.command.mode, "--", *chosen.command]
        asked = ["--timeout", str(seconds), "--memory", str(megabytes), "--build", chosen.build]
        asked += ["--no-build"] if chosen.no_build else []
        for option, value in (("--level", chosen.level), ("--policy", chosen.policy)):
            asked += [option, value] if value else []
        subject.compare_with_reference(fuzz_parser.Job(fuzz_parser.parser_options.parse([*asked, *way])))
    else:
        notes.append(f"{subject.name} has no description (--describe): only exit status, signal, time and memory count")
    return [(subject, paths)]
