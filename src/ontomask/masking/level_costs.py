"""What full-domain generalisation loses on each level: the objectives, and lower bounds from tables by column.

A cell loses the distance that it moves, or its certainty penalty. A record loses the weighted mean over its cells
(squared for L), and 1 if it is left out. Leaving out records only adds to the loss. So the loss of a combination of
levels without records left out is a lower bound. It is computed from a table per column (per pair of columns for L),
before any record is counted. If it is known that some records will be left out, the bound is higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.information import summed_below
from ontomask.errors import MaskingError, Setting
from ontomask.kinds import Column
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.microdata import FrequencyTable
from ontomask.operators.loss import certainty_penalty, range_widths
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import Points

__all__ = ["OBJECTIVES", "LevelCosts", "Objective"]

Objective = Literal["semantic_loss", "L", "ncp", "discernibility"]
OBJECTIVES: tuple[Objective, ...] = ("semantic_loss", "L", "ncp", "discernibility")


class LevelCosts:
    """The costs of an objective over the levels of all columns, as means over the records.

    Parameters
    ----------
    objective
        What to minimise.
    table
        The tuples.
    paths
        What the values of each column become, level by level.
    choices
        The levels of each column that may be chosen.
    k
        The least size of groups.

    Attributes
    ----------
    tables
        For each column (level × value) what a cell loses, times the share of the column's weight.
    power
        The power of what a record loses; 0 for discernibility, which depends on groups only.
    """

    def __init__(
        self,
        objective: Objective,
        table: FrequencyTable,
        paths: Sequence[GeneralisationPaths],
        choices: Sequence[range],
        k: int,
    ) -> None:
        self.power = {"discernibility": 0, "L": 2}.get(objective, 1)
        weights = np.array([column.space.weight for column in table.columns])
        shares = weights / weights.sum()
        self.tables = [
            np.zeros((path.height + 1, len(values))) for path, values in zip(paths, table.values, strict=True)
        ]
        self.records = table.records
        self._k = k
        if self.power:
            lose = _penalties if objective == "ncp" else _distances
            for j, (column, path, values) in enumerate(zip(table.columns, paths, table.values, strict=True)):
                own = values.point[~values.kept]
                for level, released in enumerate(path.levels):
                    self.tables[j][level, : len(own)] = shares[j] * lose(column, own, released)
        # Leaving a record out may cost less than moving it, where distances exceed 1.
        bounded = [np.minimum(t[list(c)], s) for t, c, s in zip(self.tables, choices, shares, strict=True)]
        self._shape = tuple(map(len, choices))
        self._most = [t.max(axis=1, initial=0) for t in bounded]
        held = [
            np.bincount(table.tuples[:, j], table.counts, len(v)) / table.records for j, v in enumerate(table.values)
        ]
        #: For each column the mean cost of a cell on each level.
        self.means = [cost @ share for cost, share in zip(bounded, held, strict=True)]
        self._sums = self._pair_sums(table, bounded) if self.power == 2 else {(j,): m for j, m in enumerate(self.means)}

    def bounds(self) -> NDArray[np.float64]:
        """For each combination of levels a lower bound of the cost, whichever records are left out."""
        out = np.zeros(self._shape)
        for at, part in self._sums.items():
            out += part.reshape([size if i in at else 1 for i, size in enumerate(self._shape)])
        return out

    def bound(self, index: Sequence[int]) -> float:
        """The same for one combination, given the index of each level among the choices."""
        return sum(float(part[tuple(index[j] for j in at)]) for at, part in self._sums.items())

    def gaps(self) -> NDArray[np.float64]:
        """What each record that is left out adds at least to the bound of each combination."""
        if not self.power:
            return np.full(self._shape, (self.records - self._k + 1) / self.records**2)
        most = np.zeros(self._shape)
        for j, column in enumerate(self._most):
            most += column.reshape([-1 if i == j else 1 for i in range(len(self._shape))])
        return np.maximum(1 - most**self.power, 0) / self.records

    def _pair_sums(
        self, table: FrequencyTable, bounded: Sequence[NDArray[np.float64]]
    ) -> dict[tuple[int, ...], NDArray[np.float64]]:
        """The square of a sum is the sum over all pairs of columns."""
        shares = table.counts / self.records
        moved = [cost[:, table.tuples[:, j]] for j, cost in enumerate(bounded)]
        sums: dict[tuple[int, ...], NDArray[np.float64]] = {}
        for j, mine in enumerate(moved):
            sums[(j,)] = (mine**2) @ shares
            for i in range(j):
                sums[(i, j)] = 2 * (moved[i] * shares) @ mine.T
        return sums


def _distances(column: Column, own: Points, released: Points) -> NDArray[np.float64]:
    """The distance that each value moves."""
    return column.space.pairs(own, released)


def _penalties(column: Column, own: Points, released: Points) -> NDArray[np.float64]:
    """The normalised certainty penalty of each cell. An unchanged cell loses nothing.

    It counts the values that occur in the column, so that evaluation shows it as LM. Local generalisation counts the
    leaves of the hierarchy or ontology instead: see `ontomask.masking.generalisation_costs`.
    """
    space = column.space
    if isinstance(space, ConceptSetSpace):
        raise MaskingError(
            f"The column {column.name!r} holds sets of concepts. How many values they stand for is not defined. Use ",
            Setting("method", "objective", values=["semantic_loss"]),
            ".",
            column=column.name,
            parameter="objective",
        )
    if space.domain is None:
        lost = range_widths(space, released)
    else:
        is_leaf = np.zeros(len(space.domain))
        is_leaf[own] = 1
        below = summed_below(space.domain, is_leaf)[released]
        lost = certainty_penalty(below, len(own))
    return np.where(released == own, 0.0, lost)
