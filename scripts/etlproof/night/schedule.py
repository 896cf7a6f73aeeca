# SPDX-License-Identifier: Apache-2.0
"""Chooses the next slot: the combination of target and configuration with the least processor time for its weight, over all
nights. A short night continues where the last one stopped; a long night runs all combinations several times."""

from etlproof.campaign.engines import CONFIGURATIONS

# The most productive gets most time: sanitizers detect errors that AFL++ alone does not; CmpLog and MemorySanitizer find
# things of their own, slowly.
WEIGHTS = {"libfuzzer": 4, "afl": 2, "libfuzzer-msan": 2, "afl-cmplog": 1, "afl-asan": 1}
# Seconds of a slot. In a shorter one an engine does little but read the corpus; in a longer one the others do not learn
# what it finds.
SLOT_LEAST, SLOT_MOST = 20, 300
# Of the slots of a combination, every so many-th makes inputs up to the largest that the target is meant for.
LARGE_EVERY = 4


def combinations(targets):
    """Every (target name, configuration), the most important configurations first."""
    return [(target, configuration) for configuration in CONFIGURATIONS for target in targets]


def is_large(earlier):
    """Whether a slot makes the largest inputs, after so many slots of its combination."""
    return earlier % LARGE_EVERY == LARGE_EVERY - 1


def slot_seconds(seconds, jobs, count):
    """A slot length with which a round over all combinations fits, if possible."""
    return max(SLOT_LEAST, min(SLOT_MOST, seconds * jobs / count))


class Schedule:
    """`spent` are seconds of processor time by combination, `seconds` the budget of all jobs together."""

    def __init__(self, among, spent, seconds):
        self._among = list(among)
        at = {one: spent.get(one, 0) / WEIGHTS[one[1]] for one in among}
        # A new combination, or one skipped for weeks, gains at most one extra share a night.
        share = seconds / sum(WEIGHTS[one[1]] for one in among)
        ahead = max(at.values())
        self._at = {one: max(value, ahead - share) for one, value in at.items()}

    def next(self):
        """The combination for the next slot; None if there is none left."""
        return min(self._among, key=self._at.get, default=None)

    def charge(self, one, seconds):
        self._at[one] += seconds / WEIGHTS[one[1]]

    def leave_out(self, one):
        self._among.remove(one)


def preview(among, spent, seconds, jobs):
    """The combinations that a night of so many seconds will run."""
    schedule = Schedule(among, spent, seconds * jobs)
    length = slot_seconds(seconds, jobs, len(among))
    coming = []
    for _ in range(jobs * max(1, int(-(-seconds // length)))):
        one = schedule.next()
        schedule.charge(one, length)
        coming.append(one)
    return [one for one in among if one in set(coming)]
