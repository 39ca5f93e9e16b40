"""Numbers, dates and ordered categories: points on a line, and ranges of them.

A range lies at its middle (see `ontomask.operators.ranges`), or at the nearest value of the column if its middle is
beyond all of them. Points off the line are at distance 1 from everything else.

Sums over all pairs of numbers are computed by walking along the line, without a matrix. A column with tens of thousands
of distinct numbers then costs as much as sorting it (Huo and Székely 2016, who do so for two such columns).
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.ties import TIE
from ontomask.operators.ranges import ANY, as_complex, is_any, is_off_line, is_range, make_ranges
from ontomask.operators.space import Counts, Points, Sets, Space

__all__ = ["NumericSpace", "OrdinalSpace", "lower_median", "mean_gaps", "mean_product", "mean_product_with"]

Positions = NDArray[np.float64]


class NumericSpace(Space):
    """Numbers. Their distance is the gap between them, divided by ``width``: the range, unless it is given.

    ``centre`` is ``mean`` or ``median``: the lower one of two middle values. ``is_line`` is false if some values of the
    column are off the line. ``largest`` is the distance between the ends of the range: no two numbers are farther
    apart.
    """

    def __init__(
        self,
        low: float,
        high: float,
        weight: float = 1.0,
        centre: str = "mean",
        *,
        width: float | None = None,
        is_line: bool = True,
    ) -> None:
        self.low, self.high = low, high
        self.weight = weight
        self.centre = centre
        self.is_line = is_line
        # If all values are equal, every distance is 0, and any divisor gives 0.
        self._range = (high - low) or 1.0
        self._width = width or self._range
        self.largest = self._range / self._width

    @property
    def longest(self) -> int:
        """An upper bound of the distances, also of values off the line."""
        return max(1, ceil(self.largest))

    def middles(self, points: Points) -> Positions:
        """Where points lie: a range at its middle, within the values of the column. Points off the line lie nowhere."""
        if not np.iscomplexobj(points):
            return np.asarray(points, dtype=np.float64)
        return np.where(is_range(points), np.clip(points.real, self.low, self.high), points.real)

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between all of a (rows) and all of b (columns)."""
        out = np.minimum(np.abs(np.subtract.outer(self.middles(a), self.middles(b))) / self._width, self.largest)
        of_a, of_b = is_off_line(a), is_off_line(b)
        if of_a.any() or of_b.any():
            out[of_a] = 1
            out[:, of_b] = 1
            out[np.ix_(of_a, of_b)] = np.not_equal.outer(a[of_a], b[of_b])
        return out

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Distances between a[i] and b[i]."""
        out = np.minimum(np.abs(self.middles(a) - self.middles(b)) / self._width, self.largest)
        return np.where(is_off_line(a) | is_off_line(b), np.not_equal(a, b).astype(np.float64), out)

    def centroid(self, points: Points, counts: Counts) -> Any:
        """The mean, or the lower median; see `centroids` for points off the line."""
        if not is_off_line(points).any():
            is_mean = self.centre == "mean"
            return float(np.average(self.middles(points), weights=counts)) if is_mean else lower_median(points, counts)
        order = np.argsort(points).astype(np.int32)
        one = Sets(np.array([0, len(points)]), order, np.asarray(counts)[order])
        found = self.centroids(points, one)[0]
        return found if np.imag(found) else found.real

    def mean(self, points: Points, counts: Counts) -> Any:
        """The same as the centroid."""
        return self.centroid(points, counts)

    def centroids(self, points: Points, sets: Sets) -> Points:
        """The mean or the lower median of each set.

        `ANY` is left out. A value of its own is the centroid if its distances to all points have a smaller sum.
        """
        first, at = sets.start[:-1], self.middles(points)[sets.index]
        off = is_off_line(points)[sets.index]
        counts = np.where(off, 0, sets.counts)
        known = np.add.reduceat(counts, first)
        if self.centre == "mean":
            centre: Points = np.add.reduceat(at * counts, first) / np.maximum(known, 1)
        else:
            # The lower median is the first value of a set at which half of its records are reached.
            before = np.repeat(np.cumsum(known) - known, np.diff(sets.start))
            reached = 2 * (np.cumsum(counts) - before) >= np.repeat(known, np.diff(sets.start))
            half = np.minimum(np.add.reduceat(~reached, first, dtype=np.int64), np.diff(sets.start) - 1)
            centre = points[sets.index[first + half]]
        return self._off_line_centroids(points, sets, centre, known) if off.any() else centre

    def _off_line_centroids(self, points: Points, sets: Sets, centre: Points, known: Counts) -> Points:
        """The centroids of sets of which some have points off the line; ``centre`` is that of the points on it."""
        first, every = sets.start[:-1], np.add.reduceat(sets.counts, sets.start[:-1])
        counts = np.where(is_off_line(points)[sets.index], 0, sets.counts)
        far = self.pairs(points[sets.index], np.repeat(centre, np.diff(sets.start)))
        cost = np.where(known > 0, np.add.reduceat(far * counts, first) + every - known, every)
        best = np.where(known > 0, as_complex(centre), ANY)
        for own in np.unique(points[is_off_line(points) & ~is_any(points)]).tolist():
            mine = every - np.add.reduceat(np.where(points[sets.index] == own, sets.counts, 0), first)
            is_less = mine < cost - TIE * every
            best, cost = np.where(is_less, own, best), np.where(is_less, mine, cost)
        return best if is_range(best).any() else best.real

    def generalise(self, points: Points, sets: Sets) -> Points:
        """The narrowest range that contains each set; a set of different points of which one is off the line is any."""
        first, last = sets.index[sets.start[:-1]], sets.index[sets.start[1:] - 1]
        off = np.logical_or.reduceat(is_off_line(points)[sets.index], sets.start[:-1])
        if not off.any():
            return make_ranges(points[first].real, points[last].real)
        ranges = make_ranges(*(np.where(off, 0, points[at].real) for at in (first, last)))
        return np.where(off, np.where(first == last, points[first], ANY), ranges)

    def differ(self, a: Points, b: Points) -> NDArray[np.bool_]:
        """Whether a[i] and b[i] are different numbers or ranges; a rounding error makes no difference."""
        if not np.iscomplexobj(a) and not np.iscomplexobj(b):
            return self.pairs(a, b) > TIE
        with np.errstate(invalid="ignore"):  # points off the line are infinitely wide
            wider = np.abs(np.imag(a) - np.imag(b)) / self._width > TIE
        return wider | (self.pairs(a, b) > TIE)

    def coordinates(self, points: Points) -> Positions:
        """Positions from 0 (the least value) to 1 (the greatest); those of points off the line are 2, 4, 6, …"""
        return np.where(is_off_line(points), 2 * points.real + 2, (self.middles(points) - self.low) / self._range)

    def positions(self, points: Points) -> Positions | None:
        """Positions around 0, whose gaps are distances; ``None`` for numbers farther apart than the range."""
        if len(points) == 0 or is_off_line(points).any():
            return None
        x = self.middles(points)
        if np.ptp(x) > self.high - self.low:
            return None
        return (x - x.mean()) / self._width

    def marginality(self, points: Points, counts: Counts) -> NDArray[np.float64]:
        """Mean distance of each point to all points, from running sums along the line. Points are ascending."""
        if not len(points) or is_off_line(points).any():
            return super().marginality(points, counts)
        x, share = self.matrix(points[:1], points)[0], counts / counts.sum()
        below, weight = np.cumsum(share * x), np.cumsum(share)
        return x * (2 * weight - 1) + below[-1] - 2 * below


class OrdinalSpace(NumericSpace):
    """Categories in a given order; a point is the index of a category, the centroid the lower median."""

    def __init__(self, categories: int, weight: float = 1.0, *, is_line: bool = True) -> None:
        super().__init__(0, categories - 1, weight, "median", is_line=is_line)


def lower_median(points: Points, counts: Counts) -> Any:
    """The smallest point with at least half of the counts at or below it; ranges are sorted by their middle."""
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
