from __future__ import annotations

from math import exp

import numpy as np
import pytest

import ontomask as om
from experiments.findings import metric_privacy as page
from experiments.framework.measurements import Rows
from experiments.framework.pages import DOCS
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES

GUIDE = DOCS.parent / "guides" / "privacy.md"


@pytest.fixture(scope="module")
def data():
    adult = page.tables(Setting())[ADULT]
    return page.described(adult, adult.frame.head(400), "sex")


@pytest.fixture(scope="module")
def measured():
    return Rows.read(DOCS / "results" / "metric_privacy.csv")


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


def test_expected_errors_are_what_draws_show(data):
    rows = Rows.of(page.in_theory(ADULT, data, (4.0,)))
    for method in (page.METRIC, page.BLIND):
        score = om.evaluate(data, page.release(method, data, 4.0, 0), attacks=False, distance="log_sc")
        for letter, rmse in zip("AB", score.rmse.values(), strict=True):
            assert rmse == pytest.approx(rows.mean("expected", method, 4.0, ADULT, letter), abs=0.02)


def test_the_equivalent_epsilon_gives_the_same_error():
    """Randomised response over 100 values whose others have a mean squared distance of 0.5."""

    def error(epsilon):
        return (1 - page.stay_share(epsilon, 100)) * 0.5

    for wanted in (1.0, 3.0, 6.0):
        assert page.blind_epsilon(error(wanted), error(4.0), 4.0, 100) == pytest.approx(wanted)
    assert page.blind_epsilon(0.9, error(4.0), 4.0, 100) == pytest.approx(0)


def test_intruders_are_between_chance_and_bound(data):
    rows = Rows.of(page.in_theory(ADULT, data, (2.0, 8.0)))
    for letter in "AB":
        for epsilon in (2.0, 8.0):
            guessed = [
                rows.mean("guessed", method, epsilon, ADULT, letter)
                for method in (page.CHANCE, page.METRIC, page.BOUND)
            ]
            assert guessed == pytest.approx(sorted(guessed), abs=1e-12)
            for pair in page.PAIRS:
                found, bound = (rows.mean(pair, m, epsilon, ADULT, letter) for m in (page.METRIC, page.BOUND))
                assert 0.5 < found <= bound


def test_every_method_is_measured_on_whole_tables(measured):
    assert measured.tables == (ADULT, DIABETES)
    for table in measured.tables:
        for method in page.METHODS:
            for epsilon in page.EPSILONS:
                assert measured.mean("rmse", method, epsilon, table, "A") > 0
                assert 0 < measured.mean("accuracy", method, epsilon, table) < 1


def test_the_guide_shows_the_expected_errors_of_the_page(measured):
    """Each row of the table in the guide, with the figures of the results."""
    lines = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    for depth in page.DEPTHS:
        for method, name in ((page.METRIC, "`MetricPrivacy`"), (page.BLIND, "randomised response")):
            of_method = page.at_depth(method, depth)
            figures = [measured.mean("expected", of_method, epsilon, DIABETES, "A") for epsilon in page.EPSILONS]
            shown = f"| {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |"
            assert sum(line.endswith(shown) for line in lines) == 1, shown
    needed = [measured.mean("needed", page.METRIC, epsilon, DIABETES, "A") for epsilon in page.EPSILONS]
    *others, last = [f"{epsilon:.1f}" for epsilon in needed]
    assert f"equals randomised response at ε = {', '.join(others)} and {last}" in GUIDE.read_text(encoding="utf-8")


def test_the_page_is_that_of_the_measurements(measured):
    text = (DOCS / "metric_privacy.md").read_text(encoding="utf-8")
    assert text == page.EXPERIMENT.page("metric_privacy", measured, complete=True)
