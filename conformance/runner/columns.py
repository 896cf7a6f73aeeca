# SPDX-License-Identifier: Apache-2.0
"""The verdicts, and the columns of a result: what a vector's line in report.jsonl holds, and what other reports show of it.

To add a column, add a row to COLUMNS and run `conformance/rebuild --write`, which generates schema/result.schema.json from
the table. A column with a label then appears in report.jsonl, report.txt, report.md, report.xml and report.html.
"""
import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

SCHEMA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schema", "result.schema.json")
DETAIL_MAX = 1000  # characters


class Verdict(NamedTuple):
    name: str
    letter: str       # on its cells in the HTML report, for people who cannot tell the colours apart
    text: str
    fails: bool = False
    applicable: bool = True  # whether the parser was asked, so that the vector counts in its score


VERDICT_TABLE = (
    Verdict("pass", "", "as the vector expects"),
    Verdict("wrong-accept", "A", "a damaged file was accepted", True),
    Verdict("wrong-reject", "R", "a well-formed file was rejected", True),
    Verdict("wrong-value", "V", "the right verdict, but a field or an event differs", True),
    Verdict("silent-loss", "L", "accepted, with events or bytes missing that no finding reports", True),
    Verdict("crash", "C", "a signal, an uncaught exception, a sanitizer report, or output that breaks the protocol", True),
    Verdict("hang", "H", "a time limit was reached", True),
    Verdict("oom", "O", "the memory limit was reached", True),
    Verdict("unsupported", "U", "asks only for what the parser does not report", applicable=False),
    Verdict("skip", "S", "skipped by the parser, with a reason", applicable=False),
)
VERDICTS = tuple(verdict.name for verdict in VERDICT_TABLE)
FAILURES = tuple(verdict.name for verdict in VERDICT_TABLE if verdict.fails)
_WORST = ("crash", "hang", "oom", "silent-loss")
WORST_FIRST = (*_WORST, *(name for name in FAILURES if name not in _WORST))
_APPLICABLE = frozenset(verdict.name for verdict in VERDICT_TABLE if verdict.applicable)


def score(results):
    """(passed, applicable): how many of the vectors that the parser was asked about it passed."""
    verdicts = [result["verdict"] for result in results]
    return verdicts.count("pass"), sum(verdict in _APPLICABLE for verdict in verdicts)


def score_text(passed, applicable):
    """`N of M applicable`. A parser that was asked nothing has no score."""
    return f"{passed:,} of {applicable:,} applicable" if applicable else "no score: no vector is applicable"


class Case(NamedTuple):
    """A judged vector: the source of the values of the columns."""
    vector: dict
    answer: Any           # parser_under_test.Answer
    verdict: str
    detail: str           # one sentence on why, "" for a pass
    differences: list
    command: str          # a shell line that reproduces the answer


class Column(NamedTuple):
    name: str                        # the member in report.jsonl
    schema: dict                     # the member's JSON Schema
    value: Callable[[Case], Any]     # None: null, or no member at all if the column is optional
    optional: bool = False
    compared: bool = False           # --compare reports a vector as changed if this differs, even with the same verdict
    label: str = ""                  # the views list the value under this label; "": they have a place of their own for it


def _of_vector(name):
    return lambda case: case.vector[name]


def _offset(case):
    """The place of the first difference, else of the vector's fault."""
    first = case.differences[0]["offset"] if case.differences else None
    return first if isinstance(first, str) else case.vector.get("offset")


def _stderr(case):
    return case.answer.stderr or None if case.verdict != "pass" else None


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
COLUMNS = (
    Column("id", _TEXT, _of_vector("id")),
    Column("group", _TEXT, _of_vector("group")),
    Column("rule", _TEXT, _of_vector("rule")),
    Column("level", {"enum": ["must", "should"]}, _of_vector("level")),
    Column("title", _TEXT, _of_vector("title")),
    Column("expected", {"enum": ["accept", "reject", "either"]}, _of_vector("verdict")),
    Column("verdict", {"enum": list(VERDICTS)}, lambda case: case.verdict),
    Column("detail", {**_TEXT, "description": "Why, in one sentence"}, lambda case: case.detail[:DETAIL_MAX],
           compared=True),
    Column("differences", {"type": "array", "items": {"$ref": "report.schema.json#/$defs/difference"}},
           lambda case: case.differences),
    Column("offset", {**_TEXT_OR_NULL, "description": "The first place to look at"}, _offset),
    Column("known", {**_TEXT_OR_NULL, "description": "The issue of a known failure"}, lambda case: None),
    Column("seconds", {"type": "number", "minimum": 0}, lambda case: round(case.answer.seconds, 6)),
    Column("command", {**_TEXT, "description": "A shell line that reproduces the result"}, lambda case: case.command),
    Column("stderr",
           {**_TEXT, "description": "The end of the parser's standard error; of a crash, head and tail of the report"},
           _stderr, optional=True),
)


def result(case):
    """The vector's line in report.jsonl. `known` is filled in by the caller, which has the list of known failures."""
    values = [(column, column.value(case)) for column in COLUMNS]
    members = {column.name: value for column, value in values if value is not None or not column.optional}
    return {"rec": "result", **members}


def required():
    """The members that each result has."""
    return [column.name for column in COLUMNS if not column.optional]


_KINDS = {"string": str, "number": (int, float), "array": list, "null": type(None)}


def misfit(one):
    """The name of the first member whose value is not of the kind that its column states, or None."""
    here = (column for column in COLUMNS if column.name in one)
    return next((column.name for column in here if not _fits(one[column.name], column.schema)), None)


def _fits(value, schema):
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return any(isinstance(value, _KINDS[kind]) for kind in kinds)


def compared(one):
    """The values by which --compare tells two results of the same verdict apart."""
    return [one.get(column.name) for column in COLUMNS if column.compared]


def labels():
    return [column.label for column in COLUMNS if column.label]


def labelled(one):
    """(label, text) of the columns that every view lists."""
    shown = [column for column in COLUMNS if column.label]
    return [(column.label, "" if one.get(column.name) is None else str(one[column.name])) for column in shown]


def lines(one):
    """The listed columns as lines of text."""
    return [f"{label}: {text}" for label, text in labelled(one) if text]


def schema_text():
    """schema/result.schema.json."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "result.schema.json",
              "title": "A line of report.jsonl: the result of a vector",
              "$comment": "Generated from runner/columns.py by conformance/rebuild --write",
              "type": "object", "required": ["rec", *required()], "additionalProperties": False,
              "properties": {"rec": {"const": "result"}, **{column.name: column.schema for column in COLUMNS}}}
    return json.dumps(schema, indent=2) + "\n"
