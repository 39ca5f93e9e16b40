"""Clusters and classifiers before and after."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import ontomask as om
from ontomask.errors import MissingExtraError, TableError
from ontomask.evaluation.mining import partition_distance, ward_clusters

from support.errors import raises

TAXONOMY = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom"), ("chill", "fever")]
)


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@given(st.integers(2, 25), st.integers(0, 10**6), st.data())
def test_ward_is_that_of_scipy(n, seed, data):
    rng = np.random.default_rng(seed)
    distances = rng.random((n, n)) + 0.1
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    clusters = data.draw(st.integers(1, n))
    expected = fcluster(linkage(squareform(distances), "ward"), clusters, "maxclust")
    found = ward_clusters(distances, clusters)
    assert len(set(found.tolist())) == clusters
    if len(set(expected)) == clusters:  # scipy cuts by height, which ties may keep from giving the number
        assert same_partition(found.tolist(), expected.tolist())


def test_partition_distance_by_hand():
    assert partition_distance([0, 0, 1, 1], [1, 1, 0, 0]) == 0
    assert partition_distance([0, 0, 1, 1], [0, 1, 0, 1]) == 1
    # {a b}{c d} against {a b c}{d}: I(A) = 1, I(B) = H(3/4), together 1/2 1/4 1/4
    quarter = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    assert partition_distance([0, 0, 1, 1], [0, 0, 0, 1]) == pytest.approx((2 * 1.5 - 1 - quarter) / 1.5)
    assert partition_distance([0, 0], [1, 1]) == 0
    with pytest.raises(TableError):
        partition_distance([0], [0, 1])


def patients(n=400):
    rng = np.random.default_rng(0)
    now = rng.choice(["ache", "colic", "fever", "chill"], n)
    ward = np.where(np.isin(now, ["ache", "colic"]), "surgery", "medicine")
    ward[rng.random(n) < 0.1] = "surgery"
    frame = pd.DataFrame({"symptom": now, "age": rng.integers(20, 80, n), "ward": ward})
    kinds = {"symptom": om.Nominal(TAXONOMY, domain="symptom"), "age": om.Numeric(weight=0.1)}
    return om.Microdata(frame, kinds, confidential=["ward"])


def test_clusters_of_the_same_table_are_the_same():
    data = patients()
    score = om.evaluate(data, data.frame, clusters=4, seed=1)
    assert score.clustering.distance == 0
    assert (score.clustering.clusters, score.clustering.records) == (4, 400)
    assert "partition distance" in str(score)


def test_a_sample_is_taken_of_many_records_and_repeats(monkeypatch):
    monkeypatch.setattr("ontomask.evaluation.mining.MOST_RECORDS", 50)
    data = patients()
    released = om.NaiveDistortion().mask(data, seed=0)
    first = om.evaluate(data, released, clusters=3, seed=5).clustering
    assert first.records == 50
    assert om.evaluate(data, released, clusters=3, seed=5).clustering == first
    assert 0 < first.distance <= 1


def test_what_was_learnt_from_generalised_records_still_predicts():
    data = patients()
    general = data.frame.assign(symptom=data.frame["symptom"].map({"ache": "pain", "colic": "pain"}).fillna("fever"))
    found = om.evaluate(data, general, target="ward", seed=2).classification
    assert found.original > found.baseline + 0.2
    assert found.masked == pytest.approx(found.original, abs=0.02)
    blurred = data.frame.assign(symptom="symptom", age=50)
    lost = om.evaluate(data, blurred, target="ward", seed=2).classification
    assert lost.masked < found.masked - 0.2
    assert lost.lost == lost.original - lost.masked


@pytest.mark.parametrize("clusters", [1, 0, 401, 2.5, "3"])
def test_the_number_of_clusters_is_checked(clusters):
    data = patients()
    with raises(TableError, parameter="clusters"):
        om.evaluate(data, data.frame, clusters=clusters)


def test_a_target_must_be_confidential_and_vary():
    data = patients()
    with pytest.raises(TableError) as error:
        om.evaluate(data, data.frame, target="wards")
    assert error.value.column == "wards"
    plain = om.Microdata(
        data.frame.assign(ward="surgery"), {"symptom": om.Nominal(TAXONOMY)}, confidential=["ward"], other=["age"]
    )
    with pytest.raises(TableError) as caught:
        om.evaluate(plain, data.frame, target="ward")
    assert (caught.value.parameter, caught.value.column) == ("target", "ward")


def test_a_missing_extra_is_named(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr("ontomask.evaluation.mining.import_module", absent)
    data = patients()
    with raises(MissingExtraError, extra="learn"):
        om.evaluate(data, data.frame, target="ward")
