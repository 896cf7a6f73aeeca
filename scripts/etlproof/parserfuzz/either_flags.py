# SPDX-License-Identifier: Apache-2.0
"""Decides which mutants have the verdict `either`, and for which flag, so that a parser is not blamed for open questions.

Where the evidence on the format is inconclusive, golden vectors have the verdict `either` and a flag. A mutant whose
reference decode touches the same question gets the same flag. A rule is open if no accepted or rejected vector has its
finding. Some flags have no finding; they are recognised from records and bytes.
"""
import collections

from runner import format_facts

# Flags of single fields: see open_difference. All other fields are compared with the reference.
FIELD_FLAGS = ("clock-rounding", "item-form", "processor-time", "time-out-of-range")
TICK = 1  # 100 ns
_TICKS_A_SECOND = 10_000_000
_TIMES = ("kernel_time", "user_time", "processor_time")
# Header types of events whose layout is not published, the marker of the timed form, and the bit that all markers have.
_OPAQUE_TYPES = format_facts.header_types_of("OPAQUE")
_MARKER = format_facts.constants("marker_flags.def", "ETL_MARKER")
_TIMED_MARKER, _MARKERS = _MARKER["ULONG32_TIME"], (_MARKER["EVENT_TRACE"], _MARKER["MESSAGE"])
_MARKER_FLAG = format_facts.constants("marker_flags.def", "ETL_MARKER_FLAG")
_MARKED, _MARKER_BITS = _MARKER_FLAG["TRACE_HEADER_FLAG"], sum(_MARKER_FLAG.values())
_HEADER = "OPAQUE_HEADER"  # the common start of all event headers
_TYPE_AT, _MARKER_AT = (format_facts.member(_HEADER, name).start for name in ("HeaderType", "MarkerFlags"))
_BUFFER_MOST = 16 << 20  # bytes: ETL_BUFFER_SIZE_MAX of decoder/include/etlproof/buffer_header.h
# No real file has an event across or behind the extent of its buffer.
_OPEN_EXTENT = ("event-beyond-extent",)
_SIZES = ("SIZ-001", "SIZ-002", "SIZ-003")
# Bits of the Version word: PEBS index, number of performance counters.
_VERSION = format_facts.constants("version_word.def", "ETL_VERSION_MASK")
_COUNTER_BITS = _VERSION["PEBS_INDEX"] | _VERSION["PMC_COUNT"]
_VERSION_WORD = format_facts.member("SYSTEM_TRACE_HEADER", "Version")
# Headers with a Version word; only PERFINFO is known to have counters.
_COUNTER_HEADERS = tuple(f"0x{number:02x}" for number in format_facts.header_types_of("SYSTEM", "COMPACT"))
_CLOCKS = format_facts.constants("clock_types.def", "ETL_CLOCK_TYPE")
_EXACT_CLOCKS = (_CLOCKS["PERFCOUNTER"], _CLOCKS["SYSTEMTIME"])


class Settled:
    """The questions that the golden vectors settle; `flags_of_rule` are the flags of the open rules."""

    def __init__(self, vectors):
        self.flags_of_rule = _open_rules(vectors)
        self.old_headers = _open_headers(vectors)

    def flags(self, records, image):
        """The flags of `either` that a reference decode touches before its first settled error: from that error on, the
        file is broken in any case."""
        found = set()
        buffers = {}
        for record in records:
            kind = record.get("rec")
            if kind == "buffer":
                buffers[record["index"]] = record
                if record.get("header") in self.old_headers:
                    found.add("old-buffer-header")
            elif kind == "event" and _has_counters(record, image):
                found.add("counters-outside-perfinfo")
            elif kind == "finding":
                flags = self._of_finding(record, buffers.get(record.get("buffer")), image)
                found |= flags
                if record["severity"] == "error" and not flags:
                    found.update(_OPEN_EXTENT if _has_more_events(records, record) else [])
                    break
        if any(_is_tail_of_zeros(record, image) for record in records):
            found.add("preallocated-tail")  # it also affects the records before it
        if any(record.get("rec") == "buffer" and record["index"] == "0" and record.get("compressed") for record in records):
            found.add("compressed-header-buffer")  # a parser may find the logfile header in it
        if any(record.get("severity") == "limit" for record in records):
            found.add("reader-limit")  # a parser without the limit reads more, whatever else is wrong
        return sorted(found)

    def _of_finding(self, finding, buffer, image):
        rule = finding["rule"]
        flags = set(self.flags_of_rule.get(rule, ()))
        if buffer and rule == "BUF-006":
            below = buffer.get("saved_offset", 0) > buffer.get("offset_member", 0)
            flags.update(["saved-offset-beyond-offset"] if below else [])
            flags.update(["reader-limit"] if _gives_way(buffer) else [])
            buffer["undercounts"] = True
        if buffer and rule == "SIZ-002" and buffer.get("undercounts"):
            flags.add("event-beyond-extent")
        if rule == "BUF-015" and _has_leftovers(buffer, image):
            flags.update(_OPEN_EXTENT)
        if rule in _SIZES and _is_opaque(finding, buffer, image):
            flags.add("opaque-size")
        return flags


def _gives_way(buffer):
    """Whether Offset of a compressed buffer is possible but exceeds the limit on inflating, so that the reader reads up to
    SavedOffset."""
    saved = buffer.get("saved_offset")
    return buffer.get("compressed") and buffer.get("extent") == saved < buffer.get("offset_member", 0) <= _BUFFER_MOST


def _has_more_events(records, error):
    """Whether events of the same buffer lie behind its extent: for a reader that stops there, the fault may be behind
    it."""
    return any(record.get("rule") == "BUF-022" and record.get("buffer") == error.get("buffer") for record in records)


def _has_leftovers(buffer, image):
    """Whether the slack of an uncompressed buffer contains bytes that could start an event."""
    if not buffer or buffer.get("compressed"):
        return False
    start, extent = int(buffer["offset"]), buffer["extent"]
    slack = range(start + (extent + 7) // 8 * 8, min(start + buffer["stored_size"], len(image) - _MARKER_AT), 8)
    return any(image[at + _MARKER_AT] in _MARKERS for at in slack)


def _open_rules(vectors):
    """Flags by rule, for the rules whose finding occurs only in `either` vectors. A rejected vector settles only the rule
    that it is about; it may not have been rejected for its other findings."""
    settled, flags = set(), collections.defaultdict(set)
    for vector in vectors:
        rules = {record["rule"] for record in vector["expect"] if record["rec"] == "finding"}
        if vector["verdict"] == "accept":
            settled |= rules
        elif vector["verdict"] == "reject":
            settled |= rules & {vector["rule"]}
        else:
            for rule in rules:
                flags[rule].update(vector["flags"])
    return {rule: sorted(names) for rule, names in flags.items() if rule not in settled}


def _open_headers(vectors):
    """Buffer headers that occur in no settled vector."""
    seen = collections.defaultdict(set)
    for vector in vectors:
        side = "either" if vector["verdict"] == "either" else "settled"
        seen[side].update(record.get("header") for record in vector["expect"] if record["rec"] == "buffer")
    return seen["either"] - seen["settled"]


def _is_tail_of_zeros(record, image):
    return record.get("rule") == "BUF-003" and not any(image[int(record["offset"]):])


def _is_opaque(finding, buffer, image):
    """Whether the event of a finding about its size may have an unknown layout. Always so inside a compressed buffer, where
    its bytes are not visible."""
    if finding.get("space"):
        return True
    at, first = int(finding["offset"]), int(buffer["offset"]) if buffer else 0
    at -= (at - first) % 8
    if at + _MARKER_AT >= len(image):
        return False
    kind, marker = image[at + _TYPE_AT], image[at + _MARKER_AT]
    return kind in _OPAQUE_TYPES or marker & _MARKER_BITS == _TIMED_MARKER or not marker & _MARKED


def _has_counters(event, image):
    """Whether an event other than PERFINFO has bits of PEBS or PMC in its Version word."""
    if event.get("header_type") not in _COUNTER_HEADERS:
        return False
    if event.get("space"):
        return False  # not visible here: see _may_be_counters
    at = int(event["offset"])
    word = image[at:at + _VERSION_WORD.stop]
    return len(word) == _VERSION_WORD.stop and bool(int.from_bytes(word[_VERSION_WORD], "little") & _COUNTER_BITS)


class Clock:
    """The clock of a reference decode: which time stamps have one UTC that all evidence agrees on."""

    def __init__(self, records):
        trace = next((record for record in records if record["rec"] == "trace"), {})
        self.has_start = "start_utc" in trace
        frequency = int(trace.get("clock_frequency", 0) or 0)
        self.rounds = trace.get("clock_type") not in _EXACT_CLOCKS or not frequency or _TICKS_A_SECOND % frequency != 0


def open_difference(record, difference, clock):
    """The flag of a field that may differ, or None. `record` is the expected one, `difference` is (field, expected,
    actual)."""
    field, expected, actual = difference
    kind = record["rec"]
    if kind == "event" and field == "utc":
        return _open_time(expected, actual, clock)
    if field == "processor_time" or (field in _TIMES and expected is None):
        return "processor-time"
    if field.startswith("items[") and field.endswith("].text"):
        return "item-form"
    if kind == "event" and record.get("space") and record.get("header_type") in _COUNTER_HEADERS:
        return "counters-outside-perfinfo" if _may_be_counters(*difference) else None
    return None


def _may_be_counters(field, expected, actual):
    """Whether the data of an event may begin later because of counters. Their announcement is not visible in a compressed
    buffer."""
    if field == "data":
        return isinstance(actual, str) and expected.endswith(actual) and (len(expected) - len(actual)) % 16 == 0
    if field not in ("data_offset", "data_size") or not str(actual).isdigit():
        return False
    later = (int(actual) - int(expected)) * (1 if field == "data_offset" else -1)
    return later > 0 and later % 8 == 0


def _open_time(expected, actual, clock):
    if expected is None or not clock.has_start or expected[:5] in ("1601-", "9999-"):
        return "time-out-of-range"
    if clock.rounds and isinstance(actual, str) and _one_tick_apart(expected, actual):
        return "clock-rounding"
    return None


def _one_tick_apart(one, other):
    """Whether two times of equal length as text differ by one in the last digit, carries included."""
    digits = ["".join(cell for cell in text if cell.isdigit()) for text in (one, other)]
    if len(digits[0]) != len(digits[1]):
        return False
    same_second = digits[0][:-7] == digits[1][:-7]
    if same_second:
        return abs(int(digits[0]) - int(digits[1])) <= TICK
    return {digits[0][-7:], digits[1][-7:]} == {"0000000", "9999999"}
