"""`FrequencyTable`: the distinct tuples of a table with their counts (Martínez 2012, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import PairCounts, count_codes, count_pairs, group_rows
from ontomask.errors import TableError
from ontomask.kinds import Column

__all__ = ["FrequencyTable", "Values"]


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The distinct values of one column, ascending by point, kept cells last. The order of the rows does not matter.

    Attributes
    ----------
    point
        The point of each value. It has no meaning if the value is ``kept``.
    kept
        Which values are cells that are kept as they are. Each of them is a value of its own.
    cell
        For each value the index of the most frequent cell of the column that has it.
    of_cell
        For each distinct cell of the column the index of its value here.
    """

    point: NDArray[Any]
    kept: NDArray[np.bool_]
    cell: IntArray
    of_cell: IntArray

    def __len__(self) -> int:
        return len(self.point)

    @classmethod
    def of(cls, column: Column) -> Values:
        """The distinct values: points, and kept cells."""
        present = np.flatnonzero(column.counts > 0)
        # The most frequent cell comes first and represents its value.
        present = present[np.argsort(-column.counts[present], kind="stable")]
        kept = column.kept[present]
        point = column.point[present]
        apart = np.full(len(present), -1)
        apart[kept] = _ranks([column.cells[i] for i in present[kept].tolist()])
        order = np.lexsort((apart, np.where(kept, 0, point), kept))
        kept, point, apart = kept[order], point[order], apart[order]
        new = np.ones(len(order), dtype=bool)
        same_point = (point[1:] == point[:-1]) | (kept[1:] & kept[:-1])
        new[1:] = ~(same_point & (kept[1:] == kept[:-1]) & (apart[1:] == apart[:-1]))
        of_cell = np.full(len(column.cells), -1, dtype=np.int32)
        of_cell[present[order]] = np.cumsum(new) - 1
        return cls(point[new], kept[new], present[order][new].astype(np.int32), of_cell)


def _ranks(cells: Sequence[object]) -> NDArray[np.intp]:
    """Ranks of distinct cells of any types."""
    texts = np.array([repr(cell) for cell in cells], dtype=object)
    return np.argsort(np.argsort(texts, kind="stable"))


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyTable:
    """Distinct tuples with counts.

    Attributes
    ----------
    columns
        The encoded columns of the table.
    values
        The distinct values of each column.
    tuples
        One row per distinct tuple, in lexicographic order: for each column the index of its value.
    counts
        The number of records of each tuple.
    inverse
        For every record the index of its tuple.
    row_records
        How many records each entry of ``inverse`` stands for; ``None``: one.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "ache"]}), {"symptom": om.Nominal(t)})
    >>> data.table.counts.tolist(), data.table.show()
    ([2, 1], [(('ache',), 2), (('colic',), 1)])
    """

    columns: tuple[Column, ...]
    values: tuple[Values, ...]
    tuples: IntArray
    counts: NDArray[np.int64]
    inverse: IntArray
    row_records: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, columns: Sequence[Column], records: NDArray[np.int64] | None = None) -> FrequencyTable:
        """Count the distinct tuples of encoded columns. Each row counts once, or as many ``records``."""
        records = columns[0].records if records is None and columns else records
        if not columns:
            raise TableError("A frequency table needs at least one column.", code="no-columns")
        values = tuple(Values.of(column) for column in columns)
        numbers = [v.of_cell[column.code] for v, column in zip(values, columns, strict=True)]
        inverse, firsts = group_rows(numbers, [len(v) for v in values])
        tuples = np.stack([number[firsts] for number in numbers], axis=1)
        return cls(tuple(columns), values, tuples, count_codes(inverse, len(firsts), records), inverse, records)

    def __len__(self) -> int:
        return len(self.tuples)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<FrequencyTable of {names}: {len(self):,} distinct tuples, {self.records:,} records>"

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which tuples have a point in every column, and no kept cell."""
        kept = [values.kept[self.tuples[:, j]] for j, values in enumerate(self.values)]
        complete: NDArray[np.bool_] = ~np.any(kept, axis=0)
        return complete

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def record_tuples(self) -> IntArray:
        """The tuple of each record, where records are listed by tuple: no row is needed."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.counts)

    def rows_by_tuple(self, numbers: NDArray[Any]) -> NDArray[np.intp]:
        """The positions of the records by tuple, as in `record_tuples`, and then by a number given for each record."""
        return np.lexsort((numbers, self.inverse))

    def count_with(self, codes: NDArray[np.integer]) -> PairCounts:
        """Distinct pairs of a tuple and a code (≥ 0), given the code of each record, with their counts."""
        return count_pairs(self.inverse, codes, self.row_records)

    def points(self, j: int) -> NDArray[Any]:
        """The point of each distinct tuple in attribute j. It has no meaning for a kept cell: see `complete`."""
        picked: NDArray[Any] = self.values[j].point[self.tuples[:, j]]
        return picked

    def show(self, most: int = 20) -> list[tuple[tuple[str | float | object, ...], int]]:
        """The most frequent tuples with their counts, for reading."""
        order = np.argsort(-self.counts, kind="stable")[:most]
        return [(self._readable(i), int(self.counts[i])) for i in order.tolist()]

    def _readable(self, number: int) -> tuple[str | float | object, ...]:
        return tuple(
            column.cells[values.cell[i]] if values.kept[i] else column.key(values.point[i])
            for column, values, i in zip(self.columns, self.values, self.tuples[number].tolist(), strict=True)
        )
