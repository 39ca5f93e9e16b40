"""Groups of equal records: values as codes, groups of records with equal codes, and the values in each group.

A group is the set of records whose released text is equal in all quasi-identifiers. A kept cell is text like any other.
A missing cell is a value of its own, because readers of the table see the gap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.grouping import group_rows
from ontomask.errors import PrivacyError

__all__ = [
    "Encoded",
    "Tally",
    "check_codes",
    "check_groups",
    "encode",
    "freeze",
    "group_records",
    "how_many_groups",
    "tally",
]


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column as codes: ``values[codes[r]]`` is the value of record r, and −1 means missing.

    ``values`` are sorted, so the codes of numbers are in their order.
    """

    codes: NDArray[np.int64]
    values: NDArray[Any] = field(repr=False)


def encode(column: ArrayLike) -> Encoded:
    """Encode a column: its distinct values, and a code for every record.

    >>> found = encode(["flu", "gastritis", None, "flu"])
    >>> found.codes.tolist(), found.values.tolist()
    ([0, 1, -1, 0], ['flu', 'gastritis'])
    """
    array = np.asarray(column)
    if array.dtype.kind == "U" and not isinstance(column, np.ndarray):
        # NumPy has turned missing texts into the text 'nan'.
        array = np.asarray(column, dtype=object)
    if array.ndim != 1:
        message = f"A column must have one value per record. Got an array of shape {array.shape} instead."
        raise PrivacyError(message, parameter="columns")
    if array.dtype.kind in "iub":
        codes, present = _compact(array.astype(np.int64))
        return Encoded(codes, present.astype(array.dtype))
    if array.dtype.kind == "f":
        gaps = np.isnan(array)
        values, found = np.unique(array[~gaps], return_inverse=True)
        codes = np.full(len(array), -1, dtype=np.int64)
        codes[~gaps] = found
        return Encoded(codes, values)
    cells: list[Any] = array.tolist()
    given = {cell for cell in cells if not _is_missing(cell)}
    if given and all(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in given):
        # Numbers with missing values among them are still ordered numbers.
        return encode(np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells]))
    return _encode_texts(cells)


def _encode_texts(cells: list[Any]) -> Encoded:
    texts = {cell: None if _is_missing(cell) else str(cell) for cell in dict.fromkeys(cells)}
    values = sorted({text for text in texts.values() if text is not None})
    index = {text: i for i, text in enumerate(values)}
    code = {cell: -1 if text is None else index[text] for cell, text in texts.items()}
    codes = np.fromiter(map(code.__getitem__, cells), dtype=np.int64, count=len(cells))
    return Encoded(codes, np.array(values, dtype=object))


def _is_missing(cell: Any) -> bool:
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except TypeError:  # the comparison of pandas' NA has no truth value
        return True


def _compact(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes 0, 1, … of the keys, and the distinct keys, ascending."""
    low, high = (int(keys.min()), int(keys.max())) if len(keys) else (0, 0)
    if not _is_narrow(high - low, len(keys)):
        present, codes = np.unique(keys, return_inverse=True)
        return codes.astype(np.int64, copy=False), present
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[keys - low] = True
    return (np.cumsum(seen) - 1)[keys - low], np.flatnonzero(seen) + low


def _is_narrow(span: int, records: int) -> bool:
    """Whether a table of all possible keys is small enough. It is several times faster than sorting."""
    return span < max(2 * records, 1 << 16)


def group_records(columns: Iterable[ArrayLike]) -> NDArray[np.int64]:
    """The group of every record: 0 … groups − 1. Records that are equal in all columns are in one group.

    Parameters
    ----------
    columns
        The released quasi-identifiers, one array each: text, or integer codes of it (equal text, equal code).

    Examples
    --------
    >>> group_records([["clerk", "clerk", "cook", "clerk"], ["Leeds", "York", "York", "Leeds"]]).tolist()
    [0, 1, 2, 0]
    """
    found = [encode(column) for column in columns]
    if not found:
        message = "Records are grouped by their quasi-identifiers. Give at least one column."
        raise PrivacyError(message, parameter="columns")
    records = len(found[0].codes)
    for number, column in enumerate(found, start=1):
        if len(column.codes) != records:
            raise PrivacyError(
                f"All columns must have the same number of records. The first has {records:,}, "
                f"column {number} has {len(column.codes):,}.",
                parameter="columns",
            )
    if not records:
        raise PrivacyError("The table has no records. Give at least one.", parameter="columns")
    # A missing cell (−1) is a value of its own.
    return group_rows([c.codes + 1 for c in found], [len(c.values) + 1 for c in found])[0].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts of values in groups.

    Group g has ``count[e]`` records of value ``value[e]``, for e from ``start[g]`` to ``start[g + 1] − 1``. The values
    of a group ascend.
    """

    start: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of every entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def share(self) -> NDArray[np.float64]:
        """The share of every entry in its group."""
        return self.count / np.add.reduceat(self.count, self.start[:-1])[self.group]


def tally(
    groups: NDArray[np.int64], codes: NDArray[np.int64], size: int, records: NDArray[np.integer] | None = None
) -> Tally:
    """Count values 0 … size − 1 in every group. Each entry counts once, or as many ``records``."""
    number = int(groups.max()) + 1
    keys = groups * size + codes
    if _is_narrow(number * size, len(keys)):
        counts = np.bincount(keys, weights=records, minlength=number * size).astype(np.int64)
        present = np.flatnonzero(counts)
        counts = counts[present]
    else:
        present, counts = _count_keys(keys, records)
    group, value = np.divmod(present, size)
    return Tally(np.searchsorted(group, np.arange(number + 1)), value, counts)


def _count_keys(
    keys: NDArray[np.int64], records: NDArray[np.integer] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct keys, ascending, and the number of records of each."""
    if records is None:
        return np.unique(keys, return_counts=True)
    present, at = np.unique(keys, return_inverse=True)
    return present, np.bincount(at, weights=records).astype(np.int64)


def check_groups(groups: ArrayLike) -> NDArray[np.int64]:
    """Validate groups: they must be numbered as `group_records` numbers them."""
    array = np.asarray(groups)
    if not array.size:
        raise PrivacyError("The table has no records. Give at least one.", parameter="groups")
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise PrivacyError("Groups must be one integer a record. Use group_records().", parameter="groups")
    if array.min() < 0 or array.max() >= len(array) or not np.bincount(array).all():
        message = "Groups must be numbered 0, 1, 2, … without gaps. Use group_records()."
        raise PrivacyError(message, parameter="groups")
    return array.astype(np.int64, copy=False)


def check_codes(
    codes: ArrayLike, records: int, known: int | None = None, *, encodes: bool = False
) -> tuple[NDArray[np.int64], int]:
    """Validate codes of confidential values. Missing values (−1) get the next free code.

    Returns the codes and the number of known values. ``known`` is the size of the domain, by default the values that
    occur. ``encodes``: values that are not integers are encoded.
    """
    array = np.asarray(codes)
    if encodes and array.ndim == 1 and array.dtype.kind not in "iu":
        array = encode(codes).codes
    if array.ndim != 1 or len(array) != records:
        raise PrivacyError(
            f"Confidential values must be one code per record ({records:,}). Got the shape {array.shape} instead.",
            parameter="confidential",
        )
    if array.dtype.kind not in "iu":
        message = f"Confidential values must be integer codes. Got {array.dtype} instead. Use encode()."
        raise PrivacyError(message, parameter="confidential")
    array = array.astype(np.int64, copy=False)
    known = int(array.max()) + 1 if known is None else known
    if array.min() < -1 or array.max() >= known:
        message = f"Codes of confidential values must be from 0 to {known - 1:,}, or −1 for missing values."
        raise PrivacyError(message, parameter="confidential")
    return np.where(array < 0, known, array), known


def freeze(*arrays: NDArray[Any]) -> None:
    """Make the arrays of a result read-only."""
    for array in arrays:
        array.setflags(write=False)


def how_many_groups(number: int) -> str:
    """The number of groups as text.

    >>> how_many_groups(1), how_many_groups(1200)
    ('1 group', '1,200 groups')
    """
    return "1 group" if number == 1 else f"{number:,} groups"
