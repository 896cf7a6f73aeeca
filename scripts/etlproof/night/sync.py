# SPDX-License-Identifier: Apache-2.0
"""Shares the corpora of several machines over a folder that all of them can write: FOLDER/MACHINE/TARGET/SHA1. Each machine
writes only its own part, and reads all of them. A night calls this before, during and after each slot."""
import os
import socket

from runner.failure import Failure
from . import corpus, durable, seeds

ORIGIN = "sync"


def machine(state):
    """The name of the part of a state folder: two state folders on one machine count as two machines."""
    return f"{socket.gethostname()}-{corpus.digest(state.folder.encode())[:8]}"


def _mark(target):
    return f"sync of {target}"


class Sync:
    """`folder` is the shared folder, or None: then nothing is shared."""

    def __init__(self, night, folder):
        self.night, self.state, self.folder = night, night.state, folder
        self._own = folder and os.path.join(folder, machine(night.state))
        self._is_cut_off, self._offered = False, {}

    def exchange(self, target):
        """Gives the new inputs of the corpus to the other machines, and takes theirs; returns these. If the folder cannot
        be used, the night reports it once and continues alone."""
        if not self.folder:
            return []
        try:
            shared = self._shared(target)
            self._publish(target, shared)
            inputs = self._read(target, shared)
        except (OSError, Failure) as failure:
            if not self._is_cut_off:
                self.night.problem(f"{self.folder}: cannot share the corpora: {failure}", breaks=False)
            self._is_cut_off = True
            return []
        self._is_cut_off = False
        return self._take(target, inputs)

    def text(self):
        """What was exchanged, for the line of the phase."""
        if not self.folder:
            return ""
        taken = self.state.value("SELECT count(*) FROM inputs WHERE run = ? AND origin = ?", self.night.number, ORIGIN)
        offered = sum(self._offered.values())
        return f"; {taken:,} inputs taken from other machines, {offered:,} offered to them in {self._own}"

    def _shared(self, target):
        """The paths of the inputs of all machines by digest, with those of this one: if its state folder is lost, they
        return."""
        if not os.path.isdir(self.folder):  # a network folder that is not mounted must not be made on the local disk
            raise NotADirectoryError("no such folder")
        found = {}
        for name in corpus.folders(self.folder):
            place = os.path.join(self.folder, name, target)
            found.update((digest, os.path.join(place, digest)) for digest in corpus.files(place))
        return found

    def _publish(self, target, shared):
        """Writes what no machine has shared, and removes what has left the corpus: the folder must not grow forever."""
        shelf, own = self._shelf(target), os.path.join(self._own, target)
        have = shelf.names()
        durable.make_folders(own)
        for name in sorted(have - shared.keys()):
            data = corpus.read(os.path.join(shelf.folder, name))
            if data is not None:
                durable.write(os.path.join(own, name), data)
                seeds.remember(self.state, _mark(target), [name])
        for name in (corpus.files(own) & seeds.seen(self.state, _mark(target))) - have:
            os.remove(os.path.join(own, name))
        self._offered[target] = len(corpus.files(own))

    def _read(self, target, shared):
        """The new inputs by digest. A file whose name is not the hash of its bytes is incomplete, and is left for later."""
        inputs = {}
        for name in shared.keys() - seeds.seen(self.state, _mark(target)):
            data = corpus.read(shared[name])
            if data is not None and corpus.digest(data) == name:
                inputs[name] = data
        return inputs

    def _take(self, target, inputs):
        """Takes each input once, so that minimising removes it for good."""
        if not inputs:
            return []
        shelf = self._shelf(target)
        before = shelf.names()
        seeds.give(self.night, self.night.targets[target], inputs, _mark(target), ORIGIN)
        return [inputs[name] for name in (shelf.names() - before) & inputs.keys()]

    def _shelf(self, target):
        return corpus.Corpus(self.state, self.night.number, target)
