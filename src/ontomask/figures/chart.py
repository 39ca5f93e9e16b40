"""What all charts share, and how one or several of them make a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil

from ontomask.errors import FigureError
from ontomask.figures.area import Area, Margins
from ontomask.figures.figure import Figure
from ontomask.figures.key import Key, merge
from ontomask.figures.lettering import TITLE, wrap, write
from ontomask.figures.markup import clean, tag
from ontomask.figures.numbers import check_range, extent, numbers

__all__ = ["Chart", "ScaledChart", "small_multiples"]

_EDGE = 12.0
_BETWEEN, _BETWEEN_ROWS = 26.0, 16.0
_LEAST_WIDTH = 260.0
_SMALLEST, _LARGEST = 60, 20_000
_PANEL_TITLE = 12.0


@dataclass(frozen=True, kw_only=True)
class Chart(ABC):
    """A picture that is still data: `figure` draws it, `small_multiples` draws several side by side.

    Attributes
    ----------
    title
        Stands above the chart.
    description
        For those who cannot see the picture; without one, what is drawn is summed up in a sentence.
    width, height
        Size in pixels of the area in which data are drawn; titles, labels and keys come around it. By default the
        chart takes what it needs.
    """

    title: str = ""
    description: str = ""
    width: float | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            value = getattr(self, name)
            if value is not None:
                (size,) = numbers([value], f"The {name!r} of a chart", gaps=False)
                if not _SMALLEST <= size <= _LARGEST:
                    raise FigureError(
                        f"The {name!r} of a chart must be {_SMALLEST:,} to {_LARGEST:,} pixels. Got {size:g} instead."
                    )

    @property
    @abstractmethod
    def natural_size(self) -> tuple[float, float]:
        """Width and height in pixels that suit the data."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the area in which data are drawn."""
        width, height = self.natural_size
        return self.width or width, self.height or height

    @abstractmethod
    def margins(self, width: float, height: float) -> Margins:
        """The room around an area of that size for labels."""

    @property
    @abstractmethod
    def key(self) -> Key | None:
        """What tells the series or the colours apart."""

    @abstractmethod
    def draw(self, area: Area) -> list[str]:
        """The markup of the chart in that area, with its labels around it."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """What is drawn, in a sentence."""

    @property
    def told(self) -> str:
        """The description, or else the summary."""
        return self.description if clean(self.description) else self.summary

    def figure(self) -> Figure:
        """The chart as a picture of its own."""
        return _lay_out([self], 1, self.title, "", panels=False)

    def _repr_svg_(self) -> str:
        return self.figure().svg


@dataclass(frozen=True, kw_only=True)
class ScaledChart(Chart):
    """A chart whose values are read from a scale: a vertical axis, the length of bars or the depth of a colour.

    Attributes
    ----------
    value_range
        What the scale covers at least, as (low, high); it is widened where values go beyond it.
    """

    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "value_range", check_range(self.value_range, "The 'value_range' of a chart"))

    @property
    @abstractmethod
    def value_extent(self) -> tuple[float, float] | None:
        """Least and greatest value, if there is any."""

    @property
    def covered(self) -> tuple[float, float]:
        """What the scale must cover: the values and the range asked for; 0 to 1 if there is neither."""
        return extent(self.value_extent, self.value_range) or (0.0, 1.0)


def small_multiples(
    charts: Sequence[Chart],
    *,
    columns: int | None = None,
    title: str = "",
    description: str = "",
    same_scale: bool = False,
) -> Figure:
    """Several charts in one figure, in rows from the left, with their plots aligned.

    A key that holds for all of them is drawn once.

    Parameters
    ----------
    charts
        The panels; the title of each stands above it.
    columns
        Panels a row; by default all in one row up to three, otherwise as square as it gets.
    title, description
        Of the whole figure.
    same_scale
        Give all panels the range of values that covers them all, so that they can be compared.

    Examples
    --------
    >>> from ontomask.figures import Heatmap
    >>> before = Heatmap([[1.0, 0.4], [0.4, 1.0]], ["age", "sex"], ["age", "sex"], title="Before")
    >>> after = replace(before, values=[[1.0, 0.1], [0.1, 1.0]], title="After")
    >>> small_multiples([before, after], title="Dependence", same_scale=True).title
    'Dependence'
    """
    charts = list(charts)
    if not charts:
        raise FigureError("There must be at least one chart to draw. Got none.")
    if columns is None:
        columns = len(charts) if len(charts) <= 3 else ceil(len(charts) ** 0.5)
    if isinstance(columns, bool) or not isinstance(columns, int) or columns < 1:
        raise FigureError(f"The 'columns' of small multiples must be an int ≥ 1. Got {columns!r} instead.")
    if same_scale:
        scaled = [chart for chart in charts if isinstance(chart, ScaledChart)]
        covered = extent(*(chart.covered for chart in scaled if chart.value_extent or chart.value_range))
        charts = [replace(chart, value_range=covered) if isinstance(chart, ScaledChart) else chart for chart in charts]
    return _lay_out(charts, min(columns, len(charts)), title, description, panels=True)


class _Table:
    """The charts in rows and columns: those of a column share their left and right margins, those of a row the others.

    All lengths are in pixels; those of columns and rows are lists.
    """

    def __init__(self, charts: Sequence[Chart], columns: int, keys: Sequence[Key | None]) -> None:
        self.places = [divmod(number, columns) for number in range(len(charts))]
        self.widths = self._of_columns([chart.size[0] for chart in charts])
        self.heights = self._of_rows([chart.size[1] for chart in charts])
        margins = [
            chart.margins(self.widths[c], self.heights[r]) for chart, (r, c) in zip(charts, self.places, strict=True)
        ]
        self.left = self._of_columns([margin.left for margin in margins])
        self.top = self._of_rows([margin.top for margin in margins])
        self.bottom = self._of_rows([margin.bottom for margin in margins])
        right = self._of_columns([margin.right for margin in margins])
        for_keys = self._of_columns([key.least_width if key else 0.0 for key in keys])
        needed = zip(self.left, self.widths, right, strict=True)
        self.spans = [max(sum(parts), least) for parts, least in zip(needed, for_keys, strict=True)]
        self.width = sum(self.spans) + _BETWEEN * (columns - 1)
        self.starts = list(accumulate((span + _BETWEEN for span in self.spans), initial=_EDGE))

    def _of_columns(self, values: Sequence[float]) -> list[float]:
        return self._most(values, [column for _, column in self.places])

    def _of_rows(self, values: Sequence[float]) -> list[float]:
        return self._most(values, [row for row, _ in self.places])

    @staticmethod
    def _most(values: Sequence[float], lines: Sequence[int]) -> list[float]:
        """The greatest value of each row or column."""
        most = [0.0] * (max(lines) + 1)
        for line, value in zip(lines, values, strict=True):
            most[line] = max(most[line], value)
        return most

    def draw(self, charts: Sequence[Chart], headings: Sequence[_Heading], y: float) -> tuple[list[str], float]:
        """The charts under their headings, from ``y`` down; and where they end."""
        above = self._of_rows([heading.height for heading in headings])
        spans = [sum(parts) for parts in zip(above, self.top, self.heights, self.bottom, strict=True)]
        tops = list(accumulate((span + _BETWEEN_ROWS for span in spans), initial=y))
        drawn = []
        for chart, heading, (r, c) in zip(charts, headings, self.places, strict=True):
            area = Area(
                self.starts[c] + self.left[c], tops[r] + above[r] + self.top[r], self.widths[c], self.heights[r]
            )
            drawn.append(tag("g", *heading.draw(self.starts[c], tops[r]), *chart.draw(area), class_="om-chart"))
        return drawn, tops[-1] - _BETWEEN_ROWS


@dataclass(frozen=True)
class _Heading:
    """A title in bold, and a key under it if there is one, in some width."""

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
            parts.append(write(line, x, middle, size=self.size, bold=True, full=full, class_=self.class_))
        return [*parts, self.key.draw(x, y + self._title_height, self.width)] if self.key else parts


def _lay_out(charts: Sequence[Chart], columns: int, title: str, description: str, *, panels: bool) -> Figure:
    """The charts in a table under the title and the key that they share; as panels they have titles of their own."""
    common = merge([chart.key for chart in charts])
    keys = [None if common else chart.key for chart in charts]
    table = _Table(charts, columns, keys)
    width = max(table.width, _LEAST_WIDTH, common.least_width if common else 0.0)
    top = _Heading(title, common, width, TITLE, "om-title")
    headings = [
        _Heading(chart.title if panels else "", key, table.spans[column], _PANEL_TITLE, "om-panel-title")
        for chart, key, (_, column) in zip(charts, keys, table.places, strict=True)
    ]
    drawn, end = table.draw(charts, headings, _EDGE + top.height)
    told = [f"{chart.title}: {chart.told}" if panels and chart.title else chart.told for chart in charts]
    names = [chart.title for chart in charts if clean(chart.title)]
    return Figure(
        width=ceil(width + 2 * _EDGE),
        height=ceil(end + _EDGE),
        title=clean(title) or clean("; ".join(names)) or "Figure",
        description=clean(description) or clean(" ".join(told)),
        body="\n".join([*top.draw(_EDGE, _EDGE), *drawn]),
    )
