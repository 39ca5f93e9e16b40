"""Figures that are shared are rounded: exact ones would let somebody test guesses of the seed by repeating the run."""

from __future__ import annotations

from math import isfinite
from typing import TypeVar

__all__ = ["rounded"]

Figure = TypeVar("Figure", int, float, "int | None", "float | None")


def rounded(value: Figure, digits: int = 3) -> Figure:
    """A figure with some significant digits; what is no finite number stays.

    >>> rounded(0.123456), rounded(98765), rounded(None)
    (0.123, 98800, None)
    """
    if value is None or not isfinite(value):
        return value
    return type(value)(float(f"{value:.{digits}g}"))
