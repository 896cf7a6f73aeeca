# SPDX-License-Identifier: Apache-2.0
"""Shows the progress of a night: on a terminal a table that is redrawn, elsewhere one line per phase, and a line whenever
nothing was printed for half a minute."""
import sys
import threading
import time

_SUMS = "SELECT target, sum(executions) executions, sum(crashes) crashes FROM slots WHERE run = ? GROUP BY 1"


def duration(seconds):
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


# Most seconds between two lines where the output is no terminal: a log that stops for minutes looks like a hang.
EVERY = 30


class Status:
    """Shows the progress; `quiet`: prints nothing."""

    def __init__(self, quiet, stream=None):
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._live = not quiet and self._stream.isatty()
        self._lines = 0
        self._doing, self._begun, self._printed = None, 0.0, time.monotonic()
        if not quiet and not self._live:
            threading.Thread(target=self._tick, daemon=True).start()

    def _tick(self):
        """Prints what is being done, whenever nothing was printed for EVERY seconds."""
        while True:
            time.sleep(min(1, EVERY))
            doing, begun, now = self._doing, self._begun, time.monotonic()
            if doing and now - self._printed >= EVERY:
                self._printed = now
                self._write(f"{doing}, {duration(now - begun)}\n")

    def phase(self, text):
        """Prints a line that stays."""
        self.clear()
        self._doing, self._printed = None, time.monotonic()
        if not self._quiet:
            print(text, flush=True)

    def say(self, text):
        """Prints a line that the next one overwrites. If the output is no terminal, it is printed while it takes long."""
        self._doing, self._begun = text, time.monotonic()
        self._draw([text])

    def table(self, state, run, running, rest):
        if not self._live:
            self._doing = f"fuzzing, {duration(rest)} left"
            return
        on = {}
        for slot in running:
            on.setdefault(slot.target.name, []).append(slot.configuration)
        lines = [f"{duration(rest)} left        executions    edges  crashes"]
        edges = state.edges(run)
        for row in state.rows(_SUMS, run):
            name = row["target"]
            seen = f"{edges[name]['edges']:,}" if name in edges else "-"
            lines.append(f"{name:14} {row['executions']:>13,} {seen:>8} {row['crashes']:>8,}  "
                         f"{' '.join(on.get(name, []))}".rstrip())
        self._draw(lines)

    def _draw(self, lines):
        if not self._live:
            return
        up = f"\033[{self._lines - 1}A" if self._lines > 1 else ""
        self._write(f"{up}\r\033[J" + "\n".join(lines))
        self._lines = len(lines)

    def clear(self):
        if self._live and self._lines:
            self._draw([""])
            self._lines = 0

    def _write(self, text):
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._live = False  # the output was closed; the night continues
