"""Operators on lists of concept ids: mean, variance, centroid and order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ontomask.base.arrays import IntArray
from ontomask.distance import Distance
from ontomask.distance.ties import farthest, levels_of
from ontomask.errors import DistanceError
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.space import Counts
from ontomask.taxonomy import Taxonomy

__all__ = ["centroid", "distinct", "encode", "semantic_mean", "semantic_variance", "sort_values"]


def centroid(values: Iterable[str], d: Distance, weights: ArrayLike | None = None) -> str:
    """The semantic centroid: the concept between the values and their LCS with the least sum of distances.

    Of several such concepts it is the first in taxonomy order. `semantic_mean` searches the whole taxonomy instead.

    Parameters
    ----------
    values
        Concept ids, each as often as it occurs.
    d
        The distance; the centroid is a concept of its taxonomy.
    weights
        The weight of each value; 1 by default.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> d = om.distance("path", t)
    >>> centroid(["ache", "colic", "rash"], d)
    'pain'
    >>> centroid(["ache", "colic", "rash"], d, weights=[1, 1, 9])
    'rash'
    """
    points, counts = distinct(values, d.taxonomy, "The centroid", weights)
    return d.taxonomy.ids[NominalSpace(d.taxonomy, d).centroid(points, counts)]


def semantic_mean(values: Iterable[str], d: Distance) -> str:
    """The concept with the least sum of distances to all values, out of the whole taxonomy of the distance.

    It need not be one of the values or a subsumer of any. Of several such concepts it is the one with the least
    variance around it, then the first in taxonomy order.

    Parameters
    ----------
    values
        Concept ids, each as often as it occurs.
    d
        The distance; its taxonomy is the attribute's domain.

    Examples
    --------
    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> semantic_mean(["ache", "colic", "colic", "colic", "rash"], om.distance("path", t))
    'colic'
    >>> semantic_mean(["ache", "colic", "rash"], om.distance("path", t))
    'pain'
    """
    points, counts = distinct(values, d.taxonomy, "The semantic mean")
    return d.taxonomy.ids[NominalSpace(d.taxonomy, d).mean(points, counts)]


def semantic_variance(values: Iterable[str], d: Distance) -> float:
    """The mean squared distance of the values to their semantic mean.

    >>> import ontomask as om
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> semantic_variance(["ache", "colic", "pain", "pain"], om.distance("path", t, raw=True))
    0.5
    """
    points, counts = distinct(values, d.taxonomy, "The semantic variance")
    return NominalSpace(d.taxonomy, d).variance(points, counts)


def sort_values(values: Iterable[str], d: Distance) -> list[str]:
    """Values in semantic order: first the one farthest from the centroid, then the others by distance to that one.

    Values at the same distance are in taxonomy order (Martínez 2012, Algorithm 1).

    Parameters
    ----------
    values
        Concept ids; equal ones stay together.
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
    space = NominalSpace(d.taxonomy, d)
    first = farthest(space.matrix(points, np.array([space.centroid(points, counts)]))[:, 0])[0]
    distances = space.matrix(points, points[[first]])[:, 0]
    # A measure may put different concepts at distance 0; the extreme comes first all the same.
    distances[first] = -1.0
    order = np.argsort(levels_of(distances)[0], kind="stable")
    return [d.taxonomy.ids[code] for code in np.repeat(points[order], counts[order]).tolist()]


def encode(values: Iterable[str], taxonomy: Taxonomy, what: str) -> tuple[IntArray, IntArray]:
    """The codes of the concepts that occur, ascending, and for each value its index among them."""
    if isinstance(values, str):
        raise DistanceError(
            f"{what} needs several values. Got the text {values!r}: give a list, [{values!r}].", parameter="values"
        )
    codes = taxonomy.codes(values)
    if len(codes) == 0:
        raise DistanceError(f"{what} of no values is not defined. Give at least one value.", parameter="values")
    present = np.zeros(len(taxonomy), dtype=np.int32)
    present[codes] = 1
    points = np.flatnonzero(present).astype(np.int32)
    present[points] = np.arange(len(points), dtype=np.int32)
    return points, present[codes]


def distinct(
    values: Iterable[str], taxonomy: Taxonomy, what: str, weights: ArrayLike | None = None
) -> tuple[IntArray, Counts]:
    """The codes of the concepts that occur, ascending, and the count (or the total weight) of each."""
    points, index = encode(values, taxonomy, what)
    if weights is None:
        return points, np.bincount(index)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != index.shape:
        raise DistanceError(
            f"{what} needs one weight for each value. Got {given.size:,} for {len(index):,} values.",
            parameter="weights",
        )
    if not (np.isfinite(given).all() and given.min() >= 0 and given.any()):
        raise DistanceError(
            f"The weights of {what[0].lower() + what[1:]} must be numbers ≥ 0, at least one of them greater than 0.",
            parameter="weights",
        )
    counts = np.bincount(index, weights=given)
    return points[counts > 0], counts[counts > 0]
