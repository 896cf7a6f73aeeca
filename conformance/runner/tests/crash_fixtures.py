# SPDX-License-Identifier: Apache-2.0
"""What runtimes really print about an uncaught exception, and programs about one that they handled: crashes/. Only the text
of .NET is written by hand."""
import glob
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crashes")


def fixtures():
    """(name, verdict, status, fields of the report, standard error) of each file: its second line and its text."""
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.txt"))):
        with open(path, encoding="utf-8") as file:
            _, expected, _, text = file.read().split("\n", 3)
        _, verdict, status, *rest = expected.split(" ", 3)
        yield os.path.basename(path), verdict, int(status), rest[0].split("|") if rest else None, text
