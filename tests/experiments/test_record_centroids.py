"""The strategies that the experiment compares: by hand, and against their literal versions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import ontomask as om
from experiments.grouping.record_centroids import confusion, record_centroid
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.space import record_distances

from support import literal_distance as distance
from support import literal_operators as lit
from support.small_taxonomies import SYMPTOMS, TREATMENTS
from support.strategies import dag_records, dags

RECORDS = {
    ("colic", "antibiotic"): 1,
    ("lumbago", "rehabilitation"): 3,
    ("migraine", "aspirin"): 2,
    ("appendicitis", "hospitalisation"): 1,
    ("gastritis", "codeine"): 1,
    ("lumbago", "codeine"): 2,
    ("colic", "hospitalisation"): 1,
}


def example_6(weights=(1.0, 1.0)):
    spaces = [
        NominalSpace(t, om.distance("path", t, raw=True), weight)
        for t, weight in zip((SYMPTOMS, TREATMENTS), weights, strict=True)
    ]
    columns = [t.codes(column) for t, column in zip((SYMPTOMS, TREATMENTS), zip(*RECORDS, strict=True), strict=True)]
    return spaces, columns, np.array(list(RECORDS.values()))


@pytest.mark.parametrize(
    ("strategy", "expected", "total"),
    [
        ("semantic", ("ache", "medication"), 21),
        ("lcs", ("symptom", "medical_care"), 30),
        ("mode", ("lumbago", "rehabilitation"), 24.5),
        # Halves of Tables 8 and 9: (20 + 29)/2 for both of lumbago's records, the others have more.
        ("medoid", ("lumbago", "rehabilitation"), 24.5),
    ],
)
def test_example_6_of_the_thesis(strategy, expected, total):
    spaces, columns, counts = example_6()
    found = record_centroid(spaces, columns, counts, strategy)
    assert (SYMPTOMS.ids[found[0]], TREATMENTS.ids[found[1]]) == expected
    distances = record_distances(spaces, columns, [np.array([point]) for point in found])[:, 0]
    assert distances @ counts == total


def test_weights_of_attributes_decide_record_wise_strategies():
    # By treatment alone rehabilitation and codeine have the least sum, 29; the first tuple with either is found.
    spaces, columns, counts = example_6(weights=(0.0, 1.0))
    assert record_centroid(spaces, columns, counts, "medoid") == (columns[0][1], columns[1][1])
    # By condition alone lumbago has, 20.
    spaces, columns, counts = example_6(weights=(1.0, 0.0))
    assert SYMPTOMS.ids[record_centroid(spaces, columns, counts, "medoid")[0]] == "lumbago"


def test_confusion_by_hand():
    values = ["lumbago", "colic", "pain", "gastritis"]
    links = confusion(SYMPTOMS.graph, SYMPTOMS.codes(values))
    # Replacing the row by the column: up is free, each link down counts.
    assert links.tolist() == [
        [0, 1, 0, 2],
        [2, 0, 0, 2],
        [2, 1, 0, 2],
        [3, 2, 1, 0],
    ]
    space = NominalSpace(SYMPTOMS, om.distance("path", SYMPTOMS))
    for counts, expected in (([3, 1, 1, 2], "pain"), ([1, 1, 1, 4], "pain"), ([1, 1, 1, 9], "gastritis")):
        # Column sums: pain has only the gastritis records, one link each; gastritis two for each of the others.
        found = record_centroid([space], [SYMPTOMS.codes(values)], np.array(counts), "consensus")
        assert SYMPTOMS.ids[found[0]] == expected


@given(dags())
@settings(max_examples=150)
def test_confusion_is_the_literal_one(sample):
    t, parents = sample
    values = sorted(parents)
    expected = [[lit.confusion(parents, a, b) for b in values] for a in values]
    assert confusion(t.graph, t.codes(values)).tolist() == expected


@given(dag_records())
@settings(max_examples=100)
def test_record_wise_strategies_are_the_literal_ones(sample):
    (t, p), (u, q), rows = sample
    spaces = [NominalSpace(t, om.distance("log_sc", t)), NominalSpace(u, om.distance("log_sc", u))]
    tuples, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    columns = list(tuples.T)
    sds = [
        lambda a, b: distance.log_sc(p, t.ids[a], t.ids[b]),
        lambda a, b: distance.log_sc(q, u.ids[a], u.ids[b]),
    ]
    confusions = [
        lambda a, b: lit.confusion(p, t.ids[a], t.ids[b]),
        lambda a, b: lit.confusion(q, u.ids[a], u.ids[b]),
    ]
    assert record_centroid(spaces, columns, counts, "mode") == lit.mode(rows)
    assert record_centroid(spaces, columns, counts, "medoid") == lit.medoid(rows, sds)
    assert record_centroid(spaces, columns, counts, "consensus") == lit.consensus(rows, confusions)
