# SPDX-License-Identifier: Apache-2.0
"""Made-up vectors over small traces, with results of every verdict, and the HTML report that is made of them."""
import os
import struct
import sys

from .. import report_html
from ..columns import FAILURES, VERDICTS

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "decoder", "tests"))
import etl_file  # noqa: E402  (found by the path above)

PROVIDER = "68fdd900-4a3e-11d1-84f4-0000f80464e3"
GROUPS = ("size", "marker-flags", "header-type", "alignment", "buffer-header", "compression", "items", "logfile",
          "message", "clock", "recovery", "layout")
RULES = {"size": "EVT-004", "marker-flags": "EVT-002", "header-type": "EVT-003", "alignment": "EVT-005",
         "buffer-header": "BUF-005", "compression": "BUF-010", "items": "EXT-006", "logfile": "LFH-001",
         "message": "MSG-001", "clock": "TIM-004"}
EVIL = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>\x1b[31m\x00\x07\u202e&amp;\ud800"


def small_trace(compressed=False):
    events = [etl_file.event(PROVIDER, bytes(range(1, 9)), time=5_000_100, id_=1),
              etl_file.event(PROVIDER, bytes(range(1, 25)), time=5_000_200, id_=2,
                             items=[(1, "RELATED_ACTIVITYID", bytes(range(0x51, 0x61)), {})]),
              etl_file.message(7, b"hello", sequence=3, provider=PROVIDER, time=5_000_300, ids=(4, 8))]
    logfile = etl_file.Logfile(buffer_size=0x400)
    return etl_file.Trace([etl_file.Buffer(events, size=0x400, compressed=compressed)], logfile=logfile)


NAMES = ("logfile", "before", "victim", "after")
BUFFERS = ("header", "b")


def regions_of(trace):
    """With the names of the events; each event has a header, and what follows up to the next header is its own."""
    regions, event, buffer = [], -1, -1
    for kind, space, offset, size in trace.regions:
        event += kind == "event-header"
        buffer += kind == "buffer-header"
        of = BUFFERS[buffer] if kind in ("buffer-header", "compressed", "slack") else NAMES[event]
        inside = {"space": "inflated"} if space == "inflated" else {}
        regions.append({**inside, "offset": str(offset), "size": str(size), "kind": kind, "of": of})
    return regions


def records_of(trace):
    records, at = [], 0
    for index, buffer in enumerate(trace.buffers):
        size = len(buffer.pack(index))
        records.append({"rec": "buffer", "index": str(index), "offset": str(at), "size": size, "stored_size": size,
                        "header": "WMI_BUFFER_HEADER_61", "compressed": buffer.compressed,
                        **({"inflated_from": size - etl_file.HEADER} if buffer.compressed else {})})
        at += size
    events = trace.event_records(payload=True)
    events[0]["logfile"] = {}
    return records + events


class Vector:
    """A vector as the builder writes them, and its file; `patch` is offset and bytes, `lost` an event that goes."""

    def __init__(self, id_, group, trace, title="A title", rule=None, verdict="accept", patch=None, lost=None, **more):
        image = bytearray(trace.pack())
        if patch:
            image[patch[0]:patch[0] + len(patch[1])] = patch[1]
        regions, expect = regions_of(trace), records_of(trace)
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
    """What the report asks for vectors; counts what it asks."""

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
    """Its event `victim` has a Size that is not its own."""
    trace = small_trace(compressed)
    offset = next(int(place["offset"]) for event, place in trace.places if event.members.get("id") == 2)
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
    """One vector of each verdict, the failures with what goes with them: [(vector, result)]."""
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
