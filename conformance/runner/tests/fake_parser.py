# SPDX-License-Identifier: Apache-2.0
"""A fake parser: right, or wrong in one way. The first argument is `right`, or BEHAVIOUR[@ID] for the vector ID (by default
size-ok). One-shot with a FILE or --describe, else long-lived. The file has a neutral name, so the vector is found by the
bytes, in the copy of the golden folder that FAKE_PATH names.
"""
import glob
import hashlib
import json
import os
import subprocess
import sys
import time

BEHAVIOUR, _, VICTIM = sys.argv[1].partition("@")
VICTIM = VICTIM or "size-ok"
KINDS = ("trace", "buffer", "event", "item", "field", "finding", "end")
DESCRIPTION: dict = {"name": "fake", "version": "1", "records": {kind: ["*"] for kind in KINDS}}
if BEHAVIOUR == "events-only":
    DESCRIPTION.update(records={"event": ["name"]}, verdict=False)
if BEHAVIOUR == "nothing":
    DESCRIPTION.update(records={"finding": ["rule"]}, verdict=False)
if BEHAVIOUR == "misspelt":
    DESCRIPTION["records"] = {"event": ["timestmp", "pid", "items"]}
if BEHAVIOUR.startswith("members"):
    DESCRIPTION["records"]["member"] = ["*"]
if BEHAVIOUR == "reject-7":
    DESCRIPTION["reject"] = [7]


LAYOUT = ["ETW_GUID_ENTRY", "2004", "x64"]  # of all vectors that are structures in memory
KEPT = []


def drop_event(records, number):
    events = [record for record in records if record["rec"] == "event"]
    records.remove(events[number])
    count = str(len(events) - 1)
    records[-1].update(events=count, events_by_header_type={"0x13": count})


def grow():
    """Allocates and uses memory until it is stopped."""
    blocks = []
    while True:
        blocks.append(bytearray(b"x" * (8 << 20)))
        time.sleep(0.005)


def keep_more():
    """Uses 4 MiB for each file, quickly."""
    KEPT.append(bytearray(b"x" * (4 << 20)))
    time.sleep(0.005)


def spin():
    while True:
        pass


def sleep_with_child(path):
    """Waits forever, and so does a child whose process id is written to a file."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    with open(path, "w", encoding="ascii") as file:
        file.write(str(child.pid))
    time.sleep(1000)


def leave_child():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    os._exit(3)


def say(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def drip():
    """Prints forever without a line end."""
    while True:
        os.write(1, b" ")


def chatter():
    while True:
        os.write(2, b"I am still looking at it\n" * 1000)


PROCESS_ENDS = {
    "abort": os.abort,
    "exit-3": lambda: os._exit(3),
    "exit-0": lambda: os._exit(0),
    "raise": lambda: {}["a key"],
    "hang": lambda: time.sleep(1000),
    "hang-with-child": lambda: sleep_with_child(sys.argv[2]),
    "leave-child": leave_child,
    "spin": spin,
    "drip": drip,
    "chatter": chatter,
    "grow": grow,
    "colours": lambda: say("\033]0;owned\007 \033[31mred\n"),
    "complain": lambda: say("my_decoder: runtime error: this file is cut\n"),
    "ubsan": lambda: say("x.c:3:5: runtime error: shift exponent 64 is too large\n"),
    "asan": lambda: (say("=\n==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n"), os._exit(1)),
}


def change_member(records):
    next(record for record in records if record["rec"] == "member")["value"] = "99"


def change_value(records):
    next(record for record in records if record["rec"] == "event")["pid"] = 5


def change_item(records):
    next(record for record in records if record["rec"] == "event")["items"][0]["data"] = "ff"


def add_event(records):
    at = next(n for n, record in enumerate(records) if record["rec"] == "event")
    records.insert(at + 1, dict(records[at], offset="999", index="7"))


def add_event_nowhere(records):
    records.insert(-1, {"rec": "event", "offset": [1], "space": {}, "index": []})


def add_field(records):
    next(record for record in records if record["rec"] == "trace")["end_utc"] = "2020-01-01T00:00:00.0000001Z"


def say_end_twice(records):
    records.append(records[-1])


def drop_bytes(records):
    records[-1]["bytes"]["payload"] = "60"


CHANGES = {"wrong-value": change_value, "wrong-item": change_item, "extra-event": add_event, "lost-bytes": drop_bytes,
           "two-ends": say_end_twice, "end-first": lambda records: records.insert(0, records.pop()),
           "first-event-lost": lambda records: drop_event(records, 0), "no-end": lambda records: records.pop(),
           "last-event-lost": lambda records: drop_event(records, -1), "extra-field": add_field,
           "members-wrong": change_member, "event-nowhere": add_event_nowhere}


def vector_of(path):
    with open(path, "rb") as file:
        sha256 = hashlib.sha256(file.read()).hexdigest()
    for lines in glob.glob(os.path.join(os.environ["FAKE_PATH"], "*", "*.jsonl")):
        with open(lines, encoding="utf-8") as file:
            for vector in map(json.loads, file):
                if vector["sha256"] == sha256:
                    return vector
    raise LookupError(path)


def expectation(path):
    """(vector, records) of the line about the file."""
    vector = vector_of(path)
    records = [dict(record) for record in vector["expect"]]
    for record in records:
        record.pop("recovery", None)
    return vector, records


def decode(path):
    """(records, verdict)"""
    vector, records = expectation(path)
    verdict = "reject" if records[-1].get("verdict") != "conforming" else "accept"
    if vector["id"] == VICTIM:
        if BEHAVIOUR in PROCESS_ENDS:
            PROCESS_ENDS[BEHAVIOUR]()
        if BEHAVIOUR in CHANGES:
            CHANGES[BEHAVIOUR](records)
        if BEHAVIOUR in ("invert", "colours", "reason"):
            verdict = "accept" if verdict == "reject" else "reject"
        if BEHAVIOUR == "accept-and-lose":
            drop_event(records, 0)
            verdict = "accept"
    return records, verdict


def one_shot(path):
    if path.endswith(".bin") and sys.argv[2:-1] != LAYOUT:
        sys.exit(3)
    if BEHAVIOUR == "slow":
        time.sleep(0.5)
    records, verdict = decode(path)
    if BEHAVIOUR == "not-json" and vector_of(path)["id"] == VICTIM:
        print("This is no JSON")
    for record in records:
        print(json.dumps(record))
    reject = DESCRIPTION.get("reject", [1])[0]
    sys.exit(reject if verdict == "reject" else 0)


def answer(request):
    path, identifier = request["file"], request["id"]
    is_victim = vector_of(path)["id"] == VICTIM
    if path.endswith(".bin") and [request.get(name) for name in ("structure", "windows", "arch")] != LAYOUT:
        return {"id": identifier, "error": "the request names no structure"}
    if is_victim and BEHAVIOUR == "skip":
        return {"id": identifier, "skip": "no such form, https://example.org/7"}
    if is_victim and BEHAVIOUR == "error":
        return {"id": identifier, "error": "the adapter lost its way"}
    if is_victim and BEHAVIOUR.endswith("wrong-id"):
        if BEHAVIOUR.startswith("ubsan-"):
            PROCESS_ENDS["ubsan"]()
        return {"id": "another", "records": [], "verdict": "accept"}
    if BEHAVIOUR == "keep-more":
        keep_more()
    records, verdict = decode(path)
    said = {"id": identifier, "records": records, "verdict": verdict}
    if BEHAVIOUR == "nulls":  # many parsers write null for what they do not report
        said.update(error=None, skip=None)
    if is_victim and BEHAVIOUR in ("skip-false", "error-false", "reason-false"):
        said[BEHAVIOUR.partition("-")[0]] = False
    if verdict == "reject" and BEHAVIOUR == "reason":
        say("about another file\n")
        said["reason"] = "rejected:\na Size of 0"
    return said


def long_lived():
    if BEHAVIOUR == "slow-start":
        time.sleep(2.5)
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            if BEHAVIOUR.startswith("stop-"):
                PROCESS_ENDS[BEHAVIOUR.removeprefix("stop-")]()
            return
        text = dict(DESCRIPTION, ready=True) if request["cmd"] == "start" else answer(request)
        if BEHAVIOUR == "not-ready":
            text.pop("ready", None)
        is_twice = BEHAVIOUR == "twice" and request["cmd"] == "run" and vector_of(request["file"])["id"] == VICTIM
        for _ in range(2 if is_twice else 1):
            print(json.dumps(text), flush=True)


if sys.argv[-1] == "--describe":
    print("oops" if BEHAVIOUR == "bad-description" else json.dumps(DESCRIPTION))
elif sys.argv[-1].endswith((".etl", ".bin")):
    one_shot(sys.argv[-1])
else:
    long_lived()
