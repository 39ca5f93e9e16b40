"""The base of all k-anonymous methods: groups of tuples, each released as one tuple, and k counted on the output."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.errors import MaskingError
from ontomask.masking.aligning import align_columns
from ontomask.masking.base import Method
from ontomask.masking.description import About, at_least
from ontomask.masking.groups import Groups
from ontomask.masking.guarantees import count_k, count_k_of_records, unit_of
from ontomask.masking.merging import Persons, merge_short
from ontomask.masking.person_units import plan_persons
from ontomask.masking.rare_kept import RareKept, kept_pattern, plan_without_rare
from ontomask.masking.requirements import ColumnsK
from ontomask.masking.results import GroupRequirement, Guarantee, Planned, Requirement
from ontomask.microdata import FrequencyTable, Microdata, TuplePlan
from ontomask.microdata.masked import MaskedTable
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points

__all__ = ["KAnonymous", "PromisesK", "as_it_stands", "assemble", "columns_to_merge", "strata_of"]


@dataclass(frozen=True, repr=False)
class PromisesK(Method):
    """A method that guarantees k-anonymity: at least k records share each released combination of quasi-identifiers.

    Parameters
    ----------
    k
        The least number of records (or persons, if the data identify them) that share a released tuple.
    """

    about: ClassVar[About] = replace(Method.about, guarantees=("k-anonymity",))
    makes_groups: ClassVar[bool] = True

    k: int = field(metadata=at_least(2))

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask, such as fewer than k records."""
        super().check(data)
        if self.k > data.holders:
            text = f"The data have {data.holders:,} {unit_of(data)}, fewer than k = {self.k:,}. Use a smaller k."
            raise MaskingError(text, parameter="k")
        if data.rare_kept == "error":
            self._check_rare(RareKept.of(data, self.k))

    def _check_rare(self, rare: RareKept) -> None:
        """Refuse records that cannot be in a group because fewer than k keep the same cells."""
        if rare.records:
            raise rare.error()

    def _decide(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """The plan, with what the policy ``rare_kept`` asks for."""
        rare = None if data.rare_kept == "error" else RareKept.of(data, self.k)
        if rare is None or not rare.records:
            return self._plan(data, rng)
        return plan_without_rare(rare, rng, lambda part: self._plan(part, rng))

    @property
    def weighs_columns(self) -> bool:
        """Yes: groups are of records that are near each other."""
        return True

    @property
    def masks_persons(self) -> bool:
        """Yes: groups of persons share all their released records."""
        return True

    def _plan_persons(self, data: Microdata, rng: np.random.Generator) -> Planned:
        return plan_persons(self, data, rng)

    def _for_slots(self, slots: Mapping[str, Sequence[str]]) -> Self:
        """The method for a table in which several columns take the place of each, with the names in ``slots``.

        Requirements that cannot be translated are only verified on the output.
        """
        required = [one for asked in self.require if hasattr(asked, "for_slots") for one in asked.for_slots(slots)]
        return replace(self, require=required)

    def _promise(self, data: Microdata) -> dict[str, Any]:
        return {"k": self.k, "unit": unit_of(data)}

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:  # noqa: ARG002
        if masked.units is not None and not self.masks_persons:
            return count_k_of_records(self.k, data, masked, self.by)
        return count_k(self.k, data, masked, self.by)


@dataclass(frozen=True, repr=False)
class KAnonymous(PromisesK):
    """A k-anonymous method that divides the tuples into groups and releases each group as one tuple.

    A kept cell is a value of its own: only records that keep the same cells can share a group.
    """

    @abstractmethod
    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:
        """Form groups of at least k records. There are at least k records."""

    def _represent(self, tuples: Tuples, members: IntArray) -> Sequence[Any] | None:  # noqa: ARG002
        """The released point of tuples whose groups are merged; ``None`` if they cannot be merged."""
        return None

    @property
    def _aligns_columns(self) -> bool:
        """Whether the points of groups may be changed in some columns, without regard to the others."""
        return False

    def _needs(self, data: Microdata) -> list[GroupRequirement | ColumnsK]:
        """The requirements that groups are merged for."""
        persons = [] if data.person is None else [Persons(self.k)]
        return [*persons, *columns_to_merge(self.require, self.k, data)]

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        table = data.table
        strata = strata_of(table)
        found = [self._find(data, rows, free, rng) if free else as_it_stands(rows) for rows, free in strata]
        details: dict[str, Any] = {"groups": sum(_number_of_groups(groups) for groups in found)}
        for groups in found:
            for name, value in groups.details.items():
                details[name] = details.get(name, 0) + value
        return Planned(assemble(table, strata, found, self._promise(data)), details=details)

    def _find(self, data: Microdata, rows: IntArray, free: list[int], rng: np.random.Generator) -> Groups:
        """The groups of tuples that keep the same cells, merged where a requirement demands it."""
        tuples = Tuples.of(data.table, rows, free)
        groups = self._group(tuples, rng)
        needs = self._needs(data)
        columns = [need for need in needs if isinstance(need, ColumnsK) and self._aligns_columns]
        needs = [need for need in needs if need not in columns]
        groups = merge_short(data, rows, tuples, groups, needs, self._represent, rng)
        return align_columns(data, rows, tuples, groups, columns, self._represent, rng)


def columns_to_merge(require: Sequence[Requirement], k: int, data: Microdata) -> list[ColumnsK]:
    """The requirements on combinations of quasi-identifiers that do not follow from k over all of them."""
    return [
        asked
        for asked in require
        if isinstance(asked, ColumnsK) and asked.k > k and data.quasi_identifiers.keys() >= set(asked.columns)
    ]


def strata_of(table: FrequencyTable) -> list[tuple[IntArray, list[int]]]:
    """Sets of tuples that keep the same cells, and the attributes in which they keep none."""
    if table.complete.all():
        return [(np.arange(len(table), dtype=np.int32), list(range(len(table.columns))))]
    patterns, number = np.unique(kept_pattern(table), axis=0, return_inverse=True)
    return [
        (np.flatnonzero(number.ravel() == s).astype(np.int32), np.flatnonzero(pattern < 0).tolist())
        for s, pattern in enumerate(patterns)
    ]


def as_it_stands(rows: IntArray) -> Groups:
    """One group of tuples that have kept cells only."""
    return Groups(np.zeros(len(rows), dtype=np.int32), [])


def _number_of_groups(groups: Groups) -> int:
    return int(groups.group.max(initial=SUPPRESSED)) + 1


def assemble(
    table: FrequencyTable,
    strata: Sequence[tuple[IntArray, list[int]]],
    found: Sequence[Groups],
    promise: Mapping[str, Any],
) -> TuplePlan:
    """One plan from the groups of all strata. Points that the table does not have come after its own."""
    first = np.concatenate([[0], np.cumsum([_number_of_groups(groups) for groups in found])])
    outcomes = np.zeros((int(first[-1]), len(table.columns)), dtype=np.int32)
    new_points: list[Points] = []
    for j, values in enumerate(table.values):
        own = values.point[~values.kept]
        released = [groups.points[free.index(j)] for (_, free), groups in zip(strata, found, strict=True) if j in free]
        points = np.unique(np.concatenate(released)) if released else own[:0]
        new_points.append(np.setdiff1d(points, own))
        for s, ((rows, free), groups) in enumerate(zip(strata, found, strict=True)):
            inside = slice(int(first[s]), int(first[s + 1]))
            if j not in free:
                outcomes[inside, j] = table.tuples[rows[0], j]
                continue
            at = groups.points[free.index(j)]
            index = np.searchsorted(own, at)
            is_own = index < len(own)
            is_own[is_own] = own[index[is_own]] == at[is_own]
            outcomes[inside, j] = np.where(is_own, index, len(values) + np.searchsorted(new_points[j], at))
    branches = np.ones(len(table), dtype=np.int64)
    for (rows, _), groups in zip(strata, found, strict=True):
        if groups.start is not None:
            branches[rows] = np.diff(groups.start)
    start = np.concatenate([[0], np.cumsum(branches)])
    outcome = np.empty(int(start[-1]), dtype=np.int32)
    records = np.empty(int(start[-1]), dtype=np.int64)
    for s, ((rows, _), groups) in enumerate(zip(strata, found, strict=True)):
        within = np.arange(len(groups.group)) - np.repeat(np.cumsum(branches[rows]) - branches[rows], branches[rows])
        at = np.repeat(start[rows], branches[rows]) + within
        outcome[at] = np.where(groups.group == SUPPRESSED, SUPPRESSED, groups.group + first[s])
        records[at] = table.counts[rows] if groups.records is None else groups.records
    return TuplePlan.of(
        table,
        start=start,
        outcome=outcome,
        records=records,
        outcome_tuples=outcomes,
        new_points=new_points,
        promise=promise,
    )
