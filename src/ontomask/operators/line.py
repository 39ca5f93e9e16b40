"""Numbers and ordered categories: points on a line.

Sums over all pairs of numbers are computed by walking along the line, without a matrix. A column with tens of thousands
of distinct numbers then costs as much as sorting it (Huo and Székely 2016, who do so for two such columns).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.ties import TIE
from ontomask.operators.space import Counts, Points, Sets, Space

__all__ = ["NumericSpace", "OrdinalSpace", "lower_median", "mean_gaps", "mean_product", "mean_product_with"]

Positions = NDArray[np.float64]


class NumericSpace(Space):
    """Numbers. Their distance is the share of the range that lies between them, at most 1.

    ``centre`` is ``mean`` or ``median``: the lower one of two middle values.
    """

    is_line: ClassVar[bool] = True

    def __init__(self, low: float, high: float, weight: float = 1.0, centre: str = "mean") -> None:
        self.low, self.high = low, high
        self.weight = weight
        self.centre = centre

    @property
    def _range(self) -> float:
        # If all values are equal, every distance is 0, and any divisor gives 0.
        return (self.high - self.low) or 1.0

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns)."""
        return np.minimum(np.abs(np.subtract.outer(a, b)) / self._range, 1)

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""
        return np.minimum(np.abs(np.subtract(a, b, dtype=np.float64)) / self._range, 1)

    def centroid(self, points: Points, counts: Counts) -> Any:
        """The mean, or the lower median."""
        if self.centre == "mean":
            return float(np.average(points, weights=counts))
        return lower_median(points, counts)

    def mean(self, points: Points, counts: Counts) -> Any:
        """The same as the centroid."""
        return self.centroid(points, counts)

    def centroids(self, points: Points, sets: Sets) -> Points:
        """The mean or the lower median of each set."""
        first = sets.start[:-1]
        records = np.add.reduceat(sets.counts, first)
        if self.centre == "mean":
            means: Points = np.add.reduceat(points[sets.index] * sets.counts, first) / records
            return means
        # The lower median is the first value of a set at which half of its records are reached.
        before = np.repeat(np.cumsum(records) - records, np.diff(sets.start))
        reached = 2 * (np.cumsum(sets.counts) - before) >= np.repeat(records, np.diff(sets.start))
        half = np.add.reduceat(~reached, first, dtype=np.int64)
        medians: Points = points[sets.index[first + half]]
        return medians

    def differ(self, a: Points, b: Points) -> NDArray[np.bool_]:
        """Whether a[i] and b[i] are different numbers; a rounding error makes no difference."""
        return self.pairs(a, b) > TIE

    def coordinates(self, points: Points) -> Positions:
        """Positions from 0 (the least value) to 1 (the greatest)."""
        return (points.astype(np.float64) - self.low) / self._range

    def positions(self, points: Points) -> Positions | None:
        """Positions around 0; ``None`` for numbers farther apart than the range, where distances stop growing."""
        if len(points) == 0:
            return None
        x = np.asarray(points, dtype=np.float64)
        if np.ptp(x) > self.high - self.low:
            return None
        return (x - x.mean()) / self._range

    def marginality(self, points: Points, counts: Counts) -> NDArray[np.float64]:
        """Mean distance of each point to all points, from running sums along the line. Points are ascending."""
        x, share = self.matrix(points[:1], points)[0], counts / counts.sum()
        below, weight = np.cumsum(share * x), np.cumsum(share)
        return x * (2 * weight - 1) + below[-1] - 2 * below


class OrdinalSpace(NumericSpace):
    """Categories in a given order; a point is the index of a category, the centroid the lower median."""

    def __init__(self, categories: int, weight: float = 1.0) -> None:
        super().__init__(0, categories - 1, weight, "median")


def lower_median(points: Points, counts: Counts) -> Any:
    """The smallest point with at least half of the counts at or below it."""
    order = np.argsort(points, kind="stable")
    reached = np.cumsum(counts[order])
    return points[order][np.searchsorted(reached, reached[-1] / 2)]


def mean_gaps(x: Positions, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean distance of each position to all positions, weighted by their shares."""
    order = np.argsort(x, kind="stable")
    z, s = x[order], share[order]
    below, sum_below = np.cumsum(s), np.cumsum(s * z)
    out = np.empty(len(x))
    out[order] = z * below - sum_below + (sum_below[-1] - sum_below) - z * (below[-1] - below)
    return out


def mean_product(x: Positions, y: Positions, share: NDArray[np.float64]) -> float:
    """The mean over all pairs of records of their distance on one line times their distance on another."""
    from ontomask.operators.kernels import products_along_two_lines

    order = np.argsort(x, kind="stable")
    rank = np.unique(y, return_inverse=True)[1].ravel()[order]
    return float(products_along_two_lines(x[order], y[order], rank, share[order]))


def mean_product_with(
    x: Positions, b: NDArray[np.integer], share: NDArray[np.float64], block: slice, columns: NDArray[np.float64]
) -> float:
    """What a block of values adds to the mean over all pairs of a distance on a line times another distance.

    Parameters
    ----------
    x
        The position of each distinct record on the line.
    b, share
        Its value in the other attribute, and its share of the records.
    block, columns
        A block of these values, and the other distance from all values (rows) to them (columns).
    """
    from ontomask.operators.kernels import products_along_line

    order = np.argsort(x, kind="stable")
    return float(products_along_line(x[order], b[order], share[order], block.start, np.ascontiguousarray(columns)))
