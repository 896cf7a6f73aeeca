# SPDX-License-Identifier: Apache-2.0
"""Tests the errors of scripts/layout-bench. Argument: the command `etlproof`."""
import os
import subprocess
import sys
import unittest

from etlproof import ROOT

COMMAND = os.path.join(ROOT, "scripts", "layout-bench")
TOOL = sys.argv.pop(1)


class CommandTest(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([sys.executable, COMMAND, "--tool", TOOL, *arguments], capture_output=True, text=True,
                              check=False)
        self.assertEqual("", done.stdout)
        return done.returncode, done.stderr

    def test_cannot_write(self):
        self.assertEqual((74, "scripts/layout-bench: /no/such/folder: cannot write: No such file or directory\n"),
                         self.refused("--folder", "/no/such/folder"))

    def test_usage(self):
        code, error = self.refused("--size", "0")
        self.assertEqual((64, True), (code, "more than 0 expected, found 0" in error))


if __name__ == "__main__":
    unittest.main()
