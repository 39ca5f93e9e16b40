"""Compiled loops over sets of concepts: sums of best matches, and matchings of least cost.

Sets are in CSR form (``start``, ``index``), and ``distances[x, y]`` is the distance between the x-th element of the
first sets and the y-th of the second.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled, compiled_in_place, compiled_inner

__all__ = [
    "Matching",
    "add_nearest",
    "assign",
    "best_matches",
    "matching_distance",
    "matching_matrix",
    "matching_pairs",
    "pairs_of_best_matches",
    "sums_over_nearest",
]


@compiled_inner
def nearest_elements(members, distances, out):
    """For each column of ``distances`` the least distance to one of the members (rows), into ``out``."""
    first = distances[members[0]]
    for y in range(len(out)):
        out[y] = first[y]
    for m in range(1, len(members)):
        row = distances[members[m]]
        for y in range(len(out)):
            out[y] = min(out[y], row[y])


@compiled
def best_matches(start_a, index_a, start_b, index_b, distances, out):
    """``out[i, j]``: the sum over set j of b of the distances to the nearest element of set i of a."""
    near = np.empty(distances.shape[1])
    for i in range(len(start_a) - 1):
        nearest_elements(index_a[start_a[i] : start_a[i + 1]], distances, near)
        line = out[i]
        for j in range(len(start_b) - 1):
            total = 0.0
            for q in range(start_b[j], start_b[j + 1]):
                total += near[index_b[q]]
            line[j] = total


@compiled
def pairs_of_best_matches(start_a, index_a, start_b, index_b, distances, out):
    """``out[i]``: the sum of distances to the nearest element of the other set, over both sets of pair i."""
    for i in range(len(out)):
        total = 0.0
        for p in range(start_a[i], start_a[i + 1]):
            least = np.inf
            for q in range(start_b[i], start_b[i + 1]):
                least = min(least, distances[index_a[p], index_b[q]])
            total += least
        for q in range(start_b[i], start_b[i + 1]):
            least = np.inf
            for p in range(start_a[i], start_a[i + 1]):
                least = min(least, distances[index_a[p], index_b[q]])
            total += least
        out[i] = total


@compiled
def add_nearest(start, index, weight, row_of, distances, out):
    """Add to ``out[row_of[i], y]`` the distance from element y to the nearest element of set i, times ``weight[i]``."""
    near = np.empty(distances.shape[1])
    for i in range(len(start) - 1):
        nearest_elements(index[start[i] : start[i + 1]], distances, near)
        mine = out[row_of[i]]
        for y in range(len(near)):
            mine[y] += weight[i] * near[y]


@compiled
def sums_over_nearest(start, index, row_of, weights, distances, out):
    """``out[i]``: the sum over y of ``weights[row_of[i], y]`` times the distance from y to the nearest of set i."""
    near = np.empty(distances.shape[1])
    for i in range(len(start) - 1):
        nearest_elements(index[start[i] : start[i + 1]], distances, near)
        mine = weights[row_of[i]]
        total = 0.0
        for y in range(len(near)):
            total += mine[y] * near[y]
        out[i] = total


class Matching(Bundle):
    """Working space for matchings of sets with at most as many elements as ``room`` has places.

    Attributes
    ----------
    cost
        The distances between two sets, the smaller one in rows.
    price, owner
        The price of each column (a dual variable), and the row that has it.
    back, least, done
        The search for a shortest path: the column before each, the cost of the way to it, whether it is final.
    """

    cost: Any
    price: Any
    owner: Any
    back: Any
    least: Any
    done: Any

    @classmethod
    def room(cls, most):
        """Working space for sets of at most ``most`` elements."""
        return cls(
            cost=np.empty((most, most)),
            price=np.empty(most + 1),
            owner=np.empty(most + 1, dtype=np.int64),
            back=np.empty(most + 1, dtype=np.int64),
            least=np.empty(most + 1),
            done=np.empty(most + 1, dtype=np.bool_),
        )


@compiled_inner
def matching_distance(a, b, distances, room):
    """The matching distance of two sets, given by their rows and columns in ``distances``.

    With the cost M of the cheapest matching of the smaller set (n elements) into the larger one (m elements) it is
    ``(m − n + 2M) / (m + M)`` (Ramon and Bruynooghe 2001).
    """
    n, m = len(a), len(b)
    turned = n > m
    for i in range(n):
        line = distances[a[i]]
        for j in range(m):
            if turned:
                room.cost[j, i] = line[b[j]]
            else:
                room.cost[i, j] = line[b[j]]
    if turned:
        n, m = m, n
    cost = assign(room, n, m)
    return (m - n + 2 * cost) / (m + cost)


@compiled_in_place
def assign(room, rows, columns):
    """The least sum of costs of giving each row a column of its own. There are at least as many columns as rows.

    Rows are added one by one along a shortest augmenting path (Jonker and Volgenant 1987).
    """
    cost, price, owner = room.cost, room.price, room.owner
    back, least, done = room.back, room.least, room.done
    for c in range(columns):
        price[c] = 0.0
        owner[c] = -1
    for row in range(rows):
        # The column after the last one stands for the row that has no column yet.
        owner[columns] = row
        at = columns
        shift = 0.0
        for c in range(columns):
            least[c] = np.inf
            done[c] = False
        while owner[at] >= 0:
            r = owner[at]
            base = 0.0
            if at < columns:
                done[at] = True
                base = cost[r, at] - price[at]
            best = np.inf
            chosen = -1
            for c in range(columns):
                if not done[c]:
                    d = shift + cost[r, c] - price[c] - base
                    if d < least[c]:
                        least[c] = d
                        back[c] = at
                    if least[c] < best:
                        best = least[c]
                        chosen = c
            shift = best
            at = chosen
        for c in range(columns):
            if done[c]:
                price[c] += least[c] - shift
        while at != columns:
            owner[at] = owner[back[at]]
            at = back[at]
    total = 0.0
    for c in range(columns):
        if owner[c] >= 0:
            total += cost[owner[c], c]
    return total


@compiled
def matching_matrix(start_a, index_a, start_b, index_b, distances, room, out):
    """The matching distances between all sets of a (rows) and all of b (columns)."""
    lines = np.empty((distances.shape[1], len(room.cost)))
    everything = np.arange(len(room.cost))
    for i in range(len(start_a) - 1):
        # The distances from one set to all elements are used for all columns: they stay in the cache.
        size = start_a[i + 1] - start_a[i]
        for p in range(size):
            row = distances[index_a[start_a[i] + p]]
            for y in range(len(row)):
                lines[y, p] = row[y]
        for j in range(len(start_b) - 1):
            b = index_b[start_b[j] : start_b[j + 1]]
            out[i, j] = matching_distance(b, everything[:size], lines, room)


@compiled
def matching_pairs(start_a, index_a, start_b, index_b, distances, room, out):
    """The matching distances between set i of a and set i of b."""
    for i in range(len(out)):
        a, b = index_a[start_a[i] : start_a[i + 1]], index_b[start_b[i] : start_b[i + 1]]
        out[i] = matching_distance(a, b, distances, room)
