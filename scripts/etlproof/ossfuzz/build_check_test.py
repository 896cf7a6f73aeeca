# SPDX-License-Identifier: Apache-2.0
"""Builds a small target wrongly, once for each check, and expects scripts/check-ossfuzz to report it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from etlproof import ROOT
from .builder_image import COVERAGE, FLAGS, SANITIZERS, environment

COMMAND = os.path.join(ROOT, "scripts", "check-ossfuzz")
# Enough edges, and calls of a sanitizer, to be taken for a real target.
SOURCE = """#include <stdint.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#define ONE(n) if (at < size && data[at] == n) found = found * 31 + n * 2; else at += found & 1u;
#define TEN(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
static volatile unsigned sink;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    volatile unsigned found = 1;
    for (volatile size_t at = 0; at < size; at++) {
        TEN(0) TEN(10) TEN(20) TEN(30) TEN(40) TEN(50) TEN(60) TEN(70) TEN(80) TEN(90)
        TEN(100) TEN(110) TEN(120) TEN(130) TEN(140) TEN(150) TEN(160) TEN(170) TEN(180) TEN(190)
    }
    if (EXIT && size == 3 && data[0] == 0xCC && data[1] == 0xCD && data[2] == 0xCE)
        exit(3);
    sink = found;
    return 0;
}
"""


class Project(unittest.TestCase):
    def test_what_is_asked_for_is_what_is_checked(self):
        with open(os.path.join(ROOT, ".clusterfuzzlite", "project.yaml"), encoding="utf-8") as file:
            lists = {name: re.findall(r"- (\w+)", items)
                     for name, items in re.findall(r"^(\w+):\n((?: +- \w+\n)+)", file.read(), re.M)}
        self.assertEqual({"sanitizers": list(SANITIZERS),
                          "fuzzing_engines": [environment("address", "out", "work")["FUZZING_ENGINE"]]}, lists)


class Bad(unittest.TestCase):
    """Each test breaks a copy of a good build in one way."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.good = os.path.join(cls.folder.name, "good")
        os.mkdir(cls.good)
        cls.compile(cls.good)
        cls.targets = os.path.join(cls.folder.name, "targets.tsv")
        cls.write(cls.targets, "#name\tinput\tmost\ttakes\nfuzz_x\tTEXT\t100\tbytes\n")
        cls.write(os.path.join(cls.good, "fuzz_x.options"), "[libfuzzer]\nmax_len = 100\nclose_fd_mask = 1\n")
        cls.write(os.path.join(cls.good, "fuzz_x.dict"), 'a="\\x01"\nb="\\x02"\n')
        cls.zip(cls.good, [bytes(range(80)), b"\x05\x09"])

    @classmethod
    def compile(cls, out, flags=f"{FLAGS} {SANITIZERS['address']} {COVERAGE}", link="", source=SOURCE, define="EXIT=0"):
        """The object with `flags`, linked as build.sh links: with the address sanitizer and the engine."""
        path = os.path.join(cls.folder.name, "x.c")
        cls.write(path, source)
        object_file = os.path.join(cls.folder.name, "x.o")
        subprocess.run(["clang", *flags.split(), f"-D{define}", "-c", path, "-o", object_file], check=True)
        subprocess.run(["clang++", "-fsanitize=fuzzer", *(link or SANITIZERS["address"]).split(), object_file, "-o",
                        os.path.join(out, "fuzz_x")], check=True)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def zip(out, seeds):
        with zipfile.ZipFile(os.path.join(out, "fuzz_x_seed_corpus.zip"), "w") as archive:
            for number, data in enumerate(seeds):
                archive.writestr(str(number), data)

    def setUp(self):
        self.out = os.path.join(self.folder.name, "out")
        shutil.copytree(self.good, self.out)
        self.addCleanup(shutil.rmtree, self.out)

    def file(self, ending):
        return os.path.join(self.out, "fuzz_x" + ending)

    def check(self, *arguments):
        return subprocess.run([sys.executable, COMMAND, "--out", self.out, "--targets", self.targets, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def expect(self, text, sanitizer="address", least="50"):
        done = self.check("--sanitizer", sanitizer, "--least", least)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(re.search(rf"{sanitizer}: BAD: .*{text}", done.stdout), done.stdout)

    def test_good(self):
        done = self.check("--sanitizer", "address")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 seeds cover", done.stdout)
        self.assertIn("2 tokens", done.stdout)

    def test_without_coverage(self):
        self.compile(self.out, flags=f"{FLAGS} {SANITIZERS['address']}")
        self.expect("no coverage instrumentation")

    def test_little_coverage(self):
        name = "int LLVMFuzzerTestOneInput(const char *d, long n)"
        self.compile(self.out, source=f"{name};\n{name} {{ return n > 0 && *d == 7 && n < 0; }}\n")
        self.expect(r"has only \d+ edges")

    def test_without_sanitizer(self):
        self.compile(self.out, flags=f"{FLAGS} {COVERAGE}", link="-O1")
        self.expect("not built with the sanitizer `address`")

    def test_other_sanitizer(self):
        self.expect("not built with the sanitizer `memory`", "memory")
        self.expect("built with asan too|not built with the sanitizer `undefined`", "undefined")

    def test_start(self):
        self.compile(self.out, source=SOURCE.replace("found = 1;", "found = 1; exit(3);"))
        self.expect("does not start, or exits early")

    def test_missing_target(self):
        os.remove(self.file(""))
        self.expect("fuzz_x: is not in OUT")

    def test_not_executable(self):
        os.chmod(self.file(""), 0o644)
        self.expect("is not executable")

    def test_stray(self):
        self.write(os.path.join(self.out, "fuzz_y.dict"), "")
        self.expect("fuzz_y.dict: is of no target")

    def test_library(self):
        library = os.path.join(self.folder.name, "libstrange.so")
        path = os.path.join(self.folder.name, "strange.c")
        self.write(path, "int strange;\n")
        subprocess.run(["clang", "-shared", "-fPIC", path, "-o", library], check=True)
        self.compile(self.out, link=f"{SANITIZERS['address']} -Wl,--no-as-needed {library} -Wl,-rpath,{self.folder.name}")
        self.expect("shared libraries that a runner does not have: .*libstrange.so")

    def test_corpus_missing(self):
        os.remove(self.file("_seed_corpus.zip"))
        self.expect("has no seed corpus")

    def test_corpus_empty(self):
        self.zip(self.out, [])
        self.expect("seed corpus: empty")

    def test_corpus_no_zip(self):
        self.write(self.file("_seed_corpus.zip"), "no zip")
        self.expect("seed corpus: not a zip file")

    def test_corpus_large(self):
        self.zip(self.out, [bytes(101)])
        self.expect("has more than the 100 bytes")

    def test_corpus_useless(self):
        self.zip(self.out, [b"\xff"])
        self.expect("seed corpus: covers", least="150")

    def test_corpus_fails(self):
        self.compile(self.out, define="EXIT=1")
        self.zip(self.out, [b"\xcc\xcd\xce"])
        self.expect("fails on its seed corpus")

    def test_dictionary(self):
        self.write(self.file(".dict"), 'a="\\x01\n')
        self.expect("dictionary: does not parse")

    def test_options(self):
        for text, message in (("[libfuzzer]\nmax_len = 100\nmax_length = 1\n", "does not know max_length"),
                              ("max_len = 100\n", r"no section \[libfuzzer\]"), ("[asan]\n", r"no section \[libfuzzer\]"),
                              ("[libfuzzer]\nmax_len = 99\n", "max_len is 99"),
                              ("[libfuzzer]\nmax_len = 100\ntimeout = long\n", "timeout = long is no number")):
            self.write(self.file(".options"), text)
            self.expect("options: .*" + message)
        os.remove(self.file(".options"))
        self.expect("has no options")

    def test_usage(self):
        self.assertEqual(self.check().returncode, 64)
        self.assertEqual(self.check("--sanitizer", "wrong").returncode, 64)
        self.assertEqual(self.check("--help").returncode, 0)
        self.out += "-none"
        self.assertEqual(self.check("--sanitizer", "address").returncode, 66)
        self.out = self.out.removesuffix("-none")
        self.write(os.path.join(self.folder.name, "wrong.tsv"), "fuzz_x\tTEXT\n")
        done = self.check("--sanitizer", "address", "--targets", os.path.join(self.folder.name, "wrong.tsv"))
        self.assertEqual((done.returncode, ":1: expected name" in done.stdout), (66, True))

    def test_cannot_write(self):
        done = subprocess.run([sys.executable, COMMAND, "--keep", self.targets, "--sanitizer", "address"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 74, done.stdout)
        self.assertTrue(done.stdout.endswith("out: cannot write: Not a directory\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
