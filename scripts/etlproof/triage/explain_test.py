# SPDX-License-Identifier: Apache-2.0
"""Tests recipes that rebuild a file, explanations of crash inputs, and vectors drafted from them. The argument is the build
folder with the reference; a second argument --measure measures all vectors and samples, and prints figures instead."""
import glob
import os
import random
import subprocess
import sys
import tempfile
import unittest

from etlproof import ROOT
from etlproof.bench import recipe_accuracy
from etlproof.campaign import targets
from runner.inflate import inflate
from runner.vectors import GOLDEN, Golden
from unbuild import literals, recipe
from unbuild.reference import Reference
from . import embedded_input, explain, hex_view, spots
from .triage_case import Failing

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
COMMAND = os.path.join(BUILD, "bin", "etlproof")
REFERENCE = Reference(COMMAND)
VECTORS = Golden(GOLDEN)
SEEDS = os.path.join(BUILD, "corpus", "seeds")
STEP = 60            # every STEP-th vector is rebuilt here


def vector(name):
    return glob.glob(os.path.join(GOLDEN, "*", f"{name}.etl"))[0]


def content(path):
    with open(path, "rb") as file:
        return file.read()


def build(path, *options):
    return subprocess.run([COMMAND, "build", path, "-o", "-", *options], capture_output=True, timeout=60, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, data, name="x.etl"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def rebuilt(self, path):
        """The recipe of a file, after checking that it builds the file."""
        made = recipe.recipe_of(path, COMMAND)
        self.assertTrue(made.exact, made.note)
        rule = next(line.split()[1] for line in made.text.splitlines() if line.startswith("rule "))
        done = build(self.file(made.text.encode(), "x.recipe"), "--group", REFERENCE.rules[rule]["group"])
        with open(path, "rb") as file:
            self.assertEqual(file.read(), done.stdout, done.stderr)
        return made


class Values(Case):
    """The builder writes exactly the bytes that a literal was made from."""

    def check(self, data):
        text = ('recipe "r" source "s" rule BUF-001 trace { bytes x tail { data = ' + literals.expression(data)
                + ' } } vector v { title "t" either reader-limit }')
        done = build(self.file(text.encode(), "v.recipe"), "--group", "buffer-header")
        self.assertEqual(b"", done.stderr)
        self.assertEqual(data, done.stdout[0x400:])

    def test_kinds(self):
        for data in (b"\0", b"\1\2\3", b"\1\2\3\4" * 20, bytes(100), b"\xff" * 40, b"", b"a{b}\"c\\d, e f g h",
                     "Wide \"text\" {x}".encode("utf-16-le") + b"\0\0", b"narrow text of some length\0", b"\1" * 70000,
                     bytes(range(256)) * 300, "\\x41 {n}".encode("utf-16-le"), b"~" * 15,
                     bytes(i & 0xFF for i in range(1, 999))):
            self.check(data)

    def test_mixed(self):
        choose = random.Random(5)
        parts = (b"\0" * 17, b"\xff" * 9, b"t\0e\0x\0t\0 \0{\0", b"some plain text", b"\"\\", b"\1\2\3\4\5")
        for _ in range(20):
            self.check(b"".join(choose.choice((*parts, choose.randbytes(7))) for _ in range(choose.randrange(40))))

    def test_lines(self):
        self.assertLess(max(map(len, literals.expression(random.Random(1).randbytes(40000)).split("\n"))), 118)


class Recipes(Case):
    def test_vectors(self):
        """All vectors are rebuilt; a buffer is written as bytes only where the vector has bytes outside its buffers."""
        paths = sorted(glob.glob(os.path.join(GOLDEN, "*", "*.etl")))[::STEP]
        self.assertGreater(len(paths), 50)
        for path in paths:
            with self.subTest(path=os.path.basename(path)):
                made = self.rebuilt(path)
                self.assertTrue(made.whole or recipe_accuracy.has_bytes(path), made.note)

    def test_patches(self):
        """The recipe states the damage as a patch."""
        for name, line in (("size-first-short", "patch lost1.Size = 0x4f"),
                           ("recovery-cut-at-payload-of-e3", "patch cut at lost1 + 0x60"),
                           ("buffer-size-merged-120-over-next", "patch b1.BufferSize = 0x328"),
                           ("marker-0b", "patch lost1.MarkerFlags = 0xb"),
                           ("buffer-search-over-1-byte", "patch insert at b2 = hex(\"5a\")")):
            with self.subTest(name):
                text = self.rebuilt(vector(name)).text
                self.assertIn(line, text)
                self.assertIn("\n    reject\n", text)
                self.assertNotIn("bytes raw", text)

    def test_two_faults(self):
        """A wrong BufferSize can only be a patch; the other fault stays in the trace."""
        data = bytearray(content(vector("size-first-short")))
        data[3072:3074] = b"\x01\x04"
        text = self.rebuilt(self.file(data)).text
        self.assertIn("patch b3.BufferSize = 0x401", text)
        self.assertIn("event lost1 EVENT_HEADER64 { Size = 0x4f ", text)

    def test_structure(self):
        text = self.rebuilt(vector("items-all-known-types")).text
        self.assertEqual(18, text.count(" item e1_i"))
        self.assertIn("item e1_i1 SID", text)
        self.assertNotIn("slack", text)
        text = self.rebuilt(vector("message-in-compressed-buffer")).text
        self.assertIn('compress = "greedy"', text)
        self.assertIn("event e1 MESSAGE { OptionFlags = 8", text)

    def test_foreign_stream(self):
        """A stream of another compressor is written as bytes, and its events are still written as events."""
        text = recipe.recipe_of(vector("message-in-compressed-buffer"), COMMAND).text
        data = content(vector("message-in-compressed-buffer"))
        at = 0x400 + 0x48
        plain = inflate(data[at:], int.from_bytes(data[0x430:0x434], "little") - 0x48)
        # A stream of literals whose last flag word has clear spare bits; the builder's compressor sets them.
        stream = b"".join(bytes(4) + plain[i:i + 32] for i in range(0, len(plain), 32))
        text = text.replace('compress = "greedy"', f'compress = hex("{stream.hex()}")')
        done = build(self.file(text.encode(), "x.recipe"), "--group", "buffer-header")
        made = self.rebuilt(self.file(done.stdout))
        self.assertIn("compress = hex(", made.text)
        self.assertIn("event e2 EVENT_HEADER64", made.text)
        self.assertIn("1 as compressed streams", made.note)

    def test_less_structure(self):
        """An event that cannot be written as such becomes bytes; the events around it do not."""
        made = self.rebuilt(vector("alignment-event-header64-packed-3"))
        self.assertIn("event e3 ", made.text)
        self.assertIn("bytes raw", made.text)
        self.assertTrue(made.whole)
        self.assertGreater(made.raw, 0)

    def test_no_trace(self):
        noise = random.Random(3).randbytes(5000)
        made = self.rebuilt(self.file(noise))
        self.assertEqual((5000, False), (made.raw, made.whole))
        empty = recipe.recipe_of(self.file(b""), COMMAND)
        self.assertFalse(empty.exact)
        self.assertIn("empty", empty.note)

    def test_damaged_at_random(self):
        """Every input has a recipe."""
        choose = random.Random(11)
        with open(vector("items-all-known-types"), "rb") as file:
            whole = file.read()
        for _ in range(25):
            data = bytearray(whole[:choose.randrange(1, len(whole) + 1)])
            for _ in range(choose.randrange(6)):
                data[choose.randrange(len(data))] = choose.randrange(256)
            self.rebuilt(self.file(data))


class Embedding(Case):
    def test_parts(self):
        """Carving the file gives the input again, with its context."""
        for target in ("fuzz_buffer", "fuzz_event", "fuzz_items", "fuzz_message", "fuzz_logfile", "fuzz_inflate"):
            for path in sorted(glob.glob(os.path.join(SEEDS, target, "*")))[::12]:
                with self.subTest(target=target, path=path):
                    found = embedded_input.embed(path, target, self.folder, REFERENCE)
                    parts = tempfile.mkdtemp(dir=self.folder)
                    REFERENCE.ask("carve", "--targets", targets.TABLE, "--quiet", "-o", parts, found.path)
                    data = content(path)
                    self.assertIn(data, [content(one) for one in glob.glob(os.path.join(parts, target, "*"))])
                    self.assertEqual("", found.note)

    def test_unlikely_context(self):
        """The note reports a context that no file has."""
        found = embedded_input.embed(self.file(b"\x0b\x02\0\0\0\0\0\0" + bytes(48)), "fuzz_event", self.folder, REFERENCE)
        self.assertIn("context", found.note)

    def test_none(self):
        for target in ("fuzz_recipe", "fuzz_clock", "fuzz_build", "fuzz_layout"):
            self.assertIsNone(embedded_input.embed(self.file(b"text"), target, self.folder, REFERENCE).path)
        self.assertIn("short", embedded_input.embed(self.file(b"1234567"), "fuzz_event", self.folder, REFERENCE).note)
        whole = embedded_input.embed(vector("size-first-short"), "fuzz_file", self.folder, REFERENCE)
        self.assertEqual((vector("size-first-short"), 0), whole[:2])


class Explained(Case):
    def explain(self, path, target=None, **bucket):
        return explain.explain(path, target, bucket, self.folder, command=COMMAND)

    def test_by_finding(self):
        said = self.explain(vector("size-first-short"))
        self.assertEqual(("EVENT_HEADER", "Size", "SIZ-001", 2120, "file"),
                         tuple(said[key] for key in ("structure", "member", "rule", "offset", "space")))
        self.assertIn("reference decoder", said["why"])
        self.assertEqual("SIZ-001", said["finding"]["rule"])
        self.assertTrue(said["rebuilds"])

    def test_by_rule(self):
        """If a whole structure is at fault, the member is the one that the rule names."""
        said = self.explain(vector("marker-0b"))
        self.assertEqual(("EVENT_HEADER", "MarkerFlags", "MRK-002"), (said["structure"], said["member"], said["rule"]))

    def test_start_of_structure(self):
        """The start of a structure may stand for all of it: it is a member only if a word of the rule names one."""
        outline = recipe.rebuild_of(vector("size-first-short"), REFERENCE)[0].outline
        place = spots.Place(2120)
        self.assertEqual(("EVENT_HEADER", None, "lost1"), spots.locate(outline, place))
        self.assertEqual("Id", spots.locate(outline, place, ["Bogus", "Id", "Size"]).member)
        self.assertEqual("HeaderType", spots.locate(outline, spots.Place(2122), ["Id"]).member)

    def test_inflated(self):
        expected = next(one for one in sorted(VECTORS.traces, key=lambda one: one["id"]) if one["group"] == "size"
                        and one.get("space") == "inflated" and one["verdict"] == "reject")
        said = self.explain(expected["path"])
        self.assertEqual(("inflated", int(expected["offset"]), expected["rule"]),
                         (said["space"], said["offset"], said["rule"]))
        self.assertTrue(any(row["mark"] for row in said["hex"]))

    def test_by_oracle(self):
        """The offset of an oracle takes precedence, and no rule is guessed for it."""
        text = "oracle tiling broken at offset 0x44a (one window, buffer 2, event 1): the regions of the file follow …"
        said = self.explain(vector("items-all-known-types"), "fuzz_file", text=text)
        self.assertEqual((0x44A, "EVENT_HEADER", "HeaderType", None),
                         (said["offset"], said["structure"], said["member"], said["rule"]))
        self.assertIn("tiling", said["why"])

    def test_layer(self):
        """Of several findings, the one in the layer whose code failed is chosen."""
        with open(vector("items-chain-data-size-24"), "rb") as file:
            data = bytearray(file.read())
        data[0x48 + 4:0x48 + 6] = b"\xff\xff"  # Size of the logfile header event: an earlier error, in another layer
        path = self.file(data)
        first = self.explain(path)
        frame = {"function": "etl_items_next", "file": "decoder/src/items.c", "line": 1}
        said = self.explain(path, frame=frame)
        self.assertNotEqual("items", first["finding"]["layer"])
        self.assertEqual("items", said["finding"]["layer"])
        self.assertIn("items", said["why"])

    def test_conforming(self):
        """In a conforming file no member is guessed."""
        said = self.explain(vector("size-compact32-least"))
        self.assertEqual((None, None, None, None), tuple(said[key] for key in ("structure", "member", "rule", "offset")))
        self.assertRegex(said["why"], "conforming, so that no rule can be named")

    def test_part(self):
        """The offset of an oracle on a part becomes an offset in the file around the part."""
        path = sorted(glob.glob(os.path.join(SEEDS, "fuzz_event", "*")))[0]
        said = self.explain(path, "fuzz_event", text="oracle event-frame broken at offset 0x2 (buffer 0, event 0): …")
        self.assertEqual("HeaderType", said["member"])
        with open(os.path.join(self.folder, "embedded.etl"), "rb") as file, open(path, "rb") as part:
            self.assertEqual(part.read()[8 + 2:8 + 3], file.read()[said["offset"]:said["offset"] + 1])

    def test_around(self):
        """A fault of the surrounding file, here the missing logfile header, is not attributed to the input."""
        unknown = bytes(8)  # the context of a file with an unknown header
        event = bytes((32, 0, 0x13, 0xC0)) + bytes(28)  # with a Size below its header
        said = self.explain(self.file(unknown + event), "fuzz_event")
        self.assertEqual("SIZ-001", said["rule"])
        said = self.explain(self.file(unknown + bytes((0x50, 0, 0x13, 0xC0)) + bytes(0x4C)), "fuzz_event")
        self.assertNotEqual("LFH-001", said["rule"])

    def test_too_large(self):
        path = self.file(b"x")
        os.truncate(path, 1 << 30)
        said = self.explain(path)
        self.assertEqual((said["recipe"], said["vector"], said["offset"]), (None, None, None))
        self.assertEqual("1,073,741,824 bytes: inputs of more than 262,144 are not analysed, and have no recipe",
                         said["note"])

    def test_none(self):
        said = self.explain(self.file(b"recipe"), "fuzz_recipe")
        self.assertEqual((None, None, None, [], False), tuple(said[key] for key in
                                                              ("structure", "recipe", "vector", "hex", "rebuilds")))
        self.assertIn("text", said["why"])

    def test_share(self):
        """At least 85 % of the vectors with one fault and a known member are explained correctly."""
        counts = recipe_accuracy.explained(20, 3, REFERENCE)
        self.assertGreater(counts["members"], 50)
        self.assertGreaterEqual(counts["right"], 0.85 * counts["members"], counts)


class Hexes(Case):
    def test_rows(self):
        """The rows have the bytes of the file, and mark the row of the offset."""
        path = vector("size-first-short")
        rows = hex_view.around(path, 2120, REFERENCE)
        data = content(path)
        for row in rows:
            part = bytes.fromhex(row["bytes"])
            self.assertEqual(data[row["offset"]:row["offset"] + len(part)], part)
        self.assertEqual([True], [row["offset"] <= 2120 for row in rows if row["mark"]])
        self.assertTrue(any(row["label"] == "WMI_BUFFER_HEADER_61.BufferSize = 1024 (0x400)" for row in rows))
        self.assertTrue(any(row["label"].startswith("slack of ") for row in rows))
        self.assertIn("> 0x00000848", hex_view.as_text(rows))

    def test_no_trace(self):
        rows = hex_view._plain(self.file(bytes(range(256))), 200)
        self.assertEqual([192], [row["offset"] for row in rows if row["mark"]])


class Drafts(Case):
    def draft(self, name):
        return self.draft_of(vector(name))

    def draft_of(self, path):
        bucket = {"title": 'SEGV in "etl_x" {0}'}
        said = explain.explain(path, "fuzz_file", bucket, self.folder, Failing(seconds=0), COMMAND)
        with open(said["vector"], encoding="utf-8") as file:
            return said, file.read()

    def test_reject(self):
        """The draft builds the same bytes, and states no more than the rules do."""
        said, text = self.draft("size-first-short")
        with open(vector("size-first-short"), "rb") as file:
            self.assertEqual(file.read(), build(said["vector"]).stdout)
        self.assertIn("# DRAFT", text)
        self.assertIn("finding SIZ-001 at lost1.Size\n", text)
        for word in ("expected ", "actual ", "loses ", "does "):
            self.assertNotIn(word, text[text.index("vector "):])
        self.assertIn("To be added by a person: expected, actual", " ".join(text.replace("#", " ").split()))
        self.assertTrue(said["vector_id"].startswith("size-found-size-"))
        self.assertEqual("size", os.path.basename(os.path.dirname(said["vector"])))

    def test_hollow_patch(self):
        """The draft warns if its patch changes nothing, because the trace was laid out around the fault."""
        said = "The patch changes nothing"
        self.assertIn(said, self.draft("header-type-06")[1])
        self.assertNotIn(said, self.draft("size-first-short")[1])

    def test_open(self):
        """If the suite has no settled answer for a rule, the draft has verdict `either`."""
        expected = next(one for one in sorted(VECTORS.traces, key=lambda one: one["id"])
                        if one["group"] == "recovery" and "event-beyond-extent" in one["flags"])
        said, text = self.draft(expected["id"])
        self.assertEqual(expected["rule"], said["rule"])
        self.assertIn("either event-beyond-extent", text)

    def test_no_trace(self):
        """A file that is no trace breaks no rule with an error: the draft names its verdict."""
        said, text = self.draft_of(self.file(b"MZ"))
        self.assertIn("its verdict is not-etl", text)
        self.assertEqual(b"MZ", build(said["vector"]).stdout)

    def test_notes(self):
        """A vector that is accepted states the findings that are no errors, so that the reference decoder passes it."""
        text = self.draft("buffer-saved-offset-between-events")[1]
        self.assertIn("\n    accept\n    finding BUF-006 at b1.SavedOffset\n", text)

    def test_all_build(self):
        """Each draft of a sample builds, and has no line that is too long; for a file with several faults there is none."""
        drafted = 0
        for path in sorted(glob.glob(os.path.join(GOLDEN, "*", "*.etl")))[7::4 * STEP]:
            said = explain.explain(path, None, {}, self.folder, Failing(seconds=0), COMMAND)
            if said["vector"] is None:
                self.assertTrue(said["vector_note"].startswith("the reference decoder does not pass"), said["vector_note"])
                continue
            drafted += 1
            with self.subTest(path), open(said["vector"], encoding="utf-8") as file:
                self.assertEqual(content(path), build(said["vector"]).stdout)
                self.assertLess(max(map(len, file.read().split("\n"))), 125)
        self.assertGreater(drafted, 10)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        recipe_accuracy.print_all(REFERENCE)
    else:
        unittest.main()
