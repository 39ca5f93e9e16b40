"""Dividing items into parts, and finding neighbours in parts, item by item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Distance = Callable[[int, int], float]


def halve(items: int, most: int, distance: Distance, rng: Any) -> list[list[int]]:
    """Each part is halved, by the distances to two of its items, until none has more than ``most``."""
    parts = [list(range(items))]
    while max(map(len, parts)) > most:
        drawn = rng.random((len(parts), 2))
        halves = []
        for part, (x, y) in zip(parts, drawn, strict=True):
            r, s = part[int(x * len(part))], part[int(y * len(part))]
            by = sorted(part, key=lambda t, r=r, s=s: (distance(t, r) - distance(t, s), t))
            halves += [by[: len(part) // 2], by[len(part) // 2 :]]
        parts = halves
    return parts


def neighbours(
    items: int, distance: Distance, rng: Any, *, most: int, part: int, divisions: int, followed: int
) -> list[list[int]]:
    """The nearest of the items that share a part with an item, and then of the neighbours of these."""

    def nearest(t: int, others: set[int]) -> list[int]:
        return sorted(others - {t}, key=lambda u: (distance(t, u), u))[:most]

    met: list[set[int]] = [set() for _ in range(items)]
    for _ in range(divisions):
        for inside in halve(items, part, distance, rng):
            for t in inside:
                met[t] |= set(inside)
    found = [nearest(t, met[t]) for t in range(items)]
    known = [others[:followed] for others in found]
    return [nearest(t, set(found[t]).union(*(known[u] for u in known[t]))) for t in range(items)]
