# SPDX-License-Identifier: Apache-2.0
"""The base of the tests of triage."""
import os
import shutil
import tempfile
import unittest


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.database = self.path("t.sqlite")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)
