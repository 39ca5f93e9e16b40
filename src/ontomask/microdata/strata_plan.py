"""`StrataPlan`: the plans of strata of a table in an engine. In memory a `JoinedPlan` has every record's outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import PlanError
from ontomask.microdata.joined import JoinedPlan, Outcomes, join_values
from ontomask.microdata.joint import SUPPRESSED, Items, JointCount, Masked
from ontomask.microdata.plan import BasePlan, TuplePlan
from ontomask.microdata.planvalues import PlanValues
from ontomask.microdata.recordplan import RecordPlan
from ontomask.microdata.table import Microdata

__all__ = ["StrataPlan", "StratumPlan"]


class StratumPlan(NamedTuple):
    """The plan of a stratum, its data, and their distinct rows in the whole table."""

    plan: TuplePlan | RecordPlan
    data: Microdata
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class StrataPlan(BasePlan):
    """One plan from the plans of strata.

    Attributes
    ----------
    values
        By column, the values that masked tuples refer to.
    outcome_tuples
        The masked tuples of all strata, one stratum after another.
    used
        Which of them occur.
    parts
        The strata.
    seed
        Draws which of several equal records of a stratum goes where.
    promise
        What the method promises of the result.
    """

    values: tuple[PlanValues, ...]
    outcome_tuples: IntArray
    used: NDArray[np.bool_]
    parts: tuple[StratumPlan, ...]
    seed: Sequence[int]
    promise: Mapping[str, Any]
    errors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, data: Microdata, parts: Sequence[StratumPlan], seed: Sequence[int], promise: Mapping[str, Any]
    ) -> StrataPlan:
        """Join the plans of strata."""
        outcomes, size = [], 0
        for part in parts:
            plan = part.plan
            assert isinstance(plan, TuplePlan), "engines mask by tuples"
            used = np.zeros(len(plan.outcome_tuples), dtype=bool)
            used[plan.outcome[(plan.records > 0) & (plan.outcome != SUPPRESSED)]] = True
            rows = size + np.arange(len(used))
            outcomes.append(Outcomes(rows, plan.values, plan.outcome_tuples, ~used))
            size += len(used)
        points, indices, unused = join_values(data, outcomes)
        # A tuple that does not occur needs valid indices: those of any values.
        indices[unused] = -1
        joined = JoinedPlan.of(data, points, indices, {}, promise)
        return cls(joined.values, joined.outcome, ~unused, tuple(parts), tuple(seed), dict(promise))

    def __repr__(self) -> str:
        return f"<StrataPlan for {', '.join(self.names)}: {len(self.parts):,} strata>"

    def items(self, data: Microdata, rng: np.random.Generator) -> Items:  # noqa: ARG002
        """What an engine needs to mask the data."""
        self._check_data(data)
        tuples = np.full(len(data.table.inverse), -1, dtype=np.int32)
        first, outcome, records, secret = [np.zeros(1, dtype=np.int64)], [], [], None
        tuple_count = outcome_count = item_count = 0
        for plan, part, rows in self.parts:
            assert isinstance(plan, TuplePlan)
            items = plan.items(part, np.random.default_rng(list(self.seed)))
            secret = secret or items.secret
            tuples[rows] = items.tuples + tuple_count
            first.append(items.first[1:] + item_count)
            outcome.append(np.where(items.outcome == SUPPRESSED, SUPPRESSED, items.outcome + outcome_count))
            records.append(items.records)
            tuple_count += len(items.first) - 1
            outcome_count += len(plan.outcome_tuples)
            item_count += len(items.outcome)
        by = tuple(self.promise.get("by", ()))
        number = np.concatenate(outcome).astype(np.int32)
        return Items(tuples, np.concatenate(first), number, np.concatenate(records), secret, self._masked(data), by)

    def _masked(self, data: Microdata) -> Masked:
        targets = np.where(self.used, np.arange(len(self.used)), SUPPRESSED).astype(np.int32)
        return self._release(self.outcome_tuples, targets, data)

    def counts(self) -> JointCount:
        """The joint count of original and masked tuples."""
        raise PlanError(
            "The strata of a table in an engine have no joint count of their own. Apply the plan, and evaluate the "
            "result.",
            code="engine-cannot",
        )

    def assign(self, data: Microdata, rng: np.random.Generator) -> Masked:  # noqa: ARG002
        """Not for records in memory, which have another plan."""
        raise PlanError("The plan is for a table in an engine. Mask these data again.", code="other-data")

    def outcomes(self, data: Microdata) -> tuple[IntArray, NDArray[np.int64], Masked]:
        """The joint count as it is released."""
        items = self.items(data, np.random.default_rng(0))
        one = np.empty(len(items.first) - 1, dtype=np.int32)
        one[items.tuples] = data.table.inverse
        some = items.records > 0
        original = np.repeat(one, np.diff(items.first))[some]
        return original, items.records[some], self._release(self.outcome_tuples, items.outcome[some], data)

    def _check_data(self, data: Microdata) -> None:
        self._check_columns(data)
        if len(data.table.inverse) != sum(len(part.rows) for part in self.parts):
            raise PlanError("The plan was made for other records. Mask these data again.", code="other-data")
