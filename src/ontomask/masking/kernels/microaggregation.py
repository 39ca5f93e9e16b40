"""Compiled loops of microaggregation: MDAV on records and SA-MDAV on tuples (Martínez 2012, Algorithms 3 and 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled, compiled_inner
from ontomask.masking.kernels.grid import drop, farthest, look_from, nearest, put
from ontomask.masking.kernels.refinement import begin, link
from ontomask.masking.kernels.running_centroid import FAR, MODE, add, centre, remove, reset, to_point

__all__ = ["BEGIN", "CLOSEST", "LINK", "Entries", "build", "join_leftovers"]

LINK, BEGIN, CLOSEST = range(3)


class Entries(Bundle):
    """Clusters as a growing list of entries: how many records of a tuple are in a cluster.

    Attributes
    ----------
    number
        The numbers of clusters and of entries.
    tuple_of, cluster_of, records
        The entries.
    """

    number: Any
    tuple_of: Any
    cluster_of: Any
    records: Any

    @classmethod
    def room_for(cls, tuples, clusters):
        """An empty list. A cluster uses up all its tuples except at most three: the first, the last, one held back."""
        most = tuples + 3 * clusters
        return cls(
            np.zeros(2, dtype=np.int64),
            np.empty(most, dtype=np.int32),
            np.empty(most, dtype=np.int32),
            np.empty(most, dtype=np.int64),
        )


@compiled_inner
def _begin(f, left, rest, grid, start, stop):
    """Put the records of some tuples into a set, and the tuples into a grid, the first in front."""
    for t in range(stop - 1, start - 1, -1):
        if left[t] > 0:
            add(f, rest, t, left[t])
            put(f, grid, t)


@compiled
def build(f, left, rest, grid, mine, out, k, options, is_begin, start, stop):
    """Begin with the tuples ``start`` to ``stop − 1``, or build ``stop − start`` pairs of clusters.

    Both are one function for Python, since they share code. ``options`` are those of `_build`.
    """
    if is_begin:
        _begin(f, left, rest, grid, start, stop)
    else:
        fixed, bounded, static, weigh_distant, weigh_closest = options
        _build(f, left, rest, grid, mine, out, k, fixed, bounded, static, weigh_distant, weigh_closest, stop - start)


@compiled_inner
def _build(f, left, rest, grid, mine, out, k, fixed, bounded, static, weigh_distant, weigh_closest, most):
    """Build clusters around extremes, up to a number of pairs. ``left`` has the records without a cluster.

    ``fixed``: clusters have k records (Algorithm 3); record s is set apart before the cluster around r grows.
    ``bounded``: they have at most 2k − 1. In both cases tuples are divided, and the last records, at least k, form one
    cluster. Otherwise (Algorithm 4) tuples stay whole, the closest tuple joins until the cluster has k records, and
    fewer than k records may be left. ``static``: closest to the first tuple instead of the centroid.

    Records of a tuple are equal, so extremes stay the same while the centroid does and they have records.
    """
    attributes = len(f.kind)
    node = np.empty(attributes, dtype=np.int32)
    coordinate = np.zeros(attributes, dtype=np.int64)
    seen = np.full(attributes, -2, dtype=np.int32)
    seen_at = np.zeros(attributes, dtype=np.int64)
    least = 2 * k if fixed or bounded else k
    r = s = -1
    for _ in range(most):
        if rest.records[0] < least:
            break
        if f.strategy == MODE:
            _most_frequent(left, rest)
        centre(f, rest, node, coordinate)
        moved = r < 0 or left[r] == 0
        for j in range(attributes):
            moved = moved or node[j] != seen[j] or coordinate[j] != seen_at[j]
            seen[j], seen_at[j] = node[j], coordinate[j]
        if moved:
            look_from(f, grid, node, coordinate)
            r = farthest(f, grid, weigh_distant)
            s = -1
        for side in range(2):
            if side == 1:
                if rest.records[0] < least:
                    break
                if s < 0 or left[s] == 0:
                    look_from(f, grid, f.node[r], f.coordinate[r])
                    s = farthest(f, grid, weigh_distant)
            t = r if side == 0 else s
            for j in range(attributes):
                node[j] = f.node[t, j]
                coordinate[j] = f.coordinate[t, j]
            room = rest.records[0]
            if fixed:
                room = np.int64(k)
            elif bounded:
                # The records left must also form a cluster.
                room = min(np.int64(2 * k - 1), room - k)
            held = -1
            size = 0
            while True:
                some = min(left[t] - (1 if t == held else 0), room - size)
                remove(f, rest, t, some)
                left[t] -= some
                if left[t] == 0:
                    drop(f, grid, t)
                at = out.number[1]
                out.number[1] += 1
                out.tuple_of[at], out.cluster_of[at], out.records[at] = t, out.number[0], some
                size += some
                if size >= k:
                    break
                if fixed and side == 0 and held < 0 and rest.records[0] + size >= 3 * k:
                    if s < 0 or left[s] == 0:
                        look_from(f, grid, node, coordinate)
                        s = farthest(f, grid, False)
                    held = s
                if not (static or fixed):
                    add(f, mine, t, some)
                    if mine.records[0] > some:
                        centre(f, mine, node, coordinate)
                look_from(f, grid, node, coordinate)
                t, _ = nearest(f, grid, weigh_closest, held if held >= 0 and left[held] == 1 else -1, FAR)
            reset(f.first, mine)
            out.number[0] += 1
    if (fixed or bounded) and 0 < rest.records[0] < least:
        for t in range(len(left)):
            if left[t] > 0:
                remove(f, rest, t, left[t])
                at = out.number[1]
                out.number[1] += 1
                out.tuple_of[at], out.cluster_of[at], out.records[at] = t, out.number[0], left[t]
                left[t] = 0
        out.number[0] += 1


@compiled_inner
def _most_frequent(left, rest):
    rest.records[2] = 0
    for t in range(len(left)):
        if left[t] > rest.records[2]:
            rest.records[1] = t
            rest.records[2] = left[t]


@compiled
def join_leftovers(step, f, p, g, centroid, tuples, number, out, start, stop):
    """The steps that find a cluster for each of the tuples without one.

    `LINK` all tuples of clusters, compute the centroids `BEGIN`ning with cluster ``start``, and find the `CLOSEST` of
    ``number`` centroids for the given tuples from ``start`` on, the first of ties.
    """
    if step == LINK:
        link(f, p)
    elif step == BEGIN:
        begin(f, p, g, centroid, start, stop)
    else:
        _closest(f, g, tuples, number, out, start, stop)


@compiled_inner
def _closest(f, g, tuples, number, out, start, stop):
    for i in range(start, stop):
        best = np.int64(FAR)
        for c in range(number):
            d = to_point(f, tuples[i], g.node[c], g.coordinate[c])
            if d < best - f.tie:
                best = d
                out[i] = c
