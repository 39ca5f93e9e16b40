"""Random parts of tables that are too large to attack at once. Each part is attacked separately.

The work grows with the number of original times released tuples. Above a limit, records are divided into random parts,
and the intruder knows in which part each record is. With this knowledge the intruder guesses better, so the expected
figures are upper bounds. For value recovery this is strict: the mean over parts of the highest posterior is at least
the highest mean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.pairing import Pairing

__all__ = ["RandomParts", "is_feasible"]

# Most products of an attack: about a minute of processor time.
_MOST = 1e10
# Fewest records of a part.
_LEAST = 2000
# Most records that the standard error is measured on.
_FOR_ERROR = 2**15


def is_feasible(work: float) -> bool:
    """Whether an attack with this many products can be computed on the whole table."""
    return work <= _MOST


class RandomParts:
    """Random parts of a table, as few as the limit on the work allows.

    Parameters
    ----------
    pairing
        Original and masked records.
    work
        The approximate number of products of an attack. It gets a part, and the indices of its original tuples.
    seed
        For the division into parts.
    """

    def __init__(self, pairing: Pairing, work: Callable[[Pairing, NDArray[np.int64]], float], seed: int) -> None:
        self._pairing, self._seed = pairing, seed
        if pairing.by_record.records is None:
            rng = np.random.default_rng(np.random.SeedSequence([seed, pairing.records]))
            self._rank = rng.permutation(pairing.records)
        self.number = 1
        while pairing.records > self.number * _LEAST and not is_feasible(self.number * work(*self._part(0)[2:])):
            self.number *= 2

    def part(self, i: int) -> tuple[NDArray[np.bool_], NDArray[np.float64] | float, Pairing, NDArray[np.int64]]:
        """The records of part i, their shares, their pairing, and the indices of its tuples in the whole table.

        Equal records that an engine has counted can be in several parts; the share is how many of them are in this one.
        """
        return self._part(i)

    def for_error(self) -> tuple[Pairing, NDArray[np.int64]]:
        """A random part that is small enough to be attacked several times."""
        share = max(-(-self._pairing.records // _FOR_ERROR), self.number)
        return self._part(0, share)[2:]

    def _part(
        self, i: int, number: int | None = None
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64] | float, Pairing, NDArray[np.int64]]:
        pairing, number = self._pairing, number or self.number
        records = pairing.by_record.records
        if number == 1:
            return np.ones(len(pairing.by_record.tuples), dtype=bool), 1.0, pairing, np.arange(len(pairing.original))
        if records is None:
            inside = self._rank * number // pairing.records == i
            return inside, 1.0, *pairing.part(inside)
        counts = self._draw(records, i, number)
        inside = counts > 0
        return inside, counts[inside] / records[inside], *pairing.part(inside, counts[inside])

    def _draw(self, records: NDArray[np.int64], i: int, number: int) -> NDArray[np.int64]:
        """How many of equal records are in part i: the parts are drawn one after the other from those that are left."""
        rng = np.random.default_rng(np.random.SeedSequence([self._seed, self._pairing.records, number]))
        left = records
        for part in range(i):
            left = left - rng.binomial(left, 1 / (number - part))
        return rng.binomial(left, 1 / (number - i))
