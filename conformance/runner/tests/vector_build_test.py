# SPDX-License-Identifier: Apache-2.0
"""Tests the build of large vectors, with a builder that writes one vector."""
import hashlib
import json
import os
import tempfile
import unittest
from unittest import mock

from runner import vector_build
from runner.failure import INPUT, Failure

BUILDER = """#!/bin/sh
mkdir -p "$2/size"
printf '%s' "{image}" >"$2/size/v.etl"
printf '%s\\n' '{line}' >"$2/size/r.jsonl"
echo run >>"{log}"
"""


class Large(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.recipes = self.path("recipes-large")
        os.makedirs(os.path.join(self.recipes, "size"))
        self.write(os.path.join(self.recipes, "size", "r.recipe"), "")
        self.builder("image")
        self.pin()
        patch = mock.patch.object(vector_build, "LARGE", self.recipes)
        patch.start()
        self.addCleanup(patch.stop)

    def path(self, name):
        return os.path.join(self.folder, name)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)

    def builder(self, image):
        line = json.dumps({"id": "v", "title": "t", "group": "size", "rule": "SIZ-001", "level": "must",
                           "verdict": "accept", "expect": [], "size": len(image),
                           "sha256": hashlib.sha256(image.encode()).hexdigest()})
        path = self.path("etlproof-build")
        self.write(path, BUILDER.format(image=image, line=line, log=self.path("log")))
        os.chmod(path, 0o755)

    def pin(self):
        """Takes what the builder gives now as the manifest."""
        with tempfile.TemporaryDirectory() as built:
            vector_build.build_all(self.path("etlproof-build"), [], built)
            with open(os.path.join(built, "MANIFEST.tsv"), encoding="utf-8") as manifest:
                self.write(os.path.join(self.recipes, "MANIFEST.tsv"), manifest.read())
        os.remove(self.path("log"))

    def build(self):
        vector_build.build_large(self.path("large"), self.path("etlproof-build"))

    def runs(self):
        try:
            with open(self.path("log"), encoding="utf-8") as log:
                return len(log.readlines())
        except FileNotFoundError:
            return 0

    def test_builds_once(self):
        self.build()
        self.build()
        self.assertEqual(self.runs(), 1)
        self.assertEqual(sorted(vector_build.files_in(self.path("large"))),
                         ["MANIFEST.tsv", os.path.join("size", "r.jsonl"), os.path.join("size", "v.etl")])

    def test_builds_again_over_other_vectors(self):
        self.build()
        self.write(os.path.join(self.path("large"), "size", "old.etl"), "of an earlier manifest")
        self.builder("changed")
        self.pin()
        self.build()
        self.assertEqual(self.runs(), 1)
        self.assertFalse(os.path.exists(os.path.join(self.path("large"), "size", "old.etl")))

    def test_refuses_other_bytes_each_time(self):
        self.builder("changed")
        for run in (1, 2):
            with self.assertRaisesRegex(Failure, "not the vectors of .*MANIFEST.tsv") as raised:
                self.build()
            self.assertEqual((raised.exception.code, self.runs()), (INPUT, run))

    def test_names_a_missing_builder(self):
        with self.assertRaisesRegex(Failure, "nowhere: not found"):
            vector_build.build_large(self.path("large"), self.path("nowhere"))


if __name__ == "__main__":
    unittest.main()
