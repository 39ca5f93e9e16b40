"""What operators take: distinct points with counts, and how concept ids become that (T 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.arrays import IntArray
from ontomask.errors import DistanceError
from ontomask.operators.space import Points, Space
from ontomask.taxonomy import Taxonomy

__all__ = ["Counts", "check_records", "distinct", "encode", "marginal"]

Counts = NDArray[Any]


def encode(values: Iterable[str], taxonomy: Taxonomy, what: str) -> tuple[IntArray, IntArray]:
    """The codes of the concepts that occur, ascending, and for each value its place among them."""
    if isinstance(values, str):
        raise DistanceError(f"{what} needs several values, got the text {values!r}. Give a list: [{values!r}].")
    codes = taxonomy.codes(values)
    if len(codes) == 0:
        raise DistanceError(f"{what} of no values is not defined: give at least one.")
    present = np.zeros(len(taxonomy), dtype=np.int32)
    present[codes] = 1
    points = np.flatnonzero(present).astype(np.int32)
    present[points] = np.arange(len(points), dtype=np.int32)
    return points, present[codes]


def distinct(
    values: Iterable[str], taxonomy: Taxonomy, what: str, weights: ArrayLike | None = None
) -> tuple[IntArray, Counts]:
    """The codes of the concepts that occur, ascending, and how often (or with what weight) each does."""
    points, place = encode(values, taxonomy, what)
    if weights is None:
        return points, np.bincount(place)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != place.shape:
        raise DistanceError(f"{what} needs one weight a value. Got {given.size:,} for {len(place):,} values.")
    if not (np.isfinite(given).all() and given.min() >= 0 and given.any()):
        raise DistanceError(f"The weights of {what[0].lower() + what[1:]} must be numbers ≥ 0 and not all 0.")
    counts = np.bincount(place, weights=given)
    return points[counts > 0], counts[counts > 0]


def marginal(column: Points, counts: Counts) -> tuple[Points, Counts, NDArray[np.intp]]:
    """The distinct points of one attribute, how many records have each, and each tuple's place among them."""
    points, place = np.unique(column, return_inverse=True)
    return points, np.bincount(place, weights=counts), place


def check_records(spaces: Sequence[Space], columns: Sequence[Points], counts: Counts | None, what: str) -> None:
    """Refuses records that are not one point an attribute, one count a distinct tuple, and at least one of them."""
    if len(spaces) == 0 or len(columns) != len(spaces):
        raise DistanceError(
            f"{what} needs one column an attribute, and at least one. Got {len(columns):,} columns and "
            f"{len(spaces):,} attributes."
        )
    sizes = [len(column) for column in columns] + ([] if counts is None else [len(counts)])
    if len(set(sizes)) > 1:
        raise DistanceError(f"{what} needs columns and counts of one length. Got {', '.join(f'{n:,}' for n in sizes)}.")
    if sizes[0] == 0:
        raise DistanceError(f"{what} of no records is not defined: give at least one.")
    for column in columns:
        # A kept cell has no point; what stands there is negative, or no number.
        if np.isnan(column).any() or (column.dtype.kind == "i" and column.min() < 0):
            raise DistanceError(f"{what} is defined on points only: leave out the tuples with cells that are kept.")
