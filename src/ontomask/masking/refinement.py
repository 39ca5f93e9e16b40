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


def refined_clusters(index: Any, k: int) -> tuple[Clusters, int]:
    """Clusters of at least k records, and the number of rounds.

    Parameters
    ----------
    index
        The tuples in the form that the kernels use.
    k
        The least number of records in a cluster.
    """
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.refinement import Partition, begin, dissolve, join, reassign, split
    from ontomask.masking.kernels.running_centroid import RunningCentroid

    tuples = len(index.counts)
    few = k * tuples < _FEW * int(index.counts.sum())
    # In both cases each tuple of k records starts as a cluster.
    start: Any = np.arange(tuples)
    if not few:
        start = clusters_around_extremes(index, k, weigh_distant=True, apart=True).cluster_of
    partition, centroids = Partition.of(index, start), Grid.of_points(index, tuples)
    centroid = RunningCentroid.empty(index)
    begin(index, partition, centroids, centroid)
    if few:
        join(index, partition, centroids, centroid, k)
    best, squares = partition.cluster.copy(), float(partition.squares.sum())
    rounds = 0
    with progress("Refining", _MOST_ROUNDS) as advance:
        while rounds < _MOST_ROUNDS:
            rounds += 1
            changes = reassign(index, partition, centroids, centroid, k)
            changes += dissolve(index, partition, centroids, centroid)
            changes += split(index, partition, centroids, centroid, k)
            now = float(partition.squares.sum())
            gain = squares - now
            # Centroids minimise distances, not their squares, so a round may raise the sum of squares.
            if gain > 0:
                best, squares = partition.cluster.copy(), now
            advance(1)
            if not changes or gain <= _WORTHWHILE * (squares + gain):
                break
    return Clusters.of_tuples(best, index.counts), rounds
