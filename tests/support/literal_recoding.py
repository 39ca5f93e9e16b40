"""Recoding as in Martínez 2012, Algorithm 2, record by record: slow, but easy to check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from support.literal_operators import least

Record = tuple[Any, ...]
# What replacing a record by another one costs, given the repetitions of the latter.
Score = Callable[[Record, Record, int], float]
# One of the records that tie, for a record that is replaced.
Choose = Callable[[Record, list[Record]], Record]


def recode(
    records: Sequence[Record],
    k: int,
    score: Score,
    choose: Choose,
    *,
    rarest_first: bool = True,
    sequential: bool = False,
) -> tuple[list[Record], int]:
    """The masked records, and the number of passes."""
    masked = list(records)
    passes = 0
    while min(Counter(masked).values()) < k:
        often = Counter(masked)
        fewest = min(often.values())
        leaving = [r for r in sorted(often) if (often[r] == fewest if rarest_first else often[r] < k)]
        others = [r for r in sorted(often) if r not in leaving]
        if sequential or not others:
            received = set()
            for t in leaving:
                if t in received:
                    continue
                v = choose(t, nearest(t, sorted(set(masked) - {t}), score, often))
                masked = [v if r == t else r for r in masked]
                received.add(v)
        else:
            replacement = {t: choose(t, nearest(t, others, score, often)) for t in leaving}
            masked = [replacement.get(r, r) for r in masked]
        passes += 1
    return masked, passes


def nearest(t: Record, candidates: list[Record], score: Score, often: Counter[Record]) -> list[Record]:
    """All candidates that cost least."""
    return least(candidates, lambda v: score(t, v, often[v]))
