"""`ConceptSetSpace`: sets of concepts under a distance between sets, their centroid and what they have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.distance.ties import nearest
from ontomask.errors import DistanceError
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.set_list import Members, SetList
from ontomask.operators.set_measures import AverageBestMatch, SetMeasure, matching_room
from ontomask.operators.space import Counts, Points, Sets, Space

__all__ = ["ConceptSetSpace"]

Matrix = NDArray[np.float64]

# Distances between elements that are held at a time (16 MiB): they stay in the cache.
_AT_ONCE = 2**21
# The centroid of sets is searched among this many of their most frequent elements, and the concepts above them.
_FREQUENT = 64
# Matching all pairs of more sets than this takes minutes.
_FEW = 256


class ConceptSetSpace(Space):
    """Sets of concepts. A point is the number of a set in a list, which grows when centroids are new sets.

    Parameters
    ----------
    sets
        The list of sets.
    elements
        The concepts under their semantic distance.
    measure
        How two sets are compared.
    weight
        The attribute's weight in distances between records.
    """

    centre = "set"

    def __init__(self, sets: SetList, elements: NominalSpace, measure: SetMeasure, weight: float = 1.0) -> None:
        self.sets = sets
        self.elements = elements
        self.measure = measure
        self.weight = weight

    def between(self, rows: IntArray, columns: IntArray) -> Matrix:
        """Distances between concepts."""
        # The cost of the sweeps grows with the columns.
        if len(rows) < len(columns):
            return np.ascontiguousarray(self.elements.matrix(columns, rows).T)
        return self.elements.matrix(rows, columns)

    def matrix(self, a: Points, b: Points) -> Matrix:
        """Distances between all of a (rows) and all of b (columns)."""
        left, right = self.sets.take(a), self.sets.take(b)
        out = np.empty((len(left), len(right)))
        # Blocks of the shorter side have few elements. Those of the other side come again with each block.
        is_wide = len(left) <= len(right)
        side, other = (left, right) if is_wide else (right, left)
        for block in _blocks(side, len(other.codes)):
            part = side.part(block)
            if is_wide:
                self.measure.fill(part, right, self.between(part.codes, right.codes), out[block])
            else:
                self.measure.fill(left, part, self.between(left.codes, part.codes), out[:, block])
        return out

    def pairs(self, a: Points, b: Points) -> Matrix:
        """Distances between a[i] and b[i]."""
        left, right = self.sets.take(a), self.sets.take(b)
        found = [np.empty(0)]
        for block in _blocks(left, int(_AT_ONCE**0.5)):
            x, y = left.part(block), right.part(block)
            found.append(self.measure.pairs(x, y, self.between(x.codes, y.codes)))
        return np.concatenate(found)

    def mean_distances(self, candidates: Points, points: Points, counts: Counts, *, power: int = 1) -> Matrix:
        """Mean distance (or its power) of each candidate to the points, weighted by their counts."""
        if power != 1 or not isinstance(self.measure, AverageBestMatch):
            return super().mean_distances(candidates, points, counts, power=power)
        share = np.asarray(counts, dtype=np.float64) / np.sum(counts)
        return self.measure.means(self.sets.take(candidates), self.sets.take(points), share, self.between)

    def variance(self, points: Points, counts: Counts, mean: Any = None) -> float:
        """The mean squared distance to the mean."""
        centre = self.mean(points, counts) if mean is None else mean
        return float(self.mean_distances(np.array([centre]), points, counts, power=2)[0])

    def mean(self, points: Points, counts: Counts) -> int:
        """The same as the centroid: there are too many sets to try them all."""
        return self.centroid(points, counts)

    def centroids(self, points: Points, sets: Sets) -> Points:
        """The centroid of each group of sets."""
        parts = (slice(low, high) for low, high in zip(sets.start[:-1], sets.start[1:], strict=True))
        found = [self.centroid(points[sets.index[part]], sets.counts[part]) for part in parts]
        return np.array(found, dtype=np.int32)

    def centroid(self, points: Points, counts: Counts) -> int:
        """A set with a small sum of distances to the given ones, at most that of the medoid.

        The search starts from the medoid, the given set with the least sum. As long as the sum falls, one concept is
        added, dropped or exchanged. Candidates are the elements of the medoid, the 64 elements that most records have,
        and all concepts above these. A set has no more elements than the largest given one.

        For more than 256 sets under ``matching``, which takes long, it is the best of the 256 sets that are the most
        central by average best match.
        """
        if len(points) == 0:
            raise DistanceError("The centroid of no sets is not defined. Give at least one set.", code="no-values")
        if len(points) == 1:
            return int(points[0])
        if len(points) > _FEW and not isinstance(self.measure, AverageBestMatch):
            quick = ConceptSetSpace(self.sets, self.elements, AverageBestMatch())
            order = np.argsort(quick.mean_distances(points, points, counts), kind="stable")
            return self.sets.add(self._medoid(points[order[:_FEW]], points, counts))
        share = np.asarray(counts, dtype=np.float64) / np.sum(counts)
        return self._improved(self._medoid(points, points, counts), self.sets.take(points), share)

    def _medoid(self, candidates: Points, points: Points, counts: Counts) -> tuple[int, ...]:
        """The candidate with the least sum of distances to all; of several, the first of the smallest."""
        tied = candidates[nearest(self.mean_distances(candidates, points, counts))]
        # Numbers of sets depend on what was computed before, and must not decide.
        return min((self.sets[number] for number in tied.tolist()), key=lambda elements: (len(elements), elements))

    def _improved(self, medoid: tuple[int, ...], members: Members, share: Matrix) -> int:
        """The number of the set that the search from the medoid ends with."""
        from ontomask.operators.kernels.set_centroids import improve

        held = np.bincount(members.index, weights=np.repeat(share, members.sizes))
        frequent = members.codes[np.lexsort((members.codes, -held))[:_FREQUENT]]
        candidates = self.elements.domain.graph.ancestors(np.union1d(frequent, medoid).astype(np.int32))
        others = np.setdiff1d(candidates, members.codes)
        columns = np.concatenate([members.codes, others])
        order = np.argsort(columns, kind="stable")
        own = order[np.searchsorted(columns[order], candidates)]
        chosen = np.isin(candidates, medoid)
        is_matching = not isinstance(self.measure, AverageBestMatch)
        room = matching_room(members)
        distances = self.between(candidates, columns)
        improve(members.start, members.index, share, distances, own, chosen, is_matching, room)
        return self.sets.add(candidates[chosen])

    def generalise(self, points: Points, sets: Sets) -> Points:
        """For each group of sets the most specific concepts that are true of all of them and cover all their elements.

        Each element of each set is at or below a concept of the result, and each concept of the result is at or above
        an element of each set.
        """
        from ontomask.operators.kernels.set_centroids import generalise_sets

        members, graph = self.sets.take(points[sets.index]), self.elements.domain.graph
        start, out = np.empty(len(sets) + 1, dtype=np.int64), np.empty(len(members.index), dtype=np.int32)
        generalise_sets(*graph.links, graph.depth, sets.start, members.start, members.elements, start, out)
        return np.array([self.sets.add(out[start[g] : start[g + 1]]) for g in range(len(sets))], dtype=np.int32)


def _blocks(members: Members, elements: int) -> list[slice]:
    """Blocks of sets, so that distances from their elements to as many others are about `_AT_ONCE`."""
    size = len(members.index) / max(len(members), 1)
    step = max(1, int(_AT_ONCE / (max(elements, 1) * max(size, 1))))
    return [slice(first, min(first + step, len(members))) for first in range(0, len(members), step)]
