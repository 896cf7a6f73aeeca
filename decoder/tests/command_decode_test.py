#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_decode_test.py ETLPROOF [TEST...]

Tests `etlproof decode` on files that etl_file.py builds: compares each record with the expected one.
"""
import json
import signal
import struct
import subprocess

import command_case
import etl_file
from command_case import CommandCase, DAMAGED, LIMIT, NOT_ETL, OUTPUT, USAGE
from etl_file import Buffer, Logfile, Trace

A = "01020304-0506-0708-090a-0b0c0d0e0f10"
B = "f1e2d3c4-b5a6-9788-796a-5b4c3d2e1f00"
T = Logfile.START_TICKS


def only(records, kind):
    return [record for record in records if record["rec"] == kind]


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def schema_item():
    """An EVENT_SCHEMA_TL item with one field of each form: plain, array, structure and custom type."""
    fields = b"number\0\x08" + b"array\0\xa5\x84\x05\x03\0" + b"group\0\x98\x02" + b"custom\0\x6e\x02\0zz"
    members = [{"name": "number", "in_type": 8, "out_type": 0, "tag": 0, "count": 0},
               {"name": "array", "in_type": 0x25, "out_type": 4, "tag": 5 << 21, "count": 3},
               {"name": "group", "in_type": 0x18, "out_type": 2, "tag": 0, "count": 0},
               {"name": "custom", "in_type": 0x6E, "out_type": 0, "tag": 0, "count": 0}]
    return (0x0B, "EVENT_SCHEMA_TL", etl_file.schema_blob(b"Event\xc3\xa9", fields, tag=b"\x81\x02"),
            {"schema": {"tag": 1 << 21 | 2 << 14, "name": "Eventé", "fields": members}})


class Records(CommandCase):
    def check_events(self, trace, code=command_case.CONFORMING):
        """Checks all event records of the trace: each has exactly the expected members."""
        path = self.file(trace.pack())
        for payload in (False, True):
            records = self.lines("decode", *(["--payload", "hex"] if payload else []), path, code=code)
            events = only(records, "event")
            logfiles = [one.pop("logfile", None) for one in events]
            self.assertIsNotNone(logfiles[0])
            for expected, actual in zip(trace.event_records(payload), events):
                self.assertEqual(expected, actual)
            self.assertEqual(len(trace.places), len(events))
            self.check_end(trace, records)
        return records

    def check_end(self, trace, records):
        self.assertEqual(["end"], [record["rec"] for record in records[-1:]])
        end = records[-1]
        self.assertEqual(str(len(trace.buffers)), end["buffers"])
        self.assertEqual(str(len(trace.places)), end["events"])
        self.assertEqual(str(sum(buffer.compressed for buffer in trace.buffers)), end["compressed_buffers"])
        self.assertEqual(trace.types(), end["events_by_header_type"])
        findings = only(records, "finding")
        for severity in ("note", "warning", "limit", "error"):
            self.assertEqual(str(sum(one["severity"] == severity for one in findings)), end["findings"][severity])
        self.assertEqual(trace.bytes_by_kind(), {kind: int(count) for kind, count in end["bytes"].items()})
        self.assertEqual(len(trace.pack()), sum(int(count) for count in end["bytes"].values()))

    def test_every_header_type(self):
        one = Buffer([
            etl_file.system(0x0501, b"\1\2\3", time=T + 1, tid=0xFFFFFFFF, pid=0x80000001, kernel=3, user=4, version=3),
            etl_file.system(0x0B17, b"", time=T + 2, header_type=0x01),
            etl_file.compact(0x0524, b"12345678", time=T + 3),
            etl_file.compact(0xFFFE, b"", time=T + 4, header_type=0x03),
            etl_file.perfinfo(0x0F2E, b"payload", time=T + 5),
            etl_file.perfinfo(0x0F2F, b"p", time=T + 6, pebs=2**64 - 1, pmc=(1, 2**63, 3, 4, 5, 6, 7), header_type=0x10),
            etl_file.perfinfo(0x0008, b"", time=T + 7),
            etl_file.full(A, b"abc", time=T + 8),
            etl_file.full(B, b"", time=T + 9, header_type=0x0A),
            etl_file.instance(A, B, b"inst", time=T + 10),
            etl_file.instance(B, A, b"", time=T + 11, header_type=0x0B),
            etl_file.event(A, b"user data", time=T + 12, activity=B, property_=8, flags=4),
            etl_file.event(B, b"", time=T + 13, keyword=0, header_type=0x12),
        ], flags=0x20, processor=7)
        two = Buffer([
            etl_file.message(10, b"args", sequence=77, provider=A, time=T + 20, ids=(30, 31), more=0x80),
            etl_file.message(11, b"", component=0x01020304, time=T + 21),
            etl_file.message(65535, b"no parts"),
        ], processor=2)
        self.check_events(Trace([one, two]))

    def test_types_without_layout(self):
        plain = etl_file.full(A, time=T + 1)
        trace = Trace([Buffer([etl_file.opaque(0x0C, "TIMED", b"t" * 8), plain, etl_file.opaque(0x0D, "ERROR", b""), plain,
                               etl_file.opaque(0x0E, "WNODE_HEADER", b"w" * 41), plain])])
        findings = only(self.check_events(trace), "finding")
        self.assertEqual(["TYP-001"] * 3, [finding["rule"] for finding in findings])
        self.assertEqual(["1", "3", "5"], [finding["event"] for finding in findings])

    def test_events_of_the_header_buffer(self):
        extension = struct.pack("<9I", 1, 2, 3, 4, 5, 6, 7, 0x80000008, 60)
        trace = Trace(first=[etl_file.system(0x0005, extension, time=T + 1),
                             etl_file.perfinfo(0x0020, extension, time=T + 2)])
        records = self.lines("decode", self.file(trace.pack()))
        masks = [f"0x{word:08x}" for word in (1, 2, 3, 4, 5, 6, 7, 0x80000008)]
        for record in only(records, "event")[1:]:
            self.assertEqual({"group_mask": masks, "version": 60}, record.pop("header_extension"))
        self.check_end(trace, records)

    def test_compressed_buffers(self):
        logfile = Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE, buffer_size=0x400)
        events = [etl_file.event(A, bytes([n]) * n, time=T + n) for n in range(1, 40)]
        plain = Buffer([etl_file.full(B, b"plain", time=T)])
        self.check_events(Trace([Buffer(events, compressed=True), plain, Buffer(events[:2], compressed=True)],
                                logfile=logfile))

    def test_private_logger(self):
        logfile = Logfile(log_file_mode=0x00000801)
        self.check_events(Trace([Buffer([etl_file.event(A, b"x", time=T + 1, processor_time=2**63 + 5)])], logfile=logfile))

    def test_instances_of_windows_5_1(self):
        events = [etl_file.old_instance(2**64 - 2, 3, b"data", time=T + 1), etl_file.full(A, time=T + 2, header_type=0x0A)]
        trace = Trace([Buffer(events, flags=0)], logfile=Logfile(version=(5, 1, 1, 0)), header_flags=0, header_type=0)
        self.check_events(trace)

    def test_clock_without_utc(self):
        trace = Trace([Buffer([etl_file.full(A, time=T + 1)])], logfile=Logfile(reserved_flags=0))
        self.assertNotIn("utc", trace.event_records()[1])
        self.check_events(trace)

    def test_trace_and_buffer_records(self):
        trace = Trace([Buffer([etl_file.full(A, time=T + 1)], processor=5, flags=0x21)])
        records = self.lines("decode", self.file(trace.pack()))
        self.assertEqual(["trace", "buffer", "event", "buffer", "event", "end"], [record["rec"] for record in records])
        self.assertEqual({
            "rec": "trace", "windows": "10.0.18362", "pointer_size": 8, "clock_type": 1, "clock_type_name": "PERFCOUNTER",
            "clock_frequency": "2500000", "logger_mode": "0x00000001", "logger_mode_names": ["FILE_MODE_SEQUENTIAL"],
            "processors": 8, "buffer_size": 0x1000, "buffers_written": 2, "events_lost": 5, "buffers_lost": 3,
            "start_utc": etl_file.utc(trace.logfile.start_time), "end_utc": etl_file.utc(trace.logfile.end_time),
            "logger_name": "Test Logger", "log_file_name": "C:\\trace.etl"}, records[0])
        self.assertEqual({
            "rec": "buffer", "index": "1", "offset": "4096", "size": 4096, "stored_size": 4096,
            "header": "WMI_BUFFER_HEADER_61", "compressed": False, "processor": 5, "timestamp": "1001",
            "sequence_number": "1", "state": 3, "state_name": "Flush", "flags": "0x0021",
            "flag_names": ["FLUSH_MARKER", "PROC_INDEX"], "type": 0, "type_name": "GENERIC", "saved_offset": 120,
            "offset_member": 120, "current_offset": 4096 + 120, "extent": 120, "logger_id": 7}, records[3])

    def test_logfile_members(self):
        f = Logfile()
        trace = Trace(logfile=f)
        logfile = self.lines("decode", self.file(trace.pack()))[2]["logfile"]
        date = ("year", "month", "day_of_week", "day", "hour", "minute", "second", "milliseconds")
        zone = {"bias": f.bias, "standard_name": f.standard_name, "standard_date": dict(zip(date, f.standard_date)),
                "standard_bias": f.standard_bias, "daylight_name": f.daylight_name,
                "daylight_date": dict(zip(date, f.daylight_date)), "daylight_bias": f.daylight_bias}
        times = {f"{key}_time": str(getattr(f, f"{key}_time")) for key in ("end", "boot", "start")}
        calendar = {f"{key}_time_utc": etl_file.utc(getattr(f, f"{key}_time")) for key in ("end", "boot", "start")}
        plain = {key: getattr(f, key) for key in (
            "buffer_size", "provider_version", "number_of_processors", "timer_resolution", "maximum_file_size",
            "buffers_written", "start_buffers", "pointer_size", "events_lost", "cpu_speed_in_mhz", "reserved_flags",
            "buffers_lost", "logger_name", "log_file_name")}
        version = dict(zip(("major_version", "minor_version", "sub_version", "sub_minor_version"), f.version))
        self.assertEqual({**plain, **version, **times, **calendar, "time_zone": zone, "perf_freq": str(f.perf_freq),
                          "log_file_mode": "0x00000001", "log_file_mode_names": ["FILE_MODE_SEQUENTIAL"],
                          "logger_name_pointer": "0x9", "log_file_name_pointer": "0x6"}, logfile)

    def test_every_item_type(self):
        sid = struct.pack(">BBHI", 1, 2, 0, 5) + struct.pack("<II", 21, 0xFFFFFFFF)
        sid48 = struct.pack(">BBHI", 1, 0, 0x1234, 5)
        items = [
            (0x01, "RELATED_ACTIVITYID", etl_file.guid(B), {"guid": B}),
            (0x02, "SID", sid, {"sid": "S-1-5-21-4294967295"}),
            (0x02, "SID", sid48, {"sid": "S-1-0x123400000005"}),
            (0x03, "TS_ID", b"\xff\xff\xff\xff", {"value": 0xFFFFFFFF}),
            (0x04, "INSTANCE_INFO", struct.pack("<II", 5, 6) + etl_file.guid(A),
             {"instance_id": 5, "parent_instance_id": 6, "parent_guid": A}),
            (0x05, "STACK_TRACE32", u64(7) + struct.pack("<III", 0, 16, 2**32 - 1),
             {"match_id": "7", "addresses": ["0x0", "0x10", "0xffffffff"]}),
            (0x06, "STACK_TRACE64", u64(2**64 - 1, 0xFFFFF80000000000),
             {"match_id": "18446744073709551615", "addresses": ["0xfffff80000000000"]}),
            (0x07, "PEBS_INDEX", u64(70), {"value": "70"}),
            (0x08, "PMC_COUNTERS", u64(80, 2**64 - 1), {"values": ["80", "18446744073709551615"]}),
            (0x09, "PSM_KEY", b"opaque!", {}),
            (0x0A, "EVENT_KEY", u64(100), {"value": "100"}),
            schema_item(),
            (0x0C, "PROV_TRAITS", etl_file.traits_blob(b"Provider", [(1, etl_file.guid(A)), (2, etl_file.guid(B))]),
             {"traits": {"name": "Provider", "group": A, "decode": B}}),
            (0x0D, "PROCESS_START_KEY", u64(130), {"value": "130"}),
            (0x0E, "CONTROL_GUID", etl_file.guid(A), {"guid": A}),
            (0x0F, "QPC_DELTA", u64(150), {"value": "150"}),
            (0x10, "CONTAINER_ID", b"box\0\"", {"text": 'box\0"'}),
            (0x11, "STACK_KEY32", u64(1) + struct.pack("<I", 0x80000000), {"match_id": "1", "stack_key": "0x80000000"}),
            (0x12, "STACK_KEY64", u64(2, 2**63), {"match_id": "2", "stack_key": "0x8000000000000000"}),
            (0x0777, None, b"later", {}),
            (0xFFFF, None, b"", {}),
        ]
        trace = Trace([Buffer([etl_file.event(A, b"user data", time=T + 1, items=items)])])
        findings = only(self.check_events(trace), "finding")
        self.assertEqual(["EXT-005"] * 2, [finding["rule"] for finding in findings])

    def test_findings_come_where_they_occur(self):
        def break_second(body):
            at = len(etl_file.padded(first.raw))
            return body[:at] + b"\0\0" + body[at + 2:]

        first, second, third = (etl_file.full(A, bytes(8), time=T + n) for n in range(3))
        trace = Trace([Buffer([first, second, third], damage=break_second)])
        records = self.lines("decode", self.file(trace.pack()), code=DAMAGED)
        self.assertEqual(["trace", "buffer", "event", "buffer", "event", "finding", "event", "end"],
                         [record["rec"] for record in records])
        at = 0x1000 + etl_file.HEADER + len(first.raw)
        finding = records[5]
        self.assertTrue(finding.pop("message"))
        self.assertEqual({"rec": "finding", "rule": "SIZ-003", "severity": "error", "layer": "event", "offset": str(at),
                          "buffer": "1", "event": "2", "expected": "at least 0x30", "actual": "0x0", "action": "resync",
                          "lost": str(len(second.raw))}, finding)
        self.assertEqual(str(len(second.raw)), records[-1]["bytes"]["damaged"])
        self.assertEqual("damaged", records[-1]["verdict"])

    def test_file_that_is_no_trace_has_an_end_record(self):
        records = self.lines("decode", self.file(b"no trace at all" * 100), code=NOT_ETL)
        self.assertEqual("end", records[-1]["rec"])
        self.assertEqual("not-etl", records[-1]["verdict"])
        self.assertEqual("0", records[-1]["events"])


class Jobs(CommandCase):
    """A file of several batches of record_threads.c, printed by several threads."""

    def check(self, content, code=command_case.CONFORMING):
        path = self.file(content)
        for options in ((), ("--format=text",), ("--payload=hex",), ("--order=time",)):
            expected = command_case.run("decode", *options, path)
            self.assertEqual(code, expected[0])
            for jobs in ("1", "2", "5"):
                self.assertEqual(expected, command_case.run("decode", "-j", jobs, *options, path), (options, jobs))

    @staticmethod
    def trace():
        """Large and compressed buffers, 4 MiB."""
        plain = [Buffer([etl_file.event(A, bytes(900), time=T + n) for n in range(60)], size=0x10000) for _ in range(60)]
        small = [Buffer([etl_file.full(B, bytes(n), time=T + n) for n in range(40)], compressed=True) for _ in range(60)]
        return Trace([buffer for pair in zip(plain, small) for buffer in pair],
                     logfile=Logfile(log_file_mode=1 | etl_file.COMPRESSED_MODE, buffer_size=0x10000)).pack()

    def test_output_is_the_same(self):
        self.check(self.trace())

    def test_output_is_the_same_of_a_damaged_file(self):
        content = bytearray(self.trace())
        for at in range(50_000, len(content), 70_001):
            content[at:at + 300] = bytes(300)
        content[1_000_000:2_000_000] = bytes(1_000_000)
        self.check(content, code=DAMAGED)

    def test_reader_that_goes_away(self):
        path = self.file(self.trace())
        with subprocess.Popen([command_case.TOOL, "decode", "-j3", path], stdout=subprocess.PIPE) as process:
            self.assertEqual(b"{", process.stdout.read(1))
            process.stdout.close()
            self.assertIn(process.wait(60), (OUTPUT, -signal.SIGPIPE))

    def test_pipe_and_small_files(self):
        for content in (Trace().pack(), b"no trace", b""):
            expected = command_case.run("decode", "-", stdin=content)
            self.assertEqual(expected, command_case.run("decode", "-j3", "-", stdin=content))
            by_name = command_case.run("decode", "-j3", self.file(content))
            self.assertEqual(expected[:2], by_name[:2])

    def test_usage(self):
        for value in ("0", "x", "-1", "257"):
            code, _, err = command_case.run("decode", f"--jobs={value}", "trace.etl")
            self.assertEqual(USAGE, code)
            self.assertIn(f"--jobs: expected a number from 1 to 256, found: {value}\n", err)


class Order(CommandCase):
    def test_by_time_and_stable(self):
        times = [[5, 5, 9], [1, 5, 9], [0, 5, 5]]
        buffers = [Buffer([etl_file.full(A, bytes([b, n]), time=T + time) for n, time in enumerate(row)])
                   for b, row in enumerate(times)]
        trace = Trace(buffers)
        path = self.file(trace.pack())
        by_file = self.lines("decode", path)
        by_time = self.lines("decode", "--order", "time", path)
        expected = sorted(only(by_file, "event"), key=lambda record: int(record["timestamp"]))
        self.assertEqual([record["index"] for record in expected], [record["index"] for record in only(by_time, "event")])
        self.assertNotEqual(only(by_file, "event"), expected)
        self.assertEqual(["event"] * 10 + ["end"], [record["rec"] for record in by_time[-11:]])
        key = json.dumps
        self.assertEqual(sorted(by_file, key=key), sorted(by_time, key=key))

    def test_limit_of_memory(self):
        path = self.file(Trace([Buffer([etl_file.full(A, time=T) for _ in range(60)]) for _ in range(70)]).pack())
        self.assertEqual(self.lines("decode", "--order=time", path),
                         self.lines("decode", "--order=time", "--memory=64", path))
        code, _, err = command_case.run("decode", "--order=time", "--memory=1", path)
        self.assertEqual(LIMIT, code)
        self.assertIn(": the events need more than 1 MiB; --memory sets another limit", err)
        for value in ("0", "x", "-1", "1x", "99999999999999999999"):
            code, _, err = command_case.run("decode", f"--memory={value}", path)
            self.assertEqual(USAGE, code)
            self.assertIn(f"--memory: expected a number of MiB, found: {value}\n", err)

    def test_event_without_time_follows_its_predecessor(self):
        trace = Trace([Buffer([etl_file.full(A, time=T + 9), etl_file.message(1, b"no time")]),
                       Buffer([etl_file.full(A, time=T + 1)])])
        by_time = only(self.lines("decode", "--order=time", self.file(trace.pack())), "event")
        self.assertEqual(["0", "3", "1", "2"], [record["index"] for record in by_time])


class Text(CommandCase):
    def test_names_each_event(self):
        items = [(0x0B, "EVENT_SCHEMA_TL", etl_file.schema_blob(b"Named\x01\xff"), {})]
        trace = Trace([Buffer([etl_file.system(0x0501, b"", time=T + 1), etl_file.full(A, b"abc", time=T + 2),
                               etl_file.event(B, b"\x12\x34", time=T + 3, items=items), etl_file.message(44, provider=A)])])
        out = self.out("decode", "--format", "text", "--payload=hex", self.file(trace.pack()))
        events = [line for line in out.splitlines() if line.startswith("event ")]
        self.assertEqual(len(trace.places), len(events))
        for (one, place), line in zip(trace.places, events):
            self.assertIn(f"#{place['index']} ", line)
            self.assertIn(f" {one.members['name']} ", line)
            self.assertIn(place.get("utc", " - "), line)
            self.assertTrue(line.endswith(f"{len(one.data)} bytes of payload {one.data.hex()}"), line)
        for line, name in zip(events, ("WMI_LOG_TYPE_HEADER", "hook 0x0501", A, f"{B} id 10", f"{A} message 44")):
            self.assertIn(name, line)
        self.assertIn('"Named\\x01\\xff"', events[3])
        self.assertTrue(out.splitlines()[0].startswith("trace "))
        self.assertTrue(out.splitlines()[-1].startswith("end      conforming: 5 events in 2 buffers"))

    def test_shows_findings(self):
        trace = Trace([Buffer([etl_file.full(A, time=T + 2), etl_file.full(A, time=T + 1)])])
        out = self.out("decode", "--format=text", self.file(trace.pack()))
        self.assertRegex(out, r"(?m)^warning  TIM-004 at 0x1078, buffer 1, event 2: "
                              r"time stamp is 0x4c4b41, expected at least 0x4c4b42; continue$")


class HostileText(CommandCase):
    UNITS = [0xD800, 0x41, 0xDC00, 0x22, 0x5C, 0x01, 0x0A, 0x7F, 0xD83D, 0xDE00, 0xFFFF, 0xDBFF]
    UNITS_READ = '\ud800A\udc00"\\\x01\n\x7f\U0001F600\uffff\udbff'
    BYTES = b'a"\\\x01\n\x7f\xff\xc3(\xed\xa0\x80\xf0\x9f\x98\x80' \
            b'\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf\xf4\x90\x80\x80\xe2\x82'
    BYTES_READ = ('a"\\\x01\n\x7f\\xff\\xc3(\\xed\\xa0\\x80\U0001F600'
                  '\\xc0\\xaf\\xe0\\x80\\xaf\\xf0\\x80\\x80\\xaf\\xf4\\x90\\x80\\x80\\xe2\\x82')

    def trace(self):
        items = [(0x0B, "", etl_file.schema_blob(self.BYTES, self.BYTES + b"\0\x08"), {}),
                 (0x0C, "", etl_file.traits_blob(self.BYTES), {}), (0x10, "", self.BYTES, {})]
        return Trace([Buffer([etl_file.event(A, time=T + 1, items=items)])],
                     logfile=Logfile(logger_name=self.UNITS, log_file_name=self.UNITS))

    def test_json_stays_valid_and_exact(self):
        records = self.lines("decode", self.file(self.trace().pack()))
        for where in (records[0], only(records, "event")[0]["logfile"]):
            self.assertEqual(self.UNITS_READ, where["logger_name"])
            self.assertEqual(self.UNITS_READ, where["log_file_name"])
        schema, traits, box = only(records, "event")[1]["items"]
        self.assertEqual(self.BYTES_READ, schema["schema"]["name"])
        self.assertEqual(self.BYTES_READ, schema["schema"]["fields"][0]["name"])
        self.assertEqual(self.BYTES_READ, traits["traits"]["name"])
        self.assertEqual(self.BYTES_READ, box["text"])

    def test_json_escapes_hidden_characters(self):
        """Some readers take U+0085 or U+2028 for a line end, and terminals take U+009B for a command."""
        name = "a\x85\x9b\u2028\u202e\ufeffb"
        out = self.out("decode", self.file(Trace(logfile=Logfile(logger_name=name)).pack()))
        self.assertEqual(name, json.loads(out.split("\n")[0])["logger_name"])
        self.assertIn('"a\\u0085\\u009b\\u2028\\u202e\\ufeffb"', out)

    def test_text_sends_no_control_character_to_a_terminal(self):
        path = self.file(self.trace().pack())
        for verb in (("decode", "--format=text"), ("validate",)):
            out = self.out(*verb, path)
            self.assertEqual([], [c for c in out if c != "\n" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0)])
            self.assertIn("\ufffdA\ufffd\"\\\\x01\\x0a\\x7f\U0001F600", out)


if __name__ == "__main__":
    command_case.main()
