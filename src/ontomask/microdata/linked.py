"""Linked columns: columns that follow another one, such as the label of a code.

A follower is not masked by itself: it would contradict its leader. A released value of the leader gets the cell that
most of the originals with this value have, if enough of them have it, and an empty cell otherwise. So the follower says
nothing that the leader does not say, and each released pair occurs in the original.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_holders, group_rows
from ontomask.base.notes import Note
from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError, given
from ontomask.microdata import frames

if TYPE_CHECKING:
    from ontomask.microdata.joint import Masked
    from ontomask.microdata.masked import MaskedData, MaskedTuples
    from ontomask.microdata.table import Microdata

__all__ = ["companions", "is_function", "note_conflicts", "note_empty_cells", "read_links"]


def read_links(linked: Iterable[Sequence[str]], quasi_identifiers: Collection[str]) -> dict[str, str]:
    """The leader of each follower, from lists of columns that begin with the leader."""
    followers: dict[str, str] = {}
    for columns in linked:
        if isinstance(columns, str) or not isinstance(columns, Sequence) or len(columns) < 2:
            message = "'linked' must be a list of lists, each with a column and those that follow it. Got "
            raise TableError(message, given(columns), " instead.", parameter="linked")
        leader, *rest = columns
        if leader not in quasi_identifiers:
            raise TableError(
                f"Linked columns follow a quasi-identifier, and {leader!r} is none. Begin each list with one of "
                f"{join_some(quasi_identifiers, 30)}.",
                column=leader,
                parameter="linked",
            )
        for name in rest:
            if name in followers:
                message = f"The column {name!r} follows two columns. Link it to one of them."
                raise TableError(message, column=name, parameter="linked")
            followers[name] = leader
    return followers


def _pairs(
    data: Microdata, follower: str
) -> tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.int64], list[object]]:
    """The distinct pairs of a value of the leader and a cell of the follower, their holders, and the cells."""
    column = data.quasi_identifiers[data.linked[follower]]
    j = list(data.quasi_identifiers).index(column.name)
    value = data.table.values[j].of_cell[column.code]
    code, cells = frames.factorise(data.frame, follower)
    number, firsts = group_rows([value, code], [len(data.table.values[j]), len(cells)])
    held = count_holders(number, len(firsts), data.persons, data.row_records)
    return value[firsts], code[firsts], held, cells


def companions(
    data: Microdata, follower: str, points: NDArray[Any], kept: NDArray[np.bool_], cells: Sequence[object], least: int
) -> list[object]:
    """The cell of the follower for each released cell of its leader; ``None`` if fewer than ``least`` have the pair.

    Parameters
    ----------
    points, kept, cells
        The points of the leader's released cells, which of them are kept as they are, and the cells.
    """
    column = data.quasi_identifiers[data.linked[follower]]
    j = list(data.quasi_identifiers).index(column.name)
    values = data.table.values[j]
    of_value, of_cell, holders, follower_cells = _pairs(data, follower)
    # The most frequent companion of each value; among equally frequent ones, the first text.
    texts = [cell_text(cell) or "" for cell in follower_cells]
    rank = np.argsort(np.argsort(np.array(texts, dtype=object), kind="stable"))
    order = np.lexsort((rank[of_cell], -holders, of_value))
    first = order[np.searchsorted(of_value[order], np.arange(len(values)))]
    best = {v: follower_cells[of_cell[i]] for v, i in enumerate(first.tolist()) if holders[i] >= least}
    by_point = {point: v for v, point in enumerate(values.point.tolist()) if not values.kept[v]}
    by_cell = {column.cells[i]: int(values.of_cell[i]) for i in np.flatnonzero(column.kept).tolist()}
    found = [
        by_cell.get(cell) if is_kept else by_point.get(point)
        for point, is_kept, cell in zip(points.tolist(), kept.tolist(), cells, strict=True)
    ]
    return [None if v is None else best.get(v) for v in found]


def note_conflicts(data: Microdata) -> list[Note]:
    """Warnings about followers that have several cells for one value of their leader."""
    notes = []
    for follower, leader in data.linked.items():
        of_value, _, _, _ = _pairs(data, follower)
        several = int((np.bincount(of_value) > 1).sum())
        if several:
            text = (
                "Values of {leader!r} with several values in {follower!r}, which is linked to it: {values:,}. The most "
                "frequent one is released."
            )
            notes.append(Note.of("linked-conflict", text, values=several, leader=leader, follower=follower))
    return notes


def note_empty_cells(data: Microdata, released: MaskedData | MaskedTuples, masked: Masked) -> tuple[Note, ...]:
    """Remarks on followers with empty cells: their leader has a value that has no companion of its own."""
    notes = []
    for follower, leader in data.linked.items():
        is_empty = np.array([cell is None for cell in masked.linked[follower]], dtype=bool)
        records = int(released.columns[leader].counts[is_empty].sum())
        if records:
            text = (
                "{records:,} cells of {follower!r} are empty: too few records have the released value of {leader!r} "
                "together with a value here."
            )
            notes.append(Note.of("linked-empty", text, records=records, leader=leader, follower=follower))
    return tuple(notes)


def is_function(leader: NDArray[np.integer], follower: NDArray[np.integer]) -> bool:
    """Whether records with the same code of the leader have the same code of the follower."""
    if not len(leader):
        return True
    _, firsts = group_rows([leader, follower], [int(leader.max()) + 1, int(follower.max()) + 1])
    return len(firsts) == len(np.unique(leader))
