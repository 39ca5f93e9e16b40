"""Distances between all records of two tables, to compare faster ways with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.operators.space import Points, Space

__all__ = ["record_distances"]


def record_distances(spaces: Sequence[Space], a: Sequence[Points], b: Sequence[Points]) -> NDArray[np.float64]:
    """Distances between all records of a and all of b: the weighted mean over attributes (Martínez 2012, eq. 4.3).

    Records are given column by column: ``a[j]`` holds their points in attribute j.
    """
    total = sum(space.weight for space in spaces)
    out = np.zeros((len(a[0]), len(b[0])))
    for space, left, right in zip(spaces, a, b, strict=True):
        out += (space.weight / total) * space.matrix(left, right)
    return out
