"""Random seeds, and seeds that can be guessed. With the seed of a run, anybody can repeat it and undo the masking.

An attacker tries seeds: each predicts figures of the run, which can be compared with the release and its report. It is
possible to try 2⁶⁴ seeds, but not 2¹²⁸.
"""

from __future__ import annotations

import secrets

import numpy as np

from ontomask.base.notes import Note
from ontomask.errors import MaskingError

__all__ = ["draw_seed", "generator", "is_weak", "order_generator", "weak_seed_note"]

_STRONG = 2**64
_BITS = 128
# Makes the order of rows independent of all other draws from the same seed.
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
    """A note for the owner of the data. Do not publish it: it would show that trying seeds is worthwhile."""
    return Note.of(
        "weak-seed",
        "The seed is below 2⁶⁴, so it can be found by trying. Before you release anything, mask again without a seed, "
        "or with a strong one: secrets.randbits(128).",
    )


def order_generator(seed: int) -> np.random.Generator:
    """The generator for the order of rows. It follows from the seed and is independent of the masking."""
    return np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=(_ORDER,)))


def generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """A random generator: the given one, or a new one from a seed or from the operating system's entropy."""
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        message = f"The 'seed' must be an int ≥ 0, a numpy Generator or None. Got {seed!r} instead."
        raise MaskingError(message, parameter="seed")
    return np.random.default_rng(seed)
