from __future__ import annotations

import pytest

from experiments.noise import noise_rules as rules
from experiments.noise.noise_rules import ALPHAS, MEAN, NAIVE, PAIR, PROBABILISTIC, TABLES, UNCORRELATED
from experiments.shared.findings import Spread
from experiments.shared.perturbation import Measured, printed

METHODS = (UNCORRELATED, MEAN, PAIR)
PUBLISHED = printed(TABLES)


def table(**figures):
    """Figures by method, such as ``uncorrelated={"rmse": (0.1, 0.2)}``: one a level, the same for both columns."""
    names = {"uncorrelated": UNCORRELATED, "mean": MEAN, "naive": NAIVE, "probabilistic": PROBABILISTIC}
    found = {}
    for short, printed_figures in figures.items():
        levels = (None,) if short in ("naive", "probabilistic") else (0.1, 0.3)
        for index, level in enumerate(levels):
            spreads = {
                (of, columns): Spread(values[index], 0.0, 1)
                for of, values in printed_figures.items()
                for columns in (["AB"] if of.startswith("sdcor") else ["A", "B"])
            }
            found[names[short], level] = Measured(spreads, {})
    return found


def test_errors_that_are_equal_do_not_grow():
    assert rules.errors_grow(table(mean={"rmse": (0.1, 0.2)}), [MEAN], [0.1, 0.3]) == [True, True]
    assert rules.errors_grow(table(mean={"rmse": (0.2, 0.2)}), [MEAN], [0.1, 0.3]) == [False, False]


def test_target():
    m = table(mean={"rmse": (0.20, 0.29), "target_rmse": (0.17, 0.30)})
    assert rules.meets_target(m, [MEAN], [0.1, 0.3]) == [True, True, False, False]
    assert rules.nearer_to_target(m, [MEAN], [0.1, 0.3]) == [True, True]
    m = table(mean={"rmse": (0.20, 0.33), "target_rmse": (0.17, 0.30)})
    assert rules.nearer_to_target(m, [MEAN], [0.1, 0.3]) == [False, False]


def test_a_quarter_of_alpha():
    m = table(mean={"variance_off": (0.025, 0.074)})
    assert rules.variance_as_expected(m, [MEAN], [0.1, 0.3]) == [False, False, True, True]


def test_gain():
    m = table(uncorrelated={"sdcor_change": (0.2, 0.4)}, mean={"sdcor_change": (0.2, 0.3)})
    assert rules.gain(m, MEAN, 0.3) == pytest.approx(0.1)
    assert rules.keeps_sdcor(m, [MEAN], UNCORRELATED, [0.1, 0.3]) == [False, True]
    assert rules.gain_grows(m, [MEAN], [0.1, 0.3]) == [True]
    assert rules.gain_grows(m, [MEAN], [0.3, 0.1]) == [False]


def test_no_farther_counts_ties_and_shifts_tell_them():
    m = table(uncorrelated={"mean_shift": (0.1, 0.2)}, mean={"mean_shift": (0.1, 0.3)})
    assert rules.no_farther(m, MEAN, [UNCORRELATED], [0.1, 0.3]) == [True, True, False, False]
    assert rules.shifts(m, MEAN, [UNCORRELATED], [0.1]) == [(0.1, 0.1)] * 2


@pytest.mark.parametrize(("moved", "found"), [(0.3, False), (0.2, True)])
def test_chance_keeps_a_mean_only_if_it_moves_it_less(moved, found):
    m = table(mean={"mean_shift": (0.0, 0.3)}, naive={"mean_shift": (0.4,)}, probabilistic={"mean_shift": (moved,)})
    assert rules.chance_keeps_a_mean(m, [MEAN], 0.3) == [found]


def test_chance():
    m = table(
        mean={"rmse": (0.1, 0.5), "sdcor_change": (0.1, 0.7)},
        naive={"rmse": (0.6,), "sdcor_change": (0.8,)},
        probabilistic={"rmse": (0.5,), "sdcor_change": (0.6,)},
    )
    assert rules.chance_makes_more_errors(m, [MEAN], 0.3) == [True, True, False, False]
    assert rules.chance_breaks_sdcor(m, [MEAN], [0.1, 0.3]) == [True, True, True, False]


def test_published_tables_miss_two_of_their_own_rules():
    expected = rules.variance_as_expected(PUBLISHED, METHODS, ALPHAS)
    cases = [(method, alpha, letter) for method in METHODS for alpha in ALPHAS for letter in "AB"]
    assert {case for case, held in zip(cases, expected, strict=True) if not held} == {
        (UNCORRELATED, 0.1, "B"),
        (MEAN, 0.1, "B"),
        (MEAN, 0.3, "B"),
        (PAIR, 0.1, "B"),
    }
    # At α = 1 both leave 0.59.
    assert rules.keeps_sdcor(PUBLISHED, [PAIR], MEAN, ALPHAS) == [True, True, True, False]
