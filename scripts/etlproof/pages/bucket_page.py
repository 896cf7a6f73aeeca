# SPDX-License-Identifier: Apache-2.0
"""The page of a bucket: all known facts of one bug. Unknown facts are stated as unknown, never left out."""
import base64
import functools
import os

from etlproof import ROOT
from runner import format_facts
from .templates import write_page
from .wording import answer_text, href, member_name, say_size, smallest_of

NAME = "index.html"       # of the page, in the bucket's folder
CARRIED = 64 * 1024       # most bytes of an input that the page contains
SHOWN = 128 * 1024        # bytes of a file that are shown as text
INPUTS = 100              # rows
RULES = os.path.join(ROOT, "conformance", "RULES.md")


def write(bucket, path):
    """`bucket` is what bucket.json holds. A link leads only to a file that exists when the page is written."""
    explain, smallest = bucket["explain"] or {}, smallest_of(bucket)
    write_page(
        path, f"{bucket['title']} · etlproof bucket", "bucket_page.html.j2",
        bucket=bucket, answer=answer_text(bucket), place_of=_place, source_of=lambda frame: _source(frame, path),
        member=member_name(explain),
        rules_page=RULES, statement=_statement(explain.get("rule")), finding=_finding(explain.get("finding")),
        hex=_hex(explain.get("hex")), smallest=smallest, carried=_carried(smallest), shown=SHOWN,
        files=(("recipe", "Recipe", _recipe_text(explain), _file(explain.get("recipe"))),
               ("vector", "Conformance vector", _vector_text(explain), _file(explain.get("vector")))),
        inputs=sorted(bucket["inputs"], key=lambda each: (each["size"], each["sha256"]))[:INPUTS],
        record=os.path.join(os.path.dirname(path), "bucket.json"))


def _place(frame):
    if not frame["file"]:
        return ""
    return frame["file"] if frame["line"] is None else f"{frame['file']}:{frame['line']}"


def _source(frame, path):
    """The address of the source file, if it is one of this tree."""
    source = os.path.join(ROOT, frame["file"] or "")
    return href(source, path) if os.path.isfile(source) else None


@functools.cache
def _facts():
    return format_facts.tables()


def _statement(rule):
    return _facts().rules.get(rule, "This version of the project has no such rule.")


def _finding(finding):
    """A finding of the reference decoder as text, in the wording of `etlproof validate`; None without a finding."""
    if not finding:
        return None
    text = f"{finding['rule']} ({finding.get('severity', 'severity not known')})"
    if finding.get("offset") is not None:
        text += f" at {int(finding['offset']):#x}"
    for key in ("buffer", "event"):
        if finding.get(key) is not None:
            text += f", {key} {finding[key]}"
    if finding.get("actual") is not None:
        value = _facts().compared.get(finding["rule"]) or "value"
        text += f": {value} is {finding['actual']}, expected {finding.get('expected')}"
    return f"{text}; {finding['action']}" if finding.get("action") else text


def _hex(rows):
    """The offsets of all rows as text of equal width."""
    digits = max(4, len(f"{rows[-1]['offset']:x}")) if rows else 4
    return lambda offset: f"{offset:0{digits}x}"


def _carried(smallest):
    """The bytes of the input in base64, so that a page that is passed on without its folder still has them; or why the page
    has none."""
    if not smallest:
        return None
    try:
        if os.path.getsize(smallest["path"]) > CARRIED:
            return {"data": None, "why": f"It has more than {say_size(CARRIED)}: this page does not contain it."}
        with open(smallest["path"], "rb") as file:
            return {"data": base64.b64encode(file.read()).decode("ascii")}
    except OSError as error:
        return {"data": None, "why": f"This page does not contain it: {error.strerror}."}


def _recipe_text(explain):
    if not explain.get("recipe"):
        return "none was written"
    return {True: "etlproof build turns it into the input, or the file around the input, byte for byte",
            False: "etlproof build does not turn it into the same bytes as the input",
            None: "not yet built with etlproof build"}[explain["rebuilds"]]


def _vector_text(explain):
    if not explain.get("vector"):
        return explain.get("vector_note") or "none was drafted"
    return f"a draft, {explain['vector_id']}" if explain["vector_id"] else "a draft, without an id"


def _file(path):
    """The beginning of a text file, or why it cannot be shown."""
    if not path:
        return {"path": None}
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as opened:
            text = opened.read(SHOWN + 1)
    except OSError as error:
        return {"path": path, "text": None, "why": f"It cannot be shown: {error.strerror}."}
    return {"path": path, "text": text[:SHOWN], "is_cut": len(text) > SHOWN}
