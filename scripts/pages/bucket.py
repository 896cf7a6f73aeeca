# SPDX-License-Identifier: Apache-2.0
"""The page of a bucket: all that is known of one bug. What is not known is said, never left out."""
import base64
import functools
import os

from runner import tables
from runner.html_page import percent

from . import ROOT
from .parts import (answer_text, date, escape, facts, href, is_flaky, kind_text, link, say_count, say_path, say_seconds,
                    say_size, severity_chip, smallest_of, status_chip, subject_text, table, thousands, write_page)

NAME = "index.html"       # of the page, in the bucket's folder
CARRIED = 64 * 1024       # bytes of an input that the page itself carries
SHOWN = 128 * 1024        # bytes of a file that are shown as text
INPUTS = 100              # rows
RULES = os.path.join(ROOT, "conformance", "RULES.md")


def write(bucket, path):
    """`bucket` is what bucket.json holds. A link leads only to what is there when the page is written."""
    explain = bucket["explain"]
    body = [_head(bucket), f'<div class="beside">{_facts(bucket, path)}{_commands(bucket["commands"])}</div>',
            _explained(explain, path), _smallest(bucket, path),
            _stack(bucket["stack"]), _file("recipe", "Recipe", _recipe_text(explain), explain and explain["recipe"], path),
            _file("vector", "Conformance vector", _vector_text(explain), explain and explain["vector"], path),
            _inputs(bucket["inputs"], path), _printed(bucket["text"]), _foot(path)]
    write_page(path, f"{bucket['title']} · etlproof bucket", "\n".join(body))


def _head(bucket):
    severity = bucket["severity"]
    return f"""<header>
<p class="kicker">etlproof bucket</p>
<h1>{escape(bucket["title"])}</h1>
<p class="id mono">{escape(bucket["id"])}</p>
<p class="chips">{severity_chip(severity)} {status_chip(bucket["status"])}</p>
<p class="severity"><b>Severity {severity["level"]}:</b> {escape(severity["why"])}</p>
{_standing(bucket)}</header>"""


def _standing(bucket):
    """Whoever sets out to debug must know before."""
    if bucket["status"] == "fixed":
        return ('<p class="good"><span aria-hidden="true">✓</span><span><strong>Fixed.</strong> '
                "Its inputs pass now; what follows is as it was when they failed.</span></p>")
    if is_flaky(bucket):
        text = f"Flaky: its inputs failed in {bucket['failed']} of {say_count(bucket['runs'], 'run')}."
    elif bucket["runs"] and not bucket["failed"]:
        text = f"Not reproduced: none of {say_count(bucket['runs'], 'run')} failed."
    else:
        return ""
    return f'<p class="doubt" role="alert"><span aria-hidden="true">!</span>{text}</p>'


def _unknown(text):
    return f'<span class="dim">{escape(text)}</span>'


def _reproduced(bucket):
    if not bucket["runs"]:
        return _unknown("not run again")
    return f"failed in {bucket['failed']} of {say_count(bucket['runs'], 'run')}"


def _where(frame, path):
    if not frame:
        return _unknown("not known: there was no stack with a frame of the project's own")
    return f'<b class="mono">{escape(frame["function"])}</b> {_place(frame, path)}'.rstrip()


def _frame_place(frame):
    if not frame["file"]:
        return ""
    return frame["file"] if frame["line"] is None else f"{frame['file']}:{frame['line']}"


def _place(frame, path):
    """file:line, a link where the file is one of this tree."""
    place, source = _frame_place(frame), os.path.join(ROOT, frame["file"] or "")
    if not os.path.isfile(source):
        return f'<span class="mono">{escape(place)}</span>'
    return f'<a class="mono" href="{escape(href(source, path))}">{escape(place)}</a>'


def _facts(bucket, path):
    answer = answer_text(bucket)
    rows = [("What failed", f'{escape(subject_text(bucket))}{"" if bucket["target"] else ", a parser"}'),
            ("How", escape(kind_text(bucket))), *([("What is wrong", escape(answer))] if answer else []),
            ("Where", _where(bucket["frame"], path)), ("Reproduced", _reproduced(bucket)),
            ("First seen", date(bucket["first_seen"])), ("Last seen", date(bucket["last_seen"])),
            ("Inputs", say_count(len(bucket["inputs"]), "input that fails so", "inputs that fail so"))]
    if bucket.get("merged"):
        rows.append(("Merged by hand", escape("from " + ", ".join(bucket["merged"]))))
    if bucket.get("split_from"):
        rows.append(("Split by hand", escape(f"from {bucket['split_from']}")))
    return '<dl class="facts-list card">' + "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows) + "</dl>"


def _section(id_, heading, inside, beside=""):
    said = f" <span>{beside}</span>" if beside else ""
    return f'<section id="{id_}"><h2>{heading}{said}</h2>{inside}</section>'


def _none(text):
    return f'<p class="none">{escape(text)}</p>'


def _copied(text, what):
    """With a button that copies, where the page's script runs."""
    return (f'<div class="command"><pre tabindex="0">{escape(text, chr(10) + chr(9))}</pre>'
            f'<button type="button" class="copy" hidden aria-label="Copy {what}">Copy</button></div>')


def _commands(commands):
    return _section("commands", "See it again", "".join(
        f"<h3>To {what} it</h3>" + (_copied(commands[what], "the command") if commands[what]
                                    else _none(f"No command is known to {what} it.")) for what in ("reproduce", "debug")))


def _explained(explain, path):
    heading = "Where in the input"
    if not explain:
        return _section("explain", heading, _none("Not explained: the input was not taken apart."))
    member = ".".join(part for part in (explain["structure"], explain["member"]) if part)
    rows = [("Structure", f'<b class="mono">{escape(member)}</b>' if member else _unknown("not known")),
            ("Offset", _offset(explain)), ("Rule", _rule(explain["rule"], path)),
            ("How we know", escape(explain["why"]) if explain["why"] else _unknown("not known")),
            ("First finding", _finding(explain["finding"]))]
    if explain["note"]:
        rows.append(("Note", escape(explain["note"])))
    listed = '<dl class="facts-list card">' + "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows) + "</dl>"
    return _section("explain", heading, listed + _hex(explain))


def _offset(explain):
    if explain["offset"] is None:
        return _unknown("not known")
    space = ", counted in the inflated buffer" if explain["space"] == "inflated" else ""
    return f'<span class="mono">{explain["offset"]:#x}</span> ({thousands(explain["offset"])}){space}'


@functools.cache
def _statements():
    """By rule, what it says."""
    return tables.load_tables().rules


def _rule(rule, path):
    if not rule:
        return _unknown("none: no rule of the format is known to be broken here")
    statement = _statements().get(rule, "This version of the project has no such rule.")
    return f'{link(RULES, path, rule, anchor=f"#{rule.lower()}")} {escape(statement)}'


def _finding(finding):
    """A record of the reference decoder's, in the words that `etlproof validate` has for it."""
    if not finding:
        return _unknown("none: the reference decoder finds nothing wrong with the input, or was not asked")
    said = f"{finding['rule']} ({finding.get('severity', 'severity not known')})"
    if finding.get("offset") is not None:
        said += f" at {int(finding['offset']):#x}"
    for key in ("buffer", "event"):
        if finding.get(key) is not None:
            said += f", {key} {finding[key]}"
    if finding.get("actual") is not None:
        said += f": expected {finding.get('expected')}, found {finding['actual']}"
    return escape(f"{said}; {finding['action']}" if finding.get("action") else said)


def _hex(explain):
    if not explain["hex"]:
        return _none("There are no bytes to show.")
    digits = max(4, len(f"{explain['hex'][-1]['offset']:x}"))
    lines = "".join(_hex_line(line, digits) for line in explain["hex"])
    space = "inflated buffer" if explain["space"] == "inflated" else "file"
    marked = any(line["mark"] for line in explain["hex"])
    beside = "" if marked else _none("None of these bytes is the place itself.")
    return (f'<div class="scroll card bytes-box" tabindex="0" role="region" aria-label="Bytes of the {space}">'
            f'<div class="dump">{lines}</div></div>{beside}')


def _hex_line(line, digits):
    """A mark is told by a word as well: colour alone tells too little."""
    here = "<em>here</em>" if line["mark"] else ""
    marked = " marked" if line["mark"] else ""
    return (f'<div class="line{marked}"><span class="at">{line["offset"]:0{digits}x}</span>'
            f'<span class="bytes">{escape(line["bytes"])}</span><span class="ascii">{escape(line["ascii"] or "")}</span>'
            f'<span class="label">{escape(line["label"] or "")} {here}</span></div>')


def _smallest(bucket, path):
    smallest = smallest_of(bucket)
    if not smallest:
        return _section("smallest", "Smallest input", _none("There is none: no input was kept."))
    told = f"<p><b>{say_size(smallest['size'])}</b>{_minimised(bucket['smallest'])}.</p>"
    file = f'<p class="mono path">{link(smallest["path"], path, say_path(smallest["path"]))}</p>'
    return _section("smallest", "Smallest input", told + file + _carried(smallest["path"], bucket["id"]))


def _minimised(smallest):
    if not smallest:
        return ", as it was found: not minimised"
    share = f", {percent(smallest['size'], smallest['from'])} of it" if smallest["from"] else ""
    return (f" from {thousands(smallest['from'])}{share}, in {say_count(smallest['tries'], 'try', 'tries')} and "
            f"{say_seconds(smallest['seconds'])}")


def _carried(path, id_):
    """The bytes themselves, so that a page that was sent on alone still has them."""
    try:
        if os.path.getsize(path) > CARRIED:
            return _none(f"It has more than {say_size(CARRIED)}: this page does not carry it.")
        with open(path, "rb") as file:
            carried = base64.b64encode(file.read()).decode("ascii")
    except OSError as error:
        return _none(f"This page does not carry it: {error.strerror}.")
    data = f"data:application/octet-stream;base64,{carried}"
    return (f'<p><a class="download" download="{escape(id_)}" href="{data}">Save it</a> '
            '<span class="dim">this page carries its bytes</span></p>')


def _stack(stack):
    if not stack:
        return _section("stack", "Stack", _none("There was no stack."))
    rows = [([("#", str(number)), ("Function", f'<span class="mono">{escape(frame["function"])}</span>'),
              ("Place", f'<span class="mono">{escape(_frame_place(frame) or "not known")}</span>')], "")
            for number, frame in enumerate(stack)]
    return _section("stack", "Stack", table(rows, "stack"), "innermost first")


def _recipe_text(explain):
    if not explain or not explain["recipe"]:
        return "none was written"
    return {True: "etlproof build makes of it, byte for byte, the input, or the file that an input is a part of",
            False: "what etlproof build makes of it is not the same as the input, byte for byte",
            None: "it was not tried what etlproof build makes of it"}[explain["rebuilds"]]


def _vector_text(explain):
    if not explain or not explain["vector"]:
        return "none was drafted"
    return f"a draft, {explain['vector_id']}" if explain["vector_id"] else "a draft, without an id"


def _file(id_, heading, beside, file, path):
    """A text file, shown."""
    if not file:
        return _section(id_, heading, _none(f"There is no {id_}: {beside}."))
    shown = f'<p class="mono path">{link(file, path, say_path(file))}</p>'
    try:
        with open(file, encoding="utf-8", errors="backslashreplace") as opened:
            text = opened.read(SHOWN + 1)
    except OSError as error:
        return _section(id_, heading, shown + _none(f"It cannot be shown: {error.strerror}."), escape(beside))
    shown += _copied(text[:SHOWN], f"the {id_}")
    if len(text) > SHOWN:
        shown += _none(f"Only its first {thousands(SHOWN)} characters are shown; the file has all.")
    return _section(id_, heading, shown, escape(beside))


def _inputs(inputs, path):
    if not inputs:
        return _section("inputs", "Inputs", _none("No input was kept."))
    rows = [([("Size", say_size(each["size"])), ("File", link(each["path"], path, say_path(each["path"]), "mono")),
              ("SHA-256", f'<span class="mono">{escape(each["sha256"])}</span>')], "")
            for each in sorted(inputs, key=lambda each: (each["size"], each["sha256"]))[:INPUTS]]
    more = _none(f"and {thousands(len(inputs) - INPUTS)} larger ones") if len(inputs) > INPUTS else ""
    return _section("inputs", "Inputs", table(rows, "inputs") + more, thousands(len(inputs)))


def _printed(text):
    if not text:
        return _section("printed", "What it printed", _none("Nothing."))
    return _section("printed", "What it printed", "<details><summary>"
                    f"{say_count(text.count(chr(10)) + 1, 'line')}</summary>{_copied(text, 'what it printed')}</details>")


def _foot(path):
    beside = os.path.join(os.path.dirname(path), "bucket.json")
    data = facts([link(beside, path, "bucket.json, all of this as data")]) if os.path.exists(beside) else ""
    return f"<footer><p>A bucket is a set of failures that are one bug.</p>{data}</footer>"
