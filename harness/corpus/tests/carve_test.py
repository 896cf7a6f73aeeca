#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: carve_test.py ETLPROOF-BUILD ETLPROOF-CARVE

Carves traces whose parts are known from their recipes, and compares the inputs with input/fuzz_input.h byte by byte.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

BUILD, CARVE = None, None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KINDS = ("FILE", "BUFFER", "EVENT", "ITEMS", "LOGFILE", "MESSAGE", "STREAM", "SCHEMAS", "CLOCK", "MEMORY", "RECIPE", "TEXT")
# Of ETW_GUID_ENTRY, and of the others, which x64 begins with later; then the two of the kernel, of Windows 11 and of ARM64.
LAYOUTS = 2 * 14 + 2 * (17 + 15) + 2 * (2 + 2)
HEADER = 0x48  # bytes of a WMI_BUFFER_HEADER
POINTERS_64, KNOWN, INSTANCE_GUID, THREAD_ID_64, COMPACT_ALLOWED, PROCESSOR_TIME = (1 << bit for bit in range(6))

RECIPE = """recipe "x" source "x" rule SIZ-001
trace {
    %s
    buffer b {
        event m MESSAGE { OptionFlags = 1 sequence = 7 data = count(5) }
        event s FULL_HEADER64 { Guid = "bbccf6c1-6cd1-48c4-80ff-839482e37671" ClassType = 0x20
            data = event_info("68fdd900-4a3e-11d1-84f4-0000f80464e3", 7, 2, "", "", "", 0) TimeStamp = 1002001 }
        event e EVENT_HEADER64 { ProviderId = "68fdd900-4a3e-11d1-84f4-0000f80464e3" Id = 7 Version = 2
            item i TS_ID { data = u32(0x11223344) } data = count(3) TimeStamp = 1002003 }
    }
    buffer c { %s event f PERFINFO64 { data = fill(90, 0x41) TimeStamp = 1002004 } }
}
vector x { title "x" accept }
"""


class Carve(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.targets = self.path("targets.tsv")
        self.write(self.targets, "".join(f"fuzz_{kind.lower()}\t{kind}\t4096\tx\n" for kind in KINDS))

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def build(self, start="", compress=""):
        self.write(self.path("x.recipe"), RECIPE % (start, compress))
        subprocess.run([BUILD, self.path("x.recipe"), "--group", "size", "-o", self.path("x.etl")], check=True)
        with open(self.path("x.etl"), "rb") as file:
            return file.read()

    def carve(self, *arguments):
        return subprocess.run([CARVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def carved(self):
        """The inputs by kind, after a run that must give every target at least one input."""
        done = self.carve("--targets", self.targets, "-o", self.path("out"), self.path("x.etl"), self.path("x.recipe"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {kind: self.inputs(kind) for kind in KINDS}

    def inputs(self, kind):
        folder = self.path("out", f"fuzz_{kind.lower()}")
        result = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                result.append(file.read())
        return result

    def test_parts(self):
        image = self.build(compress='compress = "lazy"')
        inputs = self.carved()
        self.assertEqual(inputs["FILE"], [image])
        self.assertEqual({kind: len(found) for kind, found in inputs.items()},
                         {"FILE": 1, "BUFFER": 3, "EVENT": 5, "ITEMS": 1, "LOGFILE": 1, "MESSAGE": 1, "STREAM": 1,
                          "SCHEMAS": 1, "CLOCK": 1, "MEMORY": LAYOUTS, "RECIPE": 1, "TEXT": 1})
        context = bytes((POINTERS_64 | KNOWN | INSTANCE_GUID | COMPACT_ALLOWED, 3, 0, 0))
        for kind in ("BUFFER", "EVENT", "ITEMS", "LOGFILE", "MESSAGE"):
            for data in inputs[kind]:
                self.assertEqual(data[:8], context + bytes(4), kind)
        for kind in ("BUFFER", "ITEMS", "LOGFILE", "MESSAGE"):
            for data in inputs[kind]:
                self.assertIn(data[8:], image, kind)
        self.assertEqual(b"".join(sorted((data[8:] for data in inputs["BUFFER"]), key=image.index)), image)
        self.check_stream(inputs, context)
        self.check_items(inputs)
        self.check_schemas(inputs)

    def check_stream(self, inputs, context):
        """The stream inflates to one event: a header of 16 bytes, 90 of data, and padding to 8."""
        data = inputs["STREAM"][0]
        self.assertEqual(data[:8], context + struct.pack("<I", 16 + 90 + 6))
        self.assertTrue(any(part[8 + HEADER:].startswith(data[8:]) for part in inputs["BUFFER"]))

    def check_schemas(self, inputs):
        """A schema of 112 bytes behind its type and size, its number, and the payload of the event that it describes."""
        data, = inputs["SCHEMAS"]
        self.assertEqual((data[0], data[1:4], data[-4:]), (255, struct.pack("<BH", 0x20, 0x70), bytes((0, 1, 2, 3))))
        self.assertEqual(len(data), 1 + 3 + 0x70 + 1 + 3)

    def check_items(self, inputs):
        """One item: TotalSize, ExtType, Linkage, DataSize, data, and padding to 8 bytes."""
        self.assertEqual(inputs["ITEMS"][0][8:], struct.pack("<HHHHI", 16, 3, 0, 4, 0x11223344) + bytes(4))
        self.assertEqual([len(data) % 8 for data in inputs["EVENT"]], [0] * 5)  # with their padding
        marker = {data[8 + 2:8 + 4] for data in inputs["EVENT"]}
        self.assertEqual(marker, {b"\x02\xc0", b"\x00\x90", b"\x13\xc0", b"\x11\xc0", b"\x14\xc0"})
        self.assertIn(inputs["MESSAGE"][0], inputs["EVENT"])
        self.assertIn(inputs["LOGFILE"][0], inputs["EVENT"])

    def test_one_trace_gives_inputs_for_all_documented_targets(self):
        """The command line is that of the README, with the project's own targets."""
        self.build(compress='compress = "lazy"')
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            words, = re.findall("`etlproof carve (.*?)`", file.read())
        named = {"FILE...": self.path("x.etl"), "DIR": self.path("out")}
        done = self.carve(*(named.get(word, word) for word in words.split()))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join(ROOT, "harness", "targets.tsv"), encoding="utf-8") as file:
            rows = [line.split("\t") for line in file if line.startswith("fuzz_")]
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(name for name, *_ in rows))
        for name, kind, *_ in rows:
            self.assertEqual(kind not in ("RECIPE", "TEXT"), os.listdir(self.path("out", name)) != [], name)

    def test_standard_input(self):
        image = self.build(compress='compress = "lazy"')
        done = subprocess.run([CARVE, "-", "-o", self.path("out")], input=image, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.inputs("FILE"), [image])

    def test_folder_without_traces(self):
        os.mkdir(self.path("empty"))
        done = self.carve(self.path("empty"), "-o", self.path("out"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(self.path("empty") + ": has no *.etl", done.stderr)

    def test_structures_in_memory(self):
        # y has an unknown layout, z is a trace.
        line = '{"id": "%s", "structure": "%s", "windows": "1903", "arch": "x64"}\n'
        self.write(self.path("a.jsonl"), line % ("x", "WMI_LOGGER_CONTEXT") + line % ("y", "OTHER") + '{"id": "z"}\n')
        self.write(self.path("x.bin"), "bytes of it")
        done = self.carve("--targets", self.targets, "-o", self.path("out"), self.path("a.jsonl"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # they lack no inputs of other kinds
        made = [data for data in self.inputs("MEMORY") if data[4:].strip(b"\0")]
        self.assertEqual(made, [bytes((1, 15, 1, 0)) + b"bytes of it"])

    def test_clock(self):
        self.build("logfile { PerfFreq = 1234567 ReservedFlags = 1 SystemTime = 1000000 StartTime = 132263892000000000 }")
        done = self.carve("--targets", self.targets, "-o", self.path("out"), self.path("x.etl"), self.path("x.recipe"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("fuzz_stream", done.stderr)
        data = self.inputs("CLOCK")[0]
        self.assertEqual(struct.unpack_from("<IQqq", data), (1, 1234567, 1000000, 132263892000000000))
        self.assertEqual([stamp for stamp, in struct.iter_unpack("<q", data[28:])], [1000000, 1002001, 1002003, 1002004])

    def test_old_context(self):
        start = "pointer_size 4 logfile { MajorVersion = 5 MinorVersion = 0 SubVersion = 1 SubMinorVersion = 0 }"
        self.build(start)
        self.carve("--targets", self.targets, "-o", self.path("out"), self.path("x.etl"))
        for data in self.inputs("EVENT"):
            self.assertEqual(data[:8], bytes((KNOWN | THREAD_ID_64, 0, 0, 0, 0, 0, 0, 0)))

    def test_largest(self):
        image = self.build()
        self.write(self.targets, f"fuzz_a\tFILE\t{len(image)}\tx\nfuzz_b\tFILE\t{len(image) - 1}\tx\n")
        done = self.carve(f"--targets={self.targets}", "-o", self.path("out"), self.path("x.etl"))
        self.assertEqual((done.returncode, len(os.listdir(self.path("out", "fuzz_a")))), (1, 1))
        self.assertEqual(os.listdir(self.path("out", "fuzz_b")), [])
        self.assertIn("fuzz_b", done.stderr)

    def test_second_run_gives_the_same_files(self):
        self.build(compress='compress = "lazy"')
        self.carved()
        before = sorted(os.walk(self.path("out")))
        done = self.carve("--targets", self.targets, "-o", self.path("out"), self.path("x.etl"), self.path("x.recipe"))
        self.assertEqual((done.returncode, sorted(os.walk(self.path("out")))), (0, before))

    def test_names(self):
        """The ending of a trace may have any case; a file that is named on the command line is carved or refused."""
        image = self.build()
        os.rename(self.path("x.etl"), self.path("X.ETL"))
        self.write(self.targets, "fuzz_file\tFILE\t65536\tx\n")
        self.write(self.path("x.txt"), "no trace")
        done = self.carve("--targets", self.targets, "-o", self.path("out"), self.folder.name)
        self.assertEqual((0, "", [image]), (done.returncode, done.stderr, self.inputs("FILE")))
        done = self.carve("--targets", self.targets, "-o", self.path("out"), self.path("X.ETL"), self.path("x.txt"))
        self.assertEqual(66, done.returncode)
        self.assertIn(self.path("x.txt") + ": is not a *.etl", done.stderr)

    def test_names_on_a_terminal(self):
        """Names and contents are printed without control characters."""
        for arguments, status, text in (
                (("--targets", self.targets, "-o", self.path("out"), "a\x1bb"), 66, "etlproof: a\\x1bb: No such file"),
                (("--\a",), 64, "etlproof: carve: unknown option: --\\x07\n")):
            done = self.carve(*arguments)
            self.assertEqual((status, text), (done.returncode, done.stderr[:len(text)]))
        self.write(self.targets, "fuzz_a\a\n")
        done = self.carve("--targets", self.targets, "-o", self.path("out"), "x")
        self.assertIn(': line 1: expected name, input, most and takes; found "fuzz_a\\x07"\n', done.stderr)

    def test_partial_file_is_replaced(self):
        """A file under its final name may be left by a run that was killed."""
        self.build(compress='compress = "lazy"')
        inputs = self.carved()
        for folder, _, names in os.walk(self.path("out")):
            for name in names:
                os.truncate(os.path.join(folder, name), os.path.getsize(os.path.join(folder, name)) // 2)
        self.assertEqual(inputs, self.carved())

    def test_partial_file_is_removed(self):
        """The name of a file is a hash of its content, so a partial file must not have it."""
        self.build()
        self.write(self.targets, "fuzz_a\tFILE\t65536\tx\n")
        limit = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""
        command = [CARVE, "--targets", self.targets, "-o", self.path("out"), self.path("x.etl")]
        done = subprocess.run(["sh", "-c", limit, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(os.listdir(self.path("out", "fuzz_a")), [])

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_output(self):
        self.build()
        self.write(self.targets, "fuzz_a\tFILE\t65536\tx\n")
        with open("/dev/full", "wb") as full:
            command = [CARVE, "--targets", self.targets, "-o", self.path("out"), self.path("x.etl")]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 74)
        self.assertIn("standard output: No space left", done.stderr)

    def test_usage(self):
        for arguments, status, text in (
                ((), 64, "usage: etlproof carve"), (("--wrong",), 64, "unknown option: --wrong"),
                (("x", "-o"), 64, "s a value: -o"), (("x",), 64, "-o DIR is missing"),
                (("-", "-", "-o", self.path("out")), 64, "standard input can be read only once"),
                (("--targets", self.targets, "-o", self.path("out")), 64, "FILE is missing"),
                (("--targets", self.path("none"), "-o", self.path("out"), "x"), 66, "No such file"),
                (("--targets", self.targets, "-o", self.path("out"), self.path("none.etl")), 66, "No such file"),
                (("--targets", self.targets, "-o", os.path.join(self.targets, "out"), self.path("x")), 74,
                 "Not a directory")):
            done = self.carve(*arguments)
            self.assertEqual(done.returncode, status, arguments)
            self.assertIn(text, done.stderr)
        self.write(self.targets, "fuzz_a\tNOTHING\t1\tx\n")
        done = self.carve("--targets", self.targets, "-o", self.path("out"), "x")
        self.assertEqual(done.returncode, 66)
        self.assertIn("line 1: expected name, input", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    CARVE, BUILD = sys.argv.pop(2), sys.argv.pop(1)
    unittest.main()
