"""Resampling: samples are sorted by meaning, and the records at the same place in them averaged (T chapter 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import group_rows
from ontomask.distance.ties import TIE, nearest
from ontomask.masking.anonymous import KAnonymous, as_it_stands, assemble, strata_of
from ontomask.masking.base import Method, Planned, check_int
from ontomask.masking.groups import Groups, centroids_of, columns_of
from ontomask.masking.parameters import nominal_only, one_of
from ontomask.microdata import Microdata
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Points, Sets, record_pairs

__all__ = ["SETTINGS", "HeerResampling", "Resampling"]

# The four settings of T 7.3, to be given as Resampling(k=5, **SETTINGS[1]); the fourth is the default.
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
    """What methods have in common that sort samples and average the records at the same place in them."""

    _: KW_ONLY
    comparison: Literal["semantic", "equality"] = "semantic"
    centroid: Literal["semantic", "mode", "lcs"] = "semantic"
    ties: Literal["tuple", "random"] = "tuple"
    reference: Literal["table", "sample"] = "table"

    def __post_init__(self) -> None:
        one_of(self, "comparison", self.comparison, ("semantic", "equality"))
        one_of(self, "centroid", self.centroid, ("semantic", "mode", "lcs"))
        one_of(self, "ties", self.ties, ("tuple", "random"))
        one_of(self, "reference", self.reference, ("table", "sample"))

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask: only concepts have a least common subsumer."""
        super().check(data)
        if self.centroid == "lcs":
            nominal_only(self, data, "least common subsumers need is-a links; use centroid='semantic'")

    def _sorted(self, tuples: Tuples, samples: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """Each sample, a row of tuples as they were drawn, in semantic order (T Algorithm 1)."""
        number = np.repeat(np.arange(len(samples)), samples.shape[1])
        bags = Sets.of(number, samples.ravel())
        distances = self._from_reference(tuples, bags, rng)
        ascending = np.lexsort((distances, bags.number))
        farther = np.diff(distances[ascending], prepend=-np.inf) > TIE
        farther |= np.diff(bags.number[ascending], prepend=-1) > 0
        rank = np.empty(len(ascending), dtype=np.int64)
        rank[ascending] = np.cumsum(farther)
        records = np.repeat(bags.place, bags.counts)
        beside = records if self.ties == "tuple" else rng.random(len(records))
        return records[np.lexsort((beside, np.repeat(rank, bags.counts)))].reshape(samples.shape)

    def _from_reference(self, tuples: Tuples, bags: Sets, rng: np.random.Generator) -> NDArray[np.float64]:
        """For each tuple of each bag its distance to what that bag is sorted by."""
        columns = columns_of(tuples, bags.place)
        if self.reference == "table":
            table = Sets.of(np.zeros(len(tuples), dtype=np.int64), np.arange(len(tuples)), tuples.counts)
            extreme = table.place[self._extremes(tuples, table, rng)]
            return self._apart(tuples, columns, columns_of(tuples, np.repeat(extreme, len(bags.place))))
        first = self._extremes(tuples, bags, rng)
        distances = self._apart(tuples, columns, columns_of(tuples, bags.place[first][bags.number]))
        # A measure may put different concepts at distance 0; the extreme comes first all the same.
        distances[first] = -1.0
        return distances

    def _extremes(self, tuples: Tuples, bags: Sets, rng: np.random.Generator) -> NDArray[np.intp]:
        """For each bag where its tuple is that lies most distant from its centroid (T Algorithm 1, lines 1–2)."""
        centres = [points[bags.number] for points in centroids_of(tuples, bags, self.centroid)]
        distances = self._apart(tuples, columns_of(tuples, bags.place), centres)
        most = np.maximum.reduceat(distances, bags.start[:-1])
        # Of those that tie the first tuple, or the winner of a race in which all records have the same chance.
        time = np.arange(len(distances)) if self.ties == "tuple" else rng.exponential(size=len(distances)) / bags.counts
        time = np.where(distances >= most[bags.number] - TIE, time, np.inf)
        return np.lexsort((time, bags.number))[bags.start[:-1]]

    def _apart(self, tuples: Tuples, a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
        """Distances between the first record of a and the first of b, the second and the second, …"""
        if self.comparison == "semantic":
            return record_pairs(tuples.spaces, a, b)
        unequal = [
            share * space.differ(x, y) for space, share, x, y in zip(tuples.spaces, tuples.shares, a, b, strict=True)
        ]
        return np.sum(unequal, axis=0)


@dataclass(frozen=True, repr=False)
class Resampling(Averaging, KAnonymous):
    """Sk-resampling: k sorted samples without replacement, averaged place by place (T Algorithm 6).

    The records are shared out among k samples of n/k records. Each sample is sorted, the first records of all samples
    form a set, the second, and so on; each set of k records is released as its centroid. The n mod k records that
    remain join the set with the closest centroid, and the centroids are taken once more.

    Parameters
    ----------
    k
        The least number of records that share a released tuple.
    comparison
        How records are compared: ``semantic``, by the distances of their attributes, or ``equality``, by the number
        of attributes in which they differ.
    centroid
        What stands for a set: ``semantic``, each attribute's own centroid; ``mode``, the most frequent tuple;
        ``lcs``, each attribute's least common subsumer (nominal attributes only).
    ties
        The order of records at the same distance: by ``tuple``, so that equal records stay together and samples are
        aligned, or at ``random``.
    reference
        What samples are sorted by: the most extreme record of the whole ``table``, so that all run in the same
        direction, or each by its own (``sample``, as in T).

    Notes
    -----
    `SETTINGS` are the four of T 7.3: comparison by equality and mode (1), semantic comparison and mode (2), semantic
    comparison and LCS (3), and Sk-resampling itself (4). Leftovers that are equally close to several centroids join
    one of them at random.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic", "rash", "rash"]}), {"symptom": om.Nominal(t)})
    >>> result = Resampling(k=2).mask(data, seed=0)
    >>> result.frame["symptom"].tolist(), result.guarantee.k
    (['ache', 'ache', 'rash', 'rash'], 2)
    """

    def __post_init__(self) -> None:
        KAnonymous.__post_init__(self)
        Averaging.__post_init__(self)

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
        """For each record one of the sets with the closest centroid."""
        sets = len(centres[0])
        mine = columns_of(tuples, np.repeat(records, sets))
        distances = self._apart(tuples, mine, [np.tile(column, len(records)) for column in centres])
        tied = [nearest(row) for row in distances.reshape(len(records), sets)]
        return np.array([places[rng.integers(len(places))] for places in tied], dtype=np.int64)


@dataclass(frozen=True, repr=False)
class HeerResampling(Averaging):
    """Heer's resampling: sorted samples with replacement, averaged place by place (T Algorithm 5). Not k-anonymous.

    Each sample has as many records as the table. The average of the i-th records of all samples is released for the
    i-th record of the table, which is sorted in the same way.

    Parameters
    ----------
    samples
        How many samples are taken (T's t).
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

    samples: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int(self, "samples", self.samples, 1)

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
        places = Sets.of(np.tile(number, self.samples), self._sorted(tuples, drawn, rng).ravel())
        averages = centroids_of(tuples, places, self.centroid)
        return _groups(averages, self._sorted(tuples, records[None, :], rng)[0], number)


def _groups(
    centres: Sequence[Points],
    records: NDArray[np.integer],
    number: NDArray[np.integer],
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Groups:
    """Record i, given by its tuple, is released as the centroid of that number; equal centroids are one group."""
    codes = [np.unique(column, return_inverse=True) for column in centres]
    group_of, firsts = group_rows([code.ravel() for _, code in codes], [len(values) for values, _ in codes])
    outcomes = Sets.of(records, group_of[number])
    return Groups(
        outcomes.place, [column[firsts] for column in centres], outcomes.start, outcomes.counts, details=details
    )
