"""Upward searches in the is-a graph: the subsumers of one concept or of many, and sums over them."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.base.kernels import sort

__all__ = [
    "TILE",
    "climb",
    "closure",
    "collect",
    "collect_all",
    "count_over_subsumers",
    "local_parents",
    "subsumer_counts",
]

# Columns that a sweep over a matrix processes at a time.
TILE = 64


@compiled_inner
def climb(parent_start, parent, a, links, queue):
    """Breadth-first search from a to the root: sets ``links`` (−1: not reached), fills ``queue``, returns its size."""
    links[a] = 0
    queue[0] = a
    return _search(parent_start, parent, 0, 1, links, queue, 0, 1)


@compiled_inner
def collect(parent_start, parent, c, mark, stamp, queue):
    """List the subsumers of c without the ``mark`` in ``queue``, mark them, return how many. c must not have it.

    No concept may have a higher mark.
    """
    stamp[c] = mark
    queue[0] = c
    return _search(parent_start, parent, mark, 0, stamp, queue, 0, 1)


@compiled_inner
def collect_all(parent_start, parent, concepts, mark, stamp, queue, size):
    """As `collect`, for several concepts. The subsumers are appended to the first ``size`` of ``queue``."""
    head = size
    for c in concepts:
        if stamp[c] != mark:
            stamp[c] = mark
            queue[size] = c
            size += 1
    return _search(parent_start, parent, mark, 0, stamp, queue, head, size)


@compiled_inner
def _search(parent_start, parent, lowest, step, stamp, queue, head, size):
    """Append the subsumers of ``queue[head:size]`` whose stamp is below ``lowest``; returns the new size.

    Each of them gets the stamp of the concept from which it was reached first, plus ``step``.
    """
    while head < size:
        b = queue[head]
        head += 1
        for j in range(parent_start[b], parent_start[b + 1]):
            p = parent[j]
            if stamp[p] < lowest:
                stamp[p] = stamp[b] + step
                queue[size] = p
                size += 1
    return size


@compiled_inner
def closure(parent_start, parent, rows, columns, index):
    """Codes of all subsumers of the given concepts, ascending. Sets ``index`` (−1: not one) to their positions."""
    queue = np.empty(len(parent_start) - 1, dtype=np.int32)
    size = collect_all(parent_start, parent, rows, 0, index, queue, 0)
    size = collect_all(parent_start, parent, columns, 0, index, queue, size)
    codes = sort(queue[:size])
    for i in range(size):
        index[codes[i]] = i
    return codes


@compiled_inner
def local_parents(parent_start, parent, codes, index):
    """The links among the closure's concepts, as positions in the closure (CSR)."""
    start = np.zeros(len(codes) + 1, dtype=np.int32)
    for i in range(len(codes)):
        start[i + 1] = start[i] + parent_start[codes[i] + 1] - parent_start[codes[i]]
    above = np.empty(start[-1], dtype=np.int32)
    at = 0
    for i in range(len(codes)):
        for j in range(parent_start[codes[i]], parent_start[codes[i] + 1]):
            above[at] = index[parent[j]]
            at += 1
    return start, above


@compiled
def subsumer_counts(parent_start, parent, counts):
    """|T(c)|: the number of subsumers of every concept, including the concept itself."""
    n = len(parent_start) - 1
    stamp = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    for c in range(n):
        first, last = parent_start[c], parent_start[c + 1]
        if last - first == 0:
            counts[c] = 1
        elif last - first == 1:
            counts[c] = counts[parent[first]] + 1
        else:
            counts[c] = collect(parent_start, parent, c, c, stamp, queue)


@compiled
def count_over_subsumers(parent_start, parent, weight, total):
    """Adds the weight of every concept to each of its subsumers, once even if several paths lead there."""
    n = len(parent_start) - 1
    stamp = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    for c in range(n):
        if weight[c] != 0:
            size = collect(parent_start, parent, c, c, stamp, queue)
            for q in range(size):
                total[queue[q]] += weight[c]
