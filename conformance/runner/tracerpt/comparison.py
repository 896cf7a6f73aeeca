# SPDX-License-Identifier: Apache-2.0
"""Pairs the events of both sides and compares them.

Events of one process, thread, EventID, Version and Opcode are paired in the order of their times; then their other members
are compared. All times may differ by one number of minutes, since tracerpt's are local.
"""
import collections
from typing import NamedTuple

from .field_values import DIFFERENT, compare_fields

MINUTE = 60 * 10_000_000
TIME, FIELD = "time", "field "    # members of `differences` beside those of an Event


class Comparison(NamedTuple):
    both: int              # events that have a partner
    only_ours: list        # where: events without one
    only_theirs: list
    zone: int              # minutes by which tracerpt's times are later
    differences: dict      # {member: [text]}
    fields: dict           # {verdict of field_values: how many}

    @property
    def agree(self):
        return not (self.only_ours or self.only_theirs or self.differences)


def compare(ours, theirs):
    """The Comparison of two lists of Events."""
    pairs, (only_ours, only_theirs) = _pairs(ours, theirs)
    zone = _zone(pairs)
    found, fields = collections.defaultdict(list), collections.Counter()
    for pair in pairs:
        _compare_time(*pair, zone, found)
        _compare_members(*pair, found)
        _compare_payload(*pair, found, fields)
    return Comparison(len(pairs), [one.where for one in only_ours], [one.where for one in only_theirs], zone,
                      dict(sorted(found.items())), fields)


def _by_key(events):
    groups = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: event.time):
        groups[event.key].append(event)
    return groups


def _pairs(ours, theirs):
    """([pair], events without a partner on either side)"""
    pairs, alone = [], ([], [])
    groups = _by_key(ours), _by_key(theirs)
    for key in sorted({**groups[0], **groups[1]}):
        sides = [group.get(key, []) for group in groups]
        pairs += zip(*sides)
        fewer = min(map(len, sides))
        for found, events in zip(alone, sides):
            found += events[fewer:]
    return pairs, alone


def _zone(pairs):
    """The minutes by which most of the other side's times are later."""
    minutes = collections.Counter(round((theirs.time - ours.time) / MINUTE) for ours, theirs in pairs)
    return minutes.most_common(1)[0][0] if minutes else 0


def _compare_time(ours, theirs, zone, found):
    late = theirs.time - ours.time - zone * MINUTE
    if abs(late) > 1:
        found[TIME].append(f"{theirs.where} is {late / 10_000_000:+.7f} s from {ours.where}")


def _compare_members(ours, theirs, found):
    for name, value in ours.members.items():
        other = theirs.members[name]
        if value is not None and other is not None and value != other:
            found[name].append(f"{theirs.where}: {other}; {ours.where}: {value}")


def _compare_payload(ours, theirs, found, fields):
    if ours.fields is None or theirs.fields is None:
        return
    for verdict, name, value, text in compare_fields(ours.fields, theirs.fields):
        fields[verdict] += 1
        if verdict == DIFFERENT:
            found[FIELD + name].append(f"{theirs.where}: {text}; {ours.where}: {value}")
