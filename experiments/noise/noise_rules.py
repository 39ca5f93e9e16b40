"""Tables 1–8 of Rodriguez-Garcia 2017, and the conclusions of Rodriguez-Garcia 2016 and 2017 on noise, as rules.

A rule has one truth value per case. The figures come from a table that was masked here, or from a printed table
(`perturbation.printed`). Figures that differ by at most 1e-9 are equal: neither is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from experiments.shared.perturbation import Means, Measures, Of, Theirs, as_printed

__all__ = [
    "ALPHAS",
    "COLUMN",
    "MEAN",
    "MEANS",
    "MEANS_OF_TWO",
    "METRICS",
    "NAIVE",
    "PAIR",
    "PROBABILISTIC",
    "ROOT",
    "TABLES",
    "TABLES_OF_TWO",
    "TABLE_1",
    "TABLE_5",
    "TABLE_6",
    "UNCORRELATED",
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

ALPHAS = (0.1, 0.3, 0.5, 1.0)
UNCORRELATED, MEAN, PAIR, ROOT = "uncorrelated", "correlated, mean", "correlated, pair", "correlated, root"
NAIVE, PROBABILISTIC = "naïve distortion", "probabilistic distortion"
COLUMN: tuple[str, ...] = ("mean_shift", "variance", "variance_off", "rmse", "target_rmse")
METRICS: tuple[Of, ...] = (
    *((name, "A") for name in COLUMN),
    *((name, "B") for name in COLUMN),
    *((name, "AB") for name in ("sdcov", "sdcov_off", "sdcor", "sdcor_change")),
)


def theirs(*figures: Sequence[float]) -> Theirs:
    """A printed table: its figures in the order of `METRICS`, at four levels."""
    return as_printed(METRICS, ALPHAS, figures)


TABLE_1 = {
    "records": "1,350",
    "A: distinct values": "17",
    "sMean(A)": "*Furuncle of chest wall*",
    "sVar(A)": "0.22",
    "B: distinct values": "19",
    "sMean(B)": "*Viral hepatitis with hepatic coma*",
    "sVar(B)": "0.24",
    "sdCov(A, B)": "0.26",
    "sdCor(A, B)": "0.94",
}
TABLE_6 = {
    "records": "1,316",
    "sMean(A)": "*Malignant neoplasm of costovertebral joint*",
    "sVar(A)": "0.15",
    "sMean(B)": "*Arthrectomy of hip*",
    "sVar(B)": "0.07",
    "sdCov(A, B)": "0.19",
    "sdCor(A, B)": "0.88",
}
TABLES: Mapping[str, Theirs] = {
    UNCORRELATED: theirs(
        (0.20, 0.20, 0.20, 0.20),
        (0.24, 0.24, 0.25, 0.27),
        (0, 0.05, 0.08, 0.17),
        (0.23, 0.31, 0.38, 0.49),
        (0.15, 0.25, 0.34, 0.48),
        (0, 0, 0, 0.18),
        (0.23, 0.24, 0.26, 0.30),
        (0.03, 0.07, 0.1, 0.18),
        (0.19, 0.30, 0.37, 0.50),
        (0.15, 0.27, 0.35, 0.51),
        (0.15, 0.11, 0.09, 0.08),
        (0.14, 0.23, 0.30, 0.44),
        (0.78, 0.65, 0.57, 0.38),
        (0.16, 0.29, 0.37, 0.56),
    ),
    MEAN: theirs(
        (0.20, 0.20, 0.20, 0.20),
        (0.24, 0.24, 0.26, 0.29),
        (0, 0.05, 0.07, 0.15),
        (0.24, 0.33, 0.40, 0.51),
        (0.17, 0.28, 0.37, 0.52),
        (0, 0.18, 0.45, 0.45),
        (0.22, 0.23, 0.24, 0.28),
        (0.04, 0.08, 0.12, 0.2),
        (0.20, 0.30, 0.38, 0.49),
        (0.17, 0.28, 0.37, 0.52),
        (0.15, 0.12, 0.10, 0.09),
        (0.14, 0.22, 0.29, 0.43),
        (0.82, 0.73, 0.69, 0.59),
        (0.12, 0.21, 0.25, 0.35),
    ),
    PAIR: theirs(
        (0.20, 0.20, 0.20, 0.20),
        (0.24, 0.26, 0.28, 0.32),
        (0, 0.03, 0.05, 0.12),
        (0.25, 0.35, 0.41, 0.52),
        (0.17, 0.28, 0.37, 0.52),
        (0.18, 0.18, 0.18, 0.45),
        (0.23, 0.25, 0.27, 0.31),
        (0.03, 0.06, 0.09, 0.17),
        (0.22, 0.32, 0.40, 0.51),
        (0.17, 0.28, 0.37, 0.52),
        (0.16, 0.13, 0.11, 0.09),
        (0.13, 0.21, 0.28, 0.43),
        (0.84, 0.76, 0.71, 0.59),
        (0.10, 0.18, 0.23, 0.35),
    ),
}
TABLES_OF_TWO: Mapping[str, Theirs] = {
    MEAN: theirs(
        (0.33, 0, 0, 0),
        (0.18, 0.19, 0.2, 0.23),
        (0.02, 0.01, 0.03, 0.07),
        (0.23, 0.32, 0.40, 0.50),
        (0.16, 0.28, 0.37, 0.52),
        (0, 0, 0, 0),
        (0.08, 0.09, 0.1, 0.14),
        (0, 0, 0.01, 0),
        (0.15, 0.24, 0.30, 0.41),
        (0.13, 0.23, 0.29, 0.40),
        (0.11, 0.08, 0.07, 0.06),
        (0.10, 0.17, 0.22, 0.32),
        (0.68, 0.56, 0.48, 0.42),
        (0.20, 0.32, 0.40, 0.46),
    ),
    ROOT: theirs(
        (0.23, 0.23, 0.23, 0.23),
        (0.2, 0.22, 0.23, 0.26),
        (0.04, 0.03, 0.01, 0.04),
        (0.27, 0.34, 0.41, 0.51),
        (0.16, 0.28, 0.37, 0.52),
        (0, 0, 0, 0),
        (0.08, 0.11, 0.13, 0.2),
        (0, 0.02, 0.03, 0.06),
        (0.16, 0.25, 0.30, 0.41),
        (0.13, 0.23, 0.29, 0.40),
        (0.12, 0.09, 0.08, 0.07),
        (0.09, 0.16, 0.21, 0.31),
        (0.70, 0.60, 0.54, 0.47),
        (0.18, 0.28, 0.34, 0.41),
    ),
}


def _means(a: Sequence[str], b: Sequence[str]) -> Means:
    """The means that a printed table names, of A and B at four levels."""
    return {letter: dict(zip(ALPHAS, names, strict=True)) for letter, names in zip("AB", (a, b), strict=True)}


_BLISTER, _HYDATIDOSIS = "Blister of axilla with infection", "Axillary hydatidosis"
_HEPATITIS, _LIVER = "Viral hepatitis with hepatic coma", "Inflammatory disease of liver"
_ULCERS = "Mouth-gen. ulcers inflam. cartil. synd."
_NEOPLASM, _HIP = "Malignant neoplasm of costovertebral joint", "Arthrectomy of hip"
_FRACTURE, _DISLOCATION = "Fracture of prox. end of femur", "Recurrent dislocation of joint"
MEANS: Mapping[str, Means] = {
    UNCORRELATED: _means(
        (_BLISTER, _HYDATIDOSIS, _BLISTER, _BLISTER),
        (_HEPATITIS, _HEPATITIS, _HEPATITIS, _LIVER),
    ),
    MEAN: _means((_BLISTER,) * 4, (_HEPATITIS, _LIVER, _ULCERS, _ULCERS)),
    PAIR: _means((_BLISTER, _BLISTER, _BLISTER, "Granuloma inguinale"), (_LIVER, _LIVER, _LIVER, _ULCERS)),
}
MEANS_OF_TWO: Mapping[str, Means] = {
    MEAN: _means(
        ("Second. malignant neoplasm of lumbar vertebral column", _NEOPLASM, _NEOPLASM, _NEOPLASM),
        (_HIP,) * 4,
    ),
    ROOT: _means((_FRACTURE, _FRACTURE, _DISLOCATION, _DISLOCATION), (_HIP,) * 4),
}
# Table 5: the shift of the mean, at α = 1 for methods with a level.
TABLE_5 = {
    NAIVE: {"A": 0.20, "B": 0.27},
    PROBABILISTIC: {"A": 0.04, "B": 0},
    UNCORRELATED: {"A": 0.20, "B": 0.18},
    MEAN: {"A": 0.20, "B": 0.45},
    PAIR: {"A": 0.20, "B": 0.45},
}


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
    """Both random distortions have a larger RMSE than noise of this level."""
    return [
        _mean(m, chance, None, ("rmse", letter)) > _mean(m, method, alpha, ("rmse", letter)) + EQUAL
        for chance in CHANCE
        for method in methods
        for letter in "AB"
    ]


def chance_breaks_sdcor(m: Measures, methods: Sequence[str], alphas: Sequence[float]) -> list[bool]:
    """Both random distortions change sdCor more than noise of any level."""
    return [
        _change(m, chance, None) > _change(m, method, alpha) + EQUAL
        for chance in CHANCE
        for method in methods
        for alpha in alphas
    ]


def chance_keeps_a_mean(m: Measures, methods: Sequence[str], alpha: float) -> list[bool]:
    """A random distortion moves a mean less than noise of this level in at least one case: one truth value."""
    return [
        any(
            _mean(m, chance, None, ("mean_shift", letter)) + EQUAL < _mean(m, method, alpha, ("mean_shift", letter))
            for chance in CHANCE
            for method in methods
            for letter in "AB"
        )
    ]
