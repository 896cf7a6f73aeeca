# SPDX-License-Identifier: Apache-2.0
"""Made-up vectors over small traces, results with every verdict, and the HTML report of them."""
import base64
import copy
import json
import os
import struct
import zlib

from .. import report_html
from ..columns import FAILURES, VERDICTS

GROUPS = ("size", "marker-flags", "header-type", "alignment", "buffer-header", "compression", "items", "logfile",
          "message", "clock", "recovery", "layout")
RULES = {"size": "EVT-004", "marker-flags": "EVT-002", "header-type": "EVT-003", "alignment": "EVT-005",
         "buffer-header": "BUF-005", "compression": "BUF-010", "items": "EXT-006", "logfile": "LFH-001",
         "message": "MSG-001", "clock": "TIM-004"}
EVIL = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>\x1b[31m\x00\x07\u202e&amp;\ud800"


def _traces():
    """Small traces by name, with their regions and records; `image` is compressed with zlib, for most of it is zeros.

    plain and compressed: events logfile, before, victim (with an item) and after (a MESSAGE). instances: one event of each
    INSTANCE form and a 32-bit logfile header. counters: a PERFINFO event with counters.
    """
    with open(os.path.join(os.path.dirname(__file__), "small_traces.json"), encoding="utf-8") as file:
        return json.load(file)


TRACES = _traces()


class Vector:
    """A vector over one of TRACES, with its file. `patch`: offset and bytes; `lost`: the event that no reader reads."""

    def __init__(self, id_, group, trace, title="A title", rule=None, verdict="accept", patch=None, lost=None, **more):
        trace = copy.deepcopy(TRACES[trace])
        image = bytearray(zlib.decompress(base64.b64decode(trace["image"])))
        if patch:
            image[patch[0]:patch[0] + len(patch[1])] = patch[1]
        regions, expect = trace["regions"], trace["expect"]
        if lost:
            gone = [region for region in regions if region["of"] == lost]
            at, size = gone[0]["offset"], sum(int(region["size"]) for region in gone)
            regions[regions.index(gone[0])] = {**gone[0], "size": str(size), "kind": "damaged"}
            regions = [region for region in regions if region not in gone]
            expect = [record for record in expect if record["rec"] != "event" or record["offset"] != at]
        self.image = bytes(image)
        self.json = {"id": id_, "title": title, "group": group, "rule": rule or RULES.get(group, "X-001"),
                     "level": "must", "verdict": verdict, "flags": {}, "recipe": f"{group}/family.recipe:17",
                     "source": "seen in real files", "regions": regions, "expect": expect, **more}


class Vectors:
    """The source of vectors for a report; `asked` lists the ids whose bytes were read."""

    def __init__(self, vectors):
        self.vectors = {vector.json["id"]: vector for vector in vectors}
        self.asked = []

    def description(self, id_):
        return self.vectors[id_].json

    def image(self, id_):
        self.asked.append(id_)
        return self.vectors[id_].image


def result_of(vector, verdict="pass", **more):
    record = vector.json
    same = {key: record[key] for key in ("id", "group", "rule", "level", "title")}
    result = {"rec": "result", **same, "expected": record["verdict"], "verdict": verdict, "detail": "", "differences": [],
              "offset": record.get("offset"), "known": None, "seconds": 0.01,
              "command": f"./my-parser golden/{record['group']}/{record['id']}.etl"}
    return {**result, **more}


def victim_vector(id_, group="size", size=0, compressed=False, **more):
    """A vector whose event `victim` has a wrong Size."""
    trace = "compressed" if compressed else "plain"
    offset = TRACES[trace]["victim"]
    patch = None if compressed else (offset, struct.pack("<H", size))
    inside = {"space": "inflated"} if compressed else {}
    return Vector(id_, group, trace, f"Size {size} is less than the header", verdict="reject", patch=patch,
                  lost="victim", place="victim.Size", offset=str(offset), **inside, **more)


def difference(index, field, expected, actual, offset, **more):
    return {"record": "event", "index": index, "field": field, "expected": expected, "actual": actual, "offset": offset,
            **more}


RUN = {"rec": "run", "version": 1, "mode": "one-shot", "command": ["./my-parser"],
       "parser": {"name": "my-parser", "version": "2.3", "language": "Rust", "url": "https://example.org/"},
       "started": "2026-03-01T09:30:00Z", "vectors": 10, "level": "should",
       "filter": None, "policy": {"opaque-size": "any"}, "golden": "conformance/golden"}


def every_verdict():
    """[(vector, result)], one for each verdict; failures have details."""
    pairs = []
    for number, verdict in enumerate(VERDICTS):
        vector = victim_vector(f"v-{verdict}", GROUPS[number % 4], size=number, compressed=verdict == "hang")
        at = vector.json["offset"]
        inside = {"space": "inflated"} if verdict == "hang" else {}
        after = str(int(at) + 0x80)
        differences = [difference("2", "pid", 2, 1, after, **inside),
                       difference("2", "data", "00" * 600 + "aa", "00" * 600 + "ab", after, **inside)]
        more = {"detail": f"event 3 went wrong: {verdict}", "stderr": "panicked at src/lib.rs:7\n",
                "differences": differences}
        pairs.append((vector, result_of(vector, verdict, **(more if verdict in FAILURES else {}))))
    pairs[1][1]["known"] = "https://example.org/issues/1"
    return pairs


def page_of(pairs, run=RUN, summary=None):
    vectors = Vectors([vector for vector, _ in pairs])
    return report_html.write(run, [result for _, result in pairs], summary, vectors), vectors
