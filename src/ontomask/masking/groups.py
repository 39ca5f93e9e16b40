"""`Groups`: what a k-anonymous method finds for tuples that keep the same cells; and the centroids of sets of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.operators.centroids import Sets, centroids, least_common_subsumers
from ontomask.operators.space import NominalSpace, Points
from ontomask.operators.tuples import Tuples

__all__ = ["CENTROIDS", "COMPARISONS", "NEEDS_LINKS", "Groups", "centroids_of", "columns_of"]

COMPARISONS = ("semantic", "equality")
CENTROIDS = ("semantic", "lcs", "mode")
NEEDS_LINKS = "Least common subsumers need is-a links. Use centroid='semantic'."


@dataclass(frozen=True, eq=False)
class Groups:
    """Tuples in groups, and the points that each group is released as.

    Attributes
    ----------
    group
        The group of each tuple (`SUPPRESSED`: its records are left out); where the records of a tuple go to several
        groups, in CSR form with ``start`` and ``records``.
    points
        For each attribute the points of the groups.
    start, records
        Tuple i goes to ``group[start[i]:start[i + 1]]``, so many ``records`` each.
    details
        Figures worth telling.
    """

    group: IntArray
    points: Sequence[Points]
    start: NDArray[np.int64] | None = None
    records: NDArray[np.int64] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def columns_of(tuples: Tuples, rows: NDArray[np.integer]) -> list[Points]:
    """The points of some tuples, column by column."""
    return [points[tuples.places[rows, j]] for j, points in enumerate(tuples.points)]


def centroids_of(tuples: Tuples, sets: Sets, strategy: str) -> list[Points]:
    """The centroid of each set of tuples, column by column.

    ``semantic``: each attribute's own; ``lcs``: each attribute's least common subsumer; ``mode``: the most frequent
    tuple, of equals the first.
    """
    if strategy == "mode":
        commonest = np.lexsort((sets.place, -sets.counts, sets.number))[sets.start[:-1]]
        return columns_of(tuples, sets.place[commonest])
    found = []
    for j, (space, points) in enumerate(zip(tuples.spaces, tuples.points, strict=True)):
        values = Sets.of(sets.number, tuples.places[sets.place, j], sets.counts)
        if strategy == "lcs":
            assert isinstance(space, NominalSpace)
            found.append(least_common_subsumers(space, points, values))
        else:
            found.append(centroids(space, points, values))
    return found
