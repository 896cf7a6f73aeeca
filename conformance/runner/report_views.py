# SPDX-License-Identifier: Apache-2.0
"""Writes all views of a report. Each view is a module with write(run, results, summary, vectors) -> text, where
vectors.description(id) is the JSON of a vector and vectors.image(id) its bytes."""
import os

from . import report_html, report_junit, report_markdown, report_text
from .atomic_file import write_text

VIEWS = {"report.txt": report_text, "report.xml": report_junit, "report.md": report_markdown, "report.html": report_html}


def write_all(folder, run, results, summary, vectors):
    for name, module in VIEWS.items():
        write_text(os.path.join(folder, name), module.write(run, results, summary, vectors))
