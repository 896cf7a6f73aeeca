# SPDX-License-Identifier: Apache-2.0
"""Copies of the vectors for the parser, under names without meaning, in a folder that holds nothing else. The name of a
vector tells what is wrong with it, and its expected decode lies beside it: a parser must see neither. It may change its
input."""
import os
import tempfile

from .failure import Writing, read_bytes
from .vectors import ending


class NeutralCopies:
    """A context in which the copies exist. `vectors`: the same as given, each with the `id` and `path` of its copy."""

    def __init__(self, vectors):
        self._originals = vectors

    def __enter__(self):
        # A process that the parser left behind may still have a copy open, which Windows does not remove.
        self._folder = tempfile.TemporaryDirectory(prefix="etlproof-", ignore_cleanup_errors=True)
        self.vectors = [self._copy(f"vector-{number:05}", vector) for number, vector in enumerate(self._originals, 1)]
        self._by_id = {copy["id"]: vector for copy, vector in zip(self.vectors, self._originals)}
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def _copy(self, name, vector):
        path = os.path.join(self._folder.name, name + ending(vector))
        with Writing(path), open(path, "wb") as file:
            file.write(read_bytes(vector["path"]))
        return {**vector, "id": name, "path": path}

    def original(self, copy, answer):
        """The vector of a copy. Texts of the answer then name the vector, so that they are the same in each run."""
        vector = self._by_id[copy["id"]]
        for old, new in ((copy["path"], vector["path"]), (copy["id"], vector["id"])):
            answer.reason, answer.stderr = answer.reason.replace(old, new), answer.stderr.replace(old, new)
        return vector
