#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the command etlproof-mutate on vectors and on files that the tests write."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = None  # the path of etlproof-mutate, from the command line
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "conformance", "golden")

DONE, NOT_SHOWN, USAGE, INPUT, INTERNAL, OUTPUT = 0, 1, 64, 66, 70, 74

# Exits with 3 if the file has the byte 0xEE, with 0 if not.
FINDS = "import sys; sys.exit(3 if b'\\xee' in open(sys.argv[1], 'rb').read() else 0)"


def vectors(group, count):
    names = sorted(name for name in os.listdir(os.path.join(GOLDEN, group)) if name.endswith(".etl"))
    return [os.path.join(GOLDEN, group, name) for name in names[:count]]


class MutateCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.vector = vectors("items", 1)[0]

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def read(self, *names):
        with open(os.path.join(self.folder, *names), "rb") as file:
            return file.read()

    def run_tool(self, *arguments, code=DONE, stdin=b""):
        done = subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, timeout=120, check=False)
        error = done.stderr.decode("utf-8")
        self.assertEqual(code, done.returncode, error)
        return done.stdout, error


class OneMutant(MutateCase):
    def test_mutant_differs_and_is_reproducible(self):
        whole, seen = self.read(self.vector), set()
        for seed in range(20):
            for name in ("a.etl", "b.etl"):
                self.run_tool("--seed", str(seed), self.vector, "-o", self.path(name))
            self.assertEqual(self.read("a.etl"), self.read("b.etl"))
            seen.add(self.read("a.etl"))
        self.assertGreater(len(seen - {whole}), 15)

    def test_default_seed_is_1(self):
        self.run_tool(self.vector, "-o", self.path("a.etl"))
        self.run_tool("--seed=0x1", self.vector, "-o", self.path("b.etl"))
        self.assertEqual(self.read("a.etl"), self.read("b.etl"))

    def test_numbers(self):
        made = {seed: self.run_tool("--seed", seed, self.vector, "-o", "-")[0] for seed in ("10", "010", "0xa", "0XA", "8")}
        self.assertEqual({made["10"]}, {made[seed] for seed in made if seed != "8"})
        self.assertNotEqual(made["10"], made["8"])

    def test_standard_streams(self):
        out, _ = self.run_tool("-", "-o", "-", stdin=self.read(self.vector))
        self.run_tool(self.vector, "-o", self.path("a.etl"))
        self.assertEqual(self.read("a.etl"), out)

    def test_most(self):
        for seed in range(20):
            out, _ = self.run_tool("--most", "100", "--seed", str(seed), self.vector, "-o", "-")
            self.assertLessEqual(len(out), 100)

    def test_cross(self):
        """If bytes of the other input are inserted, some mutants have an end of it; without --cross none has."""
        other = vectors("compression", 1)[0]
        plain = [self.run_tool("--seed", str(seed), self.vector, "-o", "-")[0] for seed in range(20)]
        crossed = [self.run_tool("--seed", str(seed), "--cross", other, self.vector, "-o", "-", "--describe")
                   for seed in range(20)]
        self.assertGreater(len({out for out, _ in crossed} - set(plain)), 15)
        self.assertGreater(sum("other" in error for _, error in crossed), 15)

    def test_text(self):
        out, _ = self.run_tool("--input", "text", "-", "-o", "-", stdin=b"a line of text that is no trace\n")
        self.assertNotEqual(b"a line of text that is no trace\n", out)

    def test_empty(self):
        out, _ = self.run_tool("-", "-o", "-")
        self.assertGreater(len(out), 0)

    def test_describe(self):
        path = self.path("a.etl")
        out, _ = self.run_tool("--describe", self.vector, "-o", path)
        self.assertRegex(out.decode("utf-8").replace("\r", ""), "^" + path.replace("\\", "\\\\") + "\t[^\n]+\n$")
        out, error = self.run_tool("--describe", self.vector, "-o", "-")
        self.assertEqual(self.read("a.etl"), out)
        self.assertRegex(error, "^-\t[^\n]+\n$")


class SeveralMutants(MutateCase):
    def test_names_and_seeds(self):
        self.write("x.etl", self.read(self.vector))
        self.write("y.trace", self.read(self.vector))
        self.run_tool("--count", "3", "--seed", "7", self.path("x.etl"), self.path("y.trace"), "-o", self.path("out"))
        self.assertEqual(sorted(f"{name}-{seed}.etl" for name in ("x", "y.trace") for seed in (7, 8, 9)),
                         sorted(os.listdir(self.path("out"))))
        self.run_tool("--seed", "8", self.path("x.etl"), "-o", self.path("one.etl"))
        self.assertEqual(self.read("one.etl"), self.read("out", "x-8.etl"))

    def test_folder_without_count(self):
        """Whether OUT is a folder depends on the options, not on the number of mutants."""
        self.run_tool("--count", "1", self.vector, "-o", self.path("one"))
        self.assertEqual(1, len(os.listdir(self.path("one"))))
        self.run_tool(*vectors("items", 3), "-o", self.path("deep", "three"))
        self.assertEqual(3, len(os.listdir(self.path("deep", "three"))))

    def test_same_name_twice(self):
        os.mkdir(self.path("b"))
        for name in ("x.etl", os.path.join("b", "x.etl")):
            self.write(name, b"x")
        _, error = self.run_tool(self.path("x.etl"), self.path("b", "x.etl"), "-o", self.path("out"), code=USAGE)
        self.assertIn("two inputs have the same name", error)
        self.assertFalse(os.path.exists(self.path("out")))


class Trim(MutateCase):
    def trim(self, path, *arguments, program=FINDS, code=DONE):
        return self.run_tool("--trim", *arguments, path, "-o", self.path("small.etl"), "--", sys.executable, "-c", program,
                             "@@", code=code)

    def marked(self):
        """A vector with a byte 0xEE in the data of an event, which it does not have otherwise."""
        for path in vectors("size", 200):
            content = self.read(path)
            at = content.find(b"\x00\x01\x02\x03", 1024)
            if at >= 0 and b"\xee" not in content:
                return self.write("marked.etl", content[:at + 2] + b"\xee" + content[at + 3:])
        self.fail("no vector without this byte")

    def test_smaller(self):
        path = self.marked()
        _, error = self.trim(path)
        self.assertIn(b"\xee", self.read("small.etl"))
        self.assertLess(len(self.read("small.etl")), 200)
        self.assertRegex(error, r"2048 -> \d+ bytes in \d+ runs that exit with 3: ")
        self.assertEqual(["marked.etl", "small.etl"], sorted(os.listdir(self.folder)))

    def test_exit(self):
        path = self.marked()
        self.trim(path, "--exit", "3")
        _, error = self.trim(path, "--exit", "4", code=NOT_SHOWN)
        self.assertIn("exits with 3; expected 4", error)
        self.trim(path, "--exit", "0", code=NOT_SHOWN)

    def test_any_place_for_the_path(self):
        program = FINDS.replace("sys.argv[1]", "sys.argv[1][5:]")
        self.run_tool("--trim", "--exit", "3", self.marked(), "-o", self.path("small.etl"), "--", sys.executable, "-c",
                      program, "file=@@")
        self.assertLess(len(self.read("small.etl")), 200)

    def test_arguments_arrive_as_they_are(self):
        """Blanks, quotes and backslashes, which systems split in their own ways."""
        odd = ['a b', '"', "'", 'c\\', 'd\\"e', '', '$HOME', '%PATH%', '*']
        program = f"import sys; sys.exit(0 if sys.argv[2:] == {odd!r} else 5)"
        self.run_tool("--trim", "--exit", "0", self.vector, "-o", self.path("small.etl"), "--", sys.executable, "-c",
                      program, "@@", *odd)

    @unittest.skipIf(os.name == "nt", "needs POSIX signals")
    def test_signal(self):
        self.trim(self.vector, "--exit", "139", program="import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")

    def test_timeout(self):
        whole = self.write("slow.etl", self.read(self.vector))
        program = f"import os, sys, time; time.sleep(30 if os.path.getsize(sys.argv[1]) == {os.path.getsize(whole)} else 0)"
        _, error = self.trim(whole, "--timeout", "1", "--exit", "0", program=program, code=NOT_SHOWN)
        self.assertIn("exits with 124", error)

    def test_missing_command(self):
        _, error = self.run_tool("--trim", self.vector, "-o", self.path("x"), "--", self.path("nowhere"), "@@", code=INPUT)
        self.assertIn("cannot run", error)

    def test_usage(self):
        out = ["-o", self.path("x")]
        end = ["--", "cat", "@@"]
        for arguments, text in (([*out], "needs -- COMMAND"), ([*out, "--"], "needs -- COMMAND"),
                                ([*out, "--", "cat"], "no @@"), ([self.vector, *out, *end], "one IN"),
                                (["--seed", "1", *out, *end], "--trim allows only"),
                                (["-o", "-", *end], "must be an ordinary file")):
            _, error = self.run_tool("--trim", self.vector, *arguments, code=USAGE)
            self.assertIn(text, error)

    @unittest.skipIf(os.name == "nt", "needs hard links")
    def test_out_is_replaced_in_one_step(self):
        """Another hard link to the old file keeps its content."""
        path = self.marked()
        os.link(self.write("small.etl", b"before"), self.path("other.etl"))
        self.trim(path)
        self.assertEqual(b"before", self.read("other.etl"))


class Mistakes(MutateCase):
    def test_input_is_never_overwritten(self):
        whole = self.write("x.etl", self.read(self.vector))
        self.write("x-2.etl", self.read(self.vector))
        names = ["x.etl"]
        if os.name != "nt":
            os.symlink("x.etl", self.path("soft.etl"))
            os.link(whole, self.path("hard.etl"))
            names += ["soft.etl", "hard.etl"]
        for name in names:
            for arguments in ([whole], ["--cross", whole, self.vector], ["--trim", whole]):
                end = ["--", "cat", "@@"] if "--trim" in arguments else []
                _, error = self.run_tool(*arguments, "-o", self.path(name), *end, code=USAGE)
                self.assertIn("is an input, which must not be overwritten: " + self.path(name), error)
        _, error = self.run_tool("--count", "3", whole, self.path("x-2.etl"), "-o", self.folder, code=USAGE)
        self.assertIn("is an input, which must not be overwritten: " + self.path("x-2.etl"), error)
        for name in ("x.etl", "x-2.etl"):
            self.assertEqual(self.read(self.vector), self.read(name))

    def test_files_beside_out_are_kept(self):
        """IN, or a leftover of a killed process, has the name of the temporary file."""
        names = ["small.etl.try.etl", "small.etl.unfinished-1", "small.etl.unfinished-1.etl"]
        for name in names:
            self.write(name, self.read(self.vector))
            self.run_tool("--trim", "--exit", "0", self.path(name), "-o", self.path("small.etl"), "--", "true", "@@")
            self.run_tool(self.path(name), "-o", self.path("small.etl"))
        for name in names:
            self.assertEqual(self.read(self.vector), self.read(name))
        self.assertEqual(sorted([*names, "small.etl"]), sorted(os.listdir(self.folder)))

    @unittest.skipIf(os.name == "nt", "needs POSIX limits")
    def test_failed_write_keeps_the_old_file(self):
        self.write("out.etl", b"before")
        command = ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", TOOL, self.vector, "-o",
                   self.path("out.etl")]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        self.assertEqual(OUTPUT, done.returncode, done.stderr)
        self.assertEqual((["out.etl"], b"before"), (os.listdir(self.folder), self.read("out.etl")))

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_device_is_not_removed(self):
        """A failed write must not remove the device: /dev/full would be gone."""
        os.symlink("/dev/full", self.path("full"))
        _, error = self.run_tool(self.vector, "-o", self.path("full"), code=OUTPUT)
        self.assertIn("No space left", error)
        for name in ("full", "."):
            _, error = self.run_tool("--trim", self.vector, "-o", self.path(name), "--", "cat", "@@", code=USAGE)
            self.assertIn("must be an ordinary file: " + self.path(name), error)
        self.assertEqual(["full"], os.listdir(self.folder))

    @unittest.skipIf(os.name == "nt", "needs POSIX limits")
    def test_no_memory(self):
        with open(TOOL, "rb") as program:
            if b"san_init" in program.read():
                self.skipTest("sanitizers take memory of their own")
        large = self.path("large.etl")
        for size, code, text in ((1 << 28, INPUT, f"cannot read {large}: Cannot allocate memory"),
                                 (40 << 20, INTERNAL, "the mutator is out of memory")):
            with open(large, "wb") as file:
                file.truncate(size)
            command = ["sh", "-c", "ulimit -v 100000; exec \"$0\" \"$@\"", TOOL, large, "-o", "-"]
            done = subprocess.run(command, capture_output=True, timeout=60, text=True, check=False)
            self.assertEqual((code, f"etlproof: {text}\n"), (done.returncode, done.stderr))

    def test_files(self):
        _, error = self.run_tool(self.path("nowhere"), "-o", self.path("x"), code=INPUT)
        self.assertIn("cannot read " + self.path("nowhere") + ": No such file", error)
        _, error = self.run_tool("--cross", self.path("nowhere"), self.vector, "-o", self.path("x"), code=INPUT)
        self.assertIn("cannot read", error)
        _, error = self.run_tool(self.vector, "-o", self.path("nowhere", "x"), code=OUTPUT)
        self.assertIn("cannot write " + self.path("nowhere", "x"), error)
        self.write("file", b"")
        _, error = self.run_tool("--count", "2", self.vector, "-o", self.path("file"), code=OUTPUT)
        self.assertEqual(["file"], os.listdir(self.folder))
        _, error = self.run_tool("--count", "2", self.vector, "-o", self.path("file", "deep"), code=OUTPUT)
        self.assertIn("cannot make the folder " + self.path("file", "deep"), error)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_output(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TOOL, self.vector, "-o", "-"], stdout=full, stderr=subprocess.PIPE, timeout=60,
                                  check=False)
        self.assertEqual(OUTPUT, done.returncode)
        self.assertIn(b"No space left", done.stderr)

    def test_usage(self):
        x = self.path("x")
        for arguments, text in ((["--nonsense"], "unknown option: --nonsense"), ([self.vector, "-o"], "s a value: -o"),
                                (["-o", x], "IN is missing"), ([self.vector], "-o OUT is missing"),
                                (["--seed", "-1", self.vector, "-o", x],
                                 "--seed needs a number from 0 to 18446744073709551615: -1"),
                                (["--seed", "18446744073709551616", self.vector, "-o", x],
                                 "18446744073709551615: 18446744073709551616"),
                                (["--count", "0", self.vector, "-o", x], "--count needs a number from 1 to 4294967295: 0"),
                                (["--most", "1k", self.vector, "-o", x], "--most needs a number from 1 to 1073741824: 1k"),
                                (["--most", "0x40000001", self.vector, "-o", x], "1 to 1073741824: 0x40000001"),
                                (["--input", "files", self.vector, "-o", x], "--input must be one of file, buffer, event"),
                                (["--count", "2", self.vector, "-o", "-"], "OUT must be a folder"),
                                (["--cross", "-", "-", "-o", x], "standard input can be read only once"),
                                (["-", "-", "-o", x], "standard input can be read only once"),
                                (["--exit", "1", self.vector, "-o", x], "need --trim")):
            _, error = self.run_tool(*arguments, code=USAGE)
            self.assertIn(text, error)
            self.assertIn("--help", error)
        self.run_tool(code=USAGE)
        self.assertEqual([], os.listdir(self.folder))

    def test_help(self):
        self.assertIn(b"Exit status", self.run_tool("--help")[0])


class Verb(MutateCase):
    def test_etlproof_runs_it(self):
        command = os.path.join(os.path.dirname(TOOL), "etlproof")
        done = subprocess.run([command, "mutate", self.vector, "-o", self.path("a.etl")], timeout=60, check=False)
        self.assertEqual(DONE, done.returncode)
        self.run_tool(self.vector, "-o", self.path("b.etl"))
        self.assertEqual(self.read("b.etl"), self.read("a.etl"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ETLPROOF-MUTATE [TEST...]")
    TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
