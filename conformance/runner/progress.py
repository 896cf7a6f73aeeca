# SPDX-License-Identifier: Apache-2.0
"""One line on a terminal that says how far a run is. None where there is no terminal, none for a run of a second."""
import sys
import time

_CLEAR = "\r\x1b[K"


class Progress:
    def __init__(self, total, quiet, stream=None):
        self._stream = stream or sys.stderr
        self._total = total
        self._shown = False
        self._started = time.monotonic()
        self._on = not quiet and self._stream.isatty()

    def show(self, done, failures):
        seconds = time.monotonic() - self._started
        if not self._on or seconds < 1 or not done:
            return
        left = seconds / done * (self._total - done)
        self._write(f"{_CLEAR}{done}/{self._total} vectors, {failures} failures, {_duration(left)} left")
        self._shown = True

    def clear(self):
        if self._shown:
            self._write(_CLEAR)
            self._shown = False

    def _write(self, text):
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._on = False  # the terminal has gone, the run has not


def _duration(seconds):
    seconds = int(seconds + 0.5)
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
