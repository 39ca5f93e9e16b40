"""Compiled loops: the centre of numbers in a cluster, some of which may be off the line."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled_inner
from ontomask.base.kernels import sort

__all__ = ["MEAN", "MEDIAN", "MIXED", "RANGE", "centre_kind", "extremes_of", "median_of", "mixed_centre"]

MEAN, MEDIAN, RANGE = 1, 2, 3
# Added to these for an attribute of which some values are off the line.
MIXED = 4


def centre_kind(centre, *, is_line):
    """The kind of an attribute of numbers, by what its centroid is."""
    kind = {"mean": MEAN, "median": MEDIAN, "range": RANGE}[centre]
    return kind if is_line else MIXED + kind


@compiled_inner
def median_of(values, count, records):
    """The smallest value with at least half of the records at or below it."""
    reached = np.int64(0)
    for v in sort(values):
        reached += count[v]
        if 2 * reached >= records:
            return v
    return -1


@compiled_inner
def extremes_of(values, count):
    """The smallest and the largest value that records have."""
    low = high = -1
    for v in values:
        if count[v] > 0:
            low = v if low < 0 else min(low, v)
            high = max(high, v)
    return low, high


@compiled_inner
def mixed_centre(kind, values, count, position, records, far, one, slack):
    """The centre of numbers of which some are off the line: its value, −1 if it is none, and its coordinate.

    Coordinates on the line go from 0 to ``far``. Those off it are multiples of 2 × (``far`` + 1), at the distance
    ``one`` from all others. The first means any value and is left out. Each other one is a value of its own, which is
    the centre if its distances to all records have a smaller sum.
    """
    anything = 2 * (far + 1)
    on_line = np.empty(len(values), dtype=np.int64)
    size = 0
    known = np.int64(0)
    moment = np.int64(0)
    for v in values:
        if count[v] > 0 and position[v] <= far + 1:
            on_line[size] = v
            size += 1
            known += count[v]
            moment += count[v] * position[v]
    on_line = on_line[:size]
    best = np.int64(-1)
    at = np.int64(anything)
    if kind == RANGE:
        if known == records:
            low, high = extremes_of(on_line, count)
            return best, (position[low] + position[high]) // 2
        for v in values:
            if count[v] == records:
                return np.int64(v), position[v]
        return best, at
    if known > 0 and kind == MEAN:
        at = moment // known
    elif known > 0:
        best = np.int64(median_of(on_line, count, known))
        at = position[best]
    cost = one * (records - known)
    for v in on_line:
        cost += count[v] * abs(position[v] - at)
    for v in values:
        mine = one * (records - count[v])
        is_own = count[v] > 0 and position[v] > anything + far
        if is_own and (mine < cost - slack or (known == 0 and at == anything)):
            best, at, cost = np.int64(v), position[v], mine
    return best, at
