"""Rank intersection: the literal sets, laws, and a case worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.evaluation.attacks import ranks
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import swap_reach
from ontomask.operators.space import record_distances

from support import literal_attacks as literal
from support.tables import microdata

METHODS = [om.RankSwapping(k, algorithm=a) for a in (1, 2, 3) for k in (1, 3)] + [om.DistributionalRankSwapping(2)]


def intersect_ranks(data, masked, method):
    return ranks.intersect_ranks(data, Pairing.of(data, masked), method)


def points_of(columns):
    return [column.point[column.code] for column in columns.values()]


def literal_sets(data, method):
    """For every record and column the points that it can have been given."""
    columns = points_of(data.quasi_identifiers)
    spaces = [column.space for column in data.quasi_identifiers.values()]
    n = len(data)
    if isinstance(method, om.RankSwapping) and method.algorithm == 3:
        distance = record_distances(spaces, columns, columns)
        near = literal.near_records(range(n), lambda i, j: distance[i, j], method.k)
        return [[{column[z] for z in near[i]} for column in columns] for i in range(n)]
    out = [[] for _ in range(n)]
    for space, column in zip(spaces, columns, strict=True):
        values = column.tolist()
        distance = space.matrix(column, column)
        if isinstance(method, om.DistributionalRankSwapping):
            found = literal.near_ranks(values, values.count, method.k)
        elif method.algorithm == 1:
            far = distance.mean(axis=1)
            found = {v: set() for v in values}
            for reference in np.flatnonzero(far >= far.max() - 1e-9):
                away = dict(zip(values, distance[reference].tolist(), strict=True))
                for v, near in literal.near_ranks(values, away.__getitem__, method.k).items():
                    found[v] |= near
        else:
            near = literal.near_records(values, lambda i, j, d=distance: d[i, j], method.k)
            found = {v: {values[z] for z in near[i]} for i, v in enumerate(values)}
        for i, v in enumerate(values):
            out[i].append(found[v])
    return out


@settings(max_examples=80)
@given(microdata(least=5, most=14), st.sampled_from(METHODS), st.integers(0, 99))
def test_sets_are_the_literal_ones(data, method, seed):
    result = method.mask(data, seed=seed)
    found = intersect_ranks(data, result.data, method)
    released = list(zip(*(p.tolist() for p in points_of(result.data.columns)), strict=True))
    expected = literal.intersection(literal_sets(data, method), released)
    assert found.sizes.tolist() == [len(rows) for rows in expected]
    assert found.found.tolist() == [i in rows for i, rows in enumerate(expected)]
    assert found.mean_size == pytest.approx(np.mean([len(rows) for rows in expected]))
    assert found.certain == pytest.approx(100 * np.mean([rows == {i} for i, rows in enumerate(expected)]))


@settings(max_examples=60)
@given(microdata(least=6, kept=True), st.sampled_from(METHODS), st.integers(0, 99))
def test_the_true_record_is_always_inside(data, method, seed):
    assume(method.k < len(data))
    found = intersect_ranks(data, method.mask(data, seed=seed).data, method)
    assert found.inside == 100
    assert found.linked == pytest.approx(100 * found.record_risk().mean())
    assert found.certain <= found.linked + 1e-9


def test_two_numbers_tell_who_it_is():
    # Along each column k = 1: a value moves to the next rank at most. Both together single records out.
    data = om.Microdata(
        pd.DataFrame({"a": range(8), "b": [3, 6, 1, 7, 4, 0, 5, 2]}), {"a": om.Numeric(), "b": om.Numeric()}
    )
    method = om.RankSwapping(1, algorithm=1)
    found = intersect_ranks(data, method.mask(data, seed=0).data, method)
    assert found.inside == 100
    assert found.certain >= 50


def test_unswapped_intervals_reach_farther():
    concepts = [f"c{i}" for i in range(40)]
    tree = om.Taxonomy.from_edges([(concepts[i], concepts[(i - 1) // 3]) for i in range(1, 40)])
    data = om.Microdata(pd.DataFrame({"a": concepts}), {"a": om.Nominal(tree)})
    method = om.RankSwapping(2, interval="unswapped")
    assert intersect_ranks(data, method.mask(data, seed=0).data, method).inside < 100


def test_only_rank_swapping_has_an_interval(monkeypatch):
    data = om.Microdata(pd.DataFrame({"a": range(8)}), {"a": om.Numeric()})
    for method in (om.PRAM(), om.DataSwapping(), om.Recoding(k=2)):
        assert intersect_ranks(data, method.mask(data, seed=0).data, method) is None
    method = om.RankSwapping(2)
    masked = method.mask(data, seed=0).data
    assert intersect_ranks(data, masked, method) is not None
    for module, name in ((swap_reach, "_ROOM"), (ranks, "_MOST")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, 7)
            assert intersect_ranks(data, masked, method) is None
