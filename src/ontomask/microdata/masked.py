"""`MaskedData`: a masked table beside its original, with the points that its cells stand for.

It comes from a plan, or from any frame (another tool's, or one read from a file) by reading the released text back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows, number_texts
from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError
from ontomask.kinds import Column
from ontomask.microdata import frames
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.plan import Masked
from ontomask.microdata.table import Microdata

__all__ = ["MaskedData"]


@dataclass(frozen=True, eq=False, repr=False)
class MaskedData:
    """A masked table.

    Attributes
    ----------
    frame
        What is released.
    columns
        The masked quasi-identifiers, encoded under the attributes and domains of the original.
    rows
        For every released record its place in the original; suppressed ones are not among them.
    """

    frame: Any
    columns: Mapping[str, Column]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        # Cells are a person's values: they are not for tracebacks and logs.
        return f"<MaskedData: {len(self):,} records, columns {', '.join(self.columns)}>"

    @classmethod
    def of_plan(cls, data: Microdata, masked: Masked) -> MaskedData:
        """The table that a plan makes of the original."""
        rows = np.flatnonzero(~masked.suppressed)
        columns = {
            name: _recoded(column, masked.cells[name], masked.codes[name][rows], masked.points[name], masked.kept[name])
            for name, column in data.quasi_identifiers.items()
        }
        return cls(data.release(masked.cells, masked.codes, masked.suppressed), columns, rows)

    @classmethod
    def of_frame(cls, data: Microdata, frame: Any) -> MaskedData:
        """Read a masked frame of the same records, in the same order, back to points."""
        present = frames.columns(frame)
        absent = [name for name in data.quasi_identifiers if name not in present]
        if absent:
            raise TableError(f"the masked table has no column {join_some(absent)}. It has {join_some(present, 30)}.")
        if frames.length(frame) != len(data):
            raise TableError(
                f"the masked table has {frames.length(frame):,} records, the original {len(data):,}: they are compared "
                f"record by record, so both need the same ones in the same order."
            )
        columns = {name: _read_back(data, column, frame) for name, column in data.quasi_identifiers.items()}
        return cls(frame, columns, np.arange(len(data)))

    @cached_property
    def table(self) -> FrequencyTable:
        """The distinct masked tuples, by meaning."""
        return FrequencyTable.of(tuple(self.columns.values()))

    def codes(self, name: str) -> IntArray:
        """A number for each released text of a column: equal text, equal number."""
        column = self.columns[name]
        return number_texts(column.cells)[0][column.code]

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The group of each released record: those that are equal in all quasi-identifiers."""
        codes = [self.codes(name) for name in self.columns]
        return group_rows(codes, [int(code.max(initial=-1)) + 1 for code in codes])[0].astype(np.int64)


def _recoded(
    column: Column, cells: list[object], code: IntArray, point: NDArray[Any], kept: NDArray[np.bool_]
) -> Column:
    dropped = np.zeros(len(cells), dtype=bool)
    return replace(column, cells=tuple(cells), code=code, point=point, kept=kept, dropped=dropped)


def _read_back(data: Microdata, column: Column, frame: Any) -> Column:
    """A released column: cells that the original keeps as they stand stay without a point, all others are read."""
    code, cells = frames.factorise(frame, column.name)
    stands = {cell_text(column.cells[i]) for i in np.flatnonzero(column.kept)}
    kept = np.array([cell_text(cell) in stands for cell in cells], dtype=bool)
    missing = [cell for cell, is_kept in zip(cells, kept, strict=True) if not is_kept and cell_text(cell) is None]
    if missing:
        raise TableError(f"the masked column {column.name!r} has missing cells that the original does not have.")
    point = np.zeros(len(cells), dtype=column.point.dtype)
    read = [cell for cell, is_kept in zip(cells, kept, strict=True) if not is_kept]
    point[~kept] = data.releases[column.name].points(read)
    return _recoded(column, cells, code, point, kept).with_one_missing_cell(data.policies)
