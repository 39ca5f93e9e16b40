"""Merge groups that fall short of a requirement (persons, k over columns, diversity, closeness) with their nearest.

Everybody who knows the quasi-identifiers can repeat the grouping without a requirement and see which groups were
merged. If only groups that fall short were merged, each merger would reveal that a group has too few confidential
values (Wong et al. 2007). Therefore the same number of other groups, drawn at random, is merged in the same round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.distance.ties import nearest
from ontomask.errors import Choice, MaskingError, Setting
from ontomask.masking.groups import Groups
from ontomask.masking.requirements import ColumnsK
from ontomask.masking.results import GroupRequirement
from ontomask.microdata import Microdata
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Space
from ontomask.privacy.grouped import Grouped

__all__ = ["Persons", "join_nearest", "merge_short"]

_DROP_KEPT = Choice(Setting("policies", "missing", values=["drop"]), Setting("policies", "unmapped", values=["drop"]))

Represent = Callable[[Tuples, IntArray], Sequence[Any] | None]


@dataclass(frozen=True)
class Persons:
    """At least k persons in every group, for any number of records."""

    k: int

    def check(self, data: Microdata) -> None:
        """Accept any data: `KAnonymous.check` refuses data with fewer than k persons."""

    def short(self, grouped: Grouped) -> NDArray[np.bool_]:
        """Which groups have fewer persons."""
        return grouped.anonymity().sizes < self.k

    @property
    def text(self) -> str:
        """The requirement as text."""
        return f"at least {self.k:,} persons"


def merge_short(
    data: Microdata,
    rows: IntArray,
    tuples: Tuples,
    groups: Groups,
    needs: Sequence[GroupRequirement | ColumnsK],
    represent: Represent,
    rng: np.random.Generator,
) -> Groups:
    """Merge groups of whole tuples that fall short of a requirement.

    In each round, one after another, every group that falls short joins the group with the nearest released point. A
    group that was joined in this round waits for the next. Then all joined groups get new points and are checked again.
    For every group that falls short in its confidential values, a group that does not is drawn and joins its nearest,
    too.

    Parameters
    ----------
    data
        The table.
    rows
        The tuples of the table that are in these groups. Only they can be merged.
    tuples, groups
        The same tuples, and their groups.
    needs
        The requirements that every group has to meet.
    represent
        The point of tuples that become one group; ``None`` if a method cannot merge them.
    rng
        Draws the groups that are merged without need.
    """
    if not needs or groups.start is not None:
        return groups
    view = _View(data, rows)
    group, points = groups.group.copy(), [np.array(column) for column in groups.points]
    merged = without_need = 0
    # The number of persons of a group is not secret: the intruder knows the persons and their quasi-identifiers.
    by_columns = [need for need in needs if isinstance(need, ColumnsK)]
    open_needs = [need for need in needs if isinstance(need, Persons)]
    hidden_needs = [need for need in needs if isinstance(need, GroupRequirement) and not isinstance(need, Persons)]
    suspects: NDArray[np.integer] = np.arange(len(points[0]))
    while len(suspects):
        hidden = view.find_short(group, suspects, hidden_needs)
        short = np.union1d(view.find_short(group, suspects, open_needs), hidden)
        for wanted in by_columns:
            # A group that moves away can leave others behind, so all are counted in each round.
            short = np.union1d(short, view.find_short_columns(group, tuples.names, points, wanted))
        if not len(short):
            break
        if len(points[0]) == 1:
            _raise_requirement_unmet(view, group, needs, everybody=len(rows) == len(data.table))
        others = np.setdiff1d(np.arange(len(points[0])), short)
        drawn = rng.choice(others, min(len(hidden), len(others)), replace=False) if len(hidden) else others[:0]
        without_need += len(drawn)
        root = join_nearest(tuples.spaces, points, np.union1d(short, drawn))
        joined = np.flatnonzero(np.bincount(root, minlength=len(root)) > 1)
        for g in joined.tolist():
            point = represent(tuples, np.flatnonzero((group >= 0) & (root[group] == g)).astype(np.int32))
            if point is None:
                return groups
            for column, value in zip(points, point, strict=True):
                column[g] = value
        merged += len(root) - len(np.unique(root))
        kept, number = np.unique(root, return_inverse=True)
        group = np.where(group == SUPPRESSED, SUPPRESSED, number.ravel()[group]).astype(np.int32)
        points = [column[kept] for column in points]
        suspects = np.searchsorted(kept, joined)
    merges = {"merged": merged} | ({"merged_without_need": without_need} if hidden_needs else {})
    return replace(groups, group=group, points=points, details={**groups.details, **merges})


class _View:
    """The groups of some tuples, as requirements look at them."""

    def __init__(self, data: Microdata, rows: IntArray) -> None:
        self._data, self._rows = data, rows

    def short(self, group: IntArray, suspects: NDArray[np.integer], need: GroupRequirement) -> NDArray[np.bool_]:
        """Which suspects fall short. All other released records form one more group."""
        number = np.full(int(group.max()) + 2, len(suspects), dtype=np.int64)
        number[suspects] = np.arange(len(suspects))
        groups = np.full(len(self._data.table), len(suspects), dtype=np.int64)
        groups[self._rows] = np.where(group == SUPPRESSED, -1, number[group])
        return need.short(Grouped(self._data, groups))[: len(suspects)]

    def find_short(
        self, group: IntArray, suspects: NDArray[np.integer], needs: Sequence[GroupRequirement]
    ) -> NDArray[np.integer]:
        """The suspects that fall short of any requirement, ascending."""
        short = np.zeros(len(suspects), dtype=bool)
        for need in needs:
            short |= self.short(group, suspects, need)
        return suspects[short]

    def find_short_columns(
        self, group: IntArray, names: Sequence[str], points: Sequence[Points], need: ColumnsK
    ) -> NDArray[np.integer]:
        """The groups whose released points in some columns too few others share, ascending."""
        named = [column for column, name in zip(points, names, strict=True) if name in need.columns]
        # Without such a column, all tuples keep the same cells in them.
        codes = [np.zeros(len(points[0]), dtype=np.int64), *(np.unique(c, return_inverse=True)[1] for c in named)]
        number, _ = group_rows(codes, [int(code.max()) + 1 for code in codes])
        groups = np.full(len(self._data.table), -1, dtype=np.int64)
        groups[self._rows] = np.where(group == SUPPRESSED, -1, number[group])
        sizes = Grouped(self._data, groups).anonymity().sizes
        return np.flatnonzero(sizes[number] < need.k)


def join_nearest(spaces: Sequence[Space], points: Sequence[Points], short: NDArray[np.integer]) -> NDArray[np.int64]:
    """For each group the first of the groups that it is joined with, given the points of groups in some attributes.

    One after another, each group that falls short joins the nearest. A group that was joined waits.
    """
    own = [np.unique(column, return_inverse=True) for column in points]
    indices = np.stack([index.ravel() for _, index in own], axis=1)
    ones = np.ones(len(indices), dtype=np.int64)
    released = Tuples(spaces, [values for values, _ in own], indices.astype(np.int32), ones)
    root = np.arange(len(indices))
    waits = np.zeros(len(indices), dtype=bool)
    for g in short.tolist():
        if waits[g]:
            continue
        distances = released.distances_from(g)
        distances[g] = np.inf
        other = int(nearest(distances)[0])
        waits[g] = waits[other] = True
        a, b = sorted((int(root[g]), int(root[other])))
        root[root == b] = a
    return root


def _raise_requirement_unmet(
    view: _View, group: IntArray, needs: Sequence[GroupRequirement | ColumnsK], *, everybody: bool
) -> None:
    one = np.zeros(1, dtype=np.int64)
    missing = [need.text for need in needs if isinstance(need, ColumnsK) or view.short(group, one, need).any()]
    who = "All records together" if everybody else "All records that keep the same cells together"
    text = f"{who} do not have {' and '.join(missing)}, so merging groups cannot help. Require less"
    advice = () if everybody else (", or drop records with kept cells: ", _DROP_KEPT)
    raise MaskingError(text, *advice, ".", parameter="require")
