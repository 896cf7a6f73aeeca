# SPDX-License-Identifier: Apache-2.0
"""How the sandbox is found, what it shows, and how a report names it."""
import contextlib
import os
import stat
import subprocess
import sys
import unittest
from unittest import mock

from .. import sandbox
from ..limits import LINUX
from .runner_fixture import FAKE, RunnerCase


@unittest.skipUnless(LINUX, "sandboxes need Linux")
class FindTest(RunnerCase):
    def confined(self):
        children, confined = sandbox.children_for([sys.executable], self.folder, [])
        self.addCleanup(children.stop)
        child = children.start([sys.executable, "-c", "raise SystemExit(3)"], *[subprocess.DEVNULL] * 3)
        self.assertTrue(child.wait(60))
        self.assertEqual(3, child.status)
        return confined

    def bwrap(self, script):
        path = self.file("bwrap", "#!/bin/sh\n" + script)
        os.chmod(path, stat.S_IRWXU)
        return mock.patch.dict(os.environ, PATH=self.folder)

    def test_system_without_bwrap(self):
        with mock.patch.dict(os.environ, PATH=self.folder):
            self.assertEqual("process limits only (bwrap: not installed)", self.confined())

    def test_bwrap_that_does_not_work(self):
        long = r"bwrap: not\x1b allowed".ljust(60, ".")
        with self.bwrap("echo 'bwrap: not\033 allowed" + "." * 80 + "' >&2; exit 1\n"):
            self.assertEqual(f"process limits only ({long})", self.confined())
        with self.bwrap("exit 1\n"):
            self.assertEqual("process limits only (bwrap: does not start)", self.confined())

    def test_report_names_the_confinement(self):
        with self.bwrap("exit 1\n"):
            out, _ = self.run_fake("right")
        self.assertIn("\n  confined: process limits only (bwrap: does not start)\n", out)
        self.assertEqual("process limits only (bwrap: does not start)", self.read_report()[0]["limits"]["confined"])

    def test_other_systems(self):
        with mock.patch.object(sandbox, "LINUX", False):
            children, confined = sandbox.children_for([], self.folder, [])
        self.assertEqual((sandbox.Children, "process limits only (bwrap: needs Linux)"), (type(children), confined))


class HiddenTest(RunnerCase):
    def test_folders_that_are_hidden(self):
        inner = os.path.join(self.report, "large")
        os.makedirs(inner)
        folders = [inner, self.golden, self.report, os.path.join(self.folder, "none")]
        self.assertEqual([self.golden, self.report], sandbox._to_hide(folders, ["python3", "{file}"]))
        with open(os.path.join(self.report, "parser"), "wb"):
            self.assertEqual([self.golden, inner], sandbox._to_hide(folders, [os.path.join(self.report, "parser")]))
        with mock.patch.object(os, "getcwd", lambda: self.report):
            self.assertEqual([self.golden, inner], sandbox._to_hide(folders, []))

    def test_reports_in_the_current_folder(self):
        self.file("parser.sh", f"exec {sys.executable} {FAKE} right $1\n")
        self.enterContext(contextlib.chdir(self.folder))
        self.report = "."
        self.run_raw("--", "sh", "parser.sh", code=0)


class NamedTest(unittest.TestCase):
    def named(self, command, **variables):
        with mock.patch.multiple(os, environ=variables, getcwd=lambda: "/home/me"), \
                mock.patch.object(os.path, "exists", lambda path: "none" not in path), \
                mock.patch.multiple(sys, prefix="/usr", executable="/usr/bin/python3"), \
                mock.patch.object(sandbox, "LAUNCHER", "/usr/lib/launcher.py"):
            return sandbox._named(command)

    def test_entries_of_replaced_folders_stay_if_they_are_named(self):
        self.assertEqual([], self.named(["/usr/bin/x", "/home/me/tmp/y", "--tmp=/tmp", "/tmp/none/x"],
                                        SSH_AUTH_SOCK="/tmp/ssh/a"))
        self.assertEqual(["/run/media", "/tmp/build", "/tmp/lib", "/tmp/x.py"],
                         self.named(["/tmp/build/bin/x", "--in=/tmp/x.py", "/run/media/me/y"],
                                    LD_LIBRARY_PATH="/usr/lib:/tmp/lib/a"))


if __name__ == "__main__":
    unittest.main()
