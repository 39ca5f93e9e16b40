"""The values that a plan refers to: points in memory, keys in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.errors import PlanError, Setting, UnknownConceptError
from ontomask.kinds import Column, Release
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.table import Microdata
from ontomask.operators.ranges import join_points

__all__ = ["Cell", "Key", "PlanValues", "fingerprint"]


@dataclass(frozen=True, repr=False)
class Cell:
    """The key of a value that is kept as it is: the cell itself."""

    cell: Any

    def __repr__(self) -> str:
        # Cells are a person's values, which must not appear in tracebacks and logs.
        return "<Cell>"


Key = str | float | Cell


@dataclass(frozen=True, eq=False, repr=False)
class PlanValues:
    """Values of one column.

    Attributes
    ----------
    name
        The column.
    column
        The encoded column; ``None`` in a plan that was read from a file.
    points
        The points of the values in that column; in a plan from a file, their keys.
    cells
        By index, the cells of values that are kept as they are. Their points have no meaning.
    """

    name: str
    column: Column | None
    points: NDArray[Any]
    cells: Mapping[int, Any]

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def of(cls, table: FrequencyTable, j: int, *, before: ArrayLike = (), after: ArrayLike = ()) -> PlanValues:
        """The values of column j of a table, with other points before or after them."""
        column, values = table.columns[j], table.values[j]
        first, last = np.asarray(before), np.asarray(after)
        cells = {len(first) + i: column.cells[values.cell[i]] for i in np.flatnonzero(values.kept).tolist()}
        points = join_points(values.point.dtype, first, values.point, last)
        return cls(column.name, column, points, cells)

    @classmethod
    def of_keys(cls, name: str, keys: Sequence[Key]) -> PlanValues:
        """Values as a file has them."""
        points = np.empty(len(keys), dtype=object)
        points[:] = keys
        return cls(name, None, points, {i: key.cell for i, key in enumerate(keys) if isinstance(key, Cell)})

    def keys(self) -> list[Key]:
        """The values by meaning: concept ids, numbers, categories; or cells."""
        return [self._key(i) for i in range(len(self))]

    def readable(self, i: int) -> object:
        """Value i for reading."""
        return self.cells[i] if i in self.cells else self._key(i)

    def _key(self, i: int) -> Key:
        if i in self.cells:
            return Cell(self.cells[i])
        key: Key = self.points[i] if self.column is None else self.column.key(self.points[i].item())
        return key

    def release(
        self, used: NDArray[np.integer], column: Column, release: Release
    ) -> tuple[list[object], NDArray[Any], NDArray[np.bool_]]:
        """The released cells of some values, the points of these cells, and which cells are kept and have no point.

        Parameters
        ----------
        used
            The indices of the values.
        column, release
            The column of the data that are masked, and how its points are written and read.
        """
        is_cell = np.array([i in self.cells for i in used.tolist()], dtype=bool)
        written = release.cells(self._points_in(column, used[~is_cell]))
        read = release.points(written)
        points, kept = np.zeros(len(used), dtype=read.dtype), np.zeros(len(used), dtype=bool)
        points[~is_cell] = read
        left = iter(written)
        cells = [self.cells[i] if i in self.cells else next(left) for i in used.tolist()]
        if is_cell.any():
            position = {cell: i for i, cell in enumerate(column.cells)}
            for i in np.flatnonzero(is_cell).tolist():
                at = position.get(cells[i])
                if at is None:
                    raise PlanError(
                        f"The plan keeps cells that the column {column.name!r} does not have. Give the data that the "
                        f"plan was made for.",
                        code="unknown-cell",
                        column=column.name,
                    )
                points[i], kept[i] = column.point[at], column.kept[at]
        return cells, points, kept

    def _points_in(self, column: Column, used: NDArray[np.integer]) -> NDArray[Any]:
        """The points of some values in a column, which may be another one than that of the plan."""
        if column is self.column:
            own: NDArray[Any] = self.points[used]
            return own
        try:
            return column.points_of_keys([self._key(i) for i in used.tolist()])
        except (UnknownConceptError, ValueError):  # a concept, a number or category
            raise PlanError(
                f"The plan releases values outside the domain of the column {column.name!r} of these data. Describe "
                f"the column as it was for the plan, for example with ",
                Setting("columns", column.name, "domain"),
                ".",
                code="outside-domain",
                column=column.name,
            ) from None


def fingerprint(data: Microdata) -> str:
    """Identifies the records of a table and their order, and reveals nothing about their values."""
    table, digest = data.table, sha256()
    for j, column in enumerate(table.columns):
        keys = PlanValues.of(table, j).keys()
        texts = [f"Cell(cell={key.cell!r})" if isinstance(key, Cell) else repr(key) for key in keys]
        digest.update(repr([column.name, *texts]).encode())
    digest.update(np.ascontiguousarray(table.tuples).tobytes())
    digest.update(np.ascontiguousarray(table.inverse).tobytes())
    return digest.hexdigest()
