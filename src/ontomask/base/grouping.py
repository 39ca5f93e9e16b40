"""Number equal rows and count the members of groups. Frequency tables and group sizes are built on this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.text import cell_text

__all__ = ["PairCounts", "count_codes", "count_holders", "count_pairs", "group_rows", "group_sets", "number_texts"]

# A table of all possible combinations is cheaper than sorting the rows, unless it is much larger.
_ALWAYS_SMALL = 2**16
# Sorting fewer rows than this is faster than loading the compiled function.
_FEW = 100_000


def group_rows(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> tuple[IntArray, NDArray[np.int64]]:
    """Number the distinct rows of integer columns with values 0 … size − 1, in lexicographic order.

    Returns for every row its number, and for every number the first row that has it. Columns are joined one at a
    time and renumbered in between, so that memory grows with the rows and the distinct combinations, not with the
    product of the sizes.

    >>> numbers, firsts = group_rows([np.array([1, 0, 1]), np.array([0, 0, 0])], [2, 1])
    >>> numbers.tolist(), firsts.tolist()
    ([1, 0, 1], [1, 0])
    """
    numbers, groups = _renumber(columns[0], sizes[0])
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        narrow = groups * size < 2**31
        key: NDArray[Any] = numbers.astype(np.int32 if narrow else np.int64)
        key *= size
        key += column.astype(key.dtype, copy=False)
        numbers, groups = _renumber(key, groups * size)
    firsts = np.empty(groups, dtype=np.int64)
    firsts[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return numbers, firsts


def _renumber(key: NDArray[np.integer], size: int) -> tuple[IntArray, int]:
    """Numbers without gaps that keep the order of the keys."""
    if size <= max(_ALWAYS_SMALL, 4 * len(key)):
        present = np.zeros(size, dtype=bool)
        present[key] = True
        number = np.cumsum(present, dtype=np.int32)
        number -= 1
        return number[key], int(number[-1]) + 1 if size else 0
    if len(key) < _FEW:
        distinct, numbers = np.unique(key, return_inverse=True)
        return numbers.astype(np.int32), len(distinct)
    from ontomask.base.kernels import number_keys

    numbers = np.empty(len(key), dtype=np.int32)
    distinct = number_keys(key, numbers)
    rank = np.empty(len(distinct), dtype=np.int32)
    rank[np.argsort(distinct)] = np.arange(len(distinct), dtype=np.int32)
    return rank[numbers], len(distinct)


def group_sets(groups: NDArray[np.integer], units: NDArray[np.integer]) -> IntArray:
    """Number the rows by their group and by all groups that the rows of the same unit have, repetitions included.

    A unit is a set of rows that belong together, such as the records under one pseudonym. Rows get the same number if
    they are in the same group and their units have the same groups equally often.

    >>> group_sets(np.array([0, 1, 0, 1, 0]), units=np.array([0, 0, 1, 1, 2])).tolist()
    [1, 2, 1, 2, 0]
    """
    if not len(groups):
        return np.empty(0, dtype=np.int32)
    unit, firsts = group_rows([units], [int(units.max()) + 1])
    rows = np.lexsort((groups, unit))
    size = np.bincount(unit)
    start = np.concatenate([[0], np.cumsum(size)])
    number, found, most = np.empty(len(firsts), dtype=np.int32), 0, int(groups.max()) + 1
    for length in np.unique(size).tolist():
        mine = np.flatnonzero(size == length)
        columns = [groups[rows[start[mine] + at]] for at in range(length if len(mine) > 1 else 1)]
        of_set, sets = group_rows(columns, [most] * len(columns))
        number[mine] = found + of_set
        found += len(sets)
    return group_rows([number[unit], groups], [found, most])[0]


class PairCounts(NamedTuple):
    """Distinct pairs of two codes, in lexicographic order, and the number of records of each."""

    first: IntArray
    second: IntArray
    records: NDArray[np.int64]


def count_codes(
    code: NDArray[np.integer], number: int, records: NDArray[np.integer] | None = None
) -> NDArray[np.int64]:
    """How many records have each of ``number`` codes. Each entry counts once, or as many ``records``."""
    return np.bincount(code, weights=records, minlength=number).astype(np.int64)


def count_pairs(
    first: NDArray[np.integer], second: NDArray[np.integer], records: NDArray[np.integer] | None = None
) -> PairCounts:
    """Count the distinct pairs of codes ≥ 0. Each entry counts once, or as many ``records``.

    >>> [part.tolist() for part in count_pairs(np.array([1, 0, 1]), np.array([7, 7, 7]))]
    [[0, 1], [7, 7], [1, 2]]
    """
    numbers, firsts = group_rows([first, second], [int(codes.max(initial=-1)) + 1 for codes in (first, second)])
    counts = count_codes(numbers, len(firsts), records)
    return PairCounts(first[firsts].astype(np.int32), second[firsts].astype(np.int32), counts)


def count_holders(
    groups: NDArray[np.integer],
    number: int,
    persons: NDArray[np.integer] | None = None,
    records: NDArray[np.integer] | None = None,
) -> NDArray[np.int64]:
    """The size of each of ``number`` groups: its distinct persons where these are known, otherwise its records.

    Parameters
    ----------
    groups
        The group of each entry.
    persons
        The person of each entry.
    records
        The number of records of each entry; 1 by default.

    Examples
    --------
    >>> groups = np.array([0, 0, 1])
    >>> count_holders(groups, 3), count_holders(groups, 3, persons=np.array([7, 7, 7]))
    (array([2, 1, 0]), array([1, 1, 0]))
    """
    if persons is None:
        return np.bincount(groups, weights=records, minlength=number).astype(np.int64)
    size = int(persons.max(initial=0)) + 1
    pairs = groups.astype(np.int64) * size + persons
    if number * size <= max(_ALWAYS_SMALL, 2 * len(pairs)):
        present = np.zeros(number * size, dtype=bool)
        present[pairs] = True
        sizes: NDArray[np.int64] = np.count_nonzero(present.reshape(number, size), axis=1)
        return sizes
    pairs.sort()  # several times faster than np.unique, which hashes
    distinct = np.concatenate([pairs[:1], pairs[1:][pairs[1:] != pairs[:-1]]])
    return np.bincount(distinct // size, minlength=number)


def number_texts(*columns: Iterable[object], exact: bool = False) -> tuple[IntArray, ...]:
    """For each list of cells a number for each cell: equal text has the same number in all lists.

    Blanks around a text are ignored, unless texts must be ``exact``.

    >>> ours, theirs = number_texts(["a", "b", 1.0], ["1", "a"])
    >>> ours.tolist(), theirs.tolist()
    ([0, 1, 2], [2, 0])
    """
    number: dict[str | None, int] = {}
    numbers = []
    for cells in columns:
        texts = [cell if exact and isinstance(cell, str) and cell else cell_text(cell) for cell in cells]
        numbers.append(np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int32))
    return tuple(numbers)
