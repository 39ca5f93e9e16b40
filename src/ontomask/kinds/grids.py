"""Grids of numbers: the lowest, the highest and the step, as the user states them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import TableError

__all__ = ["check_grid", "read_grid"]

# More numbers than this take long to draw from, and say no more.
_MOST = 100_000


def check_grid(given: Any) -> tuple[float, float, float] | None:
    """The grid as a tuple; an error if it is not the lowest number, the highest and a step that fits between them."""
    if given is None:
        return None
    parts = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    numbers = all(isinstance(part, Real) and not isinstance(part, bool) and isfinite(part) for part in parts)
    if len(parts) != 3 or not numbers or not 0 < parts[2] <= parts[1] - parts[0] <= parts[2] * _MOST:
        raise TableError(
            f"The 'grid' must be the lowest number, the highest and the step, such as [0, 120, 5], with at most "
            f"{_MOST:,} steps. Got {given!r} instead.",
            parameter="grid",
        )
    return parts[0], parts[1], parts[2]


def read_grid(grid: Sequence[float]) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
    """The numbers of the steps, the points of the grid, and the decimals that they need.

    >>> steps, points, decimals = read_grid((0, 1, 0.25))
    >>> points.tolist(), decimals
    ([0.0, 0.25, 0.5, 0.75, 1.0], 2)
    """
    low, high, step = (Decimal(repr(float(part))) for part in grid)
    number = int((high - low) / step) + 1
    points = np.array([float(low + i * step) for i in range(number)])
    decimals = max(0, *(-int(part.normalize().as_tuple().exponent) for part in (low, step)))
    return np.arange(number, dtype=np.int64), points, decimals
