"""Utility: how much the released values, and statistics of them, differ from the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import group_rows
from ontomask.base.progress import progress, with_progress
from ontomask.distance.information import summed_below
from ontomask.evaluation.pairing import Pairing, Side
from ontomask.microdata.tuples import Tuples
from ontomask.operators.dependence import CentredDistances, Contingency, correlation, covariance
from ontomask.operators.loss import (
    certainty_penalty,
    loss_percent,
    mean_loss,
    range_widths,
    squared_loss,
    target_rmse,
)
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import Space

__all__ = ["AttributeUtility", "Change", "Utility", "measure_utility"]


@dataclass(frozen=True)
class Change:
    """A statistic of the original and of the masked table.

    ``negative``: the square of one of them was below 0 and counts as 0. Some distances allow that.
    """

    before: float
    after: float
    negative: bool = False

    @property
    def difference(self) -> float:
        """The absolute difference."""
        return abs(self.after - self.before)


@dataclass(frozen=True)
class AttributeUtility:
    """The utility of one column.

    Attributes
    ----------
    rmse
        Root mean square distance between original and masked values. A suppressed record counts as 1.
    loss_share
        The column's part of the SSE, from 0 to 1. The parts of all columns add up to 1, or are 0 if nothing was lost.
    target_rmse
        Root mean square of the errors drawn, for noise.
    mean
        The semantic mean before and after, as concept ids. For numbers the mean, for categories the median.
    mean_shift
        The distance between the two.
    variance
        The mean squared distance to the mean.
    distance_variance
        Distance variance, which compares all values with each other.
    unchanged
        The share of values that are released unchanged.
    lm, ncp
        Loss metric and normalised certainty penalty: how many of the column's values a released value can stand for.
        ``None`` for numbers and categories.
    """

    rmse: float
    loss_share: float
    target_rmse: float | None
    mean: tuple[Any, Any] = field(repr=False)
    mean_shift: float
    variance: Change
    distance_variance: Change
    unchanged: float
    lm: float | None
    ncp: float | None


@dataclass(frozen=True)
class Utility:
    """The utility of a masked table.

    Attributes
    ----------
    attributes
        By column.
    sdcov, sdcor
        Distance covariance and correlation, by pair of columns.
    semantic_loss
        Mean distance between original and masked records.
    sse, sst, loss_percent
        Sum of squared distances between them; sum of squared distances of the originals to their centroid; the first in
        percent of the second.
    discernibility
        Sum of squared sizes of the groups of equal records. A suppressed record counts as many as all records.
    kl_divergence
        Kullback–Leibler divergence of the masked tuples' distribution from the original's, ½ added to every tuple.
    vanished
        The share of original records whose tuple no masked record has.
    suppressed
        The number of records that were not released.
    """

    attributes: Mapping[str, AttributeUtility]
    sdcov: Mapping[tuple[str, str], Change]
    sdcor: Mapping[tuple[str, str], Change]
    semantic_loss: float
    sse: float
    sst: float
    loss_percent: float
    discernibility: Change
    kl_divergence: float
    vanished: float
    suppressed: int


@progress("Measuring utility")
def measure_utility(pairing: Pairing, noise: Mapping[str, NDArray[np.float64]] | None = None) -> Utility:
    """Every measure of utility. `ontomask.evaluation.measures.DEFINITIONS` has their sources."""
    suppressed = int(pairing.suppressed.sum())
    moves = [pairing.attribute_distances(j) for j in range(len(pairing.names))]
    distances = pairing.weigh(moves)
    sse = squared_loss(distances, pairing.counts, suppressed)
    sst = _sst(pairing)
    kl, vanished = _divergence(pairing)
    sdcov, sdcor = _dependences(pairing)
    n = pairing.records
    return Utility(
        attributes={
            name: _attribute(
                pairing, j, moves[j], _share(pairing, j, moves[j], distances, sse), (noise or {}).get(name)
            )
            for j, name in enumerate(with_progress("Comparing columns", pairing.names))
        },
        sdcov=sdcov,
        sdcor=sdcor,
        semantic_loss=mean_loss(distances, pairing.counts, suppressed),
        sse=sse,
        sst=sst,
        loss_percent=loss_percent(sse, sst),
        # Martínez 2012, eq. 5.2. Suppressed records count as in Bayardo and Agrawal 2005.
        discernibility=Change(
            float((pairing.original.counts**2).sum()), float((pairing.masked.counts**2).sum() + suppressed * n)
        ),
        kl_divergence=kl,
        vanished=vanished,
        suppressed=suppressed,
    )


def _share(pairing: Pairing, j: int, moves: NDArray[np.float64], distances: NDArray[np.float64], sse: float) -> float:
    """The part of a column in the SSE: a square is the distance times the sum of what each column adds to it."""
    own = pairing.shares[j] * (float((moves * distances) @ pairing.counts) + float(pairing.suppressed.sum()))
    return own / sse if sse > 0 else 0.0


def _attribute(
    pairing: Pairing, j: int, distances: NDArray[np.float64], share: float, errors: NDArray[np.float64] | None
) -> AttributeUtility:
    space, counts, suppressed = pairing.spaces[j], pairing.counts, int(pairing.suppressed.sum())
    before, after = _Sample.of(pairing, pairing.original, j), _Sample.of(pairing, pairing.masked, j)
    equal = pairing.original.indices[pairing.a, j] == pairing.masked.indices[pairing.b, j]
    lm, ncp = _generality(pairing, j, equal, suppressed)
    n = pairing.records
    return AttributeUtility(
        rmse=sqrt(squared_loss(distances, counts, suppressed) / n),
        loss_share=share,
        target_rmse=None if errors is None else target_rmse(errors),
        mean=(_named(pairing, j, before.mean), _named(pairing, j, after.mean)),
        mean_shift=_shift(space, before, after),
        variance=Change(before.variance, after.variance),
        distance_variance=Change(before.distance_variance, after.distance_variance),
        unchanged=float(counts[equal].sum() / n),
        lm=lm,
        ncp=ncp,
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    """The values of one attribute in one table that have a point, with their mean and variances."""

    mean: Any
    variance: float
    distance_variance: float

    @classmethod
    def of(cls, pairing: Pairing, side: Side, j: int) -> _Sample:
        space, (points, counts) = pairing.spaces[j], pairing.points_of(side, j)
        if not len(points):
            return cls(None, 0.0, 0.0)
        mean = space.mean(points, counts)
        return cls(mean, space.variance(points, counts, mean), pairing.centred(side, j).variance)


def _shift(space: Space, before: _Sample, after: _Sample) -> float:
    """The distance between the means; 1 if nothing was released."""
    if before.mean is None or after.mean is None:
        return float(before.mean is not after.mean)
    return float(space.pairs(np.array([before.mean]), np.array([after.mean]))[0])


def _named(pairing: Pairing, j: int, mean: Any) -> Any:
    return None if mean is None else pairing.columns[j].key(mean)


def _dependences(pairing: Pairing) -> tuple[dict[tuple[str, str], Change], dict[tuple[str, str], Change]]:
    covs, cors = {}, {}
    for i, j in with_progress("Correlating columns", list(combinations(range(len(pairing.names)), 2))):
        pair = (pairing.names[i], pairing.names[j])
        before, after = (_dependence(pairing, side, i, j) for side in (pairing.original, pairing.masked))
        negative = before[2] or after[2]
        covs[pair] = Change(before[0], after[0], negative)
        cors[pair] = Change(before[1], after[1], negative)
    return covs, cors


def _dependence(pairing: Pairing, side: Side, i: int, j: int) -> tuple[float, float, bool]:
    """Covariance and correlation over the records that have a point in both attributes."""
    known = (side.indices[:, i] < len(pairing.points[i])) & (side.indices[:, j] < len(pairing.points[j]))
    if not known.any():
        return 0.0, 0.0, False
    counts = side.counts[known]
    centred, indices = [], []
    for at in (i, j):
        present, index = np.unique(side.indices[known, at], return_inverse=True)
        often = np.bincount(index, weights=counts).astype(np.int64)
        points = pairing.points[at][present]
        # If the other attribute has gaps, fewer records count, and distances are centred over these.
        own = pairing.centred(side, at) if known.all() else CentredDistances(pairing.spaces[at], points, often)
        centred.append(own)
        indices.append(index)
    A, B = centred
    table = Contingency.of(indices[0], indices[1], counts)
    cov = covariance(A, B, table)
    return cov.value, correlation(A, B, table, cov).value, cov.negative


def _sst(pairing: Pairing) -> float:
    """The total sum of squares around the centroid of the original, under the distance that evaluates."""
    side = pairing.original
    centre = [space.centroid(*pairing.points_of(side, j)) for j, space in enumerate(pairing.spaces)]
    tuples = Tuples(pairing.spaces, pairing.points, side.indices, side.counts)
    return squared_loss(tuples.distances_to(centre), side.counts)


def _divergence(pairing: Pairing) -> tuple[float, float]:
    """Kullback–Leibler divergence over distinct tuples (Martínez 2012, eq. 9.2), and the share that vanished."""
    indices = np.concatenate([pairing.original.indices, pairing.masked.indices])
    sizes = [pairing.size(j) for j in range(len(pairing.names))]
    number, firsts = group_rows(list(indices.T), sizes)
    p = len(pairing.original)
    # The thesis does not define log 0. Here ½ is added to every tuple of the union, on both sides.
    before = np.bincount(number[:p], weights=pairing.original.counts, minlength=len(firsts))
    after = np.bincount(number[p:], weights=pairing.masked.counts, minlength=len(firsts))
    vanished = float(before[after == 0].sum() / before.sum())
    f, g = (before + 0.5) / (before + 0.5).sum(), (after + 0.5) / (after + 0.5).sum()
    return float((f * np.log(f / g)).sum()), vanished


def _generality(
    pairing: Pairing, j: int, equal: NDArray[np.bool_], suppressed: int
) -> tuple[float | None, float | None]:
    """Loss metric (Iyengar 2002) and certainty penalty (Xu et al. 2006), with the column's own values as leaves.

    A released concept can stand for every value below it. A value that is released unchanged has no loss, and neither
    has a concept with one value below it. A suppressed record or cell has the full loss. For numbers, dates and
    ordered categories, both are the width of a released range as a share of the column's range; ``None`` if no ranges
    were released.
    """
    domain, points = pairing.spaces[j].domain, pairing.points[j]
    if isinstance(pairing.spaces[j], ConceptSetSpace):
        return None, None
    if domain is None:
        width = _width(pairing, j, equal, suppressed)
        return width, width
    present = np.unique(pairing.original.indices[:, j])
    leaves = points[present[present < len(points)]]
    is_leaf = np.zeros(len(domain))
    is_leaf[leaves] = 1
    below = summed_below(domain, is_leaf)
    right = pairing.masked.indices[pairing.b, j]
    stands_for = np.full(len(right), len(leaves), dtype=np.float64)
    known = right < len(points)
    for point, values in pairing.stands_for.get(pairing.names[j], {}).items():
        below[point] = values
    stands_for[known] = below[points[right[known]]]
    many = np.where(equal | (stands_for <= 1), 0, stands_for)
    lm = certainty_penalty(many, len(leaves))
    n = pairing.records
    return (
        float((lm @ pairing.counts + suppressed) / n),
        float((many / len(leaves) @ pairing.counts + suppressed) / n),
    )


def _width(pairing: Pairing, j: int, equal: NDArray[np.bool_], suppressed: int) -> float | None:
    """The mean width of released ranges, as a share of the column's range; ``None`` if there are none."""
    space, points, right = pairing.spaces[j], pairing.points[j], pairing.masked.indices[pairing.b, j]
    known = right < len(points)
    if not np.iscomplexobj(points) and (known | equal).all():
        return None
    share = np.where(known | equal, 0.0, 1.0)
    share[known] = range_widths(space, points)[right[known]]
    share[equal] = 0.0
    return float((share @ pairing.counts + suppressed) / pairing.records)
