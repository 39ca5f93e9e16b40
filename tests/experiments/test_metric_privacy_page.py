from __future__ import annotations

from math import exp

import numpy as np
import pytest

from experiments.beyond import metric_privacy as page
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
