"""Compiled loops of swapping along one ranking."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_in_place
from ontomask.masking.kernels.record_search import below

__all__ = ["shuffle", "swap_by_rank"]


@compiled
def swap_by_rank(ranked, k, unswapped_only, rng, source, candidates):
    """Swap each value with an unswapped one of the k ranks that follow it (Rodriguez-Garcia 2019, Algorithm 1).

    ``ranked`` has the records by rank. ``source[i]`` becomes the record whose value record i gets, and
    ``candidates[c]`` counts the draws from c values. With ``unswapped_only`` the partner is one of the k unswapped
    ranks that follow. Ranks only enter the pool at its end, so the time does not depend on k.
    """
    n = len(ranked)
    pool = np.empty(n, dtype=np.int32)
    slot = np.full(n, -1, dtype=np.int32)
    swapped = np.zeros(n, dtype=np.bool_)
    size = 0
    ahead = 1
    left = n
    for i in range(n):
        if unswapped_only and left <= k + 1:
            break
        if slot[i] >= 0:
            size = _leave(pool, slot, size, i)
        while ahead < n and (size < k if unswapped_only else ahead <= i + k):
            slot[ahead] = size
            pool[size] = ahead
            size += 1
            ahead += 1
        if swapped[i]:
            continue
        candidates[size] += 1
        swapped[i] = True
        left -= 1
        if size:
            j = np.int64(pool[below(rng, size)])
            size = _leave(pool, slot, size, j)
            swapped[j] = True
            left -= 1
            source[ranked[i]] = ranked[j]
            source[ranked[j]] = ranked[i]
    if unswapped_only:
        rest = ranked[~swapped]
        dealt = rest.copy()
        shuffle(dealt, rng)
        source[rest] = dealt
        candidates[left if left > 1 else 0] += left


@compiled_in_place
def _leave(pool, slot, size, i):
    """Remove a rank from the pool: the last rank moves to its slot. Returns the new size."""
    last = pool[size - 1]
    pool[slot[i]] = last
    slot[last] = slot[i]
    slot[i] = -1
    return size - 1


@compiled_in_place
def shuffle(records, rng):
    """Shuffle an array of records."""
    for i in range(len(records) - 1, 0, -1):
        j = below(rng, i + 1)
        records[i], records[j] = records[j], records[i]
