"""Distances between sets of concepts, from the distances between their elements.

Both measures are symmetric and at most 1. They are 0 for equal sets, and only for these if the distance of the concepts
is 0 for equal concepts only.

``average_best_match`` (Wang 2007; Pesquita 2009 reviews its variants): the mean over the elements of both sets of the
distance to the nearest element of the other set. For sets of one element it is the distance of the concepts. It is no
metric: with A = {x}, B = {x, y} and C = {y}, the distance is d(x, y) / 3 from A to B and from B to C, but d(x, y) from
A to C.

``matching`` (Ramon and Bruynooghe 2001): each element of the smaller set gets a partner of its own in the larger one,
at the least total cost M. With n ≤ m elements, the distance is ``(m − n + 2M) / (m + M)``. If different concepts are
always at distance 1, this is the Jaccard distance. It is a metric if the distance of the concepts is one:

- Add an extra point to the concepts, at distance ½ from each of them. The triangle inequality still holds, because
  distances are at most 1.
- Fill up both sets with this point, so that they have the same length. The cost of the cheapest assignment between such
  lists is a metric. It is ``M + (m − n) / 2``, and ``n / 2`` from a set of n elements to the empty set.
- Twice a metric, divided by the sum of itself and of the distances of both sets to a fixed set, is a metric
  (Marczewski and Steinhaus 1958). Here the fixed set is the empty one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import TableError
from ontomask.operators.set_list import Members

__all__ = ["SET_MEASURES", "AverageBestMatch", "Matching", "SetMeasure", "matching_room", "set_measure"]

Matrix = NDArray[np.float64]
Between = Callable[[IntArray, IntArray], Matrix]

# Distances between elements that are held at a time (8 MiB): they stay in the cache.
_AT_ONCE = 2**20


class SetMeasure(ABC):
    """A distance between sets. ``distances[x, y]`` is that of ``a.codes[x]`` and ``b.codes[y]``.

    Attributes
    ----------
    name
        The name in ``ConceptSet(measure=...)``.
    is_metric
        Whether it satisfies the triangle inequality if the distance of the concepts does.
    """

    name: ClassVar[str]
    is_metric: ClassVar[bool]

    @abstractmethod
    def fill(self, a: Members, b: Members, distances: Matrix, out: Matrix) -> None:
        """Distances between all sets of a (rows) and all of b (columns), into ``out``."""

    @abstractmethod
    def pairs(self, a: Members, b: Members, distances: Matrix) -> Matrix:
        """Distances between set i of a and set i of b."""


class AverageBestMatch(SetMeasure):
    """The mean distance of all elements of both sets to the nearest element of the other set (Wang 2007)."""

    name = "average_best_match"
    is_metric = False

    def fill(self, a: Members, b: Members, distances: Matrix, out: Matrix) -> None:
        """Distances between all sets of a (rows) and all of b (columns), into ``out``."""
        from ontomask.operators.kernels.sets import best_matches

        turned = np.empty((len(b), len(a)))
        best_matches(a.start, a.index, b.start, b.index, distances, out)
        best_matches(b.start, b.index, a.start, a.index, np.ascontiguousarray(distances.T), turned)
        out += turned.T
        out /= np.add.outer(a.sizes, b.sizes)

    def pairs(self, a: Members, b: Members, distances: Matrix) -> Matrix:
        """Distances between set i of a and set i of b."""
        from ontomask.operators.kernels.sets import pairs_of_best_matches

        out = np.empty(len(a))
        pairs_of_best_matches(a.start, a.index, b.start, b.index, distances, out)
        return out / (a.sizes + b.sizes)

    def means(self, a: Members, b: Members, share: Matrix, between: Between) -> Matrix:
        """The mean distance of each set of a to the sets of b, weighted by their shares, without comparing all pairs.

        For sets of q and z elements, both sums over elements are divided by q + z. So sums over all sets of b with the
        same size can be added up first, element by element.
        """
        from ontomask.operators.kernels.sets import add_nearest, sums_over_nearest

        sizes, size_of = np.unique(b.sizes, return_inverse=True)
        wanted, wanted_of = np.unique(a.sizes, return_inverse=True)
        parts = 1 / np.add.outer(wanted, sizes)
        # From each element of a to the nearest element of all sets of b.
        near = np.zeros((len(sizes), len(a.codes)))
        for block in _blocks(len(a.codes), len(b.codes)):
            mine = np.zeros((len(sizes), block.stop - block.start))
            add_nearest(b.start, b.index, share, size_of, between(b.codes, a.codes[block]), mine)
            near[:, block] = mine
        near = parts @ near
        out: Matrix = np.add.reduceat(near[np.repeat(wanted_of, a.sizes), a.index], a.start[:-1])
        # From each element of b to the nearest element of each set of a.
        weights = np.zeros((len(sizes), len(b.codes)))
        np.add.at(weights, (np.repeat(size_of, b.sizes), b.index), np.repeat(share, b.sizes))
        weights = parts @ weights
        sums = np.empty(len(a))
        for block in _blocks(len(b.codes), len(a.codes)):
            columns = np.ascontiguousarray(weights[:, block])
            sums_over_nearest(a.start, a.index, wanted_of, columns, between(a.codes, b.codes[block]), sums)
            out += sums
        return out


class Matching(SetMeasure):
    """The cost of the cheapest matching of the elements, as a share (Ramon and Bruynooghe 2001)."""

    name = "matching"
    is_metric = True

    def fill(self, a: Members, b: Members, distances: Matrix, out: Matrix) -> None:
        """Distances between all sets of a (rows) and all of b (columns), into ``out``."""
        from ontomask.operators.kernels.sets import matching_matrix

        matching_matrix(a.start, a.index, b.start, b.index, distances, matching_room(a, b), out)

    def pairs(self, a: Members, b: Members, distances: Matrix) -> Matrix:
        """Distances between set i of a and set i of b."""
        from ontomask.operators.kernels.sets import matching_pairs

        out = np.empty(len(a))
        matching_pairs(a.start, a.index, b.start, b.index, distances, matching_room(a, b), out)
        return out


def matching_room(*members: Members) -> Any:
    """Working space for matchings between these sets."""
    from ontomask.operators.kernels.sets import Matching as Room

    return Room.room(int(max(part.sizes.max(initial=1) for part in members)))


def _blocks(columns: int, rows: int) -> list[slice]:
    """Blocks of columns, so that distances from all rows to a block fit into memory."""
    step = max(1, _AT_ONCE // max(rows, 1))
    return [slice(first, min(first + step, columns)) for first in range(0, columns, step)]


SET_MEASURES: dict[str, SetMeasure] = {measure.name: measure for measure in (AverageBestMatch(), Matching())}
"""Every measure by its name."""


def set_measure(name: str) -> SetMeasure:
    """A measure by its name."""
    if name not in SET_MEASURES:
        raise TableError(
            f"The 'measure' of ConceptSet must be one of {', '.join(SET_MEASURES)}. Got {name!r} instead.",
            parameter="measure",
        )
    return SET_MEASURES[name]
