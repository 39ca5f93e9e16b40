"""Kept cells that fewer than k records share.

Only records that keep the same cells can share a released tuple, so such records cannot be in a group of k. The policy
``rare_kept`` says what happens: ``error``, ``drop`` the records, or release these cells as the ``root``. The method
then plans for a table without them, and the plan is translated back to the tuples of the original table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import count_pairs
from ontomask.base.notes import Note
from ontomask.errors import MaskingError, Setting
from ontomask.masking.results import Planned
from ontomask.masking.sizes import group_sizes
from ontomask.microdata import FrequencyTable, Microdata, TuplePlan
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.views import with_records, with_rooted

__all__ = ["RareKept", "kept_pattern", "plan_without_rare"]


def kept_pattern(table: FrequencyTable) -> IntArray:
    """For each tuple and column the index of the value that is kept, or −1."""
    return np.stack(
        [
            np.where(values.kept, np.arange(len(values), dtype=np.int32), -1)[table.tuples[:, j]]
            for j, values in enumerate(table.values)
        ],
        axis=1,
    )


@dataclass(frozen=True, eq=False)
class RareKept:
    """The tuples that keep the same cells as fewer than k records (or persons).

    Attributes
    ----------
    data, k
        The table, and the least number that must share kept cells.
    tuples
        Which tuples of the table these are.
    """

    data: Microdata
    k: int
    tuples: NDArray[np.bool_]

    @classmethod
    def of(cls, data: Microdata, k: int) -> RareKept:
        """Find them."""
        table = data.table
        if table.complete.all():
            return cls(data, k, np.zeros(len(table), dtype=bool))
        number, size = _group(data, kept_pattern(table))
        return cls(data, k, (size < k)[number])

    @property
    def records(self) -> int:
        """The number of their records."""
        return int(self.data.table.counts[self.tuples].sum())

    @property
    def cells(self) -> dict[str, int]:
        """The number of their kept cells, by column."""
        table = self.data.table
        found = table.counts[self.tuples] @ (kept_pattern(table)[self.tuples] >= 0)
        return {name: int(n) for name, n in zip(self.data.quasi_identifiers, found, strict=True) if n}

    def error(self, *advice: object) -> MaskingError:
        """The error that says how many they are, in which columns, and what to do; ``advice`` adds to that."""
        unit = "records" if self.data.person is None else "persons"
        cells = ", ".join(f"{n:,} in {name!r}" for name, n in self.cells.items()) or "none"
        return MaskingError(
            f"{self.records:,} records keep the same cells as fewer than k = {self.k:,} {unit}, so they cannot be in a "
            f"group. Cells that these records keep: {cells}. Leave out these records, or release such cells as the "
            f"root: ",
            Setting("policies", "rare_kept", values=["drop", "root"]),
            ". Or keep no cells: choose other policies for missing and unmapped cells.",
            *advice,
            column=next(iter(self.cells), None),
            parameter="k",
        )

    @cached_property
    def rooted(self) -> NDArray[np.bool_]:
        """Which kept cells of which tuples become the root, so that at least k share every pattern of kept cells.

        In each record with a rare pattern, the kept cell that the fewest share becomes the root, and patterns are
        counted again. Where those without kept cells are too few, the rarest pattern joins them.
        """
        table = self.data.table
        start = pattern = kept_pattern(table)
        columns = list(enumerate(table.values))
        held = [group_sizes(self.data, table.tuples[:, j], len(values)) for j, values in columns]
        shared = np.stack([held[j][table.tuples[:, j]] for j, _ in columns], axis=1)
        while True:
            number, size = _group(self.data, pattern)
            has_kept = (pattern >= 0).any(axis=1)
            rare = (size < self.k)[number]
            if not rare.any():
                return (pattern < 0) & (start >= 0)
            if not (rare & has_kept).any():
                least = size[number[has_kept]].min()
                rare = number == number[np.flatnonzero(has_kept & (size[number] == least))[0]]
            rows = np.flatnonzero(rare & has_kept)
            column = np.where(pattern[rows] >= 0, shared[rows], np.iinfo(np.int64).max).argmin(axis=1)
            pattern = pattern.copy()
            pattern[rows, column] = -1

    def solve(self) -> tuple[Microdata, NDArray[np.intp], Note]:
        """The table without rare kept cells, the positions of its records in the whole table, and a note.

        Unless the policy makes these cells the root, their records are left out.
        """
        data = self.data
        if data.rare_kept == "root":
            part = with_rooted(data, self.rooted)
            text = "{cells:,} kept cells count as the root and are masked: fewer than k = {k} keep the same cells."
            cells = int(data.table.counts @ self.rooted.sum(axis=1))
            return part, np.arange(len(data.table.inverse)), Note.of("rare-kept-rooted", text, cells=cells, k=self.k)
        stay = np.flatnonzero(~self.tuples[data.table.inverse])
        if not len(stay):
            raise self.error()
        text = "{records:,} records are left out: fewer than k = {k} keep the same cells."
        note = Note.of("rare-kept-dropped", text, records=self.records, k=self.k)
        return with_records(data, stay), stay, note


def _group(data: Microdata, pattern: IntArray) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The number of each tuple's pattern, and how many records or persons have each pattern."""
    patterns, number = np.unique(pattern, axis=0, return_inverse=True)
    return number.ravel(), group_sizes(data, number.ravel(), len(patterns))


def plan_without_rare(rare: RareKept, rng: np.random.Generator, plan: Callable[[Microdata], Planned]) -> Planned:
    """Plan for the table without rare kept cells, and translate the plan to the tuples of the whole table."""
    part, stay, note = rare.solve()
    planned = plan(part)
    assert isinstance(planned.plan, TuplePlan), "k-anonymous methods plan tuples"
    lifted = _lift(planned.plan, part.table, rare.data.table, stay, rng)
    return replace(planned, plan=lifted, notes=(*planned.notes, note))


def _lift(
    plan: TuplePlan, part: FrequencyTable, whole: FrequencyTable, stay: NDArray[np.intp], rng: np.random.Generator
) -> TuplePlan:
    """The plan of a part of a table as a plan of the whole; tuples that the part does not have are suppressed."""
    of_part = np.full(len(whole), -1, dtype=np.int64)
    of_part[whole.inverse[stay]] = part.inverse
    outcomes, new_points = np.empty_like(plan.outcome_tuples), []
    for j, (mine, theirs) in enumerate(zip(whole.values, part.values, strict=True)):
        own = mine.point[~mine.kept]
        points = plan.values[j].points
        is_kept = np.zeros(len(points), dtype=bool)
        is_kept[list(plan.values[j].cells)] = True
        new = np.setdiff1d(points[~is_kept], own)
        index = np.searchsorted(own, points).clip(max=max(len(own) - 1, 0))
        is_new = np.isin(points, new)
        index[is_new] = len(mine) + np.searchsorted(new, points[is_new])
        kept = np.flatnonzero(is_kept)
        index[kept] = mine.of_cell[theirs.cell[kept]]
        outcomes[:, j] = index[plan.outcome_tuples[:, j]]
        new_points.append(new)
    start, outcome, records = _divide(plan, whole, of_part, rng)
    return TuplePlan.of(
        whole,
        start=start,
        outcome=outcome,
        records=records,
        outcome_tuples=outcomes,
        new_points=new_points,
        promise=plan.promise,
    )


def _divide(
    plan: TuplePlan, whole: FrequencyTable, of_part: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], IntArray, NDArray[np.int64]]:
    """The outcomes of the whole table's tuples, in CSR form.

    Several tuples may have become one. If its records go to several outcomes, they are divided at random.
    """
    if len(plan.outcome) == len(plan.tuples):
        outcome = np.where(of_part < 0, SUPPRESSED, plan.outcome[of_part]).astype(np.int32)
        return np.arange(len(whole) + 1), outcome, whole.counts
    order = np.argsort(of_part, kind="stable")
    records = np.repeat(order, whole.counts[order])
    targets = np.full(len(records), SUPPRESSED, dtype=np.int64)
    of_tuple = np.repeat(np.arange(len(plan.tuples)), np.diff(plan.start))
    in_part = np.repeat(of_tuple, plan.records)
    shuffled = np.lexsort((rng.random(len(in_part)), in_part))
    targets[len(records) - len(in_part) :] = np.repeat(plan.outcome, plan.records)[shuffled]
    moves = count_pairs(records, targets - SUPPRESSED)
    start = np.searchsorted(moves.first, np.arange(len(whole) + 1))
    return start, (moves.second + SUPPRESSED).astype(np.int32), moves.records
