#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# usage: command_linear_test.py ETLPROOF
"""The work of a decode is linear in the size of the file. Counts instructions with valgrind, because their number does not
depend on the load of the machine. Exits 77 (skipped) without valgrind."""
import re
import shutil
import subprocess
import sys

import command_case
from command_case import CONFORMING, DAMAGED, LIMIT, NOT_ETL, CommandCase
from slow_shapes import SHAPES

SMALLEST = 1 << 15  # bytes of the first file; the others are twice and four times as large
# If work is linear, the second doubling of the size adds twice as much as the first; if it is quadratic, four times.
GROWTH_MOST = 2.6

# valgrind itself makes system calls that the sandbox refuses.
VERBS = {"validate": ("validate", "--quiet", "--no-sandbox"), "decode": ("decode", "--order", "time", "--no-sandbox"),
         "recover": ("recover", "--force", "-o", "new.etl")}


class Linear(CommandCase):
    def instructions(self, verb, content):
        path = self.file(content)
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", command_case.TOOL,
                               *VERBS[verb], path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.folder,
                              encoding="utf-8", errors="replace", check=False)
        self.assertIn(done.returncode, (CONFORMING, DAMAGED, NOT_ETL, LIMIT), done.stderr)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1])

    def check(self, verb):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                one, two, four = (self.instructions(verb, shape(SMALLEST * times)) for times in (1, 2, 4))
                print(f"{verb}: {name}: {one:,}, {two:,}, {four:,}", flush=True)
                self.assertLessEqual(four - two, GROWTH_MOST * (two - one))

    def test_validate(self):
        self.check("validate")

    def test_decode(self):
        self.check("decode")

    def test_recover(self):
        self.check("recover")


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("no valgrind (Debian: valgrind)")
        sys.exit(77)
    command_case.main()
