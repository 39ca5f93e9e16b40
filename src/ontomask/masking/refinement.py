"""Clusters of whole tuples by local search, which lose less than SA-MDAV at the same k.

From a first partition, each round moves tuples to a nearer centroid if their cluster stays large enough, dissolves
clusters whose tuples would cost less elsewhere, and divides large clusters. This lowers the sum of squared distances to
the centroids (Martínez 2012, eq. 6.2). No cluster ever has fewer than k records, and nothing is random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.progress import progress
from ontomask.masking.mdav import Clusters, clusters_around_extremes

__all__ = ["refined_clusters"]

# With fewer tuples in a cluster, joining the nearest is the better start; with more, SA-MDAV.
_FEW = 16
# Rounds end when one lowers the sum of squares by less than this share, and after this many.
_WORTHWHILE = 0.02
_MOST_ROUNDS = 10


def refined_clusters(field: Any, k: int) -> tuple[Clusters, int]:
    """Clusters of at least k records, and the number of rounds.

    Parameters
    ----------
    field
        The tuples in the form that the kernels use.
    k
        The least number of records in a cluster.
    """
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.refinement import Partition, begin, dissolve, join, reassign, split
    from ontomask.masking.kernels.running_centroid import Bag

    tuples = len(field.counts)
    few = k * tuples < _FEW * int(field.counts.sum())
    # In both cases each tuple of k records starts as a cluster.
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
            # Centroids minimise distances, not their squares, so a round may raise the sum of squares.
            if gain > 0:
                best, squares = partition.cluster.copy(), now
            advance(1)
            if not changes or gain <= _WORTHWHILE * (squares + gain):
                break
    return Clusters.whole(best, field.counts), rounds


def _around_extremes(field: Any, k: int) -> Any:
    return clusters_around_extremes(field, k, weigh_distant=True, apart=True).cluster_of
