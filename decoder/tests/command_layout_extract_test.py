#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_layout_extract_test.py ETLPROOF [TEST...]

Tests `etlproof layout --extract` on memory images that hold a session and its buffers: what the new file
holds, what is left out and why, hostile images, and that nothing is replaced or left behind.
"""
import os
import random
import struct

import command_case
import etl_file
from command_case import CONFORMING, DAMAGED, INPUT, LIMIT, NOT_ETL, OUTPUT, USAGE, run
from layout_case import LayoutCase, member

A = "01020304-0506-0708-090a-0b0c0d0e0f10"
LOGGER, SIZE = 5, 0x1000
IN_USE, FLUSH = 1, 3  # State
STALE = etl_file.padded(etl_file.event(A, b"stale", time=1).raw)  # what an earlier use of a buffer left behind
PAGE = 0x1000


def events(first, count=3):
    """Bytes of events, with time stamps from `first` on."""
    return b"".join(etl_file.padded(etl_file.event(A, bytes([n]) * 4, time=n).raw) for n in range(first, first + count))


def buffer(data, sequence=1, time=0, processor=0, logger=LOGGER, size=SIZE, state=FLUSH, offset=None, cursor=None,
           flag=0x20):
    """A buffer as in memory: leftovers fill it behind its events."""
    end = etl_file.HEADER + len(data)
    head = struct.pack("<IIIiqqQHHIIHH16x", size, end if offset is None else 0, end if cursor is None else cursor, 0, time,
                       sequence, 0xFFFFA50000001000, processor, logger, state, end if offset is None else offset, flag, 0)
    return (head + data + STALE * size)[:size]


def header_buffer():
    """The buffer with the logfile header of this session."""
    content = bytearray(etl_file.Trace().pack())
    extent, = struct.unpack_from("<I", content, 0x30)
    struct.pack_into("<I", content, 0, SIZE)
    struct.pack_into("<H", content, 0x2A, LOGGER)
    return (bytes(content[:extent]) + b"\xff" * SIZE)[:SIZE]


class ExtractCase(LayoutCase):
    def session(self, windows="2004", arch="x64", **numbers):
        """A WMI_LOGGER_CONTEXT with these members; its other members are zeros."""
        layout = self.json("WMI_LOGGER_CONTEXT", "--list", "--windows", windows, "--arch", arch)
        content = bytearray(layout["size"])
        for name, number in {"LoggerId": LOGGER, "BufferSize": SIZE, **numbers}.items():
            each = member(layout, name)
            content[each["offset"]:each["offset"] + each["size"]] = number.to_bytes(each["size"], "little")
        return bytes(content)

    def extract(self, content, code=CONFORMING, windows="2004", arch="x64", offset=0, more=()):
        """Runs the command on an image. Returns standard output and the content of OUT, None if there is no OUT."""
        image, self.target = self.file(content, "memory.bin"), os.path.join(self.folder, "out.etl")
        actual, out, self.errors = run("layout", "WMI_LOGGER_CONTEXT", "--extract", self.target, "--windows", windows,
                                       "--arch", arch, "--offset", str(offset), image, *more)
        self.assertEqual(code, actual, self.errors)
        with open(image, "rb") as file:
            self.assertEqual(content, file.read())
        self.assertEqual({"memory.bin", "out.etl"} if os.path.exists(self.target) else {"memory.bin"},
                         set(os.listdir(self.folder)))
        if not os.path.exists(self.target):
            return out.decode(), None
        with open(self.target, "rb") as file:
            made = file.read()
        if code in (CONFORMING, DAMAGED):
            self.check_buffers(made)
        return out.decode(), made

    def check_buffers(self, made):
        """Each buffer leads to the next, ends its events once, and has only 0xFF behind them."""
        at = 0
        while at < len(made):
            size, saved = struct.unpack_from("<II", made, at)
            state, offset = struct.unpack_from("<II", made, at + 0x2C)
            self.assertEqual((FLUSH, saved), (state, offset))
            self.assertLess(etl_file.HEADER, offset)
            self.assertEqual({0xFF} if offset < size else set(), set(made[at + offset:at + size]))
            at += size
        self.assertEqual(len(made), at)

    def times(self):
        """The time stamps of the events in OUT, but of the logfile header, in the order of the file."""
        code, out, _ = run("decode", self.target)
        self.assertIn(code, (CONFORMING, DAMAGED))
        return [int(row["timestamp"]) for row in map(command_case.json.loads, out.splitlines())
                if row["rec"] == "event" and "logfile" not in row]

    def summary(self):
        return self.check_one(self.lines("validate", "--json", self.target))

    def check_one(self, rows):
        self.assertEqual(1, len(rows))
        return rows[0]


class ExtractTest(ExtractCase):
    def image(self, *buffers, **session):
        """The session, then buffers a page apart from other memory."""
        noise = random.Random(1).randbytes(PAGE)
        return (self.session(**session) + noise)[:PAGE] + b"".join(noise + each for each in buffers) + noise

    def test_buffers_of_the_session(self):
        """In the order of SequenceNumber, and of no other session."""
        content = self.image(buffer(events(20), 9), buffer(events(1), 2), buffer(events(50), 3, logger=LOGGER + 1),
                             buffer(events(60), 4, size=2 * SIZE), buffer(events(10), 5, processor=3))
        out, made = self.extract(content)
        self.assertEqual([1, 2, 3, 10, 11, 12, 20, 21, 22], self.times())
        self.assertEqual(4 * SIZE, len(made))
        self.assertIn("logfile header: made from the session\n", out)
        self.assertIn("out.etl: 10 events in 3 buffers, 0 cut buffers; conforming\n", out)
        self.assertNotIn(STALE, made)

    def test_equal_numbers(self):
        """TimeStamp decides, then the place: buffers in use have the same SequenceNumber."""
        self.extract(self.image(buffer(events(20), 0, time=9), buffer(events(1), 0, time=7), buffer(events(10), 0, time=7)))
        self.assertEqual([1, 2, 3, 10, 11, 12, 20, 21, 22], self.times())

    def test_every_byte_is_accounted_for(self):
        one, copy = buffer(events(1), 1), buffer(events(5, 4), 2)
        content = self.image(one, copy, copy)
        out, _ = self.extract(content)
        kept = 2 * etl_file.HEADER + len(events(1)) + len(events(5, 4))
        self.assertIn(f"{len(content)} bytes: {kept} in headers and events, {2 * SIZE - kept} behind the events of "
                      f"buffers, {SIZE} in copies, {len(content) - 3 * SIZE} outside buffers\n", out)
        self.assertEqual(2, out.count("processor 0\n"))
        self.assertEqual(1, out.count("left out, a copy of the one before\n"))
        self.assertEqual([1, 2, 3, 5, 6, 7, 8], self.times())

    def test_buffers_that_differ_are_no_copies(self):
        """The same numbers, but other events, time stamps or processors."""
        data = events(1)
        self.extract(self.image(buffer(data, 1), buffer(events(4), 1), buffer(events(4), 1, time=7),
                                buffer(events(4), 1, time=7, processor=1)))
        self.assertEqual([1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6], self.times())

    def test_made_header(self):
        content = self.image(buffer(events(1), 1, processor=6), LoggerMode=0x04000102, MaximumFileSize=77, EventsLost=3,
                             LogBuffersLost=2, StartTime=133000000000000000, ClockType=2)
        self.extract(content)
        made = self.summary()
        self.assertEqual(("conforming", "10.0.19041", 8, 2, "2", "0"),
                         tuple(made[key] for key in ("verdict", "windows", "pointer_size", "clock_type", "buffers",
                                                     "compressed_buffers")))
        logfile = next(row["logfile"] for row in self.lines("decode", self.target) if "logfile" in row)
        expected = {"events_lost": 3, "buffers_lost": 2, "number_of_processors": 7, "log_file_mode": "0x00000102",
                    "maximum_file_size": 77, "buffer_size": SIZE, "buffers_written": 2, "sub_version": 1,
                    "sub_minor_version": 5, "start_time": "133000000000000000"}
        self.assertEqual(expected, {key: logfile[key] for key in expected})

    def test_clock_without_frequency(self):
        """Times stay raw ticks: no structure has the frequency."""
        for clock in (1, 3):
            self.extract(self.image(buffer(events(1)), ClockType=clock), more=["--force"])
            self.assertEqual(0, self.summary()["clock_type"])

    def test_logfile_header_in_memory(self):
        """The buffer with it comes first, whatever its number, and no other one is made."""
        content = self.image(buffer(events(4), -3), header_buffer(), buffer(events(1), 1))
        out, made = self.extract(content)
        self.assertEqual(3 * SIZE, len(made))
        self.assertNotIn("made from the session", out)
        self.assertEqual([4, 5, 6, 1, 2, 3], self.times())
        out, _ = self.extract(self.image(header_buffer(), buffer(events(1), 1)), more=["--force"])
        self.assertNotIn("left out", out)
        self.assertEqual([1, 2, 3], self.times())
        self.assertEqual(1, self.summary()["clock_type"])

    def test_buffer_in_use(self):
        """Its events end at the writer's cursor; Offset is that of an earlier flush."""
        data = events(1, 5)
        first = etl_file.HEADER + len(events(1, 1))
        self.extract(self.image(buffer(data, state=IN_USE, offset=first)))
        self.assertEqual([1, 2, 3, 4, 5], self.times())
        self.extract(self.image(buffer(data, state=IN_USE, offset=0)), more=["--force"])
        self.assertEqual([1, 2, 3, 4, 5], self.times())
        self.extract(self.image(buffer(data, state=IN_USE, cursor=SIZE + 8)), more=["--force"])  # full: it went beyond
        self.assertEqual([1, 2, 3, 4, 5], self.times())
        self.extract(self.image(buffer(data, state=FLUSH, offset=first)), more=["--force"])
        self.assertEqual([1], self.times())

    def test_scattered_pages(self):
        """A buffer ends where the next one starts, as in an image of physical memory."""
        long = buffer(events(1, 40), 1, size=SIZE)
        content = self.session() + bytes(-len(self.session()) % 8) + long[:0x800] + buffer(events(90), 2)
        out, made = self.extract(content, code=DAMAGED)
        self.assertIn(": cut, its events went on\n", out)
        self.assertIn("1 cut buffer; ", out)
        self.assertEqual(SIZE + 0x800 + SIZE, len(made))
        self.assertEqual([*range(1, len(self.times()) - 2), 90, 91, 92], self.times())

    def test_end_of_the_image(self):
        content = self.image(buffer(events(1, 40), 1))
        self.extract(content[:-PAGE - 0x803], code=DAMAGED)
        times = self.times()
        self.assertEqual([*range(1, len(times) + 1)], times)
        self.assertGreater(len(times), 10)

    def test_not_only_at_pages(self):
        """Dumps have headers of their own, so that pages lie anywhere."""
        content = self.session() + bytes(0x28) + buffer(events(1))
        self.extract(content)
        self.assertEqual([1, 2, 3], self.times())
        self.extract(self.session() + bytes(0x2C) + buffer(events(1)), code=NOT_ETL, more=["--force"])

    def test_every_version_and_architecture(self):
        for structure, windows, arch, size in self.layouts():
            if structure != "WMI_LOGGER_CONTEXT" or windows.startswith("5"):
                continue
            content = self.session(windows, arch, StartTime=133000000000000000) + bytes(-size % 8) + buffer(events(1))
            self.extract(content, windows=windows, arch=arch, more=["--force"])
            self.assertEqual([1, 2, 3], self.times(), (windows, arch))
            made = self.summary()
            self.assertEqual(("conforming", 4 if arch == "x86" else 8), (made["verdict"], made["pointer_size"]))
            logfile = next(row["logfile"] for row in self.lines("decode", self.target) if "logfile" in row)
            self.assertEqual("133000000000000000", logfile["start_time"])

    def test_recover_takes_it(self):
        content = self.session() + bytes(-len(self.session()) % 8) + buffer(events(1, 40))[:0x804]
        self.extract(content, code=DAMAGED)
        recovered = os.path.join(self.folder, "recovered.etl")
        self.out("recover", self.target, "-o", recovered, code=DAMAGED if run("validate", self.target)[0] else CONFORMING)
        self.out("validate", recovered)


class HostileTest(ExtractCase):
    def test_no_session(self):
        for number in (0, 0x3FF, 0x401, 0x1000400, 0xFFFFFFFF):
            out, made = self.extract(self.session(BufferSize=number) + buffer(events(1)), code=NOT_ETL)
            self.assertEqual(("", None), (out, made))
            self.assertIn(f"no session at 0x0: BufferSize is {number:#x}; expected a multiple of 0x400", self.errors)

    def test_no_buffer(self):
        for content in (self.session(), self.session() + buffer(events(1), logger=LOGGER + 1),
                        self.session() + buffer(events(1), flag=0x60), self.session() + buffer(b""),
                        self.session() + buffer(events(1), state=99), self.session() + buffer(b"\x07" * 64)):
            self.assertEqual(("", None), self.extract(content, code=NOT_ETL))
            self.assertIn("no buffer with LoggerId 5 and BufferSize 0x1000", self.errors)

    def test_offset_past_the_end(self):
        self.extract(self.session(), code=NOT_ETL, offset=1 << 40)

    def test_many_headers(self):
        """The new file is no larger than the image: a header every 80 bytes announces 16 MiB each."""
        most = 0x1000000
        data = events(1, 1)[:8]
        tiny = struct.pack("<IIIiqqQHHIIHH16x", most, 0, 0, 0, 0, 1, 0, 0, LOGGER, 3, most, 0, 0) + data
        content = self.session(BufferSize=most) + bytes(-len(self.session()) % 8)
        head = len(content)
        content += b"".join(tiny[:0x18] + struct.pack("<q", n) + tiny[0x20:] for n in range(2000))
        _, made = self.extract(content, code=DAMAGED)
        self.assertLessEqual(len(made), most + len(content) - head)

    def test_damaged_session(self):
        """An error of the session shows in the exit code, though its buffers are sound: the image ends inside it."""
        content = bytes(8) + buffer(events(1)) + self.session()[:0x540]
        self.extract(content, code=DAMAGED, offset=8 + SIZE)
        self.assertIn("the session at 0x1008 is damaged; without --extract, its findings are printed", self.errors)
        self.assertEqual([1, 2, 3], self.times())

    def test_noise(self):
        """Damage anywhere in the buffers: the command ends, and its file can be read."""
        rng = random.Random(7)
        plain = self.session() + bytes(-len(self.session()) % 8)
        for _ in range(60):
            content = bytearray(plain + b"".join(buffer(events(n, 9), n, n, state=rng.choice((0, 1, 2, 3)))
                                                 for n in range(1, 5)))
            for _ in range(rng.randrange(1, 30)):
                content[rng.randrange(len(plain), len(content))] = rng.randrange(256)
            image, target = self.file(bytes(content), "memory.bin"), os.path.join(self.folder, "out.etl")
            code = run("layout", "WMI_LOGGER_CONTEXT", "--extract", target, "--force", "--windows", "2004", "--arch", "x64",
                       image)[0]
            self.assertIn(code, (CONFORMING, DAMAGED, NOT_ETL, LIMIT))
            if code in (CONFORMING, DAMAGED):
                self.assertIn(run("validate", target)[0], (CONFORMING, DAMAGED))


class UsageTest(ExtractCase):
    def refuse(self, *arguments, code=USAGE):
        return self.refused("WMI_LOGGER_CONTEXT", "--extract", *arguments, code=code)

    def test_arguments(self):
        image, target = self.file(self.session() + buffer(events(1)), "memory.bin"), os.path.join(self.folder, "out.etl")
        which = ["--windows", "2004", "--arch", "x64"]
        self.assertIn("--windows is required", self.refuse(target, "--arch", "x64", image))
        self.assertIn("--arch is required", self.refuse(target, "--windows", "2004", image))
        self.assertIn("cannot be standard output", self.refuse("-", *which, image))
        self.assertIn("option not allowed here: --format", self.refuse(target, *which, image, "--format", "json"))
        self.assertIn("exclude each other", self.refuse(target, *which, "--scan", image))
        self.assertIn("not a regular file", self.refuse(target, *which, "-", code=INPUT))
        self.assertIn("Windows 6.0 or later", self.refuse(target, "--windows", "5.2", "--arch", "x64", image))
        self.assertIn("--extract needs a session of the kernel",
                      self.refused("ETW_GUID_ENTRY", "--extract", target, *which, image))
        self.assertIn("option not allowed here: --force", self.refused("WMI_LOGGER_CONTEXT", "--list", "--force"))
        self.assertEqual({"memory.bin"}, set(os.listdir(self.folder)))

    def test_existing_files(self):
        content = self.session() + bytes(-len(self.session()) % 8) + buffer(events(1))
        old = self.file(b"old", "out.etl")
        self.extract(content, code=OUTPUT)
        self.assertIn("already exists; --force replaces it", self.errors)
        with open(old, "rb") as file:
            self.assertEqual(b"old", file.read())
        self.extract(content, more=["--force"])
        self.assertEqual([1, 2, 3], self.times())
        image = os.path.join(self.folder, "memory.bin")
        self.assertIn("is the input file", self.refuse(image, "--force", "--windows", "2004", "--arch", "x64", image))
        self.refuse(os.path.join(self.folder, "no", "out.etl"), "--windows", "2004", "--arch", "x64", image, code=OUTPUT)


if __name__ == "__main__":
    command_case.main()
