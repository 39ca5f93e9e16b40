"""Apply the policies of a column to its cells: kept cells, the root, and values of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import Choice, Setting, TableError
from ontomask.kinds.policies import Policies
from ontomask.operators.ranges import join_points, make_points

if TYPE_CHECKING:
    from ontomask.kinds.base import Column

__all__ = ["apply_policies", "kept_records", "merge_kept_cells", "with_rooted"]

C = TypeVar("C", bound="Column")

# In place of a cell that became the root.
_ROOT = "*"


def apply_policies(column: C, policies: Policies) -> C:
    """The column in which cells that `Policies.while_encoding` kept are the root, or a value of their own."""
    column = replace(merge_kept_cells(column, policies), missing_tokens=policies.missing_tokens)
    missing = np.array([policies.is_missing(cell) for cell in column.cells], dtype=bool)
    for which, policy, mine in (("missing", policies.missing, missing), ("unmapped", policies.unmapped, ~missing)):
        cells = column.kept & mine
        if policy == "root" and cells.any():
            point = np.where(cells, column.anything, column.point)
            column = replace(column, point=join_points(column.point.dtype, point), kept=column.kept & ~cells)
        elif policy == "category" and cells.any():
            column = column.with_own_value(which, cells, policies)
    return column


def merge_kept_cells(column: C, policies: Policies) -> C:
    """The column in which kept cells with the same meaning are one cell.

    All kept missing cells are one, whatever their spelling. Blanks around other kept cells are removed. The spellings
    stay among the cells, with no records: other tools may release them unchanged.
    """
    plain: dict[int, str | None] = {}
    for i in np.flatnonzero(column.kept).tolist():
        cell = column.cells[i]
        if policies.is_missing(cell):
            plain[i] = None
        elif isinstance(cell, str):
            plain[i] = cell.strip()
    if not plain:
        return column
    known = {text: i for i, text in plain.items() if column.cells[i] == text}
    new = [text for text in dict.fromkeys(plain.values()) if text not in known]
    index = known | {text: len(column.cells) + i for i, text in enumerate(new)}
    code = np.arange(len(column.cells), dtype=column.code.dtype)
    code[list(plain)] = [index[text] for text in plain.values()]
    return replace(
        column,
        cells=(*column.cells, *new),
        code=code[column.code],
        point=np.append(column.point, np.repeat(column.point[next(iter(plain))], len(new))),
        kept=np.append(column.kept, np.ones(len(new), dtype=bool)),
        dropped=np.append(column.dropped, np.zeros(len(new), dtype=bool)),
    )


def with_rooted(column: C, records: NDArray[np.bool_]) -> C:
    """The column in which some records have the root."""
    if not records.any():
        return column
    root = make_points([column.anything], column.point.dtype)
    return replace(
        column,
        cells=(*column.cells, _ROOT),
        code=np.where(records, len(column.cells), column.code).astype(column.code.dtype),
        point=join_points(column.point.dtype, column.point, root),
        kept=np.append(column.kept, False),
        dropped=np.append(column.dropped, False),
    )


def kept_records(records: int, columns: Mapping[str, Column]) -> NDArray[np.intp] | None:
    """The positions of the records that the policies do not drop; ``None`` if they drop none."""
    gone = np.zeros(records, dtype=bool)
    for column in columns.values():
        if column.dropped.any():
            gone |= column.dropped[column.code]
    if not gone.any():
        return None
    if gone.all():
        raise TableError(
            "No record is left after dropping those with missing or unmapped cells. Keep some: ",
            Choice(Setting("policies", "missing", values=["keep"]), Setting("policies", "unmapped", values=["root"])),
            ".",
            code="no-records",
        )
    return np.flatnonzero(~gone)
