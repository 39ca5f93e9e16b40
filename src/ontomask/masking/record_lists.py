"""Lists of the tuples with each value, and the distances between values, in the form that searches for records use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.microdata.tuples import Tuples

if TYPE_CHECKING:
    from ontomask.masking.kernels.record_search import Lists

__all__ = ["ValueRows", "far_mates", "near_mates", "value_lists"]

# Distances held for one attribute (128 MiB, and half as much for their order): all of up to 4,096 values.
_ROOM = 2**24
# Values that are held in the order of the lists (128 MiB).
_VALUES = 2**25
# Pairs of values that are counted, and attributes that are tried, to divide lists; near runs that a search visits.
_PAIRS = 2**22
_CANDIDATES = 3
_NEAR = 3
# Tuples whose distances from each other tell which attributes have far values, and the least mean size of a run: with
# smaller ones, a search for the farthest spends more on runs than it saves on tuples.
_SAMPLE = 256
_RUN = 8


class ValueRows:
    """Distances between the values of each attribute: all of them or, if these are too many, the latest ones."""

    def __init__(self, tuples: Tuples) -> None:
        from ontomask.masking.kernels.record_search import Costs

        self.spaces, self.points, self.shares = tuples.spaces, tuples.points, tuples.shares
        highest = tuples.indices.max(axis=0).tolist()
        self.sizes = [max(len(points), top + 1) for points, top in zip(self.points, highest, strict=True)]
        self.base = np.concatenate([[0], np.cumsum(self.sizes)])
        # Kept cells, at distance 1 from all others, fit on a line only if no distance is larger.
        self.is_line = [
            space.is_line and (size == len(points) or space.largest <= 1)
            for space, size, points in zip(self.spaces, self.sizes, self.points, strict=True)
        ]
        self.slots = [
            1 if line else min(size, max(_ROOM // size, 1)) for line, size in zip(self.is_line, self.sizes, strict=True)
        ]
        self.begin = np.concatenate([[0], np.cumsum(np.multiply(self.slots, self.sizes, dtype=np.int64))])
        self.holder = [np.full(slots, -1) for slots in self.slots]
        self.turn = [0] * len(self.sizes)
        room = int(self.begin[-1])
        self.costs = Costs(np.empty(room), np.empty(room, dtype=np.int32), np.full(self.base[-1], -1, dtype=np.int64))
        for a, size in enumerate(self.sizes):
            if self.is_line[a]:
                self._lay_out(a)
            elif self.slots[a] == size:
                self._fill(a, np.arange(size), np.arange(size))

    def fetch(self, a: int, value: int) -> None:
        """Compute the distances of one value, in place of the oldest ones."""
        slot = self.turn[a]
        self.turn[a] = (slot + 1) % self.slots[a]
        if self.holder[a][slot] >= 0:
            self.costs.at[self.base[a] + self.holder[a][slot]] = -1
        self._fill(a, np.array([slot]), np.array([value]))

    def _fill(self, a: int, slots: NDArray[np.integer], values: NDArray[np.integer]) -> None:
        points, size = self.points[a], self.sizes[a]
        rows = np.ones((len(values), size))
        with_point = np.flatnonzero(values < len(points))
        rows[with_point, : len(points)] = self.spaces[a].matrix(points[values[with_point]], points)
        rows[np.arange(len(values)), values] = 0.0
        rows *= self.shares[a]
        mine = slice(self.begin[a], self.begin[a + 1])
        self.costs.rows[mine].reshape(-1, size)[slots] = rows
        self.costs.order[mine].reshape(-1, size)[slots] = np.argsort(rows, axis=1, kind="stable")
        self.costs.at[self.base[a] + values] = self.begin[a] + slots * size
        self.holder[a][slots] = values

    def _lay_out(self, a: int) -> None:
        """Coordinates relative to the lowest value. Kept cells are beyond the largest distance from all."""
        points = self.points[a]
        from_lowest = self.shares[a] * self.spaces[a].matrix(points[:1], points).ravel()
        beyond = from_lowest.max(initial=0.0) + 2.0 * np.arange(1, self.sizes[a] - len(points) + 1)
        self.costs.rows[self.begin[a] : self.begin[a + 1]] = np.concatenate([from_lowest, beyond])
        self.costs.at[self.base[a] : self.base[a + 1]] = self.begin[a]


def value_lists(tuples: Tuples, distances: ValueRows, mate: NDArray[np.int64]) -> Lists:
    """The tuples with each value of each attribute, divided by the values of its second attribute (−1: not divided)."""
    from ontomask.masking.kernels.record_search import Lists

    m, p = len(tuples.spaces), len(tuples)
    by_value, slot, run = (np.empty((m, p), dtype=np.int32) for _ in range(3))
    values = np.empty((m, p if m * m * p <= _VALUES else 0, m), dtype=tuples.indices.dtype)
    size, first = np.empty(distances.base[-1], dtype=np.int32), np.zeros(distances.base[-1] + 1, dtype=np.int32)
    runs, known = [], 0
    for a, (indices, b) in enumerate(zip(tuples.indices.T, mate.tolist(), strict=True)):
        second = tuples.indices[:, b] if b >= 0 else np.zeros_like(indices)
        by_value[a] = np.lexsort((second, indices))
        firsts, seconds = indices[by_value[a]], second[by_value[a]]
        begin = np.flatnonzero((np.diff(firsts, prepend=-1) != 0) | (np.diff(seconds, prepend=-1) != 0))
        length = np.diff(begin, append=p)
        slot[a, by_value[a]] = np.arange(p)
        values[a] = tuples.indices[by_value[a]] if values.shape[1] else values[a]
        run[a, by_value[a]] = np.repeat(np.arange(known, known + len(begin)), length)
        mine = slice(distances.base[a], distances.base[a + 1])
        size[mine] = np.bincount(indices, minlength=distances.sizes[a])
        often = np.bincount(firsts[begin], minlength=distances.sizes[a])
        first[mine.start + 1 : mine.stop + 1] = known + np.cumsum(often)
        records = np.add.reduceat(tuples.counts[by_value[a]], begin)
        runs.append(np.stack([begin, length, records, seconds[begin]], axis=1))
        known += len(begin)
    ends = np.stack([np.zeros(m, dtype=np.int64), np.array(distances.sizes) - 1], axis=1)
    spent = np.zeros(distances.base[-1], dtype=np.int32)
    return Lists(by_value, slot, run, values, size, first, np.concatenate(runs).astype(np.int32), mate, ends, spent)


def near_mates(indices: IntArray, sizes: Sequence[int]) -> NDArray[np.int64]:
    """For each attribute the other one that divides its lists best: into few runs, each of few tuples; −1 if none."""
    candidates = sorted(range(len(sizes)), key=lambda j: -sizes[j])
    mates = np.full(len(sizes), -1)
    for a, size in enumerate(sizes):
        least = np.inf
        for b in [j for j in candidates if j != a and size * sizes[j] <= _PAIRS][:_CANDIDATES]:
            pairs = np.bincount(indices[:, a].astype(np.int64) * sizes[b] + indices[:, b], minlength=size * sizes[b])
            by_value = pairs.reshape(size, sizes[b])
            # A search of a tuple's value looks at all runs of the value, and visits those of near second values.
            work = float(by_value.sum(axis=1) @ (by_value > 0).sum(axis=1)) + _NEAR * float(pairs @ pairs)
            if work < least:
                least, mates[a] = work, b
    return mates


def far_mates(tuples: Tuples, distances: ValueRows) -> NDArray[np.int64]:
    """For each attribute the other one in which most tuples are much nearer than the farthest; −1 if none.

    A search for the farthest then excludes most runs of a list. In an attribute in which nearly all are as far as
    possible, it could not. Lists stay whole if their runs would be small.
    """
    spread = np.zeros(len(distances.sizes))
    for a, (points, indices) in enumerate(zip(tuples.points, tuples.indices.T, strict=True)):
        some = indices[:: max(1, len(indices) // _SAMPLE)]
        some = points[some[some < len(points)]]
        if len(some):
            away = tuples.spaces[a].matrix(some, some)
            spread[a] = tuples.shares[a] * float((away.max(axis=1) - away.mean(axis=1)).mean())
    order = np.argsort(-spread, kind="stable").tolist()
    mates = np.array([next((b for b in order if b != a), -1) for a in range(len(order))])
    for a, b in enumerate(mates.tolist()):
        pairs = tuples.indices[:, a].astype(np.int64) * distances.sizes[b] + tuples.indices[:, b]
        if b >= 0 and len(tuples) < _RUN * len(np.unique(pairs)):
            mates[a] = -1
    return mates
