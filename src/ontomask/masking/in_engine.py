"""Mask records that stay in their engine: the plan says how many of each tuple go where, the engine deals them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.progress import progress
from ontomask.engines.base import OWN, SUPPRESSED, Dealing, Released
from ontomask.errors import MaskingError
from ontomask.microdata import Microdata, frames
from ontomask.microdata.joint import Items, Masked
from ontomask.microdata.masked import MaskedTuples

if TYPE_CHECKING:
    from ontomask.masking.base import Method

__all__ = ["check_engine", "count_for", "find_rows", "mask_in_engine"]

_TUPLE, _ROW = f"{OWN}tuple", f"{OWN}row"


def count_for(method: Method, data: Microdata) -> Microdata:
    """The data, told apart by all columns that the method looks at. In memory all columns are there."""
    if not isinstance(data, Microdata) or data.source is None:
        return data
    names: list[str] = list(method.by)
    for required in method.require:
        found = getattr(required, "columns", None) or [getattr(required, "column", None)]
        names += [name for name in found if isinstance(name, str)]
    return data.counted_by(names)


def check_engine(method: Method, data: Microdata) -> None:
    """Refuse at once what an engine cannot do."""
    assert data.source is not None
    engine = data.source.engine
    instead = "Read the table into memory (ontomask.read_table), or leave this out."
    if method.consistent:
        raise MaskingError(
            f"The engine {engine!r} cannot mask the values of a person consistently: this draws once for each value of "
            f"a person, and not for records. {instead}",
            parameter="consistent",
            code="engine-cannot",
        )
    for name in ("alpha", "epsilon"):
        if isinstance(getattr(method, name, None), tuple):
            raise MaskingError(
                f"The engine {engine!r} cannot use one {name!r} for each record: its rows have no order. {instead}",
                parameter=name,
                code="engine-cannot",
            )


def mask_in_engine(data: Microdata, items: Items) -> tuple[Masked, MaskedTuples]:
    """The masked tuples, and the masked table by distinct rows of the original."""
    assert data.source is not None
    released = data.source.deal(_dealing(data, items))
    with progress("Counting the masked table"):
        entries = _entries(data, items, released)
    return items.masked, MaskedTuples.in_engine(data, items.masked, entries, released)


def _dealing(data: Microdata, items: Items) -> Dealing:
    import polars as pl

    assert data.source is not None
    keys = (*data.quasi_identifiers, *(name for name in items.by if name not in data.quasi_identifiers))
    frame = data.frame.select(keys).with_columns(pl.Series(_TUPLE, items.tuples.astype(np.int64)))
    frame = frame.unique(maintain_order=True)
    used = items.records > 0
    tuple_of_item = np.repeat(np.arange(len(items.first) - 1), np.diff(items.first))[used]
    first = np.searchsorted(tuple_of_item, np.arange(len(items.first)))
    ends = np.cumsum(items.records[used])
    start = np.concatenate([[0], ends])[first]
    return Dealing(
        keys,
        frame.drop(_TUPLE),
        frame[_TUPLE].to_numpy(),
        start,
        first,
        ends,
        items.outcome[used].astype(np.int64),
        _released_cells(data, items.masked),
        (*data.identifiers, *data.drop),
        items.secret or (0, 0),
    )


def _released_cells(data: Microdata, masked: Masked) -> Any:
    """The masked tuples as a table, with the types that the columns have in a table in memory."""
    frame = frames.take_rows(data.frame, np.zeros(len(masked.suppressed), dtype=np.int64))
    some = ~masked.suppressed
    columns = {}
    for name, column in data.quasi_identifiers.items():
        own = frames.as_text(frame, name) if column.is_released_as_text else frame
        columns[name] = _replaced(own, name, masked.cells[name], masked.codes[name], some)
    for follower, leader in data.linked.items():
        columns[follower] = _replaced(frame, follower, masked.linked[follower], masked.codes[leader], some)
    return frame.select(columns.values())


def _replaced(frame: Any, name: str, cells: Iterable[object], codes: NDArray[Any], some: NDArray[np.bool_]) -> Any:
    """A column with the cells of the masked tuples that occur; others have any of these."""
    codes = codes.copy()
    if some.any():
        codes[~some] = codes[some][0]
    return frames.replace_column(frame, name, list(cells), codes, keep_categories=False)[name]


def _entries(
    data: Microdata, items: Items, released: Released
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each entry of the masked table the distinct row of the original, the masked tuple and the records."""
    assert data.row_records is not None
    branches = np.diff(items.first)
    rows = np.arange(len(items.tuples))
    if (branches == 1).all():
        outcomes = items.outcome[items.first[items.tuples]].astype(np.int64)
        some = outcomes != SUPPRESSED
        return rows[some], outcomes[some], data.row_records[some]
    if set(data.frame.columns) <= {*data.quasi_identifiers, *items.by}:
        # All rows of a tuple are alike, so any of them stands for it.
        one = np.empty(len(branches), dtype=np.int64)
        one[items.tuples[::-1]] = rows[::-1]
        some = (items.records > 0) & (items.outcome != SUPPRESSED)
        return np.repeat(one, branches)[some], items.outcome[some].astype(np.int64), items.records[some]
    found, outcomes, records = released.joint(data.frame.columns)
    return find_rows(data, found), outcomes, records


def find_rows(data: Microdata, found: Any) -> NDArray[np.int64]:
    """For each row of a table from the engine the distinct row of the data that it belongs to."""
    names = data.frame.columns
    numbered = data.frame.with_row_index(_ROW)
    joined = found.select(names).join(numbered, on=names, how="left", nulls_equal=True, maintain_order="left")
    at: NDArray[np.int64] = joined[_ROW].to_numpy()
    if len(at) != len(found) or joined[_ROW].null_count():
        raise MaskingError("The table changed while it was masked. Mask it again.", code="table-changed")
    return at.astype(np.int64)
