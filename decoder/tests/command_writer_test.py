#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_writer_test.py ETLPROOF [TEST...]

Tests `etlproof validate --profile writer`: on the vectors of group writer, whose recipes state the findings, and on files
that etl_file.py builds.
"""
import glob
import json
import os
import re

import command_case
import etl_file
from command_case import CONFORMING, DAMAGED, USAGE, CommandCase, run
from etl_file import Buffer, Logfile, Trace
from format_members import HEADER, LOGFILE, in_buffer, offset_of, size_of
from runner import tables

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "conformance", "golden")
CUT = os.path.join(GOLDEN, "payload", "payload-nothing-for-second-int32.etl")
WRITER = ("validate", "--profile", "writer")
A = "01020304-0506-0708-090a-0b0c0d0e0f10"
T = Logfile.START_TICKS
# Members of a finding that a recipe states.
STATED = ("rule", "offset", "space", "buffer", "event", "expected", "actual", "action", "lost")


def sound():
    return Trace([Buffer([etl_file.event(A, time=T)])]).pack()


def dirty():
    """A byte of the slack is 0: a note for a reader (BUF-015)."""
    return sound()[:-1] + b"\0"


def stated(findings):
    return sorted(({name: finding[name] for name in STATED if name in finding} for finding in findings), key=json.dumps)


def vectors():
    """The vectors of group writer, with `path`."""
    for path in sorted(glob.glob(os.path.join(GOLDEN, "writer", "*.jsonl"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                vector = json.loads(line)
                yield {**vector, "path": os.path.join(GOLDEN, "writer", vector["id"] + ".etl")}


class VectorsTest(CommandCase):
    def reports(self, *options):
        """(vector, what `validate --json` prints about its file), for all vectors."""
        chosen = list(vectors())
        self.assertGreater(len(chosen), 80)
        code, out, err = run("validate", "--json", *options, *(vector["path"] for vector in chosen))
        self.assertIn(code, (CONFORMING, DAMAGED), err)
        return list(zip(chosen, map(json.loads, out.splitlines()), strict=True))

    def test_findings_of_the_profile(self):
        for vector, report in self.reports("--profile", "writer"):
            found = [finding for finding in report["findings"] if finding["rule"].startswith("WRT-")]
            with self.subTest(vector=vector["id"]):
                self.assertEqual(stated(vector.get("writer", [])), stated(found))
                self.assertLessEqual({finding["severity"] for finding in found}, {"error"})
                errors = any(finding["severity"] == "error" for finding in report["findings"])
                self.assertEqual("damaged" if errors else "conforming", report["verdict"])

    def test_a_vector_without_finding_breaks_no_other_rule_for_writers(self):
        """Its file is as Windows writes it, so that it shows where the rule ends."""
        for vector, report in self.reports("--profile", "writer"):
            if "writer" not in vector:
                with self.subTest(vector=vector["id"]):
                    self.assertEqual("conforming", report["verdict"], report["findings_by_rule"])

    def test_a_reader_accepts_all(self):
        for options in ((), ("--profile", "reader"), ("--payload",)):
            for vector, report in self.reports(*options):
                with self.subTest(vector=vector["id"]):
                    self.assertEqual("conforming", report["verdict"])
                    self.assertNotIn("profile", report)
                    self.assertFalse([rule for rule in report["findings_by_rule"] if rule.startswith("WRT-")])


class TableTest(CommandCase):
    def test_each_note_and_warning_about_a_trace_has_one_row(self):
        rules = {row[0]: row for row in tables.rows(tables.FORMAT, "rules.def", "ETL_RULE")}
        asked = [name for name, row in rules.items() if row[4] in ("NOTE", "WARNING") and row[2] != "LAYOUT"]
        rows = tables.rows(tables.FORMAT, "writer_rules.def", "ETL_WRITER_RULE")
        self.assertEqual(sorted(asked), sorted(row[0] for row in rows))
        self.assertEqual([], [row[0] for row in rows if rules[row[0]][2] == "WRITER" and row[1] != "true"])

    def test_explain(self):
        for rule, line, held in (("BUF-015", "  writer       error: kept by ", True),
                                 ("BUF-006", "  writer       as for readers: the header buffer ", False)):
            self.assertIn(line, self.out("explain", rule))
            (record,) = self.lines("explain", "--json", rule)
            self.assertEqual(held, record["writer"]["held"])
            self.assertIn(record["writer"]["evidence"], self.out("explain", rule))
        for rule in ("SIZ-003", "LIM-001", "LAY-014"):
            self.assertNotIn("\n  writer ", self.out("explain", rule))
            self.assertNotIn("writer", self.lines("explain", "--json", rule)[0])

    def test_explain_conforms_to_its_schema(self):
        self.check_lines("explain", "explain", "--json")


class ProfileTest(CommandCase):
    def test_a_sound_file_conforms(self):
        self.out(*WRITER, "--strict", self.file(sound()))

    def test_text(self):
        path = self.file(dirty())
        self.assertIn("  note BUF-015: ", self.out("validate", path))
        out = self.out(*WRITER, path, code=DAMAGED)
        self.assertRegex(out.splitlines()[0], r"damaged \(2 events, 2 buffers\): first error: BUF-015 at 0x")
        self.assertIn("\n  error BUF-015: ", out)
        self.assertRegex(out, r"\n    error    BUF-015 at 0x")
        self.assertEqual(out.splitlines()[0], self.out(*WRITER, "-q", path, code=DAMAGED).rstrip())

    def test_text_has_errors_first(self):
        with open(CUT, "rb") as file:
            path = self.file(file.read()[:-1] + b"\0")
        for options, order in ((WRITER, ["error BUF-015", "warning PAY-007"]),
                               (("validate",), ["warning PAY-007", "note BUF-015"])):
            out = run(*options, "--payload", path)[1].decode()
            self.assertEqual(order, re.findall(r"(?m)^  (\w+ \w+-\d+): ", out))

    def test_json(self):
        path = self.file(dirty())
        (found,) = self.lines(*WRITER, "--json", path, code=DAMAGED)
        self.assertEqual(("damaged", "writer"), (found["verdict"], found["profile"]))
        self.assertEqual([("BUF-015", "error")], [(one["rule"], one["severity"]) for one in found["findings"]])
        self.assertEqual({"note": "0", "warning": "0", "limit": "0", "error": "1"}, found["findings_by_severity"])
        self.check_lines("validate", *WRITER, "--json", path)

    def test_sarif(self):
        path = self.file(dirty())
        for options, level, code in ((WRITER, "error", DAMAGED), (("validate",), "note", CONFORMING)):
            (one,) = json.loads(self.out(*options, "--sarif", path, code=code))["runs"]
            self.assertEqual([("BUF-015", level)], [(each["ruleId"], each["level"]) for each in one["results"]])
            rule = one["tool"]["driver"]["rules"][one["results"][0]["ruleIndex"]]
            self.assertEqual("note", rule["defaultConfiguration"]["level"])

    def test_sarif_of_findings_that_are_not_kept(self):
        events = [etl_file.event(A, time=T, property_=1) for _ in range(1500)]
        path = self.file(Trace([Buffer(events, size=0x40000)], logfile=Logfile(log_file_mode=0x10000)).pack())
        results = json.loads(self.out(*WRITER, "--sarif", path, code=DAMAGED))["runs"][0]["results"]
        self.assertEqual({("WRT-014", "error")}, {(each["ruleId"], each["level"]) for each in results})
        self.assertEqual(1500, sum(each.get("occurrenceCount", 1) for each in results))

    def test_strict_is_about_the_warnings_that_are_left(self):
        """A payload that does not fit stays a warning."""
        self.assertIn("\n  warning PAY-007: ", self.out(*WRITER, "--payload", CUT))
        self.out(*WRITER, "--payload", "--strict", CUT, code=DAMAGED)

    def test_without_logfile_header(self):
        """Neither version nor modes are known: only what holds in every file is checked."""
        content = Buffer([etl_file.event(A, time=T, property_=3)]).pack(5)
        content = content[:in_buffer("ReferenceCount")] + b"\1" + content[in_buffer("ReferenceCount") + 1:]
        (found,) = self.lines(*WRITER, "--json", self.file(content), code=DAMAGED)
        self.assertEqual(["WRT-014"], [rule for rule in found["findings_by_rule"] if rule.startswith("WRT")])

    def test_names_that_do_not_end(self):
        """In a logfile header event that is larger than its buffer: nobody knows how large it should be."""
        content, size_at = bytearray(sound()), HEADER + offset_of("SYSTEM_TRACE_HEADER", "Size")
        names_at, end = LOGFILE + size_of("TRACE_LOGFILE_HEADER64"), Logfile.DEFAULTS["buffer_size"]
        content[size_at:size_at + 2] = b"\xf8\xff"
        content[names_at:end] = "A".encode("utf-16-le") * ((end - names_at) // 2)
        (found,) = self.lines(*WRITER, "--json", self.file(bytes(content)), code=DAMAGED)
        self.assertIn("LFH-003", found["findings_by_rule"])
        self.assertNotIn("WRT-012", found["findings_by_rule"])

    def test_each_file_is_checked_by_itself(self):
        """A SequenceNumber of one file is not compared with those of the file before."""
        first = Trace([Buffer([etl_file.event(A, time=T)]), Buffer([etl_file.event(A, time=T)])]).pack()
        self.out(*WRITER, self.file(first, "1.etl"), self.file(sound(), "2.etl"))

    def test_wrong_profile(self):
        code, out, err = run("validate", "--profile", "write", self.file(sound()))
        self.assertEqual((USAGE, b""), (code, out))
        self.assertRegex(err, "reader.*writer")


if __name__ == "__main__":
    command_case.main()
