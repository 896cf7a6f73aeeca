# SPDX-License-Identifier: Apache-2.0
"""Runs programs that end with their parent, however it ends, together with their own children."""
import ctypes
import os
import signal
import subprocess

_PR_SET_PDEATHSIG = 1
_MARK = "ETLPROOF_ENGINE"
# The kernel signals the child when its parent ends, but not the child's own children: a shell between them does.
_KEEPER = ["/bin/sh", "-c", 'trap "kill -KILL 0" TERM; "$@" & wait $!', "keeper"]


def end_with_parent():
    """For `preexec_fn`: asks the kernel to end the child when its parent ends. If the parent ended before that, the child
    has another parent now, and exits."""
    parent = os.getpid()

    def ask_kernel():
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(128 + signal.SIGTERM)

    return ask_kernel


def marked(mark):
    """The environment for a program that end_marked can find later, with all that it has started."""
    return {_MARK: mark}


def end_marked(mark):
    """Kills all processes that a marked program has left, whatever their parent is now. afl-fuzz stops its children between
    two inputs and sometimes leaves one so: it waits forever and reacts to SIGKILL only."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if f"{_MARK}={mark}".encode() in file.read().split(b"\0"):
                    os.kill(int(name), signal.SIGKILL)
        except OSError:
            pass  # it has ended, or belongs to another user


def run(command, **popen):
    """Runs a program to its end, in a process group of its own; returns its exit status, 128 and more for a signal."""
    child = subprocess.Popen([*_KEEPER, *command], stdin=subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=end_with_parent(), **popen)
    try:
        return child.wait()
    finally:
        end_group(child)


def end_group(child):
    """Kills a program and all others of its process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # nothing is left
    child.wait()
