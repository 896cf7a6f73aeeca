# SPDX-License-Identifier: Apache-2.0
"""Progress on a terminal."""
import sys
import time


class Line:
    """A line on a terminal that each text overwrites. `live`: whether there is a terminal; without one nothing is shown.
    The old text is overwritten with blanks, because not every Windows console can clear a line."""

    def __init__(self, quiet=False):
        self.live = not quiet and sys.stderr.isatty()
        self._shown = ""

    def show(self, text):
        if self.live:
            before, self._shown = self._shown, text
            self._write("\r" + text.ljust(len(before)))

    def say(self, text):
        """Shows the text, or prints it as a line that stays if there is no terminal."""
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
            self.live, self._shown = False, ""  # the terminal is gone, the run continues


class Progress:
    """The progress of a run over vectors; shown after the first second."""

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
