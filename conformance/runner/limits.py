# SPDX-License-Identifier: Apache-2.0
"""Runs a child process in a process group of its own, and watches its time and memory.

Memory is resident memory, sampled. A limit on address space would be exact, but stops every parser that runs under a
sanitizer or in a virtual machine, which reserve far more than they use. preexec_fn is not used, because it makes each start
several times slower."""
import os
import select
import signal
import subprocess
import sys
import threading
import time

WINDOWS = sys.platform == "win32"
LINUX = sys.platform == "linux"
if WINDOWS:
    from .limits_windows import Job
if LINUX:
    import resource

SAMPLE = 0.03  # seconds between two looks at the usage of a child
# bytes of stdout; a parser that prints more is a crash
OUTPUT_MAX = 256 << 20
STDERR_MAX = 16 << 20
# A long-lived parser loads once, for all vectors: it may take this many times the limits of one vector.
START_SHARE = 6


class Limits:
    def __init__(self, wall=10.0, cpu=10.0, memory=1 << 30):
        self.wall, self.cpu, self.memory = wall, cpu, memory  # seconds, seconds, bytes

    def to_start(self):
        return Limits(self.wall * START_SHARE, self.cpu * START_SHARE, self.memory)

    def as_record(self):
        return {"timeout": self.wall, "cpu": self.cpu, "memory": self.memory >> 20, "unenforced": unenforced()}


def unenforced():
    """The limits that cannot be watched on this system."""
    return [] if LINUX or WINDOWS else ["cpu", "memory"]


class Stopped(Exception):
    """The run is being stopped, so no process is started."""


class Children:
    """Starts processes, and knows all that run, so that another thread can stop the run."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self.stopped = False

    def start(self, command, stdin, stdout, stderr, cpu=None, **popen):
        """A started Child. Raises OSError or ValueError if it cannot be started. `popen`: as in Child."""
        child = self._new(command, stdin, stdout, stderr, cpu, **popen)
        with self._lock:
            if not self.stopped:
                self._running.add(child)
                return child
        child.kill()
        raise Stopped

    @staticmethod
    def _new(*arguments, **popen):
        return Child(*arguments, **popen)

    def discard(self, child):
        with self._lock:
            self._running.discard(child)

    def stop(self):
        with self._lock:
            self.stopped = True
            for child in self._running:
                child.signal()


class Child:
    """A started process. Raises OSError if it cannot be started. `popen`: more arguments of subprocess.Popen."""

    def __init__(self, command, stdin, stdout, stderr, cpu=None, **popen):
        self._lock = threading.Lock()
        more = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if WINDOWS else {"start_new_session": True}
        self._popen = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, **more, **popen)
        self.stdin, self.stdout, self.pid = self._popen.stdin, self._popen.stdout, self._popen.pid
        self._job = Job(self._popen) if WINDOWS else None
        self._poll = None
        if LINUX:
            self._set_limits(cpu)
            self._open_pidfd()

    def _set_limits(self, cpu):
        """Sets the limits that hold even if the runner is killed. No core dumps, which take more time than everything
        else; their hard limit stays, because a sanitizer in the child restores the value that it read."""
        try:
            most = resource.prlimit(self.pid, resource.RLIMIT_CORE)[1]
            resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, most))
            if cpu is not None:
                resource.prlimit(self.pid, resource.RLIMIT_CPU, (int(cpu) + 2, int(cpu) + 2))
        except (OSError, ValueError):
            pass  # already gone, or under a stricter limit

    def _open_pidfd(self):
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except OSError:
            return
        self._poll = select.poll()
        self._poll.register(self._pidfd, select.POLLIN)

    def wait(self, seconds):
        """Whether the process ended within the time. If so, kills the processes that it left in its group."""
        if self._popen.returncode is not None:
            return True
        if not self._ended(seconds):
            return False
        self.kill()
        return True

    def _ended(self, seconds):
        if self._poll:
            return bool(self._poll.poll(seconds * 1000))
        if WINDOWS:
            try:
                self._popen.wait(seconds)
            except subprocess.TimeoutExpired:
                return False
            return True
        until = time.monotonic() + seconds
        # Do not reap it yet: the number of its group must not be given to another until the group is killed.
        while not os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            if time.monotonic() > until:
                return False
            time.sleep(0.001)
        return True

    def signal(self):
        """Kills the process and all that it started."""
        with self._lock:
            self._signal()

    def _signal(self):
        if WINDOWS:
            self._job.kill()
        elif self._popen.returncode is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # nothing left but the zombie

    def kill(self):
        """Kills the process and all that it started, and reaps it."""
        with self._lock:
            self._signal()
            self._popen.wait()
            if self._poll:
                os.close(self._pidfd)
                self._poll = None
        for stream in (self.stdin, self.stdout):
            if stream:
                close(stream)

    @property
    def status(self):
        return self._popen.returncode

    def usage(self):
        """Seconds of processor time and resident bytes, of the process and its descendants; (0, 0) if not known."""
        if WINDOWS:
            return self._job.usage()
        return usage_of(self.pid) if LINUX else (0.0, 0)


def usage_of(pid):
    """Seconds of processor time and resident bytes of a process and its descendants."""
    cpu = memory = 0
    for one in _descendants(pid):
        try:
            cpu += _cpu_ticks(one)
            memory += int(_proc(one, "statm").split()[1])
        except (OSError, IndexError, ValueError):
            continue  # it has just ended
    return cpu / os.sysconf("SC_CLK_TCK"), memory * os.sysconf("SC_PAGE_SIZE")


def close(stream):
    try:
        stream.close()
    except OSError:
        pass  # bytes for a reader that is gone


def _proc(pid, name):
    with open(f"/proc/{pid}/{name}", encoding="ascii", errors="replace") as file:
        return file.read()


def _cpu_ticks(pid):
    """User and system time of a process and its ended children. The name before them in the line may hold any character."""
    cells = _proc(pid, "stat").rpartition(")")[2].split()
    return sum(int(cell) for cell in cells[11:15])


def _descendants(pid):
    found, queue = [], [pid]
    while queue:
        pid = queue.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                queue += [int(child) for child in _proc(pid, f"task/{task}/children").split()]
        except OSError:
            continue
    return found


class Watch:
    """Detects that a child exceeds a limit, for one vector after the other."""

    def __init__(self, child, limits):
        self.child, self.limits = child, limits
        self.restart()

    def restart(self):
        """Starts the time of the next vector."""
        self.started = time.monotonic()
        self.cpu_before = None

    def seconds(self):
        return time.monotonic() - self.started

    def over(self):
        """None, or ("hang" | "oom", reason). Processor time counts from the first look during a vector."""
        cpu, memory = self.child.usage()
        if self.cpu_before is None:
            self.cpu_before = max(0.0, cpu - self.seconds())
        if memory > self.limits.memory:
            return self._oom(memory)
        if cpu - self.cpu_before > self.limits.cpu:
            return "hang", f"took more than {self.limits.cpu:g} s of processor time"
        if self.seconds() > self.limits.wall:
            return "hang", f"no answer within {self.limits.wall:g} s"
        return None

    def over_memory(self):
        """over() for memory alone: for a parser that has answered, time no longer counts."""
        _, memory = self.child.usage()
        return self._oom(memory) if memory > self.limits.memory else None

    def _oom(self, memory):
        return "oom", f"uses {memory >> 20} MiB, the limit is {self.limits.memory >> 20} MiB"
