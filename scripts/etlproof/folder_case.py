# SPDX-License-Identifier: Apache-2.0
"""The base of tests that need a temporary folder, and checks of failures."""
import os
import shutil
import stat
import tempfile
import unittest

from runner.failure import Failure


class FolderCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text="", executable=False):
        """Writes a file in the folder, with its parent folders; returns its path."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write(path, text)
        if executable:
            os.chmod(path, stat.S_IRWXU)
        return path

    def fails(self, code, text, call, *arguments):
        """Expects a Failure with that exit code and text; returns its whole message."""
        with self.assertRaises(Failure) as caught:
            call(*arguments)
        self.assertEqual(code, caught.exception.code)
        self.assertIn(text, str(caught.exception))
        return str(caught.exception)


def matters(hash_of, parts, name):
    """Whether a change of this file changes the hash of a small tree of files with these names."""
    with tempfile.TemporaryDirectory() as folder:
        for part in (*parts, name):
            os.makedirs(os.path.dirname(os.path.join(folder, part)), exist_ok=True)
            _write(os.path.join(folder, part), "one")
        before = hash_of(folder)
        _write(os.path.join(folder, name), "two")
        return hash_of(folder) != before


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
