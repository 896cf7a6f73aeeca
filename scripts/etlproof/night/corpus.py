# SPDX-License-Identifier: Apache-2.0
"""Inputs that are kept: files named by the SHA-1 of their bytes, as libFuzzer names them, and database rows with the same
names. A file is complete on the disk before its row is written, and a row is removed before its file: so a row without a
file means that an input was lost."""
import hashlib
import os

from runner import atomic_file
from . import durable

# The kind of a failure by the prefix of the file's name: libFuzzer's prefixes, and AFL++'s for a hang.
KINDS = {"crash": "crash", "leak": "crash", "timeout": "timeout", "hang": "timeout", "oom": "memory"}
# The origin of inputs that failed once and pass.
RETURNED = "fixed"


def read(path):
    """The bytes; None if the file has just been removed: engines remove files."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def digest(data):
    return hashlib.sha1(data).hexdigest()


def sha256(path):
    """The hash by which triage knows an input."""
    return hashlib.sha256(read(path)).hexdigest()


def files(folder):
    """Names of the complete files in a folder, which need not exist. Other files in it belong to someone else and stay."""
    return {entry.name for entry in _entries(folder) if entry.is_file() and not entry.name.endswith(atomic_file.NEW)}


def folders(folder):
    """Names of the folders in a folder, which need not exist."""
    return {entry.name for entry in _entries(folder) if entry.is_dir()}


def _entries(folder):
    return list(os.scandir(folder)) if os.path.isdir(folder) else []


class Shelf:
    """A folder of such files, and the table with their rows."""

    place = table = None

    def __init__(self, state, run, target):
        self.state, self.run, self.target = state, run, target
        self.folder = state.path(self.place, target)
        durable.make_folders(self.folder)

    def names(self):
        return {row[0] for row in self.state.rows(f"SELECT sha1 FROM {self.table} WHERE target = ?", self.target)}

    def paths(self):
        return [os.path.join(self.folder, name) for name in sorted(self.names())]

    def put(self, inputs, *more):
        """Adds inputs as bytes; `more` has the other columns of their rows. Returns the digests of the new ones."""
        have = self.names()
        fresh = {}
        for data in inputs:
            name = digest(data)
            if name not in have and name not in fresh:
                durable.write(os.path.join(self.folder, name), data)
                fresh[name] = (self.target, name, *more)
        if fresh:
            durable.sync_folder(self.folder)
            marks = ", ".join("?" * (2 + len(more)))
            self.state.do_all(f"INSERT OR IGNORE INTO {self.table} VALUES ({marks})", fresh.values())
        return set(fresh)

    def settle(self, *more):
        """Repairs the state after a kill or a change by hand: adds rows for files without one, and renames files whose name
        is not their hash. Returns how many rows had no file, or one with other bytes; these rows are removed."""
        have, whole, misnamed = self.names(), set(), []
        for name in files(self.folder):
            path = os.path.join(self.folder, name)
            if digest(read(path)) == name:
                whole.add(name)
            else:
                misnamed.append(path)
        unknown = [os.path.join(self.folder, name) for name in sorted(whole - have)]
        self.put((read(path) for path in unknown + misnamed), *more)
        for path in misnamed + self._unfinished():
            os.remove(path)
        lost = have - whole
        self._forget(lost)
        return len(lost)

    def _unfinished(self):
        """Temporary files that a full disk or a loss of power left."""
        return [entry.path for entry in _entries(self.folder) if entry.is_file() and entry.name.endswith(atomic_file.NEW)]

    def _forget(self, names):
        self.state.do_all(f"DELETE FROM {self.table} WHERE target = ? AND sha1 = ?",
                          [(self.target, name) for name in names])


class Corpus(Shelf):
    """The corpus of a target, shared by all engines."""

    place, table = "corpus", "inputs"

    def add(self, inputs, origin):
        """Adds inputs, except those that are set aside because they fail: an engine would stop at them at each start."""
        failed = Crashes(self.state, self.run, self.target).aside()
        return self.put((data for data in inputs if digest(data) not in failed), origin, self.run)

    def settle(self):
        return super().settle("found", self.run)

    def links(self, folder):
        """Links the inputs into a new folder. Returns it, or None if there are none. An engine reads its inputs while it
        starts; meanwhile another slot may take one out of the corpus."""
        if not self.names():
            return None
        os.makedirs(folder)
        for path in self.paths():
            os.link(path, os.path.join(folder, os.path.basename(path)))
        return folder

    def drop(self, names):
        """Removes those of the inputs that are in the corpus."""
        going = self.names() & names
        self._forget(going)
        for name in going:
            os.remove(os.path.join(self.folder, name))


class Crashes(Shelf):
    """The inputs on which a target failed. Those that still fail are set aside: kept out of the corpus until they pass."""

    place = table = "crashes"

    def of_run(self):
        """Digests of the inputs that failed in this run."""
        return {row[0] for row in self.state.rows("SELECT sha1 FROM crashes WHERE target = ? AND run = ?", self.target,
                                                  self.run)}

    @staticmethod
    def count_as_earlier(state, run):
        """Makes the failures of a run those of an earlier one, so that they are tried again: the program has changed."""
        for table in ("crashes", "aside"):
            state.do(f"UPDATE {table} SET run = run - 1 WHERE run = ?", run)

    def aside(self):
        """Digests of the inputs that are set aside."""
        return {row[0] for row in self.state.rows("SELECT sha1 FROM aside WHERE target = ?", self.target)}

    def add(self, inputs, kind, configuration):
        """Sets inputs aside, and removes them from the corpus. Returns the digests of those that had not failed in this run
        before; a failure of an earlier run counts as new."""
        inputs = {digest(data): data for data in inputs}
        fresh = inputs.keys() - self.of_run()
        self.put((inputs[name] for name in fresh), kind, configuration, self.run)
        shelf = Corpus(self.state, self.run, self.target)
        with self.state.together():  # an input is in the corpus or set aside
            self.state.do_all("UPDATE crashes SET kind = ?, configuration = ?, run = ? WHERE target = ? AND sha1 = ?",
                              [(kind, configuration, self.run, self.target, name) for name in fresh])
            self._set_aside(inputs, shelf.names())
        shelf.drop(inputs.keys())
        return fresh

    def _set_aside(self, names, had=()):
        """`had` are digests of the inputs in the corpus."""
        self.state.do_all("INSERT INTO aside VALUES (?, ?, ?, ?, 0) ON CONFLICT DO UPDATE SET run = excluded.run, "
                          "gone = coalesce(gone, excluded.gone)",
                          [(self.target, name, self.run, self.run if name in had else None) for name in names])

    def take_back(self, names):
        """Returns inputs that pass to the corpus."""
        inputs = [read(os.path.join(self.folder, name)) for name in names]
        with self.state.together():
            self.state.do_all("DELETE FROM aside WHERE target = ? AND sha1 = ?", [(self.target, name) for name in names])
            Corpus(self.state, self.run, self.target).add(inputs, RETURNED)

    def settle(self):
        before = self.names()
        lost = super().settle("crash", "libfuzzer", self.run)
        left = self.names()
        self._set_aside(left - before)
        self.state.do_all("DELETE FROM aside WHERE target = ? AND sha1 = ?",
                          [(self.target, name) for name in self.aside() - left])
        return lost
