# SPDX-License-Identifier: Apache-2.0
"""Renders a page from its Jinja template (*.html.j2 in this folder) into one file that opens offline.

Every value is escaped, and characters that show nothing, or change how others are shown, are made visible first: pages
quote programs that anyone may have written. Needs jinja2 (Debian: python3-jinja2).
"""
import functools
import os

from runner.html_page import asset, clean, document, percent, thousands
from runner.failure import INPUT, Failure
from runner.atomic_file import write_text
from . import wording

try:
    import jinja2
    from markupsafe import Markup
except ImportError:
    jinja2 = None  # triage then writes no pages; see scripts/etlproof/interpreter.py

HERE = os.path.dirname(os.path.abspath(__file__))


def _shown(value):
    return value if isinstance(value, Markup) else clean(value)


def _lines(text):
    """Text of several lines, for <pre>."""
    return Markup.escape(clean(text, "\n\t"))


@functools.cache
def _environment():
    if jinja2 is None:
        raise Failure(INPUT, "no page without jinja2 (Debian: python3-jinja2); scripts/bootstrap nightly installs it")
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined, finalize=_shown)
    environment.filters.update(
        lines=_lines, thousands=thousands, seconds=wording.say_seconds, size=wording.say_size, count=wording.say_count,
        time=wording.say_time, path=wording.say_path, kind=wording.kind_text, subject=wording.subject_text,
        percent=percent, member_name=wording.member_name)
    environment.tests.update(flaky=wording.is_flaky)
    return environment


def write_page(path, title, template, **values):
    """Writes the page completely or not at all: someone may reload it at any time. In a template, address_of(FILE) is the
    link from the page to a file, or None if there is no such file."""
    def address_of(file):
        return wording.href(file, path) if os.path.exists(file) else None

    body = _environment().get_template(template).render(address_of=address_of, **values)
    write_text(path, document(title, asset("pages.css", HERE), asset("pages.js", HERE), body))
