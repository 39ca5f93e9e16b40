"""Distances, centroids and generalisations of sets of concepts as they are defined: slow, but easy to check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from math import fsum
from typing import Any

from support.literal_taxonomy import Parents, subsumers

SD = Callable[[Any, Any], float]
Set = frozenset[Any]
TIE = 1e-9


def average_best_match(a: Set, b: Set, sd: SD) -> float:
    """Wang 2007: the mean over all elements of both sets of the distance to the nearest of the other set."""
    best = [min(sd(x, y) for y in b) for x in a] + [min(sd(x, y) for x in a) for y in b]
    return fsum(best) / (len(a) + len(b))


def matching(a: Set, b: Set, sd: SD) -> float:
    """Ramon and Bruynooghe 2001, normalised: all ways of giving the smaller set's elements different partners."""
    small, large = sorted((sorted(a), sorted(b)), key=len)
    cost = min(fsum(sd(x, y) for x, y in zip(small, some, strict=True)) for some in permutations(large, len(small)))
    penalty = (len(large) - len(small)) / 2
    to_nothing = len(small) / 2, len(large) / 2
    return 2 * (cost + penalty) / (cost + penalty + sum(to_nothing))


MEASURES = {"average_best_match": average_best_match, "matching": matching}


def centroid(
    sets: Sequence[Set], counts: Sequence[int], order: Sequence[Any], parents: Parents, sd: SD, of: Any
) -> Set:
    """A local search from the medoid. ``order`` has all concepts; ``of`` is the distance between sets."""
    records = sum(counts)

    def mean(one: Set) -> float:
        return fsum(n * of(one, other, sd) for other, n in zip(sets, counts, strict=True)) / records

    rank = {concept: i for i, concept in enumerate(order)}
    least = min(map(mean, sets))
    medoids = [one for one in sets if mean(one) <= least + TIE]
    best = min(medoids, key=lambda one: (len(one), sorted(rank[c] for c in one)))
    if len(sets) == 1:
        return best
    held = {c: sum(n for one, n in zip(sets, counts, strict=True) if c in one) for one in sets for c in one}
    frequent = sorted(held, key=lambda c: (-held[c], rank[c]))[:64]
    candidates = {s for c in {*frequent, *best} for s in subsumers(parents, c)}
    most = max(map(len, sets))
    for _ in range(10):
        before = best
        for c in sorted(candidates, key=rank.__getitem__):
            if c in best:
                trials = [best - {c}] if len(best) > 1 else []
            else:
                near = min(sd(c, m) for m in best)
                nearest = min((m for m in best if sd(c, m) <= near + TIE), key=rank.__getitem__)
                trials = [best - {nearest} | {c}] + ([best | {c}] if len(best) < most else [])
            chosen = best
            for trial in trials:
                if mean(trial) < mean(chosen) - TIE:
                    chosen = trial
            best = chosen
        if best == before:
            break
    return best


def generalise(sets: Sequence[Set], order: Sequence[Any], parents: Parents, depth: Callable[[Any], int]) -> Set:
    """For each element the deepest concept above it that subsumes an element of every set."""
    rank = {concept: i for i, concept in enumerate(order)}
    above = {c: subsumers(parents, c) for one in sets for c in one}
    shared = {s for s in order if all(any(s in above[c] for c in one) for one in sets)}
    return frozenset(min(up & shared, key=lambda s: (-depth(s), rank[s])) for up in above.values())
