from __future__ import annotations

import polars as pl
import pytest

from experiments.framework.claims import computed, grows, less
from experiments.framework.measurements import PRINTED, Rows, rows
from experiments.noise import noise_levels
from experiments.noise.correlated_noise import STRONG, WEAK, lettered, smaller_gain
from experiments.noise.noise_framework import explained
from experiments.noise.noise_tables import MEAN, NONE, PAIR, STRENGTH, UNCORRELATED, published


def made(values, measure="sdcor_change"):
    """Figures of one seed by (method, level, columns)."""
    return Rows.of(
        row
        for (method, level, columns), value in values.items()
        for row in rows({(measure, columns): value}, table="here", method=method, level=level)
    )


def test_the_printed_tables_are_read_as_printed():
    printed = Rows.of(published(("sdcor", STRENGTH)))
    # Table 3, α = 0.5: sdCor 0.69; RMSE 0.40 and 0.38.
    assert printed.mean("sdcor", MEAN, 0.5, PRINTED, "AB") == 0.69
    assert printed.mean(STRENGTH, MEAN, 0.5, PRINTED, "AB") == pytest.approx((0.40 + 0.38) / 2)
    # Table 7 has the same method on the second sample.
    assert printed.mean("sdcor", MEAN, 0.5, PRINTED, "CD") == 0.48
    assert set(Rows.of(published(("rmse",))).frame["measure"]) >= {"rmse", "variance"}
    assert "mean_shift" not in set(Rows.of(published(("rmse",))).frame["measure"])


def test_the_gain_grows_from_level_to_level():
    found = {(UNCORRELATED, 0.1, "AB"): 0.2, (UNCORRELATED, 0.3, "AB"): 0.4, (UNCORRELATED, 0.5, "AB"): 0.5}
    found |= {(PAIR, 0.1, "AB"): 0.1, (PAIR, 0.3, "AB"): 0.2, (PAIR, 0.5, "AB"): 0.4}
    # Gains of 0.1, 0.2 and 0.1.
    margins = grows(less("sdcor_change", PAIR, UNCORRELATED))(made(found)).sort("case")
    assert margins["margin"].to_list() == pytest.approx([0.1, -0.1])


def test_how_much_of_the_gain_weaker_noise_explains():
    changes = {(UNCORRELATED, 0.1, "AB"): 0.2, (UNCORRELATED, 1, "AB"): 0.6, (MEAN, 1, "AB"): 0.3}
    sizes = {(UNCORRELATED, 0.1, "AB"): 0.2, (UNCORRELATED, 1, "AB"): 0.4, (MEAN, 1, "AB"): 0.3}
    both = Rows(made(changes).frame.vstack(made(sizes, STRENGTH).frame))
    # At equal α the gain is 0.6 - 0.3. At the RMSE of 0.3, uncorrelated noise changes 0.4: a gain of 0.1.
    assert explained(both, MEAN, "here") == pytest.approx(100 * 2 / 3)


def test_the_gain_where_the_dependence_is_weak():
    found = {(NONE, None, STRONG): 0.8, (NONE, None, WEAK): 0.2}
    found |= {(UNCORRELATED, 0.1, STRONG): 0.4, (PAIR, 0.1, STRONG): 0.6}
    found |= {(UNCORRELATED, 0.1, WEAK): 0.1, (PAIR, 0.1, WEAK): 0.25}
    measured = made(found, "sdcor")
    # Gains: 0.4 - 0.2 = 0.2 of 0.8, and 0.1 - 0.05 = 0.05 of 0.2.
    (half,) = smaller_gain("sdcor", 1 / 2)(measured)["margin"]
    (in_proportion,) = smaller_gain("sdcor", in_proportion=True)(measured)["margin"]
    assert half == pytest.approx(0.2 / 2 - 0.05)
    assert in_proportion == pytest.approx(0.2 / 0.8 - 0.05 / 0.2)


def test_letters():
    shifted = Rows.of(lettered(made({(PAIR, 0.1, "A"): 0.3, (UNCORRELATED, 0.1, "A"): 0.1}).frame.to_dicts(), WEAK))
    assert set(shifted.frame["columns"]) == {"C"}
    assert less("sdcor_change", PAIR, UNCORRELATED, columns=STRONG)(shifted).is_empty()
    assert less("sdcor_change", PAIR, UNCORRELATED, columns="C")(shifted)["margin"].to_list() == pytest.approx([-0.2])


def test_errors_and_variances():
    actual = made({(MEAN, 0.1, "A"): 0.3, (MEAN, 1, "A"): 0.5}, "rmse").frame
    target = made({(MEAN, 0.1, "A"): 0.2, (MEAN, 1, "A"): 0.55}, "target_rmse").frame
    # 0.1 too large, then 0.05 too small.
    rule = grows(computed(pl.col("target_rmse") - pl.col("rmse"), methods=MEAN))
    assert rule(Rows(actual.vstack(target)))["margin"].to_list() == pytest.approx([0.15])
    before = made({(NONE, None, "A"): 0.3}, "variance").frame
    off = made({(MEAN, 0.1, "A"): 0.02, (MEAN, 1, "A"): 0.4}, "variance_off").frame
    # Without noise, the variance is 0.1 × 0.3 and 1 × 0.3 from its expected value.
    margins = noise_levels.nearer_than_without(Rows(before.vstack(off)))["margin"]
    assert margins.to_list() == pytest.approx([0.03 - 0.02, 0.3 - 0.4])


def test_the_mean_is_compared_only_where_one_of_both_methods_moves_it():
    shifts = {(noise_levels.PROBABILISTIC, None, "A"): 0.0, (noise_levels.PROBABILISTIC, None, "B"): 0.0}
    # In A nothing moves; in B one kind of noise does.
    shifts |= {(UNCORRELATED, 1, "A"): 0.0, (MEAN, 1, "A"): 0.0, (UNCORRELATED, 1, "B"): 0.0, (MEAN, 1, "B"): 0.2}
    rule = noise_levels.RULES["chance-may-keep-mean"]
    assert rule(made(shifts, "mean_shift"))["margin"].to_list() == [0.2]
    # Where only the distortion moves it, the claim does not hold.
    shifts[noise_levels.PROBABILISTIC, None, "A"] = 0.1
    assert sorted(rule(made(shifts, "mean_shift"))["margin"]) == pytest.approx([-0.1, -0.1, 0.2])
