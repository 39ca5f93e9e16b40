"""How far rank swapping moves values: the values that a record with known values can have received.

Swapping by rank (Rodriguez-Garcia 2019, Algorithm 1, and by frequency) moves a value by at most k ranks. Swapping with
near values or records (Algorithms 2 and 3) exchanges a value with one of the k nearest, or with a record that has it
among its own k nearest. This holds for intervals of k records. In intervals of unswapped records a value can move
farther.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.ties import TIE, farthest, levels_of
from ontomask.masking.rank_swapping import DistributionalRankSwapping, RankSwapping
from ontomask.masking.record_swaps import near_tuples
from ontomask.masking.transitions import Factor, Matrix, Rows, ValueFactor, column_counts
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Space

__all__ = ["reach_of"]

# Most bytes of the sets of values that records can receive, one bit per value.
_ROOM = 2**28
# Distances computed at a time.
_AT_A_TIME = 2**20


def reach_of(method: RankSwapping | DistributionalRankSwapping, data: Microdata) -> tuple[Factor, ...] | None:
    """Which values the records of each tuple can have received: factors that are 1 or 0.

    ``None`` if there are too many tuples and values to hold the sets of Algorithm 3.
    """
    if isinstance(method, RankSwapping) and method.algorithm == 3:
        return _near_records(data, method.k)
    factors = []
    for j, of in enumerate(column_counts(data.table)):
        space, points, counts = of.column.space, of.points, of.counts
        k = min(method.k, max(int(counts.sum()) - 1, 0))
        if isinstance(method, DistributionalRankSwapping):
            factors.append(_near_ranks(j, points, [counts], counts, k))
        elif method.algorithm == 1:
            factors.append(_near_ranks(j, points, _rankings(space, points, counts), counts, k))
        else:
            factors.append(_near_values(j, space, points, counts, k))
    return tuple(factors)


def _rankings(space: Space, points: Points, counts: NDArray[np.int64]) -> list[NDArray[np.integer]]:
    """Rankings of values by their distance to the most distant value: one for each value that can be most distant."""
    if not len(points):
        return []
    most = farthest(space.marginality(points, counts))
    return [levels_of(space.matrix(points[[reference]], points)[0])[0] for reference in most]


def _near_ranks(
    j: int, points: Points, rankings: Sequence[NDArray[np.integer]], counts: NDArray[np.int64], k: int
) -> ValueFactor:
    """Values with a rank at most k from a rank of the value. Equal ranks are in any order."""
    first, last = [], []
    for ranking in rankings:
        _, level = np.unique(ranking, return_inverse=True)
        until = np.cumsum(np.bincount(level.ravel(), weights=counts))
        last.append(until[level.ravel()] - 1)
        first.append((until - np.bincount(level.ravel(), weights=counts))[level.ravel()])

    def rows(values: IntArray) -> Matrix:
        possible = np.zeros((len(values), len(points)), dtype=bool)
        for low, high in zip(first, last, strict=True):
            possible |= (low[None] <= high[values, None] + k) & (high[None] >= low[values, None] - k)
        return possible.astype(np.float64)

    return ValueFactor(j, points, points, rows)


def _near_values(j: int, space: Space, points: Points, counts: NDArray[np.int64], k: int) -> ValueFactor:
    """Values within the distance of the k-th nearest record, seen from either value."""
    radius = np.empty(len(points))
    batch = max(_AT_A_TIME // max(len(points), 1), 1)
    for low in range(0, len(points), batch):
        distance = space.matrix(points[low : low + batch], points)
        order = np.argsort(distance, axis=1, kind="stable")
        others = np.broadcast_to(counts, distance.shape).copy()
        own = np.arange(len(distance))
        others[own, low + own] -= 1
        reached = np.cumsum(np.take_along_axis(others, order, axis=1), axis=1) >= k
        at = np.take_along_axis(order, reached.argmax(axis=1)[:, None], axis=1)
        radius[low : low + batch] = np.take_along_axis(distance, at, axis=1)[:, 0]

    def rows(values: IntArray) -> Matrix:
        distance = space.matrix(points[values], points)
        return (distance <= np.maximum(radius[values, None], radius) + TIE).astype(np.float64)

    return ValueFactor(j, points, points, rows)


def _near_records(data: Microdata, k: int) -> tuple[Factor, ...] | None:
    """Values of the k nearest records, seen from either record."""
    from ontomask.masking.kernels.swapping import mark_values

    table = data.table
    sizes = np.array([len(values) for values in table.values])
    base = np.concatenate([[0], np.cumsum(sizes)])
    width = int(base[-1] + 7) // 8
    if len(table) * width > _ROOM:
        return None
    possible = np.zeros((len(table), width), dtype=np.uint8)
    values = (table.tuples + base[:-1]).astype(np.int64)
    for i, near in near_tuples(Tuples.of(table), k):
        mark_values(possible, values, i, near)
    return tuple(
        _RecordReach(j, possible, int(base[j]), values.point[~values.kept], len(values))
        for j, values in enumerate(table.values)
    )


@dataclass(frozen=True, eq=False)
class _RecordReach:
    """One column: for each original tuple the values that its records can have received, as bits."""

    attribute: int
    possible: NDArray[np.uint8]
    base: int
    points: Points
    values: int

    @property
    def attributes(self) -> tuple[int, ...]:
        """The index of the column."""
        return (self.attribute,)

    def bind(self, points: Sequence[Points], before: IntArray, after: IntArray) -> Rows:
        """The sets of the tuples of two tables; see `Factor.bind`."""
        return _ReachRows(self, points[0], before[:, 0], after[:, 0])


class _ReachRows:
    def __init__(self, factor: _RecordReach, points: Points, before: IntArray, after: IntArray) -> None:
        self._factor, self._real, self._before, self._after = factor, len(points), before, after
        real = after < len(points)
        at = np.searchsorted(factor.points, points[after[real]])
        # Values are only swapped within their column, so all released values are known.
        self._columns, self._at = np.flatnonzero(real), factor.base + at

    def take(self, low: int, high: int) -> tuple[Matrix, IntArray]:
        bits = self._factor.possible[low:high]
        out = (self._before[low:high, None] == self._after).astype(np.float64)
        moves = np.flatnonzero(self._before[low:high] < self._real)
        found = (bits[:, self._at >> 3] >> (7 - (self._at & 7)).astype(np.uint8)) & 1
        out[np.ix_(moves, self._columns)] = found[moves]
        return out, np.arange(high - low, dtype=np.int32)
