"""Equal rows get equal numbers: the step under frequency tables and under every count of groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.text import cell_text

__all__ = ["count_holders", "group_rows", "number_texts"]

# A table of all possible combinations is cheaper than sorting the rows, unless it is far larger than they are.
_ALWAYS_SMALL = 2**16
# Fewer rows than this are sorted sooner than the compiled numbering is loaded.
_FEW = 100_000


def group_rows(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> tuple[IntArray, NDArray[np.int64]]:
    """Number the distinct rows of integer columns with values 0 … size − 1, in lexicographic order.

    Returns for every row its number, and for every number the first row that has it. Columns are joined one at a
    time and renumbered in between, so that memory follows the rows and the distinct combinations, not the product of
    the sizes.

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


def count_holders(value: NDArray[np.integer], size: int, persons: NDArray[np.integer] | None) -> NDArray[np.int64]:
    """How many hold each value: distinct persons where these are known, else records.

    >>> count_holders(np.array([0, 0, 1]), 3, None), count_holders(np.array([0, 0, 1]), 3, np.array([7, 7, 7]))
    (array([2, 1, 0]), array([1, 1, 0]))
    """
    if persons is not None and len(value):
        _, firsts = group_rows([value, persons], [size, int(persons.max()) + 1])
        value = value[firsts]
    return np.bincount(value, minlength=size)


def number_texts(*columns: Iterable[object], exact: bool = False) -> tuple[IntArray, ...]:
    """For each list of cells a number for each cell: equal text, equal number, in all lists.

    Blanks around a text do not count, unless texts must be ``exact``.

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
