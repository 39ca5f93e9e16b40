"""Compiled loops of cell suppression with wildcards: suppressed cells match any value.

``codes`` has a row per column. ``blank[t]`` is the mask of the suppressed columns of tuple t: bit j is column j. Tuples
t and u match if they are equal in all columns that neither has suppressed. ``matches[t]`` counts the records that match
t, its own included. ``cost[b]`` is what mask b costs, and ``masks`` lists the masks by cost.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.ties import TIE

__all__ = ["restore_cells", "set_blank", "suppress_cells"]


@compiled
def suppress_cells(codes, counts, cost, masks, k, todo, blank, matches):
    """Suppress cells of each listed tuple that fewer than k records match: the cheapest mask that suffices for it.

    Of equally cheap masks, it is the one that gives other tuples most of the matches that they lack.
    """
    columns, tuples = codes.shape
    needs = np.empty(tuples, dtype=np.int32)
    found = np.empty(1 << columns, dtype=np.int64)
    helped = np.empty(1 << columns, dtype=np.int64)
    for u in todo:
        if matches[u] >= k:
            continue
        _differences(codes, u, needs)
        found[:] = 0
        helped[:] = 0
        for t in range(tuples):
            needed = needs[t] & ~blank[t]
            found[needed] += counts[t]
            if matches[t] < k:
                helped[needed] += min(counts[u], k - matches[t])
        _sum_subsets(found, columns)
        _sum_subsets(helped, columns)
        best = -1
        for b in masks:
            if found[b] < k or b & blank[u] != blank[u]:
                continue
            if best >= 0 and cost[b] > cost[best] + TIE:
                break
            if best < 0 or helped[b] > helped[best]:
                best = b
        _change(u, best, needs, counts, blank, matches)
        matches[u] = found[best]


@compiled
def restore_cells(codes, counts, cost, masks, k, todo, own, blank, matches):
    """Give each listed tuple the cheapest mask that leaves k matches to it and to all others. Returns what is saved."""
    columns, tuples = codes.shape
    needs = np.empty(tuples, dtype=np.int32)
    found = np.empty(1 << columns, dtype=np.int64)
    saved = 0.0
    for u in todo:
        old = blank[u]
        if old == own[u]:
            continue
        _differences(codes, u, needs)
        found[:] = 0
        must = own[u]
        for t in range(tuples):
            needed = needs[t] & ~blank[t]
            found[needed] += counts[t]
            # A tuple that would fall below k without u must go on matching it.
            if t != u and needed & ~old == 0 and matches[t] - counts[u] < k:
                must |= needed
        _sum_subsets(found, columns)
        for b in masks:
            if cost[b] >= cost[old] - TIE:
                break
            if must & ~b == 0 and found[b] >= k:
                saved += counts[u] * (cost[old] - cost[b])
                _change(u, b, needs, counts, blank, matches)
                matches[u] = found[b]
                break
    return saved


@compiled
def set_blank(codes, counts, todo, own, blank, matches):
    """Suppress the columns ``own[u]`` of each listed tuple u, and count the matches that this brings."""
    needs = np.empty(codes.shape[1], dtype=np.int32)
    for u in todo:
        _differences(codes, u, needs)
        _change(u, own[u], needs, counts, blank, matches)
        total = 0
        for t in range(codes.shape[1]):
            if needs[t] & ~(blank[t] | own[u]) == 0:
                total += counts[t]
        matches[u] = total


@compiled_inner
def _differences(codes, u, needs):
    """For each tuple the mask of the columns in which it differs from u."""
    columns, tuples = codes.shape
    needs[:] = 0
    for j in range(columns):
        mine = codes[j, u]
        bit = np.int32(1 << j)
        for t in range(tuples):
            needs[t] |= bit if codes[j, t] != mine else np.int32(0)


@compiled_inner
def _sum_subsets(values, columns):
    """For each mask the sum over all masks that are part of it."""
    for j in range(columns):
        for b in range(len(values)):
            if b >> j & 1:
                values[b] += values[b ^ (1 << j)]


@compiled_inner
def _change(u, mask, needs, counts, blank, matches):
    """Give tuple u another mask, and count the matches of all other tuples again."""
    for t in range(len(needs)):
        before = needs[t] & ~(blank[t] | blank[u]) == 0
        after = needs[t] & ~(blank[t] | mask) == 0
        if before != after and t != u:
            matches[t] += counts[u] if after else -counts[u]
    blank[u] = mask
