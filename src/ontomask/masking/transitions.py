"""Transition probabilities P(x → y): how likely a method turns an original tuple into a released one.

An intruder who knows the method knows these probabilities. They are products of factors, one for each set of columns
that are masked independently of the others, given the original tuple. Nothing here is as large as original tuples
times released tuples: a factor gives the rows of a few original tuples at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.kinds import Column
from ontomask.microdata import Microdata
from ontomask.microdata.frequency import Values
from ontomask.operators.space import Points

__all__ = ["Factor", "Rows", "Transitions", "ValueFactor", "by_column"]

Matrix = NDArray[np.float64]

# Rows of all values are held up to this many numbers (64 MiB); beyond it they are computed for each batch of tuples.
_ROOM = 2**23


class Rows(Protocol):
    """The probabilities of one factor, for the tuples of two tables."""

    def take(self, low: int, high: int) -> tuple[Matrix, IntArray]:
        """Rows of the original tuples ``low`` to ``high − 1``: a matrix, and for each tuple its row there.

        The matrix has one column for each released combination of values.
        """
        ...


class Factor(Protocol):
    """Columns that are masked independently of the other columns, given the original tuple."""

    @property
    def attributes(self) -> tuple[int, ...]:
        """The numbers of the columns."""
        ...

    def bind(self, points: Sequence[Points], before: IntArray, after: IntArray) -> Rows:
        """The probabilities between the tuples of two tables.

        Parameters
        ----------
        points
            For each column of the factor the points of both tables, ascending.
        before, after
            One row an original tuple, or a released combination: for each column of the factor the position of its
            point. Positions from ``len(points[a])`` on are kept cells, which equal only themselves.
        """
        ...


@dataclass(frozen=True, eq=False)
class Transitions:
    """P(x → y) as a product of factors.

    Attributes
    ----------
    factors
        Together they have every quasi-identifier once.
    draws
        Up to how many draws of errors they are estimated from; 0 where they are exact.
    replicates
        Where they are estimated: the same from parts of the draws, each without one of several equal parts. The
        spread of a figure over them gives its standard error (delete-a-group jackknife).
    cost
        About how much longer a product takes than one of factors of single columns.
    """

    factors: tuple[Factor, ...]
    draws: int = 0
    replicates: tuple[Transitions, ...] = ()
    cost: float = 1.0


def by_column(
    data: Microdata, probabilities: Callable[[Column, Values, NDArray[np.int64], IntArray], Matrix]
) -> Transitions:
    """Transitions of a method that replaces every value on its own by a value that the column has.

    ``probabilities`` gets the column, its values, how often those that are not kept occur, and the places of some of
    them; it gives for each of these the probabilities of all.
    """
    factors = []
    for j, (column, values) in enumerate(zip(data.table.columns, data.table.values, strict=True)):
        points = values.point[~values.kept]
        often = np.bincount(data.table.tuples[:, j], weights=data.table.counts, minlength=len(values))
        counts = often[: len(points)].astype(np.int64)
        factors.append(ValueFactor(j, points, points, partial(probabilities, column, values, counts)))
    return Transitions(tuple(factors))


@dataclass(frozen=True, eq=False)
class ValueFactor:
    """One column, in which a new value depends on nothing but the old one.

    Attributes
    ----------
    attribute
        The number of the column.
    sources, targets
        The points that the column has, and those that it can get; both ascending.
    rows
        Gives for some of the sources, by position, the probabilities of all targets.
    """

    attribute: int
    sources: Points
    targets: Points
    rows: Callable[[IntArray], Matrix]

    @property
    def attributes(self) -> tuple[int, ...]:
        """The number of the column."""
        return (self.attribute,)

    def bind(self, points: Sequence[Points], before: IntArray, after: IntArray) -> Rows:
        """The probabilities between the tuples of two tables; see `Factor.bind`."""
        return _ValueRows(self, points[0], before[:, 0], after[:, 0])


class _ValueRows:
    """Rows of the distinct values of a column: all of them at once where they fit, else batch by batch."""

    def __init__(self, factor: ValueFactor, points: Points, before: IntArray, after: IntArray) -> None:
        self._factor, self._points, self._before, self._after = factor, points, before, after
        real = after < len(points)
        self._columns = np.flatnonzero(real)
        at = np.searchsorted(factor.targets, points[after[real]])
        at[at == len(factor.targets)] = 0
        # A point that the method cannot release has probability 0.
        self._possible = factor.targets[at] == points[after[real]]
        self._at = at
        self._all: tuple[Matrix, IntArray] | None = None
        values, index = np.unique(before, return_inverse=True)
        if len(values) * len(after) <= _ROOM:
            self._all = self._matrix(values), index.ravel().astype(np.int32)

    def take(self, low: int, high: int) -> tuple[Matrix, IntArray]:
        if self._all is not None:
            matrix, index = self._all
            return matrix, index[low:high]
        values, rows = np.unique(self._before[low:high], return_inverse=True)
        return self._matrix(values), rows.ravel().astype(np.int32)

    def _matrix(self, values: IntArray) -> Matrix:
        out = (values[:, None] == self._after).astype(np.float64)
        real = np.flatnonzero(values < len(self._points))
        out[real] = 0.0
        sources: IntArray = np.searchsorted(self._factor.sources, self._points[values[real]]).astype(np.int32)
        batch = max(_ROOM // 8 // max(len(self._factor.targets), 1), 1)
        for first in range(0, len(real), batch):
            some = slice(first, first + batch)
            rows = self._factor.rows(sources[some])[:, self._at] * self._possible
            out[np.ix_(real[some], self._columns)] = rows
        return out
