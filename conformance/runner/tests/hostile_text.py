# SPDX-License-Identifier: Apache-2.0
"""Texts with which a parser or a trace may attack what shows them, and the outputs of the runner that may show them.
`python3 -m runner.tests.hostile_text`, in conformance/, prints the table of both."""
import contextlib
import copy
import io
from unittest import mock

from .. import atomic_file, command, report_html, report_junit, report_markdown, report_text
from .html_fixture import Vectors
from .report_fixture import DIFFERENCE, RUN, SUMMARY, result

# name: (what a parser prints, what must not be left of it in an output; None: any length is fine)
PAYLOADS = {"escape sequence": ("\x1b[31m\x1b]0;owned\x07", "\x1b"), "carriage return": ("good\rbad", "\r"),
            "backspace": ("bad\b\b\bgood", "\b"), "NUL": ("a\x00b", "\x00"), "C1 control": ("\x9b31m", "\x9b"),
            "bidirectional override": ("\u202egnp.exe", "\u202e"), "isolate": ("\u2066x\u2069", "\u2066"),
            "invisible": ("a\u200bb", "\u200b"), "lone surrogate": ("a\ud800b", "\ud800"),
            "script": ("</script><script>alert(1)</script>", "<script>alert"),
            "attribute": ("\"><img src=x onerror=alert(1)>", "<img src=x"), "CDATA end": ("]]><x/>", "<x/>"),
            "line": ("a\n# owned\n", "\n# owned"), "table": ("a|b|c", "a|b|c"), "code": ("```\nowned", "```"),
            "link": ("[a](javascript:alert(1))", "[a](javascript"), "image": ("![a](https://x/)", "![a](http"),
            "mention": ("@everyone", "@everyone"), "workflow": ("${{ secrets.X }}", "${{ secrets"),
            "100,000 characters": ("x" * 100_000, None)}
MARKUP = {"script", "attribute", "CDATA end"}
MARKDOWN_ONLY = {"table", "code", "link", "image", "mention", "workflow"}


def report_of(payload):
    """A run and its result in which everything that a parser decides is the payload."""
    run = copy.deepcopy(RUN)
    run["parser"].update(name=payload, version=payload, language=payload, url=payload, records={"event": [payload]})
    difference = {**DIFFERENCE, "actual": payload, "field": payload}
    return run, [result("a", "wrong-value", detail=payload, differences=[difference], stderr=payload)]


def summary(payload):
    return {**SUMMARY, "stale": [payload]}


def view(module):
    return lambda payload: module.write(*report_of(payload), summary(payload), Vectors([]))


def terminal(payload):
    """The summary as it is printed."""
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as out:
        command.print_text(report_text.summary_text(*report_of(payload), summary(payload), "folder"))
        out.flush()
        return out.buffer.getvalue().decode("utf-8", "surrogatepass")


def message(payload):
    with contextlib.redirect_stderr(io.StringIO()) as err:
        command.complain("conformance/run", payload)
        return err.getvalue()


def journal(payload):
    """report.jsonl"""
    run, results = report_of(payload)
    return "".join(atomic_file._line(record).decode() for record in (run, *results, summary(payload)))


# name: (the output for a payload, payloads that are plain text there)
OUTPUTS = {"terminal": (terminal, MARKUP | MARKDOWN_ONLY), "message": (message, MARKUP | MARKDOWN_ONLY | {"line"}),
           "report.txt": (view(report_text), MARKUP | MARKDOWN_ONLY), "report.md": (view(report_markdown), set()),
           "report.xml": (view(report_junit), MARKDOWN_ONLY | {"line"}), "report.html": (view(report_html), MARKDOWN_ONLY),
           "report.jsonl": (journal, MARKUP | MARKDOWN_ONLY)}
# How to take the escapes out of an output, and the payloads that must then be found there.
UNESCAPED = {"report.md": mock.patch.object(report_markdown, "_cell", str),
             "report.txt": mock.patch.object(report_text, "clean", lambda text, _keep="": str(text)),
             "report.xml": mock.patch.multiple(report_junit, clean=lambda text, _keep="": str(text), escape=str,
                                               quoteattr=str),
             "message": mock.patch.object(command, "clean", lambda text, _keep="": str(text))}
HIDDEN = {payload for payload, (_, left) in PAYLOADS.items() if left and not left.isprintable()}
NOTICED = {"report.md": PAYLOADS.keys() - {"100,000 characters"}, "report.txt": HIDDEN, "report.xml": HIDDEN | MARKUP,
           "message": HIDDEN}


def leaks(payload, output):
    """Whether an output has what must not be left of a payload."""
    text, left = PAYLOADS[payload]
    return left is not None and left in OUTPUTS[output][0](text)


def table():
    """The payloads and outputs as a table in Markdown."""
    rows = [["payload", *OUTPUTS], ["---"] * (1 + len(OUTPUTS))]
    for payload in PAYLOADS:
        rows.append([payload, *("LEAKS" if payload not in harmless and leaks(payload, output) else
                                "plain text" if payload in harmless else "escaped" if PAYLOADS[payload][1] else
                                f"{len(OUTPUTS[output][0](PAYLOADS[payload][0])):,} bytes"
                                for output, (_, harmless) in OUTPUTS.items())])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    print(table(), end="")
