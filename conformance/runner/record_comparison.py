# SPDX-License-Identifier: Apache-2.0
"""Holds the records of a parser against those of a vector. Only what the parser declares is compared."""
import bisect
import json

from .adapter import ALL, declared
from .record_pairs import pair
from .number_text import key, same
from .number_text import number as number_of
from .memory_structure import compare as compare_members
from .memory_structure import is_structure, records_of

# Places in a sequence: once a record is missing or too many, those after it are counted differently, and rightly so.
_COUNTED = {"buffer": ("index",), "event": ("index", "buffer"), "finding": ("event", "buffer")}
# Counts by name, where one that is left out is 0.
_COUNTS = ("events_by_header_type", "findings", "bytes")
# A vector may leave out what it does not say of a finding.
_MAY_SAY_MORE = ("finding",)
DIFFERENCES_MAX = 50
ACTUAL_MAX = 1 << 18  # characters of what a parser says of one vector that go into the report


class Comparison:
    """What differs. `missing` and `tolerated` are expected events and buffers that are not there; those tolerated are only
    wished for. `compared` is whether there was anything to compare."""

    def __init__(self):
        self.differences = []
        self.count = 0
        self.missing, self.tolerated = [], []
        self.compared = False
        self._room = ACTUAL_MAX

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
        """A value as far as there is room for it. None stays None: something is missing."""
        if value is None:
            return None
        text = value if isinstance(value, str) else json.dumps(value)
        room, self._room = self._room, max(0, self._room - len(text))
        return value if len(text) <= room else text[:room] + "..."


def _counts(value):
    return {key: count for key, count in value.items() if number_of(count) != 0} if isinstance(value, dict) else value


class Comparer:
    """Compares records of one parser. `known` are the fields that exist, by kind; `must_only` tolerates what is only wished
    for."""

    def __init__(self, description, known, must_only):
        self.fields = {kind: declared(description, kind) for kind in ("trace", "buffer", "event", "finding", "end")}
        self.item_fields = declared(description, "item")
        self.member_fields = declared(description, "member")
        self.by_time = description.get("order") == "time"
        self.known = known
        self.must_only = must_only

    def compare(self, vector, records):
        result = Comparison()
        if is_structure(vector):
            records = records_of(records)
            compare_members(vector["expect"], records, self.member_fields, result)
        expected, actual = _by_kind(vector["expect"]), _by_kind(records)
        moved = False  # buffers or events are missing or too many
        for kind in ("trace", "buffer", "event", "finding"):
            if self.fields[kind] is not None:
                moved |= self._compare_kind(kind, expected.get(kind, ()), actual.get(kind, ()), result, moved)
        if self.fields["end"] is not None:
            self._compare_end(expected.get("end", ()), actual.get("end", ()), result)
        return result

    def _compare_kind(self, kind, expected, actual, result, moved):
        result.compared |= bool(expected or actual)
        if kind == "event" and self.by_time:
            expected = _in_time_order(expected)
        fields = self.fields[kind]
        # The index of an event is its place in the file, which a parser that sorts by time does not know.
        left_out = _COUNTED.get(kind, ()) if moved or (kind == "event" and self.by_time) else ()
        pairs, missing, extra, disordered = pair(kind, expected, actual, fields, lambda e, a: self.differ(kind, e, a, ()))
        if missing or extra:
            left_out = _COUNTED.get(kind, ())
        for e, a in pairs:
            for path, value, other in self.differ(kind, e, a, left_out):
                result.add(e, kind, path, value, other)
        for record in missing:
            self._add_missing(kind, record, result)
        for record in extra:
            result.add(record, kind, None, None, _shown(record, fields))
        if kind != "finding":
            for e, a in disordered:
                result.add(e, kind, "order", "file order" if not self.by_time else "time order", "out of order")
        return bool(missing or extra)

    def _add_missing(self, kind, record, result):
        wished = record.get("recovery") == "should"
        if wished and self.must_only:
            result.tolerated.append(record)
            return
        if kind in ("buffer", "event"):
            (result.tolerated if wished else result.missing).append(record)
        result.add(record, kind, None, _shown(record, self.fields[kind]), None)

    def differ(self, kind, expected, actual, left_out):
        """(field, expected, actual) for each declared field that differs."""
        fields, out = self.fields[kind], []
        for name, value in expected.items():
            if name in ("rec", "recovery", "items") or name in left_out or not (fields is ALL or name in fields):
                continue
            other = actual.get(name)
            if value != other:
                self._differ(value, other, name, f"{kind}.{name}", out)
        if kind not in _MAY_SAY_MORE and len(actual) > 1:
            self._add_unexpected(kind, expected, actual, left_out, out)
        if kind == "event" and self.item_fields is not None:
            self._differ_items(expected.get("items") or (), actual.get("items") or (), out)
        return out

    def _differ(self, expected, actual, path, known, out):
        """Adds (path, expected, actual) for what differs. `known` is the path without places in lists."""
        if isinstance(expected, dict) and isinstance(actual, dict):
            for key, value in expected.items():
                if value != actual.get(key):
                    self._differ(value, actual.get(key), f"{path}.{key}", f"{known}.{key}", out)
            for key in self._unexpected(known, expected, actual):
                out.append((f"{path}.{key}", None, actual[key]))
        elif isinstance(expected, list) and isinstance(actual, list):
            for number, value in enumerate(expected):
                self._differ(value, actual[number] if number < len(actual) else None, f"{path}[{number}]", known, out)
            for number in range(len(expected), len(actual)):
                out.append((f"{path}[{number}]", None, actual[number]))
        elif not same(expected, actual):
            out.append((path, expected, actual))

    def _unexpected(self, known, expected, actual):
        """What a record says, and other records say too, but not this one. What no vector has is decoration."""
        names = self.known.get(known, ())
        return [name for name, value in actual.items() if name not in expected and name in names and value is not None]

    def _add_unexpected(self, kind, expected, actual, left_out, out):
        fields = self.fields[kind]
        for name in self._unexpected(kind, expected, actual):
            if name != "items" and name not in left_out and (fields is ALL or name in fields):
                out.append((name, None, actual[name]))

    def _differ_items(self, expected, actual, out):
        if not isinstance(actual, (list, tuple)) or not all(isinstance(item, dict) for item in actual):
            out.append(("items", f"{len(expected)} items", "no list of objects"))
            return
        for number, item in enumerate(expected):
            if number >= len(actual):
                out.append((f"items[{number}]", _shown(item, self.item_fields), None))
                continue
            self._differ(_declared(item, self.item_fields), _declared(actual[number], self.item_fields),
                         f"items[{number}]", "item", out)
        for number in range(len(expected), len(actual)):
            out.append((f"items[{number}]", None, _shown(actual[number], self.item_fields)))

    def _compare_end(self, expected, actual, result):
        if not expected or not actual:
            return  # that an end is missing is a matter of the protocol
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
    """Both with the same names, so that a count that should be 0 is seen."""
    if not isinstance(actual, dict) or not isinstance(expected, dict):
        return expected, actual
    names = [*expected, *(name for name in actual if name not in expected)]
    return {name: expected.get(name, "0") for name in names}, {name: actual.get(name, "0") for name in names}


def _without(end, records):
    """The totals where records that are only wished for are missing. What became of their bytes is not said."""
    end = {name: end[name] for name in ("rec", "verdict", "buffers", "events") if name in end}
    for kind, name in (("buffer", "buffers"), ("event", "events")):
        if name in end:
            end[name] = str(int(end[name]) - sum(record["rec"] == kind for record in records))
    return end


def _by_kind(records):
    kinds = {}
    for record in records:
        kinds.setdefault(record.get("rec") if isinstance(record.get("rec"), str) else None, []).append(record)
    return kinds


def _in_time_order(events):
    """As `--order time` merges: an event without a time stays behind the one before it."""
    keyed, last = [], float("-inf")
    for event in events:
        last = int(event.get("timestamp", last)) if "timestamp" in event else last
        keyed.append((last, event))
    return [event for _, event in sorted(keyed, key=lambda row: row[0])]


def unsaid(missing, records):
    """Those of the missing records that no finding of a parser speaks of: none lies in them, or says that they are lost."""
    said = {}
    for record in records:
        at = number_of(record.get("offset")) if record.get("rec") == "finding" else None
        if at is not None:
            said.setdefault(key(record.get("space")), []).append((at, at + max(1, number_of(record.get("lost")) or 0)))
    joined = {space: _joined(ranges) for space, ranges in said.items()}
    return [record for record in missing if not _is_said(record, joined.get(key(record.get("space")), ([], [])))]


def _joined(ranges):
    """Starts and ends, apart and in order."""
    starts, ends = [], []
    for start, end in sorted(ranges):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends


def _is_said(record, said):
    at, size = number_of(record.get("offset")), number_of(record.get("size"))
    if at is None:
        return False
    starts, ends = said
    before = bisect.bisect_left(starts, at + max(1, size or 0))  # those that begin before its end
    return before > 0 and ends[before - 1] > at


def _declared(record, fields):
    return {name: value for name, value in record.items() if fields is ALL or name in fields}


def _shown(record, fields):
    """The declared part of a record, for people."""
    return {name: value for name, value in _declared(record, fields).items() if name not in ("rec", "recovery")}


def missing_bytes(vector, records, fields):
    """How many bytes of the file an `end` record does not account for; 0 if it does, or does not say."""
    if fields is None or not (fields is ALL or "bytes" in fields):
        return 0
    for record in records:
        counts = record.get("bytes") if record.get("rec") == "end" else None
        if isinstance(counts, dict):
            total = sum(number_of(count) or 0 for count in counts.values())
            return max(0, vector.get("size", 0) - total)
    return 0
