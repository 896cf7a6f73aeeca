# SPDX-License-Identifier: Apache-2.0
"""Tests the command scripts/fuzz-parser with correct and with faulty parsers. Called with the build
folder whose etlproof is the reference."""
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from etlproof import ROOT
from etlproof.campaign import lock
from etlproof.folder_case import FolderCase
from runner.failure import FAILED, INPUT, INTERNAL, INTERRUPTED, PASSED, USAGE, read_bytes
from runner.site.fuzzing import add_fuzzing
from runner.tests.reports_test import jsonschema, validator
from runner.vectors import GOLDEN, Golden

BUILD = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 and os.path.isdir(sys.argv[1])
                        else os.path.join(ROOT, "build", "release"))
AS_BUILT = ["--build", BUILD, "--no-build"]
TOY = [sys.executable, os.path.join(ROOT, "conformance", "adapters", "toy", "toy.py")]
HOST = os.path.join(BUILD, "bin", "etlproof-host")

# Parsers that fail where the header of the first event, or the end of its buffer header, has a byte 0xff. No seed has
# one.
BROKEN = """\
import os, sys, time
if b"\\xff" in open(sys.argv[-1], "rb").read()[32:104]:
    {what}
"""
# The reference decoder, except that it accepts every file. A long-lived process, because starting one takes too long.
TRUSTING = """\
import subprocess, sys
host = subprocess.Popen([{host!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    host.stdin.write(line)
    host.stdin.flush()
    print(host.stdout.readline().replace('"verdict":"reject"', '"verdict":"accept"'), end="", flush=True)
"""
# The reference decoder, except that it aborts on files with the byte 0xff of BROKEN.
FRAGILE = """\
#!{python}
import json, os, subprocess, sys
host = subprocess.Popen([{host!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    path = json.loads(line).get("file")
    if path and b"\\xff" in open(path, "rb").read()[32:104]:
        os.abort()
    host.stdin.write(line)
    host.stdin.flush()
    print(host.stdout.readline(), end="", flush=True)
"""
# The reference decoder, except that it aborts when it is stopped.
STUMBLING = """\
import os, subprocess, sys
host = subprocess.Popen([{host!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    host.stdin.write(line)
    host.stdin.flush()
    print(host.stdout.readline(), end="", flush=True)
os.abort()
"""
# Skips every file, and sleeps on each tenth.
TIRING = """\
import json, sys, time
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if request["cmd"] == "start":
        print('{"ready": true, "name": "tiring", "records": {"end": ["events"]}}', flush=True)
    elif number % 10 == 0:
        time.sleep(100)
    else:
        print(json.dumps({"id": request.get("id"), "skip": "nothing to say"}), flush=True)
"""
REJECTS = """\
import sys
print('{"name": "rejects", "records": {"event": ["offset"]}}' if "--describe" in sys.argv else "")
sys.exit("--describe" not in sys.argv)
"""
SPAWNS = """\
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
with open({pids!r}, "a") as file:
    file.write(str(child.pid) + "\\n")
"""
# Behaves like afl-fuzz as far as scripts/fuzz-parser sees: keeps its first inputs, and writes its statistics.
AFL = """\
#!{python}
import os, shutil, sys, time
words = sys.argv
start, out = words[words.index("-i") + 1], words[words.index("-o") + 1]
folder = os.path.join(out, words[words.index("-M") + 1])
os.makedirs(os.path.join(folder, "queue"), exist_ok=True)
for number, name in enumerate(sorted(os.listdir(start))):
    shutil.copy(os.path.join(start, name), os.path.join(folder, "queue", f"id:{{number:06}}"))
with open(os.path.join(folder, "fuzzer_stats"), "w") as file:
    file.write("execs_done        : 5\\n")
with open(os.path.join(out, "said"), "w") as file:
    file.write(repr([words[1:], os.environ["AFL_CUSTOM_MUTATOR_LIBRARY"], os.environ["ETLPROOF_INPUT"]]))
"""


class CommandTest(FolderCase):
    def command(self, *arguments):
        return [sys.executable, "-B", os.path.join(ROOT, "scripts", "fuzz-parser"), *AS_BUILT, *arguments]

    def fuzz(self, *arguments, state="state", code=None, environment=None):
        place = ["--state", os.path.join(self.folder, state)]
        done = subprocess.run(self.command(*place, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=300, env={**os.environ, **(environment or {})})
        if code is not None:
            self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def findings(self, state="state"):
        folder = os.path.join(self.folder, state, "findings")
        found = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found.append(json.load(file))
        return found

    def verdicts(self, state="state"):
        return {finding["verdict"] for finding in self.findings(state)}

    def report(self, state="state"):
        with open(os.path.join(self.folder, state, "report.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def check_report(self, name):
        """The report is as its schema describes, and conformance/site reads it."""
        if jsonschema:
            check = validator("fuzzing")
            for line in self.report():
                check.validate(line)
        parser = mock.Mock(slug=name, fuzzing=None)
        self.assertEqual([], add_fuzzing(self.folder, [parser]))
        self.assertEqual(self.report()[-1]["findings"], parser.fuzzing.counts)

    def broken(self, what):
        return [sys.executable, self.write("broken.py", BROKEN.format(what=what)), "@@"]

    def trusting(self):
        script = self.write("trusting.py", TRUSTING.format(host=HOST))
        return ["--trim-seconds", "0", "--mode", "long-lived", "--", sys.executable, script]

    def triaged(self, done):
        """The kinds of the buckets that the triage command in the summary writes."""
        command = self.triage_of(done)
        more = ["--quick", "--runs", "1", "--json", *AS_BUILT, "--state", os.path.join(self.folder, "triage")]
        triage = subprocess.run(f"{sys.executable} -B {command} {shlex.join(more)}", shell=True, capture_output=True,
                                text=True, check=False)
        self.assertEqual(FAILED, triage.returncode, triage.stderr)
        return {bucket["what"] for bucket in json.loads(triage.stdout)["buckets"]}

    @staticmethod
    def triage_of(done):
        return next(line.strip() for line in done.stdout.splitlines() if re.match(r"    \S*scripts/triage ", line))

    def test_triage_command_has_the_options_of_the_run(self):
        """Otherwise the inputs would pass, or fail in another way."""
        done = self.fuzz("--mutants", "150", "--plain", "--timeout", "0.5", "--memory", "512", "--trim-seconds", "0", "--",
                         *self.broken("time.sleep(2)"), code=FAILED)
        self.assertIn(" --plain --timeout 0.5 --memory 512", self.triage_of(done))
        self.assertEqual({"timeout"}, self.triaged(done))
        policy = self.write("policy", "* = accept\n")
        rejects = self.write("rejects.py", REJECTS)
        either = next(vector for vector in Golden(GOLDEN).traces if vector["verdict"] == "either")
        shutil.copyfile(either["path"], self.write("seeds/either.etl"))
        done = self.fuzz("--seeds", os.path.join(self.folder, "seeds"), "--mutants", "1", "--trim-seconds", "0", "--level",
                         "should", "--policy", policy, "--", sys.executable, rejects, state="second", code=FAILED)
        self.assertIn(f" --level should --policy {policy}", self.triage_of(done))
        self.assertEqual({"wrong-reject"}, self.triaged(done))

    def test_toy_parser_has_findings(self):
        done = self.fuzz("--mutants", "150", "--trim-seconds", "1", "--", *TOY, code=FAILED)
        self.assertEqual(self.verdicts(), self.triaged(done))
        self.assertIn("wrong-accept", self.verdicts())
        self.assertIn("toy: 150 mutants, ", done.stdout)
        self.assertTrue(any(finding["size"] < finding["whole_size"] for finding in self.findings()))
        for finding in self.findings():
            self.assertEqual(os.path.getsize(finding["path"]), finding["size"])
            self.assertIn(finding["path"], finding["command"])
        listed = self.fuzz("--list", code=FAILED)
        self.assertEqual(len(self.findings()), listed.stdout.count("    " + self.folder))
        self.check_report("toy")
        one = self.findings()[0]
        checked = self.fuzz("--check", one["path"], "--", *TOY, code=FAILED)
        self.assertIn(f"{one['path']}: {one['verdict']} ", checked.stdout)

    def test_etlproof_has_no_findings(self):
        adapter_file = os.path.join(ROOT, "conformance", "adapters", "etlproof", "etlproof.json")
        for state, parser in (("one", ["--adapter", adapter_file]), ("long", ["--mode", "long-lived", "--", HOST]),
                              ("shim", ["--engine", "shim", "--", HOST])):
            if state == "one" and BUILD != os.path.join(ROOT, "build", "release"):
                continue  # the adapter names the release build
            done = self.fuzz("--mutants", "400", *parser, state=state, code=PASSED)
            self.assertIn("nothing found", done.stdout)
            self.assertEqual(400, self.report(state)[-1]["mutants"])

    def test_crash_and_hang_on_one_byte(self):
        abort = self.broken("os.abort()")
        done = self.fuzz("--mutants", "150", "--plain", "--trim-seconds", "1", "--", *abort, code=FAILED)
        self.assertEqual({"ABRT"}, self.triaged(done))
        self.assertEqual({"crash"}, self.verdicts())
        self.assertEqual(1, len(self.findings()))
        self.assertIn(f"\n1 finding in {os.path.join(self.folder, 'state', 'findings')}; ", done.stdout)
        self.assertIn(b"\xff", read_bytes(self.findings()[0]["path"])[32:104])
        hang = ["--mutants", "150", "--plain", "--timeout", "0.5", "--trim-seconds", "1", "--"]
        self.fuzz(*hang, *self.broken("time.sleep(1000)"), state="hang", code=FAILED)
        self.assertEqual({"hang"}, self.verdicts("hang"))

    def test_crash_at_exit(self):
        """The crash is attributed to the last mutant that the parser answered."""
        parser = ["--mode", "long-lived", "--", sys.executable, self.write("stumbling.py", STUMBLING.format(host=HOST))]
        self.fuzz("-j1", "--mutants", "40", *parser, code=FAILED)
        found, = self.findings()
        self.assertEqual(("crash", "told to stop, after all vectors: signal 6 (SIGABRT)", True),
                         (found["verdict"], found["detail"], found["repeats"]))
        self.assertEqual(found["size"], len(read_bytes(found["path"])))
        checked = self.fuzz("--check", found["path"], *parser, code=FAILED)
        self.assertIn(f"{found['path']}: crash (expected: ", checked.stdout)

    def test_hang_that_depends_on_earlier_files(self):
        """It is one finding, whether or not the run that confirms it repeats the hang."""
        script = self.write("tiring.py", TIRING)
        self.fuzz("-j1", "--mutants", "40", "--timeout", "1", "--mode", "long-lived", "--", sys.executable, script,
                  code=FAILED)
        found, = self.findings()
        self.assertEqual(("hang", "no answer within 1 s", False), (found["verdict"], found["detail"], found["repeats"]))

    def test_hang_that_does_not_repeat_is_not_counted(self):
        once = os.path.join(self.folder, "once")
        sleeps = f"import os, sys, time\nif not os.path.exists({once!r}):\n    open({once!r}, 'w')\n    time.sleep(100)\n"
        done = self.fuzz("-j1", "--mutants", "3", "--timeout", "3", "--plain", "--", sys.executable,
                         self.write("once.py", sleeps), "@@", code=PASSED)
        self.assertIn(" of them hung or took too much memory, but not when run alone: not counted", done.stdout)

    def test_plain_run_of_a_sound_parser_has_no_findings(self):
        self.fuzz("--mutants", "100", "--plain", "--", *self.broken("sys.exit(1)"), code=PASSED)

    def test_parser_that_removes_its_input(self):
        """The parser gets copies: the seeds stay, and the input that crashes it is kept."""
        seed = shutil.copy(os.path.join(GOLDEN, "size", "size-compact32-least.etl"), self.write("seeds/one.etl"))
        image = read_bytes(seed)
        script = self.write("removes.py", "import os, sys\nos.remove(sys.argv[1])\nos.abort()\n")
        self.fuzz("--seeds", os.path.dirname(seed), "--mutants", "20", "--plain", "--trim-seconds", "1", "--",
                  sys.executable, script, "@@", code=FAILED)
        found, = self.findings()
        self.assertEqual(("crash", True), (found["verdict"], found["repeats"]))
        self.assertEqual((image, found["size"]), (read_bytes(seed), len(read_bytes(found["path"]))))

    def test_accepted_file_that_is_no_trace(self):
        """The decoder names no rule for a file in which it can read nothing."""
        done = self.fuzz("--check", self.write("no.etl", ""), *self.trusting(), code=FAILED)
        self.assertIn("a file that is no trace was accepted", done.stdout)

    def test_same_seed_gives_the_same_run(self):
        keys = {}
        for state, more in (("a", ["-j1"]), ("b", ["-j2"]), ("c", ["--seed", "2"])):
            self.fuzz("--mutants", "300", *more, *self.trusting(), state=state, code=FAILED)
            keys[state] = [(finding["key"], finding["mutant"]) for finding in self.findings(state)]
            written = sum(line["rec"] == "finding" for line in self.report(state))
            self.assertEqual(len(keys[state]), written, "each finding is written once")
            self.assertTrue(all(finding["repeats"] for finding in self.findings(state)), "each is of its own mutant")
        self.assertEqual(keys["a"], keys["b"])
        self.assertNotEqual(keys["a"], keys["c"])

    def test_killed_run_is_resumed(self):
        self.fuzz("-j2", "--mutants", "150", *self.trusting(), state="parts")
        first = len(self.findings("parts"))
        path = os.path.join(self.folder, "parts", "report.jsonl")
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"rec":"batch","next":99')  # killed while writing
        done = self.fuzz("-j2", "--mutants", "400", "--resume", *self.trusting(), state="parts", code=FAILED)
        self.assertIn(": resuming", done.stdout)
        self.fuzz("-j2", "--mutants", "400", *self.trusting(), state="whole", code=FAILED)
        self.assertLess(first, len(self.findings("whole")))
        both = [[(finding["key"], finding["mutant"]) for finding in self.findings(state)] for state in ("parts", "whole")]
        self.assertEqual(*both)
        self.assertEqual((400, 150), (self.report("parts")[-1]["mutants"], self.report("parts")[-1]["resumed"]))
        other = self.fuzz("--mutants", "100", "--seed", "9", "--resume", *self.trusting(), state="parts")
        self.assertIn("of another run (seed differ); starting over", other.stdout)

    def test_run_without_a_mutant_is_an_error(self):
        """A resumed run with nothing left to do passes."""
        words = ["--plain", "--", "true", "@@"]
        done = self.fuzz("--seconds", "0.000001", *words, code=INPUT)
        self.assertIn("no mutant was judged in 0.", done.stderr)
        self.fuzz("--mutants", "3", *words, code=PASSED)
        done = self.fuzz("--mutants", "3", "--resume", *words, code=PASSED)
        self.assertIn("3 mutants, ", done.stdout)

    def test_second_run_on_a_folder_is_refused(self):
        self.write("state/report.jsonl", "of the first")
        with lock.take(os.path.join(self.folder, "state")):
            done = self.fuzz("--mutants", "1", "--plain", "--", "true", "@@", code=INPUT)
        self.assertIn(f"in use by another run, process {os.getpid()} since 2", done.stderr)
        self.assertEqual(b"of the first", read_bytes(os.path.join(self.folder, "state", "report.jsonl")))

    def test_input_that_crashes_the_reference_is_kept(self):
        build = os.path.join(self.folder, "build")
        self.write("build/bin/etlproof-host", FRAGILE.format(python=sys.executable, host=HOST), executable=True)
        for name in ("bin/etlproof-mutate", "corpus"):
            os.symlink(os.path.join(BUILD, name), os.path.join(build, name))
        done = self.fuzz("--mutants", "150", "--trim-seconds", "0", "--build", build, "--", *TOY, code=INTERNAL)
        path = re.search(r"(\S+): the reference decoder failed \(crash: ", done.stderr).group(1)
        self.assertIn(b"\xff", read_bytes(path)[32:104])
        self.assertEqual(os.path.join(self.folder, "state", "reference-failed"), os.path.dirname(path))
        self.assertRegex(done.stdout, rf"\d findings? in {os.path.join(self.folder, 'state', 'findings')}; ")
        self.assertIn(f"ended by an error: {path}: the reference decoder failed", self.report()[-1]["text"])

    def test_interrupted_run_prints_its_summary(self):
        pids = os.path.join(self.folder, "pids")
        script = self.write("spawns.py", SPAWNS.format(pids=pids) + "import time; time.sleep(1000)\n")
        place = ["--state", os.path.join(self.folder, "state"), "--plain", "--timeout", "100", "--"]
        process = subprocess.Popen(self.command(*place, sys.executable, script, "@@"), stdout=subprocess.PIPE, text=True)
        self.wait_for(lambda: os.path.exists(pids) and os.path.getsize(pids))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(INTERRUPTED, process.returncode)
        self.assertIn("interrupted; --resume continues", out)
        self.assertTrue(self.report()[-1]["interrupted"])
        self.all_are_gone(pids)

    def test_processes_that_a_parser_leaves_are_killed(self):
        pids = os.path.join(self.folder, "pids")
        script = self.write("spawns.py", SPAWNS.format(pids=pids))
        self.fuzz("--mutants", "5", "--plain", "--", sys.executable, script, "@@", code=PASSED)
        self.all_are_gone(pids)

    def wait_for(self, holds):
        until = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def all_are_gone(self, pids):
        with open(pids, encoding="ascii") as file:
            children = [int(line) for line in file]
        self.assertTrue(children)
        self.wait_for(lambda: not any(_is_alive(child) for child in children))

    @unittest.skipUnless(sys.platform == "linux", "needs file names that are bytes")
    def test_file_name_that_is_not_utf_8(self):
        seed = sorted(glob.glob(os.path.join(BUILD, "corpus", "seeds", "fuzz_file", "*")))[0]
        path = self.write("seeds/\udcff.etl")
        shutil.copyfile(seed, path)
        self.fuzz("--check", path, "--mode", "long-lived", "--", HOST, code=PASSED)
        self.fuzz("--seeds", os.path.dirname(path), "--mutants", "3", "--mode", "long-lived", "--", HOST, code=PASSED)
        self.assertEqual(3, self.report()[-1]["mutants"])

    def test_large_seeds_are_skipped(self):
        sizes = {"a.etl": 100, "b.etl": 101, "c.etl": 102}
        for name, size in sizes.items():
            self.write("seeds/" + name, "x" * size)
        words = ["--seeds", os.path.join(self.folder, "seeds"), "--mutants", "9", "--mode", "long-lived"]
        done = self.fuzz("--most", "100", *words, "--", HOST, code=PASSED)
        self.assertIn("note: 2 of 3 seeds are larger than --most 100, and skipped", done.stderr)
        done = self.fuzz("--most", "99", *words, "--", HOST, code=INPUT)
        self.assertIn("no seed is as small as --most 99", done.stderr)

    def test_messages(self):
        toy = self.write("not_a_parser.py", "print('hello')\n")
        wrong = self.write("wrong.py", "print('{\"name\": \"x\", \"records\": {\"evnt\": []}}')\n")
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        for code, text, arguments in (
                (USAGE, "no parser: expected `-- CMD", []),
                (USAGE, "--plain: no @@", ["--plain", "--", "true"]),
                (USAGE, "--plain is for a command", ["--plain", "--mode", "long-lived", "--", "true", "@@"]),
                (USAGE, "--engine afl: no @@", ["--engine", "afl", "--", "true"]),
                (USAGE, "--minutes and --seconds exclude", ["--minutes", "1", "--seconds", "1", "--", "true"]),
                (INPUT, "the parser cannot be started: No such file", ["--", "/no/such/parser"]),
                (INPUT, "one JSON object expected", ["--", sys.executable, toy]),
                (INPUT, "--plain runs any command", ["--", sys.executable, toy]),
                (INPUT, "\"records\": one of trace, buffer, event, item, field, member, finding, end expected, "
                        "found \"evnt\"",
                 ["--", sys.executable, wrong]),
                (INPUT, "no answer to {\"cmd\": \"start\"", ["--engine", "shim", "--", "true"]),
                (INPUT, "no seeds in it", ["--seeds", empty, "--", *TOY]),
                (INPUT, "/no/such/file: cannot read: No such file", ["--check", "/no/such/file", "--", *TOY]),
                (INPUT, f"{os.devnull}: not an ordinary file", ["--check", os.devnull, "--", *TOY]),
                (INPUT, "is a folder", ["--check", empty, "--", *TOY]),
                (INPUT, "nothing was fuzzed there yet", ["--list"]),
                (INPUT, "not instrumented by AFL++", ["--engine", "afl", "--", "true", "@@"])):
            done = self.fuzz(*arguments, code=code)
            self.assertIn(text, done.stderr)
            self.assertEqual("", done.stdout)

    def test_tree_without_a_build(self):
        """The command builds it, and prints a message, because that may take minutes. It does not build a folder
        outside the tree."""
        tree = self.tree("exit 1")
        for words, text in ((["fuzz-parser", "--", *TOY], "the end of"),
                            (["fuzz-parser", "--build", "/no/folder", "--", *TOY], "/no/folder/bin/etlproof-host: not"),
                            (["triage", "--quick", "--parser", shlex.join(TOY), HOST], "the end of")):
            with self.subTest(words):
                done = self.in_tree(tree, *words)
                self.assertEqual(INPUT, done.returncode, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(text == "the end of", "building etlproof_host" in done.stderr)
                shutil.rmtree(os.path.join(tree, "build"), ignore_errors=True)

    def test_build_of_the_tree_is_updated(self):
        """The sources may be newer. A folder outside the tree is not updated, nor any folder with --no-build."""
        asked = os.path.join(self.folder, "asked")
        tree = self.built_tree(f'echo "$*" >> {shlex.quote(asked)}')
        sound = os.path.join(ROOT, "conformance", "golden", "size", "size-compact32-least.etl")
        check, triage = ["fuzz-parser", "--check", sound], ["triage", "--runs", "1", "--parser", shlex.join(TOY), sound]
        asks = ["etlproof_host", "etlproof_tool etlproof_build etlproof_carve etlproof_minimiser"]
        for words, targets in (([*check, "--", *TOY], ["etlproof_host"]), ([*check, "--build", BUILD, "--", *TOY], []),
                               ([*check, "--no-build", "--", *TOY], []), ([*triage, "--quick"], ["etlproof_host"]),
                               (["fuzz-parser", "--mutants", "1", "--", *TOY],
                                ["etlproof_host", "etlproof_seeds", "etlproof_mutate", "etlproof_minimiser"]),
                               (triage, asks), ([*triage, "--no-build"], [])):
            with self.subTest(words):
                self.write("asked", "")
                done = self.in_tree(tree, *words)
                self.assertIn(done.returncode, (PASSED, FAILED), done.stderr)
                lines = read_bytes(asked).decode().splitlines()
                self.assertEqual([f"--build --preset release --target {target}" for target in targets], lines[1::2])

    def test_build_time_is_not_fuzzing_time(self):
        tree = self.built_tree('case "$*" in *etlproof_mutate*) sleep 4 ;; esac')
        done = self.in_tree(tree, "fuzz-parser", "--seconds", "3", "--plain", "--", "true", "@@")
        self.assertEqual(PASSED, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"true-\w{8}: [1-9][\d,]* mutants, ")

    def built_tree(self, cmake):
        """A copy of the tree with a complete build."""
        tree = self.tree(cmake)
        folder = os.path.join(tree, "build", "release")
        os.makedirs(folder)
        for name in ("bin", "corpus"):
            os.symlink(os.path.join(BUILD, name), os.path.join(folder, name))
        return tree

    def tree(self, cmake):
        """A copy of the tree without a build, and a cmake that runs the given script."""
        tree = os.path.join(self.folder, "tree")
        os.mkdir(tree)
        for name in ("conformance", "decoder"):
            os.symlink(os.path.join(ROOT, name), os.path.join(tree, name))
        # Copied, not linked: Python would import the package from the target of a link.
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(tree, "scripts"))
        self.write("bin/cmake", f"#!/bin/sh\n{cmake}\n", executable=True)
        return tree

    def in_tree(self, tree, script, *words):
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        command = [sys.executable, "-B", os.path.join(tree, "scripts", script), "--state", self.folder, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path})

    def test_afl_is_missing(self):
        done = self.fuzz("--engine", "afl", "--", "true", "@@", code=INPUT, environment={"PATH": self.folder})
        self.assertIn("afl-fuzz is not installed; it is in the package afl++", done.stderr)

    def test_inputs_of_afl_are_compared_with_the_reference(self):
        self.write("bin/afl-fuzz", AFL.format(python=sys.executable), executable=True)
        with open(TOY[1], encoding="utf-8") as file:
            text = f"#!{sys.executable}\n# __AFL_SHM_ID\n" + file.read()
        toy = self.write("toy-instrumented", text, executable=True)
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        asked = ["--engine", "afl", "--seconds", "3", "--trim-seconds", "0", "--", toy, "@@"]
        done = self.fuzz(*asked, code=FAILED, environment={"PATH": path})
        self.assertIn("wrong-reject", self.verdicts())  # the toy rejects compressed buffers, which seeds have
        self.assertIn("toy: ", done.stdout)
        self.assertTrue(all(finding["mutant"].startswith("queue/id:") for finding in self.findings()))
        with open(os.path.join(self.folder, "state", "afl", "said"), encoding="utf-8") as file:
            words, library, kind = eval(file.read())
        self.assertEqual([toy, "@@"], words[words.index("--") + 1:])
        self.assertEqual("etl.dict", os.path.basename(words[words.index("-x") + 1]))
        self.assertEqual(("libetlproof-mutator-afl.so", "file"), (os.path.basename(library), kind))
        mutants = self.report()[-1]["mutants"]
        for level, sentence, judged in (("must", ": resuming", 0),
                                        ("should", "of another run (level differ)", mutants)):
            done = self.fuzz("--resume", "--level", level, *asked, code=FAILED, environment={"PATH": path})
            self.assertIn(sentence, done.stdout)
            summary = self.report()[-1]
            self.assertEqual(judged, summary["mutants"] - summary["resumed"])


def _is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
