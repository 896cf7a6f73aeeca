# SPDX-License-Identifier: Apache-2.0
"""Charts of numbers over the last runs, as SVG inside the page: one point a run, each with a title that says its value."""
import math
from typing import NamedTuple

from .markup import escape, say_time, thousands

WIDTH, HEIGHT = 440, 190
LEFT, RIGHT, TOP, BOTTOM = 66, 8, 12, 30  # of the room for the axes
TICKS = 4
UNITS = ((10 ** 9, "G"), (10 ** 6, "M"), (10 ** 3, "k"))
MOST = 60  # points: more would be narrower than one can point at


class Point(NamedTuple):
    run: int
    begun: str
    value: float | None  # None: not measured
    new: int             # buckets first seen in that run


class Scale(NamedTuple):
    """Values to heights. `ticks` are where the lines are."""
    low: float
    high: float
    ticks: list

    def y(self, value):
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def _step(span):
    """1, 2 or 5 times a power of ten, so that `span` takes at most TICKS of them. Counts have no smaller step than one."""
    power = 10 ** math.floor(math.log10(max(span / TICKS, 1)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * TICKS >= span)


def scale(values, from_zero):
    low, high = (0 if from_zero else min(values, default=0)), max(values, default=0)
    if low == high:
        low, high = max(0, low - 1), high + 1
    step = _step(high - low)
    first, last = math.floor(low / step), math.ceil(high / step)
    return Scale(first * step, last * step, [number * step for number in range(first, last + 1)])


def tick_names(ticks):
    """In one unit, if two decimals tell them. 9,500 and 23,456 are read at a glance as they are."""
    size, name = next((unit for unit in UNITS if ticks[-1] >= max(unit[0], 10 ** 4)), (1, ""))
    if size == 1 or any(100 * tick % size for tick in ticks):
        return [thousands(tick) for tick in ticks]
    return [f"{tick / size:g} {name}" if tick else "0" for tick in ticks]


def _across(count):
    """The middle of each point's place."""
    room = WIDTH - LEFT - RIGHT
    return [LEFT + room * (number + 0.5) / count for number in range(count)], room / count


def _axes(points, places, axis):
    lines = "".join(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                    f'<text class="tick" x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{name}</text>'
                    for name, y in zip(tick_names(axis.ticks), map(axis.y, axis.ticks)))
    every = max(1, math.ceil(len(points) / 8))
    # Counted from the last, which is the one that people look for.
    names = "".join(f'<text class="tick" x="{x:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{point.run}</text>'
                    for number, (point, x) in enumerate(zip(points, places)) if (len(points) - 1 - number) % every == 0)
    return lines + names


def _title(point, unit, say):
    value = "not measured" if point.value is None else f"{say(point.value)} {unit}".rstrip()
    new = f", {point.new} new {'bucket' if point.new == 1 else 'buckets'}" if point.new else ""
    return escape(f"Run {point.run}, {say_time(point.begun)}: {value}{new}")


def _hits(points, places, wide, unit, say):
    """Over all: the whole column of a run answers the pointer, not only its point. A mark below: something was new."""
    hits = []
    for point, x in zip(points, places):
        mark = f'<circle class="new" cx="{x:.1f}" cy="{HEIGHT - BOTTOM + 7}" r="3"/>' if point.new else ""
        hits.append(f'<g class="run" data-run="{point.run}"><title>{_title(point, unit, say)}</title>{mark}'
                    f'<rect class="hit" x="{x - wide / 2:.1f}" y="{TOP}" width="{wide:.2f}" height="{HEIGHT - TOP}"/></g>')
    return "".join(hits)


def _svg(heading, label, inside):
    return (f'<figure class="chart"><figcaption>{escape(heading)}</figcaption>'
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{inside}</svg></figure>')


def _label(heading, points, unit, say):
    known = [point for point in points if point.value is not None]
    if not known:
        return f"{heading}: not measured in any run"
    return f"{heading} over {len(points)} runs: {say(known[0].value)} in run {known[0].run}, " \
           f"{say(known[-1].value)} in run {known[-1].run} {unit}".rstrip()


def line(heading, points, unit, say=thousands):
    """For what grows slowly: the axis begins near the least value, and says so by its numbers."""
    points = points[-MOST:]
    places, wide = _across(max(len(points), 1))
    axis = scale([point.value for point in points if point.value is not None], from_zero=False)
    dots = [f'<circle class="dot" cx="{x:.1f}" cy="{axis.y(point.value):.1f}" r="{3.5 if wide > 12 else 2}"/>'
            for point, x in zip(points, places) if point.value is not None]
    inside = _axes(points, places, axis) + "".join(_segments(points, places, axis)) + "".join(dots)
    return _svg(heading, _label(heading, points, unit, say), inside + _hits(points, places, wide, unit, say))


def _segments(points, places, axis):
    """Runs that were not measured break the line."""
    part = []
    for point, x in [*zip(points, places), (None, 0)]:
        if point is not None and point.value is not None:
            part.append(f"{x:.1f},{axis.y(point.value):.1f}")
        elif part:
            yield f'<polyline class="line" points="{" ".join(part)}"/>'
            part = []


def columns(heading, points, unit, say=thousands):
    """For amounts: from zero."""
    points = points[-MOST:]
    places, wide = _across(max(len(points), 1))
    axis = scale([point.value for point in points if point.value is not None], from_zero=True)
    bars = "".join(_bar(x, min(wide * 0.7, 36), axis.y(point.value), axis.y(0))
                   for point, x in zip(points, places) if point.value is not None)
    inside = _axes(points, places, axis) + bars
    return _svg(heading, _label(heading, points, unit, say), inside + _hits(points, places, wide, unit, say))


def _bar(x, wide, top, bottom):
    return f'<rect class="column" x="{x - wide / 2:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{bottom - top:.1f}"/>'


def share(part, whole, floor, label):
    """A bar of a part of a whole, with a line at the floor."""
    at = 1000 * part / whole if whole else 0
    mark = f'<rect class="floor" x="{1000 * floor / whole - 4:.1f}" width="8" height="12"/>' if floor and whole else ""
    below = " below" if floor and part < floor else ""
    return (f'<svg class="share" viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
            f'<title>{escape(label)}</title><rect class="all" width="1000" height="12"/>'
            f'<rect class="part{below}" width="{at:.1f}" height="12"/>{mark}</svg>')
