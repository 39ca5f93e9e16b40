from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontomask.base.halving import halve

from support import literal_neighbours


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60), st.integers(2, 9), st.integers(0, 3))
def test_parts_are_those_of_the_literal_version(values, most, seed):
    x = np.array(values)

    def project(order, edges, pivots):
        first, second = pivots[np.repeat(np.arange(len(pivots)), np.diff(edges))].T
        return abs(x[order] - x[first]) - abs(x[order] - x[second])

    order, edges = halve(len(x), most, project, np.random.default_rng(seed))
    found = [part.tolist() for part in np.split(order, edges[1:-1])]

    def distance(t, u):
        return abs(values[t] - values[u])

    assert found == literal_neighbours.halve(len(x), most, distance, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(x)))
    assert max(map(len, found)) <= most
