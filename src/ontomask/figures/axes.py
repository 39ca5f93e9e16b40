"""Axes with ticks and labels, and the frame that they make around a plot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

from ontomask.base.text import scientific
from ontomask.errors import FigureError
from ontomask.figures.svg import INK, QUIET, SMALL, TEXT, coordinate, shorten, tag, text_width, write

__all__ = ["Area", "Axis", "Frame", "Margins", "category_axis", "check_log", "log_axis", "number_axis"]

# A value closer to a tick than this part of a step lies on the tick.
_FUZZ = 1e-9
_TINY = 1e-100
_GRID = "#DDDDDD"
_TICK, _GAP = 4.0, 4.0
_LINE = TEXT * 1.2
_LABEL_ROOM = 170.0
_SLANT = 0.5**0.5
# Slanted labels overlap if their ticks are closer than this.
_SLANTED_ROOM = 18.0


@dataclass(frozen=True)
class Axis:
    """Ticks and labels over a range of numbers. Categories are the numbers 0, 1, … with half a unit at both ends.

    >>> axis = number_axis(0.0, 8.3, most=6)
    >>> axis.labels, axis.fraction(5)
    (('0', '2', '4', '6', '8', '10'), 0.5)
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool = False
    categorical: bool = False

    def fraction(self, value: float) -> float:
        """Position of a value on the axis: 0 at the low end, 1 at the high end."""
        if self.log:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def number_axis(low: float, high: float, *, most: int) -> Axis:
    """An axis that covers a range with at most ``most`` ticks (at least 3), at 1, 2 or 5 times a power of ten."""
    low, high = (0.0 if abs(end) < _TINY else end for end in (low, high))
    size = max(abs(low), abs(high))
    if high - low <= _FUZZ * size:
        low, high = (0.0, 1.0) if size == 0 else (low - 0.1 * size, high + 0.1 * size)
    step, first, last = _step(low, high, max(most, 3))
    digits = max(0, 1 - floor(log10(step)))
    ticks = tuple(round(i * step, digits) + 0.0 for i in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, tuple(_tick_text(tick, step) for tick in ticks))


def _step(low: float, high: float, most: int) -> tuple[float, int, int]:
    """The smallest step with at most ``most`` ticks, and the multiples of it at both ends."""
    power = floor(log10((high - low) / most))
    for exponent in range(power, power + 3):
        for factor in (1, 2, 5):
            step = float(f"{factor}e{exponent}")
            first, last = floor(low / step + _FUZZ), ceil(high / step - _FUZZ)
            if last - first < most:
                return step, first, last
    raise AssertionError("a step of 100 times the smallest always fits")


def log_axis(low: float, high: float, *, most: int) -> Axis:
    """A logarithmic axis with ticks at 1, 2 and 5 times powers of ten, or only at powers of ten to have fewer ticks."""
    most = max(most, 2)
    ends = floor(log10(low) + _FUZZ), ceil(log10(high) - _FUZZ)
    fine = [float(f"{factor}e{power}") for power in range(ends[0] - 1, ends[1] + 1) for factor in (1, 2, 5)]
    first = max(i for i, tick in enumerate(fine) if tick <= low * (1 + _FUZZ))
    last = max(min(i for i, tick in enumerate(fine) if tick >= high * (1 - _FUZZ)), first + 1)
    ticks = fine[first : last + 1]
    if len(ticks) > most:
        every = ceil((ends[1] - ends[0]) / (most - 1))
        powers = range(ends[0], ends[0] + every * ceil((ends[1] - ends[0]) / every) + 1, every)
        ticks = [float(f"1e{power}") for power in powers]
    labels = tuple(_tick_text(tick, tick) for tick in ticks)
    return Axis(ticks[0], ticks[-1], tuple(ticks), labels, log=True)


def check_log(values: Iterable[object], parameter: str) -> None:
    """Check that all values have a logarithm. The ``parameter`` asks for it."""
    if not all(isinstance(value, (int, float)) and value > _TINY for value in values):
        raise FigureError(f"A logarithmic axis needs numbers above 0. Set {parameter}=False.", parameter=parameter)


def category_axis(names: Sequence[str]) -> Axis:
    """An axis with the same room for each name."""
    count = len(names)
    return Axis(-0.5, max(count, 1) - 0.5, tuple(float(i) for i in range(count)), tuple(names), categorical=True)


def _tick_text(value: float, step: float) -> str:
    """The label of a tick, with as many decimals as the step needs."""
    if value == 0:
        return "0"
    power = floor(log10(step) + _FUZZ)
    if power < -5 or abs(value) >= 1e7:
        return scientific(value, 2 + floor(log10(abs(value))) - power)
    return f"{value:,.{max(0, -power)}f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Area:
    """A box in pixels; ``x`` and ``y`` are its top left corner."""

    x: float
    y: float
    width: float
    height: float


class Margins(NamedTuple):
    """Room in pixels around an area."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


@dataclass(frozen=True)
class Frame:
    """Two axes around an area.

    Attributes
    ----------
    x, y
        The axes. Numbers on ``y`` grow upwards; categories run from the top down.
    x_title, y_title
        Titles of the axes.
    grid_x, grid_y
        Whether to draw grid lines at the ticks of that axis.
    inset_x, inset_y
        Pixels between the ends of the axis and of the area, so that markers do not touch the edge.
    """

    x: Axis
    y: Axis
    x_title: str = ""
    y_title: str = ""
    grid_x: bool = False
    grid_y: bool = True
    inset_x: float = 0.0
    inset_y: float = 0.0

    def x_at(self, area: Area, value: float) -> float:
        """The x coordinate of a value."""
        return area.x + self.inset_x + self.x.fraction(value) * (area.width - 2 * self.inset_x)

    def y_at(self, area: Area, value: float) -> float:
        """The y coordinate of a value."""
        along = self.y.fraction(value)
        return area.y + self.inset_y + (along if self.y.categorical else 1 - along) * (area.height - 2 * self.inset_y)

    def margins(self, width: float, height: float) -> Margins:
        """The room that ticks, labels and titles need around a plot of that size."""
        labels, slanted = self._x_labels(Area(0, 0, width, height))
        left = self._y_label_width() + _TICK + _GAP + (_LINE + _GAP if self.y_title else 0.0)
        right, bottom = 6.0, 0.0
        for x, text, _ in labels:
            wide = text_width(text)
            left = max(left, (_SLANT * wide if slanted else wide / 2) - x)
            right = max(right, (TEXT / 2 if slanted else wide / 2) + x - width)
            bottom = max(bottom, _SLANT * (wide + TEXT) if slanted else _LINE)
        return Margins(left, TEXT / 2, right, _TICK + _GAP + bottom + (_LINE + _GAP if self.x_title else 0.0))

    def draw(self, area: Area, *, empty: bool = False) -> list[str]:
        """Grid, labels and titles; "no data" if the plot is ``empty``."""
        parts = [*self._grid(area), *self._draw_x_labels(area), *self._draw_y_labels(area)]
        if empty:
            middle = area.x + area.width / 2, area.y + area.height / 2
            parts.append(write("no data", *middle, anchor="middle", fill=QUIET, class_="om-empty"))
        return parts

    def baseline(self, area: Area) -> list[str]:
        """The axis lines and the lines at zero, which are drawn over bars and bands."""
        bottom, right = area.y + area.height, area.x + area.width
        path = _line(area.x, bottom, right, bottom) + (_line(area.x, area.y, area.x, bottom) * self.grid_x)
        if not self.y.categorical and self.y.low < 0 < self.y.high:
            zero = self.y_at(area, 0)
            path += _line(area.x, zero, right, zero)
        if not self.x.categorical and self.x.low < 0 < self.x.high:
            zero = self.x_at(area, 0)
            path += _line(zero, area.y, zero, bottom)
        return [tag("path", class_="om-axis", d=path, fill="none", stroke=INK, stroke_width=1)]

    def _grid(self, area: Area) -> list[str]:
        path = ""
        if self.grid_y:
            ys = (self.y_at(area, tick) for tick in self.y.ticks)
            path += "".join(_line(area.x, y, area.x + area.width, y) for y in ys)
        if self.grid_x:
            xs = (self.x_at(area, tick) for tick in self.x.ticks)
            path += "".join(_line(x, area.y, x, area.y + area.height) for x in xs)
        return [tag("path", class_="om-grid", d=path, fill="none", stroke=_GRID, stroke_width=1)] if path else []

    def _x_labels(self, area: Area) -> tuple[list[tuple[float, str, str]], bool]:
        """Position, text and full text of the labels below the plot that fit, and whether they are slanted."""
        positions = [self.x_at(area, tick) for tick in self.x.ticks]
        texts = [shorten(label, _LABEL_ROOM) for label in self.x.labels]
        apart = min((after - before for before, after in pairwise(positions)), default=area.width)
        room = max(map(text_width, texts), default=0.0) + 8
        slanted = self.x.categorical and room > apart
        every = max(1, ceil((_SLANTED_ROOM if slanted else room) / apart))
        return list(zip(positions, texts, self.x.labels, strict=True))[::every], slanted

    def _draw_x_labels(self, area: Area) -> list[str]:
        labels, slanted = self._x_labels(area)
        edge = area.y + area.height
        top = edge + _TICK + _GAP
        parts = []
        if not self.x.categorical:
            marks = "".join(_line(x, edge, x, edge + _TICK) for x in (self.x_at(area, tick) for tick in self.x.ticks))
            parts.append(tag("path", class_="om-tick-marks", d=marks, fill="none", stroke=INK, stroke_width=1))
        for x, text, full in labels:
            y, anchor, angle = (top + _SLANT * TEXT / 2, "end", -45.0) if slanted else (top + _LINE / 2, "middle", 0.0)
            parts.append(write(text, x, y, anchor=anchor, angle=angle, full=full, class_="om-tick-x"))
        if self.x_title:
            x, y = area.x + area.width / 2, edge + self.margins(area.width, area.height).bottom - _LINE / 2
            text = shorten(self.x_title, area.width)
            parts.append(write(text, x, y, anchor="middle", full=self.x_title, class_="om-title-x"))
        return parts

    def _y_label_width(self) -> float:
        return max((text_width(shorten(label, _LABEL_ROOM)) for label in self.y.labels), default=0.0)

    def _draw_y_labels(self, area: Area) -> list[str]:
        positions = [self.y_at(area, tick) for tick in self.y.ticks]
        apart = min((abs(after - before) for before, after in pairwise(positions)), default=area.height)
        every = max(1, ceil(SMALL / max(apart, 1e-6)))
        right = area.x - _TICK - _GAP
        parts = [
            write(shorten(label, _LABEL_ROOM), right, y, anchor="end", full=label, class_="om-tick-y")
            for y, label in list(zip(positions, self.y.labels, strict=True))[::every]
        ]
        if self.y_title:
            x, y = right - self._y_label_width() - _GAP - _LINE / 2, area.y + area.height / 2
            text = shorten(self.y_title, area.height)
            parts.append(write(text, x, y, anchor="middle", angle=-90, full=self.y_title, class_="om-title-y"))
        return parts


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    start = f"M{coordinate(x1)} {coordinate(y1)}"
    return start + (f"V{coordinate(y2)}" if x1 == x2 else f"H{coordinate(x2)}")
