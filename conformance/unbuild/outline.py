# SPDX-License-Identifier: Apache-2.0
"""The outline of a file as a recipe expresses it: buffers, events, items, and other bytes.

The outline comes from `etlproof map` and `etlproof decode`. Callers do not trust it: they build the recipe and compare the
result with the file.
"""
import dataclasses

from runner.format_facts import Member, constants, latest, members, size_of, tables, value
from runner.inflate import inflate

BUFFER = latest("WMI_BUFFER_HEADER_")
HEADER = size_of(BUFFER)   # the same in all versions
_MARKED = constants("marker_flags.def", "ETL_MARKER_FLAG")["TRACE_HEADER_FLAG"]
_ITEM, _UNKNOWN = "EXTENDED_DATA_ITEM", "OPAQUE_HEADER"


def aligned(at):
    """Events and items start at multiples of 8."""
    return (at + 7) & ~7


@dataclasses.dataclass
class Item:
    name: str
    at: int                # in the space of its buffer, like all offsets here
    end: int
    type: int
    data: tuple            # (start, end)
    members: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Event:
    name: str
    at: int
    end: int               # of its user data
    type: str              # the type as a recipe writes it
    header: str            # structure
    members: list          # Members of its header and of the optional parts after it
    body: int              # where items, a logfile header or data start
    items: list = dataclasses.field(default_factory=list)
    logfile: str = ""      # structure of the logfile header that its data starts with
    counters: tuple = ()   # (pebs or None, [pmc])
    lost: bool = False     # not read by the decoder
    read: int = 0          # bytes of it that the decoder reads; 0: all


@dataclasses.dataclass
class Raw:
    name: str
    at: int
    end: int
    kind: str              # of region


@dataclasses.dataclass
class Buffer:
    name: str
    index: int
    at: int                # in the file
    end: int
    header: str
    compressed: bool
    data: bytes            # header and what follows it; inflated if compressed
    elements: list         # of Event and Raw
    size: int              # its size before the file was cut

    @property
    def base(self):
        """Its offset in the space of its elements."""
        return 0 if self.compressed else self.at


class Outline:
    """`parts`: Buffers and Raws that tile the file."""

    def __init__(self, path, reference):
        with open(path, "rb") as file:
            self.image = file.read()
        self.reference = reference
        regions = reference.records("map", "--json", path)
        records = reference.records("decode", path)
        self.verdict = records[-1]["verdict"] if records and records[-1]["rec"] == "end" else "not-etl"
        self.findings = [record for record in records if record["rec"] == "finding"]
        self.buffer_size = next((record["buffer_size"] for record in records if "buffer_size" in record), None)
        self._buffers = {record["index"]: record for record in records if record["rec"] == "buffer"}
        self._events = {record["index"]: record for record in records if record["rec"] == "event"}
        self.parts, self._raws, self._lost = [], 0, 0
        self.inserted = None   # a Raw that a patch inserts into the file; it is no part of the trace
        if regions and regions[-1]["rec"] == "end" and len(self._buffers) == int(records[-1]["buffers"]):
            self._read([region for region in regions if region["rec"] == "region"])
        if sum(part.end - part.at for part in self.parts) != len(self.image):
            self.parts = [self.raw(0, len(self.image), "damaged")] if self.image else []
        self.pointer_size = 4 if any(event.logfile.endswith("32") for event in self.events()) else 8

    def buffers(self):
        return [part for part in self.parts if isinstance(part, Buffer)]

    def events(self):
        return [one for buffer in self.buffers() for one in buffer.elements if isinstance(one, Event)]

    def raw(self, at, end, kind):
        self._raws += 1
        return Raw(f"raw{self._raws}", at, end, kind if kind in ("damaged", "tail", "slack") else "damaged")

    def _read(self, regions):
        """Reads the regions into parts. The regions of one buffer follow each other."""
        at = 0
        while at < len(regions):
            first = regions[at]
            end = at + 1
            if first["kind"] == "buffer-header":
                while end < len(regions) and regions[end].get("buffer") == first["buffer"]:
                    end += 1
                self.parts.append(self._buffer(self._buffers[first["buffer"]], regions[at:end]))
            else:
                start = int(first["offset"])
                self.parts.append(self.raw(start, start + int(first["size"]), first["kind"]))
            at = end

    # Buffers.

    def _buffer(self, record, regions):
        at, compressed = int(record["offset"]), record["compressed"]
        end = at + sum(int(region["size"]) for region in regions if region.get("space") != "inflated")
        data = self.image[at:end]
        inner = [region for region in regions[1:] if region["kind"] != "compressed"]
        if compressed:
            inner = [region for region in inner if region.get("space") == "inflated"]
            reach = max((int(one["offset"]) + int(one["size"]) for one in inner), default=HEADER)
            data = data[:HEADER] + inflate(data[HEADER:], reach - HEADER)
        index = int(record["index"])
        buffer = Buffer(f"b{index}", index, at, end, record["header"], compressed, data, [], end - at)
        buffer.elements = self._elements(buffer, inner)
        return buffer

    def _elements(self, buffer, regions):
        """The events and other bytes of a buffer. Slack at the end is dropped: the builder fills the rest of a
        buffer."""
        groups = []
        for region in regions:
            if groups and region.get("event") is not None and groups[-1][0].get("event") == region["event"]:
                groups[-1].append(region)
            elif region["kind"] != "padding":
                groups.append([region])
        found = [one for group in groups for one in self._element(buffer, group)]
        while found and isinstance(found[-1], Raw) and found[-1].kind == "slack":
            found.pop()
        return self._join(buffer, found)

    def _join(self, buffer, elements):
        """The builder starts each element at the next multiple of 8. An element that starts elsewhere becomes bytes,
        together with the element before it."""
        joined, at = [], buffer.base + HEADER
        for one in elements:
            if one.at != at:
                before = joined.pop() if joined else None
                one = self.raw(before.at if before else at, one.end, "damaged")
            joined.append(one)
            at = aligned(one.end - buffer.base) + buffer.base
        return joined

    def _element(self, buffer, group):
        at = int(group[0]["offset"])
        end = max(int(one["offset"]) + int(one["size"]) for one in group if one["kind"] != "padding")
        if at + 1 > end:
            return []
        if group[0]["kind"] == "event-header":
            event = self._event(buffer, self._events[group[0]["event"]], at, end)
            event.read = next((int(one["offset"]) - at for one in group if one["kind"] == "damaged"), 0)
            self._add_lost_item(buffer, event)
            return [event]
        if group[0]["kind"] == "slack":
            return [self.raw(at, end, "slack")]
        lost = self._lost_event(buffer, at, end)
        return [lost] if lost else [self.raw(at, end, "damaged")]

    # Events.

    def nodes(self):
        """(buffer, name, offset in the space of the buffer, structure, Members) of all structures."""
        for buffer in self.buffers():
            yield buffer, buffer.name, buffer.base, buffer.header, members(buffer.header)
            for one in buffer.elements:
                if not isinstance(one, Event):
                    continue
                yield buffer, one.name, one.at, one.header, one.members
                if one.logfile:
                    yield buffer, one.name, one.body, one.logfile, members(one.logfile)
                for item in one.items:
                    yield buffer, item.name, item.at, "EXTENDED_DATA_ITEM", item.members

    @staticmethod
    def spaces(buffer, name, at):
        """[(index of the inflated buffer or None for the file, offset)] of a node. The header of a compressed buffer is
        in both spaces."""
        if not buffer.compressed:
            return [(None, at)]
        return ([(None, buffer.at)] if name == buffer.name else []) + [(buffer.index, at)]

    def bytes_of(self, buffer, at, end):
        return buffer.data[at - buffer.base:end - buffer.base]

    def _event(self, buffer, record, at, end):
        number = int(record["header_type"], 16)
        name, layout, _ = tables().header_types.get(number, ("", "OPAQUE", 0))
        if layout == "INSTANCE" and "reg_handle" not in record:
            layout = "INSTANCE_GUID"
        if layout == "MESSAGE" and "options" not in record:
            name, layout = "TIMED", "OPAQUE"  # the marker is not that of a MESSAGE: any type without a layout will do
        event = self._shape(f"e{record['index']}", at, end, name or f"(0x{number:02x})", layout)
        if layout == "MESSAGE":
            self._add_parts(event, int(record["options"], 16))
            if event.body > aligned(end - buffer.base) + buffer.base:
                event = self._shape(event.name, at, end, "TIMED", "OPAQUE")  # the event is too short for its parts
        if "pebs" in record or record.get("pmc"):
            event.counters = (record.get("pebs"), record.get("pmc", []))
            event.body += 8 * (("pebs" in record) + len(record.get("pmc", ())))
        header = f"TRACE_LOGFILE_HEADER{name[-2:]}"
        if "logfile" in record and layout == "SYSTEM" and end - event.body >= size_of(header):
            event.logfile = header
        event.items = self._items(buffer, event, record.get("items", ()))
        return event

    @staticmethod
    def _shape(name, at, end, type_, layout):
        structure = tables().layouts[layout]
        return Event(name, at, end, type_, structure, list(members(structure)), at + size_of(structure))

    @staticmethod
    def reshape(node, structure):
        """Gives a node another structure of the same kind, as the builder demands for the version of the trace. Only
        the builder knows it for a lost INSTANCE, and for buffers before the logfile header that counts. False if the
        structure does not fit."""
        known = [name for name in tables().structures if name.startswith(_kind(node.header))]
        if structure not in known or structure == node.header or not isinstance(node, (Buffer, Event)):
            return False
        node.header = structure
        if isinstance(node, Event):
            node.members, node.body = list(members(structure)), node.at + size_of(structure)
        return True

    @staticmethod
    def _add_parts(event, options):
        """Adds the optional parts of a message, under their names in recipes; PERFORMANCE_TIMESTAMP has none."""
        names = {"SEQUENCE": ["sequence"], "COMPONENTID": ["component_id"], "GUID": ["guid"], "TIMESTAMP": ["time"],
                 "PERFORMANCE_TIMESTAMP": [""], "SYSTEMINFO": ["thread_id", "process_id"]}
        for option in tables().message_parts(options):
            size = option.size // len(names[option.name])
            for part in names[option.name]:
                kind = "GUID" if part == "guid" else f"U{8 * size}"
                event.members.append(Member(part, event.body - event.at, size, kind))
                event.body += size

    def _items(self, buffer, event, records):
        """The items of an event; [] unless all can be written, each at a multiple of 8 behind the previous one."""
        items, at, head = [], event.body, size_of(_ITEM)
        for number, record in enumerate(records):
            start, room = int(record["offset"]), record["size"]
            stated = value(_ITEM, "DataSize", self.bytes_of(buffer, start, start + head))
            if start != at or room < head or aligned(room) != room or start + room > event.end:
                return []
            held = stated if aligned(head + stated) == room else room - head
            items.append(Item(f"{event.name}_i{number}", start, start + room, int(record["type"], 16),
                              (start + head, start + head + held), list(members(_ITEM))))
            at = start + room
        return items

    def _add_lost_item(self, buffer, event):
        """If an item cannot be read, writes the rest of the event as that item: its members are at fault."""
        start = event.at + event.read
        said = self._has_item_flag(buffer, event)
        if not event.read or not said or start != (event.items[-1].end if event.items else event.body):
            return
        if event.end - start < size_of(_ITEM):
            return
        type_ = value(_ITEM, "ExtType", self.bytes_of(buffer, start, start + size_of(_ITEM)))
        end = aligned(event.end - buffer.base) + buffer.base
        event.items.append(Item(f"{event.name}_i{len(event.items)}", start, end, type_, (start + size_of(_ITEM), event.end),
                                list(members(_ITEM))))
        event.end = end

    def _has_item_flag(self, buffer, event):
        """Whether the Flags of an event announce items."""
        flags = next((event.at + one.at for one in event.members if one.name == "Flags"), None)
        extended = constants("event_flags.def", "ETL_EVENT_FLAG")["EXTENDED_INFO"]
        return flags is not None and self.bytes_of(buffer, flags, flags + 1)[0] & extended

    def _lost_event(self, buffer, at, end):
        """Writes damaged bytes that start like an event as an event, so that its members are visible; None if they do
        not."""
        data = self.bytes_of(buffer, at, end)
        if len(data) < size_of(_UNKNOWN):
            return None
        number, marker = (value(_UNKNOWN, name, data) for name in ("HeaderType", "MarkerFlags"))
        name, layout, _ = tables().header_types.get(number, ("", "OPAQUE", 0))
        if marker == constants("marker_flags.def", "ETL_MARKER")["MESSAGE"]:
            name = layout = "MESSAGE"
        elif number not in tables().header_types and not marker & _MARKED:
            return None
        if layout == "INSTANCE":
            layout = "INSTANCE_GUID"
        if size_of(tables().layouts[layout]) > len(data):
            return None
        event = self._shape(f"lost{self._lost + 1}", at, end, name or f"(0x{number:02x})", layout)
        if layout == "MESSAGE":
            self._add_parts(event, value(tables().layouts[layout], "OptionFlags", data))
            if event.body > end:
                return None
        self._lost += 1
        event.lost = True
        return event


def _kind(structure):
    """The common name of structures that can replace each other."""
    return "EVENT_INSTANCE" if structure.startswith("EVENT_INSTANCE") else structure.rpartition("_")[0]
