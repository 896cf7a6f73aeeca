# SPDX-License-Identifier: Apache-2.0
"""Explains a failing input: the structure, member and rule that are unusual in it, and how that is known.

The cause of the failure is not known here. The sources are the offset in an oracle's message, the first finding of the
reference decoder, and members with values that no writer would choose. `why` names the source.
"""
import os
import re
from typing import NamedTuple

from runner.format_facts import item_type, members, names, tables
from unbuild.draft import draft
from unbuild.outline import BUFFER, Raw
from unbuild.patch_proposals import words_of
from unbuild.recipe import rebuild_of
from unbuild.reference import Reference
from . import hex_view
from .embedded_input import embed, layer_of

# Most bytes of an input that is analysed: for a compressed trace this takes half a minute.
MOST = 1 << 18
# The message of an oracle: see harness/targets/broken_promise.c.
_ORACLE = re.compile(r"oracle ([\w-]+) broken at offset 0x([0-9a-f]+) \((?:[^()]*, )?buffer (\d+), event (\d+)\)")
_SEVERITIES = names("severities.def", "ETL_SEVERITY")[:0:-1]   # the worst first; findings never have severity `structure`
# Members that differ from trace to trace, and explain nothing.
_USUAL = {"BufferSize", "SavedOffset", "Offset", "CurrentOffset", "TimeStamp", "SystemTime", "ThreadId", "ProcessId",
          "KernelTime", "UserTime", "StartTime", "EndTime", "BootTime", "StartPerfClock", "SequenceNumber",
          "ClockFrequency", "ProviderVersion", "LoggerId"}


class Place(NamedTuple):
    offset: int
    inside: int = None     # index of the inflated buffer that contains it


class Spot(NamedTuple):
    structure: str
    member: str
    node: str              # its name in the recipe


def explain(path, target, bucket, folder, command=None, ids=()):
    """The object that a bucket's page shows. Writes into the folder: the recipe, the drafted vector, and for an input that
    is a part of a file the file around it. `ids` are ids of vectors that are taken besides those of the suite."""
    size = os.path.getsize(path)
    if size > MOST:
        return _nothing(f"{size:,} bytes: inputs of more than {MOST:,} are not analysed, and have no recipe")
    reference = Reference(command)
    os.makedirs(folder, exist_ok=True)
    found = embed(path, target, folder, reference)
    if not found.path:
        return _nothing(found.note)
    rebuild, recipe = rebuild_of(found.path, reference)
    said = Sources(rebuild, bucket, found.origin, found.around)
    place, rule, why = said.place()
    spot, more = said.spot(place, rule)
    why += more
    about = (bucket or {}).get("title") or f"an input that {target or 'a parser'} failed on"
    made = draft(rebuild, recipe, spot, rule, layer_of(target), about, folder, ids)
    return {
        "structure": spot.structure if spot else None, "member": spot.member if spot else None, "rule": rule,
        "offset": place.offset if place else None,
        "space": ("inflated" if place.inside is not None else "file") if place else None,
        "why": why + (f"; {found.note}" if found.note else ""), "finding": said.finding,
        "hex": hex_view.around(found.path, place.offset, reference, place.inside) if place else [],
        "recipe": _write(folder, "input.recipe", recipe.text), "rebuilds": recipe.exact, "vector": made.path,
        "vector_id": made.id, "note": recipe.note}


def _nothing(note):
    return {"structure": None, "member": None, "rule": None, "offset": None, "space": None, "why": note, "finding": None,
            "hex": [], "recipe": None, "rebuilds": False, "vector": None, "vector_id": None, "note": note}


def _write(folder, name, text):
    if not text:
        return None
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def locate(outline, place, words=()):
    """The Spot of an offset: its member, or the region that contains it; None outside the file. The start of a structure
    may stand for all of it: then the member is the first of `words` that is a member, if there is one."""
    for buffer, name, start, structure, parts in outline.nodes():
        at = next((one for space, one in outline.spaces(buffer, name, start) if space == place.inside), None)
        if at is not None and at == place.offset:
            named = [word for word in words if any(one.name == word for one in parts)]
            return Spot(structure, named[0] if named else None, name)
        for member in parts if at is not None else ():
            if at + member.at <= place.offset < at + member.at + member.size:
                return Spot(structure, member.name or None, name)
    return _among(outline, place, words)


def _shares(buffer, place):
    return buffer.index == place.inside if buffer.compressed else place.inside is None


def _among(outline, place, words):
    for part in [*outline.parts, *([outline.inserted] if outline.inserted else [])]:
        if isinstance(part, Raw) or (part.compressed and place.inside is None):
            if place.inside is None and part.at <= place.offset < part.end:
                return _between(outline, part, place, words)
        elif _shares(part, place):
            for one in part.elements:
                if one.at <= place.offset < one.end:
                    return _inside(one, place)
            if part.base <= place.offset < part.base + len(part.data):
                return Spot("slack", None, part.name)
    return None


def _between(outline, part, place, words):
    """If a buffer should start at the offset, a rule about buffer headers is about that buffer."""
    if not isinstance(part, Raw):
        return Spot("XPRESS stream", None, part.name)
    header = outline.buffers()[0].header if outline.buffers() else BUFFER
    named = [word for word in words if any(one.name == word for one in members(header))]
    return Spot(header, named[0], part.name) if part.at == place.offset and named else Spot(part.kind, None, part.name)


def _inside(one, place):
    if isinstance(one, Raw):
        return Spot(one.kind, None, one.name)
    item = next((item for item in one.items if item.at <= place.offset < item.end), None)
    if item:
        return Spot(f"data of item {item_type(item.type)}", None, item.name)
    return Spot(f"data of {one.header}", None, one.name)


def _place_of(finding):
    return Place(int(finding["offset"]), int(finding["buffer"]) if finding.get("space") == "inflated" else None)


class Sources:
    """What is known of an input, and the source of each fact. `around` are rules that the surrounding file breaks, not the
    input."""

    def __init__(self, rebuild, bucket, origin, around=()):
        self.rebuild, self.outline, self.reference = rebuild, rebuild.outline, rebuild.reference
        self.bucket, self.origin = bucket or {}, origin
        self.findings = [one for one in self.outline.findings if one["rule"] not in around]
        self.finding = self._first()

    def _layer(self):
        """The layer of the innermost frame, by the name of its file."""
        frame = self.bucket.get("frame") or {}
        name = os.path.splitext(os.path.basename(frame.get("file") or ""))[0]
        return name if name in names("layers.def", "ETL_LAYER") and "decoder/src" in (frame.get("file") or "") else None

    def _first(self):
        """The first of the worst findings, in the crashing layer if that has any."""
        found = self.findings
        here = [one for one in found if one["layer"] == self._layer()]
        for severity in _SEVERITIES:
            for group in (here, found):
                for one in group:
                    if one["severity"] == severity:
                        return one
        return None

    def place(self):
        """(Place or None, rule or None, why)"""
        oracle = _ORACLE.search(self.bucket.get("text") or "")
        rule = self.finding["rule"] if self.finding else None
        if oracle:
            return self._by_oracle(oracle)
        if self.finding and self.finding["severity"] != "note":
            return _place_of(self.finding), rule, self._by_finding()
        return self._by_members()

    def _by_finding(self):
        layer = self._layer()
        if layer and self.finding["layer"] == layer:
            how = f"the first {self.finding['severity']} of the reference decoder in the layer that failed, {layer}"
        else:
            how = f"the first {self.finding['severity']} that the reference decoder finds in the input"
        count = sum(one["severity"] == self.finding["severity"] for one in self.findings)
        sure = "the only one, so it is likely related to the failure" if count == 1 else \
            f"one of {count}, so it need not be related to the failure"
        return f"{how}: {sure}"

    def _by_oracle(self, oracle):
        offset, buffer = int(oracle[2], 16), int(oracle[3]) - 1
        packed = next((one for one in self.outline.buffers() if one.index == buffer and one.compressed), None)
        why = f"oracle {oracle[1]} reports where its promise was broken; the cause may lie before this offset"
        place = Place(self.origin + offset)
        if packed and offset < len(packed.data):
            place = Place(offset, buffer)
            why += f"; its offset is assumed to be in the inflated buffer {buffer}"
        near = self._near(place)
        if near:
            self.finding = near
            return place, near["rule"], why + "; the rule is that of the reference decoder's finding there"
        if self.finding:
            elsewhere = f"{self.finding['severity']}, {self.finding['rule']}, is at {int(self.finding['offset']):#x}"
            return place, None, why + f"; no rule is named, since the first {elsewhere}"
        return place, None, why + "; the reference decoder finds nothing there, so that no rule is named"

    def _near(self, place):
        """The worst finding in the same structure, or in the same bytes outside structures."""
        spot = locate(self.outline, place)
        for severity in _SEVERITIES[:2]:
            for one in self.findings:
                there = locate(self.outline, _place_of(one))
                if one["severity"] == severity and spot and there and there.node == spot.node:
                    return one
        return None

    def _by_members(self):
        """The place in a conforming file: the first member with a value that no writer would choose."""
        odd = [(buffer, name, at + member.at, structure, member.name)
               for buffer, name, at, structure, parts in self.outline.nodes() for member in parts
               if self.rebuild.is_odd(name, member.name)
               and member.name.split(".")[0] not in _USUAL]
        if self.finding:
            return (_place_of(self.finding), self.finding["rule"],
                    "the input is conforming; the reference decoder only notes this, which real files have too: only "
                    "a hint")
        if not odd:
            return None, None, ("the input is conforming, and no member has an unusual value, so that no member can be "
                                "named")
        buffer, _, at, structure, member = odd[0]
        said = f"the input is conforming; {structure}.{member} has an unusual value"
        if len(odd) > 1:
            said += f", as have {len(odd) - 1} other members: it is the first of them, a guess"
        return Place(at, buffer.index if buffer.compressed else None), None, said

    def spot(self, place, rule):
        """(Spot or None, description). If the place is no member: the member that the rule names, of the same structure or
        of an earlier one, if its value is unusual."""
        words = words_of(self.reference.rules[rule]) if rule else ()
        spot, best = locate(self.outline, place, words) if place else None, None
        if spot and spot.member:
            return spot, ""
        for _, name, _, structure, parts in self.outline.nodes():
            for member in parts:
                near = best is None or (spot and (name == spot.node or name.startswith(f"{spot.node}_i")))
                odd = member.name != "BufferSize" and self.rebuild.is_odd(name, member.name)
                if member.name in words and odd and near:
                    best = Spot(structure, member.name, name)
        if not best:
            whole = spot and rule is None and spot.structure in tables().structures
            return spot, "; the place is the structure as a whole, so no member is named" if whole else ""
        return best, (f"; the place is in no member; {best.structure}.{best.member}, which {rule} names, has an "
                      "unusual value")
