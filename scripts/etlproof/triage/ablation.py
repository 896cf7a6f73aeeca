# SPDX-License-Identifier: Apache-2.0
"""Finds the members that decide whether an input fails: replaces the bytes of each, and runs the program again.

A replacement may also end the failure because the program no longer gets there, as with a wrong marker. So a replacement
counts if it is a value that the format expects, or if it breaks no rule that the input keeps and hides nothing of it.
"""
import collections
import functools
import os
import re
import tempfile
import time
from typing import NamedTuple

from etlproof.campaign.targets import HARNESS
from etlproof.minimiser import key_of
from runner.atomic_file import write
from runner.format_facts import member, tables
from runner.inflate import stream_of
from runner.progress import Line
from runner.tables import rows
from unbuild.outline import BUFFER, HEADER, Outline
from unbuild.trace_text import Trace
from .spots import Field, fields, locate, place_of

RUNS = 600           # of the program, at most
REPORTED = 4         # members, at most
NARROW = 8           # bytes of the widest number
CLEAN, READ_OTHERWISE = 2, 1        # see _Decode.worth
DAMAGED, HARMLESS, WEAK = range(3)  # see _grade
CONFIRMED = 2        # further runs of an input and of its replacement, which must end like the first
FLAKY = "the failure is not stable, so that replacing members would prove nothing"
NOT_TRIED = "no member was replaced, because no time was given"
_EXPECTED = re.compile(r"(no bit outside |at least |at most |)(0x[0-9a-f]+|\d+)$")


class Trial:
    """A program and the key of its failure. `seconds` is the time for all replacements; 0 tries none."""

    def __init__(self, subject, key, seconds, line=None, flaky=False):
        self.subject = subject.in_less_time() if key[0] == "timeout" else subject
        self.key, self.seconds, self.flaky, self.line, self.runs = key, seconds, flaky, line or Line(), 0

    def fails(self, image):
        """Whether the program fails on the bytes in the same way."""
        self.runs += 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "try.etl")
            write(path, image)
            return key_of(self.subject, self.subject.run(path)) == self.key


class Decider(NamedTuple):
    field: Field
    value: bytes           # a replacement that ends the failure
    tried: int             # replacements
    ended: int             # replacements that end the failure
    clean: int             # of these: which break no rule, hide nothing, and leave all else read as before
    finding: dict          # of the input: about this member, else one that `value` mends; or None
    is_damaged: bool       # the finding is about this member
    grade: int             # how strong this evidence is: see _grade
    worth: int             # of `value`: see _Decode.worth
    is_extent: bool        # the member states a size or an offset


class Ablation:
    """`data` is the program's input, and `found` the Embedded of it."""

    def __init__(self, trial, data, found, rebuild):
        self.trial, self.data, self.found, self.rebuild = trial, data, found, rebuild
        self.runs, self.members, self.untried, self.note = 0, 0, [], ""
        self.outline = Outline(found.path, rebuild.reference)  # that of the recipe may have less structure
        Trace(self.outline)                                    # names the logfile header as the recipe does
        self.shift = found.start - found.prefix   # from an offset of the input to that of the file
        self.packed = {one.index: one for one in self.outline.buffers() if one.compressed}
        self.before = _Decode(rebuild.reference.records("decode", found.path))
        self.findings = [one for one in self.before.findings if one["rule"] not in found.around]

    def deciders(self):
        """The members that decide, the likeliest first; `note` says why there are none."""
        if not self.trial.seconds:
            self.note = NOT_TRIED
            return []
        if self.trial.flaky or not self.trial.fails(self.data):
            self.note = FLAKY
            return []
        self.begun = time.monotonic()
        try:
            found = self._search()
        finally:
            self.trial.line.clear()
        stable = [one for one in found[:REPORTED] if self._is_stable(one)]
        self.note = "" if stable else FLAKY if found else self._none()
        return stable

    def _none(self):
        return f"no single member decides the outcome: {self.extent()}" + (", before the time was up" * self._is_over())

    def extent(self):
        """How much was tried, in one clause."""
        said = f"{self.runs} replacements of {self.members} members were tried"
        if self.untried:
            buffers = " or ".join(map(str, self.untried))
            said += f", but none inside compressed buffer {buffers}: the failure needs its stream"
        return said

    def _is_over(self):
        return self.trial.runs >= RUNS or time.monotonic() - self.begun > self.trial.seconds

    def _search(self):
        """First gives unusual members the values that the format expects. Unless that shows a member, gives all members
        other values."""
        own = sorted(self._own(), key=lambda one: (not self._finding_at(one), one.size > NARROW, one.inside is not None,
                                                   one.at))
        self.members = len(own)
        expected = [(field, self._expected_at(field)) for field in own]
        found = self._of([(field, values) for field, values in expected if values], True)
        if all(one.grade == WEAK for one in found):
            found += self._of([(field, _others(self._bytes(field))) for field in own], False)
        best = {one.field: one for one in sorted(found, key=_rank, reverse=True)}
        return sorted(best.values(), key=_rank)

    def _of(self, chosen, are_expected):
        """The Deciders among pairs of a Field and its replacements."""
        found = []
        for field, values in chosen:
            if self._is_over():
                break
            if time.monotonic() - self.begun > 1:
                self.trial.line.show(f"replacing members: {self.runs} runs, {len(found)} members decide")
            found += self._decider(field, values, are_expected)
        return found

    def _own(self):
        """The Fields of the input. Those of a compressed buffer only if the input also fails with the same inflated bytes
        in another stream; `untried` has the other buffers."""
        found = [field for field in fields(self.outline) if self._is_of_input(field)]
        spaces = {field.inside for field in found} - {None}
        self.untried = sorted(one for one in spaces if not self.trial.fails(self._image(self.data, self.shift, one)))
        return [field for field in found if field.inside not in self.untried]

    def _is_of_input(self, field):
        """Whether all bytes that a replacement changes are in the input."""
        buffer = self.packed.get(field.inside)
        start, end = (buffer.at, buffer.end) if buffer else (field.at, field.at + field.size)
        return self.found.prefix <= start - self.shift and end - self.shift <= len(self.data)

    def _image(self, image, shift, inside, at=0, value=b""):
        """The image of the input or of the file with other bytes at an offset of a space."""
        if inside is None:
            return _replaced(image, at - shift, value)
        buffer = self.packed[inside]
        start, end = buffer.at - shift, buffer.end - shift
        return image[:start] + _packed(_replaced(buffer.data, at, value)) + image[end:]

    # One member.

    def _bytes(self, field):
        space = self.outline.image if field.inside is None else self.packed[field.inside].data
        return space[field.at:field.at + field.size]

    @functools.cached_property
    def _located(self):
        """Each finding with its Spot; kept, since each of many members looks for its finding."""
        return [(one, locate(self.outline, place_of(one))) for one in self.findings]

    def _finding_at(self, field):
        """The first finding about the member: at its bytes, or about its structure and compared with its value."""
        for one, there in self._located:
            is_compared = field.spot.member and tables().compared.get(one["rule"]) == field.spot.member
            if there and (there == field.spot or (is_compared and there.node == field.spot.node)):
                return one
        return None

    def _expected_at(self, field):
        """The values that the format expects here, other than that of the input."""
        old = self._bytes(field)
        values = [_expected(self._finding_at(field), old), self.rebuild.usual.get((field.spot.node, field.spot.member))]
        return [one for one in dict.fromkeys(values) if one and one != old and len(one) == len(old)]

    def _decider(self, field, values, are_expected):
        """[the Decider of a member], or []. Where a value ends the failure, the others are tried too."""
        ended = [value for value in values if self._ends(field, value)]
        if not ended:
            return []
        more = [value for value in _others(self._bytes(field)) if value not in values]
        tried, ended = len(values) + len(more), ended + [value for value in more if self._ends(field, value)]
        decodes = [self._decode(field, value) for value in ended]
        worth = [decode.worth(self.before) for decode in decodes]
        best = worth.index(max(worth))
        here = self._finding_at(field)
        is_extent = (field.spot.structure, field.spot.member) in _extents()
        grade = _grade(here is not None, are_expected, is_extent, worth[best])
        if grade is None:
            return []
        return [Decider(field, ended[best], tried, len(ended), worth.count(CLEAN), here or self._mended(decodes[best]),
                        here is not None, grade, worth[best], is_extent)]

    def _mended(self, decode):
        """The first finding of the input that is not in the decode of a replacement; None if there is none."""
        gone = self.before.rules - decode.rules
        return next((one for one in self.findings if one["rule"] in gone), None)

    def _ends(self, field, value):
        """Whether the input does not fail any more."""
        self.runs += 1
        return not self.trial.fails(self._image(self.data, self.shift, field.inside, field.at, value))

    def _decode(self, field, value):
        """The _Decode of the file with the replacement."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "replaced.etl")
            write(path, self._image(self.outline.image, 0, field.inside, field.at, value))
            return _Decode(self.rebuild.reference.records("decode", path))

    def _is_stable(self, one):
        """Whether the input fails again, and passes again with the replacement."""
        return all(self.trial.fails(self.data) and self._ends(one.field, one.value) for _ in range(CONFIRMED))


class _Decode:
    """What a decode shows of a file: findings, and kinds of what it read."""

    def __init__(self, records):
        self.findings = [one for one in records if one["rec"] == "finding" and one["severity"] != "note"]
        self.rules = collections.Counter(one["rule"] for one in self.findings)
        events = [one for one in records if one["rec"] == "event"]
        self.kinds = collections.Counter((one["header_type"], "logfile" in one) for one in events)
        self.kinds.update(item["type"] for one in events for item in one.get("items", ()))
        self.kinds["buffer"] = sum(one["rec"] == "buffer" for one in records)

    def worth(self, before):
        """How little the replacement does besides: CLEAN, READ_OTHERWISE if other bytes are now read as another kind of
        event or item, or 0 if it breaks a rule or hides something."""
        if self.rules - before.rules or self.kinds.total() < before.kinds.total():
            return 0
        return READ_OTHERWISE if before.kinds - self.kinds else CLEAN


@functools.cache
def _extents():
    """(structure, member) of all members that state a size or an offset."""
    roles = rows(os.path.join(HARNESS, "mutator"), "member_roles.def", "MUTATOR_MEMBER_ROLE")
    return {(structure, name) for structure, name, role, _ in roles if role in ("SIZE", "OFFSET")}


def _grade(is_damaged, is_expected, is_extent, worth):
    """DAMAGED: the member breaks a rule, and an expected or harmless value ends the failure. HARMLESS: a value that changes
    nothing else does, for a member that breaks none. WEAK: only one half of the evidence. A type then only shows which code
    fails, an extent may show on which bytes. None: the program may not get there any more."""
    if is_damaged and (is_expected or worth):
        return DAMAGED
    if worth == CLEAN:
        return HARMLESS
    return WEAK if worth or is_damaged or is_expected or is_extent else None


def _rank(one):
    """The strongest evidence first; of equal evidence members, of weak evidence extents; then narrow members, and those
    with many such replacements."""
    nameless, only_leads = one.field.spot.member is None, one.grade == WEAK and not one.is_extent
    return (one.grade, not one.is_damaged, nameless, only_leads, -one.worth, one.field.size > NARROW,
            -one.clean / one.tried, -one.ended / one.tried, one.field.size, one.field.at)


def _replaced(data, at, value):
    return data[:at] + value + data[at + len(value):]


def _packed(data):
    """A compressed buffer with these inflated bytes."""
    size, stream = member(BUFFER, "BufferSize"), stream_of(data[HEADER:])
    return _replaced(data[:HEADER], size.start, (HEADER + len(stream)).to_bytes(4, "little")) + stream


def _expected(finding, old):
    """The value that a finding expects instead, as bytes; None if it names none."""
    found = finding and _EXPECTED.match(str(finding.get("expected")))
    if not found:
        return None
    number = int(found[2], 0)
    if found[1].startswith("no bit"):
        number &= int.from_bytes(old, "little")
    return number.to_bytes(len(old), "little") if number < 1 << 8 * len(old) else None


def _others(old):
    """Values other than the present one: 0, 1, and both neighbours; for bytes that are no number, such bytes."""
    if len(old) > NARROW:
        values = [bytes(len(old)), b"\1" * len(old), bytes((byte + 1) & 0xFF for byte in old)]
    else:
        number = int.from_bytes(old, "little")
        top = 1 << 8 * len(old)
        values = [one.to_bytes(len(old), "little") for one in (0, 1, (number + 1) % top, (number - 1) % top)]
    return [one for one in dict.fromkeys(values) if one != old]
