"""`Groups`: the groups that a k-anonymous method makes of tuples; and the centroids of sets of tuples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Sets, marginal

__all__ = ["CENTROIDS", "COMPARISONS", "Groups", "centroid_of", "centroids_of", "columns_of"]

COMPARISONS = ("semantic", "equality")
CENTROIDS = ("semantic", "lcs", "mode")


@dataclass(frozen=True, eq=False)
class Groups:
    """Tuples in groups, and the points that each group is released as.

    Attributes
    ----------
    group
        The group of each tuple (`SUPPRESSED`: its records are left out); in CSR form with ``start`` and ``records``
        where the records of a tuple go to several groups.
    points
        For each attribute the points of the groups.
    start, records
        Tuple i goes to ``group[start[i]:start[i + 1]]``, with ``records`` records each.
    details
        Figures to report.
    """

    group: IntArray
    points: Sequence[Points]
    start: NDArray[np.int64] | None = None
    records: NDArray[np.int64] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def columns_of(tuples: Tuples, rows: NDArray[np.integer]) -> list[Points]:
    """The points of some tuples, column by column."""
    return [points[tuples.indices[rows, j]] for j, points in enumerate(tuples.points)]


def centroids_of(tuples: Tuples, sets: Sets, strategy: str) -> list[Points]:
    """The centroid of each set of tuples, column by column.

    ``semantic`` takes the centroid of each attribute, ``lcs`` the least common subsumer of each attribute (the
    narrowest range, if it is not nominal), ``mode`` the most frequent tuple, the first of several.
    """
    if strategy == "mode":
        most_frequent = np.lexsort((sets.index, -sets.counts, sets.number))[sets.start[:-1]]
        return columns_of(tuples, sets.index[most_frequent])
    found = []
    for j, (space, points) in enumerate(zip(tuples.spaces, tuples.points, strict=True)):
        values = Sets.of(sets.number, tuples.indices[sets.index, j], sets.counts)
        found.append(space.generalise(points, values) if strategy == "lcs" else space.centroids(points, values))
    return found


def centroid_of(tuples: Tuples, members: NDArray[np.integer], strategy: str) -> tuple[Any, ...]:
    """The centroid of one set of tuples (Martínez 2012, eq. 4.7), one point for each attribute."""
    if strategy == "semantic":
        counts = tuples.counts[members]
        columns = zip(tuples.spaces, columns_of(tuples, members), strict=True)
        return tuple(space.centroid(*marginal(column, counts)[:2]) for space, column in columns)
    one = Sets.of(np.zeros(len(members), dtype=np.int64), members, tuples.counts[members])
    return tuple(column[0] for column in centroids_of(tuples, one, strategy))
