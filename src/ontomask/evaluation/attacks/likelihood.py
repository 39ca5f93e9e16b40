"""`Likelihood`: P(x → y) between the distinct tuples of two tables, computed a few original tuples at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.attacks.posterior import Explanation
from ontomask.evaluation.pairing import Pairing, Side
from ontomask.masking.transitions import Factor, Rows
from ontomask.microdata.grouping import group_rows
from ontomask.progress import progress
from ontomask.taxonomy.graph import IntArray

__all__ = ["Batch", "Likelihood"]

# Numbers in the rows of one batch of original tuples (8 MiB).
_ROOM = 2**20
# Tuples of a batch, at most.
_MOST = 512


class Batch(NamedTuple):
    """Original tuples ``low`` to ``high − 1``: the product of the first factors by head, and rows of the last one."""

    low: int
    high: int
    heads: NDArray[np.float64]
    rows: NDArray[np.float64]
    row_of: IntArray


class Likelihood:
    """Factors bound to two tables. Released tuples are sorted so that those with the same head lie together."""

    def __init__(self, pairing: Pairing, factors: Sequence[Factor]) -> None:
        self.pairing, self._factors = pairing, factors
        before, after = pairing.original.places, pairing.masked.places
        bound: list[tuple[Rows, IntArray, int]] = []
        for factor in factors:
            at = list(factor.attributes)
            sizes = [pairing.size(j) for j in at]
            column, firsts = group_rows([after[:, j] for j in at], sizes)
            rows = factor.bind([pairing.points[j] for j in at], before[:, at], after[firsts][:, at])
            bound.append((rows, column, len(firsts)))
        # The factor with the most values comes last, so that there are few heads.
        bound.sort(key=lambda of: of[2])
        *first, (self._last, last_column, width) = bound
        self._first = [rows for rows, _, _ in first]
        if first:
            head_of, firsts = group_rows([column for _, column, _ in first], [size for _, _, size in first])
        else:
            head_of, firsts = np.zeros(len(after), dtype=np.int32), np.zeros(1, dtype=np.int64)
        self._order = np.argsort(head_of, kind="stable")
        self.start = np.searchsorted(head_of[self._order], np.arange(len(firsts) + 1))
        self._head_columns = [column[firsts] for _, column, _ in first]
        self.column = last_column[self._order]
        self.records = pairing.masked.counts[self._order]
        #: Where each released tuple lies in this order.
        self.position = np.empty(len(after), dtype=np.int32)
        self.position[self._order] = np.arange(len(after), dtype=np.int32)
        self._head_of = head_of[self._order]
        width += len(firsts) + sum(size for _, _, size in first)
        self._batch = int(np.clip(_ROOM // width, 1, _MOST))
        # Pairs lie by original tuple.
        self._pairs = np.searchsorted(pairing.a, np.arange(len(before) + 1))

    def batches(self) -> Iterator[Batch]:
        """The original tuples, a few at a time."""
        from ontomask.evaluation.attacks.kernels import multiply_heads

        for low in range(0, len(self.pairing.original), self._batch):
            high = min(low + self._batch, len(self.pairing.original))
            heads = np.ones((high - low, len(self.start) - 1))
            for rows, column in zip(self._first, self._head_columns, strict=True):
                multiply_heads(*rows.take(low, high), column, heads)
            yield Batch(low, high, heads, *self._last.take(low, high))

    def of_pairs(self, batch: Batch) -> tuple[slice, NDArray[np.float64]]:
        """P(x → y) of the pairs of a batch, and which they are."""
        from ontomask.evaluation.attacks.kernels import own_likelihood

        pairs = slice(int(self._pairs[batch.low]), int(self._pairs[batch.high]))
        out = np.empty(pairs.stop - pairs.start)
        a, b = self.pairing.a[pairs], self.position[self.pairing.b[pairs]]
        own_likelihood(batch.heads, batch.rows, batch.row_of, self._head_of, self.column, a, b, batch.low, out)
        return pairs, out

    def explain(self) -> Explanation:
        """Where each released tuple can come from."""
        from ontomask.evaluation.attacks.kernels import add_up

        q = len(self.pairing.masked)
        own = np.empty(len(self.pairing.a))
        total, best, ties = np.zeros(q), np.zeros(q), np.zeros(q, dtype=np.int64)
        guess = np.full(q, -1, dtype=np.int64)
        counts = self.pairing.original.counts.astype(np.float64)
        with progress("Explaining released records", len(counts)) as advance:
            for batch in self.batches():
                pairs, likelihood = self.of_pairs(batch)
                own[pairs] = likelihood
                found = (self.start, self.column, counts[batch.low : batch.high], batch.low, total, best, ties, guess)
                add_up(batch.heads, batch.rows, batch.row_of, *found)
                advance(batch.high - batch.low)
        at = self.position
        return Explanation(own, total[at], best[at], ties[at], guess[at])

    def link(
        self, tuples: NDArray[np.int64], inverse: NDArray[np.float64], score: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """How many released records share the best score of some original tuples; see `Likelihoods.link`."""
        from ontomask.evaluation.attacks.kernels import link_best

        linked = np.zeros(len(tuples), dtype=np.int64)
        if not len(tuples):
            return linked
        known = Side(self.pairing.original.places[tuples], self.pairing.original.counts[tuples])
        part = Likelihood(replace(self.pairing, original=known), self._factors)
        inverse = inverse[part._order]
        most = np.maximum.reduceat(inverse, part.start[:-1])
        with progress("Linking known records", len(tuples)) as advance:
            for batch in part.batches():
                mine = slice(batch.low, batch.high)
                found = (part.start, part.column, inverse, most, part.records, score[mine], linked[mine])
                link_best(batch.heads, batch.rows, batch.row_of, *found)
                advance(batch.high - batch.low)
        return linked
