# SPDX-License-Identifier: Apache-2.0
"""Files that are there whole: a kill at any time leaves the old one or the new one."""
import json
import os

from .failure import Writing

NEW = ".new"  # the ending of what is not whole yet


def write(path, data, durable=False):
    """A device is written to, and not replaced. `durable`: the bytes are on the disk before the name leads to them."""
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
    # Parsers may say anything, half characters too.
    write(path, text.encode("utf-8", "backslashreplace"))


def _line(record):
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


class Journal:
    """JSON Lines that grow as results come, from which a run that was killed goes on."""

    def __init__(self, path):
        self.path = path
        self._file = None

    def read(self):
        """The records that are there; of a line that a kill cut short there is none. Raises OSError and ValueError."""
        with open(self.path, "rb") as file:
            return [json.loads(line) for line in file.read().split(b"\n")[:-1]]

    def replace(self, records):
        write(self.path, b"".join(map(_line, records)))

    def open(self, records):
        """Begins with the records that are known already."""
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
