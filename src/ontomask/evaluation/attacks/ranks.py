"""Rank intersection (Nin, Herranz and Torra 2008): rank swapping moves values within a known interval.

For each known value, an intruder who knows the interval selects the released records whose value can come from it. The
target is in the intersection over all columns. If this is a single record, the link is certain. Figures count records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import Records, mean_of
from ontomask.base.progress import progress
from ontomask.evaluation.attacks.likelihood import Likelihood
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.rank_swapping import DistributionalRankSwapping, RankSwapping
from ontomask.masking.swap_reach import reach_of
from ontomask.microdata import Microdata
from ontomask.privacy.groups import freeze

__all__ = ["RankIntersection", "intersect_ranks"]

# Original times released tuples times columns, at most: about a minute of processor time.
_MOST = 1e11


@dataclass(frozen=True, eq=False)
class RankIntersection:
    """The finding of an intruder who knows the size of the interval.

    Attributes
    ----------
    certain
        Records whose intersection is a single released record, their own, in percent.
    linked
        Records found by a guess in the intersection, in percent. Records outside it count as 0.
    inside
        Records that are in their intersection, in percent: 100 for intervals of k records (``interval='records'``).
    mean_size
        The number of released records in an intersection, on average over records.
    sizes
        For every original record, the size of its intersection.
    found
        For every original record, whether it is in its intersection.
    """

    certain: float
    linked: float
    inside: float
    mean_size: float
    sizes: NDArray[np.int64]
    found: NDArray[np.bool_]

    def __post_init__(self) -> None:
        freeze(self.sizes, self.found)

    @classmethod
    def of(cls, sizes: NDArray[np.int64], found: NDArray[np.bool_], records: Records = None) -> RankIntersection:
        """The figures of all records, from their intersections."""
        return cls(
            100 * mean_of(found & (sizes == 1), records),
            100 * mean_of(found / np.maximum(sizes, 1), records),
            100 * mean_of(found, records),
            mean_of(sizes, records),
            sizes,
            found,
        )

    def record_risk(self) -> NDArray[np.float64]:
        """The probability that each record is found, in the order of the original."""
        return np.where(self.found, 1 / np.maximum(self.sizes, 1), 0.0)


def intersect_ranks(data: Microdata, pairing: Pairing, method: Method) -> RankIntersection | None:
    """Intersect the intervals of rank swapping.

    ``None`` for other methods, and for tables that are too large: their tuples could not be compared in about a minute,
    or the sets would not fit into memory. The intruder who knows the method attacks such tables as well.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic", "rash", "pain", "ache", "rash"]})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t)})
    >>> method = om.RankSwapping(k=1, algorithm=1)
    >>> intersect_ranks(data, Pairing.of(data, method.mask(data, seed=1).data), method).inside
    100.0
    """
    from ontomask.evaluation.attacks.kernels import count_candidates

    if not isinstance(method, (RankSwapping, DistributionalRankSwapping)):
        return None
    if float(len(pairing.original)) * len(pairing.masked) * len(pairing.names) > _MOST:
        return None
    factors = reach_of(method, data)
    if factors is None:
        return None
    likelihood = Likelihood(pairing, factors, by_tuple=True)
    size = np.zeros(len(pairing.original), dtype=np.int64)
    is_inside = np.zeros(len(pairing.a), dtype=bool)
    with progress("Intersecting intervals", len(size)) as advance:
        for batch in likelihood.batches():
            pairs, own = likelihood.of_pairs(batch)
            is_inside[pairs] = own > 0
            mine = np.empty(batch.high - batch.low, dtype=np.int64)
            found = (likelihood.start, likelihood.column, likelihood.records, mine)
            count_candidates(batch.heads, batch.rows, batch.row_of, *found)
            size[likelihood.tuples(batch)] = mine
            advance(batch.high - batch.low)
    sizes, found_records = size[pairing.by_record.tuples], pairing.per_record(is_inside)
    return RankIntersection.of(sizes, found_records, pairing.by_record.records)
