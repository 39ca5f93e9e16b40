"""Seeds that can be guessed. Whoever finds the seed of a run repeats its random choices and undoes much of the masking.

A seed is found by trying: each one that is tried predicts figures of the draw, and those are compared with the release
and its report. Fewer than 2⁶⁴ possible seeds can be tried; 128 random bits cannot.
"""

from __future__ import annotations

import secrets

import numpy as np

from ontomask.base.notes import Note
from ontomask.errors import MaskingError

__all__ = ["draw_seed", "generator", "is_weak", "order_generator", "weak_seed_note"]

_STRONG = 2**64
_BITS = 128
# Makes the order of rows independent of everything else that is drawn from the same seed.
_ORDER = 0x0F0E0D


def draw_seed() -> int:
    """A strong seed from the operating system."""
    return secrets.randbits(_BITS)


def is_weak(seed: object) -> bool:
    """Whether a seed is a number below 2⁶⁴. (How a numpy Generator was seeded cannot be known.)

    >>> is_weak(2024), is_weak(2**64), is_weak(None)
    (True, False, False)
    """
    return isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= int(seed) < _STRONG


def weak_seed_note() -> Note:
    """For the keeper of the data. It must not be shared: it would tell that trying seeds is worth it."""
    return Note.of(
        "weak-seed",
        "The seed is below 2⁶⁴ and can be found by trying. Before you release anything, mask again without a seed, or "
        "with a strong one: secrets.randbits(128).",
    )


def order_generator(seed: int) -> np.random.Generator:
    """The source of the order of rows. It follows from the seed and is independent of what the seed masks."""
    return np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=(_ORDER,)))


def generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """A source of randomness: the one given, one from a seed, or one from the operating system's entropy."""
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise MaskingError(f"The 'seed' must be an int ≥ 0, a numpy Generator or None. Got {seed!r} instead.")
    return np.random.default_rng(seed)
