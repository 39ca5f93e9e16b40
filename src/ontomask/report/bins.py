"""Bins for the values of a column, so that no bin holds only a few people.

Concepts are binned by a cut through their taxonomy, numbers, dates and ordered categories by ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes, count_holders
from ontomask.base.text import readable
from ontomask.figures.axes import number_axis
from ontomask.kinds.calendar import last_day, span_text, starts_between
from ontomask.microdata.disclosure_control import RARE
from ontomask.taxonomy.graph import Graph

__all__ = [
    "ConceptBin",
    "ConceptBins",
    "Held",
    "Ranges",
    "ranges_of_categories",
    "ranges_of_dates",
    "ranges_of_numbers",
]

# A concept is split only if this share of its records falls into kinds that are frequent enough to be shown.
_KEPT = 0.75
# Ranges of numbers are chosen between these quantiles; beyond them numbers are too sparse.
_TAILS = (0.01, 0.99)


@dataclass(frozen=True)
class ConceptBin:
    """A concept with all its kinds, or the concept ``alone`` if its kinds have bins of their own."""

    code: int
    alone: bool = False


class ConceptBins:
    """A cut through a taxonomy: bins under which the records of a column are counted.

    A concept belongs to the first of its parents, so that each record is counted once. The cut starts at the root. The
    concept with the most records is replaced by its children, again and again. This ends if there would be too many
    bins, or if most of its records belong to children that are too rare to be shown. A concept with more than half of
    all records is always replaced, since it would say little.

    Parameters
    ----------
    graph
        The taxonomy.
    before, after
        The number of records of every concept.
    may_name
        Whether a concept may be named. A concept that may not is replaced by its kinds first.
    most
        The number of bins to aim for.
    """

    def __init__(
        self,
        graph: Graph,
        before: NDArray[np.int64],
        after: NDArray[np.int64],
        may_name: Callable[[int], bool],
        *,
        most: int,
    ) -> None:
        self._levels = [slice(low, high) for low, high in zip(graph.level_start, graph.level_start[1:], strict=False)]
        self._parent: IntArray = np.zeros(len(graph), dtype=np.int32)
        self._parent[1:] = graph.parent[graph.parent_start[1:-1]]
        original, masked = self._with_kinds(before), self._with_kinds(after)
        self._own, self._records = before + after, original + masked
        # Whether a concept is frequent enough for a bin, alone or with its kinds.
        self._is_large = {True: _large(before, after), False: _large(original, masked)}
        below = np.flatnonzero(self._records > 0)
        below = below[below > 0]
        self._kinds = below[np.argsort(self._parent[below], kind="stable")]
        self._kinds_of = self._parent[self._kinds]
        self.bins = self._split(may_name, most)

    def _with_kinds(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sums over each concept and all its kinds."""
        total = own.astype(np.int64)
        for level in self._levels[:0:-1]:
            np.add.at(total, self._parent[level], total[level])
        return total

    def _below(self, code: int) -> list[ConceptBin]:
        first, last = np.searchsorted(self._kinds_of, [code, code + 1])
        kinds = [ConceptBin(kind) for kind in self._kinds[first:last].tolist()]
        return [*kinds, ConceptBin(code, alone=True)] if kinds else []

    def _split(self, may_name: Callable[[int], bool], most: int) -> list[ConceptBin]:
        bins, done = [ConceptBin(0)], set[int]()
        while True:
            can = [b.code for b in bins if not b.alone and b.code not in done and self._below(b.code)]
            if not can:
                break
            code = min(can, key=lambda c: (may_name(c), -self._records[c], c))
            large = [one for one in self._below(code) if self._is_large[one.alone][one.code]]
            if not large or not self._is_worthwhile(code, large, len(bins) - 1 + len(large) <= most):
                done.add(code)
                if len(bins) > most:
                    break
                continue
            bins = [one for one in bins if one != ConceptBin(code)] + large
        return bins

    def _is_worthwhile(self, code: int, large: list[ConceptBin], is_room: bool) -> bool:
        """Whether the kinds of a concept say more than the concept."""
        kept = sum(int(self._own[one.code] if one.alone else self._records[one.code]) for one in large)
        says_little = 2 * self._records[code] > self._records[0]
        return bool(says_little or (is_room and kept >= _KEPT * self._records[code]))

    @property
    def bin_of(self) -> IntArray:
        """The number of each concept's bin; ``len(bins)`` for concepts that are too rare to have one."""
        inside = np.full(len(self._parent), -1, dtype=np.int32)
        for number, one in enumerate(self.bins):
            if not one.alone:
                inside[one.code] = number
        for level in self._levels[1:]:
            own = inside[level]
            inside[level] = np.where(own >= 0, own, inside[self._parent[level]])
        for number, one in enumerate(self.bins):
            if one.alone:
                inside[one.code] = number
        return np.where(inside < 0, len(self.bins), inside).astype(np.int32)


def _large(original: NDArray[np.int64], masked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether there are enough originals or, if there are none, enough masked records."""
    large: NDArray[np.bool_] = np.where(original > 0, original, masked) >= RARE
    return large


@dataclass(frozen=True)
class Ranges:
    """Ranges with names: below the first edge, from each edge to the next, and from the last edge on."""

    edges: tuple[float, ...]
    names: tuple[str, ...]

    def count(self, points: NDArray[Any], records: Records = None) -> NDArray[np.int64]:
        """The number of points in each range, each for one record or as many ``records``."""
        number = np.searchsorted(self.edges, points, side="right") if self.edges else np.zeros(len(points), np.int64)
        return count_codes(number, len(self.names), records)


class Held(NamedTuple):
    """The points of a column, the person of each, if known, and how many records each stands for; ``None``: one."""

    points: NDArray[Any]
    persons: NDArray[np.integer] | None = None
    records: Records = None

    def tails(self) -> tuple[float, float]:
        """The points of the records at the quantiles between which ranges are chosen."""
        if self.records is None:
            low, high = np.quantile(self.points, _TAILS, method="nearest").tolist()
            return low, high
        order = np.argsort(self.points, kind="stable")
        until = np.cumsum(self.records[order])
        at = np.rint(np.array(_TAILS) * (until[-1] - 1))
        low, high = self.points[order[np.searchsorted(until, at, side="right")]].tolist()
        return low, high


def ranges_of_numbers(held: Held, *, integers: bool, most: int) -> Ranges:
    """Ranges with round ends. The outer ranges are open, so that the smallest and largest number are not shown.

    Parameters
    ----------
    held
        The numbers of the records.
    integers
        Whether all numbers are integers. Then a range is named by its first and last number.
    most
        The largest number of ranges.
    """
    axis = number_axis(*held.tails(), most=most)
    edges = _wide_enough(axis.ticks[1:-1], held, most)

    def name(low: float, high: float) -> str:
        if integers and float(low).is_integer() and float(high).is_integer():
            return readable(low) if high - low == 1 else f"{readable(low)}–{readable(high - 1)}"
        return f"{readable(low)} to under {readable(high)}"

    if not edges:
        return Ranges((), ("all numbers",))
    inner = (name(low, high) for low, high in pairwise(edges))
    return Ranges(edges, (f"under {readable(edges[0])}", *inner, f"{readable(edges[-1])} or more"))


def ranges_of_dates(held: Held, *, most: int) -> Ranges:
    """Ranges of whole days, months or years. The outer ranges are open, as for numbers.

    The points are days.
    """
    low, high = map(int, held.tails())
    starts, months = starts_between(low, high, most)
    edges = _wide_enough([float(start) for start in starts], held, most)
    if not edges:
        return Ranges((), ("all dates",))
    first, last = (span_text(int(edge), last_day(int(edge), months)) for edge in (edges[0], edges[-1]))
    inner = (span_text(int(low), int(high) - 1) for low, high in pairwise(edges))
    return Ranges(edges, (f"before {first}", *inner, f"{last} or later"))


def ranges_of_categories(held: Held, categories: Sequence[str], *, most: int) -> Ranges:
    """Single categories if they have enough records, otherwise ranges, named by categories that have enough.

    The points are indices of categories.
    """
    edges = _wide_enough(tuple(float(i) for i in range(1, len(categories))), held, most)
    ends = [0, *(int(edge) for edge in edges), len(categories)]

    def name(low: int, high: int) -> str:
        if high - low == 1:
            return categories[low]
        if high == len(categories):
            return "all categories" if low == 0 else f"{categories[low]} or more"
        return f"under {categories[high]}" if low == 0 else f"{categories[low]} to under {categories[high]}"

    return Ranges(edges, tuple(name(low, high) for low, high in pairwise(ends)))


def _wide_enough(edges: Sequence[float], points: Held, most: int) -> tuple[float, ...]:
    """The edges between which there are enough originals.

    A range with few joins the one below it, the first range the one above. So every range but the first starts with a
    frequent value. If there are still too many ranges, the two neighbours with the fewest originals are joined.
    """
    left = list(edges)
    while left:
        number = np.searchsorted(left, points.points, side="right")
        held = count_holders(number, len(left) + 1, points.persons, points.records)
        few = np.flatnonzero(held < RARE)
        if len(few):
            del left[max(int(few[0]) - 1, 0)]
        elif len(held) > most:
            del left[int((held[1:] + held[:-1]).argmin())]
        else:
            break
    return tuple(left)
