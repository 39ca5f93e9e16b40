"""`Confidential`: the values of a confidential column, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError
from ontomask.microdata import Microdata, frames
from ontomask.privacy.groups import encode

__all__ = ["Confidential"]


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
        ``equal`` for a column without a kind.
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
            codes, cells = frames.factorise(data.frame, name)
            # Texts that differ in surrounding blanks are one value: otherwise l would be too high.
            texts = np.array([cell_text(cell) for cell in cells], dtype=object)
            return cls(name, encode(texts).codes[codes], "equal")
        points, space = column.all_points, column.space
        number = np.full(len(column.cells), -1, dtype=np.int64)
        number[~column.kept] = np.searchsorted(points, column.point[~column.kept])
        if space.is_line:
            return cls(name, number[column.code], "ordered", size=len(points))
        return cls(name, number[column.code], "semantic", space.matrix(points, points))
