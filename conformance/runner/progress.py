# SPDX-License-Identifier: Apache-2.0
"""What says on a terminal how far a run is."""
import sys
import time


class Line:
    """One line on a terminal, each in the place of the one before. None where there is no terminal, which `live` tells. It
    is written over with blanks: not every console of Windows knows another way."""

    def __init__(self, quiet=False):
        self.live = not quiet and sys.stderr.isatty()
        self._shown = ""

    def show(self, text):
        if self.live:
            before, self._shown = self._shown, text
            self._write("\r" + text.ljust(len(before)))

    def say(self, text):
        """Where there is no terminal, a line that stays."""
        if self.live:
            self.show(text)
        else:
            print(text, file=sys.stderr, flush=True)

    def clear(self):
        if self._shown:
            before, self._shown = self._shown, ""
            self._write("\r" + " " * len(before) + "\r")

    def _write(self, text):
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self.live, self._shown = False, ""  # the terminal has gone, the run has not


class Progress:
    """That of a run over vectors; a run of a second says nothing."""

    def __init__(self, total, quiet):
        self._line, self._total = Line(quiet), total
        self._started = time.monotonic()

    def show(self, done, failures):
        seconds = time.monotonic() - self._started
        if seconds < 1 or not done:
            return
        left = seconds / done * (self._total - done)
        self._line.show(f"{done}/{self._total} vectors, {failures} failures, {_duration(left)} left")

    def clear(self):
        self._line.clear()


def _duration(seconds):
    seconds = int(seconds + 0.5)
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
