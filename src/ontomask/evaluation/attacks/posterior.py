"""Best guesses by the highest posterior, from any source of the likelihoods P(x → y)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.pairing import Pairing

__all__ = ["TIED", "Best", "Explanation", "Likelihoods", "best_guesses"]

# Likelihoods whose relative difference is at most this are tied: their factors were multiplied in different order.
TIED = 1e-9


class Explanation(NamedTuple):
    """The possible origins of released tuples.

    Attributes
    ----------
    own
        P(x → y) of every pair that occurs.
    total, best, ties
        For every released tuple the sum of n_x P(x → y) over original tuples, the largest term, and how many share it.
    guess
        For every released tuple an original tuple with the largest term; −1 where all terms are 0.
    """

    own: NDArray[np.float64]
    total: NDArray[np.float64]
    best: NDArray[np.float64]
    ties: NDArray[np.int64]
    guess: NDArray[np.int64]


class Likelihoods(Protocol):
    """P(x → y) between the tuples of two tables."""

    def explain(self) -> Explanation:
        """The possible origins of each released tuple."""
        ...

    def link(
        self, tuples: NDArray[np.int64], inverse: NDArray[np.float64], score: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """For some original tuples, how many released records have the ``score``, which is the best of the tuple's own.

        The score of a released tuple is P(x → y)·``inverse``. The number is 0 if another tuple has a better score.
        """
        ...


@dataclass(frozen=True, eq=False)
class Best:
    """The best guesses of an intruder.

    Attributes
    ----------
    own
        P(x → y) of every pair that occurs.
    linked
        For every pair, the probability that the original is linked to its own released record.
    recovered
        For every pair, the probability that the original tuple is guessed from the released one.
    posterior
        For every released tuple, the posterior of its best guess.
    """

    own: NDArray[np.float64]
    linked: NDArray[np.float64]
    recovered: NDArray[np.float64]
    posterior: NDArray[np.float64]


def best_guesses(pairing: Pairing, likelihoods: Likelihoods) -> Best:
    """Link known records to released rows, and guess original tuples from released ones. Ties share the guess."""
    a, b = pairing.a, pairing.b
    own, total, best, ties, guess = likelihoods.explain()
    counts = pairing.original.counts
    inverse = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    own_score = own * inverse[b]
    score = np.zeros(len(pairing.original))
    np.maximum.at(score, a, own_score)
    # Often a released tuple whose best guess is this original tuple has a better score than its own. Then there is
    # nothing left to compare.
    guessed = guess >= 0
    better = np.zeros(len(score))
    np.maximum.at(better, guess[guessed], (best * inverse)[guessed] / counts[guess[guessed]])
    sought = np.flatnonzero((score > 0) & (better <= score * (1 + TIED)))
    linked = np.zeros(len(score), dtype=np.int64)
    linked[sought] = likelihoods.link(sought, inverse, score[sought])
    is_linked = (linked[a] > 0) & (own_score >= score[a] * (1 - TIED))
    weight = counts[a] * own
    is_guessed = (weight > 0) & (weight >= best[b] * (1 - TIED))
    return Best(
        own,
        np.where(is_linked, 1 / np.maximum(linked[a], 1), 0.0),
        np.where(is_guessed, 1 / np.maximum(ties[b], 1), 0.0),
        best * inverse,
    )
