"""What an attribute can do: distances between its points, their centroid, their order.

A *point* is a value of an attribute in the form that arithmetic takes: the code of a concept in the attribute's
domain, a number, or the place of a category. Methods never ask what kind of attribute they deal with; they ask its
space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance import Distance
from ontomask.microdata.attributes import Numeric
from ontomask.microdata.columns import Column, NominalColumn, NumericColumn, OrdinalColumn
from ontomask.taxonomy import Taxonomy

__all__ = [
    "NominalSpace",
    "NumericSpace",
    "OrdinalSpace",
    "Points",
    "Space",
    "record_distances",
    "record_pairs",
    "space_of",
]

Points = NDArray[Any]


class Space(Protocol):
    """The points of one attribute and the distances between them, in [0, 1]."""

    weight: float

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns), in a new array that is the caller's."""
        ...

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""
        ...

    def centroid(self, points: Points, counts: NDArray[np.integer]) -> Any:
        """The point that stands for a set of points with counts."""
        ...


class NominalSpace:
    """Concepts of a domain under a semantic distance.

    Parameters
    ----------
    domain
        The taxonomy whose codes are the points; nothing outside it is ever a centroid.
    distance
        Over the domain, or over the ontology that contains it (scope ``ontology``).
    weight
        The attribute's weight in distances between records.
    """

    def __init__(self, domain: Taxonomy, distance: Distance, weight: float = 1.0) -> None:
        self.domain = domain
        self.distance = distance
        self.weight = weight
        same = distance.taxonomy is domain
        self._code: IntArray | None = None if same else distance.taxonomy.codes(domain.ids)

    def in_distance(self, points: Points) -> IntArray:
        """The points as codes of the distance's own taxonomy."""
        return points if self._code is None else self._code[points]

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns)."""
        return self.distance.matrix(self.in_distance(a), self.in_distance(b), dtype="float64")  # type: ignore[return-value]

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""
        return self.distance.pairs(self.in_distance(a), self.in_distance(b))

    def centroid(self, points: Points, counts: NDArray[np.integer]) -> int:
        """The semantic centroid: the concept of H(V) with the least sum of distances (T eq. 4.6)."""
        from ontomask.operators.centroid import centroid_code

        return centroid_code(self, points, counts)


class NumericSpace:
    """Numbers, their distance being the share of the range that lies between them, 1 at most.

    ``centre`` is ``mean`` or ``median`` (of the values as often as they occur; of two middle ones the lower).
    """

    def __init__(self, low: float, high: float, weight: float = 1.0, centre: str = "mean") -> None:
        self.low, self.high = low, high
        self.weight = weight
        self.centre = centre

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns)."""
        return np.minimum(np.abs(np.subtract.outer(a, b)) / self._range, 1)

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""
        return np.minimum(np.abs(np.subtract(a, b, dtype=np.float64)) / self._range, 1)

    @property
    def _range(self) -> float:
        # All values equal: every distance is 0, whatever it is divided by.
        return (self.high - self.low) or 1.0

    def centroid(self, points: Points, counts: NDArray[np.integer]) -> Any:
        """The mean, or the (lower) median."""
        if self.centre == "mean":
            return float(np.average(points, weights=counts))
        return lower_median(points, counts)


class OrdinalSpace(NumericSpace):
    """Categories in a given order; points are places, the centroid is the (lower) median category."""

    def __init__(self, categories: int, weight: float = 1.0) -> None:
        super().__init__(0, categories - 1, weight, "median")


def space_of(column: Column) -> Space:
    """The space of an encoded column."""
    attribute = column.attribute
    if isinstance(column, NominalColumn):
        return NominalSpace(column.domain, column.distance, attribute.weight)
    if isinstance(column, NumericColumn):
        assert isinstance(attribute, Numeric)
        return NumericSpace(column.low, column.high, attribute.weight, attribute.centre)
    assert isinstance(column, OrdinalColumn)
    return OrdinalSpace(len(column.categories), attribute.weight)


def lower_median(points: Points, counts: NDArray[np.integer]) -> Any:
    """The smallest point with at least half of the counts at or below it."""
    order = np.argsort(points, kind="stable")
    reached = np.cumsum(counts[order])
    return points[order][np.searchsorted(reached, reached[-1] / 2)]


def record_distances(spaces: Sequence[Space], a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
    """Distances between all records of a and all of b: the weighted mean over attributes (R eq. 9; T eq. 4.3, 8.2).

    Records are given column by column: ``a[j]`` holds their points of attribute j.
    """
    total = sum(space.weight for space in spaces)
    out = np.zeros((len(a[0]), len(b[0])))
    for space, left, right in zip(spaces, a, b, strict=True):
        out += (space.weight / total) * space.matrix(left, right)
    return out


def record_pairs(spaces: Sequence[Space], a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
    """Distances between the first record of a and the first of b, the second and the second, …"""
    total = sum(space.weight for space in spaces)
    out = np.zeros(len(a[0]))
    for space, left, right in zip(spaces, a, b, strict=True):
        out += (space.weight / total) * space.pairs(left, right)
    return out
