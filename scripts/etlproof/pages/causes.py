# SPDX-License-Identifier: Apache-2.0
"""Groups the red buckets of a night by likely cause, and states the first of each group in one plain sentence: which
function, which promise, how many bytes."""
import functools
import os

from etlproof import ROOT
from runner.tables import rows
from .wording import LEVELS, answer_text, say_size, smallest_of, subject_text

# States of a bucket that make a night red.
RED = ("new", "regressed")
_ORACLES = os.path.join(ROOT, "harness", "oracle")
_DECODER = "decoder/"


@functools.cache
def _promises():
    """The promise of each oracle, by name."""
    return {name: promise.replace("\\", "") for _, name, promise in rows(_ORACLES, "promise.h", "ORACLE") if promise}


def _function(bucket):
    """The innermost function of the project's own, if it is part of the decoder: there the bug is."""
    frame = bucket["frame"]
    return frame["function"] if frame and (frame["file"] or "").startswith(_DECODER) else None


def _oracle(bucket):
    who = _function(bucket)
    promise = _promises().get(bucket["what"])
    promise = f"the promise that {promise}" if promise else "a promise"
    checked = f" in {bucket['frame']['function']}" if bucket["frame"] and not who else ""
    detail = f": {bucket['detail']}" if bucket["detail"] else ""
    return f"{who or 'the decoder'} breaks {promise} (oracle {bucket['what']}{checked}{detail})"


def _address(bucket):
    who = _function(bucket) or _place(bucket)
    if bucket["access"]:
        size = f" {say_size(bucket['access_size'])}" if bucket["access_size"] else ""
        return f"{who} {bucket['access']}s{size} outside an object ({bucket['what']})"
    return f"{who} uses memory in an invalid way ({bucket['what']})"


def _place(bucket):
    return bucket["frame"]["function"] if bucket["frame"] else subject_text(bucket)


_WORDS = {
    "oracle": _oracle, "asan": _address,
    "ubsan": lambda bucket: f"{_place(bucket)} has undefined behaviour ({bucket['what']})",
    "msan": lambda bucket: f"{_place(bucket)} uses uninitialised memory ({bucket['what']})",
    "lsan": lambda bucket: f"{_place(bucket)} leaks memory",
    "signal": lambda bucket: f"{_place(bucket)} ends by {bucket['what']}",
    "timeout": lambda bucket: f"{_place(bucket)} does not end in time",
    "memory": lambda bucket: f"{_place(bucket)} uses too much memory ({bucket['what']})",
    "parser": lambda bucket: f"{subject_text(bucket)}: {answer_text(bucket) or bucket['what']}"}


def sentence(bucket):
    """The bug in one plain sentence."""
    smallest = smallest_of(bucket)
    on = f", on an input of {say_size(smallest['size'])}" if smallest else ""
    members = [f"{structure}.{member}" for structure, member in _members(bucket)]
    return f"{_WORDS[bucket['kind']](bucket)}{on}" + (f", where {members[0]} decides" if members else "")


def _commit(bucket):
    """The commit that introduced the bug, if it was searched and found."""
    return (bucket.get("commit") or {}).get("commit")


def _members(bucket):
    """The members that decide whether the input fails."""
    explain = bucket["explain"] or {}
    return {(one["structure"], one["member"]) for one in (explain.get("decides") or [])[:1] if one["member"]}


def _why_same(one, other):
    """Why two buckets are likely to have one cause; None without evidence, or if their commits differ."""
    commits = {_commit(one), _commit(other)}
    if None not in commits:
        return "introduced by the same commit" if len(commits) == 1 else None
    if {each["sha256"] for each in one["inputs"]} & {each["sha256"] for each in other["inputs"]}:
        return "fails on the same input"
    if _function(one) and _function(one) == _function(other):
        return f"also in {_function(one)}"
    if members := _members(one) & _members(other):
        structure, member = min(members)
        return f"{structure}.{member} decides here too"
    if one["kind"] == other["kind"] == "oracle" and one["what"] == other["what"]:
        return "the same promise"
    return None


def _rank(bucket):
    """The clearest bug first: the worst, in a function of the decoder, with the smallest input."""
    smallest = smallest_of(bucket)
    return (LEVELS.index(bucket["severity"]["level"]), _function(bucket) is None, smallest["size"] if smallest else 0,
            bucket["id"])


def causes_of(buckets):
    """The causes of the red buckets, the worst first: the bucket that shows each best, and its consequences."""
    groups = []
    for bucket in sorted((bucket for bucket in buckets if bucket["status"] in RED), key=_rank):
        reasons = ((group, _reason(group, bucket)) for group in groups)
        group, why = next(((group, why) for group, why in reasons if why), (None, None))
        if group is None:
            groups.append([(bucket, None)])
        else:
            group.append((bucket, why))
    return [{"bucket": group[0][0]["id"], "status": group[0][0]["status"], "sentence": sentence(group[0][0]),
             "consequences": [{"bucket": bucket["id"], "why": why} for bucket, why in group[1:]]} for group in groups]


def _reason(group, bucket):
    return next(filter(None, (_why_same(other, bucket) for other, _ in group)), None)
