from __future__ import annotations

import pytest

from experiments.findings.laplace_or_normal import at_equal_error, differences, differences_table, fits_better
from experiments.framework.measurements import Rows, rows

# By method and level: its RMSE and its linked records, for each of two seeds, judged by log_sc.
FIGURES = {
    ("Normal, path", 0.1): [(0.2, 40.0), (0.2, 40.0)],
    ("Normal, path", 1.0): [(0.4, 20.0), (0.4, 30.0)],
    ("Laplace, path", 1.0): [(0.3, 33.0), (0.2, 38.0)],
    # Another measure that masks is not compared with it.
    ("Normal, lin", 0.1): [(0.2, 0.0), (0.2, 0.0)],
    ("Normal, lin", 1.0): [(0.4, 0.0), (0.4, 0.0)],
}
FOUND = Rows.of(
    row
    for (method, level), by_seed in FIGURES.items()
    for seed, (size, linked) in enumerate(by_seed)
    for row in rows(
        {("rmse_of_both", "log_sc"): size, ("srl", "log_sc"): linked},
        table="here",
        method=method,
        level=level,
        seed=seed,
    )
)


def test_both_distributions_are_compared_under_the_same_measure_at_the_same_rmse():
    found = at_equal_error("srl", ["path", "lin"], "Laplace", "Normal")(FOUND).sort("seed")
    assert found["margin"].to_list() == pytest.approx([30 - 33, 40 - 38])
    # The other way round, Normal noise is out of reach of a single level.
    assert at_equal_error("srl", ["path"], "Normal", "Laplace")(FOUND).is_empty()


def test_what_laplace_adds_for_each_seed():
    assert differences(FOUND, "srl", "path", "here") == pytest.approx([3, -2])
    assert "| here | path | — | — | +0.50 |" in differences_table(FOUND, "srl")


def test_the_fit_is_compared_under_the_same_measure_and_level():
    misfits = {("Normal, path", 1.0): 0.3, ("Laplace, path", 1.0): 0.1, ("Normal, lin", 1.0): 0.0}
    measured = Rows.of(
        row
        for (method, level), value in misfits.items()
        for row in rows({("misfit", ""): value}, table="here", method=method, level=level)
    )
    assert fits_better(["path", "lin"])(measured)["margin"].to_list() == pytest.approx([0.2])
