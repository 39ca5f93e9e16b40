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
        self._pairing = pairing
        self._rank = np.random.default_rng(np.random.SeedSequence([seed, pairing.records])).permutation(pairing.records)
        self.number = 1
        while pairing.records > self.number * _LEAST and not is_feasible(self.number * work(*self._part(0)[1:])):
            self.number *= 2

    def part(self, i: int) -> tuple[NDArray[np.bool_], Pairing, NDArray[np.int64]]:
        """The records of part i, their pairing, and the indices of its original tuples in the whole table."""
        return self._part(i)

    def for_error(self) -> tuple[Pairing, NDArray[np.int64]]:
        """A random part that is small enough to be attacked several times."""
        share = max(-(-self._pairing.records // _FOR_ERROR), self.number)
        return self._part(0, share)[1:]

    def _part(self, i: int, number: int | None = None) -> tuple[NDArray[np.bool_], Pairing, NDArray[np.int64]]:
        inside = self._rank * (number or self.number) // self._pairing.records == i
        if inside.all():
            return inside, self._pairing, np.arange(len(self._pairing.original))
        return inside, *self._pairing.part(inside)
