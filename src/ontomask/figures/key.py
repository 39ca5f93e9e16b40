"""Keys: which look is which series, and which colour is which value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil
from typing import Protocol

from ontomask.figures.axis import Axis
from ontomask.figures.colours import Scale
from ontomask.figures.lettering import SMALL, TEXT, shorten, text_width, write
from ontomask.figures.marks import Look, Styled, hatched_box, looks, marker
from ontomask.figures.markup import QUIET, Attributes, clean, polyline, tag, with_tooltip

__all__ = ["ColourKey", "Entry", "Key", "Legend", "legend", "merge"]

_ROW = 18.0
_SAMPLE = 28.0
_NAME_ROOM = 220.0
_BAR_WIDTH, _BAR_HEIGHT = 200.0, 10.0
_BAR_PARTS = 50


@dataclass(frozen=True)
class Entry:
    """One line of a legend; ``kind`` is what its sample shows: ``line``, ``box``, ``point`` or ``path``."""

    name: str
    look: Look
    kind: str

    def sample(self, x: float, y: float) -> str:
        """The look in small, between ``x`` and ``x`` + 24."""
        if self.kind == "box":
            return hatched_box(self.look, x + 4, y - 6, 16, 12, class_="om-sample")
        point = marker(self.look, x + 12, y)
        if self.kind == "point":
            return point
        dashes = {"stroke_dasharray": self.look.dash} if self.look.dash else {}
        line = tag(
            "path", d=polyline([(x, y), (x + 24, y)]), fill="none", stroke=self.look.colour, stroke_width=1.8, **dashes
        )
        return line + point if self.kind == "line" else line


@dataclass(frozen=True)
class Legend:
    """Names of series with samples of their looks, in rows from the left."""

    entries: tuple[Entry, ...]

    @property
    def _widths(self) -> list[float]:
        return [_SAMPLE + text_width(shorten(entry.name, _NAME_ROOM)) + 16 for entry in self.entries]

    @property
    def least_width(self) -> float:
        """The width of one column."""
        return max(self._widths)

    def _columns(self, width: float) -> list[float]:
        """The widths of as many columns as fit, at least one."""
        each = self._widths
        for count in range(len(each), 1, -1):
            columns = [max(each[column::count]) for column in range(count)]
            if sum(columns) - 16 <= width:
                return columns
        return [max(each)]

    def height(self, width: float) -> float:
        """The height that the rows need in that width."""
        return ceil(len(self.entries) / len(self._columns(width))) * _ROW

    def draw(self, x: float, y: float, width: float) -> str:
        """The rows, with their top left corner at (x, y)."""
        columns = self._columns(width)
        lefts = list(accumulate(columns, initial=x))
        parts = []
        for number, entry in enumerate(self.entries):
            row, column = divmod(number, len(columns))
            middle, left = y + (row + 0.5) * _ROW, lefts[column]
            name = shorten(entry.name, _NAME_ROOM)
            label = write(name, left + _SAMPLE, middle, full=entry.name, class_="om-name")
            parts.append(entry.sample(left, middle) + label)
        return tag("g", *parts, class_="om-legend")


@dataclass(frozen=True)
class ColourKey:
    """A bar with the colours of a scale and the values that they stand for."""

    scale: Scale
    axis: Axis
    title: str = ""

    @property
    def least_width(self) -> float:
        """The width of the bar, with room for the labels of both ends."""
        return max(_BAR_WIDTH, 2 * max(text_width(label, SMALL) for label in self.axis.labels) + SMALL)

    def _labels(self) -> list[tuple[float, float, float, str, str]]:
        """Left end, right end, tick, anchor and text of the labels under the bar: evenly so many that none collide."""
        wide = self.least_width
        found = []
        for tick, label in zip(self.axis.ticks, self.axis.labels, strict=True):
            middle, width = self.axis.fraction(tick) * wide, text_width(label, SMALL)
            if tick == self.axis.low:
                found.append((0.0, width, middle, "start", label))
            elif tick == self.axis.high:
                found.append((wide - width, wide, middle, "end", label))
            else:
                found.append((middle - width / 2, middle + width / 2, middle, "middle", label))
        steps = [step for step in range(1, len(found)) if (len(found) - 1) % step == 0]
        fits = (all(a[1] + 4 <= b[0] for a, b in pairwise(found[::step])) for step in steps)
        return found[:: next((step for step, fit in zip(steps, fits, strict=True) if fit), steps[-1])]

    def height(self, width: float) -> float:  # noqa: ARG002 (as in Legend: a bar is as high in any width)
        """The height of title, bar and numbers."""
        return _BAR_HEIGHT + 2 + TEXT * 1.4 + (TEXT * 1.5 if self.title else 0)

    def draw(self, x: float, y: float, width: float) -> str:
        """The bar, with its top left corner at (x, y)."""
        parts = []
        if self.title:
            parts.append(write(shorten(self.title, width), x, y + TEXT / 2, full=self.title, class_="om-name"))
            y += TEXT * 1.5
        # One box a colour instead of a gradient, which would need an id in the page; each reaches under the next one.
        each = self.least_width / _BAR_PARTS
        for part in range(_BAR_PARTS):
            wide = min(2, _BAR_PARTS - part) * each
            fill = self.scale.colour(part / (_BAR_PARTS - 1))
            parts.append(tag("rect", x=x + part * each, y=y, width=wide, height=_BAR_HEIGHT, fill=fill))
        box: Attributes = {"width": self.least_width, "height": _BAR_HEIGHT}
        parts.append(tag("rect", x=x, y=y, **box, fill="none", stroke=QUIET, stroke_width=0.6))
        below = y + _BAR_HEIGHT
        for left, _, middle, anchor, label in self._labels():
            parts.append(tag("path", d=polyline([(x + middle, below), (x + middle, below + 3)]), stroke=QUIET))
            place = {"start": left, "middle": middle, "end": self.least_width}[anchor]
            parts.append(write(label, x + place, below + 4 + SMALL / 2, size=SMALL, anchor=anchor))
        tooltip = f"{self.title or 'colours'}: {self.axis.labels[0]} to {self.axis.labels[-1]}"
        return with_tooltip(tooltip, *parts, class_="om-colour-key")


Key = Legend | ColourKey


class Named(Styled, Protocol):
    """A series with a name."""

    @property
    def name(self) -> str:
        """What it is called."""


def legend(series: Sequence[Named], kind: str, more: Sequence[Entry] = ()) -> Key | None:
    """The legend of some series, and more entries after theirs; those without a name have none."""
    entries = [Entry(one.name, style, kind) for one, style in zip(series, looks(series), strict=True)]
    named = tuple(entry for entry in (*entries, *more) if clean(entry.name))
    return Legend(named) if named else None


def merge(keys: Sequence[Key | None]) -> Key | None:
    """One key for several charts: the same scale, or all series where the same name always has the same look."""
    found = [key for key in keys if key is not None]
    if not found:
        return None
    if all(key == found[0] for key in found):
        return found[0]
    entries: dict[str, Entry] = {}
    for key in found:
        if isinstance(key, ColourKey):
            return None
        for entry in key.entries:
            if entries.setdefault(entry.name, entry) != entry:
                return None
    looks = [(entry.look, entry.kind) for entry in entries.values()]
    return Legend(tuple(entries.values())) if len(set(looks)) == len(looks) else None
