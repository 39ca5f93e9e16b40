"""Compiled loops of semantic noise: the replacements of one value for the errors of its records."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.ties import TIE

__all__ = ["SIGN_DROPPED", "TRUNCATED", "replace_value", "sort_by_level"]

TRUNCATED, SIGN_DROPPED = 1, 2
CLOSER, FARTHER, EITHER = 0, 1, 2


@compiled
def sort_by_level(level, distance, order, start, reached):
    """Sort concepts by their level of distance to a value; those of the same level stay in taxonomy order.

    The concepts of the i-th level that is not empty become ``order[start[i]:start[i + 1]]``, its distance
    ``reached[i]``. Returns the number of these levels.
    """
    size = np.zeros(len(distance), dtype=np.int32)
    for c in range(len(level)):
        size[level[c]] += 1
    levels = 0
    first = 0
    for at in range(len(distance)):
        if size[at] > 0:
            start[levels] = first
            reached[levels] = distance[at]
            levels += 1
            first, size[at] = first + size[at], first
    start[levels] = first
    for c in range(len(level)):
        at = level[c]
        order[size[at]] = c
        size[at] += 1
    return levels


@compiled_inner
def _members(at, side, order, start, reference, own, found, count):
    """The number of concepts of a level on a side of the reference.

    They are listed when the level is first used: in the level's part of ``found``, the closer ones from the front, the
    farther ones from the back.
    """
    low, high = start[at], start[at + 1]
    if side == EITHER:
        return high - low
    if count[at, CLOSER] < 0:
        closer, farther = 0, 0
        for i in range(low, high):
            c = order[i]
            if reference[c] < own:
                found[low + closer] = c
                closer += 1
            elif reference[c] > own:
                farther += 1
                found[high - farther] = c
        count[at, CLOSER], count[at, FARTHER] = closer, farther
    return count[at, side]


@compiled_inner
def _level(least, side, order, start, reference, own, found, count):
    """The nearest level from ``least`` on with a concept on the side, else the farthest below; −1 if there is none."""
    for at in range(least, len(start) - 1):
        if _members(at, side, order, start, reference, own, found, count) > 0:
            return at
    for at in range(least - 1, -1, -1):
        if _members(at, side, order, start, reference, own, found, count) > 0:
            return at
    return -1


@compiled_inner
def _regardless(order, low, high, picked, sorted_for, value):
    """The concept at a position of a level, on either side.

    The level was sorted for a twin, which comes before the value. For the value, the two change positions.
    """
    c = order[low + picked]
    if value == sorted_for:
        return c
    if c == sorted_for:
        return value
    own = low + np.searchsorted(order[low:high], value)
    if own == high or order[own] != value:
        return c
    before = low + np.searchsorted(order[low:high], sorted_for)
    at = low + picked
    if at < before or at > own:
        return c
    return sorted_for if at == before else order[at - 1]


@compiled
def replace_value(sorted_for, order, start, reached, references, row, value, error, chance, found, out, moved, status):
    """Replace one value, or several twins, in several records (Rodriguez-Garcia 2017, Algorithms 1–3).

    ``order``, ``start`` and ``reached`` are the domain as `sort_by_level` gives it for the concept ``sorted_for``: the
    value of each record, or a twin that comes before it. Neither is the reference point. Row ``row[i]`` of
    ``references`` has every concept's level of distance to the reference point of record i. If the row is negative,
    only the magnitude of the error counts. Records with the same row are adjacent, and their values are equally far
    from the reference point. ``chance`` (in [0, 1)) selects one of the concepts that tie.

    The results are the replacement ``out``, its distance ``moved``, and ``status``: whether no concept was far enough,
    or none was on the side of the error's sign.
    """
    count = np.empty((len(reached), 2), dtype=np.int32)
    last = -1
    for i in range(len(error)):
        if error[i] == 0:
            out[i], moved[i], status[i] = value[i], 0.0, 0
            continue
        reference = references[max(row[i], 0)]
        own = reference[value[i]]
        side = EITHER if row[i] < 0 else FARTHER if error[i] > 0 else CLOSER
        if side != EITHER and row[i] != last:
            last = row[i]
            count[:] = -1
        least = np.searchsorted(reached, abs(error[i]) - TIE)
        at = _level(least, side, order, start, reference, own, found, count)
        status[i] = 0
        if at < 0:
            side = EITHER
            at = _level(least, side, order, start, reference, own, found, count)
            status[i] = SIGN_DROPPED
        if at < least:
            status[i] |= TRUNCATED
        picked = np.int64(chance[i] * _members(at, side, order, start, reference, own, found, count))
        if side == CLOSER:
            out[i] = found[start[at] + picked]
        elif side == FARTHER:
            out[i] = found[start[at + 1] - 1 - picked]
        else:
            out[i] = _regardless(order, start[at], start[at + 1], picked, sorted_for, value[i])
        moved[i] = reached[at]
