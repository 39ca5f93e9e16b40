"""Compiled loops over original and released tuples: likelihoods, best guesses, candidate sets.

Released tuples are sorted by their first factors. Tuples that agree in all factors except the last share a *head*: they
are ``start[h]`` to ``start[h + 1] − 1``, and the product of the first factors is computed once for all of them.
Original tuples that agree in these factors are a *group*; ``heads[g, h]`` is the product for group g and head h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.base.bundles import Bundle
from ontomask.base.compiler import compiled, compiled_inner
from ontomask.evaluation.attacks.posterior import TIED

__all__ = [
    "Counted",
    "add_groups",
    "add_up",
    "add_up_counted",
    "best_of_groups",
    "count_candidates",
    "link_best",
    "link_counted",
    "multiply_heads",
    "own_likelihood",
]


@compiled
def multiply_heads(rows, index, column, heads):
    """Multiply the heads' products by one more factor: ``heads[g, h]`` of group g by its row at ``column[h]``."""
    for i in range(len(heads)):
        row = rows[index[i]]
        for h in range(len(column)):
            heads[i, h] *= row[column[h]]


@compiled
def own_likelihood(heads, group_of, rows, index, head_of, column, a, b, out):
    """P(x → y) of pairs that occur: original tuple ``a`` of a batch and released tuple ``b``."""
    for e in range(len(a)):
        i = a[e]
        out[e] = heads[group_of[i], head_of[b[e]]] * rows[index[i], column[b[e]]]


@compiled
def add_up(rows, index, group_of, tuples, counts, is_begun, total, best, ties, guess):
    """For each group and value of the last factor the sum of counts times likelihoods, and the largest term.

    ``ties`` is how many original tuples share the largest term, ``guess`` one of them. ``is_begun`` says whether the
    first group has sums already; those of the others need not be initialised.
    """
    for i in range(len(tuples)):
        row, g = rows[index[i]], group_of[i]
        if (i == 0 and not is_begun) or (i > 0 and group_of[i - 1] != g):
            for v in range(len(row)):
                total[g, v] = best[g, v] = counts[i] * row[v]
            ties[g] = 1
            guess[g] = tuples[i]
            continue
        for v in range(len(row)):
            w = counts[i] * row[v]
            total[g, v] += w
            if w >= best[g, v] * (1 - TIED) and w > 0.0:
                _compare(w, 1, tuples[i], best[g], ties[g], guess[g], v)


@compiled_inner
def _compare(w, number, original, best, ties, guess, y):
    """One more term that is as large as the largest so far, or larger."""
    if w > best[y]:
        ties[y] = ties[y] + number if w <= best[y] * (1 + TIED) else number
        best[y] = w
        guess[y] = original
    else:
        ties[y] += number


@compiled
def add_groups(heads, total, best, ties, guess, start, column, all_total, all_best, all_ties, all_guess):
    """The same for each released tuple over all groups."""
    for g in range(len(heads)):
        sums, terms = total[g], best[g]
        for h in range(len(start) - 1):
            head = heads[g, h]
            if head == 0.0:
                continue
            for y in range(start[h], start[h + 1]):
                v = column[y]
                all_total[y] += head * sums[v]
                w = head * terms[v]
                if w >= all_best[y] * (1 - TIED) and w > 0.0:
                    _compare(w, ties[g, v], guess[g, v], all_best, all_ties, all_guess, y)


@compiled
def best_of_groups(heads, start, column, inverse, records, best, number):
    """For each group and value of the last factor the largest head · ``inverse``, and the records that have it."""
    for g in range(len(heads)):
        top, many = best[g], number[g]
        for h in range(len(start) - 1):
            head = heads[g, h]
            if head == 0.0:
                continue
            for y in range(start[h], start[h + 1]):
                v = column[y]
                s = head * inverse[y]
                if s >= top[v] * (1 - TIED) and s > 0.0:
                    many[v] = many[v] + records[y] if s <= top[v] * (1 + TIED) else records[y]
                    top[v] = max(s, top[v])


@compiled
def link_best(rows, index, group_of, best, number, score, linked):
    """For each original tuple, how many records share its own best ``score``; 0 if a released tuple has a better one.

    The score of released tuple y is P(x → y) · ``inverse[y]``; ``best`` and ``number`` are those of `best_of_groups`.
    """
    for i in range(len(index)):
        row, top, many = rows[index[i]], best[group_of[i]], number[group_of[i]]
        low, high = score[i] * (1 - TIED), score[i] * (1 + TIED)
        count = np.int64(0)
        for v in range(len(row)):
            s = row[v] * top[v]
            if s >= low and s > 0.0:
                if s > high:
                    count = np.int64(0)
                    break
                count += many[v]
        linked[i] = count


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


class Counted(Bundle):
    """Counts of re-runs, and the released tuples by value. Values are numbered through all attributes.

    Tuple i got value ``value[e]`` of attribute a ``count[e]`` times, e from ``start[a, i]`` to ``start[a, i + 1] − 1``;
    ``weight[a, i]`` is 1 / their sum. A value also counts ``usual`` times ``floor[a, i]``, seen or not. Released tuple
    y has the values ``places[y]``, and the tuples with value v are ``listed`` from ``list_start[v]`` on.
    """

    start: Any
    value: Any
    count: Any
    weight: Any
    floor: Any
    usual: Any
    places: Any
    list_start: Any
    listed: Any


@compiled_inner
def _mark_seen(counted, i, seen, count):
    """Mark the values that tuple i got in the re-runs."""
    for a in range(len(counted.start)):
        for e in range(counted.start[a, i], counted.start[a, i + 1]):
            seen[counted.value[e]] = i
            count[counted.value[e]] = counted.count[e]


@compiled_inner
def _share(counted, a, i, v, times):
    """The probability that tuple i gets value v of attribute a, which it got ``times`` times in the re-runs."""
    return (times + counted.usual[v] * counted.floor[a, i]) * counted.weight[a, i]


@compiled_inner
def _likelihood(counted, i, y, seen, count):
    """P(x → y) of tuple i."""
    out = 1.0
    for a in range(counted.places.shape[1]):
        v = counted.places[y, a]
        out *= _share(counted, a, i, v, count[v] if seen[v] == i else 0.0)
    return out


@compiled_inner
def _is_new(counted, i, y, a, seen):
    """Whether tuple i got the value of y in attribute a, but in no attribute before. So each y is visited once."""
    is_new = True
    for before in range(a):
        is_new &= seen[counted.places[y, before]] != i
    return is_new


@compiled
def add_up_counted(counted, low, high, counts, pair_start, pair_b, seen, count, own, total, best, ties, guess):
    """`add_up` with counts of re-runs, for the original tuples ``low`` to ``high − 1``.

    Only released tuples with at least one value that occurred are visited.
    """
    for i in range(low, high):
        _mark_seen(counted, i, seen, count)
        for a in range(len(counted.start)):
            for e in range(counted.start[a, i], counted.start[a, i + 1]):
                v = counted.value[e]
                for at in range(counted.list_start[v], counted.list_start[v + 1]):
                    y = counted.listed[at]
                    if not _is_new(counted, i, y, a, seen):
                        continue
                    w = counts[i] * _likelihood(counted, i, y, seen, count)
                    total[y] += w
                    if w >= best[y] * (1 - TIED) and w > 0.0:
                        _compare(w, 1, i, best, ties, guess, y)
        for e in range(pair_start[i], pair_start[i + 1]):
            y = pair_b[e]
            is_seen = not _is_new(counted, i, y, counted.places.shape[1], seen)
            own[e] = _likelihood(counted, i, y, seen, count) if is_seen else 0.0


@compiled
def link_counted(counted, tuples, inverse, most, records, seen, count, score, linked):
    """`link_best` with counts of re-runs, for some original tuples.

    ``most[v]`` is the largest inverse of the released tuples that have value v. Lists of values that cannot reach the
    score are skipped.
    """
    attributes = len(counted.start)
    highest = np.empty(attributes)
    for at in range(len(tuples)):
        i = tuples[at]
        _mark_seen(counted, i, seen, count)
        for a in range(attributes):
            highest[a] = 0.0
            for e in range(counted.start[a, i], counted.start[a, i + 1]):
                highest[a] = max(highest[a], _share(counted, a, i, counted.value[e], counted.count[e]))
            # Values that were not seen have less than one count.
            highest[a] = max(highest[a], counted.floor[a, i] * counted.weight[a, i])
        low, high = score[at] * (1 - TIED), score[at] * (1 + TIED)
        number = np.int64(0)
        for a in range(attributes):
            others = 1.0
            for b in range(attributes):
                others *= highest[b] if b != a else 1.0
            for e in range(counted.start[a, i], counted.start[a, i + 1]):
                v = counted.value[e]
                if others * _share(counted, a, i, v, counted.count[e]) * most[v] < low:
                    continue
                for place in range(counted.list_start[v], counted.list_start[v + 1]):
                    y = counted.listed[place]
                    if not _is_new(counted, i, y, a, seen):
                        continue
                    s = _likelihood(counted, i, y, seen, count) * inverse[y]
                    if s >= low and s > 0.0:
                        number += records[y]
                        if s > high:
                            number = -1
                            break
                if number < 0:
                    break
            if number < 0:
                break
        linked[at] = max(number, 0)
