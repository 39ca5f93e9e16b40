"""`Confidential`: the values of a confidential column, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError
from ontomask.microdata import Microdata
from ontomask.operators.ranges import is_off_line
from ontomask.privacy.groups import encode

__all__ = ["Confidential"]

# Distances between more sets of concepts are not held (128 MiB).
_MOST_SETS = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Confidential:
    """A confidential column, ready to be measured within groups.

    Attributes
    ----------
    name
        The column.
    codes
        The value of every record, −1 where it is missing.
    ground
        The ground distance of t-closeness: ``semantic`` for concepts, ``ordered`` for numbers and ordered categories,
        ``equal`` for a column without a kind, and for more than 4,096 sets of concepts. With ``equal``, t is never
        smaller than with another ground distance.
    distances
        Between all values, for ``semantic``.
    size
        The number of values in the order, for ``ordered``.
    """

    name: str
    codes: NDArray[np.int64]
    ground: str
    distances: NDArray[np.float64] | None = None
    size: int | None = None

    @classmethod
    def of(cls, data: Microdata, name: str) -> Confidential:
        """The column ``name`` of the data."""
        if name not in data.confidential:
            known = join_some(data.confidential) if data.confidential else "none"
            raise TableError(
                f"{name!r} is not a confidential column of these data. They have {known}. Name it in confidential=.",
                column=name,
            )
        column = data.confidential_columns.get(name)
        if column is None:
            codes, cells = data.confidential_cells(name)
            # Texts that differ in surrounding blanks are one value: otherwise l would be too high.
            texts = np.array([cell_text(cell) for cell in cells], dtype=object)
            return cls(name, encode(texts).codes[codes], "equal")
        points = column.all_points
        # In a column of numbers, dates or ordered categories, a missing cell is no value.
        points = points[~is_off_line(points)]
        has_value = ~column.kept & ~is_off_line(column.point)
        number = np.full(len(column.cells), -1, dtype=np.int64)
        number[has_value] = np.searchsorted(points, column.point[has_value])
        if column.is_ordered:
            return cls(name, number[column.code], "ordered", size=len(points))
        if column.holds_sets and len(points) > _MOST_SETS:
            return cls(name, number[column.code], "equal")
        return cls(name, number[column.code], "semantic", column.space.matrix(points, points))
