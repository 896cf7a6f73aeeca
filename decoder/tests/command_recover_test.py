#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_recover_test.py ETLPROOF [TEST...]

Tests `etlproof recover` on files that etl_file.py builds and the tests damage: the bytes of OUT, the manifest, and that no
other file changes.
"""
import functools
import os
import re
import resource
import signal
import struct
import subprocess
import time

import command_case
import etl_file
import slow_shapes
from command_case import CONFORMING, DAMAGED, INPUT, LIMIT, NOT_ETL, OUTPUT, USAGE, run
from etl_file import Buffer, Logfile, Trace
from format_members import HEADER, LOGFILE, in_buffer, in_logfile, offset_of, size_of
from recover_case import (A, BUFFERS_WRITTEN, END_TIME, FIRST_ITEM, FLAG_WORD, MADE, OFFSET, SAVED_OFFSET, SIZE,
                          STATE, T, RecoverCase, events, put, three)


class FilesTest(RecoverCase):
    def test_conforming_is_copied(self):
        for content in (three().pack(), three().pack() + bytes(100)):  # zeros at the end are only a warning
            made, manifest = self.recover(content, CONFORMING, ["--force"])
            self.assertEqual(content, made)
            self.assertEqual([], manifest["notes"])
            self.assertEqual({"buffers_as_they_were": "3", "buffers_rebuilt": "0", "buffers_made": "0", "events": "9"},
                             manifest["kept"])

    def test_open_trace_is_copied(self):
        content = three(logfile=Logfile(end_time=0, buffers_written=0)).pack()
        made, manifest = self.recover(content, CONFORMING)
        self.assertEqual((content, []), (made, manifest["notes"]))

    def test_open_trace_with_damage_is_closed(self):
        content = three(logfile=Logfile(end_time=0, buffers_written=0)).pack()
        made, manifest = self.recover(content + bytes(100) + content[SIZE:2 * SIZE])  # zeros between two buffers
        last = Logfile.DEFAULTS["start_time"] + 7 * 10_000_000 // Logfile.DEFAULTS["perf_freq"]
        self.assertEqual({"EndTime": (0, last), "BuffersWritten": (0, 4)}, self.changed(manifest))
        self.assertEqual(("4", "0"), (manifest["kept"]["buffers_as_they_were"], manifest["kept"]["buffers_rebuilt"]))
        closed = put(put(content, END_TIME, struct.pack("<q", last)), BUFFERS_WRITTEN, struct.pack("<I", 4))
        self.assertEqual(closed + content[SIZE:2 * SIZE], made)

    def test_end_time_is_not_before_start_time(self):
        """The event with the logfile header, whose time is the start, ends nowhere; the others are earlier."""
        content = Trace([Buffer([etl_file.event(A, b"x", time=T - 100)] * 2)], logfile=Logfile(end_time=0)).pack()
        _, manifest = self.recover(put(content, HEADER + 4, b"\xff\xff"))  # its Size
        self.assertEqual((0, Logfile.DEFAULTS["start_time"]), self.changed(manifest)["EndTime"])

    def test_truncated(self):
        content = three().pack()
        cut = 2 * SIZE + HEADER + 2 * len(etl_file.padded(events(1)[0].raw)) + 20  # inside the third event
        made, manifest = self.recover(content[:cut])
        self.assertEqual(self.data(0, 1, 2, 3, 4, 5), self.payloads(made))
        self.assertEqual(content[:2 * SIZE], made[:2 * SIZE])
        self.assertEqual(3 * SIZE, len(made))  # as large as the others, for readers that assume one size
        self.assertEqual([("2", "BUF-004")], [(note["buffer"], note["rule"]) for note in self.notes(manifest, "rebuilt")])
        dropped = self.notes(manifest, "dropped")
        self.assertEqual([(str(cut - 20), "20", "SIZ-002")], [(n["offset"], n["size"], n["rule"]) for n in dropped])
        self.assertEqual({"Offset", "SavedOffset"}, set(self.changed(manifest)))

    def test_whole_buffers_missing(self):
        made, manifest = self.recover(three().pack()[:2 * SIZE])
        self.assertEqual({"BuffersWritten": (3, 2)}, self.changed(manifest))
        self.assertEqual(put(three().pack()[:2 * SIZE], BUFFERS_WRITTEN, struct.pack("<I", 2)), made)

    def test_damage_in_the_middle(self):
        content, size = three().pack(), len(etl_file.padded(events(1)[0].raw))
        second = SIZE + HEADER + size
        made, manifest = self.recover(put(content, second, b"\x07\x00"))  # an impossible Size
        self.assertEqual(self.data(0, 2, 3, 4, 5, 6, 7), self.payloads(made))
        self.assertEqual([(str(second), str(size), "SIZ-001")],
                         [(note["offset"], note["size"], note["rule"]) for note in self.notes(manifest, "dropped")])
        # The header except for its offsets, three events, and 0xFF up to the end.
        extent = struct.pack("<I", HEADER + 3 * size)
        header = put(put(content[SIZE:SIZE + HEADER], SAVED_OFFSET, extent), OFFSET, extent)
        kept = b"".join(etl_file.padded(one.raw) for one in (events(4)[0], *events(4)[2:]))
        self.assertEqual((header + kept).ljust(SIZE, b"\xff"), made[SIZE:2 * SIZE])
        self.assertEqual(content[2 * SIZE:], made[2 * SIZE:])

    def test_zeros_in_the_middle_and_at_the_end(self):
        content = put(three().pack(), SIZE, bytes(SIZE))
        made, manifest = self.recover(content + bytes(500))
        self.assertEqual(self.data(4, 5, 6, 7), self.payloads(made))
        # The size of the other buffers gives its place. Its header is dropped; the zeros behind count as unused.
        self.assertEqual([(str(SIZE), str(HEADER)), (str(3 * SIZE), "500")],
                         [(note["offset"], note["size"]) for note in self.notes(manifest, "dropped")])
        self.assertEqual({"BuffersWritten": (3, 2)}, self.changed(manifest))

    def test_circular_trace_may_have_written_more(self):
        content = three(logfile=Logfile(log_file_mode=2, buffers_written=100, end_time=0)).pack()
        made, manifest = self.recover(content + bytes(100) + content[SIZE:2 * SIZE])
        self.assertEqual({"EndTime"}, set(self.changed(manifest)))

    def test_damage_between_buffers_is_noted_once(self):
        content = three().pack()
        made, manifest = self.recover(content[SIZE:2 * SIZE] + b"\x7f" * 100 + content[:SIZE] + content[2 * SIZE:])
        self.assertEqual(content[:SIZE], made[:SIZE])
        self.assertEqual(self.data(*range(8)), self.payloads(made))
        self.assertEqual(["100"], [note["size"] for note in self.notes(manifest, "dropped")])

    def test_state_of_the_header_buffer_stays(self):
        content = put(three().pack(), STATE, b"\x03\0\x01\0")  # its low word is the compression format
        made, manifest = self.recover(put(put(content, SAVED_OFFSET, bytes(4)), OFFSET, bytes(4)))  # no extent
        self.assertEqual(content[STATE:OFFSET], made[STATE:OFFSET])
        self.assertEqual("1", manifest["kept"]["buffers_rebuilt"])
        event_end = struct.unpack_from("<I", made, OFFSET)[0]
        self.assertEqual(content[HEADER:event_end], made[HEADER:event_end])  # including the padding of the event

    def test_slack_with_leftovers(self):
        content = put(three().pack(), 2 * SIZE - 100, b"left over")
        made, manifest = self.recover(content[:-1])
        self.assertEqual(put(content, 2 * SIZE - 100, b"\xff" * 9), made)
        self.assertEqual(["BUF-015", "BUF-004"], [note["rule"] for note in self.notes(manifest, "rebuilt")])

    def test_compressed_before_the_header_is_found(self):
        """Before the logfile header is found, XPRESS is assumed; the header then names another format."""
        first = Buffer(events(4), compressed=True)
        content = put(three().pack(), STATE, b"\2")
        made, manifest = self.recover(first.pack(1) + content)
        self.assertEqual(self.data(*range(4), *range(8)), self.payloads(made))
        self.assertEqual("1", manifest["kept"]["buffers_rebuilt"])

    def test_unknown_options_behind_an_opaque_event(self):
        """An event of unknown layout needs a valid successor as evidence; here its successor must be dropped."""
        bad = etl_file.event(A, b"xyz", time=T, items=[(0x01, "", bytes(16), {})])
        bad.raw = put(bad.raw, FIRST_ITEM, struct.pack("<H", 0xFFF8))
        strange = etl_file.message(1, b"x", more=0x8000)
        made, _ = self.recover(Trace([Buffer([etl_file.opaque(0x0C, "TIMED", bytes(8)), bad, strange])]).pack())
        self.assertEqual(["0x0c", "0x0f"], [row["header_type"] for row in self.lines("decode", self.file(made))
                                            if row["rec"] == "event"][1:])

    def test_pointer_size_of_an_added_header(self):
        trace = Trace([Buffer([etl_file.full(A, b"x", time=T, header_type=0x0A)])])
        made, _ = self.recover(trace.pack()[SIZE:])
        header_type = made[HEADER + offset_of("SYSTEM_TRACE_HEADER", "HeaderType")]
        self.assertEqual((0x01, 4), (header_type, *struct.unpack_from("<I", made, in_logfile("PointerSize"))))

    def test_buffers_found_only_by_their_successor(self):
        """Such a buffer is found by the buffer behind it, which must be dropped here."""
        for version in ((10, 0, 1, 5), (5, 0, 0, 0)):
            strange = [Buffer([etl_file.message(number, b"x", more=0x8000)], size=0x80, flags=0) for number in (1, 2)]
            bad = etl_file.event(A, b"xyz", time=T, items=[(0x01, "", bytes(16), {})])
            bad.raw = put(bad.raw, FIRST_ITEM, struct.pack("<H", 0xFFF8))
            lost = [Buffer([bad], size=0x100, flags=0) for _ in strange]
            trace = Trace([strange[0], lost[0], strange[1], lost[1]], header_flags=0, header_type=0,
                          logfile=Logfile(version=version))
            made, manifest = self.recover(trace.pack(), more=["--force"])
            self.assertEqual(["78", "78"], self.payloads(made))
            self.assertEqual((SIZE + 2 * 0x80, []), (len(made), self.notes(manifest, "made")))
            self.assertEqual((SIZE, 0), [(int(note["from"]), int(note["to"])) for note in self.notes(manifest, "changed")
                                         if int(note["offset"]) == LOGFILE][0])

    def test_flag_word_before_a_buffer_found_only_by_its_successor(self):
        """The flag word and the next BufferSize would look like the start of a buffer."""
        cut = HEADER + 4  # behind the flag word of the first buffer
        with open(FLAG_WORD, "rb") as file:
            made, manifest = self.recover(file.read(), more=["--force"])
        self.assertEqual([("LFH-001", "0"), ("BUF-001", str(MADE + cut))],
                         [(note["rule"], note["offset"]) for note in self.notes(manifest, "made")])
        self.assertEqual((HEADER, 6), (*struct.unpack_from("<I", made, MADE + cut),
                                       *struct.unpack_from("<H", made, MADE + cut + in_buffer("BufferType"))))

    def test_wrong_order(self):
        content = three().pack()
        header, rest = content[:SIZE], content[SIZE:]
        made, manifest = self.recover(rest[:SIZE] + header + rest[SIZE:])
        self.assertEqual([(str(SIZE), "1")], [(note["offset"], note["buffer"]) for note in self.notes(manifest, "moved")])
        self.assertEqual(content[:SIZE], made[:SIZE])
        self.assertEqual(self.data(*range(8)), self.payloads(made))

    def test_logfile_header_lost(self):
        content = three().pack()
        made, manifest = self.recover(content[SIZE:])
        self.assertEqual([("0", "LFH-001")], [(note["offset"], note["rule"]) for note in self.notes(manifest, "made")])
        self.assertEqual((3 * SIZE, content[SIZE:]), (len(made), made[SIZE:]))
        self.assertEqual(self.data(*range(8)), self.payloads(made))
        trace, *records = self.lines("decode", self.file(made, "read.etl"))
        self.assertEqual("2", manifest["kept"]["buffers_as_they_were"])
        self.assertEqual("etlproof recover", trace["logger_name"])
        # The version that the decoder assumes by default, and the processors that occur in buffers.
        self.assertEqual((10, 0, 2, 0, 0, 4), struct.unpack_from("<4BII", made, in_logfile("MajorVersion")))
        timed = [record for record in records if record["rec"] == "event"]
        self.assertEqual(str(T), timed[1]["timestamp"])
        self.assertFalse([record for record in timed if "utc" in record])  # the clock is unknown

    def test_logfile_header_cut(self):
        kept = size_of("TRACE_LOGFILE_HEADER64") + 10  # up to the middle of LoggerName
        content = three().pack()[:LOGFILE + kept]
        made, manifest = self.recover(content)
        self.assertEqual(size_of("SYSTEM_TRACE_HEADER") + kept, self.changed(manifest)["Size"][1])
        changed_up_to = in_logfile("StartBuffers")
        self.assertEqual(content[changed_up_to:], made[changed_up_to:len(content)])
        self.assertEqual("0", manifest["dropped"]["bytes"])

    def test_damaged_event(self):
        bad = etl_file.event(A, b"xyz", time=T + 2, items=[(0x01, "", bytes(16), {})])
        bad.raw = put(bad.raw, FIRST_ITEM, struct.pack("<H", 0xFFF8))  # an item that ends behind its event
        made, manifest = self.recover(Trace([Buffer([*events(1), bad, *events(1, 3)])]).pack())
        self.assertEqual(self.data(0, 3), self.payloads(made))
        self.assertEqual([("2", "EXT-002")], [(note["event"], note["rule"]) for note in self.notes(manifest, "dropped")])
        self.assertEqual("1", manifest["dropped"]["events"])

    def test_compressed(self):
        trace = Trace([Buffer(events(4), compressed=True), Buffer(events(4, 4), compressed=True)],
                      logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))
        content = trace.pack()
        made, manifest = self.recover(content[:-40])
        middle = len(trace.buffers[1].pack(1))
        self.assertEqual(content[:SIZE + middle], made[:SIZE + middle])  # the undamaged buffer stays compressed
        self.assertEqual(self.data(*range(7)), self.payloads(made))
        self.assertEqual((0x60, 0x20), self.changed(manifest)["BufferFlag"])
        self.assertTrue([note for note in self.notes(manifest, "dropped") if note.get("space") == "inflated"])
        made, _ = self.recover(content[SIZE:], more=["--force"])
        self.assertEqual(content[SIZE:], made[-len(content) + SIZE:])
        self.assertEqual([], [row for row in self.lines("decode", self.file(made)) if row["rec"] == "finding"])
        # A match from before the start of the output: nothing behind it can be inflated.
        broken = put(content, SIZE + middle + HEADER, b"\xff\xff\xff\xff\xff\xff")
        made, manifest = self.recover(broken, more=["--force"])
        self.assertEqual(self.data(*range(4)), self.payloads(made))
        self.assertEqual([("file", HEADER), ("file", len(content) - SIZE - middle - HEADER - 4)],
                         [(note.get("space", "file"), int(note["size"])) for note in self.notes(manifest, "dropped")])

    def test_unpadded_events_need_two_buffers(self):
        messages = [etl_file.message(number, b"\x01\x02\x03\x04") for number in range(330)]
        packed = b"".join(one.raw for one in messages)
        self.assertLess(len(packed) + HEADER, SIZE)
        made, manifest = self.recover(Trace([Buffer(messages, damage=lambda body: packed)]).pack())
        self.assertEqual(["01020304"] * 330, self.payloads(made))
        self.assertEqual(3 * SIZE, len(made))
        self.assertEqual("2", manifest["kept"]["buffers_rebuilt"])
        room = (SIZE - HEADER) // 16
        for start, count in ((SIZE, room), (2 * SIZE, 330 - room)):
            offsets = [struct.unpack_from("<I", made, start + at)[0] for at in (SAVED_OFFSET, OFFSET)]
            self.assertEqual([HEADER + 16 * count] * 2, offsets)
        same = slice(in_buffer("CurrentOffset"), OFFSET)
        self.assertEqual(made[SIZE:2 * SIZE][same], made[2 * SIZE:][same])

    def test_event_of_another_marker_begins_a_buffer(self):
        timed = etl_file.opaque(0x0C, "TIMED", bytes(12))
        # An event with this marker is not searched for at the next multiple of 8.
        timed.raw = put(timed.raw, offset_of("OPAQUE_HEADER", "MarkerFlags"), b"\xb0")
        last = events(1, 3)[0]
        content = Trace([Buffer([*events(1), *events(1, 1), timed, last])]).pack()
        made, _ = self.recover(put(content, SIZE + HEADER, b"\x07"))
        self.assertEqual(["13", "0c", "13"], [row["header_type"][2:] for row in self.lines("decode", self.file(made))
                                              if row["rec"] == "event"][1:])
        self.assertEqual(timed.raw, made[2 * SIZE + HEADER:2 * SIZE + HEADER + len(timed.raw)])

    def test_old_header(self):
        trace = Trace([Buffer([etl_file.full(A, bytes([number]), time=T) for number in range(4)], flags=0)],
                      logfile=Logfile(version=(5, 0, 0, 0)), header_flags=0, header_type=0)
        content = put(trace.pack(), SIZE + offset_of("WMI_BUFFER_HEADER_50", "EventsLost"), b"\xff\xff\xff\xff")
        made, manifest = self.recover(content[:-SIZE // 2])
        self.assertEqual(content, made)
        self.assertEqual([("rebuilt", "BUF-004")], [(note["note"], note["rule"]) for note in manifest["notes"]])
        made, manifest = self.recover(content[:SIZE + HEADER + 3 * (size_of("EVENT_TRACE_HEADER") + 8)], more=["--force"])
        self.assertEqual({"WMI_BUFFER_HEADER_50"}, {note["structure"] for note in self.notes(manifest, "changed")})
        self.assertEqual(["00", "01", "02"], self.payloads(made))

    def test_members_that_identify_a_buffer(self):
        content = put(put(three().pack(), SIZE + STATE, b"\x09"), SIZE + in_buffer("BufferType"), b"\x08")
        second = 2 * SIZE + HEADER + len(etl_file.padded(events(1)[0].raw))
        made, manifest = self.recover(put(content, second, b"\x07"))
        self.assertEqual((9, 3), self.changed(manifest)["State"])
        self.assertEqual((8, 0), self.changed(manifest)["BufferType"])
        self.assertEqual(self.data(0, 1, 2, 3, 4, 6, 7), self.payloads(made))

    def test_limit(self):
        body = bytes(16) * 4096
        big = Buffer([etl_file.event(A, body[:60000], time=T)] * 250, size=SIZE)
        extent = HEADER + len(big.body())
        header = struct.pack("<IIIiqqQHHIIHH16s", HEADER + 8, extent, 0, 0, 0, 1, 0, 0, 7, 3, extent, 0x60, 0, bytes(16))
        content = three(logfile=Logfile(buffers_written=4)).pack() + header + bytes(8)
        made, manifest = self.recover(content, LIMIT)
        self.assertEqual(self.data(*range(8)), self.payloads(made))
        self.assertIn("LIM-001", [note.get("rule") for note in self.notes(manifest, "dropped")])

    def test_copies_stay_within_the_limit_of_all_buffers(self):
        """Buffers of 98 bytes that inflate to 64 KiB. Behind a damaged stream, which is not copied, more are read than the
        limit of the new file allows: these are written plain."""
        stream = bytearray(Buffer([etl_file.full(A)] * 1000, compressed=True).pack(1))
        content = slow_shapes.tile(300 * 98, slow_shapes.bomb(), Trace(logfile=slow_shapes.COMPRESSED))
        _, manifest = self.recover(content, LIMIT)
        self.assertEqual("0", manifest["kept"]["buffers_rebuilt"])
        flags = HEADER + 500 * 36  # of the words of 32 literals
        stream[flags:flags + 6] = b"\xff" * 6  # a match in place of literals
        _, manifest = self.recover(content[:SIZE] + stream + content[SIZE:], more=["--force"])
        rebuilt = [note["rule"] for note in self.notes(manifest, "rebuilt")]
        self.assertEqual({"MRK-002", "LIM-001"}, set(rebuilt))
        kept = manifest["kept"]
        self.assertEqual(len(rebuilt), int(kept["buffers_rebuilt"]))
        self.assertEqual(302, len(rebuilt) + int(kept["buffers_as_they_were"]))

    def test_recovery_of_a_recovered_file_is_a_copy(self):
        content = put(three(logfile=Logfile(end_time=0)).pack(), SIZE + HEADER, b"\x07")[:-0x700]
        made, _ = self.recover(content)
        again, _ = self.recover(made, CONFORMING, ["--force"])
        self.assertEqual(made, again)


class CommandLineTest(RecoverCase):
    def refuse(self, code, text, *arguments):
        before = {name: os.stat(os.path.join(self.folder, name)).st_mtime_ns for name in os.listdir(self.folder)}
        actual, out, err = run("recover", *arguments)
        self.assertEqual((code, b""), (actual, out), err)
        self.assertIn(text, err)
        after = {name: os.stat(os.path.join(self.folder, name)).st_mtime_ns for name in os.listdir(self.folder)}
        self.assertEqual(before, after)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def test_no_output_without_recoverable_events(self):
        for content in (b"", b"MZ\x90\0" + bytes(500), bytes(5000)):
            self.refuse(NOT_ETL, "not an ETL file", self.file(content), "-o", self.path("out.etl"))
        self.refuse(INPUT, "cannot read", self.path("absent.etl"), "-o", self.path("out.etl"))
        self.refuse(INPUT, "not a regular file", self.folder, "-o", self.path("out.etl"))
        self.refuse(OUTPUT, "cannot write", self.file(three().pack()), "-o", self.path("absent/out.etl"))

    def test_usage(self):
        source = self.file(three().pack())
        self.refuse(USAGE, "no OUT given", source)
        self.refuse(USAGE, "no IN given", "-o", self.path("out.etl"))
        self.refuse(USAGE, "more than one IN given", source, source, "-o", self.path("out.etl"))
        self.refuse(USAGE, "standard input", "-", "-o", self.path("out.etl"))
        self.refuse(USAGE, "different files", source, "-o", self.path("out.etl"), "--manifest", self.path("out.etl"))
        self.refuse(USAGE, "different files", source, "-o", self.path("out.etl"), "--manifest", self.path(".", "out.etl"))
        self.refuse(USAGE, "standard output", source, "-o", "-")
        self.refuse(USAGE, "standard output", source, "-o", self.path("out.etl"), "--manifest", "-")

    def test_input_is_never_replaced(self):
        source = self.file(three().pack()[:-100])
        os.symlink(source, self.path("soft.etl"))
        os.link(source, self.path("hard.etl"))
        for name in ("trace.etl", "soft.etl", "hard.etl"):
            self.refuse(USAGE, "is never modified", source, "--force", "-o", self.path(name))
            self.refuse(USAGE, "is never modified", source, "--force", "-o", self.path("out.etl"), "--manifest",
                        self.path(name))

    def test_temporary_name_is_not_the_other_output(self):
        source = self.file(three().pack()[:-100])
        for out, manifest in (("q", "q.unfinished-1"), ("q.unfinished-1", "q")):
            self.refuse(OUTPUT, "temporary name", source, "--force", "-o", self.path(out), "--manifest",
                        self.path(manifest))

    def test_existing_files_are_kept(self):
        source = self.file(three().pack()[:-100])
        other = self.file(b"mine", "out.etl")
        self.refuse(OUTPUT, "already exists", source, "-o", other)
        os.rename(other, self.path("out.etl.manifest.json"))
        self.refuse(OUTPUT, "already exists", source, "-o", other)
        self.out("recover", source, "--force", "-o", other, code=DAMAGED)
        self.assertEqual({"trace.etl", "out.etl", "out.etl.manifest.json"}, set(os.listdir(self.folder)))

    def test_special_files_are_not_replaced(self):
        """A folder cannot be replaced, and a device must not be: /dev/null would become a regular file."""
        source = self.file(three().pack()[:-100])
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        os.symlink("fifo", self.path("link"))
        for name in ("folder", "fifo", "link"):
            for more in ([], ["--force"]):
                self.refuse(OUTPUT, "not a regular file; not replaced", source, *more, "-o", self.path(name))
                self.refuse(OUTPUT, "not a regular file; not replaced", source, *more, "-o", self.path("out.etl"),
                            "--manifest", self.path(name))

    def test_no_files_left_at_the_file_size_limit(self):
        source = self.file(three().pack())
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (100, 100))
        counted = {**os.environ, "LLVM_PROFILE_FILE": os.devnull}  # a build that counts coverage writes a file too
        code, _, err = run("recover", source, "-o", self.path("out.etl"), preexec_fn=limit, env=counted)
        self.assertEqual((OUTPUT, f"etlproof: cannot write {self.path('out.etl')}: File too large\n"), (code, err))
        self.assertEqual(["trace.etl"], os.listdir(self.folder))

    def test_no_files_left_after_a_failed_rename(self):
        source = self.file(three().pack())
        code, _, err = run("recover", source, "-o", "", cwd=self.folder)
        self.assertEqual((OUTPUT, "etlproof: cannot write : No such file or directory\n"), (code, err))
        self.assertEqual(["trace.etl"], os.listdir(self.folder))

    def test_manifest_elsewhere(self):
        source = self.file(three().pack()[:-100])
        printed = self.out("recover", source, "--output", self.path("out.etl"), "--manifest", self.path("m"), code=DAMAGED)
        self.assertEqual({"trace.etl", "out.etl", "m"}, set(os.listdir(self.folder)))
        self.assertIn("9 events in 3 buffers; 1 buffer rebuilt, 0 buffers added; 0 events and 0 bytes dropped", printed)

    def test_no_files_left_after_a_signal(self):
        source = self.file(three().pack() + bytes(1 << 26))  # large enough to be interrupted
        for number in self.ending_signals():
            with self.subTest(signal=number.name):
                process = subprocess.Popen([command_case.TOOL, "recover", source, "-o", self.path("out.etl")],
                                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                deadline = time.monotonic() + 60
                while len(os.listdir(self.folder)) < 3 and time.monotonic() < deadline:
                    self.assertIsNone(process.poll())
                    time.sleep(0.001)
                process.send_signal(number)
                self.assertEqual(-number, process.wait(60))
                self.assertEqual(["trace.etl"], os.listdir(self.folder))

    @staticmethod
    def ending_signals():
        """All that end the command and can be handled; sanitizers handle faults themselves."""
        faults = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP,
                  signal.SIGSYS}
        others = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
                  signal.SIGTERM, signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPROF}
        return sorted(others if command_case.is_sanitized() else others | faults)

    def shrink_meanwhile(self, content, seconds):
        """Recovers a file that is cut some time after OUT was begun. Returns the errors."""
        source = self.file(content)
        process = subprocess.Popen([command_case.TOOL, "recover", source, "-o", self.path("out.etl")],
                                   stderr=subprocess.PIPE)
        while len(os.listdir(self.folder)) < 3 and process.poll() is None:
            pass
        time.sleep(seconds)
        os.truncate(source, 100)
        _, err = process.communicate(timeout=60)
        for name in (os.listdir(self.folder) if process.returncode == DAMAGED else ()):
            os.remove(self.path(name))  # the cut came too late
        self.assertLessEqual(set(os.listdir(self.folder)), {"trace.etl"}, err)
        return err.decode()

    def test_no_files_left_after_the_input_shrank(self):
        if command_case.is_sanitized():
            self.skipTest("sanitizers handle SIGBUS themselves")
        content = Trace([Buffer(events(4))] * 8192).pack()[:-100]
        shrank = f"etlproof: {self.path('trace.etl')}: the file shrank while it was being read\n"
        # If the file is cut between two windows, another check notices it first.
        self.assertTrue(any(self.shrink_meanwhile(content, number % 20 / 1000) == shrank for number in range(200)))

    def test_bytes_are_on_the_disk_before_the_name(self):
        source, log = self.file(three().pack()[:-100]), self.path("log")
        traced = subprocess.run(["strace", "-f", "-o", log, "-e", "trace=fsync,/^(un)?link", command_case.TOOL, "recover",
                                 source, "-o", self.path("out.etl")], capture_output=True, check=False)
        if b"ptrace" in traced.stderr:
            self.skipTest("the system does not let processes be traced")
        self.assertEqual(DAMAGED, traced.returncode, traced.stderr)
        with open(log, encoding="utf-8") as file:
            calls = re.findall(r"(fsync|link|unlink)(?:at)?\(", file.read())
        # Both files; the names of the manifest and of OUT; their folder, for each.
        self.assertEqual(["fsync"] * 2 + ["link", "unlink"] * 2 + ["fsync"] * 2, calls)

    def change_meanwhile(self, content, offset, number):
        """Recovers a file in which a byte changes between the first two passes. Returns the exit code, the errors, and
        whether OUT exists; None if the change came too late."""
        source, target = self.file(content, "in.etl"), self.path(f"{number}.etl")
        begun = target + ".unfinished-1"
        process = subprocess.Popen([command_case.TOOL, "recover", source, "-o", target], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        while not os.path.exists(begun) and process.poll() is None:
            pass
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        in_time = os.path.exists(begun) and os.path.getsize(begun) < offset - (1 << 20)
        with open(source, "r+b") as file:
            file.seek(offset)
            file.write(b"M")
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=60)
        return (process.returncode, err.decode(), os.path.exists(target)) if in_time else None

    def test_input_that_changes_while_it_is_read(self):
        """The survey of the first pass is no longer valid, so there is no OUT."""
        content = Trace([Buffer(events(4))] * 8192 + [Buffer([etl_file.event(A, b"marked", time=T)])]).pack()
        for whole in (content, content[:-100]):
            tries = (self.change_meanwhile(whole, whole.index(b"marked"), number) for number in range(20))
            ended = next(filter(None, tries), None)
            self.assertEqual((INPUT, f"etlproof: {self.path('in.etl')}: changed while it was being read\n", False), ended)

    def test_link_is_replaced_not_followed(self):
        source, other = self.file(three().pack()[:-100]), self.file(b"mine", "other")
        os.symlink(other, self.path("out.etl"))
        self.out("recover", source, "--force", "-o", self.path("out.etl"), code=DAMAGED)
        self.assertFalse(os.path.islink(self.path("out.etl")))
        with open(other, "rb") as file:
            self.assertEqual(b"mine", file.read())


if __name__ == "__main__":
    command_case.main()
