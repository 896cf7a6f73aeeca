# SPDX-License-Identifier: Apache-2.0
"""Builds small ETL files and their expected decode records.

An Event is the bytes of one event and the members that a decode record must give back; a Trace lays events out in buffers
and so learns their offsets. Nothing here reads: what is expected is what was written. The layouts and numbers are typed
here, not read from decoder/format, so that a wrong row there fails these tests: decoder and builder share the rows.
"""
import datetime
import struct
import uuid

FILE_POINTER_SIZE = 8  # the logfile header is a SYSTEM64 event
HEADER = 0x48  # bytes of WMI_BUFFER_HEADER
COMPRESSED_MODE = 0x04000000
# Fills the padding behind an event. Real files hold leftovers there, which a decoder must ignore.
RESIDUE = b"\xc3"


def align8(number):
    return (number + 7) & ~7


def padded(data):
    return data + RESIDUE * (align8(len(data)) - len(data))


def guid(text):
    return uuid.UUID(text).bytes_le


def utf16z(text):
    """UTF-16LE with a NUL, from text or a list of 16-bit units."""
    if isinstance(text, str):
        return text.encode("utf-16-le") + b"\0\0"
    return struct.pack(f"<{len(text) + 1}H", *text, 0)


def utc(filetime):
    """A FILETIME (100 ns units since 1601) as decode records print it."""
    whole, fraction = divmod(filetime, 10_000_000)
    moment = datetime.datetime(1601, 1, 1) + datetime.timedelta(seconds=whole)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:07d}Z"


class Event:
    """The bytes of an event (`head`, `items`, `data`), and the `members` of its record that do not depend on its place."""

    def __init__(self, header_type, name, head, members, data, time=None, item_list=None):
        self.head, self.data, self.time = head, data, time
        self.items = b"".join(item_bytes for item_bytes, _ in item_list or [])
        self.item_list = item_list
        self.raw = head + self.items + data
        self.members = {"header_type": f"0x{header_type:02x}", "name": name, "size": len(self.raw), **members}
        self.marker = head[3]
        self.pointer_size = {"32": 4, "64": 8}.get(name[-2:])

    def record(self, place, payload=False):
        """The decode record. `place` has the members that the trace determines: buffer, index, offset, …"""
        offset = int(place["offset"])
        record = {"rec": "event", **place, "marker": f"0x{self.marker:02x}", **self.members}
        if self.item_list is not None:
            record["items"] = []
            at = offset + len(self.head)
            for item_bytes, members in self.item_list:
                record["items"].append({**members, "offset": str(at), "size": len(item_bytes)})
                at += len(item_bytes)
        if self.pointer_size is not None:
            record["pointer_size"] = self.pointer_size
        record["data_offset"] = str(offset + len(self.head) + len(self.items))
        record["data_size"] = len(self.data)
        if payload:
            record["data"] = self.data.hex()
        return record


def _kernel_members(hook, version):
    return {"hook": f"0x{hook:04x}", "group": hook >> 8, "type": hook & 0xFF, "version": version}


def system(hook, data=b"", time=0, tid=1, pid=2, kernel=0, user=0, version=2, header_type=0x02):
    head = struct.pack("<HBBHHIIqII", version, header_type, 0xC0, 0x20 + len(data), hook, tid, pid, time, kernel, user)
    members = {"tid": tid, "pid": pid, "kernel_time": kernel, "user_time": user, **_kernel_members(hook, version)}
    return Event(header_type, {1: "SYSTEM32", 2: "SYSTEM64"}[header_type], head, members, data, time)


def compact(hook, data=b"", time=0, tid=1, pid=2, version=2, header_type=0x04):
    head = struct.pack("<HBBHHIIq", version, header_type, 0xC0, 0x18 + len(data), hook, tid, pid, time)
    members = {"tid": tid, "pid": pid, **_kernel_members(hook, version)}
    return Event(header_type, {3: "COMPACT32", 4: "COMPACT64"}[header_type], head, members, data, time)


def perfinfo(hook, data=b"", time=0, version=2, pebs=None, pmc=(), header_type=0x11):
    extra = b"" if pebs is None else struct.pack("<Q", pebs)
    extra += struct.pack(f"<{len(pmc)}Q", *pmc)
    word = version | len(pmc) << 8 | (0 if pebs is None else 0x8000)
    size = 0x10 + len(extra) + len(data)
    head = struct.pack("<HBBHHq", word, header_type, 0xC0, size, hook, time) + extra
    members = _kernel_members(hook, version)
    if pebs is not None:
        members["pebs"] = str(pebs)
    if pmc:
        members["pmc"] = [str(counter) for counter in pmc]
    return Event(header_type, {0x10: "PERFINFO32", 0x11: "PERFINFO64"}[header_type], head, members, data, time)


def _classic_head(size, header_type, type_, level, version, tid, pid, time):
    return struct.pack("<HBBBBHIIq", size, header_type, 0xC0, type_, level, version, tid, pid, time)


def full(provider, data=b"", time=0, tid=1, pid=2, type_=3, level=4, version=5, kernel=6, user=7, header_type=0x14):
    head = _classic_head(0x30 + len(data), header_type, type_, level, version, tid, pid, time)
    head += guid(provider) + struct.pack("<II", kernel, user)
    members = {"tid": tid, "pid": pid, "kernel_time": kernel, "user_time": user, "provider": provider, "type": type_,
               "level": level, "version": version}
    return Event(header_type, {0x0A: "FULL_HEADER32", 0x14: "FULL_HEADER64"}[header_type], head, members, data, time)


def instance(provider, parent, data=b"", time=0, ids=(8, 9), header_type=0x15):
    head = _classic_head(0x48 + len(data), header_type, 3, 4, 5, 1, 2, time)
    head += guid(provider) + struct.pack("<IIII", 6, 7, *ids) + guid(parent)
    members = {"tid": 1, "pid": 2, "kernel_time": 6, "user_time": 7, "provider": provider, "type": 3, "level": 4,
               "version": 5, "instance_id": ids[0], "parent_instance_id": ids[1], "parent_provider": parent}
    return Event(header_type, {0x0B: "INSTANCE32", 0x15: "INSTANCE64"}[header_type], head, members, data, time)


def old_instance(handle, parent, data=b"", time=0, ids=(8, 9)):
    """EVENT_INSTANCE_HEADER of Windows 5.0 and 5.1."""
    head = _classic_head(0x38 + len(data), 0x0B, 3, 4, 5, 1, 2, time)
    head += struct.pack("<QIIIIQ", handle, *ids, 6, 7, parent)
    members = {"tid": 1, "pid": 2, "kernel_time": 6, "user_time": 7, "type": 3, "level": 4, "version": 5,
               "instance_id": ids[0], "parent_instance_id": ids[1], "reg_handle": str(handle),
               "parent_reg_handle": str(parent)}
    return Event(0x0B, "INSTANCE32", head, members, data, time)


def event(provider, data=b"", time=0, tid=1, pid=2, id_=10, version=11, channel=12, level=13, opcode=14, task=15,
          keyword=0x8000000000000010, property_=0, activity="00000000-0000-0000-0000-000000000000", items=(), kernel=16,
          user=17, processor_time=None, header_type=0x13, flags=0):
    """An EVENT_HEADER. `processor_time` replaces `kernel` and `user`, as in files of private loggers."""
    item_list = link(items)
    flags |= 1 if items else 0
    size = 0x50 + sum(len(item_bytes) for item_bytes, _ in item_list) + len(data)
    times = struct.pack("<II", kernel, user) if processor_time is None else struct.pack("<Q", processor_time)
    head = struct.pack("<HBBHHIIq", size, header_type, 0xC0, flags, property_, tid, pid, time) + guid(provider)
    head += struct.pack("<HBBBBHQ", id_, version, channel, level, opcode, task, keyword) + times + guid(activity)
    members = {"tid": tid, "pid": pid, "provider": provider, "id": id_, "version": version, "channel": channel,
               "level": level, "opcode": opcode, "task": task, "keyword": f"0x{keyword:016x}", "flags": f"0x{flags:04x}",
               "property": f"0x{property_:04x}", "activity": activity}
    if processor_time is None:
        members.update(kernel_time=kernel, user_time=user)
    else:
        members.update(processor_time=str(processor_time))
    return Event(header_type, {0x12: "EVENT_HEADER32", 0x13: "EVENT_HEADER64"}[header_type], head, members, data, time,
                 item_list)


def link(items, reserved=0):
    """Turns [(type, name, data, members)] into a chain of extended data items: [(bytes, members of the record)]."""
    chain = []
    for number, (type_, name, data, members) in enumerate(items):
        linkage = (1 if number + 1 < len(items) else 0) | reserved
        item_bytes = padded(struct.pack("<HHHH", align8(8 + len(data)), type_, linkage, len(data)) + data)
        known = {"name": name} if name else {}
        chain.append((item_bytes, {"type": f"0x{type_:x}", **known, **members, "data": data.hex()}))
    return chain


def schema_blob(name, fields=b"", tag=b"\0"):
    """TraceLogging metadata, with name and fields as bytes."""
    body = tag + name + b"\0" + fields
    return struct.pack("<H", 2 + len(body)) + body


def traits_blob(name, chunks=()):
    body = name + b"\0" + b"".join(struct.pack("<HB", 3 + len(data), type_) + data for type_, data in chunks)
    return struct.pack("<H", 2 + len(body)) + body


def message(number, data=b"", sequence=None, component=None, provider=None, time=None, ids=None, more=0):
    """A WPP message. `more` are option flags without an optional member."""
    options, parts, members = more, b"", {}
    if sequence is not None:
        options, parts = options | 0x01, parts + struct.pack("<I", sequence)
        members["sequence"] = sequence
    if component is not None:
        options, parts = options | 0x04, parts + struct.pack("<I", component)
        members["component_id"] = component
    if provider is not None:
        options, parts = options | 0x02, parts + guid(provider)
        members["provider"] = provider
    if time is not None:
        options, parts = options | 0x08, parts + struct.pack("<q", time)
    if ids is not None:
        options, parts = options | 0x20, parts + struct.pack("<II", *ids)
        members["tid"], members["pid"] = ids
    head = struct.pack("<HBBHH", 8 + len(parts) + len(data), 0, 0x90, number, options) + parts
    members = {"message": number, "options": f"0x{options:04x}", **members}
    said = Event(0x0F, "MESSAGE", head, members, data, time)
    said.pointer_size = {0x40: 4, 0x80: 8}.get(options & 0xC0, FILE_POINTER_SIZE)
    return said


def opaque(header_type, name, rest):
    """TIMED, ERROR and WNODE_HEADER: only the first eight bytes are documented."""
    head = struct.pack("<HBBI", 8 + len(rest), header_type, 0xC0, 0x11111111)
    return Event(header_type, name, head, {}, rest)


def xpress_literals(data):
    """An MS-XCA plain LZ77 stream of literals only."""
    parts = (data[at:at + 32] for at in range(0, len(data), 32))
    return b"".join(struct.pack("<I", (1 << (32 - len(part))) - 1) + part for part in parts)


class Logfile:
    """TRACE_LOGFILE_HEADER of a SYSTEM64 event, members in the order of the structure."""

    DEFAULTS = {
        "buffer_size": 0x1000, "version": (10, 0, 1, 5), "provider_version": 18362, "number_of_processors": 8,
        "end_time": 132264036955000000, "timer_resolution": 156250, "maximum_file_size": 64, "log_file_mode": 1,
        "buffers_written": None, "start_buffers": 1, "pointer_size": 8, "events_lost": 5, "cpu_speed_in_mhz": 2400,
        "logger_name_pointer": 9, "log_file_name_pointer": 6, "bias": -60, "standard_name": "W. Europe Standard Time",
        "standard_date": (0, 10, 0, 5, 3, 1, 2, 4), "standard_bias": 0, "daylight_name": "W. Europe Daylight Time",
        "daylight_date": (0, 3, 0, 5, 2, 5, 6, 7), "daylight_bias": -61, "boot_time": 132263900000000000,
        "perf_freq": 2_500_000, "start_time": 132264036951234567, "reserved_flags": 1, "buffers_lost": 3,
        "logger_name": "Test Logger", "log_file_name": "C:\\trace.etl",
    }
    START_TICKS = 5_000_000

    def __init__(self, **members):
        unknown = set(members) - set(self.DEFAULTS)
        assert not unknown, unknown
        self.__dict__.update({**self.DEFAULTS, **members})

    def pack(self):
        def zone(name):
            return utf16z(name).ljust(64, b"\0")

        return (struct.pack("<I4BIIqIIIIIIIIQQ", self.buffer_size, *self.version, self.provider_version,
                            self.number_of_processors, self.end_time, self.timer_resolution, self.maximum_file_size,
                            self.log_file_mode, self.buffers_written, self.start_buffers, self.pointer_size,
                            self.events_lost, self.cpu_speed_in_mhz, self.logger_name_pointer, self.log_file_name_pointer) +
                struct.pack("<i", self.bias) + zone(self.standard_name) + struct.pack("<8H", *self.standard_date) +
                struct.pack("<i", self.standard_bias) + zone(self.daylight_name) + struct.pack("<8H", *self.daylight_date) +
                struct.pack("<i", self.daylight_bias) + b"\0\0\0\0" +
                struct.pack("<qqqII", self.boot_time, self.perf_freq, self.start_time, self.reserved_flags,
                            self.buffers_lost) +
                utf16z(self.logger_name) + utf16z(self.log_file_name))

    def utc(self, ticks):
        """UTC of a timestamp of a clock with PerfFreq ticks per second."""
        return utc(self.start_time + (ticks - self.START_TICKS) * 10_000_000 // self.perf_freq)


class Buffer:
    """`tail` replaces the 0xFF filling behind the events; `damage` is a function that changes the bytes of the events."""

    def __init__(self, events, size=0x1000, type_=0, flags=0x20, processor=0, compressed=False, damage=None):
        self.events, self.size, self.type, self.processor, self.compressed = events, size, type_, processor, compressed
        self.flags = flags | (0x40 if compressed else 0)
        self.damage = damage or (lambda body: body)

    def body(self):
        return b"".join(padded(one.raw) for one in self.events)

    def pack(self, sequence):
        body = self.damage(self.body())
        extent = HEADER + len(body)
        stored = xpress_literals(body) if self.compressed else body
        size = HEADER + len(stored) if self.compressed else self.size
        assert HEADER + len(stored) <= size
        header = struct.pack("<IIIiqqQHHIIHH16s", size, extent, size + extent, 0, 1000 + sequence, sequence,
                             0xFFFFF80012345678, self.processor, 7, 3, extent, self.flags, self.type, b"\xfe" * 16)
        return (header + stored).ljust(size, b"\xff")


class Trace:
    """A file: the buffer of the logfile header, with the events `first` behind it, then `buffers`."""

    def __init__(self, buffers=(), first=(), logfile=None, header_flags=0x20, header_type=4):
        self.logfile = logfile or Logfile()
        count = 1 + len(buffers)
        if self.logfile.buffers_written is None:
            self.logfile.buffers_written = count
        header = system(0x0000, self.logfile.pack(), time=Logfile.START_TICKS, tid=20, pid=21, kernel=22, user=23)
        self.buffers = [Buffer([header, *first], self.logfile.buffer_size, header_type, header_flags), *buffers]
        self.places = []    # (event, members that the trace determines), in file order
        self.regions = []   # (kind, space, offset, size), in file order
        self._lay_out()

    def pack(self):
        return b"".join(buffer.pack(sequence) for sequence, buffer in enumerate(self.buffers))

    def _lay_out(self):
        start = 0
        for number, buffer in enumerate(self.buffers):
            size = len(buffer.pack(number))
            self.regions.append(("buffer-header", "file", start, HEADER))
            if buffer.compressed:
                self.regions.append(("compressed", "file", start + HEADER, size - HEADER))
            space, at = ("inflated", HEADER) if buffer.compressed else ("file", start + HEADER)
            for one in buffer.events:
                self._place(one, number, buffer, space, at)
                at += align8(len(one.raw))
            if not buffer.compressed and at < start + size:
                self.regions.append(("slack", "file", at, start + size - at))
            start += size

    def _place(self, one, number, buffer, space, at):
        place = {"buffer": str(number), "index": str(len(self.places)), "offset": str(at), "processor": buffer.processor}
        if space == "inflated":
            place["space"] = "inflated"
        if one.time is not None:
            place["timestamp"] = str(one.time)
            if self.logfile.reserved_flags == 1:
                place["utc"] = self.logfile.utc(one.time)
        self.places.append((one, place))
        for kind, part in (("event-header", one.head), ("items", one.items), ("payload", one.data),
                           ("padding", RESIDUE * (align8(len(one.raw)) - len(one.raw)))):
            if part:
                self.regions.append((kind, space, at, len(part)))
                at += len(part)

    def event_records(self, payload=False):
        return [one.record(place, payload) for one, place in self.places]

    def types(self):
        """events_by_header_type"""
        counts = {}
        for one, _ in self.places:
            key = one.members["header_type"]
            counts[key] = str(int(counts.get(key, 0)) + 1)
        return counts

    def bytes_by_kind(self):
        counts = dict.fromkeys(("buffer-header", "compressed", "event-header", "items", "payload", "padding", "slack",
                                "damaged", "tail"), 0)
        for kind, space, _, size in self.regions:
            if space == "file":
                counts[kind] += size
        return counts
