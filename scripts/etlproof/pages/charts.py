# SPDX-License-Identifier: Apache-2.0
"""Charts of numbers over the last runs, one point per run: the places of lines and texts. macros.html.j2 makes them SVG."""
import math
from typing import NamedTuple

from .wording import say_time, thousands

WIDTH, HEIGHT = 440, 190
LEFT, RIGHT, TOP, BOTTOM = 66, 8, 12, 30  # of the room for the axes
TICKS = 4
SPARK_WIDTH, SPARK_HEIGHT, SPARK_EDGE = 120, 26, 4
UNITS = ((10 ** 9, "G"), (10 ** 6, "M"), (10 ** 3, "k"))
MOST = 60  # most points: more would be too narrow for a mouse pointer


class Point(NamedTuple):
    run: int
    begun: str
    value: float | None  # None: not measured
    new: int             # buckets first seen in that run


class Scale(NamedTuple):
    """Maps values to heights. `ticks` are the values of the grid lines."""
    low: float
    high: float
    ticks: list

    def y(self, value):
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def _step(span):
    """1, 2 or 5 times a power of ten, so that `span` has at most TICKS of them; at least 1, since values are counts."""
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
    """The names of ticks, in one unit if two decimals suffice; small numbers such as 9,500 are printed in full."""
    size, name = next((unit for unit in UNITS if ticks[-1] >= max(unit[0], 10 ** 4)), (1, ""))
    if size == 1 or any(100 * tick % size for tick in ticks):
        return [thousands(tick) for tick in ticks]
    return [f"{tick / size:g} {name}" if tick else "0" for tick in ticks]


def _across(count):
    """The horizontal middle of each point."""
    room = WIDTH - LEFT - RIGHT
    return [LEFT + room * (number + 0.5) / count for number in range(count)], room / count


def _ticks(axis):
    return [{"name": name, "y": f"{y:.1f}", "text_y": f"{y + 4:.1f}"}
            for name, y in zip(tick_names(axis.ticks), map(axis.y, axis.ticks))]


def _runs(points, places, wide, unit, say):
    every = max(1, math.ceil(len(points) / 8))
    # Labels are counted back from the last run, which people look for.
    return [{"number": point.run, "x": f"{x:.1f}", "hit_x": f"{x - wide / 2:.1f}", "new": point.new > 0,
             "named": (len(points) - 1 - number) % every == 0, "title": _title(point, unit, say)}
            for number, (point, x) in enumerate(zip(points, places))]


def _title(point, unit, say):
    value = "not measured" if point.value is None else f"{say(point.value)} {unit}".rstrip()
    new = f", {point.new} new {'bucket' if point.new == 1 else 'buckets'}" if point.new else ""
    return f"Run {point.run}, {say_time(point.begun)}: {value}{new}"


def _label(heading, points, unit, say):
    known = [point for point in points if point.value is not None]
    if not known:
        return f"{heading}: not measured in any run"
    return f"{heading} over {len(points)} runs: {say(known[0].value)} in run {known[0].run}, " \
           f"{say(known[-1].value)} in run {known[-1].run} {unit}".rstrip()


def _chart(heading, points, unit, say, from_zero, draw):
    """What the macro `chart` draws. draw(measured, axis, wide) gives the shapes; `measured` are (x, point)."""
    points = points[-MOST:]
    places, wide = _across(max(len(points), 1))
    axis = scale([point.value for point in points if point.value is not None], from_zero)
    shapes = draw(list(zip(places, points)), axis, wide)
    return {"heading": heading, "label": _label(heading, points, unit, say), "width": WIDTH, "height": HEIGHT,
            "left": LEFT, "right": WIDTH - RIGHT, "top": TOP, "mark_y": HEIGHT - BOTTOM + 7, "hit_height": HEIGHT - TOP,
            "hit_width": f"{wide:.2f}", "ticks": _ticks(axis), "runs": _runs(points, places, wide, unit, say),
            "segments": [], "dots": [], "bars": [], **shapes}


def line(heading, points, unit, say=thousands):
    """A chart of a slowly growing value: the axis begins near the least value and shows its numbers."""
    def draw(placed, axis, wide):
        dots = [{"x": f"{x:.1f}", "y": f"{axis.y(point.value):.1f}", "r": 3.5 if wide > 12 else 2}
                for x, point in placed if point.value is not None]
        return {"dots": dots, "segments": list(_segments(placed, axis.y))}
    return _chart(heading, points, unit, say, False, draw)


def _segments(placed, y):
    """The line, broken at runs that were not measured."""
    part = []
    for x, point in [*placed, (0, None)]:
        if point is not None and point.value is not None:
            part.append(f"{x:.1f},{y(point.value):.1f}")
        elif part:
            yield " ".join(part)
            part = []


def spark(heading, points, unit, say=thousands):
    """What the macro `spark` draws: a line for a table, from the least value to the greatest, with a dot at the last."""
    points = points[-MOST:]
    known = [point.value for point in points if point.value is not None]
    low, high = min(known, default=0), max(known, default=0)

    def y(value):
        part = (value - low) / (high - low) if high > low else 0.5
        return SPARK_EDGE + (1 - part) * (SPARK_HEIGHT - 2 * SPARK_EDGE)

    step = (SPARK_WIDTH - 2 * SPARK_EDGE) / max(len(points) - 1, 1)
    placed = [(SPARK_EDGE + step * number, point) for number, point in enumerate(points)]
    dots = [(f"{x:.1f}", f"{y(point.value):.1f}") for x, point in placed if point.value is not None]
    return {"label": _label(heading, points, unit, say), "width": SPARK_WIDTH, "height": SPARK_HEIGHT,
            "segments": list(_segments(placed, y)), "dot": dots[-1] if dots else None,
            "last": say(known[-1]) if known else None}


def columns(heading, points, unit, say=thousands):
    """A chart of amounts: the axis begins at zero."""
    def draw(placed, axis, wide):
        return {"bars": [_bar(x, min(wide * 0.7, 36), axis.y(point.value), axis.y(0))
                         for x, point in placed if point.value is not None]}
    return _chart(heading, points, unit, say, True, draw)


def _bar(x, wide, top, bottom):
    return {"x": f"{x - wide / 2:.1f}", "y": f"{top:.1f}", "width": f"{wide:.1f}", "height": f"{bottom - top:.1f}"}


def share(part, whole, floor, label):
    """The data of the macro `share`: a share, and the floor below which it must not fall."""
    return {"label": label, "part": f"{1000 * part / whole if whole else 0:.1f}", "below": bool(floor and part < floor),
            "floor": f"{1000 * floor / whole - 4:.1f}" if floor and whole else None}
