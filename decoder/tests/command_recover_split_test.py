#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_recover_split_test.py ETLPROOF [TEST...]

Tests `etlproof recover` on files with several logfile headers: --split of several traces, and headers that are misplaced.
"""
import functools
import json
import os
import resource
import signal
import struct
import subprocess
import time

import command_case
import etl_file
from command_case import CONFORMING, DAMAGED, NOT_ETL, OUTPUT, USAGE, run
from etl_file import Buffer, Logfile, Trace
from format_members import HEADER
from recover_case import A, FIRST_ITEM, FLAG_WORD, SIZE, T, RecoverCase, events, put, three

LATER = Logfile.DEFAULTS["start_time"] + 60 * 10_000_000


def another(first=20, **more):
    """A trace that began a minute after three(), with its own events."""
    return Trace([Buffer(events(4, first)), Buffer(events(4, first + 4))], logfile=Logfile(start_time=LATER, **more))


def logfile_header(**more):
    """An event that is a logfile header if a buffer starts with it; with start_time=LATER, that of another trace."""
    return etl_file.system(0, Logfile(buffers_written=2, **more).pack(), time=Logfile.START_TICKS)


def flawed():
    """An event that is read but violates a rule: its item ends behind it."""
    bad = etl_file.event(A, b"xyz", time=T, items=[(0x01, "", bytes(16), {})])
    bad.raw = put(bad.raw, FIRST_ITEM, struct.pack("<H", 0xFFF8))
    return bad


class SplitTest(RecoverCase):
    """Files of several traces."""

    def split(self, content, count, more=(), code=DAMAGED):
        """Splits the content and checks what holds for every split. Returns the new files and their manifests."""
        source, target = self.file(content, "in.etl"), os.path.join(self.folder, "out.etl")
        actual, out, err = run("recover", "--split", source, "-o", target, *more)
        self.assertEqual((code, ""), (actual, err))
        self.assertEqual(count, out.count(b"\n"))
        files, manifests, end = [], [], 0
        for number in range(1, count + 1):
            name = os.path.join(self.folder, f"out-{number}.etl")
            with open(name, "rb") as file, open(name + ".manifest.json", encoding="utf-8") as notes:
                files.append(file.read())
                manifests.append(json.load(notes))
            offset, size = (int(manifests[-1]["in"][key]) for key in ("offset", "size"))
            self.assertEqual(end, offset)
            end = offset + size
            self.check_manifest(manifests[-1], content[offset:end], files[-1])
            self.out("validate", name)
        self.assertEqual(len(content), end)
        self.assertEqual({"in.etl", *(f"out-{number}.etl{end}" for number in range(1, count + 1)
                                      for end in ("", ".manifest.json"))}, set(os.listdir(self.folder)))
        return files, manifests

    def test_not_recovered_into_one_file(self):
        content = three().pack() + another().pack()
        for whole, message in ((content, "holds 2 traces, which start at 0x0 and 0x3000"),
                               (content + three().pack(), "holds 3 traces, which start at 0x0, 0x3000 and 0x6000")):
            source = self.file(whole)
            code, out, err = run("recover", source, "-o", os.path.join(self.folder, "out.etl"), "--force")
            self.assertEqual((NOT_ETL, b""), (code, out))
            self.assertEqual(f"etlproof: recover: {source}: {message}; --split writes each to a file of its own\n", err)
            self.assertEqual(["trace.etl"], os.listdir(self.folder))

    def test_message_of_many_traces(self):
        headers = b"".join(Trace(logfile=Logfile(start_time=LATER + number)).pack() for number in range(102))
        code, _, err = run("recover", self.file(headers), "-o", os.path.join(self.folder, "out.etl"))
        self.assertEqual((NOT_ETL, True), (code, "holds 102 traces, which start at 0x0, 0x1000, 0x2000," in err))
        self.assertIn(", 0x63000, ...; --split", err)

    def test_sound_traces_are_copied(self):
        traces = [three().pack(), another().pack(), three().pack()]
        files, manifests = self.split(b"".join(traces), 3)
        self.assertEqual(traces, files)
        self.assertEqual([[]] * 3, [manifest["notes"] for manifest in manifests])
        self.assertEqual(["conforming"] * 3, [manifest["in"]["verdict"] for manifest in manifests])

    def test_range_and_names(self):
        source = self.file(three().pack() + another().pack(), "in.etl")
        printed = self.out("recover", "--split", source, "-o", os.path.join(self.folder, "new.x"), "--manifest",
                           os.path.join(self.folder, "notes"), code=DAMAGED)
        self.assertEqual({"in.etl", "new-1.x", "new-2.x", "notes-1", "notes-2"}, set(os.listdir(self.folder)))
        self.assertEqual("".join(f"{self.folder}/new-{number}.x: 9 events in 3 buffers; copied, no errors found\n"
                                 for number in (1, 2)), printed)
        with open(os.path.join(self.folder, "notes-2"), encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual((source, str(3 * SIZE), str(3 * SIZE)),
                         tuple(manifest["in"][key] for key in ("file", "offset", "size")))

    def test_each_trace_is_recovered(self):
        """Notes have the offsets of the file, and the indices of the trace."""
        first, second = three().pack()[:-700], another().pack()
        damaged = len(first) + SIZE + HEADER
        files, manifests = self.split(first + put(second, SIZE + HEADER, b"\x07")[:-800], 2)
        self.assertEqual(self.data(*range(8)), self.payloads(files[0]))
        self.assertEqual(self.data(21, 22, 23, 24, 25, 26, 27), self.payloads(files[1]))
        self.assertEqual([str(2 * SIZE)], [note["offset"] for note in manifests[0]["notes"] if note["note"] == "rebuilt"])
        self.assertEqual([("rebuilt", str(len(first) + SIZE), "1"), ("rebuilt", str(len(first) + 2 * SIZE), "2")],
                         [(note["note"], note["offset"], note["buffer"]) for note in self.notes(manifests[1], "rebuilt")])
        self.assertEqual([(str(damaged), "1")],
                         [(note["offset"], note["buffer"]) for note in self.notes(manifests[1], "dropped")])

    def test_inflated_offsets_are_those_of_the_buffer(self):
        second = Trace([Buffer([*events(1), flawed(), *events(1, 3)], compressed=True)],
                       logfile=Logfile(start_time=LATER, log_file_mode=1 | etl_file.COMPRESSED_MODE)).pack()
        _, manifests = self.split(three().pack() + second, 2)
        expected = HEADER + len(etl_file.padded(events(1)[0].raw))
        self.assertEqual([("inflated", str(expected))],
                         [(note["space"], note["offset"]) for note in self.notes(manifests[1], "dropped")])

    def test_offsets_in_the_new_file_count_from_its_start(self):
        with open(FLAG_WORD, "rb") as file:
            second = Trace(logfile=Logfile(start_time=LATER, log_file_mode=etl_file.COMPRESSED_MODE)).pack() + file.read()
        _, manifests = self.split(three().pack() + second, 2)
        self.assertEqual([("BUF-001", str(SIZE + HEADER + 4))],
                         [(note["rule"], note["offset"]) for note in self.notes(manifests[1], "made")])

    def test_moved_header(self):
        """Bytes before the first logfile header belong to the first trace."""
        content = three().pack()
        files, manifests = self.split(content[SIZE:2 * SIZE] + content[:SIZE] + another().pack(), 2)
        self.assertEqual([str(SIZE)], [note["offset"] for note in self.notes(manifests[0], "moved")])
        self.assertEqual(self.data(0, 1, 2, 3), self.payloads(files[0]))
        self.assertEqual(another().pack(), files[1])

    def test_single_trace_is_written_to_out(self):
        content = three().pack()
        for whole in (content, content + content):  # the same trace twice is a repeated header buffer (LFH-012)
            made, manifest = self.recover(whole, CONFORMING, ["--split", "--force"])
            self.assertEqual(whole, made)
            self.assertNotIn("offset", manifest["in"])
            self.assertEqual({"in.etl", "out.etl", "out.etl.manifest.json"}, set(os.listdir(self.folder)))

    def test_no_file_is_written_if_one_exists(self):
        source = self.file(three().pack() + another().pack(), "in.etl")
        out = os.path.join(self.folder, "out.etl")
        for name in ("out-2.etl", "out-1.etl.manifest.json", "out-2.etl.manifest.json"):
            self.file(b"mine", name)
            code, _, err = run("recover", "--split", source, "-o", out)
            self.assertEqual((OUTPUT, True), (code, f"{name}: already exists" in err))
            self.assertEqual({"in.etl", name}, set(os.listdir(self.folder)))
            os.remove(os.path.join(self.folder, name))
        self.file(b"mine", "out.etl")  # is no target
        self.file(b"mine", "out-2.etl")
        self.out("recover", "--split", "--force", source, "-o", out, code=DAMAGED)
        with open(os.path.join(self.folder, "out-2.etl"), "rb") as file:
            self.assertEqual(another().pack(), file.read())
        with open(out, "rb") as file:
            self.assertEqual(b"mine", file.read())

    def test_single_trace_does_not_replace_out(self):
        source, other = self.file(three().pack()), self.file(b"mine", "out.etl")
        code, _, err = run("recover", "--split", source, "-o", other)
        self.assertEqual((OUTPUT, True), (code, "already exists" in err))

    def test_input_is_never_a_target(self):
        source = self.file(three().pack() + another().pack(), "out-2.etl")
        code, _, err = run("recover", "--split", "--force", source, "-o", os.path.join(self.folder, "out.etl"))
        self.assertEqual((USAGE, True), (code, "is never modified" in err))
        self.assertEqual(["out-2.etl"], os.listdir(self.folder))

    def test_files_that_are_complete_stay_after_a_signal(self):
        content = three().pack() + another().pack() + bytes(1 << 26)  # the second is large enough to be interrupted
        source = self.file(content, "in.etl")
        process = subprocess.Popen([command_case.TOOL, "recover", "--split", source, "-o",
                                    os.path.join(self.folder, "out.etl")], stdout=subprocess.DEVNULL)
        begun = os.path.join(self.folder, "out-2.etl.unfinished-1")
        deadline = time.monotonic() + 60
        while not os.path.exists(begun) and time.monotonic() < deadline:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(-signal.SIGTERM, process.wait(60))
        self.assertEqual({"in.etl", "out-1.etl", "out-1.etl.manifest.json"}, set(os.listdir(self.folder)))
        with open(os.path.join(self.folder, "out-1.etl"), "rb") as file:
            self.assertEqual(three().pack(), file.read())

    def test_no_files_left_at_the_file_size_limit(self):
        source = self.file(three().pack() + another().pack() + bytes(SIZE), "in.etl")
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (3 * SIZE, 3 * SIZE))
        code, _, err = run("recover", "--split", source, "-o", os.path.join(self.folder, "out.etl"), preexec_fn=limit)
        self.assertEqual((OUTPUT, True), (code, "out-2.etl: File too large" in err))
        self.assertEqual({"in.etl", "out-1.etl", "out-1.etl.manifest.json"}, set(os.listdir(self.folder)))


class MisplacedHeaderTest(RecoverCase):
    """An event like the logfile header of another trace must not become the first one of a rebuilt buffer."""

    def hooks(self, content):
        return [row.get("hook") for row in self.lines("decode", self.file(content, "read.etl"))
                if row["rec"] == "event"][1:]

    def test_behind_another_event(self):
        made, _ = self.recover(Trace([Buffer([*events(1), flawed(), logfile_header(start_time=LATER)])]).pack())
        self.assertEqual([None, "0x0000"], self.hooks(made))

    def test_behind_a_dropped_event(self):
        header = logfile_header(start_time=LATER)
        made, manifest = self.recover(Trace([Buffer([flawed(), header, header, *events(2)])]).pack())
        self.assertEqual([None, None], self.hooks(made))
        self.assertEqual([("1", "EXT-002"), ("2", "LFH-011"), ("3", "LFH-011")],
                         [(note["event"], note["rule"]) for note in self.notes(manifest, "dropped")])
        self.assertEqual("3", manifest["dropped"]["events"])

    def test_without_another_event(self):
        lost = Buffer([flawed(), logfile_header(start_time=LATER)])
        made, manifest = self.recover(Trace([lost, Buffer(events(1))]).pack())
        self.assertEqual([None], self.hooks(made))
        self.assertEqual([(str(HEADER), "EXT-002"), ("1", "EXT-002"), ("2", "LFH-011")],
                         [(note.get("event", note["size"]), note["rule"]) for note in self.notes(manifest, "dropped")])

    def test_with_the_clock_of_the_file(self):
        made, _ = self.recover(Trace([Buffer([flawed(), logfile_header(), *events(1)])]).pack())
        self.assertEqual(["0x0000", None], self.hooks(made))

    def test_in_a_compressed_buffer(self):
        """Its first event is a logfile header only in a rebuilt buffer, which is not compressed."""
        first = logfile_header(start_time=LATER)
        trace = Trace([Buffer([first, *events(1), flawed()], compressed=True)],
                      logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))
        made, _ = self.recover(trace.pack())
        self.assertEqual([None], self.hooks(made))

    def test_at_the_start_of_a_second_buffer(self):
        """Unpadded events need more room than their buffer has: the next buffer would start with the header."""
        header = logfile_header(start_time=LATER)
        for rest in ([header], [header, header], [header, etl_file.message(7, b"\x01\x02\x03\x04")]):
            messages = [etl_file.message(number, b"\x01\x02\x03\x04") for number in range(240)]
            packed = b"".join(one.raw for one in [*messages, *rest])
            trace = Trace([Buffer([*messages, *rest], damage=lambda body: packed)])
            made, manifest = self.recover(trace.pack(), more=["--force"])
            self.assertEqual([None] * (len(messages) + len(rest) - rest.count(header)), self.hooks(made))
            self.assertEqual(["LFH-011"] * rest.count(header),
                             [note["rule"] for note in self.notes(manifest, "dropped")])

    def test_in_the_room_that_another_one_left(self):
        """The first header is too long for the buffer, whose end is then known: the second must not be added."""
        messages = [etl_file.message(number, b"\x01\x02\x03\x04") for number in range(200)]
        headers = [logfile_header(start_time=LATER, logger_name=name) for name in ("x" * 300, "")]
        packed = b"".join(one.raw for one in [*messages, *headers])
        made, manifest = self.recover(Trace([Buffer([*messages, *headers], damage=lambda body: packed)]).pack())
        self.assertEqual([None] * 200, self.hooks(made))
        self.assertEqual(["LFH-011"] * 2, [note["rule"] for note in self.notes(manifest, "dropped")])


if __name__ == "__main__":
    command_case.main()
