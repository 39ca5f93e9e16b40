"""Scatter charts: points of several series, and the frontier of the best; with it, a map of risk and utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from ontomask.errors import FigureError
from ontomask.figures.area import Area, Margins
from ontomask.figures.axis import check_log, log_axis, number_axis
from ontomask.figures.chart import ScaledChart
from ontomask.figures.frame import Frame
from ontomask.figures.key import Entry, Key, legend
from ontomask.figures.labelling import place_labels
from ontomask.figures.lettering import SMALL, write
from ontomask.figures.marks import Look, check_style, looks, marker
from ontomask.figures.markup import QUIET, Attributes, clean, polyline, tag, with_tooltip
from ontomask.figures.numbers import Numbers, extent, numbers, pair, readable

__all__ = ["Points", "ScatterChart"]

_INSET = 10.0
_RADIUS = 4.5
_FRONTIER = Look(QUIET, "5 3", "circle", "solid")


@dataclass(frozen=True)
class Points:
    """One series of a scatter chart.

    Attributes
    ----------
    name
        Its name in the key; without one it has no entry.
    x, y
        The places; a point that lacks one of them (None or NaN) is left out.
    labels
        A text for each point, such as the parameters of a method, or nothing.
    style
        The number of its look, to keep one look through several charts; by default its place in the chart.
    """

    name: str
    x: Numbers
    y: Numbers
    labels: Sequence[object] = ()
    style: int | None = None

    def __post_init__(self) -> None:
        what = f"points {clean(self.name)!r}"
        check_style(self.style, what)
        object.__setattr__(self, "x", numbers(self.x, f"x of {what}"))
        object.__setattr__(self, "y", numbers(self.y, f"y of {what}", length=len(self.x)))
        object.__setattr__(self, "labels", tuple(map(str, self.labels)) or ("",) * len(self.x))
        if len(self.labels) != len(self.x):
            raise FigureError(f"labels of {what} must be {len(self.x):,} or none. Got {len(self.labels):,} instead.")

    @property
    def places(self) -> list[tuple[float, float, str]]:
        """x, y and label of each point that has a place."""
        there = zip(self.x, self.y, map(str, self.labels), strict=True)
        return [(x, y, label) for x, y, label in there if not (isnan(x) or isnan(y))]


@dataclass(frozen=True)
class ScatterChart(ScaledChart):
    """Points over two axes; a label for which there is no room near its point is a tooltip only.

    Attributes
    ----------
    points
        The series.
    frontier
        Places (x, y) through which the frontier runs, from left to right.
    frontier_name
        Its name in the key.
    x_title, y_title
        What the axes tell.
    log_x
        Whether the horizontal axis is logarithmic.

    Examples
    --------
    >>> swapped = Points("rank swapping", [30, 12], [0.1, 0.3], labels=["k=2", "k=10"])
    >>> chart = ScatterChart([swapped], frontier=[(12, 0.3), (30, 0.1)], x_title="risk", y_title="loss")
    >>> chart.figure().description
    'Scatter chart of loss by risk. rank swapping: 2 points. Pareto frontier through 2 points.'
    """

    points: Sequence[Points]
    frontier: Sequence[tuple[float, float]] = ()
    frontier_name: str = "Pareto frontier"
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", tuple(self.points))
        corners = sorted(pair(place, "A place on the frontier") for place in self.frontier)
        object.__setattr__(self, "frontier", tuple(corners))
        if self.log_x:
            check_log(self._x_extent or ())

    @property
    def _x_extent(self) -> tuple[float, float] | None:
        found = [x for series in self.points for x, _, _ in series.places]
        return extent(found, [x for x, _ in self.frontier])

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Least and greatest y."""
        found = [y for series in self.points for _, y, _ in series.places]
        return extent(found, [y for _, y in self.frontier])

    @property
    def natural_size(self) -> tuple[float, float]:
        """A little wider than high."""
        return 440.0, 340.0

    def _frame(self, width: float, height: float) -> Frame:
        most = max(2, int(width / 60))
        low, high = self._x_extent or (1.0, 10.0)
        x = (log_axis if self.log_x else number_axis)(low, high, most=most)
        y = number_axis(*self.covered, most=max(2, int(height / 40)))
        return Frame(x, y, self.x_title, self.y_title, grid_x=True, inset_x=_INSET, inset_y=_INSET)

    def margins(self, width: float, height: float) -> Margins:
        """Room for axes and their titles."""
        return self._frame(width, height).margins(width, height)

    @property
    def key(self) -> Key | None:
        """The names of the series and of the frontier."""
        line = [Entry(self.frontier_name, _FRONTIER, "path")] if len(self.frontier) > 1 else []
        return legend(self.points, "point", line)

    @property
    def summary(self) -> str:
        """The axes, and how many points each series has."""
        text = f"Scatter chart of {self.y_title or 'y'} by {self.x_title or 'x'}."
        counts = [(series.name or "points", len(series.places)) for series in self.points]
        told = "; ".join(f"{name}: {count:,} {'point' if count == 1 else 'points'}" for name, count in counts)
        text += f" {told}." if told else ""
        return f"{text} {self.frontier_name} through {len(self.frontier):,} points." if self.frontier else text

    def draw(self, area: Area) -> list[str]:
        """The frontier under the points under their labels."""
        frame = self._frame(area.width, area.height)
        parts = [*frame.draw(area, empty=self.value_extent is None), *frame.baseline(area)]
        path = [(frame.place_x(area, x), frame.place_y(area, y)) for x, y in self.frontier]
        if len(path) > 1:
            line: Attributes = {"stroke": _FRONTIER.colour, "stroke_width": 1.8, "stroke_dasharray": _FRONTIER.dash}
            parts.append(tag("path", class_="om-frontier", d=polyline(path), fill="none", **line))
        spots: list[tuple[float, float]] = []
        labels: list[str] = []
        shown: list[str] = []
        for series, style in zip(self.points, looks(self.points), strict=True):
            for x, y, label in series.places:
                spots.append((frame.place_x(area, x), frame.place_y(area, y)))
                labels.append(clean(label))
                names = ", ".join(filter(None, (series.name, label)))
                told = f"{names + ': ' if names else ''}{self.x_title or 'x'} {readable(x)}, "
                told += f"{self.y_title or 'y'} {readable(y)}"
                shown.append(with_tooltip(told, marker(style, *spots[-1], radius=_RADIUS), class_="om-point"))
        return [*parts, *self._labels(spots, labels, area, path), *shown]

    def _labels(
        self, spots: list[tuple[float, float]], labels: list[str], area: Area, path: list[tuple[float, float]]
    ) -> list[str]:
        parts = []
        for (x, y), label in zip(spots, place_labels(spots, labels, area, radius=_RADIUS, path=path), strict=True):
            if label is None:
                continue
            if label.led:
                end = min(max(x, label.x), label.x + label.width), label.y + (4 if label.y < y else -4)
                parts.append(tag("path", d=polyline([(x, y), end]), fill="none", stroke=QUIET, stroke_width=0.6))
            parts.append(write(label.text, label.x, label.y, size=SMALL, full=label.full, class_="om-label"))
        return parts
