"""Transition probabilities of semantic noise, from the distribution of its errors.

For one value, the errors that lead to a concept form at most two intervals, one for each sign (`classify`). With
uncorrelated errors, each concept has the probability of its intervals, divided among the concepts that tie. Correlated
normal errors are independent given a few hidden normal variables, and Laplace errors are normal given a hidden
exponential variable. So the joint probability of several columns is a weighted sum of products over nodes: the values
of the hidden variables that a quadrature rule uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.masking.noise.errors import NO_REFERENCE, Block, DistanceLevels
from ontomask.masking.noise.statistics import FittedNoise, Reference
from ontomask.masking.transitions import Factor, Matrix, Rows, Transitions, ValueFactor
from ontomask.microdata import Microdata
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.space import Points

__all__ = ["JointErrors", "noise_transitions"]

# Hidden normal variables are cut off at this many standard deviations; the longest step between two nodes.
_FAR = 7.0
_STEP = 0.9
# Correlations are limited to this: the number of nodes grows without bound towards 1.
_HIGHEST = 0.998
# Nodes of the exponential variable of Laplace errors.
_EXPONENTIAL = 16
# For several hidden variables: the fewest and the most nodes, and the most products.
_NODES = (16, 512)
_PRODUCTS = 2**34
# Numbers of classes of values that are cached (32 MiB of 4 bytes, 64 MiB of 8).
_ROOM = 2**23
# The joint probabilities of up to this many combinations of classes are computed even if few are released.
_SMALL = 2**12
# Bytes of distance levels that are cached for a column.
_LEVELS = 2**25


def noise_transitions(data: Microdata, fitted: FittedNoise, alpha: float) -> Transitions:
    """P(x → y) of noise with fitted statistics, at one noise level for all records.

    It is exact for columns with independent errors, for two columns with correlated errors, and mostly for three. Other
    blocks are sums over quasi-random nodes; each replicate is the sum over one half of the nodes.
    """
    laplace = fitted.errors.distribution == "laplace"
    factors: list[Factor] = []
    for block in fitted.errors.blocks:
        if len(block.columns) > 1:
            scaled = Block(block.columns, alpha * block.covariance)
            factors.append(JointErrors(scaled, fitted.spaces, fitted.reference, fitted.points, laplace))
        else:
            scale = float(np.sqrt(alpha * block.covariance[0, 0]))
            factors.append(_alone(data, fitted, block.columns[0], scale, laplace))
    # Up to three columns have so few classes that their joint probabilities fit into a small table.
    cost = max(1.0 if len(block.columns) <= 3 else 4.0 * len(block.columns) for block in fitted.errors.blocks)
    if not any(isinstance(factor, JointErrors) and factor.is_estimated for factor in factors):
        return Transitions(tuple(factors), cost=cost)
    halves = tuple(
        Transitions(tuple(replace(f, half=half) if isinstance(f, JointErrors) else f for f in factors))
        for half in (0, 1)
    )
    return Transitions(tuple(factors), _NODES[1], halves, cost)


def _alone(data: Microdata, fitted: FittedNoise, j: int, scale: float, laplace: bool) -> ValueFactor:
    """The factor of a column whose errors are independent of all others."""
    space, values = fitted.spaces[j], data.table.values[j]
    sources = values.point[~values.kept]
    targets = np.arange(len(space.domain), dtype=sources.dtype)
    levels = _CachedLevels(space)

    def rows(positions: IntArray) -> Matrix:
        out = np.empty((len(positions), len(targets)))
        for i, value in enumerate(sources[positions].tolist()):
            at = fitted.points[j]
            reference = NO_REFERENCE if fitted.reference == "mean" and value == at else at
            classes = _classes(levels, value, reference, targets)
            table = classes.table(np.zeros(1), np.array([scale]), laplace)
            out[i] = table[classes.code, 0]
        return out

    return ValueFactor(j, sources, targets, rows)


class _Classes(NamedTuple):
    """The concepts that can replace a value, grouped by the errors that lead to them; see `classify`."""

    upper: Matrix
    size: NDArray[np.int64]
    known: IntArray
    code: IntArray

    def table(self, shift: NDArray[np.float64], scale: NDArray[np.float64], laplace: bool) -> Matrix:
        """For each class (row) the probability of each of its concepts, by node (column)."""
        from ontomask.masking.kernels.transitions import probabilities

        out = np.empty((len(self.known), len(shift)))
        probabilities(self.upper, self.size, self.known, len(self.known), shift, scale, laplace, out)
        return out


def _classes(levels: DistanceLevels, value: int, reference: int, columns: IntArray) -> _Classes:
    """The classes of the concepts in ``columns`` (−1: no concept)."""
    from ontomask.masking.kernels.transitions import classify

    level, distance = levels.of(value)
    beside = level if reference == NO_REFERENCE else levels.of(reference)[0]
    upper, size = np.empty((2, len(distance))), np.empty((2, len(distance)), dtype=np.int64)
    code = np.empty(len(columns), dtype=np.int32)
    label = np.full((len(distance) + 1) ** 2, -1, dtype=np.int32)
    known = np.empty((min(len(columns), len(label)), 2), dtype=np.int32)
    sided = reference != NO_REFERENCE
    number = classify(level, distance, beside, value, sided, columns, upper, size, label, code, known)
    return _Classes(upper, size, known[:number].copy(), code)


class _CachedLevels(DistanceLevels):
    """Levels of distance to points, cached up to a bound."""

    def __init__(self, space: NominalSpace) -> None:
        super().__init__(space)
        self._cached: dict[int, tuple[NDArray[np.integer], NDArray[np.float64]]] = {}

    def of(self, point: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """The level of every concept, and the distance of each level."""
        if point in self._cached:
            return self._cached[point]
        found = super().of(point)
        if (len(self._cached) + 1) * found[0].nbytes <= _LEVELS:
            self._cached[point] = found
        return found


class _Nodes(NamedTuple):
    """Values of the hidden variables: at node k, the error of column a is normal with mean ``shift[k, a]``."""

    shift: Matrix
    scale: Matrix
    weight: NDArray[np.float64]


def _loadings(covariance: Matrix) -> NDArray[np.float64] | None:
    """The loading of each error on one hidden variable that explains all correlations; ``None`` if there is none.

    Two errors always have such a variable, three mostly, more only by chance.
    """
    deviation = np.sqrt(np.diag(covariance))
    r = covariance / np.outer(deviation, deviation)
    if len(r) == 2:
        shared = min(abs(float(r[0, 1])), _HIGHEST)
        return np.sqrt(shared) * np.array([1.0, -1.0 if r[0, 1] < 0 else 1.0])
    if len(r) > 3 or min(r[0, 1], r[0, 2], r[1, 2]) <= 0:
        return None
    squares = np.array([r[0, 1] * r[0, 2] / r[1, 2], r[0, 1] * r[1, 2] / r[0, 2], r[0, 2] * r[1, 2] / r[0, 1]])
    return np.sqrt(squares) if squares.max() <= _HIGHEST else None


def _exact_nodes(covariance: Matrix, loading: NDArray[np.float64], laplace: bool) -> _Nodes:
    """One hidden normal variable, by the trapezoidal rule.

    The rule is exact in double precision if its steps are short compared with the remaining deviations of the errors.
    """
    deviation, left = np.sqrt(np.diag(covariance)), np.sqrt(1 - loading**2)
    step = min(_STEP, 0.8 * float((left / np.maximum(np.abs(loading), 1e-6)).min()))
    z = np.arange(-np.ceil(_FAR / step), np.ceil(_FAR / step) + 1) * step
    weight = np.exp(-(z**2) / 2)
    shift = z[:, None] * loading * deviation
    nodes = _Nodes(shift, np.broadcast_to(left * deviation, shift.shape), weight / weight.sum())
    return _with_exponential(nodes) if laplace else nodes


def _with_exponential(nodes: _Nodes) -> _Nodes:
    """Nodes of Laplace errors: deviations times t, the root of an exponential variable, with density 2t·exp(−t²)."""
    x, w = np.polynomial.legendre.leggauss(_EXPONENTIAL)
    t = 2.5 * (x + 1)
    weight = w * t * np.exp(-(t**2))
    weight /= weight.sum()
    return _Nodes(
        (t[:, None, None] * nodes.shift).reshape(-1, nodes.shift.shape[1]),
        (t[:, None, None] * nodes.scale).reshape(-1, nodes.shift.shape[1]),
        np.outer(weight, nodes.weight).ravel(),
    )


def _several_nodes(covariance: Matrix, laplace: bool, number: int, half: int | None) -> _Nodes:
    """As many hidden variables as columns, at quasi-random nodes (an additive recurrence)."""
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    values, vectors = np.linalg.eigh(correlation)
    # The remaining variance of each column by itself; not quite 0 even if columns determine each other.
    left = max(float(values.min()), 1 - _HIGHEST)
    loading = vectors * np.sqrt(np.maximum(values - left, 0.0))
    dimensions = len(deviation) + laplace
    # The root of x^(d + 1) = x + 1 gives the most even sequence of this kind.
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (dimensions + 1))
    u = (0.5 + np.outer(np.arange(1, number + 1), root ** -np.arange(1.0, dimensions + 1))) % 1.0
    if half is not None:
        u = u[half::2]
    z = np.vectorize(NormalDist().inv_cdf)(np.clip(u[:, : len(deviation)], 1e-9, 1 - 1e-9))
    shift = (z @ loading.T) * deviation
    scale = np.broadcast_to(np.sqrt(left) * deviation, shift.shape)
    if laplace:
        t = np.sqrt(-np.log1p(-u[:, -1:]))
        shift, scale = t * shift, t * scale
    return _Nodes(shift, scale, np.full(len(u), 1 / len(u)))


@dataclass(frozen=True, eq=False)
class JointErrors:
    """Columns with correlated errors.

    Attributes
    ----------
    block
        The columns and the covariances of their errors at the noise level used.
    spaces, reference, points
        Of all columns, as in `FittedNoise`.
    laplace
        Whether errors are Laplace instead of normal.
    half
        The half of the quasi-random nodes to use; all by default.
    """

    block: Block
    spaces: tuple[NominalSpace, ...]
    reference: Reference
    points: tuple[int, ...]
    laplace: bool
    half: int | None = None

    @property
    def attributes(self) -> tuple[int, ...]:
        """The numbers of the columns."""
        return self.block.columns

    @property
    def is_estimated(self) -> bool:
        """Whether probabilities are sums over quasi-random nodes."""
        return _loadings(self.block.covariance) is None

    def bind(self, points: Sequence[Points], before: IntArray, after: IntArray) -> Rows:
        """The probabilities between the tuples of two tables; see `Factor.bind`."""
        return _JointRows(self, points, before, after)

    def nodes(self, rows: int, columns: int) -> _Nodes:
        """The nodes for a matrix of this many rows and columns."""
        loading = _loadings(self.block.covariance)
        if loading is not None:
            return _exact_nodes(self.block.covariance, loading, self.laplace)
        number = int(np.clip(_PRODUCTS // max(rows * columns, 1), *_NODES))
        return _several_nodes(self.block.covariance, self.laplace, number, self.half)


class _Column(NamedTuple):
    """The classes of a column's released values given an original tuple (−1: impossible), and for each class the
    probability of each of its concepts, by node.
    """

    code: IntArray
    table: Matrix


def _joint(columns: Sequence[_Column], weight: NDArray[np.float64]) -> Matrix:
    """The probabilities of all combinations of classes. The first columns make the rows, the last makes the columns."""
    left = columns[0].table * weight
    for column in columns[1:-1]:
        left = (left[:, None] * column.table).reshape(-1, len(weight))
    joint: Matrix = left @ columns[-1].table.T
    return joint


class _JointRows:
    def __init__(self, factor: JointErrors, points: Sequence[Points], before: IntArray, after: IntArray) -> None:
        self._factor, self._points, self._tuples, self._after = factor, points, before, after
        self._nodes = factor.nodes(len(before), len(after))
        # The released values of each column, and for each combination the number of its value.
        self._released = [np.unique(column) for column in after.T]
        self._number = [
            np.searchsorted(values, column).astype(np.int32)
            for values, column in zip(self._released, after.T, strict=True)
        ]
        self._cached: dict[tuple[int, int, int], _Column] = {}
        self._room = _ROOM
        # Of the previous original tuple: its first columns, and the classes of released combinations in these.
        self._last: Sequence[_Column] = ()
        self._joined = [np.zeros(len(after), dtype=np.int32) for _ in after.T]
        self._levels = [_CachedLevels(factor.spaces[j]) for j in factor.attributes]

    def take(self, low: int, high: int) -> tuple[Matrix, IntArray]:
        out = np.empty((high - low, len(self._after)))
        for i, positions in enumerate(self._tuples[low:high].tolist()):
            self._fill(positions, out[i])
        return out, np.arange(high - low, dtype=np.int32)

    def _fill(self, positions: list[int], out: NDArray[np.float64]) -> None:
        from ontomask.masking.kernels.transitions import look_up, multiply_several

        found = [self._column(a, positions) for a in range(len(positions))]
        if prod(len(column.table) for column in found) <= len(found) * max(len(out), _SMALL):
            joint, before = _joint(found, self._nodes.weight), self._join_first(found[:-1])
            look_up(joint, before, found[-1].code, self._number[-1], out)
            return
        codes = [column.code[number] for column, number in zip(found, self._number, strict=True)]
        start = np.cumsum([0, *(len(column.table) for column in found)])
        tables = np.concatenate([column.table for column in found])
        multiply_several(tables, start, np.stack(codes), self._nodes.weight, out)

    def _join_first(self, columns: Sequence[_Column]) -> IntArray:
        """For each released combination the number of its class in the first columns.

        Consecutive original tuples often agree in these columns. Then there is nothing to compute.
        """
        from ontomask.masking.kernels.transitions import join_classes

        same = 0
        while same < len(self._last) and self._last[same] is columns[same]:
            same += 1
        for a in range(same, len(columns)):
            column = columns[a]
            join_classes(self._joined[a], column.code, len(column.table), self._number[a], self._joined[a + 1])
        self._last = columns
        return self._joined[-1]

    def _column(self, a: int, positions: list[int]) -> _Column:
        """The classes of the released values of a column, given one original tuple."""
        released, points, position = self._released[a], self._points[a], positions[a]
        if position >= len(points):
            # A kept cell stays as it is.
            same = np.where(released == position, 0, -1).astype(np.int32)
            return _Column(same, np.ones((1, len(self._nodes.weight))))
        value = int(points[position])
        reference = self._reference(a, positions, value)
        key = (a, value, reference)
        if key not in self._cached:
            real = released < len(points)
            columns = np.full(len(released), -1, dtype=np.int32)
            columns[real] = points[released[real]]
            classes = _classes(self._levels[a], value, reference, columns)
            nodes = self._nodes
            table = classes.table(nodes.shift[:, a].copy(), nodes.scale[:, a].copy(), False)
            size = table.size + classes.code.size // 2
            if size > self._room:
                return _Column(classes.code, table)
            self._room -= size
            self._cached[key] = _Column(classes.code, table)
        return self._cached[key]

    def _reference(self, a: int, positions: list[int], value: int) -> int:
        at = self._factor.points[self._factor.attributes[a]]
        if self._factor.reference != "pair":
            return NO_REFERENCE if self._factor.reference == "mean" and value == at else at
        partner = self._factor.attributes.index(at)
        is_kept = positions[partner] >= len(self._points[partner])
        return NO_REFERENCE if is_kept else int(self._points[partner][positions[partner]])
