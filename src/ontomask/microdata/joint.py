"""`JointCount`: how many records of each original tuple become each masked tuple; and the released values of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import count_holders, group_rows, group_sets, number_texts
from ontomask.base.keyed_hash import Secret
from ontomask.base.matching import count_matches
from ontomask.errors import PlanError
from ontomask.microdata.linked import companions
from ontomask.microdata.planvalues import PlanValues
from ontomask.microdata.table import RARE, Microdata

__all__ = [
    "SUPPRESSED",
    "Items",
    "JointCount",
    "Masked",
    "check_indices",
    "check_promise",
    "damaged",
    "divide_in_proportion",
    "release_values",
    "top_text",
    "tuple_text",
]

SUPPRESSED = -1


@dataclass(frozen=True, eq=False, repr=False)
class Masked:
    """The masked values of each entry: a record, or the records of one original tuple that become one masked tuple.

    Attributes
    ----------
    cells, codes
        Entry i is released as ``cells[name][codes[name][i]]``.
    points, kept
        The point of each cell as it is released (a rounded mean has the point of the rounded number), and which cells
        have none because they are kept as they are.
    suppressed
        Which entries are not released.
    outcome
        For each entry the masked tuple that it becomes, or `SUPPRESSED`; ``None`` if there are no fewer tuples.
    errors
        By column, the error drawn for each entry, where any were drawn and entries are records.
    units
        The pseudonym of each record as a number, where the plan decided that; otherwise each person has one.
    linked
        By follower, its cell for each of the leader's ``cells``: see `ontomask.microdata.linked`.
    by
        The columns that divide the table into strata, if each was masked by itself.
    is_public
        Whether the text of values depends on the description of the columns only, not on the data.
    """

    cells: Mapping[str, list[object]]
    points: Mapping[str, NDArray[Any]]
    kept: Mapping[str, NDArray[np.bool_]]
    codes: Mapping[str, IntArray]
    suppressed: NDArray[np.bool_]
    outcome: IntArray | None = None
    errors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    units: IntArray | None = None
    linked: Mapping[str, Sequence[object]] = field(default_factory=dict)
    by: Sequence[str] = ()
    is_public: bool = False


class Items(NamedTuple):
    """How an engine masks its records.

    Attributes
    ----------
    tuples
        The tuple of each distinct row of the data.
    first, outcome, records
        Tuple t has the items from ``first[t]`` to ``first[t + 1] − 1``: ``records[i]`` of its records become
        ``masked`` entry ``outcome[i]``, or `SUPPRESSED`.
    secret
        By which records of a tuple with several items are ordered.
    masked
        The masked tuples.
    by
        The columns that divide the table, if each stratum was masked by itself.
    """

    tuples: IntArray
    first: NDArray[np.int64]
    outcome: IntArray
    records: NDArray[np.int64]
    secret: Secret | None
    masked: Masked
    by: Sequence[str] = ()


@dataclass(frozen=True, eq=False, repr=False)
class JointCount:
    """How many records of each original tuple become each masked tuple.

    Attributes
    ----------
    values
        By column, the values that tuples refer to.
    tuples, masked_tuples
        The distinct original tuples and the masked tuples: one row per tuple, one index of a value per column.
    original, masked, records
        ``records[i]`` records of the tuple ``original[i]`` become ``masked[i]``; `SUPPRESSED` if they are left out.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> data = om.Microdata(pd.DataFrame({"age": [30, 32, 32, 50]}), {"age": om.Numeric()})
    >>> om.Microaggregation(k=2).plan(data).counts().show()
    [((32.0,), (32.0,), 2), ((30.0,), (40.0,), 1), ((50.0,), (40.0,), 1)]
    """

    values: tuple[PlanValues, ...]
    tuples: IntArray
    masked_tuples: IntArray
    original: IntArray
    masked: IntArray
    records: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"<JointCount: {len(self):,} pairs of tuples, {int(self.records.sum()):,} records>"

    def show(self, most: int = 20) -> list[tuple[tuple[object, ...], tuple[object, ...] | None, int]]:
        """The most frequent pairs for reading: original tuple, masked tuple (``None`` if suppressed), records."""
        shown = []
        for i in np.argsort(-self.records, kind="stable")[:most].tolist():
            is_released = self.masked[i] != SUPPRESSED
            after = _readable(self.values, self.masked_tuples[self.masked[i]]) if is_released else None
            shown.append((_readable(self.values, self.tuples[self.original[i]]), after, int(self.records[i])))
        return shown


def release_values(
    values: Sequence[PlanValues],
    tuples: IntArray,
    targets: IntArray,
    data: Microdata,
    *,
    k: int,
    is_public: bool = False,
) -> Masked:
    """The masked values of each entry, given the row of ``tuples`` that it becomes, or `SUPPRESSED`.

    ``k`` is the guaranteed k: a spelling that fewer records have is not released. If it ``is_public``, no spelling of
    the data is.
    """
    cells, points, kept, codes = {}, {}, {}, {}
    suppressed = targets == SUPPRESSED
    rows = tuples if len(tuples) else np.zeros((1, len(values)), dtype=np.int32)
    releases = data.public_releases if is_public else data.releases_for(max(RARE, k))
    # The last entry is that of `SUPPRESSED`.
    occurs = np.zeros(len(rows) + 1, dtype=bool)
    occurs[targets] = True
    for j, listed in enumerate(values):
        name, index = listed.name, rows[:, j]
        used = np.zeros(len(listed), dtype=bool)
        used[index[occurs[:-1]]] = True
        cells[name], points[name], kept[name] = listed.release(
            np.flatnonzero(used), data.quasi_identifiers[name], releases[name]
        )
        # A suppressed entry has no cell, but needs a valid code.
        codes[name] = np.append(np.maximum(np.cumsum(used, dtype=np.int32) - 1, 0)[index], np.int32(0))[targets]
    linked = {
        follower: companions(data, follower, points[leader], kept[leader], cells[leader], max(RARE, k))
        for follower, leader in data.linked.items()
    }
    outcome = targets if len(rows) < len(targets) else None
    return Masked(cells, points, kept, codes, suppressed, outcome, linked=linked, is_public=is_public)


def check_promise(promise: Mapping[str, Any], masked: Masked, data: Microdata) -> None:
    """Count k on the released text, and refuse a result with less than the guaranteed k."""
    k = promise.get("k")
    released = np.flatnonzero(~masked.suppressed)
    if k is None or not len(released):
        return
    columns, sizes = [], []
    wildcards: list[int | None] = []
    for name in masked.cells:
        number, top = number_texts(masked.cells[name], [top_text(data, name)])
        columns.append(number[masked.codes[name][released]])
        sizes.append(int(number.max()) + 1)
        wildcards.append(int(top[0]))
    if promise.get("by"):
        strata = data.strata(promise["by"])
        columns.append(strata[released])
        sizes.append(int(strata.max()) + 1)
        wildcards.append(None)
    if promise.get("semantics") == "wildcard":
        _check_achieved(k, int(count_matches(columns, wildcards).min()))
        return
    groups, firsts = group_rows(columns, sizes)
    units = data.persons if masked.units is None else masked.units
    if data.pseudonyms and units is not None:
        groups = group_sets(groups, units[released])
        firsts = np.arange(int(groups.max()) + 1)
    persons = data.persons_at(released) if promise.get("unit") == "persons" else None
    _check_achieved(k, int(count_holders(groups, len(firsts), persons).min()))


def top_text(data: Microdata, name: str) -> str:
    """What a suppressed cell of a column is released as."""
    return str(data.releases[name].cell(data.quasi_identifiers[name].anything))


def _check_achieved(k: int, achieved: int) -> None:
    if achieved < k:
        raise PlanError(
            f"The plan promises k = {k}, but the result has a group of {achieved:,}. Make a new plan from these data.",
            code="promise",
        )


def check_indices(tuples: IntArray, values: Sequence[PlanValues]) -> None:
    """Validate the indices of values."""
    for j, listed in enumerate(values):
        if len(tuples) and not 0 <= tuples[:, j].min() <= tuples[:, j].max() < len(listed):
            raise damaged("unknown-value", "it refers to values that it does not have")


def _readable(values: Sequence[PlanValues], tuple_: IntArray) -> tuple[object, ...]:
    return tuple(listed.readable(i) for listed, i in zip(values, tuple_.tolist(), strict=True))


def tuple_text(values: Sequence[PlanValues], tuple_: IntArray) -> str:
    """A tuple as text, from the indices of its values."""
    return f"({', '.join(map(str, _readable(values, tuple_)))})"


def damaged(code: str, how: str) -> PlanError:
    """The error of a plan whose parts contradict each other."""
    return PlanError(f"The plan is damaged: {how}. Make a new plan, or read its file again.", code=code)


def divide_in_proportion(shares: NDArray[np.int64], total: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Divide ``total`` records like the shares: integer parts first, the rest at random by the remainders."""
    exact = shares * (total / shares.sum())
    parts: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    left = total - int(parts.sum())
    if left:
        rest = exact - parts
        parts[rng.choice(len(parts), size=left, replace=False, p=rest / rest.sum())] += 1
    return parts
