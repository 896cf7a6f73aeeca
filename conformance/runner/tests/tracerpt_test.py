# SPDX-License-Identifier: Apache-2.0
"""conformance/compare-tracerpt, on XML in the form of tracerpt."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from .. import tracerpt

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

    def run_on(self, records, events):
        lines = "".join(json.dumps(one) + "\n" for one in [{"rec": "trace"}, LOGFILE, *records])
        decoder = self.file("etlproof", f"#!{sys.executable}\nprint({lines!r}, end='')\n")
        os.chmod(decoder, 0o755)
        xml = self.file("x.xml", events if isinstance(events, str) else f"<Events>{HEADER}{''.join(events)}</Events>")
        done = subprocess.run([sys.executable, "-B", SCRIPT, "x.etl", xml, "--etlproof", decoder], capture_output=True,
                              text=True, check=False)
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
                         "tracerpt's times are +60 minutes from UTC\n", out)

    def test_each_member_that_differs(self):
        for member, change, ours, theirs in (
                ("level", {"level": 5}, 3, 5), ("task", {"task": 1}, 9, 1), ("kernel_time", {"kernel": 31}, 30, 31),
                ("keyword", {"keyword": "0x1"}, 0x8000000000000010, 1), ("provider", {"guid": GUID[:-1] + "6"}, GUID,
                                                                      GUID[:-1] + "6"),
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

    def test_decoded_fields_are_no_data(self):
        self.check([record(100, 5)], [printed(5, after='<EventData><Data Name="a">1</Data></EventData>')])

    def test_other_files(self):
        for text, why in (("<Events/>", "it has no <Event>"), ("no xml", "not the XML of tracerpt"),
                          (HEADER.replace("2020-", "x"), "not the XML of tracerpt")):
            code, _, err = self.run_on([], text)
            self.assertEqual(66, code)
            self.assertIn(why, err)

    def test_time_of_nine_digits(self):
        self.assertEqual(tracerpt._time_of("2020-02-17T09:00:00.1234567Z"),
                         tracerpt._time_of("2020-02-17T09:00:00.123456700+07:59"))


if __name__ == "__main__":
    unittest.main()
