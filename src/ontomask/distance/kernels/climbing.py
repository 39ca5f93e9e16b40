"""Walking up the is-a graph: subsumers of one concept, of many, and what adds up over them."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled

__all__ = ["TILE", "climb", "closure", "collect", "count_over_subsumers", "local_parents", "subsumer_counts"]

# Columns that a sweep over a matrix takes at a time.
TILE = 64


@compiled
def climb(parent_start, parent, a, links, queue):
    """Breadth-first from a to the root: marks ``links`` (−1 = unseen) and fills ``queue``; returns its length."""
    links[a] = 0
    queue[0] = a
    size = 1
    head = 0
    while head < size:
        b = queue[head]
        head += 1
        for j in range(parent_start[b], parent_start[b + 1]):
            p = parent[j]
            if links[p] < 0:
                links[p] = links[b] + 1
                queue[size] = p
                size += 1
    return size


@compiled
def collect(parent_start, parent, c, mark, stamp, queue):
    """Puts the subsumers of c that do not carry ``mark`` yet into ``queue``, marking them; returns how many."""
    stamp[c] = mark
    queue[0] = c
    size = 1
    head = 0
    while head < size:
        b = queue[head]
        head += 1
        for j in range(parent_start[b], parent_start[b + 1]):
            p = parent[j]
            if stamp[p] != mark:
                stamp[p] = mark
                queue[size] = p
                size += 1
    return size


@compiled
def closure(parent_start, parent, rows, columns, seen):
    """Codes of all subsumers of the given concepts, ascending; ``seen`` (−1 = no) becomes their places."""
    n = len(parent_start) - 1
    queue = np.empty(n, dtype=np.int32)
    size = 0
    for part in range(2):
        codes = rows if part == 0 else columns
        for i in range(len(codes)):
            if seen[codes[i]] < 0:
                seen[codes[i]] = 0
                queue[size] = codes[i]
                size += 1
    head = 0
    while head < size:
        b = queue[head]
        head += 1
        for j in range(parent_start[b], parent_start[b + 1]):
            p = parent[j]
            if seen[p] < 0:
                seen[p] = 0
                queue[size] = p
                size += 1
    codes = np.sort(queue[:size])
    for i in range(size):
        seen[codes[i]] = i
    return codes


@compiled
def local_parents(parent_start, parent, codes, place):
    """The links among the closure's concepts, in its own numbering."""
    start = np.zeros(len(codes) + 1, dtype=np.int32)
    for i in range(len(codes)):
        start[i + 1] = start[i] + parent_start[codes[i] + 1] - parent_start[codes[i]]
    above = np.empty(start[-1], dtype=np.int32)
    at = 0
    for i in range(len(codes)):
        for j in range(parent_start[codes[i]], parent_start[codes[i] + 1]):
            above[at] = place[parent[j]]
            at += 1
    return start, above


@compiled
def subsumer_counts(parent_start, parent, counts):
    """|T(c)| of every concept, itself included."""
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
    """Adds the weight of every concept to each of its subsumers once, however many ways lead there."""
    n = len(parent_start) - 1
    stamp = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    for c in range(n):
        if weight[c] != 0:
            size = collect(parent_start, parent, c, c, stamp, queue)
            for q in range(size):
                total[queue[q]] += weight[c]
