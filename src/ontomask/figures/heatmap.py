"""Heatmaps: a matrix of values as colours, with the values in the cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import FigureError
from ontomask.figures.area import Area, Margins
from ontomask.figures.axis import Axis, category_axis, number_axis
from ontomask.figures.chart import ScaledChart
from ontomask.figures.colours import DIVERGING, SEQUENTIAL, Scale, ink_on
from ontomask.figures.frame import Frame
from ontomask.figures.key import ColourKey, Key
from ontomask.figures.lettering import SMALL, text_width, write
from ontomask.figures.markup import clean, coordinate, polyline, tag, with_tooltip
from ontomask.figures.numbers import check_size, extent, readable, span

__all__ = ["Heatmap"]

_CELL = 26.0
_SMALL_CELL = 12.0
_EMPTY = (80.0, 60.0)
_MOST_WRITTEN = 40


@dataclass(frozen=True)
class Heatmap(ScaledChart):
    """A matrix whose cells are coloured by their values.

    Values are written in the cells of matrices up to 40 by 40; in larger ones they are tooltips only.

    Attributes
    ----------
    values
        The rows of the matrix; None or NaN leaves a cell crossed out.
    rows, columns
        Their names.
    row_title, column_title
        What rows and columns are.
    value_title
        What the values are; stands at the colour key.
    scale
        ``sequential``, from light to dark, or ``diverging``: blue below zero, orange above, with zero in the middle.
    decimals
        Of the numbers in the cells.

    Examples
    --------
    >>> chart = Heatmap([[1, -0.5], [-0.5, 1]], ["a", "b"], ["a", "b"], scale="diverging", value_title="correlation")
    >>> chart.colour_axis.labels
    ('−1.0', '−0.5', '0', '0.5', '1.0')
    """

    values: Sequence[Sequence[float]] | NDArray[Any]
    rows: Sequence[object]
    columns: Sequence[object]
    row_title: str = ""
    column_title: str = ""
    value_title: str = ""
    scale: Literal["sequential", "diverging"] = "sequential"
    decimals: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rows", tuple(map(str, self.rows)))
        object.__setattr__(self, "columns", tuple(map(str, self.columns)))
        if self.scale not in ("sequential", "diverging"):
            raise FigureError(
                f"The 'scale' of a heatmap must be 'sequential' or 'diverging'. Got {self.scale!r} instead."
            )
        if isinstance(self.decimals, bool) or not isinstance(self.decimals, int) or not 0 <= self.decimals <= 12:
            raise FigureError(
                f"The 'decimals' of a heatmap must be an int from 0 to 12. Got {self.decimals!r} instead."
            )
        try:
            matrix = np.asarray(self.values, dtype=float)
        except (TypeError, ValueError):
            raise FigureError("The values of a heatmap must be rows of numbers, all of one length.") from None
        shape = (len(self.rows), len(self.columns))
        if matrix.size == 0 and 0 in shape:
            matrix = matrix.reshape(shape)
        if matrix.shape != shape:
            raise FigureError(
                f"The values of a heatmap must be {shape[0]:,} rows of {shape[1]:,}, as many as there are names. "
                f"Got {' by '.join(f'{size:,}' for size in matrix.shape) or 'one number'} instead."
            )
        check_size(matrix, "The values of a heatmap")
        object.__setattr__(self, "values", tuple(tuple(row) for row in matrix.tolist()))

    @property
    def value_extent(self) -> tuple[float, float] | None:
        """Least and greatest value."""
        return extent(*self.values)

    @property
    def colour_axis(self) -> Axis:
        """What the colours stand for; a diverging scale reaches as far below zero as above it."""
        low, high = self.covered
        if self.scale == "diverging":
            high = max(abs(low), abs(high)) or 1.0
            low = -high
        return number_axis(low, high, most=5)

    @property
    def _colours(self) -> Scale:
        return DIVERGING if self.scale == "diverging" else SEQUENTIAL

    @property
    def _written(self) -> bool:
        return max(len(self.rows), len(self.columns)) <= _MOST_WRITTEN

    def _text(self, value: float) -> str:
        text = readable(value) if abs(value) >= 1e7 else f"{value:,.{self.decimals}f}"
        # Rounded to nothing, a small negative number has no sign left to show.
        negative = text.startswith("-") and text.strip("-0.,")
        return ("\N{MINUS SIGN}" if negative else "") + text.lstrip("-")

    @property
    def natural_size(self) -> tuple[float, float]:
        """Cells that hold their numbers, square if there are as many rows as columns."""
        if not (self.rows and self.columns):
            return _EMPTY
        high = _CELL if self._written else _SMALL_CELL
        wide = high
        if self._written:
            texts = (text_width(self._text(value), SMALL) for row in self.values for value in row if not isnan(value))
            wide = max(high, max(texts, default=0.0) + 8)
        if len(self.rows) == len(self.columns):
            high = wide = max(high, wide)
        return len(self.columns) * wide, len(self.rows) * high

    def _frame(self) -> Frame:
        columns, rows = ([clean(name) for name in names] for names in (self.columns, self.rows))
        return Frame(
            category_axis(columns),
            category_axis(rows),
            self.column_title,
            self.row_title,
            grid_y=False,
            axis_lines=False,
        )

    def margins(self, width: float, height: float) -> Margins:  # noqa: ARG002 (a matrix keeps its size in any room)
        """Room for the names of rows and columns."""
        return self._frame().margins(*self.size)

    @property
    def key(self) -> Key | None:
        """The colours of the scale."""
        return ColourKey(self._colours, self.colour_axis, self.value_title)

    @property
    def summary(self) -> str:
        """The shape of the matrix and the range of its values."""
        shape = f"{len(self.rows):,} rows and {len(self.columns):,} columns"
        return f"Matrix of {shape}. {self.value_title or 'values'}: {span(self.value_extent or ())}."

    def draw(self, area: Area) -> list[str]:
        """The cells from the top left corner of the area, with their names."""
        area = Area(area.x, area.y, *self.size)
        frame = self._frame()
        parts = frame.draw(area, empty=not (self.rows and self.columns))
        wide, high = area.width / max(len(self.columns), 1), area.height / max(len(self.rows), 1)
        axis = self.colour_axis
        cells = []
        for r, (row, name) in enumerate(zip(self.values, self.rows, strict=True)):
            for c, (value, column) in enumerate(zip(row, self.columns, strict=True)):
                box = Area(area.x + c * wide, area.y + r * high, wide, high)
                cell = [_no_value(box)] if isnan(value) else self._cell(box, value, axis)
                cells.append(with_tooltip(f"{name}, {column}: {readable(value)}", *cell, class_="om-cell"))
        # What all cells share is said once: matrices are large.
        return [*parts, tag("g", *cells, stroke="#FFFFFF", stroke_width=1 if self._written else 0.3)]

    def _cell(self, box: Area, value: float, axis: Axis) -> list[str]:
        fill = self._colours.colour(axis.fraction(value))
        drawn = [tag("rect", x=box.x, y=box.y, width=box.width, height=box.height, fill=fill)]
        text = self._text(value)
        if self._written and text_width(text, SMALL) <= box.width and box.height >= SMALL:
            middle = box.x + box.width / 2, box.y + box.height / 2
            number = write(text, *middle, size=SMALL, anchor="middle", fill=ink_on(fill), class_="om-value")
            drawn.append(tag("g", number, stroke="none"))
        return drawn


def _no_value(box: Area) -> str:
    """A white cell with a stroke through it."""
    right, bottom = box.x + box.width, box.y + box.height
    edge = polyline([(box.x, box.y), (right, box.y), (right, bottom), (box.x, bottom)]) + "Z"
    return tag("path", d=edge + f"L{coordinate(right)} {coordinate(bottom)}", fill="#FFFFFF", stroke="#CCCCCC")
