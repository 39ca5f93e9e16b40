"""The queue of clusters that join others, as a heap."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_inner

__all__ = ["Queue", "rise", "take"]


class Queue(Bundle):
    """Clusters of fewer than k records in the order in which they join their partners.

    Attributes
    ----------
    length
        The number of clusters in the queue.
    heap, place
        The clusters as a heap, by cost and then by number; and the place of each in it (−1: none).
    cost, partner
        The cost of joining, and the cluster to be joined.
    version, seen
        The number of mergers of each cluster, and that of its partner when the cost was computed.
    """

    length: Any
    heap: Any
    place: Any
    cost: Any
    partner: Any
    version: Any
    seen: Any

    @classmethod
    def empty(cls, clusters):
        """An empty queue."""
        return cls(
            length=np.zeros(1, dtype=np.int64),
            heap=np.empty(clusters, dtype=np.int32),
            place=np.full(clusters, -1, dtype=np.int32),
            cost=np.zeros(clusters, dtype=np.int64),
            partner=np.empty(clusters, dtype=np.int32),
            version=np.zeros(clusters, dtype=np.int64),
            seen=np.zeros(clusters, dtype=np.int64),
        )


@compiled_inner
def take(queue, a):
    """Take a cluster from the queue. The last one of the heap fills its place."""
    queue.length[0] -= 1
    i, n = queue.place[a], queue.length[0]
    queue.place[a] = -1
    if i == n:
        return
    b = queue.heap[n]
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and _precedes(queue, queue.heap[child + 1], queue.heap[child]):
            child += 1
        if _precedes(queue, b, queue.heap[child]):
            break
        queue.heap[i] = queue.heap[child]
        queue.place[queue.heap[i]] = i
        i = child
    rise(queue, b, i)


@compiled_inner
def rise(queue, a, i):
    """Put a cluster into place i of the heap, or into one above it."""
    while i > 0 and _precedes(queue, a, queue.heap[(i - 1) // 2]):
        queue.heap[i] = queue.heap[(i - 1) // 2]
        queue.place[queue.heap[i]] = i
        i = (i - 1) // 2
    queue.heap[i] = a
    queue.place[a] = i


@compiled_inner
def _precedes(queue, a, b):
    return queue.cost[a] < queue.cost[b] or (queue.cost[a] == queue.cost[b] and a < b)
