"""Plans: how many records of each original tuple become each masked tuple, or are suppressed.

A `TuplePlan` is such a joint count. Which of several equal records goes where is drawn when the plan is applied. A
`RecordPlan` has the outcome of every record, with the errors that were drawn for it. Both hold points of the columns
they were made for. A file holds keys instead: concept ids, numbers and categories (see `planfile`).

Whoever has a plan can undo the masking: keep it private.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import PairCounts, count_pairs, group_rows
from ontomask.errors import PlanError
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.joint import (
    SUPPRESSED,
    JointCount,
    Masked,
    check_indices,
    check_promise,
    damaged,
    divide_in_proportion,
    release_values,
    tuple_text,
)
from ontomask.microdata.planvalues import PlanValues, fingerprint
from ontomask.microdata.table import Microdata

__all__ = ["SUPPRESSED", "RecordPlan", "TuplePlan", "fingerprint"]


class _Plan(ABC):
    """What both kinds of plan share."""

    values: tuple[PlanValues, ...]
    promise: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(values.name for values in self.values)

    def apply(self, data: Microdata, rng: np.random.Generator | int | None = None) -> Masked:
        """Mask the data and verify the promise.

        A plan over tuples draws which of several equal records has which outcome. Data with other counts of the same
        tuples are divided in the same proportions. A tuple that the plan does not know is an error, and so is a result
        that does not keep the promise.
        """
        masked = self.assign(data, np.random.default_rng(rng))
        check_promise(self.promise, masked, data)
        return masked

    @abstractmethod
    def assign(self, data: Microdata, rng: np.random.Generator) -> Masked:
        """What `apply` does, without verifying the promise."""

    @abstractmethod
    def outcomes(self, data: Microdata) -> tuple[IntArray, NDArray[np.int64], Masked]:
        """The joint count on the data that the plan was made for, as it is released.

        Returns for each entry the original tuple of the data, the number of records, and the masked values. Nothing
        is drawn.
        """

    def _release(self, tuples: IntArray, targets: IntArray, data: Microdata) -> Masked:
        """The masked values of each entry, given the row of ``tuples`` that it becomes, or `SUPPRESSED`."""
        return release_values(self.values, tuples, targets, data, k=self.promise.get("k", 0))

    def _check_columns(self, data: Microdata) -> None:
        given = tuple(data.quasi_identifiers)
        if self.names != given:
            raise PlanError(
                f"The plan masks the columns {self.names}, but the quasi-identifiers of the data are {given}. Give the "
                f"data that the plan was made for.",
                code="other-columns",
            )


@dataclass(frozen=True, eq=False, repr=False)
class TuplePlan(_Plan):
    """For each distinct original tuple, the masked tuples and the number of records that go to each.

    Attributes
    ----------
    values
        By column, the values that tuples refer to.
    tuples, sizes
        The original's distinct tuples (one index of a value a column), and the records of each.
    start, outcome, records
        CSR: ``records[at]`` records of tuple i go to ``outcome[at]`` (`SUPPRESSED`: left out), for ``at`` from
        ``start[i]`` to ``start[i + 1] − 1``.
    outcome_tuples
        The masked tuples.
    promise
        What the method promises of the result, such as ``{"k": 5}``. It is verified when the plan is applied.
    """

    values: tuple[PlanValues, ...]
    tuples: IntArray
    sizes: NDArray[np.int64]
    start: NDArray[np.int64]
    outcome: IntArray
    records: NDArray[np.int64]
    outcome_tuples: IntArray
    promise: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Validate that every record of every tuple goes to exactly one outcome."""
        p, q, columns, entries = len(self.tuples), len(self.outcome_tuples), len(self.values), len(self.outcome)
        shapes = {
            "tuples": (p, columns),
            "sizes": (p,),
            "start": (p + 1,),
            "outcome": (entries,),
            "records": (entries,),
            "outcome_tuples": (q, columns),
        }
        if any(getattr(self, part).shape != shape for part, shape in shapes.items()):
            raise damaged("shape", "its parts do not fit together")
        if any(getattr(self, part).dtype.kind != "i" for part in shapes):
            raise damaged("not-integer", "its indices and counts are not integers")
        if self.start[0] != 0 or self.start[-1] != entries or (np.diff(self.start) < 1).any():
            raise damaged("shape", "its parts do not fit together")
        if (self.outcome < SUPPRESSED).any() or (self.outcome >= q).any():
            raise damaged("unknown-outcome", "it refers to outcomes that it does not have")
        for tuples in (self.tuples, self.outcome_tuples):
            check_indices(tuples, self.values)
        counted = np.add.reduceat(self.records, self.start[:-1])
        if (self.sizes < 1).any() or (self.records < 0).any() or (counted != self.sizes).any():
            raise damaged("counts", "its counts do not add up, and records would be lost or duplicated")

    def __repr__(self) -> str:
        return f"<TuplePlan for {', '.join(self.names)}: {len(self.tuples):,} tuples to {len(self.outcome_tuples):,}>"

    @classmethod
    def of(
        cls,
        table: FrequencyTable,
        *,
        start: NDArray[np.integer] | None = None,
        outcome: NDArray[np.integer],
        records: NDArray[np.integer] | None = None,
        outcome_tuples: NDArray[np.integer],
        new_points: Sequence[NDArray[Any]] | None = None,
        promise: Mapping[str, Any] | None = None,
    ) -> TuplePlan:
        """A plan over a frequency table.

        ``outcome_tuples`` holds indices of values. Indices beyond the table's own values of column j refer to
        ``new_points[j]``. Without ``start`` and ``records`` all records of a tuple go to one outcome.
        """
        if start is None:
            start, records = np.arange(len(table) + 1), table.counts
        if records is None:
            message = "A plan with several outcomes for a tuple needs the number of records of each: records=."
            raise PlanError(message, code="shape")
        if any(np.any(np.asarray(part) != np.floor(part)) for part in (start, outcome, records, outcome_tuples)):
            raise PlanError("The indices and counts of a plan must be integers.", code="not-integer")
        return cls(
            tuple(
                PlanValues.of(table, j, after=() if new_points is None else new_points[j])
                for j in range(len(table.columns))
            ),
            table.tuples,
            table.counts,
            np.asarray(start, dtype=np.int64),
            np.asarray(outcome, dtype=np.int32),
            np.asarray(records, dtype=np.int64),
            np.asarray(outcome_tuples, dtype=np.int32),
            dict(promise or {}),
        )

    @classmethod
    def of_records(
        cls, table: FrequencyTable, new: NDArray[np.integer], tuples: NDArray[np.integer] | None = None
    ) -> TuplePlan:
        """A plan that sends as many records of each tuple to each outcome as ``new`` does.

        ``new[i, j]`` is the index of the value that record i gets in column j, and ``tuples[i]`` is its tuple; without
        ``tuples``, records are in the order of the rows. Records of a tuple are equal: which of them goes where is
        drawn again when the plan is applied.
        """
        outcome, firsts = group_rows(list(new.T), [len(values) for values in table.values])
        moves = table.count_with(outcome) if tuples is None else count_pairs(tuples, outcome)
        return cls.of(
            table,
            start=np.searchsorted(moves.first, np.arange(len(table) + 1)),
            outcome=moves.second,
            records=moves.records,
            outcome_tuples=new[firsts],
        )

    def counts(self) -> JointCount:
        """The joint count of original and masked tuples."""
        original = np.repeat(np.arange(len(self.tuples), dtype=np.int32), np.diff(self.start))
        used = self.records > 0
        return JointCount(
            self.values, self.tuples, self.outcome_tuples, original[used], self.outcome[used], self.records[used]
        )

    def assign(self, data: Microdata, rng: np.random.Generator) -> Masked:
        """What `apply` does, without verifying the promise."""
        return self._release(self.outcome_tuples, self._targets(data.table, self._find_tuples(data), rng), data)

    def outcomes(self, data: Microdata) -> tuple[IntArray, NDArray[np.int64], Masked]:
        """The joint count as it is released. No record is looked at."""
        known = self._find_tuples(data)
        if len(known) != len(self.tuples) or (self.sizes[known] != data.table.counts).any():
            raise PlanError(
                "The plan was made for data with other counts, so its outcome is drawn when it is applied. Apply it, "
                "or make a plan from these data.",
                code="other-counts",
            )
        counts = self.counts()
        of_plan = np.argsort(known).astype(np.int32)
        return of_plan[counts.original], counts.records, self._release(self.outcome_tuples, counts.masked, data)

    def _find_tuples(self, data: Microdata) -> IntArray:
        """For each tuple of the data its index in the plan."""
        self._check_columns(data)
        table = data.table
        if all(values.column is column for values, column in zip(self.values, table.columns, strict=True)):
            return np.arange(len(table), dtype=np.int32)
        indices = []
        for j, values in enumerate(self.values):
            index = {key: i for i, key in reversed(list(enumerate(values.keys())))}
            own = PlanValues.of(table, j).keys()
            indices.append(np.array([index.get(key, -1) for key in own], dtype=np.int64)[table.tuples[:, j]])
        number = {tuple(row): i for i, row in enumerate(self.tuples.tolist())}
        found = np.array([number.get(tuple(row), -1) for row in np.stack(indices, axis=1).tolist()], dtype=np.int32)
        unknown = int((found < 0).sum())
        if unknown:
            records = int(table.counts[found < 0].sum())
            raise PlanError(
                f"The data have {unknown:,} combinations of values ({records:,} records) that the plan does not know. "
                f"Make a new plan from these data.",
                code="unknown-tuples",
            )
        return found

    def _targets(self, table: FrequencyTable, known: IntArray, rng: np.random.Generator) -> IntArray:
        """For every record the index of its outcome."""
        branches = np.diff(self.start)[known]
        targets = self.outcome[self.start[known]][table.inverse]
        divided = np.flatnonzero(branches > 1)
        if not len(divided):
            return targets
        records = np.flatnonzero((branches > 1)[table.inverse])
        rng.shuffle(records)
        records = records[np.argsort(table.inverse[records], kind="stable")]
        queue = []
        for i in divided.tolist():
            low, high = self.start[known[i]], self.start[known[i] + 1]
            shares = self.records[low:high]
            if self.sizes[known[i]] != table.counts[i]:
                shares = divide_in_proportion(shares, int(table.counts[i]), rng)
            queue.append(np.repeat(self.outcome[low:high], shares))
        targets[records] = np.concatenate(queue)
        return targets

    def show(self, most: int = 20) -> list[str]:
        """The most frequent tuples and their outcomes, for people who may see the originals."""
        lines = []
        for i in np.argsort(-self.sizes, kind="stable")[:most].tolist():
            parts = []
            for at in range(int(self.start[i]), int(self.start[i + 1])):
                target = int(self.outcome[at])
                text = "suppressed" if target == SUPPRESSED else tuple_text(self.values, self.outcome_tuples[target])
                parts.append(f"{text} × {int(self.records[at]):,}")
            lines.append(f"{tuple_text(self.values, self.tuples[i])} × {int(self.sizes[i]):,} → {'; '.join(parts)}")
        return lines


@dataclass(frozen=True, eq=False, repr=False)
class RecordPlan(_Plan):
    """For every record its outcome, and the errors drawn for it.

    Attributes
    ----------
    values
        By column, the values that occur in the result.
    outcome
        One row a record: for each column the index of its masked value.
    errors
        By column, the error drawn for each record, where any were drawn.
    fingerprint
        Of the records that the plan was made for. It cannot be applied to others.
    promise
        What the method promises of the result.
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
    ) -> RecordPlan:
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

    def assign(self, data: Microdata, rng: np.random.Generator) -> Masked:  # noqa: ARG002
        """The outcome of every record. Nothing is drawn, so ``rng`` is not used."""
        self._check_data(data)
        return self._release(self.outcome, np.arange(len(self.outcome), dtype=np.int32), data)

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
