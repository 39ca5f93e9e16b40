"""How errors are distributed: the variances and covariances that they have, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["DISTRIBUTIONS", "Block", "Distribution", "Errors", "as_numbers", "is_covariance", "nearest_covariance"]

Distribution = Literal["normal", "laplace"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("normal", "laplace")

Matrix = NDArray[np.float64]

# Eigenvalues of a correlation matrix that are below 0 by no more than this are 0, but for rounding.
_ROUNDING = 1e-10
# The alternating projections stop when no correlation changes by more than this, or after so many steps.
_SETTLED = 1e-12
_STEPS = 10_000


def as_numbers(levels: Any) -> NDArray[np.float64]:
    """Noise levels as an array; not a number, where they are none. (Numpy would take texts and truth values.)"""
    try:
        is_other = np.asarray(levels).dtype.kind in "bUST"
        return np.asarray(None if is_other else levels, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


@dataclass(frozen=True, eq=False)
class Block:
    """Columns whose errors depend on each other, and their covariances for a noise level of 1."""

    columns: tuple[int, ...]
    covariance: Matrix

    @cached_property
    def root(self) -> Matrix:
        """The symmetric square root, which exists and is unique even where errors determine each other."""
        values, vectors = np.linalg.eigh(self.covariance)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of all columns, independent between blocks.

    Laplace errors are those of the symmetric multivariate Laplace distribution, normal errors times the root of an
    exponential variable that a block's columns share; each column by itself has a Laplace distribution.
    """

    blocks: Sequence[Block]
    distribution: Distribution

    def draw(self, n: int, levels: float | NDArray[np.float64], rng: np.random.Generator) -> Matrix:
        """Errors of n records, one row each, with ``levels`` times the covariance (N 4.4, 4.5; C 3.2).

        Standard normal numbers come first, record by record, then the exponential ones, if any.
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
    """Whether a symmetric matrix with a positive diagonal is positive semidefinite, but for rounding."""
    return bool(np.linalg.eigvalsh(_correlation(matrix)[0]).min() >= -_ROUNDING)


def nearest_covariance(matrix: Matrix) -> Matrix:
    """The covariance matrix with the same diagonal whose correlations are nearest to a symmetric matrix's.

    Higham's alternating projections (IMA J. Numer. Anal. 22, 2002): onto the positive semidefinite matrices, with
    Dykstra's correction, and onto those with ones on the diagonal.

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
        if np.abs(wanted - before).max() <= _SETTLED:
            break
    # The last step has put ones onto the diagonal; what that has taken from the eigenvalues is given back.
    return _correlation(_positive(wanted))[0] * products


def _positive(matrix: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T
