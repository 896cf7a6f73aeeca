# SPDX-License-Identifier: Apache-2.0
"""The program that sandbox.py starts in a sandbox, once a job. It starts one process after the other for the runner, and
ends everything that a process left behind before it reports the exit status. A sandbox for each vector would take longer
than most parsers.

Standard input is a socket. A message of the runner is a JSON object with `command` and `cpu`, the limit in seconds or null,
and three file descriptors: the standard streams of the process. The first answer has `errno`, 0 if the process was started.
The second has `status`, and `clean`: whether the scratch folders, which are the arguments of the launcher, are as they were
at first. If they are not, the runner starts a new sandbox.

It imports nothing of the package, whose folder may not be importable in the sandbox."""
import ctypes
import errno
import json
import os
import resource
import shutil
import signal
import socket
import sys
import time

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
FILE_MAX = 4 << 30    # bytes; the runtime of .NET maps a file of 2 GiB
PROCESSES_MAX = 2048
LEFT_MAX = 1000       # files that are removed from a scratch folder; more go with the sandbox
KILL_SECONDS = 1.0
# The first process of a sandbox: no process of the sandbox can kill it, and if it ends, all do.
IS_FIRST = os.getpid() == 1


class Scratch:
    """A folder that processes may write to, a file system of its own."""

    def __init__(self, folder):
        self._folder = folder
        self._kept, self._files = set(os.listdir(folder)), self._count()

    def _count(self):
        disk = os.statvfs(self._folder)
        return disk.f_files - disk.f_ffree

    def clean(self):
        """Removes what was left in the folder. Returns whether the folder is as it was at first."""
        more = self._count() - self._files
        if 0 < more <= LEFT_MAX:
            self._remove()
            more = self._count() - self._files
        return more == 0

    def _remove(self):
        try:
            for entry in list(os.scandir(self._folder)):
                if entry.name not in self._kept:
                    (shutil.rmtree if entry.is_dir(follow_symlinks=False) else os.unlink)(entry.path)
        except (OSError, RecursionError):
            pass  # the count tells


def limit():
    """Sets the limits that all processes inherit. No core dumps; their hard limit stays, because a sanitizer in a process
    restores the value that it read. What is not dumpable cannot be traced: a process must not change its launcher."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    lower(resource.RLIMIT_FSIZE, FILE_MAX)
    if IS_FIRST:
        lower(resource.RLIMIT_NPROC, PROCESSES_MAX)  # outside of a sandbox, all processes of the user would count
    else:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)  # a sandbox ends with the runner as a whole


def lower(name, most):
    hard = resource.getrlimit(name)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(name, (most, most))


def kill_all():
    """Kills every process that was started here, also those that left their parent and their session."""
    until = time.monotonic() + KILL_SECONDS
    while IS_FIRST or time.monotonic() < until:
        try:
            for pid in [-1] if IS_FIRST else children():
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            os.wait()
        except ChildProcessError:
            return


def children():
    with open("/proc/thread-self/children", encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


def start(command, cpu, streams):
    """Starts a process and returns its number."""
    actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)]
    reset = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions, setsigdef=reset, setsid=IS_FIRST)
    if cpu is not None:
        resource.prlimit(pid, resource.RLIMIT_CPU, (cpu, cpu))
    return pid


def exit_status(pid):
    """Waits for a process; its status is negative if a signal ended it."""
    ended, status = os.wait()
    while ended != pid:
        ended, status = os.wait()
    return os.waitstatus_to_exitcode(status)


def run(runner, message, streams, scratch):
    try:
        pid = start(message["command"], message["cpu"], streams)
    except (OSError, ValueError) as error:
        runner.send(json.dumps({"errno": getattr(error, "errno", errno.EINVAL)}).encode())
        return
    finally:
        for stream in streams:
            os.close(stream)
    runner.send(b'{"errno":0}')
    status = exit_status(pid)
    kill_all()
    is_clean = all([folder.clean() for folder in scratch])
    runner.send(json.dumps({"status": status, "clean": is_clean}).encode())


def serve(runner, scratch):
    """Answers the runner until it closes the socket. The first message states that the launcher runs."""
    runner.send(b"{}")
    while True:
        data, streams, _, _ = socket.recv_fds(runner, 1 << 18, 3)
        if not data:
            return
        for stream in streams:
            os.set_inheritable(stream, False)
        run(runner, json.loads(data), streams, scratch)


def end(*_):
    kill_all()
    os._exit(0)


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    limit()
    with socket.socket(fileno=os.dup(0)) as runner:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        serve(runner, list(map(Scratch, sys.argv[1:])))
    kill_all()


if __name__ == "__main__":
    main()
