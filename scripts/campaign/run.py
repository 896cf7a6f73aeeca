# SPDX-License-Identifier: Apache-2.0
"""Runs the engines of a campaign side by side until the time is up, someone stops it, or the disk is nearly full."""
import os
import signal
import sys
import time

from . import machine
from .engines import Afl, LibFuzzer

STEP = 1.0
# Beyond its time an engine that looks at its own clock between inputs only is ended.
OVERRUN = 60


class Run:
    """`stopped` says why it ended early, or is None."""

    def __init__(self, engines, folder, seconds):
        self.engines, self.folder, self.seconds = engines, folder, seconds
        self.stopped = None
        self.took = 0

    def go(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        begun = time.monotonic()
        known = self._findings()
        try:
            for engine in self.engines:
                engine.start(self.seconds)
            while self.stopped is None and any(engine.alive() for engine in self.engines):
                time.sleep(STEP)
                self.took = time.monotonic() - begun
                known = self._go_on(known)
                self._show()
                if self.took > self.seconds + OVERRUN:
                    break
                if machine.free(self.folder) < machine.ROOM_TO_GO_ON:
                    self.stopped = "the disk is nearly full"
        finally:
            for engine in self.engines:
                engine.stop()
            self.took = time.monotonic() - begun
            self._clear()

    def _on_signal(self, number, _frame):
        self.stopped = f"interrupted by {signal.Signals(number).name}"

    def _findings(self):
        return len(os.listdir(os.path.join(self.folder, "findings")))

    def _go_on(self, known):
        """libFuzzer ends at a finding. It goes on as long as it finds new ones: one that it meets while it reads the corpus
        would come again and again."""
        rest = int(self.seconds - self.took)
        for engine in self.engines:
            if isinstance(engine, LibFuzzer) and not engine.alive() and rest > 5 and self._findings() > known:
                engine.start(rest)
        return self._findings()

    def _show(self):
        if not sys.stderr.isatty():
            return
        parts = [f"{int(self.took) // 60}:{int(self.took) % 60:02} of {self.seconds // 60}:{self.seconds % 60:02}"]
        for engine in self.engines:
            stats = engine.stats()
            parts.append(f"{engine.name} {stats['executions']:,} runs, {stats['edges'] or 0} edges")
        crashes = sum(len(engine.found("crashes")) for engine in self.engines if isinstance(engine, Afl))
        parts.append(f"findings {self._findings() + crashes}")
        sys.stderr.write("\r\033[K" + " · ".join(parts))
        sys.stderr.flush()

    @staticmethod
    def _clear():
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
