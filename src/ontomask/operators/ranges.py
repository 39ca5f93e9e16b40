"""Ranges of ordered values as points: complex numbers of a middle and half a width.

Exact values are real numbers. In an array that also holds ranges all points are complex: the real part is the middle
of a range, the imaginary part half its width, which is 0 for an exact value. NumPy sorts complex numbers by the middle
and then by the width, so different ranges with the same middle stay different values. Points that are infinitely wide
are off the line: `ANY` stands for any value, as a suppressed cell or the top of a column; `own_point` is a value of its
own, such as that of missing cells.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.operators.space import Points

__all__ = [
    "ANY",
    "as_complex",
    "ends_of",
    "is_any",
    "is_off_line",
    "is_range",
    "join_points",
    "make_points",
    "make_ranges",
    "own_point",
]

ANY = complex(0, math.inf)
"""The point of a cell that may be any value. Its distance is 0 to itself and 1 to everything else."""


def make_ranges(low: ArrayLike, high: ArrayLike) -> NDArray[np.complex128]:
    """Ranges from their ends, both of which they contain. Equal ends give an exact value.

    >>> make_ranges([30, 7], [39, 7]).tolist()
    [(34.5+4.5j), (7+0j)]
    """
    first, last = (np.asarray(ends, dtype=np.float64) for ends in (low, high))
    middle = first + (last - first) / 2
    half = np.maximum(last - middle, middle - first)
    # Rounding must not exclude an end.
    for _ in range(2):
        half = np.where((middle - half > first) | (middle + half < last), np.nextafter(half, np.inf), half)
    out = np.empty(middle.shape, dtype=np.complex128)
    out.real, out.imag = middle, half
    return out


def ends_of(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and upper ends of points; those of an exact value are the value itself.

    >>> low, high = ends_of(np.array([34.5 + 4.5j, ANY, 7]))
    >>> low.tolist(), high.tolist()
    ([30.0, -inf, 7.0], [39.0, inf, 7.0])
    """
    return points.real - points.imag, points.real + points.imag


def is_range(points: Points) -> NDArray[np.bool_]:
    """Which points are ranges, including those off the line."""
    return points.imag > 0 if np.iscomplexobj(points) else np.zeros(np.shape(points), dtype=bool)


def is_off_line(points: Points) -> NDArray[np.bool_]:
    """Which points are `ANY` or values of their own."""
    return np.isinf(points.imag) if np.iscomplexobj(points) else np.zeros(np.shape(points), dtype=bool)


def is_any(points: Points) -> NDArray[np.bool_]:
    """Which points are `ANY`."""
    return is_off_line(points) & (points.real == ANY.real)


def own_point(number: int) -> complex:
    """The point of the value of its own with a number, from 1 on. It is at distance 1 from everything else.

    >>> is_any(np.array([ANY, own_point(1), 7])).tolist(), is_off_line(np.array([ANY, own_point(1), 7])).tolist()
    ([True, False, False], [True, True, False])
    """
    return complex(number, math.inf)


def as_complex(points: Points) -> NDArray[np.complex128]:
    """Points in the form that can hold ranges.

    >>> as_complex(np.array([7, 9])).tolist()
    [(7+0j), (9+0j)]
    """
    return np.asarray(points, dtype=np.complex128)


def make_points(found: list[Any], dtype: np.dtype[Any]) -> Points:
    """An array of single points: of the type of exact values, or complex if some are ranges.

    >>> make_points([7, 9], np.dtype(np.int32)), make_points([7, ANY], np.dtype(np.int32))
    (array([7, 9], dtype=int32), array([7. +0.j, 0.+infj]))
    """
    return join_points(dtype, np.array(found)) if found else np.empty(0, dtype=dtype)


def join_points(dtype: np.dtype[Any], *parts: Points) -> Points:
    """Concatenate points. The result has the type of exact values, or is complex if some are ranges.

    >>> join_points(np.dtype(np.int32), np.array([7]), np.array([9 + 0j])).tolist()
    [7, 9]
    """
    every = np.concatenate(parts) if parts else np.empty(0)
    if not np.iscomplexobj(every):
        return every.astype(dtype)
    return every if is_range(every).any() else every.real.astype(dtype)
