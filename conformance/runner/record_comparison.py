# SPDX-License-Identifier: Apache-2.0
"""Compares the records of a parser with the expected records of a vector. Only declared fields are compared."""
import bisect
import json

from .memory_structure import compare as compare_members
from .memory_structure import is_structure, records_of
from .number_text import key, same
from .number_text import number as number_of
from .parser_under_test import ALL, PARTS, PAYLOAD, declared, declared_by_header_type
from .record_pairs import pair
from .tables import load_tables

# Positions in a sequence: after a missing or extra record, the numbers of all following records differ rightly.
_COUNTED = {"buffer": ("index",), "event": ("index", "buffer"), "finding": ("event", "buffer")}
# Counts by name, where a missing count is 0.
_COUNTS = ("events_by_header_type", "findings", "bytes")
FINDING_VALUES = ("expected", "actual")  # a finding has both or neither
# Only vectors about payloads state them; other events may have any.
PAYLOAD_MEMBERS = ("event_name", "opcode_name", "provider_name", "raw")
DIFFERENCES_MAX = 50
ACTUAL_MAX = 1 << 18  # characters of actual values of one vector that go into the report


class Comparison:
    """The differences. `missing` and `tolerated` are expected events and buffers that the parser did not report; the
    tolerated ones are only recommended. `compared`: whether there was anything to compare."""

    def __init__(self):
        self.differences = []
        self.count = 0
        self.missing, self.tolerated = [], []
        self.compared = False
        self._characters_left = ACTUAL_MAX

    def add(self, record, kind, field, expected, actual):
        self.count += 1
        if len(self.differences) >= DIFFERENCES_MAX:
            return
        place = {name: self._cut(record.get(name)) for name in ("index", "offset", "space")}
        difference = {"record": kind, "index": place["index"], "field": field, "expected": expected,
                      "actual": self._cut(actual), "offset": place["offset"]}
        if isinstance(place["space"], str):
            difference["space"] = place["space"]
        self.differences.append(difference)

    def _cut(self, value):
        """The value, cut to the characters that are left. None stays None, which means missing."""
        if value is None:
            return None
        text = value if isinstance(value, str) else json.dumps(value)
        left, self._characters_left = self._characters_left, max(0, self._characters_left - len(text))
        return value if len(text) <= left else text[:left] + "..."


def _counts(value):
    return {key: count for key, count in value.items() if number_of(count) != 0} if isinstance(value, dict) else value


class Comparer:
    """Compares the records of one parser. `known` has the fields of any vector, by kind of record. `must_only` tolerates
    missing records that are only recommended."""

    def __init__(self, description, known, must_only):
        self.fields = {kind: declared(description, kind) for kind in ("trace", "buffer", "event", "finding", "end")}
        self.fields_by_header_type = declared_by_header_type(description)
        self.part_fields = {name: declared(description, kind) for name, kind in PARTS.items()}
        self.member_fields = declared(description, "member")
        self.by_time = description.get("order") == "time"
        self.known = known
        tables = load_tables()
        self.compared, self.payload_rules = tables.compared, tables.payload_rules
        self.must_only = must_only

    def fields_of(self, kind, record):
        """The fields that the parser reports of such a record; None if it reports no such records."""
        default = self.fields[kind]
        if kind != "event" or not self.fields_by_header_type:
            return default
        return self.fields_by_header_type.get(key(record.get("header_type")), default)

    def compare(self, vector, records, stopped=False):
        """`stopped`: the parser rejected the file at its first fault, so that any record may be missing."""
        result = Comparison()
        if is_structure(vector):
            records = records_of(records)
            compare_members(vector["expect"], records, self.member_fields, result)
        sides = vector["expect"], records
        if vector.get("layer") != PAYLOAD:  # such vectors have anything as payloads
            sides = [_without_findings(side, self.payload_rules) for side in sides]
        expected, actual = (_by_kind(side) for side in sides)
        moved = False  # a buffer or event is missing or extra
        for kind in ("trace", "buffer", "event", "finding"):
            ours, theirs = ([record for record in side.get(kind, ()) if self.fields_of(kind, record) is not None]
                            for side in (expected, actual))
            if ours or theirs:
                moved |= self._compare_kind(kind, ours, theirs, result, moved, stopped)
        if self.fields["end"] is not None and not stopped:
            self._compare_end(expected.get("end", ()), actual.get("end", ()), result)
        return result

    def _compare_kind(self, kind, expected, actual, result, moved, stopped):
        result.compared = True
        if kind == "event" and self.by_time:
            expected = _in_time_order(expected)
        # The index of an event is its position in the file, which a parser that sorts by time does not know.
        left_out = _COUNTED.get(kind, ()) if moved or (kind == "event" and self.by_time) else ()
        pairs, missing, extra, disordered = pair(kind, expected, actual, lambda record: self.fields_of(kind, record),
                                                 lambda e, a: self.differ(kind, e, a, ()))
        missing = [] if stopped else missing
        if missing or extra:
            left_out = _COUNTED.get(kind, ())
        for e, a in pairs:
            for path, value, other in self.differ(kind, e, a, left_out):
                result.add(e, kind, path, value, other)
        for record in missing:
            self._add_missing(kind, record, result)
        for record in extra:
            result.add(record, kind, None, None, _shown(record, self.fields_of(kind, record)))
        if kind != "finding":
            for e, a in disordered:
                result.add(e, kind, "order", "file order" if not self.by_time else "time order", "out of order")
        return bool(missing or extra)

    def _add_missing(self, kind, record, result):
        recommended = record.get("recovery") == "should"
        if recommended and self.must_only:
            result.tolerated.append(record)
            return
        if kind in ("buffer", "event"):
            (result.tolerated if recommended else result.missing).append(record)
        result.add(record, kind, None, _shown(record, self.fields_of(kind, record)), None)

    def differ(self, kind, expected, actual, left_out):
        """(field, expected, actual) for each declared field that differs."""
        # Most records are equal. An equal finding may still lack a value that is due.
        if expected == actual and kind != "finding":
            return []
        fields, out = self.fields_of(kind, expected), []
        for name, value in expected.items():
            if name in ("rec", "recovery", *PARTS) or name in left_out or not (fields is ALL or name in fields):
                continue
            other = actual.get(name)
            if value != other:
                self._differ(value, other, name, f"{kind}.{name}", out)
        if kind == "finding":
            self._differ_values(expected, actual, out)
        elif len(actual) > 1:
            self._add_unexpected(kind, expected, actual, left_out, out)
        for name, part in self.part_fields.items() if kind == "event" else ():
            if part is not None and (name in expected or name != "fields"):
                self._differ_parts(name, part, expected.get(name) or (), actual.get(name) or (), out)
        return out

    def _differ(self, expected, actual, path, known, out):
        """Adds (path, expected, actual) for each difference. `known`: the path without list indexes."""
        if isinstance(expected, dict) and isinstance(actual, dict):
            for member, value in expected.items():
                if value != actual.get(member):
                    self._differ(value, actual.get(member), f"{path}.{member}", f"{known}.{member}", out)
            for member in self._unexpected(known, expected, actual):
                out.append((f"{path}.{member}", None, actual[member]))
        elif isinstance(expected, list) and isinstance(actual, list):
            for number, value in enumerate(expected):
                self._differ(value, actual[number] if number < len(actual) else None, f"{path}[{number}]", known, out)
            for number in range(len(expected), len(actual)):
                out.append((f"{path}[{number}]", None, actual[number]))
        elif not same(expected, actual):
            out.append((path, expected, actual))

    def _unexpected(self, known, expected, actual):
        """Names of members that are in this actual record and in other expected ones, but not in this expected one. Members
        that no vector has are ignored."""
        names = self.known.get(known, ())
        return [name for name, value in actual.items() if name not in expected and name in names and value is not None]

    def _add_unexpected(self, kind, expected, actual, left_out, out):
        fields = self.fields_of(kind, expected)
        out_of_question = () if "fields" in expected else PAYLOAD_MEMBERS
        for name in self._unexpected(kind, expected, actual):
            if name in PARTS or name in left_out or name in out_of_question:
                continue
            if fields is ALL or name in fields:
                out.append((name, None, actual[name]))

    def _differ_values(self, expected, actual, out):
        """Adds the values of a finding that the vector does not state: one is due where the vector states the other, and
        neither may be there where the rule compares nothing. Other members of a finding may be more than expected."""
        fields = self.fields["finding"]
        for name, other in zip(FINDING_VALUES, reversed(FINDING_VALUES)):
            if name in expected or not (fields is ALL or name in fields):
                continue
            value = actual.get(name)
            if other in expected and value is None:
                out.append((name, "a value", None))
            elif value is not None and self.compared.get(expected["rule"]) == "":
                out.append((name, None, value))

    def _differ_parts(self, name, declared_fields, expected, actual, out):
        """Compares the items or the fields of an event."""
        if not isinstance(actual, (list, tuple)) or not all(isinstance(part, dict) for part in actual):
            out.append((name, f"{len(expected)} {name}", "no list of objects"))
            return
        for number, part in enumerate(expected):
            if number >= len(actual):
                out.append((f"{name}[{number}]", _shown(part, declared_fields), None))
                continue
            self._differ(_declared(part, declared_fields), _declared(actual[number], declared_fields),
                         f"{name}[{number}]", PARTS[name], out)
        for number in range(len(expected), len(actual)):
            out.append((f"{name}[{number}]", None, _shown(actual[number], declared_fields)))

    def _compare_end(self, expected, actual, result):
        if not expected or not actual:
            return  # a missing end record is reported by the verdict
        result.compared = True
        end, found = dict(expected[-1]), dict(actual[-1])
        if result.tolerated and self.must_only:
            end = _without(end, result.tolerated)
            found = {name: value for name, value in found.items() if name in end}
        for name in _COUNTS:
            if name in end:
                end[name], found[name] = _fill(_counts(end[name]), _counts(found.get(name)))
        for path, value, other in self.differ("end", end, found, ()):
            result.add({"offset": None}, "end", path, value, other)


def _fill(expected, actual):
    """Both with the same names, so that a count which should be 0 is compared."""
    if not isinstance(actual, dict) or not isinstance(expected, dict):
        return expected, actual
    names = [*expected, *(name for name in actual if name not in expected)]
    return {name: expected.get(name, "0") for name in names}, {name: actual.get(name, "0") for name in names}


def _without(end, records):
    """The expected totals without the tolerated records, and without counts of bytes, which depend on them."""
    end = {name: end[name] for name in ("rec", "verdict", "buffers", "events") if name in end}
    for kind, name in (("buffer", "buffers"), ("event", "events")):
        if name in end:
            end[name] = str(int(end[name]) - sum(record["rec"] == kind for record in records))
    return end


def _without_findings(records, rules):
    """The records without the findings of these rules, which the end record does not count either."""
    def is_of_rules(record):
        return record.get("rec") == "finding" and record.get("rule") in rules

    severities = [record.get("severity") for record in records if is_of_rules(record)]
    if not severities:
        return records
    return [_with_fewer(record, severities) if record.get("rec") == "end" else record
            for record in records if not is_of_rules(record)]


def _with_fewer(end, severities):
    counts = end.get("findings")
    if not isinstance(counts, dict):
        return end
    return {**end, "findings": {name: str((number_of(count) or 0) - severities.count(name))
                                for name, count in counts.items()}}


def _by_kind(records):
    kinds = {}
    for record in records:
        kind = record.get("rec")
        kinds.setdefault(kind if isinstance(kind, str) else None, []).append(record)
    return kinds


def _in_time_order(events):
    """In the order of `etlproof decode --order time`: an event without a time stays behind its predecessor."""
    keyed, last = [], float("-inf")
    for event in events:
        last = int(event.get("timestamp", last)) if "timestamp" in event else last
        keyed.append((last, event))
    return [event for _, event in sorted(keyed, key=lambda row: row[0])]


def unreported(missing, records):
    """The missing records that no finding of the parser reports: none lies in them or counts them as lost."""
    reported = {}
    for record in records:
        at = number_of(record.get("offset")) if record.get("rec") == "finding" else None
        if at is not None:
            reported.setdefault(key(record.get("space")), []).append((at, at + max(1, number_of(record.get("lost")) or 0)))
    joined = {space: _joined(ranges) for space, ranges in reported.items()}
    return [record for record in missing if not _is_reported(record, joined.get(key(record.get("space")), ([], [])))]


def _joined(ranges):
    """(starts, ends) of the merged ranges, in order."""
    starts, ends = [], []
    for start, end in sorted(ranges):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends


def _is_reported(record, ranges):
    at, size = number_of(record.get("offset")), number_of(record.get("size"))
    if at is None:
        return False
    starts, ends = ranges
    before = bisect.bisect_left(starts, at + max(1, size or 0))  # the ranges that begin before its end
    return before > 0 and ends[before - 1] > at


def _declared(record, fields):
    """The declared members of a record; of a structure or an array also those of what it consists of."""
    return {name: [_declared(one, fields) if isinstance(one, dict) else one for one in value]
            if name in ("fields", "elements") and isinstance(value, list) else value
            for name, value in record.items() if fields is ALL or name in fields}


def _shown(record, fields):
    """The declared fields of a record, for people."""
    return {name: value for name, value in _declared(record, fields).items() if name not in ("rec", "recovery")}


def missing_bytes(vector, records, fields):
    """How many bytes of the file the end record does not account for; 0 if it has no counts of bytes."""
    if fields is None or not (fields is ALL or "bytes" in fields):
        return 0
    for record in records:
        counts = record.get("bytes") if record.get("rec") == "end" else None
        if isinstance(counts, dict):
            total = sum(number_of(count) or 0 for count in counts.values())
            return max(0, vector.get("size", 0) - total)
    return 0
