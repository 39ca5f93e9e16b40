"""`Space`: distances between the points of an attribute, their centroid and their mean.

A *point* is a value in the form that arithmetic takes: the code of a concept in the attribute's domain, a number, or
the index of a category. Callers never ask what kind of attribute they have; they ask its space.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.taxonomy import Taxonomy

__all__ = ["Counts", "Points", "Sets", "Space", "marginal", "record_distances", "record_pairs"]

Points = NDArray[Any]
Counts = NDArray[Any]

# Distances held at a time: they stay in the cache, and the matrix kernels work on 64 columns anyway.
_BLOCK = 2**18
_TILE = 64


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of values with counts, in CSR form: set s has the values ``index[start[s]:start[s + 1]]``, ascending."""

    start: NDArray[np.int64]
    index: IntArray
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start) - 1

    @classmethod
    def of(
        cls, number: NDArray[np.integer], index: NDArray[np.integer], counts: NDArray[np.integer] | None = None
    ) -> Sets:
        """Group rows in any order: row i adds ``counts[i]`` records (default 1) of value ``index[i]`` to a set.

        Sets are numbered from 0, and each has at least one record.

        >>> sets = Sets.of(np.array([1, 0, 1, 1]), np.array([2, 0, 5, 2]), np.array([1, 1, 1, 3]))
        >>> sets.start.tolist(), sets.index.tolist(), sets.counts.tolist()
        ([0, 1, 3], [0, 2, 5], [1, 4, 1])
        """
        row, firsts = group_rows([number, index], [int(number.max()) + 1, int(index.max()) + 1])
        held = np.bincount(row, weights=counts).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(np.bincount(number[firsts]))])
        return cls(start, index[firsts].astype(np.int32), held)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """The set of each value."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def part(self, first: int, last: int) -> Sets:
        """The sets from ``first`` to before ``last``."""
        low, high = self.start[first], self.start[last]
        return Sets(self.start[first : last + 1] - low, self.index[low:high], self.counts[low:high])


class Space(ABC):
    """The points of one attribute and the distances between them.

    Attributes
    ----------
    weight
        The attribute's weight in distances between records.
    is_line
        Whether points lie on a line, so that distances add up along it.
    largest
        The largest distance on the line.
    centre
        What the centroid is: a ``concept``, the ``mean`` or the ``median``.
    domain
        The taxonomy, where points are concepts.
    """

    weight: float
    centre: str
    is_line: bool = False
    largest: float = 1.0
    domain: Taxonomy | None = None

    @abstractmethod
    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns), in a new array that the caller may change."""

    @abstractmethod
    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""

    @abstractmethod
    def centroid(self, points: Points, counts: Counts) -> Any:
        """The point that represents distinct points with counts."""

    @abstractmethod
    def centroids(self, points: Points, sets: Sets) -> Points:
        """The centroid of each set. ``points`` are distinct and ascending; sets refer to them by index."""

    @abstractmethod
    def mean(self, points: Points, counts: Counts) -> Any:
        """The mean of distinct points with counts, as statistics report it."""

    def generalise(self, points: Points, sets: Sets) -> Points:
        """The most specific point that covers each set. ``points`` are distinct and ascending, without ranges."""
        raise NotImplementedError(f"{type(self).__name__} has no points that cover others.")

    @property
    def longest(self) -> int:
        """An upper bound of the distances."""
        return 1

    def variance(self, points: Points, counts: Counts, mean: Any = None) -> float:
        """The mean squared distance to the mean, which is computed unless it is given."""
        centre = self.mean(points, counts) if mean is None else mean
        squares = self.pairs(points, np.full(len(points), centre)) ** 2
        return float(squares @ counts / counts.sum())

    def differ(self, a: Points, b: Points) -> NDArray[np.bool_]:
        """Whether a[i] and b[i] are different points."""
        different: NDArray[np.bool_] = a != b
        return different

    def middles(self, points: Points) -> NDArray[np.float64]:
        """Where points lie on the line; ranges lie at their middle."""
        raise NotImplementedError(f"{type(self).__name__} is not a line.")

    def coordinates(self, points: Points) -> NDArray[np.float64]:
        """Positions on the line from 0 to 1."""
        raise NotImplementedError(f"{type(self).__name__} is not a line.")

    def positions(self, points: Points) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Positions on a line whose gaps are the distances; ``None`` if there is no such line."""
        return None

    def mean_distances(
        self, candidates: Points, points: Points, counts: Counts, *, power: int = 1
    ) -> NDArray[np.float64]:
        """Mean distance (or its power) of each candidate to the points, weighted by their counts.

        The matrix between candidates and points is never held as a whole. It is the mean, not the sum, so that the
        tolerance for ties does not depend on the number of records.
        """
        share = np.asarray(counts, dtype=np.float64) / np.sum(counts)
        step = max(_TILE, _BLOCK // max(1, len(candidates)) // _TILE * _TILE)
        out = np.zeros(len(candidates))
        for first in range(0, len(points), step):
            block = self.matrix(candidates, points[first : first + step])
            out += (block if power == 1 else block**power) @ share[first : first + step]
        return out

    def marginality(self, points: Points, counts: Counts) -> NDArray[np.float64]:
        """Mean distance of each point to all points, weighted by their counts (Rodriguez-Garcia 2019, eq. 5)."""
        return self.mean_distances(points, points, counts)


def marginal(column: Points, counts: Counts) -> tuple[Points, Counts, NDArray[np.intp]]:
    """The distinct points of one attribute, the number of records of each, and each tuple's index among them."""
    points, index = np.unique(column, return_inverse=True)
    return points, np.bincount(index, weights=counts), index


def record_distances(spaces: Sequence[Space], a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
    """Distances between all records of a and all of b: the weighted mean over attributes (Martínez 2012, eq. 4.3).

    Records are given column by column: ``a[j]`` holds their points in attribute j.
    """
    total = sum(space.weight for space in spaces)
    out = np.zeros((len(a[0]), len(b[0])))
    for space, left, right in zip(spaces, a, b, strict=True):
        out += (space.weight / total) * space.matrix(left, right)
    return out


def record_pairs(spaces: Sequence[Space], a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
    """Distances between record i of a and record i of b, as in `record_distances`."""
    total = sum(space.weight for space in spaces)
    out = np.zeros(len(a[0]))
    for space, left, right in zip(spaces, a, b, strict=True):
        out += (space.weight / total) * space.pairs(left, right)
    return out
