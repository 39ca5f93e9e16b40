"""Suppression of single cells: a search for few cells, after which every record shares its tuple with k records.

By *equality*, a suppressed cell is a value of its own: a record is counted with those that are released with the same
values and the same suppressed cells. A *mask* is a set of columns that are suppressed, and each tuple gets one. First,
masks are tried from the cheapest on: tuples without a mask that become equal under it take it if they have k records.
Then cells are saved: tuples join cheaper groups, new groups are opened for tuples that cost more where they are, and
groups are closed.

With *wildcards*, a suppressed cell matches any value (`ontomask.base.matching`). Here fully suppressed records would
match everybody, so k − 1 of them would do for a whole table and protect nobody. Therefore only records that fewer than
k records match are suppressed, and each only until k records match it. The records that need most come first, because
their suppressed cells also help others. Then cells that need no longer be suppressed are restored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.base.progress import progress
from ontomask.masking.anonymous import KAnonymous
from ontomask.masking.groups import Groups
from ontomask.masking.results import Planned, Requirement
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples

__all__ = ["SEMANTICS", "Semantics", "suppress_cells"]

Semantics = Literal["equality", "wildcard"]
SEMANTICS: tuple[Semantics, ...] = ("equality", "wildcard")

# The group of each tuple under each mask is kept in memory. If these are more than this, only some masks are tried.
_MOST_ENTRIES = 1 << 24
# With more columns, not every set of them can be tried for each tuple.
_MOST_COLUMNS = 12
_PASSES = 20


def suppress_cells(
    data: Microdata,
    k: int,
    rng: np.random.Generator,
    *,
    semantics: Semantics,
    require: Sequence[Requirement] = (),
) -> Planned:
    """Suppress few cells, each counted with the weight of its column, so that k holds by the semantics.

    Equal records are treated alike. Nothing is random.
    """
    tops = {name: column.anything for name, column in data.quasi_identifiers.items()}
    return _FewestCells(k, tops, semantics, require=require)._plan(data, rng)


@dataclass(frozen=True, repr=False)
class _FewestCells(KAnonymous):
    """The grouping of `suppress_cells`: tuples that are released with the same cells."""

    tops: Mapping[str, Any]
    semantics: Semantics

    @property
    def _aligns_columns(self) -> bool:
        return True

    def _promise(self, data: Microdata) -> dict[str, Any]:
        return super()._promise(data) | ({"semantics": "wildcard"} if self.semantics == "wildcard" else {})

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        tops = [self.tops[name] for name in tuples.names]
        weights = np.array([space.weight for space in tuples.spaces])
        own = np.stack(
            [
                (points == top)[tuples.indices[:, j]]
                for j, (points, top) in enumerate(zip(tuples.points, tops, strict=True))
            ],
            axis=1,
        )
        # Equal records also match. So with too many columns for wildcards, cells are chosen by equality.
        is_wild = self.semantics == "wildcard" and len(weights) <= _MOST_COLUMNS
        blank = (_matching_cells if is_wild else _equal_cells)(tuples, weights, own, self.k)
        released = np.where(blank, -1, tuples.indices) + 1
        group, firsts = group_rows(list(released.T), (released.max(axis=0) + 1).tolist())
        points = [
            np.where(blank[firsts, j], np.array(top), points[tuples.indices[firsts, j]])
            for j, (points, top) in enumerate(zip(tuples.points, tops, strict=True))
        ]
        return Groups(group, points, details={"suppressed": 0})

    def _represent(self, tuples: Tuples, members: IntArray) -> list[Any]:
        """The common values of tuples whose groups are merged for another reason; the top where they differ."""
        found = []
        for j, (name, points) in enumerate(zip(tuples.names, tuples.points, strict=True)):
            values = np.unique(tuples.indices[members, j])
            found.append(points[values[0]] if len(values) == 1 else self.tops[name])
        return found


def _equal_cells(tuples: Tuples, weights: NDArray[np.float64], own: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Which cells of which tuples are suppressed, so that k records are equal. ``own`` cells are the top already."""
    from ontomask.masking.kernels.cell_suppression import close_groups, fill_groups, join_groups, open_groups

    family = _Masks.of(tuples, own)
    classes, kind = np.unique(own, axis=0, return_inverse=True)
    kind = kind.ravel()
    cost = (family.columns[None, :, :] & ~classes[:, None, :]) @ weights
    order = np.argsort(cost, axis=1, kind="stable")
    # Of equally cheap masks, one that joins more tuples comes first.
    masks = np.lexsort((np.diff(family.mask_start), family.columns @ weights))
    counts, size = tuples.counts, np.zeros(int(family.mask_start[-1]), dtype=np.int64)
    chosen = np.full(len(tuples), -1, dtype=np.int32)
    listed = (family.member, family.start, family.mask_start)
    with progress("Suppressing cells", _PASSES) as advance:
        fill_groups(*listed, masks, counts, k, chosen, size)
        _place_rest(tuples, family, cost, kind, order, chosen, size)
        taken = np.empty(len(tuples), dtype=np.int32)
        for _ in range(_PASSES):
            saved = join_groups(family.group, cost, kind, order, counts, k, chosen, size)
            saved += open_groups(family.group, *listed, masks, cost, kind, counts, k, chosen, size, taken)
            saved += close_groups(family.group, *listed, masks, cost, kind, order, counts, chosen, size, taken)
            advance(1)
            if not saved:
                break
    found: NDArray[np.bool_] = family.columns[chosen] | own
    return found


@dataclass(frozen=True, eq=False)
class _Masks:
    """Sets of columns that may be suppressed, and the groups of tuples that are then equal.

    Attributes
    ----------
    columns
        A row per mask: which columns are suppressed. The first mask has none, the last has all.
    group
        For each mask (row) and tuple its group; −1 if the tuple cannot have the mask. A tuple must have the columns
        in which it is the top already, if all sets of columns are tried.
    member, start
        The tuples of group g are ``member[start[g]:start[g + 1]]``.
    mask_start
        The groups of mask b are ``mask_start[b] … mask_start[b + 1] − 1``.
    """

    columns: NDArray[np.bool_]
    group: IntArray
    member: IntArray
    start: NDArray[np.int64]
    mask_start: NDArray[np.int64]

    @classmethod
    def of(cls, tuples: Tuples, own: NDArray[np.bool_]) -> _Masks:
        """Group the tuples under all masks, or as many as can be held."""
        number, width = tuples.indices.shape
        columns = _masks(tuples, max(_MOST_ENTRIES // number, 2 * width + 2))
        is_whole = len(columns) == 1 << width
        group = np.full((len(columns), number), -1, dtype=np.int32)
        member, held, mask_start = [], [np.zeros(1, dtype=np.int64)], [0]
        sizes = (tuples.indices.max(axis=0) + 1).tolist()
        for b, mask in enumerate(columns):
            rows = np.flatnonzero(~own[:, ~mask].any(axis=1)) if is_whole else np.arange(number)
            kept = np.flatnonzero(~mask).tolist()
            of_row, firsts = np.zeros(len(rows), dtype=np.int32), rows[:1]
            if kept and len(rows):
                of_row, firsts = group_rows([tuples.indices[rows, j] for j in kept], [sizes[j] for j in kept])
            group[b, rows] = of_row + mask_start[-1]
            member.append(rows[np.argsort(of_row, kind="stable")])
            held.append(np.bincount(of_row, minlength=len(firsts)))
            mask_start.append(mask_start[-1] + len(firsts))
        start = np.cumsum(np.concatenate(held))
        return cls(columns, group, np.concatenate(member).astype(np.int32), start, np.array(mask_start))


def _masks(tuples: Tuples, most: int) -> NDArray[np.bool_]:
    """All sets of columns, by size; if there are too many, small ones, and those of the columns with most values."""
    width = tuples.indices.shape[1]
    by_values = np.argsort([-len(np.unique(column)) for column in tuples.indices.T], kind="stable").tolist()
    found = {frozenset(by_values[:length]) for length in range(width + 1)}
    for length in range(width + 1):
        for mask in combinations(range(width), length):
            if len(found) >= most:
                break
            found.add(frozenset(mask))
    columns = np.zeros((len(found), width), dtype=bool)
    for b, chosen in enumerate(sorted(found, key=lambda mask: (len(mask), sorted(mask)))):
        columns[b, list(chosen)] = True
    return columns


def _place_rest(
    tuples: Tuples,
    family: _Masks,
    cost: NDArray[np.float64],
    kind: NDArray[np.intp],
    order: NDArray[np.intp],
    chosen: IntArray,
    size: NDArray[np.int64],
) -> None:
    """Give a mask to the tuples that have none: fewer than k records in all.

    Each joins the cheapest group that it fits in. If there is none, it is merged with the group for which this costs
    least: both get the columns in which they differ, too.
    """
    numbers = {mask.tobytes(): b for b, mask in enumerate(family.columns)}
    for t in np.flatnonzero(chosen < 0).tolist():
        groups = family.group[order[kind[t]], t]
        fits = np.flatnonzero((groups >= 0) & (size[groups] > 0))
        if len(fits):
            mask = int(order[kind[t], fits[0]])
        else:
            placed = np.flatnonzero(chosen >= 0)
            _, firsts = np.unique(family.group[chosen[placed], placed], return_index=True)
            others = placed[firsts]
            joint = family.columns[chosen[others]] | (tuples.indices[others] != tuples.indices[t])
            masks = np.array([numbers.get(row.tobytes(), len(family.columns) - 1) for row in joint])
            held = size[family.group[chosen[others], others]]
            lost = tuples.counts[t] * cost[kind[t], masks] + held * (
                cost[kind[others], masks] - cost[kind[others], chosen[others]]
            )
            best = int(np.argmin(lost))
            mask, source = int(masks[best]), int(family.group[chosen[others[best]], others[best]])
            members = placed[family.group[chosen[placed], placed] == source]
            size[source] = 0
            chosen[members] = mask
            size[family.group[mask, t]] += tuples.counts[members].sum()
        chosen[t] = mask
        size[family.group[mask, t]] += tuples.counts[t]


def _matching_cells(tuples: Tuples, weights: NDArray[np.float64], own: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Which cells of which tuples are suppressed, so that k records match. ``own`` cells are wildcards already."""
    from ontomask.masking.kernels.wildcards import restore_cells, set_blank
    from ontomask.masking.kernels.wildcards import suppress_cells as suppress

    width = len(weights)
    bits = 1 << np.arange(width)
    columns = (np.arange(1 << width)[:, None] & bits) > 0
    cost = columns @ weights
    masks = np.argsort(cost, kind="stable").astype(np.int32)
    codes, counts = np.ascontiguousarray(tuples.indices.T), tuples.counts
    mine = (own @ bits).astype(np.int32)
    blank, matches = np.zeros(len(tuples), dtype=np.int32), counts.copy()
    set_blank(codes, counts, np.flatnonzero(mine), mine, blank, matches)
    todo = np.flatnonzero(matches < k)
    need = _least_needed(tuples, columns, cost, masks, k)
    todo = todo[np.lexsort((counts[todo], -need[todo]))]
    with progress("Suppressing cells", 1 + _PASSES) as advance:
        suppress(codes, counts, cost, masks, k, todo, blank, matches)
        for _ in range(_PASSES):
            advance(1)
            if not restore_cells(codes, counts, cost, masks, k, todo[::-1], mine, blank, matches):
                break
    return columns[blank]


def _least_needed(
    tuples: Tuples, columns: NDArray[np.bool_], cost: NDArray[np.float64], masks: IntArray, k: int
) -> NDArray[np.float64]:
    """For each tuple the cost of the cheapest mask under which k records are equal to it in the other columns."""
    need = np.full(len(tuples), cost.max())
    sizes = (tuples.indices.max(axis=0) + 1).tolist()
    for b in masks[::-1].tolist():
        kept = np.flatnonzero(~columns[b]).tolist()
        if kept:
            number, firsts = group_rows([tuples.indices[:, j] for j in kept], [sizes[j] for j in kept])
            need[(np.bincount(number, tuples.counts, len(firsts)) >= k)[number]] = cost[b]
    return need
