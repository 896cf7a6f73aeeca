# SPDX-License-Identifier: Apache-2.0
"""Unit tests of scripts/mutation: mutants of a text, and their results."""
import collections
import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from etlproof import ROOT
from etlproof.folder_case import matters
from runner.failure import INPUT, Failure
from . import (layout_operators, main as mutation, mutant_run, operators, oracle_run, results, table_operators, toolchain,
               worlds)

# A compiler that ran out of memory.
KILLED = "#!/bin/sh\necho 'gcc: fatal error: Killed signal terminated program cc1' >&2\nexit 1\n"
MEMBERS = {"HEADER": ["Size", "Type"]}
FUNCTION = """/* a < b */
bool f(etl_thing *x, int n)
{
    int a = -1;
    %s
}
"""


def changes(statement, kind=None):
    """(kind, old, new) of all mutants of one statement."""
    text = FUNCTION % statement
    at = text.index(statement)
    return [(mutant.kind, mutant.old, mutant.new) for mutant in operators.mutants_of("x.c", text, MEMBERS)
            if mutant.start >= at and kind in (None, mutant.kind)]


class OperatorsTest(unittest.TestCase):
    def test_each_kind(self):
        for statement, expected in (
                ("n = a <= n;", [("comparison", "<=", "<")]),
                ("n = a == n;", [("comparison", "==", "!=")]),
                ("n = a && n;", [("logic", "&&", "||")]),
                ("n = !a;", [("negation", "!", "")]),
                ("n = a + n;", [("arithmetic", "+", "-")]),
                ("n -= a;", [("arithmetic", "-=", "+=")]),
                ("n = a << n;", []),
                ("return true;", [("truth", "true", "false")]),
                ("n = 8u;", [("constant", "8u", "7u"), ("constant", "8u", "9u")]),
                ("n = 0x0F;", [("constant", "0x0F", "0x10"), ("constant", "0x0F", "0xE")]),
                ("n = 0;", [("constant", "0", "1")]),
                ("n = ETL_AT(HEADER, Type);", [("offset", "ETL_AT(HEADER, Type)", "(ETL_AT(HEADER, Type) + 1u)"),
                                               ("offset", "ETL_AT(HEADER, Type)", "ETL_AT(HEADER, Size)")]),
                ("n = ETL_SIZE(HEADER);", [("size", "ETL_SIZE(HEADER)", "(ETL_SIZE(HEADER) + 8u)"),
                                           ("size", "ETL_SIZE(HEADER)", "(ETL_SIZE(HEADER) - 8u)")])):
            with self.subTest(statement):
                self.assertEqual(sorted(expected), sorted(one for one in changes(statement) if one[0] != "stale"))

    def test_flow(self):
        for statement, kind, expected in (
                ("go(x, n);", "argument", [("x, n", "n, x")]),
                ("go(&x, n);", "argument", []),
                ("go(n, n);", "argument", []),
                ("go(n, f(a, n), a);", "argument", [("n, f(a, n)", "f(a, n), n"), ("f(a, n), a", "a, f(a, n)"),
                                                    ("a, n", "n, a")]),
                ("if (go(a)) n = 1;", "argument", []),
                ("n = etl_load_u16(s, 4);", "width", [("etl_load_u16", "(int16_t)etl_load_u16"),
                                                      ("etl_load_u16", "etl_load_u8")]),
                ("n = (uint32_t)a;", "width", [("uint32_t", "uint16_t")]),
                ("n = sizeof(uint32_t);", "width", []),
                ("n = a ? 1 : 2;", "branch", [("1 : 2", "2 : 1")]),
                ("go(a ? f(n, 1) : n, 3);", "branch", [("f(n, 1) : n", "n : f(n, 1)")]),
                ("if (a) n = 1; else n = 2;", "else", [("else", "")]),
                ("for (n = 0; n < a; n++) go();", "step", [("<", "+ 1 <"), ("++", " += 2")]),
                ("while (f(n) <= a) n = 1;", "step", [("<=", "+ 1 <=")]),
                ("if (n < a) go();", "step", []),
                ("n = a;", "stale", [("n = a", "")]),
                ("if (a) y.n.m = a;", "stale", [("y.n.m = a", "")]),
                ("x->n = a;", "stale", []),
                ("int y = a;", "stale", []),
                ("etl_thing y = {.n = a, .m = 0};", "stale", [("a", "0")])):
            with self.subTest(statement):
                self.assertEqual(expected, [one[1:] for one in changes(statement, kind)])

    def test_nothing_flows_outside_functions(self):
        self.assertEqual([], [one for one in operators.mutants_of("x.c", "int f(int a, int b);\n", {})])

    def test_pair(self):
        text = "int f(int a) { return a < 3 && a > 1; }\n"
        one, other = (mutant for mutant in operators.mutants_of("x.c", text, {}) if mutant.kind == "comparison")
        pair = mutant_run.pair_of(text, one, other)
        self.assertEqual("int f(int a) { return a <= 3 && a >= 1; }\n", pair.apply(text))
        self.assertEqual(f"{one.change}; line +0, {other.change}", pair.change)

    def test_statements(self):
        for statement, deleted in (("x->n = n;", "x->n = n"), ("*p = n;", "*p = n"), ("x->n++;", "x->n++"),
                                   ("go(x, n);", "go(x, n)"), ("if (n) x->n |= n;", "x->n |= n"),
                                   ("case A: go(n); break;", "go(n)")):
            with self.subTest(statement):
                self.assertEqual([("statement", deleted, "")], changes(statement, "statement"))
        for statement in ("n = a;", "etl_thing *y = go(x);", "return go(n);", "n = a ? go(n) : go(a);", "int b = x->n;"):
            with self.subTest(statement):
                self.assertEqual([], changes(statement, "statement"))

    def test_the_condition_of_a_report(self):
        condition = [("report", "a", "!(a)"), ("report", "a", "false && (a)")]
        for statement, expected in (("if (a) report(ETL_RULE_SIZ_001);", condition),
                                    ("if (a) { n = n; if (n) go(); report(ETL_RULE_SIZ_001); }", condition),
                                    ("if (a) while (n) report(ETL_RULE_SIZ_001);", condition),
                                    ("if (a) { go(); } else report(ETL_RULE_SIZ_001);", []),
                                    ("while (a) report(ETL_RULE_SIZ_001);", []),
                                    ("report(ETL_RULE_SIZ_001);", [])):
            with self.subTest(statement):
                self.assertEqual(expected, sorted(changes(statement, "report")))

    def test_the_key_does_not_depend_on_other_lines(self):
        one, more = (operators.mutants_of("x.c", text, {}) for text in ("int a = 1;\n", "int b;\n\nint a = 1;\n"))
        self.assertEqual([mutant.key for mutant in one], [mutant.key for mutant in more])
        twice = operators.mutants_of("x.c", "int a = 1;\nint a = 1;\n", {})
        self.assertEqual(4, len({mutant.key for mutant in twice}))

    def test_body_of_a_macro(self):
        """# begins a directive at the start of a line only."""
        text = "#define ROW(name, n) \\\n    {#name, n + 1},\nint a = 1;\n"
        self.assertEqual(["+", "1", "1", "1", "1"], [mutant.old for mutant in operators.mutants_of("x.c", text, {})])

    def test_apply(self):
        text = "int f(int a) { return a < 3; }\n"
        mutated = [mutant.apply(text) for mutant in operators.mutants_of("x.c", text, {})]
        self.assertIn("int f(int a) { return a <= 3; }\n", mutated)


class TablesTest(unittest.TestCase):
    def test_cells(self):
        row, = table_operators.rows_of('ETL_X(0x01, ETL_AT(A, B), "a, \\"b\\" (c)", 3)\n')
        self.assertEqual(["0x01", "ETL_AT(A, B)", '"a, \\"b\\" (c)"', "3"], [row[number] for number in range(4)])

    def test_row_on_two_lines(self):
        first, second = table_operators.rows_of('ETL_X(A,\n      "b (c)", 3)\nETL_X(B, "d", 4)\n')
        self.assertEqual((["A", '"b (c)"', "3"], "B"), ([first[number] for number in range(3)], second[0]))

    def test_adjacent_members_of_one_kind_are_swapped(self):
        text = "ETL_MEMBER(A, X, 0x04, U32)\nETL_MEMBER(A, Y, 0x08, U32)\nETL_MEMBER(A, Z, 0x0C, U16)\n"
        found = table_operators.mutants_of("structures.def", "s.def", text, lambda word: True)
        swapped = [mutant.apply(text) for mutant in found if "\n" in mutant.old]
        self.assertEqual(["ETL_MEMBER(A, X, 0x08, U32)\nETL_MEMBER(A, Y, 0x04, U32)\nETL_MEMBER(A, Z, 0x0C, U16)\n"],
                         swapped)

    def test_only_rows_that_the_decoder_uses_are_mutated(self):
        text = "ETL_MEMBER(A, X, 0x04, U32)\nETL_MEMBER(A, Y, 0x08, U32)\n"
        found = table_operators.mutants_of("structures.def", "s.def", text, lambda word: word == r"\bA, Y\b")
        self.assertEqual(["0x9", "0x7"], [mutant.new for mutant in found])

    def test_every_reported_rule_of_the_tree(self):
        mutants = mutant_run.all_mutants(ROOT)
        for world in worlds.WORLDS:
            self.assertTrue([mutant for mutant in mutants if worlds.world_of(mutant.file) is world])
        text = toolchain.read(os.path.join(ROOT, "decoder", "format", "rules.def"))
        rules = table_operators.rows_of(text.replace("\n         ", ""))
        of_the_command = ("MET-013", "MET-014")  # rules that no library reports
        reported = [row[1].strip('"') for row in rules if row[4] != "STRUCTURE" and row[2] != worlds.COMMAND_GROUP
                    and row[1].strip('"') not in of_the_command]
        self.assertGreater(len(reported), 50)
        self.assertEqual(sorted(reported), sorted(mutant.rule for mutant in mutants if mutant.kind == "rule"))
        sites = {rule for mutant in mutants if mutant.kind == "report" for rule in mutant.rule.split()}
        self.assertLessEqual(sites, set(reported))


class LayoutsTest(unittest.TestCase):
    """Tables of structures in memory."""

    FACTS = layout_operators.Facts({
        "windows.def": 'ETL_WINDOWS(6_1, "6.1")\nETL_WINDOWS(6_2, "6.2")\nETL_WINDOWS(6_3, "6.3")\n',
        "types.def": 'ETL_MEMORY_TYPE(A, UNSIGNED, 1, 4, 4)\nETL_MEMORY_TYPE(B, UNSIGNED, 1, 4, 4)\n'
                     'ETL_MEMORY_TYPE(C, GUID, 1, 0x10, 0x10)\n',
        "evidence.def": 'ETL_EVIDENCE(PAGE, 1, "page")\nETL_EVIDENCE(CONTRADICTED, 0, "not")\n'})

    def changes(self, name, text):
        return [(mutant.old, mutant.new) for mutant in layout_operators.mutants_of(name, name, text, self.FACTS)]

    def test_each_table(self):
        for name, text, expected in (
                ("types.def", "ETL_MEMORY_TYPE(A, UNSIGNED, 1, 0x04, 0x08, 4, 8)\n",
                 [("UNSIGNED", "SIGNED"), ("1", "2"), ("0x04", "0x5"), ("0x08", "0x9")]),
                ("kinds.def", 'ETL_MEMORY_KIND(X, "x")\nETL_MEMORY_PART(X, P, POINTER, 0x00, 0x08, 4, 8)\n',
                 [("POINTER", "HANDLE"), ("0x00", "0x1"), ("0x08", "0x9"), ("4", "5"), ("8", "9")]),
                ("meanings.def", 'ETL_MEMORY_MEANS("Flags", FLAGS)\n', [("FLAGS", "NONE")]),
                ("bits.def", "ETL_MEMORY_BITS(FLAGS, 0x80000000, X, USED, 6_1, 6_2, PAGE)\n",
                 [("PAGE", "CONTRADICTED"), ("0x80000000", "0x40000000"), ("USED", "SPARE"), ("6_1", "6_2"),
                  ("6_2", "6_1")]),
                ("bits.def", "ETL_MEMORY_BITS(FLAGS, 0x80000000, X, USED, 6_1, 6_2, CONTRADICTED)\n",
                 [("CONTRADICTED", "PAGE")]),
                ("structures.def", 'ETL_MEMORY_STRUCTURE(S, USER, "x", "y")\nETL_MEMORY_SIZE(S, 6_3, 6_3, 0x10, NONE)\n',
                 [("USER", "KERNEL"), ("6_3", "6_2"), ("0x10", "0x18"), ("0x10", "0x8")]),
                ("evidence.def", 'ETL_EVIDENCE(X, 0, "x")\nETL_MEMORY_CONFIRMED(S, 6_1, 6_1, 1, 1, 0, PAGE, "x")\n',
                 [("0", "1"), ("PAGE", "CONTRADICTED")])):
            with self.subTest(name):
                self.assertEqual(expected, self.changes(name, text))

    def test_one_cell_of_each_member_row_is_mutated(self):
        """All columns occur. A rejected row, or a cell with nothing to change, gives no mutant."""
        rows = [f'ETL_MEMORY_MEMBER("M{number}", A, 6_1, 6_2, 0x000, NONE, PAGE)\n' for number in range(60)]
        found = [self.changes("x.def", row) for row in rows]
        self.assertEqual([1] * 60, [len(changes) for changes in found])
        self.assertEqual({("A", "C"), ("6_1", "6_2"), ("6_2", "6_1"), ("0x000", "0x1"), ("PAGE", "CONTRADICTED")},
                         {changes[0] for changes in found})
        self.assertEqual([], self.changes("x.def", rows[0].replace("PAGE", "CONTRADICTED")))
        self.assertEqual([change for changes in found for change in changes], self.changes("x.def", "".join(rows)))


class ResumeTest(unittest.TestCase):
    """Which results of a report still hold after the vectors have changed."""

    KILLED, OTHER, SURVIVED, SAME = (
        {"rec": "mutant", "key": key, "outcome": outcome, "by": by, "by_hash": by and "old"}
        for key, outcome, by in (("a", "killed", "v"), ("b", "killed", "w"), ("c", "survived", None),
                                 ("d", "equivalent", None)))

    def resume(self, program, vectors, hashes):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.jsonl")
            before = results.Report(path, {"rec": "run", "program": "p", "vectors": "x"}, {})
            before.open([self.KILLED, self.OTHER, self.SURVIVED, self.SAME])
            before.close()
            found = results.Report(path, {"rec": "run", "program": program, "vectors": vectors}, hashes).resume()
            return None if found is None else "".join(found)

    def test_same_decoder_and_vectors(self):
        self.assertEqual("abcd", self.resume("p", "x", {}))

    def test_other_vectors(self):
        self.assertEqual("ad", self.resume("p", "y", {"v": "old", "w": "new"}))
        self.assertEqual("d", self.resume("p", "y", {}))

    def test_another_decoder(self):
        self.assertIsNone(self.resume("q", "x", {}))

    def test_failed_write_keeps_the_old_report(self):
        with tempfile.TemporaryDirectory() as folder:
            report = results.Report(os.path.join(folder, "report.jsonl"), {"program": "p"}, {})
            report.open([self.SAME])
            report.close()
            with self.assertRaises(TypeError):
                report.open([{"key": object()}])
            self.assertEqual({"d": self.SAME}, report.resume())

    def test_explained_mutants_of_an_old_report_are_survivors(self):
        with mock.patch.object(self, "SURVIVED", {**self.SURVIVED, "outcome": "explained"}):
            self.assertEqual("abcd", self.resume("p", "x", {}))
            self.assertEqual("ad", self.resume("p", "y", {"v": "old"}))


class ProgramTest(unittest.TestCase):
    """Which sources the hash of the decoder covers."""

    PARTS = ("decoder/src/item.c", "decoder/memory/clues.c", "decoder/payload/types.c",
             "decoder/include/etlproof/item.h", "decoder/tool/records/json_writer.c", "decoder/format/item_types.def",
             "decoder/format/layouts/kinds.def",
             "conformance/adapters/etlproof/shim.c", "conformance/runner/host.c", "conformance/runner/shim.h")

    def test_sources_change_the_hash(self):
        for name in self.PARTS:
            with self.subTest(name):
                self.assertTrue(os.path.isfile(os.path.join(ROOT, name)))
                self.assertTrue(matters(mutation.hash_of_program, self.PARTS, name))

    def test_other_files_do_not_change_the_hash(self):
        """Vectors have their own hashes; rule_vectors.def, a table of the decoder, names vectors too."""
        for name in ("decoder/format/layouts/README.md", "decoder/format/rule_vectors.def", "decoder/tests/item_test.c",
                     "conformance/golden/MANIFEST.tsv", "conformance/runner/run_command.py"):
            with self.subTest(name):
                self.assertTrue(os.path.isfile(os.path.join(ROOT, name)))
                self.assertFalse(matters(mutation.hash_of_program, self.PARTS, name))

    def test_missing_source_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(FileNotFoundError):
            mutation.hash_of_program(folder)


@mock.patch.object(mutation, "Golden", return_value=mock.Mock(vectors=[]))
@mock.patch.object(mutation.source_hash, "hash_of", return_value="x")
@mock.patch.object(mutation, "hash_of_program", return_value="p")
@mock.patch.object(mutation.Mutation, "__init__", return_value=None)
@mock.patch.object(mutation.Mutation, "_finish")
class RunTest(unittest.TestCase):
    """Runs without a mutant left to try."""

    OF = {"rec": "run", "version": 1, "program": "p", "vectors": "x"}

    def resume(self, before, chosen, explained=(), there="abcd", of=OF):
        """(lines of the report afterwards, {key: printed outcome})"""
        with tempfile.TemporaryDirectory() as folder:
            run = mutation.Mutation()
            run.options = mock.Mock(report=os.path.join(folder, "report.jsonl"), resume=True, large=False,
                                    oracles=False)
            run.tree, run.results, run.counts = folder, {}, collections.Counter()
            run.mutants = [mock.Mock(key=key) for key in there]
            run.chosen = [mutant for mutant in run.mutants if mutant.key in chosen]
            run.explained = mock.Mock(rows=explained)
            with open(run.options.report, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in (of, *before))
            run.run()
            with open(run.options.report, encoding="utf-8") as file:
                return [json.loads(line) for line in file], {key: shown["outcome"] for key, shown in run.results.items()}

    def test_explanations_are_not_stored_in_the_report(self, *_):
        survived = ResumeTest.SURVIVED
        self.assertEqual(([self.OF, survived], {"c": "explained"}), self.resume([survived], "c", explained="c"))
        self.assertEqual(([self.OF, survived], {"c": "survived"}), self.resume([survived], "c"))

    def test_results_of_unselected_mutants_stay_in_the_report(self, *_):
        before = [ResumeTest.KILLED, ResumeTest.SURVIVED, ResumeTest.SAME]
        self.assertEqual(([self.OF, *before], {"d": "equivalent"}), self.resume(before, "d"))
        self.assertEqual([self.OF, *before[1:]], self.resume(before, "d", there="cd")[0])

    def test_missing_build_tools(self, *_):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/bin/false", os.path.join(folder, "clang"))
            with mock.patch.dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"]), \
                    self.assertRaisesRegex(Failure, r"^missing: clang libclang-rt-dev .*: run scripts/bootstrap mutation$"):
                mutation.Mutation()._prepare([])

    def test_report_of_another_decoder_is_reported(self, *_):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(([self.OF], {}), self.resume([ResumeTest.SAME], "", of={**self.OF, "program": "q"}))
        self.assertIn("report.jsonl: belongs to another decoder; starting over", said.getvalue())


class ExplainedTest(unittest.TestCase):
    def explained(self, text, **concerns):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write(text)
            file.flush()
            return results.Explained(file.name, **concerns)

    def test_rows_of_other_runs(self):
        explained = self.explained("a.c\t1\tx\twhy\nb.c\t2\ty\twhy\n", concerns=lambda file: file == "b.c")
        self.assertEqual({"b.c|2|y": (2, "why")}, explained.rows)

    def test_stale(self):
        explained = self.explained("# comment\na.c\t1\tx\twhy\na.c\t2\ty\twhy\na.c\t3\tz\twhy\na.c\t4\tw\twhy\n")
        everything = {"a.c|1|x", "a.c|2|y", "a.c|4|w"}
        done = {"a.c|1|x": {"outcome": "explained"}, "a.c|2|y": {"outcome": "killed"}}
        lines = explained.stale({"a.c|1|x", "a.c|2|y"}, everything, done)
        self.assertEqual([":3: the mutant no longer survives: it is killed", ":4: this mutant no longer exists"],
                         [line[line.index(":"):] for line in lines])

    def test_broken(self):
        for text in ("a.c\t1\tx\n", "a.c\t1\tx\t \n", "a.c\t1\tx\twhy\na.c\t1\tx\twhy\n"):
            with self.subTest(text), self.assertRaises(Failure):
                self.explained(text)

    def test_score(self):
        self.assertEqual(75.0, results.score({"killed": 3, "survived": 1, "equivalent": 5}))


class OracleTest(unittest.TestCase):
    """A trial whose build and tests are made up."""

    def trial(self, tree):
        trial = oracle_run.Trial(tree, tree, 1.0)
        trial.build, trial.objects, trial.compile = os.path.join(tree, "build"), {"gap.c.o": b"object"}, {"gap.c.o": "cc"}
        os.makedirs(trial._objects())
        trial.programs = [oracle_run.Program(name, os.path.join(tree, name), (), f"link {name}", b"oracle_gap", seconds)
                          for name, seconds in (("oracle_test", 1.0), ("fuzz_file", 2.0), ("fuzz_json", 9.0))]
        return trial

    def outcome(self, makes=True, object_=b"changed", failing=(), unchanged=(), kills=()):
        def shell(command):
            if command == "cc":
                write(os.path.join(trial._objects(), "gap.c.o"), object_)
                return makes
            name = command.removeprefix("link ")
            return write(os.path.join(tree, name), b"oracle_gap" if name in unchanged else b"changed")

        def write(path, data):
            with open(path, "wb") as file:
                return file.write(data)

        with tempfile.TemporaryDirectory() as tree:
            trial = self.trial(tree)
            os.makedirs(os.path.join(tree, oracle_run.FOLDER))
            toolchain.write(os.path.join(tree, "harness/oracle/gap.c"), "bool oracle_gap(int a)\n{\n}\n")
            trial.kills.update({("harness/oracle/gap.c", os.path.join(tree, name)): 1 for name in kills})
            trial._shell, trial._fails = shell, lambda command: os.path.basename(command[0]) in failing
            outcome = trial._try(mock.Mock(file="harness/oracle/gap.c"))
            self.assertEqual(b"object", toolchain.read_bytes(os.path.join(trial._objects(), "gap.c.o")))
            return outcome

    def test_outcomes(self):
        self.assertEqual(("invalid", None), self.outcome(makes=False))
        self.assertEqual(("equivalent", None), self.outcome(object_=b"object"))
        self.assertEqual(("killed", "oracle_test"), self.outcome(failing=("fuzz_file", "oracle_test")))
        self.assertEqual(("killed", "fuzz_file"), self.outcome(failing=("fuzz_file", "fuzz_json")))
        self.assertEqual(("survived", None), self.outcome())

    def test_programs_without_the_mutant_do_not_run(self):
        self.assertEqual(("survived", None), self.outcome(failing=("fuzz_file",), unchanged=("fuzz_file",)))
        failing = ("fuzz_file", "fuzz_json")
        self.assertEqual(("killed", "fuzz_json"), self.outcome(failing=failing, unchanged=("fuzz_file",)))

    def test_programs_without_the_functions_of_the_file_are_not_linked(self):
        with mock.patch.object(oracle_run, "_FUNCTION", re.compile("oracle_tail")):
            self.assertEqual(("survived", None), self.outcome(failing=("oracle_test",)))

    def test_programs_that_killed_mutants_of_the_file_run_first(self):
        failing = ("oracle_test", "fuzz_file", "fuzz_json")
        self.assertEqual(("killed", "fuzz_json"), self.outcome(failing=failing, kills=("fuzz_json",)))
        self.assertEqual(("killed", "fuzz_file"), self.outcome(failing=failing, kills=("fuzz_json", "fuzz_file")))

    def test_the_file_is_restored(self):
        with tempfile.TemporaryDirectory() as tree:
            path = os.path.join(tree, "gap.c")
            toolchain.write(path, "int a;")
            trial = oracle_run.Trial(tree, tree, 1.0)
            trial._try = lambda mutant: ("killed", toolchain.read(path))
            result = trial.run(mock.Mock(file="gap.c", apply=lambda text: text + "int b;"))
            self.assertEqual(("int a;int b;", "int a;"), (result["by"], toolchain.read(path)))

    def test_every_oracle_has_mutants_of_its_own(self):
        mutants = oracle_run.all_mutants(ROOT)
        sources = {name for name in os.listdir(os.path.join(ROOT, oracle_run.FOLDER)) if name.endswith(".c")}
        self.assertEqual(sources, {os.path.basename(mutant.file) for mutant in mutants})
        self.assertEqual(len(mutants), len({mutant.key for mutant in mutants}))


class FailingTrial:
    """A trial on a full disk."""

    def begin(self):
        pass

    def run(self, mutant):
        raise Failure(INPUT, f"{mutant}: no space left")


class BuildTest(unittest.TestCase):
    def compiled(self, source, compiler="gcc"):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("x.c", source), ("killed", KILLED)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            os.chmod(os.path.join(folder, "killed"), 0o700)
            compiler = compiler if compiler == "gcc" else os.path.join(folder, compiler)
            return toolchain.Toolchain(compiler, [], folder, folder).compile(folder, "x.c")

    def test_source_that_does_not_compile(self):
        self.assertTrue(self.compiled("int x;\n"))
        self.assertIsNone(self.compiled("int x = ;\n"))

    def test_failure_of_the_compiler_is_an_error(self):
        with self.assertRaisesRegex(Failure, "killed failed with status 1 without an error in the source: gcc: fatal"):
            self.compiled("int x;\n", "killed")

    def test_failure_of_a_worker_ends_the_run(self):
        def late(*_):
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.alarm(20)
        try:
            with self.assertRaisesRegex(Failure, ": no space left"):
                list(mutant_run.run_all(FailingTrial(), ["a", "b"] * 50, 2))
        finally:
            signal.alarm(0)


class CommandTest(unittest.TestCase):
    def test_numbers_must_be_positive(self):
        """A run that tries no mutant must not look like a run that killed all."""
        for option in ("--sample", "-j", "--hang"):
            done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "mutation"), "--list", option, "0"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((64, True), (done.returncode, "more than 0 expected, found 0" in done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
