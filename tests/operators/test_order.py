from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.operators import sort_values
from ontomask.operators.centroid import record_centroid
from ontomask.operators.order import most_distant, most_distant_from, most_extreme, sort_records
from ontomask.operators.space import NominalSpace, NumericSpace, record_distances

from support import literal_distance as distance
from support import literal_operators as lit
from support.strategies import dag_records

# T Fig. 5.
TREE = om.Taxonomy.from_edges(
    [
        ("pain", "symptom"),
        ("inflammation", "symptom"),
        ("ache", "pain"),
        ("colic", "pain"),
        ("lumbago", "ache"),
        ("migraine", "ache"),
        ("appendicitis", "inflammation"),
        ("gastritis", "inflammation"),
    ]
)
PATH = om.distance("path", TREE, raw=True)
SPACE = NominalSpace(TREE, PATH)


def test_order_by_hand():
    # T Table 7: the centroid is pain; appendicitis and gastritis are farthest from it, three links. From
    # appendicitis: gastritis 2, colic 4, lumbago and migraine 5.
    values = ["gastritis", "lumbago", "colic", "migraine", "appendicitis", "colic"]
    assert sort_values(values, PATH) == ["appendicitis", "gastritis", "colic", "colic", "lumbago", "migraine"]


def test_order_is_by_distance_to_the_extreme_not_to_the_centroid():
    space = NumericSpace(0, 10)
    numbers, counts = np.array([0.0, 3.0, 5.0, 9.0]), np.array([4, 4, 4, 1])
    # The mean is 41/13: 9 is farthest from it, and the others follow by distance to 9.
    assert numbers[sort_records([space], [numbers], counts)].tolist() == [9, 5, 3, 0]


def test_counts_weigh_in_the_centroid_only():
    space = NumericSpace(0, 10)
    numbers = np.array([0.0, 4.0, 10.0])
    assert numbers[sort_records([space], [numbers], np.array([9, 1, 1]))].tolist() == [10, 4, 0]
    assert numbers[sort_records([space], [numbers], np.array([1, 1, 9]))].tolist() == [0, 4, 10]


def test_one_reference_for_several_samples():
    space = NumericSpace(0, 10)
    up, down = np.array([0.0, 6.0, 7.0]), np.array([1.0, 2.0, 9.0])
    one = np.ones(3, dtype=int)
    # Each by its own extreme, the two samples run in opposite directions; by 0 both ascend.
    assert up[sort_records([space], [up], one)].tolist() == [0, 6, 7]
    assert down[sort_records([space], [down], one)].tolist() == [9, 2, 1]
    for sample in (up, down):
        assert sample[sort_records([space], [sample], one, reference=(0.0,))].tolist() == sorted(sample)


def test_ties_keep_their_order_or_are_random():
    codes = TREE.codes(["migraine", "lumbago", "colic", "gastritis"])
    counts = np.array([1, 2, 1, 1])
    reference = (TREE.code("ache"),)
    orders = {
        tuple(sort_records([SPACE], [codes], counts, reference=reference, rng=np.random.default_rng(seed)))
        for seed in range(20)
    }
    # Distances to ache: 1, 1, 2, 4.
    assert orders == {(0, 1, 2, 3), (1, 0, 2, 3)}
    assert sort_records([SPACE], [codes], counts, reference=reference).tolist() == [0, 1, 2, 3]


def test_the_extreme_comes_first_even_among_concepts_at_distance_0():
    t = om.Taxonomy.from_edges([("a", "r"), ("m1", "a"), ("m2", "r"), ("z", "r")], {"m1": ["mole"], "m2": ["mole"]})
    d = om.distance("x_similarity", t)
    assert d("m1", "m2") == 0
    points, counts = t.codes(["m1", "m2", "z", "a"]), np.array([1, 1, 9, 1])
    order = sort_records([NominalSpace(t, d)], [points], counts)
    assert order[0] == most_extreme([NominalSpace(t, d)], [points], counts)


def test_marginality_by_hand():
    # T Table 6: appendicitis and gastritis have the greatest sum of the six values, 34.
    values = ["colic", "lumbago", "migraine", "gastritis", "appendicitis", "pain"]
    codes, counts = TREE.codes(values), np.array([1, 3, 2, 1, 1, 1])
    assert values[most_distant([SPACE], [codes], counts)] == "gastritis"
    found = Counter(values[most_distant([SPACE], [codes], counts, rng=np.random.default_rng(s))] for s in range(40))
    assert set(found) == {"gastritis", "appendicitis"}
    # From lumbago both are five links away, from gastritis migraine and lumbago are.
    assert values[most_distant_from([SPACE], [codes], (TREE.code("lumbago"),))] == "gastritis"
    assert values[most_distant_from([SPACE], [codes], (TREE.code("gastritis"),))] == "lumbago"
    drawn = Counter(
        values[
            most_distant_from(
                [SPACE], [codes], (TREE.code("gastritis"),), counts=counts, rng=np.random.default_rng(seed)
            )
        ]
        for seed in range(200)
    )
    # At random among records: lumbago has three, migraine two.
    assert set(drawn) == {"lumbago", "migraine"}
    assert 100 < drawn["lumbago"] < 140


@given(dag_records())
@settings(max_examples=150)
def test_order_and_marginality_are_the_literal_ones(sample):
    (t, p), (u, q), rows = sample
    spaces = [NominalSpace(t, om.distance("wu_palmer", t)), NominalSpace(u, om.distance("log_sc", u))]
    sds = [
        lambda a, b: distance.wu_palmer(p, t.ids[a], t.ids[b]),
        lambda a, b: distance.log_sc(q, u.ids[a], u.ids[b]),
    ]
    tuples, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    columns = list(tuples.T)
    centre = record_centroid(spaces, columns, counts)
    order = sort_records(spaces, columns, counts)
    ours = [tuple(row) for i in order for row in [tuples[i].tolist()] * counts[i]]
    assert ours == lit.sort_records(rows, centre, sds)
    assert tuple(tuples[most_distant(spaces, columns, counts)]) == lit.most_distant(rows, sds)
    assert tuple(tuples[most_distant_from(spaces, columns, rows[0])]) == lit.most_distant_from(rows, rows[0], sds)


@given(dag_records(), st.integers(0, 99))
@settings(max_examples=50)
def test_a_random_order_is_still_an_order(sample, seed):
    (t, _), (u, _), rows = sample
    spaces = [NominalSpace(t, om.distance("path", t)), NominalSpace(u, om.distance("path", u))]
    tuples, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    order = sort_records(spaces, list(tuples.T), counts, rng=np.random.default_rng(seed))
    assert sorted(order) == list(range(len(tuples)))
    first = [column[order[:1]] for column in tuples.T]
    to_first = record_distances(spaces, list(tuples.T), first)[order, 0]
    assert (np.diff(to_first) >= -1e-9).all()


def test_one_value_and_all_equal():
    assert sort_values(["ache"], PATH) == ["ache"]
    assert sort_values(iter(["ache"] * 3), PATH) == ["ache"] * 3
    assert most_distant([SPACE], [np.array([2])], np.array([5])) == 0


def test_bad_input():
    with pytest.raises(om.DistanceError, match="The order of no values"):
        sort_values([], PATH)
    nothing = np.empty(0, dtype=int)
    for function in (sort_records, most_extreme, most_distant):
        with pytest.raises(om.DistanceError, match="of no records"):
            function([SPACE], [nothing], nothing)
    with pytest.raises(om.DistanceError, match="2 points for 1 attributes"):
        most_distant_from([SPACE], [np.array([1])], (1, 2))
    with pytest.raises(om.DistanceError, match="2 points for 1 attributes"):
        sort_records([SPACE], [np.array([1])], np.array([1]), reference=(1, 2))
    with pytest.raises(om.DistanceError, match="one length"):
        sort_records([SPACE], [np.array([1, 2])], np.array([1]))
