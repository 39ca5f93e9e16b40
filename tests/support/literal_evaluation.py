"""Evaluation straight from the thesis: record by record, every pair of records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

Record = tuple[object, ...]
RecordDistance = Callable[[Record, Record], float]

TIE = 1e-9


def rl(original: Sequence[Record], masked: Sequence[Record | None]) -> list[float]:
    """Martínez 2012, eq. 5.8: masked to original, by equal values."""
    risks = []
    for own, released in zip(original, masked, strict=True):
        linked = [record for record in original if record == released]
        risks.append(1 / len(linked) if own in linked else 0.0)
    return risks


def mrl(original: Sequence[Record], masked: Sequence[Record | None]) -> list[float]:
    """Martínez 2012, eq. 8.4 with 8.6: original to masked, by equal values."""
    risks = []
    for own, released in zip(original, masked, strict=True):
        linked = [record for record in masked if record == own]
        risks.append(1 / len(linked) if released == own else 0.0)
    return risks


def srl(original: Sequence[Record], masked: Sequence[Record | None], distance: RecordDistance) -> list[float]:
    """Martínez 2012, eq. 8.1–8.4: original to masked, by nearest meaning. A suppressed record cannot be found."""
    released = [record for record in masked if record is not None]
    risks = []
    for own, its in zip(original, masked, strict=True):
        if its is None:
            risks.append(0.0)
            continue
        distances = [distance(own, record) for record in released]
        linked = [record for record, d in zip(released, distances, strict=True) if d <= min(distances) + TIE]
        risks.append(1 / len(linked) if distance(own, its) <= min(distances) + TIE else 0.0)
    return risks


def semantic_loss(original: Sequence[Record], masked: Sequence[Record | None], distance: RecordDistance) -> float:
    """Martínez 2012, eq. 5.1."""
    moved = [1.0 if b is None else distance(a, b) for a, b in zip(original, masked, strict=True)]
    return sum(moved) / len(moved)


def sse(original: Sequence[Record], masked: Sequence[Record | None], distance: RecordDistance) -> float:
    """Martínez 2012, eq. 6.2."""
    return sum(1.0 if b is None else distance(a, b) ** 2 for a, b in zip(original, masked, strict=True))


def loss_shares(
    original: Sequence[Record],
    masked: Sequence[Record | None],
    distances: Callable[[Record, Record], Sequence[float]],
    weights: Sequence[float],
) -> list[float]:
    """The part of each column in the sum of squares: record by record, what it adds times what all add."""
    parts = [0.0] * len(weights)
    for own, released in zip(original, masked, strict=True):
        moves = [1.0] * len(weights) if released is None else distances(own, released)
        added = [weight / sum(weights) * move for weight, move in zip(weights, moves, strict=True)]
        parts = [part + one * sum(added) for part, one in zip(parts, added, strict=True)]
    return [part / sum(parts) if sum(parts) > 0 else 0.0 for part in parts]


def kl_divergence(original: Sequence[Record], masked: Sequence[Record | None]) -> float:
    """Martínez 2012, eq. 9.2, ½ added to every tuple of the union in both tables."""
    before, after = Counter(original), Counter(record for record in masked if record is not None)
    union = set(before) | set(after)
    f = {t: (before[t] + 0.5) / (sum(before.values()) + len(union) / 2) for t in union}
    g = {t: (after[t] + 0.5) / (sum(after.values()) + len(union) / 2) for t in union}
    return sum(f[t] * math.log(f[t] / g[t]) for t in union)


def discernibility(records: Sequence[Record | None]) -> int:
    """Martínez 2012, eq. 5.2 as meant, a suppressed record counting as many as there are."""
    groups = Counter(record for record in records if record is not None)
    return sum(size**2 for size in groups.values()) + len(records) * sum(record is None for record in records)
