"""Ranges of numbers and of ordered categories that each hold more than a few originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_holders
from ontomask.figures.axis import number_axis
from ontomask.figures.numbers import readable
from ontomask.microdata.disclosure_control import RARE

__all__ = ["Ranges", "ranges_of_categories", "ranges_of_numbers"]

# Beyond these parts of the records numbers are too thin for ranges of their own.
_TAILS = (0.01, 0.99)


@dataclass(frozen=True)
class Ranges:
    """What lies below the first edge, from each edge to the next, and from the last edge on, with names."""

    edges: tuple[float, ...]
    names: tuple[str, ...]

    def count(self, points: NDArray[Any]) -> NDArray[np.int64]:
        """How many points lie in each range."""
        place = np.searchsorted(self.edges, points, side="right") if self.edges else np.zeros(len(points), np.int64)
        return np.bincount(place, minlength=len(self.names))


def ranges_of_numbers(
    points: NDArray[np.float64], persons: NDArray[np.integer] | None, *, whole: bool, most: int
) -> Ranges:
    """Ranges with round ends; the outer ones are open, so that the least and the greatest number are not told.

    Parameters
    ----------
    points, persons
        The number of each record, and whose it is, where that is known.
    whole
        Whether all are whole numbers: these are told by the first and the last of a range.
    most
        How many ranges there may be.
    """
    axis = number_axis(*np.quantile(points, _TAILS, method="nearest").tolist(), most=most)
    edges = _wide_enough(axis.ticks[1:-1], points, persons, most)

    def name(low: float, high: float) -> str:
        if whole and float(low).is_integer() and float(high).is_integer():
            return readable(low) if high - low == 1 else f"{readable(low)}–{readable(high - 1)}"
        return f"{readable(low)} to under {readable(high)}"

    if not edges:
        return Ranges((), ("all numbers",))
    inner = (name(low, high) for low, high in pairwise(edges))
    return Ranges(edges, (f"under {readable(edges[0])}", *inner, f"{readable(edges[-1])} or more"))


def ranges_of_categories(
    points: NDArray[np.integer], persons: NDArray[np.integer] | None, categories: Sequence[str], *, most: int
) -> Ranges:
    """Single categories as far as these have enough records, else several; ranges are named by categories that have.

    The points are places of categories.
    """
    edges = _wide_enough(tuple(float(i) for i in range(1, len(categories))), points, persons, most)
    ends = [0, *(int(edge) for edge in edges), len(categories)]

    def name(low: int, high: int) -> str:
        if high - low == 1:
            return categories[low]
        if low == 0:
            return f"under {categories[high]}" if high < len(categories) else "all categories"
        return (
            f"{categories[low]} to under {categories[high]}" if high < len(categories) else f"{categories[low]} or more"
        )

    return Ranges(edges, tuple(name(low, high) for low, high in pairwise(ends)))


def _wide_enough(
    edges: Sequence[float], points: NDArray[Any], persons: NDArray[np.integer] | None, most: int
) -> tuple[float, ...]:
    """Those edges between which enough originals lie.

    A range that holds a few goes to the one below it, the first to the one above; so every range but the first begins
    with what many have. If there are still too many ranges, the two neighbours that hold the fewest go together.
    """
    left = list(edges)
    while left:
        place = np.searchsorted(left, points, side="right")
        held = count_holders(place, len(left) + 1, persons)
        few = np.flatnonzero(held < RARE)
        if len(few):
            del left[max(int(few[0]) - 1, 0)]
        elif len(held) > most:
            del left[int((held[1:] + held[:-1]).argmin())]
        else:
            break
    return tuple(left)
