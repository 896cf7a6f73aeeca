# SPDX-License-Identifier: Apache-2.0
"""Windows of a vector's bytes around places of interest, with the region, owner and structure member of each byte.

Regions and events come from the vector's JSON, members from tables.Tables. If those are empty, because the decoder's format
folder is not there, bytes are annotated with their regions only.
"""
import base64
import bisect
import itertools
import re
from typing import NamedTuple

from .inflate import inflate
from .memory_structure import is_structure, leaves

LINE = 16          # bytes of a line
WINDOW = 512       # most bytes of a window
HEADER = "buffer-header"


class Span(NamedTuple):
    offset: int
    size: int
    kind: str          # of the region
    owner: str         # "victim EVENT_HEADER64"
    member: str        # "Size"; "" outside structures


class Mark(NamedTuple):
    """A place of interest: `kind` is "fault" for the vector's fault, "differs" for the parser's first difference."""
    kind: str
    offset: int
    buffer: str        # index of the inflated buffer in which the offset counts; None: the file


class _Space:
    """A space of offsets: the file or one inflated buffer."""

    def __init__(self, name, data, regions):
        self.name, self.data = name, data
        self.regions = sorted(regions)     # (offset, size, kind, of)
        self.members = {}                  # offset: (size, owner, member)

    def owner_at(self, offset):
        """What the first region at the offset is of; regions do not overlap, but some are empty."""
        owner, at = "", bisect.bisect_right(self.regions, offset, key=lambda region: region[0])
        while at > 0:
            at -= 1
            start, size, _, of = self.regions[at]
            if start + max(size, 1) <= offset:
                break
            owner = of or owner
        return owner

    def add(self, base, owner, parts):
        for offset, size, member in parts:
            self.members[base + offset] = (size, owner, member)

    def spans(self):
        """The regions, split at members; they tile the same bytes."""
        spans, starts = [], sorted(self.members)
        for start, size, kind, of in self.regions:
            at, end = start, start + size
            for place in starts[bisect.bisect_left(starts, start):bisect.bisect_left(starts, end)]:
                length, owner, member = self.members[place]
                if place < at:
                    continue
                if at < place:
                    spans.append(Span(at, place - at, kind, of, ""))
                at = min(place + length, end)
                spans.append(Span(place, at - place, kind, owner, member))
            if at < end:
                spans.append(Span(at, end - at, kind, of, ""))
        return spans


class Annotated:
    """A vector's bytes with the spans of all its spaces."""

    def __init__(self, vector, image, tables):
        self.vector, self.image, self.tables = vector, image, tables
        self.events = [record for record in vector.get("expect", ()) if record["rec"] == "event"]
        self.buffers = [record for record in vector.get("expect", ()) if record["rec"] == "buffer"]
        self.spaces = {None: _Space("file", image, [])}
        self._regions()
        self._members()
        self._buffers()
        for record in self.events:
            self._event(record)
        self._lost()
        self.spans = {key: space.spans() for key, space in self.spaces.items()}

    def _regions(self):
        """Distributes the regions over the spaces. Those of an inflated buffer follow its compressed region."""
        regions, key = {None: []}, None
        for region in self.vector.get("regions", ()):
            row = (int(region["offset"]), int(region["size"]), region["kind"], region.get("of", ""))
            if region.get("space") == "inflated":
                regions.setdefault(key, []).append(row)
                continue
            regions[None].append(row)
            if row[2] == "compressed":
                key = self._buffer_at(row[0])
        self.spaces[None].regions = sorted(regions.pop(None))
        for key, rows in regions.items():
            self.spaces[key] = self._inflated(key, rows)

    def _members(self):
        """Adds the members of a structure in memory, which has no regions."""
        if not is_structure(self.vector):
            return
        space, owner = self.spaces[None], self.vector["structure"]
        space.regions = [(0, len(self.image), "memory", owner)]
        space.add(0, owner, [(int(leaf["offset"]), leaf["size"], path) for path, leaf in leaves(self.vector["expect"])])

    def _buffer_at(self, offset):
        """The index of the buffer that contains a file offset."""
        at = [record["index"] for record in self.buffers
              if int(record["offset"]) <= offset < int(record["offset"]) + record.get("stored_size", record["size"])]
        return at[0] if at else f"at {offset}"

    def _inflated(self, key, rows):
        record = next((record for record in self.buffers if record["index"] == key), None)
        first = rows[0][0]
        data = b""
        if record:
            at = int(record["offset"])
            extent = max(start + size for start, size, _, _ in rows)
            stream = self.image[at + first:at + first + record.get("inflated_from", len(self.image))]
            data = self.image[at:at + first] + inflate(stream, extent - first)
        name = self.spaces[None].owner_at(int(record["offset"])) if record else ""
        return _Space(f"inflated buffer {name}".rstrip(), data, [(0, first, HEADER, name), *rows])

    def _buffers(self):
        for record in self.buffers:
            _, members = self.tables.structures.get(record.get("header"), (0, ()))
            for key, base in ((None, int(record["offset"])), (record["index"], 0)):
                if key in self.spaces:
                    space = self.spaces[key]
                    space.add(base, f"{space.owner_at(base)} {record.get('header', '')}".strip(), members)

    def _structure(self, header_type, old_instance=False):
        """Name of the type and structure of a header, or None."""
        name, layout, _ = self.tables.header_types.get(header_type, ("", "OPAQUE", 0))
        if layout == "INSTANCE" and not old_instance:
            layout = "INSTANCE_GUID"
        return name, self.tables.layouts.get(layout)

    def _event(self, record):
        space = self.spaces.get(record["buffer"] if record.get("space") == "inflated" else None)
        if space is None:
            return
        at = int(record["offset"])
        header_type = int(record["header_type"], 16)
        name, structure = self._structure(header_type, "reg_handle" in record)
        owner = f"{space.owner_at(at) or 'event ' + record['index']} {name}".strip()
        size, members = self.tables.structures.get(structure, (0, ()))
        space.add(at, owner, members)
        space.add(at + size, owner, self._parts(record))
        data = int(record.get("data_offset", at))
        if "logfile" in record and header_type in self.tables.header_types:
            header = f"TRACE_LOGFILE_HEADER{8 * self.tables.header_types[header_type].pointer_size}"
            space.add(data, f"{owner.split()[0]} {header}", self.tables.structures.get(header, (0, ()))[1])
        for number, item in enumerate(record.get("items", ())):
            title = f"{owner.split()[0]} item {item.get('name', number)}"
            space.add(int(item["offset"]), title, self.tables.structures.get("EXTENDED_DATA_ITEM", (0, ()))[1])

    def _parts(self, record):
        """The members behind the fixed part of a header: counters of PERFINFO, optional parts of MESSAGE."""
        if "options" not in record:
            names = ["Pebs"] * ("pebs" in record) + [f"Pmc[{i}]" for i in range(len(record.get("pmc", ())))]
            return [(8 * i, 8, name) for i, name in enumerate(names)]
        stored = self.tables.message_parts(int(record["options"], 16))
        ends = list(itertools.accumulate(option.size for option in stored))
        return [(end - option.size, option.size, option.name) for option, end in zip(stored, ends)]

    def _lost(self):
        """Adds the header members of lost events, which have no record. Their own type byte gives the header type."""
        patched = str(self.vector.get("place", "")).rpartition(".")
        if not self.tables.structures:
            return
        # Every event has its type and its marker at the same places.
        type_at, _ = self.tables.place("OPAQUE_HEADER", "HeaderType")
        marker_at, _ = self.tables.place("OPAQUE_HEADER", "MarkerFlags")
        for space in self.spaces.values():
            for start, size, kind, of in space.regions:
                head = space.data[start:start + marker_at + 1]
                if kind != "damaged" or not of or start in space.members or len(head) <= marker_at:
                    continue
                # If the patch changed the type byte, the byte is the fault and cannot be trusted.
                if patched[0] == of and patched[2] in ("HeaderType", "MarkerFlags"):
                    continue
                if not self._is_start(space, start, of):
                    continue
                name, structure = self._structure(self.tables.header_type(head[marker_at], head[type_at]))
                members = self.tables.structures.get(structure, (0, ()))[1]
                space.add(start, f"{of} {name}".strip(), [part for part in members if part[0] + part[1] <= size])

    @staticmethod
    def _is_start(space, start, of):
        return not any(other == of for at, _, _, other in space.regions if at < start)

    def _missed_size(self, mark):
        """The size of the event or buffer header at the mark, if the parser missed all of it; else 0."""
        if mark.kind != "differs":
            return 0
        for record in self.events:
            inside = record["buffer"] if record.get("space") == "inflated" else None
            if int(record["offset"]) == mark.offset and inside == mark.buffer:
                return record["size"]
        return next((size for start, size, kind, _ in self.spaces[mark.buffer].regions
                     if start == mark.offset and kind == HEADER), 0)

    def _range(self, mark):
        """How many bytes the mark covers."""
        span = self._span(mark)
        return self._missed_size(mark) or (span.size if span and span.offset == mark.offset and span.member else 1)

    def _span(self, mark):
        spans = self.spans[mark.buffer]
        at = bisect.bisect_right([span.offset for span in spans], mark.offset) - 1
        return spans[at] if at >= 0 and mark.offset < spans[at].offset + spans[at].size else None

    def _label(self, mark):
        span = self._span(mark)
        if mark.offset >= len(self.spaces[mark.buffer].data):
            return "the end of the file" if mark.buffer is None else "the end of what can be inflated"
        place = self.vector.get("place", "")
        if span is None:
            return place
        parts = (span.owner,) if self._missed_size(mark) else (span.owner, span.member or span.kind)
        return " · ".join(part for part in parts if part)

    def buffer_of(self, offset, index, record, space):
        """The index of the inflated buffer in which a place counts, as far as the vector shows; None for the file."""
        inflated = [key for key in self.spaces if key is not None]
        if space != "inflated" or not inflated:
            return None
        for event in self.events:
            if record == "event" and event["index"] == index and event["buffer"] in inflated:
                return event["buffer"]
        for finding in self.vector.get("expect", ()):
            if finding["rec"] == "finding" and finding.get("offset") == offset and finding.get("buffer") in inflated:
                return finding["buffer"]
        return inflated[0]

    def windows(self, marks, context):
        """Windows of `context` lines before and after each mark. Touching windows are merged up to WINDOW bytes."""
        windows = []
        for mark in marks:
            size = len(self.spaces[mark.buffer].data)
            line = min(mark.offset, max(size - 1, 0)) // LINE
            start, end = max(line - context, 0) * LINE, min((line + context + 1) * LINE, size)
            last = windows[-1] if windows else None
            if last and last[0] == mark.buffer and start <= last[2] and last[1] <= end \
                    and max(end, last[2]) - min(start, last[1]) <= WINDOW:
                last[1:3] = min(start, last[1]), max(end, last[2])
                last[3].append(mark)
            else:
                windows.append([mark.buffer, start, end, [mark]])
        return [self._window(*window) for window in windows if window[1] < window[2]]

    def _window(self, buffer, start, end, marks):
        space = self.spaces[buffer]
        spans, at = [], start
        for span in self.spans[buffer]:
            first, last = max(span.offset, at), min(span.offset + span.size, end)
            if first < last:
                # Bytes without a region are shown as such; the regions of a vector leave none.
                spans += [(first - at, "", "", "", False)] if at < first else []
                spans.append((last - first, span.kind, span.owner, span.member, span.offset < start))
                at = last
        spans += [(end - at, "", "", "", False)] if at < end else []
        return {"space": space.name, "at": start, "of": len(space.data),
                "bytes": base64.b64encode(space.data[start:end]).decode("ascii"), "spans": spans,
                "marks": [self._mark(mark) for mark in marks]}

    def _mark(self, mark):
        return [mark.kind, mark.offset, self._range(mark), self._label(mark), self._value(mark)]

    def _value(self, mark):
        """The value of a marked member of 1, 2, 4 or 8 bytes, in hex; else ""."""
        span = self._span(mark)
        if not span or not span.member or mark.offset != span.offset or self._missed_size(mark):
            return ""
        if span.size not in (1, 2, 4, 8):
            return ""
        data = self.spaces[mark.buffer].data[span.offset:span.offset + span.size]
        return f"0x{int.from_bytes(data, 'little'):0{2 * span.size}x}" if len(data) == span.size else ""


def marks_of(vector, result, annotated):
    """The marks of the vector's fault and of the first difference in the parser's answer."""
    marks = []
    if vector.get("offset") is not None:
        space = vector.get("space")
        marks.append(Mark("fault", int(vector["offset"]), annotated.buffer_of(vector["offset"], None, None, space)))
    first = next((one for one in result.get("differences", ()) if _is_offset(one.get("offset"))), None)
    offset = first["offset"] if first else result.get("offset")
    if not _is_offset(offset):
        return marks
    space = first.get("space") if first else vector.get("space")
    buffer = annotated.buffer_of(offset, first and first.get("index"), first and first.get("record"), space)
    mark = Mark("differs", int(offset), buffer)
    if first or not any(one.offset == mark.offset and one.buffer == buffer for one in marks):
        marks.append(mark)
    return marks


def _is_offset(value):
    """Whether the value is an offset. Offsets of extra events come from the parser and may be anything."""
    return isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}", value) is not None
