# SPDX-License-Identifier: Apache-2.0
"""Tests which member triage names, with small parsers whose bug is known. The argument is the build folder with the
reference."""
import glob
import os
import sys
import time
import unittest
from unittest import mock

from etlproof import ROOT
from etlproof.minimiser import key_of
from runner import parser_under_test
from runner.failure import read_bytes
from runner.inflate import inflate, stream_of
from runner.limits import Limits
from runner.progress import Line
from runner.vectors import GOLDEN
from unbuild.recipe import rebuild_of
from unbuild.reference import Reference
from . import ablation, embedded_input, explain
from .program import Parser, Target
from .spots import Field, Spot
from .triage_case import Failing, Folder

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
REFERENCE = Reference(os.path.join(BUILD, "bin", "etlproof"))
# Without site packages, it starts in a few milliseconds.
PARSER = """\
import os, sys, time
data = open(sys.argv[1], "rb").read()
def u(at, size):
    return int.from_bytes(data[at:at + size], "little")
def read():
    if {bug}: raise ValueError("bug")
read()
"""
# Places in the vector marker-0b, whose second event has a damaged MarkerFlags.
SAVED_OFFSET, MARKER, FIRST_MARKER, FIRST_HOOK = 0x404, 0x463, 0x44B, 0x44E
SAVED, SAVED_IS_LARGE = b"\xf0\7\0\0", f"u({SAVED_OFFSET}, 4) > 0x400"
MARKER_IS_DAMAGED = f"u({MARKER}, 1) == 0x0b"


class Case(Folder):
    def vector(self, name, changes=()):
        """The path of a copy of a vector, with bytes replaced."""
        with open(glob.glob(os.path.join(GOLDEN, "*", f"{name}.etl"))[0], "rb") as file:
            data = bytearray(file.read())
        for at, new in changes:
            data[at:at + len(new)] = new
        return self.write("input.etl", bytes(data))

    def parser(self, bug, seconds=10):
        words = [sys.executable, "-I", "-S", self.write("reader.py", PARSER.replace("{bug}", bug).encode()), "{file}"]
        return Parser(parser_under_test.Parser(words, "one-shot"), limits=Limits(seconds, seconds, 1 << 30))

    def explain(self, bug, path, seconds=60, flaky=False):
        """The explanation of a file on which a parser with that bug fails."""
        subject = self.parser(bug)
        key = key_of(subject, subject.run(path))
        self.assertIsNotNone(key)
        self.trial = ablation.Trial(subject, key, seconds, flaky=flaky)
        return explain.explain(path, None, {}, self.path("explained"), self.trial, REFERENCE.command)

    def explain_if(self, holds, path, target=None):
        """The explanation of an input on which a program fails that fails while `holds` is true."""
        return explain.explain(path, target, {}, self.path("explained"), Failing(holds), REFERENCE.command)

    def names(self, said):
        return [(one["structure"], one["member"]) for one in said["decides"]]


class Members(Case):
    def damaged(self):
        """Damage at MarkerFlags, which is a finding, and at SavedOffset, which is none."""
        return self.vector("marker-0b", [(SAVED_OFFSET, SAVED)])

    def test_member_without_a_finding(self):
        """A crash by SavedOffset is not attributed to MarkerFlags, where the reference decoder finds an error."""
        path = self.damaged()
        without = explain.explain(path, None, {}, self.path("without"), command=REFERENCE.command)
        self.assertEqual(("MarkerFlags", "MRK-002", []), tuple(without[key] for key in ("member", "rule", "decides")))
        said = self.explain(SAVED_IS_LARGE, path)
        self.assertEqual(("WMI_BUFFER_HEADER_61", "SavedOffset", SAVED_OFFSET), (said["structure"], said["member"],
                                                                                 said["offset"]))
        # The member breaks no rule; the finding elsewhere is still shown.
        self.assertEqual((None, "MRK-002"), (said["rule"], said["finding"]["rule"]))
        (one,) = said["decides"]
        self.assertEqual((4, "10 01 00 00"), (one["size"], one["value"]))
        # The expected value, 0 and 1; not the neighbours of a value that is far too large.
        self.assertEqual((5, 3), (one["tried"], one["ended"]))
        self.assertIn("with 3 of 5 replacements", said["why"])

    def test_file_that_breaks_another_rule(self):
        """A bug is not attributed to LFH-001, which the file breaks too."""
        path = self.vector("logfile-first-event-hook-0001", [(SAVED_OFFSET, SAVED)])
        without = explain.explain(path, None, {}, self.path("without"), command=REFERENCE.command)
        self.assertEqual("LFH-001", without["rule"])
        said = self.explain(SAVED_IS_LARGE, path)
        self.assertEqual("SavedOffset", said["member"])
        self.assertNotEqual("LFH-001", said["rule"])

    def test_damaged_member(self):
        said = self.explain(MARKER_IS_DAMAGED, self.damaged())
        self.assertEqual([("EVENT_HEADER", "MarkerFlags")], self.names(said))
        self.assertEqual(("MRK-002", MARKER), (said["rule"], said["offset"]))

    def test_combination(self):
        """Both members of a bug that needs both; the damaged one first."""
        said = self.explain(f"{SAVED_IS_LARGE} and {MARKER_IS_DAMAGED}", self.damaged())
        self.assertEqual([("EVENT_HEADER", "MarkerFlags"), ("WMI_BUFFER_HEADER_61", "SavedOffset")], self.names(said))
        self.assertIn("in 1 other member;", said["why"])

    def test_no_single_member(self):
        """Either of two members is enough for the bug: the first finding is named, with a plain note."""
        path = self.damaged()
        said = self.explain_if(lambda image: image[SAVED_OFFSET:][:4] == SAVED or image[MARKER] == 0x0B, path)
        self.assertEqual(([], "MarkerFlags", "MRK-002"), (said["decides"], said["member"], said["rule"]))
        self.assertRegex(said["why"], r"^no single member decides the outcome: \d+ replacements of \d+ members were tried; "
                                      "the first error that the reference decoder finds")

    def test_member_on_which_others_lead(self):
        """A wrong marker ends the failure too, since the parser then skips the event: HookId is named, not MarkerFlags."""
        for hook in (b"\x77\x0f", b"\x2e\x0f"):
            with self.subTest(hook):
                path = self.vector("marker-0b", [(FIRST_HOOK, hook)])
                said = self.explain_if(lambda image, hook=hook: image[FIRST_MARKER] == 0xC0 and
                                       image[FIRST_HOOK:][:2] == hook, path)
                self.assertEqual([("PERFINFO_TRACE_HEADER", "HookId")], self.names(said))

    def test_part_of_a_buffer(self):
        """The minimiser leaves only a few bytes of a buffer: they have the members of its header."""
        path = self.damaged()
        os.truncate(path, SAVED_OFFSET + 5)
        said = self.explain_if(lambda image: int.from_bytes(image[SAVED_OFFSET:][:4], "little") > 0x400, path)
        self.assertEqual("SavedOffset", said["decides"][0]["member"])

    def test_payload(self):
        """Bytes without a member, if no member decides."""
        said = self.explain_if(lambda image: image[0x458:0x460] == bytes(range(1, 9)), self.vector("marker-0b"))
        self.assertEqual([("data of PERFINFO_TRACE_HEADER", None)], self.names(said))

    def test_order_of_hints(self):
        """Of weak evidence, that about a damaged member comes first."""
        sound = ablation.Decider(Field(Spot("S", "A", "e1"), 0, 2), b"", 3, 3, 0, None, False, ablation.WEAK, 0, False)
        damaged = sound._replace(field=Field(Spot("S", "B", "e1"), 2, 4), ended=1, is_damaged=True)
        self.assertEqual([damaged, sound], sorted([sound, damaged], key=ablation._rank))

    def test_members_before_bytes(self):
        """Of two that break a rule, the member comes first, although replacing the bytes has no other effect."""
        bytes_ = ablation.Decider(Field(Spot("damaged", None, "raw1"), 8, 4), b"", 3, 2, 1, {}, True, ablation.DAMAGED,
                                  ablation.CLEAN, False)
        member = bytes_._replace(field=Field(Spot("S", "A", "e1"), 0, 4), clean=0, worth=0)
        self.assertEqual([member, bytes_], sorted([bytes_, member], key=ablation._rank))


class Inflated(Case):
    """A vector with one compressed buffer at START; its second event, at 0xa0 of the inflated bytes, has this Id."""
    START, SIZE, ID, VALUE = 0x400, 0xf0, 0xa0 + 0x28, b"\x34\x12"

    def stream(self, image):
        """The stream of the buffer, with the header before it."""
        size = int.from_bytes(image[self.START:][:4], "little")
        return image[self.START:][:size]

    def inflated(self, image):
        stream = self.stream(image)
        return stream[:0x48] + inflate(stream[0x48:], self.SIZE - 0x48)

    def input(self):
        """The path of the vector with the Id changed, its stream written as literals."""
        path = self.vector("compression-distance-1")
        image = read_bytes(path)
        old = self.stream(image)
        data = bytearray(self.inflated(image))
        data[self.ID:self.ID + 2] = self.VALUE
        new = bytearray(data[:0x48] + stream_of(data[0x48:]))
        new[:4] = len(new).to_bytes(4, "little")
        return self.write("input.etl", image[:self.START] + bytes(new) + image[self.START + len(old):])

    def has_id(self, image):
        return self.inflated(image)[self.ID:][:2] == self.VALUE

    def test_member(self):
        said = self.explain_if(self.has_id, self.input())
        self.assertEqual([("EVENT_HEADER", "Id")], self.names(said))
        self.assertEqual((self.ID, "inflated"), (said["offset"], said["space"]))
        self.assertEqual([("inflated", self.ID)], [(one["space"], one["offset"]) for one in said["decides"]])
        self.assertTrue(any(row["mark"] and row["offset"] == self.ID for row in said["hex"]), said["hex"])

    def test_failure_that_needs_the_stream(self):
        """Its members are not tried, since another stream of the same bytes ends the failure too."""
        path = self.vector("compression-distance-1")
        stream = self.stream(read_bytes(path))
        said = self.explain_if(lambda image: self.stream(image) == stream, path)
        self.assertIn(" were tried, but none inside compressed buffer 1: the failure needs its stream", said["why"])
        self.assertFalse(any(one["space"] == "inflated" for one in said["decides"]))


class Limited(Case):
    def test_flaky(self):
        """The first replacement seems to end the failure, but every third run fails."""
        runs = f"os.path.getsize({self.write('runs', b'')!r})"
        bug = f"open({self.path('runs')!r}, 'a').write('x') and ({runs} < 3 or {runs} % 3 == 0)"
        said = self.explain(bug, self.vector("marker-0b"))
        self.assertEqual([], said["decides"])
        self.assertTrue(said["why"].startswith(ablation.FLAKY), said["why"])

    def test_known_to_be_flaky(self):
        said = self.explain("True", self.vector("marker-0b"), flaky=True)
        self.assertTrue(said["why"].startswith(ablation.FLAKY), said["why"])
        self.assertEqual(1, self.trial.runs)  # that of the drafted vector

    def test_most_runs(self):
        with mock.patch.object(ablation, "RUNS", 9):
            said = self.explain("True", self.vector("marker-0b"))
        self.assertIn(", before the time was up", said["why"])
        self.assertLess(self.trial.runs, 16)

    def test_time(self):
        started = time.monotonic()
        said = self.explain("not time.sleep(0.2)", self.vector("marker-0b"), seconds=1)
        self.assertIn(", before the time was up", said["why"])
        self.assertLess(time.monotonic() - started, 10)

    def test_no_time(self):
        said = self.explain("True", self.vector("marker-0b"), seconds=0)
        self.assertTrue(said["why"].startswith(ablation.NOT_TRIED), said["why"])

    def test_hang(self):
        """An input that hangs is tried with a short limit."""
        path = self.vector("marker-0b", [(SAVED_OFFSET, SAVED)])
        subject = self.parser(f"{SAVED_IS_LARGE} and time.sleep(60)")
        with mock.patch("etlproof.triage.program.SHORT", 0.5):
            trial = ablation.Trial(subject, ("timeout", "timeout", "", "", ""), 60)
            started = time.monotonic()
            said = explain.explain(path, None, {}, self.path("explained"), trial, REFERENCE.command)
        self.assertEqual("SavedOffset", said["member"])
        self.assertLess(time.monotonic() - started, 40)
        self.assertEqual(10, subject.limits.wall)

    def test_short_limits_of_a_target(self):
        short = Target("fuzz_file", "libfuzzer", seconds=25).in_less_time()
        self.assertIn("-timeout=2", short._command("x"))
        self.assertGreater(short.limits.wall, 10)
        self.assertEqual(2, Target("fuzz_file", "release", seconds=25).in_less_time().limits.wall)

    def test_interrupted(self):
        """The line of progress is cleared, and no replacement runs afterwards."""
        subject, line, runs = self.parser("True"), mock.Mock(Line), []

        def run(_path):
            runs.append(1)
            if len(runs) == 5:
                raise KeyboardInterrupt
            return Parser.run(subject, _path)

        path = self.vector("marker-0b")
        trial = ablation.Trial(subject, key_of(subject, subject.run(path)), 60, line)
        with mock.patch.object(subject, "run", run), self.assertRaises(KeyboardInterrupt):
            explain.explain(path, None, {}, self.path("explained"), trial, REFERENCE.command)
        self.assertEqual(5, len(runs))
        line.clear.assert_called_once()


class Parts(Case):
    def test_part(self):
        """Replacements are made in the part itself, behind its context, and the offset is that of the file around it."""
        event = bytes((0x10, 0, 0x13, 0xC0)) + bytes(12)
        said = self.explain_if(lambda image: image[8:12] == event[:4], self.write("part", bytes(8) + event), "fuzz_event")
        self.assertEqual([("EVENT_HEADER", "Size")], self.names(said))
        with open(self.path("explained/embedded.etl"), "rb") as file:
            self.assertEqual(event[:4], file.read()[said["offset"]:][:4])
        self.assertEqual("SIZ-001", said["rule"])

    def test_damaged_member_whose_expected_value_does_not_fit(self):
        """A Size of 0 is named, although the expected Size reaches behind the part, and another HeaderType is harmless."""
        event = bytes((0, 0, 0x13, 0xC0)) + bytes(4)
        said = self.explain_if(lambda image: image[8:12] == event[:4], self.write("part", bytes(8) + event), "fuzz_event")
        self.assertEqual(("EVENT_HEADER", "Size", "SIZ-003"), (said["structure"], said["member"], said["rule"]))

    def test_size_before_type(self):
        """Any other Size or HeaderType ends the failure, none of them without other effects: Size is named, since a type
        only shows which code fails."""
        event = bytes((0x48, 0, 0x0b, 0xC0)) + bytes(0x44)
        part = self.write("part", bytes.fromhex("1703000000020000") + event)
        said = self.explain_if(lambda image: image[8:12] == event[:4], part, "fuzz_event")
        self.assertEqual([("EVENT_INSTANCE_GUID_HEADER", "Size"), ("EVENT_INSTANCE_GUID_HEADER", "HeaderType")],
                         self.names(said))
        self.assertIn("only a hint", said["why"])

    def test_rule_of_the_file_around(self):
        """A rule that the file around the input breaks, such as LFH-001 without a logfile header, is not named."""
        path = self.vector("marker-0b")
        for around, rule in (((), "MRK-002"), (("MRK-002",), None)):
            found = embedded_input.Embedded(path, 0, "", around)
            work = ablation.Ablation(Failing(lambda image: image[MARKER] == 0x0B), read_bytes(path), found,
                                     rebuild_of(path, REFERENCE)[0])
            (one,) = work.deciders()
            self.assertEqual(rule, one.finding and one.finding["rule"])

    def test_parts_start_where_they_say(self):
        """The input lies at its offset in the file around it, for every kind of part."""
        seeds = os.path.join(BUILD, "corpus", "seeds")
        for target in ("fuzz_buffer", "fuzz_event", "fuzz_items", "fuzz_message", "fuzz_logfile", "fuzz_inflate"):
            path = sorted(glob.glob(os.path.join(seeds, target, "*")))[0]
            with self.subTest(target), open(path, "rb") as part:
                found = embedded_input.embed(path, target, self.folder, REFERENCE)
                data = part.read()[found.prefix:]
                with open(found.path, "rb") as file:
                    self.assertEqual(data, file.read()[found.start:found.start + len(data)])


class Drafts(Case):
    def test_vector_fails_on_the_bug(self):
        said = self.explain(MARKER_IS_DAMAGED, self.vector("marker-0b"))
        code, image, _ = REFERENCE.ask("build", said["vector"], "-o", "-")
        self.assertEqual((0, True, None), (code, self.trial.fails(image), said["vector_note"]))

    def test_rule_of_the_vector(self):
        """The rule of a vector is that which the failure is about, not LFH-001, which the file breaks first."""
        path = self.vector("logfile-first-event-hook-0001", [(FIRST_MARKER, b"\x0b")])
        said = self.explain_if(lambda image: image[FIRST_MARKER] == 0x0B, path)
        self.assertEqual(("MarkerFlags", "MRK-002"), (said["member"], said["rule"]))
        with open(said["vector"], encoding="utf-8") as file:
            text = file.read()
        self.assertIn("\nrule MRK-002\n", text)
        self.assertIn("finding LFH-001 at ", text)

    def test_vector_on_which_the_program_passes(self):
        """The program fails on the part of a file, and on no part of the file around it."""
        event = bytes(8) + bytes((0x10, 0, 0x13, 0xC0)) + bytes(12)
        path = self.write("part", event)
        said = self.explain_if(lambda image: image[:12] == event[:12] and len(image) == len(event), path, "fuzz_event")
        self.assertEqual((None, "the program does not fail on the drafted file in the same way"),
                         (said["vector"], said["vector_note"]))

    def test_vector_that_the_reference_does_not_pass(self):
        said = self.explain("True", self.vector("compression-announces-8-more"), seconds=0)
        self.assertIsNone(said["vector"])
        self.assertEqual("the reference decoder does not pass the drafted vector: buffer 1 at 1024: extent is 256, "
                         "expected 264", said["vector_note"])

    def test_vector_without_a_program(self):
        said = explain.explain(self.vector("marker-0b"), None, {}, self.path("x"), command=REFERENCE.command)
        self.assertEqual((None, "the program that failed was not run on it"), (said["vector"], said["vector_note"]))


if __name__ == "__main__":
    unittest.main()
