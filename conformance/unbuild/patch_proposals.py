# SPDX-License-Identifier: Apache-2.0
"""Proposes patches: the one change that turns a well-formed trace into the file, the likeliest first.

Building shows which proposal is right. All of them are near the first error that the reference decoder finds; further
errors stay in the trace as members with explicit values.
"""
import re
from typing import NamedTuple

from runner.format_facts import value
from . import literals
from .outline import BUFFER, HEADER, Buffer, Event, Raw

NEAR = 0x100              # bytes; a member farther from the fault is not its cause
TRIED = 12                # proposals that are built
BUFFER_MOST = 0x1000000   # the builder lays out no larger buffer
_BYTES = 8                # bytes in a patch of a piece without structure


class Patch(NamedTuple):
    text: str
    node: "str | None" = None      # node of the trace whose member the patch sets, not the trace
    member: "str | None" = None
    hidden: "tuple | None" = None  # (name, first, last): bytes that differ in the trace
    without: object = None  # a Raw that is not in the trace


class Fault:
    """The place of the first error."""

    def __init__(self, finding, reference):
        self.finding = finding
        self.rule = finding["rule"] if finding else None
        self.offset = int(finding["offset"]) if finding else -1
        self.buffer = finding.get("buffer") if finding else None
        self.inside = bool(finding) and finding.get("space") == "inflated"
        self.words = words_of(reference.rules[self.rule]) if finding else []

    def away(self, outline, buffer, name, at):
        """The distance of a node from the fault; None if it is in another space."""
        inside = int(self.buffer) if self.inside else None
        return next((start - self.offset for space, start in outline.spaces(buffer, name, at) if space == inside), None)

    def shares_space(self, buffer):
        return self.inside == buffer.compressed and (not self.inside or self.buffer == str(buffer.index))

    def holds(self, at, end):
        return at <= self.offset < end


def words_of(rule):
    """Words of a rule that may be names of members: those of its statement, in order, then its group (marker-flags)."""
    group = "".join(word.capitalize() for word in rule["group"].split("-"))
    return list(dict.fromkeys([*re.findall(r"[A-Z]\w+", rule["statement"]), group]))


def proposals(outline, trace, fault):
    """At most TRIED Patches, the likeliest first."""
    ranked = [*_members(outline, trace, fault), *_data(outline, fault), *_pieces(outline, trace, fault),
              *_streams(outline, trace, fault)]
    return [one for _, _, one in sorted(ranked, key=lambda one: one[:2])][:TRIED]


# Members. A wrong BufferSize comes first: only a patch can express it.

def _members(outline, trace, fault):
    number = 0
    for buffer, name, at, _, parts in outline.nodes():
        for member in parts:
            if not member.name[:1].isupper():
                continue  # parts of a message are no members of a structure
            number += 1
            place = at + member.at
            data = outline.bytes_of(buffer, place, place + member.size)
            rank = _rank(outline, trace, fault, buffer, name, at, member, data)
            if rank is not None:
                # The trace keeps the size by which a plain buffer is laid out.
                kept = _is_wrong_size(buffer, name, member, data)
                yield rank, number, Patch(f"{name}.{member.name} = {literals.member(data, member.kind)}",
                                          None if kept else name, member.name)


def _rank(outline, trace, fault, buffer, name, start, member, data):
    if _is_wrong_size(buffer, name, member, data):
        return 0
    given = member.name in trace.given.get(name, {}) and not (name == buffer.name and member.name == "BufferSize")
    named = member.name in fault.words
    away = fault.away(outline, buffer, name, start)
    if away is None or abs(away + member.at) >= NEAR:
        return NEAR if named and given else None
    here = -member.size < away + member.at <= 0
    # A finding may be at the start of a structure while its rule is about one of the members.
    if named and (here or away == 0):
        return 1 + fault.words.index(member.name) / len(fault.words)
    if here:
        return 2
    if given:
        return 3 if named else 6 + abs(away + member.at)
    return None


def _is_wrong_size(buffer, name, member, data):
    return name == buffer.name and member.name == "BufferSize" and not buffer.compressed \
        and int.from_bytes(data, "little") != buffer.size


# Bytes outside members.

def _data(outline, fault):
    """A patch of the byte at the fault, if that is in the data of an event or an item."""
    for buffer in outline.buffers():
        for event in buffer.elements if fault.shares_space(buffer) else ():
            if not isinstance(event, Event) or event.logfile:
                continue
            start = event.items[-1].end if event.items else event.body
            for name, at, first, last in [(item.name, item.at, *item.data) for item in event.items] + [
                    (event.name, event.at, start, event.end)]:
                if fault.holds(first, last):
                    data = outline.bytes_of(buffer, fault.offset, fault.offset + 1)
                    yield 5, 0, _hiding(name, f"{name} + {fault.offset - at}", data, fault.offset - first)


def _pieces(outline, trace, fault):
    for number, part in enumerate(trace.parts):
        if isinstance(part, Raw):
            data = outline.image[part.at:part.end]
            here = not fault.inside and fault.holds(part.at, part.end)
            behind = trace.parts[number + 1:]
            insert = f"insert at {behind[0].name}" if behind else "append"
            yield (4 if here else NEAR + 1), 2 * number, Patch(f"{insert} = {literals.expression(data)}", without=part)
            yield (4 if here else NEAR + 2), 2 * number + 1, _hiding(part.name, part.name, data[:_BYTES])
            continue
        for one in part.elements:
            if isinstance(one, Raw):
                here = fault.shares_space(part) and fault.holds(one.at, one.end)
                data = outline.bytes_of(part, one.at, min(one.end, one.at + _BYTES))
                yield (4 if here else NEAR + 3), one.at, _hiding(one.name, one.name, data)


def _streams(outline, trace, fault):
    """A patch of one byte in a stream that the builder's compressor does not make."""
    for buffer in outline.buffers():
        stream = trace.modes.get(buffer.name)
        if not isinstance(stream, bytes) or not stream or str(buffer.index) != fault.buffer:
            continue
        last = len(stream) - 1
        start = last if fault.inside else max(0, min(fault.offset - buffer.at - HEADER, last))
        yield 5, 0, _hiding(buffer.name, f"stream({buffer.name}) + {start}", stream[start:start + 1], start)


def _hiding(name, place, data, start=0):
    return Patch(f"bytes at {place} = {literals.expression(data)}", hidden=(name, start, start + len(data)))


# The end of the file.

def open_end(outline):
    """Whether the end of the file cuts a buffer. The buffer, and the event that is cut with it, then get their full
    size. A buffer that has the file's BufferSize was not cut: its own BufferSize is wrong."""
    last = outline.parts[-1] if outline.parts else None
    if not isinstance(last, Buffer) or last.compressed:
        return False
    stated = value(BUFFER, "BufferSize", last.data)
    if not last.end - last.at < stated <= BUFFER_MOST or last.end - last.at == outline.buffer_size:
        return False
    last.size = stated
    event = last.elements[-1] if last.elements else None
    if isinstance(event, Event) and event.lost and event.end == last.end:
        size = next(one for one in event.members if one.name == "Size")
        start = event.at + size.at
        end = event.at + int.from_bytes(outline.bytes_of(last, start, start + size.size), "little")
        if last.end < end <= last.at + stated:
            event.end = end
    return True
