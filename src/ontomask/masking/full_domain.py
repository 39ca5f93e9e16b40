"""Full-domain generalisation: one level a column for all its values, found in the lattice of all combinations.

Of the combinations that are k-anonymous, with no more records left out than allowed, the one with the least semantic
loss (T eq. 5.1, 8.7) is wanted; a record that is left out counts 1. So the loss without leaving out any, a sum over
columns, is a lower bound if no cell counts for more than 1 in it (counts of links can): combinations are looked at in
the order of their bounds until none can be better. Where values that are alike on a level stay alike above it, a
combination that fails rules out all those below it, and bisection on a chain up to the top finds a high one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.grouping import group_rows
from ontomask.base.progress import progress
from ontomask.distance.ties import TIE
from ontomask.errors import MaskingError
from ontomask.masking.generalisation_paths import Ways
from ontomask.masking.sizes import group_sizes, share_for
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.plan import SUPPRESSED

__all__ = ["Combination", "Lattice"]

# Up to so many combinations the best is found for certain.
_SMALL = 100_000


@dataclass(frozen=True, eq=False)
class Combination:
    """A level for each column, and what it makes of the tuples.

    Attributes
    ----------
    levels
        By place of the column.
    groups
        The group of each tuple.
    is_short
        Which tuples are in groups below k.
    left_out
        The records of these.
    loss
        The semantic loss, those records counting 1.
    """

    levels: tuple[int, ...]
    groups: IntArray
    is_short: NDArray[np.bool_]
    left_out: int
    loss: float

    @property
    def released_groups(self) -> int:
        """How many groups are released."""
        return len(np.unique(self.groups[~self.is_short]))


class Lattice:
    """All combinations of levels, one a column.

    Parameters
    ----------
    data
        The table.
    ways
        What the values of each column become, level by level.
    k
        The wanted size of groups.
    spare
        How many records may be left out.
    fixed
        Levels that are given, by place of the column.

    Attributes
    ----------
    checked
        How many combinations have been looked at.
    """

    def __init__(self, data: Microdata, ways: Sequence[Ways], k: int, spare: int, fixed: Mapping[int, int]) -> None:
        self.table = data.table
        self.ways = ways
        self.k = k
        self.spare = spare
        self.choices = [
            range(fixed[j], fixed[j] + 1) if j in fixed else range(way.height + 1) for j, way in enumerate(ways)
        ]
        self.shape = tuple(map(len, self.choices))
        self.checked = 0
        self._data = data
        self._is_nested = all(way.is_nested for way in ways)
        self._spaces = [column.space for column in self.table.columns]
        weights = [space.weight for space in self._spaces]
        self._shares = [weight / sum(weights) for weight in weights]
        self._moved = [self._distances(j) for j in range(len(ways))]
        self._codes_on = cache(self._codes)
        self._nearest_miss: Combination | None = None

    def __len__(self) -> int:
        return math.prod(self.shape)

    @property
    def is_small(self) -> bool:
        """Whether the best combination is found for certain."""
        return len(self) <= _SMALL

    def best(self) -> Combination:
        """The combination with the least loss; where there are too many, one that no single step down improves."""
        found = self._search() if self.is_small else self._descend()
        if found is None:
            raise MaskingError(self._complaint())
        return found

    def _search(self) -> Combination | None:
        """Look at the combinations by their bounds, until none that is left can be better."""
        bounds = self._bounds()
        done = np.zeros(self.shape, dtype=bool)
        best: Combination | None = None
        with progress("Generalising", len(self)) as advance:
            for number in np.argsort(bounds, axis=None, kind="stable").tolist():
                advance(1)
                place = tuple(map(int, np.unravel_index(number, self.shape)))
                if best is not None and bounds[place] >= best.loss - TIE:
                    break
                if done[place]:
                    continue
                # One that fails is followed upwards: the higher the last that fails, the more it rules out.
                way = self._way_up(place, bounds) if self._is_nested else [place]
                low, high = -1, len(way)
                middle = 0
                while low < middle < high:
                    found = self._look_at(tuple(c[at] for c, at in zip(self.choices, way[middle], strict=True)))
                    done[way[middle]] = True
                    if found.left_out > self.spare:
                        low = middle
                    else:
                        high = middle
                        best = found if best is None or found.loss < best.loss - TIE else best
                    middle = (low + high) // 2
                if self._is_nested and low >= 0:
                    done[tuple(slice(at + 1) for at in way[low])] = True
        return best

    def _way_up(self, place: tuple[int, ...], bounds: NDArray[np.float64]) -> list[tuple[int, ...]]:
        """A chain from a place to the top, by the steps that lose least."""
        way = [place]
        top = tuple(size - 1 for size in self.shape)
        while way[-1] != top:
            at = way[-1]
            steps = [(*at[:j], at[j] + 1, *at[j + 1 :]) for j in range(len(at)) if at[j] < top[j]]
            way.append(min(steps, key=lambda step: bounds[step]))
        return way

    def _descend(self) -> Combination | None:
        """From the top, take the step down that loses least, as long as there is one that loses less."""
        here = self._look_at(tuple(choice[-1] for choice in self.choices))
        if here.left_out > self.spare:
            return None
        with progress("Generalising", sum(self.shape)) as advance:
            while True:
                advance(1)
                steps = [
                    self._look_at((*here.levels[:j], level - 1, *here.levels[j + 1 :]))
                    for j, level in enumerate(here.levels)
                    if level > self.choices[j][0]
                ]
                better = [step for step in steps if step.left_out <= self.spare and step.loss < here.loss - TIE]
                if not better:
                    return here
                here = min(better, key=lambda step: step.loss)

    def _look_at(self, levels: tuple[int, ...]) -> Combination:
        self.checked += 1
        codes, numbers = zip(*(self._codes_on(j, level) for j, level in enumerate(levels)), strict=True)
        groups, firsts = group_rows(codes, numbers)
        is_short = (group_sizes(self._data, groups, len(firsts)) < self.k)[groups]
        counts = self.table.counts
        left_out = int(counts[is_short].sum())
        moved = sum(self._moved[j][level][self.table.tuples[:, j]] for j, level in enumerate(levels))
        loss = float(np.sum(np.where(is_short, 1.0, moved) * counts)) / self.table.records
        found = Combination(levels, groups, is_short, left_out, loss)
        if left_out > self.spare and (self._nearest_miss is None or left_out < self._nearest_miss.left_out):
            self._nearest_miss = found
        return found

    def _codes(self, j: int, level: int) -> tuple[IntArray, int]:
        """The released value of each tuple in column j as a number, and how many there are; kept cells come last."""
        released, code = np.unique(self.ways[j].levels[level], return_inverse=True)
        kept = len(released) + np.arange(len(self.table.values[j]) - len(code))
        codes = np.concatenate([code, kept]).astype(np.int32)
        return codes[self.table.tuples[:, j]], len(released) + len(kept)

    def _distances(self, j: int) -> NDArray[np.float64]:
        """For each level (row) how far each value of column j is moved, times the column's share in a record."""
        values = self.table.values[j]
        points = values.point[~values.kept]
        out = np.zeros((self.ways[j].height + 1, len(values)))
        for level, released in enumerate(self.ways[j].levels):
            out[level, : len(points)] = self._shares[j] * self._spaces[j].pairs(points, released)
        return out

    def _bounds(self) -> NDArray[np.float64]:
        """What every combination loses at least, whichever records are left out."""
        total = np.zeros(self.shape)
        for j, choice in enumerate(self.choices):
            counts = np.bincount(self.table.tuples[:, j], self.table.counts, len(self.table.values[j]))
            moved = np.minimum(self._moved[j][list(choice)], self._shares[j])
            loss = moved @ counts / self.table.records
            total += loss.reshape([-1 if i == j else 1 for i in range(len(self.shape))])
        return total

    def plan(self, chosen: Combination, promise: Mapping[str, Any]) -> TuplePlan:
        """What becomes of each tuple under a combination."""
        released = np.flatnonzero(~chosen.is_short)
        _, firsts, group = np.unique(chosen.groups[released], return_index=True, return_inverse=True)
        outcome = np.full(len(self.table), SUPPRESSED, dtype=np.int32)
        outcome[released] = group
        outcomes, new_points = [], []
        for j, level in enumerate(chosen.levels):
            values, points = self.table.values[j], self.ways[j].levels[level]
            own = values.point[~values.kept]
            new_points.append(np.setdiff1d(points, own))
            place = np.arange(len(values))
            place[: len(own)] = np.where(
                np.isin(points, own),
                np.searchsorted(own, points),
                len(values) + np.searchsorted(new_points[j], points),
            )
            outcomes.append(place[self.table.tuples[released[firsts], j]])
        return TuplePlan.of(
            self.table,
            outcome=outcome,
            outcome_tuples=np.stack(outcomes, axis=1),
            new_points=new_points,
            promise=promise,
        )

    def _complaint(self) -> str:
        miss = self._nearest_miss
        assert miss is not None
        levels = ", ".join(f"{way.name!r} {level}" for way, level in zip(self.ways, miss.levels, strict=True))
        return (
            f"no combination of levels gives groups of k = {self.k:,} with at most {self.spare:,} records left out. At "
            f"least {miss.left_out:,} would have to be, with the levels {levels}. Allow suppression="
            f"{share_for(miss.left_out, self.table.records)}, leave more levels open, or use a smaller k."
        )
