"""The sets of concepts of all attributes, in the form that the microaggregation kernels use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.masking.temporary import room_for
from ontomask.operators.set_list import Members
from ontomask.operators.set_measures import AverageBestMatch
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import Points

__all__ = ["IndexedSets", "set_index"]

# Distances that are computed at a time (32 MiB).
_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False)
class IndexedSets:
    """An attribute that holds sets.

    Attributes
    ----------
    space, reach
        The attribute, and the integer that stands for a distance of 1.
    members
        Its distinct sets.
    number
        The number of each tuple's set among them.
    """

    space: ConceptSetSpace
    reach: float
    members: Members
    number: IntArray

    @classmethod
    def of(cls, space: ConceptSetSpace, points: Points, indices: IntArray, reach: float) -> IndexedSets:
        """From the attribute's points and the index of each tuple's point."""
        present, number = np.unique(indices, return_inverse=True)
        return cls(space, reach, space.sets.take(points[present]), number.ravel().astype(np.int32))

    def __len__(self) -> int:
        return len(self.members)

    @property
    def coordinate(self) -> NDArray[np.int64]:
        """Sets have none."""
        return np.zeros(len(self.number), dtype=np.int64)


def set_index(attributes: Sequence[Any], first: int) -> Any:
    """The index of the sets among all attributes, or None; ``first`` is the node of the first set."""
    from ontomask.masking.kernels.set_index import ONE, SetIndex

    sets = [a if isinstance(a, IndexedSets) else None for a in attributes]
    if not any(sets):
        return None
    sizes = [0 if one is None else len(one.members.codes) for one in sets]
    elements = np.cumsum([0, *sizes])
    ends = np.cumsum([0, *(size**2 for size in sizes)])
    row = room_for(int(ends[-1]), np.dtype(np.uint32))
    for at, one in zip(ends.tolist(), sets, strict=False):
        codes = one.members.codes if one is not None else np.zeros(0, dtype=np.int32)
        step = max(1, _AT_ONCE // max(len(codes), 1))
        for start in range(0, len(codes), step):
            assert one is not None
            block = np.rint(one.space.between(codes[start : start + step], codes) * ONE)
            row[at : at + block.size] = block.ravel()
            at += block.size
    starts = [np.zeros(1, dtype=np.int64)]
    for one in sets:
        if one is not None:
            starts.append(starts[-1][-1] + one.members.start[1:])
    known = [(one, low) for one, low in zip(sets, elements.tolist(), strict=False) if one is not None]
    return SetIndex(
        first=first,
        start=np.concatenate(starts),
        element=_joined([one.members.index + low for one, low in known]).astype(np.int32),
        elements=elements,
        row_at=_joined(
            [
                at - low + size * np.arange(size)
                for at, low, size in zip(ends.tolist(), elements.tolist(), sizes, strict=False)
            ]
        ),
        row=row,
        reach=np.array([0.0 if one is None else one.reach for one in sets]),
        is_matching=np.array(
            [one is not None and not isinstance(one.space.measure, AverageBestMatch) for one in sets], dtype=bool
        ),
    )


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts]).astype(np.int64)
