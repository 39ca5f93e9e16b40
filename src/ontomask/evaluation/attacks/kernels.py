"""Compiled loops over original and released tuples: likelihoods, best guesses, candidate sets.

Released tuples lie sorted by their first factors. Those that agree in all factors but the last share a *head*: they
are ``start[h]`` to ``start[h + 1] − 1``, and the product of the first factors is taken once for all of them.
"""

from __future__ import annotations

import numpy as np

from ontomask.compiled import compiled

__all__ = ["add_up", "count_candidates", "link_best", "multiply_heads", "own_likelihood"]

# Two likelihoods within this share of each other are a tie: they come from products in different order.
TIED = 1e-9


@compiled
def multiply_heads(rows, index, column, heads):
    """Multiply the heads' products by one more factor: ``heads[i, h]`` of tuple i by its row at ``column[h]``."""
    for i in range(len(heads)):
        row = rows[index[i]]
        for h in range(len(column)):
            heads[i, h] *= row[column[h]]


@compiled
def own_likelihood(heads, rows, index, head_of, column, a, b, first, out):
    """P(x → y) of pairs that occur: original tuple ``a`` (counted from ``first``) and released tuple ``b``."""
    for e in range(len(a)):
        i = a[e] - first
        out[e] = heads[i, head_of[b[e]]] * rows[index[i], column[b[e]]]


@compiled
def add_up(heads, rows, index, start, column, counts, total, best, ties):
    """For each released tuple the sum of counts times likelihoods, their maximum, and how many tuples share that."""
    for i in range(len(heads)):
        row = rows[index[i]]
        for h in range(len(start) - 1):
            head = heads[i, h] * counts[i]
            if head == 0.0:
                continue
            for y in range(start[h], start[h + 1]):
                w = head * row[column[y]]
                total[y] += w
                if w > best[y]:
                    ties[y] = ties[y] + 1 if w <= best[y] * (1 + TIED) else 1
                    best[y] = w
                elif w >= best[y] * (1 - TIED) and w > 0.0:
                    ties[y] += 1


@compiled
def link_best(heads, rows, index, start, column, inverse, most, records, score, linked):
    """For each original tuple the best score P(x → y) / total of any released tuple, and the records that have it.

    ``inverse`` is 1 / total, ``most[h]`` the greatest of a head. ``score`` comes with a bound: the tuple's own best
    score. Heads that cannot reach it are skipped.
    """
    for i in range(len(heads)):
        row = rows[index[i]]
        top = row.max()
        best = score[i]
        count = np.int64(0)
        for h in range(len(start) - 1):
            head = heads[i, h]
            if head == 0.0 or head * top * most[h] < best * (1 - TIED):
                continue
            for y in range(start[h], start[h + 1]):
                s = head * row[column[y]] * inverse[y]
                if s > best * (1 + TIED):
                    best = s
                    count = records[y]
                elif s >= best * (1 - TIED) and s > 0.0:
                    count += records[y]
        score[i], linked[i] = best, count


@compiled
def count_candidates(heads, rows, index, start, column, records, size):
    """For each original tuple the released records whose factors are all possible (greater than 0)."""
    for i in range(len(heads)):
        row = rows[index[i]]
        total = np.int64(0)
        for h in range(len(start) - 1):
            if heads[i, h] > 0.0:
                for y in range(start[h], start[h + 1]):
                    if row[column[y]] > 0.0:
                        total += records[y]
        size[i] = total
