# SPDX-License-Identifier: Apache-2.0
"""Copies of the vectors for the parser, under names without meaning, in a folder that holds nothing else. The name of a
vector tells what is wrong with it, and its expected decode lies beside it: a parser must see neither. A copy exists only
while the parser is asked about it, so that a parser that can write there changes no other vector."""
import hashlib
import os
import tempfile

from .failure import INPUT, Failure, Writing, read_bytes
from .vectors import ending

CHANGED = "changed its input"


class NeutralCopies:
    """A context in which copies can exist, in `folder`."""

    def __init__(self):
        # A process that the parser left behind may still have a copy open, which Windows does not remove.
        self._folder = tempfile.TemporaryDirectory(prefix="etlproof-", ignore_cleanup_errors=True)
        self.folder = self._folder.name
        self._originals = {}
        self._present = set()  # the names of the copies that exist

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def of(self, vectors):
        """Yields the same vectors, each with the `id` and `path` of a copy, which is made then."""
        for vector in vectors:
            yield self._copy(f"vector-{len(self._originals) + 1:05}", vector)

    def _copy(self, name, vector):
        data = read_bytes(vector["path"])
        if hashlib.sha256(data).hexdigest() != vector["sha256"]:
            raise Failure(INPUT, f"{vector['path']}: changed during the run")
        path = os.path.join(self.folder, name + ending(vector))
        with Writing(path), open(path, "wb") as file:
            file.write(data)
        self._originals[name] = vector
        self._present.add(name)
        return {**vector, "id": name, "path": path}

    def original(self, copy, answer):
        """The vector of a copy. Texts of the answer then name the vector, so that they are the same in each run. The copy
        is removed; if it was changed, the answer is a crash, for it is not known what the parser has read."""
        vector = self._originals[copy["id"]]
        if not self._remove(copy) and answer.outcome in ("accept", "reject"):
            answer.outcome, answer.reason = "crash", CHANGED
        for old, new in ((copy["path"], vector["path"]), (copy["id"], vector["id"])):
            answer.reason, answer.stderr = answer.reason.replace(old, new), answer.stderr.replace(old, new)
        return vector

    def _remove(self, copy):
        """Removes a copy, unless an earlier answer did. Returns whether it was as it was made."""
        if copy["id"] not in self._present:
            return True
        self._present.remove(copy["id"])
        try:
            with open(copy["path"], "rb") as file:
                same = hashlib.sha256(file.read()).hexdigest() == copy["sha256"]
            os.remove(copy["path"])
        except OSError:
            return os.path.exists(copy["path"])  # still open in a process, which Windows does not remove
        return same
