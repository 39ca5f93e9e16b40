"""Centroids of many sets of values at once: what `centroid` finds, set by set, without a call for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.operators.centroid import centroid_code
from ontomask.operators.space import NominalSpace, NumericSpace, Points, Space
from ontomask.taxonomy.graph import gather

__all__ = ["Sets", "centroids", "least_common_subsumers"]

# Distances between values and the concepts above them that are held at a time (128 MiB).
_AT_ONCE = 2**24


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of values with counts, in CSR form: set s has those at ``place[start[s]:start[s + 1]]``, ascending."""

    start: NDArray[np.int64]
    place: IntArray
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start) - 1

    @classmethod
    def of(
        cls, number: NDArray[np.integer], place: NDArray[np.integer], counts: NDArray[np.integer] | None = None
    ) -> Sets:
        """From rows in any order: so many records (1 by default) of a value are in the set of that number.

        Sets are numbered from 0, and each has at least one record.

        >>> sets = Sets.of(np.array([1, 0, 1, 1]), np.array([2, 0, 5, 2]), np.array([1, 1, 1, 3]))
        >>> sets.start.tolist(), sets.place.tolist(), sets.counts.tolist()
        ([0, 1, 3], [0, 2, 5], [1, 4, 1])
        """
        row, firsts = group_rows([number, place], [int(number.max()) + 1, int(place.max()) + 1])
        held = np.bincount(row, weights=counts).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(np.bincount(number[firsts]))])
        return cls(start, place[firsts].astype(np.int32), held)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """For each value the number of its set."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def part(self, first: int, last: int) -> Sets:
        """Some of the sets, neighbours."""
        low, high = self.start[first], self.start[last]
        return Sets(self.start[first : last + 1] - low, self.place[low:high], self.counts[low:high])


def centroids(space: Space, points: Points, sets: Sets) -> Points:
    """The centroid of each set: what ``space.centroid`` finds for it alone.

    ``points`` are distinct and ascending; sets name them by place.
    """
    if isinstance(space, NominalSpace):
        return _of_concepts(space, points, sets, lcs=False)
    assert isinstance(space, NumericSpace), "there are no other spaces"
    return _of_numbers(space, points, sets)


def least_common_subsumers(space: NominalSpace, points: Points, sets: Sets) -> Points:
    """The least common subsumer of each set, inside the domain."""
    return _of_concepts(space, points, sets, lcs=True)


def _of_numbers(space: NumericSpace, points: Points, sets: Sets) -> Points:
    first = sets.start[:-1]
    records = np.add.reduceat(sets.counts, first)
    if space.centre == "mean":
        means: Points = np.add.reduceat(points[sets.place] * sets.counts, first) / records
        return means
    # The lower median: the first place of a set at which half of its records are reached.
    before = np.repeat(np.cumsum(records) - records, np.diff(sets.start))
    reached = 2 * (np.cumsum(sets.counts) - before) >= np.repeat(records, np.diff(sets.start))
    half = np.add.reduceat(~reached, first, dtype=np.int64)
    medians: Points = points[sets.place[first + half]]
    return medians


def _of_concepts(space: NominalSpace, points: Points, sets: Sets, *, lcs: bool) -> Points:
    from ontomask.operators.kernels import centroids_of_sets

    present = np.unique(sets.place)
    graph = space.domain.graph
    above = graph.ancestors(points[present])
    if not lcs and len(above) * len(present) > _AT_ONCE:
        if len(sets) == 1:
            return np.array([centroid_code(space, points[sets.place], sets.counts)], dtype=np.int32)
        middle = len(sets) // 2
        halves = sets.part(0, middle), sets.part(middle, len(sets))
        return np.concatenate([_of_concepts(space, points, half, lcs=lcs) for half in halves])
    # Only what lies above the values matters: their own small taxonomy, in which codes keep their order.
    local = np.full(len(graph), -1, dtype=np.int32)
    local[above] = np.arange(len(above), dtype=np.int32)
    sizes = graph.parent_start[above + 1] - graph.parent_start[above]
    parent_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    distances = np.empty((0, 0)) if lcs else space.matrix(above, points[present])
    out = np.empty(len(sets), dtype=np.int32)
    centroids_of_sets(
        parent_start,
        local[gather(graph.parent_start, graph.parent, above)],
        graph.depth[above],
        sets.start,
        local[points[sets.place]],
        sets.counts,
        np.searchsorted(present, sets.place),
        distances,
        lcs,
        out,
    )
    return above[out]
