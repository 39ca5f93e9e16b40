"""Information loss of a masked table: by the distances between records and their masked versions, or by certainty.

Records come as distinct pairs with the number of records of each. A suppressed record has no masked version; it counts
as distance 1.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.errors import DistanceError
from ontomask.operators.ranges import ends_of
from ontomask.operators.space import Counts, Points, Space

__all__ = ["certainty_penalty", "loss_percent", "mean_loss", "range_widths", "squared_loss", "target_rmse"]


def target_rmse(errors: ArrayLike) -> float:
    """Root mean square of the errors drawn, to compare with the actual one (Rodriguez-Garcia 2017, section 5).

    >>> target_rmse([0.3, -0.4, 0.0, 0.0])
    0.25
    """
    drawn = np.asarray(errors, dtype=np.float64)
    if drawn.size == 0:
        raise DistanceError("The target RMSE of no errors is not defined. Give at least one error.", parameter="errors")
    return sqrt(np.mean(drawn**2))


def mean_loss(distances: NDArray[np.float64], counts: Counts, suppressed: int = 0) -> float:
    """The semantic loss: mean distance between original and masked records (Martínez 2012, eq. 5.1, 8.7)."""
    return float((distances @ counts + suppressed) / (np.sum(counts) + suppressed))


def squared_loss(distances: NDArray[np.float64], counts: Counts, suppressed: int = 0) -> float:
    """The sum of squared distances between original and masked records (Martínez 2012, eq. 6.2)."""
    return float(distances**2 @ counts + suppressed)


def loss_percent(errors: float, total: float) -> float:
    """The sum of squared errors in percent of the total (Martínez 2012, eq. 6.4); 0 where all originals are equal.

    >>> loss_percent(1.5, 6.0), loss_percent(0.0, 0.0)
    (25.0, 0.0)
    """
    return 100 * errors / total if total > 0 else 0.0


def certainty_penalty(stands_for: NDArray[np.float64], values: float) -> NDArray[np.float64]:
    """The normalised certainty penalty of cells that can stand for so many of all values (Xu et al. 2006).

    It has the form (n − 1) / (values − 1) of Iyengar 2002: an exact value loses 0, and the top loses 1. The caller says
    what counts as a value: those that occur in the column, or the leaves of a hierarchy.

    >>> certainty_penalty(np.array([1.0, 3.0, 5.0]), 5).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.maximum(stands_for - 1, 0) / max(values - 1, 1)


def range_widths(space: Space, points: Points) -> NDArray[np.float64]:
    """The certainty penalty of ranges: their width as a share of the column's range; 1 for points off the line."""
    low, high = (np.clip(space.coordinates(ends), 0, 1) for ends in ends_of(points))
    return high - low
