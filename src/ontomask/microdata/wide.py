"""`widen`: a table in which each person is one record, with the columns of all its records side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.microdata.cells import Codes
from ontomask.microdata.table import Microdata

__all__ = ["WideMicrodata", "widen"]


class WideMicrodata(Microdata):
    """A table whose records are persons. It has no frame: only its columns, tuples and persons are used.

    Attributes
    ----------
    slots
        For each column of the original table its columns here: of the first records of persons, of the second, and
        so on.
    """

    slots: Mapping[str, tuple[str, ...]]
    _rows: NDArray[np.integer]
    _confidential_slots: Mapping[str, tuple[str, int]]

    def __len__(self) -> int:
        return len(self._rows)

    def confidential_cells(self, column: str) -> tuple[Codes, list[object]]:
        """The cells of a confidential column without a kind: a code for each record, and the distinct cells."""
        name, slot = self._confidential_slots[column]
        codes, cells = super().confidential_cells(name)
        return codes[self._rows[:, slot]], cells


def widen(data: Microdata, rows: NDArray[np.integer], persons: IntArray | None) -> WideMicrodata:
    """The table of some persons, all with the same number of records.

    Parameters
    ----------
    data
        The table of records.
    rows
        One row a person: the positions of its records.
    persons
        The person of each row, if one person can have several; ``None`` if each row is another person.
    """
    width = rows.shape[1]
    names = (*data.quasi_identifiers, *data.confidential)
    slots = {name: tuple(f"{name} {s + 1}" for s in range(width)) for name in names}
    # Everything except what was computed from the records.
    computed = [attribute for attribute, value in vars(Microdata).items() if isinstance(value, cached_property)]
    wide = object.__new__(WideMicrodata)
    wide.__dict__ |= {attribute: value for attribute, value in vars(data).items() if attribute not in computed}
    wide.__dict__ |= {"persons": persons, "_releases": {}, "row_keys": data.row_keys[rows[:, 0]]}
    wide.slots, wide._rows = slots, rows
    wide.quasi_identifiers = {
        slots[name][s]: replace(column, name=slots[name][s], code=column.code[rows[:, s]])
        for s in range(width)
        for name, column in data.quasi_identifiers.items()
    }
    wide.confidential = tuple(slot for name in data.confidential for slot in slots[name])
    wide._confidential_slots = {slots[name][s]: (name, s) for name in data.confidential for s in range(width)}
    wide.confidential_columns = {
        slots[name][s]: replace(column, name=slots[name][s], code=column.code[rows[:, s]])
        for name, column in data.confidential_columns.items()
        for s in range(width)
    }
    return wide
