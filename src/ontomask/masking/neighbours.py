"""Neighbours of tuples: a list of near tuples for each, without comparing all with all.

The tuples are divided into small parts of near ones, and those of a part are compared with each other. This is repeated
with other parts, since a neighbour may be in another one. Then the neighbours of neighbours are tried. Most of the
neighbours that are found are the nearest ones, but not all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.halving import halve
from ontomask.base.progress import progress
from ontomask.base.threads import in_threads

__all__ = ["find_neighbours"]

# Neighbours of a tuple, tuples in a part, how often all tuples are divided, and neighbours whose neighbours are tried.
_NEIGHBOURS = 24
_PART = 64
_DIVISIONS = 12
_FOLLOWED = 8


def find_neighbours(index: Any) -> IntArray:
    """Near tuples of each tuple, nearest first; −1 after the last.

    Nothing is random: pivots are drawn with a fixed seed, so the same tuples have the same neighbours.

    Parameters
    ----------
    index
        The tuples in the form that the kernels use.
    """
    from ontomask.masking.kernels.neighbours import FAR, compare_parts, follow

    tuples = len(index.counts)
    near = np.full((tuples, _NEIGHBOURS), -1, dtype=np.int32)
    away = np.full((tuples, _NEIGHBOURS), FAR, dtype=np.int64)
    rng = np.random.default_rng(0)
    # Each tuple is in one part, so threads change the neighbours of different tuples.
    with progress("Finding neighbours", _DIVISIONS + 1) as advance:
        for _ in range(_DIVISIONS):
            order, edges = _divide(index, rng)
            _in_parts("Comparing records", len(edges) - 1, compare_parts, index, order, edges, near, away)
            advance(1)
        known = near[:, :_FOLLOWED].copy()
        _in_parts("Comparing records", tuples, follow, index, known, near, away)
        advance(1)
    return near


def _divide(index: Any, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from ontomask.masking.kernels.neighbours import project

    away = np.empty(len(index.counts), dtype=np.int64)

    def compare(order: NDArray[np.int64], edges: NDArray[np.int64], pivots: NDArray[np.int64]) -> NDArray[np.int64]:
        _in_parts("Dividing records", len(pivots), project, index, order, edges, pivots, away, first=1)
        return away

    return halve(len(away), _PART, compare, rng)


def _in_parts(name: str, total: int, kernel: Any, index: Any, *arrays: Any, first: int = 256) -> None:
    """Run a kernel for all parts or tuples, with several threads."""

    def begin() -> Callable[[slice], None]:
        mine = index.for_another_thread()
        return lambda part: kernel(mine, *arrays, part.start, part.stop)

    in_threads(name, total, begin, first=first)
