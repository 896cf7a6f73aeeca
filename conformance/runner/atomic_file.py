# SPDX-License-Identifier: Apache-2.0
"""Writes files in one step: a kill at any time leaves the old file or the new one, never a part."""
import json
import os

from .failure import Writing

NEW = ".new"  # the ending of a file that is still being written


def write(path, data, durable=False):
    """Replaces the file, or writes to it if it is a device. `durable`: the bytes reach the disk before the name changes."""
    special = os.path.exists(path) and not os.path.isfile(path)
    new = path if special else path + NEW
    with Writing(path):
        with open(new, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if not special:
            os.replace(new, path)


def write_text(path, text):
    # A parser may print anything, such as half a character.
    write(path, text.encode("utf-8", "backslashreplace"))


def _line(record):
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


class Journal:
    """A JSON Lines file that grows with each result, so that a run that was killed can continue."""

    def __init__(self, path):
        self.path = path
        self._file = None

    def read(self):
        """The complete records; a last line that a kill cut short is ignored. Raises OSError and ValueError."""
        with open(self.path, "rb") as file:
            return [json.loads(line) for line in file.read().split(b"\n")[:-1]]

    def replace(self, records):
        write(self.path, b"".join(map(_line, records)))

    def open(self, records):
        """Starts the file with the records that are known already."""
        self.replace(records)
        with Writing(self.path):
            self._file = open(self.path, "ab")

    def add(self, record):
        with Writing(self.path):
            self._file.write(_line(record))
            self._file.flush()

    def close(self):
        file, self._file = self._file, None
        if file:
            with Writing(self.path):
                file.close()
