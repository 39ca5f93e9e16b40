"""`Likelihood`: P(x → y) between the distinct tuples of two tables, as products of factors.

One factor is the *last*, and the others make the *head* of a tuple. Original tuples with the same head are a group.
Their likelihoods differ in the last factor only. So sums and maxima over a group are computed once for each released
value of the last factor, and not for every released tuple. For two columns with hundreds of values each, this is a
hundredth of the work. No array is as large as original times released tuples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.base.progress import progress
from ontomask.evaluation.attacks.posterior import Explanation
from ontomask.evaluation.pairing import Pairing, Side
from ontomask.masking.transitions import Factor, Rows

__all__ = ["Batch", "Likelihood", "work_of"]

# Numbers in the rows of one batch of original tuples (8 MiB).
_ROOM = 2**20
# Most tuples of a batch.
_MOST = 512


class Batch(NamedTuple):
    """Original tuples ``low`` to ``high − 1``, sorted by group, of the groups ``first`` to ``last``.

    ``heads`` has a row per group and a column per head of released tuples. ``rows`` are those of the last factor:
    tuple i has row ``row_of[i − low]``, and is of group ``first + group_of[i − low]``.
    """

    low: int
    high: int
    first: int
    last: int
    group_of: IntArray
    heads: NDArray[np.float64]
    rows: NDArray[np.float64]
    row_of: IntArray


class _Factors(NamedTuple):
    """Which factor is the last, and how tuples are grouped by the others."""

    columns: list[IntArray]
    sizes: list[int]
    last: int
    group_of: IntArray
    groups: int
    head_of: IntArray
    heads: int
    work: float


def _split(pairing: Pairing, factors: Sequence[Factor], by_tuple: bool) -> _Factors:
    """Choose the last factor such that the work is smallest."""
    before, after = pairing.original.indices, pairing.masked.indices
    columns, sizes, sources = [], [], []
    for factor in factors:
        at = list(factor.attributes)
        values = [pairing.size(j) for j in at]
        column, firsts = group_rows([after[:, j] for j in at], values)
        source, source_firsts = group_rows([before[:, j] for j in at], values)
        columns.append(column)
        sizes.append(len(firsts))
        sources.append((source, len(source_firsts)))
    found = []
    for last, size in enumerate(sizes):
        others = [f for f in range(len(factors)) if f != last]
        head_of, heads = _group([(columns[f], sizes[f]) for f in others], len(after))
        group_of, groups = _group([sources[f] for f in others], len(before))
        if by_tuple:
            group_of, groups = np.arange(len(before), dtype=np.int32), len(before)
        work = float(len(before)) * size + float(groups) * (len(others) * heads + len(after))
        found.append(_Factors(columns, sizes, last, group_of, groups, head_of, heads, work))
    return min(found, key=lambda of: of.work)


def _group(columns: Sequence[tuple[IntArray, int]], length: int) -> tuple[IntArray, int]:
    if not columns:
        return np.zeros(length, dtype=np.int32), 1
    number, firsts = group_rows([column for column, _ in columns], [size for _, size in columns])
    return number, len(firsts)


def work_of(pairing: Pairing, factors: Sequence[Factor]) -> float:
    """The approximate number of products of an attack."""
    return _split(pairing, factors, False).work


class Likelihood:
    """Factors bound to two tables. Original and released tuples are sorted by their heads.

    Parameters
    ----------
    pairing
        The two tables.
    factors
        P(x → y) is their product.
    by_tuple
        Whether factors depend on the whole original tuple, so that each tuple is a group of its own.
    """

    def __init__(self, pairing: Pairing, factors: Sequence[Factor], *, by_tuple: bool = False) -> None:
        self.pairing, self._factors = pairing, factors
        before, after = pairing.original.indices, pairing.masked.indices
        split = _split(pairing, factors, by_tuple)
        self._originals = np.argsort(split.group_of, kind="stable")
        self._group_of = split.group_of[self._originals]
        self._order = np.argsort(split.head_of, kind="stable")
        self._head_of = split.head_of[self._order]
        self.start = np.searchsorted(self._head_of, np.arange(split.heads + 1))
        firsts = self._order[self.start[:-1]]
        self._first: list[tuple[Rows, IntArray]] = []
        for f, factor in enumerate(factors):
            at = list(factor.attributes)
            chosen = np.unique(split.columns[f], return_index=True)[1]
            points = [pairing.points[j] for j in at]
            rows = factor.bind(points, before[self._originals][:, at], after[chosen][:, at])
            if f == split.last:
                self._last = rows
            else:
                self._first.append((rows, split.columns[f][firsts]))
        self._width = split.sizes[split.last]
        self.column = split.columns[split.last][self._order]
        self.records = pairing.masked.counts[self._order]
        #: The position of each released tuple in this order.
        self.position = _inverted(self._order)
        width = self._width + split.heads + sum(split.sizes[f] for f in range(len(factors)) if f != split.last)
        self._batch = int(np.clip(_ROOM // width, 1, _MOST))
        # Pairs by the original tuple in this order.
        self._pair_at = _inverted(self._originals)[pairing.a]
        self._pair_order = np.argsort(self._pair_at, kind="stable")
        self._pair_start = np.searchsorted(self._pair_at[self._pair_order], np.arange(len(before) + 1))

    def batches(self) -> Iterator[Batch]:
        """The original tuples, a few at a time."""
        from ontomask.evaluation.attacks.kernels import multiply_heads

        for low in range(0, len(self._originals), self._batch):
            high = min(low + self._batch, len(self._originals))
            group_of = self._group_of[low:high]
            first, last = int(group_of[0]), int(group_of[-1])
            group_of = group_of - np.int32(first)
            members = np.searchsorted(group_of, np.arange(last - first + 1))
            heads = np.ones((last - first + 1, len(self.start) - 1))
            for rows, column in self._first:
                matrix, row_of = rows.take(low, high)
                multiply_heads(matrix, row_of[members], column, heads)
            yield Batch(low, high, first, last, group_of, heads, *self._last.take(low, high))

    def tuples(self, batch: Batch) -> NDArray[np.int64]:
        """The original tuples of a batch."""
        return self._originals[batch.low : batch.high]

    def of_pairs(self, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The pairs of a batch, and P(x → y) of each."""
        from ontomask.evaluation.attacks.kernels import own_likelihood

        pairs = self._pair_order[self._pair_start[batch.low] : self._pair_start[batch.high]]
        out = np.empty(len(pairs))
        b = self.position[self.pairing.b[pairs]]
        at = self._pair_at[pairs] - batch.low
        own_likelihood(batch.heads, batch.group_of, batch.rows, batch.row_of, self._head_of, self.column, at, b, out)
        return pairs, out

    def explain(self) -> Explanation:
        """The possible origins of each released tuple."""
        from ontomask.evaluation.attacks.kernels import add_groups, add_up

        q = len(self.pairing.masked)
        own = np.empty(len(self.pairing.a))
        released = _Sums(np.zeros(q), np.zeros(q), np.zeros(q, dtype=np.int64), np.full(q, -1, dtype=np.int64))
        counts = self.pairing.original.counts.astype(np.float64)
        carried, is_open = self._sums(0), False
        with progress("Explaining released records", len(counts)) as advance:
            for batch in self.batches():
                pairs, likelihood = self.of_pairs(batch)
                own[pairs] = likelihood
                sums = self._sums(batch.last - batch.first + 1)
                if is_open:
                    for part, before in zip(sums, carried, strict=True):
                        part[0] = before
                tuples = self.tuples(batch)
                add_up(batch.rows, batch.row_of, batch.group_of, tuples, counts[tuples], is_open, *sums)
                # The last group may continue in the next batch.
                is_open = bool(batch.high < len(counts) and self._group_of[batch.high] == batch.last)
                carried = _Sums(*(part[-1] for part in sums))
                add_groups(batch.heads[: len(batch.heads) - is_open], *sums, self.start, self.column, *released)
                advance(batch.high - batch.low)
        total, best, ties, guess = released
        at = self.position
        return Explanation(own, total[at], best[at], ties[at], guess[at])

    def _sums(self, groups: int) -> _Sums:
        shape = (groups, self._width)
        return _Sums(np.empty(shape), np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.int64))

    def link(
        self, tuples: NDArray[np.int64], inverse: NDArray[np.float64], score: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """How many released records share the best score of some original tuples; see `Likelihoods.link`."""
        linked = np.zeros(len(tuples), dtype=np.int64)
        if len(tuples):
            known = Side(self.pairing.original.indices[tuples], self.pairing.original.counts[tuples])
            nobody = np.empty(0, dtype=np.int32)
            part = Likelihood(replace(self.pairing, original=known, a=nobody, b=nobody), self._factors)
            part._link(inverse, score, linked)
        return linked

    def _link(self, inverse: NDArray[np.float64], score: NDArray[np.float64], linked: NDArray[np.int64]) -> None:
        from ontomask.evaluation.attacks.kernels import best_of_groups, link_best

        inverse = inverse[self._order]
        best, records, number = np.empty((0, self._width)), np.empty((0, self._width), dtype=np.int64), -1
        with progress("Linking known records", len(linked)) as advance:
            for batch in self.batches():
                begun = best[-1:], records[-1:]
                shape = (len(batch.heads), self._width)
                best, records = np.zeros(shape), np.zeros(shape, dtype=np.int64)
                old = int(number == batch.first)
                if old:
                    best[:1], records[:1] = begun
                rest = (batch.heads[old:], self.start, self.column, inverse, self.records, best[old:], records[old:])
                best_of_groups(*rest)
                tuples = self.tuples(batch)
                found = np.zeros(len(tuples), dtype=np.int64)
                link_best(batch.rows, batch.row_of, batch.group_of, best, records, score[tuples], found)
                linked[tuples] = found
                number = batch.last
                advance(batch.high - batch.low)


class _Sums(NamedTuple):
    """Sums of n_x P(x → y) over original tuples, the largest terms, how many share them, and one that has them."""

    total: NDArray[np.float64]
    best: NDArray[np.float64]
    ties: NDArray[np.int64]
    guess: NDArray[np.int64]


def _inverted(order: NDArray[np.integer]) -> IntArray:
    position = np.empty(len(order), dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    return position
