# SPDX-License-Identifier: Apache-2.0
"""Pairs the records of a parser with the expected ones: by offset if it is reported, else in order, by similarity."""
from .number_text import key
from .parser_under_test import ALL

_GAP = 0.4           # a missing and an extra record are likelier than a pair with more than 80 % of the members different
_TABLE_MAX = 40_000  # pairs to weigh, in a second; more are paired in order


def pair(kind, expected, actual, fields_of, differ):
    """(pairs, missing, extra, pairs out of order). `fields_of(record)`: the fields that the parser reports of such a
    record. `differ(expected, actual)` lists the differences of two records."""
    fields = _common(map(fields_of, expected))
    if fields is ALL or "offset" in fields:
        if all(record.get("offset") is not None for record in actual) and all("offset" in record for record in expected):
            return _by_place(_place_fields(kind, fields), expected, actual, fields_of, differ)
    pairs, missing, extra = _in_order(expected, actual, differ, lambda record: _compared(record, fields_of(record)))
    return pairs, missing, extra, []


def _common(every):
    """The fields that are reported of all records."""
    some = [fields for fields in every if fields is not ALL]
    return frozenset.intersection(*some) if some else ALL


def _different(differences):
    """How many members of a record differ: of a list, such as the items of an event, every element may."""
    return len({path.partition("[")[0].partition(".")[0] for path, _, _ in differences})


def _compared(record, fields):
    """How many members of a record are compared."""
    return max(1, len(record) - 1 if fields is ALL else len(fields & record.keys()))


def _place_fields(kind, fields):
    """The reported fields that identify a place. Offsets in two inflated buffers can be equal; such records are paired in
    order."""
    more = ("space", "rule") if kind == "finding" else ("space",)
    return ["offset", *(name for name in more if fields is ALL or name in fields)]


def _by_place(place_fields, expected, actual, fields_of, differ):
    def place(record):
        return tuple(key(record.get(name)) for name in place_fields)

    places = {}
    for side, records in enumerate((expected, actual)):
        for number, record in enumerate(records):
            places.setdefault(place(record), ([], []))[side].append((number, record))
    found, missing, extra = [], [], []
    for ours, theirs in places.values():
        pairs, gone, more = _in_order(ours, theirs, lambda e, a: differ(e[1], a[1]),
                                      lambda e: _compared(e[1], fields_of(e[1])))
        found += pairs  # extend in place: a parser may report any number of places
        missing += gone
        extra += more
    found.sort(key=lambda both: both[0][0])
    missing.sort(key=lambda row: row[0])
    extra.sort(key=lambda row: row[0])
    strip = [(e[1], a[1]) for e, a in found]
    return strip, [row[1] for row in missing], [row[1] for row in extra], _disordered(found)


def _disordered(found):
    """Pairs whose actual record comes before that of the pair before them."""
    return [(e[1], a[1]) for (_, before), (e, a) in zip(found, found[1:]) if a[0] < before[0]]


def _in_order(expected, actual, differ, compared):
    """The most likely pairing that keeps the order."""
    if not expected or not actual:
        return [], list(expected), list(actual)
    start = 0
    while start < min(len(expected), len(actual)) and not differ(expected[start], actual[start]):
        start += 1
    stop = 0
    while stop < min(len(expected), len(actual)) - start and not differ(expected[-1 - stop], actual[-1 - stop]):
        stop += 1
    ours, theirs = expected[start:len(expected) - stop], actual[start:len(actual) - stop]
    pairs, missing, extra = _align(ours, theirs, differ, compared)
    head = list(zip(expected[:start], actual[:start]))
    end = list(zip(expected[len(expected) - stop:], actual[len(actual) - stop:]))
    return head + pairs + end, missing, extra


def _align(ours, theirs, differ, compared):
    if not ours or not theirs:
        return [], list(ours), list(theirs)
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])], [], []
    if len(ours) * len(theirs) > _TABLE_MAX:
        size = min(len(ours), len(theirs))
        return list(zip(ours, theirs)), ours[size:], theirs[size:]
    return _trace_back(ours, theirs, _table(ours, theirs, differ, compared))


def _table(ours, theirs, differ, compared):
    """For each i and j: the least cost of pairing the first i with the first j records, and the last step."""
    width = len(theirs) + 1
    rows = [[(_GAP * j, "extra") for j in range(width)]]
    for i, e in enumerate(ours, 1):
        row = [(_GAP * i, "missing")]
        for j, a in enumerate(theirs, 1):
            row.append(min((rows[i - 1][j - 1][0] + _different(differ(e, a)) / compared(e), "both"),
                           (rows[i - 1][j][0] + _GAP, "missing"), (row[j - 1][0] + _GAP, "extra")))
        rows.append(row)
    return rows


def _trace_back(ours, theirs, rows):
    pairs, missing, extra = [], [], []
    i, j = len(ours), len(theirs)
    while i or j:
        step = rows[i][j][1]
        if step == "both" and i and j:
            i, j = i - 1, j - 1
            pairs.append((ours[i], theirs[j]))
        elif step == "missing" and i:
            i -= 1
            missing.append(ours[i])
        else:
            j -= 1
            extra.append(theirs[j])
    return pairs[::-1], missing[::-1], extra[::-1]
