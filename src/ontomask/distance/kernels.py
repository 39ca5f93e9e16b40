"""Compiled sweeps over the is-a graph; nothing else in the package knows Numba.

Two quantities serve all taxonomic measures, and both follow from the parents of a concept alone, so one pass
over the links in root-first order gives them from one concept to all others:

*Best common subsumer.* A common subsumer ``s`` of a and b scores ``value[s] − step·(links a→s + links b→s)``.
Subsumers of a score by themselves; any other b has the best score of its parents, one link farther. With
``value = depth·2^shift`` (more than any number of links) the best is the deepest, ties by the shortest way; with
``value = 0`` it is the shortest way through any; with ``step = 0`` and the rank of the information content as
value it is the most informative one.

*Common subsumers.* b has those of its main (first) parent, itself if it subsumes a, and the ``extra`` ones:
its subsumers that the main parent does not have, which exist only where a concept has several parents.

Matrices sweep over the subsumers of the selected concepts only, for a tile of columns at a time, so that a
row of the tile is a few vector registers and the tile stays in the cache.
"""

from __future__ import annotations

import logging

import numpy as np
from numba import njit
from numba.core import event

__all__ = [
    "best_matrix",
    "best_pairs",
    "best_row",
    "common_matrix",
    "common_pairs",
    "common_row",
    "content_matrix",
    "content_pairs",
    "count_over_subsumers",
    "extra_subsumers",
    "look_up_matrix",
    "look_up_row",
    "overlap_matrix",
    "overlap_pairs",
    "overlap_row",
    "subsumer_counts",
    "tversky_matrix",
    "tversky_pairs",
]

TILE = 64


class _Notice(event.Listener):
    """Says once that compiling is under way, so that the first use on a machine does not hang silently."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, happening: event.Event) -> None:
        """Numba begins to compile; nothing happens where the kernels come from the cache on disk."""
        function = happening.data["dispatcher"].py_func
        if not self.said and function.__module__ == __name__:
            self.said = True
            logging.getLogger("ontomask").warning("compiling kernels for this machine, once: some seconds a measure …")

    def on_end(self, happening: event.Event) -> None:
        """Numba has compiled a function."""


event.register("numba:compile", _Notice())

# Division as NumPy does it, without a check that would keep loops from being vectorised.
_compiled = njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")


@_compiled
def _climb(parent_start, parent, a, links, queue):
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


@_compiled
def best_row(parent_start, parent, value, step, a, lowest, table, out):
    """``out[b] = table[best score of a, b − lowest]`` for every concept b."""
    n = len(parent_start) - 1
    links = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    _climb(parent_start, parent, a, links, queue)
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


@_compiled
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
            size_a = _climb(parent_start, parent, a[i], from_a, queue_a)
            previous = a[i]
        size_b = _climb(parent_start, parent, b[i], from_b, queue_b)
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


@_compiled
def _closure(parent_start, parent, rows, columns, seen):
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


@_compiled
def _local_parents(parent_start, parent, codes, place):
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


@_compiled
def best_matrix(parent_start, parent, value, step, rows, columns, lowest, table, out):
    """``out[i, j] = table[best score of rows[i], columns[j] − lowest]``, by tiles of columns."""
    place = np.full(len(parent_start) - 1, -1, dtype=np.int32)
    codes = _closure(parent_start, parent, rows, columns, place)
    start, above = _local_parents(parent_start, parent, codes, place)
    size = len(codes)
    links = np.full(size, -1, dtype=np.int32)
    queue = np.empty(size, dtype=np.int32)
    key = np.empty((size, TILE), dtype=value.dtype)
    unit = np.full(TILE, step, dtype=value.dtype)
    for first in range(0, len(columns), TILE):
        width = min(TILE, len(columns) - first)
        key[:] = lowest
        for t in range(width):
            reached = _climb(start, above, place[columns[first + t]], links, queue)
            for q in range(reached):
                s = queue[q]
                key[s, t] = value[codes[s]] - step * links[s]
                links[s] = -1
        for i in range(1, size):
            mine = key[i]
            for j in range(start[i], start[i + 1]):
                theirs = key[above[j]]
                for t in range(TILE):
                    # Wraps within the narrow type, so that the loop stays in narrow vector lanes.
                    mine[t] = max(mine[t], unit.dtype.type(theirs[t] - unit[t]))
        for i in range(len(rows)):
            mine = key[place[rows[i]]]
            line = out[i, first : first + width]
            for t in range(width):
                line[t] = table[np.uint32(mine[t] - lowest)]


@_compiled
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
            counts[c] = _collect(parent_start, parent, c, c, stamp, queue)


@_compiled
def _collect(parent_start, parent, c, mark, stamp, queue):
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


@_compiled
def extra_subsumers(parent_start, parent, counts):
    """For each concept its subsumers, itself apart, that its main parent does not have (CSR)."""
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
        _collect(parent_start, parent, parent[parent_start[c]], c, stamp, queue)
        at = start[c]
        for j in range(parent_start[c] + 1, parent_start[c + 1]):
            if stamp[parent[j]] != c:
                found = _collect(parent_start, parent, parent[j], c, stamp, queue)
                for q in range(found):
                    extras[at] = queue[q]
                    at += 1
    return start, extras


@_compiled
def common_row(parent_start, parent, extra_start, extra, a, count):
    """Number of common subsumers of ``a`` and every concept, into ``count``."""
    n = len(parent_start) - 1
    mark = np.zeros(n, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    mark[a] = 1
    queue[0] = a
    size = 1
    head = 0
    while head < size:
        b = queue[head]
        head += 1
        for j in range(parent_start[b], parent_start[b + 1]):
            p = parent[j]
            if mark[p] == 0:
                mark[p] = 1
                queue[size] = p
                size += 1
    count[0] = mark[0]
    for b in range(1, n):
        shared = count[parent[parent_start[b]]] + mark[b]
        for j in range(extra_start[b], extra_start[b + 1]):
            shared += mark[extra[j]]
        count[b] = shared


@_compiled
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
            _collect(parent_start, parent, a[i], mark, stamp_a, queue)
        size = _collect(parent_start, parent, b[i], i, stamp_b, queue)
        shared = 0
        for q in range(size):
            shared += stamp_a[queue[q]] == mark
        count[i] = shared


@_compiled
def common_matrix(parent_start, parent, extra_start, extra, rows, columns, out):
    """Number of common subsumers of every row and column, by tiles of columns."""
    place = np.full(len(parent_start) - 1, -1, dtype=np.int32)
    codes = _closure(parent_start, parent, rows, columns, place)
    start, above = _local_parents(parent_start, parent, codes, place)
    size = len(codes)
    links = np.full(size, -1, dtype=np.int32)
    queue = np.empty(size, dtype=np.int32)
    mark = np.zeros((size, TILE), dtype=np.int16)
    count = np.empty((size, TILE), dtype=np.int16)
    for first in range(0, len(columns), TILE):
        width = min(TILE, len(columns) - first)
        mark[:] = 0
        for t in range(width):
            reached = _climb(start, above, place[columns[first + t]], links, queue)
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
                more = mark[place[extra[j]]]
                for t in range(TILE):
                    mine[t] += more[t]
        for i in range(len(rows)):
            mine = count[place[rows[i]]]
            line = out[i, first : first + width]
            for t in range(width):
                line[t] = mine[t]


@_compiled
def look_up_row(count, size, a, table, out):
    """``out[b] = table[size[a] + size[b], count[b]]``."""
    width = np.uint32(table.shape[1])
    flat = table.reshape(-1)
    mine = size[a]
    for b in range(len(out)):
        out[b] = flat[np.uint32(mine + size[b]) * width + np.uint32(count[b])]


@_compiled
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


@_compiled
def _content_distance(measure, shared, a, b, most):
    """Resnik (0), Lin (1), Jiang–Conrath (2) from the contents of the subsumer and of both concepts."""
    if measure == 1:
        both = a + b
        return 1 - 2 * shared / both if both > 0 else 1.0
    if most == 0:
        return 0.0
    return 1 - shared / most if measure == 0 else (a + b - 2 * shared) / (2 * most)


@_compiled
def content_matrix(measure, content, most, rows, columns, out):
    """Turns the contents of the best subsumers in ``out`` into distances."""
    for i in range(len(rows)):
        a = content[rows[i]]
        for j in range(len(columns)):
            found = _content_distance(measure, out[i, j], a, content[columns[j]], most)
            # Two contents that are equal in theory may differ in their last bit.
            out[i, j] = 0 if rows[i] == columns[j] else max(0.0, found)


@_compiled
def content_pairs(measure, content, most, a, b, out):
    """The same for pairs."""
    for i in range(len(a)):
        found = _content_distance(measure, out[i], content[a[i]], content[b[i]], most)
        out[i] = 0 if a[i] == b[i] else max(0.0, found)


@_compiled
def count_over_subsumers(parent_start, parent, weight, total):
    """Adds the weight of every concept to each of its subsumers once, however many ways lead there."""
    n = len(parent_start) - 1
    stamp = np.full(n, -1, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    for c in range(n):
        if weight[c] != 0:
            size = _collect(parent_start, parent, c, c, stamp, queue)
            for q in range(size):
                total[queue[q]] += weight[c]


@_compiled
def overlap_row(start, feature, holder_start, holder, a, count):
    """Adds the number of features that every concept shares with ``a`` to ``count``."""
    for j in range(start[a], start[a + 1]):
        f = feature[j]
        for h in range(holder_start[f], holder_start[f + 1]):
            count[holder[h]] += 1


@_compiled
def overlap_pairs(start, feature, a, b, count):
    """Adds the number of features that ``a[i]`` and ``b[i]`` share to ``count``; each concept's features ascend."""
    for i in range(len(a)):
        x, y = start[a[i]], start[b[i]]
        shared = 0
        while x < start[a[i] + 1] and y < start[b[i] + 1]:
            if feature[x] == feature[y]:
                shared += 1
                x += 1
                y += 1
            elif feature[x] < feature[y]:
                x += 1
            else:
                y += 1
        count[i] += shared


@_compiled
def overlap_matrix(start, feature, holder_start, holder, rows, columns, out):
    """Adds the number of features that each row shares with each column to ``out``."""
    # The columns of each concept as a chain, since a concept may stand in several.
    first = np.full(len(start) - 1, -1, dtype=np.int32)
    following = np.empty(len(columns), dtype=np.int32)
    for c in range(len(columns)):
        following[c] = first[columns[c]]
        first[columns[c]] = c
    for i in range(len(rows)):
        for j in range(start[rows[i]], start[rows[i] + 1]):
            f = feature[j]
            for h in range(holder_start[f], holder_start[f + 1]):
                c = first[holder[h]]
                while c >= 0:
                    out[i, c] += 1
                    c = following[c]


@_compiled
def _tversky(shared, size_a, size_b, depth_a, depth_b):
    """Tversky's ratio with γ from the depths, the mean of both directions (T eq. 3.4–3.5).

    γ is the smaller depth's share of both depths. It weighs what only the first concept has, 1 − γ what only the
    second has, so for unequal depths the direction matters; a distance may not depend on it. Both fractions are
    brought to one denominator and multiplied by the sum of the depths: one division instead of three.
    """
    less, more = min(depth_a, depth_b), max(depth_a, depth_b)
    less, more = (less, more) if more > 0 else (1.0, 1.0)
    both = shared * (less + more)
    only_a, only_b = size_a - shared, size_b - shared
    one_way = both + less * only_a + more * only_b
    other_way = both + less * only_b + more * only_a
    below = 2 * one_way * other_way
    return both * (one_way + other_way) / below if below > 0 else 0.0


@_compiled
def tversky_matrix(shared, size, depth, rows, columns, out):
    """Tversky's ratio of the sets of every row and column."""
    column_size = size[columns].astype(out.dtype)
    column_depth = depth[columns].astype(out.dtype)
    for i in range(len(rows)):
        row_size, row_depth = out.dtype.type(size[rows[i]]), out.dtype.type(depth[rows[i]])
        for j in range(len(columns)):
            out[i, j] = _tversky(out.dtype.type(shared[i, j]), row_size, column_size[j], row_depth, column_depth[j])


@_compiled
def tversky_pairs(shared, size, depth, a, b, out):
    """Tversky's ratio of the sets of ``a[i]`` and ``b[i]``."""
    for i in range(len(a)):
        out[i] = _tversky(
            float(shared[i]), float(size[a[i]]), float(size[b[i]]), float(depth[a[i]]), float(depth[b[i]])
        )
