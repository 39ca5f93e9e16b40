"""Definitions taken word by word, on plain dictionaries: slow, but easy to check."""

from __future__ import annotations

from itertools import product

Parents = dict[str, list[str]]


def subsumers(parents: Parents, c: str) -> set[str]:
    return {c}.union(*(subsumers(parents, p) for p in parents[c]))


def depth(parents: Parents, c: str) -> int:
    """Links on the longest path from the root."""
    return max((1 + depth(parents, p) for p in parents[c]), default=0)


def path(parents: Parents, c: str, s: str) -> int | None:
    """Links on the shortest path from c up to s."""
    if c == s:
        return 0
    ways = [path(parents, p, s) for p in parents[c]]
    return min((1 + way for way in ways if way is not None), default=None)


def common(parents: Parents, values: list[str]) -> set[str]:
    return set.intersection(*(subsumers(parents, v) for v in values))


def lcs_candidates(parents: Parents, values: list[str]) -> set[str]:
    """Common subsumers of greatest depth and, among these, of least total path."""
    shared = common(parents, values)
    deepest = max(depth(parents, c) for c in shared)
    of_depth = [c for c in shared if depth(parents, c) == deepest]
    total = {c: sum(path(parents, v, c) or 0 for v in values) for c in of_depth}
    return {c for c in of_depth if total[c] == min(total.values())}


def hierarchy(parents: Parents, values: list[str], top: str) -> set[str]:
    """H(V): concepts on any path from a value up to the top."""
    return {c for v, c in product(values, parents) if c in subsumers(parents, v) and top in subsumers(parents, c)}
