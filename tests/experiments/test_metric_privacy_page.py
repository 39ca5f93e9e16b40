from __future__ import annotations

from math import exp

import numpy as np
import pytest

import ontomask as om
from experiments.beyond import metric_privacy as page
from experiments.beyond import metric_privacy_rows as rows
from experiments.shared.findings import DOCS, Setting


@pytest.fixture(scope="module")
def data():
    return page.tables(Setting(quick=True))["Adult"]


def test_randomised_response_keeps_the_share_that_epsilon_allows(data):
    assert page.stay_share(1.0, 2) == pytest.approx(exp(1) / (exp(1) + 1))
    released = page.respond_at_random(data, 16.0, 0, None)["occupation"].to_list()
    column = data.quasi_identifiers["occupation"]
    originals = [column.domain.ids[code] for code in column.point[column.code].tolist()]
    expected = page.stay_share(16.0, len(column.domain))
    assert np.mean([a == b for a, b in zip(released, originals, strict=True)]) == pytest.approx(expected, abs=0.03)


def test_the_matrix_of_pram_has_the_ratio_that_epsilon_allows(data):
    values, matrix = page.matrix_of(data, "occupation", 2.0)
    assert matrix.shape == (len(values), len(values))
    assert matrix.sum(axis=1) == pytest.approx(1)
    assert matrix.max() / matrix.min() == pytest.approx(exp(2))


def test_inversion_is_between_chance_and_bound(data):
    found = page.invert(data, "occupation", 4.0)
    assert found.by_chance <= found.metric <= found.bound
    assert found.by_chance <= found.blind <= found.bound


def test_every_conclusion_is_explained():
    assert len(page.WHY) == 9
    assert all(why.endswith(".") for why in page.WHY)
    text = (DOCS / "metric_privacy.md").read_text(encoding="utf-8")
    assert page.READING.strip() in text


def test_rows_of_whole_tables_are_those_of_the_page(data):
    """Expected errors are what draws show, and each measured row belongs to one column and seed."""
    tables = {"Adult": data}
    expected = list(rows.expected_rows(tables, [4.0], [None]))
    assert {row["method"] for row in expected} == {page.METRIC, page.FLIP, page.BLIND, "full budget"}
    score = om.evaluate(data, page.release(page.METRIC, data, 4.0, 0), attacks=False, distance="log_sc")
    for row in expected:
        if row["method"] == page.METRIC:
            assert score.rmse[row["column"]] == pytest.approx(row["rmse"], abs=0.02)
    inverted = list(rows.inverted_rows(tables, [2.0]))
    assert [row["column"] for row in inverted] == list(data.quasi_identifiers)
    assert all(row["metric"] <= row["bound"] for row in inverted)


@pytest.mark.slow
def test_every_method_is_measured_for_every_column(data):
    found = list(rows.measured_rows({"Adult": page.every(data, 2)}, [2.0], [3, 4]))
    assert len(found) == len(page.METHODS) * 2 * 2
    assert all((row["predicted"] is None) == (row["seed"] == 4) for row in found)
