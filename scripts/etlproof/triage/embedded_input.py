# SPDX-License-Identifier: Apache-2.0
"""Puts the input of a fuzz target that is a part of a file (a buffer, an event, items, ...) into a whole file, so that
readers of whole files see the same bytes in the same context.

The builder makes the file. The version of Windows that gives the input's context is found by trial: small traces of several
versions are built and carved, and the one whose parts have the context is used.
"""
import os
import tempfile
from typing import NamedTuple

from etlproof.campaign import targets
from runner import format_facts
from runner.atomic_file import write
from runner.failure import read_bytes
from unbuild import literals
from unbuild.outline import BUFFER, HEADER

# The bytes in front of a part with its context: see harness/input/fuzz_input.h.
CONTEXT = 8
_POINTERS_64, _KNOWN, _BITS, _SHAPE = 0x01, 0x02, 0x3F, 0x03
_ROOM = slice(4, 7)
_BUFFER_SIZE = format_facts.member(BUFFER, "BufferSize")
_SUB_VERSIONS = ("", "SubVersion = 1  SubMinorVersion = 0", "SubVersion = 1  SubMinorVersion = 1")
_MODES = ("", "LogFileMode = LogFileMode.PRIVATE_LOGGER_MODE")
# Replaces the part, to show which findings the surrounding file has without it.
_HARMLESS = "buffer b { event e EVENT_HEADER64 {} }"


class Embedded(NamedTuple):
    path: str          # of the file; None if none could be made
    origin: int        # the offset in the file of the target's offset 0
    note: str          # how its context differs from the target's, or why there is no file
    around: tuple = ()  # rules that the file around the input breaks, whatever the input is
    start: int = 0     # the offset in the file of the input's bytes that follow its prefix
    prefix: int = 0    # bytes of the input that are not in the file


def input_of(target):
    """The kind of a fuzz target's inputs; FILE for a parser."""
    known = targets.load()
    return known[target].input if target in known else "FILE"


def layer_of(target):
    """The layer of the decoder that a fuzz target tests, as rules name it; "file" for a parser."""
    kind = input_of(target)
    return {"STREAM": "inflate"}.get(kind, kind.lower())


def embed(path, target, folder, reference):
    """The Embedded of an input; writes a file into the folder unless the input is a file."""
    kind = input_of(target)
    if kind == "FILE":
        return Embedded(path, 0, "")
    if not targets.find(target).takes_traces:
        return Embedded(None, 0, f"the input is {targets.find(target).input_text}: not part of a trace")
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < CONTEXT:
        return Embedded(None, 0, "the input is too short to have a context")
    return _Embedding(kind, data, reference).write(os.path.join(folder, "embedded.etl"))


def parts_of(image, target, reference):
    """The inputs of a target in a file, as the corpus is carved from files; the file itself for a target of files, and for
    a parser."""
    if input_of(target) == "FILE":
        return [image]
    with tempfile.TemporaryDirectory(prefix="etlproof-parts-") as folder:
        path, parts = os.path.join(folder, "x.etl"), os.path.join(folder, target)
        write(path, image)
        reference.ask("carve", "--targets", targets.TABLE, "--quiet", "-o", folder, path)
        names = sorted(os.listdir(parts)) if os.path.isdir(parts) else []
        return [read_bytes(os.path.join(parts, name)) for name in names]


class _Embedding:
    def __init__(self, kind, data, reference):
        self.kind, self.reference = kind, reference
        self.context, self.bytes = data[:CONTEXT], data[CONTEXT:]
        self.known = bool(data[0] & _KNOWN)
        self.pointer_size = 8 if data[0] & _POINTERS_64 else 4

    def write(self, path):
        logfile, differs = self._logfile()
        image = self._build(logfile, self._part())
        if image is None:
            return Embedded(None, 0, "the builder cannot write a file around this input")
        with open(path, "wb") as file:
            file.write(image)
        note = "no file has the context of this input: the file around it has another context" if differs else ""
        origin = self._origin(image)
        return Embedded(path, origin, note, self._around(logfile), origin + self._before(), CONTEXT)

    def _around(self, logfile):
        """The file around an input; None for a target of logfile headers, whose input is complete."""
        image = self._build(logfile, _HARMLESS) if self.kind != "LOGFILE" else None
        if image is None:
            return ()
        with tempfile.NamedTemporaryFile(suffix=".etl") as file:
            file.write(image)
            file.flush()
            records = self.reference.records("decode", file.name)
        return tuple(sorted({one["rule"] for one in records if one["rec"] == "finding"}))

    def _build(self, logfile, part):
        head = ["pointer_size 4"] if self.pointer_size == 4 else []
        head.append(f"logfile {{ {logfile} }}" if logfile is not None else "no logfile")
        rule, flag = next(iter(self.reference.rules.values())), self.reference.flags[0]
        lost = "lost input" if self.kind == "ITEMS" and " input " in part else ""
        text = (f'recipe "An input" source "a fuzz target" rule {rule["rule"]}\ntrace {{ {" ".join(head)}\n{part} }}\n'
                f'vector input {{ title "An input" either {flag} {lost} }}\n')
        code, image, _ = self.reference.ask("build", "-", "--group", rule["group"], "-o", "-", feed=text.encode())
        return image if code == 0 else None

    # Putting the input into the file.

    def _part(self):
        data = literals.expression(self.bytes)
        room = HEADER + int.from_bytes(self.context[_ROOM], "little")
        header = "BufferType = BufferType.HEADER" if self.kind == "LOGFILE" else ""
        extent = f"Offset = {HEADER + len(self.bytes)}  SavedOffset = {HEADER + len(self.bytes)}"
        if self.kind == "BUFFER":
            return f"bytes input damaged {{ data = {data} }}"
        if self.kind == "STREAM":
            return f"buffer b {{ compress = {data}  Offset = {room}  SavedOffset = {room} }}"
        if self.kind == "ITEMS":
            type_ = f"EVENT_HEADER{8 * self.pointer_size}"
            return f"buffer b {{ event input {type_} {{ Flags = Flags.EXTENDED_INFO  data = {data} }} }}"
        return f"buffer b {{ {header} {extent}  bytes input damaged {{ data = {data} }} }}"

    def _origin(self, image):
        """The offset of the target's offset 0. Targets of logfile headers and of items also see what precedes their
        input."""
        start = int.from_bytes(image[_BUFFER_SIZE], "little") if self.known and self.kind != "LOGFILE" else 0
        return start if self.kind in ("BUFFER", "LOGFILE", "STREAM") else start + HEADER

    def _before(self):
        """The bytes between the target's offset 0 and the input."""
        if self.kind == "ITEMS":
            return format_facts.size_of("EVENT_HEADER")
        return HEADER if self.kind in ("LOGFILE", "STREAM") else 0

    # Context.

    def _logfile(self):
        """(the members of a logfile header, or None for none; whether it gives a different context)"""
        if self.kind == "LOGFILE" or not self.known:
            return None, not self.known and self._bits(None) != self._asked()
        best, least = "", 99
        for members in self._choices():
            bits = self._bits(members)
            away = bin(bits ^ self._asked()).count("1") if bits is not None else 99
            if away < least:
                best, least = members, away
            if away == 0:
                break
        return best, least != 0

    @staticmethod
    def _choices():
        for mode in _MODES:
            for sub_version in _SUB_VERSIONS:
                for major, minor in format_facts.windows_versions():
                    yield f"MajorVersion = {major}  MinorVersion = {minor}  {sub_version}  {mode}"

    def _asked(self):
        """The bits and the shape of the context that the target reads."""
        return self.context[0] & _BITS | (self.context[1] & _SHAPE) << 8

    def _bits(self, members):
        """The contexts of the parts of such a file."""
        image = self._build(members, _HARMLESS)
        parts = parts_of(image, "fuzz_event", self.reference) if image is not None else []
        return parts[0][0] & _BITS | (parts[0][1] & _SHAPE) << 8 if parts else None
