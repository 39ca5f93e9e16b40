"""Compiled loops of cell suppression by equality: tuples choose which cells are suppressed, and groups need k records.

A *mask* is a set of columns that are suppressed. Under mask b, tuple t is in the group ``group[b, t]``: the tuples that
are equal to it in all other columns; −1 if t cannot have the mask. Groups are numbered through all masks.
``member[start[g]:start[g + 1]]`` are the tuples of group g. Each tuple has chosen one mask. ``size[g]`` counts the
records of those that have chosen g; it is 0 or at least k. ``cost[c, b]`` is what mask b costs a record whose tuple
has class ``kind[t] = c``, and ``order[c]`` lists the masks by that cost.
"""

from __future__ import annotations

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.ties import TIE

__all__ = ["close_groups", "fill_groups", "join_groups", "open_groups"]


@compiled
def fill_groups(member, start, mask_start, masks, counts, k, chosen, size):
    """Try masks in the given order. Tuples of a group that have no mask yet take it if they have k records."""
    for b in masks:
        for g in range(mask_start[b], mask_start[b + 1]):
            records = 0
            for e in range(start[g], start[g + 1]):
                if chosen[member[e]] < 0:
                    records += counts[member[e]]
            if records >= k:
                size[g] = records
                for e in range(start[g], start[g + 1]):
                    if chosen[member[e]] < 0:
                        chosen[member[e]] = b


@compiled_inner
def _cheapest_open(t, kind, group, order, size, without):
    """The cheapest mask, except one, under which a tuple fits into a group in use; −1 if none."""
    for b in order[kind[t]]:
        if b != without and group[b, t] >= 0 and size[group[b, t]] > 0:
            return b
    return -1


@compiled_inner
def _can_leave(t, group, counts, k, chosen, size):
    """Whether a tuple can leave its group: k records, or none, must remain."""
    rest = size[group[chosen[t], t]] - counts[t]
    return rest == 0 or rest >= k


@compiled_inner
def _put_back(number, group, counts, chosen, size, taken):
    """Return tuples to the groups that they have left."""
    for i in range(number):
        t = taken[i]
        size[group[chosen[t], t]] += counts[t]


@compiled
def join_groups(group, cost, kind, order, counts, k, chosen, size):
    """Let tuples join cheaper groups if their own group can do without them. Returns what is saved."""
    saved = 0.0
    for t in range(len(counts)):
        if cost[kind[t], chosen[t]] <= TIE or not _can_leave(t, group, counts, k, chosen, size):
            continue
        best = _cheapest_open(t, kind, group, order, size, chosen[t])
        gain = cost[kind[t], chosen[t]] - cost[kind[t], best] if best >= 0 else 0.0
        if gain > TIE:
            size[group[chosen[t], t]] -= counts[t]
            size[group[best, t]] += counts[t]
            chosen[t] = best
            saved += gain * counts[t]
    return saved


@compiled
def open_groups(group, member, start, mask_start, masks, cost, kind, counts, k, chosen, size, taken):
    """Open groups for tuples that pay more elsewhere, filled up with others where that still saves.

    Returns what is saved.
    """
    saved = 0.0
    for b in masks:
        for g in range(mask_start[b], mask_start[b + 1]):
            if size[g] > 0:
                continue
            records = 0
            gain = 0.0
            number = 0
            for others in range(2):
                if others == 1 and (records == 0 or records >= k):
                    break
                for e in range(start[g], start[g + 1]):
                    t = member[e]
                    more = (cost[kind[t], chosen[t]] - cost[kind[t], b]) * counts[t]
                    fills_up = others == 1 and more <= TIE and records < k and gain + more > TIE
                    gains = others == 0 and more > TIE
                    if (gains or fills_up) and _can_leave(t, group, counts, k, chosen, size):
                        size[group[chosen[t], t]] -= counts[t]
                        records += counts[t]
                        gain += more
                        taken[number] = t
                        number += 1
            if records >= k and gain > TIE:
                saved += gain
                size[g] = records
                for i in range(number):
                    chosen[taken[i]] = b
            else:
                _put_back(number, group, counts, chosen, size, taken)
    return saved


@compiled
def close_groups(group, member, start, mask_start, masks, cost, kind, order, counts, chosen, size, other):
    """Close groups whose tuples pay less, all together, in other groups. Returns what is saved."""
    saved = 0.0
    for i in range(len(masks) - 1, -1, -1):
        b = masks[i]
        for g in range(mask_start[b], mask_start[b + 1]):
            if size[g] == 0:
                continue
            gain = 0.0
            is_possible = True
            for e in range(start[g], start[g + 1]):
                t = member[e]
                if chosen[t] == b:
                    other[t] = _cheapest_open(t, kind, group, order, size, b)
                    if other[t] < 0:
                        is_possible = False
                        break
                    gain += (cost[kind[t], b] - cost[kind[t], other[t]]) * counts[t]
            if is_possible and gain > TIE:
                saved += gain
                size[g] = 0
                for e in range(start[g], start[g + 1]):
                    t = member[e]
                    if chosen[t] == b:
                        chosen[t] = other[t]
                        size[group[other[t], t]] += counts[t]
    return saved
