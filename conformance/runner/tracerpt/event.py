# SPDX-License-Identifier: Apache-2.0
"""An event of either side, in the form that is compared."""
import datetime
from typing import NamedTuple

UNKNOWN = 0xFFFFFFFF    # a process or thread that the event does not state
SHOWN_EVERY = 1000      # events, for progress
_EPOCH = datetime.datetime(1601, 1, 1)


class Event(NamedTuple):
    """`members` are compared where both sides have them, that is, where neither is None."""
    key: tuple       # process, thread, EventID, Version, Opcode
    time: int        # in units of 100 ns since 1601
    where: str
    members: dict
    fields: list     # of the payload: etlproof's are of decode records, tracerpt's are (name, text); None: not decoded


def time_of(text):
    """A time as text, without the offset behind it: tracerpt prints local times, and an offset that is not theirs."""
    day, _, rest = text.partition("T")
    clock, fraction = rest[:8], rest[9:]
    digits = fraction[:len(fraction) - len(fraction.lstrip("0123456789"))]
    since = datetime.datetime.fromisoformat(f"{day}T{clock}") - _EPOCH
    return (since.days * 86_400 + since.seconds) * 10_000_000 + int(f"{digits:0<7}"[:7])
