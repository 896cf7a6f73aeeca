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

from . import literals
from .format_facts import members, value
from .outline import BUFFER, HEADER, Buffer, Event, Outline, Raw, aligned
from .patch_proposals import Fault, Patch, open_end, proposals
from .reference import Reference
from .trace_text import INDENT, Trace, room_at

MODES = ("greedy", "lazy", "literal")   # of the builder's compressor
ROUNDS = 6                              # of setting what differs; values depend on others, but not in long chains
RESTARTS = 64                           # pieces that may become bytes
_WHOLE = "the whole file is written as bytes"


class Recipe(NamedTuple):
    text: str
    exact: bool      # the recipe builds the same file
    note: str        # which parts of the file are written as bytes, for people
    raw: int         # bytes of the file that are written as bytes
    whole: bool      # every buffer is written as a buffer
    group: str       # of the rule that the recipe names: `etlproof build` wants it as --group


class Vector(NamedTuple):
    """What stands around the trace."""
    id: str
    rule: str
    title: str
    source: str
    sound: tuple         # statements where the file has no patch
    broken: tuple        # and where it has
    head: tuple = ()     # lines of comment


def recipe_of(path, command=None):
    """The Recipe of a file."""
    return rebuild_of(path, Reference(command))[1]


def rebuild_of(path, reference):
    """(Rebuild, Recipe) of a file. A file that ends inside a buffer is first tried as one that was cut."""
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
        self.is_cut = opened and open_end(self.outline)
        self.trace = Trace(self.outline)
        self.first = next((one for one in self.outline.findings if one["severity"] == "error"), None)
        self.fault = Fault(self.first, reference)
        self.vector = self._vector(path)

    def go(self):
        """Whether the file was rebuilt. With each piece that becomes bytes all starts anew: what lies behind it may have
        been set for nothing."""
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
        """The last resort."""
        if not self.image:
            return Recipe("", False, "the file is empty, and a recipe cannot express that", 0, False, self._group())
        self.patch = None
        self.outline.parts[:] = [self.outline.raw(0, len(self.image), "damaged")]
        self.trace = Trace(self.outline)
        text = self._text()
        exact = self.build(text)[0] == self.image
        return Recipe(text, exact, _WHOLE, len(self.image), False, self._group())

    def text_of(self, vector):
        """The recipe with another vector around the trace."""
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
                 f'recipe "{v.title}"', f'source "{v.source}"', f"rule {v.rule}", ""]
        lines = [(line, None) for line in lines] + self.trace.lines(trial)
        body = [f'title "{v.title}"']
        if patch and not trial:
            body += [f"patch {patch.text}", *v.broken, *self._finding()]
        else:
            body += v.sound
        body += [f"lost {one.name}" + (f" from {one.name} + {one.read}" if one.read else "")
                 for one in self.outline.events() if one.lost or one.read]
        body = ["", f"vector {v.id} {{", *(INDENT + line for line in body), "}"]
        # A statement of several lines is several here too, so that the builder's line numbers are places in this list.
        return [(part, node) for text, node in [*lines, *((line, None) for line in body)] for part in text.split("\n")]

    def _finding(self):
        """What makes a vector one to be rejected."""
        return [f"finding {self.fault.rule} at {self.fault_place()}"] if self.first else []

    def fault_place(self):
        return self.place(self.fault.offset, inside=int(self.fault.buffer) if self.fault.inside else None)

    def _group(self):
        return self.reference.rules[self.vector.rule]["group"]

    def build(self, text):
        """(image or None, what the builder says)"""
        rule = next(line.split()[1] for line in text.split("\n") if line.startswith("rule "))
        group = self.reference.rules[rule]["group"]
        code, image, error = self.reference.ask("build", "-", "--group", group, "-o", "-", feed=text.encode("utf-8"))
        return (image if code == 0 else None), error.decode("utf-8", "replace")

    # Setting what differs.

    def _fit(self):
        """Sets all members as they are in the file. None, or (the piece that cannot be written, what the builder says)."""
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
        """The first piece of a compressed buffer that was not built as it inflates: of a stream that is given, nothing
        later would say so."""
        for part in self.outline.buffers():
            built, data = spaces[part.name], part.data
            at = next((i for i in range(HEADER, len(data)) if data[i] != built[i]), None) if part.compressed else None
            if at is not None:
                return self._element_at(part, at) or part
        return None

    def _start(self):
        """What layout depends on is set from the beginning."""
        self.patch = self.outline.inserted = None
        for kept in (self.trace.given, self.trace.modes, self.trace.spare, self.trace.hidden):
            kept.clear()
        for buffer, name, at, _, parts in self.outline.nodes():
            for member in parts:
                place = at + member.at
                if member.name == "OptionFlags":
                    self.trace.give(name, member.name, self.outline.bytes_of(buffer, place, place + member.size))
                elif member.name == "BufferSize" and name == buffer.name and not buffer.compressed:
                    self.trace.give(name, member.name, buffer.size.to_bytes(member.size, "little"))

    def _split(self, image, only):
        """{buffer: its bytes as they were built, inflated}; None if the size is wrong. The size follows from the version in
        the logfile header, so it is not checked before that is set."""
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
                    # A stream of literals: a word of flags, all clear, before each 32.
                    words = data[HEADER:]
                    data = data[:HEADER] + b"".join(words[i + 4:i + 36] for i in range(0, len(words), 36))
                spaces[part.name] = data
            at += size
        return spaces if at == len(image) or only else None

    def _adopt(self, spaces, only):
        """Sets what is otherwise in the file. Whether there was any."""
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
                    continue  # its size, and what follows from it, are not yet those of its stream
                self.trace.give(name, member.name, data + built[len(data):])
                found = True
        return found

    @staticmethod
    def _is_size(buffer, name, member):
        """Of a plain buffer it says how much is laid out; what the file says otherwise is the patch."""
        return name == buffer.name and member.name == "BufferSize" and not buffer.compressed

    # The streams, the patch, and what is left.

    def _settle(self):
        """Streams as they are, and the patch. None if what is built is the file, else as _fit."""
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
        """A BufferSize that the buffer does not have: only a patch can say it."""
        return any(value(BUFFER, "BufferSize", part.data) != part.size
                   for part in self.outline.buffers() if not part.compressed)

    def _culprit(self, lines, error):
        """What the builder complains of, by name or by line."""
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
        """The piece that a file offset lies in; of a compressed buffer all of it."""
        for part in self.trace.parts:
            if part.at <= offset < part.end:
                return part if isinstance(part, Raw) or part.compressed else self._element_at(part, offset) or part
        return None

    @staticmethod
    def _element_at(buffer, offset):
        """What of a buffer has a place of its space, padding included."""
        return next((one for one in buffer.elements
                     if one.at <= offset < aligned(one.end - buffer.base) + buffer.base), None)

    def _adopt_headers(self, image):
        """Members of compressed buffers' headers, which stand where they do in the file only now."""
        for buffer in self.outline.buffers():
            for member in members(buffer.header) if buffer.compressed else ():
                start = buffer.at + member.at
                data = self.image[start:start + member.size]
                if data != image[start:start + member.size]:
                    self.trace.give(buffer.name, member.name, data)

    def _choose_modes(self):
        """Of each compressed buffer the mode that makes its stream, if there is one."""
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
        """{compressed buffer: its stream as it is built}: BufferSize of those says where each ends."""
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
        """Damage is the patch, where one does it."""
        for patch in proposals(self.outline, self.trace, self.fault) if self.outline.verdict != "conforming" else ():
            if self._is_right(patch):
                return

    def _is_right(self, patch):
        """Whether the file is built with it; it is then in place."""
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
        """Whether the trace is another one without the patch: where it was laid out around the fault, it is not."""
        kept, self.patch = self.patch, None
        image, _ = self.build(self._text())
        self.patch = kept
        return image != self.image

    def place(self, offset, more=0, inside=None):
        """A place of the recipe: `e3.Size`, `b1 + 0x20`. `inside`: the index of the compressed buffer that it is in."""
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
        """Whether a member is not what the builder fills in."""
        return member in self.trace.given.get(name, {}) or (
            self.patch is not None and self.patch.text.startswith(f"{name}.{member} ="))

    def _places(self):
        """(buffer, name, place, Members) of all that has a name in a buffer."""
        for buffer, name, at, _, parts in self.outline.nodes():
            yield buffer, name, at, parts
        for buffer in self.outline.buffers():
            for one in buffer.elements:
                if isinstance(one, Raw):
                    yield buffer, one.name, one.at, ()

    def _shorten(self):
        """Sizes of buffers that follow from the others need not be said."""
        kept = {name: dict(given) for name, given in self.trace.given.items()}
        for part in self.outline.buffers():
            if not part.compressed:
                self.trace.given.get(part.name, {}).pop("BufferSize", None)
        if self.build(self._text())[0] != self.image:
            self.trace.given = kept

    # Less structure.

    def _give_way(self, node, error):
        """Another structure where the builder knows a better one; else an event becomes bytes, or a buffer. False if there
        is nothing below."""
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
        """A vector that states only what is in the file. It has a patch only if the decoder found a fault."""
        rule = self.first["rule"] if self.first else next(iter(self.reference.rules))
        name = re.sub(r"[^ -~]|[\"\\{}]", "?", os.path.basename(path))
        digest = hashlib.sha256(self.image).hexdigest()
        return Vector(f"input-{digest[:8]}", rule, f"{name[:60]}, byte for byte", f"sha256 {digest}",
                      (f"either {self.reference.flags[0]}",), ("reject",))


def _joined(lines):
    return "\n".join(text for text, _ in lines) + "\n"
