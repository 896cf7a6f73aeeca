# SPDX-License-Identifier: Apache-2.0
"""Drafts a conformance vector from an input that something failed on. A person checks the draft before it is committed.

A draft states only what follows from the rules: the verdict, the rule, the member that is patched, and the places of
findings. The rest of the expected decode would be copied from the reference decoder, which proves nothing; the comment at
the head of the draft lists what a person has to add. There is no draft unless the reference decoder passes it.
"""
import collections
import functools
import hashlib
import json
import os
import re
import textwrap
from typing import NamedTuple

from runner.parser_under_test import Answer, Parser
from runner.vectors import GOLDEN, Golden
from runner.verdict import Judge
from .patch_proposals import words_of
from .recipe import Vector

_COLUMNS = 110


class Draft(NamedTuple):
    path: str
    id: str
    note: str


def draft(rebuild, recipe, spot, rule, layer, about, folder, ids=()):
    """The Draft of a file that was rebuilt; its path is None if no draft can be made. `spot` is the member at fault,
    `rule` the broken rule. If neither is known, the rule is one of `layer`. `about` describes the failure on the
    file."""
    if not recipe.exact:
        return Draft(None, None, recipe.note)
    # A vector is rejected because of an error: that which the failure is about, if there is one, else the first.
    errors = [one["rule"] for one in rebuild.outline.findings if one["severity"] == "error"]
    rule = next(iter(errors if rule not in errors else ()), rule) or _rule_of(rebuild.reference, spot, layer)
    group = rebuild.reference.rules[rule]["group"]
    id_ = _free_id(group, spot, rebuild.image, ids)
    texts = [rebuild.text_of(_vector(rebuild, id_, rule, spot, about, settled, more))
             for settled in (True, False) for more in dict.fromkeys(((), _more_findings(rebuild)))]
    text, why = _first_passed(rebuild, texts)
    if text is None:
        return Draft(None, None, why)
    path = os.path.join(folder, group, f"{id_}.recipe")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return Draft(path, id_, "")


# The vectors of the suite.

@functools.cache
def _golden():
    return Golden(GOLDEN)


@functools.cache
def _suite():
    """[(id, group, rule, verdict, first flag or None)] of all vectors."""
    return [(vector["id"], vector["group"], vector["rule"], vector["verdict"], next(iter(vector["flags"]), None))
            for vector in _golden().vectors]


def _open_flag(rule):
    """The most frequent flag of the rule's vectors, if none of them is rejected: then no answer to the rule is
    settled."""
    verdicts = collections.Counter(verdict for _, _, one, verdict, _ in _suite() if one == rule and verdict != "accept")
    flags = [flag for _, _, one, _, flag in _suite() if one == rule and flag]
    return collections.Counter(flags).most_common(1)[0][0] if flags and "reject" not in verdicts else None


def _metadata_of(rule):
    """What most often describes the fields in vectors of the rule; "" if it is not about payloads."""
    kinds = [vector["metadata"] for vector in _golden().vectors if vector["rule"] == rule and "metadata" in vector]
    return collections.Counter(kinds).most_common(1)[0][0] if kinds else ""


def _free_id(group, spot, image, ids):
    """A free id: the usual first word of the group, the member at fault, and as much of the file's hash as needed."""
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
    """A rule for a file that breaks none: a rule that names the member, or one of the layer."""
    for rule in reference.rules.values():
        if spot and spot.member and spot.member in words_of(rule):
            return rule["rule"]
    return next((rule["rule"] for rule in reference.rules.values() if rule["layer"] == layer), next(iter(reference.rules)))


# The reference decoder as a parser that is tested with the draft.

@functools.cache
def _judge():
    """Compares all that any vector has. Under each flag of `either`, the reference decides."""
    fields = _golden().fields
    records = {kind: sorted(names) for kind, names in fields.items() if "." not in kind}
    parser = Parser(["etlproof", "decode", "{file}"], "one-shot", {"name": "etlproof", "records": records})
    return Judge(parser, fields, dict.fromkeys(_golden().flags, "reference"), "must")


def _first_passed(rebuild, texts):
    """(the first draft that builds the file and that the reference decoder passes, or None; why there is none)"""
    built = [text for text in texts if rebuild.build(text)[0] == rebuild.image]
    wrong = {text: _difference(rebuild, text) for text in built}
    passed = next((text for text in built if not wrong[text]), None)
    if not built:
        return None, "the drafted vector does not build"
    return passed, "" if passed else f"the reference decoder does not pass the drafted vector: {wrong[built[0]]}"


def _difference(rebuild, text):
    """How the reference decode differs from the expected decode of the draft, in one line; "" if it does not."""
    expected, error = rebuild.build(text, "-o", os.devnull, "--expect", "-")
    if expected is None:
        return error.partition("\n")[0]
    code, decoded, _ = rebuild.reference.ask("decode", "--payload", "hex", "-", feed=rebuild.image)
    answer = Answer("accept" if code == 0 else "reject", "", [json.loads(line) for line in decoded.splitlines()])
    return _judge().result({"flags": {}, **json.loads(expected), "path": "draft.etl"}, answer)["detail"]


# The text.

def _more_findings(rebuild):
    """Statements of the findings besides that of the patch."""
    return tuple(f"finding {one['rule']} at {rebuild.place_of(one)}" for one in rebuild.outline.findings
                 if not rebuild.patch or one is not rebuild.first)


def _vector(rebuild, id_, rule, spot, about, settled, more):
    """The Vector. `settled`: whether the file can be accepted or rejected; a file without events cannot."""
    flag = None
    if not settled or (not rebuild.patch and rebuild.outline.verdict != "conforming"):
        flag = _open_flag(rule) or rebuild.reference.flags[0]
    elif rebuild.patch:
        flag = _open_flag(rule)
    sound = (f"either {flag}",) if flag else ("accept",)
    broken = sound if flag else ("reject",)
    return Vector(id_, rule, _title(rebuild, spot), _plain(f"found by fuzzing: {about}"), (*sound, *more),
                  (*broken, *more), tuple(_head(rebuild, rule, flag, about)), _metadata_of(rule))


def _plain(text):
    return re.sub(r"[^ -~]|[\"\\{}]", "?", text)[:200]


def _title(rebuild, spot):
    """The title of the draft: the patch or the unusual member, if known."""
    if rebuild.patch and rebuild.patch.member:
        return _plain(f"{spot.structure}: {rebuild.patch.text}" if spot and spot.member == rebuild.patch.member
                      else rebuild.patch.text)
    if rebuild.patch:
        return _plain(rebuild.patch.text.split(" = ")[0])
    return _plain(f"{spot.structure} with an unusual {spot.member}" if spot and spot.member
                  else "A file on which a program fails")


def _head(rebuild, rule, flag, about):
    """Lines of comment: that this is a draft, and which points to check."""
    said = rebuild.reference.rules[rule]
    points = [f"{rule}: \"{said['statement']}\" Is this what the file is about? "
              + ("The reference decoder finds that the file breaks it." if rebuild.first
                 else "No rule is broken; this one was chosen by the place of the fault, or by the fuzzed layer.")]
    points += _about_verdict(rebuild, rule, flag)
    if rebuild.patch:
        points += _about_patch(rebuild, rebuild.fault.rule or rule)
    else:
        points.append("The trace is the minimised input: restore members that the fault does not need.")
    points.append("Id and title are generated: describe the file.")
    yield "DRAFT, made from an input on which a program failed. Check each point, then delete this comment."
    yield from _wrapped("  ", f"Failed: {_plain(about)}")
    for number, text in enumerate(points, 1):
        yield from _wrapped(f"  {number}. ", text)


def _wrapped(first, text):
    return textwrap.wrap(text, _COLUMNS, initial_indent=first, subsequent_indent=" " * len(first))


def _about_verdict(rebuild, rule, flag):
    if flag and _open_flag(rule) == flag:
        return [f"`either {flag}`: no vector that breaks this rule has a settled answer. Does that reason hold here?"]
    if flag:
        return [f"`either {flag}` is a placeholder: no single patch expresses the fault, or no event of the file could be "
                "written. Reduce the input to one fault, or state why the answer is open."]
    if rebuild.patch:
        return []
    noted = ", ".join(dict.fromkeys(one["rule"] for one in rebuild.outline.findings))
    listed = f" The decoder reports {noted}, no error: does a rule require each `finding`?" if noted else ""
    return ["`accept`: the reference decoder finds no error. Do the rules agree?" + listed]


def _about_patch(rebuild, rule):
    points = [_about_finding(rebuild, rule)]
    if not rebuild.patch_changes():
        points.append("The patch changes nothing, because the trace was laid out around the fault: write a sound "
                      "trace first.")
    if any(one.lost or one.read for one in rebuild.outline.events()):
        points.append("`lost` states what the decoder skips; the builder needs it for the expected decode. Does the "
                      "rule require this loss?")
    others = {one["rule"] for one in rebuild.outline.findings} - {rule}
    if others:
        points.append(f"The decoder also reports {', '.join(sorted(others))}: does a rule require each `finding`?")
    return points


def _about_finding(rebuild, rule):
    if not rebuild.first:
        return f"The reference decoder finds no error, and its verdict is {rebuild.outline.verdict}. Do the rules agree?"
    said, member = rebuild.reference.rules[rule], rebuild.patch.member
    named = member in words_of(said) if member else False
    return f"The finding is at {rebuild.fault_place()}" + (
        f", since the rule is about {member}." if named and rebuild.fault_place().endswith(f".{member}")
        else ", where the decoder reports it: does the rule put it there?") + (
        f" To be added by a person: expected, actual, loses, does. If the rule is violated, {said['effect']}.")
