"""Clusters around extremes: MDAV and its adaptive, semantic successors (T Algorithms 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress

__all__ = ["Clusters", "clusters_around_extremes"]

# Pairs of clusters that are built before progress is told.
_AT_A_TIME = 500


@dataclass(frozen=True, eq=False)
class Clusters:
    """Records in clusters: entry e says that ``records[e]`` records of ``tuple_of[e]`` are in ``cluster_of[e]``.

    Entries are in order of tuples, then of clusters; no two are of the same tuple and cluster.
    """

    tuple_of: IntArray
    cluster_of: IntArray
    records: NDArray[np.int64]

    @classmethod
    def of(cls, tuple_of: NDArray[np.integer], cluster_of: NDArray[np.integer], records: NDArray[np.int64]) -> Clusters:
        """From entries in any order."""
        order = np.lexsort((cluster_of, tuple_of))
        tuples, clusters = tuple_of[order], cluster_of[order]
        new = np.flatnonzero((np.diff(tuples, prepend=-1) != 0) | (np.diff(clusters, prepend=-1) != 0))
        return cls(tuples[new].astype(np.int32), clusters[new].astype(np.int32), np.add.reduceat(records[order], new))

    @classmethod
    def whole(cls, cluster: NDArray[np.integer], counts: NDArray[np.int64]) -> Clusters:
        """Of whole tuples, given the cluster of each; clusters that have no tuple do not count."""
        number = np.unique(cluster, return_inverse=True)[1].ravel().astype(np.int32)
        return cls(np.arange(len(number), dtype=np.int32), number, counts)

    @property
    def divided(self) -> bool:
        """Whether some tuple is in several clusters."""
        return len(self.tuple_of) > int(self.tuple_of[-1]) + 1


def clusters_around_extremes(
    field: Any,
    k: int,
    *,
    fixed: bool = False,
    bounded: bool = False,
    static: bool = False,
    weigh_distant: bool = False,
    weigh_closest: bool = False,
    apart: bool = False,
) -> Clusters:
    """Take the tuple most distant from the centroid, and one most distant from that, gather what is closest; repeat.

    Parameters
    ----------
    field
        The tuples, as the kernels see them.
    k
        The least number of records in a cluster.
    fixed
        Exactly k records a cluster, but for the last, which has up to 2k − 1 (Algorithm 3); tuples are divided.
    bounded
        At most 2k − 1 records a cluster; tuples are divided.
    static
        What is closest to the first tuple of a cluster joins it, not what is closest to its centroid.
    weigh_distant, weigh_closest
        Whether distances are multiplied by a tuple's records (T eq. 4.2) where the most distant, and where the closest
        tuple is looked for.
    apart
        Tuples that have k records are clusters at once, and only others join (T 6.3.3).
    """
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.microaggregation import Entries, begin, build
    from ontomask.masking.kernels.running_centroid import Bag

    large = np.flatnonzero(field.counts >= k) if apart else np.empty(0, dtype=np.intp)
    left = field.counts.copy()
    left[large] = 0
    records = int(left.sum())
    out = Entries.room_for(len(left), records // k + 1)
    if records >= k:
        rest, mine = Bag.empty(field), Bag.empty(field)
        grid = Grid.empty(field, field.node, field.coordinate, field.counts, weighed=weigh_distant)
        begin(field, left, rest, grid)
        least = 2 * k if fixed or bounded else k
        with progress("Clustering", records) as advance:
            while rest.records[0] >= least or (least > k and rest.records[0] > 0):
                before = int(rest.records[0])
                build(
                    field,
                    left,
                    rest,
                    grid,
                    mine,
                    out,
                    k,
                    fixed,
                    bounded,
                    static,
                    weigh_distant,
                    weigh_closest,
                    _AT_A_TIME,
                )
                advance(before - int(rest.records[0]))
    number, entries = out.number.tolist()
    tuple_of = np.concatenate([out.tuple_of[:entries], large])
    cluster_of = np.concatenate([out.cluster_of[:entries], number + np.arange(len(large))])
    taken = np.concatenate([out.records[:entries], field.counts[large]])
    found = Clusters.of(tuple_of, cluster_of, taken)
    return found if not left.any() else _with_leftovers(field, found, np.flatnonzero(left))


def _with_leftovers(field: Any, found: Clusters, leftovers: NDArray[np.intp]) -> Clusters:
    """Tuples that are in no cluster join the one with the closest centroid, as these stand (T Algorithm 4, line 22)."""
    from ontomask.masking.kernels.grid import Grid
    from ontomask.masking.kernels.microaggregation import closest
    from ontomask.masking.kernels.refinement import Partition, begin
    from ontomask.masking.kernels.running_centroid import Bag

    cluster = np.full(len(field.counts), -1, dtype=np.int32)
    cluster[found.tuple_of] = found.cluster_of
    partition, centroids = Partition.of(field, cluster), Grid.of_points(field, len(cluster))
    begin(field, partition, centroids, Bag.empty(field))
    number = int(found.cluster_of.max()) + 1
    nearest = np.empty(len(leftovers), dtype=np.int32)
    closest(field, leftovers.astype(np.int32), centroids.node[:number], centroids.coordinate[:number], nearest)
    cluster[leftovers] = nearest
    return Clusters.whole(cluster, field.counts)
