# SPDX-License-Identifier: Apache-2.0
"""The text of a recipe's trace: its outline, and the members that differ from the builder's defaults."""

from runner.format_facts import item_type, members, size_of
from . import literals
from .outline import HEADER, Buffer, Event, Raw, aligned

WIDTH = 116         # columns; lint allows a few more
INDENT = "    "


class Trace:
    def __init__(self, outline):
        self.outline = outline
        self.parts = outline.parts
        self.given = {}      # {name of a node: {member: bytes}}
        self.modes = {}      # {name of a compressed buffer: the compressor mode of its stream, or the bytes of the stream}
        self.spare = {}      # {name of a compressed buffer: bytes behind its stream}
        self.hidden = {}     # {name of bytes, or of a buffer with a given stream: (first, last) that a patch sets}
        first = self.parts[0] if self.parts else None
        self.has_logfile = isinstance(first, Buffer) and first.elements and _is_logfile(first.elements[0])
        self._name_logfiles()

    def _name_logfiles(self):
        """Names the logfile headers as the builder does. It takes only one in a buffer; a second one becomes an
        ordinary event."""
        for part in self.outline.buffers():
            found = [one for one in part.elements if _is_logfile(one)]
            for one in found[1:]:
                one.logfile = ""
            if found:
                found[0].name = f"{part.name}_logfile"
        if self.has_logfile:
            self.parts[0].name, self.parts[0].elements[0].name = "header", "logfile"

    def give(self, node, member, data):
        self.given.setdefault(node, {})[member] = data

    # Text.

    def lines(self, trial):
        """[(text, node or None)]. In a trial all compressed buffers are streams of literals, so that their contents can
        be compared."""
        found = []
        if self.outline.pointer_size == 4:
            found.append(("pointer_size 4", None))
        if not self.has_logfile:
            found.append(("no logfile", None))
        for part in self.parts:
            if isinstance(part, Raw):
                found += _block(f"bytes {part.name} {part.kind}",
                                [_assign("data", self._hide(part.name, self.outline.image[part.at:part.end]))], part)
            else:
                found += self._buffer(part, trial)
        return [("trace {", None), *((INDENT + text, node) for text, node in found), ("}", None)]

    def _buffer(self, buffer, trial):
        """The lines of a buffer. The logfile header comes first: its version determines the layout of everything
        else."""
        elements, found = list(buffer.elements), []
        head = "header" if self.has_logfile and buffer is self.parts[0] else f"buffer {buffer.name}"
        if head == "header":
            found += self._event(buffer, elements.pop(0))
        inner = self._members(buffer.name, buffer.header)
        if buffer.compressed:
            inner += self._compression(buffer, trial)
        elif self._slack(buffer):
            inner.append(_assign("slack", self._slack(buffer)))
        blocks = [line for one in elements for line in self._element(buffer, one)]
        if not inner and not blocks:
            return found if head == "header" else [*found, (head + " {}", buffer)]
        return found + _block(head, inner, buffer, blocks)

    def _members(self, name, structure):
        given = self.given.get(name, {})
        return [f"{one.name} = {literals.member(given[one.name], one.kind)}"
                for one in members(structure) if one.name in given]

    def _compression(self, buffer, trial):
        mode = "literal" if trial else self.modes.get(buffer.name, "literal")
        how = f'compress = "{mode}"' if isinstance(mode, str) else _assign("compress", self._hide(buffer.name, mode))
        spare = self.spare.get(buffer.name, b"")
        return [how] + ([_assign("spare", spare)] if spare and not trial else [])

    @staticmethod
    def _slack(buffer):
        """The slack, without the trailing 0xFF that the builder adds."""
        return buffer.data[room_at(buffer) - buffer.base:].rstrip(b"\xff")

    def _element(self, buffer, one):
        if isinstance(one, Event):
            return self._event(buffer, one)
        data = self._hide(one.name, self.outline.bytes_of(buffer, one.at, one.end))
        inner = [_assign("data", data), *self._padding(buffer, one)]
        return _block(f"bytes {one.name} {one.kind}", inner, one)

    def _hide(self, name, data):
        """The data with other values in place of the bytes that the patch sets."""
        first, last = self.hidden.get(name, (0, 0))
        return data[:first] + (b"\xff" if not any(data[first:last]) else b"\0") * (last - first) + data[last:]

    def _padding(self, buffer, one):
        rest = self.outline.bytes_of(buffer, one.end, aligned(one.end - buffer.base) + buffer.base).rstrip(b"\0")
        return [_assign("padding", rest)] if rest else []

    def _event(self, buffer, event):
        head = "logfile" if event.logfile else f"event {event.name} {event.type}"
        inner, at = self._event_members(event), event.body
        if event.items:
            at = event.items[-1].end
        if event.logfile:
            names, at = self._names(buffer, at + size_of(event.logfile), event.end)
            inner += names
        data = self._hide(event.name, self._filled(buffer, at, event.end))
        inner += [_assign("data", data)] if data else []
        inner += self._padding(buffer, event)
        blocks = [line for item in event.items for line in self._item(buffer, item)]
        return _block(head, inner, event, blocks)

    def _event_members(self, event):
        given = self.given.get(event.name, {})
        inner = [f"{one.name} = {literals.member(given[one.name], one.kind)}"
                 for one in event.members if one.name in given]
        if event.counters:
            pebs, pmc = event.counters
            inner += [f"pebs = {literals.number(int(pebs))}"] if pebs is not None else []
            inner += [f"pmc = ({', '.join(literals.number(int(one)) for one in pmc)})"] if pmc else []
        if event.logfile:
            inner += self._members(event.name, event.logfile)
        return inner

    def _filled(self, buffer, at, end):
        """The bytes of an event; bytes beyond the end of a truncated file are zeros."""
        data = self.outline.bytes_of(buffer, at, end)
        return data + bytes(max(0, end - at - len(data)))

    def _item(self, buffer, item):
        inner = self._members(item.name, "EXTENDED_DATA_ITEM")
        data = self._hide(item.name, self.outline.bytes_of(buffer, *item.data))
        inner += [_assign("data", data)] if data else []
        rest = self.outline.bytes_of(buffer, item.data[1], item.end).rstrip(b"\0")
        inner += [_assign("padding", rest)] if rest else []
        return _block(f"item {item.name} {item_type(item.type)}", inner, item)

    def _names(self, buffer, at, end):
        """The statements of LoggerName and LogFileName, and the offset behind them; as strings if both are ASCII."""
        data, found, used = self.outline.bytes_of(buffer, at, end), [], 0
        for _ in range(2):
            size = next((i for i in range(used, len(data) - 1, 2) if data[i:i + 2] == b"\0\0"), None)
            if size is None:
                return [_assign("names", data)], end
            found.append(data[used:size])
            used = size + 2
        if any(one[i + 1] or not 0x20 <= one[i] <= 0x7E for one in found for i in range(0, len(one), 2)):
            return [_assign("names", data[:used])], at + used
        texts = [literals.quoted(one[::2].decode("ascii")) for one in found]
        return [f"logger_name = {texts[0]}", f"log_file_name = {texts[1]}"], at + used


def room_at(buffer):
    """The offset behind the last element of a buffer, as the builder lays it out, in the space of the buffer."""
    end = max((one.end for one in buffer.elements), default=buffer.base + HEADER)
    return aligned(end - buffer.base) + buffer.base


def _is_logfile(one):
    return isinstance(one, Event) and one.logfile != ""


def _assign(name, data):
    return f"{name} = {literals.expression(data)}"


def _block(head, inner, node, blocks=()):
    """A block on one line if it is short; else as many statements per line as fit."""
    one = f"{head} {{ {'  '.join(inner)} }}" if inner else head + " {}"
    if not blocks and len(one) + 2 * len(INDENT) <= WIDTH and "\n" not in one:
        return [(one, node)]
    lines = [""]
    for text in inner:
        if lines[-1] and (len(lines[-1]) + len(text) + 3 * len(INDENT) > WIDTH or "\n" in text + lines[-1]):
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + text
    body = [part if not number else INDENT + part
            for line in lines if line for number, part in enumerate(line.split("\n"))]
    return [(head + " {", node), *((INDENT + line, node) for line in body),
            *((INDENT + text, owner) for text, owner in blocks), ("}", node)]
