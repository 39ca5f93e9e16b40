"""Full-domain generalisation: one level for all values of a column, found in the lattice of all combinations.

The search is for the k-anonymous combination with the least semantic loss (Martínez 2012, eq. 5.1 and 8.7) that leaves
out no more records than allowed. A record left out counts 1. So the loss without leaving out any record, where each
cell counts 1 at most, is a lower bound. Combinations are tried in the order of their bounds until no other can be
better. If values that are equal on a level stay equal above it, a combination that fails rules out all those below it,
and bisection on a chain up to the top finds a high one.
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
from ontomask.errors import MaskingError, Setting
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.masking.sizes import group_sizes, share_for
from ontomask.microdata import Microdata, TuplePlan
from ontomask.microdata.plan import SUPPRESSED

__all__ = ["Combination", "Lattice"]

# Up to this many combinations the search is exact.
_SMALL = 100_000


@dataclass(frozen=True, eq=False)
class Combination:
    """A level for each column, and the groups of tuples that result.

    Attributes
    ----------
    levels
        The level of each column.
    groups
        The group of each tuple.
    is_short
        Whether each tuple is in a group below k.
    left_out
        The number of records in such groups.
    loss
        The semantic loss, in which each of these records counts 1.
    """

    levels: tuple[int, ...]
    groups: IntArray
    is_short: NDArray[np.bool_]
    left_out: int
    loss: float

    @property
    def released_groups(self) -> int:
        """The number of groups that are released."""
        return len(np.unique(self.groups[~self.is_short]))


class Lattice:
    """All combinations of levels, one for each column.

    Parameters
    ----------
    data
        The table.
    paths
        What the values of each column become, level by level.
    k
        The least size of groups.
    spare
        The number of records that may be left out.
    fixed
        Given levels, by index of the column.

    Attributes
    ----------
    checked
        The number of combinations tried so far.
    """

    def __init__(
        self, data: Microdata, paths: Sequence[GeneralisationPaths], k: int, spare: int, fixed: Mapping[int, int]
    ) -> None:
        self.table = data.table
        self.paths = paths
        self.k = k
        self.spare = spare
        self.choices = [
            range(fixed[j], fixed[j] + 1) if j in fixed else range(path.height + 1) for j, path in enumerate(paths)
        ]
        self.shape = tuple(map(len, self.choices))
        self.checked = 0
        self._data = data
        self._is_nested = all(path.is_nested for path in paths)
        self._spaces = [column.space for column in self.table.columns]
        weights = [space.weight for space in self._spaces]
        self._shares = [weight / sum(weights) for weight in weights]
        self._moved = [self._distances(j) for j in range(len(paths))]
        self._codes_on = cache(self._codes)
        self._nearest_miss: Combination | None = None

    def __len__(self) -> int:
        return math.prod(self.shape)

    @property
    def is_small(self) -> bool:
        """Whether the search is exact."""
        return len(self) <= _SMALL

    def best(self) -> Combination:
        """The combination with the least loss; if there are too many, one that no single step down improves."""
        found = self._search() if self.is_small else self._descend()
        if found is None:
            raise self._unreachable()
        return found

    def _search(self) -> Combination | None:
        """Try the combinations in the order of their bounds, until no other can be better."""
        bounds = self._bounds()
        done = np.zeros(self.shape, dtype=bool)
        best: Combination | None = None
        with progress("Generalising", len(self)) as advance:
            for number in np.argsort(bounds, axis=None, kind="stable").tolist():
                advance(1)
                index = tuple(map(int, np.unravel_index(number, self.shape)))
                if best is not None and bounds[index] >= best.loss - TIE:
                    break
                if done[index]:
                    continue
                # Above one that fails, look for the highest that fails: it rules out the most.
                chain = self._chain_to_top(index, bounds) if self._is_nested else [index]
                low, high = -1, len(chain)
                middle = 0
                while low < middle < high:
                    found = self._try(tuple(c[at] for c, at in zip(self.choices, chain[middle], strict=True)))
                    done[chain[middle]] = True
                    if found.left_out > self.spare:
                        low = middle
                    else:
                        high = middle
                        best = found if best is None or found.loss < best.loss - TIE else best
                    middle = (low + high) // 2
                if self._is_nested and low >= 0:
                    done[tuple(slice(at + 1) for at in chain[low])] = True
        return best

    def _chain_to_top(self, index: tuple[int, ...], bounds: NDArray[np.float64]) -> list[tuple[int, ...]]:
        """The combinations from one to the top, by the steps with the least loss."""
        chain = [index]
        top = tuple(size - 1 for size in self.shape)
        while chain[-1] != top:
            at = chain[-1]
            steps = [(*at[:j], at[j] + 1, *at[j + 1 :]) for j in range(len(at)) if at[j] < top[j]]
            chain.append(min(steps, key=lambda step: bounds[step]))
        return chain

    def _descend(self) -> Combination | None:
        """From the top, take the step down with the least loss, as long as the loss falls."""
        here = self._try(tuple(choice[-1] for choice in self.choices))
        if here.left_out > self.spare:
            return None
        with progress("Generalising", sum(self.shape)) as advance:
            while True:
                advance(1)
                steps = [
                    self._try((*here.levels[:j], level - 1, *here.levels[j + 1 :]))
                    for j, level in enumerate(here.levels)
                    if level > self.choices[j][0]
                ]
                better = [step for step in steps if step.left_out <= self.spare and step.loss < here.loss - TIE]
                if not better:
                    return here
                here = min(better, key=lambda step: step.loss)

    def _try(self, levels: tuple[int, ...]) -> Combination:
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
        """The released value of each tuple in column j as a code, and the number of codes. Kept cells come last."""
        released, code = np.unique(self.paths[j].levels[level], return_inverse=True)
        kept = len(released) + np.arange(len(self.table.values[j]) - len(code))
        codes = np.concatenate([code, kept]).astype(np.int32)
        return codes[self.table.tuples[:, j]], len(released) + len(kept)

    def _distances(self, j: int) -> NDArray[np.float64]:
        """For each level (row) the distance that each value of column j moves, times the weight of the column."""
        values = self.table.values[j]
        points = values.point[~values.kept]
        out = np.zeros((self.paths[j].height + 1, len(values)))
        for level, released in enumerate(self.paths[j].levels):
            out[level, : len(points)] = self._shares[j] * self._spaces[j].pairs(points, released)
        return out

    def _bounds(self) -> NDArray[np.float64]:
        """A lower bound of the loss of each combination, whichever records are left out."""
        total = np.zeros(self.shape)
        for j, choice in enumerate(self.choices):
            counts = np.bincount(self.table.tuples[:, j], self.table.counts, len(self.table.values[j]))
            moved = np.minimum(self._moved[j][list(choice)], self._shares[j])
            loss = moved @ counts / self.table.records
            total += loss.reshape([-1 if i == j else 1 for i in range(len(self.shape))])
        return total

    def plan(self, chosen: Combination, promise: Mapping[str, Any]) -> TuplePlan:
        """The plan of a combination."""
        released = np.flatnonzero(~chosen.is_short)
        _, firsts, group = np.unique(chosen.groups[released], return_index=True, return_inverse=True)
        outcome = np.full(len(self.table), SUPPRESSED, dtype=np.int32)
        outcome[released] = group
        outcomes, new_points = [], []
        for j, level in enumerate(chosen.levels):
            values, points = self.table.values[j], self.paths[j].levels[level]
            own = values.point[~values.kept]
            new_points.append(np.setdiff1d(points, own))
            index = np.arange(len(values))
            index[: len(own)] = np.where(
                np.isin(points, own), np.searchsorted(own, points), len(values) + np.searchsorted(new_points[j], points)
            )
            outcomes.append(index[self.table.tuples[released[firsts], j]])
        return TuplePlan.of(
            self.table,
            outcome=outcome,
            outcome_tuples=np.stack(outcomes, axis=1),
            new_points=new_points,
            promise=promise,
        )

    def _unreachable(self) -> MaskingError:
        miss = self._nearest_miss
        assert miss is not None
        levels = ", ".join(f"{path.name!r} {level}" for path, level in zip(self.paths, miss.levels, strict=True))
        return MaskingError(
            f"No combination of levels reaches k = {self.k:,} with at most {self.spare:,} records left out. The "
            f"nearest leaves out {miss.left_out:,}, with the levels {levels}. Use ",
            Setting("method", "suppression", values=[share_for(miss.left_out, self.table.records)]),
            ", fewer fixed levels, or a smaller k.",
            parameter="suppression",
        )
