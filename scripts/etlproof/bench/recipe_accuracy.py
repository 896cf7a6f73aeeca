# SPDX-License-Identifier: Apache-2.0
"""Measures how often recipes and explanations are right: over the vectors, whose faults are known, and over real traces."""
import collections
import functools
import glob
import os
import time

from etlproof import SAMPLES
from etlproof.triage.explain import Sources
from runner import byte_windows
from runner.format_facts import tables
from runner.vectors import GOLDEN, Golden
from unbuild.recipe import rebuild_of

SMALL = 1 << 20


@functools.cache
def _golden():
    return Golden(GOLDEN)


def _vector(path):
    return _golden().description(os.path.splitext(os.path.basename(path))[0])


def has_bytes(path):
    """Whether a vector has bytes between its buffers: then its recipe must have some too."""
    return any(region["kind"] in ("damaged", "tail") and region.get("space") != "inflated"
               for region in _vector(path)["regions"])


def rebuilt(paths, tools):
    """Counts how many recipes of these files rebuild them; with a line for each that does not."""
    counts, lines, start = collections.Counter(), [], time.monotonic()
    for path in paths:
        made = rebuild_of(path, tools)[1]
        counts["files"] += 1
        counts["exact"] += made.exact
        counts["structured"] += made.whole
        counts["without bytes"] += made.exact and not made.raw and "stream" not in made.note
        counts["given streams"] += "stream" in made.note
        if not made.exact or not made.whole:
            lines.append(f"    {os.path.basename(path)}: {made.note}, {made.raw} bytes")
    counts["seconds"] = round(time.monotonic() - start)
    return counts, lines


def explained(step, first, tools):
    """Counts for how many vectors to be rejected the explanation is right: the rule, the offset and, if a member is at
    fault, the member. The truth is the vector's JSON, which comes from its recipe, not from a decoder."""
    counts = collections.Counter()
    paths = [path for path in sorted(glob.glob(os.path.join(GOLDEN, "*", "*.etl"))) if _is_reject(path)]
    for path in paths[first::step]:
        vector = _vector(path)
        said = _said(path, tools)
        counts["vectors"] += 1
        rule, place = said["rule"] == vector["rule"], _same_place(said["place"], vector)
        counts["rule"] += rule
        counts["rule and place"] += rule and place
        node, _, member = vector["place"].partition(".")
        if not member or " " in vector["place"]:
            continue  # bytes outside members; truncated, moved, inserted or removed bytes
        structure = _structure(path, vector, node, member)
        right = said["spot"] is not None and said["spot"].member == member and structure in (None, said["spot"].structure)
        counts["members"] += 1
        counts["member"] += right
        counts["member of unknown structure"] += structure is None
        counts["right"] += right and rule
    return counts


def _is_reject(path):
    return _vector(path)["verdict"] == "reject"


def _said(path, tools):
    rebuild, _ = rebuild_of(path, tools)
    sources = Sources(rebuild, {}, 0)
    place, rule, _ = sources.place()
    return {"rule": rule, "place": place, "spot": sources.spot(place, rule)[0]}


def _same_place(place, vector):
    return place is not None and str(place.offset) == vector.get("offset") and \
        (place.inside is not None) == (vector.get("space") == "inflated")


def _structure(path, vector, node, member):
    """The structure of the patched member, by the vector's own records; None if they do not show it."""
    with open(path, "rb") as file:
        spans = byte_windows.Annotated(vector, file.read(), tables()).spans
    owner = next((span.owner for part in spans.values() for span in part
                  if span.member == member.split(".")[0] and span.owner.split()[0] == node), "")
    words = owner.split()
    if not words or "INSTANCE" in words[-1]:
        return None  # of two forms
    if "item" in words:
        return "EXTENDED_DATA_ITEM"
    if words[-1] in tables().structures:
        return words[-1]
    return next((tables().layouts[layout] for name, layout, _ in tables().header_types.values() if name == words[-1]), None)


def print_all(tools):
    samples = [path for path in sorted(glob.glob(os.path.join(SAMPLES, "*.etl"))) if os.path.getsize(path) <= SMALL]
    for name, paths in (("samples of at most 1 MiB", samples),
                        ("vectors", sorted(glob.glob(os.path.join(GOLDEN, "*", "*.etl"))))):
        counts, lines = rebuilt(paths, tools)
        print(f"recipes of {name}: {dict(counts)}", *lines, sep="\n", flush=True)
    print(f"explanations: {dict(explained(1, 0, tools))}")
