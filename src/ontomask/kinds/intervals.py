"""Intervals of numbers: those that values are generalised to, and those that texts describe.

An interval of values has a closed lower and an open upper end: ``low ≤ x < high``. Intervals that are not given have
widths from the series 1, 2, 5, 10, 20, 50, … and begin at multiples of their width. So their ends say nothing about the
smallest and the largest value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import count, pairwise
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import TableError
from ontomask.kinds.foreign import split_interval

__all__ = [
    "Bounds",
    "Edges",
    "aligned_intervals",
    "check_intervals",
    "intervals_between",
    "read_bounds",
    "round_width",
    "widths_for",
]

Floats = NDArray[np.float64]
Edges = tuple[tuple[float, ...], ...]
"""The edges of intervals, level by level, the narrowest first."""

# The narrowest intervals divide the middle part of the values, without the tails, into about this many.
_PARTS = 15
_TAILS = (0.1, 0.9)


def widths_for(values: Floats, step: Decimal) -> list[Decimal]:
    """Widths of intervals for distinct ascending values, each a multiple of the one before.

    The narrowest usually holds several values, and has at least two steps. The widest still divides the values.

    >>> [int(width) for width in widths_for(np.arange(17.0, 91), Decimal(1))]
    [5, 10, 20]
    """
    if not len(values):
        return []
    low, high = np.quantile(values, _TAILS).tolist()
    gap = (high - low) / (max(len(values) - 1, 1) * (_TAILS[1] - _TAILS[0]))
    least = max((high - low) / _PARTS, 1.5 * gap, 2 * float(step))
    largest, parts = float(np.abs(values).max()), len(values)
    found: list[Decimal] = []
    for width in _series(least):
        if found and width % found[-1]:
            continue
        number = len(np.unique(np.floor(values / float(width))))
        if number == 1:
            break
        if number < parts:
            found.append(width)
            parts = number
        if float(width) > largest:
            # Negative and positive values never share an interval.
            break
    return found


def round_width(least: float) -> Decimal:
    """The first width of the series that is not below ``least``.

    >>> int(round_width(73)), int(round_width(0))
    (100, 1)
    """
    return next(iter(_series(least)))


def _series(least: float) -> Iterable[Decimal]:
    """1, 2, 5, 10, 20, 50, … times a power of ten, from the first that is not below ``least``."""
    power = Decimal(f"{least:e}").adjusted() if least else 0
    for exponent in count(power):
        for digit in (1, 2, 5):
            width = Decimal((0, (digit,), exponent))
            if width >= Decimal(least):
                yield width


def aligned_intervals(values: Floats, width: Decimal) -> tuple[Floats, Floats]:
    """The ends of the interval of each value. Ends are multiples of the width."""
    digits = max(0, -int(width.as_tuple().exponent))

    def end(number: Floats) -> Floats:
        return np.round(number * float(width), digits)

    number = np.floor(values / float(width))
    # Rounding may have moved a value that lies at an end.
    number -= end(number) > values
    number += end(number + 1) <= values
    return end(number) + 0.0, end(number + 1) + 0.0


def intervals_between(values: Floats, edges: Sequence[float]) -> tuple[Floats, Floats]:
    """The ends of the interval of each value, given the edges of all intervals. All values are inside."""
    ends = np.asarray(edges, dtype=np.float64)
    number = np.searchsorted(ends, values, side="right")
    return ends[number - 1], ends[number]


def check_intervals(given: Any) -> Edges | None:
    """Validate intervals that a user gives: edges, or such lists from narrow to wide that nest.

    Of a single list, neighbours are merged in pairs for the wider levels, as long as at least two are left.

    >>> check_intervals([0, 18, 40, 65, 120])
    ((0.0, 18.0, 40.0, 65.0, 120.0), (0.0, 40.0, 120.0))
    """
    if given is None:
        return None
    listed = _as_list(given)
    is_nested = bool(listed) and all(_as_list(one) for one in listed)
    levels = [_check_edges(_as_list(one)) for one in listed] if is_nested else [_check_edges(listed)]
    if not is_nested:
        while len(levels[-1]) > 3:
            finer = levels[-1]
            levels.append((*finer[:-1:2], finer[-1]))
    for number, (finer, wider) in enumerate(pairwise(levels), start=1):
        if wider[0] > finer[0] or wider[-1] < finer[-1]:
            raise _wrong(
                f"level {number + 1} goes from {_show(wider[0])} to {_show(wider[-1])}, and level {number} from "
                f"{_show(finer[0])} to {_show(finer[-1])}. Let the wider level cover the narrower one."
            )
        divided = [edge for edge in wider if finer[0] < edge < finer[-1] and edge not in finer]
        if divided:
            raise _wrong(
                f"the edge {_show(divided[0])} of level {number + 1} is not an edge of level {number}, so it would "
                f"divide an interval. Add it to level {number}, or leave it out."
            )
    return tuple(levels)


def _as_list(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str) else []


def _check_edges(edges: list[Any]) -> tuple[float, ...]:
    if len(edges) < 2 or not all(isinstance(e, Real) and not isinstance(e, bool) and isfinite(e) for e in edges):
        raise _wrong("give at least two finite numbers, or lists of them from narrow to wide.")
    for before, after in pairwise(edges):
        if before >= after:
            raise _wrong(f"{_show(after)} follows {_show(before)}. Sort the edges, and write each once.")
    return tuple(map(float, edges))


def _wrong(problem: str) -> TableError:
    return TableError(f"The 'intervals' of Numeric cannot be used: {problem}", parameter="intervals")


def _show(number: float) -> str:
    return f"{float(number):.15g}"


class Bounds(NamedTuple):
    """An interval as a text describes it: its ends (``None`` if there is none), and whether they belong to it."""

    low: Decimal | None
    low_inside: bool
    high: Decimal | None
    high_inside: bool

    def holds(self, number: float) -> bool:
        """Whether a number is inside."""
        above = self.low is None or number > self.low or (self.low_inside and number == self.low)
        return above and (self.high is None or number < self.high or (self.high_inside and number == self.high))

    def ends(self, first: Decimal, last: Decimal) -> tuple[Decimal, Decimal]:
        """Both ends. An end that is not given is ``first`` or ``last``, or one beyond the other end."""
        if self.low is not None:
            return self.low, max(last, self.low + 1) if self.high is None else self.high
        assert self.high is not None, "an interval has at least one end"
        return min(first, self.high - 1), self.high


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def read_bounds(text: str) -> Bounds | None:
    """The interval of numbers that a text such as ``[20, 30)``, ``20-29``, ``20..29``, ``>=65`` or ``65+`` describes.

    >>> read_bounds("[20, 30[")
    Bounds(low=Decimal('20'), low_inside=True, high=Decimal('30'), high_inside=False)
    >>> read_bounds("<18").high, read_bounds("(-inf, 18]").low, read_bounds("20,5")
    (Decimal('18'), None, None)
    """
    for span in split_interval(text):
        if all(end is None or _NUMBER.fullmatch(end) for end in (span.low, span.high)):
            low, high = (None if end is None else Decimal(end) for end in (span.low, span.high))
            if low is None or high is None or low <= high:
                return Bounds(low, span.low_inside, high, span.high_inside)
    return None
