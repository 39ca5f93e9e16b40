"""The discrete Laplace distribution, sampled exactly from random integers (Canonne 2020)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

__all__ = ["RandBelow", "discrete_laplace"]

RandBelow = Callable[[int], int]
"""Gives a uniform integer below a bound, as `secrets.randbelow` does."""


def discrete_laplace(scale: Fraction, randbelow: RandBelow) -> int:
    """An integer x with a probability proportional to exp(−|x|/scale) (algorithm 2).

    >>> import secrets
    >>> isinstance(discrete_laplace(Fraction(3, 2), secrets.randbelow), int)
    True
    """
    t, s = scale.numerator, scale.denominator
    while True:
        first = randbelow(t)
        if not _flip_exp(Fraction(first, t), randbelow):
            continue
        whole = 0
        while _flip_exp(Fraction(1), randbelow):
            whole += 1
        size = (first + t * whole) // s
        is_negative = randbelow(2) == 1
        # 0 must not be counted twice.
        if not (is_negative and size == 0):
            return -size if is_negative else size


def _flip_exp(x: Fraction, randbelow: RandBelow) -> bool:
    """True with the probability exp(−x), 0 ≤ x ≤ 1 (algorithm 1)."""
    k = 1
    while randbelow(x.denominator * k) < x.numerator:
        k += 1
    return k % 2 == 1
