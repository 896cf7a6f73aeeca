# SPDX-License-Identifier: Apache-2.0
"""Reads and writes report.jsonl, from which all other reports are made: a line for the run, one for each vector, and a
summary at the end. Each result is written at once, so that a run that was killed can continue. A report without summary was
cut short."""
import json
import os

from . import columns
from .failure import INPUT, OUTPUT, Failure
from .columns import FAILURES, VERDICTS
from .atomic_file import Journal

NAME = "report.jsonl"
# Results belong to the same run if all of these are equal.
_SAME_RUN = ("version", "parser", "mode", "command", "level", "policy", "limits", "manifest_sha256")


# The members that the views rely on.
_MEMBERS = {"run": {"parser", "started"}, "result": set(columns.required()) - {"known"}, "summary": set()}


class Report:
    """A report read from a file; `summary` is None if it was cut short."""

    def __init__(self, run, results, summary):
        self.run, self.results, self.summary = run, results, summary


def load(path, may_be_cut=False):
    """The report in a file. With `may_be_cut`, an incomplete last line is ignored."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(INPUT, f"{path}: cannot read the report: {error}") from error
    whole = lines[:-1] if may_be_cut else [line for line in lines if line]
    records = []
    for number, line in enumerate(whole, 1):
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise Failure(INPUT, f"{path}:{number}: not JSON: {error}") from error
    return _sort(records, path)


def _is_line(record, kind):
    return isinstance(record, dict) and record.get("rec") == kind and record.keys() >= _MEMBERS[kind]


def _sort(records, path):
    if not records or not _is_line(records[0], "run"):
        raise Failure(INPUT, f"{path}:1: not a report: the line of the run expected")
    for number, record in enumerate(records[1:], 2):
        if not _is_line(record, "summary") and not _is_line(record, "result"):
            raise Failure(INPUT, f"{path}:{number}: not a report: the line of a result or the summary expected")
        wrong = columns.misfit(record) if record["rec"] == "result" else None
        if wrong:
            raise Failure(INPUT, f"{path}:{number}: not a report: unexpected value of \"{wrong}\"")
    results = [record for record in records if record["rec"] == "result"]
    summaries = [record for record in records if record["rec"] == "summary"]
    return Report(records[0], results, summaries[-1] if summaries else None)


def kept_results(path, run, vectors):
    """(results by id, a sentence for people) of a report that was cut short, if it is of the same run."""
    if not os.path.exists(path):
        return {}, f"{path}: nothing to resume, starting over"
    try:
        old = load(path, may_be_cut=True)
    except Failure as failure:
        return {}, f"{failure}; starting over"
    differing = [name for name in _SAME_RUN if old.run.get(name) != run[name]]
    if differing:
        return {}, f"{path}: of another run ({', '.join(differing)} differ), starting over"
    wanted = {vector["id"] for vector in vectors}
    kept = {result["id"]: result for result in old.results if result["id"] in wanted}
    return kept, f"{path}: {len(kept)} of {len(vectors)} results kept"


def make_folder(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Failure(OUTPUT, f"{folder}: cannot make the folder of the report: {error.strerror}") from error


class Writer(Journal):
    """Writes report.jsonl in a folder: each result at once, and all of them in order at the end."""

    def __init__(self, folder, run):
        super().__init__(os.path.join(folder, NAME))
        self._run = run

    def open(self, kept):
        """Starts the file with the results that are kept."""
        super().open([self._run, *kept])

    def finish(self, results, summary):
        self.close()
        self.replace([self._run, *results, summary])


def summarise(results, stale, seconds):
    counts = dict.fromkeys(VERDICTS, 0)
    for result in results:
        counts[result["verdict"]] += 1
    unexpected = sum(result["verdict"] in FAILURES and result["known"] is None for result in results)
    passed, applicable = columns.score(results)
    return {"rec": "summary", "counts": counts, "passed": passed, "applicable": applicable, "unexpected": unexpected,
            "stale": [str(entry) for entry in stale], "seconds": round(seconds, 3)}
