"""Line charts: values along numbers or categories, with the spread around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

from ontomask.errors import FigureError
from ontomask.figures.area import Area, Margins
from ontomask.figures.axis import Axis, category_axis, check_log, log_axis, number_axis
from ontomask.figures.chart import ScaledChart
from ontomask.figures.frame import Frame
from ontomask.figures.key import Key, legend
from ontomask.figures.marks import Look, check_style, error_bar, looks, marker, paint
from ontomask.figures.markup import Attributes, clean, polyline, tag, with_tooltip
from ontomask.figures.numbers import Numbers, check_spread, extent, numbers, readable, span

__all__ = ["Line", "LineChart"]

_INSET = 10.0
_DODGE = 5.0
_MOST_MARKERS = 40


@dataclass(frozen=True)
class Line:
    """One series of a line chart.

    Attributes
    ----------
    name
        Its name in the key; without one it has no entry.
    x
        Numbers, or texts for categories.
    y
        One value for each; None or NaN makes a gap.
    low, high
        The ends of the spread around each value, such as least and greatest over seeds.
    style
        The number of its look (`ontomask.figures.marks.look`), to keep one look through several charts; by default
        its place in the chart.
    """

    name: str
    x: Sequence[str] | Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: int | None = None

    def __post_init__(self) -> None:
        what = f"line {clean(self.name)!r}"
        if any(isinstance(value, str) for value in self.x):
            if not all(isinstance(value, str) for value in self.x):
                raise FigureError(f"x of {what} must be all numbers or all texts. Got some of each instead.")
            object.__setattr__(self, "x", tuple(map(str, self.x)))
        else:
            object.__setattr__(self, "x", numbers(self.x, f"x of {what}", gaps=False))  # type: ignore[arg-type]
        object.__setattr__(self, "y", numbers(self.y, f"y of {what}", length=len(self.x)))
        check_style(self.style, what)
        low, high = check_spread(self.low, self.high, what, len(self.x))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def categorical(self) -> bool:
        """Whether x are texts."""
        return len(self.x) > 0 and isinstance(self.x[0], str)


@dataclass(frozen=True)
class _Spot:
    """A value with its place on the page."""

    x: float
    y: float
    low: float
    high: float
    tooltip: str


@dataclass(frozen=True)
class LineChart(ScaledChart):
    """Several lines over one horizontal axis.

    Attributes
    ----------
    lines
        The series. Each runs in the order of x; categories stand in the order in which they first come.
    x_title, y_title
        What the axes tell.
    log_x
        Whether the horizontal axis is logarithmic.
    spread
        How low and high are shown: as a ``band`` along the line or as ``bars`` at each value.

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
    spread: Literal["band", "bars"] = "band"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lines", tuple(self.lines))
        if self.spread not in ("band", "bars"):
            raise FigureError(f"The 'spread' of a line chart must be 'band' or 'bars'. Got {self.spread!r} instead.")
        kinds = {line.categorical for line in self.lines if len(line.x)}
        if len(kinds) > 1:
            raise FigureError("The lines of a chart must all run over numbers or all over texts. Got some of each.")
        if self.log_x:
            check_log(x for line in self.lines for x in line.x)

    @property
    def _categorical(self) -> bool:
        return any(line.categorical for line in self.lines)

    @property
    def _categories(self) -> list[str]:
        return list(dict.fromkeys(str(value) for line in self.lines for value in line.x))

    @property
    def _x_extent(self) -> tuple[float, float]:
        return extent(*(line.x for line in self.lines)) or (1.0, 10.0)  # type: ignore[arg-type]

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Least and greatest value, spreads included."""
        return extent(*(values for line in self.lines for values in (line.y, line.low, line.high)))

    @property
    def natural_size(self) -> tuple[float, float]:
        """Wider with many categories."""
        return (max(440.0, 15.0 * len(self._categories)) if self._categorical else 440.0), 260.0

    def _x_axis(self, width: float) -> Axis:
        if self._categorical:
            return category_axis([clean(name) for name in self._categories])
        low, high = self._x_extent
        return (log_axis if self.log_x else number_axis)(low, high, most=max(2, int(width / 60)))

    def _frame(self, width: float, height: float) -> Frame:
        y = number_axis(*self.covered, most=max(2, int(height / 36)))
        return Frame(self._x_axis(width), y, self.x_title, self.y_title, inset_x=_INSET)

    def margins(self, width: float, height: float) -> Margins:
        """Room for axes and their titles."""
        return self._frame(width, height).margins(width, height)

    @property
    def key(self) -> Key | None:
        """The names of the lines."""
        return legend(self.lines, "line")

    @property
    def summary(self) -> str:
        """The axes, and the range of each line."""
        over = "" if self._categorical else f" ({span(self._x_extent)})"
        text = f"Line chart of {self.y_title or 'values'} by {self.x_title or 'x'}{over}."
        told = [f"{line.name or 'line'}: {span(line.y)}" for line in self.lines]
        return f"{text} {'; '.join(told)}." if told else text

    def draw(self, area: Area) -> list[str]:
        """Bands under lines under markers, so that no series hides another's values."""
        frame = self._frame(area.width, area.height)
        placed = [self._spots(line, number, frame, area) for number, line in enumerate(self.lines)]
        parts = frame.draw(area, empty=self.value_extent is None)
        drawn = list(zip(self.lines, placed, looks(self.lines), strict=True))
        if self.spread == "band":
            parts += [_band(run, style) for line, spots, style in drawn if line.low is not None for run in _runs(spots)]
        parts += frame.baseline(area)
        for line, spots, style in drawn:
            if line.low is not None:
                runs = [run for run in _runs(spots) if self.spread == "bars" or len(run) == 1]
                ends = [((spot.x, spot.low), (spot.x, spot.high)) for run in runs for spot in run]
                parts += [error_bar(low, high, colour=style.colour) for low, high in ends]
        for _, spots, style in drawn:
            inside = [_stroke(run, style) for run in _runs(spots) if len(run) > 1]
            parts.append(tag("g", *inside, tag("g", *_markers(spots, style), **paint(style)), class_="om-line"))
        return parts

    def _spots(self, line: Line, number: int, frame: Frame, area: Area) -> list[_Spot]:
        """The values of a line in the order of x; error bars over a category stand beside each other."""
        places = {name: place for place, name in enumerate(self._categories)} if self._categorical else {}
        beside = (number - (len(self.lines) - 1) / 2) * _DODGE if self._categorical and self.spread == "bars" else 0.0
        low = line.y if line.low is None else line.low
        high = line.y if line.high is None else line.high
        spots = []
        for given, y, down, up in zip(line.x, line.y, low, high, strict=True):
            x = places[given] if isinstance(given, str) else given
            at = given if isinstance(given, str) else f"{self.x_title or 'x'} {readable(given)}"
            around = f" ({readable(down)} to {readable(up)})" if line.low is not None else ""
            told = f"{line.name + ', ' if line.name else ''}{at}: {readable(y)}{around}"
            y, down, up = (frame.place_y(area, value) if not isnan(value) else value for value in (y, down, up))
            spots.append((x, _Spot(frame.place_x(area, x) + beside, y, down, up, told)))
        return [spot for _, spot in sorted(spots, key=lambda found: found[0])]


def _runs(spots: Sequence[_Spot]) -> Iterator[list[_Spot]]:
    """The stretches of a line between gaps."""
    run: list[_Spot] = []
    for spot in spots:
        if not isnan(spot.y):
            run.append(spot)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _band(run: Sequence[_Spot], style: Look) -> str:
    """The spread along a run as an area; where one end lacks, the value itself stands for it."""
    upper = [(spot.x, spot.y if isnan(spot.high) else spot.high) for spot in run]
    lower = [(spot.x, spot.y if isnan(spot.low) else spot.low) for spot in run]
    path = polyline([*upper, *reversed(lower)]) + "Z"
    return tag("path", class_="om-band", d=path, fill=style.colour, fill_opacity=0.16, stroke="none")


def _stroke(run: Sequence[_Spot], style: Look) -> str:
    options: Attributes = {"stroke": style.colour, "stroke_width": 1.8, "stroke_linejoin": "round"}
    if style.dash:
        options["stroke_dasharray"] = style.dash
    path = polyline((spot.x, spot.y) for spot in run)
    return tag("path", class_="om-stroke", d=path, fill="none", **options)


def _markers(spots: Sequence[_Spot], style: Look) -> Iterator[str]:
    """A marker with a tooltip at every value; on crowded lines most are there for the tooltip only."""
    there = [spot for spot in spots if not isnan(spot.y)]
    every = -(-len(there) // _MOST_MARKERS)
    lonely = {id(run[0]) for run in _runs(spots) if len(run) == 1}
    for number, spot in enumerate(there):
        shown = number % every == 0 or id(spot) in lonely
        unseen = tag("circle", cx=spot.x, cy=spot.y, r=4, fill="none", stroke="none", pointer_events="all")
        yield with_tooltip(
            spot.tooltip, marker(style, spot.x, spot.y, painted=False) if shown else unseen, class_="om-point"
        )
