"""SVG as text: elements, lines of text with an estimated width, and `Figure`, the finished picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ontomask.base.atomic import save_atomic
from ontomask.base.text import one_line
from ontomask.errors import FigureError, MissingExtraError

if TYPE_CHECKING:
    import altair

__all__ = [
    "INK", "QUIET", "SMALL", "TEXT", "Attributes", "Figure",
    "coordinate", "polyline", "shorten", "tag", "text_width", "with_tooltip", "wrap", "write",
]  # fmt: skip

INK, QUIET = "#222222", "#6B6B6B"
"""The colours of text and axes, and of notes. The contrast of both on white is above 4.5:1."""

SMALL, TEXT = 10.0, 11.0
"""Font sizes in pixels: numbers in cells and notes, and labels."""

Attributes: TypeAlias = dict[str, str | float]
"""Attributes of an element, with underscores for hyphens."""

# Widths of characters as parts of the font size. The reader's font is not known, so they are those of DejaVu Sans, one
# of the broadest fonts that browsers use: in a narrower one there is more room, and text never overlaps.
_WIDTHS = {
    **dict.fromkeys("ijl'|", 0.28),
    **dict.fromkeys(" .,:;Ift!()[]/\\-`", 0.4),
    **dict.fromkeys('rs*"', 0.52),
    **dict.fromkeys("abcdefghknopquvxyz_?0123456789", 0.64),
    **dict.fromkeys("mwMW%@…", 1.0),
    **dict.fromkeys("\N{MINUS SIGN}+<>=~×", 0.84),
}
_BOLD = 1.12


def tag(name: str, /, *inside: str, **attributes: str | float) -> str:
    """An element around markup; ``stroke_width`` becomes ``stroke-width`` and ``class_`` becomes ``class``.

    >>> tag("g", tag("path", d="M0 0"), class_="om-grid", stroke_width=0.50)
    '<g class="om-grid" stroke-width="0.5"><path d="M0 0"/></g>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(value) if isinstance(value, str) else coordinate(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def _escaped(text: object) -> str:
    return escape(one_line(text))


def with_tooltip(text: object, *inside: str, class_: str) -> str:
    """A group of elements that shows a text when pointed at."""
    return tag("g", tag("title", _escaped(text)), *inside, class_=class_)


def coordinate(value: float) -> str:
    """A length rounded to a hundredth of a pixel.

    >>> coordinate(12.5), coordinate(-0.001), coordinate(3)
    ('12.5', '0', '3')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """The path through points.

    >>> polyline([(0, 0), (10, 2.5)])
    'M0 0L10 2.5'
    """
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)


def _width(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    return 0.66 if character.islower() else 0.8


def text_width(text: str, size: float = TEXT, *, bold: bool = False) -> float:
    """The estimated width in pixels."""
    return sum(map(_width, text)) * size * (_BOLD if bold else 1.0)


def shorten(text: object, room: float, size: float = TEXT, *, bold: bool = False) -> str:
    """Text on one line, cut to the room in pixels with an ellipsis.

    >>> shorten("short", 100), shorten("rather a long label", 60)
    ('short', 'rather a…')
    """
    line = one_line(text)
    if text_width(line, size, bold=bold) <= room:
        return line
    used, kept = text_width("…", size, bold=bold), 0
    for character in line:
        used += text_width(character, size, bold=bold)
        if used > room:
            break
        kept += 1
    return line[: max(kept, 1)].rstrip() + "…"


def wrap(text: object, room: float, size: float = TEXT, *, most: int, bold: bool = False) -> list[str]:
    """Text broken between words into at most ``most`` lines; the last line is cut if it is too long.

    >>> wrap("one two three", 50, most=2)
    ['one two', 'three']
    """
    lines: list[str] = []
    rest = one_line(text).split()
    while rest:
        taken = len(rest) if len(lines) == most - 1 else 1
        while taken < len(rest) and text_width(" ".join(rest[: taken + 1]), size, bold=bold) <= room:
            taken += 1
        lines.append(shorten(" ".join(rest[:taken]), room, size, bold=bold))
        rest = rest[taken:]
    return lines


def write(
    text: str,
    x: float,
    y: float,
    *,
    size: float = TEXT,
    anchor: str = "start",
    fill: str = INK,
    angle: float = 0.0,
    full: object = None,
    after: str = "",
    **attributes: str | float,
) -> str:
    """One line of text, vertically centred on ``y`` and turned around its anchor.

    ``full`` is shown as a tooltip where it differs from ``text``. ``after`` is markup that follows the text.
    """
    options: Attributes = dict(attributes)
    if angle:
        options["transform"] = f"rotate({angle:g} {x:.2f} {y:.2f})"
    if anchor != "start":
        options["text_anchor"] = anchor
    tooltip = [] if full is None or one_line(full) == text else [tag("title", _escaped(full))]
    # Viewers differ in `dominant-baseline`, so the baseline is set by hand.
    base = y + 0.35 * size
    return tag("text", _escaped(text) + after, *tooltip, x=x, y=base, font_size=size, fill=fill, **options)


@dataclass(frozen=True)
class Figure:
    """A picture as SVG text that needs no style sheet, script, font or link.

    Notebooks show it. In an HTML page, paste the text of ``svg``.

    Attributes
    ----------
    width, height
        Size in pixels.
    title, description
        What the picture shows, for screen readers.
    body
        The markup inside.
    vega_lite
        The same charts as a Vega-Lite specification: plain data.
    """

    width: float
    height: float
    title: str
    description: str
    body: str = field(repr=False)
    vega_lite: dict[str, Any] = field(repr=False, default_factory=dict)

    @property
    def svg(self) -> str:
        """The picture as one ``<svg>`` element."""
        inside = [tag("title", _escaped(self.title)), tag("desc", _escaped(self.description))]
        inside += [tag("rect", width=self.width, height=self.height, fill="#FFFFFF"), self.body]
        box = f"0 0 {coordinate(self.width)} {coordinate(self.height)}"
        options: Attributes = {"role": "img", "aria_label": self.title, "font_family": "sans-serif"}
        size: Attributes = {"width": self.width, "height": self.height, "viewBox": box}
        return tag("svg", *inside, xmlns="http://www.w3.org/2000/svg", **size, **options) + "\n"

    def _repr_svg_(self) -> str:
        return self.svg

    def to_altair(self) -> altair.TopLevelMixin:
        """The same charts as an Altair chart, which can be restyled and has tooltips in a notebook.

        It needs the extra ``charts``: ``pip install 'ontomask[charts]'``.
        """
        try:
            import altair
        except ImportError:
            raise MissingExtraError("Altair charts", "charts") from None
        chart: altair.TopLevelMixin = altair.Chart.from_dict(self.vega_lite)
        return chart

    def save(self, path: str | Path) -> None:
        """Write the picture to an ``.svg`` file. The write is atomic."""
        path = Path(path).expanduser()
        if path.suffix.lower() != ".svg":
            raise FigureError(f"The file name of a figure must end in .svg. Rename {path}.", parameter="path")
        save_atomic(path, self.svg.encode(), FigureError)
