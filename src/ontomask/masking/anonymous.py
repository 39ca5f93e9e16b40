"""The base of all k-anonymous methods: groups of tuples, each released as one tuple, and k counted on the output."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.notes import Note
from ontomask.errors import MaskingError, Setting
from ontomask.masking.base import Method
from ontomask.masking.description import About, at_least
from ontomask.masking.groups import Groups
from ontomask.masking.merging import DROP_KEPT, Persons, merge_short
from ontomask.masking.results import GroupRequirement, Guarantee, Planned
from ontomask.microdata import FrequencyTable, Microdata, TuplePlan
from ontomask.microdata.masked import MaskedData
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points
from ontomask.privacy.grouped import Grouped

__all__ = ["KAnonymous", "PromisesK", "as_it_stands", "assemble", "count_k", "strata_of"]

_INSTEAD = (
    "Use Microaggregation, which merges groups until they have k persons (except variant 'mdav' and bounded clusters)."
)


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
        size = len(data) if data.persons is None else int(data.persons.max()) + 1
        if self.k > size:
            text = f"The data have {size:,} {_unit(data)}, fewer than k = {self.k:,}. Use a smaller k."
            raise MaskingError(text, parameter="k")

    def _promise(self, data: Microdata) -> dict[str, Any]:
        return {"k": self.k, "unit": _unit(data)}

    def _verify(self, data: Microdata, masked: MaskedData, planned: Planned) -> Guarantee:  # noqa: ARG002
        return count_k(self.k, data, masked)


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

    def _needs(self, data: Microdata) -> list[GroupRequirement]:
        """The requirements that groups are merged for."""
        return [] if data.persons is None else [Persons(self.k)]

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        table = data.table
        strata = strata_of(table)
        self._check_strata(data, strata)
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
        return merge_short(data, rows, tuples, groups, self._needs(data), self._represent, rng)

    def _check_strata(self, data: Microdata, strata: Sequence[tuple[IntArray, list[int]]]) -> None:
        """Refuse data in which fewer than k records keep the same cells: they cannot share a group with others."""
        small = [rows for rows, _ in strata if data.table.counts[rows].sum() < self.k]
        if small:
            records = sum(int(data.table.counts[rows].sum()) for rows in small)
            raise MaskingError(
                f"{records:,} records keep cells that fewer than k = {self.k:,} records share, so they cannot be in a "
                f"group. Drop such records with ",
                DROP_KEPT,
                ", or map the values to a concept: ",
                Setting("policies", "unmapped", values=["root"]),
                ".",
                parameter="k",
            )


def _unit(data: Microdata) -> str:
    """What k counts."""
    return "records" if data.persons is None else "persons"


def count_k(k: int, data: Microdata, masked: MaskedData) -> Guarantee:
    """Count k on the released text. Less than k is an error."""
    unit, names = _unit(data), ", ".join(masked.columns)
    if not len(masked):
        text = "Every record was suppressed: nothing of {columns} is released."
        return Guarantee("k-anonymity", Note.of("all-suppressed", text, columns=names), None, unit)
    achieved = Grouped(data, masked.groups, masked.rows).anonymity().k
    if achieved < k:
        # Where tuples are divided, which record goes where is drawn when the plan is applied: only then are the
        # persons of each group known.
        advice = _INSTEAD if unit == "persons" else "Make a new plan from these data."
        message = f"The output has a group of {achieved:,} {unit}, fewer than k = {k:,}. {advice}"
        raise MaskingError(message, parameter="k")
    text = "{k}-anonymity: every released combination of {columns} is shared by at least {achieved:,} {unit}"
    suppressed = len(data) - len(masked)
    text += "; {suppressed:,} records were suppressed." if suppressed else "."
    facts = {"columns": names, "k": k, "achieved": achieved, "unit": unit, "suppressed": suppressed}
    return Guarantee("k-anonymity", Note.of("k-anonymous", text, **facts), achieved, unit)


def strata_of(table: FrequencyTable) -> list[tuple[IntArray, list[int]]]:
    """Sets of tuples that keep the same cells, and the attributes in which they keep none."""
    if table.complete.all():
        return [(np.arange(len(table), dtype=np.int32), list(range(len(table.columns))))]
    kept = np.stack(
        [
            np.where(values.kept, np.arange(len(values)), -1)[table.tuples[:, j]]
            for j, values in enumerate(table.values)
        ],
        axis=1,
    )
    patterns, number = np.unique(kept, axis=0, return_inverse=True)
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
