"""Swaps between near records (Rodriguez-Garcia 2019, Algorithms 2 and 3).

The paper ranks all records again for each reference, which takes n²·log n in all. Here neighbours are searched among
distinct tuples, through lists of the tuples that have a value (`ontomask.masking.kernels.record_search`), so that most
tuples are never visited. If copies of a reference fill its interval, no search is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import Pace, progress
from ontomask.base.threads import count_threads, in_threads
from ontomask.distance.ties import TIE, farthest
from ontomask.masking.record_lists import ValueRows, far_mates, near_mates, value_lists
from ontomask.microdata.tuples import Tuples

if TYPE_CHECKING:
    from ontomask.masking.kernels.record_search import Lists, Search
    from ontomask.masking.kernels.swapping import Neighbours, State, Table

__all__ = ["Moves", "NearSwaps", "near_tuples"]

# Number of tuples farthest from others, and nearest to others, that are cached (16 MiB each).
_MEMORY = 2**22
# Neighbours that a thread finds at a time; from this many tuples on, threads find the neighbours of all tuples.
_BUFFER = 2**18
_MANY = 20_000
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
        self._distances = ValueRows(tuples)
        self._lists = value_lists(tuples, self._distances, far_mates(tuples, self._distances))
        # Intervals of unswapped records are searched for among the same lists as references.
        self._table = _table(tuples, self._distances, self._lists if unswapped_only else None)
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
        state = _state(
            table, self._lists, self._tuples.counts, self._movable, k, self._unswapped_only, self._neighbours
        )
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

    distances = ValueRows(tuples)
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


def _table(tuples: Tuples, distances: ValueRows, lists: Lists | None = None) -> Table:
    from ontomask.masking.kernels.swapping import Table

    if lists is None:
        lists = value_lists(tuples, distances, near_mates(tuples.indices, distances.sizes))
    start = np.concatenate([[0], np.cumsum(tuples.counts)]).astype(np.int32)
    tuple_of = np.repeat(np.arange(len(tuples), dtype=np.int32), tuples.counts)
    return Table(tuples.indices, lists, distances.base[:-1], start, tuple_of)


def _room(tuples: Tuples, distances: ValueRows, runs: int, k: int) -> Search:
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
