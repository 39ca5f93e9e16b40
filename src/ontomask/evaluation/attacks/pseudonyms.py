"""The intruder who knows the method and all records of a person, and sees which rows are under one pseudonym.

A person with the tuples x is linked to the pseudonym whose rows y have the largest P(x → y) / Σ P(x' → y), over all
persons x' with as many records. Records are masked one by one, so P of a whole set is the sum over all ways to pair its
records of the products of P(x → y): a permanent. It is exact for up to three records. For more, the intruder multiplies
the mean probabilities of each record, which is no exact posterior, but a guess that anybody can make.

If a person has several pseudonyms, the intruder is assumed to know which of its records are under each of them. If too
many pseudonyms have several records, they are divided into random parts, as in `ontomask.evaluation.attacks.parts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.base.progress import progress
from ontomask.evaluation.attacks.posterior import TIED, Likelihoods, best_guesses
from ontomask.evaluation.pairing import Pairing

__all__ = ["PseudonymLinkage"]

# The largest numbers of pseudonyms, and of pairs of an original and a released tuple (100 MiB), compared at once.
_MOST_UNITS, _MOST_PAIRS = 1500, 2**22
# For persons with at most this many records, all ways to pair the records are added up.
_EXACT = 3

LikelihoodsOf = Callable[[Pairing, NDArray[np.int64]], Likelihoods]


class PseudonymLinkage:
    """Links persons, by all their records, to pseudonyms, by all their rows. Both are sorted by the number of records.

    Parameters
    ----------
    pairing
        Original and masked records.
    units
        The pseudonym of each released record as a number.
    likelihoods
        P(x → y) for a part of the records, given its pairing and the indices of its original tuples in the whole.
    can_link_all
        Whether such a part is small enough to be linked as a whole, record by record.
    seed
        For the division into parts.

    Attributes
    ----------
    parts
        The largest number of parts that pseudonyms with equally many records are divided into.
    """

    def __init__(
        self,
        pairing: Pairing,
        units: IntArray,
        likelihoods: LikelihoodsOf,
        can_link_all: Callable[[Pairing, NDArray[np.int64]], bool],
        seed: int,
    ) -> None:
        self._pairing, self._likelihoods = pairing, likelihoods
        self._units, firsts = group_rows([units], [int(units.max()) + 1])
        self._size = np.bincount(self._units)
        rng = np.random.default_rng(np.random.SeedSequence([seed, len(firsts)]))
        self._rank = np.zeros(len(firsts), dtype=np.int64)
        self._parts: dict[int, int] = {}
        for width in np.unique(self._size).tolist():
            mine = np.flatnonzero(self._size == width)
            self._rank[mine] = rng.permutation(len(mine))
            self._parts[width] = 1
            while self._is_large(width):
                self._parts[width] *= 2
        # Single records need no sets.
        self._all_at_once = self._parts.get(1, 1) > 1 and can_link_all(*self._part(1, 0, 1)[1:])
        self.parts = max(1 if width == 1 and self._all_at_once else parts for width, parts in self._parts.items())

    def _is_large(self, width: int) -> bool:
        units = -(-int((self._size == width).sum()) // self._parts[width])
        if units < 2 or units > _MOST_UNITS:
            return units > 1
        part = self._part(width, 0)[1]
        return len(part.original) * len(part.masked) > _MOST_PAIRS

    def _part(
        self, width: int, i: int, parts: int | None = None
    ) -> tuple[NDArray[np.bool_], Pairing, NDArray[np.int64]]:
        """The original records of a part of the pseudonyms with ``width`` records, their pairing and their tuples."""
        mine = self._size == width
        mine[mine] = self._rank[mine] * (parts or self._parts[width]) // int(mine.sum()) == i
        inside = np.zeros(self._pairing.records, dtype=bool)
        inside[self._pairing.by_record.rows[mine[self._units]]] = True
        return inside, *self._pairing.part(inside)

    def risk(self) -> NDArray[np.float64]:
        """For every original record the probability that its person is linked; 0 for suppressed records."""
        risk = np.zeros(self._pairing.records)
        with progress("Linking persons", sum(self._parts.values())) as advance:
            for width, parts in self._parts.items():
                if width == 1 and self._all_at_once:
                    inside, part, tuples = self._part(1, 0, 1)
                    risk[inside] = part.per_record(best_guesses(part, self._likelihoods(part, tuples)).linked)
                    advance(parts)
                    continue
                for i in range(parts):
                    inside, found = self._risk_of_part(width, i, self._likelihoods)
                    risk[inside] = found
                    advance(1)
        return risk

    def sample(self, likelihoods: LikelihoodsOf) -> float:
        """The mean risk of records in the first part of each width, in percent, under other likelihoods."""
        risks = [self._risk_of_part(width, 0, likelihoods)[1] for width in self._parts]
        return 100 * float(np.concatenate(risks).mean())

    def _risk_of_part(
        self, width: int, i: int, likelihoods: LikelihoodsOf
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """The original records of a part, and the probability that the person of each is linked."""
        inside, part, tuples = self._part(width, i)
        p, q = len(part.original), len(part.masked)
        every = np.repeat(np.arange(p, dtype=np.int32), q), np.tile(np.arange(q, dtype=np.int32), p)
        crossed = replace(part, a=every[0], b=every[1], counts=np.ones(p * q, dtype=np.int64))
        chances = likelihoods(crossed, tuples).explain().own.reshape(p, q)
        known = part.by_record
        units = self._units[inside[self._pairing.by_record.rows]]
        records = np.argsort(units, kind="stable").reshape(-1, width)
        before, after = part.a[known.pair[records]], part.b[known.pair[records]]
        risk = np.zeros(int(inside.sum()))
        risk[known.rows[records]] = _link(_log_likelihood(chances, before, after))[:, None]
        return inside, risk


def _log_likelihood(chances: NDArray[np.float64], before: IntArray, after: IntArray) -> NDArray[np.float64]:
    """log P for all persons (rows) and pseudonyms (columns), given the tuples of the records of each."""
    width = before.shape[1]
    with np.errstate(divide="ignore"):
        if width > _EXACT:
            mean = np.zeros((len(chances), len(after)))
            for slot in after.T:
                mean += chances[:, slot]
            mean = np.log(mean / width)
            return np.sum([mean[slot] for slot in before.T], axis=0)
        logs = np.log(chances)
        total = np.full((len(before), len(after)), -np.inf)
        for paired in permutations(range(width)):
            one = np.sum([logs[np.ix_(before[:, i], after[:, j])] for i, j in enumerate(paired)], axis=0)
            np.logaddexp(total, one, out=total)
    return total


def _link(likelihood: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each person the probability of choosing the own pseudonym. Persons and pseudonyms are in the same order."""
    most = likelihood.max(axis=0)
    shifted = likelihood - np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = shifted - np.log(np.exp(shifted).sum(axis=0))
    score[~np.isfinite(likelihood)] = -np.inf
    tied = score >= score.max(axis=1)[:, None] - TIED * 10
    own = np.diag(tied) & np.isfinite(np.diag(score))
    risk: NDArray[np.float64] = np.where(own, 1 / tied.sum(axis=1), 0.0)
    return risk
