"""Operators and losses as the papers write them, record by record: slow, but easy to check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Any

from support.literal_taxonomy import Parents, hierarchy, lcs_candidates, path, subsumers

SD = Callable[[Any, Any], float]
Record = tuple[Any, ...]
TIE = 1e-9


def least(candidates: Sequence[Any], score: Callable[[Any], float]) -> list[Any]:
    """All candidates whose score ties with the least one, in their order."""
    scores = [score(c) for c in candidates]
    return [c for c, value in zip(candidates, scores, strict=True) if value <= min(scores) + TIE]


# Rodriguez-Garcia 2017, 4.3


def semantic_mean(concepts: Sequence[str], values: Sequence[str], sd: SD) -> str:
    """Rodriguez-Garcia 2017, eq. 13 over all concepts of the domain, in taxonomy order."""
    n = len(values)
    tied = least(concepts, lambda c: fsum(sd(c, a) for a in values) / n)
    return least(tied, lambda c: fsum(sd(c, a) ** 2 for a in values) / n)[0]


def semantic_variance(concepts: Sequence[str], values: Sequence[str], sd: SD) -> float:
    """Rodriguez-Garcia 2017, eq. 14."""
    mean = semantic_mean(concepts, values, sd)
    return fsum(sd(a, mean) ** 2 for a in values) / len(values)


def centred(values: Sequence[Any], sd: SD) -> list[list[float]]:
    """Rodriguez-Garcia 2017, eq. 15–17: an n×n matrix."""
    n = len(values)
    matrix = [[sd(x, y) for y in values] for x in values]
    row = [fsum(line) / n for line in matrix]
    column = [fsum(matrix[i][j] for i in range(n)) / n for j in range(n)]
    grand = fsum(fsum(line) for line in matrix) / n**2
    return [[matrix[i][j] - row[i] - column[j] + grand for j in range(n)] for i in range(n)]


def squared_covariance(A: Sequence[Any], B: Sequence[Any], sd_a: SD, sd_b: SD) -> float:
    """The sum under the root in Rodriguez-Garcia 2017, eq. 18, divided by n²."""
    a, b = centred(A, sd_a), centred(B, sd_b)
    return fsum(x * y for left, right in zip(a, b, strict=True) for x, y in zip(left, right, strict=True)) / len(A) ** 2


def distance_covariance(A: Sequence[Any], B: Sequence[Any], sd_a: SD, sd_b: SD) -> float:
    """Rodriguez-Garcia 2017, eq. 18, 20; a negative sum counts as 0."""
    return sqrt(max(0.0, squared_covariance(A, B, sd_a, sd_b)))


def distance_correlation(A: Sequence[Any], B: Sequence[Any], sd_a: SD, sd_b: SD) -> float:
    """Rodriguez-Garcia 2017, eq. 19."""
    alone = distance_covariance(A, A, sd_a, sd_a) * distance_covariance(B, B, sd_b, sd_b)
    return distance_covariance(A, B, sd_a, sd_b) / sqrt(alone) if alone > 0 else 0.0


# Martínez 2012, 4.2–4.4


def lcs(parents: Parents, order: Sequence[str], values: Sequence[str]) -> str:
    candidates = lcs_candidates(parents, sorted(set(values)))
    return next(c for c in order if c in candidates)


def centroid(parents: Parents, order: Sequence[str], values: Sequence[str], sd: SD) -> str:
    """Martínez 2012, eq. 4.5–4.6."""
    candidates = hierarchy(parents, list(values), lcs(parents, order, values))
    return least([c for c in order if c in candidates], lambda c: fsum(sd(c, v) for v in values) / len(values))[0]


def confusion(parents: Parents, a: str, b: str) -> int:
    """Descending links on the way from a up to a concept that subsumes both, and down to b."""
    return min(path(parents, b, top) for top in subsumers(parents, a) & subsumers(parents, b))


def record_distance(sds: Sequence[SD], r: Record, s: Record) -> float:
    """Rodriguez-Garcia 2019, eq. 9; Martínez 2012, eq. 4.3 with ω = 1."""
    return fsum(sd(x, y) for sd, x, y in zip(sds, r, s, strict=True)) / len(sds)


def mode(records: Sequence[Record]) -> Record:
    often = Counter(records)
    return next(r for r in sorted(often) if often[r] == max(often.values()))


def medoid(records: Sequence[Record], sds: Sequence[SD]) -> Record:
    return least(sorted(set(records)), lambda r: fsum(record_distance(sds, r, s) for s in records) / len(records))[0]


def consensus(records: Sequence[Record], confusions: Sequence[SD]) -> Record:
    """The record that replaces all others with the least average confusion."""
    return least(
        sorted(set(records)), lambda r: fsum(record_distance(confusions, s, r) for s in records) / len(records)
    )[0]


def sort_records(records: Sequence[Record], centre: Record, sds: Sequence[SD]) -> list[Record]:
    """Martínez 2012, Algorithm 1, ties by order of the records."""
    left = sorted(records)
    f = least(left, lambda r: -record_distance(sds, r, centre))[0]
    done = [f]
    left.remove(f)
    while left:
        r = least(left, lambda r: record_distance(sds, r, f))[0]
        done.append(r)
        left.remove(r)
    return done


# Rodriguez-Garcia 2019, 3.3–3.4


def most_distant(records: Sequence[Record], sds: Sequence[SD]) -> Record:
    """Rodriguez-Garcia 2019, eq. 5, 10."""
    return least(sorted(set(records)), lambda r: -fsum(record_distance(sds, r, s) for s in records) / len(records))[0]


def most_distant_from(records: Sequence[Record], reference: Record, sds: Sequence[SD]) -> Record:
    """Rodriguez-Garcia 2019, eq. 7, 12."""
    return least(sorted(set(records)), lambda r: -record_distance(sds, r, reference))[0]


# Losses: pairs (original record, masked record or None where it was suppressed)

Pairs = Sequence[tuple[Record, Record | None]]


def pair_distance(sds: Sequence[SD], r: Record, masked: Record | None) -> float:
    return 1.0 if masked is None else record_distance(sds, r, masked)


def semantic_loss(pairs: Pairs, sds: Sequence[SD]) -> float:
    """Martínez 2012, eq. 5.1, 8.7."""
    m = len(sds)
    return fsum(pair_distance(sds, r, masked) * m for r, masked in pairs) / (len(pairs) * m)


def sse(pairs: Pairs, sds: Sequence[SD]) -> float:
    """Martínez 2012, eq. 6.2, 9.1."""
    return fsum(pair_distance(sds, r, masked) ** 2 for r, masked in pairs)


def rmse(pairs: Pairs, sd: SD) -> float:
    """Rodriguez-Garcia 2017, section 5."""
    return sqrt(fsum(pair_distance([sd], r, masked) ** 2 for r, masked in pairs) / len(pairs))
