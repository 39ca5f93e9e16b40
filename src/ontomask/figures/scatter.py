"""Scatter charts: points of several series with labels, and the frontier of the best ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan

import numpy as np
from numpy.typing import NDArray

from ontomask.base.frozen import set_fields
from ontomask.base.text import one_line, readable
from ontomask.errors import FigureError
from ontomask.figures.axes import Area, Frame, check_log, log_axis, number_axis
from ontomask.figures.chart import Entry, Key, ScaledChart, Spec, legend
from ontomask.figures.styles import Look, check_style, dashes, looks, marker
from ontomask.figures.svg import QUIET, SMALL, polyline, shorten, tag, text_width, with_tooltip, write
from ontomask.figures.values import Numbers, extent, number_pair, numbers

__all__ = ["Points", "ScatterChart"]

_INSET = 10.0
_RADIUS = 4.5
_FRONTIER = Look(QUIET, "5 3")
_LABEL_ROOM, _LABEL_HEIGHT = 130.0, SMALL * 1.15
# Sides of a point on which its label is tried, best first: right, left, above, below, then the corners.
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
_DISTANCES = (7.0, 16.0, 28.0)


@dataclass(frozen=True)
class Points:
    """One series of a scatter chart.

    Attributes
    ----------
    name
        Name in the legend; a series without a name has no entry.
    x, y
        The coordinates; a point without one of them (None or NaN) is not drawn.
    labels
        A text for each point, or nothing.
    style
        Number of its look, so that a series looks the same in several charts; by default its position.
    """

    name: str
    x: Numbers
    y: Numbers
    labels: Sequence[object] = ()
    style: int | None = None

    def __post_init__(self) -> None:
        check_style(self.style)
        x = numbers(self.x, "x")
        labels = tuple(map(str, self.labels)) or ("",) * len(x)
        set_fields(self, x=x, y=numbers(self.y, "y", length=len(x)), labels=labels)
        if len(labels) != len(x):
            raise FigureError(f"There must be {len(x):,} labels or none. Got {len(labels):,}.", parameter="labels")

    @property
    def drawn(self) -> list[tuple[float, float, str]]:
        """x, y and label of each point that has both coordinates."""
        found = zip(self.x, self.y, map(str, self.labels), strict=True)
        return [(x, y, label) for x, y, label in found if not (isnan(x) or isnan(y))]


@dataclass(frozen=True)
class ScatterChart(ScaledChart):
    """Points over two axes. A label that has no room near its point is only a tooltip.

    Attributes
    ----------
    points
        The series.
    frontier
        (x, y) of the points that a dashed line connects, such as a Pareto frontier.
    frontier_name
        Name of that line in the legend.
    x_title, y_title
        Titles of the axes.
    log_x, log_y
        Whether an axis is logarithmic.

    Examples
    --------
    >>> chart = ScatterChart([Points("noise", [10, 20], [0.3, 0.1])], x_title="risk", y_title="loss")
    >>> chart.figure().description
    'Scatter chart of loss by risk. noise: 2 points.'
    """

    points: Sequence[Points]
    frontier: Sequence[tuple[float, float]] = ()
    frontier_name: str = "Pareto frontier"
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        corners = sorted(number_pair(corner, "frontier") for corner in self.frontier)
        set_fields(self, points=tuple(self.points), frontier=tuple(corners))
        if self.log_x:
            check_log(self._x_extent or (), "log_x")
        if self.log_y:
            check_log((*(self.value_extent or ()), *(self.value_range or ())), "log_y")

    @property
    def _x_extent(self) -> tuple[float, float] | None:
        return extent(*([x for x, _, _ in series.drawn] for series in self.points), [x for x, _ in self.frontier])

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Smallest and largest y."""
        return extent(*([y for _, y, _ in series.drawn] for series in self.points), [y for _, y in self.frontier])

    @property
    def natural_size(self) -> tuple[float, float]:
        """Somewhat wider than high."""
        return 440.0, 340.0

    def _frame(self, width: float, height: float) -> Frame:
        x_axis = log_axis if self.log_x else number_axis
        x = x_axis(*(self._x_extent or (1.0, 10.0)), most=int(width / 60))
        low, high = self.covered
        # Without any value, the range is 0 to 1, which has no logarithm.
        y = (log_axis if self.log_y and low > 0 else number_axis)(low, high, most=int(height / 40))
        return Frame(x, y, self.x_title, self.y_title, grid_x=True, inset_x=_INSET, inset_y=_INSET)

    @property
    def key(self) -> Key | None:
        """The names of the series and of the frontier."""
        line = [Entry(self.frontier_name, _FRONTIER, "path")] if len(self.frontier) > 1 else []
        return legend(self.points, "point", line)

    @property
    def summary(self) -> str:
        """The axes, and the number of points of each series."""
        counts = [(series.name or "points", len(series.drawn)) for series in self.points]
        listed = "; ".join(f"{name}: {count:,} {'point' if count == 1 else 'points'}" for name, count in counts)
        text = f"Scatter chart of {self.y_title or 'y'} by {self.x_title or 'x'}."
        return f"{text} {listed}." if listed else text

    def draw(self, area: Area) -> list[str]:
        """The frontier under labels under points."""
        frame = self._frame(area.width, area.height)
        parts = [*frame.draw(area, empty=self.value_extent is None), *frame.baseline(area)]
        path = [(frame.x_at(area, x), frame.y_at(area, y)) for x, y in self.frontier]
        if len(path) > 1:
            parts.append(tag("path", class_="om-frontier", d=polyline(path), **dashes(_FRONTIER)))
        centres: list[tuple[float, float]] = []
        labels: list[str] = []
        markers: list[str] = []
        for series, style in zip(self.points, looks(self.points), strict=True):
            for x, y, label in series.drawn:
                centres.append((frame.x_at(area, x), frame.y_at(area, y)))
                labels.append(one_line(label))
                names = ", ".join(filter(None, (series.name, label)))
                at = f"{self.x_title or 'x'} {readable(x)}, {self.y_title or 'y'} {readable(y)}"
                point = marker(style, *centres[-1], radius=_RADIUS)
                markers.append(with_tooltip(f"{names}: {at}" if names else at, point, class_="om-point"))
        for text, box in zip(labels, place_labels(centres, labels, area, path), strict=True):
            if box is not None:
                short, y = shorten(text, _LABEL_ROOM, SMALL), box.y + box.height / 2
                parts.append(write(short, box.x, y, size=SMALL, full=text, class_="om-label"))
        return [*parts, *markers]

    def vega_lite(self) -> Spec:
        """The chart as a Vega-Lite specification."""
        rows = [
            {"series": one_line(series.name), "x": x, "y": y, "label": one_line(label)}
            for series in self.points
            for x, y, label in series.drawn
        ]
        x: Spec = {"field": "x", "type": "quantitative", "title": self.x_title}
        x["scale"] = {"type": "log" if self.log_x else "linear", "zero": False}
        y: Spec = {"field": "y", "type": "quantitative", "title": self.y_title}
        y["scale"] = {"type": "log" if self.log_y else "linear", "zero": False}
        series = {"field": "series", "type": "nominal", "title": None}
        tooltip = [{"field": name} for name in ("series", "label", "x", "y")]
        points: Spec = {
            "mark": {"type": "point", "filled": True, "size": 60},
            "encoding": {"x": x, "y": y, "color": series, "shape": series, "tooltip": tooltip},
        }
        labels = {
            "mark": {"type": "text", "align": "left", "dx": 7},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        }
        line = {
            "data": {"values": [{"x": a, "y": b} for a, b in self.frontier]},
            "mark": {"type": "line", "strokeDash": [5, 3], "color": QUIET},
            "encoding": {"x": x, "y": y},
        }
        return {"data": {"values": rows}, **self._vega_size, "layer": [line, points, labels]}


def place_labels(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    area: Area,
    path: Sequence[tuple[float, float]] = (),
) -> list[Area | None]:
    """The box of each label: close to its point, over no point or other label, and off the path if possible.

    None stands for a label without text or room. Points with many neighbours come first, since they have fewer choices.
    """
    boxes: list[Area | None] = [None] * len(points)
    if not points:
        return boxes
    centres = np.array(points, dtype=float)
    taken = np.column_stack([centres - _RADIUS, centres + _RADIUS])
    along = np.linspace(0.0, 1.0, 24)[:, None]
    line = [np.array(a) + np.subtract(b, a) * along for a, b in pairwise(path)]
    dots = np.concatenate([*line, np.empty((0, 2))])
    near = (np.abs(centres[:, None, :] - centres[None, :, :]) < (60.0, 2 * _LABEL_HEIGHT)).all(axis=2).sum(axis=1)
    for number in np.argsort(-near, kind="stable").tolist():
        if not labels[number]:
            continue
        width = text_width(shorten(labels[number], _LABEL_ROOM, SMALL), SMALL)
        tried = [_beside(points[number], width, side, away) for away in _DISTANCES for side in _SIDES]
        free = [box for box in tried if _is_inside(box, area) and not _touches(box, taken)]
        clear = [box for box in free if not _touches(box, np.column_stack([dots - 1.5, dots + 1.5]))]
        if free:
            box = boxes[number] = (clear or free)[0]
            corners = [[box.x, box.y, box.x + box.width, box.y + box.height]]
            taken = np.concatenate([taken, corners])
    return boxes


def _beside(point: tuple[float, float], width: float, side: tuple[int, int], away: float) -> Area:
    """The box of a label on one side of a point."""
    across, down = side
    reach = away * 0.75 if across and down else away
    x = point[0] + across * reach - width * (1 - across) / 2
    y = point[1] + down * (reach + (0 if across else _LABEL_HEIGHT / 2)) - _LABEL_HEIGHT / 2
    return Area(x, y, width, _LABEL_HEIGHT)


def _is_inside(box: Area, area: Area) -> bool:
    across = area.x <= box.x and box.x + box.width <= area.x + area.width
    return across and area.y <= box.y and box.y + box.height <= area.y + area.height


def _touches(box: Area, others: NDArray[np.float64]) -> bool:
    left, top, right, bottom = others.T
    across = (left < box.x + box.width) & (right > box.x)
    return bool((across & (top < box.y + box.height) & (bottom > box.y)).any())
