# SPDX-License-Identifier: Apache-2.0
"""conformance/show on a vector that the test writes itself, and on vectors of the project."""
import os
import re
import subprocess
import sys
import unittest
from unittest import mock

from ..vectors import GOLDEN
from .runner_fixture import RunnerCase, event, finding, records, vector

SHOW = os.path.join(os.path.dirname(GOLDEN), "show")
RECIPE = """recipe "x"
vector other { accept }
vector size-{n} {
    title "A } in a string"  # and a } in a comment
    set { Id = 1 }
    reject
}
vector last { accept }
"""


class ShowCase(RunnerCase):
    def show(self, *arguments, code=0):
        done = subprocess.run([sys.executable, SHOW, *arguments], capture_output=True, timeout=120, check=False,
                              encoding="utf-8")
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout if code == 0 else done.stderr

    def made_up(self, *arguments, code=0):
        return self.show("--golden", self.golden, "--recipes", self.folder, *arguments, code=code)


class MadeUpVectorTest(ShowCase):
    def setUp(self):
        super().setUp()
        one = vector("size-one", "size", "SIZ-001", "either", records([event(0, 72, data="ab" * 50)], findings=[
            finding("SIZ-001", 20)]), offset="20", place="e.Size", flags={"opaque-size": "no evidence"},
            recipe="size/sizes.recipe:3", title="One\x1b title")
        self.write_golden([one, vector("size-two", "size", "SIZ-001", "accept", records([]), offset=None)])
        os.mkdir(os.path.join(self.folder, "size"))
        self.file(os.path.join("size", "sizes.recipe"), RECIPE)

    def test_head(self):
        out = self.made_up("size-one")
        self.assertTrue(out.startswith("size-one: One\\x1b title\n\nrule      SIZ-001 (must): "), out)
        for line in ("verdict   either", "flag      opaque-size: no evidence", "changed   e.Size", "offset    0x14 (20)"):
            self.assertIn(f"\n{line}\n", out)
        self.assertRegex(out, r"\nfile +\S*size-one\.etl, 64 bytes\n")

    def test_records(self):
        out = self.made_up("size-one")
        self.assertIn("\n  finding rule SIZ-001, severity error, layer event, offset 20\n", out)
        self.assertIn(f", data {'ab' * 30}… (40 more)\n", out)
        self.assertIn(f", data {'ab' * 50}\n", self.made_up("--full", "size-one"))

    def test_terminal_with_another_encoding(self):
        with mock.patch.dict(os.environ, {"PYTHONIOENCODING": "ascii"}):
            self.assertIn("\\u2026 (40 more)", self.made_up("size-one"))

    def test_bytes(self):
        out = self.made_up("--context", "1", "size-one")
        self.assertIn("\n  000000  73 69 7a 65 2d 6f 6e 65 2e", out)
        self.assertIn(f"\n> 000010  {' '.join(['2e'] * 16)}  {'.' * 16}\n", out)
        self.assertNotIn("000030", out)
        self.assertIn("no fault in a single place", self.made_up("size-two"))

    def test_recipe(self):
        block = "".join(f"  {number:4}  {line}\n" for number, line in enumerate(RECIPE.splitlines(), 1) if 3 <= number <= 7)
        self.assertTrue(self.made_up("size-one").endswith("sizes.recipe:\n" + block))
        self.assertIn("Recipe: made-up.recipe:1 (cannot read ", self.made_up("size-two"))

    def test_unknown_id(self):
        err = self.made_up("size-on", code=64)
        self.assertIn("no vector has the id size-on; the nearest ids are size-one, size-two\n", err)
        self.assertIn("conformance/run --list lists all ids\n", self.made_up("qqq", code=64))
        self.show("--golden", os.path.join(self.folder, "none"), "x", code=66)
        self.assertIn("--help", self.show(code=64))

    def test_help(self):
        self.assertIn("Exit status: 0 printed, 64 ", self.show("--help"))


class ProjectVectorTest(ShowCase):
    def test_fault_in_a_member(self):
        out = self.show("size-first-short")
        self.assertIn("\n> 000848      2  victim EVENT_HEADER64 · Size = 0x004f\n", out)
        self.assertRegex(out, re.compile(r"^ +\d+  vector size-first-short \{$", re.M))

    def test_structure_in_memory(self):
        self.assertIn("\nstructure ETW_GUID_ENTRY ", self.show("layout-all-enabled-x64"))


if __name__ == "__main__":
    unittest.main()
