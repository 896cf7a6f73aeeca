# SPDX-License-Identifier: Apache-2.0
"""What campaigns start from: the seeds that the build carves for each target, else small vectors that decode."""
import glob
import json
import os
import shutil

_MOST = 8192


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
        for path in glob.glob(os.path.join(golden, "*", "*.json")):
            with open(path, encoding="utf-8") as file:
                vector = json.load(file)
            if vector.get("verdict") == "accept" and vector["size"] < _MOST:
                shutil.copy(path[:-len("json")] + "etl", self._vectors)

    def of(self, target):
        """A folder, or None where there are no seeds for what the target takes."""
        if self._carved:
            folder = os.path.join(self._carved, target.name)
            return folder if os.path.isdir(folder) else None
        return self._vectors if target.input == "FILE" else None
