"""Bar charts: values of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from ontomask.base.frozen import set_fields
from ontomask.base.text import one_line, readable
from ontomask.errors import FigureError
from ontomask.figures.axes import Area, Frame, category_axis, number_axis
from ontomask.figures.chart import Key, ScaledChart, Spec, legend
from ontomask.figures.styles import check_style, error_bar, hatched_box, looks
from ontomask.figures.svg import INK, with_tooltip
from ontomask.figures.values import Numbers, extent, numbers, span, spread

__all__ = ["BarChart", "Bars"]

_BAR, _THICKEST = 14.0, 46.0
_FILLED = 0.8


@dataclass(frozen=True)
class Bars:
    """One series of a bar chart.

    Attributes
    ----------
    name
        Name in the legend; a series without a name has no entry.
    values
        One value for each category; None or NaN draws no bar.
    low, high
        Ends of the spread around each value.
    style
        Number of its look, so that a series looks the same in several charts; by default its position.
    """

    name: str
    values: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: int | None = None

    def __post_init__(self) -> None:
        values = numbers(self.values, "values")
        check_style(self.style)
        set_fields(self, values=values, **spread(self.low, self.high, len(values)))


@dataclass(frozen=True)
class BarChart(ScaledChart):
    """Groups of horizontal bars from zero, one group for each category. Long names stay readable.

    Attributes
    ----------
    categories
        The names of the groups.
    bars
        The series, each with one value for each category.
    value_title
        Title of the axis of values.

    Examples
    --------
    >>> chart = BarChart(["age", "sex"], [Bars("before", [3, 1]), Bars("after", [2, 1])], value_title="bits")
    >>> chart.figure().description
    'Bar chart of bits for 2 categories. before: 1 to 3; after: 1 to 2.'
    """

    categories: Sequence[object]
    bars: Sequence[Bars]
    value_title: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        set_fields(self, categories=tuple(map(str, self.categories)), bars=tuple(self.bars))
        for series in self.bars:
            if len(series.values) != len(self.categories):
                raise FigureError(
                    f"Each series must have one value for each of the {len(self.categories):,} categories. "
                    f"Got {len(series.values):,}.",
                    parameter="bars",
                )

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Smallest and largest value, spreads included."""
        return extent(*(values for series in self.bars for values in (series.values, series.low, series.high)))

    @property
    def covered(self) -> tuple[float, float]:
        """Zero included: lengths of bars can only be compared from there."""
        low, high = super().covered
        return min(low, 0.0), max(high, 0.0)

    @property
    def natural_size(self) -> tuple[float, float]:
        """As high as the categories need."""
        return 360.0, max(60.0, len(self.categories) * max(_BAR * len(self.bars) / _FILLED, 16.0))

    def _frame(self, width: float, height: float) -> Frame:  # noqa: ARG002 (the height does not change the axes)
        values = number_axis(*self.covered, most=int(width / 60))
        return Frame(values, category_axis(self.categories), self.value_title, grid_x=True, grid_y=False)  # type: ignore[arg-type]

    @property
    def key(self) -> Key | None:
        """The names of the series."""
        return legend(self.bars, "box")

    @property
    def summary(self) -> str:
        """The number of categories, and the range of each series."""
        ranges = [f"{series.name or 'bars'}: {span(series.values)}" for series in self.bars]
        text = f"Bar chart of {self.value_title or 'values'} for {len(self.categories):,} categories."
        return f"{text} {'; '.join(ranges)}." if ranges else text

    def draw(self, area: Area) -> list[str]:
        """Bars over the grid, spreads over the bars, the line at zero over both."""
        frame = self._frame(area.width, area.height)
        band = area.height / max(len(self.categories), 1)
        thick = min(band * _FILLED / max(len(self.bars), 1), _THICKEST)
        air = min(0.08 * thick, 1.5)
        zero = frame.x_at(area, 0.0)
        bars, spreads = [], []
        for index, category in enumerate(self.categories):
            top = area.y + (index + 0.5) * band - thick * len(self.bars) / 2
            for number, (series, style) in enumerate(zip(self.bars, looks(self.bars), strict=True)):
                value = series.values[index]
                if isnan(value):
                    continue
                y, end = top + number * thick, frame.x_at(area, value)
                tooltip = f"{category}{', ' + series.name if series.name else ''}: {readable(value)}"
                if series.low is not None and series.high is not None:
                    low, high = series.low[index], series.high[index]
                    tooltip += f" ({readable(low)} to {readable(high)})"
                    ends = ((frame.x_at(area, at), y + thick / 2) for at in (low, high))
                    spreads.append(error_bar(*ends, colour=INK))
                box = min(zero, end), y + air, abs(end - zero), thick - 2 * air
                bars.append(with_tooltip(tooltip, hatched_box(style, *box, class_="om-bar"), class_="om-group"))
        return [*frame.draw(area, empty=self.value_extent is None), *bars, *spreads, *frame.baseline(area)]

    def vega_lite(self) -> Spec:
        """The chart as a Vega-Lite specification, without spreads."""
        rows = [
            {"category": one_line(category), "series": one_line(series.name), "value": value}
            for series in self.bars
            for category, value in zip(self.categories, series.values, strict=True)
            if not isnan(value)
        ]
        names = [one_line(category) for category in self.categories]
        series = {"field": "series", "type": "nominal", "sort": None, "title": None}
        # Without "stack" a category with the name of a JavaScript property cannot break the chart.
        encoding = {
            "x": {"field": "value", "type": "quantitative", "title": self.value_title, "stack": None},
            "y": {"field": "category", "type": "nominal", "sort": names, "title": None},
            "yOffset": series,
            "color": series,
            "tooltip": [{"field": name} for name in ("category", "series", "value")],
        }
        return {"data": {"values": rows}, "width": self.size[0], "mark": {"type": "bar"}, "encoding": encoding}
