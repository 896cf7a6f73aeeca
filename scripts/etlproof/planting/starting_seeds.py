# SPDX-License-Identifier: Apache-2.0
"""The seeds of campaigns: those that the build carves for each target, else small vectors that decode."""
import os
import shutil

from runner.failure import FAILED, Failure
from runner.vectors import Golden
from .planted_campaign import digest, replay

_MOST = 8192
# Some seeds trigger a bug. If more than this many do, no campaign is needed to find it.
_SHARE = 0.25


class Seeds:
    """Folders of seeds, by target."""

    def __init__(self, root, base, folder):
        self._carved = base.seeds()
        self._vectors = os.path.join(folder, "vectors")
        if not self._carved:
            self._gather(os.path.join(root, "conformance", "golden"))

    def _gather(self, golden):
        """The accepted vectors below a size."""
        shutil.rmtree(self._vectors, ignore_errors=True)
        os.makedirs(self._vectors)
        for vector in Golden(golden).traces:
            if vector["verdict"] == "accept" and vector["size"] < _MOST:
                shutil.copy(vector["path"], self._vectors)

    def of(self, target):
        """The folder of seeds for a target, or None if there are none of its kind."""
        if self._carved:
            folder = os.path.join(self._carved, target.name)
            return folder if os.path.isdir(folder) else None
        return self._vectors if target.input == "FILE" else None

    def without_failing(self, runner, program, target, copy):
        """(folder, how many were left out): the seeds of a target that do not already trigger the bug in `program`."""
        folder = self.of(target)
        if folder is None:
            return None, 0
        shutil.rmtree(copy, ignore_errors=True)
        os.makedirs(copy)
        by_digest = {digest(entry.path): entry.path for entry in os.scandir(folder)}
        for name, path in by_digest.items():
            shutil.copy(path, os.path.join(copy, name))
        most = len(by_digest) * _SHARE
        for left_out in range(len(by_digest)):
            told, failing = replay(runner, program, [copy])
            if told is None:
                return copy, left_out
            if failing is None or left_out + 1 > most:
                raise Failure(FAILED, f"more than {left_out} of the {len(by_digest)} seeds of {target.name} trigger it, "
                                      f"detected by {told}: too easy")
            os.remove(os.path.join(copy, failing))
        return None, len(by_digest)
