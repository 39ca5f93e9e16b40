"""What the literal versions of microaggregation ask, answered by the operators; and clusters that can be compared."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from ontomask.masking.mdav import Clusters
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import record_pairs

from support.records import record_centroid


class Ground:
    """What the literal versions ask, answered by the operators."""

    def __init__(self, tuples: Tuples, strategy: str = "semantic", *, equality: bool = False) -> None:
        self.tuples, self.strategy, self.equality = tuples, strategy, equality
        self.columns = [points[tuples.indices[:, j]] for j, points in enumerate(tuples.points)]
        self.distance = cache(self._distance)

    def point(self, t):
        return tuple(column[t].item() for column in self.columns)

    def _distance(self, a, b):
        if self.equality:
            return sum(share * (x != y) for share, x, y in zip(self.tuples.shares, a, b, strict=True))
        return float(record_pairs(self.tuples.spaces, [np.array([x]) for x in a], [np.array([y]) for y in b])[0])

    def centroid(self, records):
        distinct = sorted(set(records))
        counts = np.array([list(records).count(t) for t in distinct])
        found = record_centroid(self.tuples.spaces, [c[distinct] for c in self.columns], counts, self.strategy)
        return tuple(np.asarray(point).item() for point in found)

    @property
    def records(self):
        return np.repeat(np.arange(len(self.tuples)), self.tuples.counts).tolist()


def parts(clusters: list[list[int]]) -> Counter:
    """Clusters as a bag: how many records of which tuple are together."""
    return Counter(frozenset(Counter(cluster).items()) for cluster in clusters if cluster)


def parts_of(found: Clusters) -> Counter:
    together: dict[int, list[int]] = {}
    for t, c, n in zip(found.tuple_of.tolist(), found.cluster_of.tolist(), found.records.tolist(), strict=True):
        together.setdefault(c, []).extend([t] * n)
    return parts(list(together.values()))
