# SPDX-License-Identifier: Apache-2.0
"""Runs the engines of a campaign side by side until the time is up, someone stops it, or the disk is nearly full."""
import os
import signal
import time

from runner.failure import Failure
from runner.progress import Line
from . import machine, reproducers
from .engines import LibFuzzer

STEP = 1.0
# Seconds beyond its time after which an engine is killed: it may check its clock only between inputs.
OVERRUN = 60
# If an engine ends with fewer seconds left, it is not restarted, and did not end early.
WORTH = 5
# Prefixes of libFuzzer's findings after which it exits; slow-unit is not one.
_ENDING = ("crash-", "leak-", "timeout-", "oom-")


class Leg:
    """Runs one engine for so many seconds. libFuzzer exits at each crash; it is restarted as long as crashes are new: a
    crash in the corpus would end every further start."""

    def __init__(self, engine, seconds):
        self.engine, self.seconds = engine, seconds
        self.took = 0
        self._known = self.findings()
        self._ended, self._running = 0.0, 0.0  # seconds of processor time: of the earlier starts, and of the current one
        self._begun = time.monotonic()
        engine.start(seconds)

    def findings(self):
        return sum(name.startswith(_ENDING) for name in os.listdir(os.path.join(self.engine.folder, "findings")))

    def used(self):
        """Seconds of processor time at the last look."""
        return self._ended + self._running

    def look(self):
        """Updates the processor time. After a process has ended, the kernel reports it only until the process is reaped."""
        self.took = time.monotonic() - self._begun
        self._running = max(self._running, self.engine.used())

    def goes_on(self):
        """Whether the engine runs; restarts it if it may. Call this regularly."""
        self.look()
        if self.took > self.seconds + OVERRUN:
            return False
        return self.engine.alive() or self._restart()

    def early(self):
        """How an engine that has stopped ended, if that was well before its time."""
        if self.engine.alive() or self._rest() <= WORTH:
            return None
        return f"{self.engine.name} ended with {self.engine.how_ended()} after {self.took:.0f} of {self.seconds} s"

    def _rest(self):
        return int(self.seconds - self.took)

    def _restart(self):
        found = self.findings()
        if not isinstance(self.engine, LibFuzzer) or self._rest() <= WORTH or found <= self._known:
            return False
        self._known = found
        self._ended, self._running = self.used(), 0.0
        self.engine.start(self._rest())
        return True


class Run:
    """Runs the engines. `stopped` is the signal that interrupted the run, or None; `full` is the Failure of a disk that is
    nearly full, or None; `early` describes engines that ended early."""

    def __init__(self, engines, folder, seconds):
        self.engines, self.folder, self.seconds = engines, folder, seconds
        self.stopped, self.full, self.early = None, None, []
        self.took = 0
        self._line = Line()

    def go(self):
        before = {number: signal.signal(number, self._on_signal)
                  for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            self._go()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _go(self):
        begun = time.monotonic()
        for engine in self.engines:
            engine.forget_said()
        try:
            legs = [Leg(engine, self.seconds) for engine in self.engines]
            while self.stopped is None and self.full is None and legs:
                time.sleep(STEP)
                self.took = time.monotonic() - begun
                legs = [leg for leg in legs if self._goes_on(leg)]
                self._show()
                self.full = self._room_failure()
        finally:
            for engine in self.engines:
                engine.stop()
            self.took = time.monotonic() - begun
            self._line.clear()

    def _goes_on(self, leg):
        """Records an engine that ended early, unless an interrupt ended it: Ctrl-C on a terminal reaches all
        processes."""
        going = leg.goes_on()
        if not going and self.stopped is None and leg.early():
            self.early.append(leg.early())
        return going

    def _room_failure(self):
        """The Failure of a nearly full disk, or None. Not raised, because the findings are still collected."""
        try:
            machine.check_room_left(self.folder)
        except Failure as failure:
            return failure
        return None

    def _on_signal(self, number, _frame):
        self.stopped = f"interrupted by {signal.Signals(number).name}"

    def _show(self):
        if not self._line.live:
            return
        parts = [f"{int(self.took) // 60}:{int(self.took) % 60:02} of {self.seconds // 60}:{self.seconds % 60:02}"]
        for engine in self.engines:
            stats = engine.stats()
            parts.append(f"{engine.name} {stats['executions']:,} runs, {stats['edges'] or 0} edges")
        kept = len(os.listdir(os.path.join(self.folder, "findings")))
        parts.append(f"findings {kept + len(reproducers.of_afl(self.folder))}")
        self._line.show(" · ".join(parts))
