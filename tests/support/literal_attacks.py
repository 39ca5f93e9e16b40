"""Intruders as they are defined, record by record: slow, but easy to check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from math import inf

from support.literal_noise import replacements
from support.literal_operators import SD, TIE

Probability = Callable[[Hashable, Hashable], float]

# Likelihoods that differ by less than this share are equal but for rounding.
CLOSE = 1e-7


def bayes_linkage(originals: Sequence[Hashable], released: Sequence[Hashable], p: Probability) -> list[float]:
    """For every record the probability that its own row is the best guess; row i was made of record i."""
    total = [sum(p(x, y) for x in originals) for y in released]
    out = []
    for i, x in enumerate(originals):
        scores = [p(x, y) / whole if whole else 0.0 for y, whole in zip(released, total, strict=True)]
        best = [r for r, score in enumerate(scores) if score >= max(scores) * (1 - CLOSE)]
        out.append(1 / len(best) if i in best and scores[i] > 0 else 0.0)
    return out


def value_recovery(
    originals: Sequence[Hashable], released: Sequence[Hashable], p: Probability
) -> tuple[list[float], list[float]]:
    """For every record the probability that its tuple is the best guess from its row, and how likely that guess is."""
    often = Counter(originals)
    right, posterior = [], []
    for x, y in zip(originals, released, strict=True):
        weights = {tuple_: n * p(tuple_, y) for tuple_, n in often.items()}
        most = max(weights.values())
        best = [tuple_ for tuple_, weight in weights.items() if weight >= most * (1 - CLOSE)]
        right.append(1 / len(best) if x in best and weights[x] > 0 else 0.0)
        posterior.append(most / sum(weights.values()))
    return right, posterior


def error_intervals(concepts: Sequence[str], a: str, sd: SD) -> list[tuple[float, float]]:
    """Intervals of errors of a value, in each of which all errors lead to the same concepts."""
    ends = sorted({sd(c, a) for c in concepts} - {0.0})
    ends = [end for i, end in enumerate(ends) if i == 0 or end - ends[i - 1] > TIE]
    positive = list(pairwise([0.0, *ends, inf]))
    return [(-high, -low) for low, high in reversed(positive)] + positive


def inside(low: float, high: float) -> float:
    """Some error of an interval."""
    if high == inf:
        return low + 1.0
    return high - 1.0 if low == -inf else (low + high) / 2


def noise_probabilities(
    concepts: Sequence[str], a: str, sd: SD, reference: str | None, mass: Callable[[float, float], float]
) -> dict[str, float]:
    """The probability of every concept that can replace a value, from the errors that lead to it."""
    out = dict.fromkeys(concepts, 0.0)
    for low, high in error_intervals(concepts, a, sd):
        allowed = replacements(concepts, a, inside(low, high), sd, reference).concepts
        for c in allowed:
            out[c] += mass(low, high) / len(allowed)
    return out


def pair_probabilities(
    concepts: Sequence[Sequence[str]],
    values: Sequence[str],
    sds: Sequence[SD],
    references: Sequence[str | None],
    mass: Callable[[float, float, float, float], float],
) -> dict[tuple[str, str], float]:
    """The same of two values whose errors depend on each other: ``mass`` is the probability of a rectangle."""
    out: dict[tuple[str, str], float] = {}
    first, second = (error_intervals(concepts[i], values[i], sds[i]) for i in range(2))
    for one in first:
        for other in second:
            allowed = [
                replacements(concepts[i], values[i], inside(*interval), sds[i], references[i]).concepts
                for i, interval in enumerate((one, other))
            ]
            share = mass(*one, *other) / (len(allowed[0]) * len(allowed[1]))
            for c in allowed[0]:
                for d in allowed[1]:
                    out[c, d] = out.get((c, d), 0.0) + share
    return out


def near_ranks(values: Sequence[Hashable], rank: Callable[[Hashable], float], k: int) -> dict[Hashable, set[Hashable]]:
    """For each value those that some order of the records, equal ranks in any order, puts at most k ranks away."""
    ranks = [rank(v) for v in values]
    first = {v: sum(r < rank(v) - TIE for r in ranks) for v in values}
    last = {v: sum(r <= rank(v) + TIE for r in ranks) - 1 for v in values}
    return {v: {w for w in values if first[w] - last[v] <= k and first[v] - last[w] <= k} for v in values}


def near_records(records: Sequence[Hashable], distance: Callable[[int, int], float], k: int) -> list[set[int]]:
    """For each record those among its k nearest (ties included), or that it is among the k nearest of; and itself."""
    n = len(records)
    radius = [sorted(distance(i, j) for j in range(n) if j != i)[k - 1] for i in range(n)]
    return [{j for j in range(n) if j == i or distance(i, j) <= max(radius[i], radius[j]) + TIE} for i in range(n)]


def intersection(possible: Sequence[Sequence[set[Hashable]]], released: Sequence[Sequence[Hashable]]) -> list[set[int]]:
    """For every record the released rows whose values are all possible for it."""
    return [
        {r for r, row in enumerate(released) if all(value in sets[j] for j, value in enumerate(row))}
        for sets in possible
    ]
