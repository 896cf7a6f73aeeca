# SPDX-License-Identifier: Apache-2.0
"""Drafts a conformance vector from an input that something failed on. A person checks the draft before it is committed.

A draft states only what follows from the rules: the verdict, the rule, and the member that is patched. The rest of the
expected decode would be copied from the reference decoder, which proves nothing; the comment at the head of the draft
lists what a person has to add.
"""
import collections
import functools
import hashlib
import os
import re
import textwrap
from typing import NamedTuple

from runner.vectors import GOLDEN, Golden
from .patch_proposals import words_of
from .recipe import Vector

_COLUMNS = 110


class Draft(NamedTuple):
    path: str
    id: str
    note: str


def draft(rebuild, recipe, spot, rule, layer, about, folder, ids=()):
    """The Draft of a file that was rebuilt; without a path if none can be made. `spot` says which member is at fault,
    `rule` which rule. Where both are unknown, the rule is one of `layer`. `about` says what failed on the file."""
    if not recipe.exact:
        return Draft(None, None, recipe.note)
    # The finding that makes a vector one to be rejected is the first error, wherever the fault was looked for.
    rule = rebuild.fault.rule or rule or _rule_of(rebuild.reference, spot, layer)
    group = rebuild.reference.rules[rule]["group"]
    id_ = _free_id(group, spot, rebuild.image, ids)
    texts = [rebuild.text_of(_vector(rebuild, id_, rule, spot, about, settled)) for settled in (True, False)]
    text = next((one for one in texts if rebuild.build(one)[0] == rebuild.image), None)
    if text is None:
        return Draft(None, None, "the drafted vector does not build")
    path = os.path.join(folder, group, f"{id_}.recipe")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return Draft(path, id_, "")


# What the suite has.

@functools.cache
def _suite():
    """[(id, group, rule, verdict, first flag or None)] of all vectors."""
    return [(vector["id"], vector["group"], vector["rule"], vector["verdict"], next(iter(vector["flags"]), None))
            for vector in Golden(GOLDEN).vectors]


def _open_flag(rule):
    """The reason why no answer is settled, where none of the rule's vectors that break it has a settled one."""
    verdicts = collections.Counter(verdict for _, _, one, verdict, _ in _suite() if one == rule and verdict != "accept")
    flags = [flag for _, _, one, _, flag in _suite() if one == rule and flag]
    return collections.Counter(flags).most_common(1)[0][0] if flags and "reject" not in verdicts else None


def _free_id(group, spot, image, ids):
    """The first word of most ids of the group, what it is about, and as much of the file's hash as makes it free."""
    words = collections.Counter(id_.split("-")[0] for id_, one, *_ in _suite() if one == group)
    first = words.most_common(1)[0][0] if words else group
    about = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", spot.member or "").lower()) if spot else ""
    digest = hashlib.sha256(image).hexdigest()
    taken = {row[0] for row in _suite()} | set(ids)
    for size in range(8, len(digest)):
        id_ = "-".join(part for part in (first, "found", about.strip("-"), digest[:size]) if part)
        if id_ not in taken:
            return id_
    raise AssertionError("all ids are taken")


def _rule_of(reference, spot, layer):
    """For a file that breaks no rule: one that names the member, or one of the layer."""
    for rule in reference.rules.values():
        if spot and spot.member and spot.member in words_of(rule):
            return rule["rule"]
    return next((rule["rule"] for rule in reference.rules.values() if rule["layer"] == layer), next(iter(reference.rules)))


# The text.

def _vector(rebuild, id_, rule, spot, about, settled):
    """`settled` is whether the file can be accepted or rejected; without an event that is written as
    such, it cannot be either."""
    flag = None
    if not settled or (not rebuild.patch and rebuild.outline.verdict != "conforming"):
        flag = _open_flag(rule) or rebuild.reference.flags[0]
    elif rebuild.patch:
        flag = _open_flag(rule)
    sound = (f"either {flag}",) if flag else ("accept",)
    broken = sound if flag else ("reject",)
    return Vector(id_, rule, _title(rebuild, spot), _plain(f"found by fuzzing: {about}"), sound, broken,
                  tuple(_head(rebuild, rule, flag, about)))


def _plain(text):
    return re.sub(r"[^ -~]|[\"\\{}]", "?", text)[:200]


def _title(rebuild, spot):
    """What the file shows, as far as that is known."""
    if rebuild.patch and rebuild.patch.member:
        return _plain(f"{spot.structure}: {rebuild.patch.text}" if spot and spot.member == rebuild.patch.member
                      else rebuild.patch.text)
    if rebuild.patch:
        return _plain(rebuild.patch.text.split(" = ")[0])
    return _plain(f"{spot.structure} with an unusual {spot.member}" if spot and spot.member
                  else "A file that something fails on")


def _head(rebuild, rule, flag, about):
    """Lines of comment: that this is a draft, and what to check."""
    said = rebuild.reference.rules[rule]
    points = [f"{rule}: \"{said['statement']}\" Is this what the file is about? "
              + ("The rule was named by the reference decoder's first finding." if rebuild.first
                 else "No rule is broken; this one was chosen by the place of the fault, or by what was fuzzed.")]
    points += _about_verdict(rebuild, rule, flag)
    if rebuild.patch:
        points += _about_patch(rebuild, rule, said)
    else:
        points.append("The trace is the input as it was minimised: set back what the fault does not need.")
    points.append("Id and title are made up: say what the file shows.")
    yield "DRAFT, made of an input that something failed on. Not yet a vector: check each point, then delete this."
    yield from _wrapped("  ", f"Failed: {_plain(about)}")
    for number, text in enumerate(points, 1):
        yield from _wrapped(f"  {number}. ", text)


def _wrapped(first, text):
    return textwrap.wrap(text, _COLUMNS, initial_indent=first, subsequent_indent=" " * len(first))


def _about_verdict(rebuild, rule, flag):
    if flag and _open_flag(rule) == flag:
        return [f"`either {flag}`: no vector of this rule that breaks it has a settled answer. Does that reason hold here?"]
    if flag:
        return [f"`either {flag}` only holds the place: no single patch says what is wrong with the file, or nothing of it "
                "is written as events. Cut the input down to one fault, or say why the answer is open."]
    if rebuild.patch:
        return []
    noted = ", ".join(dict.fromkeys(one["rule"] for one in rebuild.outline.findings))
    listed = f" The decoder reports {noted}, which is no error: list what the rules ask for as `finding`." if noted else ""
    return ["`accept`: the reference decoder finds no error. Do the rules say so too?" + listed]


def _about_patch(rebuild, rule, said):
    member = rebuild.patch.member
    named = member in words_of(said) if member else False
    points = [f"The finding is at {rebuild.fault_place()}" + (
        f", since the rule is about {member}." if named and rebuild.fault_place().endswith(f".{member}")
        else ", where the decoder reports it: is that where the rule says it is?")
        + f" Left for a person: expected, actual, loses, does. If the rule is violated, {said['effect']}."]
    if not rebuild.patch_changes():
        points.append("The patch writes what the trace holds anyway, since that was laid out around the fault: make the "
                      "trace a sound one first.")
    if any(one.lost or one.read for one in rebuild.outline.events()):
        points.append("`lost` says what the decoder skips; the builder needs it to lay out what is expected. Is it what "
                      "has to be lost by the rule?")
    others = {one["rule"] for one in rebuild.outline.findings} - {rule}
    if others:
        points.append(f"There may be further findings to list; the decoder has some of {', '.join(sorted(others))}.")
    return points
