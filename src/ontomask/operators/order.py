"""Extremes and order of values that have no order: marginality (R 3.3–3.4) and T's sorting operator (T 4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distance import Distance
from ontomask.distance.ties import farthest, is_less
from ontomask.errors import DistanceError
from ontomask.operators.centroid import record_centroid
from ontomask.operators.space import NominalSpace, Points, Space, record_distances
from ontomask.operators.sums import record_means
from ontomask.operators.values import Counts, check_records, distinct

__all__ = ["most_distant", "most_distant_from", "most_extreme", "sort_records", "sort_values"]


def sort_values(values: Iterable[str], d: Distance) -> list[str]:
    """Values in semantic order: first the one most distant from the centroid, the others by distance to that one.

    Values at the same distance follow in taxonomy order.

    Parameters
    ----------
    values
        Concept ids; those that repeat stay together.
    d
        The distance.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> sort_values(["ache", "rash", "pain", "colic", "ache"], om.distance("path", t))
    ['rash', 'pain', 'ache', 'ache', 'colic']
    """
    points, counts = distinct(values, d.taxonomy, "The order")
    order = sort_records([NominalSpace(d.taxonomy, d)], [points], counts)
    return [d.taxonomy.ids[code] for code in np.repeat(points[order], counts[order]).tolist()]


def sort_records(
    spaces: Sequence[Space],
    columns: Sequence[Points],
    counts: Counts,
    *,
    reference: Sequence[Any] | None = None,
    rng: np.random.Generator | None = None,
) -> NDArray[np.intp]:
    """The order of distinct tuples by distance to the most extreme of them (T Algorithm 1).

    T's summary (4.5) speaks of the distance to the centroid; the algorithm measures it to the extreme. A tuple's
    count weighs in the centroid, not in the distances that are sorted.

    Parameters
    ----------
    spaces
        The attributes.
    columns, counts
        Distinct tuples, column by column, and how many records each stands for.
    reference
        A record, as one point an attribute, to sort by instead: several samples sorted by one reference are
        aligned, each sorted by an extreme of its own may run in opposite directions.
    rng
        Makes the order of tuples at the same distance random; without it they keep the order in which they are.
    """
    check_records(spaces, columns, counts, "The order")
    if reference is None:
        first = most_extreme(spaces, columns, counts, rng=rng)
        distances = _to_reference(spaces, columns, [column[first] for column in columns])
        # A measure may put different concepts at distance 0; the extreme comes first all the same.
        distances[first] = -np.inf
    else:
        distances = _to_reference(spaces, columns, reference)
    beside = np.arange(len(counts)) if rng is None else rng.permutation(len(counts))
    return np.lexsort((beside, _ranks(distances)))


def _ranks(distances: NDArray[np.float64]) -> NDArray[np.intp]:
    """The rank of each distance, the same for those that tie."""
    order = np.argsort(distances, kind="stable")
    ascending = distances[order]
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.concatenate([[0], np.cumsum(is_less(ascending[:-1], ascending[1:]))])
    return ranks


def most_extreme(
    spaces: Sequence[Space], columns: Sequence[Points], counts: Counts, *, rng: np.random.Generator | None = None
) -> int:
    """The place of the tuple most distant from the centroid of all records (T Algorithm 1, lines 1–2)."""
    check_records(spaces, columns, counts, "The most extreme")
    centre = record_centroid(spaces, columns, counts)
    return _one_of(farthest(_to_reference(spaces, columns, centre)), counts, rng)


def most_distant(
    spaces: Sequence[Space], columns: Sequence[Points], counts: Counts, *, rng: np.random.Generator | None = None
) -> int:
    """The place of the most marginal tuple, the one with the greatest sum of distances to all records (R eq. 5, 10).

    Ties go to the first or, with a generator, to a record at random.
    """
    check_records(spaces, columns, counts, "The most distant")
    return _one_of(farthest(record_means(spaces, columns, counts)), counts, rng)


def most_distant_from(
    spaces: Sequence[Space],
    columns: Sequence[Points],
    reference: Sequence[Any],
    *,
    counts: Counts | None = None,
    rng: np.random.Generator | None = None,
) -> int:
    """The place of the tuple most distant from a reference record (R eq. 7, 12).

    Ties go to the first or, with a generator, to a record at random: counts say how many records a tuple has.
    """
    check_records(spaces, columns, counts, "The most distant")
    return _one_of(farthest(_to_reference(spaces, columns, reference)), counts, rng)


def _to_reference(spaces: Sequence[Space], columns: Sequence[Points], reference: Sequence[Any]) -> NDArray[np.float64]:
    if len(reference) != len(spaces):
        raise DistanceError(
            f"A reference is one point an attribute. Got {len(reference):,} points for {len(spaces):,} attributes."
        )
    return record_distances(spaces, columns, [np.array([point]) for point in reference])[:, 0]


def _one_of(places: NDArray[np.intp], counts: Counts | None, rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(places[0])
    weights = np.ones(len(places)) if counts is None else np.asarray(counts, dtype=np.float64)[places]
    return int(rng.choice(places, p=weights / weights.sum()))
