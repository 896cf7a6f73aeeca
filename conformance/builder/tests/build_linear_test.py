#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# usage: build_linear_test.py ETLPROOF-BUILD
"""The work of etlproof-build is linear in the buffers of a recipe. Counts instructions with valgrind, because their number
does not depend on the load of the machine. Exits 77 (skipped) without valgrind."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = None  # the path of etlproof-build, from the command line
SMALLEST = 500  # buffers of the first recipe; the others have twice and four times as many
# If work is linear, the second doubling adds twice as much as the first; if it is quadratic, four times.
GROWTH_MOST = 2.3


def buffers(count):
    return "".join(f"buffer b{n} {{ event e{n} EVENT_HEADER64 {{ }} }}\n" for n in range(count))


def compressed(count):
    return "".join(f'buffer b{n} {{ compress = "greedy" event e{n} EVENT_HEADER64 {{ }} }}\n' for n in range(count))


def recipe(trace):
    return f'recipe "Many"\nsource "a test"\ntrace {{\n{trace}}}\nvector many {{ title "Many" rule SIZ-001 accept }}\n'


class Linear(unittest.TestCase):
    def instructions(self, trace):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", TOOL, "--group", "size", "-",
                 "-o", "/dev/null", "--expect", os.path.join(folder, "v.json")], check=False, capture_output=True,
                input=recipe(trace),
                encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1])

    def test_growth(self):
        for shape in (buffers, compressed):
            with self.subTest(shape.__name__):
                one, two, four = (self.instructions(shape(SMALLEST * times)) for times in (1, 2, 4))
                print(f"{shape.__name__}: {one:,}, {two:,}, {four:,}", flush=True)
                self.assertLessEqual(four - two, GROWTH_MOST * (two - one))


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("no valgrind (Debian: valgrind)")
        sys.exit(77)
    TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main()
