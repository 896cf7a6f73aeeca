#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_layout_test.py ETLPROOF [TEST...]

Tests `etlproof layout` on structures that the tests write member by member, and its errors. The offsets are typed here, not
read from decoder/format, so that a wrong row there fails these tests.
"""
import json
import os
import random
import struct
import subprocess

import command_case
from command_case import CONFORMING, DAMAGED, INPUT, NOT_ETL, OUTPUT, run
from layout_case import LayoutCase, member, part, STRUCTURES

KERNEL, USER = 0xFFFFB48012345670, 0x000001D212345670
GUID = bytes.fromhex("04030201060508070900010203040506")
GUID_TEXT = "01020304-0506-0708-0900-010203040506"


def put(content, offset, pattern, *values):
    """Writes little-endian values into a bytearray."""
    struct.pack_into("<" + pattern, content, offset, *values)


def enable_info(enabled, level, logger, any_keyword, all_keyword):
    return struct.pack("<IBBHIIQQ", enabled, level, 0, logger, 0, 0, any_keyword, all_keyword)


def guid_entry():
    """ETW_GUID_ENTRY of 1903, x64, with two sessions; 0x190 bytes."""
    content = bytearray(0x190)
    put(content, 0x00, "QQ", KERNEL, KERNEL + 0x100)
    put(content, 0x10, "q", 7)
    content[0x18:0x28] = GUID
    put(content, 0x28, "QQ", KERNEL, KERNEL)
    put(content, 0x38, "Q", KERNEL)
    put(content, 0x40, "Q", 0x8000000000000001)
    content[0x50:0x70] = enable_info(1, 5, 0, 0xF0F, 0x4)
    content[0x70:0x90] = enable_info(1, 4, 2, 0xF00, 0x4)
    content[0xD0:0xF0] = enable_info(1, 5, 63, 0x00F, 0xC)
    put(content, 0x178, "Q", KERNEL)
    return content


def windows_7_entry():
    """ETW_GUID_ENTRY of 6.1, x64, about which sources disagree; 0x1B0 bytes."""
    content = bytearray(0x1B0)
    put(content, 0x10, "i", -2)
    content[0x14:0x24] = GUID
    put(content, 0x170, "QQQ", 0, 0, KERNEL)
    return content


def logger_context():
    """WMI_LOGGER_CONTEXT of 2004, x64; 0x550 bytes."""
    content = bytearray(0x550)
    put(content, 0x000, "IIII", 3, 0x10000, 0xFFB8, 0x00000102)
    put(content, 0x028, "Q", 1)
    put(content, 0x038, "I", 0xC000003A)
    put(content, 0x090, "Q", KERNEL + 13)
    put(content, 0x098, "HHIQ", 6, 8, 0, KERNEL)
    put(content, 0x0D8, "I", 1)
    put(content, 0x0F0, "IiiI", 4, 2, 8, 16)
    content[0x124:0x134] = GUID
    put(content, 0x140, "qq", 132264504951234567, 12345)
    put(content, 0x330, "Q", 0x80001234)
    put(content, 0x340, "I", 0x02050003)
    put(content, 0x344, "I", 0x00000100)
    put(content, 0x3D0, "IIQ", 512, 0, KERNEL)
    return content


class Decode(LayoutCase):
    def test_guid_entry(self):
        content = guid_entry()
        content[0x4B] = 0x81
        reading = self.read(bytes(0x30) + content, more=["--offset", "0x30"])
        self.assertEqual(("ETW_GUID_ENTRY", "1903", "x64", 0x190, "48", 0x190, "conforming", []),
                         tuple(reading[key] for key in ("structure", "windows", "arch", "size", "offset", "available",
                                                        "verdict", "findings")))
        guid = member(reading, "Guid")
        self.assertEqual((GUID_TEXT, GUID.hex(), "72", 0x18, 16, "CONFIRMED"),
                         tuple(guid[key] for key in ("value", "raw", "offset", "member_offset", "size", "evidence")))
        self.assertEqual("7", member(reading, "RefCount")["value"])
        enabled = part(member(reading, "LastEnable"), "Enabled_InternalFlag")
        self.assertEqual([("Enabled", 1), ("InternalFlag", 0x40)],
                         [(bits["name"], bits["value"]) for bits in enabled["bits"]])
        self.assertEqual(str(0x8000000000000001), member(reading, "MatchId")["value"])
        self.assertTrue(member(reading, "MatchId")["shared"])
        self.assertEqual((f"{KERNEL:#x}", "kernel"),
                         tuple(member(reading, "SecurityDescriptor")[key] for key in ("value", "address")))
        self.assertEqual("null", member(reading, "FilterData")["address"])
        flink = part(member(reading, "GuidList"), "Blink")
        self.assertEqual((f"{KERNEL + 0x100:#x}", "56", 8), (flink["value"], flink["offset"], flink["member_offset"]))

    def test_array_of_structures(self):
        elements = member(self.read(guid_entry()), "EnableInfo")["elements"]
        self.assertEqual(8, len(elements))
        fourth = {each["name"]: each["value"] for each in elements[3]["parts"]}
        self.assertEqual({"IsEnabled": 1, "Level": 5, "Reserved1": 0, "LoggerId": 63, "EnableProperty": 0, "Reserved2": 0,
                          "MatchAnyKeyword": "15", "MatchAllKeyword": "12"}, fourth)
        self.assertEqual("208", elements[3]["offset"])

    def test_members_that_sources_disagree_about(self):
        reading = self.read(windows_7_entry(), windows="6.1", code=CONFORMING)
        taken, page = member(reading, "Guid"), member(reading, "Guid", taken=False)
        self.assertEqual((GUID_TEXT, 0x14, "DUMP"), tuple(taken[key] for key in ("value", "member_offset", "evidence")))
        self.assertEqual((0x18, "CONTRADICTED"), (page["member_offset"], page["evidence"]))
        self.assertEqual((GUID[4:] + bytes(4)).hex(), page["raw"])
        self.assertEqual(-2, member(reading, "RefCount")["value"])
        self.assertEqual("4294967294", str(int(member(reading, "RefCount", taken=False)["value"]) & 0xFFFFFFFF))
        pointers = member(reading, "FilterData")["elements"]
        self.assertEqual(["null", "null", "kernel"], [each["address"] for each in pointers[:3]])

    def test_logger_context(self):
        reading = self.read(logger_context(), "WMI_LOGGER_CONTEXT", "19041")
        self.assertEqual(["FILE_MODE_CIRCULAR", "REAL_TIME_MODE"],
                         [bits["name"] for bits in member(reading, "LoggerMode")["bits"]])
        self.assertEqual([("Persistent", 1), ("AutoLogger", 1), ("SystemLoggerIndex", 5), ("ProviderTracking", 1)],
                         [(bits["name"], bits["value"]) for bits in member(reading, "Flags")["bits"]])
        self.assertEqual(["DbgRequestDeferredFlush"], [bits["name"] for bits in member(reading, "RequestFlag")["bits"]])
        self.assertEqual("PERFCOUNTER", member(reading, "ClockType")["clock_type"])
        self.assertEqual(("0xc000003a", "error"),
                         tuple(member(reading, "LoggerStatus")[key] for key in ("value", "severity")))
        buffer = member(reading, "CurrentBuffer")
        self.assertEqual((f"{KERNEL:#x}", 13), (buffer["value"], buffer["reference_count"]))
        self.assertEqual("0x0000000080001234", member(reading, "LogFileHandle")["value"])
        start = part(member(reading, "ReferenceTime"), "StartTime")
        self.assertEqual(("132264504951234567", "2020-02-17T22:01:35.1234567Z"), (start["value"], start["utc"]))
        self.assertEqual([6, 8, f"{KERNEL:#x}"], [each["value"] for each in member(reading, "LoggerName")["parts"]])
        self.assertEqual(512, part(member(reading, "HookIdMap"), "SizeOfBitMap")["value"])

    def test_bits_that_sources_name_differently(self):
        content = logger_context()
        put(content, 0x340, "I", 0x8001)
        reading = self.read(content, "WMI_LOGGER_CONTEXT", "2004")
        for key, expected in (("bits", [("Persistent", "PAGE"), ("LastBranchTracing", "DUMP")]),
                              ("bits_not_taken", [("SpareFlags1", "CONTRADICTED")])):
            self.assertEqual(expected, [(bits["name"], bits["evidence"]) for bits in member(reading, "Flags")[key]])
        self.assertIn(" Flags = 32769 (0x8001) Persistent "
                      "LastBranchTracing [type dump, against the page; not taken: SpareFlags1]\n",
                      self.text(content, "WMI_LOGGER_CONTEXT", "2004"))
        self.assertIn(" Flags = 32769 (0x8001) Persistent [page] "
                      "LastBranchTracing [type dump, against the page; not taken: SpareFlags1]  "
                      "[page, confirmed by a type dump]\n",
                      self.text(content, "WMI_LOGGER_CONTEXT", "2004", more=["--evidence"]))

    def test_counted_pointer_of_x86(self):
        content = bytearray(0x238)
        put(content, 0x04, "I", 0x1000)
        put(content, 0x50, "I", 0x8A345678 + 7)
        reading = self.read(content, "WMI_LOGGER_CONTEXT", "6.1", "x86")
        buffer = member(reading, "CurrentBuffer")
        self.assertEqual(("0x8a345678", "kernel", 7), (buffer["value"], buffer["address"], buffer["reference_count"]))

    def test_addresses(self):
        """The half of memory that a pointer belongs to, for both architectures and both halves."""
        cases = [("ETW_GUID_ENTRY", "1903", "x64", 0x178, "Q", "SiloState",
                  [(0, "null"), (KERNEL, "kernel"), (USER, "user"), (0x0000800000000000, "non-canonical"),
                   (0xFFFF800000000000, "kernel"), (0xFFFF7FFFFFFFFFFF, "non-canonical"), (0x10000, "user"),
                   (0xFFFF, "first 64 KiB")]),
                 ("ETW_GUID_ENTRY", "1903", "x86", 0x15C, "I", "SiloState",
                  [(0, "null"), (0x80000000, "kernel"), (0x7FFFFFFF, "user"), (0xFFFF, "first 64 KiB")]),
                 ("ETW_UM_LOGGER_CONTEXT", "6.3", "x64", 0x1B8, "Q", "CompressionWorkspace",
                  [(USER, "user"), (KERNEL, "kernel"), (0x0001000000000000, "non-canonical")])]
        for structure, windows, arch, offset, pattern, name, addresses in cases:
            for address, expected in addresses:
                content = bytearray(0x220)
                put(content, offset, pattern, address)
                code, out, err = run("layout", structure, "--windows", windows, "--arch", arch, "-", "--format", "json",
                                     stdin=bytes(content))
                self.assertIn(code, (CONFORMING, DAMAGED), err)
                found = member(json.loads(out), name)
                self.assertEqual((expected, address, 2 + 2 * found["size"]),
                                 (found["address"], int(found["value"], 16), len(found["value"])))

    def test_every_byte_is_shown_once(self):
        """In every layout the taken members cover each byte of the structure once; only unions share bytes."""
        noise = random.Random(1)
        for structure, windows, arch, size in self.layouts():
            content = noise.randbytes(size)
            code, out, err = run("layout", structure, "--windows", windows, "--arch", arch, "-", "--format", "json",
                                 "--offset", "6", stdin=b"before" + content + b"behind")
            self.assertIn(code, (CONFORMING, DAMAGED), err)
            reading = self.check_schema(json.loads(out))
            self.assertEqual(size, reading["available"])
            at = 0
            for each in reading["members"]:
                raw = each.get("raw") or "".join(element["raw"] for element in each["elements"])
                self.assertEqual(content[each["member_offset"]:][:each["size"]].hex(), raw, each)
                self.assertEqual(str(6 + each["member_offset"]), each["offset"])
                if each["taken"] and not each.get("shared"):
                    self.assertEqual(at, each["member_offset"], each)
                    at = each["member_offset"] + each["size"]
            self.assertEqual(size, at)

    def test_findings(self):
        content = guid_entry()
        put(content, 0x76, "H", 64)
        reading = self.read(content, code=DAMAGED)
        self.assertEqual("damaged", reading["verdict"])
        self.assertEqual([("LAY-007", "error", "118", "at most 0x3f", "0x40", ["EnableInfo[0].LoggerId"])],
                         [tuple(finding[key] for key in ("rule", "severity", "offset", "expected", "actual", "members"))
                          for finding in reading["findings"]])

    def test_warnings_are_not_damage(self):
        content = guid_entry()
        put(content, 0x178, "Q", USER)
        reading = self.read(content)
        self.assertEqual([("LAY-004", ["SiloState"])], [(each["rule"], each["members"]) for each in reading["findings"]])

    def test_members_of_findings(self):
        """Findings on a part, an element, and both members of a union, at any offset of the structure."""
        content = logger_context()
        put(content, 0x090, "Q", USER + 5)
        put(content, 0x098, "HH", 7, 8)
        path = self.file(bytes(0x30) + bytes(content), "memory.bin")
        which = ["WMI_LOGGER_CONTEXT", "--windows", "2004", "--arch", "x64", path, "--offset", "0x30"]
        reading = self.check_schema(json.loads(self.out("layout", *which, "--format", "json", code=DAMAGED)))
        self.assertEqual([("LAY-004", ["BatchedBufferList", "CurrentBuffer"])] * 2 + [("LAY-005", ["LoggerName.Length"])],
                         [(each["rule"], each["members"]) for each in reading["findings"]])
        text = self.out("layout", *which, code=DAMAGED)
        self.assertIn(" LAY-004 at 0xc0 BatchedBufferList, CurrentBuffer is 0x1d212345675, expected", text)
        self.assertIn(" LAY-005 at 0xc8 LoggerName.Length is 0x7, expected", text)


class TooShort(LayoutCase):
    def test_cut_anywhere(self):
        content = guid_entry()
        whole = self.read(content)
        for cut in (1, 0x0F, 0x10, 0x17, 0x18, 0x27, 0x75, 0x178, 0x18F):
            reading = self.read(content[:cut], code=DAMAGED)
            self.assertEqual(cut, reading["available"])
            first = reading["findings"][0]
            self.assertEqual(("LAY-002", str(cut), "at least 0x190", f"{cut:#x}", []),
                             tuple(first[key] for key in ("rule", "offset", "expected", "actual", "members")))
            for each, complete in zip(reading["members"], whole["members"], strict=True):
                self.check_cut(cut, each, complete)

    def check_cut(self, cut, each, whole):
        """Members before the cut are unchanged; the cut member has its remaining bytes and no value."""
        left = max(0, min(each["size"], cut - each["member_offset"]))
        if left == each["size"]:
            self.assertEqual(whole, each)
        elif "raw" in each:
            self.assertEqual((whole["raw"][:2 * left], each["size"] - left), (each["raw"], each["missing"]))
            self.assertNotIn("value", each)
        for key in ("parts", "elements"):
            for small, large in zip(each.get(key, []), whole.get(key, []), strict=True):
                self.check_cut(cut, small, large)

    def test_text(self):
        text = self.text(guid_entry()[:0x1A], code=DAMAGED)
        self.assertIn("Guid: only 2 of 16 bytes available", text)
        self.assertIn("RegListHead.Flink: 0 of 8 bytes available", text)
        self.assertIn("error LAY-002", text)

    def test_nothing_there(self):
        for offset, content in ((0, b""), (5, b"12345"), (0x100, b"12345"), (2**64 - 1, b"12345")):
            path = self.file(content, "memory.bin")
            err = self.refused("ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x64", path, "--offset", str(offset),
                               code=NOT_ETL)
            self.assertIn(f"offset {offset} ({offset:#x})", err)
            self.assertIn(f"{len(content)} ({len(content):#x}) bytes", err)

    def test_offset_past_the_end_of_a_pipe(self):
        code, _, err = run("layout", "ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x64", "-", "--offset", "1000000",
                           stdin=bytes(4096))
        self.assertEqual(NOT_ETL, code)
        self.assertIn("4096", err)

    def test_offset_far_into_a_pipe(self):
        code, out, _ = run("layout", "ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x64", "-", "--offset", "0x300000",
                           "--format", "json", stdin=bytes(0x300000) + bytes(guid_entry()))
        self.assertEqual((CONFORMING, GUID_TEXT), (code, member(json.loads(out), "Guid")["value"]))


class Text(LayoutCase):
    def test_header(self):
        lines = self.text(guid_entry()).splitlines()
        self.assertTrue(lines[0].endswith("memory.bin at 0x0: ETW_GUID_ENTRY of 1903 (Windows 10 1903 and 1909), x64, "
                                          "0x190 bytes"), lines[0])
        self.assertIn("  known from: type dumps of 2004, and of preview 18922, which has the layout of 1607 to 1903", lines)
        self.assertIn("  verdict: conforming", lines)
        lines = self.text(bytes(0x390), "WMI_LOGGER_CONTEXT", "1511").splitlines()
        self.assertIn("  1511 as 10.0: an older edition of the page gives this layout for 10.0 'and higher'  "
                      "[not taken: page, contradicted by a type dump]", lines)

    def test_members(self):
        text = self.text(guid_entry())
        for line in (f"  0x00000018 +0x018                    Guid = {GUID_TEXT}",
                     f"                     {GUID.hex()}",
                     "  0x00000010 +0x010  0700000000000000  RefCount = 7 (0x7)",
                     f"  0x00000178 +0x178  {struct.pack('<Q', KERNEL).hex()}  SiloState = {KERNEL:#x} kernel",
                     "  0x00000040 +0x040  0100000000000080  MatchId = 9223372036854775809 (0x8000000000000001)  [union]",
                     "  0x000000d6 +0x0d6  3f00              EnableInfo[3].LoggerId = 63 (0x3f)",
                     "  0x00000090 +0x090                    EnableInfo[1 to 2] (all zero)"):
            self.assertIn(line + "\n", text)

    def test_meanings(self):
        text = self.text(logger_context(), "WMI_LOGGER_CONTEXT", "2004")
        for end in ("LoggerMode = 258 (0x102) FILE_MODE_CIRCULAR REAL_TIME_MODE",
                    "Flags = 33882115 (0x2050003) Persistent AutoLogger SystemLoggerIndex=5 "
                    "ProviderTracking [type dump, against the page; not taken: SpareFlags2]",
                    "ClockType = 1 (0x1) PERFCOUNTER",
                    "LoggerStatus = 0xc000003a error",
                    "ReferenceTime.StartTime = 132264504951234567 (0x1d5e5ddd202e007) 2020-02-17T22:01:35.1234567Z",
                    "LoggerName.(padding) (4 bytes, all zero)",
                    f"CurrentBuffer = {KERNEL:#x} kernel, count 13  [union]"):
            self.assertIn(end + "\n", text)

    def test_disagreement(self):
        text = self.text(windows_7_entry(), windows="6.1")
        self.assertIn(f"Guid = {GUID_TEXT}  [type dump, against the page]\n", text)
        self.assertRegex(text, r"(?m)^- 0x00000018 \+0x018 .* \[not taken: page, contradicted by a type dump\]$")
        self.assertIn("(padding) (4 bytes, all zero)\n", text)

    def test_evidence(self):
        self.assertNotIn("[page", self.text(guid_entry()))
        text = self.text(guid_entry(), more=["--evidence"])
        self.assertIn(f"Guid = {GUID_TEXT}  [page, confirmed by a type dump]\n", text)

    def test_findings(self):
        content = guid_entry()
        put(content, 0x76, "H", 64)
        text = self.text(content, code=DAMAGED)
        self.assertIn("  verdict: damaged\n", text)
        self.assertIn("  error LAY-007: LoggerId is below 64", text)
        self.assertIn("    error    LAY-007 at 0x76 EnableInfo[0].LoggerId is 0x40, expected at most 0x3f; continue\n",
                      text)


class Usage(LayoutCase):
    def test_unknown_structure(self):
        err = self.refused("EPROCESS", "--windows", "1903", "--arch", "x64", "-")
        for name in ["EPROCESS"] + STRUCTURES:
            self.assertIn(name, err)

    def test_unknown_versions(self):
        for version, word in (("6.0", "ambiguous"), ("26201", "newer"), ("10.0.26100", "no layout is known"),
                              ("7", "no such version"), ("4.0", "no such version"), ("", "no such version"),
                              ("10.0.22621.1", "no layout is known"), ("10.0.9600", "no layout is known"),
                              ("18922", "no layout is known")):
            err = self.refused("ETW_GUID_ENTRY", "--windows", version, "--arch", "x64", "-")
            self.assertIn(word, err)
            self.assertIn("6.0-early: Windows Vista before SP1", err)
            self.assertIn("2004: Windows 10 2004 to 22H2, builds 19041 to 19045\n", err)

    def test_versions_by_build(self):
        for version, expected in (("19045", "2004"), ("10.0.18363", "1903"), ("7601", "6.1"), ("6.0.6002", "6.0-late"),
                                  ("10.0", "10.0"), ("10.0.19041.1234", "2004"), ("6.1.7601.17514", "6.1"),
                                  ("22000", "11-21H2"), ("25H2", "11-25H2")):
            listed = self.json("ETW_GUID_ENTRY", "--windows", version, "--arch", "x64", "--list")
            self.assertEqual(expected, listed["windows"])

    def test_unknown_architecture(self):
        err = self.refused("ETW_GUID_ENTRY", "--windows", "1903", "--arch", "arm", "-")
        self.assertIn("x86 or x64 or arm64", err)
        err = self.refused("ETW_GUID_ENTRY", "--windows", "1809", "--arch", "arm64", "-")
        self.assertIn("no ETW_GUID_ENTRY of 1809 (Windows 10 1809, Windows Server 2019) for arm64 is known", err)
        err = self.refused("WMI_LOGGER_CONTEXT", "--windows", "5.1", "--arch", "x64", "-")
        self.assertIn("Windows XP", err)
        self.assertIn("WMI_LOGGER_CONTEXT --list", err)

    def test_unknown_layouts(self):
        """No search took place, so the exit code differs from that of a search without hits."""
        path = self.file(bytes(0x1000))
        entry = ["ETW_GUID_ENTRY", "--windows", "5.1"]
        xp = ["--windows", "5.1", "--arch", "x64"]
        for arguments, words in (([*entry, "--scan", path], "no ETW_GUID_ENTRY of 5.1 (Windows XP) for any architecture"),
                                 ([*entry, "--guess", path], "no ETW_GUID_ENTRY of 5.1"),
                                 ([*entry, "--list"], "no ETW_GUID_ENTRY of 5.1"),
                                 ([*entry, "--export", "c"], "no ETW_GUID_ENTRY of 5.1"),
                                 ([*xp, "--scan", path], "no structure of 5.1 (Windows XP) for x64"),
                                 ([*xp, "--list", "WMI_LOGGER_CONTEXT"], "no WMI_LOGGER_CONTEXT of 5.1")):
            self.assertIn(words, self.refused(*arguments))

    def test_wrong_arguments(self):
        given = ["ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x64"]
        for arguments in ([], ["ETW_GUID_ENTRY"], given, ["ETW_GUID_ENTRY", "--arch", "x64", "-"],
                          ["ETW_GUID_ENTRY", "--windows", "1903", "-"], [*given, "-", "--offset", "12x"],
                          [*given, "-", "--offset", "-1"], [*given, "-", "--offset", ""], [*given, "-", "--format", "xml"],
                          [*given, "-", "--offset", "0x"], [*given, "-", "--offset", "99999999999999999999"],
                          [*given, "a", "b"], ["--export", "yaml"], ["ETW_GUID_ENTRY", "--diff", "6.1"],
                          ["ETW_GUID_ENTRY", "--diff", "6.1", "1903"], ["--list"],
                          ["ETW_GUID_ENTRY", "--arch", "x64", "--diff", "6.1"],
                          ["ETW_GUID_ENTRY", "--list", "--export", "c"],
                          ["WMI_LOGGER_CONTEXT", "--diff", "5.1", "6.1", "--arch", "x64"],
                          ["WMI_LOGGER_CONTEXT", "--diff", "6.1", "5.1", "--arch", "x64"],
                          ["ETW_GUID_ENTRY", "file", "--list"]):
            self.refused(*arguments)

    def test_options_that_would_be_ignored(self):
        path = self.file(bytes(guid_entry()))
        entry = ["ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x64"]
        for option, arguments in (("windows", [*entry, "--diff", "6.1", "1903"]),
                                  ("offset", [*entry, "--list", "--offset", "8"]),
                                  ("threshold", [*entry, path, "--threshold", "10"]),
                                  ("threshold", ["--threshold", "10", *entry, "--list"]),
                                  ("format", ["--export", "c", "--format", "json"]),
                                  ("arch", ["ETW_GUID_ENTRY", "--export", "markdown", "--arch", "x64"]),
                                  ("arch", ["--arch", "x86", "--export", "markdown"]),
                                  ("windows", ["--export", "markdown", "--windows", "1903"]),
                                  ("evidence", ["--scan", path, "--evidence"]),
                                  ("evidence", ["--evidence", "--guess", path])):
            self.assertIn(f"--{option}\n", self.refused(*arguments), arguments)

    def test_unreadable_and_unwritable(self):
        given = ["ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x64"]
        self.assertIn("missing.bin", self.refused(*given, os.path.join(self.folder, "missing.bin"), code=INPUT))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([command_case.TOOL, "layout", "--export", "c"], stdout=full, stderr=subprocess.PIPE,
                                      timeout=60, check=False)
            self.assertEqual(OUTPUT, done.returncode)

    def test_help(self):
        self.assertIn("usage: etlproof layout", self.out("layout", "--help"))


if __name__ == "__main__":
    command_case.main()
