"""Compiled loops that exchange tuples between two clusters."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled_inner
from ontomask.base.kernels import order_of, sort
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.grid import drop, put
from ontomask.masking.kernels.refinement import move
from ontomask.masking.kernels.running_centroid import centre_of, to_point

__all__ = ["exchange", "find_exchanges"]


@compiled_inner
def find_exchanges(f, p, g, k, start, stop):
    """Find the first cluster that each of the clusters ``start`` to ``stop − 1`` may exchange tuples with."""
    seen = np.full(len(p.cluster), -1, dtype=np.int32)
    for a in range(start, stop):
        p.target[a] = len(p.cluster)
        if p.squares[a] <= TIE:
            continue
        for b in _adjacent(p, a, seen):
            if p.changed_before[a] or p.changed_before[b]:
                _, _, estimate = _divide(f, p, g, a, b, k)
                if estimate < p.squares[a] + p.squares[b] - TIE:
                    p.target[a] = b
                    break


@compiled_inner
def exchange(f, p, g, centroid, k, start, stop):
    """Divide the tuples of two clusters anew if both keep k records and cost less together.

    Each of the clusters ``start`` to ``stop − 1`` is paired with the clusters of near tuples, in ascending order. A
    tuple goes to the nearer centroid, unless that leaves fewer than k records for the other. Pairs that were tried
    before, also by `find_exchanges`, are skipped, unless one of both clusters has changed since then.
    """
    changes = 0
    seen = np.full(len(p.cluster), -1, dtype=np.int32)
    node = np.empty((2, len(f.kind)), dtype=np.int32)
    coordinate = np.zeros((2, len(f.kind)), dtype=np.int64)
    for a in range(start, stop):
        if p.squares[a] <= TIE:
            continue
        for b in _adjacent(p, a, seen):
            was_tried = b < p.target[a] or not (p.changed_before[a] or p.changed_before[b])
            if was_tried and not (p.changed[a] or p.changed[b]):
                continue
            before = p.squares[a] + p.squares[b]
            n, cut, estimate = _divide(f, p, g, a, b, k)
            # New centroids are computed only if the division pays with the present ones.
            if estimate >= before - TIE:
                continue
            first = centre_of(f, centroid, p.member[:cut], p.records[:cut], node[0], coordinate[0])
            second = centre_of(f, centroid, p.member[cut:n], p.records[cut:n], node[1], coordinate[1])
            if first + second >= before - TIE:
                continue
            for i in range(n):
                to = a if i < cut else b
                if p.cluster[p.member[i]] != to:
                    move(f.counts, p, p.member[i], to)
            p.squares[a], p.squares[b] = first, second
            for side in range(2):
                c = a if side == 0 else b
                drop(f, g, c)
                for j in range(len(f.kind)):
                    g.node[c, j], g.coordinate[c, j] = node[side, j], coordinate[side, j]
                put(f, g, c)
            changes += 1
    return changes


@compiled_inner
def _adjacent(p, a, seen):
    """The other clusters of tuples that are near to those of cluster a, ascending."""
    n = 0
    t = p.head[a]
    while t >= 0:
        n += p.near.shape[1]
        t = p.after[t]
    found = np.empty(n, dtype=np.int32)
    n = 0
    t = p.head[a]
    while t >= 0:
        for i in range(p.near.shape[1]):
            if p.near[t, i] < 0:
                break
            b = p.cluster[p.near[t, i]]
            if b != a and seen[b] != a:
                seen[b] = a
                found[n] = b
                n += 1
        t = p.after[t]
    return sort(found[:n])


@compiled_inner
def _divide(f, p, g, a, b, k):
    """List the tuples of both clusters, those nearer to the centroid of a first.

    Returns their number, the number of those for a, and the sum of squares around the present centroids.
    """
    n = 0
    for side in range(2):
        t = p.head[a] if side == 0 else p.head[b]
        while t >= 0:
            p.member[n] = t
            n += 1
            t = p.after[t]
    member = sort(p.member[:n])
    to = np.empty((n, 2), dtype=np.int64)
    for i in range(n):
        to[i, 0] = to_point(f, member[i], g.node[a], g.coordinate[a])
        to[i, 1] = to_point(f, member[i], g.node[b], g.coordinate[b])
    # Ties are equal.
    nearer = (to[:, 0] - to[:, 1] + f.tie // 2) // f.tie
    by = order_of(nearer)
    rest = p.size[a] + p.size[b]
    size = cut = 0
    estimate = 0.0
    for i in range(n):
        t = p.member[i] = member[by[i]]
        p.records[i] = f.counts[t]
        rest -= f.counts[t]
        if cut == i and rest >= k and (size < k or nearer[by[i]] <= 0):
            cut += 1
            size += f.counts[t]
        d = to[by[i], 0 if i < cut else 1] * f.unit
        estimate += f.counts[t] * d * d
    return n, cut, estimate if size >= k else np.inf
