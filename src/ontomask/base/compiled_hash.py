"""The hash of integer keys, compiled: the numbers of `ontomask.base.keyed_hash`, several times faster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.keyed_hash import Secret, hash_keys

__all__ = ["hash_integers", "hash_many"]

# Hashing fewer keys than this is faster than loading the compiled function.
_FEW = 100_000


def hash_many(secret: Secret, keys: NDArray[Any]) -> NDArray[np.uint64]:
    """As `hash_integers`, compiled only where there are many keys."""
    return hash_keys(secret, keys) if len(keys) < _FEW else hash_integers(secret, keys)


def hash_integers(secret: Secret, keys: NDArray[Any]) -> NDArray[np.uint64]:
    """As `ontomask.base.keyed_hash.hash_keys`, for integers only.

    >>> hash_integers((1, 2), np.array([7, 8, 7])).tolist()
    [5932296293751666080, 14145388657542183815, 5932296293751666080]
    """
    from ontomask.base.kernels import hash_words

    out = np.empty(len(keys), dtype=np.uint64)
    # A copy can be written to. Arrays that cannot would be compiled for once more.
    hash_words(np.array(secret, dtype=np.uint64), np.array(keys, dtype=np.int64), out)
    return out
