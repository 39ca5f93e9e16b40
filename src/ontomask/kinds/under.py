"""Groups from another column of the table: each value is in the group of that column that it occurs with.

The name of a group is a value of the other column. If fewer than ten persons or records have it, it could point to
them, so its values are directly under the top.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_holders, count_pairs
from ontomask.base.text import cell_text
from ontomask.errors import LISTED, Setting, TableError
from ontomask.kinds.base import RARE

__all__ = ["TableView", "groups_under"]


@dataclass(frozen=True)
class TableView:
    """What a kind may see of the table around its column.

    Attributes
    ----------
    factorise
        For the name of a column, a code per record and the distinct cells, ``None`` for missing ones. An error for a
        column that must not be used.
    number_persons
        Returns the person of each record; ``None`` if persons are not known.
    records
        How many records each code stands for; ``None``: one.
    """

    factorise: Callable[[str], tuple[IntArray, Sequence[object]]]
    number_persons: Callable[[], IntArray] | None
    records: Records = None


def groups_under(column: str, other: str, table: TableView) -> dict[str, list[str]]:
    """The values of a column by the value of the other column that they occur with.

    Records in which one of the two is missing are left out. A value that occurs with several is an error. A group whose
    name is also a value of another group is called ``name (other)``.
    """
    (of_value, values), (of_group, groups) = (_texts(name, table) for name in (column, other))
    both = (of_value >= 0) & (of_group >= 0)
    pairs = count_pairs(of_value[both], of_group[both])
    group_of = {values[v]: groups[g] for v, g in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)}
    several = [values[v] for v, times in enumerate(np.bincount(pairs.first).tolist()) if times > 1]
    if several:
        raise TableError(
            f"{len(several):,} of {len(group_of):,} values of the column {column!r} occur with several values of "
            f"{other!r}, so they have no group. Correct the table, or say which group each value has: ",
            Setting("columns", column, "groups"),
            ". ",
            LISTED,
            column=column,
            values=several,
            parameter="under",
        )
    persons = None if table.number_persons is None else table.number_persons()[both]
    records = None if table.records is None else table.records[both]
    held = dict(zip(groups, count_holders(of_group[both], len(groups), persons, records).tolist(), strict=True))
    names = {group: _name(group, other, values, group_of) for group in groups}
    made: dict[str, list[str]] = {}
    for value, group in sorted(group_of.items()):
        if held[group] >= RARE:
            made.setdefault(names[group], []).append(value)
    return made


def _texts(name: str, table: TableView) -> tuple[IntArray, list[str]]:
    """A number for the text of each record, −1 if it is missing, and the texts."""
    code, cells = table.factorise(name)
    number: dict[str, int] = {}  # the texts in order
    of_cell = [-1 if text is None else number.setdefault(text, len(number)) for text in map(cell_text, cells)]
    return np.array(of_cell, dtype=np.int32)[code], list(number)


def _name(group: str, other: str, values: Container[str], group_of: Mapping[str, str]) -> str:
    """The name of a group: not that of a value which is not in the group."""
    name = group
    while name in values and group_of.get(name) != group:
        name = f"{name} ({other})"
    return name
