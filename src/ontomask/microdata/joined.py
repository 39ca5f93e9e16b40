"""`JoinedPlan`: one plan from the plans of parts of a table, such as strata or persons with equally many records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import PairCounts, count_pairs, group_rows
from ontomask.errors import PlanError
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.joint import SUPPRESSED, Masked, damaged
from ontomask.microdata.plan import TuplePlan
from ontomask.microdata.planvalues import PlanValues
from ontomask.microdata.recordplan import RecordPlan
from ontomask.microdata.table import Microdata

__all__ = ["JoinedPlan", "Outcomes", "join_outcomes", "join_values"]


@dataclass(frozen=True, eq=False, repr=False)
class JoinedPlan(RecordPlan):
    """A record plan that can also leave out records, and give the records of a person several pseudonyms.

    Attributes
    ----------
    suppressed
        Which records are left out; ``None``: none of them.
    units
        The pseudonym of each record as a number; ``None`` if the plan does not decide that.
    """

    suppressed: NDArray[np.bool_] | None = None
    units: IntArray | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for part, kind in ((self.suppressed, "b"), (self.units, "iu")):
            if part is not None and (part.shape != (len(self.outcome),) or part.dtype.kind not in kind):
                raise damaged("shape", "its parts do not fit together")

    def deal(self, data: Microdata, rng: np.random.Generator) -> tuple[IntArray, Mapping[str, NDArray[np.float64]]]:
        """For every record its row of ``outcome``, or `SUPPRESSED`, and its errors. Nothing is drawn."""
        rows, errors = super().deal(data, rng)
        return rows if self.suppressed is None else np.where(self.suppressed, SUPPRESSED, rows).astype(np.int32), errors

    def assign(self, data: Microdata, rng: np.random.Generator) -> Masked:
        """The outcome of every record, with its pseudonym. Nothing is drawn, so ``rng`` is not used."""
        return replace(super().assign(data, rng), units=self.units, by=self.promise.get("by", ()))

    def _check_data(self, data: Microdata) -> None:
        super()._check_data(data)
        if self.units is None or data.persons is None:
            return
        released = slice(None) if self.suppressed is None else ~self.suppressed
        units, persons = self.units[released], data.persons[released]
        person = np.zeros(int(units.max(initial=0)) + 1, dtype=persons.dtype)
        person[units] = persons
        if (person[units] != persons).any():
            raise PlanError(
                "The plan has one pseudonym for records that belong to different persons of these data. Mask these "
                "data again.",
                code="other-persons",
            )

    def _count(self, table: FrequencyTable) -> tuple[IntArray, PairCounts]:
        number, firsts = group_rows(list(self.outcome.T), [len(values) for values in self.values])
        if self.suppressed is not None:
            number = np.where(self.suppressed, SUPPRESSED, number).astype(np.int32)
        pairs = count_pairs(table.inverse, number + 1)
        return self.outcome[firsts], PairCounts(pairs.first, pairs.second - 1, pairs.records)


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """The outcomes of some records of a table, in some of its columns or in all.

    Attributes
    ----------
    rows
        The positions of the records in the table.
    values
        By column, the values that outcomes refer to.
    indices
        One row per record: for each column the index of its value. It has no meaning for a suppressed record.
    suppressed
        Which of the records are left out.
    errors
        By column, the errors drawn for these records, where any were drawn.
    """

    rows: NDArray[np.integer]
    values: Sequence[PlanValues]
    indices: IntArray
    suppressed: NDArray[np.bool_]
    errors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, plan: TuplePlan | RecordPlan, data: Microdata, rows: NDArray[np.integer], rng: np.random.Generator
    ) -> Outcomes:
        """What a plan makes of its data, which are the records at ``rows`` of a larger table."""
        targets, errors = plan.deal(data, rng)
        tuples = plan.outcome_tuples if isinstance(plan, TuplePlan) else plan.outcome
        suppressed = targets == SUPPRESSED
        if not len(tuples):
            # Everything is suppressed.
            tuples = np.zeros((1, len(plan.values)), dtype=np.int32)
        return cls(rows, plan.values, tuples[np.where(suppressed, 0, targets)], suppressed, errors)


def join_outcomes(
    data: Microdata,
    parts: Sequence[Outcomes],
    *,
    promise: Mapping[str, Any] | None = None,
    units: IntArray | None = None,
) -> JoinedPlan:
    """One plan from the outcomes of parts, each of which has all columns. Every record must be in one part."""
    points, outcome, suppressed = join_values(data, parts)
    errors = {name: np.empty(len(data)) for name in parts[0].errors}
    for part in parts:
        for name, drawn in errors.items():
            drawn[part.rows] = part.errors[name]
    # A suppressed record needs valid indices: those of its own values.
    own = -1 - data.table.tuples[data.table.inverse[suppressed]]
    outcome[suppressed] = own
    plan = JoinedPlan.of(data, points, outcome, errors, promise)
    return replace(plan, suppressed=suppressed if suppressed.any() else None, units=units)


def join_values(data: Microdata, parts: Sequence[Outcomes]) -> tuple[list[NDArray[Any]], IntArray, NDArray[np.bool_]]:
    """The points of all parts by column, the indices of all rows, and which rows are suppressed.

    An index −1 − v refers to value v of the table's own values.
    """
    size = sum(len(part.rows) for part in parts)
    outcome = np.zeros((size, len(data.quasi_identifiers)), dtype=np.int32)
    suppressed = np.zeros(size, dtype=bool)
    points = []
    for j, column in enumerate(data.table.columns):
        used = [np.unique(part.indices[~part.suppressed, j]) for part in parts]
        free = [
            np.array([i for i in index.tolist() if i not in part.values[j].cells], dtype=np.int64)
            for index, part in zip(used, parts, strict=True)
        ]
        listed = [part.values[j].points[index] for index, part in zip(free, parts, strict=True)]
        points.append(np.unique(np.concatenate(listed)))
        kept = {column.cells[i]: v for i, v in enumerate(data.table.values[j].of_cell.tolist()) if column.kept[i]}
        for part, index, of_index in zip(parts, free, listed, strict=True):
            number = np.zeros(len(part.values[j]), dtype=np.int32)
            number[index] = np.searchsorted(points[j], of_index)
            for i, cell in part.values[j].cells.items():
                number[i] = -1 - kept[cell]
            outcome[part.rows, j] = number[part.indices[:, j]]
    for part in parts:
        suppressed[part.rows] = part.suppressed
    return points, outcome, suppressed
