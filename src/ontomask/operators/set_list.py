"""`SetList`: sets of concepts, each with a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.taxonomy.graph import gather

__all__ = ["Members", "SetList"]


@dataclass(frozen=True, eq=False)
class Members:
    """The elements of some sets, in CSR form.

    Attributes
    ----------
    start, index
        Set i has the elements ``codes[index[start[i]:start[i + 1]]]``, ascending.
    codes
        The distinct elements of all the sets, ascending.
    """

    start: NDArray[np.int64]
    index: IntArray
    codes: IntArray

    def __len__(self) -> int:
        return len(self.start) - 1

    @classmethod
    def of(cls, start: NDArray[np.int64], elements: IntArray) -> Members:
        """From the elements of all sets, set by set."""
        number = np.zeros(int(elements.max(initial=-1)) + 2, dtype=np.int32)
        number[elements] = 1
        codes = np.flatnonzero(number).astype(np.int32)
        number[codes] = np.arange(len(codes), dtype=np.int32)
        return cls(start, number[elements], codes)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of elements of each set."""
        return np.diff(self.start)

    @property
    def elements(self) -> IntArray:
        """The elements of all sets, set by set."""
        return self.codes[self.index]

    @property
    def number(self) -> NDArray[np.int64]:
        """The set of each element in ``index``."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def part(self, block: slice) -> Members:
        """The sets of a block."""
        low, high = self.start[block.start], self.start[block.stop]
        return Members.of(self.start[block.start : block.stop + 1] - low, self.codes[self.index[low:high]])


class SetList:
    """Sets of concepts, numbered 0, 1, 2, … in the order in which they were added.

    A set is given by the codes of its concepts, in any order. It is never empty, and keeps its number.

    Examples
    --------
    >>> sets = SetList()
    >>> sets.add([7, 2]), sets.add([5]), sets.add([2, 7, 7])
    (0, 1, 0)
    >>> sets[0], len(sets)
    ((2, 7), 2)
    """

    def __init__(self) -> None:
        self._number: dict[bytes, int] = {}
        self._start = np.zeros(16, dtype=np.int64)
        self._elements = np.zeros(64, dtype=np.int32)
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._number)

    def __getitem__(self, number: int) -> tuple[int, ...]:
        return tuple(self._elements[self._start[number] : self._start[number + 1]].tolist())

    def add(self, codes: Iterable[int]) -> int:
        """The number of a set. A new set gets the next one."""
        elements = _sorted(codes)
        assert len(elements), "a set of concepts is not empty"
        key = elements.tobytes()
        known = self._number.get(key)
        if known is not None:
            return known
        with self._lock:
            if key not in self._number:
                self._append(elements)
                self._number[key] = len(self._number)
            return self._number[key]

    def find(self, codes: Iterable[int]) -> int | None:
        """The number of a set; ``None`` if the list does not have it."""
        return self._number.get(_sorted(codes).tobytes())

    def _append(self, elements: IntArray) -> None:
        # Arrays are replaced, not changed, where others may still read them.
        size = len(self._number)
        first = int(self._start[size])
        last = first + len(elements)
        self._elements = _with_room(self._elements, last)
        self._start = _with_room(self._start, size + 2)
        self._elements[first:last] = elements
        self._start[size + 1] = last

    def take(self, numbers: NDArray[Any]) -> Members:
        """The elements of some sets."""
        rows = np.asarray(numbers).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(self._start[rows + 1] - self._start[rows])])
        return Members.of(start, gather(self._start, self._elements, rows))

    def agrees_with(self, other: SetList) -> bool:
        """Whether a number stands for the same set in both lists, as far as both have it."""
        if other is self:
            return True
        both = min(len(self), len(other))
        last = int(self._start[both])
        same = np.array_equal(self._start[: both + 1], other._start[: both + 1])
        return same and np.array_equal(self._elements[:last], other._elements[:last])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


def _sorted(codes: Iterable[int]) -> IntArray:
    return np.unique(np.fromiter(codes, dtype=np.int32))


def _with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a copy of twice the length if it has fewer than ``size`` places."""
    if size <= len(array):
        return array
    larger = np.zeros(max(size, 2 * len(array)), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
