"""`Tuples`: the distinct tuples of a table, and the distances from one of them to all.

Memory does not grow with the square of the tuples: distances between tuples are sums of distances between the distinct
values of each attribute, of which there are few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.microdata.frequency import FrequencyTable
from ontomask.operators.ranges import make_points
from ontomask.operators.space import Points, Space

__all__ = ["Tuples"]

# All distances between up to this many values of an attribute are held (128 MiB); beyond it, as many rows as fit.
_VALUES_AT_ONCE = 4096


class Tuples:
    """Distinct tuples with counts, and the distances between them: the weighted mean over attributes.

    A kept cell is a value of its own: at distance 0 from itself and 1 from everything else.

    Parameters
    ----------
    spaces
        One for each attribute.
    points
        For each attribute its distinct points.
    indices
        One row per tuple: for each attribute the index of its point. Indices from ``len(points[j])`` on are kept cells.
    counts
        The number of records with each tuple.
    names
        The columns of the attributes.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> Tuples.of(data.table).distances_from(0).tolist()
    [0.0, 0.5]
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        points: Sequence[Points],
        indices: IntArray,
        counts: NDArray[np.integer],
        names: Sequence[str] = (),
    ) -> None:
        self.spaces = tuple(spaces)
        self.names = tuple(names)
        self.points = tuple(points)
        self.indices: IntArray = np.ascontiguousarray(indices, dtype=np.int32)
        self.counts: NDArray[np.int64] = np.asarray(counts, dtype=np.int64)
        total = sum(space.weight for space in self.spaces)
        self.shares = tuple(space.weight / total for space in self.spaces)
        highest = self.indices.max(axis=0, initial=0).tolist()
        self._sizes = [max(len(p), top + 1) for p, top in zip(self.points, highest, strict=True)]
        # The rows of all attributes are concatenated, so that a tuple's distance is a sum of entries of one array.
        self._start = np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int32)
        #: The indices of each tuple's values in a row of `lines`.
        self.in_line: IntArray = self.indices + self._start[:-1]
        self._rows = [
            _Rows(space, p, size) for space, p, size in zip(self.spaces, self.points, self._sizes, strict=True)
        ]

    @classmethod
    def of(
        cls,
        table: FrequencyTable,
        rows: NDArray[np.integer] | None = None,
        attributes: Sequence[int] | None = None,
    ) -> Tuples:
        """The tuples of a frequency table; of all rows and attributes unless some are given."""
        picked = np.arange(len(table)) if rows is None else rows
        columns = list(range(len(table.columns)) if attributes is None else attributes)
        spaces = [table.columns[j].space for j in columns]
        points = [table.values[j].point[~table.values[j].kept] for j in columns]
        names = [table.columns[j].name for j in columns]
        return cls(spaces, points, table.tuples[picked][:, columns], table.counts[picked], names)

    def __len__(self) -> int:
        return len(self.indices)

    def point(self, i: int, j: int) -> Any:
        """The point of tuple i in attribute j; it must not be a kept cell."""
        return self.points[j][self.indices[i, j]]

    def distances_from(self, i: int) -> NDArray[np.float64]:
        """Distances from tuple i to all."""
        rows = [rows.of_index(j) for rows, j in zip(self._rows, self.indices[i].tolist(), strict=True)]
        return self._gather(rows)

    def distances_to(self, record: Sequence[Any]) -> NDArray[np.float64]:
        """Distances from a record of points, such as a centroid, to all tuples."""
        return self._gather([rows.of_point(point) for rows, point in zip(self._rows, record, strict=True)])

    def lines(self, rows: IntArray) -> NDArray[np.float64]:
        """Distances from the given tuples to all values, attributes side by side, weighted by their shares.

        The distance from tuple ``rows[i]`` to tuple v is the sum of ``lines(rows)[i, in_line[v]]``. A line has as many
        entries as there are values: ask for a few tuples at a time.
        """
        lines = np.empty((len(rows), int(self._start[-1])))
        for j, (share, row) in enumerate(zip(self.shares, self._rows, strict=True)):
            mine = lines[:, self._start[j] : self._start[j + 1]]
            np.stack(row.of_indices(self.indices[rows, j].tolist()), out=mine)
            mine *= share
        return lines

    def _gather(self, rows: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        from ontomask.operators.kernels import sum_of_picks

        line = np.concatenate([share * row for share, row in zip(self.shares, rows, strict=True)])
        out = np.empty(len(self.indices))
        sum_of_picks(line, self.in_line, out)
        return out


class _Rows:
    """Distances from a point of one attribute to all its values, kept cells last; the latest rows are cached."""

    def __init__(self, space: Space, points: Points, size: int) -> None:
        self.space, self.points, self.size = space, points, size
        self._matrix: NDArray[np.float64] | None = None
        self._latest: OrderedDict[Any, NDArray[np.float64]] = OrderedDict()
        self._room = max(_VALUES_AT_ONCE**2 // max(size, 1), 16)

    def of_index(self, i: int) -> NDArray[np.float64]:
        if i >= len(self.points):
            row = np.ones(self.size)
            row[i] = 0.0
            return row
        if self.size > _VALUES_AT_ONCE:
            return self.of_point(self.points[i])
        if self._matrix is None:
            self._matrix = np.ones((len(self.points), self.size))
            self._matrix[:, : len(self.points)] = self.space.matrix(self.points, self.points)
        known: NDArray[np.float64] = self._matrix[i]
        return known

    def of_indices(self, indices: Sequence[int]) -> list[NDArray[np.float64]]:
        """The rows of several indices. Those that are not cached are computed together."""
        if self.size > _VALUES_AT_ONCE:
            known = (i for i in dict.fromkeys(indices) if i < len(self.points))
            new = [i for i in known if self.points[i] not in self._latest][: self._room]
            if len(new) > 1:
                for i, distances in zip(new, self.space.matrix(self.points[new], self.points), strict=True):
                    self._store(self.points[i], distances)
        return [self.of_index(i) for i in indices]

    def of_point(self, point: Any) -> NDArray[np.float64]:
        row = self._latest.get(point)
        if row is not None:
            self._latest.move_to_end(point)
            return row
        return self._store(point, self.space.matrix(make_points([point], self.points.dtype), self.points)[0])

    def _store(self, point: Any, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        row = np.ones(self.size)
        row[: len(self.points)] = distances
        self._latest[point] = row
        if len(self._latest) > self._room:
            self._latest.popitem(last=False)
        return row
