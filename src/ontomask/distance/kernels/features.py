"""Overlaps of sparse sets, and distances from overlaps and from information content."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner

__all__ = [
    "content_matrix",
    "content_pairs",
    "overlap_matrix",
    "overlap_pairs",
    "overlap_row",
    "tversky_matrix",
    "tversky_pairs",
]


@compiled
def overlap_row(start, feature, holder_start, holder, a, count):
    """Adds the number of features that every concept shares with ``a`` to ``count``."""
    for j in range(start[a], start[a + 1]):
        f = feature[j]
        for h in range(holder_start[f], holder_start[f + 1]):
            count[holder[h]] += 1


@compiled
def overlap_pairs(start, feature, a, b, count):
    """Adds the number of features that ``a[i]`` and ``b[i]`` share to ``count``. The features of a concept ascend."""
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


@compiled
def overlap_matrix(start, feature, holder_start, holder, rows, columns, out):
    """Adds the number of features that each row shares with each column to ``out``."""
    # A linked list of the columns of each concept, since a concept may be in several columns.
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


@compiled_inner
def _tversky(shared, size_a, size_b, depth_a, depth_b):
    """Tversky's ratio, the mean of both directions.

    γ, the smaller depth divided by the sum of both, weighs the features of the first concept alone. 1 − γ weighs those
    of the second alone. Both fractions are brought to one denominator and multiplied by the sum of the depths: one
    division instead of three.
    """
    less, more = min(depth_a, depth_b), max(depth_a, depth_b)
    less, more = (less, more) if more > 0 else (1.0, 1.0)
    both = shared * (less + more)
    only_a, only_b = size_a - shared, size_b - shared
    one_way = both + less * only_a + more * only_b
    other_way = both + less * only_b + more * only_a
    below = 2 * one_way * other_way
    return both * (one_way + other_way) / below if below > 0 else 0.0


@compiled
def tversky_matrix(shared, size, depth, rows, columns, out):
    """Tversky's ratio of the sets of every row and column."""
    column_size = size[columns].astype(out.dtype)
    column_depth = depth[columns].astype(out.dtype)
    for i in range(len(rows)):
        row_size, row_depth = out.dtype.type(size[rows[i]]), out.dtype.type(depth[rows[i]])
        for j in range(len(columns)):
            out[i, j] = _tversky(out.dtype.type(shared[i, j]), row_size, column_size[j], row_depth, column_depth[j])


@compiled
def tversky_pairs(shared, size, depth, a, b, out):
    """Tversky's ratio of the sets of ``a[i]`` and ``b[i]``."""
    for i in range(len(a)):
        out[i] = _tversky(
            float(shared[i]), float(size[a[i]]), float(size[b[i]]), float(depth[a[i]]), float(depth[b[i]])
        )


@compiled_inner
def _content_distance(measure, shared, a, b, most):
    """Resnik (0), Lin (1), Jiang–Conrath (2) from the contents of the subsumer and of both concepts."""
    both = a + b
    if measure == 1:
        return 1 - (shared + shared) / both if both > 0 else both + 1
    if most == 0:
        return most
    return 1 - shared / most if measure == 0 else (both - (shared + shared)) / (most + most)


@compiled
def content_matrix(measure, content, most, rows, columns, out):
    """Turns the contents of the best subsumers in ``out`` into distances."""
    real = out.dtype.type
    others = content[columns].astype(out.dtype)
    limit, nothing = real(most), real(0)
    for i in range(len(rows)):
        a, mine, line = rows[i], real(content[rows[i]]), out[i]
        for j in range(len(columns)):
            found = real(_content_distance(measure, line[j], mine, others[j], limit))
            # Mathematically equal contents may differ in their last bit.
            found = found if found > nothing else nothing
            line[j] = nothing if a == columns[j] else found


@compiled
def content_pairs(measure, content, most, a, b, out):
    """The same for pairs."""
    for i in range(len(a)):
        found = _content_distance(measure, out[i], content[a[i]], content[b[i]], most)
        out[i] = 0 if a[i] == b[i] else max(0.0, found)
