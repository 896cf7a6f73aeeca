# SPDX-License-Identifier: Apache-2.0
"""A small made-up report."""


def result(identifier, verdict, **more):
    return {"rec": "result", "id": identifier, "group": "size", "rule": "SIZ-001", "level": "must", "title": "t & <t>",
            "expected": "accept", "verdict": verdict, "detail": "what | <happened>\x00", "differences": [], "offset": "8",
            "known": None, "seconds": 0.01, "command": "run x", **more}


RUN = {"rec": "run", "version": 1, "parser": {"name": "p|q <b>", "records": {}}, "mode": "one-shot", "command": ["x"],
       "started": "2026-01-01T00:00:00Z", "vectors": 4, "level": "should", "filter": None, "policy": {}, "golden": "g",
       "manifest_sha256": "0" * 64, "limits": {"timeout": 1, "cpu": 1, "memory": 1, "unenforced": [],
                                               "confined": "bwrap"}}
DIFFERENCE = {"record": "event", "index": "2", "field": "pid", "expected": 4, "actual": "\ud800", "offset": "72"}
RESULTS = [result("a", "pass", detail=""), result("b", "wrong-value", differences=[DIFFERENCE], stderr="\x1b[1mso\n"),
           result("c", "crash"), result("d", "skip"), result("e", "hang", known="https://x/1")]
SUMMARY = {"rec": "summary", "counts": {"pass": 1, "wrong-value": 1, "crash": 1, "skip": 1, "hang": 1}, "unexpected": 2,
           "stale": ["z crash SIZ-001 u"], "seconds": 1.0}
