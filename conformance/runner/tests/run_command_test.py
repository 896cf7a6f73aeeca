# SPDX-License-Identifier: Apache-2.0
"""conformance/run: selecting vectors, policies, known failures, resuming, comparing reports, and wrong input."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from .runner_fixture import FAKE, RunnerCase, default_vectors

PARSER = ("--", sys.executable, FAKE, "right")
WRONG = "wrong-value"


class ChoiceTest(RunnerCase):
    def chosen(self, *arguments):
        out, _ = self.run_raw("--list", *arguments, code=0)
        return [line.split("\t")[0] for line in out.splitlines()]

    def test_filters(self):
        for filters, expected in ((["size-*"], ["size-ok", "size-bad"]), (["size-*", "id!=*-bad"], ["size-ok"]),
                                  (["id=size-ok"], ["size-ok"]),
                                  (["group=size", "verdict=accept"], ["size-ok"]), (["rule=MRK-*"], ["marker-ok"]),
                                  (["group=size", "group=clock"], ["size-ok", "size-bad", "clock-open"]),
                                  (["flag=clock-rounding"], ["clock-open"]), (["level=should"], ["marker-ok"])):
            with self.subTest(filters):
                self.assertEqual(expected, self.chosen(*(word for one in filters for word in ("--filter", one))))

    def test_level(self):
        self.assertEqual(["size-ok", "size-bad", "clock-open"], self.chosen("--level", "must"))

    def test_filters_that_match_nothing(self):
        for expression, words in (("group=sizes", "there are clock, marker-flags, size"), ("colour=red", '"colour"'),
                                  ("no-such-id", "no vector has id=no-such-id")):
            _, err = self.run_raw("--list", "--filter", expression, code=64)
            self.assertIn(words, err)
        self.run_raw("--list", "--filter", "group=size", "--filter", "rule=MRK-001", code=64)

    def test_only_selected_vectors_are_run(self):
        self.run_fake("right", "--filter", "group=size")
        self.assertEqual(["size-ok", "size-bad"], list(self.verdicts()))
        self.assertEqual("group=size", self.read_report()[0]["filter"])


class PolicyTest(RunnerCase):
    def test_policy_decides_vectors_of_verdict_either(self):
        behaviour = "wrong-value@clock-open"
        self.run_fake(behaviour)
        self.run_fake(behaviour, "--policy-set", "clock-rounding=accept")
        self.run_fake(behaviour, "--policy-set", "*=reference", code=1)
        self.assertEqual("wrong-value", self.verdicts()["clock-open"])
        self.run_fake(behaviour, "--policy-set", "clock-rounding=reject", code=1)
        self.assertEqual("wrong-accept", self.verdicts()["clock-open"])

    def test_policy_file(self):
        policy = self.file("policy", "# all\n* = reference\nclock-rounding = any # but not this\n")
        self.run_fake("wrong-value@clock-open", "--policy", policy)
        self.assertEqual({"clock-rounding": "any"}, self.read_report()[0]["policy"])

    def test_bad_policies(self):
        for text, words in (("clock-rounding\n", "policy:1: FLAG = "), ("\nclock-rounding = maybe", "policy:2: FLAG = "),
                            ("colour = any", 'policy:1: no vector has the flag "colour"; there are clock-rounding')):
            _, err = self.run_fake("right", "--policy", self.file("policy", text), code=66)
            self.assertIn(words, err)
        self.run_fake("right", "--policy-set", "x", code=64)


class KnownTest(RunnerCase):
    HEAD = "# first\n\n"

    def known(self, text):
        return self.file("known", self.HEAD + text)

    def check_fix(self, before, after, behaviour, *more, code=0):
        path = self.known(before)
        self.run_fake(behaviour, "--known", path, *(more or ("--fix",)), code=code)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(self.HEAD + after, file.read())

    def test_known_failure_does_not_fail_the_run(self):
        self.run_fake(WRONG, "--known", self.known("size-* wrong-value SIZ-001 https://x/1\n"))
        self.assertEqual("https://x/1", self.results()["size-ok"]["known"])

    def test_another_verdict_or_rule_is_not_known(self):
        for entry in ("size-ok crash SIZ-001 u", "size-ok wrong-value MRK-001 u", "size-bad wrong-value SIZ-001 u"):
            self.run_fake(WRONG, "--known", self.known(entry + "\n"), code=1)
            self.assertEqual([entry], self.read_report()[-1]["stale"])
            self.assertEqual(1, self.read_report()[-1]["unexpected"])

    def test_stale_entry_fails_the_run(self):
        out, _ = self.run_fake("right", "--known", self.known("size-ok wrong-value SIZ-001 u\n"), code=1)
        self.assertIn("no longer fails: size-ok wrong-value SIZ-001 u", out)
        self.run_fake("right", "--known", self.known("gone-* wrong-value SIZ-001 u\n"), code=1)

    def test_entry_of_a_vector_that_is_not_run_stays(self):
        known = self.known("size-ok wrong-value SIZ-001 u\n")
        self.run_fake("right", "--known", known, "--filter", "marker-ok")
        self.check_fix("size-ok wrong-value SIZ-001 u\n", "size-ok wrong-value SIZ-001 u\n", "right", "--fix", "--filter",
                       "marker-ok")

    def test_entry_of_several_vectors_is_stale_only_if_all_are_run(self):
        entry = "size-* wrong-value SIZ-001 u\n"
        self.run_fake(WRONG, "--known", self.known(entry), "--filter", "size-bad")
        self.check_fix(entry, entry, WRONG, "--fix", "--filter", "size-bad")
        self.run_fake("right", "--known", self.known(entry), code=1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_list_that_cannot_be_rewritten_stays_unchanged(self):
        path = self.known("size-ok crash SIZ-001 u\n")
        os.symlink("/dev/full", path + ".new")
        _, err = self.run_fake("right", "--known", path, "--fix", code=74)
        self.assertIn("cannot write: No space left on device", err)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(self.HEAD + "size-ok crash SIZ-001 u\n", file.read())

    def test_fix_drops_and_updates_and_keeps_comments(self):
        self.check_fix("size-bad crash SIZ-001 u\n# kept\nsize-ok crash * v\n", "# kept\nsize-ok wrong-value * v\n", WRONG)

    def test_fix_adds_only_on_request(self):
        self.check_fix("", "", WRONG, code=1)
        self.check_fix("", "size-ok wrong-value SIZ-001 https://x/2\n", WRONG, "--fix=add", "https://x/2")

    def test_fix_can_create_the_list(self):
        path = os.path.join(self.folder, "new-list")
        self.run_fake(WRONG, "--known", path, code=66)
        self.run_fake(WRONG, "--known", path, "--fix=add", "u")
        self.run_fake(WRONG, "--known", path)

    def test_bad_lists(self):
        for text in ("size-ok\n", "size-ok fails SIZ-001 u\n"):
            _, err = self.run_fake("right", "--known", self.known(text), code=66)
            self.assertIn("known:3: ID-or-glob VERDICT RULE URL expected", err)
        self.run_fake("right", "--fix", code=64)


class ResumeTest(RunnerCase):
    def cut(self, keep, tail=""):
        """Cuts the report to the line of the run and `keep` results, as a kill would."""
        path = os.path.join(self.report, "report.jsonl")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        marked = [line.replace('"seconds":0.', '"seconds":7.') for line in lines[1:1 + keep]]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines([lines[0], *marked, tail])

    def test_results_are_kept(self):
        self.run_fake("wrong-value@marker-ok", code=1)
        before = self.verdicts()
        self.cut(2, '{"rec":"result","id":"mark')
        out, _ = self.run_fake("wrong-value@marker-ok", "--resume", code=1)
        self.assertIn("2 of 4 results kept", out)
        self.assertEqual(before, self.verdicts())
        self.assertEqual(["run", "result", "result", "result", "result", "summary"],
                         [record["rec"] for record in self.read_report()])
        self.assertEqual(2, sum(result["seconds"] >= 7 for result in self.results().values()))
        self.assertEqual(list(self.results()), [vector["id"] for vector in default_vectors()])

    def test_another_run_starts_over(self):
        self.run_fake("right")
        self.cut(2)
        for arguments, words in ((("--timeout", "9"), "(limits differ)"), (("--level", "must"), "(level, limits differ)")):
            out, _ = self.run_fake("right", "--resume", *arguments)
            self.assertIn(words, out)
        out, _ = self.run_fake(WRONG, "--resume", code=1)
        self.assertIn("command", out)
        self.write_golden(default_vectors()[:3])
        out, _ = self.run_fake(WRONG, "--resume", code=1)
        self.assertIn("manifest_sha256", out)

    def test_nothing_to_resume(self):
        out, _ = self.run_fake("right", "--resume")
        self.assertIn("nothing to resume", out)

    def start(self, behaviour, mode):
        return subprocess.Popen(self.arguments("-j", "1", "--mode", mode, "--", sys.executable, FAKE, behaviour),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True)

    def wait_for_results(self, count):
        for _ in range(1200):
            try:
                if len(self.read_report()) > count:
                    return
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        self.fail("the results did not come")

    def test_interrupted(self):
        for number, mode in ((signal.SIGINT, "one-shot"), (signal.SIGTERM, "long-lived")):
            with self.subTest(mode):
                shutil.rmtree(self.report, ignore_errors=True)
                run = self.start("hang@marker-ok", mode)
                self.wait_for_results(2)
                os.kill(run.pid, number)
                _, err = run.communicate(timeout=60)
                self.assertEqual(130, run.returncode, err)
                self.assertIn("2 of 4 results are in", err)
                self.assertEqual(["run", "result", "result"], [record["rec"] for record in self.read_report()])

    def test_killed_and_resumed(self):
        run = self.start("slow", "one-shot")
        self.wait_for_results(1)
        run.kill()
        run.communicate(timeout=60)
        out, _ = self.run_fake("slow", "--resume")
        self.assertRegex(out, "[123] of 4 results kept")
        self.assertEqual({"pass"}, set(self.verdicts().values()))


class CompareReportsTest(RunnerCase):
    def saved(self, behaviour, code):
        self.run_fake(behaviour, code=code)
        path = os.path.join(self.folder, behaviour + ".jsonl")
        os.replace(os.path.join(self.report, "report.jsonl"), path)
        return path

    def test_better_and_worse(self):
        right, wrong, crash = self.saved("right", 0), self.saved(WRONG, 1), self.saved("abort", 1)
        out, _ = self.run_raw("--compare", right, wrong, code=1)
        self.assertIn("1 worse", out)
        self.assertIn("size-ok: pass -> wrong-value", out)
        out, _ = self.run_raw("--compare", wrong, right, code=0)
        self.assertIn("1 better", out)
        out, _ = self.run_raw("--compare", wrong, crash, code=0)
        self.assertIn("1 changed", out)

    def test_pass_that_became_unsupported_is_worse(self):
        out, _ = self.run_raw("--compare", self.saved("right", 0), self.saved("nothing", 0), code=1)
        self.assertIn("size-ok: pass -> unsupported", out)

    def test_new_report_that_was_cut_short_fails(self):
        right = self.saved("right", 0)
        with open(right, encoding="utf-8") as file:
            cut = self.file("cut", "".join(file.readlines()[:3]))
        out, _ = self.run_raw("--compare", right, cut, code=1)
        self.assertIn("the new report was cut short", out)
        out, _ = self.run_raw("--compare", cut, right, code=0)
        self.assertIn("the old report was cut short", out)

    def test_missing_report(self):
        self.run_raw("--compare", self.file("a", "{}\n"), self.file("b", "x"), code=66)

    def test_lines_that_are_no_report(self):
        right = self.saved("right", 0)
        with open(right, encoding="utf-8") as file:
            run = file.readline()
        self.run_raw("--compare", right, self.file("a", '{"rec":"run"}\n'), code=66)
        for line in ("5", '{"rec":"result","id":"size-ok"}', '{"rec":"resul"}'):
            _, err = self.run_raw("--compare", right, self.file("a", run + line + "\n"), code=66)
            self.assertIn("a:2: not a report: the line of a result or the summary expected", err)


class InputTest(RunnerCase):
    def test_usage(self):
        for arguments in ((), ("--frobnicate", *PARSER), ("--mode", "two-shot", *PARSER), ("-j", "0", *PARSER),
                          ("--timeout", "x", *PARSER), ("--adapter", "x", *PARSER)):
            _, err = self.run_raw(*arguments, code=64)
            self.assertIn("conformance/run: ", err)

    def test_help_has_examples(self):
        out, _ = self.run_raw("--help", code=0)
        self.assertIn("conformance/run --mode long-lived -- ./my-adapter", out)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_output_that_cannot_be_written(self):
        # Buffered, because Python writes the rest of its buffer again when it ends.
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        for option in ("--help", "--list"):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *self.arguments(option)], stderr=subprocess.PIPE,
                                  encoding="utf-8", check=False, env=buffered)
            self.assertEqual((74, "conformance/run: standard output is closed\n"), (done.returncode, done.stderr))
            with open("/dev/full", "wb") as full:
                done = subprocess.run(self.arguments(option), stdout=full, stderr=subprocess.PIPE, encoding="utf-8",
                                      check=False, env=buffered)
            self.assertEqual((74, "conformance/run: a file: No space left on device\n"), (done.returncode, done.stderr))

    def test_control_characters_are_escaped(self):
        out, _ = self.run_fake("colours", code=1)
        with open(os.path.join(self.report, "report.txt"), encoding="utf-8") as file:
            for text in (out, file.read()):
                self.assertIn(r"\x1b]0;owned\x07 \x1b[31mred", text)
                self.assertNotIn("\x1b", text)

    def test_parser_that_does_not_start(self):
        for mode in ("one-shot", "long-lived"):
            _, err = self.run_raw("--mode", mode, "--", "./no-such-parser", code=66)
            self.assertIn("./no-such-parser: the parser cannot be started", err)

    def test_parser_without_description(self):
        _, err = self.run_fake("bad-description", code=66)
        self.assertIn(f"{FAKE} bad-description --describe: one JSON object", err)
        _, err = self.run_fake("not-ready", mode="long-lived", code=66)
        self.assertIn('has no "ready":true', err)
        _, err = self.run_raw("--mode", "long-lived", "--timeout", "0.2", "--", sys.executable, "-c",
                              "import time; time.sleep(9)", code=66)
        self.assertIn("no answer within 1.2 s", err)

    def test_file_as_the_value_of_an_option(self):
        """The option is dropped when the parser is asked for its description."""
        code = ("import argparse, os, sys; options = argparse.ArgumentParser(); options.add_argument('--in', dest='file'); "
                "options.add_argument('--describe', action='store_true'); chosen = options.parse_args(); "
                f"os.execv(sys.executable, [sys.executable, {FAKE!r}, 'right', chosen.file or '--describe'])")
        for words in (("--in", "{file}"), ("--in={file}",)):
            self.run_raw("--", sys.executable, "-c", code, *words, code=0)

    def test_parser_that_starts_slowly(self):
        """Loading may take longer than the limit of a vector."""
        self.run_fake("slow-start", "--timeout", "2", mode="long-lived")

    def test_vectors_that_were_changed(self):
        _, err = self.run_raw("--golden", self.folder, *PARSER, code=66)
        self.assertIn("MANIFEST.tsv: cannot read", err)
        with open(os.path.join(self.golden, "size", "size-ok.etl"), "ab") as file:
            file.write(b"x")
        _, err = self.run_fake("right", code=66)
        self.assertIn("size-ok.etl: not the file that was built", err)

    def test_report_that_cannot_be_written(self):
        self.report = self.file("report", "a file is here")
        self.run_fake("right", code=74)

    def test_place_of_the_file_in_the_command(self):
        self.run_raw("--", sys.executable, FAKE, "right", code=0)
        inside = ("import sys, runpy; sys.argv = [sys.argv[0], 'right', sys.argv[1].replace('file:', '')]; "
                  f"runpy.run_path({FAKE!r}, run_name='__main__')")
        self.run_raw("--", sys.executable, "-c", inside, "file:{file}", code=0)


class AdapterTest(RunnerCase):
    def adapter(self, **members):
        return self.file("adapter.json", json.dumps({"name": "fake", **members}))

    def test_adapter_file(self):
        os.symlink(FAKE, os.path.join(self.folder, "fake.py"))
        self.file("policy", "* = reference\n")
        path = self.adapter(command=[["{here}/none", "{python}"], "{here}/fake.py", "right", "{file}"],
                            description={"records": {"event": "*"}}, policy="{here}/policy")
        self.run_raw("--adapter", path, code=0)
        run = self.read_report()[0]
        self.assertEqual(("fake", {"clock-rounding": "reference"}), (run["parser"]["name"], run["policy"]))

    def test_invalid_adapters(self):
        for members, words in (({}, "'command'"), ({"command": []}, '"command" is empty'),
                               ({"command": ["x"], "mode": "m"}, '"mode"')):
            _, err = self.run_raw("--adapter", self.adapter(**members), code=66)
            self.assertIn(words, err)


class OutputTest(RunnerCase):
    def test_summary(self):
        out, err = self.run_fake(WRONG, code=1)
        self.assertEqual("", err)
        self.assertIn("fake 1: 3 of 4 applicable, 4 vectors in", out)
        self.assertRegex(out, r" 3 pass\n +1 wrong-value\n")
        self.assertIn("SIZ-001  1 failed (1 wrong-value): Size is at least the size of the header of its type.\n"
                      "    size-ok: wrong-value: event 0 at 72", out)
        command = re.search("First failure: (.*)", out)[1]
        again = subprocess.run(command, shell=True, capture_output=True, check=False, encoding="utf-8")
        self.assertEqual(5, json.loads(again.stdout.splitlines()[2])["pid"])

    def test_command_that_reproduces_a_long_lived_failure(self):
        out, _ = self.run_fake(WRONG, mode="long-lived", code=1)
        command = re.search("First failure: (.*)", out)[1]
        again = subprocess.run(command, shell=True, capture_output=True, check=False, encoding="utf-8")
        self.assertEqual(5, json.loads(again.stdout.splitlines()[1])["records"][2]["pid"], again.stderr)

    def test_quiet(self):
        self.assertEqual(("", ""), self.run_fake(WRONG, "--quiet", code=1))

    @unittest.skipUnless(sys.platform == "linux", "needs a pseudo-terminal")
    def test_progress_on_a_terminal_only(self):
        import pty
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made: {error}")
        command = self.arguments("-j", "1", "--", sys.executable, FAKE, "slow")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, timeout=60, check=False)
        os.close(theirs)
        shown = ""
        while not shown.endswith(" \r"):  # a terminal may pass on what was written after the writer has ended
            shown += os.read(ours, 1 << 16).decode()
        os.close(ours)
        self.assertEqual(0, done.returncode)
        self.assertRegex(shown, r"\r[23]/4 vectors, 0 failures, \d s left")
        self.assertRegex(shown, r"\r {33}\r$")


if __name__ == "__main__":
    unittest.main()
