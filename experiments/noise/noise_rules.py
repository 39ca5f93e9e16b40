"""The conclusions of Rodriguez-Garcia 2016 and 2017 on noise, as rules with one truth value per case.

The figures come from a table that was masked here, or from a printed table (`perturbation.printed`). Figures that
differ by at most 1e-9 are equal: neither is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from experiments.noise.noise_framework_tables import NAIVE, PROBABILISTIC, UNCORRELATED
from experiments.shared.perturbation import Measures, Of

__all__ = [
    "chance_breaks_sdcor",
    "chance_keeps_a_mean",
    "chance_makes_more_errors",
    "errors_grow",
    "gain",
    "gain_grows",
    "keeps_sdcor",
    "meets_target",
    "nearer_to_target",
    "no_farther",
    "shifts",
    "variance_as_expected",
]

EQUAL = 1e-9
CHANCE = (NAIVE, PROBABILISTIC)


def _mean(m: Measures, method: str, alpha: float | None, of: Of) -> float:
    return m[method, alpha][of].mean


def _excess(m: Measures, method: str, alpha: float, letter: str) -> float:
    """Actual minus target RMSE."""
    return _mean(m, method, alpha, ("rmse", letter)) - _mean(m, method, alpha, ("target_rmse", letter))


def _change(m: Measures, method: str, alpha: float | None) -> float:
    return _mean(m, method, alpha, ("sdcor_change", "AB"))


def errors_grow(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """The larger α, the larger the RMSE."""
    return [
        _mean(m, method, less, ("rmse", letter)) + EQUAL < _mean(m, method, more, ("rmse", letter))
        for method in methods
        for less, more in pairwise(alphas)
        for letter in "AB"
    ]


def meets_target(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """The actual RMSE is at least the target."""
    return [_excess(m, method, alpha, letter) >= -EQUAL for method in methods for alpha in alphas for letter in "AB"]


def nearer_to_target(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """Actual and target RMSE differ less at the larger of two levels."""
    return [
        abs(_excess(m, method, less, letter)) > abs(_excess(m, method, more, letter)) + EQUAL
        for method in methods
        for less, more in pairwise(alphas)
        for letter in "AB"
    ]


def variance_as_expected(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """sVar* differs from (1 + α) sVar by less than α/4."""
    return [
        _mean(m, method, alpha, ("variance_off", letter)) < alpha / 4 - EQUAL
        for method in methods
        for alpha in alphas
        for letter in "AB"
    ]


def keeps_sdcor(m: Measures, methods: Sequence[str], than: str, alphas: Sequence[float]) -> list[bool]:
    """These methods change sdCor less than another method of the same level."""
    return [_change(m, method, alpha) + EQUAL < _change(m, than, alpha) for method in methods for alpha in alphas]


def gain(m: Measures, method: str, alpha: float) -> float:
    """The reduction of the change of sdCor compared with uncorrelated noise."""
    return _change(m, UNCORRELATED, alpha) - _change(m, method, alpha)


def gain_grows(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """The larger α, the larger the gain."""
    return [
        gain(m, method, less) + EQUAL < gain(m, method, more) for method in methods for less, more in pairwise(alphas)
    ]


def shifts(m: Measures, method: str, than: Sequence[str], alphas: Sequence[float]) -> list[tuple[float, float]]:
    """The shift of the mean of a method, paired with others of the same level."""
    return [
        (_mean(m, method, alpha, ("mean_shift", letter)), _mean(m, other, alpha, ("mean_shift", letter)))
        for other in than
        for alpha in alphas
        for letter in "AB"
    ]


def no_farther(m: Measures, method: str, than: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """A method moves the mean no further than others of the same level."""
    return [own <= other + EQUAL for own, other in shifts(m, method, than, alphas)]


def chance_makes_more_errors(m: Measures, methods: Sequence[str], alpha: float) -> list[bool]:
    """Both distortions by chance have a larger RMSE than noise of this level."""
    return [
        _mean(m, chance, None, ("rmse", letter)) > _mean(m, method, alpha, ("rmse", letter)) + EQUAL
        for chance in CHANCE
        for method in methods
        for letter in "AB"
    ]


def chance_breaks_sdcor(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """Both distortions by chance change sdCor more than noise of any level."""
    return [
        _change(m, chance, None) > _change(m, method, alpha) + EQUAL
        for chance in CHANCE
        for method in methods
        for alpha in alphas
    ]


def chance_keeps_a_mean(m: Measures, methods: Sequence[str], alpha: float) -> list[bool]:
    """A distortion by chance moves a mean less than noise of this level in at least one case: one truth value."""
    return [
        any(
            _mean(m, chance, None, ("mean_shift", letter)) + EQUAL < _mean(m, method, alpha, ("mean_shift", letter))
            for chance in CHANCE
            for method in methods
            for letter in "AB"
        )
    ]
