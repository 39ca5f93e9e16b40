"""Plans: how many records of each original tuple become each masked tuple, or are suppressed.

A `TuplePlan` is such a joint count. Which of several equal records goes where is drawn when the plan is applied. A
`RecordPlan` (in `recordplan`) has the outcome of every record. Both hold points of the columns they were made for. A
file holds keys instead: concept ids, numbers and categories (see `planfile`).

Whoever has a plan can undo the masking: keep it private.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.compiled_hash import hash_many
from ontomask.base.grouping import group_rows
from ontomask.base.keyed_hash import draw_secret, order_within
from ontomask.errors import PlanError
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.joint import (
    SUPPRESSED,
    Items,
    JointCount,
    Masked,
    check_indices,
    check_promise,
    damaged,
    divide_in_proportion,
    release_values,
    tuple_text,
)
from ontomask.microdata.planvalues import PlanValues
from ontomask.microdata.table import Microdata

__all__ = ["SUPPRESSED", "BasePlan", "TuplePlan"]


class BasePlan(ABC):
    """What both kinds of plan share."""

    values: tuple[PlanValues, ...]
    promise: Mapping[str, Any]
    errors: Mapping[str, NDArray[np.float64]]

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

    def items(self, data: Microdata, rng: np.random.Generator) -> Items:  # noqa: ARG002
        """What an engine needs to mask the data: only plans over tuples can say it."""
        raise PlanError(
            "The plan has the outcome of every record, so it masks tables in memory only. Mask these data again.",
            code="engine-cannot",
        )

    @abstractmethod
    def outcomes(self, data: Microdata) -> tuple[IntArray, NDArray[np.int64], Masked]:
        """The joint count on the data that the plan was made for, as it is released.

        Returns for each entry the original tuple of the data, the number of records, and the masked values. Nothing
        is drawn.
        """

    def _release(self, tuples: IntArray, targets: IntArray, data: Microdata) -> Masked:
        """The masked values of each entry, given the row of ``tuples`` that it becomes, or `SUPPRESSED`."""
        promise = self.promise
        is_public = promise.get("release") == "public"
        return release_values(self.values, tuples, targets, data, k=promise.get("k", 0), is_public=is_public)

    def _check_columns(self, data: Microdata) -> None:
        given = tuple(data.quasi_identifiers)
        if self.names != given:
            raise PlanError(
                f"The plan masks the columns {self.names}, but the quasi-identifiers of the data are {given}. Give the "
                f"data that the plan was made for.",
                code="other-columns",
            )


@dataclass(frozen=True, eq=False, repr=False)
class TuplePlan(BasePlan):
    """For each distinct original tuple, the masked tuples and the number of records that go to each.

    Attributes
    ----------
    values
        By column, the values that tuples refer to.
    tuples, sizes
        The original's distinct tuples (one index of a value per column), and the records of each.
    start, outcome, records
        CSR: ``records[at]`` records of tuple i go to ``outcome[at]`` (`SUPPRESSED`: left out), for ``at`` from
        ``start[i]`` to ``start[i + 1] − 1``.
    outcome_tuples
        The masked tuples.
    promise
        What the method promises of the result, such as ``{"k": 5}``. It is verified when the plan is applied.
    errors
        By column, the errors drawn for the records, where any were drawn: first those of the records that go to the
        first outcome of the first tuple, and so on.
    """

    values: tuple[PlanValues, ...]
    tuples: IntArray
    sizes: NDArray[np.int64]
    start: NDArray[np.int64]
    outcome: IntArray
    records: NDArray[np.int64]
    outcome_tuples: IntArray
    promise: Mapping[str, Any] = field(default_factory=dict)
    errors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Validate that every record of every tuple goes to exactly one outcome, and has one error if any has."""
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
        if any(errors.shape != (self.sizes.sum(),) for errors in self.errors.values()):
            raise damaged("shape", "its parts do not fit together")

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
        errors: Mapping[str, NDArray[np.float64]] | None = None,
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
        parts = [np.asarray(part) for part in (start, outcome, records, outcome_tuples)]
        if any(part.dtype.kind not in "iu" and np.any(part != np.floor(part)) for part in parts):
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
            dict(errors or {}),
        )

    @classmethod
    def of_records(
        cls,
        table: FrequencyTable,
        new: NDArray[np.integer],
        tuples: NDArray[np.integer] | None = None,
        *,
        new_points: Sequence[NDArray[Any]] | None = None,
        errors: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> TuplePlan:
        """A plan that sends as many records of each tuple to each outcome as ``new`` does.

        ``new[i, j]`` is the index of the value that record i gets in column j (see `of` for ``new_points``), and
        ``tuples[i]`` is its tuple; without ``tuples``, records are in the order of the rows. ``errors`` has by column
        the error drawn for each record. Records of a tuple are equal: which of them goes where is drawn again when the
        plan is applied.
        """
        tuples = table.inverse if tuples is None else tuples
        sizes = [len(values) for values in table.values]
        if new_points is not None:
            sizes = [size + len(points) for size, points in zip(sizes, new_points, strict=True)]
        outcome, firsts = group_rows(list(new.T), sizes)
        key = tuples.astype(np.int64) * len(firsts) + outcome
        # Records are often listed by tuple already, so sorting is fast.
        order = np.argsort(key, kind="stable")
        key = key[order]
        entries = np.flatnonzero(np.diff(key, prepend=-1))
        return cls.of(
            table,
            start=np.searchsorted(key[entries], np.arange(len(table) + 1) * len(firsts)),
            outcome=key[entries] % len(firsts),
            records=np.diff(entries, append=len(key)),
            outcome_tuples=new[firsts],
            new_points=new_points,
            errors={name: drawn[order] for name, drawn in (errors or {}).items()},
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
        targets, errors = self.deal(data, rng)
        return replace(self._release(self.outcome_tuples, targets, data), errors=errors)

    def outcomes(self, data: Microdata) -> tuple[IntArray, NDArray[np.int64], Masked]:
        """The joint count as it is released. No record is looked at."""
        known = self._find_tuples(data)
        if not self._has_counts(data.table, known):
            raise PlanError(
                "The plan was made for data with other counts, so its outcome is drawn when it is applied. Apply it, "
                "or make a plan from these data.",
                code="other-counts",
            )
        counts = self.counts()
        of_plan = np.argsort(known).astype(np.int32)
        return of_plan[counts.original], counts.records, self._release(self.outcome_tuples, counts.masked, data)

    def _has_counts(self, table: FrequencyTable, known: IntArray) -> bool:
        """Whether the data have all tuples of the plan, with the same counts."""
        return len(known) == len(self.tuples) and bool((self.sizes[known] == table.counts).all())

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

    def deal(self, data: Microdata, rng: np.random.Generator) -> tuple[IntArray, Mapping[str, NDArray[np.float64]]]:
        """For every record the index of its masked tuple, and by column its error, where any were drawn.

        Which of several equal records goes where depends on the random numbers and the row keys, and not on
        the order of the rows.
        """
        table, known = data.table, self._find_tuples(data)
        if self.errors and not self._has_counts(table, known):
            message = "The plan has an error for each record of data with other counts. Mask these data again."
            raise PlanError(message, code="other-counts")
        branches = np.diff(self.start)[known]
        is_divided = (branches > 1)[table.inverse]
        if not self.errors and not is_divided.any():
            return self.outcome[self.start[known]][table.inverse], {}
        rows = np.arange(len(table.inverse)) if self.errors else np.flatnonzero(is_divided)
        rows = rows[order_within(table.inverse[rows], hash_many(draw_secret(rng), data.row_keys[rows]))]
        if len(rows) < len(table.inverse):
            rows = np.concatenate([rows, np.flatnonzero(~is_divided)])
            rows = rows[np.argsort(table.inverse[rows], kind="stable")]
        entries = _ranges(self.start[known], branches)
        shares = self._shares(table, known, entries, rng)
        targets = np.empty(len(rows), dtype=np.int32)
        targets[rows] = np.repeat(self.outcome[entries], shares)
        errors = {name: np.empty(len(rows)) for name in self.errors}
        if errors:
            drawn = _ranges((np.cumsum(self.records) - self.records)[entries], shares)
            for name, out in errors.items():
                out[rows] = self.errors[name][drawn]
        return targets, errors

    def items(self, data: Microdata, rng: np.random.Generator) -> Items:
        """What an engine needs to mask the data. The same numbers are drawn as by `deal`."""
        table, known = data.table, self._find_tuples(data)
        branches = np.diff(self.start)[known]
        secret = draw_secret(rng) if self.errors or (branches > 1).any() else None
        entries = _ranges(self.start[known], branches)
        shares = self._shares(table, known, entries, rng)
        first = np.concatenate([[0], np.cumsum(branches)])
        return Items(data.table.inverse, first, self.outcome[entries], shares, secret, self._release_outcomes(data))

    def _release_outcomes(self, data: Microdata) -> Masked:
        """The masked tuples as they are released; suppressed if no record becomes one."""
        used = np.full(len(self.outcome_tuples), SUPPRESSED, dtype=np.int32)
        some = np.unique(self.outcome[(self.records > 0) & (self.outcome != SUPPRESSED)])
        used[some] = some
        return self._release(self.outcome_tuples, used, data)

    def _shares(
        self, table: FrequencyTable, known: IntArray, entries: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """The records of each entry of the plan for these data, which may have other counts."""
        branches, shares = np.diff(self.start)[known], self.records[entries]
        ends = np.cumsum(branches)
        for i in np.flatnonzero(self.sizes[known] != table.counts).tolist():
            own = slice(ends[i] - branches[i], ends[i])
            total = int(table.counts[i])
            shares[own] = divide_in_proportion(shares[own], total, rng) if branches[i] > 1 else total
        return shares

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


def _ranges(start: NDArray[np.integer], length: NDArray[np.integer]) -> NDArray[np.int64]:
    """The integers from each start on, as many as its length: one range after the other."""
    out: NDArray[np.int64] = np.repeat(start - np.cumsum(length) + length, length) + np.arange(length.sum())
    return out
