"""Numbers that come into a picture, checked, and numbers that are written in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, isnan, log10
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import FigureError

__all__ = [
    "Numbers",
    "check_range",
    "check_size",
    "check_spread",
    "extent",
    "numbers",
    "pair",
    "readable",
    "span",
    "tick_text",
]

Numbers: TypeAlias = Sequence[float] | NDArray[Any]
"""What is taken for a list of numbers; None and NaN mean that there is no value."""

_MOST = 1e100
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def numbers(values: Numbers, what: str, *, length: int | None = None, gaps: bool = True) -> tuple[float, ...]:
    """Values as floats.

    Parameters
    ----------
    values
        What was given.
    what
        What the values are, for the message.
    length
        How many there must be.
    gaps
        Whether values may lack (None or NaN).
    """
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise FigureError(f"{what} must be numbers. Got values that are none instead.") from None
    if found.ndim != 1:
        raise FigureError(f"{what} must be one list of numbers. Got {found.ndim} dimensions instead.")
    if length is not None and len(found) != length:
        raise FigureError(f"{what} must have {length:,} values. Got {len(found):,} instead.")
    check_size(found, what, gaps=gaps)
    return tuple(found.tolist())


def check_size(found: NDArray[np.float64], what: str, *, gaps: bool = True) -> None:
    """Refuse infinite and absurdly large numbers, for which there is no axis, and gaps where there may be none."""
    if not gaps and np.isnan(found).any():
        raise FigureError(f"{what} must all be there. Got {np.isnan(found).sum():,} without a value: leave them out.")
    beyond = int((np.abs(found) > _MOST).sum())
    if beyond:
        raise FigureError(
            f"{what} must be finite numbers (at most {_MOST:g} in size). Got {beyond:,} beyond that: "
            f"use NaN for a value that lacks."
        )


def check_spread(
    low: Numbers | None, high: Numbers | None, what: str, length: int
) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
    """The ends of a spread around each value: both or neither, and not crossed."""
    if low is None and high is None:
        return None, None
    if low is None or high is None:
        raise FigureError(f"{what} must have both ends of its spread, low and high. Got one instead.")
    ends = numbers(low, f"low of {what}", length=length), numbers(high, f"high of {what}", length=length)
    crossed = sum(a > b for a, b in zip(*ends, strict=True))
    if crossed:
        raise FigureError(f"low of {what} must not be above high. Got {crossed:,} that are.")
    return ends


def check_range(value_range: object, what: str) -> tuple[float, float] | None:
    """A range as two floats in order, or None."""
    if value_range is None:
        return None
    low, high = pair(value_range, what)
    if low > high:
        raise FigureError(f"{what} must be (low, high). Got {low:g} above {high:g} instead.")
    return low, high


def pair(value: object, what: str) -> tuple[float, float]:
    """Two finite numbers."""
    low, high = numbers(value, what, length=2, gaps=False)  # type: ignore[arg-type]
    return low, high


def extent(*lists: Iterable[float] | None) -> tuple[float, float] | None:
    """Least and greatest of all values that are there, if any."""
    there = [value for values in lists if values is not None for value in values if not isnan(value)]
    return (min(there), max(there)) if there else None


def span(values: Iterable[float]) -> str:
    """The range of some values in words.

    >>> span([3, 1, float("nan")]), span([])
    ('1 to 3', 'no values')
    """
    found = extent(values)
    return f"{readable(found[0])} to {readable(found[1])}" if found else "no values"


def readable(value: float, digits: int = 4) -> str:
    """A number for people: some significant digits, commas between thousands, a true minus sign.

    >>> readable(0.123456), readable(-1234567), readable(2.0), readable(float("nan")), readable(1e-9)
    ('0.1235', '−1,234,567', '2', 'no value', '1×10⁻⁹')
    """
    if isnan(value):
        return "no value"
    if value == 0:
        return "0"
    power = floor(log10(abs(value)))
    if not -5 < power < 12:
        return _scientific(value, digits)
    text = f"{value:,.{max(0, digits - 1 - power)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "\N{MINUS SIGN}")


def tick_text(value: float, step: float) -> str:
    """The label of a tick: all ticks of an axis have the decimals that its step needs.

    >>> tick_text(0.5, 0.25), tick_text(-2000, 1000), tick_text(3e8, 1e8)
    ('0.50', '−2,000', '3×10⁸')
    """
    if value == 0:
        return "0"
    power = floor(log10(step) + 1e-9)
    if power < -5 or abs(value) >= 1e7:
        return _scientific(value, 2 + floor(log10(abs(value))) - power)
    decimals = max(0, -power) + (0 if abs(step / 10.0**power - round(step / 10.0**power)) < 1e-6 else 1)
    return f"{value:,.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _scientific(value: float, digits: int) -> str:
    mantissa, power = f"{value:.{max(0, min(digits - 1, 12))}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}×10{str(int(power)).translate(_SUPERSCRIPT)}".replace("-", "\N{MINUS SIGN}")
