# SPDX-License-Identifier: Apache-2.0
"""conformance/compare-tracerpt, on XML with the members, spaces and quirks of files that tracerpt wrote."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

from ..tracerpt import field_values
from ..tracerpt.event import time_of
from .reports_test import jsonschema, validator

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "compare-tracerpt")
EVENT = '<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">'
GUID = "11111111-2222-3333-4444-555555555555"
LOGFILE = {"rec": "event", "header_type": "0x02", "offset": "72", "utc": "2020-02-17T09:00:00.0000000Z", "pid": 1, "tid": 2,
           "type": 0, "version": 2, "logfile": {"timer_resolution": 156250}, "data": "00"}
MESSAGE = {"rec": "event", "header_type": "0x0f", "offset": "500", "utc": "2020-02-17T09:00:02.0000000Z"}


def record(offset, fraction, **members):
    return {"rec": "event", "header_type": "0x13", "offset": str(offset), "utc": f"2020-02-17T09:00:01.{fraction:07}Z",
            "pid": 4, "tid": 8, "id": 7, "version": 1, "opcode": 2, "level": 3, "task": 9, "keyword": "0x8000000000000010",
            "provider": GUID, "activity": GUID, "processor": 1, "kernel_time": 2, "user_time": 3, "data": "0a0b",
            **members}


def printed(fraction, system="", after="<BinaryEventData>0A0B</BinaryEventData>", **members):
    """An <Event> of record(), in the time of a zone one hour to the east, as tracerpt prints it."""
    value = {"id": 7, "level": 3, "task": 9, "opcode": 2, "keyword": "0x8000000000000010", "kernel": 30,
             "guid": GUID.upper(), "hour": 10, "pid": 4, **members}
    return (f'{EVENT}<System><Provider Guid="{{{value["guid"]}}}" /><EventID>{value["id"]}</EventID>'
            f'<Version>1</Version><Level>{value["level"]}</Level><Task>{value["task"]}</Task>'
            f'<Opcode>{value["opcode"]}</Opcode><Keywords>{value["keyword"]}</Keywords>'
            f'<TimeCreated SystemTime="2020-02-17T{value["hour"]}:00:01.{fraction:07}00+00:59" />'
            f'<Correlation ActivityID="{{{GUID}}}" /><Execution ProcessID="{value["pid"]}" ThreadID="8" ProcessorID="1" '
            f'KernelTime="{value["kernel"]}" UserTime="45" />{system}</System>{after}</Event>')


CLASSIC = {"rec": "event", "header_type": "0x14", "offset": "300", "utc": "2020-02-17T09:00:03.0000000Z",
           "pid": 4, "tid": 8, "type": 3, "version": 4, "provider": GUID, "data": "00"}


def classic(after="", guid=GUID, instance=None):
    """An <Event> of CLASSIC."""
    parent = "<ParentInstanceID>0</ParentInstanceID>"
    ids = "" if instance is None else f"<InstanceID>{instance}</InstanceID>{parent}"
    return (f'{EVENT}<System><Provider /><EventID>0</EventID><Version>4</Version><Level>0</Level><Task>0</Task>'
            '<Opcode>3</Opcode><Keywords>0x0</Keywords><TimeCreated SystemTime="2020-02-17T10:00:03.000000000+0059" />'
            '<Correlation ActivityID="{00000000-0000-0000-0000-000000000000}" /><Execution ProcessID="4" ThreadID="8" '
            f'ProcessorID="0" KernelTime="0" UserTime="0" /><Channel /><Computer /></System>{after}'
            '<ExtendedTracingInfo xmlns="http://schemas.microsoft.com/win/2004/08/events/trace">'
            f'<EventGuid>{{{guid}}}</EventGuid>{ids}</ExtendedTracingInfo></Event>')


def fields(**values):
    rows = "".join(f'<Data Name="{name}">{value}</Data>' for name, value in values.items())
    return f"<EventData>{rows}</EventData>"


HEADER = (f'{EVENT}<System><Provider Guid="{{68fdd900-4a3e-11d1-84f4-0000f80464e3}}" />'
          '<EventID>0</EventID><Version>2</Version><Opcode>0</Opcode>'
          '<TimeCreated SystemTime="2020-02-17T10:00:00.000000000+00:59" />'
          '<Execution ProcessID="1" ThreadID="2" ProcessorID="0" /></System></Event>')
DEBUG = f"{EVENT}<System/><DebugData/></Event>"


class TracerptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_on(self, records, events, *options):
        lines = "".join(json.dumps(one) + "\n" for one in [{"rec": "trace"}, LOGFILE, *records])
        decoder = self.file("etlproof", f"#!{sys.executable}\nprint({lines!r}, end='')\n")
        os.chmod(decoder, 0o755)
        xml = self.file("x.xml", events if isinstance(events, str) else f"<Events>{HEADER}{''.join(events)}</Events>")
        words = [self.file("x.etl", "etl"), xml, "--etlproof", decoder, *options]
        done = subprocess.run([sys.executable, "-B", SCRIPT, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def check(self, records, events, *lines):
        code, out, err = self.run_on(records, events)
        self.assertEqual(("", 1 if lines else 0), (err, code), out)
        for line in lines:
            self.assertIn(line, out.split("\n"))
        return out

    def test_equal(self):
        out = self.check([record(100, 5), MESSAGE], [printed(5), DEBUG])
        self.assertEqual("2 events in both, 0 only of etlproof, 0 only of tracerpt\n"
                         "messages and events without a time: 1 of etlproof, 1 of tracerpt\n"
                         "fields of payloads: 0 equal, 0 different, 0 not compared\n"
                         "tracerpt's times are +60 minutes from UTC\n", out)

    def test_each_member_that_differs(self):
        for member, change, ours, theirs in (
                ("level", {"level": 5}, 3, 5), ("task", {"task": 1}, 9, 1), ("kernel_time", {"kernel": 31}, 30, 31),
                ("keyword", {"keyword": "0x1"}, 0x8000000000000010, 1),
                ("provider", {"guid": GUID[:-1] + "6"}, GUID, GUID[:-1] + "6"),
                ("data", {"after": "<BinaryEventData>0A0C</BinaryEventData>"}, "0a0b", "0a0c")):
            self.check([record(100, 5)], [printed(5, **change)], f"{member} differs: 1",
                       f"  event 2 of the XML: {theirs}; the event at 100: {ours}")

    def test_events_of_one_side(self):
        self.check([record(100, 5), record(200, 6, pid=9)], [printed(5), printed(7, id=8)], "only of etlproof: 1",
                   "  the event at 200", "only of tracerpt: 1", "  event 3 of the XML")

    def test_times(self):
        self.check([record(100, 5), record(200, 600)], [printed(6), printed(600)])
        self.check([record(100, 5), record(200, 600)], [printed(7), printed(600)], "time differs: 1",
                   "  event 2 of the XML is +0.0000002 s from the event at 100")

    def test_classic_event(self):
        self.check([CLASSIC], [classic()])
        self.check([{**CLASSIC, "instance_id": 1, "parent_instance_id": 0}], [classic(instance=1)])
        self.check([CLASSIC], [classic(guid=GUID[:-1] + "6")], "event_guid differs: 1",
                   f"  event 2 of the XML: {GUID[:-1]}6; the event at 300: {GUID}")
        self.check([{**CLASSIC, "instance_id": 2, "parent_instance_id": 1}], [classic(instance=1)],
                   "instance_id differs: 1", "parent_instance_id differs: 1")

    def test_payload_that_tracerpt_could_not_decode(self):
        error = ("<ProcessingErrorData><ErrorCode>15005</ErrorCode><DataItemName /><EventPayload>{}</EventPayload>"
                 "</ProcessingErrorData>")
        self.check([CLASSIC], [classic(error.format("00"))])
        self.check([CLASSIC], [classic(error.format("01"))], "data differs: 1",
                   "  event 2 of the XML: 01; the event at 300: 00")

    def test_empty_payload(self):
        self.check([{**CLASSIC, "data": ""}], [classic("<BinaryEventData />")])
        self.check([CLASSIC], [classic("<BinaryEventData />")], "data differs: 1")

    def test_fields(self):
        ours = [{"name": "ParentId", "type": "UINT32", "value": 264, "size": 4},
                {"name": "UserSID", "type": "WBEMSID", "value": "S-1-5-18", "size": 28},
                {"name": "Zone", "type": "BINARY", "value": "00", "size": 1}]
        printed = {"ParentId": "     264", "UserSID": "\\\\NT AUTHORITY\\SYSTEM"}
        out = self.check([{**CLASSIC, "fields": ours}], [classic(fields(**printed))])
        self.assertIn("fields of payloads: 1 equal, 0 different, 2 not compared\n", out)
        self.check([{**CLASSIC, "fields": ours}], [classic(fields(**{**printed, "ParentId": "0x109"}))],
                   "field ParentId differs: 1", "  event 2 of the XML: 0x109; the event at 300: 264")

    def test_result_for_the_site(self):
        path = os.path.join(self.folder, "result.json")
        code, _, err = self.run_on([record(100, 5)], [printed(5, level=5)], "-o", path)
        self.assertEqual((1, ""), (code, err))
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(("x.etl", 3, hashlib.sha256(b"etl").hexdigest(), False, 2),
                         tuple(result[name] for name in ("file", "bytes", "sha256", "agree", "events")))
        self.assertEqual([{"title": "level differs", "count": 1, "first": ["event 2 of the XML: 5; the event at 100: 3"]}],
                         result["differences"])
        if jsonschema:
            validator("tracerpt").validate(result)

    def test_other_files(self):
        for text, why in (("<Events/>", "it has no <Event>"), ("no xml", "not the XML of tracerpt"),
                          (HEADER.replace("2020-", "x"), "not the XML of tracerpt")):
            code, _, err = self.run_on([], text)
            self.assertEqual(66, code)
            self.assertIn(why, err)

    def test_decoder_that_prints_no_records(self):
        decoder = self.file("etlproof", f"#!{sys.executable}\nprint('no json')\n")
        os.chmod(decoder, 0o755)
        xml = self.file("x.xml", f"<Events>{HEADER}</Events>")
        done = subprocess.run([sys.executable, "-B", SCRIPT, "x.etl", xml, "--etlproof", decoder], capture_output=True,
                              text=True, check=False)
        self.assertEqual(66, done.returncode)
        self.assertIn("not decode records", done.stderr)

    def test_time_of_nine_digits(self):
        self.assertEqual(time_of("2020-02-17T09:00:00.1234567Z"), time_of("2020-02-17T09:00:00.123456700+07:59"))


class FieldValuesTest(unittest.TestCase):
    def check(self, verdict, printed_text, **field):
        found = field_values.compare_fields([{"name": "x", **field}], [("x", printed_text)])
        self.assertEqual([verdict], [one[0] for one in found], (field, printed_text))

    def test_values(self):
        same, different, apart = field_values.SAME, field_values.DIFFERENT, field_values.APART
        for verdict, in_type, value, text, size in (
                (same, "UINT32", 65536, "   65536", 4), (different, "UINT32", 65536, "   65537", 4),
                (same, "INT32", -1, "4294967295", 4), (same, "UINT32", 4294967295, "-1", 4),
                (different, "INT64", "-1", "4294967295", 8),
                (same, "POINTER", "0xfffff800ac08a9c0", "0xFFFFF800AC08A9C0", 8),
                (different, "POINTER", "0x10", "10", 8), (same, "UINT64", "131531840950918566", "131531840950918566", 8),
                (apart, "UINT32", 2, "Running", 4), (apart, "UINT32", 2, "", 4),
                (same, "BOOLEAN", True, "true", 4), (different, "BOOLEAN", True, "false", 4),
                (apart, "BOOLEAN", True, "yes", 4),
                (same, "GUID", GUID, "{" + GUID.upper() + "}", 16), (apart, "GUID", GUID, "name", 16),
                (same, "DOUBLE", 1.5, "1.500000", 8), (different, "DOUBLE", 1.5, "1.600000", 8),
                (apart, "DOUBLE", 1.5, "1.#INF", 8),
                (same, "UNICODESTRING", "a\r\nb", "a\nb", 8), (different, "UNICODESTRING", "a", "b", 4),
                (different, "UNICODESTRING", "7", "07", 4), (apart, "ANSISTRING", "a\x01", "a", 3),
                (apart, "SID", "S-1-5-18", "\\\\NT AUTHORITY\\SYSTEM", 12), (same, "SID", "S-1-5-18", "S-1-5-18", 12)):
            self.check(verdict, text, type=in_type, value=value, size=size)

    def test_value_of_a_map(self):
        self.check(field_values.SAME, "Running", type="UINT32", value=2, size=4, text="Running")

    def test_arrays(self):
        ours = [{"name": "x", "type": "UINT8", "elements": [{"value": 1, "size": 1}, {"value": 2, "size": 1}], "size": 2}]
        for theirs, verdicts in (([("x", "1"), ("x", "2")], ["same", "same"]),
                                 ([("x", "1"), ("x", "3")], ["same", "different"]),
                                 ([("x", "1")], ["apart"]), ([], ["apart"]), ([("y", "1")], ["apart", "apart"])):
            self.assertEqual(verdicts, [found[0] for found in field_values.compare_fields(ours, theirs)])


if __name__ == "__main__":
    unittest.main()
