# SPDX-License-Identifier: Apache-2.0
"""What AFL++ runs, without afl-fuzz around it: the input is then standard input, in the memory that it would be in."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DECODER = os.path.join(ENGINE, "..", "..", "decoder")
COMPILER = "afl-clang-fast"


class PastTheEnd(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.target = os.path.join(folder.name, "past_end")
        sources = [os.path.join(ENGINE, name) for name in ("afl_main.c", "replay.c", "share.c", "tests/past_end.c")]
        subprocess.run([COMPILER, "-fsanitize=address", "-I", ENGINE, "-I", os.path.join(DECODER, "include"),
                        *sources, "-o", self.target],
                       check=True, timeout=120, env={**os.environ, "AFL_QUIET": "1"})

    def run_target(self, data):
        done = subprocess.run([self.target], input=data, capture_output=True, timeout=60, check=False)
        return done.returncode, done.stderr.decode(errors="replace")

    def test_is_seen(self):
        self.assertEqual(0, self.run_target(b"not read past its end")[0])
        code, said = self.run_target(b"X is")
        self.assertNotEqual(0, code)
        self.assertIn("heap-buffer-overflow", said)


if __name__ == "__main__":
    if shutil.which(COMPILER) is None:
        print(f"skipped: there is no {COMPILER}")
        sys.exit(77)
    unittest.main()
