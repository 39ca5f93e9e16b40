"""`Confidential`: the values of a confidential column, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError
from ontomask.microdata import Microdata
from ontomask.operators.ranges import is_off_line
from ontomask.operators.space import Points, Space
from ontomask.privacy.closeness import MOST_ORDERED_WITH_MISSING
from ontomask.privacy.groups import encode

__all__ = ["Confidential"]

# Distances between more sets of concepts, or concepts, are not held: 128 MiB, 512 MiB.
_MOST_SETS, _MOST_CONCEPTS = 4096, 8192


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
        ``equal`` for a column without a kind, and where another would take too much memory: for more than 8,192
        concepts, 4,096 sets of concepts, or 5,000 ordered values of which some are missing. With ``equal``, t is never
        smaller than with another ground distance.
    size
        The number of values in the order, for ``ordered``.
    space, points
        Where the values lie, for ``semantic``.
    """

    name: str
    codes: NDArray[np.int64]
    ground: str
    size: int | None = None
    space: Space | None = None
    points: Points | None = None

    @cached_property
    def distances(self) -> NDArray[np.float64] | None:
        """Between all values, for ``semantic``. Only t-closeness needs them."""
        if self.space is None or self.points is None:
            return None
        return self.space.matrix(self.points, self.points)

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
            cell_codes, cells = data.confidential_cells(name)
            # Texts that differ in surrounding blanks are one value: otherwise l would be too high.
            texts = np.array([cell_text(cell) for cell in cells], dtype=object)
            return cls(name, encode(texts).codes[cell_codes], "equal")
        points = column.all_points
        # In a column of numbers, dates or ordered categories, a missing cell is no value.
        points = points[~is_off_line(points)]
        has_value = ~column.kept & ~is_off_line(column.point)
        number = np.full(len(column.cells), -1, dtype=np.int64)
        number[has_value] = np.searchsorted(points, column.point[has_value])
        codes, size = number[column.code], len(points)
        if column.is_ordered:
            # Without missing values, the distance along an order needs no matrix.
            is_large = size > MOST_ORDERED_WITH_MISSING and (codes < 0).any()
            return cls(name, codes, "equal") if is_large else cls(name, codes, "ordered", size=size)
        if size > (_MOST_SETS if column.holds_sets else _MOST_CONCEPTS):
            return cls(name, codes, "equal")
        return cls(name, codes, "semantic", space=column.space, points=points)
