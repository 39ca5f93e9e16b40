"""Search for the combination of levels with the least cost that leaves out no more records than allowed.

If values that are equal on a level stay equal above it, fewer records are left out above a combination than below it.
So a combination that leaves out too many rules out all those below it (Samarati 2001; LeFevre et al. 2005). The higher
it is, the more it rules out; bisection on a chain up to the top finds a high one (El Emam et al. 2009; Kohlmayer et al.
2012). Combinations below one leave out at least as many records, which raises the lower bound of their cost.
Combinations are tried in the order of their bounds, until no other can cost less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.base.progress import progress
from ontomask.distance.ties import TIE
from ontomask.masking.level_costs import LevelCosts

__all__ = ["Counted", "Found", "SearchSpace", "search_all", "search_part"]

Index = tuple[int, ...]

# If there are too many combinations to keep them all: how many are looked at, and how many are counted.
_LOOKS = 100_000
_COUNTS = 3_000
# Combinations that are looked at together.
_BLOCK = 1024


class Counted(NamedTuple):
    """What grouping the records on some levels gives: the records left out, and the sum of squared group sizes."""

    left_out: int
    squares: int


class SearchSpace(Protocol):
    """What is searched. A combination is given by the index of each level among the choices of its column."""

    shape: tuple[int, ...]
    spare: int
    is_nested: bool
    costs: LevelCosts

    def count(self, index: Index) -> Counted:
        """Group the records."""
        ...

    def cost(self, index: Index) -> float:
        """The cost of a combination that leaves out no more records than allowed."""
        ...


class Found(NamedTuple):
    """The best combination found (``None``: none leaves out few enough) its cost, and a lower bound of all costs."""

    at: Index | None
    cost: float
    bound: float


def search_all(space: SearchSpace) -> Found:
    """The combination with the least cost."""
    grid = _Grid(space)
    _descend(space, grid)
    order = np.argsort(grid.order, axis=None, kind="stable")
    with progress("Generalising", len(order)) as advance:
        for first in range(0, len(order), _BLOCK):
            numbers = order[first : first + _BLOCK]
            for index in zip(*np.unravel_index(numbers[grid.are_open(numbers)], space.shape), strict=True):
                if grid.is_open(index):
                    _climb(space, grid, tuple(map(int, index)))
            advance(len(numbers))
    return Found(grid.best, grid.least, grid.least)


class _Grid:
    """What is known of every combination, and the best one so far."""

    def __init__(self, space: SearchSpace) -> None:
        costs = space.costs
        self.space = space
        self.bounds = costs.bounds()
        # Where there are no bounds yet, small levels come first.
        self.order = self.bounds if costs.power else np.indices(space.shape).sum(axis=0)
        self._gaps = costs.gaps()
        self._left_out = np.zeros(space.shape, dtype=np.int64)
        self._done = np.zeros(space.shape, dtype=bool)
        self.best: Index | None = None
        self.least = np.inf

    def are_open(self, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which combinations, given by their numbers, are open."""
        bounds = self.bounds.flat[numbers] + self._left_out.flat[numbers] * self._gaps.flat[numbers]
        return ~self._done.flat[numbers] & (bounds < self.least - TIE)

    def is_open(self, index: Index) -> bool:
        """Whether a combination was not counted and may be better than the best."""
        return not self._done[index] and self.may_be_better(index)

    def bound(self, index: Index) -> float:
        """What a combination costs at least."""
        return float(self.bounds[index] + self._left_out[index] * self._gaps[index])

    def may_be_better(self, index: Index) -> bool:
        """Whether a combination may be better than the best."""
        return self.bound(index) < self.least - TIE

    def learn(self, index: Index, counted: Counted) -> None:
        """Tag the combinations below and above one that was counted."""
        self._done[index] = True
        self._left_out[index] = counted.left_out
        costs = self.space.costs
        if not costs.power:
            self.bounds[index] = max(self.bounds[index], counted.squares / costs.records**2)
        if not self.space.is_nested:
            return
        below = tuple(slice(at + 1) for at in index)
        np.maximum(self._left_out[below], counted.left_out, out=self._left_out[below])
        if counted.left_out > self.space.spare:
            self._done[below] = True
        if not costs.power:
            above = tuple(slice(at, None) for at in index)
            np.maximum(self.bounds[above], counted.squares / costs.records**2, out=self.bounds[above])

    def offer(self, index: Index) -> None:
        """Take a combination that leaves out few enough, if it is better."""
        if self.may_be_better(index):
            cost = self.space.cost(index)
            if cost < self.least - TIE:
                self.best, self.least = index, cost


class _Listed:
    """The same for more combinations than can all be kept: what was counted is kept in lists."""

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        self._failed = np.zeros((0, len(space.shape)), dtype=np.int64)
        self.best: Index | None = None
        self.least = np.inf
        self.counted = 0

    def is_open(self, index: Index) -> bool:
        """Whether a combination may be better than the best, and is not below one that leaves out too many records."""
        return self.may_be_better(index) and not (self._failed >= np.array(index)).all(axis=1).any()

    def may_be_better(self, index: Index) -> bool:
        """Whether a combination may be better than the best."""
        return self.bound(index) < self.least - TIE

    def bound(self, index: Index) -> float:
        """What a combination costs at least."""
        return self.space.costs.bound(index)

    def learn(self, index: Index, counted: Counted) -> None:
        """Remember a combination that leaves out too many records, in place of those below it."""
        self.counted += 1
        if counted.left_out > self.space.spare:
            at = np.array(index)
            kept = self._failed[~(self._failed <= at).all(axis=1)] if self.space.is_nested else self._failed
            self._failed = np.vstack([kept, at])

    def offer(self, index: Index) -> None:
        """Take a combination that leaves out few enough, if it is better."""
        if self.may_be_better(index):
            cost = self.space.cost(index)
            if cost < self.least - TIE:
                self.best, self.least = index, cost


def _climb(space: SearchSpace, known: _Grid | _Listed, index: Index) -> None:
    """Count a combination. If it leaves out too many records, bisect a chain above it for the highest that does."""
    chain = list(_chain(space, known, index)) if space.is_nested else [index]
    low, high = -1, len(chain)
    while high - low > 1:
        middle = (low + high) // 2
        counted = space.count(chain[middle])
        known.learn(chain[middle], counted)
        if counted.left_out <= space.spare:
            known.offer(chain[middle])
        if known.is_open(index):
            high = middle
        else:
            low = middle


def _chain(space: SearchSpace, known: _Grid | _Listed, index: Index) -> Iterator[Index]:
    """The combinations from one upwards, by the steps with the least cost, as long as they may be better."""
    here = index
    while True:
        yield here
        steps = [
            (*here[:j], at + 1, *here[j + 1 :])
            for j, (at, size) in enumerate(zip(here, space.shape, strict=True))
            if at + 1 < size
        ]
        if not steps:
            return
        here = min(steps, key=known.bound)


def search_part(space: SearchSpace) -> Found:
    """A good combination if there are too many to try them all, and a lower bound for all.

    From the top, take the step down with the least cost as long as it falls. Then try combinations in the order of
    their bounds, as many as there is time for. The bound is that of the first that was not tried.
    """
    known = _Listed(space)
    _descend(space, known)
    if known.best is None or not space.costs.power:
        return Found(known.best, known.least, _lowest(space))
    bound = 0.0
    with progress("Generalising", _LOOKS) as advance:
        for looked, (bound, index) in enumerate(_ascending(space.costs, space.shape)):
            advance(1)
            if bound >= known.least - TIE:
                return Found(known.best, known.least, known.least)
            if looked >= _LOOKS or known.counted >= _COUNTS:
                break
            if known.is_open(index):
                _climb(space, known, index)
        else:
            bound = known.least
    return Found(known.best, known.least, min(bound, known.least))


def _lowest(space: SearchSpace) -> float:
    """A lower bound of discernibility over all combinations: no group is smaller than on the lowest levels."""
    if not space.is_nested or space.costs.power:
        return 0.0
    return space.count((0,) * len(space.shape)).squares / space.costs.records**2


def _descend(space: SearchSpace, known: _Grid | _Listed) -> None:
    """From the top, take the step down with the least cost, as long as the cost falls."""
    steps = [tuple(size - 1 for size in space.shape)]
    with progress("Generalising", sum(space.shape)) as advance:
        while steps:
            advance(1)
            before = known.best
            for step in steps:
                counted = space.count(step)
                known.learn(step, counted)
                if counted.left_out <= space.spare:
                    known.offer(step)
            here = known.best
            down = [] if here is None or here == before else enumerate(here)
            steps = [(*here[:j], at - 1, *here[j + 1 :]) for j, at in down if here is not None and at]


def _ascending(costs: LevelCosts, shape: Sequence[int]) -> Iterator[tuple[float, Index]]:
    """All combinations with a bound each, ascending by the bound."""
    # Each combination is reached in one way: by steps in later and later columns.
    ranked = [np.argsort(column, kind="stable") for column in costs.means]
    steps = [column[rank] for column, rank in zip(costs.means, ranked, strict=True)]
    heap: list[tuple[float, Index, int]] = [(sum(float(column[0]) for column in steps), (0,) * len(shape), 0)]
    while heap:
        total, places, first = heappop(heap)
        yield total**costs.power, tuple(int(rank[at]) for rank, at in zip(ranked, places, strict=True))
        for j in range(first, len(shape)):
            at = places[j] + 1
            if at < shape[j]:
                more = total + float(steps[j][at] - steps[j][at - 1])
                heappush(heap, (more, (*places[:j], at, *places[j + 1 :]), j))
