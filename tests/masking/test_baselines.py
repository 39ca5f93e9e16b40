"""Distortions by chance, against their literal definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import MaskingError

from support.errors import raises

TAXONOMY = om.Taxonomy.from_edges([(c, "pain") for c in ("ache", "colic", "migraine")])


def symptoms(*values, missing="error"):
    return om.Microdata(pd.DataFrame({"symptom": list(values)}), {"symptom": om.Nominal(TAXONOMY)}, missing=missing)


def share(method, data, value):
    """How often each value comes out for the records that have one value."""
    original = np.array(data.frame["symptom"].tolist(), dtype=object)
    released = np.array(method.mask(data, seed=1).frame["symptom"].tolist(), dtype=object)
    found = Counter(released[original == value].tolist())
    return {key: n / sum(found.values()) for key, n in found.items()}


MANY = ("ache",) * 6000 + ("colic",) * 3000 + ("migraine",) * 1000


def test_naive_distortion_takes_any_other_value_alike():
    data = symptoms(*MANY)
    assert share(om.NaiveDistortion(), data, "ache") == pytest.approx({"colic": 1 / 2, "migraine": 1 / 2}, abs=0.03)
    assert share(om.NaiveDistortion(), data, "migraine") == pytest.approx({"ache": 1 / 2, "colic": 1 / 2}, abs=0.06)


def test_probabilistic_distortion_takes_values_by_their_frequency():
    data = symptoms(*MANY)
    for value in ("ache", "migraine"):
        found = share(om.ProbabilisticDistortion(), data, value)
        assert found == pytest.approx({"ache": 0.6, "colic": 0.3, "migraine": 0.1}, abs=0.05)


def test_estimated_pram_stays_or_takes_a_value_by_its_frequency():
    data = symptoms(*MANY)
    found = share(om.PRAM(stay=0.5), data, "ache")
    assert found == pytest.approx({"ache": 0.5 + 0.5 * 0.6, "colic": 0.5 * 0.3, "migraine": 0.5 * 0.1}, abs=0.03)
    assert om.PRAM(stay=0.5).mask(data, seed=2).details["unchanged"]["symptom"] == pytest.approx(
        0.5 + 0.5 * (0.36 + 0.09 + 0.01), abs=0.03
    )


def test_given_pram_follows_its_matrix_in_any_order_of_values():
    data = symptoms(*MANY)
    matrix = [[0.0, 0.25, 0.75], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    method = om.PRAM(matrices={"symptom": (["migraine", "ache", "colic"], matrix)})
    assert share(method, data, "migraine") == pytest.approx({"ache": 0.25, "colic": 0.75}, abs=0.06)
    assert share(method, data, "ache") == pytest.approx({"migraine": 0.5, "ache": 0.5}, abs=0.03)
    assert share(method, data, "colic") == {"colic": 1.0}


def test_kept_cells_stay_and_are_nobody_s_replacement():
    data = symptoms("ache", None, "colic", None, missing="keep")
    for method in (om.NaiveDistortion(), om.ProbabilisticDistortion(), om.PRAM(stay=0.0)):
        for seed in range(20):
            released = method.mask(data, seed=seed).frame["symptom"]
            assert released.isna().tolist() == [False, True, False, True]


def test_attributes_are_distorted_independently():
    frame = pd.DataFrame({"now": MANY, "then": MANY})
    kind = om.Nominal(TAXONOMY)
    data = om.Microdata(frame, {"now": kind, "then": kind})
    released = om.NaiveDistortion().mask(data, seed=3).frame
    both = Counter(zip(released["now"][:6000], released["then"][:6000], strict=True))
    assert {key: n / 6000 for key, n in both.items()} == pytest.approx(
        {(a, b): 1 / 4 for a in ("colic", "migraine") for b in ("colic", "migraine")}, abs=0.03
    )


def test_numbers_and_categories_can_be_distorted_too():
    frame = pd.DataFrame({"age": [30, 40, 50], "pain": ["low", "high", "low"]})
    data = om.Microdata(frame, {"age": om.Numeric(), "pain": om.Ordinal(["low", "mid", "high"])})
    released = om.NaiveDistortion().mask(data, seed=0).frame
    assert set(released["age"]) <= {30, 40, 50}
    assert released["pain"].tolist() == ["high", "low", "high"]
    assert (released["age"] != frame["age"]).all()


def test_a_column_of_one_value_has_no_other():
    with raises(MaskingError, column="symptom"):
        om.NaiveDistortion().mask(symptoms("ache", "ache"), seed=0)


@pytest.mark.parametrize("stay", [-0.1, 1, 1.5, float("nan"), "0.5", True])
def test_stay_is_a_probability_below_one(stay):
    with raises(MaskingError, parameter="stay"):
        om.PRAM(stay=stay)


@pytest.mark.parametrize(
    ("values", "matrix", "fields"),
    [
        (["ache", "colic"], [[1, 0]], {"column": "symptom", "parameter": "matrices", "code": "not-a-matrix"}),
        (["ache", "ache"], [[1, 0], [0, 1]], {"column": "symptom", "parameter": "matrices", "code": "not-a-matrix"}),
        (
            ["ache", "colic"],
            [[0.5, 0.4], [0, 1]],
            {"column": "symptom", "parameter": "matrices", "code": "not-probabilities"},
        ),
        (
            ["ache", "colic"],
            [[1.5, -0.5], [0, 1]],
            {"column": "symptom", "parameter": "matrices", "code": "not-probabilities"},
        ),
        (
            ["ache", "colic"],
            [[float("nan"), 1], [0, 1]],
            {"column": "symptom", "parameter": "matrices", "code": "not-probabilities"},
        ),
        (["ache"], [[1]], {"column": "symptom", "parameter": "matrices", "code": "values-missing"}),
        (
            ["ache", "colic", "fever"],
            [[0.5, 0, 0.5], [0, 1, 0], [0, 0, 1]],
            {"column": "symptom", "parameter": "matrices", "code": "unknown-values"},
        ),
    ],
)
def test_matrices_are_checked(values, matrix, fields):
    method = om.PRAM(matrices={"symptom": (values, matrix)})
    with raises(MaskingError, **fields):
        method.mask(symptoms("ache", "colic"), seed=0)


@pytest.mark.parametrize("matrices", [5, ["symptom"], "symptom"])
def test_matrices_are_given_by_column(matrices):
    with raises(MaskingError, parameter="matrices"):
        om.PRAM(matrices=matrices)


def test_a_matrix_for_no_quasi_identifier_is_an_error():
    with raises(MaskingError, parameter="matrices"):
        om.PRAM(matrices={"sympton": (["ache"], [[1]])}).mask(symptoms("ache", "colic"), seed=0)


def test_methods_are_equal_if_all_parameters_are():
    square = np.eye(2)
    matrices = {"symptom": (["ache", "colic"], square)}
    assert om.PRAM() != om.PRAM(0.5)
    assert om.PRAM(matrices=matrices) == om.PRAM(matrices={"symptom": (["ache", "colic"], square.copy())})
    assert om.PRAM(matrices=matrices) != om.PRAM(matrices={"symptom": (["ache", "colic"], square[::-1])})
    assert om.NaiveDistortion() != om.ProbabilisticDistortion()
    assert len({om.PRAM(), om.PRAM(0.8), om.PRAM(0.5)}) == 2
