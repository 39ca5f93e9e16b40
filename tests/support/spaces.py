"""`MatrixSpace`: points 0, 1, 2, … with given distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.operators.space import Counts, Points, Sets, Space


class MatrixSpace(Space):
    """A space whose distances are given. It has no centroids."""

    weight = 1.0

    def __init__(self, distances: ArrayLike) -> None:
        self.distances = np.asarray(distances, dtype=np.float64)

    def matrix(self, a: Points, b: Points) -> NDArray[np.float64]:
        return self.distances[np.ix_(a, b)]

    def pairs(self, a: Points, b: Points) -> NDArray[np.float64]:
        return self.distances[a, b]

    def centroid(self, points: Points, counts: Counts) -> Any:
        raise NotImplementedError

    def centroids(self, points: Points, sets: Sets) -> Points:
        raise NotImplementedError

    def mean(self, points: Points, counts: Counts) -> Any:
        raise NotImplementedError
