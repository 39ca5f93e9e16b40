"""`Confidential`: the values of a confidential column, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError
from ontomask.microdata import Microdata, frames
from ontomask.microdata.columns import NominalColumn, OrdinalColumn
from ontomask.operators.space import space_of
from ontomask.privacy.groups import encode

__all__ = ["Confidential"]


@dataclass(frozen=True, eq=False)
class Confidential:
    """A confidential column, ready to be measured within groups.

    Attributes
    ----------
    name
        The column.
    codes
        The value of every record, −1 where it is missing.
    ground
        How the values' distance counts in t-closeness: ``semantic`` for a nominal column, ``ordered`` for numbers and
        categories, ``equal`` for a column without an attribute.
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
        """The column as the data declare it."""
        if name not in data.confidential:
            known = join_some(data.confidential) if data.confidential else "none"
            raise TableError(f"{name!r} is no confidential column of these data. They have {known}: see confidential=.")
        column = data.confidential_columns.get(name)
        if column is None:
            codes, cells = frames.factorise(data.frame, name)
            # Blanks around a text make no other value: l would count too many.
            texts = np.array([cell_text(cell) for cell in cells], dtype=object)
            return cls(name, encode(texts).codes[codes], "equal")
        number = np.full(len(column.cells), -1, dtype=np.int64)
        if isinstance(column, OrdinalColumn):
            # A category that does not occur still lies between its neighbours.
            number[~column.kept] = column.point[~column.kept]
            return cls(name, number[column.code], "ordered", size=len(column.categories))
        points, place = np.unique(column.point[~column.kept], return_inverse=True)
        number[~column.kept] = place
        if isinstance(column, NominalColumn):
            return cls(name, number[column.code], "semantic", space_of(column).matrix(points, points))
        return cls(name, number[column.code], "ordered", size=len(points))
