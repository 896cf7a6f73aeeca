# SPDX-License-Identifier: Apache-2.0
"""Generates noise: memory without a structure of the tables."""
import struct

WORDS = ("the driver could not be loaded because a required file is missing or corrupt check the path and try again "
         "HKEY_LOCAL_MACHINE SOFTWARE Microsoft Windows CurrentVersion Policies System32 drivers etc").split()
TAGS = [b"Proc", b"Thre", b"File", b"Mutt", b"Even", b"MmSt", b"NtfF", b"CM31", b"Irp ", b"EtwG"]


def zeros(_world, _rng, size):
    return bytes(size)


def random(_world, rng, size):
    return rng.randbytes(size)


def text(_world, rng, size):
    out = " ".join(rng.choice(WORDS) for _ in range(size // 3 + 2)).encode()
    return out[:size]


def text16(world, rng, size):
    return text(world, rng, size).decode().encode("utf-16-le")[:size]


def counters(_world, rng, size):
    return b"".join(struct.pack("<I", rng.choice([0, 0, 1, rng.randint(0, 63), rng.randint(0, 1 << 12) * 0x400]))
                    for _ in range(size // 4 + 1))[:size]


def pointers(world, rng, size):
    """Addresses, lists, null pointers and small numbers, of 8 and of 4 bytes in turns of 512 bytes."""
    out = bytearray()
    while len(out) < size:
        width = rng.choice([4, 8])
        pools = world.kernel_x64 if width == 8 else world.kernel_x86
        for _ in range(512 // width):
            base, room = rng.choice(pools)
            address = base + rng.randrange(room) // (2 * width) * (2 * width)
            value = rng.choice([0, address, address, address, rng.randint(0, 64), out_link(out, width)])
            out += value.to_bytes(width, "little")
    return bytes(out[:size])


def out_link(out, width):
    """A second copy of the word before, which makes the two look like a list."""
    return int.from_bytes(out[-width:], "little") if len(out) >= width else 0


def pool(world, rng, size):
    """Blocks of a kernel's pool: a header with a tag, then an object with lists, counts, a time, text or nothing."""
    out = bytearray()
    while len(out) < size:
        length = rng.choice([0x20, 0x40, 0x80, 0x160, 0x400])
        base, room = rng.choice(world.kernel_x64)
        address = base + rng.randrange(room) // 16 * 16
        block = struct.pack("<HHI4sI", length // 16, rng.randint(0, 255), 0, rng.choice(TAGS), 0)[:12] + bytes(4)
        block += struct.pack("<QQIIQ", address, address, rng.randint(0, 63), rng.choice([0, 1, 0x400, 0x10000]),
                             rng.choice([0, address + 0x40, 0x01D0000000000000 + rng.getrandbits(48)]))
        block += rng.choice([zeros, text, random, counters])(world, rng, max(length - len(block), 0))
        out += block
    return bytes(out[:size])


def block_header(layout, rng):
    """The header of a block: in a pool, sizes in units of two pointers and a tag; in a heap, sizes and flags, encoded."""
    if not layout.kernel:
        return rng.randbytes(2 * layout.pointer)
    sizes = rng.randrange(1, 200) | rng.randrange(1, 200) << 16 | 2 << 24
    return struct.pack("<I4s", sizes, rng.choice(TAGS)) + bytes(2 * layout.pointer - 8)


def slack(layout, world, rng):
    """The bytes of a block behind its structure: remains of earlier contents."""
    size = -layout.size % (2 * layout.pointer)
    return make(rng.choice(world.noises), world, rng, size)


def make(kind, world, rng, size):
    return globals()[kind](world, rng, size)
