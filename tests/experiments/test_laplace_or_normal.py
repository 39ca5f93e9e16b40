from __future__ import annotations

import pytest

from experiments.findings.laplace_or_normal import RULES, differences, more, table_of
from experiments.framework.measurements import Rows, rows

# By method and level: its RMSE, and its linked records, judged by log_sc.
FIGURES = {
    ("Normal, path", 0.1): (0.2, 40.0),
    ("Normal, path", 1.0): (0.4, 20.0),
    ("Laplace, path", 1.0): (0.3, 33.0),
    # Another measure that masks is not compared with it.
    ("Normal, lin", 0.1): (0.2, 0.0),
    ("Normal, lin", 1.0): (0.4, 0.0),
}
FOUND = Rows.of(
    row
    for (method, level), (size, linked) in FIGURES.items()
    for row in rows(
        {("rmse_of_both", "log_sc"): size, ("srl", "log_sc"): linked}, table="A", method=method, level=level
    )
)
# Laplace and Normal noise of equal RMSE under one measure, for two seeds, as judged by two measures.
MORE = Rows.of(
    row
    for seed, values in enumerate([(3.0, 1.0), (-2.0, -4.0)])
    for judge, value in zip(("log_sc", "wu_palmer"), values, strict=True)
    for distribution, linked in (("Normal", 5.0), ("Laplace", 5.0 + value))
    for row in rows(
        {("rmse_of_both", judge): 0.3, ("srl", judge): linked},
        table="A",
        method=f"{distribution}, path",
        level=1.0,
        seed=seed,
    )
)


def test_both_distributions_are_compared_under_the_same_measure_at_the_same_rmse():
    (found,) = differences(FOUND, "srl").iter_rows(named=True)
    # Halfway between 40 and 20, Normal noise has the same RMSE.
    assert found["value"] == pytest.approx(33 - 30)
    assert (found["method"], found["columns"], found["level"]) == ("path", "log_sc", 1.0)


def test_a_difference_above_zero_means_that_normal_noise_has_less():
    assert sorted(RULES["normal-links-less"](MORE)["margin"]) == [-4, -2, 1, 3]
    assert RULES["laplace-links-less"](MORE).is_empty()


def test_differences_are_averaged_over_judges_for_each_seed():
    for level in (None, 1.0):
        found = more(differences(MORE, "srl"), "path", "A", level)
        assert (found.mean, found.low, found.high) == ((2 - 3) / 2, -3, 2)
    assert "| A | path | — | — | -0.50 |" in table_of(MORE, "srl")


def test_the_fit_is_compared_under_the_same_measure_and_level():
    misfits = {("Normal, log_sc", 1.0): 30.0, ("Laplace, log_sc", 1.0): 10.0, ("Normal, lin", 1.0): 0.0}
    measured = Rows.of(
        row
        for (method, level), value in misfits.items()
        for row in rows({("off_target", ""): value}, table="A", method=method, level=level)
    )
    assert RULES["laplace-fits-non-linear"](measured)["margin"].to_list() == pytest.approx([20.0])
