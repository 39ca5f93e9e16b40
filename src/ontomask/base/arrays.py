"""Array types, and a mean over entries that stand for several records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["IntArray", "Records", "mean_of"]

IntArray = NDArray[np.int32]

Records = NDArray[np.int64] | None
"""The number of equal records that each entry stands for; ``None`` if each entry is one record."""


def mean_of(figures: NDArray[Any], records: Records) -> float:
    """The mean of a figure over all records.

    >>> mean_of(np.array([True, False]), None), mean_of(np.array([True, False]), np.array([3, 1]))
    (0.5, 0.75)
    """
    return float(figures.mean()) if records is None else float(figures @ records / records.sum())
