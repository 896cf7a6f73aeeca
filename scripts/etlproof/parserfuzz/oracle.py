# SPDX-License-Identifier: Apache-2.0
"""The oracle: turns the reference decode of a mutant into a vector of the conformance runner, and judges a parser's answer
to it."""
import hashlib
import re

from etlproof import failures
from runner import long_lived, record_comparison
from runner.columns import FAILURES
from runner.parser_under_test import METADATA
from runner.record_comparison import PAYLOAD_MEMBERS
from runner.verdict import Judge
from . import either_flags

_PLACES = re.compile(r"\[\d+\]")
# Also matches the hash and --seed in the name of a mutant, but not the digits of a name such as UTF-8.
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{16,}\b(?:-\d+)?|(?<!\d)(?!(?<=[A-Za-z]-)\d\d?\b)\d+(?:\.\d+)?")
BROKEN = ("crash", "hang", "oom")
NO_RULE = "-"  # the reference names none
_SCHEMA_TL = "0xb"
_EVENT_HEADERS = ("0x12", "0x13")


class Comparer(record_comparison.Comparer):
    """Compares records. Ignores open questions and, unless requested, everything behind the first fault of a broken
    file."""

    def __init__(self, description, known, policy, whole):
        super().__init__(description, known, False)
        self.policy, self.whole = policy, whole
        self.clock = either_flags.Clock(())

    def compare(self, vector, records, stopped=False):
        self.clock = either_flags.Clock(vector["expect"])
        if vector["cut"] is None or self.whole:
            return super().compare(vector, records, stopped)
        # Events before the fault in the file may be later in time.
        expected = [] if self.by_time else _without_damaged(vector["expect"][:vector["cut"]], vector["fault"])
        return super().compare({**vector, "expect": expected}, _as_many(records, expected), stopped)

    def differ(self, kind, expected, actual, left_out):
        found = super().differ(kind, expected, actual, left_out)
        return [difference for difference in found if not self._is_open(expected, difference)] if found else found

    def _is_open(self, expected, difference):
        flag = either_flags.open_difference(expected, difference, self.clock)
        return flag is not None and self.policy.get(flag, "any") == "any"


def _without_damaged(expected, fault):
    """The records without the buffer of the first fault, if nothing of that buffer had been read."""
    if fault is None:
        return expected
    if fault["layer"] == "logfile":
        return []  # a reader may need the logfile header first
    if expected and expected[-1]["rec"] == "buffer" and expected[-1]["index"] == fault.get("buffer"):
        expected = expected[:-1]
    return expected


def _as_many(records, expected):
    """The first records of a parser of each kind: as many as come before the fault."""
    counts = {}
    for record in expected:
        counts[record["rec"]] = counts.get(record["rec"], 0) + 1
    kept = []
    for record in records:
        kind = record.get("rec")
        if isinstance(kind, str) and counts.get(kind, 0) > 0:
            counts[kind] -= 1
            kept.append(record)
    return kept


class _Judge(Judge):
    def __init__(self, parser, known_fields, policy, whole):
        super().__init__(parser, known_fields, policy, "should")
        self.comparer = Comparer(parser.description, known_fields, policy, whole)

    def _judge_against(self, vector, expected, answer):
        verdict, text, differences = super()._judge_against(vector, expected, answer)
        if verdict == "wrong-accept" and vector["rule"] == NO_RULE:
            text = "a file that is no trace was accepted"
        return verdict, text, differences


class PlainJudge:
    """Judges a command that does not describe what it reads."""

    def __init__(self, parser):
        self.parser = parser

    def result(self, vector, answer):
        verdict = answer.outcome if answer.outcome in BROKEN else "pass"
        result = {"verdict": verdict, "detail": answer.reason, "differences": [], "offset": None,
                  "command": self.parser.reproduce(vector)}
        return result | ({"stderr": answer.stderr} if verdict != "pass" and answer.stderr else {})


class Oracle:
    """Judges answers to mutants. The vectors `golden` show which questions are settled."""

    def __init__(self, parser, golden, policy, whole=False):
        self.golden, self.settled = golden, either_flags.Settled(golden.traces)
        self.metadata = frozenset((parser.description or {}).get("metadata", METADATA))
        self.judge = PlainJudge(parser) if parser.description is None else _Judge(parser, golden.fields, policy, whole)

    def vector(self, asked, reference):
        """A mutant (`id`, `path`, `image`) as a vector, whose expected decode is the reference decode."""
        records = [_known(self._asked(record), record["rec"], self.golden.fields) for record in reference.records]
        flags = self.settled.flags([dict(record) for record in reference.records], asked["image"])
        cut, fault = _first_error(records)
        if reference.outcome == "reject" and cut is None:
            cut = 0  # rejected as a whole
        rule = fault["rule"] if fault else next((r["rule"] for r in records if r["rec"] == "finding"), NO_RULE)
        return {**_vector(asked), "rule": rule, "verdict": "either" if flags else reference.outcome,
                "flags": dict.fromkeys(flags, ""), "expect": records, "cut": cut, "fault": fault}

    def _asked(self, record):
        """The record, without the fields of a payload if the parser may not read the metadata that describes them."""
        if record["rec"] != "event" or _metadata_of(record) <= self.metadata:
            return record
        return {name: value for name, value in record.items() if name != "fields" and name not in PAYLOAD_MEMBERS}

    def too_large(self, asked):
        """The result for a mutant whose reference decode exceeds a limit."""
        return {**_vector(asked), "is_too_large": True}

    def result(self, vector, answer):
        """The runner's result, with `key`: equal for findings that count as one, None without a finding."""
        result = self.judge.result(vector, answer)
        # Whether a finding is reproducible alone is tested when it is kept; it is not part of the key.
        result["detail"] = result["detail"].removesuffix(long_lived.NOT_ALONE)
        result["key"] = key_of(result, vector) if result["verdict"] in FAILURES else None
        return result


def _vector(asked):
    """A vector without expectations."""
    return {**asked, "group": "mutant", "rule": NO_RULE, "level": "must", "title": asked["id"], "verdict": "either",
            "flags": {}, "expect": [], "size": len(asked["image"]), "cut": None, "fault": None, "is_too_large": False}


def _first_error(records):
    for number, record in enumerate(records):
        if record["rec"] == "finding" and record["severity"] == "error":
            return number, record
    return None, None


def _metadata_of(event):
    """The kinds of metadata one of which describes the fields of the event."""
    if any(item["type"] == _SCHEMA_TL for item in event.get("items", ())):
        return {"tracelogging"}
    return {"trace-event-info", "manifest"} if event["header_type"] in _EVENT_HEADERS else {"trace-event-info", "classic"}


def _known(record, path, fields):
    """The members of a record that vectors use. Other members, such as the names of flags, are not compared."""
    names = fields.get(path, ())
    kept = {}
    for name, value in record.items():
        if name == "rec" or name in names:
            kept[name] = _known_value(value, "item" if name == "items" else f"{path}.{name}", fields)
    return kept


def _known_value(value, path, fields):
    if isinstance(value, dict) and path in fields:
        return _known(value, path, fields)
    if isinstance(value, list):
        return [_known_value(element, path, fields) for element in value]
    return value


def key_of(result, vector):
    """(verdict, kind of record, field, rule): findings with equal keys count as one."""
    verdict = result["verdict"]
    if verdict in BROKEN:
        return verdict, failures.place_in(result.get("stderr", "")) or shape(result["detail"]), "", ""
    first = _first_difference(result)
    if first is None:
        return verdict, "", "", vector["rule"]
    return verdict, first["record"], _PLACES.sub("[]", first["field"] or ""), _rule_at(first, vector)


def _first_difference(result):
    """The difference that a wrong value or a loss is about; None if the loss is of bytes, or behind the listed
    differences."""
    if result["verdict"] == "silent-loss":
        return next((row for row in result["differences"] if row["field"] is None and row["actual"] is None), None)
    return next(iter(result["differences"]), None) if result["verdict"] == "wrong-value" else None


def _rule_at(difference, vector):
    """The rule of the reference's first finding at the event or buffer that differs; for the trace record, in the logfile
    header; for the end record, in the file."""
    kind, index = difference["record"], difference["index"]
    if kind == "end":
        return vector["rule"]
    found = [record for record in vector["expect"] if record["rec"] == "finding"]
    there = (record["rule"] for record in found
             if (record["layer"] == "logfile" if kind == "trace" else record.get(kind) == index))
    return next(there, NO_RULE)


def shape(text):
    """A reason without its numbers, except those of signals and exit statuses."""
    return text if text.startswith(("signal", "exit", "ended: ")) else _NUMBERS.sub("N", text)


def name_of(key):
    """A file name for a finding, equal for equal keys."""
    return f"{key[0]}-{hashlib.sha256(repr(key).encode()).hexdigest()[:12]}"
