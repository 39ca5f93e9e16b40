"""A table with some of its records, without a column, or with some kept cells as the root.

Domains and ranges stay those of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import Records
from ontomask.kinds import Column
from ontomask.kinds.policy_cells import with_rooted as with_rooted_cells
from ontomask.microdata import frames
from ontomask.microdata.metadata import strip_metadata
from ontomask.microdata.table import Microdata

__all__ = ["with_records", "with_rooted", "without_column"]


def with_records(data: Microdata, rows: NDArray[np.integer], records: Records = None) -> Microdata:
    """The table with some of its records. ``records`` says how many each of the rows stands for, if that changes."""
    frame = strip_metadata(frames.take_rows(data.frame, np.asarray(rows, dtype=np.int64)))
    if records is None and data.row_records is not None:
        records = data.row_records[rows]
    made = _changed(data, frame, lambda column: replace(column, code=column.code[rows], records=records))
    made.row_keys, made.row_records = data.row_keys[rows], records
    return made


def without_column(data: Microdata, name: str) -> Microdata:
    """The table without a quasi-identifier and what is linked to it, to plan a masking. Its frame still has them."""
    made = _changed(data, data.frame, lambda column: column)
    del made.quasi_identifiers[name]
    made.linked = {follower: leader for follower, leader in data.linked.items() if leader != name}
    return made


def with_rooted(data: Microdata, cells: NDArray[np.bool_]) -> Microdata:
    """The table in which some cells are the root: ``cells[i, j]`` is that of tuple i in quasi-identifier j."""
    of_column = dict(zip(data.quasi_identifiers, cells.T, strict=True))
    inverse = data.table.inverse

    def change(column: Column) -> Column:
        return with_rooted_cells(column, of_column[column.name][inverse]) if column.name in of_column else column

    return _changed(data, data.frame, change)


def _changed(data: Microdata, frame: Any, change: Callable[[Column], Column]) -> Microdata:
    """A copy with another frame and other columns. Nothing that was computed from the table is copied."""
    made = copy(data)
    for name in [name for name in vars(data) if isinstance(getattr(Microdata, name, None), cached_property)]:
        del vars(made)[name]
    made.frame, made._releases = frame, {}
    made.quasi_identifiers = {name: change(column) for name, column in data.quasi_identifiers.items()}
    made.confidential_columns = {name: change(column) for name, column in data.confidential_columns.items()}
    return made
