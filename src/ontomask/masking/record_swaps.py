"""Swaps between near records (Rodriguez-Garcia 2019, Algorithms 2 and 3).

The paper ranks all records again for each reference, which takes n²·log n in all. Here neighbours are searched among
distinct tuples, through lists of the tuples that have a value (`ontomask.masking.kernels.record_search`), so that most
tuples are never visited. If copies of a reference fill its interval, no search is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, progress
from ontomask.base.threads import count_threads, in_threads
from ontomask.distance.ties import TIE, farthest
from ontomask.microdata.tuples import Tuples

if TYPE_CHECKING:
    from ontomask.masking.kernels.record_search import Lists, Search
    from ontomask.masking.kernels.swapping import Neighbours, State, Table

__all__ = ["Moves", "NearSwaps", "near_tuples"]

# Distances held for one attribute (128 MiB, and half as much for their order): all of up to 4,096 values.
_ROOM = 2**24
# Number of tuples farthest from others, and nearest to others, that are cached (16 MiB each).
_MEMORY = 2**22
# Values that are held in the order of the lists (128 MiB).
_VALUES = 2**25
# Pairs of values that are counted, and attributes that are tried, to divide lists; near runs that a search visits.
_PAIRS = 2**22
_CANDIDATES = 3
_NEAR = 3
# Neighbours that a thread finds at a time; from this many tuples on, threads find the neighbours of all tuples.
_BUFFER = 2**18
_MANY = 20_000
# Tuples whose distances from each other tell which attributes have far values.
_SAMPLE = 256
# References between two reports of progress.
_STEPS = 1024


@dataclass(frozen=True, eq=False)
class Moves:
    """For each record, the record whose value it gets.

    Attributes
    ----------
    source
        ``source[j, i]``: record i gets the value that this record has in attribute j; its own, if it stays. Records are
        listed by tuple.
    candidates
        ``candidates[j][c]``: the number of draws of attribute j from c values. With 0 values, the value stayed.
    """

    source: IntArray
    candidates: tuple[NDArray[np.int64], ...]


class NearSwaps:
    """Swaps of values between near records, with references at opposite ends of the table.

    Neighbours are cached, so a second swap of the same table is faster.

    Parameters
    ----------
    tuples
        The distinct tuples with counts. Records are in their order: first all of the first tuple, and so on.
    movable
        One row per tuple: whether its value of an attribute may be swapped.
    k
        The number of records of an interval, less than all records.
    unswapped_only
        Whether intervals consist of records whose value is unswapped, or of any records.
    """

    def __init__(self, tuples: Tuples, movable: NDArray[np.bool_], k: int, *, unswapped_only: bool) -> None:
        from ontomask.masking.kernels.swapping import Neighbours

        self._tuples, self._movable, self._k, self._unswapped_only = tuples, movable, k, unswapped_only
        self._distances = _Distances(tuples)
        self._table = _table(tuples, self._distances)
        # Intervals of unswapped records are searched for among the same lists as references.
        self._lists = self._table.lists
        if not unswapped_only:
            self._lists = _lists(tuples, self._distances, _far_mates(tuples, self._distances))
        self._candidates = _first(tuples, movable)[self._table.tuple_of].nonzero()[0]
        self._neighbours = Neighbours(
            np.empty(max(_MEMORY, 8 * len(tuples)), dtype=np.int32),
            np.full((len(tuples), 3), -1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )

    def swap(self, rng: np.random.Generator) -> Moves:
        """Swap once. ``rng`` draws references, intervals and partners."""
        from ontomask.masking.kernels.swapping import DONE, FROM, swap_records

        table, distances, k = self._table, self._distances, self._k
        if not self._unswapped_only and len(self._tuples) >= _MANY and count_threads() > 1:
            self._find_neighbours()
        found = _room(self._tuples, distances, max(len(table.lists.runs), len(self._lists.runs)), k)
        args = (self._movable, k, self._unswapped_only, self._neighbours)
        state = _state(table, self._lists, self._tuples.counts, *args)
        records, done = len(table.tuple_of), int(state.tally[DONE])
        reference = int(rng.choice(self._candidates)) if done < records else -1
        pace = Pace()
        with progress("Swapping", records - done) as advance:
            while reference != -1:
                args = (state, k, self._unswapped_only, reference, pace.steps, rng)
                with pace:
                    reference = swap_records(table, distances.costs, found, *args)
                advance(int(state.tally[DONE]) - done)
                done = int(state.tally[DONE])
                if reference < -1:
                    distances.fetch(*found.wanted.tolist())
                    reference = -2 - reference
        source = state.records[:, FROM : FROM + len(self._tuples.spaces)].T
        return Moves(source, tuple(state.candidates))

    def _find_neighbours(self) -> None:
        """Find the neighbours of all tuples with several threads, unless this was done.

        Some are never needed. With one thread, it is faster to search for those of references only.
        """
        from ontomask.masking.kernels.swapping import find_neighbours

        table, costs, neighbours, lock = self._table, self._distances.costs, self._neighbours, Lock()
        if neighbours.taken[0]:
            return

        def begin() -> Callable[[slice], None]:
            found = _room(self._tuples, self._distances, len(table.lists.runs), self._k)
            tuples, rng = np.empty(_BUFFER, dtype=np.int32), np.random.default_rng(0)

            def find(part: slice) -> None:
                args = (self._tuples.counts, self._k, part.start, part.stop, tuples, neighbours.span, rng)
                used = find_neighbours(table, costs, found, *args)
                span = neighbours.span[part]
                with lock:
                    first = int(neighbours.taken[0])
                    if fits := first + used <= len(neighbours.tuples):
                        neighbours.taken[0] += used
                if fits:
                    neighbours.tuples[first : first + used] = tuples[:used]
                    span[span[:, 0] >= 0, 0] += first
                else:
                    span[:, 0] = -1

            return find

        in_threads("Finding neighbours", len(self._tuples), begin)


def near_tuples(tuples: Tuples, k: int) -> Iterator[tuple[int, IntArray]]:
    """For each tuple the tuples that can be in an interval of k records around it, including itself.

    The array is valid until the next iteration.
    """
    from ontomask.masking.kernels.record_search import is_alone, search, set_reference

    distances = _Distances(tuples)
    table = _table(tuples, distances)
    found = _room(tuples, distances, len(table.lists.runs), k)
    start, nobody = table.start, np.empty(0, dtype=np.int32)
    nearest, rng = np.int64(1), np.random.default_rng(0)
    with progress("Finding neighbours", len(tuples)) as advance:
        for i, count in enumerate(tuples.counts.tolist()):
            while not set_reference(tuples.indices[i], distances.costs, found):
                distances.fetch(*found.wanted.tolist())
            own = np.array([i], dtype=np.int32)
            if count > k and is_alone(distances.costs, found):
                yield i, own
            else:
                args = (distances.costs, table.lists, found, tuples.counts, np.int64(i), k, nearest)
                search(tuples.indices, *args, start, nobody, rng)
                size = int(found.sizes[0])
                near = found.tuples[:size][found.distance[:size] <= found.bound[0] + TIE]
                yield i, near if count > 1 else np.append(near[near != i], own)
            if i % _STEPS == 0:
                advance(_STEPS)


def _first(tuples: Tuples, movable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which tuples the first reference may have: the largest distance to all (Rodriguez-Garcia 2019, eq. 5, 10)."""
    if not movable.any():
        return np.zeros(len(tuples), dtype=bool)
    records = tuples.counts.sum()
    mean = np.zeros(len(tuples))
    for space, share, points, indices in zip(
        tuples.spaces, tuples.shares, tuples.points, tuples.indices.T, strict=True
    ):
        often = np.bincount(indices, weights=tuples.counts, minlength=len(points)) / records
        real, kept = often[: len(points)], often[len(points) :]
        means = space.marginality(points, real) * real.sum() + kept.sum()
        mean += share * np.concatenate([means, 1 - kept])[indices]
    mean[~movable.any(axis=1)] = -np.inf
    most = np.zeros(len(tuples), dtype=bool)
    most[farthest(mean)] = True
    return most


class _Distances:
    """Distances between the values of each attribute: all of them or, if these are too many, the latest ones."""

    def __init__(self, tuples: Tuples) -> None:
        from ontomask.masking.kernels.record_search import Costs

        self.spaces, self.points, self.shares = tuples.spaces, tuples.points, tuples.shares
        highest = tuples.indices.max(axis=0).tolist()
        self.sizes = [max(len(points), top + 1) for points, top in zip(self.points, highest, strict=True)]
        self.base = np.concatenate([[0], np.cumsum(self.sizes)])
        # Kept cells, at distance 1 from all others, fit on a line only if no distance is larger.
        self.is_line = [
            space.is_line and (size == len(points) or space.largest <= 1)
            for space, size, points in zip(self.spaces, self.sizes, self.points, strict=True)
        ]
        self.slots = [
            1 if line else min(size, max(_ROOM // size, 1)) for line, size in zip(self.is_line, self.sizes, strict=True)
        ]
        self.begin = np.concatenate([[0], np.cumsum(np.multiply(self.slots, self.sizes, dtype=np.int64))])
        self.holder = [np.full(slots, -1) for slots in self.slots]
        self.turn = [0] * len(self.sizes)
        room = int(self.begin[-1])
        self.costs = Costs(np.empty(room), np.empty(room, dtype=np.int32), np.full(self.base[-1], -1, dtype=np.int64))
        for a, size in enumerate(self.sizes):
            if self.is_line[a]:
                self._lay_out(a)
            elif self.slots[a] == size:
                self._fill(a, np.arange(size), np.arange(size))

    def fetch(self, a: int, value: int) -> None:
        """Compute the distances of one value, in place of the oldest ones."""
        slot = self.turn[a]
        self.turn[a] = (slot + 1) % self.slots[a]
        if self.holder[a][slot] >= 0:
            self.costs.at[self.base[a] + self.holder[a][slot]] = -1
        self._fill(a, np.array([slot]), np.array([value]))

    def _fill(self, a: int, slots: NDArray[np.integer], values: NDArray[np.integer]) -> None:
        points, size = self.points[a], self.sizes[a]
        rows = np.ones((len(values), size))
        with_point = np.flatnonzero(values < len(points))
        rows[with_point, : len(points)] = self.spaces[a].matrix(points[values[with_point]], points)
        rows[np.arange(len(values)), values] = 0.0
        rows *= self.shares[a]
        mine = slice(self.begin[a], self.begin[a + 1])
        self.costs.rows[mine].reshape(-1, size)[slots] = rows
        self.costs.order[mine].reshape(-1, size)[slots] = np.argsort(rows, axis=1, kind="stable")
        self.costs.at[self.base[a] + values] = self.begin[a] + slots * size
        self.holder[a][slots] = values

    def _lay_out(self, a: int) -> None:
        """Coordinates relative to the lowest value. Kept cells are beyond the largest distance from all."""
        points = self.points[a]
        from_lowest = self.shares[a] * self.spaces[a].matrix(points[:1], points).ravel()
        beyond = from_lowest.max(initial=0.0) + 2.0 * np.arange(1, self.sizes[a] - len(points) + 1)
        self.costs.rows[self.begin[a] : self.begin[a + 1]] = np.concatenate([from_lowest, beyond])
        self.costs.at[self.base[a] : self.base[a + 1]] = self.begin[a]


def _table(tuples: Tuples, distances: _Distances) -> Table:
    from ontomask.masking.kernels.swapping import Table

    lists = _lists(tuples, distances, _mates(tuples.indices, distances.sizes))
    start = np.concatenate([[0], np.cumsum(tuples.counts)]).astype(np.int32)
    tuple_of = np.repeat(np.arange(len(tuples), dtype=np.int32), tuples.counts)
    return Table(tuples.indices, lists, distances.base[:-1], start, tuple_of)


def _lists(tuples: Tuples, distances: _Distances, mate: NDArray[np.int64]) -> Lists:
    from ontomask.masking.kernels.record_search import Lists

    m, p = len(tuples.spaces), len(tuples)
    by_value, slot, run = (np.empty((m, p), dtype=np.int32) for _ in range(3))
    values = np.empty((m, p if m * m * p <= _VALUES else 0, m), dtype=tuples.indices.dtype)
    size, first = np.empty(distances.base[-1], dtype=np.int32), np.zeros(distances.base[-1] + 1, dtype=np.int32)
    runs, known = [], 0
    for a, (indices, b) in enumerate(zip(tuples.indices.T, mate.tolist(), strict=True)):
        second = tuples.indices[:, b] if b >= 0 else np.zeros_like(indices)
        by_value[a] = np.lexsort((second, indices))
        firsts, seconds = indices[by_value[a]], second[by_value[a]]
        begin = np.flatnonzero((np.diff(firsts, prepend=-1) != 0) | (np.diff(seconds, prepend=-1) != 0))
        length = np.diff(begin, append=p)
        slot[a, by_value[a]] = np.arange(p)
        values[a] = tuples.indices[by_value[a]] if values.shape[1] else values[a]
        run[a, by_value[a]] = np.repeat(np.arange(known, known + len(begin)), length)
        mine = slice(distances.base[a], distances.base[a + 1])
        size[mine] = np.bincount(indices, minlength=distances.sizes[a])
        often = np.bincount(firsts[begin], minlength=distances.sizes[a])
        first[mine.start + 1 : mine.stop + 1] = known + np.cumsum(often)
        records = np.add.reduceat(tuples.counts[by_value[a]], begin)
        runs.append(np.stack([begin, length, records, seconds[begin]], axis=1))
        known += len(begin)
    ends = np.stack([np.zeros(m, dtype=np.int64), np.array(distances.sizes) - 1], axis=1)
    spent = np.zeros(distances.base[-1], dtype=np.int32)
    return Lists(by_value, slot, run, values, size, first, np.concatenate(runs).astype(np.int32), mate, ends, spent)


def _mates(indices: IntArray, sizes: Sequence[int]) -> NDArray[np.int64]:
    """For each attribute the other one that divides its lists best: into few runs, each of few tuples; −1 if none."""
    candidates = sorted(range(len(sizes)), key=lambda j: -sizes[j])
    mates = np.full(len(sizes), -1)
    for a, size in enumerate(sizes):
        least = np.inf
        for b in [j for j in candidates if j != a and size * sizes[j] <= _PAIRS][:_CANDIDATES]:
            pairs = np.bincount(indices[:, a].astype(np.int64) * sizes[b] + indices[:, b], minlength=size * sizes[b])
            by_value = pairs.reshape(size, sizes[b])
            # A search of a tuple's value looks at all runs of the value, and visits those of near second values.
            work = float(by_value.sum(axis=1) @ (by_value > 0).sum(axis=1)) + _NEAR * float(pairs @ pairs)
            if work < least:
                least, mates[a] = work, b
    return mates


def _far_mates(tuples: Tuples, distances: _Distances) -> NDArray[np.int64]:
    """For each attribute the other one in which most tuples are much nearer than the farthest; −1 if none.

    A search for the farthest then excludes most runs of a list. In an attribute in which nearly all are as far as
    possible, it could not.
    """
    spread = np.zeros(len(distances.sizes))
    for a, (points, indices) in enumerate(zip(tuples.points, tuples.indices.T, strict=True)):
        some = indices[:: max(1, len(indices) // _SAMPLE)]
        some = points[some[some < len(points)]]
        if len(some):
            away = tuples.spaces[a].matrix(some, some)
            spread[a] = tuples.shares[a] * float((away.max(axis=1) - away.mean(axis=1)).mean())
    order = np.argsort(-spread, kind="stable").tolist()
    return np.array([next((b for b in order if b != a), -1) for a in range(len(order))])


def _room(tuples: Tuples, distances: _Distances, runs: int, k: int) -> Search:
    from ontomask.masking.kernels.record_search import BASE, HIGH, IS_LINE, NEXT, SHARE, SIZE, Search

    sight = np.zeros((len(distances.sizes), HIGH + 1), dtype=np.int64)
    sight[:, BASE], sight[:, SIZE], sight[:, IS_LINE] = distances.base[:-1], distances.sizes, distances.is_line
    gauge = np.zeros((len(distances.sizes), NEXT + 1))
    # Only a line has a largest distance. Distances of concepts that count links have no limit.
    largest = [
        max(share, share * space.largest) for share, space in zip(distances.shares, distances.spaces, strict=True)
    ]
    gauge[:, SHARE] = np.where(distances.is_line, largest, np.inf)
    return Search(
        sight,
        gauge,
        wanted=np.zeros(2, dtype=np.int64),
        tuples=np.empty(len(tuples), dtype=np.int32),
        distance=np.empty(len(tuples)),
        sizes=np.zeros(3, dtype=np.int64),
        bound=np.zeros(1),
        heap=np.empty(k + 2),
        often=np.empty(k + 2, dtype=np.int64),
        runs=np.empty(runs, dtype=np.int32),
        least=np.empty(runs),
        until=np.empty(runs, dtype=np.int64),
    )


def _state(
    table: Table,
    lists: Lists,
    counts: NDArray[np.int64],
    movable: NDArray[np.bool_],
    k: int,
    unswapped_only: bool,
    neighbours: Neighbours,
) -> State:
    """The state before the first swap. Values that must not be swapped are done from the start."""
    from ontomask.masking.kernels.record_search import RECORDS, Lists
    from ontomask.masking.kernels.swapping import DONE, FROM, LEFT, OPEN, SEAT, TODO, State

    tuple_of = table.tuple_of
    n, m = len(tuple_of), movable.shape[1]
    everybody = np.arange(n, dtype=np.int32)
    is_open: NDArray[np.bool_] = np.any(movable, axis=1)
    number = np.tile(counts, (LEFT + m if unswapped_only else LEFT, 1))
    number[OPEN, ~is_open] = 0
    if unswapped_only:
        number[LEFT:][~movable.T] = 0
    records = np.zeros((n, FROM + 2 * m if unswapped_only else FROM + m), dtype=np.int32)
    records[:, TODO] = movable.sum(axis=1)[tuple_of]
    records[:, SEAT] = everybody
    records[:, FROM:] = everybody[:, None]
    tally = np.zeros(3, dtype=np.int64)
    tally[DONE] = n - number[OPEN].sum()
    mine = Lists(**{field.name: getattr(lists, field.name).copy() for field in fields(Lists)})
    mine.runs[:, RECORDS] = 0
    for run in lists.run:
        mine.runs[:, RECORDS] += np.bincount(run, number[OPEN], len(mine.runs)).astype(np.int32)
    return State(
        records=records,
        unswapped=movable[tuple_of],
        turn=np.zeros(n, dtype=np.int32),
        total=counts @ movable,
        number=number,
        members=np.tile(everybody, (len(number), 1)),
        lists=mine,
        candidates=np.zeros((m, k + 2), dtype=np.int64),
        tally=tally,
        memory=np.empty(_MEMORY, dtype=np.int32),
        recall=np.zeros((len(counts), 3), dtype=np.int64),
        interval=np.empty(k, dtype=np.int32),
        chosen=np.empty(k + 1, dtype=np.int32),
        until=np.empty(max(len(counts), k + 1), dtype=np.int64),
        neighbours=neighbours,
    )
