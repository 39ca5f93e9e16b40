"""Errors: how they are distributed, how they are drawn, and which concept each leads to.

The replacement of a value depends on the value, its reference point and its error, not on the rest of the record. So
records are processed value by value: the domain is sorted by distance to each value once, and then searched for each
of its reference points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.operators.concepts import NominalSpace

__all__ = [
    "DISTRIBUTIONS",
    "NO_REFERENCE",
    "Block",
    "DistanceLevels",
    "Distribution",
    "Errors",
    "Replacement",
    "as_numbers",
    "is_covariance",
    "nearest_covariance",
    "replace_values",
]

Distribution = Literal["normal", "laplace"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("normal", "laplace")

Matrix = NDArray[np.float64]

NO_REFERENCE = -1
"""In place of a reference point: the sign of the error is ignored."""

# Eigenvalues of a correlation matrix above minus this are taken for 0.
_ROUNDING = 1e-10
# The alternating projections stop when no correlation changes by more than this, or after this many steps.
_CONVERGED = 1e-12
_STEPS = 10_000
# Bytes of distance levels that are kept for the most frequent reference points. The others' are computed each time.
_ROOM = 2**28
# Values between two reports of progress.
_STRIDE = 64
# The least number of records for which looking for twins is worthwhile.
_FEW = 32


def as_numbers(levels: Any) -> NDArray[np.float64]:
    """Noise levels as an array; NaN if they are not numbers. (Numpy would accept texts and truth values.)"""
    try:
        is_other = np.asarray(levels).dtype.kind in "bUST"
        return np.asarray(None if is_other else levels, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


@dataclass(frozen=True, eq=False)
class Block:
    """Columns with correlated errors, and the covariances of the errors at noise level 1."""

    columns: tuple[int, ...]
    covariance: Matrix

    @cached_property
    def root(self) -> Matrix:
        """The symmetric square root, which exists and is unique even if errors determine each other."""
        values, vectors = np.linalg.eigh(self.covariance)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of all columns, independent between blocks.

    Laplace errors follow the symmetric multivariate Laplace distribution: normal errors times the square root of an
    exponential variable that the columns of a block share. Each column by itself has a Laplace distribution.
    """

    blocks: Sequence[Block]
    distribution: Distribution

    def draw(self, n: int, levels: float | NDArray[np.float64], rng: np.random.Generator) -> Matrix:
        """Errors of n records, one row each, with ``levels`` times the covariance.

        All standard normal numbers are drawn first, record by record, then the exponential ones, if any.
        """
        normal = rng.standard_normal((n, sum(len(block.columns) for block in self.blocks)))
        out = np.empty_like(normal)
        scale = np.broadcast_to(np.sqrt(levels), n)[:, None]
        if self.distribution == "laplace":
            scale = scale * np.sqrt(rng.standard_exponential((n, len(self.blocks))))
        for number, block in enumerate(self.blocks):
            columns = list(block.columns)
            own = scale[:, number : number + 1] if scale.shape[1] > 1 else scale
            out[:, columns] = own * (normal[:, columns] @ block.root)
        return out


def _correlation(covariance: Matrix) -> tuple[Matrix, Matrix]:
    """The correlations, and the standard deviations as a matrix of products."""
    deviation = np.sqrt(np.diag(covariance))
    products = np.outer(deviation, deviation)
    return covariance / products, products


def is_covariance(matrix: Matrix) -> bool:
    """Whether a symmetric matrix with a positive diagonal is positive semidefinite up to rounding."""
    return bool(np.linalg.eigvalsh(_correlation(matrix)[0]).min() >= -_ROUNDING)


def nearest_covariance(matrix: Matrix) -> Matrix:
    """The covariance matrix with the same diagonal and the nearest correlations.

    Alternating projections (Higham 2002) onto the positive semidefinite matrices, with Dykstra's correction, and onto
    the matrices with ones on the diagonal.

    >>> nearest_covariance(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])).round(4).tolist()
    [[1.0, 0.7607, 0.1573], [0.7607, 1.0, 0.7607], [0.1573, 0.7607, 1.0]]
    """
    wanted, products = _correlation(matrix)
    correction = np.zeros_like(wanted)
    for _ in range(_STEPS):
        moved = wanted - correction
        positive = _positive(moved)
        correction = positive - moved
        before, wanted = wanted, positive.copy()
        np.fill_diagonal(wanted, 1.0)
        if np.abs(wanted - before).max() <= _CONVERGED:
            break
    # Setting the diagonal to ones may have made an eigenvalue negative again.
    return _correlation(_positive(wanted))[0] * products


def _positive(matrix: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


@dataclass(frozen=True, eq=False)
class Replacement:
    """The replacements of an attribute's values, record by record.

    Attributes
    ----------
    points
        The replacements.
    moved
        The distance between each value and its replacement.
    truncated
        Whether no concept on the side of the sign was as far away as the error.
    sign_dropped
        Whether no concept was on the side of the sign, so that only the magnitude of the error counted.
    """

    points: IntArray
    moved: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    sign_dropped: NDArray[np.bool_]


def replace_values(
    space: NominalSpace,
    values: IntArray,
    references: IntArray,
    errors: NDArray[np.float64],
    chances: NDArray[np.float64],
    *,
    name: str = "values",
) -> Replacement:
    """Replace each record's value (Rodriguez-Garcia 2017, eq. 21, Algorithms 1–3; Rodriguez-Garcia 2016, Algorithm 1).

    Candidates are the concepts on the side of the error's sign: farther from the reference point than the value for a
    positive error, closer for a negative one. The replacement is the nearest candidate at least as far from the value
    as the error is large. If none is that far, it is the farthest candidate. If there is no candidate, all concepts
    are. An error of 0 keeps the value.

    Parameters
    ----------
    space
        The attribute.
    values, references
        For each record the point of its value and of its reference, or `NO_REFERENCE`.
    errors, chances
        For each record the error, and a number in [0, 1) that selects one of the concepts that tie, in taxonomy order.
    name
        Of the attribute, for the progress bar.
    """
    from ontomask.masking.kernels.noise import SIGN_DROPPED, TRUNCATED, replace_value, sort_by_level

    levels = _ReferenceLevels(space, references)
    index = levels.index[references]
    sorted_for = _twins(space)[values] if len(values) >= _FEW else values
    # If the reference point is one of the twins, the other twin is on one side of it, and neither can replace both.
    sorted_for = np.where((references == sorted_for) | (references == values), values, sorted_for)
    row = np.argsort(sorted_for * np.int64(len(space.domain) + 1) + index, kind="stable")
    sorted_for, index, values, errors, chances = (sorted_for[row], index[row], values[row], errors[row], chances[row])
    out = np.empty(len(row), dtype=np.int32)
    moved = np.empty(len(row))
    status = np.empty(len(row), dtype=np.uint8)
    order, found = (np.empty(len(space.domain), dtype=np.int32) for _ in range(2))
    bounds = _bounds(sorted_for)
    with progress(f"Adding noise to {name}", len(bounds) - 1) as advance:
        for number, (low, high) in enumerate(pairwise(bounds), 1):
            value = int(sorted_for[low])
            level, distance = levels.of(value)
            start, reached = np.empty(len(distance) + 1, dtype=np.int32), np.empty(len(distance))
            used = sort_by_level(level, distance, order, start, reached)
            ordered = (value, order, start[: used + 1], reached[:used])
            for rows, kept, at in levels.parts(index[low:high]):
                part = slice(low + rows.start, low + rows.stop)
                records = (values[part], errors[part], chances[part])
                replace_value(*ordered, kept, at, *records, found, out[part], moved[part], status[part])
            if number % _STRIDE == 0:
                advance(_STRIDE)
    return Replacement(
        _unsort(out, row),
        _unsort(moved, row),
        _unsort((status & TRUNCATED) > 0, row),
        _unsort((status & SIGN_DROPPED) > 0, row),
    )


def _unsort(ordered: NDArray[Any], row: NDArray[np.intp]) -> NDArray[Any]:
    out = np.empty_like(ordered)
    out[row] = ordered
    return out


def _twins(space: NominalSpace) -> IntArray:
    """For each concept its first twin: leaves with the same single parent have equal distances to all others.

    Two thirds of the concepts of a large taxonomy have a twin, so the domain is sorted less often.
    """
    first = np.arange(len(space.domain), dtype=np.int32)
    if not space.distance.links_only:
        return first
    graph = space.distance.taxonomy.graph
    code = space.in_distance(first)
    leaf = np.diff(graph.parent_start) == 1
    leaf[graph.parent] = False
    leaves = np.flatnonzero(leaf[code])
    parent = graph.parent[graph.parent_start[code[leaves]]]
    _, eldest, family = np.unique(parent, return_index=True, return_inverse=True)
    first[leaves] = leaves[eldest[family]]
    return first


def _bounds(ordered: IntArray) -> list[int]:
    """The start of each run of equal numbers, and the end of the last one."""
    return [*np.flatnonzero(np.diff(ordered, prepend=-1)).tolist(), len(ordered)]


class DistanceLevels:
    """Distances from a point to all concepts of the domain, as levels: the number of each distinct distance."""

    def __init__(self, space: NominalSpace) -> None:
        self._distance = space.distance
        self._code = space.in_distance(np.arange(len(space.domain), dtype=np.int32))
        self._is_domain = space.distance.taxonomy is space.domain

    def of(self, point: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """The level of every concept, and the distance of each level."""
        level, distance = self._distance.levels(int(self._code[point]))
        return (level if self._is_domain else level[self._code]), distance


class _ReferenceLevels(DistanceLevels):
    """Levels of distance, kept in memory for the most frequent reference points."""

    def __init__(self, space: NominalSpace, references: IntArray) -> None:
        super().__init__(space)
        often = np.bincount(references[references != NO_REFERENCE], minlength=1)
        self._points = np.argsort(-often, kind="stable")[: np.count_nonzero(often)]
        #: The index of each reference point among them; negative for other points. The last entry is NO_REFERENCE's.
        self.index = np.full(len(space.domain) + 1, NO_REFERENCE, dtype=np.int32)
        self.index[self._points] = np.arange(len(self._points), dtype=np.int32)
        first = self.of(int(self._points[0]) if len(self._points) else 0)[0]
        room = max(_ROOM // first.nbytes, 1)
        self._kept = np.empty((max(min(len(self._points), room), 1), len(first)), dtype=first.dtype)
        self._kept[0] = first
        for i, point in enumerate(self._points[1:room].tolist(), 1):
            self._kept[i] = self.of(point)[0]

    def parts(self, index: IntArray) -> Iterator[tuple[slice, NDArray[np.integer], IntArray]]:
        """Split records with ascending indices: the records, rows of levels, and the row of each record."""
        kept = int(np.searchsorted(index, len(self._kept)))
        if kept:
            yield slice(0, kept), self._kept, index[:kept]
        if kept == len(index):  # nearly always
            return
        for low, high in pairwise(_bounds(index[kept:])):
            level = self.of(int(self._points[index[kept + low]]))[0]
            yield slice(kept + low, kept + high), level[None], np.zeros(high - low, dtype=np.int32)
