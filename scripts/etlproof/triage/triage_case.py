# SPDX-License-Identifier: Apache-2.0
"""The base of the tests of triage."""
import os
import shutil
import tempfile
import unittest

from runner.progress import Line


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


class Failing:
    """A Trial of a program that fails while `holds` is true of its input; it needs no process."""

    flaky, line = False, Line(quiet=True)

    def __init__(self, holds=lambda image: True, seconds=60):
        self.holds, self.seconds, self.runs = holds, seconds, 0

    def fails(self, image):
        self.runs += 1
        return self.holds(image)
