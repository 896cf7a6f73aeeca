#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what `etlproof decode --payload` and `validate --payload` print, on vectors; the suite tests all values."""
import os

import command_case
from command_case import DAMAGED, USAGE, CommandCase

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "conformance", "golden")
NESTED = os.path.join(GOLDEN, "payload-metadata", "payload-metadata-structure-in-structure.etl")
ARRAYS = os.path.join(GOLDEN, "payload-metadata", "payload-metadata-two-structures.etl")
LONGER = os.path.join(GOLDEN, "payload", "payload-longer-than-fields.etl")
CUT = os.path.join(GOLDEN, "payload", "payload-nothing-for-second-int32.etl")
BEHIND = os.path.join(GOLDEN, "payload-metadata", "payload-metadata-info-in-other-buffer.etl")
BITS = os.path.join(GOLDEN, "payload", "payload-map-of-bits-9.etl")
PROCESS = os.path.join(GOLDEN, "payload", "payload-classic-process-without-user.etl")
PROVIDER = os.path.join(GOLDEN, "payload", "payload-value-uint8-128.etl")


class DecodeTest(CommandCase):
    def event(self, file, *options):
        """The record of the event that describes its payload: number 1, behind the logfile header."""
        records = self.lines("decode", *options, file)
        return [record for record in records if record["rec"] == "event"][1]

    def test_fields(self):
        record = self.event(NESTED, "--payload", "fields")
        self.assertEqual("Event", record["event_name"])
        self.assertNotIn("data", record)
        self.assertNotIn("raw", record)
        self.assertEqual(["s", "last"], [field["name"] for field in record["fields"]])
        self.assertEqual(["a", "t", "c"], [field["name"] for field in record["fields"][0]["fields"]])
        at = int(record["data_offset"])
        last = {"name": "last", "type": "UINT8", "value": 9, "offset": str(at + 3), "size": 1}
        self.assertEqual(last, record["fields"][1])
        self.assertEqual((str(at), 3), (record["fields"][0]["offset"], record["fields"][0]["size"]))

    def test_provider_name(self):
        record = self.event(PROVIDER, "--payload", "fields")
        self.assertEqual(("Provider", "Event"), (record["provider_name"], record["event_name"]))

    def test_both_has_bytes_too(self):
        record = self.event(LONGER, "--payload", "both")
        self.assertEqual(("0700000001020304", "01020304"), (record["data"], record["raw"]))
        self.assertEqual(7, record["fields"][0]["value"])

    def test_other_forms_have_no_fields(self):
        for options in ((), ("--payload", "none"), ("--payload", "hex")):
            self.assertFalse({"fields", "event_name", "raw"} & self.event(NESTED, *options).keys())

    def test_text(self):
        for file, expected in ((NESTED, "{s={a=1, t={b=2}, c=3}, last=9}\n"),
                               (ARRAYS, "{s=[{a=[10], b=11}, {a=[], b=12}], last=9}\n"),
                               (LONGER, "{value=7} and 01020304\n")):
            text = self.out("decode", "--format", "text", "--payload", "fields", file)
            self.assertIn(expected, text)

    def test_findings_follow_their_event(self):
        records = self.lines("decode", "--payload", "fields", CUT)
        numbers = [number for number, record in enumerate(records) if record.get("rule") == "PAY-007"]
        self.assertEqual(1, len(numbers))
        self.assertEqual(("event", "1"), (records[numbers[0] - 1]["rec"], records[numbers[0] - 1]["index"]))
        self.assertEqual("1", records[-1]["findings"]["warning"])
        self.assertNotIn("PAY-007", self.out("decode", CUT))

    def test_threads_and_order_print_the_same_events(self):
        once = self.out("decode", "--payload", "fields", ARRAYS)
        self.assertEqual(once, self.out("decode", "--payload", "fields", "-j", "2", ARRAYS))
        by_time = self.out("decode", "--payload", "fields", "--order", "time", ARRAYS)
        self.assertEqual(sorted(once.splitlines()), sorted(by_time.splitlines()))

    def test_records_follow_their_schema(self):
        for file in (NESTED, ARRAYS, LONGER, CUT, PROVIDER, BEHIND, BITS, PROCESS):
            self.check_lines("decode", "decode", "--payload", "both", file)

    def test_schema_behind_the_event(self):
        """A schema describes the events in front of it too, but not where the trace can be read once only."""
        named = [record.get("event_name") for record in self.lines("decode", "--payload", "fields", BEHIND)
                 if record["rec"] == "event"]
        self.assertEqual(["Header", "Task", None, "Task", None], named)
        with open(BEHIND, "rb") as file:
            code, out, _ = command_case.run("decode", "--payload", "fields", "-", stdin=file.read())
        self.assertEqual(0, code)
        self.assertEqual(1, out.count(b'"event_name":"Task"'))

    def test_text_with_schema(self):
        for file, expected in ((BITS, " Provider/Task/Opcode {value=9 (One|0x8)}\n"),
                               (PROCESS, " Process/Start {UniqueProcessKey=\"0x1\", ProcessId=2, ")):
            self.assertIn(expected, self.out("decode", "--format", "text", "--payload", "fields", file))

    def test_threads_share_the_schemas(self):
        once = self.out("decode", "--payload", "fields", BEHIND)
        self.assertEqual(once, self.out("decode", "--payload", "fields", "-j", "2", BEHIND))

    def test_unknown_form_is_refused(self):
        code, _, err = command_case.run("decode", "--payload", "all", NESTED)
        self.assertEqual(USAGE, code)
        self.assertIn("expected none or hex or fields or both, found: all", err)


class ValidateTest(CommandCase):
    def report(self, file, *options, **more):
        return self.lines("validate", "--json", *options, file, **more)[0]

    def test_counts(self):
        for file, whole, cut in ((NESTED, 1, 0), (CUT, 0, 1)):
            report = self.report(file, "--payload")
            expected = {"decoded": str(whole + 1), "not_fitting": str(cut), "schemas": "0", "without_schema": "1"}
            self.assertEqual(expected, report["payloads"])
            provider = report["providers"][0]
            self.assertEqual((str(whole), str(cut)), (provider["decoded"], provider["not_fitting"]))

    def test_not_asked(self):
        report = self.report(CUT)
        self.assertNotIn("payloads", report)
        self.assertEqual(["events", "provider"], sorted(report["providers"][0]))
        self.assertEqual([], report["findings"])

    def test_misfit_is_a_warning(self):
        report = self.report(CUT, "--payload")
        self.assertEqual("conforming", report["verdict"])
        self.assertEqual(["PAY-007"], [finding["rule"] for finding in report["findings"]])
        self.assertEqual("damaged", self.report(CUT, "--payload", "--strict", code=DAMAGED)["verdict"])

    def test_text(self):
        text = self.out("validate", "--payload", CUT)
        self.assertIn("1 decoded, 1 not fitting, 1 without schema", text)
        self.assertIn("0 decoded, 1 not fitting\n", text)
        self.assertNotIn("not fitting", self.out("validate", CUT))

    def test_schemas_of_others(self):
        self.assertEqual({"decoded": "3", "not_fitting": "0", "schemas": "1", "without_schema": "1"},
                         self.report(BEHIND, "--payload")["payloads"])
        self.assertIn("3 decoded, 0 not fitting, 1 without schema; 1 are schemas of others",
                      self.out("validate", "--payload", BEHIND))

    def test_report_follows_its_schema(self):
        for file in (CUT, BEHIND):
            self.check_lines("validate", "validate", "--json", "--payload", file)


if __name__ == "__main__":
    command_case.main()
