"""`RecordPlan`: the outcome of every record, for masking that depends on more than the record's values.

Noise with one level for each record needs it. All other methods decide by tuples: see `ontomask.microdata.plan`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import PairCounts, group_rows
from ontomask.errors import PlanError
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.joint import JointCount, Masked, check_indices, damaged
from ontomask.microdata.plan import BasePlan
from ontomask.microdata.planvalues import PlanValues, fingerprint
from ontomask.microdata.table import Microdata

__all__ = ["RecordPlan"]


@dataclass(frozen=True, eq=False, repr=False)
class RecordPlan(BasePlan):
    """For every record its outcome, and the errors drawn for it.

    Attributes
    ----------
    values
        By column, the values that occur in the result.
    outcome
        One row per record: for each column the index of its masked value.
    errors
        By column, the error drawn for each record, where any were drawn.
    fingerprint
        Of the records that the plan was made for. It cannot be applied to others.
    promise
        What the method guarantees for the result.
    table
        The distinct tuples of these records; ``None`` in a plan that was read from a file.
    """

    values: tuple[PlanValues, ...]
    outcome: IntArray
    errors: Mapping[str, NDArray[np.float64]]
    fingerprint: str
    promise: Mapping[str, Any] = field(default_factory=dict)
    table: FrequencyTable | None = None

    def __post_init__(self) -> None:
        fits = self.outcome.ndim == 2 and self.outcome.shape[1] == len(self.values)
        if not fits or any(len(error) != len(self.outcome) for error in self.errors.values()):
            raise damaged("shape", "its parts do not fit together")
        if self.outcome.dtype.kind not in "iu":
            raise damaged("not-integer", "its indices are not integers")
        check_indices(self.outcome, self.values)

    def __repr__(self) -> str:
        return f"<RecordPlan for {', '.join(self.names)}: {len(self.outcome):,} records>"

    @classmethod
    def of(
        cls,
        data: Microdata,
        points: Sequence[NDArray[Any]],
        outcome: NDArray[np.integer],
        errors: Mapping[str, NDArray[np.float64]],
        promise: Mapping[str, Any] | None = None,
    ) -> Self:
        """A plan over a table's records: record i gets ``points[j][outcome[i, j]]`` in column j.

        An index −1 − v refers to value v of the table's own values: a kept cell stays as it is.
        """
        table = data.table
        indices = np.array(outcome, dtype=np.int32)
        for j, column in enumerate(table.columns):
            at, own = indices[:, j], len(table.values[j])
            if len(at) and not -own <= at.min() <= at.max() < len(points[j]):
                raise PlanError(
                    f"The plan refers to values of {column.name!r} that are neither in its points nor in the table.",
                    code="unknown-value",
                    column=column.name,
                )
            indices[:, j] = np.where(at < 0, len(points[j]) - 1 - at, at)
        values = tuple(PlanValues.of(table, j, before=points[j]) for j in range(len(table.columns)))
        return cls(values, indices, dict(errors), fingerprint(data), dict(promise or {}), table)

    def counts(self) -> JointCount:
        """The joint count of original and masked tuples."""
        if self.table is None:
            message = "A record plan from a file does not have the original tuples. Apply it to its data."
            raise PlanError(message, code="no-table")
        tuples, pairs = self._count(self.table)
        # The table's own values come last here.
        offsets = [len(values) - len(own) for values, own in zip(self.values, self.table.values, strict=True)]
        return JointCount(self.values, (self.table.tuples + offsets).astype(np.int32), tuples, *pairs)

    def assign(self, data: Microdata, rng: np.random.Generator) -> Masked:
        """The outcome of every record. Nothing is drawn, so ``rng`` is not used."""
        targets, errors = self.deal(data, rng)
        return replace(self._release(self.outcome, targets, data), errors=errors)

    def deal(
        self,
        data: Microdata,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> tuple[IntArray, Mapping[str, NDArray[np.float64]]]:
        """For every record its row of ``outcome``, and by column its error. Nothing is drawn."""
        self._check_data(data)
        return np.arange(len(self.outcome), dtype=np.int32), self.errors

    def outcomes(self, data: Microdata) -> tuple[IntArray, NDArray[np.int64], Masked]:
        """The joint count as it is released."""
        self._check_data(data)
        tuples, pairs = self._count(data.table)
        return pairs.first, pairs.records, self._release(tuples, pairs.second, data)

    def _count(self, table: FrequencyTable) -> tuple[IntArray, PairCounts]:
        """The masked tuples, and how many records of each tuple of the table become each of them."""
        number, firsts = group_rows(list(self.outcome.T), [len(values) for values in self.values])
        return self.outcome[firsts], table.count_with(number)

    def _check_data(self, data: Microdata) -> None:
        self._check_columns(data)
        if data.table is not self.table and fingerprint(data) != self.fingerprint:
            raise PlanError(
                "The plan was made for other records, or for another order of these records. Mask these data again.",
                code="other-data",
            )

    def show(self, most: int = 20) -> list[str]:
        """The most frequent masked values of each column, with their numbers of records."""
        lines = []
        for j, values in enumerate(self.values):
            counts = np.bincount(self.outcome[:, j], minlength=len(values))
            common = np.argsort(-counts, kind="stable")[:most]
            lines += [
                f"{values.name}: {values.readable(i)} × {int(counts[i]):,}" for i in common[counts[common] > 0].tolist()
            ]
        return lines
