"""Ties between distances: one tolerance for the whole package.

Equal distances may differ in their last bits, because they come from sums in different orders. All code that looks for
a nearest or farthest concept, value or record uses these functions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["TIE", "farthest", "is_less", "is_tie", "levels_of", "nearest"]

TIE = 1e-9


def is_tie(x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    """Whether distances are equal, element by element.

    >>> bool(is_tie(0.1 + 0.2, 0.3)), bool(is_tie(0.3, 0.3001))
    (True, False)
    """
    return np.abs(np.subtract(x, y, dtype=np.float64)) <= TIE


def is_less(x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    """Whether x is less than y and not tied with it, element by element."""
    return np.subtract(y, x, dtype=np.float64) > TIE


def nearest(distances: ArrayLike) -> NDArray[np.intp]:
    """Indices of the smallest distance and of all distances tied with it, ascending.

    >>> nearest([0.5, 0.3, 0.1 + 0.2]).tolist()
    [1, 2]
    """
    values = np.asarray(distances, dtype=np.float64)
    return np.flatnonzero(values <= values.min() + TIE)


def farthest(distances: ArrayLike) -> NDArray[np.intp]:
    """Indices of the largest distance and of all distances tied with it, ascending."""
    values = np.asarray(distances, dtype=np.float64)
    return np.flatnonzero(values >= values.max() - TIE)


def levels_of(distances: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Group distances into levels. Returns the level of each distance, and the distance of each level, ascending.

    A level is a run of sorted distances in which each ties with the one before. Its distance is the smallest of them.

    >>> level, distance = levels_of([0.5, 0.1 + 0.2, 0.3])
    >>> level.tolist(), distance.tolist()
    ([1, 0, 0], [0.3, 0.5])
    """
    values, index = np.unique(np.asarray(distances, dtype=np.float64), return_inverse=True)
    new = np.ones(len(values), dtype=bool)
    new[1:] = np.diff(values) > TIE
    return (np.cumsum(new, dtype=np.int32) - 1)[index], values[new]
