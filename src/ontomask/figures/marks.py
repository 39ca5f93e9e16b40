"""What a series looks like: its colour, its marker, its dashes and its hatching, so that colour never comes alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, isnan, pi, sin
from typing import Protocol

from ontomask.errors import FigureError
from ontomask.figures.colours import PALETTE
from ontomask.figures.markup import Attributes, polyline, tag

__all__ = ["Look", "Styled", "check_style", "error_bar", "hatched_box", "look", "looks", "marker", "paint"]

_DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "12 4")
_MARKERS = ("circle", "square", "triangle", "diamond", "cross", "inverted", "hexagon", "plus")
_HATCHES = ("solid", "rising", "falling", "crossed", "level", "upright")

Corners = list[tuple[float, float]]


@dataclass(frozen=True)
class Look:
    """How one series is drawn."""

    colour: str
    dash: str
    marker: str
    hatch: str


def look(number: int) -> Look:
    """The look of the series with that number, from 0.

    There are seven colours, five dashes, eight markers and six hatchings: no two of these share a divisor with seven,
    so that each pair of a colour and another sign comes once before any comes twice.

    >>> look(0).marker, look(7).colour == look(0).colour, look(7).marker
    ('circle', True, 'plus')
    """
    return Look(
        PALETTE[number % len(PALETTE)],
        _DASHES[number % len(_DASHES)],
        _MARKERS[number % len(_MARKERS)],
        _HATCHES[number % len(_HATCHES)],
    )


class Styled(Protocol):
    """A series with a look of its own, or none."""

    @property
    def style(self) -> int | None:
        """The number of its look."""


def check_style(style: object, what: str) -> None:
    """Refuse what is no number of a look."""
    if style is not None and (isinstance(style, bool) or not isinstance(style, int) or style < 0):
        raise FigureError(f"The 'style' of {what} must be an int ≥ 0 or None. Got {style!r} instead.")


def looks(series: Sequence[Styled]) -> list[Look]:
    """The look of each series: its own, or that of its place."""
    return [look(number if one.style is None else one.style) for number, one in enumerate(series)]


def _regular(corners: int, first: float) -> Corners:
    """A regular polygon of area pi, as large as the circle of radius one; ``first`` is in quarter turns."""
    radius = (2 * pi / (corners * sin(2 * pi / corners))) ** 0.5
    angles = [first * pi / 2 + 2 * pi * i / corners for i in range(corners)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def _plus() -> Corners:
    arm, half = 1.25, 0.45
    corner = [(half, -arm), (half, -half), (arm, -half)]
    turned = [*corner, *((-y, x) for x, y in corner), *((-x, -y) for x, y in corner), *((y, -x) for x, y in corner)]
    return list(turned)


_SHAPES: dict[str, Corners] = {
    "square": _regular(4, 0.5),
    "triangle": _regular(3, -1),
    "diamond": _regular(4, 0),
    "cross": [((x - y) * 0.5**0.5, (x + y) * 0.5**0.5) for x, y in _plus()],
    "inverted": _regular(3, 1),
    "hexagon": _regular(6, 0),
    "plus": _plus(),
}


def paint(style: Look) -> Attributes:
    """How the markers of a look are painted: with a fine white rim, which keeps neighbours apart."""
    return {"fill": style.colour, "stroke": "#FFFFFF", "stroke_width": 0.8}


def marker(style: Look, x: float, y: float, *, radius: float = 4.0, painted: bool = True) -> str:
    """The marker of a look; one that is not painted takes its `paint` from the group around it."""
    options = paint(style) if painted else {}
    if style.marker == "circle":
        return tag("circle", cx=x, cy=y, r=radius, **options)
    corners = [(x + radius * across, y + radius * down) for across, down in _SHAPES[style.marker]]
    return tag("path", d=polyline(corners) + "Z", **options)


def _segments(style: Look, x: float, y: float, width: float, height: float) -> list[tuple[float, float, float, float]]:
    """The hatching lines inside a box."""
    apart = 5.0
    found: list[tuple[float, float, float, float]] = []
    if style.hatch == "level":
        found += [(x, y + at, x + width, y + at) for at in _steps(height, apart)]
    if style.hatch == "upright":
        found += [(x + at, y, x + at, y + height) for at in _steps(width, apart)]
    # A diagonal leaves the box where across + down (or across - down) is the same on both ends.
    for at in _steps(width + height, 2**0.5 * apart) if style.hatch in ("rising", "falling", "crossed") else ():
        start, end = max(0.0, at - height), min(at, width)
        rising = (x + start, y + at - start, x + end, y + at - end)
        if style.hatch in ("rising", "crossed"):
            found.append(rising)
        if style.hatch in ("falling", "crossed"):
            found.append((rising[0], 2 * y + height - rising[1], rising[2], 2 * y + height - rising[3]))
    return found


def _steps(length: float, apart: float) -> list[float]:
    """Even steps inside a length, half a step away from its beginning."""
    return [(i + 0.5) * apart for i in range(int(length / apart + 0.5))]


def hatched_box(style: Look, x: float, y: float, width: float, height: float, *, class_: str) -> str:
    """A filled box with white hatching. The lines are drawn one by one: a pattern would need an id in the page."""
    box = tag(
        "rect", class_=class_, x=x, y=y, width=width, height=height, fill=style.colour, stroke=style.colour,
        stroke_width=0.6,
    )  # fmt: skip
    lines = _segments(style, x, y, width, height)
    if not lines:
        return box
    path = "".join(polyline([(a, b), (c, d)]) for a, b, c, d in lines)
    return box + tag("path", d=path, fill="none", stroke="#FFFFFF", stroke_width=1.3, opacity=0.85)


def error_bar(start: tuple[float, float], end: tuple[float, float], *, colour: str) -> str:
    """A bar with caps between two points above or beside each other; nothing where an end lacks."""
    if any(map(isnan, (*start, *end))):
        return ""
    across, down = (3.0, 0.0) if start[0] == end[0] else (0.0, 3.0)
    caps = [[(x - across, y - down), (x + across, y + down)] for x, y in (start, end)]
    path = "".join(map(polyline, [[start, end], *caps]))
    return tag("path", class_="om-spread", d=path, fill="none", stroke=colour, stroke_width=1.2)
