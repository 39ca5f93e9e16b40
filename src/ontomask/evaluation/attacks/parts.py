"""Tables that are too large to attack at once: random parts, each attacked by itself.

The work grows with original times released tuples. Above a limit, records are dealt into random parts, and the
intruder is told in which part each record is. Who knows more guesses better: the expected figures are upper bounds.
For value recovery this is strict, since the mean over parts of the highest posterior is no less than the highest mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.pairing import Pairing

__all__ = ["RandomParts"]

# Products that an attack may take: about a minute of processor time.
_MOST = 1e10
# The fewest records of a part.
_LEAST = 2000
# The standard error is measured on so many records at most.
_FOR_ERROR = 2**15


class RandomParts:
    """Random parts of a table, as few as the work allows.

    Parameters
    ----------
    pairing
        Original and masked records.
    work
        About how many products an attack on a part takes; it also gets the numbers of the part's original tuples.
    seed
        Of the parts.
    """

    def __init__(self, pairing: Pairing, work: Callable[[Pairing, NDArray[np.int64]], float], seed: int) -> None:
        self._pairing = pairing
        self._rank = np.random.default_rng(np.random.SeedSequence([seed, pairing.records])).permutation(pairing.records)
        self.number = 1
        while pairing.records > self.number * _LEAST and self.number * work(*self._part(0)[1:]) > _MOST:
            self.number *= 2

    def __iter__(self) -> Iterator[tuple[NDArray[np.bool_], Pairing, NDArray[np.int64]]]:
        """For each part its records, their pairing, and the numbers of its original tuples in the whole table."""
        return (self._part(i) for i in range(self.number))

    def for_error(self) -> tuple[Pairing, NDArray[np.int64]]:
        """A random part that is small enough to attack it several times."""
        share = max(-(-self._pairing.records // _FOR_ERROR), self.number)
        return self._part(0, share)[1:]

    def _part(self, i: int, number: int | None = None) -> tuple[NDArray[np.bool_], Pairing, NDArray[np.int64]]:
        inside = self._rank * (number or self.number) // self._pairing.records == i
        if inside.all():
            return inside, self._pairing, np.arange(len(self._pairing.original))
        return inside, *self._pairing.part(inside)
