"""Records that represent a group: the centroid strategies of Martínez 2012, section 4.3.5."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.ties import nearest
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.space import marginal
from ontomask.taxonomy.graph import Graph

__all__ = ["confusion", "record_centroid"]


def record_centroid(
    spaces: Sequence[NominalSpace], columns: Sequence[NDArray[Any]], counts: NDArray[Any], strategy: str
) -> tuple[Any, ...]:
    """The record that represents distinct tuples with counts; ties go to the first tuple.

    ``semantic`` takes each attribute's centroid and ``lcs`` each attribute's least common subsumer. The others take one
    of the tuples: ``mode`` the most frequent, ``medoid`` the one with the smallest sum of distances, ``consensus`` the
    one with the smallest `confusion` when it replaces all others.
    """
    margins = [marginal(column, counts) for column in columns]
    if strategy == "semantic":
        return tuple(space.centroid(*margin[:2]) for space, margin in zip(spaces, margins, strict=True))
    if strategy == "lcs":
        return tuple(space.hierarchy(margin[0])[0] for space, margin in zip(spaces, margins, strict=True))
    cost = -counts.astype(np.float64)
    if strategy != "mode":
        weights = sum(space.weight for space in spaces)
        cost = np.zeros(len(counts))
        for space, (points, often, index) in zip(spaces, margins, strict=True):
            if strategy == "medoid":
                mean = space.marginality(points, often)
            else:
                mean = often @ confusion(space.domain.graph, points) / often.sum()
            cost += (space.weight / weights) * mean[index]
    first = nearest(cost)[0]
    return tuple(column[first] for column in columns)


def confusion(graph: Graph, points: NDArray[Any]) -> NDArray[np.int32]:
    """The confusion of replacing each point (row) by each other (column): the links that lead down to the latter.

    On the path from one concept to another only descending links count (Martínez 2012, section 4.3.5.2, after
    Guzman-Arenas): replacing a value by one of its subsumers costs nothing. Of several paths, the one that descends
    least counts. Section 4.3.1 words the measure the other way round; section 4.3.5.3 evaluates the measure used here.
    """
    above = graph.ancestors(points)
    local = np.full(len(graph), -1, dtype=np.int32)
    local[above] = np.arange(len(above), dtype=np.int32)
    # The fewest links from a common subsumer down to the new concept: known for its own subsumers, and for any other
    # concept the least of its parents' values.
    links = np.full((len(above), len(points)), np.iinfo(np.int32).max, dtype=np.int32)
    for column, point in enumerate(points.tolist()):
        for subsumer, steps in graph.distances_up(point).items():
            links[local[subsumer], column] = steps
    bounds = np.searchsorted(graph.depth[above], np.arange(1, graph.max_depth + 2))
    for low, high in pairwise(bounds):
        if low == high:
            continue
        rows = above[low:high]
        sizes = graph.parent_start[rows + 1] - graph.parent_start[rows]
        inherited = links[local[graph.parents_of(rows)]]
        handed_down = np.minimum.reduceat(inherited, np.cumsum(sizes) - sizes, axis=0)
        np.minimum(links[low:high], handed_down, out=links[low:high])
    return np.asarray(links[local[points]])
