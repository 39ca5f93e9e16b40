"""Masked tables beside their original, with the points of their cells: `MaskedData` with rows, `MaskedTuples` without.

They come from a plan. `ontomask.evaluation.reading` reads any frame as `MaskedData`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_pairs, group_rows, group_sets, number_texts
from ontomask.base.text import cell_text
from ontomask.engines.base import Source
from ontomask.kinds import Column
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.joint import Masked
from ontomask.microdata.persons import draw_pseudonyms
from ontomask.microdata.plan import BasePlan
from ontomask.microdata.table import Microdata

__all__ = ["MaskedData", "MaskedTable", "MaskedTuples"]


class _MaskedColumns:
    """Masked quasi-identifiers, encoded under the attributes and domains of the original."""

    columns: Mapping[str, Column]
    units: IntArray | None
    outcomes: NDArray[np.integer] | None

    def link(self, groups: NDArray[np.integer]) -> NDArray[np.int64]:
        """Groups of records that are in the same group, and whose pseudonyms have records in the same groups."""
        return (groups if self.units is None else group_sets(groups, self.units)).astype(np.int64)

    def codes(self, name: str) -> IntArray:
        """A number for each released text of a column: equal text, equal number."""
        column = self.columns[name]
        return number_texts(column.cells)[0][column.code]

    @cached_property
    def record_groups(self) -> NDArray[np.int64]:
        """The group of each entry: entries whose released text is equal in all quasi-identifiers."""
        if self.outcomes is None:
            codes = [self.codes(name) for name in self.columns]
            return group_rows(codes, [int(code.max(initial=-1)) + 1 for code in codes])[0].astype(np.int64)
        # Entries with the same outcome are alike, so one of them stands for all.
        entry = np.full(int(self.outcomes.max(initial=-1)) + 1, -1)
        entry[self.outcomes] = np.arange(len(self.outcomes))
        some = np.flatnonzero(entry >= 0)
        numbers = [(number_texts(c.cells)[0], c.code[entry[some]]) for c in self.columns.values()]
        groups = np.empty(len(entry), dtype=np.int64)
        groups[some] = group_rows([number[code] for number, code in numbers], [len(number) for number, _ in numbers])[0]
        found: NDArray[np.int64] = groups[self.outcomes]
        return found


@dataclass(frozen=True, eq=False, repr=False)
class MaskedData(_MaskedColumns):
    """A masked table.

    Attributes
    ----------
    frame
        What is released.
    columns
        The masked quasi-identifiers, one code per released record.
    rows
        For every released record its position in the original. Suppressed records are absent.
    original_records
        The number of records of the original.
    units
        The pseudonym of each released record as a number; ``None`` if no pseudonyms are released.
    stands_for
        For cells of other tools that list values: by column and point, how many values they stand for, on average.
    records
        How many records each released one stands for; ``None``: one. An engine gives distinct rows with counts.
    outcomes
        For each released record the number of its masked tuple, where that is known.
    """

    frame: Any
    columns: Mapping[str, Column]
    rows: NDArray[np.int64]
    original_records: int
    units: IntArray | None = None
    stands_for: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    records: Records = None
    outcomes: IntArray | None = None

    def __len__(self) -> int:
        return len(self.rows) if self.records is None else int(self.records.sum())

    def __repr__(self) -> str:
        # Cells are a person's values, which must not appear in tracebacks and logs.
        return f"<MaskedData: {len(self):,} records, columns {', '.join(self.columns)}>"

    @classmethod
    def of_plan(cls, data: Microdata, masked: Masked, rng: np.random.Generator | None = None) -> MaskedData:
        """The table that a plan makes of the original. Pseudonyms are drawn, by default from the operating system."""
        rows = np.flatnonzero(~masked.suppressed)
        units, pseudonyms = data.persons if masked.units is None else masked.units, None
        if not data.pseudonyms or units is None:
            units = None
        else:
            pseudonyms = (draw_pseudonyms(int(units.max()) + 1, _pseudonym_generator(masked, units, rng)), units)
            units = units[rows]
        outcomes = masked.outcome if masked.outcome is None or len(rows) == len(data) else masked.outcome[rows]
        found = cls(None, _recode(data, masked), rows, len(data), units, outcomes=outcomes)
        # Weights are averaged over records with equal text. Equal sets of records may belong to a single person.
        groups: NDArray[np.integer] | None = found.record_groups if data.averages_weights else None
        if groups is not None and masked.by:
            strata = data.strata(masked.by)[rows]
            groups = group_rows([groups, strata], [int(groups.max(initial=0)) + 1, int(strata.max(initial=0)) + 1])[0]
        frame = data.release(
            masked.cells,
            masked.codes,
            masked.suppressed,
            pseudonyms=pseudonyms,
            groups=groups,
            linked=masked.linked,
            is_public=masked.is_public,
        )
        return replace(found, frame=frame)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The group of each record: records that nobody can tell apart by the quasi-identifiers.

        Their released text is equal. With pseudonyms, so is that of all other records under their pseudonyms.
        """
        return self.link(self.record_groups)

    @cached_property
    def table(self) -> FrequencyTable:
        """The distinct masked tuples, by meaning."""
        return FrequencyTable.of(tuple(self.columns.values()), self.records)


@dataclass(frozen=True, eq=False, repr=False)
class MaskedTuples(_MaskedColumns):
    """A masked table as a joint count. Which of several equal records has which outcome is not known.

    Attributes
    ----------
    columns
        The masked quasi-identifiers, one code per entry: some records of one original tuple.
    original
        For each entry its original tuple.
    records
        The number of records of each entry.
    is_divided
        Whether the records of a tuple have different outcomes: released, or suppressed.
    rows
        For each entry a row of the original's distinct rows, if the records are in an engine.
    frame
        The masked table in its engine.
    counted
        The original by distinct rows, if the records are in an engine.
    outcomes
        The masked tuple of each entry, as a row of ``of_outcome``, if the records are in an engine.
    of_outcome
        The columns with one code per masked tuple.
    """

    columns: Mapping[str, Column]
    original: IntArray
    records: NDArray[np.int64]
    is_divided: bool
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    frame: Any = None
    counted: Microdata | None = None
    outcomes: NDArray[np.int64] | None = None
    of_outcome: Mapping[str, Column] = field(default_factory=dict)
    units: None = None

    def __len__(self) -> int:
        return int(self.records.sum())

    def __repr__(self) -> str:
        return f"<MaskedTuples: {len(self):,} records, columns {', '.join(self.columns)}>"

    @classmethod
    def of_plan(cls, data: Microdata, plan: BasePlan) -> MaskedTuples:
        """What a plan makes of the data that it was made for, without applying it."""
        original, records, masked = plan.outcomes(data)
        is_divided = len(np.unique(original)) < len(original)
        released = ~masked.suppressed
        columns = {name: replace(c, records=records[released]) for name, c in _recode(data, masked).items()}
        return cls(columns, original[released], records[released], is_divided)

    @classmethod
    def in_engine(
        cls,
        data: Microdata,
        masked: Masked,
        entries: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
        frame: Any,
    ) -> MaskedTuples:
        """What an engine makes of its records.

        Parameters
        ----------
        data
            The original, by distinct rows.
        masked
            The masked tuples.
        entries
            For each entry the row of the original, the masked tuple and the number of records.
        frame
            The masked table in its engine.
        """
        rows, outcomes, records = entries
        of_outcome = _recode(data, masked, slice(None))
        columns = {
            name: replace(column, code=column.code[outcomes], records=records) for name, column in of_outcome.items()
        }
        original = data.table.inverse[rows]
        pairs = count_pairs(original, outcomes)
        is_divided = len(np.unique(pairs.first)) < len(pairs.first)
        return cls(columns, original, records, is_divided, rows, frame, data, outcomes, of_outcome)

    @property
    def source(self) -> Source | None:
        """The original in its engine; ``None`` for a plan."""
        return None if self.counted is None else self.counted.source

    @property
    def groups(self) -> NDArray[np.int64]:
        """The group of each entry: entries whose released text is equal in all quasi-identifiers."""
        return self.record_groups

    @cached_property
    def table(self) -> FrequencyTable:
        """The distinct masked tuples, by meaning."""
        return FrequencyTable.of(tuple(self.columns.values()), self.records)


MaskedTable = MaskedData | MaskedTuples
"""What a method made: records in memory, or distinct rows with counts where the records are in an engine."""


def _pseudonym_generator(masked: Masked, units: IntArray, rng: np.random.Generator | None) -> np.random.Generator:
    """A generator for the pseudonyms of one release.

    It depends on everything that is released. Two releases with the same seed would otherwise have the same pseudonyms,
    by which they could be joined.
    """
    digest = sha256(units.tobytes() + masked.suppressed.tobytes())
    for name, cells in masked.cells.items():
        digest.update(repr([name, *map(cell_text, cells)]).encode())
        digest.update(masked.codes[name].tobytes())
    drawn = np.random.default_rng(rng).integers(2**32, size=8).tolist()
    return np.random.default_rng(np.random.SeedSequence([*drawn, *np.frombuffer(digest.digest(), np.uint32).tolist()]))


def _recode(data: Microdata, masked: Masked, entries: NDArray[np.bool_] | slice | None = None) -> dict[str, Column]:
    """The quasi-identifiers with the masked values of some entries, by default of the released ones."""
    chosen = (~masked.suppressed if masked.suppressed.any() else slice(None)) if entries is None else entries
    return {
        name: replace(
            column,
            cells=tuple(masked.cells[name]),
            code=masked.codes[name][chosen],
            point=masked.points[name],
            kept=masked.kept[name],
            dropped=np.zeros(len(masked.cells[name]), dtype=bool),
        )
        for name, column in data.quasi_identifiers.items()
    }
