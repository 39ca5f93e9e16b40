"""Where the values of an attribute lie and how far they scatter: semantic mean and variance (N 4.3)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance import Distance
from ontomask.distance.ties import TIE, nearest
from ontomask.operators.space import NominalSpace, Points
from ontomask.operators.sums import mean_distances
from ontomask.operators.values import Counts, distinct

__all__ = ["mean_code", "semantic_mean", "semantic_variance", "variance"]

# More candidates than this are searched downwards, with bounds; fewer are all looked at.
_MANY = 4096


def semantic_mean(values: Iterable[str], d: Distance) -> str:
    """The concept with the least sum of distances to all values, out of the whole taxonomy of the distance.

    It need not occur among the values, nor lie above any of them. Of several such concepts it is the one with the
    least variance around it, then the first in taxonomy order.

    Parameters
    ----------
    values
        Concept ids, each as often as it occurs.
    d
        The distance; its taxonomy is the attribute's domain.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> semantic_mean(["ache", "colic", "colic", "colic", "rash"], om.distance("path", t))
    'colic'
    >>> semantic_mean(["ache", "colic", "rash"], om.distance("path", t))
    'pain'
    """
    points, counts = distinct(values, d.taxonomy, "The semantic mean")
    return d.taxonomy.ids[mean_code(NominalSpace(d.taxonomy, d), points, counts)]


def semantic_variance(values: Iterable[str], d: Distance) -> float:
    """The mean squared distance of the values to their semantic mean.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> semantic_variance(["ache", "colic", "pain", "pain"], om.distance("path", t, raw=True))
    0.5
    """
    points, counts = distinct(values, d.taxonomy, "The semantic variance")
    return variance(NominalSpace(d.taxonomy, d), points, counts)


def mean_code(space: NominalSpace, points: Points, counts: Counts) -> int:
    """The semantic mean as a code of the domain (N eq. 13), from distinct points with counts.

    N lets "any" of tied concepts be the mean; statistics must repeat, so the least variance decides, then order.
    """
    candidates = _candidates(space, points)
    if len(candidates) > _MANY and space.distance.is_monotone:
        candidates, means = _search(space, points, counts)
    else:
        means = mean_distances(space, candidates, points, counts)
    tied = candidates[nearest(means)]
    if len(tied) > 1:
        tied = tied[nearest(mean_distances(space, tied, points, counts, power=2))]
    return int(tied[0])


def _candidates(space: NominalSpace, points: Points) -> IntArray:
    """The concepts of the domain that can be the mean: all of them, less those that a parent always beats.

    A concept with one parent and no value below it is no nearer to any value than that parent, which comes before
    it in order. What remains are the subsumers of the values and the concepts with several parents: a few
    thousand of WordNet's 82,115.
    """
    graph = space.domain.graph
    if not space.distance.is_monotone:
        return np.arange(len(graph), dtype=np.int32)
    # Parents outside the domain bring subsumers, and so nearness, when distances are those of the whole ontology.
    parents = np.diff(space.distance.taxonomy.graph.parent_start)[space.in_distance(np.arange(len(graph)))]
    return np.union1d(graph.ancestors(points), np.flatnonzero(parents > 1)).astype(np.int32)


def _search(space: NominalSpace, points: Points, counts: Counts) -> tuple[IntArray, NDArray[np.float64]]:
    """Concepts in order, the mean among them, and their mean distances: a search downwards that leaves out the others.

    Values that do not lie below a concept with one parent are no nearer to anything below it than to that parent. So
    nothing there can have a mean distance less than the parent's by more than the share of the values that do lie below
    it, and where that does not reach the best so far, the search does not go on.
    """
    graph = space.domain.graph
    everything = np.arange(len(graph), dtype=np.int32)
    # Those with several parents are looked at in any case.
    several = np.diff(space.distance.taxonomy.graph.parent_start)[space.in_distance(everything)] > 1
    several[0] = True
    parent = np.full(len(graph), -1, dtype=np.int32)
    parent[~several] = graph.parent[graph.parent_start[:-1][~several]]
    below = _shares_below(space, points, counts)
    means = np.full(len(graph) + 1, np.inf)  # the last is that of no parent
    asked = np.flatnonzero(several).astype(np.int32)
    while len(asked):
        means[asked] = mean_distances(space, asked, points, counts)
        known = np.isfinite(means)
        next_below = np.flatnonzero(known[parent] & ~known[:-1] & (below > 0)).astype(np.int32)
        asked = next_below[means[parent[next_below]] - below[next_below] <= means.min() + 2 * TIE]
    found = np.flatnonzero(np.isfinite(means)).astype(np.int32)
    return found, means[found]


def _shares_below(space: NominalSpace, points: Points, counts: Counts) -> NDArray[np.float64]:
    """The share of the values that lie below each concept, or more than that where several ways lead down to one."""
    graph = space.domain.graph
    share = np.zeros(len(graph))
    share[points] = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    child = np.repeat(np.arange(len(graph)), np.diff(graph.parent_start))
    for depth in range(graph.max_depth, 0, -1):
        links = np.flatnonzero(graph.depth[child] == depth)
        np.add.at(share, graph.parent[links], share[child[links]])
    return share


def variance(space: NominalSpace, points: Points, counts: Counts, mean: int | None = None) -> float:
    """The semantic variance (N eq. 14), around a mean that is already known or is looked for here."""
    centre = mean_code(space, points, counts) if mean is None else mean
    return float(mean_distances(space, np.array([centre]), points, counts, power=2)[0])
