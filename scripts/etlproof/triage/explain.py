# SPDX-License-Identifier: Apache-2.0
"""Explains a failing input: the member that the failure is about, the rule that it breaks, and how that is known.

The member is that whose replacement ends the failure: see ablation.py. If there is none, the sources are the offset in an
oracle's message and the first finding of the reference decoder. `why` names the source.
"""
import os
import re

from etlproof.pages.wording import member_name
from runner.failure import read_bytes
from runner.format_facts import names, tables
from unbuild.draft import Draft, draft
from unbuild.patch_proposals import words_of
from unbuild.recipe import rebuild_of
from unbuild.reference import Reference
from . import hex_view
from .ablation import WEAK, Ablation
from .embedded_input import embed, layer_of, parts_of
from .spots import Place, Spot, locate, place_of

# Most bytes of an input that is analysed: for a compressed trace this takes half a minute.
MOST = 1 << 18
# Most bytes of a replacement that are shown.
SHOWN = 16
# The message of an oracle: see harness/targets/broken_promise.c.
_ORACLE = re.compile(r"oracle ([\w-]+) broken at offset 0x([0-9a-f]+) \((?:[^()]*, )?buffer (\d+), event (\d+)\)")
_SEVERITIES = names("severities.def", "ETL_SEVERITY")[:0:-1]   # the worst first; findings never have severity `structure`


def explain(path, target, bucket, folder, trial=None, command=None, ids=()):
    """The object that a bucket's page shows. Writes into the folder: the recipe, the drafted vector, and for an input that
    is a part of a file the file around it. `trial` runs changed inputs on the program that failed; without it, no member
    is shown to decide and no vector is drafted. `ids` are ids of vectors that are taken besides those of the suite."""
    size = os.path.getsize(path)
    if size > MOST:
        return _nothing(f"{size:,} bytes: inputs of more than {MOST:,} are not analysed, and have no recipe")
    reference = Reference(command)
    os.makedirs(folder, exist_ok=True)
    found = embed(path, target, folder, reference)
    if not found.path:
        return _nothing(found.note)
    rebuild, recipe = rebuild_of(found.path, reference)
    ablation = trial and Ablation(trial, read_bytes(path), found, rebuild)
    about = About(Sources(rebuild, bucket, found.origin, found.around), ablation)
    made = _draft(rebuild, recipe, about, target, bucket or {}, folder, trial, ids)
    place, spot = about.place, about.spot
    return {
        "structure": spot.structure if spot else None, "member": spot.member if spot else None, "rule": about.rule,
        "offset": place.offset if place else None,
        "space": _space(place) if place else None,
        "why": about.why + (f"; {found.note}" if found.note else ""), "finding": about.finding,
        "decides": [_decides(one) for one in about.deciders],
        "hex": hex_view.around(found.path, place.offset, reference, place.inside) if place else [],
        "recipe": _write(folder, "input.recipe", recipe.text), "rebuilds": recipe.exact, "vector": made.path,
        "vector_id": made.id, "vector_note": made.note or None, "note": recipe.note}


def _draft(rebuild, recipe, about, target, bucket, folder, trial, ids):
    """The Draft of a vector, without a path unless the program fails on the vector's file as it did on the input."""
    if trial is None:
        return Draft(None, None, "the program that failed was not run on it")
    if not any(trial.fails(one) for one in parts_of(rebuild.image, target, rebuild.reference)):
        return Draft(None, None, "the program does not fail on the drafted file in the same way")
    title = bucket.get("title") or f"an input that {target or 'a parser'} failed on"
    return draft(rebuild, recipe, about.spot, about.rule, layer_of(target), title, folder, ids)


def _space(place):
    return "file" if place.inside is None else "inflated"


def _decides(one):
    field = one.field
    return {"structure": field.spot.structure, "member": field.spot.member, "offset": field.at,
            "space": _space(field), "size": field.size,
            "value": one.value[:SHOWN].hex(" "), "tried": one.tried, "ended": one.ended, "clean": one.clean}


class About:
    """What the input is about: `place`, `spot`, `rule`, `finding`, and `why`. By the members that decide, else by the
    Sources. `finding` may be elsewhere: it is the first, if none is about the member."""

    def __init__(self, sources, ablation):
        self.deciders = ablation.deciders() if ablation else []
        if self.deciders:
            self._by_decider(self.deciders[0], ablation)
            self.finding = self.deciders[0].finding or sources.finding
            return
        self.place, self.rule, why = sources.place()
        self.spot, more = sources.spot(self.place, self.rule)
        self.finding = sources.finding
        self.why = "; ".join(part for part in ((ablation.note if ablation else ""), why + more) if part)

    def _by_decider(self, first, ablation):
        self.place, self.spot = Place(first.field.at, first.field.inside), first.field.spot
        self.rule = first.finding["rule"] if first.finding else None
        where = member_name({"structure": self.spot.structure, "member": self.spot.member})
        self.why = f"the failure ends with other bytes in {where}: with {first.ended} of {first.tried} replacements"
        if first.grade == WEAK:
            self.why += ", each of which has other effects too, so that this is only a hint"
        if first.finding:
            self.why += f"; its value breaks {self.rule}" if first.is_damaged else f"; this also mends {self.rule}"
        more = len(self.deciders) - 1
        if more:
            self.why += f"; it also ends with other bytes in {more} other member{'s' if more > 1 else ''}"
        self.why += f"; {ablation.extent()}"


def _nothing(note):
    return {"structure": None, "member": None, "rule": None, "offset": None, "space": None, "why": note, "finding": None,
            "decides": [], "hex": [], "recipe": None, "rebuilds": False, "vector": None, "vector_id": None,
            "vector_note": note, "note": note}


def _write(folder, name, text):
    if not text:
        return None
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


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
            return place_of(self.finding), rule, self._by_finding()
        return self._by_note()

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
                there = locate(self.outline, place_of(one))
                if one["severity"] == severity and spot and there and there.node == spot.node:
                    return one
        return None

    def _by_note(self):
        """A conforming file has no finding but notes."""
        if self.finding:
            return (place_of(self.finding), self.finding["rule"],
                    "the input is conforming; the reference decoder only notes this, which real files have too: only "
                    "a hint")
        return None, None, "the input is conforming, so that no rule can be named"

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
