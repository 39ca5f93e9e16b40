"""Distances between tuples, put together from those between values."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given

import ontomask as om
from ontomask.microdata import tuples as tuples_module
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import record_distances

from support.tables import microdata


@given(microdata())
def test_distances_are_the_weighted_mean_over_attributes(data):
    table = data.table
    tuples = Tuples.of(table)
    spaces = [column.space for column in table.columns]
    points = [table.points(j) for j in range(len(table.columns))]
    expected = record_distances(spaces, points, points)
    for i in range(len(table)):
        np.testing.assert_allclose(tuples.distances_from(i), expected[i], atol=1e-12)
        record = [tuples.point(i, j) for j in range(len(spaces))]
        np.testing.assert_allclose(tuples.distances_to(record), expected[i], atol=1e-12)


def table_with_gaps():
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    frame = pd.DataFrame({"now": ["ache", "ache", None, None], "then": ["ache", "colic", "ache", "colic"]})
    kind = om.Nominal(taxonomy)
    return om.Microdata(frame, {"now": kind, "then": kind}, missing="keep").table


def test_a_kept_cell_is_at_distance_one_from_all_but_itself():
    tuples = Tuples.of(table_with_gaps())
    # (ache, ache), (ache, colic), (gap, ache), (gap, colic); ache and colic lie 1 - 2/4 apart
    assert tuples.distances_from(2).tolist() == [1 / 2, 3 / 4, 0, 1 / 4]
    assert tuples.distances_from(0).tolist() == [0, 1 / 4, 1 / 2, 3 / 4]


def test_some_rows_and_attributes_can_be_taken():
    tuples = Tuples.of(table_with_gaps(), np.array([2, 3]), [1])
    assert len(tuples) == 2
    assert tuples.distances_from(0).tolist() == [0, 1 / 2]


@given(microdata(mixed=False))
def test_many_values_are_compared_row_by_row_alike(data):
    whole = Tuples.of(data.table)
    limit = tuples_module._VALUES_AT_ONCE
    tuples_module._VALUES_AT_ONCE = 1
    try:
        by_row = Tuples.of(data.table)
        for i in range(len(whole)):
            np.testing.assert_array_equal(by_row.distances_from(i), whole.distances_from(i))
    finally:
        tuples_module._VALUES_AT_ONCE = limit
