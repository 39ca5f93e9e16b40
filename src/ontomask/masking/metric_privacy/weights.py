"""Integer weights of distances, so that probabilities are exact and keep the claimed bound exactly.

Distances are multiples of 1/`STEPS`. A candidate at k steps has the weight w(k), an integer. The exponential mechanism
asks for w(k) ∝ exp(−ε·k/(2·`STEPS`)). Weights are made from the far end towards 0: w(k − 1) = ⌊w(k)·r⌋ with a rational
number r ≤ exp(ε/(2·`STEPS`)). So w(j)/w(k) ≤ exp(ε·|k − j|/(2·`STEPS`)) holds for the integers themselves, and nothing
that is rounded, in floating point or otherwise, is between a value and its probabilities. (A base that is a power of 2,
as in Ilvento 2019, would do the same for some ε only.)
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ontomask.errors import MaskingError
from ontomask.masking.metric_privacy.randomness import Words

__all__ = ["LARGEST_EPSILON", "STEPS", "growth_bound", "integer_weights"]

STEPS = 1_000
"""Distances are rounded up to multiples of 1/STEPS."""

LARGEST_EPSILON = 32.0
"""The largest ε of a column. Beyond, an intruder can be certain, and weights would not fit into 64 bits."""

_BITS = 64
# Sums of weights stay below this.
_LARGEST_SUM = 2**63
# The least weight of the farthest candidates, for which rounding down changes ε by less than a thousandth.
_LEAST = 2**20


def growth_bound(epsilon: float) -> int:
    """The integer R for which r = R/2⁶⁴ is the largest such number that is proven not to exceed exp(ε/(2·`STEPS`)).

    Partial sums of the exponential series of a positive number are below its value.
    """
    x = Fraction(epsilon) / (2 * STEPS)
    total = term = Fraction(1)
    n = 1
    while term * 2 ** (_BITS + 8) > 1:
        term *= x / n
        total += term
        n += 1
    return int(total * 2**_BITS)


@lru_cache(maxsize=64)
def integer_weights(epsilon: float, candidates: int) -> Words:
    """The weights w(0), …, w(`STEPS`) for this many candidates."""
    bound = growth_bound(epsilon)
    # r^STEPS, rounded up, is at most this. It bounds the growth from the farthest to the nearest candidate.
    growth = Fraction(bound + 1, 2**_BITS) ** STEPS
    least = int(_LARGEST_SUM / (candidates * growth)) - 1
    if least < _LEAST:
        raise MaskingError(
            f"ε = {epsilon:g} is too large for {candidates:,} candidates. Choose a smaller ε, or a narrower domain.",
            parameter="epsilon",
        )
    weights = [least]
    for _ in range(STEPS):
        weights.append(weights[-1] * bound >> _BITS)
    out = np.array(weights[::-1], dtype=np.uint64)
    out.setflags(write=False)
    return out
