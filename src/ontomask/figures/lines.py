"""Line charts: values over numbers or categories, with the spread around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan
from typing import Literal, NamedTuple

from ontomask.base.frozen import set_fields
from ontomask.base.text import one_line, readable
from ontomask.errors import FigureError
from ontomask.figures.axes import Area, Frame, category_axis, check_log, log_axis, number_axis
from ontomask.figures.chart import Key, ScaledChart, Spec, legend
from ontomask.figures.styles import Look, check_style, dashes, error_bar, looks, marker
from ontomask.figures.svg import polyline, tag, with_tooltip
from ontomask.figures.values import Numbers, extent, numbers, span, spread

__all__ = ["Line", "LineChart"]

_INSET = 10.0
_DODGE = 5.0


@dataclass(frozen=True)
class Line:
    """One series of a line chart.

    Attributes
    ----------
    name
        Name in the legend; a series without a name has no entry.
    x
        Numbers, or texts for categories.
    y
        One value for each x; None or NaN leaves a gap.
    low, high
        Ends of the spread around each value, such as the smallest and largest over seeds.
    style
        Number of its look, so that a series looks the same in several charts; by default its position.
    """

    name: str
    x: Sequence[str] | Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: int | None = None

    def __post_init__(self) -> None:
        texts = [isinstance(value, str) for value in self.x]
        if any(texts) and not all(texts):
            raise FigureError("The x of a line must be all numbers or all texts. Convert them.", parameter="x")
        x = tuple(map(str, self.x)) if any(texts) else numbers(self.x, "x", gaps=False)  # type: ignore[arg-type]
        y = numbers(self.y, "y", length=len(x))
        check_style(self.style)
        set_fields(self, x=x, y=y, **spread(self.low, self.high, len(x)))

    @property
    def categorical(self) -> bool:
        """Whether x are texts."""
        return len(self.x) > 0 and isinstance(self.x[0], str)


class _Spot(NamedTuple):
    """A value and its position in pixels."""

    x: float
    y: float
    low: float
    high: float
    tooltip: str


@dataclass(frozen=True)
class LineChart(ScaledChart):
    """Lines over one horizontal axis.

    Attributes
    ----------
    lines
        The series. Each is drawn in the order of x; categories are in the order in which they first occur.
    x_title, y_title
        Titles of the axes.
    log_x, log_y
        Whether an axis is logarithmic.
    spread
        How low and high are drawn: as a ``band`` along the line or as ``bars`` at each value.

    Examples
    --------
    >>> ours = Line("ours", [2, 5, 10], [0.1, 0.2, 0.3], low=[0.1, 0.1, 0.2], high=[0.2, 0.3, 0.4])
    >>> picture = LineChart([ours, Line("theirs", [2, 5, 10], [0.4, None, 0.6])], x_title="k", y_title="loss").figure()
    >>> picture.description
    'Line chart of loss by k (2 to 10). ours: 0.1 to 0.3; theirs: 0.4 to 0.6.'
    """

    lines: Sequence[Line]
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False
    spread: Literal["band", "bars"] = "band"

    def __post_init__(self) -> None:
        super().__post_init__()
        set_fields(self, lines=tuple(self.lines))
        if self.spread not in ("band", "bars"):
            raise FigureError(f"The 'spread' must be 'band' or 'bars'. Got {self.spread!r}.", parameter="spread")
        if len({line.categorical for line in self.lines if len(line.x)}) > 1:
            raise FigureError("All lines of a chart must have numbers as x, or all texts.", parameter="lines")
        if self.log_x:
            check_log((x for line in self.lines for x in line.x), "log_x")
        if self.log_y:
            ends = (line.y if end is None else end for line in self.lines for end in (line.y, line.low, line.high))
            check_log((y for values in (*ends, self.value_range or ()) for y in values if not isnan(y)), "log_y")

    @property
    def _categories(self) -> list[str]:
        """The categories on the horizontal axis; empty if there are numbers on it."""
        return list(dict.fromkeys(str(value) for line in self.lines if line.categorical for value in line.x))

    @property
    def _x_extent(self) -> tuple[float, float]:
        return extent(*(line.x for line in self.lines)) or (1.0, 10.0)  # type: ignore[arg-type]

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Smallest and largest value, spreads included."""
        return extent(*(values for line in self.lines for values in (line.y, line.low, line.high)))

    @property
    def natural_size(self) -> tuple[float, float]:
        """Wider with many categories."""
        return max(440.0, 20.0 * len(self._categories)), 260.0

    def _frame(self, width: float, height: float) -> Frame:
        if self._categories:
            x = category_axis(self._categories)
        else:
            x = (log_axis if self.log_x else number_axis)(*self._x_extent, most=int(width / 60))
        low, high = self.covered
        # Without any value, the range is 0 to 1, which has no logarithm.
        y = (log_axis if self.log_y and low > 0 else number_axis)(low, high, most=int(height / 36))
        return Frame(x, y, self.x_title, self.y_title, inset_x=_INSET)

    @property
    def key(self) -> Key | None:
        """The names of the lines."""
        return legend(self.lines, "line")

    @property
    def summary(self) -> str:
        """The axes, and the range of each line."""
        over = "" if self._categories else f" ({span(self._x_extent)})"
        text = f"Line chart of {self.y_title or 'values'} by {self.x_title or 'x'}{over}."
        ranges = [f"{line.name or 'line'}: {span(line.y)}" for line in self.lines]
        return f"{text} {'; '.join(ranges)}." if ranges else text

    def draw(self, area: Area) -> list[str]:
        """Bands under lines under markers, so that no series hides the values of another."""
        frame = self._frame(area.width, area.height)
        bands, bars, lines = [], [], []
        for number, (line, style) in enumerate(zip(self.lines, looks(self.lines), strict=True)):
            spots = self._spots(line, number, frame, area)
            runs = [list(run) for gap, run in groupby(spots, key=lambda spot: isnan(spot.y)) if not gap]
            for run in runs if line.low is not None else ():
                if self.spread == "band" and len(run) > 1:
                    bands.append(_band(run, style))
                else:
                    bars += [error_bar((s.x, s.low), (s.x, s.high), colour=style.colour) for s in run]
            strokes = [
                tag("path", class_="om-stroke", d=polyline((s.x, s.y) for s in run), **dashes(style))
                for run in runs
                if len(run) > 1
            ]
            points = [
                with_tooltip(s.tooltip, marker(style, s.x, s.y), class_="om-point") for s in spots if not isnan(s.y)
            ]
            lines.append(tag("g", *strokes, *points, class_="om-line"))
        parts = frame.draw(area, empty=self.value_extent is None)
        return [*parts, *bands, *frame.baseline(area), *bars, *lines]

    def _spots(self, line: Line, number: int, frame: Frame, area: Area) -> list[_Spot]:
        """The values of a line in the order of x. Error bars of one category are drawn beside each other."""
        position = {name: float(index) for index, name in enumerate(self._categories)}
        beside = (number - (len(self.lines) - 1) / 2) * _DODGE if position and self.spread == "bars" else 0.0
        low = line.y if line.low is None else line.low
        high = line.y if line.high is None else line.high
        spots = []
        for given, value, *ends in zip(line.x, line.y, low, high, strict=True):
            x = position[given] if isinstance(given, str) else float(given)
            at = given if isinstance(given, str) else f"{self.x_title or 'x'} {readable(given)}"
            around = "" if line.low is None else f" ({readable(ends[0])} to {readable(ends[1])})"
            tooltip = f"{line.name + ', ' if line.name else ''}{at}: {readable(value)}{around}"
            y, down, up = (frame.y_at(area, v) for v in (value, *ends))
            spots.append(_Spot(frame.x_at(area, x) + beside, y, down, up, tooltip))
        return sorted(spots, key=lambda spot: spot.x)

    def vega_lite(self) -> Spec:
        """The chart as a Vega-Lite specification."""
        rows = [
            {
                "series": one_line(line.name),
                "x": x,
                **{
                    name: None if isnan(values[i]) else values[i]
                    for name, values in (("y", line.y), ("low", line.low), ("high", line.high))
                    if values is not None
                },
            }
            for line in self.lines
            for i, x in enumerate(line.x)
        ]
        if self._categories:
            x: Spec = {"field": "x", "type": "nominal", "sort": self._categories}
        else:
            over = {"type": "log" if self.log_x else "linear", "zero": False}
            x = {"field": "x", "type": "quantitative", "scale": over}
        scale: Spec = {"type": "log" if self.log_y else "linear", "domain": list(self.covered)}
        y: Spec = {"field": "y", "type": "quantitative", "title": self.y_title, "scale": scale}
        shared = {"x": x | {"title": self.x_title}, "color": {"field": "series", "type": "nominal", "title": None}}
        band: Spec = {"mark": {"type": "area", "opacity": 0.16} if self.spread == "band" else {"type": "rule"}}
        band["encoding"] = {**shared, "y": y | {"field": "low"}, "y2": {"field": "high"}}
        tooltip = [{"field": name} for name in ("series", "x", "y", "low", "high")]
        line = {
            "mark": {"type": "line", "point": True, "invalid": "break-paths-filter-domains"},
            "encoding": {**shared, "y": y, "strokeDash": {"field": "series", "legend": None}, "tooltip": tooltip},
        }
        layers = [line, band] if any(line.low is not None for line in self.lines) else [line]
        return {"data": {"values": rows}, **self._vega_size, "layer": layers}


def _band(run: Sequence[_Spot], style: Look) -> str:
    """The spread along a line as an area. Where an end is missing, the value is used."""
    upper = [(spot.x, spot.y if isnan(spot.high) else spot.high) for spot in run]
    lower = [(spot.x, spot.y if isnan(spot.low) else spot.low) for spot in run]
    path = polyline([*upper, *reversed(lower)]) + "Z"
    return tag("path", class_="om-band", d=path, fill=style.colour, fill_opacity=0.16, stroke="none")
