"""Plans: what becomes of which tuple or record. A plan undoes the masking for whoever has it, so it stays private.

A `TuplePlan` says for each distinct tuple which masked tuples its records go to, and how many to each; a
`RecordPlan` says it record by record, with the errors that were drawn. Both keep values by meaning (concept ids,
numbers, categories), not by place, so that a saved plan can be read again with the data at hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import count_holders, group_rows, number_texts
from ontomask.errors import PlanError, UnknownConceptError
from ontomask.kinds import Column, Release
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.table import RARE, Microdata

__all__ = ["SUPPRESSED", "Key", "Masked", "RecordPlan", "TuplePlan", "fingerprint", "read_keys"]

SUPPRESSED = -1


@dataclass(frozen=True, repr=False)
class Cell:
    """A value that is a cell as it stands: one that is kept."""

    cell: str | float | bool | None

    def __repr__(self) -> str:
        # Cells are a person's values: they are not for tracebacks and logs.
        return "<Cell>"


Key = str | float | Cell


@dataclass(frozen=True, eq=False, repr=False)
class Masked:
    """What every record gets: ``cells[name][codes[name][i]]``, and the point of each cell.

    The point is that of the cell as it is released (a mean that is rounded, rounded). ``kept[name]`` tells which of the
    cells have no point; ``suppressed`` which records are left out.
    """

    cells: Mapping[str, list[object]]
    points: Mapping[str, NDArray[Any]]
    kept: Mapping[str, NDArray[np.bool_]]
    codes: Mapping[str, IntArray]
    suppressed: NDArray[np.bool_]


def _keys(table: FrequencyTable, j: int) -> list[Key]:
    """The values of attribute j by meaning, or by cell where cells are kept."""
    column, values = table.columns[j], table.values[j]
    return [
        Cell(column.cells[cell]) if kept else column.key(point)
        for point, kept, cell in zip(values.point.tolist(), values.kept.tolist(), values.cell.tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False, repr=False)
class TuplePlan:
    """For each distinct tuple the masked tuples and how many records go to each.

    Attributes
    ----------
    names
        The columns.
    keys, tuples, counts
        The original's distinct tuples: values by column, places of values, records.
    start, outcome, records
        CSR: tuple i goes to ``outcome[start[i]:start[i + 1]]`` (`SUPPRESSED` = left out), so many ``records`` each.
    outcome_keys, outcome_tuples
        The masked tuples.
    promise
        What the method claims of the result, for example ``{"k": 5}``; whoever applies the plan verifies it again.
    """

    names: tuple[str, ...]
    keys: tuple[tuple[Key, ...], ...]
    tuples: IntArray
    counts: NDArray[np.int64]
    start: NDArray[np.int64]
    outcome: IntArray
    records: NDArray[np.int64]
    outcome_keys: tuple[tuple[Key, ...], ...]
    outcome_tuples: IntArray
    promise: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check()

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

        ``outcome_tuples`` holds places of values; places beyond the table's own values of attribute j are those of
        ``new_points[j]``. Without ``start`` and ``records`` every tuple goes to one outcome whole.
        """
        if start is None:
            start, records = np.arange(len(table) + 1), table.counts
        if records is None:
            raise PlanError("a plan with several outcomes a tuple needs the records of each.")
        whole = (start, outcome, records, outcome_tuples)
        if any(np.any(np.asarray(part) != np.floor(part)) for part in whole):
            raise PlanError("a plan counts in whole numbers.")
        fresh = new_points if new_points is not None else [np.empty(0)] * len(table.columns)
        keys = [_keys(table, j) for j in range(len(table.columns))]
        added = [
            [column.key(point) for point in points.tolist()]
            for column, points in zip(table.columns, fresh, strict=True)
        ]
        return cls(
            tuple(column.name for column in table.columns),
            tuple(map(tuple, keys)),
            table.tuples,
            table.counts,
            np.asarray(start, dtype=np.int64),
            np.asarray(outcome, dtype=np.int32),
            np.asarray(records, dtype=np.int64),
            tuple((*own, *new) for own, new in zip(keys, added, strict=True)),
            np.asarray(outcome_tuples, dtype=np.int32),
            dict(promise or {}),
        )

    @classmethod
    def of_records(
        cls, table: FrequencyTable, places: NDArray[np.integer], promise: Mapping[str, Any] | None = None
    ) -> TuplePlan:
        """A plan that sends as many records of each tuple to each outcome as ``places`` does.

        ``places[i, j]`` is the place of the value that record i gets in attribute j. The records of a tuple are alike:
        which of them goes where is drawn when the plan is applied.
        """
        sizes = [len(values) for values in table.values]
        outcome, firsts = group_rows([places[:, j] for j in range(places.shape[1])], sizes)
        moves, firsts_of_moves = group_rows([table.inverse, outcome], [len(table), len(firsts)])
        start = np.zeros(len(table) + 1, dtype=np.int64)
        start[1:] = np.cumsum(np.bincount(table.inverse[firsts_of_moves], minlength=len(table)))
        return cls.of(
            table,
            start=start,
            outcome=outcome[firsts_of_moves],
            records=np.bincount(moves, minlength=len(firsts_of_moves)),
            outcome_tuples=places[firsts],
            promise=promise,
        )

    def _check(self) -> None:
        """The bookkeeping adds up: every record of every tuple goes somewhere, once."""
        p, q = len(self.tuples), len(self.outcome_tuples)
        columns = len(self.names)
        shapes = (
            self.tuples.shape == (p, columns)
            and self.outcome_tuples.shape == (q, columns)
            and len(self.keys) == len(self.outcome_keys) == columns
            and len(self.counts) == p
            and len(self.start) == p + 1
            and len(self.outcome) == len(self.records) == self.start[-1]
        )
        if not shapes or self.start[0] != 0 or (np.diff(self.start) < 1).any():
            raise PlanError("the plan is damaged: its parts do not fit together.")
        parts = (self.tuples, self.counts, self.start, self.outcome, self.records, self.outcome_tuples)
        if any(part.dtype.kind not in "iu" for part in parts):
            raise PlanError("the plan is damaged: it does not count in whole numbers.")
        if (self.outcome < SUPPRESSED).any() or (self.outcome >= q).any():
            raise PlanError("the plan is damaged: it names outcomes that it does not have.")
        for places, keys in ((self.tuples, self.keys), (self.outcome_tuples, self.outcome_keys)):
            for j in range(columns):
                if len(places) and not 0 <= places[:, j].min() <= places[:, j].max() < len(keys[j]):
                    raise PlanError("the plan is damaged: it names values that it does not have.")
        if (self.records < 0).any() or (np.add.reduceat(self.records, self.start[:-1]) != self.counts).any():
            raise PlanError("the plan's bookkeeping does not add up: records would get lost or doubled.")

    def apply(self, data: Microdata, rng: np.random.Generator | int) -> Masked:
        """Send the records of each tuple to its outcomes, at random among its records.

        Data with the same tuples in other numbers are sent in the same proportions; a tuple that the plan does not
        know is an error, and so is a result that does not keep what the plan promises.
        """
        table = data.table
        known = self._tuples_of(table)
        targets = self._assign(table, known, np.random.default_rng(rng))
        suppressed = targets == SUPPRESSED
        targets[suppressed] = 0  # any: their rows are left out of the release
        masked = _masked(self, self.outcome_tuples, targets, suppressed, data)
        _keep_promise(self.promise, masked, data)
        return masked

    def _tuples_of(self, table: FrequencyTable) -> IntArray:
        """For each tuple of a table its number in the plan."""
        names = tuple(column.name for column in table.columns)
        if names != self.names:
            raise PlanError(f"the plan masks the columns {self.names}, the data have the quasi-identifiers {names}.")
        places = []
        unknown = 0
        for j in range(len(names)):
            place = {key: i for i, key in enumerate(self.keys[j])}
            places.append(np.array([place.get(key, -1) for key in _keys(table, j)], dtype=np.int64))
        number = {tuple(row): i for i, row in enumerate(self.tuples.tolist())}
        rows = np.stack([place[table.tuples[:, j]] for j, place in enumerate(places)], axis=1)
        found = np.array([number.get(tuple(row), -1) for row in rows.tolist()], dtype=np.int32)
        unknown = int((found < 0).sum())
        if unknown:
            records = int(table.counts[found < 0].sum())
            raise PlanError(
                f"the data have {unknown:,} combinations of values ({records:,} records) that the plan does not know. "
                f"A plan masks only what it was made for: make a new one from these data."
            )
        return found

    def _assign(self, table: FrequencyTable, known: IntArray, rng: np.random.Generator) -> IntArray:
        """For every record the number of its outcome."""
        branches = np.diff(self.start)[known]
        targets = self.outcome[self.start[known]][table.inverse]
        many = np.flatnonzero(branches > 1)
        if not len(many):
            return targets
        records = np.flatnonzero((branches > 1)[table.inverse])
        rng.shuffle(records)
        records = records[np.argsort(table.inverse[records], kind="stable")]
        queue = []
        for i in many.tolist():
            low, high = self.start[known[i]], self.start[known[i] + 1]
            shares = self.records[low:high]
            if self.counts[known[i]] != table.counts[i]:
                shares = _in_proportion(shares, int(table.counts[i]), rng)
            queue.append(np.repeat(self.outcome[low:high], shares))
        targets[records] = np.concatenate(queue)
        return targets

    def show(self, most: int = 20) -> list[str]:
        """The commonest tuples and what becomes of them, for the eyes of those who may see the originals."""
        lines = []
        for i in np.argsort(-self.counts, kind="stable")[:most].tolist():
            parts = []
            for at in range(int(self.start[i]), int(self.start[i + 1])):
                target = int(self.outcome[at])
                text = (
                    "suppressed" if target == SUPPRESSED else self._text(self.outcome_keys, self.outcome_tuples[target])
                )
                parts.append(f"{text} × {int(self.records[at]):,}")
            lines.append(f"{self._text(self.keys, self.tuples[i])} × {int(self.counts[i]):,} → {'; '.join(parts)}")
        return lines

    @staticmethod
    def _text(keys: Sequence[Sequence[Key]], places: IntArray) -> str:
        found = (keys[j][place] for j, place in enumerate(places.tolist()))
        return "(" + ", ".join(str(key.cell if isinstance(key, Cell) else key) for key in found) + ")"


@dataclass(frozen=True, eq=False, repr=False)
class RecordPlan:
    """For every record its outcome, and the errors drawn for it.

    Attributes
    ----------
    names
        The columns.
    outcome_keys, outcome
        The values that occur in the result, by column, and for every record (row) the place of its value.
    errors
        For the columns that have any, the error drawn for each record.
    fingerprint
        Of the records the plan was made for: it can be applied to no others.
    promise
        What the method claims of the result.
    """

    names: tuple[str, ...]
    outcome_keys: tuple[tuple[Key, ...], ...]
    outcome: IntArray
    errors: Mapping[str, NDArray[np.float64]]
    fingerprint: str
    promise: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fits = self.outcome.ndim == 2 and self.outcome.shape[1] == len(self.names) == len(self.outcome_keys)
        if not fits or any(len(error) != len(self.outcome) for error in self.errors.values()):
            raise PlanError("the plan is damaged: its parts do not fit together.")
        if self.outcome.dtype.kind not in "iu":
            raise PlanError("the plan is damaged: it does not count in whole numbers.")
        for j, keys in enumerate(self.outcome_keys):
            if len(self.outcome) and not 0 <= self.outcome[:, j].min() <= self.outcome[:, j].max() < len(keys):
                raise PlanError("the plan is damaged: it names outcomes that it does not have.")

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
        """A plan over a table's records: record i gets ``points[j][outcome[i, j]]``.

        A place −1 − v stands for value v of the table's own values: a kept cell stays what it is.
        """
        table = data.table
        keys: list[tuple[Key, ...]] = []
        places = np.array(outcome, dtype=np.int32)
        for j, column in enumerate(table.columns):
            own = _keys(table, j)
            if len(places) and not -len(own) <= places[:, j].min() <= places[:, j].max() < len(points[j]):
                raise PlanError(
                    f"the plan names places for {column.name!r} that neither its points nor its values have."
                )
            keys.append((*(column.key(point) for point in points[j].tolist()), *own))
            stays = places[:, j] < 0
            places[stays, j] = len(points[j]) + (-1 - places[stays, j])
        return cls(
            tuple(data.quasi_identifiers), tuple(keys), places, dict(errors), fingerprint(data), dict(promise or {})
        )

    def apply(self, data: Microdata, rng: np.random.Generator | None = None) -> Masked:  # noqa: ARG002
        """The outcome of every record; nothing is left to chance, so ``rng`` is not used."""
        if tuple(data.quasi_identifiers) != self.names:
            raise PlanError(
                f"the plan masks the columns {self.names}, the data have the quasi-identifiers "
                f"{tuple(data.quasi_identifiers)}."
            )
        if fingerprint(data) != self.fingerprint:
            raise PlanError(
                "the plan was made record by record for other data, or for another order of them. Mask these anew."
            )
        nobody = np.zeros(len(self.outcome), dtype=bool)
        masked = _masked(self, self.outcome, slice(None), nobody, data)
        _keep_promise(self.promise, masked, data)
        return masked

    def show(self, most: int = 20) -> list[str]:
        """The commonest masked values of each column with their numbers of records."""
        lines = []
        for j, name in enumerate(self.names):
            counts = np.bincount(self.outcome[:, j], minlength=len(self.outcome_keys[j]))
            for place in np.argsort(-counts, kind="stable")[:most].tolist():
                if counts[place]:
                    key = self.outcome_keys[j][place]
                    lines.append(f"{name}: {key.cell if isinstance(key, Cell) else key} × {int(counts[place]):,}")
        return lines


def _masked(
    plan: TuplePlan | RecordPlan,
    outcomes: IntArray,
    targets: IntArray | slice,
    suppressed: NDArray[np.bool_],
    data: Microdata,
) -> Masked:
    """What every record gets: row ``targets[i]`` of ``outcomes``.

    Only values that some released record gets are looked up, and only they are listed.
    """
    cells, points, kept, codes = {}, {}, {}, {}
    released = slice(None) if not suppressed.any() else ~suppressed
    releases = data.releases_for(max(RARE, plan.promise.get("k", 0)))
    for j, (name, keys) in enumerate(zip(plan.names, plan.outcome_keys, strict=True)):
        place = outcomes[targets, j] if len(outcomes) else np.zeros(len(suppressed), dtype=np.int32)
        used = np.zeros(max(len(keys), 1), dtype=bool)
        used[place[released]] = True
        number = np.maximum(np.cumsum(used, dtype=np.int32) - 1, 0)
        cells[name], points[name], kept[name] = read_keys(
            [keys[i] for i in np.flatnonzero(used).tolist() if i < len(keys)],
            data.quasi_identifiers[name],
            releases[name],
        )
        codes[name] = number[place]
        # A suppressed record has no cell; its place must still be one.
        codes[name][suppressed] = 0
    return Masked(cells, points, kept, codes, suppressed)


def read_keys(
    keys: Sequence[Key], column: Column, release: Release
) -> tuple[list[object], NDArray[Any], NDArray[np.bool_]]:
    """The released cells of values, their points, and which of them have none because they are kept."""
    place = {cell: i for i, cell in enumerate(column.cells)}
    cells: list[object] = []
    points = np.zeros(len(keys), dtype=column.point.dtype)
    kept = np.zeros(len(keys), dtype=bool)
    meant = iter(_points_of(column, [key for key in keys if not isinstance(key, Cell)]).tolist())
    for i, key in enumerate(keys):
        if isinstance(key, Cell):
            at = place.get(key.cell)
            if at is None:
                raise PlanError(f"the plan keeps cells that the column {column.name!r} does not have.")
            cells.append(key.cell)
            points[i], kept[i] = column.point[at], column.kept[at]
        else:
            cells.append(release.cell(next(meant)))
    read = np.array([not isinstance(key, Cell) for key in keys], dtype=bool)
    points[read] = release.points([cell for cell, is_read in zip(cells, read, strict=True) if is_read])
    return cells, points, kept


def _points_of(column: Column, keys: Sequence[Key]) -> NDArray[Any]:
    try:
        return column.points_of_keys(keys)
    except UnknownConceptError:
        raise PlanError(
            f"the plan releases concepts that lie outside the domain of these data's column {column.name!r}. Name the "
            f"domain that the plan was made for: Nominal(..., domain=...)."
        ) from None


def _keep_promise(promise: Mapping[str, Any], masked: Masked, data: Microdata) -> None:
    """Count k on the released text, and refuse a result that has less than was promised."""
    k = promise.get("k")
    released = np.flatnonzero(~masked.suppressed)
    if k is None or not len(released):
        return
    columns, sizes = [], []
    for name in masked.cells:
        (number,) = number_texts(masked.cells[name])
        columns.append(number[masked.codes[name][released]])
        sizes.append(int(number.max()) + 1)
    groups, firsts = group_rows(columns, sizes)
    persons = data.persons_at(released) if promise.get("unit") == "persons" else None
    achieved = int(count_holders(groups, len(firsts), persons).min())
    if achieved < k:
        raise PlanError(
            f"the plan promises k = {k}, but these data come out with a group of {achieved:,}. Make a new plan."
        )


def _in_proportion(shares: NDArray[np.int64], total: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Divide ``total`` records like the shares: whole parts first, the rest at random by what is left over."""
    exact = shares * (total / shares.sum())
    parts: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    left = total - int(parts.sum())
    if left:
        rest = exact - parts
        parts[rng.choice(len(parts), size=left, replace=False, p=rest / rest.sum())] += 1
    return parts


def fingerprint(data: Microdata) -> str:
    """Tells one table's records from another's, order included; says nothing about what is in them."""
    digest = sha256()
    for j, column in enumerate(data.table.columns):
        keys = [f"Cell(cell={key.cell!r})" if isinstance(key, Cell) else repr(key) for key in _keys(data.table, j)]
        digest.update(repr([column.name, *keys]).encode())
    digest.update(np.ascontiguousarray(data.table.tuples).tobytes())
    digest.update(np.ascontiguousarray(data.table.inverse).tobytes())
    return digest.hexdigest()
