"""Replacing values by concepts as far away as errors ask for, on the side of a reference point that their signs name.

What can replace a value does not depend on the record, so records are taken value by value: the domain is sorted by
distance to each value once, and looked through from there for each of its reference points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.operators.concepts import NominalSpace

__all__ = ["NO_REFERENCE", "Replacement", "replace_values"]

NO_REFERENCE = -1

# Levels of this many bytes are held for the reference points that occur most; those of the others are made each time.
_ROOM = 2**28
# Values between two reports of progress.
_STRIDE = 64
# Fewer records than this are not worth looking for twins among them.
_FEW = 32


@dataclass(frozen=True, eq=False)
class Replacement:
    """What became of an attribute's values, record by record.

    Attributes
    ----------
    points
        The replacements.
    moved
        How far each lies from the value that it replaces.
    truncated
        Where no concept on the side asked for was as far away as the error.
    sign_dropped
        Where no concept lay on the side asked for, so that only the magnitude of the error counted.
    """

    points: IntArray
    moved: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    sign_dropped: NDArray[np.bool_]


def replace_values(
    space: NominalSpace,
    values: IntArray,
    references: IntArray,
    errors: NDArray[np.float64],
    chances: NDArray[np.float64],
    *,
    name: str = "values",
) -> Replacement:
    """Replace each record's value (N eq. 21, Algorithms 1–3; C Algorithm 1).

    Among the concepts at least as far from the value as the error is large, on the side that its sign asks for
    (positive: farther from the reference point than the value, negative: closer), it is the nearest; if none is as far,
    the farthest on that side; if none is on that side, the same regardless of sides. An error of 0 leaves the value.

    Parameters
    ----------
    space
        The attribute.
    values, references
        For each record the point of its value, and of its reference; `NO_REFERENCE`: only the magnitude counts.
    errors, chances
        For each record the error, and a number in [0, 1) that picks one of the concepts that tie, in taxonomy order.
    name
        Of the attribute, for the progress bar.
    """
    from ontomask.masking.kernels.noise import SIGN_DROPPED, TRUNCATED, replace_value, sort_by_level

    levels = _Levels(space, references)
    place = levels.place[references]
    sorted_for = _twins(space)[values] if len(values) >= _FEW else values
    # Where the reference point is one of the two, the other lies on one of its sides, and neither stands for both.
    sorted_for = np.where((references == sorted_for) | (references == values), values, sorted_for)
    row = np.argsort(sorted_for * np.int64(len(space.domain) + 1) + place, kind="stable")
    sorted_for, place, values, errors, chances = (sorted_for[row], place[row], values[row], errors[row], chances[row])
    out = np.empty(len(row), dtype=np.int32)
    moved = np.empty(len(row))
    status = np.empty(len(row), dtype=np.uint8)
    order, found = (np.empty(len(space.domain), dtype=np.int32) for _ in range(2))
    bounds = _bounds(sorted_for)
    with progress(f"Adding noise to {name}", len(bounds) - 1) as advance:
        for number, (low, high) in enumerate(pairwise(bounds), 1):
            level, distance = levels.of(int(sorted_for[low]))
            start, reached = np.empty(len(distance) + 1, dtype=np.int32), np.empty(len(distance))
            used = sort_by_level(level, distance, order, start, reached)
            for rows, held, at in levels.parts(place[low:high]):
                part = slice(low + rows.start, low + rows.stop)
                replace_value(
                    sorted_for[low],
                    order,
                    start[: used + 1],
                    reached[:used],
                    held,
                    at,
                    values[part],
                    errors[part],
                    chances[part],
                    found,
                    out[part],
                    moved[part],
                    status[part],
                )
            if number % _STRIDE == 0:
                advance(_STRIDE)
    return Replacement(
        _put_back(out, row),
        _put_back(moved, row),
        _put_back((status & TRUNCATED) > 0, row),
        _put_back((status & SIGN_DROPPED) > 0, row),
    )


def _put_back(ordered: NDArray[Any], row: NDArray[np.intp]) -> NDArray[Any]:
    out = np.empty_like(ordered)
    out[row] = ordered
    return out


def _twins(space: NominalSpace) -> IntArray:
    """For each concept the first of its twins: leaves with the same one parent, equally far from all but each other.

    Two thirds of the concepts of a large taxonomy have one, so the domain need not be sorted for each anew.
    """
    first = np.arange(len(space.domain), dtype=np.int32)
    if not space.distance.links_only:
        return first
    graph = space.distance.taxonomy.graph
    code = space.in_distance(first)
    leaf = np.diff(graph.parent_start) == 1
    leaf[graph.parent] = False
    leaves = np.flatnonzero(leaf[code])
    parent = graph.parent[graph.parent_start[code[leaves]]]
    _, eldest, family = np.unique(parent, return_index=True, return_inverse=True)
    first[leaves] = leaves[eldest[family]]
    return first


def _bounds(ordered: IntArray) -> list[int]:
    """Where runs of equal numbers begin, and the end of the last one."""
    return [*np.flatnonzero(np.diff(ordered, prepend=-1)).tolist(), len(ordered)]


class _Levels:
    """Levels of distance to points, over the domain; those of the reference points that occur most are held."""

    def __init__(self, space: NominalSpace, references: IntArray) -> None:
        self._distance = space.distance
        self._code = space.in_distance(np.arange(len(space.domain), dtype=np.int32))
        self._whole = space.distance.taxonomy is space.domain
        often = np.bincount(references[references != NO_REFERENCE], minlength=1)
        self._points = np.argsort(-often, kind="stable")[: np.count_nonzero(often)]
        #: The place of each reference point among them; negative where there is none. The last is NO_REFERENCE's.
        self.place = np.full(len(space.domain) + 1, NO_REFERENCE, dtype=np.int32)
        self.place[self._points] = np.arange(len(self._points), dtype=np.int32)
        first = self.of(int(self._points[0]) if len(self._points) else 0)[0]
        room = max(_ROOM // first.nbytes, 1)
        self._held = np.empty((max(min(len(self._points), room), 1), len(first)), dtype=first.dtype)
        self._held[0] = first
        for i, point in enumerate(self._points[1:room].tolist(), 1):
            self._held[i] = self.of(point)[0]

    def of(self, point: int) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """The level of every concept, and the distance that each level stands for."""
        level, distance = self._distance.levels(int(self._code[point]))
        return (level if self._whole else level[self._code]), distance

    def parts(self, place: IntArray) -> Iterator[tuple[slice, NDArray[np.integer], IntArray]]:
        """Records with ascending places in parts: the records, rows of levels, and each record's row."""
        held = int(np.searchsorted(place, len(self._held)))
        if held:
            yield slice(0, held), self._held, place[:held]
        for low, high in pairwise(_bounds(place[held:])):
            level = self.of(int(self._points[place[held + low]]))[0]
            yield slice(held + low, held + high), level[None], np.zeros(high - low, dtype=np.int32)
