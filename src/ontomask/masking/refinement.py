"""Clusters of whole tuples by local search: what beats SA-MDAV at the same k.

A start, then rounds in which tuples move to a nearer centroid where their cluster can spare them, clusters dissolve
that cost more than their tuples would elsewhere, and large ones are divided. What is lowered is the sum of squared
distances to the centroids (T eq. 6.2); no cluster ever has less than k records, and nothing is left to chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.progress import progress
from ontomask.masking.mdav import Clusters, clusters_around_extremes

__all__ = ["refined_clusters"]

# Up to so many tuples a cluster, joining the nearest makes the better start; above it, SA-MDAV.
_FEW = 16
# Rounds end when one of them lowers the squares by less than this part; they never take longer than so many.
_WORTHWHILE = 0.02
_MOST_ROUNDS = 10


def refined_clusters(field: Any, k: int) -> tuple[Clusters, int]:
    """Clusters of at least k records, and the number of rounds that it took.

    Parameters
    ----------
    field
        The tuples, as the kernels see them.
    k
        The least number of records in a cluster.
    """
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.refinement import Partition, begin, dissolve, join, reassign, split
    from ontomask.masking.kernels.running_centroid import Bag

    tuples = len(field.counts)
    few = k * tuples < _FEW * int(field.counts.sum())
    # Tuples of k records are clusters from the start, whatever it is.
    start = np.arange(tuples) if few else _around_extremes(field, k)
    partition, centroids, bag = Partition.of(field, start), Grid.of_points(field, tuples), Bag.empty(field)
    begin(field, partition, centroids, bag)
    if few:
        join(field, partition, centroids, bag, k)
    best, squares = partition.cluster.copy(), float(partition.squares.sum())
    rounds = 0
    with progress("Refining", _MOST_ROUNDS) as advance:
        while rounds < _MOST_ROUNDS:
            rounds += 1
            changes = reassign(field, partition, centroids, bag, k)
            changes += dissolve(field, partition, centroids, bag)
            changes += split(field, partition, centroids, bag, k)
            now = float(partition.squares.sum())
            gain = squares - now
            # Centroids minimise distances, not their squares, so that a round may end above where it began.
            if gain > 0:
                best, squares = partition.cluster.copy(), now
            advance(1)
            if not changes or gain <= _WORTHWHILE * (squares + gain):
                break
    return Clusters.whole(best, field.counts), rounds


def _around_extremes(field: Any, k: int) -> Any:
    return clusters_around_extremes(field, k, weigh_distant=True, apart=True).cluster_of
