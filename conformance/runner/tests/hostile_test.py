# SPDX-License-Identifier: Apache-2.0
"""Hostile parsers: none alters the vectors, the report, the verdicts of the other vectors, or the run."""
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from ..limits import LINUX
from ..sandbox import children_for
from .runner_fixture import HERE, RunnerCase, event, vector

PARSER = os.path.join(HERE, "hostile_parser.py")
VECTORS = {"before": 1, "attacked": 2, "after": 3, "last": 2}  # the number of events of each
MEMORY = 200  # MiB
RUNNER_MEMORY = 150  # MiB that the runner may need for itself
SECONDS = 60  # for a run; alone, the slowest takes 8
LIMITS = ("-j", "1", "--timeout", "4", "--memory", str(MEMORY))

PASS = ("pass", "")
KILLED = ("crash", "signal 9 (SIGKILL)")
HANG = ("hang", "no answer within 4 s")
ONE_SHOT, LONG_LIVED = "one-shot", "long-lived"

# attack, mode, verdict of the attacked vector, and how its detail starts
ATTACKS = [(attack, ONE_SHOT, *outcome) for attack, outcome in (
    ("fork_twice", PASS), ("fork_forever", ("oom", "uses ")), ("truncate", PASS), ("delete", PASS), ("cheat", PASS),
    ("kill_parents", PASS), ("stop_parents", PASS), ("kill_all", PASS), ("trace_parent", PASS), ("fill_disks", PASS),
    ("leave_files", PASS), ("connect", PASS), ("take_memory", ("oom", "uses ")), ("ignore_signals", HANG),
    ("close_stdout", HANG), ("kill_group", KILLED), ("print_records", ("crash", "protocol: printed more than 4 MiB")),
    ("print_values", ("crash", "protocol: more than 100,")), ("print_line", ("crash", "protocol: printed more than 4 MiB")),
    ("print_errors", ("crash", "protocol: printed more than 16 MiB")))]
ATTACKS += [(attack, LONG_LIVED, *outcome) for attack, outcome in (
    ("fork_twice", PASS), ("truncate", PASS), ("kill_parents", PASS), ("ignore_signals", HANG),
    ("close_stdout", ("crash", "closed its standard output")), ("kill_group", ("crash", "ended: signal 9 (SIGKILL)")),
    ("print_records", ("crash", "protocol: an answer with ")),
    ("print_values", ("crash", "protocol: the answer is not JSON: more than 100,")),
    ("print_line", ("crash", "protocol: a line of more than 4 MiB")),
    ("print_errors", ("crash", "protocol: printed more than 16 MiB on standard error")),
    ("next_id", ("crash", "protocol: an answer with ")))]
# Without a sandbox, the runner still ends these, and every process that they started.
OUTSIDE = [("fork_twice", ONE_SHOT, *PASS), ("fork_twice", LONG_LIVED, *PASS), ("kill_group", ONE_SHOT, *KILLED),
           ("ignore_signals", ONE_SHOT, *HANG), ("ignore_signals", LONG_LIVED, *HANG)]


def why_no_sandbox():
    """Why there is no sandbox here; None if there is one."""
    if not LINUX:
        return "bwrap: needs Linux"
    children, confined = children_for([], HERE, [])
    children.stop()
    return None if confined == "bwrap" else confined


NO_SANDBOX = why_no_sandbox()


class HostileCase(RunnerCase):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.golden)
        self.write_golden([vector(name, "size", "SIZ-001", "accept", [event(n, n) for n in range(count)])
                           for name, count in VECTORS.items()],
                          {name: f"{name} {count} ".ljust(64) for name, count in VECTORS.items()})
        self.file("other", "a file of the user")
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        self.file("port", str(server.getsockname()[1]))
        self.addCleanup(self.kill_survivors)
        self.before = self.hashes()

    def hashes(self):
        """The hash of each file that must stay as it is."""
        paths = [os.path.join(self.folder, "other")]
        paths += [os.path.join(root, name) for root, _, names in os.walk(self.golden) for name in names]
        return {path: hashlib.sha256(read(path)).hexdigest() for path in paths}

    def survivors(self):
        """The processes of this test's parser."""
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit()
                and self.folder.encode() in read(f"/proc/{pid}/cmdline")]

    def kill_survivors(self):
        for pid in self.survivors():
            os.kill(pid, signal.SIGKILL)

    def attack(self, attack, mode, *options):
        """Runs an attack; returns (exit status, MiB that the runner used, what it printed on standard error)."""
        shutil.rmtree(self.report, ignore_errors=True)
        command = self.arguments(*LIMITS, "--mode", mode, *options, "--", sys.executable, PARSER, attack, self.folder)
        with open(os.path.join(self.folder, "stderr"), "w+b") as stderr:
            done = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True)
            _, status, usage = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(status)
            stderr.seek(0)
            return done.returncode, usage.ru_maxrss >> 10, stderr.read().decode("utf-8", "replace")

    def check(self, attack, mode, verdict, detail, *options):
        started = time.monotonic()
        code, _, stderr = self.attack(attack, mode, *options)
        self.assertEqual(("", 0 if verdict == "pass" else 1), (stderr, code))
        self.assertLess(time.monotonic() - started, SECONDS)
        self.assertEqual(self.before, self.hashes())
        self.assertEqual([], self.survivors())
        run, *results, summary = self.read_report()
        self.assertEqual(("run", "summary"), (run["rec"], summary["rec"]))
        self.assertEqual({**dict.fromkeys(VECTORS, "pass"), "attacked": verdict},
                         {result["id"]: result["verdict"] for result in results})
        attacked = results[list(VECTORS).index("attacked")]
        self.assertTrue(attacked["detail"].startswith(detail), attacked["detail"])
        return run

    def check_end(self, *options):
        command = self.arguments(*LIMITS, *options, "--", sys.executable, PARSER, "ignore_signals", self.folder)
        runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_until(lambda: any(b"vector-00002" in read(f"/proc/{pid}/cmdline") for pid in self.survivors()))
        runner.kill()
        runner.wait()
        self.wait_until(lambda: not self.survivors())

    def wait_until(self, is_true):
        until = time.monotonic() + SECONDS / 2  # the parser ends on its own after LONG
        while not is_true():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)


@unittest.skipIf(NO_SANDBOX, f"no sandbox: {NO_SANDBOX}")
class SandboxTest(HostileCase):
    def test_attacks(self):
        left = [os.path.join(folder, "etlproof-filler") for folder in ("/tmp", "/dev/shm", os.path.expanduser("~"))]
        for attack, mode, verdict, detail in ATTACKS:
            with self.subTest(attack, mode=mode):
                run = self.check(attack, mode, verdict, detail)
                self.assertEqual("bwrap", run["limits"]["confined"])
                self.assertEqual([], list(filter(os.path.exists, left)))

    def test_memory_of_the_runner(self):
        """What it spends on an answer; in long-lived mode, the answer is one line."""
        for attack, mode in (("print_records", ONE_SHOT), ("print_values", ONE_SHOT), ("print_values", LONG_LIVED)):
            with self.subTest(attack, mode=mode):
                self.assertLess(self.attack(attack, mode)[1], RUNNER_MEMORY)

    def test_parser_ends_with_a_runner_that_is_killed(self):
        self.check_end()


@unittest.skipUnless(LINUX, "the launcher needs Linux")
class OutsideTest(HostileCase):
    def test_processes_are_ended(self):
        for attack, mode, verdict, detail in OUTSIDE:
            with self.subTest(attack, mode=mode):
                run = self.check(attack, mode, verdict, detail, "--no-confine")
                self.assertEqual("process limits only (--no-confine)", run["limits"]["confined"])

    def test_parser_ends_with_a_runner_that_is_killed(self):
        self.check_end("--no-confine")

    def test_changed_vectors_are_noticed(self):
        for attack in ("truncate", "delete"):
            with self.subTest(attack):
                code, _, stderr = self.attack(attack, ONE_SHOT, "--no-confine")
                path = os.path.join(self.golden, "size", "after.etl")
                wrong = "changed during the run" if attack == "truncate" else "cannot read: No such file or directory"
                self.assertEqual((66, f"conformance/run: {path}: {wrong}\n"), (code, stderr))
                self.setUp()


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


if __name__ == "__main__":
    unittest.main()
