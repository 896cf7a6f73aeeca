# SPDX-License-Identifier: Apache-2.0
"""Runs an input several times: whether it fails, how, and whether the failure is stable."""
import collections

from etlproof import failures

# `kind`: the most frequent, None if the input never failed; `said`: the run that shows it.
Outcome = collections.namedtuple("Outcome", "runs failed flaky kind said seconds")

RUNS = 5
# A timeout will time out again, and each further run costs as much.
SLOW_RUNS = 3


def _shows(kind):
    """What must be equal in two runs. The place of an endless loop differs between runs."""
    if kind is None:
        return None
    frames = failures.own_frames(kind.frames)
    name = frames[0].function if frames and kind.kind != "timeout" else None
    return kind.kind, kind.what, kind.access, kind.detail, name


def reproduce(subject, path, runs=RUNS):
    """Runs the input on the subject so many times, or fewer if it is slow."""
    seen = []
    while len(seen) < runs:
        said = subject.run(path)
        seen.append((failures.classify(said, subject.accepts), said))
        if seen[-1][0] is not None and seen[-1][0].kind == "timeout":
            runs = min(runs, SLOW_RUNS)
    return _outcome(seen)


def _outcome(seen):
    shown = collections.Counter(_shows(kind) for kind, _ in seen)
    failing = [(kind, said) for kind, said in seen if kind is not None]
    seconds = sum(said.seconds for _, said in seen) / len(seen)
    if not failing:
        return Outcome(len(seen), 0, False, None, seen[0][1], seconds)
    most = max(failing, key=lambda one: shown[_shows(one[0])])
    kind = most[0]
    if kind.kind == "timeout":
        looks = [other.frames for other, _ in failing if _shows(other) == _shows(kind)]
        kind = kind._replace(frames=failures.common_callers(looks))
    return Outcome(len(seen), len(failing), len(shown) > 1, kind, most[1], seconds)
