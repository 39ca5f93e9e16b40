"""Best guesses by the highest posterior, whatever computes the likelihoods P(x → y)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.pairing import Pairing

__all__ = ["TIED", "Best", "Explanation", "Likelihoods", "best_guesses"]

# Two likelihoods within this share of each other are a tie: they come from products in different order.
TIED = 1e-9


class Explanation(NamedTuple):
    """Where released tuples can come from.

    Attributes
    ----------
    own
        P(x → y) of every pair that occurs.
    total, best, ties
        For every released tuple the sum over original tuples of n_x P(x → y), the greatest term, and how many share it.
    """

    own: NDArray[np.float64]
    total: NDArray[np.float64]
    best: NDArray[np.float64]
    ties: NDArray[np.int64]


class Likelihoods(Protocol):
    """P(x → y) between the tuples of two tables."""

    def explain(self) -> Explanation:
        """Where each released tuple can come from."""
        ...

    def link(self, inverse: NDArray[np.float64], score: NDArray[np.float64]) -> NDArray[np.int64]:
        """Raise ``score``, each original tuple's best so far, to its greatest P(x → y)·``inverse``.

        Returns how many released records have that score.
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
        For every released tuple, how likely its best guess is.
    """

    own: NDArray[np.float64]
    linked: NDArray[np.float64]
    recovered: NDArray[np.float64]
    posterior: NDArray[np.float64]


def best_guesses(pairing: Pairing, likelihoods: Likelihoods) -> Best:
    """Link known records to released rows, and guess original tuples from released ones; ties share."""
    a, b = pairing.a, pairing.b
    own, total, best, ties = likelihoods.explain()
    inverse = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    own_score = own * inverse[b]
    score = np.zeros(len(pairing.original))
    np.maximum.at(score, a, own_score)
    linked = likelihoods.link(inverse, score)
    is_linked = (own_score > 0) & (own_score >= score[a] * (1 - TIED))
    weight = pairing.original.counts[a] * own
    is_guessed = (weight > 0) & (weight >= best[b] * (1 - TIED))
    return Best(
        own,
        np.where(is_linked, 1 / np.maximum(linked[a], 1), 0.0),
        np.where(is_guessed, 1 / np.maximum(ties[b], 1), 0.0),
        best * inverse,
    )
