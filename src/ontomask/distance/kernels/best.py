"""Scores of the best common subsumer, by sweeps.

The score of a common subsumer ``s`` of a and b is ``value[s] − step·(links a→s + links b→s)``. A subsumer of a has its
own score. Any other concept has the best score of its parents minus ``step``. So one pass over the links, root first,
gives the scores from one concept to all. With ``value = depth·2^shift``, where 2^shift exceeds any number of links, the
best subsumer is the deepest, ties by the shortest path. With ``value = 0`` it is on the shortest path. With the rank of
the information content as ``value`` and ``step = 0`` it is the most informative.

Matrices sweep over the subsumers of the selected concepts only, one tile of columns at a time. A row of a tile fits
into a few vector registers, and the tile stays in the cache.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.kernels.climbing import TILE, climb, closure, local_parents

__all__ = ["best_matrix", "best_pairs", "best_row", "depth_matrix"]


@compiled
def best_row(parent_start, parent, value, step, a, lowest, table, out):
    """``out[b] = table[best score of a, b − lowest]`` for every concept b."""
    n = len(parent_start) - 1
    links = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    climb(parent_start, parent, a, links, queue)
    key = np.empty(n, dtype=value.dtype)
    for b in range(n):
        first = parent_start[b]
        if links[b] >= 0:
            best = value[b] - step * links[b]
        else:
            best = key[parent[first]] - step
            first += 1
        for j in range(first, parent_start[b + 1]):
            best = max(best, key[parent[j]] - step)
        key[b] = best
        out[b] = table[np.uint32(best - lowest)]


@compiled
def best_pairs(parent_start, parent, value, step, a, b, key):
    """Best score of a common subsumer of ``a[i]`` and ``b[i]``, for every i."""
    n = len(parent_start) - 1
    from_a = np.full(n, -1, dtype=np.int32)
    from_b = np.full(n, -1, dtype=np.int32)
    queue_a = np.empty(n, dtype=np.int32)
    queue_b = np.empty(n, dtype=np.int32)
    size_a = 0
    previous = -1
    for i in range(len(a)):
        if a[i] != previous:
            for q in range(size_a):
                from_a[queue_a[q]] = -1
            size_a = climb(parent_start, parent, a[i], from_a, queue_a)
            previous = a[i]
        size_b = climb(parent_start, parent, b[i], from_b, queue_b)
        found = False
        best = value[0]
        for q in range(size_b):
            s = queue_b[q]
            if from_a[s] >= 0:
                score = value[s] - step * (from_a[s] + from_b[s])
                if not found or score > best:
                    best = score
                    found = True
            from_b[s] = -1
        key[i] = best


@compiled_inner
def _sweep_tile(start, above, codes, index, columns, value, step, lowest, key):
    """Best scores of the closure's concepts (rows of ``key``) with up to `TILE` columns."""
    links = np.full(len(codes), -1, dtype=np.int32)
    queue = np.empty(len(codes), dtype=np.int32)
    key[:] = lowest
    for t in range(len(columns)):
        reached = climb(start, above, index[columns[t]], links, queue)
        for q in range(reached):
            s = queue[q]
            key[s, t] = value[codes[s]] - step * links[s]
            links[s] = -1
    unit = key.dtype.type(step)
    for i in range(1, len(codes)):
        mine = key[i]
        for j in range(start[i], start[i + 1]):
            theirs = key[above[j]]
            for t in range(TILE):
                # Narrow integers let a vector register hold more of them.
                farther, best = key.dtype.type(theirs[t] - unit), mine[t]
                mine[t] = farther if farther > best else best


@compiled
def best_matrix(parent_start, parent, value, step, rows, columns, lowest, table, out):
    """``out[i, j] = table[best score of rows[i], columns[j] − lowest]``, one tile of columns at a time."""
    index = np.full(len(parent_start) - 1, -1, dtype=np.int32)
    codes = closure(parent_start, parent, rows, columns, index)
    start, above = local_parents(parent_start, parent, codes, index)
    key = np.empty((len(codes), TILE), dtype=value.dtype)
    for first in range(0, len(columns), TILE):
        tile = columns[first : first + TILE]
        _sweep_tile(start, above, codes, index, tile, value, step, lowest, key)
        for i in range(len(rows)):
            mine = key[index[rows[i]]]
            line = out[i, first : first + len(tile)]
            for t in range(len(tile)):
                line[t] = table[np.uint32(mine[t] - lowest)]


@compiled
def depth_matrix(parent_start, parent, value, rows, columns, lowest, shift, root_depth, out):
    """Wu and Palmer's distance of every row and column from scores of depth and links.

    The same as `best_matrix` with a table of distances. Vector arithmetic is faster than look-ups.
    """
    index = np.full(len(parent_start) - 1, -1, dtype=np.int32)
    codes = closure(parent_start, parent, rows, columns, index)
    start, above = local_parents(parent_start, parent, codes, index)
    key = np.empty((len(codes), TILE), dtype=value.dtype)
    real = out.dtype.type
    unit, one, two, top = real(1 << shift), real(1), real(2), real(root_depth)
    share, most = one / unit, unit - one
    for first in range(0, len(columns), TILE):
        tile = columns[first : first + TILE]
        _sweep_tile(start, above, codes, index, tile, value, 1, lowest, key)
        for i in range(len(rows)):
            mine = key[index[rows[i]]]
            line = out[i, first : first + len(tile)]
            for t in range(len(tile)):
                score = real(mine[t])
                depth = np.floor((score + most) * share)
                deep = two * (depth + top)
                both = deep + (depth * unit - score)
                line[t] = one - deep / both if both > 0 else real(0)
