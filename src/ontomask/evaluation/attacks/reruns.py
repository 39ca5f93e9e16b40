"""Transition probabilities estimated from re-runs: the method masks the same originals again, with other randomness.

Counted is how often records of each original tuple get each value of each column. Columns count as independent given
the whole original tuple, so that nothing grows with the square of the tuples. A value that was not seen gets a small
probability by its frequency in the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.transitions import Matrix, Rows, Transitions
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.plan import SUPPRESSED, Key, read_keys
from ontomask.operators.space import Points
from ontomask.progress import progress
from ontomask.taxonomy.graph import IntArray

__all__ = ["rerun", "runs_for"]

# Runs are counted in so many groups; each replicate of the estimate leaves one out.
_GROUPS = 5
# Records of all runs together that are worth the time, and the fewest and most runs.
_RECORDS = 4_000_000
_RUNS = (40, 300)
# Counts of this many runs are held before they are put together.
_HELD = 16
# So much of a record is spread over values that were not seen.
_UNSEEN = 1.0
# Sets the randomness of re-runs apart from that of a masking with the same seed.
_APART = 0x5EED0FA77AC4


def runs_for(records: int) -> int:
    """How many re-runs a table of so many records gets by default."""
    return int(np.clip(_RECORDS // max(records, 1), *_RUNS))


def rerun(data: Microdata, pairing: Pairing, method: Method, runs: int, seed: int) -> Transitions:
    """Estimate P(x → y) from so many re-runs."""
    counters = [_Counter(data, pairing, j) for j in range(len(pairing.names))]
    firsts = np.zeros(len(data.cell_table), dtype=np.int64)
    firsts[data.cell_table.inverse] = np.arange(len(data))
    meant = data.table.inverse[firsts]
    with progress("Masking again", runs) as advance:
        for run in range(runs):
            # Never the seed of the masking itself: an intruder does not know it.
            rng = np.random.default_rng(np.random.SeedSequence([_APART, seed, run]))
            plan = method._plan(data, rng).plan
            if isinstance(plan, RecordPlan):
                tuples, outcome, records = data.table.inverse, plan.outcome, np.ones(len(data), dtype=np.int64)
            else:
                tuples, outcome, records = _branches(plan)
                tuples = meant[tuples] if plan.spellings else tuples
            for j, counter in enumerate(counters):
                counter.add(run % _GROUPS, plan.outcome_keys[j], tuples, outcome[:, j], records)
            advance(1)
    factors = [counter.factor() for counter in counters]
    groups = range(min(_GROUPS, runs)) if runs > 1 else ()
    replicates = tuple(Transitions(tuple(factor.without(group) for factor in factors)) for group in groups)
    return Transitions(tuple(factors), replicates, runs)


def _branches(plan: TuplePlan) -> tuple[IntArray, IntArray, NDArray[np.int64]]:
    """For every branch of a plan its original tuple, the places of its new values, and how many records go there."""
    tuples = np.repeat(np.arange(len(plan.tuples)), np.diff(plan.start))
    released = plan.outcome != SUPPRESSED
    return tuples[released], plan.outcome_tuples[plan.outcome[released]], plan.records[released]


class _Counter:
    """How often the records of each original tuple got each released value of one column."""

    def __init__(self, data: Microdata, pairing: Pairing, j: int) -> None:
        self._data, self._name, self._number = data, pairing.names[j], j
        self._points, self._size = pairing.points[j], pairing.size(j)
        self._tuples = len(pairing.original)
        before = data.table.values[j]
        kept = pairing.original.places[:, j] >= len(self._points)
        #: The places of kept cells, by the cell.
        self._kept = {
            data.table.columns[j].cells[before.cell[value]]: int(place)
            for value, place in set(
                zip(data.table.tuples[kept, j].tolist(), pairing.original.places[kept, j].tolist(), strict=True)
            )
        }
        self._places: dict[Key, int] = {}
        self._held: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self._keys = np.empty(0, dtype=np.int64)
        self._counts = np.empty((0, _GROUPS), dtype=np.int64)

    def add(
        self, group: int, keys: Sequence[Key], tuples: IntArray, outcome: IntArray, records: NDArray[np.int64]
    ) -> None:
        """Count one run: branches of original tuples, with the places of their new values among the keys."""
        place = self._places_of(keys)[outcome]
        # The last place is for values that the release does not have.
        key = tuples.astype(np.int64) * (self._size + 1) + place
        self._held.append((key * _GROUPS + group, records))
        if len(self._held) == _HELD:
            self._put_together()

    def _places_of(self, keys: Sequence[Key]) -> IntArray:
        new = [key for key in keys if key not in self._places]
        if new:
            cells, points, kept = read_keys(new, self._name, self._data)
            at = np.searchsorted(self._points, points)
            found = at < len(self._points)
            found[found] = self._points[at[found]] == points[found]
            for i, key in enumerate(new):
                if kept[i]:
                    self._places[key] = self._kept.get(cells[i], self._size)
                else:
                    self._places[key] = int(at[i]) if found[i] else self._size
        return np.array([self._places[key] for key in keys], dtype=np.int64)

    def _put_together(self) -> None:
        keys = np.concatenate([keys for keys, _ in self._held])
        records = np.concatenate([records for _, records in self._held])
        self._held = []
        found, place = np.unique(keys, return_inverse=True)
        often = np.bincount(place.ravel(), weights=records).astype(np.int64)
        both = np.union1d(self._keys, found // _GROUPS)
        counts = np.zeros((len(both), _GROUPS), dtype=np.int64)
        counts[np.searchsorted(both, self._keys)] = self._counts
        np.add.at(counts, (np.searchsorted(both, found // _GROUPS), found % _GROUPS), often)
        self._keys, self._counts = both, counts

    def factor(self) -> _Counted:
        """The probabilities that follow from the counts."""
        if self._held:
            self._put_together()
        tuples, places = np.divmod(self._keys, self._size + 1)
        start = np.searchsorted(tuples, np.arange(self._tuples + 1))
        return _Counted(self._number, start, places, self._counts, self._size, np.ones(_GROUPS, dtype=bool))


@dataclass(frozen=True, eq=False)
class _Counted:
    """One column, in which a new value depends on the whole original tuple: counts of re-runs, by groups of runs.

    The counts of tuple i lie from ``start[i]`` to ``start[i + 1] − 1``, ``places`` are the values that they are of.
    """

    attribute: int
    start: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    size: int
    groups: NDArray[np.bool_]

    @property
    def attributes(self) -> tuple[int, ...]:
        """The number of the column."""
        return (self.attribute,)

    def without(self, group: int) -> _Counted:
        """The same without the runs of one group."""
        groups = self.groups.copy()
        groups[group] = False
        return _Counted(self.attribute, self.start, self.places, self.counts, self.size, groups)

    def bind(self, points: Sequence[Points], before: IntArray, after: IntArray) -> Rows:  # noqa: ARG002
        """The probabilities between the tuples of two tables; see `Factor.bind`."""
        return _CountedRows(self, len(points[0]), before[:, 0], after[:, 0])


class _CountedRows:
    def __init__(self, factor: _Counted, real: int, before: IntArray, after: IntArray) -> None:
        self._start, self._places, self._after = factor.start, factor.places, after
        self._counts: NDArray[Any] = factor.counts[:, factor.groups].sum(axis=1)
        tuple_of = np.repeat(np.arange(len(before)), np.diff(factor.start))
        total = np.bincount(tuple_of, weights=self._counts, minlength=len(before))
        self._weight = 1 / (total + _UNSEEN)
        often = np.bincount(factor.places, weights=self._counts, minlength=factor.size + 1)[: factor.size]
        # Kept cells never change: no other value becomes one.
        often[real:] = 0.0
        often[:real] += 1 / max(real, 1)
        self._usual = _UNSEEN * often / max(often.sum(), 1e-300)
        # A kept cell stays what it is, whatever was counted.
        self._stays = before >= real
        self._before = before

    def take(self, low: int, high: int) -> tuple[Matrix, IntArray]:
        out = np.tile(self._usual, (high - low, 1))
        part = slice(int(self._start[low]), int(self._start[high]))
        rows = np.repeat(np.arange(high - low), np.diff(self._start[low : high + 1]))
        released = self._places[part] < out.shape[1]
        out[rows[released], self._places[part][released]] += self._counts[part][released]
        out *= self._weight[low:high, None]
        stays = np.flatnonzero(self._stays[low:high])
        out[stays] = 0.0
        out[stays, self._before[low:high][stays]] = 1.0
        return out[:, self._after], np.arange(high - low, dtype=np.int32)
