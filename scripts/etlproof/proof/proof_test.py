# SPDX-License-Identifier: Apache-2.0
"""Tests the table of proofs, and the command with a stand-in for Frama-C."""
import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from runner.failure import FAILED, INPUT, PASSED, USAGE
from . import frama_c, main, table

SOURCE = """\
/* Says nothing. */
/*@ ensures \\result == {result}; */
int f(void)
{{
    return {value}; /* {comment} */
}}
"""
SAID = """\
[wp] [Qed] Goal typed_f_assigns : Valid
[wp] [Script] Goal typed_g_ensures_12 : Valid
{more}[wp] Proved goals:   {proved} / 3
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.decoder = os.path.realpath(folder.name)
        os.mkdir(os.path.join(self.decoder, "src"))
        for name, value in (("DECODER", self.decoder), ("PATH", os.path.join(self.decoder, "proofs.tsv"))):
            patch = mock.patch.object(table, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        table.write({})
        self.path = self.write()

    def write(self, name="src/f.c", value=1, result=1, comment=""):
        path = os.path.join(self.decoder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(SOURCE.format(value=value, result=result, comment=comment))
        return path


class TableTest(Case):
    def test_hash_is_of_code_and_contracts(self):
        first = table.hash_of(self.path)
        self.assertEqual(first, table.hash_of(self.write(comment="another comment")))
        self.assertNotEqual(first, table.hash_of(self.write(value=2)))
        self.assertNotEqual(first, table.hash_of(self.write(result=2)))

    def test_hash_is_of_included_files_too(self):
        hashes = []
        for text in ("#define A 1\n", "#define A 1 /* a comment */\n", "#define A 2\n"):
            with open(os.path.join(self.decoder, "src", "a.h"), "w", encoding="utf-8") as file:
                file.write(text)
            with open(self.path, "w", encoding="utf-8") as file:
                file.write('#include "a.h"\nint f(void)\n{\n    return A;\n}\n')
            hashes.append(table.hash_of(self.path))
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_texts_of_tables_do_not_count(self):
        hashes = []
        for row in ('ROW(1, "a text")', 'ROW(1, "another \\"text\\"")', 'ROW(2, "a text")'):
            with open(os.path.join(self.decoder, "src", "a.def"), "w", encoding="utf-8") as file:
                file.write(row + "\n")
            with open(self.path, "w", encoding="utf-8") as file:
                file.write('#define ROW(n, text) int a##n;\n#include "a.def"\n')
            hashes.append(table.hash_of(self.path))
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_comments_in_strings_stay(self):
        self.assertEqual('a = "/* b */" ;', table.stripped('a = "/* b */"/* c */;'))

    def test_rows_return_as_they_were_written(self):
        rows = {"src/f.c": table.Row("src/f.c", 1, 3, 2, 9, "abc", "why")}
        table.write(rows)
        self.assertEqual(rows, table.read())
        self.assertEqual(1, table.functions_of(self.path))


class CommandTest(Case):
    def run_command(self, *arguments, proved=3, more="", missing=()):
        out, err, self.runs = io.StringIO(), io.StringIO(), []
        said = SAID.format(proved=proved, more=more)
        with mock.patch.object(frama_c, "missing", lambda: list(missing)), \
                mock.patch.object(frama_c, "_run", lambda words, environment: self.runs.append(words[0]) or said), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main.main(list(arguments))
        return code, out.getvalue() + err.getvalue()

    def test_proof_is_recorded(self):
        self.assertEqual(PASSED, self.run_command(self.path)[0])
        self.assertEqual((3, 3), table.read()["src/f.c"][2:4])
        code, said = self.run_command("--changed", missing=["frama-c"])
        self.assertEqual(PASSED, code)
        self.assertIn("nothing changed since the proofs of 1 files", said)

    def test_unproved_goal_fails_and_is_not_recorded(self):
        code, said = self.run_command(self.path, proved=2, more="[wp] [Failed] Goal typed_f_ensures_2\n")
        self.assertEqual(FAILED, code)
        self.assertEqual(["  not proved: typed_f_ensures_2"], [line for line in said.splitlines() if "not proved" in line])
        self.assertEqual({}, table.read())

    def test_no_more_may_be_left_than_the_table_explains(self):
        table.write({"src/f.c": table.Row("src/f.c", 1, 3, 2, 9, "-", "too large")})
        self.assertEqual(PASSED, self.run_command(self.path, proved=2)[0])
        self.assertEqual("too large", table.read()["src/f.c"].left)
        self.assertEqual(FAILED, self.run_command(self.path, proved=1)[0])
        self.assertEqual(PASSED, self.run_command(self.path, proved=3)[0])
        self.assertEqual("", table.read()["src/f.c"].left)

    def test_what_is_left_is_tried_in_full_only_if_the_file_is_named(self):
        table.write({"src/f.c": table.Row("src/f.c", 1, 3, 2, 9, "-", "too large")})
        for arguments, passes in (("--all", 1), (self.path, 2)):
            self.assertEqual(PASSED, self.run_command(arguments, proved=2)[0])
            self.assertEqual(passes, self.runs.count("frama-c"))

    def test_change_asks_for_a_proof(self):
        self.run_command(self.path)
        self.write(value=2)
        code, said = self.run_command("--changed", missing=["frama-c"])
        self.assertEqual(main.MISSING, code)
        self.assertIn("to prove: src/f.c; missing: frama-c", said)
        self.assertEqual(PASSED, self.run_command("--changed")[0])

    def test_each_file_with_functions_has_a_row(self):
        code, said = self.run_command("--changed")
        self.assertEqual(FAILED, code)
        self.assertIn("decoder/src/f.c: no row in", said)

    def test_wrong_arguments(self):
        for arguments, code in (((), USAGE), (("--all", "--changed"), USAGE), (("nosuch.c",), INPUT), ((__file__,), INPUT)):
            self.assertEqual(code, self.run_command(*arguments)[0])

    def test_damaged_table(self):
        with open(table.PATH, "a", encoding="utf-8") as file:
            file.write("src/f.c\t1\n")
        code, said = self.run_command("--changed")
        self.assertEqual(INPUT, code)
        self.assertIn("7 columns expected, found 2", said)


if __name__ == "__main__":
    unittest.main()
