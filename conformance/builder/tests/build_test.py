#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command etlproof-build and conformance/rebuild, on recipes that the tests write themselves."""
import hashlib
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = None  # the path of etlproof-build, from the command line
REBUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "rebuild")

DONE, BROKEN, USAGE, INPUT, OUTPUT = 0, 1, 64, 66, 74

ONE = """recipe "One"
source "a test"
rule SIZ-004
trace { buffer b { event e EVENT_HEADER64 { Id = 7 data = count(3) } } }
vector one-event { title "One event of 83 bytes" accept }
"""

TWO = """recipe "Two"
source "a test"
trace { buffer b { event e EVENT_HEADER64 { data = count(3) } event f EVENT_HEADER64 { } } }
vector size-of-e-right { title "The Size of e is right" rule SIZ-001 accept }
vector size-of-e-wrong {
    title "The Size of e is 1"
    rule SIZ-001
    patch e.Size = 1
    reject
    finding SIZ-001 at e.Size in e expected "at least 0x50" actual "0x1" loses size(e) does resync
    lost e
}
"""


class BuildCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def recipe(self, text, name="size/one.recipe"):
        path = self.path("recipes", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_command(self, *command, code=DONE, stdin=""):
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=300, check=False, encoding="utf-8")
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout, done.stderr

    def run_tool(self, *arguments, **more):
        return self.run_command(TOOL, *arguments, **more)

    def json(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return json.load(file)

    def bytes(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()


class OneVector(BuildCase):
    def test_many_calls(self):
        """A call takes only the memory of its arguments, so that a large trace stays within the limit of a recipe."""
        many = ONE.replace("accept", "accept " + "set e.data = u8(1, 2) " * 12000)
        self.run_tool(self.recipe(many), "-o", self.path("x.etl"))

    def test_file_and_expectation(self):
        self.run_tool(self.recipe(ONE), "-o", self.path("x.etl"), "--expect", self.path("x.json"))
        vector, content = self.json("x.json"), self.bytes("x.etl")
        self.assertEqual((2048, hashlib.sha256(content).hexdigest()), (vector["size"], vector["sha256"]))
        self.assertEqual(2048, len(content))
        self.assertEqual(["one-event", "One event of 83 bytes", "size", "SIZ-004", "accept"],
                         [vector[key] for key in ("id", "title", "group", "rule", "verdict")])
        self.assertEqual("size/one.recipe:5", vector["recipe"])
        self.assertEqual(["trace", "buffer", "event", "buffer", "event", "end"], [r["rec"] for r in vector["expect"]])
        self.assertEqual((7, "010203"), (vector["expect"][4]["id"], vector["expect"][4]["data"]))
        self.assertEqual(content[1024:1024 + 4], (1024).to_bytes(4, "little"))

    def test_regions_tile_the_file(self):
        self.run_tool(self.recipe(TWO), "--vector", "size-of-e-wrong", "--expect", self.path("x.json"))
        at = 0
        for region in self.json("x.json")["regions"]:
            self.assertEqual(at, int(region["offset"]))
            at += int(region["size"])
        self.assertEqual(2048, at)

    def test_standard_input_and_output(self):
        out, _ = self.run_tool("-", "--group", "size", "--expect", "-", stdin=ONE)
        self.assertEqual("size/-:5", json.loads(out)["recipe"])

    def test_same_every_time(self):
        recipe = self.recipe(TWO)
        for name in ("a", "b"):
            self.run_tool("--all", self.path(name), recipe)
        for name in ("size-of-e-wrong.etl", "one.jsonl"):
            self.assertEqual(self.bytes("a", "size", name), self.bytes("b", "size", name))


class SeveralVectors(BuildCase):
    def test_vector_option_is_required(self):
        _, err = self.run_tool(self.recipe(TWO), "-o", self.path("x.etl"), code=USAGE)
        self.assertIn("has 2 vectors", err)
        self.assertIn("    size-of-e-right\n    size-of-e-wrong\n", err)
        self.assertFalse(os.path.exists(self.path("x.etl")))

    def test_vector_option(self):
        recipe = self.recipe(TWO)
        self.run_tool(recipe, "--vector=size-of-e-wrong", "--expect", self.path("x.json"))
        self.assertEqual("size-of-e-wrong", self.json("x.json")["id"])
        _, err = self.run_tool(recipe, "--vector", "size-of-f", "--expect", self.path("y.json"), code=USAGE)
        self.assertIn("no vector with that id: size-of-f", err)

    def test_list(self):
        out, _ = self.run_tool("--list", self.recipe(TWO))
        self.assertEqual("size-of-e-right\tSIZ-001\taccept\tThe Size of e is right\n"
                         "size-of-e-wrong\tSIZ-001\treject\tThe Size of e is 1\n", out)

    def test_all(self):
        self.run_tool("--all", self.path("out", "deep"), self.recipe(ONE), self.recipe(TWO, "size/two.recipe"))
        self.assertEqual(["one-event.etl", "one.jsonl", "size-of-e-right.etl", "size-of-e-wrong.etl", "two.jsonl"],
                         sorted(os.listdir(self.path("out", "deep", "size"))))

    def test_a_line_is_the_expectation_of_a_vector(self):
        recipe = self.recipe(TWO)
        self.run_tool("--all", self.path("out"), recipe)
        self.run_tool(recipe, "--vector", "size-of-e-wrong", "--expect", self.path("x.json"))
        first, second = self.bytes("out", "size", "one.jsonl").decode().splitlines()
        self.assertEqual("size-of-e-right", json.loads(first)["id"])
        self.assertEqual(self.json("x.json"), json.loads(second))
        self.assertTrue(second.startswith('{"id": "size-of-e-wrong", "title": "The Size of e is 1", "group"'), second)

    def test_same_recipe_name_twice(self):
        """Both would write size/one.jsonl."""
        other = self.recipe(ONE, "other/size/one.recipe")
        _, err = self.run_tool("--all", self.path("out"), self.recipe(TWO), other, code=BROKEN)
        self.assertIn("one.recipe:5: vector one-event: another recipe of this group has the same file name", err)

    def test_same_id_twice(self):
        _, err = self.run_tool("--all", self.path("out"), self.recipe(ONE), self.recipe(ONE, "size/again.recipe"),
                               code=BROKEN)
        self.assertIn("again.recipe:5: vector one-event: the id is already used at size/one.recipe:5", err)


class Mistakes(BuildCase):
    def test_broken_recipe(self):
        path = self.recipe(ONE.replace("Id = 7", "Id = nonsense"))
        _, err = self.run_tool(path, "-o", self.path("x.etl"), code=BROKEN)
        first, line, caret = err.splitlines()
        self.assertRegex(first, r"^" + path + r":4:\d+: .*nonsense")
        column = int(first[len(path):].split(":")[2])
        self.assertEqual("    " + ONE.splitlines()[3].replace("Id = 7", "Id = nonsense"), line)
        self.assertEqual("    " + " " * (column - 1) + "^", caret)
        self.assertFalse(os.path.exists(self.path("x.etl")))

    def test_control_characters_are_not_shown(self):
        path = self.recipe(ONE.replace("a test", "a \x1b[31mtest\x7f \u009b\u202e\u00e9"))
        _, err = self.run_tool(path, "-o", self.path("x.etl"), code=BROKEN)
        self.assertIn(":2:11: expected a string of printable characters, found byte 0x1b\n"
                      '    source "a ?[31mtest? ??\u00e9"\n', err)

    def test_claims_that_contradict_the_vector(self):
        path = self.recipe(TWO.replace("    lost e\n", ""))
        _, err = self.run_tool("--all", self.path("out"), path, code=BROKEN)
        self.assertIn(f"{path}:5: vector size-of-e-wrong: e: Size is less than the header", err)
        self.assertIn("    vector size-of-e-wrong {\n", err)

    def check_place(self, body, message):
        """Builds a vector with `body`, in which @ marks the place that the message names. `message` None: it must build."""
        marked = TWO + "vector of-places {\n    title \"Places\" rule SIZ-001\n    " + body + "\n}\n"
        before, _, after = marked.partition("@")
        path = self.recipe(before + after)
        out = self.run_tool("--all", self.path("out"), path, code=BROKEN if message else DONE)
        if message:
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            text = (before + after).splitlines()[line - 1]
            self.assertEqual(f"{path}:{line}:{column}: vector of-places: {message}\n"
                             f"    {text}\n    {' ' * (column - 1)}^\n", out[1])

    def test_places_outside_the_file(self):
        for body, message in (
                ("patch e.Size = 1 reject lost e finding SIZ-001 at @file() + 1",
                 "expected a place within the file of 2048 bytes, found 2049"),
                ("patch e.Size = 1 reject lost e finding SIZ-001 at @b - 0x401",
                 "expected a place within the file of 2048 bytes, found 18446744073709551615"),
                ("accept region @file() + 1 .. file() + 1 tail",
                 "expected a place within the file of 2048 bytes, found 2049"),
                ("accept region file() .. @file() + 1 tail", "expected a place within the file of 2048 bytes, found 2049"),
                ("patch append = zeros(3) accept region file() .. file() + 3 tail", None),
                ("patch append = zeros(3) accept region file() .. @file() + 4 tail",
                 "expected a place within the file of 2051 bytes, found 2052"),
                ("patch remove end(f) .. end(f) + 8 accept region extent(b) .. @file() slack",
                 "expected a place within the file of 2040 bytes, found 2048"),
                ("set b.compress = \"literal\" accept region f .. end(f) payload", None),
                ("set b.compress = \"literal\" accept region f .. @end(f) + 1 payload",
                 "expected a place within the inflated buffer of 240 bytes, found 241"),
                ("accept lost f from @e", "f: `lost from` needs an event and a place within it")):
            with self.subTest(body):
                self.check_place(body, message)

    def test_places_in_a_cut_file(self):
        """Places behind the cut count as the end of the file; places beyond the whole file are a mistake."""
        self.check_place("patch cut at b + 5 either opaque-size region b .. file() tail", None)
        vector = json.loads(self.bytes("out", "size", "one.jsonl").splitlines()[-1])
        self.assertEqual([("1024", "5", "tail")], [(r["offset"], r["size"], r["kind"]) for r in vector["regions"][-1:]])
        self.check_place("patch cut at b + 5 either opaque-size region b .. @file() + 1 tail",
                         "expected a place within the file of 1029 bytes, found 2049")

    def test_patches_outside_the_file(self):
        for body, message in (
                ("bytes at @file() - 1 = u16(0)", "2048 bytes, found one at 2047"),
                ("insert at @file() + 1 = u16(0)", "2048 bytes, found one at 2049"),
                ("cut at @file() + 1", "2048 bytes, found one at 2049"),
                ("remove end(f) .. @file() + 1", "2048 bytes, found one at 1264"),
                ("move @f by 1000", "2048 bytes, found one at 1184")):
            with self.subTest(body):
                self.check_place("either opaque-size patch " + body,
                                 "expected a patch that stays within the file of " + message)
        self.check_place("set b.compress = \"literal\" either opaque-size patch bytes at @end(f) - 1 = u16(0)",
                         "expected a patch that stays within the inflated buffer of 240 bytes, found one at 239")

    def test_files(self):
        _, err = self.run_tool("nowhere/x.recipe", "--list", code=INPUT)
        self.assertIn("cannot read nowhere/x.recipe: No such file", err)
        recipe = self.recipe(ONE)
        _, err = self.run_tool(recipe, "-o", self.path("nowhere", "x.etl"), code=OUTPUT)
        self.assertIn("cannot write", err)
        with open(self.path("file"), "wb"):
            pass
        _, err = self.run_tool("--all", self.path("file"), recipe, code=OUTPUT)
        self.assertIn("cannot make the folder", err)

    def test_names_on_a_terminal(self):
        """No message sends the control characters of a file name to the terminal."""
        path = self.path("bell\a.recipe")
        for text, options, code, message in ((None, ("--list",), INPUT, "etlproof: cannot read {}: No such file"),
                                             ("recipe", ("--list",), BROKEN, "{}:1:7: expected "),
                                             (TWO.replace("    lost e\n", ""), ("--all", self.path("out")), BROKEN,
                                              "{}:5: vector size-of-e-wrong: "),
                                             (TWO, ("-o", self.path("x.etl")), USAGE, "etlproof: {} has 2 vectors")):
            if text is not None:
                shutil.move(self.recipe(text), path)
            _, err = self.run_tool(path, "--group", "size", *options, code=code)
            self.assertNotIn("\a", err)
            self.assertIn(message.format(self.path("bell\\x07.recipe")), err)

    def test_progress_on_a_terminal(self):
        try:
            master, slave = pty.openpty()
        except OSError as error:  # a bare root without /dev/pts
            self.skipTest(f"no terminal can be made: {error}")
        self.addCleanup(os.close, master)
        path = shutil.move(self.recipe(ONE), self.path("bell\a"))
        subprocess.run([TOOL, "--group", "size", "--all", self.path("out"), path], stderr=slave, timeout=60, check=True)
        os.close(slave)
        shown = ""
        while not shown.endswith("\r\x1b[K"):  # a terminal may pass on what was written after the writer has ended
            shown += os.read(master, 4096).decode()
        self.assertEqual(f"\r1 vectors, {self.path('bell')}\\x07\x1b[K\r\x1b[K", shown)

    def test_no_partial_file_is_left(self):
        os.mkdir(self.path("x.etl"))
        self.run_tool(self.recipe(ONE), "-o", self.path("x.etl"), code=OUTPUT)
        self.assertEqual(["recipes", "x.etl"], sorted(os.listdir(self.folder)))

    def test_output_and_expectation_are_two_files(self):
        recipe = self.recipe(ONE)
        for option in ("-o", "--expect"):
            _, err = self.run_tool(recipe, option, recipe, code=USAGE)
            self.assertIn("the output would overwrite the recipe: " + recipe, err)
        _, err = self.run_tool(recipe, "-o", self.path("x.etl"), "--expect", self.path(".", "x.etl"), code=USAGE)
        self.assertIn("must be two files", err)
        self.assertEqual(2048, len(self.bytes("x.etl")))

    @unittest.skipUnless(os.path.exists("/dev/stdout"), "needs /dev/stdout")
    def test_device_is_not_replaced(self):
        """A device is written to, not replaced: otherwise /dev/null would become a file."""
        os.symlink("/dev/stdout", self.path("link"))
        out, _ = self.run_tool(self.recipe(ONE), "--expect", self.path("link"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual("one-event", json.loads(out)["id"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_output(self):
        for arguments in (["--rules"], ["--list", self.recipe(ONE)]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual(OUTPUT, done.returncode)
            self.assertIn(b"cannot write to standard output", done.stderr)

    def test_usage(self):
        recipe = self.recipe(ONE)
        for arguments, text in ((["--nonsense"], "unknown option: --nonsense"), ([recipe, "-o"], "requires a value: -o"),
                                ([recipe], "nothing to do"), (["--list"], "RECIPE is missing"),
                                (["-", "--list"], "--group"),
                                ([recipe, "--list", "--all", "x"], "exclude one another"),
                                ([recipe, recipe, "-o", "x"], "expected one RECIPE")):
            _, err = self.run_tool(*arguments, code=USAGE)
            self.assertIn(text, err)
            self.assertIn("--help", err)
        self.run_tool(code=USAGE)

    def test_help_and_rules(self):
        self.assertIn("Exit status", self.run_tool("--help")[0])
        rows = [line.split("\t") for line in self.run_tool("--rules")[0].splitlines()]
        self.assertIn(["SIZ-001", "size", "error"], rows)
        self.assertIn(["clock-rounding", "", "flag"], rows)
        self.assertTrue(all(len(row) == 3 for row in rows))


class Rebuild(BuildCase):
    def run_rebuild(self, *arguments, code):
        return self.run_command(sys.executable, REBUILD, "--build", TOOL, "--recipes", self.path("recipes"), "--golden",
                                self.path("golden"), "--fewest", "2", *arguments, code=code)[0]

    def test_other_recipes_leave_the_tree_alone(self):
        """Other recipes than the project's do not change the project's RULES.md."""
        page = os.path.join(os.path.dirname(REBUILD), "RULES.md")
        before = os.stat(page).st_mtime_ns if os.path.exists(page) else None
        self.recipe(TWO)
        os.mkdir(self.path("golden"))
        self.run_rebuild("--write", code=BROKEN)
        self.assertEqual(before, os.stat(page).st_mtime_ns if os.path.exists(page) else None)

    def test_drift(self):
        self.recipe(TWO)
        os.mkdir(self.path("golden"))
        out = self.run_rebuild(code=BROKEN)
        self.assertIn("missing: size/size-of-e-wrong.etl", out)
        self.assertEqual([], os.listdir(self.path("golden")))
        out = self.run_rebuild("--write", code=BROKEN)  # there are rules without vectors
        self.assertNotIn("missing: ", out)
        self.assertNotIn("differs", self.run_rebuild("--check", code=BROKEN))
        with open(self.path("golden", "size", "size-of-e-wrong.etl"), "r+b") as file:
            file.seek(77)
            file.write(b"\xEE")
        with open(self.path("golden", "size", "old.jsonl"), "wb"):
            pass
        os.remove(self.path("golden", "size", "one.jsonl"))
        out = self.run_rebuild(code=BROKEN)
        self.assertIn("differs: size/size-of-e-wrong.etl, from offset 77 (2048 bytes, built: 2048)", out)
        self.assertIn("extra: size/old.jsonl", out)
        self.assertIn("missing: size/one.jsonl", out)
        out = self.run_rebuild("--write", code=BROKEN)
        self.assertNotRegex(out, "(differs|extra|missing): ")
        self.assertFalse(os.path.exists(self.path("golden", "size", "old.jsonl")))

    def test_manifest(self):
        self.recipe(TWO)
        os.mkdir(self.path("golden"))
        self.run_rebuild("--write", code=BROKEN)
        rows = [line.split("\t") for line in self.bytes("golden", "MANIFEST.tsv").decode().splitlines()]
        self.assertEqual(["file", "size/one.jsonl", "size/size-of-e-right.etl", "size/size-of-e-wrong.etl"],
                         [row[0] for row in rows])
        for name, digest in rows[1:]:
            self.assertEqual(hashlib.sha256(self.bytes("golden", name)).hexdigest(), digest)

    def test_lint(self):
        self.recipe(TWO)
        os.mkdir(self.path("golden"))
        out = self.lint()
        self.assertNotIn("SIZ-001", out)
        self.assertIn("SIZ-002: no vector keeps it", out)
        self.assertIn("SIZ-002: no vector breaks it", out)
        self.assertIn("SIZ-004: 0 vectors; expected at least 2", out)
        self.assertIn("SIZ-004: no vector `tells` whether a reader follows it", out)
        self.assertIn("clock-rounding: no vector has this flag", out)
        self.recipe(ONE, "size/tells.recipe")
        self.assertIn("SIZ-004: 1 vectors", self.lint())
        self.recipe(ONE.replace("one-event", "other-event").replace("accept", "tells accept"), "size/more.recipe")
        self.assertNotIn("SIZ-004", self.lint())
        self.assertIn("4 vectors; expected at least 5", self.lint("--fewest", "5"))

    def lint(self, *arguments):
        """All complaints about the rules that the vectors cover."""
        return self.run_rebuild("--lines", "1000000", *arguments, code=BROKEN)

    def test_broken_recipe_does_not_change_golden(self):
        self.recipe("recipe")
        os.mkdir(self.path("golden"))
        self.run_rebuild("--write", code=BROKEN)
        self.assertEqual([], os.listdir(self.path("golden")))

    def test_usage(self):
        self.run_rebuild("--nonsense", code=USAGE)
        self.run_rebuild(code=INPUT)  # no recipe
        self.run_command(sys.executable, REBUILD, "--build", "nowhere", code=INPUT)
        os.makedirs(self.path("recipes", "size"))
        os.symlink("nowhere", self.path("recipes", "size", "gone.recipe"))
        self.run_rebuild(code=INPUT)  # a message of the builder, not an internal error

    def test_missing_etlproof_beside_the_builder(self):
        alone = shutil.copy(TOOL, self.folder)
        _, err = self.run_command(sys.executable, REBUILD, "--build", alone, code=INPUT)
        self.assertIn("etlproof: cannot be started: No such file or directory", err)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ETLPROOF-BUILD [TEST...]")
    TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
