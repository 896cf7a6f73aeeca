#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_validate_test.py ETLPROOF [TEST...]

Tests `etlproof validate` on files that etl_file.py builds, and its memory use on a large file.
"""
import collections
import json
import os
import re
import resource
import struct
import subprocess

import command_case
import etl_file
from command_case import CommandCase, CONFORMING, DAMAGED, INPUT, LIMIT, NOT_ETL, run
from etl_file import Buffer, Logfile, Trace
from format_members import in_buffer

A = "01020304-0506-0708-090a-0b0c0d0e0f10"
B = "f1e2d3c4-b5a6-9788-796a-5b4c3d2e1f00"
HEADER_GROUP = "68fdd900-4a3e-11d1-84f4-0000f80464e3"
T = Logfile.START_TICKS
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format", "rules.def")

# Signatures of other formats, and the word that the message must contain. Sources: documentation of each format.
OTHER_KINDS = [
    (b"\x1f\x8b\x08", "gzip"), (b"PK\x03\x04", "zip"), (b"PK\x05\x06" + bytes(18), "zip"), (b"MSCF\0\0\0\0", "cabinet"),
    (b"ElfFile\0", "evtx"), (b"\x30\0\0\0LfLe", "evt"), (b"PAGEDU64", "crash dump"), (b"PAGEDUMP", "crash dump"),
    (b"MDMP\x93\xa7", "minidump"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh91AY", "bzip2"), (b"Rar!\x1a\x07\x01\0", "rar"), (b"\x0a\x0d\x0d\x0a", "pcapng"), (b"regf", "registry"),
    (b"MZ\x90\0", "program"), (b"\x7fELF\x02", "ELF"), (b"<?xml version", "XML"),
]


def sound():
    items = [(0x01, "", etl_file.guid(B), {}), (0x0D, "", bytes(8), {})]
    return Trace([Buffer([etl_file.event(A, b"xyz", time=T + 25_000_000, items=items),
                          etl_file.full(B, time=T + 25_000_001), etl_file.event(A, time=T + 75_000_000),
                          etl_file.system(0x0501, b"", time=T + 75_000_001)])])


def backwards(count):
    """Events with decreasing times: a warning (TIM-004) for each but the first."""
    return Trace([Buffer([etl_file.full(A, time=T + count - n) for n in range(count)], size=0x40000)])


def without_size():
    """One event of three has Size 0: an error (SIZ-003)."""
    first, second, third = (etl_file.full(A, time=T + n) for n in range(3))
    return Trace([Buffer([first, second, third], damage=lambda body: body[:0x30] + b"\0\0" + body[0x32:])])


def bomb():
    """A compressed buffer that claims to inflate a few bytes to a mebibyte, beyond the expansion limit."""
    trace = Trace([Buffer([etl_file.full(A, time=T + 1)], compressed=True)],
                  logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))
    content = bytearray(trace.pack())
    for member in ("SavedOffset", "Offset"):
        struct.pack_into("<I", content, 0x1000 + in_buffer(member), 0x100000)
    return bytes(content)


class Verdict(CommandCase):
    def test_first_line(self):
        for content, code, begins in (
                (sound().pack(), CONFORMING, "conforming (5 events, 2 buffers)\n"),
                (without_size().pack(), DAMAGED, "damaged (3 events, 2 buffers): first error: SIZ-003 at 0x1078: "),
                (bomb(), LIMIT, "limit reached (1 event, 2 buffers)\n"),
                (b"", NOT_ETL, "not an ETL file: the file is empty\n"),
                (b"\x01" * 5000, NOT_ETL, "not an ETL file: it holds no event buffer\n")):
            path = self.file(content)
            out = self.out("validate", path, code=code)
            self.assertTrue(out.startswith(f"{path}: {begins}"), out)
            self.assertEqual(out.splitlines(True)[0], self.out("validate", "--quiet", path, code=code))
            self.assertEqual(out.splitlines(True)[0], self.out("validate", "-q", path, code=code))

    def test_strict(self):
        tail = self.file(sound().pack() + bytes(512), "tail.etl")
        self.assertRegex(self.out("validate", tail), r"conforming(.|\n)*\n  warning BUF-003: ")
        out = self.out("validate", "--strict", tail, code=DAMAGED)
        self.assertRegex(out.splitlines()[0], "damaged .*: first warning: BUF-003 at 0x2000: ")
        self.assertEqual("damaged", json.loads(self.out("validate", "--strict", "--json", tail, code=DAMAGED))["verdict"])
        self.out("validate", "--strict", self.file(sound().pack()))

    def test_several_files(self):
        files = {code: self.file(content, f"{code}.etl") for code, content in (
            (CONFORMING, sound().pack()), (DAMAGED, without_size().pack()), (NOT_ETL, b"gone"), (LIMIT, bomb()))}
        files[INPUT] = os.path.join(self.folder, "missing")
        for worst in ((0,), (0, 3), (3, 1), (1, 3, 0), (0, 2, 1), (2, 66, 0), (66, 3, 0)):
            order = (66, 2, 1, 3, 0)
            code, out, _ = run("validate", "--quiet", *(files[one] for one in worst))
            self.assertEqual(min(worst, key=order.index), code, worst)
            self.assertEqual([one for one in worst if one != INPUT],
                             [int(re.search(r"(\d+)\.etl: ", line)[1]) for line in out.decode().splitlines()])

    def test_folder(self):
        """Its *.etl files and those of its subfolders, by name; links to folders are not followed."""
        folder = os.path.join(self.folder, "traces")
        os.makedirs(os.path.join(folder, "b"))
        whole = Trace([Buffer([etl_file.full(A, time=T)])]).pack()
        for name, content in (("c.ETL", whole), ("a.etl", whole[:-8]), ("b/x.etl", whole),
                              ("b/notes.txt", b"text"), (".hidden.etl", b""), ("etl", b"")):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        os.symlink(folder, os.path.join(folder, "b", "loop"))
        code, out, err = run("validate", "--quiet", folder)
        self.assertEqual((DAMAGED, ""), (code, err))
        self.assertEqual(["a.etl: damaged", "b/x.etl: conforming", "c.ETL: conforming"],
                         [line.split(" (")[0].replace(folder + "/", "") for line in out.decode().splitlines()])
        os.unlink(os.path.join(folder, "b", "x.etl"))
        inner = os.path.join(folder, "b")
        self.assertEqual((INPUT, b"", f"etlproof: {inner}: no *.etl file in this folder\n"), run("validate", inner))

    def test_other_formats_are_named_without_findings(self):
        for head, word in OTHER_KINDS:
            path = self.file(head + b"\x55\xaa\x11" * 3000)
            out = self.out("validate", path, code=NOT_ETL)
            self.assertEqual(1, out.count("\n"), out)
            self.assertRegex(out, rf"^{re.escape(path)}: not an ETL file: it looks like .*{word}")
            self.assertTrue(json.loads(self.out("validate", "--json", path, code=NOT_ETL))["findings"])
            _, _, complaint = run("decode", path)
            self.assertRegex(complaint, rf"not an ETL file: it looks like .*{word}")
        self.assertIn("\n  error ", self.out("validate", self.file(b"\x01" * 5000), code=NOT_ETL))

    def test_many_findings(self):
        path = self.file(backwards(31).pack())
        short, everything = self.out("validate", path), self.out("validate", "--all", path)
        self.assertEqual(5, short.count("    warning  TIM-004 at "))
        self.assertIn("    and 25 more of TIM-004\n", short)
        self.assertEqual(30, everything.count("    warning  TIM-004 at "))
        self.assertNotIn(" more of ", everything)
        found = json.loads(self.out("validate", "--json", path))
        self.assertEqual([str(n) for n in range(2, 32)], [finding["event"] for finding in found["findings"]])

    def test_findings_that_are_not_kept_are_counted(self):
        tail = bytes(100)
        path = self.file(backwards(2001).pack() + tail)
        found = json.loads(self.out("validate", "--json", path))
        rules = [finding["rule"] for finding in found["findings"]]
        self.assertEqual(["TIM-004"] * 1000 + ["BUF-003"], rules)
        self.assertEqual("2000", found["findings_by_rule"]["TIM-004"])
        self.assertEqual("2001", found["findings_by_severity"]["warning"])
        self.assertIn(f"    and {2000 - rules.count('TIM-004'):,} more of TIM-004\n", self.out("validate", "--all", path))


class Inventory(CommandCase):
    def test_json(self):
        trace = sound()
        path = self.file(trace.pack())
        (found,) = self.lines("validate", "--json", path)
        self.assertEqual({
            "file": path, "size": str(len(trace.pack())), "verdict": "conforming", "windows": "10.0.18362",
            "pointer_size": 8, "clock_type": 1, "logger_mode": "0x00000001", "buffers": "2", "compressed_buffers": "0",
            "events": "5", "events_by_header_type": trace.types(), "extended_items": {"0x1": "1", "0xd": "1"},
            "events_lost": 5, "buffers_lost": 3, "findings": []},
            {key: found[key] for key in ("file", "size", "verdict", "windows", "pointer_size", "clock_type", "logger_mode",
                                         "buffers", "compressed_buffers", "events", "events_by_header_type",
                                         "extended_items", "events_lost", "buffers_lost", "findings")})
        self.assertEqual(trace.bytes_by_kind(), {kind: int(count) for kind, count in found["bytes"].items()})
        providers = {one["provider"]: one["events"] for one in found["providers"]}
        self.assertEqual({A: "2", B: "1", HEADER_GROUP: "1",
                          "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c": "1"}, providers)
        self.assertEqual({"first": str(T), "last": str(T + 75_000_001), "first_utc": trace.logfile.utc(T),
                          "last_utc": trace.logfile.utc(T + 75_000_001)}, found["time_range"])

    def test_json_without_logfile_header(self):
        content = Buffer([etl_file.full(A, time=T)]).pack(0)
        (found,) = self.lines("validate", "--json", self.file(content), code=DAMAGED)
        for key in ("windows", "pointer_size", "clock_type", "logger_mode", "events_lost", "buffers_lost"):
            self.assertIsNone(found[key], key)
        self.assertEqual("1", found["events"])
        self.assertIn("LFH-001", [finding["rule"] for finding in found["findings"]])

    def test_json_has_one_line_a_file(self):
        one, two = self.file(sound().pack(), "1.etl"), self.file(b"gone", "2.etl")
        found = self.lines("validate", "--json", one, two, code=NOT_ETL)
        self.assertEqual([(one, "conforming"), (two, "not-etl")], [(each["file"], each["verdict"]) for each in found])

    def test_json_of_a_compressed_file_and_a_limit(self):
        one = etl_file.event(A, time=T + 1)
        trace = Trace([Buffer([one] * 3, compressed=True), Buffer([one])],
                      logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))
        (found,) = self.lines("validate", "--json", self.file(trace.pack()))
        self.assertEqual(("1", "3", "5"), (found["compressed_buffers"], found["buffers"], found["events"]))
        self.assertEqual(trace.bytes_by_kind(), {kind: int(count) for kind, count in found["bytes"].items()})
        (found,) = self.lines("validate", "--json", self.file(bomb()), code=LIMIT)
        self.assertEqual(("limit", ["LIM-001"]), (found["verdict"], [one["rule"] for one in found["findings"]]))
        self.assertEqual(str(0x1000 + 0x30), found["findings"][0]["offset"])

    def test_json_conforms_to_its_schema(self):
        everything = [etl_file.system(0xFE01), etl_file.message(1), etl_file.full(A, time=-5),
                      etl_file.event(B, items=[(0x1234, "", b"of no type", {})])]
        packed = Trace([Buffer([etl_file.full(A, time=T + 2), etl_file.full(A, time=T + 1)], compressed=True)],
                       logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))
        for content in (sound().pack(), without_size().pack(), backwards(2001).pack(), bomb(), packed.pack(), b"", b"text",
                        Trace([Buffer(everything)], logfile=Logfile(reserved_flags=9)).pack(),
                        Trace([Buffer([etl_file.full(A, time=T)], flags=0)], logfile=Logfile(version=(5, 1, 1, 0)),
                              header_flags=0, header_type=0).pack(), Buffer([etl_file.message(1)]).pack(0)):
            self.check_lines("validate", "validate", "--json", self.file(content))

    def test_text(self):
        trace = sound()
        lines = [" ".join(line.split()) for line in self.out("validate", self.file(trace.pack())).splitlines()]
        for line in ("Windows 10.0.18362, 64-bit", 'logger "Test Logger", file "C:\\trace.etl"',
                     "clock PERFCOUNTER (1), 2500000 ticks per second", "mode 0x00000001 (FILE_MODE_SEQUENTIAL)",
                     "processors 8", "buffers 2 (0 compressed)", "events 5", "2 0x13 EVENT_HEADER64",
                     "2 0x02 SYSTEM64",
                     "1 0x14 FULL_HEADER64", "1 0x1 RELATED_ACTIVITYID", "1 0xd PROCESS_START_KEY", "providers 4", f"2 {A}",
                     "1 3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c kernel group 0x05 Thread",
                     "lost by logger 5 events, 3 buffers",
                     f"time {trace.logfile.utc(T)} to {trace.logfile.utc(T + 75_000_001)}", "bytes 8,192",
                     "144 buffer-header"):
            self.assertIn(line, lines)

    def test_text_prints_names_of_any_length(self):
        name = "Ab9 " * 1500 + "end"
        path = self.file(Trace(logfile=Logfile(buffer_size=0x10000, logger_name=name, log_file_name=name)).pack())
        self.assertIn(f'  logger           "{name}", file "{name}"\n', self.out("validate", path))

    def test_text_lists_the_providers_with_most_events(self):
        guids = [f"{n:08x}-0000-0000-0000-000000000000" for n in range(1, 15)]
        events = [etl_file.full(one, time=T) for n, one in enumerate(guids) for _ in range(n + 2)]
        out = self.out("validate", self.file(Trace([Buffer(events + [etl_file.message(1)], size=0x10000)]).pack()))
        listed = re.findall(r"(?m)^ +(\d+)  ([0-9a-f-]{36})", out)
        self.assertEqual([(str(n + 2), guids[n]) for n in range(13, 3, -1)], listed)
        self.assertRegex(out, rf"(?m)^ +{2 + 3 + 4 + 5 + 1}  from other providers$")
        self.assertRegex(out, r"(?m)^ +1  without a provider$")

    def test_providers_that_differ_in_one_byte_are_told_apart(self):
        for at in range(16):
            digits = [("0" * 2 * at + f"{n:02x}").ljust(32, "0") for n in range(1, 256)]
            guids = ["-".join((d[:8], d[8:12], d[12:16], d[16:20], d[20:])) for d in digits]
            path = self.file(Trace([Buffer([etl_file.full(one, time=T) for one in guids], size=0x10000)]).pack())
            found = {one["provider"] for one in json.loads(self.out("validate", "--json", path))["providers"]}
            self.assertEqual(set(guids), found - {HEADER_GROUP}, at)


class Sarif(CommandCase):
    def log(self, *files, code):
        return json.loads(self.out("validate", "--sarif", *files, code=code))

    def test_structure(self):
        damaged = self.file(without_size().pack(), "a b%.etl")
        log = self.log(damaged, self.file(backwards(2).pack(), "warning.etl"), code=DAMAGED)
        self.assertEqual("2.1.0", log["version"])
        self.assertIn("sarif-2.1.0", log["$schema"])
        (one,) = log["runs"]
        rules = one["tool"]["driver"]["rules"]
        self.assertEqual("etlproof", one["tool"]["driver"]["name"])
        with open(RULES, encoding="utf-8") as table:
            ids = re.findall(r'(?m)^ETL_RULE\(\w+, "([A-Z]+-\d+)"', table.read())
        self.assertEqual(ids, [rule["id"] for rule in rules])
        for rule in rules:
            self.assertTrue(rule["shortDescription"]["text"] and rule["fullDescription"]["text"])
            self.assertIn(rule["defaultConfiguration"]["level"], ("none", "note", "warning", "error"))
        results = one["results"]
        self.assertEqual([("SIZ-003", "error"), ("TIM-004", "warning")],
                         [(each["ruleId"], each["level"]) for each in results])
        for each, offset, name in zip(results, (0x1078, 0x1078), ("a%20b%25.etl", "warning.etl")):
            self.assertEqual(each["ruleId"], rules[each["ruleIndex"]]["id"])
            place = each["locations"][0]["physicalLocation"]
            self.assertEqual({"byteOffset": offset}, place["region"])
            self.assertEqual(f"file://{self.folder}/{name}", place["artifactLocation"]["uri"])
            self.assertIn(rules[each["ruleIndex"]]["shortDescription"]["text"], each["message"]["text"])
        self.assertIn("Size is 0x0, expected at least 0x30", results[0]["message"]["text"])
        self.assertEqual([{"executionSuccessful": True}], one["invocations"])

    def test_finding_in_an_inflated_buffer_has_no_file_offset(self):
        events = [etl_file.full(A, time=T + 2), etl_file.full(A, time=T + 1)]
        trace = Trace([Buffer(events, compressed=True)], logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE))
        (result,) = self.log(self.file(trace.pack()), code=CONFORMING)["runs"][0]["results"]
        self.assertNotIn("region", result["locations"][0]["physicalLocation"])
        self.assertEqual(("inflated", str(0x48 + 0x30)), (result["properties"]["space"], result["properties"]["offset"]))
        self.assertIn("inflated buffer 1", result["message"]["text"])

    def test_findings_that_are_not_kept(self):
        results = self.log(self.file(backwards(2001).pack() + bytes(100)), code=CONFORMING)["runs"][0]["results"]
        counts = collections.Counter()
        for each in results:
            counts[each["ruleId"]] += each.get("occurrenceCount", 1)
        self.assertEqual({"TIM-004": 2000, "BUF-003": 1}, counts)
        (rest,) = [each for each in results if "occurrenceCount" in each]
        self.assertNotIn("region", rest["locations"][0]["physicalLocation"])
        self.assertIn(f" {rest['occurrenceCount']:,} times more; ", rest["message"]["text"])

    def test_without_memory(self):
        """Without memory to inflate a buffer there is no result for the file, and the run is not successful."""
        if command_case.is_sanitized():
            self.skipTest("a sanitizer takes memory of its own")
        most = 16 << 20
        packed = Buffer([etl_file.full(A, b"x" * 60_000, time=T)], size=0x10000, compressed=True).pack(1)
        packed = packed[:in_buffer("Offset")] + struct.pack("<I", most) + packed[in_buffer("BufferFlag"):]
        path = self.file(Trace(logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE)).pack() + packed)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))

        code, out, err = run("validate", "--sarif", path, preexec_fn=limit)
        self.assertEqual((LIMIT, f"etlproof: {path}: out of memory\n"), (code, err))
        (one,) = json.loads(out)["runs"]
        self.assertEqual(([], [{"executionSuccessful": False}]), (one["results"], one["invocations"]))

    def test_not_etl_and_unreadable(self):
        log = self.log(self.file(b"", "empty"), code=NOT_ETL)
        (result,) = log["runs"][0]["results"]
        self.assertEqual("error", result["level"])
        self.assertIn("the file is empty", result["message"]["text"])
        log = self.log(os.path.join(self.folder, "missing"), code=INPUT)
        self.assertEqual([], log["runs"][0]["results"])
        self.assertEqual([{"executionSuccessful": False}], log["runs"][0]["invocations"])


class Memory(CommandCase):
    MOST_KB = 64 * 1024
    COPIES = 300  # copies of a mebibyte

    def peak_kb(self, *arguments, feed=None):
        """Peak resident memory of the command, which must succeed. With a pipe the address space is limited too; with a
        file that limit would only make it read instead of map."""
        def limit():
            if feed:
                resource.setrlimit(resource.RLIMIT_AS, (self.MOST_KB * 1024, resource.getrlimit(resource.RLIMIT_AS)[1]))

        child = subprocess.Popen([command_case.TOOL, "validate", "--quiet", *arguments],
                                 stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 preexec_fn=limit)
        if feed:
            feed(child.stdin)
            child.stdin.close()
        self.addCleanup(child.stdout.close)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(CONFORMING, child.returncode)
        return usage.ru_maxrss

    def setUp(self):
        super().setUp()
        if command_case.is_sanitized():
            self.skipTest("a sanitizer takes memory of its own")

    def long_trace(self):
        buffer = Buffer([etl_file.event(A, b"x" * 900, time=T + n) for n in range(60)], size=0x10000)
        logfile = Logfile(buffer_size=0x10000, buffers_written=1 + 16 * self.COPIES)
        return Trace(logfile=logfile).pack(), buffer.pack(1) * 16

    def test_pipe(self):
        head, part = self.long_trace()

        def feed(pipe):
            pipe.write(head)
            for _ in range(self.COPIES):
                pipe.write(part)

        self.assertLess(self.peak_kb("-", feed=feed), self.MOST_KB)

    def test_file_with_a_long_unwritten_tail(self):
        path = self.file(sound().pack())
        os.truncate(path, self.COPIES << 20)
        self.assertLess(self.peak_kb(path), self.MOST_KB)
        with open(path, "rb") as content:
            def feed(pipe):
                while part := content.read(1 << 20):
                    pipe.write(part)

            self.assertLess(self.peak_kb("-", feed=feed), self.MOST_KB)


if __name__ == "__main__":
    command_case.main()
