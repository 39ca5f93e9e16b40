"""The two mechanisms: from what cells mean to candidates, without anything else.

`draw` takes a batch of inputs and gives a batch of candidates. Each draw depends on its own input and on fresh random
bits only, so batches can be masked anywhere and in any order.

The exponential mechanism (McSherry and Talwar 2007) gives candidate z of input x the probability w(x, z)/Σ w(x, ·).
Permute-and-flip (McKenna and Sheldon 2020) goes through the candidates in random order and releases each with the
probability w(x, z)/max w(x, ·) until one is released. It favours near candidates more, with the same claim. Both are
drawn from integers, exactly: see `ontomask.masking.metric_privacy.weights`.

How long a draw takes may depend on the value. An intruder who can measure that is not covered by the claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import with_progress
from ontomask.kinds.public import PublicDomain
from ontomask.masking.metric_privacy.randomness import RandomWords, Words, draw_below
from ontomask.masking.metric_privacy.weights import STEPS, integer_weights

__all__ = ["MECHANISMS", "Mechanism", "MechanismName"]

MechanismName = Literal["exponential", "permute_and_flip"]
MECHANISMS: tuple[MechanismName, ...] = ("exponential", "permute_and_flip")

Matrix = NDArray[np.float64]

# Random words that permute-and-flip gets at a time: at least, at most.
_FEW, _WORDS = 64, 2**18
# Nodes of the quadrature in each interval.
_NODES = 24


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A mechanism for one column.

    Attributes
    ----------
    domain
        The candidates and their distances.
    epsilon
        The ε of the column.
    name
        Which mechanism it is.
    """

    domain: PublicDomain
    epsilon: float
    name: MechanismName = "exponential"

    @cached_property
    def weights(self) -> Words:
        """The weight of each distance in steps."""
        return integer_weights(self.epsilon, len(self.domain))

    def draw(self, inputs: IntArray, words: RandomWords) -> IntArray:
        """For each input the number of a candidate.

        Draws are made input by input, in ascending order; equal inputs in the order given.
        """
        out = np.empty(len(inputs), dtype=np.int32)
        if not len(inputs):
            return out
        distinct, number = np.unique(inputs, return_inverse=True)
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number, minlength=len(distinct)))
        draw = self._exponential if self.name == "exponential" else self._permute_and_flip
        for x, rows in with_progress("Drawing", list(zip(distinct.tolist(), np.split(order, ends[:-1]), strict=True))):
            index, distances = self.domain.row(x, STEPS)
            out[rows] = draw(self.weights[distances][index], len(rows), words)
        return out

    def _exponential(self, weights: Words, number: int, words: RandomWords) -> NDArray[np.integer]:
        sums = np.cumsum(weights, dtype=np.uint64)
        below = draw_below(np.full(number, sums[-1]), words)
        return np.searchsorted(sums, below, side="right")

    def _permute_and_flip(self, weights: Words, number: int, words: RandomWords) -> NDArray[np.integer]:
        from ontomask.masking.kernels.permute_and_flip import permute_and_flip

        out, order = np.empty(number, dtype=np.int32), np.arange(len(weights), dtype=np.int32)
        state, largest = np.zeros(2, dtype=np.int64), weights.max()
        while state[0] < number:
            portion = words(min(4 * (number - int(state[0])) + _FEW, _WORDS))
            permute_and_flip(weights, largest, portion, order, state, out)
        return out

    def probabilities(self, inputs: IntArray) -> Matrix:
        """The probability of each candidate (columns), given each input (rows), to double precision."""
        out = np.empty((len(inputs), len(self.domain)))
        for row, x in zip(out, inputs.tolist(), strict=True):
            index, distances = self.domain.row(x, STEPS)
            weights = self.weights[distances].astype(np.float64)
            counts = np.bincount(index, minlength=len(weights))
            chances = weights / (counts @ weights) if self.name == "exponential" else _flip_chances(weights, counts)
            row[:] = chances[index]
        return out


def _flip_chances(weights: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probabilities of permute-and-flip for candidates with these weights, of which there are so many.

    Candidates are released in random order with chances p. So one with the chance p is released with the probability
    p·∫₀¹ Π (1 − p′·s) ds over all other candidates: s is the share of candidates before it.
    """
    found = np.zeros(len(weights))
    used = np.flatnonzero(counts)
    p, counts = weights[used] / weights[used].max(), counts[used]
    # Dyadic intervals: the product falls like exp(−s·Σp), on the scale 1/Σp.
    pieces = int(np.ceil(np.log2(max(float(counts @ p), 1.0)))) + 8
    ends = np.concatenate([[0.0], 2.0 ** -np.arange(pieces, -1, -1)])
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(ends)[:, None] / 2
    s = (ends[:-1, None] + half * (x + 1)).ravel()
    ds = (half * w).ravel()
    logs = np.log1p(-np.outer(p, s))
    product = np.exp(counts @ logs)
    found[used] = p * ((product / np.exp(logs)) @ ds)
    return found
