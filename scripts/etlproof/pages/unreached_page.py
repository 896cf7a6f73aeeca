# SPDX-License-Identifier: Apache-2.0
"""The page of the functions that no corpus reaches, with the conditions that block them."""
from . import wording
from .templates import write_page

NAME = "unreached.html"


def write(rows, functions, targets, path):
    """`rows` are those of campaign.unreached.blocked, of so many `functions`."""
    write_page(path, "functions not reached · etlproof nightly", "unreached_page.html.j2", functions=functions,
               blocked=[row for row in rows if row["callers"]], behind=[row for row in rows if not row["callers"]],
               names=[target.name for target in targets],
               place_of=lambda row: f"{wording.say_path(row['file'])}:{row['line']}")
