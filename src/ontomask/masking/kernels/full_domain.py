"""Compiled loops of full-domain generalisation: group tuples on given levels, and add up what they lose.

Columns are packed into words of 63 bits. ``code[at[j] + v]`` is what value v of column j adds to its word on the chosen
level, and ``cost[at[j] + v]`` is what it loses there.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner

__all__ = ["count_groups", "total_cost"]


@compiled
def count_groups(tuples, counts, code, word, at, keys, slots, number, size, first):
    """Number the groups of tuples that are equal on the chosen levels; returns how many there are.

    ``number`` becomes the group of each tuple, ``size`` the records of each group and ``first`` its first tuple.
    ``keys`` and ``slots`` are a hash table with open addressing; the length of ``slots`` is a power of two.
    """
    slots[:] = -1
    mask = np.uint64(len(slots) - 1)
    words = keys.shape[1]
    groups = 0
    for t in range(len(tuples)):
        # The key is written where that of a new group belongs.
        for w in range(words):
            keys[groups, w] = 0
        for j in range(tuples.shape[1]):
            keys[groups, word[j]] += code[at[j] + tuples[t, j]]
        mixed = np.uint64(0)
        for w in range(words):
            mixed = (mixed ^ np.uint64(keys[groups, w])) * np.uint64(0xFF51AFD7ED558CCD)
            mixed ^= mixed >> np.uint64(33)
        slot = np.int64(mixed & mask)
        while slots[slot] >= 0 and not _equal(keys, slots[slot], groups):
            slot = (slot + 1) & np.int64(mask)
        group = slots[slot]
        if group < 0:
            group = groups
            slots[slot] = group
            first[group] = t
            size[group] = 0
            groups += 1
        number[t] = group
        size[group] += counts[t]
    return groups


@compiled_inner
def _equal(keys, a, b):
    """Whether two keys are equal in all words."""
    same = True
    for w in range(keys.shape[1]):
        same = same and keys[a, w] == keys[b, w]
    return same


@compiled
def total_cost(tuples, counts, cost, at, is_short, power):
    """The sum over records of what they lose on the chosen levels, to a power; 1 for those in short groups."""
    total = 0.0
    for t in range(len(tuples)):
        lost = 1.0
        if not is_short[t]:
            lost = 0.0
            for j in range(tuples.shape[1]):
                lost += cost[at[j] + tuples[t, j]]
            if power == 2:
                lost *= lost
        total += counts[t] * lost
    return total
