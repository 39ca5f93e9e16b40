"""Mean distances from many candidates to all values, without ever holding the matrix between them.

Whoever looks for the point with the least or the greatest sum of distances asks here. It is the mean that is
returned: a distance itself, so that the package's tolerance for ties applies whatever the number of records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.operators.space import NominalSpace, Points, Space
from ontomask.operators.values import Counts, marginal

__all__ = ["mean_distances", "record_means"]

# Distances at a time: they stay in the cache, and the matrix kernels work on 64 columns anyway.
_BLOCK = 2**18
_TILE = 64


def mean_distances(
    space: Space, candidates: Points, points: Points, counts: Counts, *, power: int = 1
) -> NDArray[np.float64]:
    """Mean distance (or its power) of each candidate to the points, each counted as often as it occurs."""
    share = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    if isinstance(space, NominalSpace):
        half = len(space.distance.taxonomy) / 2
        if len(points) > half and len(candidates) <= len(points):
            return _by_candidates(space, candidates, points, share, power)
        if power == 1 and len(candidates) > half:
            return _by_rows(space, candidates, points, share)
    step = max(_TILE, _BLOCK // max(1, len(candidates)) // _TILE * _TILE)
    out = np.zeros(len(candidates))
    for first in range(0, len(points), step):
        block = space.matrix(candidates, points[first : first + step])
        out += (block if power == 1 else block**power) @ share[first : first + step]
    return out


def _by_rows(
    space: NominalSpace, candidates: Points, points: Points, share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same where nearly every concept is a candidate: a row to all concepts is then the cheapest sweep."""
    out = np.zeros(len(space.distance.taxonomy))
    for code, part in zip(space.in_distance(points).tolist(), share.tolist(), strict=True):
        out += part * space.distance.row(code, dtype="float64")
    mine: NDArray[np.float64] = out[space.in_distance(candidates)]
    return mine


def _by_candidates(
    space: NominalSpace, candidates: Points, points: Points, share: NDArray[np.float64], power: int
) -> NDArray[np.float64]:
    """The same where nearly every concept is a value: a row to all concepts for each candidate."""
    weight = np.zeros(len(space.distance.taxonomy))
    weight[space.in_distance(points)] = share
    rows = (space.distance.row(code, dtype="float64") for code in space.in_distance(candidates).tolist())
    # No matrix product: on a busy machine its threads take longer to meet than the sum does.
    return np.array([np.einsum("i,i->", weight, row if power == 1 else row**power) for row in rows])


def record_means(spaces: Sequence[Space], columns: Sequence[Points], counts: Counts) -> NDArray[np.float64]:
    """Mean distance of each distinct tuple to all records.

    The distance between records is a mean over attributes (R eq. 9; T eq. 4.3), so the sum over records falls
    apart into one sum an attribute over its distinct values: the cost follows these, not the pairs of tuples.
    """
    weights = sum(space.weight for space in spaces)
    out = np.zeros(len(columns[0]))
    for space, column in zip(spaces, columns, strict=True):
        points, often, place = marginal(column, counts)
        out += (space.weight / weights) * mean_distances(space, points, points, often)[place]
    return out
