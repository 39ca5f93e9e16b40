"""Link originals to the nearest masked records of the same stratum: records that are equal in the kept columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_codes, group_rows
from ontomask.base.threads import in_threads
from ontomask.distance.ties import TIE
from ontomask.evaluation.linkage import ROOM, ValueDistances, lay_out, lines_of, nearest_masked
from ontomask.evaluation.pairing import Pairing, Side

__all__ = ["StratifiedLinkage"]

# From this many comparisons on, an index of the stratum is faster.
_WORTH_INDEX = 2**20


class StratifiedLinkage:
    """Semantic linkage within strata, for any number of stratifications of the same two tables.

    Parameters
    ----------
    pairing
        The two tables, in the masked columns.
    """

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        pair = pairing.by_record.pair
        self._a, self._b = pairing.a[pair], pairing.b[pair]
        self._own = pairing.distances()[pair] if len(pairing.a) else np.zeros(0)
        self._compared = _Compared(pairing)
        self._distances = ValueDistances(pairing)

    def risk(self, original: NDArray[np.integer], released: NDArray[np.integer], strata: int) -> NDArray[np.float64]:
        """For every original record the probability that it is linked to its own released record.

        Parameters
        ----------
        original, released
            The stratum of every original and of every released record, 0 … ``strata`` − 1.
        """
        pairing, rows = self._pairing, self._pairing.by_record.rows
        risk = np.zeros(len(original))
        # A record whose released row is in another stratum is never found.
        found = np.flatnonzero(original[rows] == released)
        if not len(found):
            return risk
        number, firsts = group_rows([released, self._b], [strata, len(pairing.masked)])
        counts = count_codes(number, len(firsts), pairing.by_record.released)
        start = np.searchsorted(released[firsts], np.arange(strata + 1))
        sought, sought_firsts = group_rows([released[found], self._a[found]], [strata, len(pairing.original)])
        stratum = released[found][sought_firsts]
        bound = np.full(len(sought_firsts), np.inf)
        np.minimum.at(bound, sought, self._own[found])
        least, linked = self._nearest(
            self._a[found][sought_firsts], bound, start[stratum], start[stratum + 1], self._b[firsts], counts
        )
        hit = self._own[found] <= least[sought] + TIE
        risk[rows[found]] = np.where(hit, 1 / linked[sought], 0.0)
        return risk

    def _nearest(
        self,
        tuples: NDArray[np.integer],
        bound: NDArray[np.float64],
        begin: NDArray[np.integer],
        end: NDArray[np.integer],
        masked: NDArray[np.integer],
        counts: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """For each sought tuple the least distance to ``masked[begin:end]``, and how many records tie with it."""
        least, linked = bound.copy(), counts[begin]
        # A stratum with one masked tuple needs no comparison.
        compared = np.flatnonzero(end - begin > 1)
        work = np.bincount(begin[compared], weights=(end - begin)[compared], minlength=len(counts))[begin[compared]]
        by_index = (work > _WORTH_INDEX) | (not self._compared.fits)
        few = compared[~by_index]
        if len(few):
            self._compared.brute_force(tuples[few], begin[few], end[few], masked, counts, least, linked, few)
        many = compared[by_index]
        for first in np.unique(begin[many]).tolist():
            mine = many[begin[many] == first]
            inside = slice(first, int(end[mine[0]]))
            part = _part_of(self._pairing, tuples[mine], masked[inside], counts[inside])
            least[mine], linked[mine] = nearest_masked(part, bound[mine], self._distances)
        return least, linked


class _Compared:
    """Distances between values in the form that the compiled loop uses: positions of numbers, matrices for others."""

    def __init__(self, pairing: Pairing) -> None:
        self._original, self._masked = pairing.original.indices, pairing.masked.indices
        sizes = [pairing.size(j) for j in range(len(pairing.names))]
        lines = lines_of(pairing)
        self._others = [j for j in range(len(sizes)) if j not in lines]
        self._present = {j: np.unique(self._original[:, j]) for j in self._others}
        # Whether all distances between values fit into memory.
        self.fits = sum(len(self._present[j]) * sizes[j] for j in self._others) <= ROOM
        self._lines = lines
        if self.fits:
            matrices = [pairing.value_distances(j, self._present[j]) for j in self._others] or [np.zeros((1, 1))]
            self._flat, self._start, self._size, _ = lay_out(matrices, nearest=False)

    def brute_force(
        self,
        tuples: NDArray[np.integer],
        begin: NDArray[np.integer],
        end: NDArray[np.integer],
        masked: NDArray[np.integer],
        counts: NDArray[np.int64],
        least: NDArray[np.float64],
        linked: NDArray[np.int64],
        at: NDArray[np.integer],
    ) -> None:
        """Write the nearest distance to each tuple into ``least[at]``, and the number of ties into ``linked[at]``."""
        from ontomask.evaluation.kernels import link_by_comparing_all

        rows = np.zeros((len(tuples), len(self._size)), dtype=np.int64)
        values = np.zeros((len(masked), len(self._size)), dtype=np.int64)
        for position, j in enumerate(self._others):
            rows[:, position] = np.searchsorted(self._present[j], self._original[tuples, j])
            values[:, position] = self._masked[masked, j]
        here = np.stack([x[self._original[tuples, j]] for j, x in self._lines.items()] or [np.zeros(len(tuples))], 1)
        there = np.stack([x[self._masked[masked, j]] for j, x in self._lines.items()] or [np.zeros(len(masked))], 1)
        found, records = least[at], np.empty(len(tuples), dtype=np.int64)
        distances, masked_tuples = (self._flat, self._start, self._size), (values, counts)

        def compare(part: slice) -> None:
            ranges = begin[part], end[part]
            link_by_comparing_all(
                here[part], there, *distances, rows[part], *masked_tuples, *ranges, TIE, found[part], records[part]
            )

        in_threads("Linking records", len(tuples), lambda: compare)
        least[at], linked[at] = found, records


def _part_of(
    pairing: Pairing, tuples: NDArray[np.integer], masked: NDArray[np.integer], counts: NDArray[np.int64]
) -> Pairing:
    """The tuples of one stratum as a separate pairing."""
    ones = np.ones(len(tuples), dtype=np.int64)
    return replace(
        pairing,
        original=Side(pairing.original.indices[tuples], ones),
        masked=Side(pairing.masked.indices[masked], counts),
    )
