"""When two distances are equal: one tolerance for the whole package.

Distances come from different sums in different order, so equal ones differ in their last bits. Everything that
looks for a nearest or a farthest concept, value or record asks here.
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
    """Whether x is less than y and no tie, element by element."""
    return np.subtract(y, x, dtype=np.float64) > TIE


def nearest(distances: ArrayLike) -> NDArray[np.intp]:
    """Places of the smallest distance and all that tie with it, ascending.

    >>> nearest([0.5, 0.3, 0.1 + 0.2]).tolist()
    [1, 2]
    """
    values = np.asarray(distances, dtype=np.float64)
    return np.flatnonzero(values <= values.min() + TIE)


def farthest(distances: ArrayLike) -> NDArray[np.intp]:
    """Places of the greatest distance and all that tie with it, ascending."""
    values = np.asarray(distances, dtype=np.float64)
    return np.flatnonzero(values >= values.max() - TIE)


def levels_of(distances: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Distances as levels: the number of each one's level, and the distance that each level stands for, ascending.

    A level is a run of distances in which each ties with the one before; it stands for the least of them.

    >>> level, distance = levels_of([0.5, 0.1 + 0.2, 0.3])
    >>> level.tolist(), distance.tolist()
    ([1, 0, 0], [0.3, 0.5])
    """
    values, place = np.unique(np.asarray(distances, dtype=np.float64), return_inverse=True)
    new = np.ones(len(values), dtype=bool)
    new[1:] = np.diff(values) > TIE
    return (np.cumsum(new, dtype=np.int32) - 1)[place], values[new]
