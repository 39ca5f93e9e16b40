"""Clusters of the same records before and after masking, compared in pairs (Martínez 2012, Table 11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import ontomask as om
from experiments.grouping.trials import Make, shown
from experiments.shared.findings import Spread, markdown

__all__ = ["PAIRS", "Partitions", "compare_clusters", "partition_table"]

# Section 4.3.5.1 cuts the same survey's dendrogram into this many; section 5.2.4 does not say.
CLUSTERS = 7
# The compared clusters, and the figures of Table 11.
PAIRS = ("original and semantic", "original and distributional", "semantic and distributional")
TABLE_11 = (0.26, 0.57, 0.56)

Partitions = Mapping[str, Spread]


def compare_clusters(samples: Iterable[tuple[int, om.Microdata]], rivals: tuple[Make, Make], k: int) -> Partitions:
    """Distances between Ward's clusters of the original and of its semantic and distributional releases."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for seed, data in samples:
        semantic, distributional = (make(k).mask(data, seed=seed) for make in rivals)
        attributes = {name: column.attribute for name, column in data.quasi_identifiers.items()}
        # One release may hold values that the other has lost, so the mapping of all values is given.
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
    """The thesis' figures and ours."""
    lines = [
        [pair, f"{theirs:.2f}", *(shown(found[pair]) for found in partitions.values())]
        for pair, theirs in zip(PAIRS, TABLE_11, strict=True)
    ]
    return (
        f"T Table 11, distances between the clusters of the same records before and after masking at k = {k} (0: the "
        f"same clusters, 1: nothing in common). Ward's method; {CLUSTERS} clusters, as T made of the same survey in "
        f"another place.\n\n{markdown(['clusters of', 'T', *partitions], lines)}"
    )
