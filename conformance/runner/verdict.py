# SPDX-License-Identifier: Apache-2.0
"""Judges an answer: compares it with the vector's expectation and returns the result with its verdict."""
from . import columns, record_comparison
from .memory_structure import is_structure
from .parser_under_test import declared, declares_nothing
from .policy import of_vector


class Judge:
    """Judges all answers of one parser under one policy."""

    def __init__(self, parser, known_fields, policy, level):
        self.parser, self.policy = parser, policy
        self.can_reject = parser.description.get("verdict", True)
        self.is_partial = parser.description.get("partial", True)
        self.is_asked = not declares_nothing(parser.description)
        self.end_fields = declared(parser.description, "end")
        self.comparer = record_comparison.Comparer(parser.description, known_fields, level == "must")

    def result(self, vector, answer):
        """The vector's line in report.jsonl, with `known` still to fill in."""
        verdict, detail, differences = self._judge(vector, answer)
        return columns.result(columns.Case(vector, answer, verdict, detail, differences, self.parser.reproduce(vector)))

    def _judge(self, vector, answer):
        """(verdict, detail, differences)"""
        if answer.outcome not in ("accept", "reject"):
            return answer.outcome, answer.reason, []
        if not self.is_asked:
            return "unsupported", "the parser declares nothing that could be compared", []
        wrong = self._wrong_end(vector, answer)
        if wrong:
            return "crash", f"protocol: {wrong}", []
        if vector["verdict"] != "either":
            return self._judge_against(vector, vector["verdict"], answer)
        policy = of_vector(self.policy, vector)
        if policy == "any":
            return "pass", "", []
        if policy == "reference":
            return self._judge_against(vector, reference_verdict(vector), answer)
        return self._by_verdict_only(policy, answer)

    def _stopped(self, answer):
        """Whether the parser stopped at the first fault, as it declares, so that records may be missing."""
        return answer.outcome == "reject" and not self.is_partial

    def _wrong_end(self, vector, answer):
        """What is wrong with the end record, or None. A structure in memory has none: its size gives the members."""
        if self.end_fields is None or is_structure(vector) or self._stopped(answer):
            return None
        records = answer.records
        ends = [number for number, record in enumerate(records, 1) if record.get("rec") == "end"]
        if not ends:
            return "no end record: the output was cut short"
        return None if ends == [len(records)] else f"the end record comes last, found record {ends[0]} of {len(records)}"

    def _by_verdict_only(self, expected, answer):
        if not self.can_reject and expected == "reject":
            return "unsupported", "the parser does not report whether it accepts", []
        if answer.outcome == expected:
            return "pass", "", []
        return f"wrong-{answer.outcome}", f"the policy expects {expected}", []

    def _judge_against(self, vector, expected, answer):
        if answer.outcome == "reject" and expected == "accept":
            return "wrong-reject", f"a well-formed file was rejected{_reason(answer)}", []
        found = self.comparer.compare(vector, answer.records, self._stopped(answer))
        lost = record_comparison.unreported(found.missing, answer.records)
        if answer.outcome == "accept" and (lost or self._bytes(vector, answer)):
            return "silent-loss", self._loss_text(vector, answer, lost), found.differences
        if answer.outcome == "accept" and expected == "reject" and self.can_reject:
            return "wrong-accept", f"a file that breaks {vector['rule']} was accepted", found.differences
        if found.count:
            return "wrong-value", _difference_text(found), found.differences
        if not found.compared and not self.can_reject:
            return "unsupported", "the parser reports no field that this vector compares", []
        return "pass", "", []

    def _bytes(self, vector, answer):
        return 0 if is_structure(vector) else record_comparison.missing_bytes(vector, answer.records, self.end_fields)

    def _loss_text(self, vector, answer, lost):
        if lost:
            first = _name(lost[0]["rec"], lost[0])
            if len(lost) == 1:
                return f"accepted, but {first} is missing and no finding reports it"
            return f"accepted, but {first} and {len(lost) - 1} more are missing and no finding reports them"
        return f"accepted, but {self._bytes(vector, answer)} bytes of the file are not accounted for"


def reference_verdict(vector):
    """accept or reject, whichever the expected decode implies."""
    ends = [record for record in vector["expect"] if record["rec"] == "end"]
    return "accept" if ends and ends[-1].get("verdict") == "conforming" else "reject"


def _reason(answer):
    last = answer.reason.strip().splitlines()[-1:]
    return f": {last[0][:200]}" if last else ""


def _name(kind, record):
    index = f" {record['index']}" if record.get("index") is not None else ""
    at = f" at {record['offset']}" if record.get("offset") is not None else ""
    return f"{kind}{index}{at}{' (inflated)' if record.get('space') else ''}"


def text_of(value):
    """A value as a message prints it."""
    if value is None:
        return "absent"
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."


def difference_text(difference):
    name = _name(difference["record"], difference)
    if difference["field"] is None:
        return f"{name} is missing" if difference["actual"] is None else f"{name} is not in the file"
    return (f"{name}: {difference['field']} is {text_of(difference['actual'])}, "
            f"expected {text_of(difference['expected'])}")


def _difference_text(found):
    more = f" (and {found.count - 1} more)" if found.count > 1 else ""
    return difference_text(found.differences[0]) + more
