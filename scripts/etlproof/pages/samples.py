# SPDX-License-Identifier: Apache-2.0
"""Made-up buckets and nights that conform to the schemas, and a reader of pages, for their tests."""
import hashlib
import html.parser
import os
import pathlib
import re
import tempfile
import unittest

from . import bucket_page, causes, night_page

EVIL = ("</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
        "\x1b[31mred\x1b[0m\x00\x07\u202e&amp;\ud800")
TIMES = [f"2026-{month:02}-{day:02}T01:30:00Z" for month in (9, 10, 11) for day in range(1, 29)][:77]
OUTLINE = (("WMI_BUFFER_HEADER.BufferSize", "00 20 00 00", "|. ..|", False),
           ("WMI_BUFFER_HEADER.SavedOffset", "28 02 00 00", "|(...|", False),
           ("WMI_BUFFER_HEADER.CurrentOffset", "ff ff ff 7f", "|....|", True),
           ("WMI_BUFFER_HEADER.ReferenceCount", "01 00 00 00", "|....|", False),
           ("WMI_BUFFER_HEADER.TimeStamp", "b0 84 1e 65 1c 77 d9 01", "|...e.w..|", False))
FRAMES = (("etl_span_u32", "decoder/src/span.h", 88), ("etl_buffer_next", "decoder/src/buffer.c", 120),
          ("etl_trace_next", "decoder/src/trace.c", 240), ("LLVMFuzzerTestOneInput", "harness/targets/fuzz_file.c", 31))
RECIPE = b"# rebuilds the input\nbuffer first { CurrentOffset = 0x7fffffff }\n"
FINDING = {"rec": "finding", "rule": "BUF-005", "severity": "error", "layer": "buffer", "offset": "65544", "buffer": "1",
           "expected": "at most 0x2000", "actual": "0x7fffffff", "action": "resync", "lost": "0"}
REPORT = """==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000114
READ of size 4 at 0x602000000114 thread T0
    #0 0x55e etl_span_u32 decoder/src/span.h:88
    #1 0x55f etl_buffer_next decoder/src/buffer.c:120
"""


class Page(html.parser.HTMLParser):
    """The tags of a page with their attributes, and its texts."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.texts = [], []
        self.source = pathlib.Path(path).read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("h1", "h2", "p", "div", "td", "dt", "dd", "li"):
            self.texts.append("\n")

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"[ \n]*\n[ \n]*", "\n", "".join(self.texts))

    def attributes(self, name):
        return [attrs[name] for _, attrs in self.tags if name in attrs]


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def input_of(folder, id_, data):
    path = put(folder, f"buckets/{id_}/input", data)
    return {"sha256": hashlib.sha256(data).hexdigest(), "path": path, "size": len(data)}


def explain_of(folder, id_):
    recipe = put(folder, f"buckets/{id_}/{id_}.recipe", RECIPE)
    vector = put(folder, f"buckets/{id_}/vector.json", b'{"id": "buffer-offset-past-the-end", "rule": "BUF-005"}\n')
    rows, at = [], 65536
    for label, data, ascii_, mark in OUTLINE:
        rows.append({"offset": at, "bytes": data, "ascii": ascii_, "label": label, "mark": mark})
        at += len(data.split())
    return {"structure": "WMI_BUFFER_HEADER", "member": "CurrentOffset", "rule": "BUF-005", "offset": 65544,
            "space": "file",
            "why": "the failure ends with other bytes in WMI_BUFFER_HEADER.CurrentOffset: with 3 of 5 replacements",
            "decides": [{"structure": "WMI_BUFFER_HEADER", "member": member, "offset": 65536 + at,
                         "space": "file", "size": 4, "value": "00 00 00 00", "tried": 5, "ended": ended, "clean": 1}
                        for member, at, ended in (("CurrentOffset", 8, 3), ("SavedOffset", 4, 1))],
            "finding": FINDING, "hex": rows, "recipe": recipe, "rebuilds": True, "vector": vector,
            "vector_id": "buffer-offset-past-the-end", "vector_note": None,
            "note": "The vector is a draft: its title and its expectation need review by a person."}


def bucket(folder, number=1, status="new", **changes):
    """A memory error in a fuzz target, with all members set."""
    id_ = changes.get("id", f"asan-heap-buffer-overflow-etl_buffer_next-{number:08x}")
    smallest = put(folder, f"buckets/{id_}/smallest", bytes(range(72)))
    made = {"id": id_, "title": f"heap-buffer-overflow, a read of 4 bytes in etl_buffer_next ({number})", "kind": "asan",
            "what": "heap-buffer-overflow", "detail": "", "target": "fuzz_file", "parser": None, "preset": "libfuzzer",
            "access": "read", "access_size": 4,
            "frame": {"function": "etl_buffer_next", "file": "decoder/src/buffer.c", "line": 120},
            "stack": [dict(zip(("function", "file", "line"), frame)) for frame in FRAMES],
            "severity": {"level": ("medium", "high", "low")[number % 3],
                         "why": "a read beyond an object: what lies there can leak into what is decoded"},
            "runs": 5, "failed": 5, "inputs": [input_of(folder, id_, bytes(range(256)) * 16)],
            "smallest": {"path": smallest, "size": 72, "from": 4096, "seconds": 1.2, "tries": 812},
            "explain": explain_of(folder, id_),
            "commands": {"reproduce": f"build/libfuzzer/bin/fuzz_file buckets/{id_}/smallest",
                         "debug": f"gdb --args build/asan-ubsan/bin/fuzz_file buckets/{id_}/smallest"},
            "text": REPORT, "status": status, "first_seen": TIMES[3 * number % 70],
            "last_seen": TIMES[max(3 * number % 70, 75 - number % 9)]}
    return {**made, **changes}


def bare_bucket(folder, **changes):
    """A failure of a parser of which only the exit status is known."""
    unknown = dict.fromkeys(("target", "preset", "access", "access_size", "frame", "smallest", "explain"))
    known = {"id": "parser-crash-1", "title": "toy-parser ends by signal 11", "kind": "parser", "what": "SEGV",
             "parser": "toy-parser", "stack": [], "text": "", "runs": 1, "failed": 1,
             "severity": {"level": "medium", "why": "only the signal is known"},
             "commands": {"reproduce": None, "debug": None}}
    return bucket(folder, **unknown, **{**known, **changes})


def target(name, regions, floor, **changes):
    made = {"target": name, "executions": 1234567, "processor_seconds": 600.0, "edges": 1115, "edges_total": 3111,
            "features": 9000,
            "clean": {name: {"seconds": seconds, "this_code": seconds / 3} for name, seconds in (
                ("libfuzzer", 13215.0), ("libfuzzer-msan", 1800.0), ("afl", 90061.0))},
            "corpus_before": 1203, "corpus_after": 1290, "regions": regions, "of": 2200, "floor": floor, "crashes": 0,
            "trend": trend(7, regions)}
    return {**made, **changes}


def trend(runs, regions):
    """What the lines of a target show. In run 5 libFuzzer had no turn, and nothing was measured; run 4 had a finding."""
    return [{"run": run, "speed": None if run == 5 else 2100.5 - 130 * (run % 3), "corpus": 1000 + 31 * run,
             "regions": None if run == 5 or regions is None else regions * (run + 20) // (runs + 20),
             "clean_seconds": 3600.0 * (run if run < 4 else run - 4)} for run in range(1, runs + 1)]


def history(runs):
    """A history that grows ever more slowly; run 5 was not measured, run 3 had findings."""
    return [past(run, regions=None if run % 17 == 5 else 2000 + int(24 * run ** 0.5), new=int(run % 13 == 3))
            for run in range(1, runs + 1)]


def past(run, **changes):
    made = {"run": run, "begun": TIMES[run % len(TIMES)], "targets": 4, "is_comparable": True, "regions": 2000,
            "executions": 9_000_000 + run * 379_199 % 1_700_000, "edges": 1000 + run,
            "processor_seconds": 3500 + run * 37 % 200, "corpus": 1200 + 13 * run, "clean_seconds": 1800.0 * (run % 13),
            "failing": run % 4, "new": 0}
    return {**made, **changes}


def plan(**changes):
    never = [{"target": "fuzz_items", "configuration": "afl-cmplog"}]
    made = {"is_interrupted": False, "fuzzed_seconds": 1800.0, "configurations": 20, "planned": 18, "ran": 17,
            "missed": [{"target": "fuzz_file", "configuration": "afl-asan"}], "never": never}
    return {**made, **changes}


def interrupted_night():
    """A night that was interrupted after a third of its time."""
    return night(verdict="interrupted", plan=plan(is_interrupted=True, fuzzed_seconds=600.0, ran=6),
                 sentence="Interrupted: 10 min of 30 min fuzzed, 6 of 18 planned configurations ran; no new bug so far.",
                 coverage=None)


PHASES = (("bootstrap", 1.2, "done", None), ("build", 183.1, "done", "6 presets"),
          ("regressions", 4.0, "done", "40 inputs replayed"), ("conformance", 21.5, "done", "3626 vectors"),
          ("fuzz", 1440.0, "done", "9 targets, 2 engines, 3 sanitizers"),
          ("merge", 61.0, "done", "87 inputs were new to the corpus"), ("coverage", 40.0, "done", None),
          ("triage", 12.0, "done", "nothing failed"))


def night(buckets=(), runs=7, **changes):
    """A night without problems, changed by the arguments."""
    names = (("fuzz_file", 1900, 1800), ("fuzz_buffer", 900, 880), ("fuzz_event", 700, 650), ("fuzz_items", 310, None))
    made = {"verdict": "nothing-new", "sentence": "Nothing new: 4 targets ran for 24 minutes, and nothing failed.",
            "run": runs, "begun": "2026-11-21T01:30:00Z", "ended": "2026-11-21T02:01:13Z", "budget_seconds": 1800,
            "plan": plan(), "resumed": 0,
            "commit": "5c52045ab1ce2f5b7f8d1e2f3a4b5c6d7e8f9012", "problems": [],
            "phases": [dict(zip(("name", "seconds", "outcome", "text"), phase)) for phase in PHASES],
            "conformance": {"vectors": 3626, "passed": 3626}, "regressions": {"replayed": 40, "failed": 0},
            "coverage": {"regions": 2100, "of": 2200, "before": 2090, "targets": 4, "of_targets": 14,
                         "html": "coverage/index.html", "unreached": 12},
            "corpus": {"before": 1203, "after": 1290, "lost": 0}, "aside": {"waiting": 0, "returned": 0},
            "causes": causes.causes_of(buckets), "buckets": list(buckets),
            "targets": [target(*name) for name in names], "history": history(runs)}
    return {**made, **changes}


def first_night():
    return night(runs=1, coverage={**night()["coverage"], "before": None, "html": None},
                 corpus={"before": 0, "after": 1290, "lost": 0},
                 sentence="Nothing new on the first night: 4 targets ran for 24 minutes, and nothing failed.")


COMPILER = """decoder/src/buffer.c:120:5: error: use of undeclared identifier 'ofset'
    ofset += size;
    ^
1 error generated.
ninja: build stopped."""


def broken_night(runs=7):
    return night(runs=runs + 1, verdict="broken", sentence="Broken: the build of libfuzzer-msan failed, and no target ran.",
                 problems=[{"phase": "build", "text": COMPILER}],
                 phases=[{"name": "bootstrap", "seconds": 1.2, "outcome": "done", "text": None},
                         {"name": "build", "seconds": 33.1, "outcome": "failed", "text": "libfuzzer-msan: exit status 1"},
                         {"name": "fuzz", "seconds": 0.0, "outcome": "skipped", "text": "the build failed"}],
                 conformance=None, regressions=None, coverage=None, corpus=None, targets=[],
                 history=history(runs))


class PagesCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, report):
        """Writes the files of a night: its page and those of its buckets, whose folders exist."""
        path = os.path.join(self.folder, "index.html")
        night_page.write(report, path)
        return path

    def write_bucket(self, each):
        path = os.path.join(self.folder, "buckets", each["id"], bucket_page.NAME)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        bucket_page.write(each, path)
        return path

    def bucket(self, *arguments, **changes):
        return bucket(self.folder, *arguments, **changes)

    def three(self):
        return [self.bucket(number, status) for number, status in enumerate(("new", "known", "fixed"))]

    def nights(self):
        """A night of each kind, by name."""
        long = self.bucket(title="x" * 300, target="fuzz_" + "y" * 80)
        return {"good": night(self.three()), "first": first_night(), "broken": broken_night(),
                "interrupted": interrupted_night(),
                "never": broken_night(runs=0),
                "long": night([long], problems=[{"phase": "p" * 90, "text": "z" * 900}]), "evil": self.evil()}

    def evil(self, text=EVIL):
        evil = self.bucket(title=text, target=text, preset=text, what=text, text=text,
                           severity={"level": "high", "why": text})
        return night([evil], sentence=text, problems=[{"phase": text, "text": text * 3}], commit=text,
                     targets=[target(text, 1, 2, clean={text: {"seconds": 1.0, "this_code": 0.0}})])

    def bare(self):
        return bare_bucket(self.folder)
