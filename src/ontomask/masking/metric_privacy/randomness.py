"""Random integers for privacy claims: bits of the operating system, and uniform numbers without rounding.

Integers below a bound are drawn by rejection: as many random bits as the bound has, again until they are below it. So
every integer has exactly the same probability.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["RandomWords", "Words", "draw_below", "secure_words", "unsafe_words"]

Words = NDArray[np.uint64]

RandomWords = Callable[[int], Words]
"""Gives as many random 64-bit words as asked for."""


def secure_words(number: int) -> Words:
    """Random words of the operating system."""
    return np.frombuffer(secrets.token_bytes(8 * number), dtype="<u8").astype(np.uint64, copy=False)


def unsafe_words(rng: np.random.Generator) -> RandomWords:
    """Random words of a generator that anybody who knows its seed can repeat. For tests only."""
    return lambda number: np.frombuffer(rng.bytes(8 * number), dtype="<u8").astype(np.uint64, copy=False)


def draw_below(bounds: Words, words: RandomWords) -> Words:
    """For each bound (at least 1) a uniform integer below it."""
    mask = bounds - np.uint64(1)
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> np.uint64(shift)
    out = words(len(bounds)) & mask
    again = np.flatnonzero(out >= bounds)
    while len(again):
        out[again] = words(len(again)) & mask[again]
        again = again[out[again] >= bounds[again]]
    return out
