# SPDX-License-Identifier: Apache-2.0
"""The archive of vectors and runner (scripts/archive), which works without the rest of the tree."""
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


@unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")), "the archive is made from the last commit")
class ArchiveTest(unittest.TestCase):
    def test_runs_a_parser(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "vectors.tar.gz")
            subprocess.run([os.path.join(ROOT, "scripts", "archive"), "-o", path], check=True, capture_output=True)
            with tarfile.open(path) as archive:
                archive.extractall(folder)
            suite = os.path.join(folder, next(name for name in os.listdir(folder) if name.startswith("etlproof-vectors-")),
                                 "conformance")
            done = subprocess.run([sys.executable, "-B", os.path.join(suite, "run"), "--filter", "id=size-only-*",
                                   "--report", os.path.join(folder, "report"), "--",
                                   sys.executable, os.path.join(suite, "adapters", "toy", "toy.py")], cwd=folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(("", 1), (done.stderr, done.returncode), done.stdout)
            self.assertIn("SIZ-", done.stdout)  # the rules, from the tables that are in the archive
            shown = subprocess.run([sys.executable, "-B", os.path.join(suite, "show"), "size-only-0"], cwd=folder,
                                   capture_output=True, text=True, check=False)
            self.assertEqual(("", 0), (shown.stderr, shown.returncode))
            self.assertIn("Size", shown.stdout)  # a member, by its name


if __name__ == "__main__":
    unittest.main()
