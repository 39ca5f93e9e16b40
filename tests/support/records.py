"""Centroids and losses of whole records, from points column by column."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from ontomask.operators.loss import mean_loss, squared_loss
from ontomask.operators.space import Points, Sets, Space, marginal, record_pairs


def record_centroid(
    spaces: Sequence[Space], columns: Sequence[Points], counts: Any, strategy: str = "semantic"
) -> tuple[Any, ...]:
    """The record that represents distinct records with counts."""
    if strategy == "mode":
        return tuple(column[np.argmax(counts)] for column in columns)
    found = []
    for space, column in zip(spaces, columns, strict=True):
        points, often, index = marginal(column, counts)
        if strategy == "lcs":
            found.append(space.generalise(points, Sets.of(np.zeros(len(index), dtype=int), index))[0])
        else:
            found.append(space.centroid(points, often))
    return tuple(found)


def semantic_loss(spaces: Sequence[Space], before: Sequence[Points], after: Sequence[Points], counts: Any) -> float:
    """Mean distance between records and their masked versions."""
    return mean_loss(record_pairs(spaces, before, after), counts)


def sse(spaces: Sequence[Space], before: Sequence[Points], after: Sequence[Points], counts: Any) -> float:
    """Sum of squared distances between records and their masked versions."""
    return squared_loss(record_pairs(spaces, before, after), counts)


def rmse(space: Space, before: Points, after: Points, counts: Any) -> float:
    """Root mean square distance between the values of one attribute and their masked versions."""
    return sqrt(sse([space], [before], [after], counts) / np.sum(counts))
