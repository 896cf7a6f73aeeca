# SPDX-License-Identifier: Apache-2.0
"""Causes of failures, written by people: DIR/PARSER.json is a list of them, as schema/causes.schema.json describes."""
import fnmatch
import json
import os
import re
from typing import NamedTuple

from ..failure import INPUT, Failure, read_bytes

_TEXTS = ("id", "title", "text", "where", "smallest", "expected", "actual", "fix")
_REQUIRED = ("id", "title", "text", "vectors")
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")
_SPACE = re.compile(r"[\s,]*")


class Cause(NamedTuple):
    id: str
    title: str
    text: str
    vectors: list      # ids or globs
    where: str         # file:line in the parser's source
    smallest: str      # id of the smallest vector that shows the cause
    expected: str
    actual: str
    fix: str
    failures: list     # results of the newest report that the globs match


def add_causes(folder, parsers):
    """Gives each parser its causes. Returns warnings: files without parser, and globs that match no failure."""
    warnings, by_slug = [], {parser.slug: parser for parser in parsers}
    for name in _json_files(folder):
        path, parser = os.path.join(folder, name), by_slug.get(name.removesuffix(".json"))
        if parser is None:
            warnings.append(f"{path}: no report is of this parser; there are {', '.join(sorted(by_slug))}")
            continue
        parser.causes = [_cause(entry, parser, where, warnings) for where, entry in _entries(path)]
    return warnings


def _json_files(folder):
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError as error:
        raise Failure(INPUT, f"{folder}: cannot read the causes: {error.strerror}") from error


def _entries(path):
    """[(file:line, entry)], checked."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise Failure(INPUT, f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Failure(INPUT, f"{path}:1: not JSON: {error}") from error
    if not isinstance(whole, list):
        raise Failure(INPUT, f"{path}:1: a list of causes expected")
    found, ids = [], set()
    for line, entry in zip(_lines_of_entries(text, len(whole)), whole):
        where = f"{path}:{line}"
        _check(where, entry)
        if entry["id"] in ids:
            raise Failure(INPUT, f"{where}: a second cause with the id {entry['id']}")
        ids.add(entry["id"])
        found.append((where, entry))
    return found


def _lines_of_entries(text, count):
    """The line on which each entry of the list begins."""
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    for _ in range(count):
        at = _SPACE.match(text, at).end()
        yield text.count("\n", 0, at) + 1
        at = decoder.raw_decode(text, at)[1]


def _check(where, entry):
    if not isinstance(entry, dict):
        raise Failure(INPUT, f"{where}: a cause is an object")
    for name in _REQUIRED:
        if name not in entry:
            raise Failure(INPUT, f"{where}: the cause has no \"{name}\"")
    for name, value in entry.items():
        if name not in (*_TEXTS, "vectors"):
            raise Failure(INPUT, f"{where}: unknown member \"{name}\"")
        if name in _TEXTS and not isinstance(value, str):
            raise Failure(INPUT, f"{where}: \"{name}\" is no text")
    if not _ID.fullmatch(entry["id"]):
        raise Failure(INPUT, f"{where}: \"id\" has other characters than a-z, 0-9, dot and dash")
    globs = entry["vectors"]
    if not isinstance(globs, list) or not globs or not all(isinstance(glob, str) for glob in globs):
        raise Failure(INPUT, f"{where}: \"vectors\" is no list of ids or globs")


def _cause(entry, parser, where, warnings):
    failures, matched = parser.newest.failures(), {}
    for glob in entry["vectors"]:
        fits = re.compile(fnmatch.translate(glob)).match
        found = {result["id"]: result for result in failures if fits(result["id"])}
        if not found:
            warnings.append(f"{where}: {glob} matches no failure of {parser.name}")
        matched.update(found)
    in_order = [result for result in failures if result["id"] in matched]
    return Cause(**{name: entry.get(name, "") for name in _TEXTS}, vectors=entry["vectors"], failures=in_order)
