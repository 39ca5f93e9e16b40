"""Link persons with all their records to the records under a pseudonym, by nearest meaning.

An intruder knows all original records of a person. Candidates are the pseudonyms with as many records. Records are
compared in order: both sets are sorted by their distance to the same tuple, the one that is most distant from the most
frequent one. The nearest pseudonym has the least mean distance; pseudonyms that tie share the probability.

If a person has several pseudonyms, the intruder is assumed to know which of its records are under each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.evaluation.pairing import Pairing, RecordPairs, Side
from ontomask.evaluation.strata import StratifiedLinkage

__all__ = ["SetLinkage"]


class SetLinkage:
    """Linkage of sets of records, with the interface of `StratifiedLinkage`.

    Parameters
    ----------
    pairing
        The two tables, in the masked columns.
    units
        The pseudonym of each released record as a number.
    """

    def __init__(self, pairing: Pairing, units: IntArray) -> None:
        self._pairing = pairing
        pair = pairing.by_record.pair
        self._units = group_rows([units], [int(units.max()) + 1])[0]
        self._a, self._b = pairing.a[pair], pairing.b[pair]
        self._rank_a, self._rank_b = _rank(pairing)

    def risk(self, original: NDArray[np.integer], released: NDArray[np.integer], strata: int) -> NDArray[np.float64]:
        """For every original record the probability that its person is linked to its own pseudonym.

        Parameters
        ----------
        original, released
            The stratum of every original and of every released record, 0 … ``strata`` − 1. Candidates have equally
            many records in each stratum.
        """
        rows = self._pairing.by_record.rows
        risk = np.zeros(self._pairing.records)
        before = np.lexsort((self._rank_a[self._a], original[rows], self._units))
        after = np.lexsort((self._rank_b[self._b], released, self._units))
        size = np.bincount(self._units)
        start = np.cumsum(size) - size
        for width in np.unique(size).tolist():
            mine = start[size == width][:, None] + np.arange(width)
            left, right = before[mine], after[mine]
            # Two sets are in the same stratum if their sorted records are.
            columns = [np.concatenate([original[rows][left[:, s]], released[right[:, s]]]) for s in range(width)]
            number, firsts = group_rows(columns, [strata] * width)
            wide = self._widen(left, right)
            found = StratifiedLinkage(wide).risk(number[: len(mine)], number[len(mine) :], len(firsts))
            risk[rows[left]] = found[:, None]
        return risk

    def _widen(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> Pairing:
        """The pairing of sets of equally many records, as wide records: their columns side by side."""
        pairing, width = self._pairing, left.shape[1]
        before, a = self._side(pairing.original, self._a[left])
        after, b = self._side(pairing.masked, self._b[right])
        pair, firsts = group_rows([a, b], [len(before), len(after)])
        return replace(
            pairing,
            names=tuple(f"{name} {s + 1}" for s in range(width) for name in pairing.names),
            columns=pairing.columns * width,
            spaces=pairing.spaces * width,
            points=pairing.points * width,
            original=before,
            masked=after,
            a=a[firsts],
            b=b[firsts],
            counts=np.bincount(pair, minlength=len(firsts)),
            suppressed=np.zeros(len(before), dtype=np.int64),
            record_pairs=RecordPairs(pair, np.arange(len(left)), a),
        )

    def _side(self, side: Side, tuples: NDArray[np.integer]) -> tuple[Side, IntArray]:
        """The distinct wide tuples, and the one of each set."""
        columns = list(_columns(side, tuples))
        number, firsts = group_rows(
            columns, [self._pairing.size(j) for j in range(len(self._pairing.names))] * tuples.shape[1]
        )
        indices = np.stack([column[firsts] for column in columns], axis=1)
        return Side(indices.astype(np.int32), np.bincount(number, minlength=len(firsts))), number


def _columns(side: Side, tuples: NDArray[np.integer]) -> Iterator[NDArray[np.integer]]:
    for of_slot in tuples.T:
        yield from side.indices[of_slot].T


def _rank(pairing: Pairing) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A common order of the original and of the masked tuples: their ranks by distance to one tuple."""
    first = pairing.original.indices[int(pairing.original.counts.argmax())]
    first = pairing.original.indices[int(_distances(pairing, first, pairing.original).argmax())]
    both = np.concatenate([pairing.original.indices, pairing.masked.indices])
    distance = np.concatenate([_distances(pairing, first, side) for side in (pairing.original, pairing.masked)])
    # Equal tuples of both tables have the same rank.
    order = np.lexsort((*both.T[::-1], distance.round(9)))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (both[order[1:]] != both[order[:-1]]).any(axis=1)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new)
    return rank[: len(pairing.original)], rank[len(pairing.original) :]


def _distances(pairing: Pairing, values: NDArray[np.integer], side: Side) -> NDArray[np.float64]:
    """Distances from one tuple, given by the indices of its values, to all tuples of a table."""
    total = np.zeros(len(side))
    for j in range(len(pairing.names)):
        total += pairing.value_distances(j, values[[j]])[0][side.indices[:, j]]
    return total
