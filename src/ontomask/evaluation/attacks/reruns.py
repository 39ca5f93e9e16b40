"""Transition probabilities estimated from re-runs: the method masks the same originals again, with other randomness.

For each original tuple and column, the runs are counted in which its records get each value. Columns count as
independent given the whole original tuple, so no cost grows with the square of the number of tuples. A value that did
not occur gets a small probability by its frequency in the column. Released tuples without any value that occurred count
as impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import in_blocks, with_progress
from ontomask.evaluation.attacks.posterior import Explanation, Likelihoods
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.microdata import Microdata
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.planvalues import PlanValues

__all__ = ["GROUPS", "Reruns", "rerun", "runs_for"]

# Runs are counted in this many groups. Each replicate of the estimate leaves one out.
GROUPS = 4
# By default, _RECORDS records are masked again in all, in at most _MOST and at least _LEAST runs; in _FEW runs if the
# number of records times distinct tuples is above _LARGE.
_RECORDS = 750_000
_MOST, _LEAST, _FEW = 300, 24, 16
_LARGE = 2_000_000_000
# Counts of this many runs are held before they are merged.
_HELD = 16
# Values that did not occur share this much of a record.
_UNSEEN = 1.0
# Makes the random draws of re-runs independent of a masking with the same seed.
_APART = 0x5EED0FA77AC4


def runs_for(records: int, tuples: int) -> int:
    """The default number of re-runs: fewer for tables for which each run takes longer."""
    least = _LEAST if records * tuples <= _LARGE else _FEW
    return min(max(_RECORDS // records, least), _MOST)


def rerun(data: Microdata, pairing: Pairing, method: Method, runs: int, seed: int) -> Reruns:
    """Mask the data again this many times, and count."""
    counters = [_Counter(data, pairing, j) for j in range(len(pairing.names))]
    plans = method.prepare_plans(data)
    for run in with_progress("Masking again", range(runs)):
        # This is never the seed of the masking itself, which an intruder does not know.
        rng = np.random.default_rng(np.random.SeedSequence([_APART, seed, run]))
        found = plans(rng).counts()
        released = found.masked != SUPPRESSED
        tuples, records = found.original[released], found.records[released]
        outcome = found.masked_tuples[found.masked[released]]
        for j, counter in enumerate(counters):
            counter.add(run % GROUPS, found.values[j], tuples, outcome[:, j], records)
    return Reruns(pairing, runs, [counter.counts() for counter in counters])


class _Counter:
    """How often the records of each original tuple got each released value of one column."""

    def __init__(self, data: Microdata, pairing: Pairing, j: int) -> None:
        self._column, self._release = data.table.columns[j], data.releases[pairing.names[j]]
        self._points, self._size = pairing.points[j], pairing.size(j)
        before = data.table.values[j]
        kept = pairing.original.indices[:, j] >= len(self._points)
        #: The indices of kept cells, by the cell.
        self._kept = {
            data.table.columns[j].cells[before.cell[value]]: int(index)
            for value, index in set(
                zip(data.table.tuples[kept, j].tolist(), pairing.original.indices[kept, j].tolist(), strict=True)
            )
        }
        #: The indices of points that were seen before.
        self._index: dict[Any, int] = {}
        self._held: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self._keys = np.empty(0, dtype=np.int64)
        self._counts = np.empty((0, GROUPS), dtype=np.int32)

    def add(
        self, group: int, values: PlanValues, tuples: IntArray, outcome: IntArray, records: NDArray[np.int64]
    ) -> None:
        """Count one run: ``records[i]`` records of an original tuple got the value ``outcome[i]``."""
        index = self._find(values)[outcome]
        # The last index is for values that the release does not have.
        key = tuples.astype(np.int64) * (self._size + 1) + index
        self._held.append((key * GROUPS + group, records))
        if len(self._held) == _HELD:
            self._merge()

    def _find(self, values: PlanValues) -> NDArray[np.int64]:
        """For each value of a plan its index among the values of both tables."""
        points = values.points.tolist()
        new = np.array(
            [i for i, point in enumerate(points) if i not in values.cells and point not in self._index], dtype=np.int64
        )
        if len(new):
            _, released, _ = values.release(new, self._column, self._release)
            at = np.searchsorted(self._points, released)
            found = at < len(self._points)
            found[found] = self._points[at[found]] == released[found]
            index = np.where(found, at, self._size).tolist()
            self._index |= dict(zip((points[i] for i in new.tolist()), index, strict=True))
        return np.array(
            [
                self._kept.get(values.cells[i], self._size) if i in values.cells else self._index[point]
                for i, point in enumerate(points)
            ],
            dtype=np.int64,
        )

    def _merge(self) -> None:
        keys = np.concatenate([keys for keys, _ in self._held])
        records = np.concatenate([records for _, records in self._held])
        self._held = []
        found, index = np.unique(keys, return_inverse=True)
        often = np.bincount(index.ravel(), weights=records).astype(np.int32)
        both = np.union1d(self._keys, found // GROUPS)
        counts = np.zeros((len(both), GROUPS), dtype=np.int32)
        counts[np.searchsorted(both, self._keys)] = self._counts
        np.add.at(counts, (np.searchsorted(both, found // GROUPS), found % GROUPS), often)
        self._keys, self._counts = both, counts

    def counts(self) -> tuple[NDArray[np.int64], IntArray, IntArray]:
        """The original tuples and values that occurred, by tuple, and their counts, by group of runs."""
        if self._held:
            self._merge()
        tuples, values = np.divmod(self._keys, self._size + 1)
        return tuples, values.astype(np.int32), self._counts


@dataclass(frozen=True, eq=False)
class Reruns:
    """The values that the re-runs gave to the records of each original tuple.

    Attributes
    ----------
    pairing
        The two tables.
    runs
        The number of re-runs.
    columns
        For each attribute the pairs of an original tuple and the index of a new value that occurred, and their counts,
        one column per group of runs. The last index is for values that the release does not have.
    """

    pairing: Pairing
    runs: int
    columns: Sequence[tuple[NDArray[np.int64], IntArray, IntArray]]

    def part(self, pairing: Pairing, tuples: NDArray[np.int64]) -> Reruns:
        """The same for a part of the records, given its pairing and the indices of its original tuples in this one."""
        number = np.full(len(self.pairing.original), -1, dtype=np.int64)
        number[tuples] = np.arange(len(tuples))
        columns = []
        for of, values, counts in self.columns:
            inside = number[of] >= 0
            columns.append((number[of[inside]], values[inside], counts[inside]))
        return Reruns(pairing, self.runs, columns)

    def work(self) -> float:
        """The approximate number of products of an attack."""
        total = 0.0
        for j, (_, values, _) in enumerate(self.columns):
            listed = np.bincount(self.pairing.masked.indices[:, j], minlength=self.pairing.size(j) + 1)
            total += float(listed[values].sum())
        # Memory is accessed at random, which takes twice as long.
        return 2 * total

    def likelihoods(self, without: int | None = None) -> Likelihoods:
        """P(x → y) from all runs, or from all but one group of them."""
        groups = [group for group in range(GROUPS) if group != without]
        return _Counts(self, groups)


class _Counts:
    """Likelihoods from counts; see `ontomask.evaluation.attacks.kernels.Counted`."""

    def __init__(self, reruns: Reruns, groups: Sequence[int]) -> None:
        from ontomask.evaluation.attacks.kernels import Counted

        pairing = self._pairing = reruns.pairing
        p, m = len(pairing.original), len(pairing.names)
        sizes = [pairing.size(j) for j in range(m)]
        base = np.concatenate([[0], np.cumsum(sizes)])
        start, offset = np.empty((m, p + 1), dtype=np.int64), 0
        weight, floor, usual = np.empty((m, p)), np.full((m, p), _UNSEEN), np.zeros(base[-1])
        values, counts = [], []
        for j, (tuples, indices, by_group) in enumerate(reruns.columns):
            often = by_group[:, groups].sum(axis=1)
            real = len(pairing.points[j])
            # A kept cell stays what it is, and no other value becomes one.
            floor[j, pairing.original.indices[:, j] >= real] = 0.0
            seen = np.bincount(tuples, weights=often, minlength=p) + floor[j]
            # A kept cell may have been suppressed in all of these runs.
            weight[j] = np.divide(1, seen, out=np.zeros(p), where=seen > 0)
            in_column = np.bincount(indices, weights=often, minlength=sizes[j] + 1)[:real] + 1 / max(real, 1)
            usual[base[j] : base[j] + real] = in_column / in_column.sum()
            inside = indices < sizes[j]
            start[j] = offset + np.searchsorted(tuples[inside], np.arange(p + 1))
            offset = int(start[j, -1])
            values.append(indices[inside] + base[j])
            counts.append(often[inside])
        placed = (pairing.masked.indices + base[:-1]).astype(np.int32)
        listed = np.argsort(placed.ravel(), kind="stable")
        list_start = np.searchsorted(placed.ravel()[listed], np.arange(base[-1] + 1))
        self._counted = Counted(
            start,
            np.concatenate(values).astype(np.int32),
            np.concatenate(counts).astype(np.float64),
            weight,
            floor,
            usual,
            placed,
            list_start,
            (listed // m).astype(np.int32),
        )

    def _room(self) -> tuple[IntArray, NDArray[np.float64]]:
        values = len(self._counted.list_start) - 1
        return np.full(values, -1, dtype=np.int32), np.zeros(values)

    def explain(self) -> Explanation:
        """The possible origins of each released tuple."""
        from ontomask.evaluation.attacks.kernels import add_up_counted

        pairing = self._pairing
        q, own = len(pairing.masked), np.zeros(len(pairing.a))
        total, best, ties = np.zeros(q), np.zeros(q), np.zeros(q, dtype=np.int64)
        guess = np.full(q, -1, dtype=np.int64)
        counts = pairing.original.counts.astype(np.float64)
        pairs = np.searchsorted(pairing.a, np.arange(len(counts) + 1))
        found = (counts, pairs, pairing.b, *self._room(), own, total, best, ties, guess)
        for part in in_blocks("Explaining released records", len(counts)):
            add_up_counted(self._counted, part.start, part.stop, *found)
        return Explanation(own, total, best, ties, guess)

    def link(
        self, tuples: NDArray[np.int64], inverse: NDArray[np.float64], score: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """How many released records share the best score of some original tuples; see `Likelihoods.link`."""
        from ontomask.evaluation.attacks.kernels import link_counted

        linked = np.zeros(len(tuples), dtype=np.int64)
        most = np.zeros(len(self._counted.list_start) - 1)
        np.maximum.at(most, self._counted.places, inverse[:, None])
        found = (inverse, most, self._pairing.masked.counts, *self._room())
        for part in in_blocks("Linking known records", len(tuples)):
            link_counted(self._counted, tuples[part], *found, score[part], linked[part])
        return linked
