"""The least common subsumers of many sets are those of each set."""

from __future__ import annotations

import numpy as np
import pytest

from ontomask.taxonomy import common_subsumers
from ontomask.taxonomy.common_subsumers import lcs_of_sets
from ontomask.taxonomy.graph import Graph


def random_graph(rng: np.random.Generator, nodes: int, parents: int) -> Graph:
    links = [(child, p) for child in range(1, nodes) for p in set(rng.integers(0, child, parents).tolist())]
    child, parent = np.array(links, dtype=np.int32).T
    return Graph.build(range(nodes), child, parent)[0]


# With several parents, a set often has several deepest common subsumers.
@pytest.mark.parametrize("parents", [1, 2, 4])
@pytest.mark.parametrize("room", [2**26, 3_000, 0])
def test_each_set_has_the_least_common_subsumer_of_its_own(monkeypatch, parents, room):
    monkeypatch.setattr(common_subsumers, "_ROOM", room)
    rng = np.random.default_rng(parents)
    for nodes in (2, 9, 50):
        graph = random_graph(rng, nodes, parents)
        sets = [rng.integers(0, nodes, size).astype(np.int32) for size in rng.integers(1, 6, 80)]
        start = np.concatenate([[0], np.cumsum([len(own) for own in sets])])
        found = lcs_of_sets(graph, start, np.concatenate(sets))
        assert found.tolist() == [graph.lcs(own.tolist()) for own in sets]


def test_sets_of_one_concept_are_that_concept():
    graph = random_graph(np.random.default_rng(0), 5, 1)
    assert lcs_of_sets(graph, np.array([0, 1, 2]), np.array([4, 2], dtype=np.int32)).tolist() == [4, 2]
