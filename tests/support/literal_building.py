"""Hierarchies from a taxonomy by trying everything, for trees of a few concepts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from support.literal_distance import wu_palmer
from support.literal_taxonomy import Parents, hierarchy, lcs_candidates, subsumers

# A node of a level: the number of a value, or a concept.
Node = int | str


def loss(parents: Parents, points: Sequence[str], value: int, node: Node) -> float:
    """Ayala-Rivera 2014, eq. 1, with the depths of that paper."""
    return 0.0 if isinstance(node, int) else wu_palmer(parents, points[value], node, root_depth=2)


def losses(
    parents: Parents, points: Sequence[str], counts: Sequence[int], level: Sequence[Node]
) -> tuple[float, float]:
    """The greatest loss of a value and the mean loss of a record, where value i stands under ``level[i]``."""
    return both([loss(parents, points, value, node) for value, node in enumerate(level)], counts)


def both(each: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    return max(each), sum(n * x for n, x in zip(counts, each, strict=True)) / sum(counts)


def best_level(
    parents: Parents,
    points: Sequence[str],
    counts: Sequence[int],
    lower: Sequence[Sequence[Node]],
    k: int,
    objective: str,
) -> tuple[float, float]:
    """The least losses of a level of k groups above the levels ``lower``, of which the first are the values.

    Every set of k nodes is tried. Each group goes to the nearest of them at or above it; one that stood at a node
    before and left it, or a set that leaves a node empty or a group without a node, does not count.
    """
    below = lower[-1]
    top = min(lcs_candidates(parents, list(points)))
    left = {node for level in lower for node in level} - set(below)
    nodes = (hierarchy(parents, list(points), top) | set(below)) - left
    ways = {node: way_up(parents, points, node) for node in below}
    lost = {(value, node): loss(parents, points, value, node) for value in range(len(points)) for node in nodes}
    found = []
    for chosen in combinations(nodes, k):
        to = {node: next((above for above in ways[node] if above in chosen), None) for node in ways}
        if None not in to.values() and len(set(to.values())) == k:
            found.append(both([lost[value, to[node]] for value, node in enumerate(below)], counts))
    if objective == "mean":
        return min(found, key=lambda pair: pair[1])
    limit = min(greatest for greatest, _ in found)
    return limit, min(average for greatest, average in found if greatest <= limit + 1e-9)


def way_up(parents: Parents, points: Sequence[str], node: Node) -> list[Node]:
    """A node and, in a tree, the concepts above it, the nearest first."""
    concept = points[node] if isinstance(node, int) else node
    above = sorted(subsumers(parents, concept), key=lambda c: -len(subsumers(parents, c)))
    return [node, *above] if isinstance(node, int) else list(above)
