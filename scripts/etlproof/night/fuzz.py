# SPDX-License-Identifier: Apache-2.0
"""The fuzzing phase: runs slots in parallel, each for another combination, until the budget is used up."""
import time

from etlproof.campaign import machine
from runner.failure import INPUT, Failure
from . import schedule, slots, sync

STEP = 0.5
# Seconds between two collections of new inputs: this much is lost if the power fails.
BEAT = 5
# A slot shorter than this part of the shortest allowed one is not started.
WORTH = 0.5
# The least part of a slot that is charged to its combination: otherwise one that fails at once would be chosen forever.
LEAST = 0.1


class Fuzzing:
    """`among` are the combinations that were built, `shared` is the Sync with other machines."""

    def __init__(self, night, among, shared):
        self.night, self.state, self.run = night, night.state, night.run()
        self._left = max(0.0, self.run["budget"] - self.run["fuzzed"])
        self._jobs = self.run["jobs"]
        self._schedule = schedule.Schedule(among, self.state.spent(), self._left * self._jobs)
        self._length = schedule.slot_seconds(self._left, self._jobs, len(among))
        self._running, self._shared = [], shared

    def go(self):
        self._ends = time.monotonic() + self._left
        beat = time.monotonic()
        try:
            while self._fill() or self._running:
                time.sleep(STEP)
                self._sift()
                if time.monotonic() - beat >= BEAT:
                    self._beat()
                    beat = time.monotonic()
                self.night.status.table(self.state, self.run["id"], self._running, self._rest())
        finally:
            for slot in self._running:
                slot.end()
            slots.recover(self.state)  # of a slot whose end was interrupted
            self._count_time()
            self.night.status.clear()

    def _rest(self):
        return max(0.0, self._ends - time.monotonic())

    def _fill(self):
        """Starts slots as long as there are jobs and time for them; returns whether there will be more."""
        while len(self._running) < self._jobs:
            seconds = min(self._length, self._rest())
            one = self._schedule.next()
            if one is None or seconds < WORTH * min(schedule.SLOT_LEAST, self.run["budget"]):
                return False
            self._schedule.charge(one, seconds)
            self._shared.exchange(one[0])
            self._running.append(slots.Slot(self.night, self.night.targets[one[0]], one[1], seconds))
        return True

    def _sift(self):
        for slot in list(self._running):
            if not slot.goes_on() or slot.took() > slot.seconds:
                self._running.remove(slot)
                self._end(slot)

    def _end(self, slot):
        one = slot.target.name, slot.configuration
        words = slot.end()
        self._schedule.charge(one, max(slot.used(), LEAST * slot.seconds) - slot.seconds)
        if words is not None:
            self._schedule.leave_out(one)
            self.night.problem(f"{one[1]} did not run on {one[0]}; the end of its output:\n{words}")
        elif slot.early:
            self.night.problem(f"{one[0]}: {slot.early}")

    def _beat(self):
        for slot in self._running:
            slot.beat()
        self._exchange()
        self._count_time()
        machine.check_room_left(self.state.folder)

    def _exchange(self):
        for name in {slot.target.name for slot in self._running}:
            taken = self._shared.exchange(name)
            for slot in self._running:
                if slot.target.name == name:
                    slot.feed(taken)

    def _count_time(self):
        fuzzed = round(self.run["budget"] - self._rest(), 1)
        self.state.do("UPDATE runs SET fuzzed = ? WHERE id = ?", fuzzed, self.run["id"])


def phase(night):
    among = night.ready()
    if not among:
        raise Failure(INPUT, "no target was built for an engine")
    shared = sync.Sync(night, night.chosen.sync)
    Fuzzing(night, among, shared).go()
    for name in night.targets:
        shared.exchange(name)
    sums = night.state.row("SELECT count(*) slots, sum(executions) executions, sum(processor_seconds) seconds FROM slots "
                           "WHERE run = ?", night.number)
    return (f"{sums['slots']} slots, {sums['executions'] or 0:,} executions in {sums['seconds'] or 0:,.0f} s of processor "
            f"time{shared.text()}"), None
