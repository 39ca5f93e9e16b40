"""A cut through a taxonomy: a dozen concepts under which all records of a column can be counted.

Each concept has one place, under the first of its parents, so that every record is counted once. The cut begins at the
root, and the concept with the most records is replaced by its kinds as long as there are not too many and few of its
records are of kinds too rare to be shown; one with more than half of all records is replaced in any case, since it
would tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.microdata.disclosure_control import RARE
from ontomask.taxonomy.graph import Graph

__all__ = ["Cut", "Place"]

# The part of a concept's records that must be of kinds common enough to be shown, before these take its place.
_KEPT = 0.75


@dataclass(frozen=True)
class Place:
    """A concept with all its kinds or, where these have places of their own, the concept alone."""

    code: int
    alone: bool = False


class Cut:
    """The places of a cut, and which of them each concept has; concepts that are too rare have none.

    Parameters
    ----------
    graph
        The taxonomy.
    before, after
        For every concept the records that mean it.
    may_name
        Whether a concept may be named; one that may not is replaced by its kinds before others are.
    most
        How many places there should be.
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
        original, masked = self._summed(before), self._summed(after)
        self._own, self._records = before + after, original + masked
        # By concept, alone or with its kinds: what is too rare for a bar of its own does not count.
        self._is_large = {True: _large(before, after), False: _large(original, masked)}
        below = np.flatnonzero(self._records > 0)
        below = below[below > 0]
        self._kinds = below[np.argsort(self._parent[below], kind="stable")]
        self._kinds_of = self._parent[self._kinds]
        self.places = self._split(may_name, most)

    def _summed(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """Over a concept and all its kinds."""
        total = own.astype(np.int64)
        for level in self._levels[:0:-1]:
            np.add.at(total, self._parent[level], total[level])
        return total

    def _below(self, code: int) -> list[Place]:
        first, last = np.searchsorted(self._kinds_of, [code, code + 1])
        kinds = [Place(kind) for kind in self._kinds[first:last].tolist()]
        return [*kinds, Place(code, alone=True)] if kinds else []

    def _split(self, may_name: Callable[[int], bool], most: int) -> list[Place]:
        places, done = [Place(0)], set[int]()
        while True:
            can = [p.code for p in places if not p.alone and p.code not in done and self._below(p.code)]
            if not can:
                break
            code = min(can, key=lambda c: (may_name(c), -self._records[c], c))
            large = [place for place in self._below(code) if self._is_large[place.alone][place.code]]
            if not large or not self._worthwhile(code, large, len(places) - 1 + len(large) <= most):
                done.add(code)
                if len(places) > most:
                    break
                continue
            places = [p for p in places if p != Place(code)] + large
        return places

    def _worthwhile(self, code: int, large: list[Place], is_room: bool) -> bool:
        """Whether the kinds of a concept tell more than the concept."""
        kept = sum(int(self._own[p.code] if p.alone else self._records[p.code]) for p in large)
        says_little = 2 * self._records[code] > self._records[0]
        return bool(says_little or (is_room and kept >= _KEPT * self._records[code]))

    @property
    def place_of(self) -> IntArray:
        """For every concept the number of its place; for those that are too rare to have one, how many there are."""
        inside = np.full(len(self._parent), -1, dtype=np.int32)
        for number, place in enumerate(self.places):
            if not place.alone:
                inside[place.code] = number
        for level in self._levels[1:]:
            own = inside[level]
            inside[level] = np.where(own >= 0, own, inside[self._parent[level]])
        for number, place in enumerate(self.places):
            if place.alone:
                inside[place.code] = number
        return np.where(inside < 0, len(self.places), inside).astype(np.int32)


def _large(original: NDArray[np.int64], masked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Enough originals or, where there are none at all, enough masked records."""
    large: NDArray[np.bool_] = np.where(original > 0, original, masked) >= RARE
    return large
