"""Transition probabilities P(x → y): the probability that a method turns an original tuple into a released one.

An intruder who knows the method knows these probabilities. They are products of factors, one for each set of columns
that are masked independently of the others, given the original tuple. The full matrix of original and released tuples
is never in memory: a factor gives the rows of a few original tuples at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.kinds import Column
from ontomask.microdata import FrequencyTable, Microdata
from ontomask.microdata.frequency import Values
from ontomask.operators.space import Points

__all__ = ["ColumnCounts", "Factor", "Matrix", "Rows", "Transitions", "ValueFactor", "by_column", "column_counts"]

Matrix = NDArray[np.float64]

# Up to this many numbers (64 MiB), the rows of all values are cached; beyond, each batch of tuples computes its own.
_ROOM = 2**23


class Rows(Protocol):
    """The probabilities of one factor, for the tuples of two tables."""

    def take(self, low: int, high: int) -> tuple[Matrix, IntArray]:
        """The rows of original tuples ``low`` to ``high − 1``: a matrix, and for each tuple the index of its row.

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
            One row for each original tuple or released combination, with the position of its point in each column of
            the factor. Positions from ``len(points[a])`` on are kept cells, which equal only themselves.
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
        The largest number of draws that they are estimated from; 0 if they are exact.
    replicates
        For estimates: the same from parts of the draws, each without one of several equal parts. The spread of a figure
        over them gives its standard error (delete-a-group jackknife).
    cost
        The time of a product, relative to factors of single columns.
    """

    factors: tuple[Factor, ...]
    draws: int = 0
    replicates: tuple[Transitions, ...] = ()
    cost: float = 1.0


class ColumnCounts(NamedTuple):
    """A column, its values, and the counts of those that are not kept."""

    column: Column
    values: Values
    counts: NDArray[np.int64]

    @property
    def points(self) -> Points:
        """The points of the values that are not kept."""
        return self.values.point[~self.values.kept]

    @property
    def shares(self) -> NDArray[np.float64]:
        """The relative frequencies."""
        shares: NDArray[np.float64] = self.counts / self.counts.sum()
        return shares


def column_counts(table: FrequencyTable) -> list[ColumnCounts]:
    """Each column with the counts of its values that are not kept. Kept cells come last among the values."""
    found = []
    for j, (column, values) in enumerate(zip(table.columns, table.values, strict=True)):
        often = np.bincount(table.tuples[:, j], weights=table.counts, minlength=len(values))
        found.append(ColumnCounts(column, values, often[~values.kept].astype(np.int64)))
    return found


def by_column(data: Microdata, probabilities: Callable[[ColumnCounts, IntArray], Matrix]) -> Transitions:
    """Transitions of a method that replaces each value independently by a value of its column.

    ``probabilities`` gets a column and the indices of some of its values. For each of these it returns the
    probabilities of all values.
    """
    columns = enumerate(column_counts(data.table))
    return Transitions(tuple(ValueFactor(j, of.points, of.points, partial(probabilities, of)) for j, of in columns))


@dataclass(frozen=True, eq=False)
class ValueFactor:
    """One column, in which a new value depends only on the old one.

    Attributes
    ----------
    attribute
        The number of the column.
    sources, targets
        The original points of the column, and the points that can be released; both ascending.
    rows
        Gives the probabilities of all targets, for sources given by their positions.
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
    """Rows of the distinct values of a column: all at once if they fit into memory, else batch by batch."""

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
