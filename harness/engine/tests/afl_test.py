# SPDX-License-Identifier: Apache-2.0
"""Tests targets built for AFL++ without afl-fuzz: they read standard input into the buffer that afl-fuzz would fill.

Run with scripts/ in PYTHONPATH, where etlproof is."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from etlproof.campaign import engines

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ROOT = os.path.join(ENGINE, "..", "..")
MINIMISE = os.path.join(ROOT, "harness", "minimise")

COMPILER = "afl-clang-fast"


class Target(unittest.TestCase):
    SOURCE, OPTIONS = None, ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.target = folder.name, os.path.join(folder.name, "target")
        sources = [os.path.join(ENGINE, name) for name in ("afl_main.c", "replay.c", "share.c", "tests/" + self.SOURCE)]
        sources += [os.path.join(MINIMISE, name) for name in ("failure.c", "symbols.c")]
        includes = ["-I" + folder for folder in (ENGINE, MINIMISE, os.path.join(ROOT, "decoder", "include"))]
        subprocess.run([COMPILER, *self.OPTIONS, *includes,
                        *sources, "-o", self.target],
                       check=True, timeout=120, env={**os.environ, "AFL_QUIET": "1"})

    def run_target(self, data, **environment):
        done = subprocess.run([self.target], input=data, capture_output=True, timeout=60, check=False,
                              env={**os.environ, **environment})
        return done.returncode, done.stderr.decode(errors="replace")


class PastTheEnd(Target):
    SOURCE, OPTIONS = "past_end.c", ("-fsanitize=address",)

    def test_read_past_the_end_is_detected(self):
        self.assertEqual(0, self.run_target(b"not read past its end")[0])
        code, said = self.run_target(b"X is")
        self.assertNotEqual(0, code)
        self.assertIn("heap-buffer-overflow", said)


class OnePart(Target):
    SOURCE = "one_part.c"
    INPUTS = [b"%d X %d" % (number, number) for number in range(40)]

    def failing(self, **environment):
        return [data for data in self.INPUTS if self.run_target(data, **environment)[0] != 0]

    def test_fuzzing_runs_a_share_of_the_checks(self):
        self.assertIn(len(self.failing()), range(1, len(self.INPUTS) // 2))

    def test_share_off_runs_all_checks(self):
        self.assertEqual(self.INPUTS, self.failing(ETLPROOF_SHARE="off"))

    def test_unknown_value_of_the_share_is_refused(self):
        self.assertEqual((64, "etlproof: ETLPROOF_SHARE is of; it has to be on or off\n"),
                         self.run_target(b"", ETLPROOF_SHARE="of"))

    def test_tmin_runs_all_checks(self):
        crash, made = (os.path.join(self.folder, name) for name in ("crash", "made"))
        with open(crash, "wb") as file:
            file.write(self.failing()[0])
        subprocess.run(["afl-tmin", "-i", crash, "-o", made, "-m", "none", "--", self.target], check=True, timeout=60,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **engines.AFL_MINIMISING})
        with open(made, "rb") as file:
            self.assertEqual(b"X", file.read())


if __name__ == "__main__":
    if shutil.which(COMPILER) is None:
        print(f"skipped: there is no {COMPILER}")
        sys.exit(77)
    unittest.main()
