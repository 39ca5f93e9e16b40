"""Clusters around extremes: MDAV and its semantic, adaptive variants (Martínez 2012, Algorithms 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, in_blocks, progress

__all__ = ["Clusters", "clusters_around_extremes"]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Records in clusters: entry e puts ``records[e]`` records of tuple ``tuple_of[e]`` into ``cluster_of[e]``.

    Entries are sorted by tuple, then by cluster. Each pair of tuple and cluster occurs once.
    """

    tuple_of: IntArray
    cluster_of: IntArray
    records: NDArray[np.int64]

    @classmethod
    def of(cls, tuple_of: NDArray[np.integer], cluster_of: NDArray[np.integer], records: NDArray[np.int64]) -> Clusters:
        """Clusters from entries in any order."""
        order = np.lexsort((cluster_of, tuple_of))
        tuples, clusters = tuple_of[order], cluster_of[order]
        new = np.flatnonzero((np.diff(tuples, prepend=-1) != 0) | (np.diff(clusters, prepend=-1) != 0))
        return cls(tuples[new].astype(np.int32), clusters[new].astype(np.int32), np.add.reduceat(records[order], new))

    @classmethod
    def of_tuples(cls, cluster: NDArray[np.integer], counts: NDArray[np.int64]) -> Clusters:
        """Clusters of whole tuples, given the cluster of each. Empty clusters are dropped."""
        number = np.unique(cluster, return_inverse=True)[1].ravel().astype(np.int32)
        return cls(np.arange(len(number), dtype=np.int32), number, counts)

    @property
    def divided(self) -> bool:
        """Whether some tuple is in several clusters."""
        return len(self.tuple_of) > int(self.tuple_of[-1]) + 1


def clusters_around_extremes(
    index: Any,
    k: int,
    *,
    fixed: bool = False,
    bounded: bool = False,
    static: bool = False,
    weigh_distant: bool = False,
    weigh_closest: bool = False,
    apart: bool = False,
) -> Clusters:
    """Build clusters around the tuple most distant from the centroid and the one most distant from that; repeat.

    Parameters
    ----------
    index
        The tuples in the form that the kernels use.
    k
        The least number of records in a cluster.
    fixed
        Whether clusters have exactly k records, except the last, which has up to 2k − 1 (Algorithm 3). Tuples are
        divided.
    bounded
        Whether clusters have at most 2k − 1 records. Tuples are divided.
    static
        Whether the tuple closest to the first tuple of a cluster joins it, instead of the closest to its centroid.
    weigh_distant, weigh_closest
        Whether distances are multiplied by a tuple's records (eq. 4.2) in the search for the most distant and for the
        closest tuple.
    apart
        Whether each tuple with k records is a cluster, which others do not join (6.3.3).
    """
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.microaggregation import Entries, build
    from ontomask.masking.kernels.running_centroid import RunningCentroid

    large = np.flatnonzero(index.counts >= k) if apart else np.empty(0, dtype=np.intp)
    left = index.counts.copy()
    left[large] = 0
    records = int(left.sum())
    out = Entries.room_for(len(left), records // k + 1)
    if records >= k:
        rest, mine = RunningCentroid.empty(index), RunningCentroid.empty(index)
        grid = Grid.empty(index, index.node, index.coordinate, index.counts, weighed=weigh_distant)
        options = (fixed, bounded, static, weigh_distant, weigh_closest)
        given = (index, left, rest, grid, mine, out, k, options)
        for part in in_blocks("Indexing records", len(left)):
            # From the last to the first: each goes in front of those that are there.
            build(*given, True, len(left) - part.stop, len(left) - part.start)
        least = 2 * k if fixed or bounded else k
        pace = Pace()
        with progress("Clustering records", records) as advance:
            while rest.records[0] >= least or (least > k and rest.records[0] > 0):
                before = int(rest.records[0])
                with pace:
                    build(*given, False, 0, pace.steps)
                advance(before - int(rest.records[0]))
    number, entries = out.number.tolist()
    tuple_of = np.concatenate([out.tuple_of[:entries], large])
    cluster_of = np.concatenate([out.cluster_of[:entries], number + np.arange(len(large))])
    taken = np.concatenate([out.records[:entries], index.counts[large]])
    found = Clusters.of(tuple_of, cluster_of, taken)
    return found if not left.any() else _with_leftovers(index, found, np.flatnonzero(left))


def _with_leftovers(index: Any, found: Clusters, leftovers: NDArray[np.intp]) -> Clusters:
    """Remaining tuples join the cluster with the closest centroid; centroids do not move (Algorithm 4, line 22)."""
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.microaggregation import BEGIN, CLOSEST, LINK, join_leftovers
    from ontomask.masking.kernels.refinement import Partition
    from ontomask.masking.kernels.running_centroid import RunningCentroid

    cluster = np.full(len(index.counts), -1, dtype=np.int32)
    cluster[found.tuple_of] = found.cluster_of
    partition, centroids = Partition.of(index, cluster), Grid.of_points(index, len(cluster))
    number = int(found.cluster_of.max()) + 1
    nearest = np.empty(len(leftovers), dtype=np.int32)
    state = (index, partition, centroids, RunningCentroid.empty(index), leftovers.astype(np.int32), number, nearest)
    join_leftovers(LINK, *state, 0, 0)
    for part in in_blocks("Computing centroids", number):
        join_leftovers(BEGIN, *state, part.start, part.stop)
    for part in in_blocks("Joining leftovers", len(leftovers)):
        join_leftovers(CLOSEST, *state, part.start, part.stop)
    cluster[leftovers] = nearest
    return Clusters.of_tuples(cluster, index.counts)
