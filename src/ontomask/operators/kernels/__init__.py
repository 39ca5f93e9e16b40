"""Compiled loops of the operators."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.base.kernels import sort
from ontomask.distance.kernels.climbing import climb
from ontomask.distance.ties import TIE

__all__ = [
    "add_rows",
    "centroids_of_sets",
    "hierarchy",
    "products_along_line",
    "products_along_two_lines",
    "sum_of_picks",
]


@compiled
def hierarchy(parent_start, parent, depth, values):
    """The concepts between distinct values and their least common subsumer, ascending; the latter comes first.

    Each value climbs to the root once, so the cost is the number of (value, subsumer) pairs. A sweep over the taxonomy
    would be too slow where thousands of small clusters need a centroid.
    """
    links, below, total, queue, found = _room_to_climb(len(parent_start) - 1)
    size = _climb(parent_start, parent, depth, values, links, below, total, queue, found)
    return found[:size].copy()


@compiled
def centroids_of_sets(parent_start, parent, depth, start, value, counts, place, distances, lcs, out):
    """The centroid (or, with ``lcs``, the least common subsumer) of each of many sets of values, into ``out``.

    Set s has the distinct values ``value[start[s]:start[s + 1]]`` with ``counts``; ``distances[c, place[i]]`` is the
    distance between concept c and value i.
    """
    links, below, total, queue, found = _room_to_climb(len(parent_start) - 1)
    means = np.empty(len(parent_start) - 1)
    for s in range(len(start) - 1):
        first, last = start[s], start[s + 1]
        if last - first == 1:
            out[s] = value[first]
            continue
        size = _climb(parent_start, parent, depth, value[first:last], links, below, total, queue, found)
        if lcs:
            out[s] = found[0]
            continue
        records = np.int64(0)
        for i in range(first, last):
            records += counts[i]
        least = np.inf
        for c in range(size):
            row = distances[found[c]]
            means[c] = 0.0
            for i in range(first, last):
                means[c] += counts[i] * row[place[i]]
            means[c] /= records
            least = min(least, means[c])
        c = 0
        while means[c] > least + TIE:
            c += 1
        out[s] = found[c]


@compiled_inner
def _room_to_climb(n):
    links = np.full(n, -1, dtype=np.int32)
    below = np.zeros(n, dtype=np.int32)
    total = np.empty(n, dtype=np.int64)
    return links, below, total, np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)


@compiled_inner
def _climb(parent_start, parent, depth, values, links, below, total, queue, found):
    """Write `hierarchy` into ``found`` and return its size; ``links`` and ``below`` are restored."""
    size = 0
    for value in values:
        for s in queue[: climb(parent_start, parent, value, links, queue)]:
            if below[s] == 0:
                found[size] = s
                size += 1
                total[s] = 0
            below[s] += 1
            total[s] += links[s]
            links[s] = -1
    codes = sort(found[:size])
    top = codes[0]
    for s in codes:
        if below[s] == len(values) and (depth[s] > depth[top] or (depth[s] == depth[top] and total[s] < total[top])):
            top = s
    # Codes ascend from the root, so every concept below the top has a parent that is marked already.
    size = 0
    for s in codes:
        inside = s == top
        for j in range(parent_start[s], parent_start[s + 1]):
            inside = inside or links[parent[j]] == 0
        if inside:
            links[s] = 0
            found[size] = s
            size += 1
    for s in codes:
        below[s] = 0
        links[s] = -1
    return size


@compiled
def add_rows(to, of, weight, source, target):
    """``target[to[i]] += weight[i] · source[of[i]]`` for every i: a sparse matrix times a dense one."""
    for i in range(len(to)):
        mine = target[to[i]]
        theirs = source[of[i]]
        factor = weight[i]
        for j in range(len(mine)):
            mine[j] += factor * theirs[j]


@compiled
def sum_of_picks(line, picks, out):
    """Set ``out[i]`` to the sum of the line's entries at ``picks[i]``."""
    for i in range(len(picks)):
        total = 0.0
        for j in range(picks.shape[1]):
            total += line[picks[i, j]]
        out[i] = total


@compiled
def products_along_line(x, b, share, first, columns):
    """Sum over all pairs of ``|x − x'| · columns[b, b']``, each weighted by both shares, for b' in the block.

    Records are sorted by x, so that ``|x − x'|`` splits into sums over the records already passed. Each pair is met
    once and counts twice.
    """
    width = columns.shape[1]
    passed, sums = np.zeros(width), np.zeros(width)
    total = 0.0
    for i in range(len(x)):
        row = columns[b[i]]
        mine = 0.0
        for c in range(width):
            mine += row[c] * (x[i] * passed[c] - sums[c])
        total += share[i] * mine
        c = b[i] - first
        if 0 <= c < width:
            passed[c] += share[i]
            sums[c] += share[i] * x[i]
    return 2 * total


@compiled
def products_along_two_lines(x, y, rank, share):
    """Sum over all pairs of ``|x − x'| · |y − y'|``, each weighted by both shares; records are sorted by x.

    The records already passed are kept in binary indexed trees by the rank of y, so that a sum over lower ranks takes
    logarithmic time.
    """
    size = rank.max() + 1
    tree = np.zeros((size + 1, 4))
    whole = np.zeros(4)
    total = 0.0
    for i in range(len(x)):
        below = np.zeros(4)
        at = rank[i] + 1
        while at > 0:
            below += tree[at]
            at -= at & -at
        inside = 0.0
        for sign, s in ((2.0, below), (-1.0, whole)):
            inside += sign * (s[0] * x[i] * y[i] - s[1] * y[i] - s[2] * x[i] + s[3])
        total += share[i] * inside
        mine = np.array([share[i], share[i] * x[i], share[i] * y[i], share[i] * x[i] * y[i]])
        whole += mine
        at = rank[i] + 1
        while at <= size:
            tree[at] += mine
            at += at & -at
    return 2 * total
