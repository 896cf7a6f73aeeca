# SPDX-License-Identifier: Apache-2.0
"""What is done with a bucket once it is known: it is explained and drawn. The one place that knows those parts."""
import os

from . import ROOT
from .explain import explain
from campaign import builds
from pages import bucket as bucket_page

# What speaks for the format: the command, and what stands behind its verbs; by CMake target.
_SPEAKERS = {"etlproof": "etlproof_tool", "etlproof-build": "etlproof_build", "etlproof-carve": "etlproof_carve"}


class Finisher:
    """`notes` says of what could not be done: a bucket without it is still a bucket."""

    def __init__(self):
        self.notes = []

    def build(self, log):
        """The commands that are missing."""
        for name, target in _SPEAKERS.items():
            if not os.path.exists(os.path.join(ROOT, "build", "release", "bin", name)):
                builds.build("release", target, log)

    def complete(self, record, path, folder, before):
        """Fills in what is known of the input, unless it is what was explained `before`."""
        first = record["inputs"][0]["sha256"]
        if before and before["explain"] and before["inputs"][0]["sha256"] == first:
            record["explain"] = before["explain"]
            return
        try:
            record["explain"] = explain(path, record["target"], record, folder)
        except Exception as error:  # noqa: BLE001  (the input is made to break programs, and this is one)
            self.notes.append(f"{record['id']}: not explained: {str(error) or type(error).__name__}")


def draw(record, folder):
    """The page of a bucket, when its folder has all else."""
    bucket_page.write(record, os.path.join(folder, bucket_page.NAME))
