# SPDX-License-Identifier: Apache-2.0
"""The code for Windows, as far as mocks can run it elsewhere. In them, process 1 has started process 2."""
import builtins
import ctypes
import errno
import importlib
import ntpath
import os
import signal
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from runner import atomic_file, command, jsonlines, limits, one_shot, report_jsonl, run_options
from runner.failure import OUTPUT, read_text
from runner.known_failures import Known
from runner.long_lived import Process, StderrFile
from runner.parser_under_test import Parser

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


KERNEL32 = mock.Mock(QueryInformationJobObject=query_job, GetProcessTimes=times, K32GetProcessMemoryInfo=memory,
                     OpenProcess=lambda _rights, _inherit, pid: HANDLE + pid)
JOB = KERNEL32.CreateJobObjectW.return_value


@unittest.skipIf(sys.platform == "win32", "replaces functions of Windows")
class JobTest(unittest.TestCase):
    def setUp(self):
        with mock.patch.object(ctypes, "WinDLL", lambda *_name, **_options: KERNEL32, create=True):
            windows = importlib.import_module("runner.limits_windows")
        KERNEL32.reset_mock()
        self.popen = mock.Mock(pid=1, _handle=HANDLE + 1, **{"poll.return_value": 0})
        self.job = windows.Job(self.popen)

    def test_usage_includes_descendants(self):
        self.assertEqual((3.0, 120), self.job.usage())

    def test_job_ends_with_the_runner_without_a_dialog(self):
        job, _, given, _ = KERNEL32.SetInformationJobObject.call_args.args
        self.assertEqual((JOB, 0x2000 | 0x400), (job, given._obj.BasicLimitInformation.LimitFlags))  # as in winnt.h
        KERNEL32.AssignProcessToJobObject.assert_called_once_with(JOB, HANDLE + 1)

    def test_kill_ends_descendants(self):
        self.job.kill()
        self.job.kill()
        KERNEL32.TerminateJobObject.assert_called_once_with(JOB, 1)
        KERNEL32.CloseHandle.assert_called_once_with(JOB)
        self.popen.kill.assert_not_called()

    def test_process_outside_the_job(self):
        self.popen.poll.return_value = None
        self.job.kill()
        self.popen.kill.assert_called_once_with()


class FakeJob:
    def __init__(self, popen):
        self.kill = popen.kill

    def usage(self):
        return 1.5, 7


@unittest.skipIf(sys.platform == "win32", "replaces functions of Windows")
class ChildTest(unittest.TestCase):
    def setUp(self):
        started = subprocess.Popen
        self.flags = []

        def start(words, creationflags, **popen):
            self.flags.append(creationflags)
            return started(words, **popen)

        for patch in (mock.patch.multiple(limits, WINDOWS=True, LINUX=False), mock.patch.object(subprocess, "Popen", start),
                      mock.patch.object(limits, "Job", FakeJob, create=True),
                      mock.patch.object(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, create=True)):
            patch.start()
            self.addCleanup(patch.stop)
        code, quiet = "import select, sys; select.select([sys.stdin], [], [], 20)", subprocess.DEVNULL
        self.child = limits.Child([sys.executable, "-c", code], subprocess.PIPE, quiet, quiet)
        self.addCleanup(self.child.kill)

    def test_process_that_exits(self):
        self.assertFalse(self.child.wait(0.01))
        self.assertEqual((1.5, 7), self.child.usage())
        self.child.stdin.write(b"\n")
        self.child.stdin.flush()
        self.assertTrue(self.child.wait(20))
        self.assertEqual(0, self.child.status)

    def test_process_that_is_killed(self):
        self.child.signal()
        self.assertTrue(self.child.wait(20))
        self.assertNotEqual(0, self.child.status)

    def test_ctrl_c_reaches_the_runner_only(self):
        self.assertEqual([0x200], self.flags)

    def test_all_limits_are_watched(self):
        self.assertEqual([], limits.unenforced())


class StderrFileTest(unittest.TestCase):
    def test_file_that_cannot_be_removed_yet(self):
        with mock.patch.object(sys, "platform", "win32"):
            stderr = StderrFile()
        self.addCleanup(os.unlink, stderr._path)
        with mock.patch.object(os, "unlink", side_effect=PermissionError) as unlink:
            stderr.close()
        unlink.assert_called_once()


class ReproduceTest(unittest.TestCase):
    def test_reproduction_uses_this_python(self):
        parser = Parser(["read.exe"], "long-lived")
        with mock.patch.multiple(sys, platform="win32", executable=r"C:\My Programs\py.exe"):
            command = parser.reproduce({"id": "a", "path": r"C:\a.etl"})
        self.assertTrue(command.startswith(r'"C:\My Programs\py.exe" -c '), command)


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, content, name="file"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_line_ends_are_the_same_everywhere(self):
        as_here = open

        def as_there(path, mode="r", *more, newline=None, **named):
            if newline is None and "b" not in mode and "r" not in mode:
                newline = "\r\n"
            return as_here(path, mode, *more, newline=newline, **named)

        listed = self.write(b"# none\n")
        with mock.patch.object(builtins, "open", as_there):
            atomic_file.write_text(os.path.join(self.folder, "report.txt"), "a\nb\n")
            writer = report_jsonl.Writer(self.folder, {"rec": "run"})
            writer.open([])
            writer.add({"rec": "result"})
            writer.close()
            Known(listed, False).fix([], [])
        self.assertEqual(["file", "report.jsonl", "report.txt"], sorted(os.listdir(self.folder)))
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name), "rb") as file:
                self.assertNotIn(b"\r", file.read(), name)

    def test_byte_order_mark_is_ignored(self):
        self.assertEqual(["# ends", "so", ""], read_text(self.write(b"\xef\xbb\xbf# ends\r\nso\r\n"), "the file"))
        self.assertEqual([{"a": 1}, {}], jsonlines.decode_lines(b'\xef\xbb\xbf{"a":1}\r\n{}\r\n'))
        code = r"import os; os.write(1, b'\xef\xbb\xbf{\"ready\":true}\r\n')"
        process = Process(Parser([sys.executable, "-c", code], "long-lived"), limits.Limits(), limits.Children())
        self.addCleanup(process.kill)
        self.assertEqual({"ready": True}, process.start())

    def test_vectors_on_another_drive(self):
        with mock.patch.object(os, "path", ntpath):
            self.assertEqual(r"D:\golden", run_options.short_path(r"D:\golden"))


class EndTest(unittest.TestCase):
    def run_command(self, body):
        with mock.patch.object(os, "dup2"), mock.patch.object(sys, "unraisablehook"), \
                mock.patch.object(signal, "signal") as handled:
            return command.run("name", body), handled

    def test_exit_status_of_an_exception(self):
        self.assertEqual("exit 0xc0000005", one_shot.exit_text(0xC0000005))

    def test_closed_pipe_is_not_reported(self):
        gone = OSError(errno.EINVAL, "Invalid argument")
        with mock.patch.object(sys, "platform", "win32"), mock.patch.object(command, "complain") as complain:
            self.assertEqual(OUTPUT, self.run_command(mock.Mock(side_effect=gone))[0])
        complain.assert_not_called()

    def test_ctrl_break_interrupts(self):
        with mock.patch.object(signal, "SIGBREAK", 21, create=True):
            _, handled = self.run_command(lambda: 0)
        handled.assert_any_call(21, command._interrupt)

    def test_interrupt_is_sent_again(self):
        there = types.SimpleNamespace(raise_signal=mock.Mock(), SIGTERM=signal.SIGTERM)
        with mock.patch.object(command, "signal", there):
            command._interrupt_main()
        there.raise_signal.assert_called_once_with(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
