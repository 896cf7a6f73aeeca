#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the output and the errors of etlproof layout --guess and --scan. scripts/layout-bench measures how often they are
right. guid_entry() types its own layout, so that a wrong row of decoder/format fails these tests."""
import json
import os
import signal
import struct
import subprocess
import threading
import unittest
import uuid

import command_case
from command_case import CONFORMING, INPUT, NOT_ETL, USAGE, run
from layout_case import LayoutCase

ADDRESS = 0xFFFFA50212345670
PROVIDER = uuid.UUID("f73ed9d1-b8e6-4d0d-9b1e-010203040506")
MIB = 1 << 20

# One structure for each group of first members.
BEGINNINGS = (("ETW_GUID_ENTRY", "1903", "x86"), ("ETW_GUID_ENTRY", "2004", "x86"), ("ETW_GUID_ENTRY", "6.1", "x64"),
              ("ETW_GUID_ENTRY", "2004", "x64"), ("WMI_LOGGER_CONTEXT", "5.1", "x86"), ("WMI_LOGGER_CONTEXT", "5.2", "x64"),
              ("WMI_LOGGER_CONTEXT", "6.0-late", "x86"), ("WMI_LOGGER_CONTEXT", "6.1", "x86"),
              ("WMI_LOGGER_CONTEXT", "2004", "x64"), ("ETW_UM_LOGGER_CONTEXT", "5.1", "x86"),
              ("ETW_UM_LOGGER_CONTEXT", "2004", "x64"))


def enable_info(enabled, level, logger, any_keyword, all_keyword):
    return struct.pack("<IBBHIIQQ", enabled, level, 0, logger, 0, 0, any_keyword, all_keyword)


def guid_entry(references=3):
    """An ETW_GUID_ENTRY of Windows 10 1607 to 1903, x64, enabled by two sessions."""
    infos = enable_info(1, 5, 0, 0x30, 0x10) + enable_info(1, 4, 3, 0x10, 0x10) + enable_info(1, 5, 63, 0x20, 0x30)
    return (struct.pack("<QQQ16s", ADDRESS + 0x1000, ADDRESS + 0x2000, references, PROVIDER.bytes_le)
            + struct.pack("<QQQ", ADDRESS + 0x28, ADDRESS + 0x28, 0) + bytes(16) + infos + bytes(32 * 6)
            + struct.pack("<QQQQ", 0, ADDRESS + 0x3000, 0, 0))


def put_member(bytes_, member, pointer, address):
    """Writes a plausible value of a member in use; other members stay zero."""
    words = {"LIST_ENTRY": [address, address + 0x40], "POINTER": [address], "FAST_REF": [address],
             "UNICODE_STRING": [0x00120010, address]}.get(member["kind"], [])
    for at, word in enumerate(words):
        struct.pack_into("<Q" if pointer == 8 else "<I", bytes_, member["offset"] + at * pointer, word)
    known = {"RefCount": ("<I", 3), "LoggerId": ("<I", 7), "ClockType": ("<I", 1), "BufferSize": ("<I", 0x10000),
             "MaximumEventSize": ("<I", 0xFFB8), "NumberOfBuffers": ("<I", 4), "MinimumBuffers": ("<I", 4),
             "MaximumBuffers": ("<I", 4), "StartTime": ("<Q", 0x01D0000000000000),
             "ReferenceTime": ("<Q", 0x01D0000000000000)}.get(member["name"])
    if known:
        struct.pack_into(known[0], bytes_, member["offset"], known[1])
    if member["name"] in ("Guid", "InstanceGuid", "InstanceId"):
        bytes_[member["offset"]:member["offset"] + 16] = PROVIDER.bytes_le


class FindCase(LayoutCase):
    def scan(self, path, *more, code=CONFORMING, stdin=b""):
        """The candidates. Checks the end record."""
        records = self.lines("layout", "--scan", "--format", "json", path, *more, code=code, stdin=stdin)
        for record in records:
            self.check_schema(record)
        self.assertEqual("end", records[-1]["rec"])
        self.assertEqual(str(len(records) - 1), records[-1]["candidates"])
        return records[:-1]

    def guess(self, path, *more, code=CONFORMING, stdin=b""):
        records = self.lines("layout", "--guess", "--format", "json", path, *more, code=code, stdin=stdin)
        self.assertEqual(1, len(records))
        return self.check_schema(records[0])

    def assert_is_entry(self, record, offset):
        self.assertEqual(("ETW_GUID_ENTRY", "1607", "1903", "x64", str(offset)),
                         tuple(record[key] for key in ("structure", "windows", "until", "arch", "offset")))

    def made_up(self, structure, windows, arch, only=None):
        """A structure in use, of any layout; `only` limits it to some members."""
        layout = self.lines("layout", structure, "--list", "--format", "json", "--windows", windows, "--arch", arch)[0]
        address = {"x86": 0x84123450, "x64": ADDRESS}[arch]
        if structure == "ETW_UM_LOGGER_CONTEXT":
            address &= 0x7FFFFFFF
        made = bytearray(layout["size"])
        for member in layout["members"]:
            if member["taken"] and (only is None or member["name"] in only):
                put_member(made, member, 8 if arch == "x64" else 4, address)
        return bytes(made)


class GuessTest(FindCase):
    def test_offset_known(self):
        path = self.file(bytes(64) + guid_entry() + b"\xff" * 64)
        guess = self.guess(path, "--offset", "0x40")
        self.assertIn(guess["certainty"], ("sure", "likely"))
        self.assert_is_entry(guess["contenders"][0], 64)
        points = [contender["points"] for contender in guess["contenders"]]
        self.assertEqual(sorted(points, reverse=True), points)
        self.assertEqual(points[0] - points[1], guess["margin"])

    def test_offset_unknown(self):
        # The last two places are the first of the second window.
        for before in (0, 8, 0x1230, 3 * MIB, 4 * MIB - 0x1320, 4 * MIB - 0x1318):
            guess = self.guess(self.file(b"\x07" * before + guid_entry() + b"\xff" * 0x2000))
            self.assert_is_entry(guess["contenders"][0], before)

    def test_evidence(self):
        guess = self.guess(self.file(guid_entry()))
        evidence = {reason["clue"]: reason for reason in guess["contenders"][0]["evidence"]}
        self.assertEqual(["EnableInfo[0]", "EnableInfo[1]"], evidence["the request of a session"]["members"])
        self.assertEqual(["ProviderEnableInfo"], evidence["the combined request of all sessions"]["members"])
        self.assertEqual([], [reason for reason in evidence.values() if reason["points"] == 0])

    def test_evidence_against(self):
        broken = bytearray(guid_entry())
        broken[0x70 + 0x10] ^= 0x40
        guess = self.guess(self.file(bytes(broken)))
        self.assertIn("not the combined request of all sessions",
                      [reason["clue"] for reason in guess["contenders"][0]["evidence"] if reason["points"] < 0])

    def test_text(self):
        text = self.out("layout", "--guess", self.file(guid_entry()))
        self.assertRegex(text, r"\A(sure|likely): the best layout leads by \d+\.\d bits\n")
        self.assertRegex(text, r"(?m)^  0x0  ETW_GUID_ENTRY        1607 to 1903 x64  \d+\.\d bits$")
        self.assertRegex(text, r"(?m)^    for +\d+\.\d  a GUID of a known version and the usual variant: Guid$")

    def test_rank(self):
        """An 8.1 entry before zeros also fits 10.0 and 1511, whose additional members may be null, and no other version."""
        made = self.made_up("ETW_GUID_ENTRY", "6.3", "x64")
        guess = self.guess(self.file(made + bytes(0x80)))
        self.assertEqual({"6.3", "10.0", "1511"}, {c["windows"] for c in guess["contenders"] if c["rank"] == 1})
        ranks = [contender["rank"] for contender in guess["contenders"]]
        self.assertEqual(sorted(ranks), ranks)
        self.assertEqual(set(range(1, ranks[-1] + 1)), set(ranks))
        points = [contender["points"] for contender in guess["contenders"]]
        self.assertEqual(points[0] - points[ranks.index(2)], guess["margin"])
        self.assertEqual([1, 2], [contender["rank"] for contender in guess["contenders"] if "evidence" in contender])
        self.assertRegex(self.out("layout", "--guess", self.file(made + bytes(0x80))),
                         r"(?m)^  0x0  ETW_GUID_ENTRY  .* bits, reads these bytes like the best$")
        guess = self.guess(self.file(made + b"\x07" * 0x80))
        self.assertEqual(["6.3"], [c["windows"] for c in guess["contenders"] if c["rank"] == 1])

    def test_restricted(self):
        path = self.file(guid_entry())
        guess = self.guess(path, "--windows", "1903", "--arch", "x64")
        self.assertEqual({("1607", "1903")}, {(c["windows"], c["until"]) for c in guess["contenders"]
                                              if c["structure"] == "ETW_GUID_ENTRY"})
        self.assertEqual({"x64"}, {c["arch"] for c in guess["contenders"]})
        only = self.lines("layout", "WMI_LOGGER_CONTEXT", "--guess", "--format", "json", path, code=NOT_ETL)[0]
        self.assertEqual("implausible", only["certainty"])
        self.assertEqual({"WMI_LOGGER_CONTEXT"}, {c["structure"] for c in only["contenders"]})

    def test_standard_input(self):
        self.assert_is_entry(self.guess("-", stdin=bytes(0x5000) + guid_entry())["contenders"][0], 0x5000)

    def test_cut(self):
        self.assert_is_entry(self.guess(self.file(guid_entry()[:0x180]))["contenders"][0], 0)

    def test_nothing_there(self):
        code, out, err = run("layout", "--guess", self.file(b""))
        self.assertEqual((NOT_ETL, b""), (code, out))
        self.assertIn("empty", err)
        code, out, err = run("layout", "--guess", self.file(bytes(100)), "--offset", "100")
        self.assertEqual((NOT_ETL, b""), (code, out))
        self.assertIn("offset 100 is past the end of the file, which has 100 bytes", err)
        code, out, err = run("layout", "--guess", self.file(bytes(MIB)))
        self.assertEqual((NOT_ETL, b""), (code, out))
        self.assertIn("no plausible structure found", err)
        self.assertEqual("implausible", self.guess(self.file(b"abc"), code=NOT_ETL)["certainty"])


class ScanTest(FindCase):
    def test_found(self):
        found = self.scan(self.file(b"\x07" * 0x1008 + guid_entry() + b"\x07" * 0x1000 + guid_entry(references=4)))
        self.assertEqual(2, len(found))
        self.assert_is_entry(found[0], 0x1008)
        self.assert_is_entry(found[1], 0x1008 + 0x190 + 0x1000)
        self.assertEqual({"Guid": str(PROVIDER), "RefCount": "4"}, found[1]["members"])
        self.assertEqual(0, found[0]["missing"])

    def test_text(self):
        text = self.out("layout", "--scan", self.file(bytes(0x80) + guid_entry()))
        self.assertRegex(text, r"\A0x0000000080  ETW_GUID_ENTRY +1607 to 1903 x64  [\d.]+ bits, margin [\d.]+ "
                               rf" Guid {PROVIDER}  RefCount 3\n528 bytes, 1 candidate\n\Z")

    def test_across_windows(self):
        """A structure at every place where a window of the file, or a read of standard input, may end."""
        entry = guid_entry()
        for end in (MIB, 4 * MIB):
            for back in (8, 0x100, 0x190, 0x700, 0x1320, 0x1328, 0x1500):
                image = bytes(end - back) + entry + bytes(MIB)
                for path, stdin in ((self.file(image), b""), ("-", image)):
                    found = self.scan(path, stdin=stdin)
                    self.assertEqual([str(end - back)], [candidate["offset"] for candidate in found], (end, back, path))

    def test_every_place_of_a_small_image(self):
        entry = guid_entry()
        for at in range(0, 0x600, 8):
            self.assertEqual([str(at)], [c["offset"] for c in self.scan(self.file(bytes(at) + entry + bytes(0x600 - at)))])

    def test_every_word_of_a_block(self):
        """Each kind of start at each of the 16 words of a block."""
        for name in BEGINNINGS:
            made = self.made_up(*name)
            room = len(made) + 0x100 & ~0x7F
            image = b"".join(bytes(8 * word) + made + b"\xff" * (room - len(made) - 8 * word) for word in range(16))
            found = self.scan(self.file(image), "--arch", name[2])
            self.assertEqual([(name[0], str(word * (room + 8))) for word in range(16)],
                             [(candidate["structure"], candidate["offset"]) for candidate in found], name)

    def test_every_word_before_the_end_of_a_stretch(self):
        """Likewise at the end of a stretch of blocks: the rest of the structure belongs to the next stretch."""
        stretch, words = 0x10000, 3 * 16
        for name in BEGINNINGS:
            made = self.made_up(*name)
            image = bytearray(b"\xff" * (words + 1) * stretch)
            places = [(back + 1) * (stretch - 8) for back in range(words)]
            for place in places:
                image[place:place + len(made)] = made
            found = self.scan(self.file(bytes(image)), "--arch", name[2])
            self.assertEqual([(name[0], str(place)) for place in places],
                             [(candidate["structure"], candidate["offset"]) for candidate in found], name)

    def test_session_whose_only_address_is_its_name(self):
        """At each word of a block: the name lies up to two blocks behind."""
        for arch in ("x86", "x64"):
            made = self.made_up("WMI_LOGGER_CONTEXT", "2004", arch,
                                ("LoggerId", "BufferSize", "MaximumEventSize", "LoggerName"))
            for word in range(16):
                image = bytes(8 * word) + made + b"\x07" * 0x200
                found = self.scan(self.file(image), "--windows", "2004", "--arch", arch, "--threshold", "1")
                self.assertEqual([("WMI_LOGGER_CONTEXT", str(8 * word))], [(c["structure"], c["offset"]) for c in found])

    def test_arm64(self):
        """Bytes cannot tell ARM64 from x64: only who asks for ARM64 gets it."""
        path = self.file(self.made_up("ETW_GUID_ENTRY", "2004", "x64") + b"\x07" * 0x80)
        for given, expected in (((), "x64"), (("--arch", "x64"), "x64"), (("--arch", "arm64"), "arm64")):
            self.assertEqual([expected], [c["arch"] for c in self.scan(path, *given)])
            self.assertEqual(expected, self.guess(path, *given)["contenders"][0]["arch"])
        self.assertNotIn("arm64", [c["arch"] for c in self.guess(path)["contenders"]])

    def test_margin(self):
        """--guess and --scan give the same margin for a place, whatever the sieve ruled out there."""
        for made in (guid_entry(), self.made_up("ETW_UM_LOGGER_CONTEXT", "6.1", "x86")):
            path = self.file(bytes(0x40) + made + b"\xff" * 0x2000)
            found, guess = self.scan(path)[0], self.guess(path, "--offset", "0x40")
            self.assertEqual((guess["contenders"][0]["points"] // 16, guess["margin"] // 16),
                             (found["score"], found["margin"]))

    def test_alike(self):
        """An 8.1 entry before zeros also fits 10.0 and 1511, as --guess reports too, and no other version."""
        made = self.made_up("ETW_GUID_ENTRY", "6.3", "x64")
        path = self.file(made + bytes(0x80))
        found = self.scan(path)[0]
        self.assertEqual({"6.3", "10.0", "1511"}, {found["windows"], found["until"], *found["alike"]})
        self.assertEqual(2, len(found["alike"]))
        ranked = [c["windows"] for c in self.guess(path, "--offset", "0")["contenders"] if c["rank"] == 1]
        self.assertEqual(sorted(ranked), sorted([found["windows"], *found["alike"]]))
        self.assertRegex(self.out("layout", "--scan", path), r"\A0x0000000000  ETW_GUID_ENTRY +6\.3 to 1511 x64  ")
        path = self.file(made + b"\x07" * 0x80)
        self.assertEqual([("6.3", "6.3", [])], [tuple(c[key] for key in ("windows", "until", "alike"))
                                                for c in self.scan(path)])
        self.assertRegex(self.out("layout", "--scan", path), r"\A0x0000000000  ETW_GUID_ENTRY +6\.3 x64  ")
        self.assertEqual(["10.0"], [c["windows"] for c in self.scan(self.file(made + bytes(0x80)), "--windows", "10.0")])
        self.assertEqual([], self.scan(self.file(made + bytes(0x80)), "--windows", "10.0")[0]["alike"])

    def test_overlapping(self):
        """The layout of 2004 starts with one more list, so the layout of 1903 fits 16 bytes later."""
        entry = guid_entry()
        later = struct.pack("<QQ", ADDRESS, ADDRESS + 0x4000) + entry[:0x180] + bytes(8) + entry[0x180:] + b"\xff" * 64
        found = self.scan(self.file(bytes(0x40) + later))
        self.assertEqual([("2004", "64")], [(candidate["windows"], candidate["offset"]) for candidate in found])

    def test_offset(self):
        image = guid_entry() + bytes(0x44) + guid_entry() + bytes(0x40)
        for path, stdin in ((self.file(image), b""), ("-", image)):
            for offset, found in ((0, [0]), (8, []), (4, [0x1D4]), (0x1D4, [0x1D4]), (0x1D8, [])):
                self.assertEqual([str(at) for at in found], [candidate["offset"] for candidate in self.scan(
                    path, "--offset", str(offset), stdin=stdin, code=CONFORMING if found else NOT_ETL)], offset)
        path = self.file(b"\x07" * 3 * MIB + guid_entry() + b"\x07" * MIB)
        for offset in (8, MIB, 2 * MIB + 8, 3 * MIB):
            found = self.scan(path, "--offset", str(offset))
            self.assertEqual([str(3 * MIB)], [candidate["offset"] for candidate in found])

    def test_offset_past_the_end(self):
        for offset in (100, 2**64 - 1):
            code, out, err = run("layout", "--scan", self.file(bytes(100)), "--offset", str(offset))
            self.assertEqual((NOT_ETL, b"100 bytes, 0 candidates\n"), (code, out))
            self.assertIn(f"offset {offset} is past the end of the file, which has 100 bytes", err)

    def test_cut(self):
        found = self.scan(self.file(bytes(0x40) + guid_entry()[:0x180]))
        self.assert_is_entry(found[0], 0x40)
        self.assertEqual(0x10, found[0]["missing"])

    def test_threshold(self):
        path = self.file(guid_entry())
        score = self.scan(path)[0]["score"]
        self.assertEqual(1, len(self.scan(path, "--threshold", str(score))))
        self.assertEqual([], self.scan(path, "--threshold", str(score + 1), code=NOT_ETL))
        for wrong in ("", "x", "-1", "1.5", "999999999999"):
            self.assertEqual(USAGE, run("layout", "--scan", path, "--threshold", wrong)[0], wrong)

    def test_restricted(self):
        path = self.file(guid_entry())
        self.assertEqual(1, len(self.scan(path, "--windows", "1803", "--arch", "x64")))
        self.assertEqual([], self.scan(path, "--windows", "6.1", "--threshold", "75", code=NOT_ETL))
        self.assertEqual([], self.scan(path, "--arch", "x86", code=NOT_ETL))

    def test_nothing_there(self):
        for content in (b"", b"abc", guid_entry()[:0x18], bytes(MIB), b"text and more text. " * 9999,
                        struct.pack("<QQ", ADDRESS, ADDRESS) * 9999):
            self.assertEqual([], self.scan(self.file(content), code=NOT_ETL))

    def test_unreadable(self):
        for mode in ("--scan", "--guess"):
            code, out, err = run("layout", mode, self.folder)
            self.assertEqual((INPUT, b""), (code, out))
            self.assertIn("is a directory", err)
            code, out, err = run("layout", mode, os.path.join(self.folder, "none"))
            self.assertEqual((INPUT, b""), (code, out))
            self.assertIn("cannot read", err)
            self.assertEqual(USAGE, run("layout", mode)[0])

    @unittest.skipUnless(os.name == "posix", "signals")
    def test_interrupted(self):
        """Hits found before remain printed, and there is no end record."""
        scan = subprocess.Popen([command_case.TOOL, "layout", "--scan", "--format", "json", "-"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        watch = threading.Timer(60, scan.kill)
        watch.start()
        self.addCleanup(watch.cancel)
        scan.stdin.write(guid_entry() + bytes(4 * MIB))
        scan.stdin.flush()
        first = scan.stdout.readline()
        scan.send_signal(signal.SIGINT)
        rest, _ = scan.communicate(timeout=60)
        self.assertEqual(-signal.SIGINT, scan.returncode)
        self.assert_is_entry(json.loads(first), 0)
        self.assertEqual(b"", rest)


if __name__ == "__main__":
    command_case.main()
