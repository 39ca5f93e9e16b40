"""Ayala-Rivera 2014, Procedures 1 and 2, as printed, on plain dictionaries: slow, but easy to check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from support.literal_taxonomy import Parents, lcs_candidates, subsumers

Ways = Mapping[str, Sequence[str]]
Find = Callable[[str], Sequence[str]]


def above(parents: Parents, concept: str, senses: Sequence[str]) -> list[str]:
    """The senses among the inherited hypernyms of a concept, which is one of its own."""
    return [sense for sense in senses if sense in subsumers(parents, concept)]


def leaf_concept(leaf: str, find: Find) -> str | None:
    return next(iter(find(leaf)), None) if leaf != "*" else None


def ancestor_concept(
    leaf: str, label: str, ways: Ways, find: Find, parents: Parents, order: Sequence[str]
) -> str | None:
    """Ayala-Rivera 2014, Procedure 2. If no sense is above the leaf: the one above most other leaves, or the first."""
    concept = leaf_concept(leaf, find)
    if concept is None or label == leaf:
        return concept
    if label == "*":
        leaves = [found for other in ways if (found := leaf_concept(other, find)) is not None]
        return min(lcs_candidates(parents, sorted(set(leaves))), key=order.index)
    senses = list(find(label))
    hypernyms = above(parents, concept, senses)
    if hypernyms:
        return hypernyms[0]
    votes: Counter[str] = Counter()
    for other, way in ways.items():
        theirs = leaf_concept(other, find)
        if other != label and label in way and theirs is not None:
            votes.update(above(parents, theirs, senses)[:1])
    return max(senses, key=lambda sense: (votes[sense], -senses.index(sense)), default=None)


def transitions(
    ways: Ways,
    find: Find,
    parents: Parents,
    order: Sequence[str],
    distance: Callable[[str, str], float],
) -> dict[tuple[str, int], float]:
    """TransGSL of every leaf and level where both have a concept (Ayala-Rivera 2014, eq. 1)."""
    losses = {}
    for leaf, way in ways.items():
        for level, label in enumerate(way[1:], start=1):
            concept, ancestor = leaf_concept(leaf, find), ancestor_concept(leaf, label, ways, find, parents, order)
            if concept is not None and ancestor is not None:
                losses[leaf, level] = distance(concept, ancestor)
    return losses


def vgh_gsl(losses: Mapping[tuple[str, int], float], height: int, weight: Callable[[int, int], float]) -> float:
    """Ayala-Rivera 2014, Procedure 1, lines 3 to 15, with the weights of levels without a loss given to the others."""
    of_level = {i: [loss for (_, level), loss in losses.items() if level == i] for i in range(1, height + 1)}
    total = sum(weight(i, height) for i in of_level if of_level[i])
    return sum(max(of_level[i]) * weight(i, height) / total for i in of_level if of_level[i])


def constant(level: int, height: int) -> float:
    return 1 / height


def level_based(level: int, height: int) -> float:
    return (height + 1 - level) / sum(range(1, height + 1))
