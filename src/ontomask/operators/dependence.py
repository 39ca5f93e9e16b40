"""Distance covariance, variance and correlation of two attributes.

Rodriguez-Garcia 2017 (section 4.3) defines them on n×n matrices of distances between records. Records with equal values
have equal rows there, so the distinct values and the contingency table of two attributes are enough. With the shares
``P`` of the pairs of values and the centred distances ``δA``, ``δB`` between distinct values, the mean of ``δA·δB``
over all pairs of records is the sum of ``(δA P) ∘ (P δB)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ontomask.distance import Distance
from ontomask.errors import DistanceError
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.line import mean_gaps, mean_product, mean_product_with
from ontomask.operators.space import Counts, Points, Space
from ontomask.operators.values import encode

__all__ = [
    "CentredDistances",
    "Contingency",
    "Dependence",
    "correlation",
    "covariance",
    "distance_correlation",
    "distance_covariance",
    "distance_variance",
]

Matrix = NDArray[np.float64]

# With more distinct values than this, distances are computed a block at a time.
_WHOLE = 2048
# No power of two: columns of such blocks would share the same few lines of the cache.
_BLOCK = 500
# Blocks of the attribute in the outer loop are wider by this factor.
_WIDE = 4
# A non-zero cell costs the compiled loop about as much as four cells cost the matrix product.
_SPARSE = 4
# Rounding error of a sum of products that is 0 in theory, relative to the mean distances; and for sums along a line.
_ROUNDING = 1e-15
_ROUNDING_ON_LINE = 1e-13


@dataclass(frozen=True)
class Dependence:
    """A covariance or correlation; ``negative`` says that its square was below 0 and is reported as 0.

    It cannot be negative for distances of negative type (Székely 2007), but not every semantic distance is one.
    """

    value: float
    negative: bool = False


class CentredDistances:
    """Distances between the distinct values of an attribute, doubly centred (Rodriguez-Garcia 2017, eq. 15–17).

    Parameters
    ----------
    space
        The attribute.
    points
        Its distinct points.
    counts
        The number of records with each point.
    """

    def __init__(self, space: Space, points: Points, counts: Counts) -> None:
        if len(points) != len(counts) or len(points) == 0:
            raise DistanceError(
                f"Centred distances need one count for each distinct value, and at least one value. "
                f"Got {len(points):,} values and {len(counts):,} counts.",
                code="lengths",
            )
        self.space, self.points = space, points
        self.share = np.asarray(counts, dtype=np.float64) / np.sum(counts)
        self.positions = space.positions(points)
        # With many numbers only their positions are used.
        self.is_long_line = self.positions is not None and len(points) > _WHOLE
        whole = space.matrix(points, points) if len(points) <= _WHOLE else None
        if whole is not None:
            self.means = _times(whole, self.share)
        elif self.positions is not None:
            self.means = mean_gaps(self.positions, self.share)
        else:
            self.means = space.mean_distances(points, points, counts)
        self.grand_mean = float(self.share @ self.means)
        self._whole = None if whole is None else self._centre(whole, slice(None))

    def __len__(self) -> int:
        return len(self.points)

    def blocks(self, wide: int = 1) -> Iterator[slice]:
        """Slices of the columns; ``wide`` makes them wider by that factor."""
        step = len(self) if self._whole is not None else wide * _BLOCK
        return (slice(first, min(first + step, len(self))) for first in range(0, len(self), step))

    def columns(self, block: slice) -> Matrix:
        """Centred distances between all values (rows) and a block of them (columns)."""
        if self._whole is not None:
            return self._whole[:, block]
        return self._centre(self.space.matrix(self.points, self.points[block]), block)

    def block(self, rows: slice, columns: slice) -> Matrix:
        """Centred distances between two blocks of values."""
        if self._whole is not None:
            return self._whole[rows, columns]
        return self._centre(self.space.matrix(self.points[rows], self.points[columns]), columns, rows)

    def between(self, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> Matrix:
        """Distances between some values and others, which are centred only if they were computed before."""
        if self._whole is not None:
            return self._whole[np.ix_(rows, columns)]
        return self.space.matrix(self.points[rows], self.points[columns])

    def _centre(self, distances: Matrix, columns: slice, rows: slice = slice(None)) -> Matrix:
        distances -= self.means[rows, None] - self.grand_mean
        distances -= self.means[columns]
        return distances

    @cached_property
    def variance(self) -> float:
        """The distance variance (Rodriguez-Garcia 2017, eq. 20)."""
        if self.is_long_line:
            assert self.positions is not None
            moments = (float(self.share @ self.positions**power) for power in (2, 1))
            squares = 2 * (next(moments) - next(moments) ** 2)
            return sqrt(max(squares - 2 * float(self.share @ self.means**2) + self.grand_mean**2, 0.0))
        if self._whole is not None:
            return sqrt(float(self.share @ _times(self._whole.T**2, self.share)))
        total = 0.0
        for block in self.blocks():
            # Distances are symmetric: each pair of blocks is computed once, and counts twice.
            first = block.start
            part = self.block(slice(first, None), block)
            weight = self.share[first:] * np.where(np.arange(first, len(self)) < block.stop, 1, 2)
            total += float(self.share[block] @ _times(part.T**2, weight))
        return sqrt(total)


@dataclass(frozen=True, eq=False)
class Contingency:
    """The pairs of distinct values that occur together, and their shares of the records.

    Attributes
    ----------
    a, b
        The indices of each pair's values among the distinct ones; ascending by a, then b.
    share
        The share of the records with each pair.
    """

    a: NDArray[np.integer]
    b: NDArray[np.integer]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, a: NDArray[np.integer], b: NDArray[np.integer], counts: Counts | None = None) -> Contingency:
        """The table of records, or of distinct tuples with counts, given by the indices of their values."""
        if len(a) != len(b) or (counts is not None and len(counts) != len(a)):
            sizes = f"{len(a):,} and {len(b):,}" + ("" if counts is None else f" values with {len(counts):,} counts")
            raise DistanceError(
                f"Both attributes must have one value for each record. Got {sizes} instead.", code="lengths"
            )
        if len(a) == 0:
            raise DistanceError(
                "The dependence of no records is not defined. Give at least one record.", code="no-values"
            )
        width = int(b.max()) + 1
        key = np.multiply(a, width, dtype=np.int64) + b
        if (int(a.max()) + 1) * width <= _SPARSE * len(a) + 2**20:
            often = np.bincount(key, weights=counts)
            cells = np.flatnonzero(often)
            often = often[cells]
        else:
            cells, index = np.unique(key, return_inverse=True)
            often = np.bincount(index, weights=counts)
        return cls(cells // width, cells % width, often / often.sum())

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def transposed(self) -> Contingency:
        """The transposed table."""
        order = np.argsort(self.b, kind="stable")
        return Contingency(self.b[order], self.a[order], self.share[order])

    def product(self, A: CentredDistances, B: CentredDistances) -> float:
        """The mean of δA·δB over all pairs of records."""
        if int(self.a.max()) >= len(A) or int(self.b.max()) >= len(B):
            raise DistanceError(
                "The table has values without distances. Give distances for all values.", code="no-distance"
            )
        if A.is_long_line:
            return self._product_on_line(A, B)
        if _SPARSE * len(self) <= len(A) * len(B):
            return self._product_of_cells(A, B)
        table = np.zeros((len(A), len(B)))
        table[self.a, self.b] = self.share
        total = 0.0
        # All of B is computed again for every block of A, so these are few and wide.
        for rows in A.blocks(wide=_WIDE):
            left = A.columns(rows)
            for columns in B.blocks():
                right = B.columns(columns)
                total += float(np.einsum("ij,ij->", table[rows] @ right, left.T @ table[:, columns]))
        return total

    def _product_of_cells(self, A: CentredDistances, B: CentredDistances) -> float:
        """The sum of ``δA ∘ (P dB Pᵀ)`` if few pairs of values occur.

        ``P dB Pᵀ`` is symmetric, so each pair of blocks of A is met once. A row of it needs the distances of those
        values of B only that occur with the row's value of A. It makes no difference whether dB is centred: the means
        of δA over rows and columns are 0.
        """
        from ontomask.operators.kernels import add_rows

        total = 0.0
        for rows in A.blocks(wide=_WIDE):
            first, last = np.searchsorted(self.a, [rows.start, rows.stop])
            own, of_own = np.unique(self.b[first:last], return_inverse=True)
            needed, of_needed = np.unique(self.b[first:], return_inverse=True)
            to, share = self.a[first:last] - rows.start, self.share[first:last]
            # (P dB)ᵀ for these values of A
            sums = np.empty((len(needed), rows.stop - rows.start))
            for start in range(0, len(needed), _BLOCK):
                some = needed[start : start + _BLOCK]
                part = np.zeros((rows.stop - rows.start, len(some)))
                add_rows(to, of_own, share, B.between(own, some), part)
                sums[start : start + len(some)] = part.T
            for others in A.blocks(wide=_WIDE):
                if others.start < rows.start:
                    continue
                begin, end = np.searchsorted(self.a, [others.start, others.stop])
                part = np.zeros((others.stop - others.start, rows.stop - rows.start))
                to_other, of_other = self.a[begin:end] - others.start, of_needed[begin - first : end - first]
                add_rows(to_other, of_other, self.share[begin:end], sums, part)
                both = float(np.einsum("ij,ij->", part, A.block(others, rows)))
                total += both if others == rows else 2 * both
        return total

    def _product_on_line(self, A: CentredDistances, B: CentredDistances) -> float:
        assert A.positions is not None
        x = A.positions[self.a]
        if B.positions is not None:
            together = mean_product(x, B.positions[self.b], self.share)
            means = float(self.share @ (A.means[self.a] * B.means[self.b]))
            return together - 2 * means + A.grand_mean * B.grand_mean
        # The means of δB over rows and columns are 0, so that it makes no difference whether the other is centred.
        return sum(mean_product_with(x, self.b, self.share, block, B.columns(block)) for block in B.blocks())


def _times(matrix: Matrix, vector: NDArray[np.float64]) -> NDArray[np.float64]:
    # For small products, starting the threads of a matrix library takes longer than the product itself.
    return np.einsum("ij,j->i", matrix, vector)


def covariance(A: CentredDistances, B: CentredDistances, table: Contingency) -> Dependence:
    """The distance covariance (Rodriguez-Garcia 2017, eq. 18) of attributes of any kind."""
    # The outer loop takes a line, else the longer side: its distances are computed once, those of the shorter one stay.
    outside = (A.is_long_line, len(A)) >= (B.is_long_line, len(B))
    mean = table.product(A, B) if outside else table.transposed.product(B, A)
    rounding = _ROUNDING_ON_LINE if A.is_long_line or B.is_long_line else _ROUNDING
    if abs(mean) <= rounding * A.grand_mean * B.grand_mean:
        mean = 0.0
    return Dependence(sqrt(max(mean, 0.0)), mean < 0)


def correlation(
    A: CentredDistances, B: CentredDistances, table: Contingency, together: Dependence | None = None
) -> Dependence:
    """The distance correlation (Rodriguez-Garcia 2017, eq. 19): 0 where either attribute does not vary.

    ``together`` is the covariance, which is computed unless it is given.
    """
    together = covariance(A, B, table) if together is None else together
    alone = A.variance * B.variance
    return Dependence(min(together.value / sqrt(alone), 1.0) if alone > 0 else 0.0, together.negative)


def _sample(values: Iterable[str], d: Distance, what: str) -> tuple[CentredDistances, NDArray[np.int32]]:
    points, index = encode(values, d.taxonomy, what)
    return CentredDistances(NominalSpace(d.taxonomy, d), points, np.bincount(index)), index


def distance_variance(A: Iterable[str], dA: Distance) -> float:
    """The distance variance of an attribute: 0 if and only if all its values are equal.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> distance_variance(["ache", "colic", "ache", "colic"], om.distance("path", t))
    0.5
    """
    return _sample(A, dA, "The distance variance")[0].variance


def distance_covariance(A: Iterable[str], B: Iterable[str], dA: Distance, dB: Distance) -> float:
    """The distance covariance of two attributes of the same records.

    If its square is negative, which some semantic distances allow, it is reported as 0.

    Parameters
    ----------
    A, B
        Concept ids, record by record.
    dA, dB
        The distances of the two attributes.
    """
    (a, index_a), (b, index_b) = (_sample(v, d, "The distance covariance") for v, d in ((A, dA), (B, dB)))
    return covariance(a, b, Contingency.of(index_a, index_b)).value


def distance_correlation(A: Iterable[str], B: Iterable[str], dA: Distance, dB: Distance) -> float:
    """The distance correlation of two attributes of the same records: 0 for independent ones, at most 1.

    Parameters
    ----------
    A, B
        Concept ids, record by record.
    dA, dB
        The distances of the two attributes.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> d = om.distance("path", t)
    >>> distance_correlation(["ache", "ache", "colic", "colic"], ["colic", "colic", "ache", "ache"], d, d)
    1.0
    >>> distance_correlation(["ache", "ache", "colic", "colic"], ["colic", "ache", "colic", "ache"], d, d)
    0.0
    """
    (a, index_a), (b, index_b) = (_sample(v, d, "The distance correlation") for v, d in ((A, dA), (B, dB)))
    return correlation(a, b, Contingency.of(index_a, index_b)).value
