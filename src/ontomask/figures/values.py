"""Validation of the numbers in a chart, and their ranges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import readable
from ontomask.errors import FigureError

__all__ = ["Numbers", "check_int", "extent", "number_pair", "numbers", "span", "spread"]

Numbers: TypeAlias = Sequence[float] | NDArray[Any]
"""A list of numbers. None and NaN mean that there is no value."""

# Larger numbers have no axis.
_MOST = 1e100


def numbers(values: Numbers, what: str, *, length: int | None = None, gaps: bool = True) -> tuple[float, ...]:
    """Convert values to floats; ``what`` names them in errors, and without ``gaps`` none may be missing."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise FigureError(f"The {what} must be numbers. Remove the other values.", parameter=what) from None
    if found.ndim != 1:
        raise FigureError(f"The {what} must be one list of numbers. Got {found.ndim} dimensions.", parameter=what)
    if length is not None and len(found) != length:
        raise FigureError(f"The {what} must have {length:,} values. Got {len(found):,}.", parameter=what)
    missing, beyond = int(np.isnan(found).sum()), int((np.abs(found) > _MOST).sum())
    if missing and not gaps:
        raise FigureError(f"The {what} must have no gaps. Remove the {missing:,} without a value.", parameter=what)
    if beyond:
        raise FigureError(
            f"The {what} must be finite and at most {_MOST:g}. {beyond:,} are not: replace them by NaN.", parameter=what
        )
    return tuple(found.tolist())


def spread(low: Numbers | None, high: Numbers | None, length: int) -> dict[str, tuple[float, ...] | None]:
    """Check the ends of the spread around each value: both or neither, and low not above high."""
    if low is None and high is None:
        return {"low": None, "high": None}
    if low is None or high is None:
        raise FigureError("A spread needs both ends. Give low and high, or neither.", parameter="low")
    ends = numbers(low, "low", length=length), numbers(high, "high", length=length)
    crossed = sum(a > b for a, b in zip(*ends, strict=True))
    if crossed:
        raise FigureError(
            f"The low end must not be above the high end. Swap the {crossed:,} that are.", parameter="low"
        )
    return {"low": ends[0], "high": ends[1]}


def number_pair(value: object, what: str) -> tuple[float, float]:
    """Two finite numbers."""
    first, second = numbers(value, what, length=2, gaps=False)  # type: ignore[arg-type]
    return first, second


def check_int(value: object, what: str, least: int) -> None:
    """Check that a parameter is an int of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise FigureError(f"The {what!r} of a chart must be an int ≥ {least}. Got {value!r}.", parameter=what)


def extent(*lists: Iterable[float] | None) -> tuple[float, float] | None:
    """Smallest and largest of all values, or None without any."""
    found = [value for values in lists if values is not None for value in values if not isnan(value)]
    return (min(found), max(found)) if found else None


def span(values: Iterable[float]) -> str:
    """The range of values in words.

    >>> span([3, 1, float("nan")]), span([])
    ('1 to 3', 'no values')
    """
    found = extent(values)
    return f"{readable(found[0])} to {readable(found[1])}" if found else "no values"
