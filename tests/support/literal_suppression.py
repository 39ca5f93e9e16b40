"""Suppression of cells as it is described, tuple by tuple, on plain sets: by equality, and with wildcards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

Mask = tuple[int, ...]
Tuple = tuple[int, ...]


def matches(records: Sequence[Sequence[object]], tops: Sequence[object]) -> list[int]:
    """How many records match each record: equal wherever neither has the top."""
    return [
        sum(all(a == b or top in (a, b) for a, b, top in zip(one, other, tops, strict=True)) for other in records)
        for one in records
    ]


def _subsets(columns: int) -> list[Mask]:
    return [mask for length in range(columns + 1) for mask in combinations(range(columns), length)]


def matching_cells(
    tuples: Sequence[Tuple], counts: Sequence[int], own: Sequence[set[int]], weights: Sequence[float], k: int
) -> list[set[int]]:
    """With wildcards: the columns that each tuple suppresses, those included in which it is the top already."""
    columns, every = len(weights), range(len(tuples))
    bits = [tuple(j for j in range(columns) if number >> j & 1) for number in range(1 << columns)]
    masks = sorted(bits, key=lambda mask: sum(weights[j] for j in mask))
    blank = [set(mine) for mine in own]

    def cost(mask):
        return sum(weights[j] for j in mask)

    def match(t, u, mask):
        """Whether t and u match if u suppresses a mask."""
        return all(j in blank[t] or j in mask or tuples[t][j] == tuples[u][j] for j in range(columns))

    def found(u, mask):
        return sum(counts[t] for t in every if t == u or match(t, u, mask))

    def needed(u):
        """The cheapest mask under which k records have the same other values."""
        for mask in masks:
            same = (t for t in every if all(tuples[t][j] == tuples[u][j] for j in range(columns) if j not in mask))
            if sum(counts[t] for t in same) >= k:
                return cost(mask)
        raise AssertionError

    todo = [u for u in every if found(u, blank[u]) < k]
    todo.sort(key=lambda u: (-needed(u), counts[u]))
    for u in todo:
        if found(u, blank[u]) >= k:
            continue
        short = [t for t in every if found(t, blank[t]) < k]
        lacking = {t: min(counts[u], k - found(t, blank[t])) for t in short}
        enough = [mask for mask in masks if blank[u] <= set(mask) and found(u, mask) >= k]
        cheapest = [mask for mask in enough if cost(mask) <= cost(enough[0]) + 1e-9]
        blank[u] = set(max(cheapest, key=lambda mask: sum(lacking[t] for t in short if t == u or match(t, u, mask))))
    improved = True
    while improved:
        improved = False
        for u in reversed(todo):
            old = blank[u]
            for mask in masks:
                if cost(mask) >= cost(old) - 1e-9:
                    break
                if not own[u] <= set(mask):
                    continue
                blank[u] = set(mask)
                # Others that did not match it before are not its concern.
                if found(u, mask) >= k and all(found(t, blank[t]) >= k for t in every):
                    improved = True
                    break
                blank[u] = old
    return blank


def equal_cells(
    tuples: Sequence[Tuple], counts: Sequence[int], own: Sequence[set[int]], weights: Sequence[float], k: int
) -> list[set[int]]:
    """By equality: the columns that each tuple suppresses, those included in which it is the top already."""
    columns, every = len(weights), range(len(tuples))
    subsets = _subsets(columns)
    chosen: list[Mask | None] = [None] * len(tuples)

    def cost(mask, t=None):
        return sum(weights[j] for j in mask if t is None or j not in own[t])

    def key(t, mask):
        return mask, tuple(tuples[t][j] for j in range(columns) if j not in mask)

    def members(mask):
        """The groups under a mask in the order of their values, with the tuples that can be in them."""
        groups: dict[object, list[int]] = {}
        for t in every:
            if own[t] <= set(mask):
                groups.setdefault(key(t, mask), []).append(t)
        return [groups[name] for name in sorted(groups)]

    def size(name):
        return sum(counts[t] for t in every if chosen[t] is not None and key(t, chosen[t]) == name)

    def cheapest_open(t, without=None):
        for mask in sorted(subsets, key=lambda mask: cost(mask, t)):
            if mask != without and own[t] <= set(mask) and size(key(t, mask)) > 0:
                return mask
        return None

    def can_leave(t):
        rest = size(key(t, chosen[t])) - counts[t]
        return rest == 0 or rest >= k

    masks = sorted(subsets, key=lambda mask: (cost(mask), len(members(mask))))
    for mask in masks:
        for group in members(mask):
            free = [t for t in group if chosen[t] is None]
            if sum(counts[t] for t in free) >= k:
                for t in free:
                    chosen[t] = mask
    for t in [t for t in every if chosen[t] is None]:
        mask = cheapest_open(t)
        if mask is None:
            groups: dict[object, list[int]] = {}
            for u in every:
                if chosen[u] is not None:
                    groups.setdefault((subsets.index(chosen[u]), key(u, chosen[u])), []).append(u)
            options = []
            for name in sorted(groups):
                u = groups[name][0]
                joint = tuple(j for j in range(columns) if j in chosen[u] or tuples[t][j] != tuples[u][j])
                held = sum(counts[v] for v in groups[name])
                options.append((counts[t] * cost(joint, t) + held * (cost(joint, u) - cost(chosen[u], u)), joint, name))
            least = min(option[0] for option in options)
            _, mask, name = next(option for option in options if option[0] == least)
            for u in groups[name]:
                chosen[u] = mask
        chosen[t] = mask
    saved = 1.0
    for _ in range(20):
        if saved <= 0:
            break
        saved = 0.0
        for t in every:
            if cost(chosen[t], t) > 1e-9 and can_leave(t):
                mask = cheapest_open(t, without=chosen[t])
                if mask is not None and cost(mask, t) < cost(chosen[t], t) - 1e-9:
                    saved += (cost(chosen[t], t) - cost(mask, t)) * counts[t]
                    chosen[t] = mask
        for mask in masks:
            for group in members(mask):
                if size(key(group[0], mask)) > 0:
                    continue
                before, taken, gain = list(chosen), [], 0.0
                for others in (False, True):
                    for t in group:
                        records = sum(counts[u] for u in taken)
                        if others and not 0 < records < k:
                            break
                        if t in taken:
                            continue
                        more = (cost(before[t], t) - cost(mask, t)) * counts[t]
                        wanted = more <= 1e-9 and gain + more > 1e-9 if others else more > 1e-9
                        if wanted and can_leave(t):
                            chosen[t] = None
                            taken.append(t)
                            gain += more
                if sum(counts[t] for t in taken) >= k and gain > 1e-9:
                    saved += gain
                    for t in taken:
                        chosen[t] = mask
                else:
                    chosen = before
        for mask in reversed(masks):
            for group in members(mask):
                mine = [t for t in group if chosen[t] == mask]
                elsewhere = {t: cheapest_open(t, without=mask) for t in mine}
                if not mine or None in elsewhere.values():
                    continue
                gain = sum((cost(mask, t) - cost(elsewhere[t], t)) * counts[t] for t in mine)
                if gain > 1e-9:
                    saved += gain
                    for t in mine:
                        chosen[t] = elsewhere[t]
    return [set(mask) | mine for mask, mine in zip(chosen, own, strict=True)]
