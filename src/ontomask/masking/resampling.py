"""Resampling: samples are sorted by meaning, and records of the same rank are averaged (Martínez 2012, chapter 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import group_rows
from ontomask.distance.ties import TIE, nearest
from ontomask.masking.anonymous import KAnonymous, as_it_stands, assemble, strata_of
from ontomask.masking.base import Method
from ontomask.masking.description import NO_PROMISE, About, at_least, one_of
from ontomask.masking.groups import CENTROIDS, COMPARISONS, Groups, centroids_of, columns_of
from ontomask.masking.results import Planned
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Sets, record_pairs

__all__ = ["SETTINGS", "HeerResampling", "Resampling"]

# The four settings of Martínez 2012, 7.3: Resampling(k=5, **SETTINGS[1]). The fourth is the default.
SETTINGS: Mapping[int, Mapping[str, Any]] = MappingProxyType(
    {
        1: {"comparison": "equality", "centroid": "mode"},
        2: {"comparison": "semantic", "centroid": "mode"},
        3: {"comparison": "semantic", "centroid": "lcs"},
        4: {"comparison": "semantic", "centroid": "semantic"},
    }
)


@dataclass(frozen=True, repr=False)
class Averaging(Method):
    """What both methods have in common: they sort samples and average the records of the same rank."""

    _: KW_ONLY
    comparison: Literal["semantic", "equality"] = field(default="semantic", metadata=one_of(COMPARISONS))
    centroid: Literal["semantic", "mode", "lcs"] = field(default="semantic", metadata=one_of(CENTROIDS))
    ties: Literal["tuple", "random"] = field(default="tuple", metadata=one_of(("tuple", "random")))
    reference: Literal["table", "sample"] = field(default="table", metadata=one_of(("table", "sample")))

    @property
    def weighs_columns(self) -> bool:
        """Yes: records are sorted by their distance to another record."""
        return True

    def _sorted(self, tuples: Tuples, samples: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """Each sample (a row of tuples) in semantic order (Martínez 2012, Algorithm 1)."""
        number = np.repeat(np.arange(len(samples)), samples.shape[1])
        sets = Sets.of(number, samples.ravel())
        distances = self._from_reference(tuples, sets, rng)
        ascending = np.lexsort((distances, sets.number))
        farther = np.diff(distances[ascending], prepend=-np.inf) > TIE
        farther |= np.diff(sets.number[ascending], prepend=-1) > 0
        rank = np.empty(len(ascending), dtype=np.int64)
        rank[ascending] = np.cumsum(farther)
        records = np.repeat(sets.index, sets.counts)
        beside = records if self.ties == "tuple" else rng.random(len(records))
        return records[np.lexsort((beside, np.repeat(rank, sets.counts)))].reshape(samples.shape)

    def _from_reference(self, tuples: Tuples, sets: Sets, rng: np.random.Generator) -> NDArray[np.float64]:
        """For each tuple of each sample its distance to the record that the sample is sorted by."""
        columns = columns_of(tuples, sets.index)
        if self.reference == "table":
            table = Sets.of(np.zeros(len(tuples), dtype=np.int64), np.arange(len(tuples)), tuples.counts)
            extreme = table.index[self._extremes(tuples, table, rng)]
            return self._apart(tuples, columns, columns_of(tuples, np.repeat(extreme, len(sets.index))))
        first = self._extremes(tuples, sets, rng)
        distances = self._apart(tuples, columns, columns_of(tuples, sets.index[first][sets.number]))
        # A measure may give distance 0 to different concepts; the extreme still comes first.
        distances[first] = -1.0
        return distances

    def _extremes(self, tuples: Tuples, sets: Sets, rng: np.random.Generator) -> NDArray[np.intp]:
        """For each set the index of the tuple most distant from its centroid (Algorithm 1, lines 1–2)."""
        centres = [points[sets.number] for points in centroids_of(tuples, sets, self.centroid)]
        distances = self._apart(tuples, columns_of(tuples, sets.index), centres)
        most = np.maximum.reduceat(distances, sets.start[:-1])
        # Among ties, the first tuple, or the winner of a race in which all records have the same chance.
        time = np.arange(len(distances)) if self.ties == "tuple" else rng.exponential(size=len(distances)) / sets.counts
        time = np.where(distances >= most[sets.number] - TIE, time, np.inf)
        return np.lexsort((time, sets.number))[sets.start[:-1]]

    def _apart(self, tuples: Tuples, a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
        """The distance between the first records of a and b, the second records, and so on."""
        if self.comparison == "semantic":
            return record_pairs(tuples.spaces, a, b)
        unequal = [
            share * space.differ(x, y) for space, share, x, y in zip(tuples.spaces, tuples.shares, a, b, strict=True)
        ]
        return np.sum(unequal, axis=0)


@dataclass(frozen=True, repr=False)
class Resampling(Averaging, KAnonymous):
    """Sk-resampling: average records of the same rank in k sorted samples without replacement.

    The records are divided into k samples of n/k records (Martínez 2012, Algorithm 6). Each sample is sorted. The first
    records of all samples form a set, the second records another, and so on; each set of k records is released as its
    centroid. The remaining n mod k records join the set with the closest centroid, and the centroids are computed
    again.

    Parameters
    ----------
    k
        The least number of records that share a released tuple.
    comparison
        How records are compared: ``semantic``, by the distances of their attributes, or ``equality``, by the number
        of attributes in which they differ.
    centroid
        What a set is released as: ``semantic``, the centroid of each attribute; ``mode``, the most frequent tuple;
        ``lcs``, the least common subsumer of each attribute, or the narrowest range of numbers, dates and ordered
        categories, which shows the smallest and the largest value of the set.
    ties
        The order of records at the same distance: by ``tuple``, so that equal records stay together and samples are
        aligned, or at ``random``.
    reference
        The record that samples are sorted by: the most extreme record of the whole ``table``, so that all samples have
        the same direction, or that of each ``sample``, as in the thesis.

    Notes
    -----
    `SETTINGS` has the four settings of Martínez 2012, 7.3: comparison by equality with the mode (1), semantic
    comparison with the mode (2), semantic comparison with the LCS (3), and Sk-resampling itself (4). Remaining records
    that are equally close to several centroids join one of them at random.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "rash", "rash"]}), {"symptom": om.Nominal(t)})
    >>> result = Resampling(k=2).mask(data, seed=0)
    >>> result.frame["symptom"].tolist(), result.guarantee.k
    (['ache', 'ache', 'rash', 'rash'], 2)
    """

    about: ClassVar[About] = About(
        what="The records are divided into k samples. Each sample is sorted by meaning, and the records with the same "
        "rank in all samples are released as their centroid.",
        why="It is the fastest of the k-anonymous methods: choose it where the others take too long. It loses more of "
        "the meaning and of the distribution (Martínez 2012, 9.2.3).",
        summary="averages of sorted samples; the fastest, and loses most",
        guarantees=("k-anonymity",),
    )

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:
        records = rng.permutation(np.repeat(np.arange(len(tuples)), tuples.counts))
        size = len(records) // self.k
        drawn, left = records[: size * self.k], records[size * self.k :]
        records = self._sorted(tuples, drawn.reshape(self.k, size), rng).T.ravel()
        number = np.repeat(np.arange(size), self.k)
        centres = centroids_of(tuples, Sets.of(number, records), self.centroid)
        if len(left):
            records = np.append(records, left)
            number = np.append(number, self._closest(tuples, left, centres, rng))
            centres = centroids_of(tuples, Sets.of(number, records), self.centroid)
        return _groups(centres, records, number, {"leftovers": len(left)})

    def _closest(
        self, tuples: Tuples, records: NDArray[np.integer], centres: Sequence[Points], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """For each record a set with the closest centroid."""
        sets = len(centres[0])
        mine = columns_of(tuples, np.repeat(records, sets))
        distances = self._apart(tuples, mine, [np.tile(column, len(records)) for column in centres])
        tied = [nearest(row) for row in distances.reshape(len(records), sets)]
        return np.array([closest[rng.integers(len(closest))] for closest in tied], dtype=np.int64)


@dataclass(frozen=True, repr=False)
class HeerResampling(Averaging):
    """Heer's resampling: average records of the same rank in sorted samples with replacement. Not k-anonymous.

    Each sample has as many records as the table (Martínez 2012, Algorithm 5). The average of the i-th records of all
    samples replaces the i-th record of the table, which is sorted in the same way.

    Parameters
    ----------
    samples
        The number of samples (t in the thesis).
    comparison, centroid, ties, reference
        As in `Resampling`.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "rash", "rash"]}), {"symptom": om.Nominal(t)})
    >>> HeerResampling(samples=3).mask(data, seed=0).guarantee.claim
    ''
    """

    about: ClassVar[About] = About(
        what="Samples are drawn with replacement and sorted by meaning. The averages of the records with the same rank "
        "replace the sorted records.",
        why=f"It is a baseline for Resampling, which guarantees k. {NO_PROMISE}",
        summary="averages of sorted samples drawn with replacement",
        baseline=True,
    )

    samples: int = field(metadata=at_least(1))

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        table = data.table
        strata = strata_of(table)
        found = [
            self._average(Tuples.of(table, rows, free), rng) if free else as_it_stands(rows) for rows, free in strata
        ]
        return Planned(assemble(table, strata, found, {}))

    def _average(self, tuples: Tuples, rng: np.random.Generator) -> Groups:
        records = np.repeat(np.arange(len(tuples)), tuples.counts)
        drawn = records[rng.integers(len(records), size=(self.samples, len(records)))]
        number = np.arange(len(records))
        ranks = Sets.of(np.tile(number, self.samples), self._sorted(tuples, drawn, rng).ravel())
        averages = centroids_of(tuples, ranks, self.centroid)
        return _groups(averages, self._sorted(tuples, records[None, :], rng)[0], number)


def _groups(
    centres: Sequence[Points],
    records: NDArray[np.integer],
    number: NDArray[np.integer],
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Groups:
    """Release record i, given by its tuple, as the centroid ``number[i]``. Equal centroids are one group."""
    codes = [np.unique(column, return_inverse=True) for column in centres]
    group_of, firsts = group_rows([code.ravel() for _, code in codes], [len(values) for values, _ in codes])
    outcomes = Sets.of(records, group_of[number])
    return Groups(
        outcomes.index, [column[firsts] for column in centres], outcomes.start, outcomes.counts, details=details
    )
