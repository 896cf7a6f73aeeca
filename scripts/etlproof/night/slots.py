# SPDX-License-Identifier: Apache-2.0
"""A slot: one engine on one target for a time, in its own folder. New inputs and crashes are collected while the engine
runs and once after it; after a kill in between, the next run collects them."""
import os
import shutil
import signal
import time

from etlproof.campaign import engine_run, engines, plan, targets
from runner import atomic_file
from . import corpus, durable, schedule
from .state import now

# Seconds since the last change of a file before it is collected: it may be half written. At the end all are collected.
SETTLED = 2
# Seconds in which a new process may not yet be visible as an engine: its arguments appear last.
STARTING = 0.5


def _in(*names):
    """Paths of the inputs in a folder, which need not exist."""
    folder = os.path.join(*names)
    return [os.path.join(folder, name) for name in sorted(corpus.files(folder))
            if not name.startswith(".") and name != "README.txt"]


def _learned(folder):
    found = _in(folder, "corpus")
    for instance in corpus.folders(os.path.join(folder, "afl")):
        # `orig` marks the seeds of the instance.
        found += [path for path in _in(folder, "afl", instance, "queue") if ",orig:" not in path]
    return found


def _failed(folder):
    """The failing inputs by kind."""
    found = {}
    for path in _in(folder, "findings"):
        kind = corpus.KINDS.get(os.path.basename(path).split("-")[0])
        if kind:
            found.setdefault(kind, []).append(path)
    for instance in corpus.folders(os.path.join(folder, "afl")):
        for name, kind in (("crashes", "crash"), ("hangs", "timeout")):
            found.setdefault(kind, []).extend(_in(folder, "afl", instance, name))
    return found


def _contents(fresh):
    return (data for data in (corpus.read(path) for path, _, _ in fresh) if data is not None)


class Folder:
    """The inputs in the folder of a slot, which is a row of the database."""

    def __init__(self, state, row):
        self.state, self.row = state, row
        self.path = state.path("slots", str(row["id"]))
        self.corpus = corpus.Corpus(state, row["run"], row["target"])
        self._crashes = corpus.Crashes(state, row["run"], row["target"])
        self._taken = set()

    def take(self, gone):
        """Collects the new inputs and crashes. `gone`: the engine has ended, so no file is half written."""
        configuration = self.row["configuration"]
        fresh = self._fresh(_learned(self.path), gone)
        self.corpus.add(_contents(fresh), configuration)
        self._taken.update(fresh)  # only now: an interrupted run collects them again
        for kind, paths in _failed(self.path).items():
            fresh = self._fresh(paths, gone)
            failed = {corpus.digest(data): data for data in _contents(fresh)}
            new = self._crashes.add(failed.values(), kind, configuration)
            self.state.do("UPDATE slots SET crashes = crashes + ? WHERE id = ?", len(new), self.row["id"])
            self._taken.update(fresh)

    def _fresh(self, paths, gone):
        """(path, time, size) of the files that have not been collected in their current state."""
        found = []
        for path in paths:
            try:
                status = os.stat(path)
            except FileNotFoundError:
                continue
            key = path, status.st_mtime_ns, status.st_size
            if key not in self._taken and (gone or time.time() - status.st_mtime >= SETTLED):
                found.append(key)
        return found

    def clear(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Slot:
    """A running slot. `early`, set at its end, describes how its engine ended early without a finding."""

    early = None

    def __init__(self, night, target, configuration, seconds):
        state = night.state
        self.state, self.target, self.configuration, self.seconds = state, target, configuration, seconds
        self.number = state.do("INSERT INTO slots (run, target, configuration, begun, tested) VALUES (?, ?, ?, ?, ?)",
                               night.number, target.name, configuration, now(), night.tested)
        self._folder = Folder(state, state.row("SELECT * FROM slots WHERE id = ?", self.number))
        durable.make_folders(*(os.path.join(self._folder.path, name) for name in ("corpus", "findings")))
        start = self._folder.corpus.links(os.path.join(self._folder.path, "start"))
        earlier = state.value("SELECT count(*) FROM slots WHERE target = ? AND configuration = ? AND id < ?", target.name,
                              configuration, self.number)
        chosen = plan.Plan(target, self._folder.path, start, True, True, schedule.is_large(earlier))
        self.engine = engines.engine_of(configuration, target, chosen, self._folder.path)
        try:
            self._leg = engine_run.Leg(self.engine, max(1, round(seconds)))
            self._note_process()
        except BaseException:  # interrupted: the engine is not recorded yet
            self.engine.stop()
            raise

    def _note_process(self):
        self.state.do("UPDATE slots SET pid = ? WHERE id = ?", self.engine.process.pid, self.number)

    def goes_on(self):
        return self._leg.goes_on()

    def used(self):
        return self._leg.used()

    def took(self):
        return self._leg.took

    def beat(self, gone=False):
        """Collects the inputs found so far."""
        self._folder.take(gone)
        self._note_process()
        note(self.state, self.number, self.engine.stats(), self.used())

    def feed(self, inputs):
        """Gives inputs to the running engine. libFuzzer looks for new files in its corpus folder every second; AFL++ reads
        other folders only at its start."""
        if isinstance(self.engine, engines.LibFuzzer):
            for data in inputs:
                atomic_file.write(os.path.join(self.engine.corpus, corpus.digest(data)), data)

    def end(self):
        """None if the engine ran; the end of its output if it did not. An engine that had too little time counts as having
        run, since the machine may be busy."""
        self._leg.look()
        had_time = not self.engine.alive() or self.used() > schedule.SLOT_LEAST
        early = self._leg.early()
        self.engine.stop()
        self.beat(gone=True)
        self.early = None if any(_failed(self._folder.path).values()) else early
        words = self.engine.log_end() if had_time and not self.engine.stats()["executions"] else None
        self._folder.clear()
        return words


def note(state, number, stats, used):
    state.do("UPDATE slots SET processor_seconds = max(processor_seconds, ?), executions = ?, edges = ?, edges_total = ?, "
             "features = ? WHERE id = ?", round(used, 2), stats["executions"], stats["edges"], stats["edges_total"],
             stats["features"], number)


def recover(state):
    """Collects the inputs of slots that were killed, once their engines have ended."""
    names = sorted(name for name in corpus.folders(state.path("slots")) if name.isdecimal())
    left = [state.row("SELECT * FROM slots WHERE id = ?", int(name)) for name in names]
    for row in filter(None, left):
        folder = Folder(state, row)
        target = targets.Target(row["target"], "FILE", 0, "")
        engine = engines.engine_of(row["configuration"], target, None, folder.path)
        _wait_for(row["pid"], folder.path)
        engine.end_left()
        folder.take(gone=True)
        if os.path.exists(engine.log):
            note(state, row["id"], engine.stats(), row["processor_seconds"])
        folder.clear()


def _wait_for(pid, folder):
    """Waits for an engine that the kernel was asked to end; kills it if its process id is known and it does not end. An
    engine that had just been started is known only by its folder, like any process that looks into it; it gets time to
    end."""
    begun = time.monotonic()
    while (workers := _workers(folder)) or time.monotonic() < begun + STARTING:
        if workers and time.monotonic() > begun + engines.END_SECONDS:
            if pid not in workers:
                return
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _workers(folder):
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and _works_in(name, folder)]


def _works_in(pid, folder):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return folder.encode() + b"/" in file.read().replace(b"\0", b"/")
    except OSError:
        return False
