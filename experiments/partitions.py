"""Clusters of the same records before and after masking, two by two: T Table 11."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from findings import Spread, markdown
from trials import Make, shown

import ontomask as om

__all__ = ["PAIRS", "Partitions", "compare_clusters", "partition_table"]

# T 4.3.5.1 cut the same survey's dendrogram into so many; 5.2.4 does not say.
CLUSTERS = 7
# What is compared, and T Table 11.
PAIRS = ("original and semantic", "original and distributional", "semantic and distributional")
TABLE_11 = (0.26, 0.57, 0.56)

Partitions = Mapping[str, Spread]


def compare_clusters(samples: Iterable[tuple[int, om.Microdata]], rivals: tuple[Make, Make], k: int) -> Partitions:
    """Distances between Ward's clusters of the original and of its semantic and its distributional release."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for seed, data in samples:
        semantic, distributional = (make(k).mask(data, seed=seed) for make in rivals)
        attributes = {name: column.kind for name, column in data.quasi_identifiers.items()}
        # What one release has lost the other may still hold, so it is told what all values mean.
        meant = {name: data.mapping[name].concepts for name in attributes}
        released = om.Microdata(semantic.frame, attributes)
        scores = (
            om.evaluate(data, semantic, clusters=CLUSTERS, seed=seed, attacks=False),
            om.evaluate(data, distributional, clusters=CLUSTERS, seed=seed, attacks=False),
            om.evaluate(released, distributional.frame, mapping=meant, clusters=CLUSTERS, seed=seed, attacks=False),
        )
        for pair, score in zip(PAIRS, scores, strict=True):
            assert score.clustering is not None
            found[pair].append(score.clustering.distance)
    return {pair: Spread.of(values) for pair, values in found.items()}


def partition_table(partitions: Mapping[str, Partitions], k: int) -> str:
    """T's figures and ours."""
    lines = [
        [pair, f"{theirs:.2f}", *(shown(found[pair]) for found in partitions.values())]
        for pair, theirs in zip(PAIRS, TABLE_11, strict=True)
    ]
    return (
        f"T Table 11, distances between the clusters of the same records before and after masking at k = {k} (0: the "
        f"same clusters, 1: nothing in common). Ward's method; {CLUSTERS} clusters, as T made of the same survey in "
        f"another place.\n\n{markdown(['clusters of', 'T', *partitions], lines)}"
    )
