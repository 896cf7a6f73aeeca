# SPDX-License-Identifier: Apache-2.0
"""Groups failures into buckets, one for each bug.

Failures in one bucket have the same kind, name, access, oracle sentence and innermost frame of our own code, and stacks
whose likeness (failures.stack_likeness) is at least LIKE. The innermost frame of a timeout is a matter of chance; there the
callers of one stack have to begin the other's."""
import collections
import hashlib
import re

from etlproof import failures

# A failure: its file and subject, and the result of reproduce().
Crash = collections.namedtuple("Crash", "path sha256 size subject outcome")

LIKE = 0.6
# Number of functions of a stack that enter the id: those with the largest weights.
_DEEP = 3


def key_of(kind):
    """The properties in which all failures of one bucket agree, as strings."""
    frames = failures.own_frames(kind.frames)
    name = frames[0].function if frames and kind.kind != "timeout" else ""
    return kind.kind, kind.what, kind.access or "", kind.detail, name


def trail_of(kind):
    """The names of functions that are compared."""
    return failures.function_names(failures.own_frames(kind.frames))


def likeness(kind, one, other):
    if kind != "timeout" or not one or not other:
        return failures.stack_likeness(one, other)
    shared = failures.common_callers([[failures.Frame(name, None, None) for name in trail] for trail in (one, other)])
    return len(shared) / min(len(one), len(other))


def id_of(kind):
    """An id that does not depend on lines, addresses, builds, or the other buckets."""
    key, trail = key_of(kind), trail_of(kind)
    digest = hashlib.sha256("\0".join([*key, *trail[:_DEEP]]).encode()).hexdigest()[:8]
    place = trail[0] if trail else None
    return "-".join(_slug(part) for part in (kind.kind, *_unlike(kind), place) if part) + "-" + digest


def _unlike(kind):
    """The name of a timeout is that of its kind."""
    return [kind.what] if kind.what != kind.kind else []


def _slug(text):
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:60]


def title_of(kind):
    """The title of a bucket in one line."""
    frames = failures.own_frames(kind.frames)
    place = f" in {frames[0].function}" if frames else ""
    detail = f": {kind.detail}" if kind.detail else ""
    access = f" ({kind.access}{_size(kind)})" if kind.access else ""
    what = {"oracle": f"oracle {kind.what} broken", "timeout": "timeout", "memory": f"too much memory ({kind.what})",
            "signal": kind.what if kind.what.startswith("exit") else f"signal {kind.what}"}.get(kind.kind, kind.what)
    return what.replace("-", " " if kind.kind == "ubsan" else "-") + access + place + detail


def _size(kind):
    return f" of {kind.access_size} bytes" if kind.access_size else ""


class Bucket:
    """A bucket: its key, and the trails of its members. `id` never changes."""

    def __init__(self, name, key, trails):
        self.id, self.key, self.trails = name, tuple(key), set(trails)

    def likeness(self, key, trail):
        """The likeness of a failure to a bucket; 0 if they cannot be the same bug."""
        if self.key != key:
            return 0.0
        return max(likeness(key[0], trail, other) for other in self.trails)


class Sorter:
    """Finds the bucket of each failure, known or new. `given` has the earlier buckets of inputs, by subject and hash."""

    def __init__(self, known, given):
        self.known, self.given = list(known), given

    def place(self, crash):
        """The bucket of a failure; a new one if none fits. Of two equally similar buckets, the older one."""
        key, trail = key_of(crash.outcome.kind), trail_of(crash.outcome.kind)
        fits = self._given(crash, key) or self._nearest(key, trail)
        if fits is None:
            fits = Bucket(self._free(id_of(crash.outcome.kind)), key, ())
            self.known.append(fits)
        fits.trails.add(trail)
        return fits

    def _given(self, crash, key):
        """The earlier bucket of the input, unless the input now fails by another bug."""
        name = self.given[crash.subject.name].get(crash.sha256)
        return next((bucket for bucket in self.known if bucket.id == name and bucket.key == key), None)

    def _nearest(self, key, trail):
        best, how = None, 0.0
        for bucket in self.known:
            alike = bucket.likeness(key, trail)
            if alike >= LIKE and alike > how:
                best, how = bucket, alike
        return best

    def _free(self, name):
        taken = {bucket.id for bucket in self.known}
        number = 2
        free = name
        while free in taken:
            free, number = f"{name}-{number}", number + 1
        return free


def in_order(crashes):
    """The failures in an order that does not depend on the order of the files."""
    return sorted(crashes, key=lambda crash: (key_of(crash.outcome.kind), trail_of(crash.outcome.kind), crash.sha256))
