"""Align the released points of groups in some columns, until enough records share each combination of these columns.

Groups stay apart in their other columns, so this loses less than merging them. Their records stay together, so k over
all columns still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.masking.groups import Groups
from ontomask.masking.merging import join_nearest, merge_short
from ontomask.masking.requirements import ColumnsK
from ontomask.microdata import Microdata
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points
from ontomask.privacy.grouped import Grouped

__all__ = ["align_columns"]

# Requirements whose columns overlap can undo each other. After so many passes groups are merged instead.
_MOST_PASSES = 5

Represent = Callable[[Tuples, IntArray], Sequence[Any] | None]


def align_columns(
    data: Microdata,
    rows: IntArray,
    tuples: Tuples,
    groups: Groups,
    needs: Sequence[ColumnsK],
    represent: Represent,
    rng: np.random.Generator,
) -> Groups:
    """Groups whose points meet requirements on combinations of columns; see `merge_short` for the parameters.

    In each round, one after another, every combination that too few share takes the points of the nearest other one:
    the point of all tuples of both, as if their groups were merged, but in these columns only.
    """
    if not needs or groups.start is not None:
        return groups
    # If columns of one requirement are among those of another, aligning fewer columns last keeps both.
    ordered = sorted(needs, key=lambda need: -len(need.columns))
    points = [np.array(column) for column in groups.points]
    aligned = 0
    for _ in range(_MOST_PASSES):
        changed = [_align(data, rows, tuples, groups.group, points, need, represent) for need in ordered]
        aligned += sum(changed)
        if not any(changed):
            details = {**groups.details, "aligned": aligned}
            return replace(groups, points=points, details=details)
    return merge_short(data, rows, tuples, replace(groups, points=points), ordered, represent, rng)


def _align(
    data: Microdata,
    rows: IntArray,
    tuples: Tuples,
    group: IntArray,
    points: list[Points],
    need: ColumnsK,
    represent: Represent,
) -> int:
    """Change the points until one requirement holds. Returns how many combinations were aligned."""
    at = [j for j, name in enumerate(tuples.names) if name in need.columns]
    aligned = 0
    while at:
        number, firsts = group_rows(*_codes([points[j] for j in at]))
        short = np.flatnonzero(_sizes(data, rows, group, number) < need.k)
        if not len(short) or len(firsts) == 1:
            break
        combinations = [points[j][firsts] for j in at]
        root = join_nearest([tuples.spaces[j] for j in at], combinations, short)
        for chosen in np.flatnonzero(np.bincount(root, minlength=len(root)) > 1).tolist():
            mine = root[number] == chosen
            members = np.flatnonzero((group >= 0) & mine[group]).astype(np.int32)
            point = represent(tuples, members)
            assert point is not None, "only methods that can merge groups align them"
            for j in at:
                points[j][mine] = point[j]
        aligned += len(root) - len(np.unique(root))
    return aligned


def _codes(columns: Sequence[Points]) -> tuple[list[NDArray[np.integer]], list[int]]:
    codes: list[NDArray[np.integer]] = [np.unique(column, return_inverse=True)[1].ravel() for column in columns]
    return codes, [int(code.max()) + 1 for code in codes]


def _sizes(data: Microdata, rows: IntArray, group: IntArray, number: NDArray[np.integer]) -> NDArray[np.int64]:
    """How many records, or persons, share each combination, given the combination of each group."""
    groups = np.full(len(data.table), -1, dtype=np.int64)
    groups[rows] = np.where(group == SUPPRESSED, -1, number[group])
    return Grouped(data, groups).anonymity().sizes
