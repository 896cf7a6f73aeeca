# SPDX-License-Identifier: Apache-2.0
"""Causes of failures, written by people, in files DIR/*.json that schema/causes.schema.json describes."""
import fnmatch
import json
import os
import re
from typing import NamedTuple

from ..failure import INPUT, Failure, read_bytes

_TEXTS = ("id", "title", "text", "where", "smallest", "expected", "actual", "fix")
_REQUIRED = ("id", "title", "text")
_GLOBS = ("vectors", "verdicts", "details", "fields")
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")
_FILE = {"parsers", "causes"}


class Cause(NamedTuple):
    id: str
    title: str
    text: str
    where: str         # file:line in the parser's source
    smallest: str      # id of the smallest vector that shows the cause
    expected: str
    actual: str
    fix: str
    failures: list     # results of the newest report that it explains


def add_causes(folder, parsers):
    """Gives each parser its causes. Returns warnings: files without parser, and causes that explain no failure."""
    warnings, by_slug = [], {parser.slug: parser for parser in parsers}
    for name in json_files(folder):
        path = os.path.join(folder, name)
        slugs, entries = _read(path)
        known = [by_slug[slug] for slug in slugs if slug in by_slug]
        if not known:
            warnings.append(f"{path}: no report is of {' or '.join(slugs)}; there are {', '.join(sorted(by_slug))}")
        for parser in known:
            if parser.causes:
                raise Failure(INPUT, f"{path}: a second file with causes of {parser.slug}")
            parser.causes = _explain(entries, parser.newest.failures())
        if known:
            warnings += [f"{path}: {doubt}" for doubt in _doubts(entries, known)]
    return warnings


def _doubts(entries, parsers):
    for at, entry in enumerate(entries):
        explained = {result["id"] for parser in parsers for result in parser.causes[at].failures}
        if not explained:
            yield f"{entry['id']} explains no failure"
        elif entry.get("smallest", "") not in explained | {""}:
            yield f"{entry['id']} does not explain its smallest vector, {entry['smallest']}"


def json_files(folder):
    """The names of the JSON files in the folder, sorted."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError as error:
        raise Failure(INPUT, f"{folder}: cannot read the causes: {error.strerror}") from error


def _read(path):
    """The slugs of the parsers, and the entries, checked."""
    try:
        whole = json.loads(read_bytes(path).decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise Failure(INPUT, f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Failure(INPUT, f"{path}:1: not JSON: {error}") from error
    if not isinstance(whole, dict) or whole.keys() != _FILE:
        raise Failure(INPUT, f'{path}: an object with "parsers" and "causes" expected')
    if not _is_texts(whole["parsers"]):
        raise Failure(INPUT, f'{path}: "parsers" is no list of names')
    if not isinstance(whole["causes"], list):
        raise Failure(INPUT, f'{path}: "causes" is no list')
    ids = set()
    for number, entry in enumerate(whole["causes"], 1):
        where = f"{path}: cause {number}"
        _check(where, entry)
        if entry["id"] in ids:
            raise Failure(INPUT, f"{where}: a second cause with the id {entry['id']}")
        ids.add(entry["id"])
    return whole["parsers"], whole["causes"]


def _is_texts(value):
    return isinstance(value, list) and value != [] and all(isinstance(text, str) for text in value)


def _check(where, entry):
    if not isinstance(entry, dict):
        raise Failure(INPUT, f"{where}: a cause is an object")
    for name in _REQUIRED:
        if name not in entry:
            raise Failure(INPUT, f"{where}: the cause has no \"{name}\"")
    for name, value in entry.items():
        if name not in (*_TEXTS, *_GLOBS):
            raise Failure(INPUT, f"{where}: unknown member \"{name}\"")
        if name in _TEXTS and not isinstance(value, str):
            raise Failure(INPUT, f"{where}: \"{name}\" is no text")
        if name in _GLOBS and not _is_texts(value):
            raise Failure(INPUT, f"{where}: \"{name}\" is no list of globs")
    if not _ID.fullmatch(entry["id"]):
        raise Failure(INPUT, f"{where}: \"id\" has other characters than a-z, 0-9, dot and dash")


def _explain(entries, failures):
    """The causes of a parser. Of several that fit a failure, the first explains it."""
    matches = [_matcher(entry) for entry in entries]
    explained = [[] for _ in entries]
    for result in failures:
        at = next((at for at, match in enumerate(matches) if match(result)), None)
        if at is not None:
            explained[at].append(result)
    return [Cause(**{name: entry.get(name, "") for name in _TEXTS}, failures=of) for entry, of in zip(entries, explained)]


def _matcher(entry):
    """True of a result of which each list of globs that the entry has matches something."""
    tests = {name: re.compile("|".join(map(fnmatch.translate, entry[name]))).match for name in _GLOBS if name in entry}

    def match(result):
        return all(any(map(test, _texts_of(result, name))) for name, test in tests.items())
    return match


def _texts_of(result, name):
    if name == "fields":
        return [f"{difference['record']}.{difference['field'] or ''}" for difference in result["differences"]]
    return [result[{"vectors": "id", "verdicts": "verdict", "details": "detail"}[name]]]
