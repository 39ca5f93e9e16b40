"""Information loss of a masked table, from the distances between records and their masked versions.

Records come as distinct pairs with the number of records of each. A suppressed record has no masked version; it counts
as distance 1.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.errors import DistanceError
from ontomask.operators.space import Counts

__all__ = ["loss_percent", "mean_loss", "squared_loss", "target_rmse"]


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
