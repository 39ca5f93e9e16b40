"""Compiled loops that find near tuples among all, by comparing only some."""

from __future__ import annotations

from ontomask.base.compiler import compiled, compiled_in_place
from ontomask.masking.kernels.running_centroid import FAR, to_point

__all__ = ["FAR", "compare_parts", "follow", "project"]


@compiled
def project(f, order, edges, pivots, key, start, stop):
    """For the tuples of some parts, how much farther they are from the first pivot than from the second.

    Part p has the tuples ``order[edges[p]]`` to ``order[edges[p + 1] − 1]``, and two of them are its pivots.
    """
    for part in range(start, stop):
        r, s = pivots[part, 0], pivots[part, 1]
        for i in range(edges[part], edges[part + 1]):
            t = order[i]
            key[i] = to_point(f, t, f.node[r], f.coordinate[r]) - to_point(f, t, f.node[s], f.coordinate[s])


@compiled
def compare_parts(f, order, edges, near, away, start, stop):
    """Offer the tuples of each part to each other as neighbours. ``away`` has the distances of neighbours."""
    for part in range(start, stop):
        for i in range(edges[part], edges[part + 1]):
            t = order[i]
            for j in range(edges[part], i):
                u = order[j]
                d = to_point(f, t, f.node[u], f.coordinate[u])
                _offer(near[t], away[t], u, d)
                _offer(near[u], away[u], t, d)


@compiled
def follow(f, known, near, away, start, stop):
    """Offer the known neighbours of its known neighbours to each of the tuples ``start`` to ``stop − 1``."""
    for t in range(start, stop):
        for i in range(known.shape[1]):
            u = known[t, i]
            if u < 0:
                break
            for j in range(known.shape[1]):
                v = known[u, j]
                if v < 0:
                    break
                if v != t:
                    _offer(near[t], away[t], v, to_point(f, t, f.node[v], f.coordinate[v]))


@compiled_in_place
def _offer(near, away, u, d):
    """Insert a tuple into a list of neighbours if it is nearer than the last; of equally near ones the first."""
    i = len(near) - 1
    if d > away[i] or (d == away[i] and u >= near[i]):
        return
    while i > 0 and (d < away[i - 1] or (d == away[i - 1] and u < near[i - 1])):
        i -= 1
    if i > 0 and near[i - 1] == u:
        return
    for j in range(len(near) - 1, i, -1):
        near[j], away[j] = near[j - 1], away[j - 1]
    near[i], away[i] = u, d
