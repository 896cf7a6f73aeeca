# SPDX-License-Identifier: Apache-2.0
"""Writes a recipe that builds a file again, byte for byte, with as much structure as possible.

The recipe is built without members first; each member that differs from the file is then set, until the two are equal. So
the builder's defaults never appear in the text. An event that cannot be written as such becomes bytes, then its buffer,
and in the end the whole file. The returned text has always been built and compared.
"""
import hashlib
import os
import re
from typing import NamedTuple

from runner.format_facts import members, value
from . import literals
from .outline import BUFFER, HEADER, Buffer, Event, Outline, Raw, aligned
from .patch_proposals import Fault, Patch, open_end, proposals
from .reference import Reference
from .trace_text import INDENT, Trace, room_at

MODES = ("greedy", "lazy", "literal")   # of the builder's compressor
ROUNDS = 6                              # rounds of setting members; values depend on each other in short chains
RESTARTS = 64                           # at most so many pieces become bytes
_WHOLE = "the whole file is written as bytes"


class Recipe(NamedTuple):
    text: str
    exact: bool      # the recipe builds the same file
    note: str        # which parts of the file are written as bytes, for people
    raw: int         # bytes of the file that are written as bytes
    whole: bool      # every buffer is written as a buffer
    group: str       # the group of the rule that the recipe names: `etlproof build` needs it as --group


class Vector(NamedTuple):
    """The parts of a recipe around the trace."""
    id: str
    rule: str
    title: str
    source: str
    sound: tuple         # statements if the file needs no patch
    broken: tuple        # statements if it does
    head: tuple = ()     # lines of comment
    metadata: str = ""   # of a rule about payloads: what describes the fields


def recipe_of(path, command=None):
    """The Recipe of a file."""
    return rebuild_of(path, Reference(command))[1]


def rebuild_of(path, reference):
    """(Rebuild, Recipe) of a file. A file that ends inside a buffer is first treated as truncated."""
    for opened in (True, False):
        rebuild = Rebuild(path, reference, opened)
        if rebuild.go():
            return rebuild, rebuild.result()
    return rebuild, rebuild.as_bytes()


class Rebuild:
    """One file on its way to a recipe."""

    def __init__(self, path, reference, opened=True):
        self.reference = reference
        self.outline = Outline(path, reference)
        self.image = self.outline.image
        self.patch = None
        self.usual = {}   # {(node, member): the bytes that the builder writes where the file has others}
        self.is_cut = opened and open_end(self.outline)
        self.trace = Trace(self.outline)
        self.first = next((one for one in self.outline.findings if one["severity"] == "error"), None)
        self.fault = Fault(self.first, reference)
        self.vector = self._vector(path)

    def go(self):
        """Whether the file was rebuilt. After each piece that becomes bytes all starts again, because members behind it
        may have been set in vain."""
        for _ in range(RESTARTS if self.image else 0):
            fault = self._fit() or self._settle()
            if fault is None:
                self._shorten()
                return True
            if not self._give_way(*fault):
                return False
        return False

    def result(self):
        between = [part for part in self.trace.parts if isinstance(part, Raw) and part.kind != "tail"]
        inside = [one for part in self.outline.buffers() for one in part.elements if isinstance(one, Raw)]
        streams = [part for part in self.outline.buffers() if isinstance(self.trace.modes.get(part.name), bytes)]
        said = [f"{len(found)} {what}" for what, found in (("between buffers", between), ("between events", inside),
                                                           ("as compressed streams", streams)) if found]
        if not self.outline.buffers():
            return Recipe(self._text(), True, _WHOLE, len(self.image), False, self._group())
        note = f"pieces written as bytes: {', '.join(said)}" if said else "all of it is structured"
        return Recipe(self._text(), True, note, sum(one.end - one.at for one in between + inside), not between,
                      self._group())

    def as_bytes(self):
        """The Recipe that writes the whole file as bytes."""
        if not self.image:
            return Recipe("", False, "the file is empty, and a recipe cannot express that", 0, False, self._group())
        self.patch = None
        self.outline.parts[:] = [self.outline.raw(0, len(self.image), "damaged")]
        self.trace = Trace(self.outline)
        text = self._text()
        exact = self.build(text)[0] == self.image
        return Recipe(text, exact, _WHOLE, len(self.image), False, self._group())

    def text_of(self, vector):
        """The recipe with another vector around the same trace."""
        kept, self.vector = self.vector, vector
        text = self._text()
        self.vector = kept
        return text

    # Building.

    def _text(self, trial=False):
        return _joined(self._lines(trial))

    def _lines(self, trial):
        v, patch = self.vector, self.patch
        lines = ["# SPDX-License-Identifier: Apache-2.0", *(f"# {line}".rstrip() for line in v.head),
                 f'recipe "{v.title}"', f'source "{v.source}"', f"rule {v.rule}",
                 *([f"metadata {v.metadata}"] if v.metadata else []), ""]
        lines = [(line, None) for line in lines] + self.trace.lines(trial)
        body = [f'title "{v.title}"']
        if patch and not trial:
            body += [f"patch {patch.text}", *v.broken, *self._finding()]
        else:
            body += v.sound
        body += [f"lost {one.name}" + (f" from {one.name} + {one.read}" if one.read else "")
                 for one in self.outline.events() if one.lost or one.read]
        body = ["", f"vector {v.id} {{", *(INDENT + line for line in body), "}"]
        # A statement of several lines becomes several entries, so that the builder's line numbers are indexes of this
        # list.
        return [(part, node) for text, node in [*lines, *((line, None) for line in body)] for part in text.split("\n")]

    def _finding(self):
        """The statement of the finding for which the vector is rejected."""
        return [f"finding {self.fault.rule} at {self.fault_place()}"] if self.first else []

    def fault_place(self):
        return self.place_of(self.fault.finding)

    def place_of(self, finding):
        """The offset of a finding as a recipe writes it."""
        is_inside = finding.get("space") == "inflated"
        return self.place(int(finding["offset"]), inside=int(finding["buffer"]) if is_inside else None)

    def _group(self):
        return self.reference.rules[self.vector.rule]["group"]

    def build(self, text, *options):
        """(what the builder prints, or None; its messages): the image, unless options ask for something else."""
        rule = next(line.split()[1] for line in text.split("\n") if line.startswith("rule "))
        group = self.reference.rules[rule]["group"]
        code, image, error = self.reference.ask("build", "-", "--group", group, *(options or ("-o", "-")),
                                                feed=text.encode("utf-8"))
        return (image if code == 0 else None), error.decode("utf-8", "replace")

    # Setting differing members.

    def _fit(self):
        """Sets all members as they are in the file. None, or (the piece that cannot be written, messages of the
        builder)."""
        self._start()
        wide = next((part for part in self.outline.buffers()
                     if not part.compressed and room_at(part) > part.at + part.size), None)
        if wide:
            return wide, ""
        spaces = None
        for round_ in range(ROUNDS):
            lines = self._lines(True)
            image, error = self.build(_joined(lines))
            only = "logfile" if round_ == 0 and self.trace.has_logfile else None
            spaces = self._split(image, only) if image is not None else None
            if spaces is None:
                return (self._culprit(lines, error) if image is None else None), error
            if not self._adopt(spaces, only) and not only:
                break
        unlike = self._unlike(spaces)
        return (unlike, "") if unlike else None

    def _unlike(self, spaces):
        """The first piece of a compressed buffer that does not inflate to the bytes of the file. If the recipe gives
        the stream as bytes, no later check would notice."""
        for part in self.outline.buffers():
            built, data = spaces[part.name], part.data
            unlike = (i for i in range(HEADER, len(data)) if data[i:i + 1] != built[i:i + 1])
            at = next(unlike, None) if part.compressed else None
            if at is not None:
                return self._element_at(part, at) or part
        return None

    def _start(self):
        """Sets the members on which layout depends."""
        self.patch = self.outline.inserted = None
        for kept in (self.trace.given, self.trace.modes, self.trace.spare, self.trace.hidden, self.usual):
            kept.clear()
        for buffer, name, at, _, parts in self.outline.nodes():
            for member in parts:
                place = at + member.at
                if member.name == "OptionFlags":
                    self.trace.give(name, member.name, self.outline.bytes_of(buffer, place, place + member.size))
                elif member.name == "BufferSize" and name == buffer.name and not buffer.compressed:
                    self.usual[name, member.name] = buffer.size.to_bytes(member.size, "little")
                    self.trace.give(name, member.name, self.usual[name, member.name])

    def _split(self, image, only):
        """{buffer: its built bytes, inflated}; None if the size is wrong. The size follows from the version in the
        logfile header, so it is not checked before the version is set."""
        spaces, at = {}, 0
        for part in self.trace.parts:
            size = part.end - part.at
            if isinstance(part, Buffer):
                size = part.size
                inflated = room_at(part) - part.base - HEADER
                if part.compressed:
                    size = HEADER + inflated + 4 * (inflated // 32 + 1)
                data = image[at:at + size]
                if part.compressed:
                    # A stream of literals: a flag word, all clear, before each 32 bytes.
                    words = data[HEADER:]
                    data = data[:HEADER] + b"".join(words[i + 4:i + 36] for i in range(0, len(words), 36))
                spaces[part.name] = data
            at += size
        return spaces if at == len(image) or only else None

    def _adopt(self, spaces, only):
        """Sets members that differ in the file; returns whether there were any."""
        found = False
        for buffer, name, at, _, parts in self.outline.nodes():
            if only and name != only:
                continue
            for member in parts:
                start = at + member.at - buffer.base
                data = buffer.data[start:start + member.size]
                built = spaces[buffer.name][start:start + member.size]
                if data == built[:len(data)] or not member.name or self._is_size(buffer, name, member):
                    continue
                if buffer.compressed and name == buffer.name:
                    continue  # the members are compared when the stream is built: see _adopt_headers
                self.usual[name, member.name] = built
                self.trace.give(name, member.name, data + built[len(data):])
                found = True
        return found

    @staticmethod
    def _is_size(buffer, name, member):
        """The BufferSize of a plain buffer determines its layout; a wrong value in the file becomes the patch."""
        return name == buffer.name and member.name == "BufferSize" and not buffer.compressed

    # The streams, the patch, and the remaining differences.

    def _settle(self):
        """Chooses the streams and the patch. None if the recipe then builds the file, else a fault like that of
        _fit."""
        self._choose_modes()
        if self.is_cut:
            self.patch = Patch("cut at " + self.place(len(self.image) - 1, more=1))
        lines = self._lines(False)
        image, error = self.build(_joined(lines))
        if self.is_cut and image == self.image:
            return None
        if not self.is_cut and (image == self.image or self._has_wrong_size()):
            self._choose_patch()
            image, error = self.build(self._text())
        if image == self.image:
            return None
        return (self._culprit(lines, error) if image is None else self._at(self._difference(image))), error

    def _has_wrong_size(self):
        """Whether a BufferSize differs from the size of its buffer: only a patch can express it."""
        return any(value(BUFFER, "BufferSize", part.data) != part.size
                   for part in self.outline.buffers() if not part.compressed)

    def _culprit(self, lines, error):
        """The node that the builder's message names, or the node on the line of the message."""
        name = re.match(r"-:\d+(?::\d+)?: vector [^:]*: (\w+):", error)
        place = re.match(r"-:(\d+):", error)
        if name:
            return next((node for node in self._all_nodes() if node.name == name[1]), None)
        return lines[min(int(place[1]), len(lines)) - 1][1] if place else None

    def _all_nodes(self):
        for buffer in self.outline.buffers():
            yield buffer
            for one in buffer.elements:
                yield one
                yield from one.items if isinstance(one, Event) else ()

    def _difference(self, image):
        return next((i for i, (a, b) in enumerate(zip(image, self.image)) if a != b), min(len(image), len(self.image)))

    def _at(self, offset):
        """The piece that contains a file offset; for a compressed buffer, the buffer."""
        for part in self.trace.parts:
            if part.at <= offset < part.end:
                return part if isinstance(part, Raw) or part.compressed else self._element_at(part, offset) or part
        return None

    @staticmethod
    def _element_at(buffer, offset):
        """The element of a buffer that contains an offset of its space, padding included."""
        return next((one for one in buffer.elements
                     if one.at <= offset < aligned(one.end - buffer.base) + buffer.base), None)

    def _adopt_headers(self, image):
        """Sets the members of compressed buffers' headers, which have their final values only with the final
        streams."""
        for buffer in self.outline.buffers():
            for member in members(buffer.header) if buffer.compressed else ():
                start = buffer.at + member.at
                data = self.image[start:start + member.size]
                if data != image[start:start + member.size]:
                    self.usual[buffer.name, member.name] = image[start:start + member.size]
                    self.trace.give(buffer.name, member.name, data)

    def _choose_modes(self):
        """Finds the compressor mode that makes the stream of each compressed buffer; if there is none, gives the stream
        as bytes."""
        packed = [part for part in self.outline.buffers() if part.compressed]
        for mode in MODES if packed else ():
            self.trace.modes.update((part.name, mode) for part in packed)
            built = self._streams()
            for part in packed if built else ():
                stream = self.image[part.at + HEADER:part.end]
                if stream.startswith(built[part.name]):
                    self.trace.spare[part.name] = stream[len(built[part.name]):]
            packed = [part for part in packed if part.name not in self.trace.spare]
        for part in packed:
            self.trace.modes[part.name] = self.image[part.at + HEADER:part.end]
        image, _ = self.build(self._text()) if self.trace.modes else (None, "")
        if image:
            self._adopt_headers(image)

    def _streams(self):
        """{buffer: its built stream}. The built BufferSize of a compressed buffer gives its end."""
        kept, self.patch = self.patch, None
        image, _ = self.build(self._text())
        self.patch = kept
        streams, at = {}, 0
        for part in self.trace.parts if image else ():
            size = part.end - part.at
            if isinstance(part, Buffer):
                size = value(BUFFER, "BufferSize", image[at:at + HEADER]) if part.compressed else part.size
                streams[part.name] = image[at + HEADER:at + size]
            at += size
        return streams

    # The patch.

    def _choose_patch(self):
        """Expresses the damage as a patch, if one patch can."""
        for patch in proposals(self.outline, self.trace, self.fault) if self.outline.verdict != "conforming" else ():
            if self._is_right(patch):
                return

    def _is_right(self, patch):
        """Whether the recipe with this patch builds the file; if so, keeps the patch."""
        given, parts = self.trace.given.get(patch.node, {}), list(self.trace.parts)
        kept = dict(given)
        given.pop(patch.member, None)
        if patch.hidden:
            self.trace.hidden[patch.hidden[0]] = patch.hidden[1:]
        if patch.without:
            self.trace.parts.remove(patch.without)
        self.patch = patch
        if self.build(self._text())[0] == self.image:
            self.outline.inserted = patch.without
            return True
        self.trace.parts[:], self.trace.hidden, self.patch = parts, {}, None
        given.update(kept)
        return False

    def patch_changes(self):
        """Whether the patch changes the built file: not if the trace was laid out around the fault."""
        kept, self.patch = self.patch, None
        image, _ = self.build(self._text())
        self.patch = kept
        return image != self.image

    def place(self, offset, more=0, inside=None):
        """An offset as a recipe writes it: `e3.Size`, `b1 + 0x20`. `inside`: the index of the compressed buffer that
        contains it."""
        best = None
        for buffer, name, at, parts in self._places():
            at = next((start for space, start in self.outline.spaces(buffer, name, at) if space == inside), None)
            if at is None:
                continue
            exact = next((one for one in parts if at + one.at == offset and one.name), None)
            if exact and not more:
                return f"{name}.{exact.name}"
            end = buffer.end if inside is None else len(buffer.data)
            if at <= offset < end and (best is None or at >= best[1]):
                best = name, at
        if best is None:
            best = next(((part.name, part.at) for part in self.trace.parts
                         if isinstance(part, Raw) and part.at <= offset < part.end), ("", 0))
        away = offset + more - best[1]
        return " + ".join([best[0]] * bool(best[0]) + [literals.number(away)] * (away != 0 or not best[0]))

    def is_odd(self, name, member):
        """Whether a member differs from the builder's default."""
        return member in self.trace.given.get(name, {}) or (
            self.patch is not None and self.patch.text.startswith(f"{name}.{member} ="))

    def _places(self):
        """(buffer, name, offset, Members) of everything with a name in a buffer."""
        for buffer, name, at, _, parts in self.outline.nodes():
            yield buffer, name, at, parts
        for buffer in self.outline.buffers():
            for one in buffer.elements:
                if isinstance(one, Raw):
                    yield buffer, one.name, one.at, ()

    def _shorten(self):
        """Removes sizes of buffers that follow from the others."""
        kept = {name: dict(given) for name, given in self.trace.given.items()}
        for part in self.outline.buffers():
            if not part.compressed:
                self.trace.given.get(part.name, {}).pop("BufferSize", None)
        if self.build(self._text())[0] != self.image:
            self.trace.given = kept

    # Less structure.

    def _give_way(self, node, error):
        """Writes less structure: gives the node the structure that the builder expects, else turns an event or a buffer
        into bytes. False if nothing is left to turn."""
        shape = re.search(r"expected a member of (\w+), found", error)
        if shape and node is not None and self.outline.reshape(node, shape[1]):
            return True
        for part in self.outline.buffers():
            if node is part or (isinstance(node, Raw) and node in part.elements):
                return self._replace_buffer(part)
            for number, one in enumerate(part.elements):
                if isinstance(one, Event) and (one is node or node in one.items):
                    if one.logfile:
                        return self._replace_buffer(part)
                    part.elements[number] = self.outline.raw(one.at, one.end, "damaged")
                    return True
        return False

    def _replace_buffer(self, buffer):
        at = next(number for number, part in enumerate(self.trace.parts) if part is buffer)
        self.trace.parts[at] = self.outline.raw(buffer.at, buffer.end, "damaged")
        if at == 0:
            self.trace.has_logfile = False
        return True

    def _vector(self, path):
        """A vector that states only the contents of the file. It has a patch only if the decoder found a fault."""
        rule = self.first["rule"] if self.first else next(iter(self.reference.rules))
        name = re.sub(r"[^ -~]|[\"\\{}]", "?", os.path.basename(path))
        digest = hashlib.sha256(self.image).hexdigest()
        return Vector(f"input-{digest[:8]}", rule, f"{name[:60]}, byte for byte", f"sha256 {digest}",
                      (f"either {self.reference.flags[0]}",), ("reject",))


def _joined(lines):
    return "\n".join(text for text, _ in lines) + "\n"
