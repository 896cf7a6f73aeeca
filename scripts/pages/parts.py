# SPDX-License-Identifier: Apache-2.0
"""What both pages are put together from: times and sizes as people say them, links, chips, tables."""
import os
import pathlib
import urllib.parse

from runner.html_page import asset, document, escape, thousands
from runner.atomic_file import write_text

from . import ROOT

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("high", "medium", "low")


def say_seconds(seconds):
    """The two largest units of a time, which is as much as anyone compares."""
    if seconds < 59.5:
        return f"{seconds:.0f} s" if seconds >= 9.95 or seconds == int(seconds) else f"{seconds:.1f} s"
    rest, told = round(seconds), []
    for name, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        amount, rest = divmod(rest, size)
        if amount or told:
            told.append((amount, name))
    return " ".join(f"{amount} {name}" for amount, name in told[:2] if amount)


def say_size(size):
    return "1 byte" if size == 1 else f"{thousands(size)} bytes"


def say_count(count, what, many=None):
    return f"{thousands(count)} {what if count == 1 else many or what + 's'}"


def say_time(time):
    """2026-11-21T12:00:00Z, to the minute."""
    return f"{time[:10]} {time[11:16]} UTC"


def say_path(path):
    """From the root of the tree where it lies in the tree: that is where commands are typed."""
    path = os.path.abspath(path)
    return os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path


def date(time):
    return f'<time datetime="{escape(time)}" title="{escape(say_time(time))}">{escape(time[:10])}</time>'


def href(path, page):
    """The address of a file as a page beside it says it, so that a folder can be moved or served as a whole."""
    folder = os.path.dirname(os.path.abspath(page))
    try:
        relative = os.path.relpath(os.path.abspath(path), folder)
    except ValueError:  # on another drive
        return pathlib.Path(path).absolute().as_uri()
    return urllib.parse.quote(relative.replace(os.sep, "/"), safe="/", errors="surrogateescape")


def link(path, page, text, name="", anchor=""):
    """To a file; without one, the text alone, which then says so. `name` is a class."""
    if not os.path.exists(path):
        return f'{escape(text)} <span class="gone" title="{escape(path)}">(no longer there)</span>'
    as_class = f' class="{name}"' if name else ""
    return f'<a{as_class} href="{escape(href(path, page) + anchor)}">{escape(text)}</a>'


def chip(text, name, title=""):
    titled = f' title="{escape(title)}"' if title else ""
    return f'<span class="chip {name}"{titled}>{escape(text)}</span>'


def severity_chip(severity):
    return chip(severity["level"], f"is-{severity['level']}", severity["why"])


def status_chip(status):
    return chip(status, f"is-{status}")


def kind_text(bucket):
    what = [bucket["kind"], bucket["what"] if bucket["what"] != bucket["kind"] else None, bucket["access"]]
    if bucket["access"] and bucket["access_size"] is not None:
        what.append(f"of {say_size(bucket['access_size'])}")
    return " ".join(part for part in what if part)


def is_flaky(bucket):
    return 0 < bucket["failed"] < bucket["runs"]


def smallest_of(bucket):
    """The reproducer: what minimising gave, or the least of what was found; None where nothing was kept."""
    return bucket["smallest"] or min(bucket["inputs"], key=lambda each: each["size"], default=None)


def subject_text(bucket):
    """What failed: a fuzz target as it was built, or someone's parser."""
    name = bucket["target"] or bucket["parser"] or "not known"
    return f"{name} ({bucket['preset']})" if bucket["preset"] else name


def answer_text(bucket):
    """What is wrong with a parser's answer, or its last line if it came to none; None if no parser said anything."""
    lines = bucket["text"].strip().splitlines() if bucket["kind"] == "parser" else ()
    return lines[0 if bucket["detail"] else -1] if lines else None


def row(cells, name=""):
    """Cells are (label, markup): the label is shown before the cell where the window is too narrow for columns."""
    as_class = f' class="{name}"' if name else ""
    return f"<tr{as_class}>" + "".join(
        f'<td data-label="{escape(label)}"><div>{markup}</div></td>' for label, markup in cells) + "</tr>"


def table(rows, name=""):
    """Rows are (cells, class) as row() takes them; what heads a column is the label of its cells."""
    heads = "".join(f'<th scope="col">{escape(label)}</th>' for label, _ in rows[0][0])
    return (f'<table class="wide {name}"><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(row(*each) for each in rows)}</tbody></table>")


def facts(texts):
    return '<p class="facts">' + " <i>·</i> ".join(f"<span>{text}</span>" for text in texts if text) + "</p>"


def write_page(path, title, body):
    """A page is there whole or not at all: a reader may reload it at any moment."""
    text = document(title, asset("pages.css", HERE), asset("pages.js", HERE), body)
    write_text(path, text)

