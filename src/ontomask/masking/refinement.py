"""Clusters of whole tuples by local search, which lose less than SA-MDAV at the same k.

From a first partition, each round moves tuples to a nearer centroid if their cluster stays large enough, dissolves
clusters whose tuples would cost less elsewhere, and divides large clusters. This lowers the sum of squared distances to
the centroids (Martínez 2012, eq. 6.2). No cluster ever has fewer than k records, and nothing is random.

In large tables with many attributes, clusters are searched for only among those of near tuples (`find_neighbours`), and
two near clusters may exchange tuples.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, in_blocks, progress
from ontomask.base.threads import in_threads
from ontomask.masking.mdav import Clusters, clusters_around_extremes
from ontomask.masking.neighbours import find_neighbours

__all__ = ["LocalSearch", "refined_clusters"]

# With fewer tuples in a cluster, joining the nearest is the better start; with more, SA-MDAV.
_FEW = 16
# From this many attributes and tuples on, clusters are searched for among those of neighbours: the grid, which divides
# up to three attributes, excludes few of them.
_WIDE = (10, 10_000)
# Rounds end when one lowers the sum of squares by less than this share, and after this many. Rounds among neighbours
# are fast.
_WORTHWHILE = 0.02
_WORTHWHILE_NEAR = 0.002
_MOST_ROUNDS = 10


def refined_clusters(index: Any, k: int, price: float = 0.0) -> tuple[Clusters, int]:
    """Clusters of at least k records, and the number of rounds.

    Parameters
    ----------
    index
        The tuples in the form that the kernels use.
    k
        The least number of records in a cluster.
    price
        What a cluster costs, as a share of the sum of squares of one cluster of all tuples.
    """
    tuples = len(index.counts)
    near = find_neighbours(index) if len(index.kind) >= _WIDE[0] and tuples >= _WIDE[1] else None
    worthwhile = _WORTHWHILE if near is None else _WORTHWHILE_NEAR
    # In both cases each tuple of k records starts as a cluster.
    if k * tuples < _FEW * int(index.counts.sum()):
        search = LocalSearch(index, np.arange(tuples), k, near)
        search.join()
    else:
        found = clusters_around_extremes(index, k, weigh_distant=True, apart=True)
        search = LocalSearch(index, found.cluster_of, k, near)
    if price:
        search.price = price * LocalSearch(index, np.zeros(tuples, dtype=np.int32), k).squares
    best, cost = search.cluster.copy(), search.cost
    rounds = 0
    with progress("Refining clusters"):
        while rounds < _MOST_ROUNDS:
            rounds += 1
            with progress(f"Round {rounds}"):
                changes = search.reassign() + search.dissolve() + search.split()
                if near is not None:
                    changes += search.exchange()
            gain = cost - search.cost
            # Centroids minimise distances, not their squares, so a round may raise the cost.
            if gain > 0:
                best, cost = search.cluster.copy(), search.cost
            if not changes or gain <= worthwhile * (cost + gain):
                break
    return Clusters.of_tuples(best, index.counts), rounds


class LocalSearch:
    """Clusters of whole tuples, and the steps that change them. Each step returns its number of changes.

    Parameters
    ----------
    index
        The tuples in the form that the kernels use.
    cluster
        The cluster of each tuple at the start.
    k
        The least number of records in a cluster.
    near
        Near tuples of each tuple, to search for clusters among theirs; by default, all clusters are searched.

    Attributes
    ----------
    price
        What a cluster costs in addition to its squares.
    """

    def __init__(self, index: Any, cluster: NDArray[np.integer], k: int, near: IntArray | None = None) -> None:
        from ontomask.masking.kernels import local_search as steps
        from ontomask.masking.kernels.grid import Grid
        from ontomask.masking.kernels.queue import Queue
        from ontomask.masking.kernels.refinement import Partition
        from ontomask.masking.kernels.running_centroid import RunningCentroid

        self.price = 0.0
        self._near, self._tuples = near, len(index.counts)
        self._steps = steps
        self._partition, self._queue = Partition.of(index, cluster, near), Queue.empty(self._tuples)
        grid = Grid.of_points(index, self._tuples)
        self._state = (index, self._partition, grid, RunningCentroid.empty(index), self._queue, k)
        self._run(steps.LINK, 0, self._tuples)
        self._run_all(steps.BEGIN, "Computing centroids")

    @property
    def cluster(self) -> NDArray[np.int32]:
        """The cluster of each tuple."""
        cluster: NDArray[np.int32] = self._partition.cluster
        return cluster

    @property
    def squares(self) -> float:
        """The sum of squared distances to the centroids."""
        return float(self._partition.squares.sum())

    @property
    def cost(self) -> float:
        """The sum of squares, and the price of all clusters."""
        return self.squares + self.price * int((self._partition.size > 0).sum())

    def join(self) -> None:
        """Merge clusters of fewer than k records with the nearest, the cheapest first."""
        self._find(self._steps.FIND_PARTNERS)
        self._run(self._steps.QUEUE_UP, 0, self._tuples)
        length = self._queue.length
        pace = Pace()
        with progress("Joining clusters", int(length[0])) as advance:
            while (left := int(length[0])) > 0:
                with pace:
                    self._run(self._steps.JOIN, 0, pace.steps)
                advance(left - int(length[0]))

    def reassign(self) -> int:
        """Move tuples to a nearer centroid if their cluster keeps k records."""
        self._find_targets(self._steps.FIND_NEAREST)
        moved = self._run_all(self._steps.REASSIGN, "Moving records")
        self._run_all(self._steps.RENEW, "Computing centroids")
        return moved

    def dissolve(self) -> int:
        """Dissolve clusters whose tuples cost less in the nearest other clusters."""
        self._find_targets(self._steps.FIND_REPLACEMENTS)
        dissolved = self._run_all(self._steps.DISSOLVE, "Dissolving clusters")
        self._run_all(self._steps.RENEW, "Computing centroids")
        return dissolved

    def split(self) -> int:
        """Divide clusters of at least 2k records if both parts have k records and cost less together."""
        return self._run_all(self._steps.SPLIT, "Dividing clusters")

    def exchange(self) -> int:
        """Divide the tuples of two near clusters anew if both parts have k records and cost less together."""
        self._partition.changed_before[:] = self._partition.changed
        self._partition.changed[:] = False
        self._find(self._steps.FIND_EXCHANGES, "Finding exchanges")
        return self._run_all(self._steps.EXCHANGE, "Exchanging records")

    def _find_targets(self, step: int) -> None:
        """Find clusters that tuples may move to. Among neighbours, each move changes what the next search finds."""
        from ontomask.masking.kernels.refinement import UNKNOWN

        self._partition.target[:] = UNKNOWN
        if self._near is None:
            self._find(step)

    def _find(self, step: int, title: str = "Finding the nearest clusters") -> None:
        """Run a step that changes nothing else, with several threads."""
        # The first is the calling thread, which needs no working space of its own.
        states = chain([self._state], iter(self._state_for_another_thread, None))

        def begin() -> Callable[[slice], object]:
            state = next(states)
            return lambda part: self._run(step, part.start, part.stop, state)

        in_threads(title, self._tuples, begin)

    def _state_for_another_thread(self) -> tuple[Any, ...]:
        index, partition, grid, *others = self._state
        mine = index.for_another_thread()
        return mine, partition.for_another_thread(), grid.for_another_thread(mine), *others

    def _run_all(self, step: int, title: str) -> int:
        """Run a step for all tuples or clusters, block by block."""
        return sum(self._run(step, part.start, part.stop) for part in in_blocks(title, self._tuples))

    def _run(self, step: int, start: int, stop: int, state: tuple[Any, ...] | None = None) -> int:
        from ontomask.masking.kernels.local_search import search

        return int(search(step, *(state or self._state), self.price, start, stop))
