"""Colours, markers, dashes and hatching, so that series differ by more than colour.

Series have the palette of Okabe and Ito (2008), "Color Universal Design", without yellow, which is too faint on white.
People with any common colour vision can distinguish these colours. The colour scale darkens steadily, so it keeps its
order in grey print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, isnan, pi, sin
from typing import Protocol

from ontomask.figures.svg import Attributes, polyline, tag
from ontomask.figures.values import check_int

__all__ = ["LOSS", "PALETTE", "Look", "Scale", "Series", "check_style", "dashes", "error_bar",
           "hatched_box", "look", "looks", "marker"]  # fmt: skip

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's blue, vermilion, bluish green, reddish purple, black, orange and sky blue."""

_DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "12 4")
_MARKERS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "hexagon", "plus")
# The directions of hatching lines: rising (1) and falling (-1).
_HATCHES: tuple[tuple[int, ...], ...] = ((), (1,), (-1,), (1, -1))
_HATCH_STEP = 7.0


@dataclass(frozen=True)
class Look:
    """How one series is drawn."""

    colour: str
    dash: str = ""
    marker: str = "circle"
    hatch: tuple[int, ...] = ()


def look(number: int) -> Look:
    """The look of a series by its number, from 0. Colour and marker together first repeat after 56 series.

    >>> look(0).marker, look(7).colour == look(0).colour, look(7).marker
    ('circle', True, 'plus')
    """
    return Look(
        PALETTE[number % len(PALETTE)],
        _DASHES[number % len(_DASHES)],
        _MARKERS[number % len(_MARKERS)],
        _HATCHES[number % len(_HATCHES)],
    )


class Series(Protocol):
    """A series with a name, and the number of its look if that is fixed."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def style(self) -> int | None: ...  # noqa: D102


def check_style(style: int | None) -> None:
    """Check that a style is None or an int ≥ 0."""
    if style is not None:
        check_int(style, "style", 0)


def looks(series: Sequence[Series]) -> list[Look]:
    """The look of each series: its own, or that of its position."""
    return [look(number if one.style is None else one.style) for number, one in enumerate(series)]


def _polygon(corners: int, first: float) -> list[tuple[float, float]]:
    """A regular polygon with the area of a circle of radius one; ``first`` is an angle in quarter turns."""
    radius = (2 * pi / (corners * sin(2 * pi / corners))) ** 0.5
    angles = [first * pi / 2 + 2 * pi * i / corners for i in range(corners)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


_ARM = [(0.45, -1.25), (0.45, -0.45), (1.25, -0.45)]
_PLUS = [*_ARM, *((-y, x) for x, y in _ARM), *((-x, -y) for x, y in _ARM), *((y, -x) for x, y in _ARM)]
_SHAPES = {
    "square": _polygon(4, 0.5),
    "triangle-up": _polygon(3, -1),
    "diamond": _polygon(4, 0),
    "cross": [((x - y) * 0.5**0.5, (x + y) * 0.5**0.5) for x, y in _PLUS],
    "triangle-down": _polygon(3, 1),
    "hexagon": _polygon(6, 0),
    "plus": _PLUS,
}


def marker(style: Look, x: float, y: float, *, radius: float = 4.0) -> str:
    """The marker of a look, with a white rim that separates it from its neighbours."""
    paint: Attributes = {"fill": style.colour, "stroke": "#FFFFFF", "stroke_width": 0.8}
    if style.marker == "circle":
        return tag("circle", cx=x, cy=y, r=radius, **paint)
    corners = [(x + radius * across, y + radius * down) for across, down in _SHAPES[style.marker]]
    return tag("path", d=polyline(corners) + "Z", **paint)


def dashes(style: Look) -> Attributes:
    """The stroke of a line."""
    stroke: Attributes = {"fill": "none", "stroke": style.colour, "stroke_width": 1.8, "stroke_linejoin": "round"}
    return stroke | {"stroke_dasharray": style.dash} if style.dash else stroke


def hatched_box(style: Look, x: float, y: float, width: float, height: float, *, class_: str) -> str:
    """A filled box with white hatching. Each line is drawn: an SVG pattern would need an id in the page."""
    paint: Attributes = {"fill": style.colour, "stroke": style.colour, "stroke_width": 0.6}
    box = tag("rect", class_=class_, x=x, y=y, width=width, height=height, **paint)
    path = ""
    for direction in style.hatch:
        for number in range(int((width + height) / _HATCH_STEP + 0.5)):
            at = (number + 0.5) * _HATCH_STEP
            ends = [(across, at - across) for across in (max(0.0, at - height), min(at, width))]
            down = y if direction == 1 else y + height
            path += polyline((x + across, down + direction * below) for across, below in ends)
    return box + (tag("path", d=path, fill="none", stroke="#FFFFFF", stroke_width=1.3, opacity=0.85) if path else "")


def error_bar(start: tuple[float, float], end: tuple[float, float], *, colour: str) -> str:
    """A vertical or horizontal bar with caps; empty if an end is NaN."""
    if any(map(isnan, (*start, *end))):
        return ""
    across, down = (3.0, 0.0) if start[0] == end[0] else (0.0, 3.0)
    caps = [[(x - across, y - down), (x + across, y + down)] for x, y in (start, end)]
    path = "".join(map(polyline, [[start, end], *caps]))
    return tag("path", class_="om-spread", d=path, fill="none", stroke=colour, stroke_width=1.2)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@dataclass(frozen=True)
class Scale:
    """Colours for fractions from 0 to 1, interpolated between evenly spaced stops.

    >>> Scale(("#000000", "#FFFFFF")).colour(0.2)
    '#333333'
    """

    stops: tuple[str, ...]

    def colour(self, fraction: float) -> str:
        """The colour of a fraction, which is clipped to 0 to 1."""
        along = min(max(fraction, 0.0), 1.0) * (len(self.stops) - 1)
        first = min(int(along), len(self.stops) - 2)
        before, after = map(_channels, list(pairwise(self.stops))[first])
        mixed = (round(a + (b - a) * (along - first)) for a, b in zip(before, after, strict=True))
        return "#" + "".join(f"{channel:02X}" for channel in mixed)


LOSS = Scale(("#F2D6A2", "#E8A652", "#CF6C1C", "#94400C", "#4A1C03"))
"""From sand to dark brown; the light end is still visible as a line on white."""
