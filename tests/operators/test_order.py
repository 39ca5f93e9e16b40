from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.operators import sort_values
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.line import NumericSpace

from support import literal_distance as distance
from support import literal_operators as lit
from support.small_taxonomies import SYMPTOMS
from support.strategies import dag_values

# Martínez 2012, Fig. 5.
PATH = om.distance("path", SYMPTOMS, raw=True)


def test_order_by_hand():
    # Martínez 2012, Table 7: the centroid is pain; appendicitis and gastritis are farthest from it, three links. From
    # appendicitis: gastritis 2, colic 4, lumbago and migraine 5.
    values = ["gastritis", "lumbago", "colic", "migraine", "appendicitis", "colic"]
    assert sort_values(values, PATH) == ["appendicitis", "gastritis", "colic", "colic", "lumbago", "migraine"]


def test_order_is_by_distance_to_the_extreme_not_to_the_centroid():
    chain = om.Taxonomy.from_edges([("1", "0"), ("2", "1"), ("3", "2"), ("4", "3"), ("5", "4")])
    d = om.distance("path", chain)
    # The centroid is 1: 5 is farthest from it, and the others follow by distance to 5.
    assert sort_values(["1", "1", "1", "0", "3", "5"], d) == ["5", "3", "1", "1", "1", "0"]


def test_counts_weigh_in_the_centroid_only():
    chain = om.Taxonomy.from_edges([("1", "0"), ("2", "1")])
    d = om.distance("path", chain)
    assert sort_values(["0"] * 9 + ["1", "2"], d) == ["2", "1"] + ["0"] * 9
    assert sort_values(["0", "1"] + ["2"] * 9, d) == ["0", "1"] + ["2"] * 9


def test_the_extreme_comes_first_even_among_concepts_at_distance_0():
    t = om.Taxonomy.from_edges([("a", "r"), ("m1", "a"), ("m2", "r"), ("z", "r")], {"m1": ["mole"], "m2": ["mole"]})
    d = om.distance("x_similarity", t)
    assert d("m1", "m2") == 0
    values = ["m1", "m2", *["z"] * 9, "a"]
    space = NominalSpace(t, d)
    points, counts = np.unique(t.codes(values), return_counts=True)
    away = space.matrix(points, np.array([space.centroid(points, counts)]))[:, 0]
    assert t.code(sort_values(values, d)[0]) == points[np.argmax(away)]


def test_marginality_by_hand():
    # Martínez 2012, Table 6: the weighted sums of the six values over nine records.
    values = ["colic", "lumbago", "migraine", "gastritis", "appendicitis", "pain"]
    sums = NominalSpace(SYMPTOMS, PATH).marginality(SYMPTOMS.codes(values), np.array([1, 3, 2, 1, 1, 1])) * 9
    assert sums.tolist() == pytest.approx([24, 19, 21, 34, 34, 17])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8, unique=True), st.data())
def test_marginality_along_a_line_is_that_of_the_matrix(numbers, data):
    points = np.array(sorted(numbers), dtype=float)
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(points), max_size=len(points))))
    space = NumericSpace(0, 9)
    expected = space.matrix(points, points) @ counts / counts.sum()
    assert np.allclose(space.marginality(points, counts), expected, rtol=0, atol=1e-12)


@given(dag_values())
@settings(max_examples=150)
def test_order_is_the_literal_one(sample):
    t, parents, values = sample
    d = om.distance("wu_palmer", t)
    rows = [(t.code(value),) for value in values]
    centre = (t.code(om.centroid(values, d)),)
    sds = [lambda a, b: distance.wu_palmer(parents, t.ids[a], t.ids[b])]
    assert [(t.code(value),) for value in sort_values(values, d)] == lit.sort_records(rows, centre, sds)


def test_one_value_and_all_equal():
    assert sort_values(["ache"], PATH) == ["ache"]
    assert sort_values(iter(["ache"] * 3), PATH) == ["ache"] * 3


def test_no_values():
    with pytest.raises(om.DistanceError):
        sort_values([], PATH)
