"""The frame of a chart: two axes with their ticks, labels and titles, and the place of every value inside it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from ontomask.figures.area import Area, Margins
from ontomask.figures.axis import Axis
from ontomask.figures.lettering import SMALL, TEXT, shorten, text_width, wrap, write
from ontomask.figures.markup import INK, QUIET, coordinate, tag

__all__ = ["Frame"]

_GRID = "#DDDDDD"
_TICK = 4.0
_GAP = 4.0
_LINE = TEXT * 1.2
_LABEL_ROOM = 170.0
_SLANT = 0.5**0.5
# Turned labels need this much between ticks, or they touch: slanted by half a right angle, and upright.
_SLANTED, _UPRIGHT = 18.0, 12.0


@dataclass(frozen=True)
class _Bottom:
    """How the labels below the plot are set: their lines, how far they are turned, and every how many are shown."""

    lines: tuple[tuple[str, ...], ...]
    angle: int
    every: int

    @property
    def height(self) -> float:
        widest = max((text_width(line) for lines in self.lines for line in lines), default=0.0)
        if self.angle == 0:
            return _LINE * max((len(lines) for lines in self.lines), default=1)
        return widest + TEXT / 2 if self.angle == 90 else _SLANT * (widest + TEXT)


@dataclass(frozen=True)
class Frame:
    """Two axes around an area.

    Attributes
    ----------
    x, y
        The axes. Numbers on ``y`` grow upwards; categories run from the top down.
    x_title, y_title
        What the axes tell.
    grid_x, grid_y
        Whether faint lines go through the plot at the ticks of that axis.
    inset_x, inset_y
        Pixels between the ends of the axis and of the area, so that markers do not sit on the edge.
    axis_lines
        Whether the axes themselves are drawn.
    """

    x: Axis
    y: Axis
    x_title: str = ""
    y_title: str = ""
    grid_x: bool = False
    grid_y: bool = True
    inset_x: float = 0.0
    inset_y: float = 0.0
    axis_lines: bool = True

    def place_x(self, area: Area, value: float) -> float:
        """The pixel of a value on the horizontal axis."""
        return area.x + self.inset_x + self.x.fraction(value) * (area.width - 2 * self.inset_x)

    def place_y(self, area: Area, value: float) -> float:
        """The pixel of a value on the vertical axis."""
        along = self.y.fraction(value)
        return area.y + self.inset_y + (along if self.y.categorical else 1 - along) * (area.height - 2 * self.inset_y)

    def margins(self, width: float, height: float) -> Margins:
        """The room that ticks, labels and titles need around a plot of that size."""
        area = Area(0, 0, width, height)
        bottom = self._bottom(area)
        left = max((text_width(text) for text in self._left()), default=0.0) + _TICK + _GAP
        if self.y_title:
            left += len(self._y_title_lines(area)) * _LINE + _GAP
        right = 0.0
        for place, lines in zip(self._x_places(area)[:: bottom.every], bottom.lines[:: bottom.every], strict=True):
            wide = max((text_width(line) for line in lines), default=0.0)
            reach = {0: wide / 2, 45: _SLANT * wide, 90: TEXT / 2}[bottom.angle]
            left = max(left, reach - place)
            right = max(right, (reach if bottom.angle == 0 else TEXT / 2) + place - width)
        below = _TICK + _GAP + bottom.height
        if self.x_title:
            below += _GAP + len(self._x_title_lines(area)) * _LINE
        # The titles of a small plot reach beyond it on both sides.
        beside, beyond = (
            (max(map(text_width, lines), default=0.0) - length) / 2
            for lines, length in ((self._x_title_lines(area), width), (self._y_title_lines(area), height))
        )
        return Margins(max(left, beside), max(TEXT / 2, beyond), max(right, beside, 6.0), max(below, beyond))

    def draw(self, area: Area, *, empty: bool = False) -> list[str]:
        """Grid, axes, labels and titles; a note where there is nothing to show."""
        parts = [*self._grid(area), *self._bottom_labels(area), *self._left_labels(area)]
        if empty:
            middle = area.x + area.width / 2, area.y + area.height / 2
            parts.append(write("no data", *middle, anchor="middle", fill=QUIET, class_="om-empty"))
        return parts

    def baseline(self, area: Area) -> list[str]:
        """The axis lines and the line at zero, which lie over bars and bands."""
        parts = []
        bottom, right = area.y + area.height, area.x + area.width
        if self.axis_lines:
            horizontal = _line(area.x, bottom, right, bottom)
            vertical = _line(area.x, area.y, area.x, bottom)
            parts.append(tag("path", class_="om-axis", d=horizontal + (vertical if self.grid_x else "")))
        if not self.y.categorical and not self.y.log and self.y.low < 0 < self.y.high:
            zero = self.place_y(area, 0)
            parts.append(tag("path", class_="om-zero", d=_line(area.x, zero, right, zero)))
        if not self.x.categorical and not self.x.log and self.x.low < 0 < self.x.high:
            zero = self.place_x(area, 0)
            parts.append(tag("path", class_="om-zero", d=_line(zero, area.y, zero, bottom)))
        return [tag("g", *parts, fill="none", stroke=INK, stroke_width=1)] if parts else []

    def _grid(self, area: Area) -> list[str]:
        path = ""
        if self.grid_y:
            ys = (self.place_y(area, tick) for tick in self.y.ticks)
            path += "".join(_line(area.x, y, area.x + area.width, y) for y in ys)
        if self.grid_x:
            path += "".join(_line(x, area.y, x, area.y + area.height) for x in self._x_places(area))
        return [tag("path", class_="om-grid", d=path, fill="none", stroke=_GRID, stroke_width=1)] if path else []

    def _x_places(self, area: Area) -> list[float]:
        return [self.place_x(area, tick) for tick in self.x.ticks]

    def _x_title_lines(self, area: Area) -> list[str]:
        return wrap(self.x_title, max(area.width, 120.0), most=2)

    def _y_title_lines(self, area: Area) -> list[str]:
        return wrap(self.y_title, max(area.height, 60.0), most=2)

    def _left(self) -> list[str]:
        return [shorten(label, _LABEL_ROOM) for label in self.y.labels]

    def _bottom(self, area: Area) -> _Bottom:
        """The labels of numbers are thinned out until they fit; those of categories are wrapped or turned first."""
        places = self._x_places(area)
        apart = min((after - before for before, after in pairwise(places)), default=area.width)
        labels = [shorten(label, _LABEL_ROOM) for label in self.x.labels]
        widest = max((text_width(label) for label in labels), default=0.0)
        if not self.x.categorical:
            return _Bottom(tuple((label,) for label in labels), 0, max(1, ceil((widest + 8) / apart)))
        if widest <= apart - 6:
            return _Bottom(tuple((label,) for label in labels), 0, 1)
        longest = max(text_width(word) for label in self.x.labels for word in label.split() or [""])
        wrapped = tuple(tuple(wrap(label, apart - 6, most=3)) for label in self.x.labels)
        if longest <= apart - 6 and not any(lines and lines[-1].endswith("…") for lines in wrapped):
            return _Bottom(wrapped, 0, 1)
        turned = tuple((label,) for label in labels)
        return _Bottom(turned, 45, 1) if apart >= _SLANTED else _Bottom(turned, 90, max(1, ceil(_UPRIGHT / apart)))

    def _bottom_labels(self, area: Area) -> list[str]:
        set_ = self._bottom(area)
        places = self._x_places(area)
        edge = area.y + area.height
        parts = []
        if self.axis_lines and not self.x.categorical:
            marks = "".join(_line(x, edge, x, edge + _TICK) for x in places)
            parts.append(tag("path", class_="om-tick-marks", d=marks, fill="none", stroke=INK, stroke_width=1))
        top = edge + _TICK + _GAP
        for x, lines, full in list(zip(places, set_.lines, self.x.labels, strict=True))[:: set_.every]:
            if set_.angle:
                down = TEXT / 2 if set_.angle == 45 else 0.0
                y = top + down * _SLANT
                parts.append(write(lines[0], x, y, anchor="end", angle=-set_.angle, full=full, class_="om-tick-x"))
                continue
            for number, line in enumerate(lines):
                tooltip = full if len(lines) == 1 else None
                y = top + (number + 0.5) * _LINE
                parts.append(write(line, x, y, anchor="middle", full=tooltip, class_="om-tick-x"))
        below = top + set_.height + _GAP
        for number, line in enumerate(self._x_title_lines(area)):
            middle, y = area.x + area.width / 2, below + (number + 0.5) * _LINE
            parts.append(write(line, middle, y, anchor="middle", full=_cut(line, self.x_title), class_="om-title-x"))
        return parts

    def _left_labels(self, area: Area) -> list[str]:
        parts = []
        labels = self._left()
        places = [self.place_y(area, tick) for tick in self.y.ticks]
        apart = min((abs(after - before) for before, after in pairwise(places)), default=area.height)
        every = max(1, ceil(SMALL / max(apart, 1e-6)))
        for y, label, full in list(zip(places, labels, self.y.labels, strict=True))[::every]:
            parts.append(write(label, area.x - _TICK - _GAP, y, anchor="end", full=full, class_="om-tick-y"))
        lines = self._y_title_lines(area)
        widest = max((text_width(label) for label in labels), default=0.0)
        for number, line in enumerate(reversed(lines)):
            x = area.x - _TICK - 2 * _GAP - widest - (number + 0.5) * _LINE
            y, whole = area.y + area.height / 2, _cut(line, self.y_title)
            parts.append(write(line, x, y, anchor="middle", angle=-90, full=whole, class_="om-title-y"))
        return parts


def _cut(line: str, full: str) -> str | None:
    """The full text for the line that was cut."""
    return full if line.endswith("…") else None


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    if x1 == x2:
        return f"M{coordinate(x1)} {coordinate(y1)}V{coordinate(y2)}"
    return f"M{coordinate(x1)} {coordinate(y1)}H{coordinate(x2)}"
