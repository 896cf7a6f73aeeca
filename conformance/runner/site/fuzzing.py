# SPDX-License-Identifier: Apache-2.0
"""What scripts/fuzz-parser found: state folders DIR/NAME, whose report.jsonl schema/fuzzing.schema.json describes."""
import os
import re
from typing import NamedTuple

from .. import jsonlines
from ..columns import FAILURES, WORST_FIRST
from ..failure import INPUT, USAGE, Failure, read_bytes
from .slug import slug_of

REPORT = "report.jsonl"
_FILE = re.compile(r"[a-z-]+-[0-9a-f]{12}\.etl")


class Finding(NamedTuple):
    verdict: str
    detail: str
    rule: str          # an id, or "-"
    differences: list  # as in a result of conformance/run
    file: str          # name of the smallest input that shows it, which never changes
    path: str          # where that file is
    size: int
    whole_size: int    # before it was minimised
    repeats: bool      # shown again when run alone


class Fuzzing(NamedTuple):
    path: str
    parser: str        # "" of a run with --plain
    version: str
    engine: str
    findings: list     # one of each kind
    mutants: int
    either: int        # mutants that touch open questions
    seconds: float     # None: unknown, since the run was killed or resumed

    @property
    def counts(self):
        """{verdict: findings}, the worst first, without zeros."""
        verdicts = [finding.verdict for finding in self.findings]
        return {verdict: verdicts.count(verdict) for verdict in WORST_FIRST if verdict in verdicts}


def add_fuzzing(folder, parsers):
    """Gives each parser what fuzzing found. Returns warnings about states of other parsers."""
    warnings, by_slug = [], {parser.slug: parser for parser in parsers}
    for path in _reports(folder):
        fuzzing = _load(path)
        parser = by_slug.get(slug_of(fuzzing.parser))
        if not fuzzing.parser:
            warnings.append(f"{path}: skipped: a run with --plain names no parser")
        elif parser is None:
            warnings.append(f"{path}: no report is of {fuzzing.parser}; there are {', '.join(sorted(by_slug))}")
        elif parser.fuzzing:
            raise Failure(USAGE, f"{path}: {parser.fuzzing.path} is about {fuzzing.parser} too; keep one of them")
        else:
            parser.fuzzing = fuzzing
    return warnings


def _reports(folder):
    try:
        paths = [os.path.join(folder, name, REPORT) for name in sorted(os.listdir(folder))]
    except OSError as error:
        raise Failure(INPUT, f"{folder}: cannot read: {error.strerror}") from error
    found = [path for path in paths if os.path.isfile(path)]
    if not found:
        raise Failure(INPUT, f"{folder}: no folder in it has a {REPORT}; give the folder that holds the states of "
                             "scripts/fuzz-parser, such as build/fuzz-parser")
    return found


def _load(path):
    data = read_bytes(path)
    whole = data[:data.rfind(b"\n") + 1]   # a kill may have cut the last line short
    try:
        lines = jsonlines.decode_lines(whole)
    except jsonlines.NotJson as error:
        raise Failure(INPUT, f"{path}: {error}") from error
    for number, line in enumerate(lines or [{}], 1):
        wrong = _wrong(line, ("run",) if number == 1 else ("finding", "batch", "summary"))
        if wrong:
            raise Failure(INPUT, f"{path}:{number}: not a report of scripts/fuzz-parser: {wrong}")
    return _fuzzing(path, lines)


# --- what a line must have ---

def _is_text(value):
    return isinstance(value, str)


def _is_count(value):
    return type(value) is int and value >= 0


def _is_number(value):
    return isinstance(value, (int, float))


def _is_parser(value):
    """A description, or None of a run with --plain."""
    return value is None or (isinstance(value, dict) and _is_text(value.get("name")) and value["name"] != ""
                             and _is_text(value.get("version") or ""))


def _is_list_of(kind):
    return lambda value: isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _is_file_of_finding(value):
    return _is_text(value) and _FILE.fullmatch(os.path.basename(value)) is not None


_MEMBERS = {
    "run": {"version": lambda value: value == 1, "engine": _is_text, "parser": _is_parser},
    "finding": {"key": _is_list_of(str), "verdict": FAILURES.__contains__, "detail": _is_text, "rule": _is_text,
                "differences": _is_list_of(dict), "size": _is_count, "whole_size": _is_count,
                "repeats": lambda value: isinstance(value, bool), "path": _is_file_of_finding},
    "batch": {"mutants": _is_count, "either": _is_count},
    "summary": {"resumed": _is_count, "seconds": _is_number},
}


def _wrong(line, kinds):
    """What is wrong with a line, or None."""
    if line.get("rec") not in kinds:
        return f"the line of a {' or '.join(kinds)} expected"
    wrong = (name for name, fits in _MEMBERS[line["rec"]].items() if not fits(line.get(name)))
    return next((f'unexpected value of "{name}"' for name in wrong), None)


# --- what the pages show ---

def _fuzzing(path, lines):
    run, parser = lines[0], lines[0].get("parser") or {}
    of = {kind: [line for line in lines if line["rec"] == kind] for kind in ("finding", "batch", "summary")}
    # A finding is written again when it is minimised.
    newest = {tuple(line["key"]): line for line in of["finding"]}
    findings = sorted((_finding(path, line) for line in newest.values()),
                      key=lambda one: (one.rule, one.detail, one.file))
    last = of["batch"][-1] if of["batch"] else {"mutants": 0, "either": 0}
    seconds = next((line["seconds"] for line in of["summary"] if not line["resumed"]), None)
    return Fuzzing(path, parser.get("name", ""), parser.get("version") or "", run["engine"], findings, last["mutants"],
                   last["either"], seconds)


def _finding(path, line):
    name = os.path.basename(line["path"])
    here = os.path.join(os.path.dirname(path), "findings", name)
    return Finding(line["verdict"], line["detail"], line["rule"], line["differences"], name, here, line["size"],
                   line["whole_size"], line["repeats"])
