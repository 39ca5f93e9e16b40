"""Bar charts: values of categories, one bar a series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from ontomask.errors import FigureError
from ontomask.figures.area import Area, Margins
from ontomask.figures.axis import category_axis, number_axis
from ontomask.figures.chart import ScaledChart
from ontomask.figures.frame import Frame
from ontomask.figures.key import Key, legend
from ontomask.figures.marks import Look, check_style, error_bar, hatched_box, looks
from ontomask.figures.markup import INK, clean, with_tooltip
from ontomask.figures.numbers import Numbers, check_spread, extent, numbers, readable, span

__all__ = ["BarChart", "Bars"]

_USUAL, _THINNEST, _THICKEST = 14.0, 5.0, 46.0
_MANY = 120
_FILLED = 0.8


@dataclass(frozen=True)
class Bars:
    """One series of a bar chart.

    Attributes
    ----------
    name
        Its name in the key; without one it has no entry.
    values
        One for each category; None or NaN leaves the place empty.
    low, high
        The ends of the spread around each value.
    style
        The number of its look, to keep one look through several charts; by default its place in the chart.
    """

    name: str
    values: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: int | None = None

    def __post_init__(self) -> None:
        what = f"bars {clean(self.name)!r}"
        object.__setattr__(self, "values", numbers(self.values, f"values of {what}"))
        check_style(self.style, what)
        low, high = check_spread(self.low, self.high, what, len(self.values))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)


@dataclass(frozen=True)
class BarChart(ScaledChart):
    """Groups of bars from zero, one group a category.

    Attributes
    ----------
    categories
        The names of the groups.
    bars
        The series, each with one value a category.
    category_title, value_title
        What the axes tell.
    horizontal
        Let bars run to the right, with the categories under each other: long names stay readable.

    Examples
    --------
    >>> chart = BarChart(["age", "sex"], [Bars("before", [3, 1]), Bars("after", [2, 1])], value_title="bits")
    >>> chart.figure().description
    'Bar chart of bits for 2 categories. before: 1 to 3; after: 1 to 2.'
    """

    categories: Sequence[object]
    bars: Sequence[Bars]
    category_title: str = ""
    value_title: str = ""
    horizontal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "categories", tuple(map(str, self.categories)))
        object.__setattr__(self, "bars", tuple(self.bars))
        for series in self.bars:
            if len(series.values) != len(self.categories):
                raise FigureError(
                    f"bars {clean(series.name)!r} must have one value for each of the {len(self.categories):,} "
                    f"categories. Got {len(series.values):,} instead."
                )

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Least and greatest value, spreads included."""
        return extent(*(values for series in self.bars for values in (series.values, series.low, series.high)))

    @property
    def covered(self) -> tuple[float, float]:
        """Zero too: bars are compared by their length, which tells the truth only from there."""
        low, high = super().covered
        return min(low, 0.0), max(high, 0.0)

    @property
    def natural_size(self) -> tuple[float, float]:
        """As long as the categories need."""
        thick = _USUAL if len(self.categories) * len(self.bars) <= _MANY else _THINNEST
        along = len(self.categories) * max(thick * max(len(self.bars), 1) / _FILLED, 16.0)
        return (360.0, max(along, 60.0)) if self.horizontal else (max(along, 360.0), 240.0)

    def _frame(self, width: float, height: float) -> Frame:
        names = category_axis([clean(name) for name in self.categories])
        room = width / 60 if self.horizontal else height / 36
        values = number_axis(*self.covered, most=max(2, int(room)))
        if self.horizontal:
            titles = self.value_title, self.category_title
            return Frame(values, names, *titles, grid_x=True, grid_y=False)
        return Frame(names, values, self.category_title, self.value_title)

    def margins(self, width: float, height: float) -> Margins:
        """Room for axes and their titles."""
        return self._frame(width, height).margins(width, height)

    @property
    def key(self) -> Key | None:
        """The names of the series."""
        return legend(self.bars, "box")

    @property
    def summary(self) -> str:
        """How many categories, and the range of each series."""
        told = [f"{series.name or 'bars'}: {span(series.values)}" for series in self.bars]
        text = f"Bar chart of {self.value_title or 'values'} for {len(self.categories):,} categories."
        return f"{text} {'; '.join(told)}." if told else text

    def draw(self, area: Area) -> list[str]:
        """Bars over the grid, spreads over the bars, the line at zero over both."""
        frame = self._frame(area.width, area.height)
        parts = frame.draw(area, empty=self.value_extent is None)
        length = area.height if self.horizontal else area.width
        band = length / max(len(self.categories), 1)
        thick = min(band * _FILLED / max(len(self.bars), 1), _THICKEST)
        spreads = []
        for place, category in enumerate(self.categories):
            first = (place + 0.5) * band - thick * len(self.bars) / 2
            for number, (series, style) in enumerate(zip(self.bars, looks(self.bars), strict=True)):
                value = series.values[place]
                if isnan(value):
                    continue
                start = first + number * thick
                told = f"{category}{', ' + series.name if series.name else ''}: {readable(value)}"
                if series.low is not None and series.high is not None:
                    low, high = series.low[place], series.high[place]
                    told += f" ({readable(low)} to {readable(high)})"
                    spreads.append(self._spread(frame, area, start + thick / 2, low, high))
                parts.append(with_tooltip(told, self._bar(frame, area, start, thick, value, style), class_="om-group"))
        return [*parts, *spreads, *frame.baseline(area)]

    def _bar(self, frame: Frame, area: Area, start: float, thick: float, value: float, style: Look) -> str:
        """One bar with a little air on both sides."""
        air = min(0.08 * thick, 1.5)
        if self.horizontal:
            ends = sorted((frame.place_x(area, 0.0), frame.place_x(area, value)))
            box = ends[0], area.y + start + air, ends[1] - ends[0], thick - 2 * air
        else:
            ends = sorted((frame.place_y(area, 0.0), frame.place_y(area, value)))
            box = area.x + start + air, ends[0], thick - 2 * air, ends[1] - ends[0]
        return hatched_box(style, *box, class_="om-bar")

    def _spread(self, frame: Frame, area: Area, middle: float, low: float, high: float) -> str:
        if isnan(low) or isnan(high):
            return ""
        if self.horizontal:
            left, right = frame.place_x(area, low), frame.place_x(area, high)
            return error_bar((left, area.y + middle), (right, area.y + middle), colour=INK)
        bottom, top = frame.place_y(area, low), frame.place_y(area, high)
        return error_bar((area.x + middle, bottom), (area.x + middle, top), colour=INK)
