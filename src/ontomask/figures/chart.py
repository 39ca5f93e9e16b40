"""What all charts share: options, keys, and the layout of one or several charts in a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil
from typing import Any, Protocol

from ontomask.base.frozen import set_fields
from ontomask.base.text import one_line
from ontomask.errors import FigureError
from ontomask.figures.axes import Area, Frame, Margins
from ontomask.figures.styles import Look, Series, dashes, hatched_box, looks, marker
from ontomask.figures.svg import Figure, polyline, shorten, tag, text_width, wrap, write
from ontomask.figures.values import check_int, extent, number_pair, numbers

__all__ = ["Chart", "Entry", "Key", "ScaledChart", "Spec", "legend", "small_multiples"]

Spec = dict[str, Any]
"""A part of a Vega-Lite specification."""

_EDGE = 12.0
_BETWEEN, _BETWEEN_ROWS = 26.0, 16.0
_SMALLEST, _LARGEST = 60, 20_000
_TITLE, _PANEL_TITLE = 14.0, 12.0
_ROW, _SAMPLE, _NAME_ROOM = 18.0, 28.0, 220.0


class Key(Protocol):
    """A legend, or the colours of a scale."""

    @property
    def least_width(self) -> float:
        """The width that it needs at least."""

    def height(self, width: float) -> float:
        """Its height in that width."""

    def draw(self, x: float, y: float, width: float) -> str:
        """Its markup, with the top left corner at (x, y)."""


@dataclass(frozen=True)
class Entry:
    """One name in a legend; ``kind`` is the sample beside it: ``line``, ``box``, ``point`` or ``path``."""

    name: str
    look: Look
    kind: str

    @property
    def width(self) -> float:
        """The width of sample and name."""
        return _SAMPLE + text_width(shorten(self.name, _NAME_ROOM)) + 16

    def draw(self, x: float, y: float) -> str:
        """Sample and name, centred on ``y``."""
        sample = ""
        if self.kind == "box":
            sample = hatched_box(self.look, x + 4, y - 6, 16, 12, class_="om-sample")
        if self.kind in ("line", "path"):
            sample = tag("path", d=polyline([(x, y), (x + 24, y)]), **dashes(self.look))
        if self.kind in ("line", "point"):
            sample += marker(self.look, x + 12, y)
        return sample + write(shorten(self.name, _NAME_ROOM), x + _SAMPLE, y, full=self.name, class_="om-name")


@dataclass(frozen=True)
class Legend:
    """The names of series with samples of their looks, in rows."""

    entries: tuple[Entry, ...]

    @property
    def least_width(self) -> float:
        """The width of one column."""
        return max(entry.width for entry in self.entries)

    def _columns(self, width: float) -> int:
        return max(1, min(len(self.entries), int((width + 16) / self.least_width)))

    def height(self, width: float) -> float:
        """The height of all rows."""
        return ceil(len(self.entries) / self._columns(width)) * _ROW

    def draw(self, x: float, y: float, width: float) -> str:
        """The rows, with the top left corner at (x, y)."""
        cells = (divmod(number, self._columns(width)) for number in range(len(self.entries)))
        parts = (
            entry.draw(x + column * self.least_width, y + (row + 0.5) * _ROW)
            for entry, (row, column) in zip(self.entries, cells, strict=True)
        )
        return tag("g", *parts, class_="om-legend")


def legend(series: Sequence[Series], kind: str, more: Sequence[Entry] = ()) -> Key | None:
    """The legend of the series that have a name, and more entries after them."""
    entries = (*(Entry(one.name, style, kind) for one, style in zip(series, looks(series), strict=True)), *more)
    named = tuple(entry for entry in entries if one_line(entry.name))
    return Legend(named) if named else None


def _common_key(keys: Sequence[Key | None]) -> Key | None:
    """One key for all charts, if the same name always has the same look."""
    found = [key for key in keys if key is not None]
    if found and all(key == found[0] for key in found):
        return found[0]
    entries: dict[str, Entry] = {}
    for key in found:
        if not isinstance(key, Legend):
            return None
        for entry in key.entries:
            if entries.setdefault(entry.name, entry) != entry:
                return None
    different = {(entry.look, entry.kind) for entry in entries.values()}
    return Legend(tuple(entries.values())) if entries and len(different) == len(entries) else None


@dataclass(frozen=True, kw_only=True)
class Chart(ABC):
    """A chart as data: `figure` draws it, `small_multiples` draws several in one figure.

    Attributes
    ----------
    title
        Text above the chart.
    description
        Text for screen readers; by default a sentence about the data.
    width, height
        Size in pixels of the plot without titles, labels and keys. By default it suits the data.
    """

    title: str = ""
    description: str = ""
    width: float | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            if getattr(self, name) is not None:
                (size,) = numbers([getattr(self, name)], name, gaps=False)
                if not _SMALLEST <= size <= _LARGEST:
                    raise FigureError(
                        f"The {name!r} of a chart must be {_SMALLEST:,} to {_LARGEST:,} pixels. Got {size:g}.",
                        parameter=name,
                    )

    @property
    @abstractmethod
    def natural_size(self) -> tuple[float, float]:
        """Width and height in pixels that suit the data."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the plot."""
        width, height = self.natural_size
        return self.width or width, self.height or height

    @abstractmethod
    def margins(self, width: float, height: float) -> Margins:
        """The room that labels need around a plot of that size."""

    @property
    @abstractmethod
    def key(self) -> Key | None:
        """The key to series or colours."""

    @abstractmethod
    def draw(self, area: Area) -> list[str]:
        """The markup of the plot in that area, and of its labels."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """A sentence about the data."""

    @abstractmethod
    def vega_lite(self) -> Spec:
        """The chart as a Vega-Lite specification."""

    @property
    def _vega_size(self) -> Spec:
        return {"width": self.size[0], "height": self.size[1]}

    def figure(self) -> Figure:
        """Draw the chart."""
        return _lay_out([self], 1, self.title, "", panels=False)

    def _repr_svg_(self) -> str:
        return self.figure().svg


@dataclass(frozen=True, kw_only=True)
class ScaledChart(Chart):
    """A chart whose values are read from a scale, between two axes.

    Attributes
    ----------
    value_range
        (low, high) that the scale covers at least.
    """

    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.value_range is not None:
            low, high = number_pair(self.value_range, "value_range")
            if low > high:
                raise FigureError("The 'value_range' must be (low, high). Swap its numbers.", parameter="value_range")
            set_fields(self, value_range=(low, high))

    @property
    @abstractmethod
    def value_extent(self) -> tuple[float, float] | None:
        """Smallest and largest value, or None without any."""

    @property
    def covered(self) -> tuple[float, float]:
        """The range that the scale must cover."""
        return extent(self.value_extent, self.value_range) or (0.0, 1.0)

    @abstractmethod
    def _frame(self, width: float, height: float) -> Frame:
        """The axes of a plot of that size."""

    def margins(self, width: float, height: float) -> Margins:
        """The room for axes and their titles."""
        return self._frame(width, height).margins(width, height)


def small_multiples(
    charts: Sequence[Chart],
    *,
    columns: int | None = None,
    title: str = "",
    description: str = "",
    same_scale: bool = False,
) -> Figure:
    """Draw several charts in one figure, in rows, with their plots aligned and a common key drawn once.

    Parameters
    ----------
    charts
        The panels; each has its title above it.
    columns
        Panels per row; by default one row for up to three panels, otherwise about as many rows as columns.
    title, description
        Of the whole figure.
    same_scale
        Whether all panels show the same range of values.

    Examples
    --------
    >>> from ontomask.figures import BarChart, Bars
    >>> before = BarChart(["age", "sex"], [Bars("", [3, 1])], title="Before")
    >>> after = BarChart(["age", "sex"], [Bars("", [2, 1])], title="After")
    >>> small_multiples([before, after], title="Bits", same_scale=True).title
    'Bits'
    """
    charts = list(charts)
    if not charts:
        raise FigureError("There is no chart to draw. Give at least one.", parameter="charts")
    if columns is None:
        columns = len(charts) if len(charts) <= 3 else ceil(len(charts) ** 0.5)
    check_int(columns, "columns", 1)
    if same_scale:
        scaled = [chart for chart in charts if isinstance(chart, ScaledChart)]
        covered = extent(*(chart.covered for chart in scaled if chart.value_extent or chart.value_range))
        charts = [replace(chart, value_range=covered) if isinstance(chart, ScaledChart) else chart for chart in charts]
    return _lay_out(charts, min(columns, len(charts)), title, description, panels=True)


@dataclass(frozen=True)
class _Heading:
    """A title in bold, with a key under it."""

    title: str
    key: Key | None
    width: float
    size: float
    class_: str

    @property
    def _lines(self) -> list[str]:
        return wrap(self.title, self.width, self.size, most=3, bold=True)

    @property
    def _title_height(self) -> float:
        return len(self._lines) * self.size * 1.35 + (4 if self._lines else 0)

    @property
    def height(self) -> float:
        return self._title_height + (self.key.height(self.width) + 8 if self.key else 0)

    def draw(self, x: float, y: float) -> list[str]:
        parts = []
        for number, line in enumerate(self._lines):
            middle, full = y + (number + 0.5) * self.size * 1.35, self.title if line.endswith("…") else None
            parts.append(write(line, x, middle, size=self.size, full=full, class_=self.class_, font_weight="bold"))
        return [*parts, self.key.draw(x, y + self._title_height, self.width)] if self.key else parts


def _largest(values: Sequence[float], lines: Sequence[int]) -> list[float]:
    """The largest value in each row or column."""
    most = [0.0] * (max(lines) + 1)
    for line, value in zip(lines, values, strict=True):
        most[line] = max(most[line], value)
    return most


def _lay_out(charts: Sequence[Chart], columns: int, title: str, description: str, *, panels: bool) -> Figure:
    """Arrange charts in rows. Charts in a column share left and right margins, charts in a row the others."""
    common = _common_key([chart.key for chart in charts])
    keys = [None if common else chart.key for chart in charts]
    rows, cols = zip(*(divmod(number, columns) for number in range(len(charts))), strict=True)
    widths, heights = _largest([c.size[0] for c in charts], cols), _largest([c.size[1] for c in charts], rows)
    margins = [c.margins(widths[col], heights[row]) for c, row, col in zip(charts, rows, cols, strict=True)]
    left, right = _largest([m.left for m in margins], cols), _largest([m.right for m in margins], cols)
    top, bottom = _largest([m.top for m in margins], rows), _largest([m.bottom for m in margins], rows)
    least = _largest([key.least_width if key else 0.0 for key in keys], cols)
    spans = [max(sum(parts[:3]), parts[3]) for parts in zip(left, widths, right, least, strict=True)]
    width = max(sum(spans) + _BETWEEN * (columns - 1), 260.0, common.least_width if common else 0.0)
    head = _Heading(title, common, width, _TITLE, "om-title")
    headings = [
        _Heading(chart.title if panels else "", key, spans[col], _PANEL_TITLE, "om-panel-title")
        for chart, key, col in zip(charts, keys, cols, strict=True)
    ]
    above = _largest([heading.height for heading in headings], rows)
    starts = list(accumulate((span + _BETWEEN for span in spans), initial=_EDGE))
    steps = (sum(parts) + _BETWEEN_ROWS for parts in zip(above, top, heights, bottom, strict=True))
    tops = list(accumulate(steps, initial=_EDGE + head.height))
    body = head.draw(_EDGE, _EDGE)
    for chart, heading, row, col in zip(charts, headings, rows, cols, strict=True):
        area = Area(starts[col] + left[col], tops[row] + above[row] + top[row], widths[col], heights[row])
        body.append(tag("g", *heading.draw(starts[col], tops[row]), *chart.draw(area), class_="om-chart"))
    texts = [one_line(chart.description) or one_line(chart.summary) for chart in charts]
    if panels:
        texts = [f"{chart.title}: {text}" if chart.title else text for chart, text in zip(charts, texts, strict=True)]
    names = "; ".join(chart.title for chart in charts if one_line(chart.title))
    specs = [{"title": one_line(chart.title), **chart.vega_lite()} for chart in charts]
    return Figure(
        width=ceil(width + 2 * _EDGE),
        height=ceil(tops[-1] - _BETWEEN_ROWS + _EDGE),
        title=one_line(title) or one_line(names) or "Figure",
        description=one_line(description) or one_line(" ".join(texts)),
        body="\n".join(body),
        vega_lite={"title": one_line(title), "columns": columns, "concat": specs} if panels else specs[0],
    )
