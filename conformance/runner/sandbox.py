# SPDX-License-Identifier: Apache-2.0
"""Starts parsers in a sandbox of bubblewrap (bwrap), where that is installed and works, so that they can do no harm.

In the sandbox, the file system is read-only but for scratch folders, which are emptied after each process. There is no
network. No process of the outside can be seen, and none of the sandbox outlives its vector. Without bubblewrap, launcher.py
runs outside of a sandbox, and still ends processes that left their parent."""
import concurrent.futures
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from .html_page import clean
from .limits import LINUX, Child, Children, close, usage_of

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")
SCRATCH_SIZE = 256 << 20
SCRATCH = ("/tmp", "/dev/shm")
REPLACED = ("/tmp", "/run")  # folders of sockets, through which other programs could be asked for anything
START_SECONDS = 30.0
END_SECONDS = 1.0
WHY_MAX = 60  # characters of why there is no sandbox


def children_for(command, readable, hidden, confine=True):
    """(Children that start processes in sandboxes, how they are confined). The processes may read the folder `readable`,
    and see nothing in the folders `hidden`. `command`: words of all commands that will be started."""
    if not LINUX:
        return Children(), "process limits only (bwrap: needs Linux)"
    if not confine:
        return _outside("--no-confine")
    bwrap = shutil.which("bwrap")
    if not bwrap:
        return _outside("bwrap: not installed")
    found = Sandboxes(_words(bwrap, command, readable, hidden))
    try:
        found.give_back(found.launcher())
    except OSError as error:
        return _outside(clean(error)[:WHY_MAX])
    return found, "bwrap"


def _outside(why):
    return Sandboxes(None), f"process limits only ({why})"


def _words(bwrap, command, readable, hidden):
    """The start of the command line of a sandbox."""
    words = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL",
             "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--tmpfs", "/run"]
    for folder in SCRATCH:
        words += ["--size", str(SCRATCH_SIZE), "--tmpfs", folder]
    for path in _named(command):
        words += ["--ro-bind", path, path]
    for path in _to_hide(hidden, command):
        words += ["--tmpfs", path, "--remount-ro", path]
    readable = os.path.realpath(readable)
    return [*words, "--remount-ro", "/run", "--ro-bind", readable, readable, "--setenv", "TMPDIR", SCRATCH[0],
            "--chdir", os.getcwd(), "--"]


def _to_hide(folders, command):
    """The folders that exist, except those inside of others and those that hold the parser or the current folder."""
    needed = [os.path.realpath(word) for word in (os.getcwd(), *command) if os.path.exists(word)]
    chosen = []
    for path in sorted(map(os.path.realpath, folders)):
        if os.path.isdir(path) and not any(_is_in(one, path) for one in needed):
            if not any(_is_in(path, outer) for outer in chosen):
                chosen.append(path)
    return chosen


def _is_in(path, folder):
    return os.path.commonpath((path, folder)) == folder


def _named(command):
    """What the command needs of the folders that are replaced: the entries that its words, the current folder or variables
    such as PATH name."""
    texts = [*command, *filter(None, map(shutil.which, command[:1])), sys.executable, sys.prefix, LAUNCHER, os.getcwd()]
    texts += map(os.path.realpath, list(texts))
    texts += [value for name, value in os.environ.items() if name.endswith("PATH")]
    entry = re.compile("|".join(rf"(?<![\w.]){folder}/[^/:\s\"']+" for folder in REPLACED))
    return sorted({path for text in texts for path in entry.findall(text) if os.path.exists(path)})


class Sandboxes(Children):
    """Starts each process in a sandbox that no other one uses at the same time. `words` start a sandbox; None: outside."""

    def __init__(self, words):
        super().__init__()
        self._words = words
        # A sandbox ends with the thread that started it, so that all end with the runner.
        self._starter = concurrent.futures.ThreadPoolExecutor(1)
        self._idle_lock = threading.Lock()
        self._idle = []

    def _new(self, command, stdin, stdout, stderr, cpu=None):
        return Sandboxed(self, command, (stdin, stdout, stderr), cpu)

    def launcher(self):
        """An idle launcher, or a new one. Raises OSError if the sandbox does not start."""
        with self._idle_lock:
            if self._idle:
                return self._idle.pop()
        return self._starter.submit(Launcher, self._words).result()

    def give_back(self, launcher):
        with self._idle_lock:
            if not self.stopped:
                self._idle.append(launcher)
                return
        launcher.kill()

    def stop(self):
        super().stop()
        with self._idle_lock:
            idle, self._idle = self._idle, []
        for launcher in idle:
            launcher.kill()


class Launcher:
    """A started launcher.py. Raises OSError if it does not start."""

    def __init__(self, words):
        self._is_outside = words is None
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = [sys.executable, "-I", "-S", "-B", LAUNCHER]
        command = program if self._is_outside else [*words, *program, *SCRATCH]
        with tempfile.TemporaryFile() as stderr:
            with theirs:
                self._child = Child(command, theirs, subprocess.DEVNULL, stderr)
            if not self.answers(START_SECONDS) or self.receive() is None:
                self.kill()
                stderr.seek(0)
                why = stderr.read(1000).decode("utf-8", "replace").strip().splitlines()
                raise OSError(why[-1] if why else "bwrap: does not start")

    def send(self, message, streams):
        socket.send_fds(self.socket, [json.dumps(message).encode()], streams)

    def answers(self, seconds):
        """Whether there is an answer within the time, or the launcher has died."""
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def receive(self):
        """The answer; None if the launcher has died."""
        try:
            data = self.socket.recv(1 << 12)
        except OSError:
            data = b""
        return json.loads(data) if data else None

    def usage(self):
        return usage_of(self._child.pid)

    def signal(self):
        """Ends the sandbox, or the launcher outside of one, which then kills what it started."""
        if self._is_outside and self._child.status is None:
            os.kill(self._child.pid, signal.SIGTERM)
        else:
            self._child.signal()

    def kill(self):
        """Ends the launcher and all that it started."""
        self.signal()
        self._child.wait(END_SECONDS)
        self._child.kill()
        self.socket.close()


class Sandboxed:
    """A process in a sandbox, with the methods of limits.Child. Raises OSError if it cannot be started."""

    def __init__(self, sandboxes, command, streams, cpu):
        self._lock = threading.Lock()
        self._sandboxes = sandboxes
        self.stdin = self.stdout = self.status = None
        self._launcher = sandboxes.launcher()
        theirs = [self._stream(number, stream) for number, stream in enumerate(streams)]
        try:
            self._start({"command": command, "cpu": None if cpu is None else int(cpu) + 2}, theirs)
        except OSError:
            self.kill()
            raise
        finally:
            for descriptor, stream in zip(theirs, streams):
                if stream in (subprocess.PIPE, subprocess.DEVNULL):
                    os.close(descriptor)

    def _stream(self, number, stream):
        """The descriptor of a standard stream for the process."""
        if stream == subprocess.DEVNULL:
            return os.open(os.devnull, os.O_RDWR)
        if stream != subprocess.PIPE:
            return stream if isinstance(stream, int) else stream.fileno()
        reader, writer = os.pipe()
        if number == 0:
            self.stdin = os.fdopen(writer, "wb")
            return reader
        self.stdout = os.fdopen(reader, "rb")
        return writer

    def _start(self, message, streams):
        self._launcher.send(message, streams)
        answer = self._launcher.receive()
        if answer and answer["errno"]:
            raise OSError(answer["errno"], os.strerror(answer["errno"]))

    def wait(self, seconds):
        """Whether the process ended within the time. All that it started has then been killed."""
        if self.status is None and not self._launcher.answers(seconds):
            return False
        with self._lock:
            if self.status is None:
                self._end(self._launcher.receive())
        return True

    def _end(self, answer):
        """Keeps the status. A launcher that has died was killed, by this program or by the process."""
        self.status = answer["status"] if answer else -signal.SIGKILL
        if answer and answer["clean"]:
            self._sandboxes.give_back(self._launcher)
        else:
            self._launcher.kill()
        self._close()

    def signal(self):
        """Kills the process and all that it started."""
        with self._lock:
            if self.status is None:
                self._launcher.signal()

    def kill(self):
        """Kills the process and all that it started, with its sandbox."""
        with self._lock:
            if self.status is None:
                self.status = -signal.SIGKILL
                self._launcher.kill()
        self._close()

    def _close(self):
        for stream in (self.stdin, self.stdout):
            if stream:
                close(stream)

    def usage(self):
        """Seconds of processor time and resident bytes, of all that runs in the sandbox."""
        return self._launcher.usage()
