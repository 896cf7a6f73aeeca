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
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.decoder = os.path.realpath(folder.name)
        os.mkdir(os.path.join(self.decoder, "src"))
        for name, value in (("DECODER", self.decoder), ("PATH", os.path.join(self.decoder, "proofs.tsv")),
                            ("UNPROVED", os.path.join(self.decoder, "unproved.tsv"))):
            self.replace(table, name, value)
        self.replace(frama_c, "CACHE", os.path.join(self.decoder, "cache"))
        table.write({})
        self.explain()
        self.path = self.write()

    def replace(self, module, name, value):
        patch = mock.patch.object(module, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name="src/f.c", value=1, result=1, comment=""):
        path = os.path.join(self.decoder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(SOURCE.format(value=value, result=result, comment=comment))
        return path

    def explain(self, *goals):
        """The goals of src/f.c that may stay unproved."""
        with open(table.UNPROVED, "w", encoding="utf-8") as file:
            file.write("".join(f"src/f.c\t{goal}\ttoo large\n" for goal in goals))


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
        rows = {"src/f.c": table.Row("src/f.c", 1, 3, 2, 9, "abc")}
        table.write(rows)
        self.assertEqual(rows, table.read())

    def test_functions_are_those_with_a_body(self):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("int declared(int a);\nstatic const int table[] = {\n    1};\nstatic inline size_t *two(int a,\n"
                       "    int b)\n{\n    return f();\n}\n")
        self.assertEqual(["f", "two"], table.functions_of(self.path))


def said(*unproved, goals=3):
    """What Frama-C prints."""
    return SAID + "".join(f"[wp] [Timeout] Goal {goal}\n" for goal in unproved) + \
        f"[wp] Proved goals:   {goals - len(unproved)} / {goals}\n"


class CommandTest(Case):
    def run_command(self, *arguments, answers=(said(),), missing=()):
        """The exit status and output. Frama-C prints the answers, the last one again and again."""
        out, self.runs = io.StringIO(), []

        def run(_, words, environment):
            if words[0] == "frama-c":
                self.runs.append(words)
            return answers[min(len(self.runs), len(answers)) - 1]

        with mock.patch.object(frama_c, "missing", lambda: list(missing)), \
                mock.patch.object(frama_c.FramaC, "_run", run), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = main.main(list(arguments))
        return code, out.getvalue()

    def test_proof_is_recorded(self):
        self.assertEqual(PASSED, self.run_command(self.path)[0])
        self.assertEqual((3, 3), table.read()["src/f.c"][2:4])
        code, told = self.run_command("--changed", missing=["frama-c"])
        self.assertEqual(PASSED, code)
        self.assertIn("nothing changed since the proofs of 1 files", told)

    def test_unproved_goal_fails_and_is_not_recorded(self):
        code, told = self.run_command(self.path, answers=[said("typed_f_ensures_2")])
        self.assertEqual(FAILED, code)
        self.assertEqual(["  not proved: typed_f_ensures_2"], [line for line in told.splitlines() if "not proved" in line])
        self.assertEqual({}, table.read())

    def test_explained_goal_may_stay_unproved_and_no_other(self):
        self.explain("typed_f_ensures_2")
        code, told = self.run_command(self.path, answers=[said("typed_f_ensures_2")])
        self.assertEqual(PASSED, code)
        self.assertIn("not proved: typed_f_ensures_2 (too large)", told)
        self.assertEqual(FAILED, self.run_command(self.path, answers=[said("typed_f_ensures_3")])[0])
        code, told = self.run_command(self.path)
        self.assertEqual(PASSED, code)
        self.assertIn("can go: typed_f_ensures_2", told)

    def test_explained_goal_is_tried_in_full_only_if_the_file_is_named(self):
        table.write({"src/f.c": table.Row("src/f.c", 1, 3, 2, 9, "-")})
        self.explain("typed_f_ensures_2")
        for argument, passes in (("--all", 1), (self.path, 2)):
            self.assertEqual(PASSED, self.run_command(argument, answers=[said("typed_f_ensures_2")])[0])
            self.assertEqual(passes, len(self.runs))

    def test_functions_with_unproved_goals_are_tried_again_alone(self):
        table.write({"src/f.c": table.Row("src/f.c", 2, 3, 2, 9, "-")})
        self.explain("typed_f_2_ensures")
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("int f_2(void)\n{\n    return 2;\n}\n")
        answers = [said("typed_f_2_ensures", "typed_f_ensures"), said(goals=1)]
        self.assertEqual(PASSED, self.run_command("--all", answers=answers)[0])
        self.assertEqual(["f"], [words[words.index("-wp-fct") + 1] for words in self.runs[1:]])
        self.assertEqual((3, 2), table.read()["src/f.c"][2:4])

    def test_answers_that_are_no_proof_are_not_kept(self):
        os.mkdir(frama_c.CACHE)
        for name, verdict in (("a", "valid"), ("b", "failed"), ("c", "timeout")):
            with open(os.path.join(frama_c.CACHE, name), "w", encoding="utf-8") as file:
                file.write(f'{{ "prover": "Z3:4.8.12", "verdict": "{verdict}" }}')
        self.assertEqual(PASSED, self.run_command(self.path)[0])
        self.assertEqual(["a"], os.listdir(frama_c.CACHE))

    def test_answer_that_lists_fewer_goals_than_it_counts(self):
        code, told = self.run_command(self.path, answers=[SAID + "[wp] Proved goals:   1 / 3\n"])
        self.assertEqual(INPUT, code)
        self.assertIn("not what it lists", told)

    def test_change_asks_for_a_proof(self):
        self.run_command(self.path)
        self.write(value=2)
        code, told = self.run_command("--changed", missing=["frama-c"])
        self.assertEqual(main.MISSING, code)
        self.assertIn("to prove: src/f.c; missing: frama-c", told)
        self.assertEqual(PASSED, self.run_command("--changed")[0])

    def test_each_file_with_functions_has_a_row(self):
        code, told = self.run_command("--changed")
        self.assertEqual(FAILED, code)
        self.assertIn("decoder/src/f.c: no row in", told)

    def test_wrong_arguments(self):
        for arguments, code in (((), USAGE), (("--all", "--changed"), USAGE), (("nosuch.c",), INPUT), ((__file__,), INPUT)):
            self.assertEqual(code, self.run_command(*arguments)[0])

    def test_damaged_table(self):
        with open(table.PATH, "a", encoding="utf-8") as file:
            file.write("src/f.c\t1\n")
        code, told = self.run_command("--changed")
        self.assertEqual(INPUT, code)
        self.assertIn("6 columns expected, found 2", told)


if __name__ == "__main__":
    unittest.main()
