# SPDX-License-Identifier: Apache-2.0
"""What is done otherwise on Windows, as far as it can be made up elsewhere. Of processes, 1 has started 2."""
import ctypes
import importlib
import os
import sys
import types
import unittest
from unittest import mock

from runner.adapter import Parser
from runner.long_lived import Said

CPU = {1: 10 ** 7, 2: 2 * 10 ** 7}  # units of 100 ns
MEMORY = {1: 100, 2: 20}
HANDLE = 1000  # of process 0


def query_job(_job, _kind, ids, _size, _returned):
    ids._obj.NumberOfProcessIdsInList = len(CPU)
    ids._obj.ProcessIdList[:len(CPU)] = list(CPU)
    return True


def times(handle, _creation, _exit, _kernel, user):
    user._obj.dwLowDateTime = CPU[handle - HANDLE]
    return True


def memory(handle, counters, _size):
    counters._obj.WorkingSetSize = MEMORY[handle - HANDLE]
    return True


def kernel32(*_name, **_options):
    others = ("CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject", "TerminateJobObject",
              "CloseHandle")
    return types.SimpleNamespace(
        **{name: lambda *_: 1 for name in others}, QueryInformationJobObject=query_job, GetProcessTimes=times,
        K32GetProcessMemoryInfo=memory, OpenProcess=lambda _rights, _inherit, pid: HANDLE + pid)


@unittest.skipIf(sys.platform == "win32", "the real one is there")
class JobTest(unittest.TestCase):
    def test_what_a_child_has_started_counts_too(self):
        with mock.patch.object(ctypes, "WinDLL", kernel32, create=True):
            windows = importlib.import_module("runner.limits_windows")
        job = windows.Job(types.SimpleNamespace(pid=1, _handle=HANDLE + 1))
        self.assertEqual((3.0, 120), job.usage())


class SaidTest(unittest.TestCase):
    def test_a_file_that_cannot_be_removed_yet(self):
        with mock.patch.object(sys, "platform", "win32"):
            said = Said()
        self.addCleanup(os.unlink, said._path)
        with mock.patch.object(os, "unlink", side_effect=PermissionError) as unlink:
            said.close()
        unlink.assert_called_once()


class ReproduceTest(unittest.TestCase):
    def test_the_python_that_is_there(self):
        parser = Parser(["read.exe"], "long-lived")
        with mock.patch.multiple(sys, platform="win32", executable=r"C:\My Programs\py.exe"):
            command = parser.reproduce({"id": "a", "path": r"C:\a.etl"})
        self.assertTrue(command.startswith(r'"C:\My Programs\py.exe" -c '), command)


if __name__ == "__main__":
    unittest.main()
