"""Number of common subsumers, by sweeps.

The common subsumers of a and b are those of a and b's main (first) parent; b itself, if it subsumes a; and those among
b's ``extra`` subsumers, which its main parent does not have. Only concepts with several parents have extra subsumers.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled
from ontomask.distance.kernels.climbing import TILE, climb, closure, collect, local_parents

__all__ = ["common_matrix", "common_pairs", "common_row", "extra_subsumers", "look_up_matrix", "look_up_row"]


@compiled
def extra_subsumers(parent_start, parent, counts):
    """For each concept the subsumers that its main parent does not have, without the concept itself (CSR)."""
    n = len(parent_start) - 1
    start = np.zeros(n + 1, dtype=np.int64)
    for c in range(n):
        extra = 0
        if parent_start[c + 1] - parent_start[c] > 1:
            extra = counts[c] - 1 - counts[parent[parent_start[c]]]
        start[c + 1] = start[c] + extra
    extras = np.empty(start[n], dtype=np.int32)
    stamp = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    for c in range(n):
        if start[c + 1] == start[c]:
            continue
        collect(parent_start, parent, parent[parent_start[c]], c, stamp, queue)
        at = start[c]
        for j in range(parent_start[c] + 1, parent_start[c + 1]):
            if stamp[parent[j]] != c:
                found = collect(parent_start, parent, parent[j], c, stamp, queue)
                for q in range(found):
                    extras[at] = queue[q]
                    at += 1
    return start, extras


@compiled
def common_row(parent_start, parent, extra_start, extra, a, count):
    """Number of common subsumers of ``a`` and every concept, into ``count``."""
    n = len(parent_start) - 1
    mark = np.zeros(n, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    collect(parent_start, parent, a, 1, mark, queue)
    count[0] = mark[0]
    for b in range(1, n):
        shared = count[parent[parent_start[b]]] + mark[b]
        for j in range(extra_start[b], extra_start[b + 1]):
            shared += mark[extra[j]]
        count[b] = shared


@compiled
def common_pairs(parent_start, parent, a, b, count):
    """Number of common subsumers of ``a[i]`` and ``b[i]``, for every i."""
    n = len(parent_start) - 1
    stamp_a = np.full(n, -1, dtype=np.int32)
    stamp_b = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    mark = -1
    for i in range(len(a)):
        if i == 0 or a[i] != a[i - 1]:
            mark = i
            collect(parent_start, parent, a[i], mark, stamp_a, queue)
        size = collect(parent_start, parent, b[i], i, stamp_b, queue)
        shared = 0
        for q in range(size):
            shared += stamp_a[queue[q]] == mark
        count[i] = shared


@compiled
def common_matrix(parent_start, parent, extra_start, extra, rows, columns, out):
    """Number of common subsumers of every row and column, one tile of columns at a time."""
    index = np.full(len(parent_start) - 1, -1, dtype=np.int32)
    codes = closure(parent_start, parent, rows, columns, index)
    start, above = local_parents(parent_start, parent, codes, index)
    size = len(codes)
    links = np.full(size, -1, dtype=np.int32)
    queue = np.empty(size, dtype=np.int32)
    mark = np.zeros((size, TILE), dtype=out.dtype)
    count = np.empty((size, TILE), dtype=out.dtype)
    for first in range(0, len(columns), TILE):
        width = min(TILE, len(columns) - first)
        mark[:] = 0
        for t in range(width):
            reached = climb(start, above, index[columns[first + t]], links, queue)
            for q in range(reached):
                mark[queue[q], t] = 1
                links[queue[q]] = -1
        count[0] = mark[0]
        for i in range(1, size):
            mine = count[i]
            theirs = count[above[start[i]]]
            own = mark[i]
            for t in range(TILE):
                mine[t] = theirs[t] + own[t]
            for j in range(extra_start[codes[i]], extra_start[codes[i] + 1]):
                more = mark[index[extra[j]]]
                for t in range(TILE):
                    mine[t] += more[t]
        for i in range(len(rows)):
            mine = count[index[rows[i]]]
            line = out[i, first : first + width]
            for t in range(width):
                line[t] = mine[t]


@compiled
def look_up_row(count, size, a, table, out):
    """``out[b] = table[size[a] + size[b], count[b]]``."""
    width = np.uint32(table.shape[1])
    flat = table.reshape(-1)
    mine = size[a]
    for b in range(len(out)):
        out[b] = flat[np.uint32(mine + size[b]) * width + np.uint32(count[b])]


@compiled
def look_up_matrix(count, row_size, column_size, table, out):
    """``out[i, j] = table[row_size[i] + column_size[j], count[i, j]]``."""
    width = np.uint32(table.shape[1])
    flat = table.reshape(-1)
    for i in range(out.shape[0]):
        mine = row_size[i]
        shared = count[i]
        line = out[i]
        for j in range(out.shape[1]):
            line[j] = flat[np.uint32(mine + column_size[j]) * width + np.uint32(shared[j])]
