# SPDX-License-Identifier: Apache-2.0
"""Files that are built to take long to read: SHAPES and BOMBS have a function for each kind, which makes a file of about
`size` bytes. A larger file of a kind has more of the same."""
import random
import struct

import etl_file
from etl_file import HEADER, Buffer, Trace, padded

A = "5d6e7f80-0000-0000-0000-000000000001"
LARGEST = 1 << 23  # bytes of a buffer; the largest that the format allows is twice that
COMPRESSED = etl_file.Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE)
ITEMS = [(5, None, b"x" * 8, {})] * 30


def tile(size, part, trace=None):
    """A trace, and copies of `part` behind it."""
    return (trace or Trace()).pack() + part * (size // len(part))


def full_buffer(size, event, damage=lambda body: body):
    """A buffer full of copies of the event, or several if one cannot be as large. The first event is left sound: without
    it the buffer would not be found."""
    room, first = min(size, LARGEST), len(padded(event.raw))
    return tile(size, Buffer([event] * ((room - HEADER) // first), size=room,
                             damage=lambda body: body[:first] + damage(body[first:])).pack(1))


def every(step, at, byte):
    """Damage: changes the byte at `at` in every `step` bytes."""
    def damage(body):
        body = bytearray(body)
        body[at::step] = bytes([byte]) * len(body[at::step])
        return bytes(body)

    return damage


def short(body):
    """Puts the start of an event whose Size is less than its header at every 8 bytes."""
    start = struct.pack("<HBBHH", 0x10, 0x14, 0xC0, 0x30, 0)
    return start * (len(body) // len(start))


def junk(size):
    """A BufferSize at every 8 bytes, and no buffer."""
    chance = random.Random(1)
    return Trace().pack() + b"".join(struct.pack("<II", 0x400, chance.getrandbits(32)) for _ in range(size // 8))


def falling(size):
    room = min(size, LARGEST)
    events = [etl_file.full(A, time=room - n) for n in range(room // 0x30 - 2)]
    return tile(size, Buffer(events, size=room).pack(1))


def literals(size):
    event = padded(etl_file.full(A).raw)
    count = min(size, LARGEST) * 8 // 9 // len(event) - 2  # a stream of literals is larger by an eighth
    return tile(size, Buffer([etl_file.full(A)] * count, compressed=True).pack(1), Trace(logfile=COMPRESSED))


def bomb():
    """A compressed buffer of 98 bytes, which holds 4,095 equal events of 16 bytes."""
    event = etl_file.perfinfo(0x0F01, b"", 5).raw
    output = 4095 * len(event)
    # The event as literals; a match of distance 16, with its length in a nibble, a byte and a u16; the end.
    flags = (1 << (32 - len(event))) - 1
    match = struct.pack("<HBBH", (len(event) - 1) << 3 | 7, 0x0F, 0xFF, output - len(event) - 3)
    stream = struct.pack("<I", flags) + event + match
    header = bytearray(Buffer([], size=HEADER, flags=0x60).pack(1))
    struct.pack_into("<I", header, 0, HEADER + len(stream))
    struct.pack_into("<II", header, 4, HEADER + output, HEADER + output)
    struct.pack_into("<I", header, 0x30, HEADER + output)
    return bytes(header) + stream


def with_size(buffer_size):
    """Buffers of one event each, with another BufferSize."""
    buffer = bytearray(Buffer([etl_file.full(A)], size=0x100).pack(1))
    struct.pack_into("<I", buffer, 0, buffer_size)
    return bytes(buffer)


SHAPES = {
    "events": lambda size: full_buffer(size, etl_file.perfinfo(0x0F01, b"", 1)),
    "events, every fourth without a marker": lambda size: full_buffer(
        size, etl_file.perfinfo(0x0F01, b"", 1), every(64, 3, 0xE1)),
    "events shorter than their headers": lambda size: full_buffer(size, etl_file.full(A), short),
    "zeros after each event": lambda size: full_buffer(size, etl_file.full(A), every(0x60, 0x30, 0)),
    "items": lambda size: full_buffer(size, etl_file.event(A, items=ITEMS)),
    "decreasing times": falling,
    "small buffers": lambda size: tile(size, Buffer([], size=HEADER).pack(1)),
    "buffers without a size": lambda size: tile(size, with_size(0)),
    "buffers that claim 16 MiB": lambda size: tile(size, with_size(1 << 24)),
    "buffers that claim the next one": lambda size: tile(size, with_size(0x200)),
    "a compressed buffer": literals,
    "bytes without a buffer": junk,
    "traces in a row": lambda size: tile(size, Trace().pack()),
}
# Of any size, these are read up to the limit of 16 MiB and more (LIM-001).
BOMBS = {"compressed buffers of 98 bytes": lambda size: tile(size, bomb(), Trace(logfile=COMPRESSED))}
