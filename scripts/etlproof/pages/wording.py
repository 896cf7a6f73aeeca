# SPDX-License-Identifier: Apache-2.0
"""Text that both pages share: times, sizes, counts, paths and failures as people write them."""
import os
import pathlib
import urllib.parse

from etlproof import ROOT
from runner.html_page import thousands

LEVELS = ("high", "medium", "low")


def say_seconds(seconds):
    """The two largest units of a time."""
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
    """A path relative to the root of the tree if it is in the tree, since commands are typed there."""
    path = os.path.abspath(path)
    return os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path


def href(path, page):
    """The link from a page to a file, relative, so that the folder can be moved or served as a whole."""
    folder = os.path.dirname(os.path.abspath(page))
    try:
        relative = os.path.relpath(os.path.abspath(path), folder)
    except ValueError:  # on another drive
        return pathlib.Path(path).absolute().as_uri()
    return urllib.parse.quote(relative.replace(os.sep, "/"), safe="/", errors="surrogateescape")


def kind_text(bucket):
    what = [bucket["kind"], bucket["what"] if bucket["what"] != bucket["kind"] else None, bucket["access"]]
    if bucket["access"] and bucket["access_size"] is not None:
        what.append(f"of {say_size(bucket['access_size'])}")
    return " ".join(part for part in what if part)


def member_name(explained):
    """STRUCTURE.Member, as far as both are known."""
    return ".".join(part for part in (explained.get("structure"), explained.get("member")) if part)


def is_flaky(bucket):
    return 0 < bucket["failed"] < bucket["runs"]


def smallest_of(bucket):
    """The reproducer: the result of minimising, or the smallest input found; None if none was kept."""
    return bucket["smallest"] or min(bucket["inputs"], key=lambda each: each["size"], default=None)


def subject_text(bucket):
    """The program that failed: a fuzz target and its build, or a parser."""
    name = bucket["target"] or bucket["parser"] or "not known"
    return f"{name} ({bucket['preset']})" if bucket["preset"] else name


def answer_text(bucket):
    """Why a parser's answer is wrong, or its last line of output if it gave none; None if it printed nothing."""
    lines = bucket["text"].strip().splitlines() if bucket["kind"] == "parser" else ()
    return lines[0 if bucket["detail"] else -1] if lines else None
