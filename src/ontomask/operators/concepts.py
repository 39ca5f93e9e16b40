"""`NominalSpace`: concepts of a domain under a semantic distance, their centroid and their mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance import Distance
from ontomask.distance.ties import TIE, nearest
from ontomask.errors import DistanceError
from ontomask.operators.space import Counts, Points, Sets, Space
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import gather

__all__ = ["NominalSpace"]

# Distances between values and the concepts above them that are held at a time (128 MiB).
_AT_ONCE = 2**24
# With more candidates than this, the mean is searched from the root downwards, with bounds.
_MANY = 4096


class NominalSpace(Space):
    """Concepts of a domain under a semantic distance.

    Parameters
    ----------
    domain
        The taxonomy whose codes are the points. Centroids and means are concepts of it.
    distance
        Over the domain, or over the ontology that contains it (scope ``ontology``).
    weight
        The attribute's weight in distances between records.
    """

    domain: Taxonomy
    centre = "concept"

    def __init__(self, domain: Taxonomy, distance: Distance, weight: float = 1.0) -> None:
        self.domain = domain
        self.distance = distance
        self.weight = weight
        same = distance.taxonomy is domain
        self._code: IntArray | None = None if same else distance.taxonomy.codes(domain.ids)

    @property
    def longest(self) -> int:
        """1, or twice the depth of the taxonomy for a distance that counts links."""
        return 2 * self.distance.taxonomy.graph.max_depth if getattr(self.distance, "raw", False) else 1

    def in_distance(self, points: Points) -> IntArray:
        """The points as codes of the distance's own taxonomy."""
        return points if self._code is None else self._code[points]

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns)."""
        return self.distance.matrix(self.in_distance(a), self.in_distance(b), dtype="float64")  # type: ignore[return-value]

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""
        return self.distance.pairs(self.in_distance(a), self.in_distance(b))

    def mean_distances(
        self, candidates: Points, points: Points, counts: Counts, *, power: int = 1
    ) -> NDArray[np.float64]:
        """Mean distance (or its power) of each candidate to the points, weighted by their counts."""
        half = len(self.distance.taxonomy) / 2
        share = np.asarray(counts, dtype=np.float64) / np.sum(counts)
        if len(points) > half and len(candidates) <= len(points):
            return self._by_candidates(candidates, points, share, power)
        if power == 1 and len(candidates) > half:
            return self._by_rows(candidates, points, share)
        return super().mean_distances(candidates, points, counts, power=power)

    def _by_rows(self, candidates: Points, points: Points, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where most concepts are candidates, rows from each point to all concepts are the cheapest."""
        out = np.zeros(len(self.distance.taxonomy))
        for code, part in zip(self.in_distance(points).tolist(), share.tolist(), strict=True):
            out += part * self.distance.row(code, dtype="float64")
        mine: NDArray[np.float64] = out[self.in_distance(candidates)]
        return mine

    def _by_candidates(
        self, candidates: Points, points: Points, share: NDArray[np.float64], power: int
    ) -> NDArray[np.float64]:
        """Where most concepts are values, rows from each candidate to all concepts are the cheapest."""
        weight = np.zeros(len(self.distance.taxonomy))
        weight[self.in_distance(points)] = share
        rows = (self.distance.row(code, dtype="float64") for code in self.in_distance(candidates).tolist())
        # No matrix product: on a busy machine starting its threads takes longer than the sum.
        return np.array([np.einsum("i,i->", weight, row if power == 1 else row**power) for row in rows])

    def hierarchy(self, points: Points) -> IntArray:
        """The values, their LCS and all concepts on a path between (Martínez 2012, eq. 4.4); the LCS comes first."""
        from ontomask.operators.kernels import hierarchy

        if len(points) == 0:
            raise DistanceError("The centroid of no values is not defined. Give at least one value.", code="no-values")
        graph = self.domain.graph
        found: IntArray = hierarchy(graph.parent_start, graph.parent, graph.depth, np.asarray(points, dtype=np.int32))
        return found

    def centroid(self, points: Points, counts: Counts) -> int:
        """The concept of `hierarchy` with the least sum of distances to the values (Martínez 2012, eq. 4.6)."""
        if len(points) == 1:
            return int(points[0])
        candidates = self.hierarchy(points)
        return int(candidates[nearest(self.mean_distances(candidates, points, counts))[0]])

    def centroids(self, points: Points, sets: Sets) -> Points:
        """The centroid of each set."""
        return self._centroids(points, sets, lcs=False)

    def generalise(self, points: Points, sets: Sets) -> Points:
        """The least common subsumer of each set, inside the domain."""
        return self._centroids(points, sets, lcs=True)

    def _centroids(self, points: Points, sets: Sets, *, lcs: bool) -> Points:
        from ontomask.operators.kernels import centroids_of_sets

        present = np.unique(sets.index)
        graph = self.domain.graph
        above = graph.ancestors(points[present])
        if not lcs and len(above) * len(present) > _AT_ONCE:
            if len(sets) == 1:
                return np.array([self.centroid(points[sets.index], sets.counts)], dtype=np.int32)
            middle = len(sets) // 2
            halves = sets.part(0, middle), sets.part(middle, len(sets))
            return np.concatenate([self._centroids(points, half, lcs=lcs) for half in halves])
        # Only the concepts above the values matter. They make a small taxonomy in which codes keep their order.
        local = np.full(len(graph), -1, dtype=np.int32)
        local[above] = np.arange(len(above), dtype=np.int32)
        sizes = graph.parent_start[above + 1] - graph.parent_start[above]
        parent_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        distances = np.empty((0, 0)) if lcs else self.matrix(above, points[present])
        out = np.empty(len(sets), dtype=np.int32)
        centroids_of_sets(
            parent_start,
            local[gather(graph.parent_start, graph.parent, above)],
            graph.depth[above],
            sets.start,
            local[points[sets.index]],
            sets.counts,
            np.searchsorted(present, sets.index),
            distances,
            lcs,
            out,
        )
        return above[out]

    def mean(self, points: Points, counts: Counts) -> int:
        """The semantic mean: the concept of the domain with the least sum of distances (Rodriguez-Garcia 2017, eq. 13).

        The paper allows any of several tied concepts. Here the one with the least variance is taken, then the first in
        taxonomy order, so that statistics are reproducible.
        """
        candidates = self._candidates(points)
        if len(candidates) > _MANY and self.distance.is_monotone:
            candidates, means = self._search(points, counts)
        else:
            means = self.mean_distances(candidates, points, counts)
        tied = candidates[nearest(means)]
        if len(tied) > 1:
            tied = tied[nearest(self.mean_distances(tied, points, counts, power=2))]
        return int(tied[0])

    def variance(self, points: Points, counts: Counts, mean: Any = None) -> float:
        """The mean squared distance to the semantic mean (Rodriguez-Garcia 2017, eq. 14)."""
        centre = self.mean(points, counts) if mean is None else mean
        return float(self.mean_distances(np.array([centre]), points, counts, power=2)[0])

    @property
    def _has_several_parents(self) -> NDArray[np.bool_]:
        """Which concepts of the domain have several parents, counted in the distance's taxonomy.

        Parents outside the domain add common subsumers, and so nearness, where distances are those of the ontology.
        """
        everything = np.arange(len(self.domain), dtype=np.int32)
        parents = np.diff(self.distance.taxonomy.graph.parent_start)[self.in_distance(everything)]
        several: NDArray[np.bool_] = parents > 1
        return several

    def _candidates(self, points: Points) -> IntArray:
        """The concepts that can be the mean: all of the domain, except those that a parent always beats.

        A concept with one parent and no value below it is never closer to a value than that parent, which comes first
        in order. The subsumers of the values and the concepts with several parents remain: a few thousand of WordNet's
        82,115.
        """
        graph = self.domain.graph
        if not self.distance.is_monotone:
            return np.arange(len(graph), dtype=np.int32)
        several = np.flatnonzero(self._has_several_parents)
        return np.union1d(graph.ancestors(points), several).astype(np.int32)

    def _search(self, points: Points, counts: Counts) -> tuple[IntArray, NDArray[np.float64]]:
        """Search the mean from the root downwards; returns the concepts visited, in order, and their mean distances.

        Values that are not below a concept with one parent are never closer to anything below it than to that parent.
        So no concept there has a mean distance less than the parent's by more than the share of the values below it.
        The search stops where that cannot beat the best so far.
        """
        graph = self.domain.graph
        # Concepts with several parents are visited in any case.
        several = self._has_several_parents
        several[0] = True
        parent = np.full(len(graph), -1, dtype=np.int32)
        parent[~several] = graph.parent[graph.parent_start[:-1][~several]]
        below = self._shares_below(points, counts)
        means = np.full(len(graph) + 1, np.inf)  # the last entry stands for "no parent"
        visited = np.flatnonzero(several).astype(np.int32)
        while len(visited):
            means[visited] = self.mean_distances(visited, points, counts)
            known = np.isfinite(means)
            next_below = np.flatnonzero(known[parent] & ~known[:-1] & (below > 0)).astype(np.int32)
            visited = next_below[means[parent[next_below]] - below[next_below] <= means.min() + 2 * TIE]
        found = np.flatnonzero(np.isfinite(means)).astype(np.int32)
        return found, means[found]

    def _shares_below(self, points: Points, counts: Counts) -> NDArray[np.float64]:
        """An upper bound of the share of the values below each concept; exact where one path leads to each value."""
        graph = self.domain.graph
        share = np.zeros(len(graph))
        share[points] = np.asarray(counts, dtype=np.float64) / np.sum(counts)
        child = np.repeat(np.arange(len(graph)), np.diff(graph.parent_start))
        for depth in range(graph.max_depth, 0, -1):
            links = np.flatnonzero(graph.depth[child] == depth)
            np.add.at(share, graph.parent[links], share[child[links]])
        return share
