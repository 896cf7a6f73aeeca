# SPDX-License-Identifier: Apache-2.0
"""The planted bugs: one patch each, and the labelled lines of its header."""
import hashlib
import os
import re

from runner.failure import INPUT, Failure, read_text

_LABELS = ("Bug", "Seen in", "Tells", "Targets")
_SOURCE = re.compile(r"decoder/(src|payload|memory|recover|tool|include/etlproof)/([a-z0-9_]+/)*[a-z0-9_]+\.[ch]")


class Patch:
    """harness/planted/NAME.patch: labelled lines, indented lines that continue them, then the patch."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len(".patch")]
        lines = read_text(path, "the patch")
        self.hash = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        labels = self._labels(lines)
        self.bug, self.seen, self.tells = (labels[label] for label in _LABELS[:3])
        self.targets = labels["Targets"].split()
        self.files = [line[len("+++ b/"):].split("\t")[0] for line in lines if line.startswith("+++ b/")]
        for file in self.files:
            if not _SOURCE.fullmatch(file):
                raise Failure(INPUT, f"{path}: changes {file}; a planted bug is one of the decoder")
        if not self.files:
            raise Failure(INPUT, f"{path}: there is no '+++ b/FILE' line: nothing is changed")

    @property
    def is_of_library(self):
        """Whether the bug is in the library, which every target links."""
        return all(file.startswith("decoder/src/") for file in self.files)

    def _labels(self, lines):
        labels, last = {}, None
        for number, line in enumerate(lines, 1):
            if line.startswith("--- "):
                break
            label, colon, text = line.partition(": ")
            if line.startswith("  ") and last:
                labels[last] += " " + line.strip()
            elif colon and label in _LABELS:
                if label in labels:
                    raise Failure(INPUT, f"{self.path}:{number}: a second {label}")
                labels[label], last = text.strip(), label
        missing = [label for label in _LABELS if not labels.get(label)]
        if missing:
            raise Failure(INPUT, f"{self.path}: the header lacks {', '.join(missing)}")
        return labels


def load(folder):
    """All patches of a folder, by name."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".patch"))
    except OSError as error:
        raise Failure(INPUT, f"{folder}: cannot read: {error.strerror}") from error
    if not names:
        raise Failure(INPUT, f"{folder}: there are no patches")
    return [Patch(os.path.join(folder, name)) for name in names]
