"""Transition probabilities estimated from re-runs: the method masks the same originals again, with other randomness.

Counted is how often records of each original tuple get each value of each column. Columns count as independent given
the whole original tuple, so that nothing grows with the square of the tuples. A value that was not seen gets a small
probability by its frequency in the column; released tuples none of whose values were seen count as impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.evaluation.attacks.posterior import Explanation, Likelihoods
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.microdata import Microdata
from ontomask.microdata.plan import SUPPRESSED
from ontomask.microdata.planvalues import PlanValues

__all__ = ["GROUPS", "Reruns", "rerun", "runs_for"]

# Runs are counted in so many groups; each replicate of the estimate leaves one out.
GROUPS = 4
# By default so many records are masked again in all, in this many runs at most, and in so many at least; fewer where
# records times distinct tuples are more than _LARGE.
_RECORDS = 750_000
_MOST, _LEAST, _FEW = 300, 24, 16
_LARGE = 2_000_000_000
# Counts of this many runs are held before they are put together.
_HELD = 16
# Original tuples between two signs of progress.
_AT_A_TIME = 2000
# Values that were not seen share this much of a record.
_UNSEEN = 1.0
# Sets the randomness of re-runs apart from that of a masking with the same seed.
_APART = 0x5EED0FA77AC4


def runs_for(records: int, tuples: int) -> int:
    """How many re-runs a table gets by default: the fewer, the longer each takes."""
    least = _LEAST if records * tuples <= _LARGE else _FEW
    return min(max(_RECORDS // records, least), _MOST)


def rerun(data: Microdata, pairing: Pairing, method: Method, runs: int, seed: int) -> Reruns:
    """Mask the data again so many times, and count."""
    counters = [_Counter(data, pairing, j) for j in range(len(pairing.names))]
    plans = method.prepare_plans(data)
    with progress("Masking again", runs) as advance:
        for run in range(runs):
            # Never the seed of the masking itself: an intruder does not know it.
            rng = np.random.default_rng(np.random.SeedSequence([_APART, seed, run]))
            found = plans(rng).counts()
            released = found.masked != SUPPRESSED
            tuples, records = found.original[released], found.records[released]
            outcome = found.masked_tuples[found.masked[released]]
            for j, counter in enumerate(counters):
                counter.add(run % GROUPS, found.values[j], tuples, outcome[:, j], records)
            advance(1)
    return Reruns(pairing, runs, [counter.counts() for counter in counters])


class _Counter:
    """How often the records of each original tuple got each released value of one column."""

    def __init__(self, data: Microdata, pairing: Pairing, j: int) -> None:
        self._column, self._release = data.table.columns[j], data.releases[pairing.names[j]]
        self._points, self._size = pairing.points[j], pairing.size(j)
        before = data.table.values[j]
        kept = pairing.original.places[:, j] >= len(self._points)
        #: The indices of kept cells, by the cell.
        self._kept = {
            data.table.columns[j].cells[before.cell[value]]: int(place)
            for value, place in set(
                zip(data.table.tuples[kept, j].tolist(), pairing.original.places[kept, j].tolist(), strict=True)
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
            self._put_together()

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

    def _put_together(self) -> None:
        keys = np.concatenate([keys for keys, _ in self._held])
        records = np.concatenate([records for _, records in self._held])
        self._held = []
        found, place = np.unique(keys, return_inverse=True)
        often = np.bincount(place.ravel(), weights=records).astype(np.int32)
        both = np.union1d(self._keys, found // GROUPS)
        counts = np.zeros((len(both), GROUPS), dtype=np.int32)
        counts[np.searchsorted(both, self._keys)] = self._counts
        np.add.at(counts, (np.searchsorted(both, found // GROUPS), found % GROUPS), often)
        self._keys, self._counts = both, counts

    def counts(self) -> tuple[NDArray[np.int64], IntArray, IntArray]:
        """The original tuples and places that occurred, by tuple, and how often they did, by group of runs."""
        if self._held:
            self._put_together()
        tuples, places = np.divmod(self._keys, self._size + 1)
        return tuples, places.astype(np.int32), self._counts


@dataclass(frozen=True, eq=False)
class Reruns:
    """What the re-runs did to the records of each original tuple.

    Attributes
    ----------
    pairing
        The two tables.
    runs
        How many re-runs there were.
    columns
        For each attribute the original tuples and the places of new values that occurred, and how often they did, one
        column a group of runs. The last place is for values that the release does not have.
    """

    pairing: Pairing
    runs: int
    columns: Sequence[tuple[NDArray[np.int64], IntArray, IntArray]]

    def part(self, pairing: Pairing, tuples: NDArray[np.int64]) -> Reruns:
        """The same of some records: their pairing, and the numbers that their original tuples have in this one."""
        number = np.full(len(self.pairing.original), -1, dtype=np.int64)
        number[tuples] = np.arange(len(tuples))
        columns = []
        for of, places, counts in self.columns:
            inside = number[of] >= 0
            columns.append((number[of[inside]], places[inside], counts[inside]))
        return Reruns(pairing, self.runs, columns)

    def work(self) -> float:
        """About how many products an attack takes."""
        total = 0.0
        for j, (_, places, _) in enumerate(self.columns):
            listed = np.bincount(self.pairing.masked.places[:, j], minlength=self.pairing.size(j) + 1)
            total += float(listed[places].sum())
        # Released tuples are looked at in no order, which takes twice as long.
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
        for j, (tuples, places, by_group) in enumerate(reruns.columns):
            often = by_group[:, groups].sum(axis=1)
            real = len(pairing.points[j])
            # A kept cell stays what it is, and no other value becomes one.
            floor[j, pairing.original.places[:, j] >= real] = 0.0
            weight[j] = 1 / (np.bincount(tuples, weights=often, minlength=p) + floor[j])
            in_column = np.bincount(places, weights=often, minlength=sizes[j] + 1)[:real] + 1 / max(real, 1)
            usual[base[j] : base[j] + real] = in_column / in_column.sum()
            inside = places < sizes[j]
            start[j] = offset + np.searchsorted(tuples[inside], np.arange(p + 1))
            offset = int(start[j, -1])
            values.append(places[inside] + base[j])
            counts.append(often[inside])
        placed = (pairing.masked.places + base[:-1]).astype(np.int32)
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
        """Where each released tuple can come from."""
        from ontomask.evaluation.attacks.kernels import add_up_counted

        pairing = self._pairing
        q, own = len(pairing.masked), np.zeros(len(pairing.a))
        total, best, ties = np.zeros(q), np.zeros(q), np.zeros(q, dtype=np.int64)
        guess = np.full(q, -1, dtype=np.int64)
        counts = pairing.original.counts.astype(np.float64)
        pairs = np.searchsorted(pairing.a, np.arange(len(counts) + 1))
        found = (counts, pairs, pairing.b, *self._room(), own, total, best, ties, guess)
        with progress("Explaining released records", len(counts)) as advance:
            for low in range(0, len(counts), _AT_A_TIME):
                high = min(low + _AT_A_TIME, len(counts))
                add_up_counted(self._counted, low, high, *found)
                advance(high - low)
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
        with progress("Linking known records", len(tuples)) as advance:
            for low in range(0, len(tuples), _AT_A_TIME):
                part = slice(low, low + _AT_A_TIME)
                link_counted(self._counted, tuples[part], *found, score[part], linked[part])
                advance(len(tuples[part]))
        return linked
