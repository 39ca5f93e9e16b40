"""Compiled loops that divide clusters in two."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled_inner
from ontomask.base.kernels import order_of, sort
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.grid import drop, put
from ontomask.masking.kernels.refinement import list_members, move
from ontomask.masking.kernels.running_centroid import centre_of, to_point

__all__ = ["split"]


@compiled_inner
def split(f, p, g, centroid, k, price, start, stop):
    """Divide some clusters of at least 2k records if both parts have k records and cost less together.

    One part has the tuples that are nearer to the cluster's most expensive tuple than to the centroid. ``price`` is
    what a cluster costs in addition to its squares.
    """
    splits = 0
    free = 0
    node = np.empty((2, len(f.kind)), dtype=np.int32)
    coordinate = np.zeros((2, len(f.kind)), dtype=np.int64)
    a = start
    while a < stop:
        if p.size[a] < 2 * k or p.squares[a] <= price + TIE:
            a += 1
            continue
        n = list_members(f.counts, p, a)
        cut = _far_part(f, p, n, g.node[a], g.coordinate[a], p.size[a], k)
        far = near = p.squares[a]
        if cut < n:
            far = centre_of(f, centroid, p.member[:cut], p.records[:cut], node[0], coordinate[0])
            near = centre_of(f, centroid, p.member[cut:n], p.records[cut:n], node[1], coordinate[1])
        if far + near >= p.squares[a] - price - TIE:
            a += 1
            continue
        while p.size[free] > 0:
            free += 1
        for i in range(cut):
            move(f.counts, p, p.member[i], free)
        p.squares[free] = far
        p.squares[a] = near
        drop(f, g, a)
        for j in range(len(f.kind)):
            g.node[free, j], g.coordinate[free, j] = node[0, j], coordinate[0, j]
            g.node[a, j], g.coordinate[a, j] = node[1, j], coordinate[1, j]
        put(f, g, free)
        put(f, g, a)
        splits += 1
    return splits


@compiled_inner
def _far_part(f, p, n, node, coordinate, size, k):
    """Move the part around the most expensive of the listed tuples to the front; returns where the part ends.

    If the other part would have fewer than k records, the part has all tuples.
    """
    member = sort(p.member[:n])
    nearer = np.empty(n, dtype=np.int64)
    worst = -1.0
    r = 0
    for i in range(n):
        nearer[i] = -to_point(f, member[i], node, coordinate)
        cost = f.counts[member[i]] * (nearer[i] * f.unit) ** 2
        if cost > worst + TIE:
            worst = cost
            r = member[i]
    for i in range(n):
        nearer[i] += to_point(f, member[i], f.node[r], f.coordinate[r])
        # Ties are equal.
        nearer[i] = (nearer[i] + f.tie // 2) // f.tie
    by = order_of(nearer)
    cut = n
    part = 0
    for i in range(n):
        p.member[i] = member[by[i]]
        p.records[i] = f.counts[p.member[i]]
        if cut == n:
            if part >= k and nearer[by[i]] >= 0:
                cut = i
            else:
                part += p.records[i]
    return cut if size - part >= k else n
