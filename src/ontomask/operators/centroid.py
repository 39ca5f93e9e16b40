"""The value, or the record, that stands for a set of them: T's aggregation operator and its rivals (T 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance import Distance
from ontomask.distance.ties import nearest
from ontomask.errors import DistanceError
from ontomask.operators.space import NominalSpace, Points, Space
from ontomask.operators.sums import mean_distances, record_means
from ontomask.operators.values import Counts, check_records, distinct, marginal
from ontomask.taxonomy.graph import Graph, gather

__all__ = ["STRATEGIES", "Strategy", "centroid", "centroid_code", "confusion", "lcs_code", "record_centroid"]

Strategy = Literal["semantic", "lcs", "mode", "medoid", "consensus", "random"]
STRATEGIES: tuple[Strategy, ...] = ("semantic", "lcs", "mode", "medoid", "consensus", "random")

# Candidates at a time in the sweep for confusion.
_BLOCK = 512


def centroid(values: Iterable[str], d: Distance, weights: ArrayLike | None = None) -> str:
    """The semantic centroid: the concept between the values and their LCS with the least sum of distances.

    Of several such concepts it is the first in taxonomy order. `semantic_mean` looks further, through the whole
    taxonomy.

    Parameters
    ----------
    values
        Concept ids, each as often as it occurs.
    d
        The distance; the centroid is a concept of its taxonomy.
    weights
        How much each value counts, one by one: 1 by default.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> d = om.distance("path", t)
    >>> centroid(["ache", "colic", "rash"], d)
    'pain'
    >>> centroid(["ache", "colic", "rash"], d, weights=[1, 1, 9])
    'rash'
    """
    points, counts = distinct(values, d.taxonomy, "The centroid", weights)
    return d.taxonomy.ids[centroid_code(NominalSpace(d.taxonomy, d), points, counts)]


def centroid_code(space: NominalSpace, points: Points, counts: Counts) -> int:
    """The semantic centroid as a code of the domain, from distinct points with counts (T eq. 4.4–4.6).

    The candidates are H(V), inside the domain: all concepts on any way from a value up to the values' LCS.
    """
    if len(points) == 1:
        return int(points[0])
    candidates = _hierarchy(space, points)
    return int(candidates[nearest(mean_distances(space, candidates, points, counts))[0]])


def lcs_code(space: NominalSpace, points: Points) -> int:
    """The least common subsumer of distinct points, inside the domain."""
    return int(_hierarchy(space, points)[0])


def _hierarchy(space: NominalSpace, points: Points) -> IntArray:
    from ontomask.operators.kernels import hierarchy

    if len(points) == 0:
        raise DistanceError("The centroid of no values is not defined: give at least one.")
    graph = space.domain.graph
    found: IntArray = hierarchy(graph.parent_start, graph.parent, graph.depth, np.asarray(points, dtype=np.int32))
    return found


def record_centroid(
    spaces: Sequence[Space],
    columns: Sequence[Points],
    counts: Counts,
    strategy: Strategy = "semantic",
    *,
    rng: np.random.Generator | None = None,
) -> tuple[Any, ...]:
    """The record that stands for a set of records, as one point an attribute.

    Parameters
    ----------
    spaces
        The attributes.
    columns, counts
        Distinct tuples, column by column, and how many records each stands for.
    strategy
        ``semantic``: each attribute's own centroid (T eq. 4.7). ``lcs``: each attribute's least common subsumer
        (LCSC). ``mode``: the most frequent record (MFC). ``medoid``: the record with the least sum of distances.
        ``consensus``: the record with the least `confusion` when it replaces all others (CC). ``random``: a record
        at random (RC). Ties go to the tuple that comes first.
    rng
        For ``random``.
    """
    check_records(spaces, columns, counts, "A centroid")
    if strategy == "semantic":
        return tuple(
            space.centroid(*marginal(column, counts)[:2]) for space, column in zip(spaces, columns, strict=True)
        )
    if strategy == "lcs":
        nominal = _nominal(spaces, strategy)
        return tuple(lcs_code(space, np.unique(column)) for space, column in zip(nominal, columns, strict=True))
    place = _record(spaces, columns, counts, strategy, rng)
    return tuple(column[place] for column in columns)


def _record(
    spaces: Sequence[Space], columns: Sequence[Points], counts: Counts, strategy: str, rng: np.random.Generator | None
) -> int:
    """The place of the tuple that a strategy picks among those given."""
    if strategy == "mode":
        return int(np.argmax(counts))
    if strategy == "medoid":
        return int(nearest(record_means(spaces, columns, counts))[0])
    if strategy == "consensus":
        return int(nearest(_mean_confusion(_nominal(spaces, strategy), columns, counts))[0])
    if strategy != "random":
        raise DistanceError(f"{strategy!r} is not a strategy for centroids. Choose one of: {', '.join(STRATEGIES)}.")
    if rng is None:
        raise DistanceError("A random centroid needs a generator: give rng=numpy.random.default_rng(seed).")
    return int(rng.choice(len(counts), p=counts / np.sum(counts)))


def _nominal(spaces: Sequence[Space], strategy: str) -> list[NominalSpace]:
    nominal = [space for space in spaces if isinstance(space, NominalSpace)]
    if len(nominal) < len(spaces):
        raise DistanceError(
            f"The strategy {strategy!r} needs is-a links, and numbers and ordered categories have none. "
            "Choose 'semantic', 'mode' or 'medoid'."
        )
    return nominal


def _mean_confusion(spaces: Sequence[NominalSpace], columns: Sequence[Points], counts: Counts) -> NDArray[np.float64]:
    """Mean confusion when each distinct tuple replaces all records, over the attributes as a distance would be."""
    weights = sum(space.weight for space in spaces)
    out = np.zeros(len(columns[0]))
    for space, column in zip(spaces, columns, strict=True):
        points, often, place = marginal(column, counts)
        mean = np.concatenate([often @ block for block in _confusion(space.domain.graph, points)]) / often.sum()
        out += (space.weight / weights) * mean[place]
    return out


def confusion(graph: Graph, points: Points) -> NDArray[np.int32]:
    """The confusion of replacing each point (row) by each other (column): the links that lead down to the latter.

    On the way from one concept to another only descending links count (T 4.3.5.2, after Guzman-Arenas): to replace
    a value by one of its subsumers costs nothing. Where several ways lead there, the one that descends least.

    Notes
    -----
    T 4.3.1 words the same measure the other way round, as the confusion of using a *instead of* b; there it is the
    more specific concept that costs nothing. What T evaluates, and finds wanting for not counting subsumers
    (4.3.5.3), is the measure here.
    """
    return np.concatenate(list(_confusion(graph, points)), axis=1)


def _confusion(graph: Graph, points: Points) -> Iterator[NDArray[np.int32]]:
    """`confusion`, some columns at a time.

    The fewest links from a subsumer of both down to the new concept: known for its own subsumers, and for any
    other concept the least of what its parents have.
    """
    above = graph.ancestors(points)
    local = np.full(len(graph), -1, dtype=np.int32)
    local[above] = np.arange(len(above), dtype=np.int32)
    bounds = np.searchsorted(graph.depth[above], np.arange(1, graph.max_depth + 2))
    for first in range(0, len(points), _BLOCK):
        block = points[first : first + _BLOCK]
        links = np.full((len(above), len(block)), np.iinfo(np.int32).max, dtype=np.int32)
        for column, point in enumerate(block.tolist()):
            for subsumer, steps in graph.distances_up(point).items():
                links[local[subsumer], column] = steps
        for low, high in pairwise(bounds):
            if low == high:
                continue
            rows = above[low:high]
            sizes = graph.parent_start[rows + 1] - graph.parent_start[rows]
            inherited = links[local[gather(graph.parent_start, graph.parent, rows)]]
            handed_down = np.minimum.reduceat(inherited, np.cumsum(sizes) - sizes, axis=0)
            np.minimum(links[low:high], handed_down, out=links[low:high])
        yield links[local[points]]
