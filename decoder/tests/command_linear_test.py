#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# usage: command_linear_test.py ETLPROOF
"""The work of a decode is linear in the size of the file. Counts instructions with valgrind, because their number does not
depend on the load of the machine. Exits 77 (skipped) without valgrind."""
import random
import re
import shutil
import struct
import subprocess
import sys

import command_case
import etl_file
from command_case import CONFORMING, DAMAGED, LIMIT, CommandCase
from etl_file import HEADER, Buffer, Trace

A = "5d6e7f80-0000-0000-0000-000000000001"
SMALLEST = 1 << 15  # bytes of the first file; the others are twice and four times as large
# If work is linear, the second doubling of the size adds twice as much as the first; if it is quadratic, four times.
GROWTH_MOST = 2.6


def one_buffer(size, event, damage=None):
    """A buffer of about `size` bytes, full of copies of the event."""
    return Trace([Buffer([event] * ((size - HEADER) // len(event.raw)), size=size, damage=damage)]).pack()


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
    """A BufferSize at every 8 bytes, and no buffer. A larger result starts with a smaller one."""
    chance = random.Random(1)
    return Trace().pack() + b"".join(struct.pack("<II", 0x400, chance.getrandbits(32)) for _ in range(size // 8))


ITEMS = [(5, None, b"x" * 8, {})] * 30
SHAPES = {
    "events": lambda size: one_buffer(size, etl_file.perfinfo(0x0F01, b"", 1)),
    "events, every fourth without a marker": lambda size: one_buffer(
        size, etl_file.perfinfo(0x0F01, b"", 1), every(64, 3, 0xE1)),
    "events shorter than their headers": lambda size: one_buffer(size, etl_file.full(A), short),
    "zeros after each event": lambda size: one_buffer(size, etl_file.full(A), every(0x60, 0x30, 0)),
    "items": lambda size: one_buffer(size, etl_file.event(A, items=ITEMS)),
    "small buffers": lambda size: Trace([Buffer([], size=HEADER)] * (size // HEADER)).pack(),
    "a compressed buffer": lambda size: Trace(
        [Buffer([etl_file.full(A)] * (size // 0x36), compressed=True)],
        logfile=etl_file.Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE)).pack(),
    "bytes without a buffer": junk,
    "decreasing times": lambda size: Trace([Buffer([etl_file.full(A, time=size - n) for n in range(size // 0x30 - 2)],
                                                  size=size)]).pack(),
}
# valgrind itself makes system calls that the sandbox refuses.
VERBS = {"validate": ("validate", "--quiet", "--no-sandbox"), "decode": ("decode", "--order", "time", "--no-sandbox"),
         "recover": ("recover", "--force", "-o", "new.etl")}


class Linear(CommandCase):
    def instructions(self, verb, content):
        path = self.file(content)
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", command_case.TOOL,
                               *VERBS[verb], path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.folder,
                              encoding="utf-8", errors="replace", check=False)
        self.assertIn(done.returncode, (CONFORMING, DAMAGED, LIMIT), done.stderr)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1])

    def check(self, verb):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                one, two, four = (self.instructions(verb, shape(SMALLEST * times)) for times in (1, 2, 4))
                print(f"{verb}: {name}: {one:,}, {two:,}, {four:,}", flush=True)
                self.assertLessEqual(four - two, GROWTH_MOST * (two - one))

    def test_validate(self):
        self.check("validate")

    def test_decode(self):
        self.check("decode")

    def test_recover(self):
        self.check("recover")


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("no valgrind (Debian: valgrind)")
        sys.exit(77)
    command_case.main()
