"""Numbers lie on a line: sums over all pairs of them are had by walking along it, without any matrix.

So a column of tens of thousands of different numbers costs what sorting it costs (Huo and Székely, *Fast Computing for
Distance Covariance*, Technometrics 58(4), 2016, do so for two such columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.operators.space import NumericSpace, Points, Space

__all__ = ["mean_gaps", "mean_product", "mean_product_with", "positions"]

Positions = NDArray[np.float64]


def positions(space: Space, points: Points) -> Positions | None:
    """Where numbers lie, such that their distance is what lies between them; ``None`` if there is no such line.

    There is none for concepts, nor for numbers that are farther apart than the attribute's range, at which distances
    end.
    """
    if not isinstance(space, NumericSpace) or len(points) == 0:
        return None
    x = np.asarray(points, dtype=np.float64)
    if np.ptp(x) > space.high - space.low:
        return None
    return (x - x.mean()) / ((space.high - space.low) or 1.0)


def mean_gaps(x: Positions, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """From each the mean distance to all, which have these shares."""
    order = np.argsort(x, kind="stable")
    z, s = x[order], share[order]
    below, sum_below = np.cumsum(s), np.cumsum(s * z)
    out = np.empty(len(x))
    out[order] = z * below - sum_below + (sum_below[-1] - sum_below) - z * (below[-1] - below)
    return out


def mean_product(x: Positions, y: Positions, share: NDArray[np.float64]) -> float:
    """The mean over all pairs of records of what lies between them on one line times what lies on another."""
    from ontomask.operators.kernels import products_along_two_lines

    order = np.argsort(x, kind="stable")
    rank = np.unique(y, return_inverse=True)[1].ravel()[order]
    return float(products_along_two_lines(x[order], y[order], rank, share[order]))


def mean_product_with(
    x: Positions, b: NDArray[np.integer], share: NDArray[np.float64], block: slice, columns: NDArray[np.float64]
) -> float:
    """The part that a block of values has in the mean over all pairs of records of a distance times another.

    Parameters
    ----------
    x
        The position of each (distinct) record on the line.
    b, share
        Its value in the other attribute, and its share.
    block, columns
        Some of these values, and for them (columns) the other distance to all values (rows).
    """
    from ontomask.operators.kernels import products_along_line

    order = np.argsort(x, kind="stable")
    return float(products_along_line(x[order], b[order], share[order], block.start, np.ascontiguousarray(columns)))
