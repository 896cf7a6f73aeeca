# SPDX-License-Identifier: Apache-2.0
"""Places in a trace by name: finds the member at an offset, and lists the members and the bytes between them."""
from typing import NamedTuple

from runner.format_facts import item_type, members, size_of, tables, value
from unbuild.outline import BUFFER, HEADER, Raw

OPAQUE = "OPAQUE_HEADER"  # of an event of unknown layout


class Place(NamedTuple):
    offset: int
    inside: "int | None" = None     # index of the inflated buffer that contains it


class Spot(NamedTuple):
    structure: str
    member: str
    node: str              # its name in the recipe


def locate(outline, place, words=()):
    """The Spot of an offset: its member, or the region that contains it; None outside the file. The start of a structure
    may stand for all of it: then the member is the first of `words` that is a member, if there is one."""
    for buffer, name, start, structure, parts in outline.nodes():
        at = next((one for space, one in outline.spaces(buffer, name, start) if space == place.inside), None)
        if at is not None and at == place.offset:
            named = [word for word in words if any(one.name == word for one in parts)]
            return Spot(structure, named[0] if named else None, name)
        for member in parts if at is not None else ():
            if at + member.at <= place.offset < at + member.at + member.size:
                return Spot(structure, member.name or None, name)
    return _among(outline, place, words)


def _shares(buffer, place):
    return buffer.index == place.inside if buffer.compressed else place.inside is None


def _among(outline, place, words):
    for part in [*outline.parts, *([outline.inserted] if outline.inserted else [])]:
        if isinstance(part, Raw) or (part.compressed and place.inside is None):
            if place.inside is None and part.at <= place.offset < part.end:
                return _between(outline, part, place, words)
        elif _shares(part, place):
            for one in part.elements:
                if one.at <= place.offset < one.end:
                    return _inside(one, place)
            if part.base <= place.offset < part.base + len(part.data):
                return Spot("slack", None, part.name)
    return None


def _between(outline, part, place, words):
    """If a buffer should start at the offset, a rule about buffer headers is about that buffer."""
    if not isinstance(part, Raw):
        return Spot("XPRESS stream", None, part.name)
    header = outline.buffers()[0].header if outline.buffers() else BUFFER
    named = [word for word in words if any(one.name == word for one in members(header))]
    return Spot(header, named[0], part.name) if part.at == place.offset and named else Spot(part.kind, None, part.name)


def _inside(one, place):
    if isinstance(one, Raw):
        return Spot(one.kind, None, one.name)
    item = next((item for item in one.items if item.at <= place.offset < item.end), None)
    if item:
        return Spot(f"data of item {item_type(item.type)}", None, item.name)
    return Spot(f"data of {one.header}", None, one.name)


def place_of(finding):
    return Place(int(finding["offset"]), int(finding["buffer"]) if finding.get("space") == "inflated" else None)


class Field(NamedTuple):
    spot: Spot
    at: int                # in the file, or in the inflated buffer
    size: int
    inside: "int | None" = None     # index of the inflated buffer that contains it


def fields(outline):
    """The Fields of a file: its members, and its runs of bytes without members. A compressed buffer has those of its
    inflated bytes, and one for its stream."""
    found = [*_members(outline), *_payloads(outline)]
    for part in [*outline.parts, *([outline.inserted] if outline.inserted else [])]:
        if isinstance(part, Raw):
            found += _raw(part, BUFFER, min(HEADER, part.end - part.at))
        elif part.compressed:
            found.append(Field(Spot("XPRESS stream", None, part.name), part.at + HEADER, part.end - part.at - HEADER))
    room = {None: len(outline.image), **{one.index: len(one.data) for one in outline.buffers()}}
    return [one for one in found if one.size > 0 and one.at + one.size <= room[one.inside]]


def _members(outline):
    for buffer, name, start, structure, parts in outline.nodes():
        inside, at = outline.spaces(buffer, name, start)[0]
        if structure == OPAQUE:  # an event that is too short for its own structure
            structure, size = _event_header(outline.bytes_of(buffer, at, at + size_of(OPAQUE)))
            parts = [one for one in members(structure) if one.at + one.size <= size]
        for one in parts:
            yield Field(Spot(structure, one.name or None, name), at + one.at, one.size, inside)


def _payloads(outline):
    for buffer in outline.buffers():
        inside = buffer.index if buffer.compressed else None
        for one in buffer.elements:
            if isinstance(one, Raw):
                yield from _raw(one, *_event_header(outline.bytes_of(buffer, one.at, one.end)), inside)
                continue
            at = one.body + (size_of(one.logfile) if one.logfile else 0)
            for item in one.items:
                yield Field(_inside(one, Place(item.at)), item.data[0], item.data[1] - item.data[0], inside)
                at = item.end
            yield Field(_inside(one, Place(one.end)), at, one.end - at, inside)


def _event_header(data):
    """(structure, size of its part in the data) of a damaged event, by its HeaderType; (None, 0) if it has none."""
    if len(data) < size_of(OPAQUE):
        return None, 0
    marker, number = (value(OPAQUE, name, data) for name in ("MarkerFlags", "HeaderType"))
    known = tables().header_types.get(tables().header_type(marker, number))
    structure = tables().layouts[known.layout if known else "OPAQUE"]
    return structure, min(size_of(structure), len(data))


def _raw(part, structure, size, inside=None):
    """Bytes that the decoder does not read: the members that they would have as a structure, and the rest."""
    for one in members(structure) if structure else ():
        if one.at + one.size <= size:
            yield Field(Spot(structure, one.name or None, part.name), part.at + one.at, one.size, inside)
    yield Field(Spot(part.kind, None, part.name), part.at + size, part.end - part.at - size, inside)
