"""Full-domain generalisation: one level for all values of a column, found in the lattice of all combinations.

`lattice_search` looks for the combination that costs least, and `level_costs` computes costs. Here the records are
grouped: on distinct tuples, with one key of integers for each. If a combination has been grouped, those above it are
grouped from its groups, which are fewer than the tuples (roll-up: LeFevre et al. 2005, 3.2.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import MaskingError, Setting
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.masking.lattice_search import Counted, Found, search_all, search_part
from ontomask.masking.level_costs import LevelCosts, Objective
from ontomask.masking.sizes import group_sizes, share_for
from ontomask.microdata import FrequencyTable, Microdata, TuplePlan
from ontomask.microdata.plan import SUPPRESSED

__all__ = ["Combination", "Lattice"]

# Up to this many combinations the search is exact.
_SMALL = 1_000_000
# How many groupings are kept for roll-up. One is kept if it has at most this share of the rows that it was made from.
_SNAPSHOTS = 64
_SMALLER = 0.5


@dataclass(frozen=True, eq=False)
class Combination:
    """A level for each column, and the groups of tuples that result.

    Attributes
    ----------
    levels
        The level of each column.
    groups
        The group of each tuple.
    is_short
        Whether each tuple is in a group below k.
    left_out
        The number of records in such groups.
    cost
        The value of the objective.
    bound
        A lower bound of the objective over all combinations; equal to the cost if no combination costs less.
    """

    levels: tuple[int, ...]
    groups: IntArray
    is_short: NDArray[np.bool_]
    left_out: int
    cost: float
    bound: float

    @property
    def released_groups(self) -> int:
        """The number of groups that are released."""
        return len(np.unique(self.groups[~self.is_short]))

    @property
    def is_optimal(self) -> bool:
        """Whether no combination costs less."""
        return self.bound >= self.cost


class Lattice:
    """All combinations of levels, one for each column.

    Parameters
    ----------
    data
        The table.
    paths
        What the values of each column become, level by level.
    k
        The least size of groups.
    spare
        The number of records that may be left out.
    fixed
        Given levels, by index of the column.
    objective
        What to minimise.

    Attributes
    ----------
    checked
        The number of combinations whose records were grouped.
    """

    def __init__(
        self,
        data: Microdata,
        paths: Sequence[GeneralisationPaths],
        k: int,
        spare: int,
        fixed: Mapping[int, int],
        objective: Objective = "semantic_loss",
    ) -> None:
        self.table = data.table
        self.paths = paths
        self.k = k
        self.spare = spare
        self.choices = [
            range(fixed[j], fixed[j] + 1) if j in fixed else range(path.height + 1) for j, path in enumerate(paths)
        ]
        self.shape = tuple(map(len, self.choices))
        self.is_nested = all(path.is_nested for path in paths)
        self.costs = LevelCosts(objective, self.table, paths, self.choices, k)
        self.checked = 0
        self._data = data
        self._groups = _LevelGroups(self.table, paths)
        self._nearest_miss: tuple[int, tuple[int, ...]] | None = None

    def __len__(self) -> int:
        return math.prod(self.shape)

    def best(self) -> Combination:
        """The combination with the least cost; if there are too many, the best found, with a bound for all."""
        found = search_all(self) if len(self) <= _SMALL else search_part(self)
        if found.at is None:
            raise self._unreachable()
        return self._combination(found)

    def count(self, index: tuple[int, ...]) -> Counted:
        """Group the records on some levels, given by their index among the choices."""
        self.checked += 1
        levels = self._levels(index)
        size = self._groups.sizes(levels, roll_up=self.is_nested)
        left_out = int(size[size < self.k].sum())
        if self._data.persons_by_tuple is not None and left_out <= self.spare:
            # There are no more persons than records.
            _, is_short = self._short(levels)
            left_out = int(self.table.counts[is_short].sum())
        if left_out > self.spare and (self._nearest_miss is None or left_out < self._nearest_miss[0]):
            self._nearest_miss = (left_out, levels)
        return Counted(left_out, int(size @ size))

    def cost(self, index: tuple[int, ...]) -> float:
        """The value of the objective on some levels."""
        groups, is_short = self._short(self._levels(index))
        if self.costs.power:
            return self._groups.total(self._levels(index), self.costs, is_short) / self.table.records
        # Bayardo and Agrawal 2005: a record left out is like all others.
        size = np.bincount(groups[~is_short], self.table.counts[~is_short])
        return float(size @ size + self.table.counts[is_short].sum() * self.table.records) / self.table.records**2

    def _levels(self, index: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(choice[at] for choice, at in zip(self.choices, index, strict=True))

    def _short(self, levels: tuple[int, ...]) -> tuple[IntArray, NDArray[np.bool_]]:
        """The group of each tuple, and whether it is below k."""
        groups, number = self._groups.of_tuples(levels)
        return groups, (group_sizes(self._data, groups, number) < self.k)[groups]

    def _combination(self, found: Found) -> Combination:
        assert found.at is not None
        groups, is_short = self._short(self._levels(found.at))
        left_out = int(self.table.counts[is_short].sum())
        return Combination(self._levels(found.at), groups, is_short, left_out, found.cost, found.bound)

    def plan(self, chosen: Combination, promise: Mapping[str, Any]) -> TuplePlan:
        """The plan of a combination."""
        released = np.flatnonzero(~chosen.is_short)
        _, firsts, group = np.unique(chosen.groups[released], return_index=True, return_inverse=True)
        outcome = np.full(len(self.table), SUPPRESSED, dtype=np.int32)
        outcome[released] = group
        outcomes, new_points = [], []
        for j, level in enumerate(chosen.levels):
            values, points = self.table.values[j], self.paths[j].levels[level]
            own = values.point[~values.kept]
            new_points.append(np.setdiff1d(points, own))
            index = np.arange(len(values))
            index[: len(own)] = np.where(
                np.isin(points, own), np.searchsorted(own, points), len(values) + np.searchsorted(new_points[j], points)
            )
            outcomes.append(index[self.table.tuples[released[firsts], j]])
        return TuplePlan.of(
            self.table,
            outcome=outcome,
            outcome_tuples=np.stack(outcomes, axis=1),
            new_points=new_points,
            promise=promise,
        )

    def _unreachable(self) -> MaskingError:
        assert self._nearest_miss is not None
        left_out, at = self._nearest_miss
        levels = ", ".join(f"{path.name!r} {level}" for path, level in zip(self.paths, at, strict=True))
        return MaskingError(
            f"No combination of levels reaches k = {self.k:,} with at most {self.spare:,} records left out. The "
            f"nearest leaves out {left_out:,}, with the levels {levels}. Use ",
            Setting("method", "suppression", values=[share_for(left_out, self.table.records)]),
            ", fewer fixed levels, or a smaller k.",
            parameter="suppression",
        )


class _LevelGroups:
    """The groups of tuples that are equal on chosen levels.

    The released values of each column and level are numbered. The key of a tuple is the number with these digits; each
    column has as many digits as its largest level needs. Keys beyond 63 bits have several words.
    """

    def __init__(self, table: FrequencyTable, paths: Sequence[GeneralisationPaths]) -> None:
        self._table = table
        self._tuples = np.ascontiguousarray(table.tuples)
        codes: list[NDArray[np.int64]] = []
        self._start, self._word, stride, word = [], [], 1, 0
        for path, values in zip(paths, table.values, strict=True):
            column = [_numbered(released, len(values)) for released in path.levels]
            size = max(int(code.max()) + 1 for code in column)
            if stride * size >= 2**62:
                stride, word = 1, word + 1
            self._word.append(word)
            self._start.append(sum(map(len, codes)) + len(values) * np.arange(len(column)))
            codes.append(np.concatenate(column) * stride)
            stride *= size
        self._code, self._words = np.concatenate(codes), np.array(self._word)
        rows = len(table)
        self._slots = np.empty(1 << (2 * rows - 1).bit_length(), dtype=np.int32)
        self._keys = np.empty((rows + 1, word + 1), dtype=np.int64)
        self._number, self._first = np.empty((2, rows), dtype=np.int32)
        self._size = np.empty(rows, dtype=np.int64)
        self._bases = [(self._tuples, table.counts)]
        self._base_levels = np.zeros((1, len(paths)), dtype=np.int64)

    def sizes(self, levels: tuple[int, ...], *, roll_up: bool) -> NDArray[np.int64]:
        """The records of each group."""
        at = np.array(levels)
        # Bases ascend by size; the last has all tuples.
        tuples, counts = self._bases[int((self._base_levels <= at).all(axis=1).argmax()) if roll_up else -1]
        groups = self._group(levels, tuples, counts)
        if roll_up and len(self._bases) < _SNAPSHOTS and groups <= _SMALLER * len(tuples):
            place = sum(len(base[1]) < groups for base in self._bases)
            self._bases.insert(place, (tuples[self._first[:groups]], self._size[:groups].copy()))
            self._base_levels = np.insert(self._base_levels, place, at, axis=0)
        return self._size[:groups]

    def of_tuples(self, levels: tuple[int, ...]) -> tuple[IntArray, int]:
        """The group of each tuple, and the number of groups."""
        groups = self._group(levels, self._tuples, self._table.counts)
        return self._number.copy(), groups

    def total(self, levels: tuple[int, ...], costs: LevelCosts, is_short: NDArray[np.bool_]) -> float:
        """The cost of all records."""
        from ontomask.masking.kernels.full_domain import total_cost

        flat = np.concatenate([table.ravel() for table in costs.tables])
        return float(total_cost(self._tuples, self._table.counts, flat, self._at(levels), is_short, costs.power))

    def _at(self, levels: tuple[int, ...]) -> NDArray[np.int64]:
        return np.array([start[level] for start, level in zip(self._start, levels, strict=True)])

    def _group(self, levels: tuple[int, ...], tuples: IntArray, counts: NDArray[np.int64]) -> int:
        from ontomask.masking.kernels.full_domain import count_groups

        slots = self._slots[: 1 << (2 * len(tuples) - 1).bit_length()]
        found = (self._keys, slots, self._number, self._size, self._first)
        return int(count_groups(tuples, counts, self._code, self._words, self._at(levels), *found))


def _numbered(released: NDArray[Any], values: int) -> NDArray[np.int64]:
    """The released value of each value as a number. Kept cells come last."""
    distinct, code = np.unique(released, return_inverse=True)
    return np.concatenate([code, len(distinct) + np.arange(values - len(code))]).astype(np.int64)
