#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_hostile_test.py ETLPROOF [TEST...]
       command_hostile_test.py ETLPROOF --table

Hostile names in a trace, and as the name of its file: none reaches a terminal, JSON or SARIF unescaped. --table prints the
table of names and outputs."""
import json
import os
import sys

import command_case
import etl_file
from command_case import CommandCase, run
from etl_file import Buffer, Logfile, Trace

PROVIDER = "11111111-2222-3333-4444-555555555555"
# name: (a name, what must not be left of it). None: nothing of it is special in these outputs.
PAYLOADS = {"escape sequence": ("\x1b[31m\x1b]0;owned\x07", "\x1b"), "carriage return": ("good\rbad", "\r"),
            "backspace": ("bad\b\b\bgood", "\b"), "delete": ("a\x7fb", "\x7f"), "NUL": ("a\x00b", "\x00"),
            "C1 control": ("\x9b31m", "\x9b"), "next line": ("a\x85b", "\x85"), "line separator": ("a\u2028b", "\u2028"),
            "bidirectional override": ("\u202egnp.exe", "\u202e"), "embedding": ("\u202aa\u202c", "\u202a"),
            "isolate": ("\u2066x\u2069", "\u2066"), "mark": ("a\u200fb", "\u200f"), "invisible": ("a\u200bb", "\u200b"),
            "byte order mark": ("a\ufeffb", "\ufeff"), "line": ("a\nconforming", "\nconforming"),
            "lone surrogate": ("a\ud800b", "\ud800"), "quote": ("a\",\"b\":\"", None),
            "script": ("</script><script>alert(1)</script>", None), "CDATA end": ("]]><x/>", None),
            "link": ("[a](javascript:alert(1))", None), "workflow": ("${{ secrets.X }}", None),
            "15,000 characters": ("x" * 15_000, None)}
JSON = (["decode", "--payload", "hex"], ["validate", "--json"], ["validate", "--sarif"], ["map", "--json"])
TEXT = (["decode", "--format", "text"], ["validate"], ["validate", "--all"], ["map"], ["map", "--hex"])


def trace_of(name):
    """A trace in which every text is the name, with an event that is damaged."""
    raw = name.encode("utf-8", "surrogatepass").replace(b"\0", b"\x01")[:1000]
    units = list(name.encode("utf-16-le", "surrogatepass"))
    units = [low | high << 8 for low, high in zip(units[::2], units[1::2])]
    items = [(0x0B, "", etl_file.schema_blob(raw, raw + b"\0\x08"), {}), (0x0C, "", etl_file.traits_blob(raw), {}),
             (0x10, "", raw, {})]
    good = etl_file.event(PROVIDER, time=Logfile.START_TICKS + 1, items=items)
    late = etl_file.full(PROVIDER, time=Logfile.START_TICKS)
    logfile = Logfile(logger_name=units, log_file_name=units, standard_name=units[:31], daylight_name=units[:31],
                      buffer_size=0x20000)
    return Trace([Buffer([good, late], size=0x20000)], logfile=logfile).pack()


class HostileCase(CommandCase):
    def outputs(self, payload):
        """(command, its output) for a trace with the payload in its texts and in its own name."""
        name = PAYLOADS[payload][0]
        base = name.replace("\0", "").replace("/", "")[:100].encode("utf-8", "surrogatepass")
        path = os.path.join(os.fsencode(self.folder), base + b".etl")
        with open(path, "wb") as file:
            file.write(trace_of(name))
        for words in (*TEXT, *JSON):
            code, out, err = run(*words, path)
            self.assertIn(code, (0, 1), err)
            yield " ".join(words), out.decode("utf-8")
        yield "message", run("decode", path + b".none")[2]

    def leaks(self, payload, text):
        left = PAYLOADS[payload][1]
        return left is not None and left in text


class HostileTest(HostileCase):
    def test_nothing_harmful_reaches_an_output(self):
        for payload in PAYLOADS:
            for words, text in self.outputs(payload):
                with self.subTest(payload=payload, command=words):
                    self.assertFalse(self.leaks(payload, text), text[:2000])

    def test_json_stays_json(self):
        for payload in PAYLOADS:
            for words, text in self.outputs(payload):
                if words.split() in JSON:
                    for line in [text] if "--sarif" in words else text.splitlines():
                        json.loads(line)


def cell(case, payload, text):
    if case.leaks(payload, text):
        return "LEAKS"
    return "escaped" if PAYLOADS[payload][1] else f"{len(text):,} characters"


def table():
    case = HostileTest()
    case.setUp()
    columns = [" ".join(words) for words in (*TEXT, *JSON)] + ["message"]
    print("| name |", " | ".join(columns), "|\n|" + "---|" * (1 + len(columns)))
    for payload in PAYLOADS:
        print("|", payload, "|", " | ".join(cell(case, payload, text) for _, text in case.outputs(payload)), "|")
    case.doCleanups()


if __name__ == "__main__":
    if sys.argv[2:] == ["--table"]:
        command_case.TOOL = os.path.abspath(sys.argv[1])
        table()
    else:
        command_case.main()
