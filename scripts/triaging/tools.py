# SPDX-License-Identifier: Apache-2.0
"""The built commands, asked for what they say of a file, and the tables of the format."""
import functools
import json
import os
import subprocess
from typing import NamedTuple

from . import ROOT
from campaign.builds import EXECUTABLE
from runner import tables as def_tables
from runner.failure import INPUT, INTERNAL, Failure

SECONDS = 120          # of one command
READ = (0, 1, 2, 3)    # exit codes of a command that has read its file, whatever it thinks of it


class Tools:
    """The command that speaks for the format. It must not be the one that has the bug: the release build, unless told
    otherwise."""

    def __init__(self, command=None):
        self.command = command or os.path.join(ROOT, "build", "release", "bin", "etlproof" + EXECUTABLE)
        if not os.path.exists(self.command):
            raise Failure(INPUT, f"{self.command}: not built: cmake --preset release && cmake --build --preset release")

    def ask(self, *words, feed=None):
        """(exit code, standard output, standard error). One that does not end, or ends by a signal, is code None."""
        try:
            done = subprocess.run([self.command, *words], input=feed, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, b"", b"took too long"
        return (done.returncode if done.returncode >= 0 else None), done.stdout, done.stderr

    def records(self, *words):
        """What a verb prints as JSON Lines of a file; empty where the decoder itself fails on it."""
        code, text, error = self.ask(*words)
        if code is not None and code not in READ:
            raise Failure(code if code == INPUT else INTERNAL, error.decode("utf-8", "replace").strip())
        lines = text.splitlines() if code is not None else ()
        return [json.loads(line) for line in lines]

    @functools.cached_property
    def rules(self):
        """{id: what `etlproof explain` says of it}, in the order of the tables."""
        return {rule["rule"]: rule for rule in self.records("explain", "--json")}

    @functools.cached_property
    def flags(self):
        """Reasons why an answer is not settled."""
        code, text, error = self.ask("build", "--rules")
        if code != 0:
            raise Failure(INPUT, f"etlproof build: {error.decode('utf-8', 'replace').strip()}")
        rows = [line.split("\t") for line in text.decode("utf-8").splitlines()]
        return [row[0] for row in rows if row[2] == "flag"]


class Member(NamedTuple):
    name: str
    at: int        # in its structure
    size: int
    kind: str      # of member_kinds.def


@functools.cache
def tables():
    return def_tables.load_tables()


@functools.cache
def _kinds():
    """{(structure, member): kind}, which the runner has no use for and leaves out."""
    rows = def_tables.rows(def_tables.FORMAT, "structures.def", "ETL_MEMBER")
    return {(row[0], row[1]): row[3] for row in rows}


@functools.cache
def markers():
    """{name: MarkerFlags} of the whole bytes that the format knows."""
    return {row[1]: int(row[0], 0) for row in def_tables.rows(def_tables.FORMAT, "marker_flags.def", "ETL_MARKER")}


@functools.cache
def marker_bit(name):
    rows = def_tables.rows(def_tables.FORMAT, "marker_flags.def", "ETL_MARKER_FLAG")
    return next(int(row[0], 0) for row in rows if row[1] == name)


@functools.cache
def event_flag(name):
    rows = def_tables.rows(def_tables.FORMAT, "event_flags.def", "ETL_EVENT_FLAG")
    return next(int(row[0], 0) for row in rows if row[1] == name)


@functools.cache
def texts(table, macro):
    """The names in a table of what findings and records call by a text, in its order."""
    return [row[1] for row in def_tables.rows(def_tables.FORMAT, table, macro)]


@functools.cache
def _item_types():
    return {int(row[0], 0): row[1] for row in def_tables.rows(def_tables.FORMAT, "item_types.def", "ETL_ITEM_TYPE")}


def item_type(number):
    """Its name, or the number as a recipe takes it."""
    return _item_types().get(number, f"(0x{number:02x})")


# The structures that a member of such a kind is.
_NESTED = {"TIME_ZONE": "TIME_ZONE_INFORMATION", "SYSTEMTIME": "SYSTEMTIME"}


@functools.cache
def members(structure):
    """All of a structure, those of nested ones as `TimeZone.Bias`."""
    found = []
    for at, size, name in tables().structures[structure][1]:
        kind = _kinds()[structure, name]
        if kind in _NESTED:
            found += [Member(f"{name}.{inner.name}", at + inner.at, inner.size, inner.kind)
                      for inner in members(_NESTED[kind])]
        else:
            found.append(Member(name, at, size, kind))
    return found


def size_of(structure):
    return tables().structures[structure][0]
