"""Blocks of near masked tuples. With many attributes, a search can exclude most blocks as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.halving import halve

__all__ = ["MaskedBlocks"]

# Masked tuples in a block; the fewest attributes and masked tuples for which blocks are faster than another index.
_BLOCK = 32
_FEWEST_ATTRIBUTES = 4
_FEWEST_TUPLES = 1024


@dataclass(frozen=True, eq=False)
class MaskedBlocks:
    """Masked tuples in blocks, and bounds of the distances to them.

    Attributes
    ----------
    order, edges
        The masked tuples, block by block, and where each block begins and ends.
    low, start
        For each attribute, one after another, and each value of the originals, the least distance to a value of each
        block; and where each attribute begins.
    """

    order: NDArray[np.int64]
    edges: NDArray[np.int64]
    low: NDArray[np.float64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, matrices: Sequence[NDArray[np.float64]], masked: NDArray[np.integer]) -> MaskedBlocks:
        """From the distances between the values of originals (rows) and of masked tuples, and the masked tuples."""
        # A masked tuple as a pivot: in each attribute, the nearest value of an original.
        nearest = [matrix.argmin(axis=0) for matrix in matrices]

        def project(
            order: NDArray[np.int64], edges: NDArray[np.int64], pivots: NDArray[np.int64]
        ) -> NDArray[np.float64]:
            part = np.repeat(np.arange(len(pivots)), np.diff(edges))
            away = np.zeros(len(order))
            for matrix, row, values in zip(matrices, nearest, masked.T, strict=True):
                first, second = row[values[pivots]].T
                away += matrix[first[part], values[order]] - matrix[second[part], values[order]]
            return away

        order, edges = halve(len(masked), _BLOCK, project, np.random.default_rng(0))
        low = [
            np.minimum.reduceat(matrix[:, values[order]], edges[:-1], axis=1).ravel()
            for matrix, values in zip(matrices, masked.T, strict=True)
        ]
        start = np.cumsum([0, *(part.size for part in low)])
        return cls(order, edges, np.concatenate(low), start)

    @staticmethod
    def fit(matrices: Sequence[NDArray[Any]], masked: int, room: int) -> bool:
        """Whether there are enough masked tuples and attributes to be worth it, and room for the bounds."""
        # Bounds for the values of one attribute are computed from the distances to all masked tuples.
        largest = max(len(matrix) for matrix in matrices) * masked
        bounds = sum(len(matrix) for matrix in matrices) * (2 * masked // _BLOCK + 1)
        is_worthwhile = len(matrices) >= _FEWEST_ATTRIBUTES and masked >= _FEWEST_TUPLES
        return is_worthwhile and max(largest, bounds) <= room
