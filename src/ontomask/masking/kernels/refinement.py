"""Compiled loops that build clusters of whole tuples and lower their sum of squares; all have at least k records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled_in_place, compiled_inline, compiled_inner
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.grid import aim_at, drop, look_from, nearest, next_cell, put, sharpen, to_item
from ontomask.masking.kernels.queue import rise, take
from ontomask.masking.kernels.running_centroid import FAR, centre_of, to_point

__all__ = [
    "NOWHERE",
    "UNKNOWN",
    "Partition",
    "begin",
    "find_nearest",
    "find_partners",
    "join",
    "link",
    "list_members",
    "move",
    "nearest_cluster",
    "queue_up",
    "reassign",
    "renew_stale",
]

# What `Partition.target` has for a tuple that no cluster is found for, and for one that was not searched for.
NOWHERE, UNKNOWN = -1, -2


class Partition(Bundle):
    """Tuples in clusters. A separate grid has the centroids.

    Attributes
    ----------
    cluster
        The cluster of each tuple.
    head, after, before
        The tuples of each cluster as a list.
    size, squares
        The records of each cluster, and the sum of their squared distances to its centroid.
    stale
        Which centroids no longer fit their clusters.
    member, records
        Room for the tuples of a cluster.
    changed, changed_before
        Which clusters tuples came to or left since `exchange` last began, and between its last two beginnings.
    near
        Near tuples of each tuple. Clusters are then searched for among theirs; without any, among all.
    target
        What threads found before anything was changed: for each tuple the cluster that it may move to, `NOWHERE` or
        `UNKNOWN`. For `exchange`, for each cluster the first one that it may exchange tuples with.
    """

    cluster: Any
    head: Any
    after: Any
    before: Any
    size: Any
    squares: Any
    stale: Any
    member: Any
    records: Any
    changed: Any
    changed_before: Any
    near: Any
    target: Any

    @classmethod
    def of(cls, index, cluster, near=None):
        """Tuples in the given clusters (−1: none). `begin` must link them."""
        tuples = len(index.counts)
        return cls(
            cluster=cluster.astype(np.int32),
            head=np.full(tuples, -1, dtype=np.int32),
            after=np.full(tuples, -1, dtype=np.int32),
            before=np.full(tuples, -1, dtype=np.int32),
            size=np.zeros(tuples, dtype=np.int64),
            squares=np.zeros(tuples),
            stale=np.zeros(tuples, dtype=np.bool_),
            member=np.empty(tuples, dtype=np.int32),
            records=np.empty(tuples, dtype=np.int64),
            changed=np.ones(tuples, dtype=np.bool_),
            changed_before=np.zeros(tuples, dtype=np.bool_),
            near=np.empty((tuples, 0), dtype=np.int32) if near is None else near,
            target=np.full(tuples, UNKNOWN, dtype=np.int32),
        )

    def for_another_thread(self):
        """The same partition with a working space of its own."""
        return replace(self, member=np.empty_like(self.member), records=np.empty_like(self.records))


@compiled_inner
def _enter(counts, p, t, a):
    h = p.head[a]
    p.after[t] = h
    p.before[t] = -1
    if h >= 0:
        p.before[h] = t
    p.head[a] = t
    p.cluster[t] = a
    p.size[a] += counts[t]


@compiled_inner
def move(counts, p, t, a):
    """Move a tuple to another cluster."""
    b = p.cluster[t]
    p.changed[a] = p.changed[b] = True
    if p.before[t] >= 0:
        p.after[p.before[t]] = p.after[t]
    else:
        p.head[b] = p.after[t]
    if p.after[t] >= 0:
        p.before[p.after[t]] = p.before[t]
    p.size[b] -= counts[t]
    _enter(counts, p, t, a)


@compiled_inner
def list_members(counts, p, a):
    """List the tuples of a cluster in ``member``; returns their number."""
    n = 0
    t = p.head[a]
    while t >= 0:
        p.member[n] = t
        p.records[n] = counts[t]
        n += 1
        t = p.after[t]
    return n


@compiled_inner
def link(f, p):
    """Link the tuples of each cluster, the first in front."""
    for t in range(len(p.cluster) - 1, -1, -1):
        if p.cluster[t] >= 0:
            _enter(f.counts, p, t, p.cluster[t])


@compiled_inner
def begin(f, p, g, centroid, start, stop):
    """Compute the centroids of clusters ``start`` to ``stop − 1``."""
    for a in range(start, stop):
        if p.size[a] > 0:
            _renew(f, p, g, centroid, a)
            put(f, g, a)


@compiled_inner
def _renew(f, p, g, centroid, a):
    """Compute the centroid of a cluster, which must not be in the grid."""
    n = list_members(f.counts, p, a)
    p.squares[a] = centre_of(f, centroid, p.member[:n], p.records[:n], g.node[a], g.coordinate[a])
    p.stale[a] = False


@compiled_inner
def renew_stale(f, p, g, centroid, start, stop):
    """Compute the centroids of clusters ``start`` to ``stop − 1`` again if tuples came or left."""
    for a in range(start, stop):
        if p.stale[a] and p.size[a] > 0:
            drop(f, g, a)
            _renew(f, p, g, centroid, a)
            put(f, g, a)


@compiled_inner
def find_partners(f, p, g, queue, k, start, stop):
    """Find the partners of the clusters of fewer than k records among ``start`` to ``stop − 1``."""
    for a in range(start, stop):
        if 0 < p.size[a] < k:
            queue.partner[a], queue.cost[a] = _partner(f, p, g, a)


@compiled_inner
def queue_up(p, queue, k, start, stop):
    """Queue up the clusters of fewer than k records among ``start`` to ``stop − 1``, after `find_partners`."""
    for a in range(start, stop):
        if 0 < p.size[a] < k:
            _insert(queue, a)


@compiled_inner
def join(f, p, g, centroid, queue, k, steps):
    """Merge clusters of fewer than k records, in the order of the least increase of squares per record.

    The increase is Ward's estimate, ``n·m/(n + m) · d²`` for clusters of n and m records with centroids d apart. At
    most ``steps`` clusters are taken from the queue.
    """
    for _ in range(steps):
        if queue.length[0] == 0:
            break
        a = queue.heap[0]
        b = queue.partner[a]
        take(queue, a)
        if p.size[b] > 0 and queue.version[b] == queue.seen[a]:
            while p.head[a] >= 0:
                move(f.counts, p, p.head[a], b)
            p.squares[a] = 0.0
            drop(f, g, a)
            drop(f, g, b)
            _renew(f, p, g, centroid, b)
            put(f, g, b)
            queue.version[b] += 1
            if queue.place[b] >= 0:
                take(queue, b)
            a = b
        if p.size[a] < k:
            queue.partner[a], queue.cost[a] = _partner(f, p, g, a)
            _insert(queue, a)


@compiled_inner
def _insert(queue, a):
    """Queue up a cluster with its partner."""
    queue.seen[a] = queue.version[queue.partner[a]]
    i = queue.length[0]
    queue.length[0] += 1
    rise(queue, a, i)


@compiled_in_place
def _partner(f, p, g, a):
    """The cluster that a joins at the least cost, the first of ties, and the cost per record in units of `TIE`."""
    aim_at(f, g, g.node[a], g.coordinate[a])
    best, got = _partner_of_neighbours(f, p, g, a)
    if got < 0:
        best, got = _partner_of_all(f, p.size, g, a)
    # Ties are equal, and are ordered by number.
    return got, np.int64(best / TIE + 0.5)


@compiled_in_place
def _partner_of_neighbours(f, p, g, a):
    """The partner among the clusters of near tuples; −1 if there is none."""
    best = np.inf
    got = -1
    if p.near.shape[1] == 0:
        return best, got
    t = p.head[a]
    while t >= 0:
        seen = a
        for i in range(p.near.shape[1]):
            u = p.near[t, i]
            if u < 0:
                break
            b = p.cluster[u]
            if b != a and b != seen:
                best, got = _cheaper(f, p.size, g, a, b, best, got)
            seen = b
        t = p.after[t]
    return best, got


@compiled_in_place
def _partner_of_all(f, size, g, a):
    look_from(f, g, g.node[a], g.coordinate[a])
    best = np.inf
    got = -1
    guess = sharpen(f, g)
    cell = guess
    start = 0
    while cell >= 0:
        i = g.head[cell]
        while i >= 0:
            if i != a:
                best, got = _cheaper(f, size, g, a, i, best, got)
            i = g.after[i]
        # The other has at least one record.
        bound = np.int64(FAR if got < 0 else np.sqrt((best + TIE) * (size[a] + 1)) / f.unit)
        cell = next_cell(f, g, start, bound)
        if cell == guess:
            cell = next_cell(f, g, cell + 1, bound)
        start = cell + 1
    return best, got


@compiled_inline
def _cheaper(f, size, g, a, b, best, got):
    """The least cost and the partner of cluster a, if b may be the partner, too. The current point is its centroid."""
    # The distance at which the cost equals the best.
    worth = np.sqrt((best + TIE) * (size[a] + size[b]) / size[b]) / f.unit
    d = to_item(f, g, b, np.int64(min(worth, np.float64(FAR))) + 1) * f.unit
    cost = d * d * (size[b] / (size[a] + size[b]))
    if cost < best - TIE:
        return cost, b
    if cost <= best + TIE and b < got:
        return min(best, cost), b
    return best, got


@compiled_in_place
def nearest_cluster(f, p, g, t, skip, bound):
    """The cluster with the nearest centroid to a tuple except one, and its distance; −1 if none is within the bound."""
    if p.near.shape[1] == 0:
        look_from(f, g, f.node[t], f.coordinate[t])
        return nearest(f, g, False, skip, bound)
    best = bound
    got = -1
    for i in range(p.near.shape[1]):
        u = p.near[t, i]
        if u < 0:
            break
        b = p.cluster[u]
        if b == skip:
            continue
        d = to_point(f, t, g.node[b], g.coordinate[b])
        if d < best - f.tie:
            best = d
            got = b
        elif got >= 0 and d <= best + f.tie:
            best = min(best, d)
            got = min(got, b)
    return got, best


@compiled_inner
def _nearer_cluster(f, p, g, t):
    """The cluster whose centroid is nearest to a tuple, if nearer than that of its own."""
    a = p.cluster[t]
    d = to_point(f, t, g.node[a], g.coordinate[a])
    return nearest_cluster(f, p, g, t, a, d)[0] if d > f.tie else NOWHERE


@compiled_inner
def find_nearest(f, p, g, k, start, stop):
    """Find nearer clusters for the tuples that may leave theirs. They stay right, since moves change no centroids."""
    for t in range(start, stop):
        may_leave = p.size[p.cluster[t]] - f.counts[t] >= k
        p.target[t] = _nearer_cluster(f, p, g, t) if may_leave else UNKNOWN


@compiled_inner
def reassign(f, p, g, k, start, stop):
    """Move some of the tuples to a nearer centroid if their cluster keeps k records. `renew_stale` must follow."""
    moved = 0
    for t in range(start, stop):
        a = p.cluster[t]
        if p.size[a] - f.counts[t] < k:
            continue
        b = _nearer_cluster(f, p, g, t) if p.target[t] == UNKNOWN else p.target[t]
        if b >= 0:
            move(f.counts, p, t, b)
            p.stale[a] = p.stale[b] = True
            moved += 1
    return moved
