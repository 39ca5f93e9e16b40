"""`Tuples`: the distinct tuples of a table as points of one space, with the distances from one of them to all.

Methods that compare whole records ask here. Nothing grows with the square of the tuples: distances are put together
from those between the distinct values of each attribute, of which there are few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.frequency import FrequencyTable
from ontomask.operators.space import Points, Space, space_of
from ontomask.taxonomy.graph import IntArray

__all__ = ["Tuples"]

# All distances between this many values of an attribute are held (128 MiB); beyond it, as many rows as fit there.
_VALUES_AT_ONCE = 4096


class Tuples:
    """Distinct tuples with counts, and the distances between them: the weighted mean over attributes.

    A cell that is kept as it stands is a value of its own: at distance 0 from itself and 1 from everything else.

    Parameters
    ----------
    spaces
        One an attribute.
    points
        For each attribute its distinct points.
    places
        One row a tuple: for each attribute the place of its point; places from ``len(points[j])`` on are kept cells.
    counts
        How many records have each tuple.

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
        places: IntArray,
        counts: NDArray[np.integer],
    ) -> None:
        self.spaces = tuple(spaces)
        self.points = tuple(points)
        self.places: IntArray = np.ascontiguousarray(places, dtype=np.int32)
        self.counts: NDArray[np.int64] = np.asarray(counts, dtype=np.int64)
        total = sum(space.weight for space in self.spaces)
        self.shares = tuple(space.weight / total for space in self.spaces)
        highest = self.places.max(axis=0, initial=0).tolist()
        self._sizes = [max(len(p), top + 1) for p, top in zip(self.points, highest, strict=True)]
        # All attributes' rows lie in one line, so that a tuple's distance is a sum of picks from it.
        self._start = np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int32)
        self._in_line = self.places + self._start[:-1]
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
        """The tuples of a frequency table, or some of its rows and attributes."""
        picked = np.arange(len(table)) if rows is None else rows
        columns = list(range(len(table.columns)) if attributes is None else attributes)
        spaces = [space_of(table.columns[j]) for j in columns]
        points = [table.values[j].point[~table.values[j].kept] for j in columns]
        return cls(spaces, points, table.tuples[picked][:, columns], table.counts[picked])

    def __len__(self) -> int:
        return len(self.places)

    def point(self, i: int, j: int) -> Any:
        """The point of tuple i in attribute j; it must not be a kept cell."""
        return self.points[j][self.places[i, j]]

    def distances_from(self, i: int, among: IntArray | None = None) -> NDArray[np.float64]:
        """Distances from tuple i to all, or to those ``among`` them."""
        return self._gather(
            [rows.of_place(place) for rows, place in zip(self._rows, self.places[i].tolist(), strict=True)], among
        )

    def distances_to(self, record: Sequence[Any], among: IntArray | None = None) -> NDArray[np.float64]:
        """Distances from any record, given by its points (such as a centroid), to all tuples or to some."""
        return self._gather([rows.of_point(point) for rows, point in zip(self._rows, record, strict=True)], among)

    def _gather(self, rows: list[NDArray[np.float64]], among: IntArray | None) -> NDArray[np.float64]:
        from ontomask.operators.kernels import sum_of_picks, sum_of_picks_among

        line = np.concatenate([share * row for share, row in zip(self.shares, rows, strict=True)])
        if among is None:
            out = np.empty(len(self.places))
            sum_of_picks(line, self._in_line, out)
        else:
            out = np.empty(len(among))
            sum_of_picks_among(line, self._in_line, among, out)
        return out


class _Rows:
    """Distances from a point of one attribute to all its values, kept cells last; the latest are remembered."""

    def __init__(self, space: Space, points: Points, size: int) -> None:
        self.space, self.points, self.size = space, points, size
        self._matrix: NDArray[np.float64] | None = None
        self._latest: OrderedDict[Any, NDArray[np.float64]] = OrderedDict()
        self._room = max(_VALUES_AT_ONCE**2 // max(size, 1), 16)

    def of_place(self, place: int) -> NDArray[np.float64]:
        if place >= len(self.points):
            row = np.ones(self.size)
            row[place] = 0.0
            return row
        if self.size > _VALUES_AT_ONCE:
            return self.of_point(self.points[place])
        if self._matrix is None:
            self._matrix = np.ones((len(self.points), self.size))
            self._matrix[:, : len(self.points)] = self.space.matrix(self.points, self.points)
        return self._matrix[place]

    def of_point(self, point: Any) -> NDArray[np.float64]:
        row = self._latest.get(point)
        if row is not None:
            self._latest.move_to_end(point)
            return row
        row = np.ones(self.size)
        row[: len(self.points)] = self.space.matrix(np.array([point], dtype=self.points.dtype), self.points)[0]
        self._latest[point] = row
        if len(self._latest) > self._room:
            self._latest.popitem(last=False)
        return row
