# SPDX-License-Identifier: Apache-2.0
"""The limits of a started process."""
import os
import subprocess
import sys
import types
import unittest
from unittest import mock

from runner.failure import OUTPUT, Failure
from runner.limits import LINUX, Child, Children, Limits
from runner.one_shot import run_process

if LINUX:
    import resource


@unittest.skipUnless(LINUX, "only Linux keeps limits after the runner has ended")
class ChildTest(unittest.TestCase):
    def setUp(self):
        quiet = subprocess.DEVNULL
        self.child = Child([sys.executable, "-c", "input()"], subprocess.PIPE, quiet, quiet, cpu=5)
        self.addCleanup(self.child.stdin.close)
        self.addCleanup(self.child.kill)

    def limit(self, name):
        return resource.prlimit(self.child.pid, getattr(resource, name))

    def test_no_core_dump_and_a_sanitizer_may_set_the_limit_again(self):
        most = resource.prlimit(os.getpid(), resource.RLIMIT_CORE)[1]
        if most == 0:
            self.skipTest("core dumps are already disabled")
        self.assertEqual((0, most), self.limit("RLIMIT_CORE"))

    def test_processor_time_ends_even_if_the_runner_is_killed(self):
        self.assertEqual((7, 7), self.limit("RLIMIT_CPU"))


class RoomTest(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fstatvfs"), "needs fstatvfs")
    def test_full_disk_is_no_failure_of_the_parser(self):
        for blocks, free, full in ((9, 0, True), (9, 1, False), (0, 0, False)):
            disk = types.SimpleNamespace(f_blocks=blocks, f_bavail=free)
            with mock.patch.object(os, "fstatvfs", lambda _: disk):  # noqa: B023
                self.assertEqual(full, self.fails())

    @staticmethod
    def fails():
        try:
            run_process([sys.executable, "-c", ""], Limits(), Children())
        except Failure as failure:
            return failure.code == OUTPUT
        return False


if __name__ == "__main__":
    unittest.main()
