"""How much a masked table has lost: errors and sums of squares over paired records.

Records come as distinct pairs (original tuple, masked tuple), column by column, with the number of records each
pair stands for: the cost follows the pairs. A suppressed record has no masked tuple; it is counted apart, at
distance 1 in every attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.errors import DistanceError
from ontomask.operators.centroid import record_centroid
from ontomask.operators.space import Points, Space, record_pairs
from ontomask.operators.values import Counts, check_records

__all__ = ["loss_percent", "mean_loss", "rmse", "semantic_loss", "squared_loss", "sse", "sst", "target_rmse"]


def rmse(space: Space, original: Points, masked: Points, counts: Counts, *, suppressed: int = 0) -> float:
    """Root mean square distance between the original and the masked values of one attribute (N section 5; R 4.1)."""
    return sqrt(sse([space], [original], [masked], counts, suppressed=suppressed) / (np.sum(counts) + suppressed))


def target_rmse(errors: ArrayLike) -> float:
    """Root mean square of the errors drawn: what the actual one is compared with (N section 5, C 4).

    >>> target_rmse([0.3, -0.4, 0.0, 0.0])
    0.25
    """
    drawn = np.asarray(errors, dtype=np.float64)
    if drawn.size == 0:
        raise DistanceError("The target RMSE of no errors is not defined: give at least one.")
    return sqrt(np.mean(drawn**2))


def semantic_loss(
    spaces: Sequence[Space],
    original: Sequence[Points],
    masked: Sequence[Points],
    counts: Counts,
    *,
    suppressed: int = 0,
) -> float:
    """Mean distance between original and masked values, over records and attributes (T eq. 5.1, 8.7)."""
    return mean_loss(_paired(spaces, original, masked, counts, suppressed), counts, suppressed)


def mean_loss(distances: NDArray[np.float64], counts: Counts, suppressed: int = 0) -> float:
    """`semantic_loss` of paired records whose distances are known."""
    return float((distances @ counts + suppressed) / (np.sum(counts) + suppressed))


def sse(
    spaces: Sequence[Space],
    original: Sequence[Points],
    masked: Sequence[Points],
    counts: Counts,
    *,
    suppressed: int = 0,
) -> float:
    """Sum of squared distances between original and masked records (T eq. 6.2, 9.1)."""
    return squared_loss(_paired(spaces, original, masked, counts, suppressed), counts, suppressed)


def squared_loss(distances: NDArray[np.float64], counts: Counts, suppressed: int = 0) -> float:
    """`sse` of paired records whose distances are known."""
    return float(distances**2 @ counts + suppressed)


def sst(spaces: Sequence[Space], original: Sequence[Points], counts: Counts) -> float:
    """Sum of squared distances between all original records and their one centroid (T eq. 6.3).

    The centroid is T's, under the distance that evaluates. Suppressed records are originals like the others: their
    tuples belong into the columns.
    """
    check_records(spaces, original, counts, "The total sum of squares")
    centre = [np.full(len(counts), point) for point in record_centroid(spaces, original, counts)]
    return sse(spaces, original, centre, counts)


def loss_percent(errors: float, total: float) -> float:
    """L, the sum of squared errors in percent of the total (T eq. 6.4); 0 where all originals are equal.

    >>> loss_percent(1.5, 6.0), loss_percent(0.0, 0.0)
    (25.0, 0.0)
    """
    return 100 * errors / total if total > 0 else 0.0


def _paired(
    spaces: Sequence[Space], original: Sequence[Points], masked: Sequence[Points], counts: Counts, suppressed: int
) -> NDArray[np.float64]:
    """Distance of each pair of records: the mean over attributes."""
    if suppressed < 0:
        raise DistanceError(f"The number of suppressed records is at least 0. Got {suppressed:,} instead.")
    if suppressed and len(spaces) == len(original) and not any(len(column) for column in original):
        return np.zeros(0)
    check_records(spaces, original, counts, "A loss")
    check_records(spaces, masked, counts, "A loss")
    return record_pairs(spaces, original, masked)
