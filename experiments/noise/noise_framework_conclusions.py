"""The conclusions of Rodriguez-Garcia 2017 (Tables 2–8, Figs. 6–8), checked here and in the paper's own tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from experiments.noise import noise_rules as rules
from experiments.noise.noise_rules import (
    MEAN,
    NAIVE,
    PAIR,
    PROBABILISTIC,
    ROOT,
    TABLE_5,
    TABLES,
    TABLES_OF_TWO,
    UNCORRELATED,
)
from experiments.shared.findings import Conclusion, Spread
from experiments.shared.perturbation import Measured, Measures, printed, tallied
from experiments.shared.samples import Sample

__all__ = ["OWN", "conclusions"]

OWN = "N's own tables"
METHODS = (UNCORRELATED, MEAN, PAIR)


def theirs() -> dict[tuple[str, float | None], Measured]:
    """The paper's Tables 2–5; for distortions by chance it prints only the shift of the mean."""
    chance: dict[tuple[str, float | None], Measured] = {
        (name, None): Measured({("mean_shift", letter): Spread(moved, 0.0, 1) for letter, moved in both.items()}, {})
        for name, both in TABLE_5.items()
        if name in (NAIVE, PROBABILISTIC)
    }
    return {**printed(TABLES), **chance}


def largely_kept(m: Measures, alphas: Sequence[float]) -> list[bool]:
    """The mean moves by at most a quarter of the maximum distance."""
    return [
        m[method, alpha]["mean_shift", letter].mean <= 0.25 for method in METHODS for alpha in alphas for letter in "AB"
    ]


def correlation_largely_kept(m: Measures, alphas: Sequence[float]) -> list[bool]:
    """At most a quarter of sdCor is lost."""
    found = (m[method, alpha] for method in METHODS for alpha in alphas)
    return [
        one["sdcor_change", "AB"].mean <= (one["sdcor", "AB"].mean + one["sdcor_change", "AB"].mean) / 4
        for one in found
    ]


def by_level(m: Measures, alphas: Sequence[float]) -> list[tuple[float, float]]:
    """The shift of the mean at a level and at the next one."""
    return [
        (m[method, less]["mean_shift", letter].mean, m[method, more]["mean_shift", letter].mean)
        for method in METHODS
        for less, more in pairwise(alphas)
        for letter in "AB"
    ]


def covariance_as_expected(m: Measures, alphas: Sequence[float]) -> list[bool]:
    """sdCov* differs from (1 + α) sdCov by less than α/4."""
    return [m[method, alpha]["sdcov_off", "AB"].mean < alpha / 4 for method in METHODS for alpha in alphas]


def covariance_departs_alike(m: Measures, alphas: Sequence[float]) -> list[bool]:
    """The larger α, the more sdCov* and both sVar* differ from their expectation."""
    return [
        all(
            m[method, less][of].mean + rules.EQUAL < m[method, more][of].mean
            for of in (("sdcov_off", "AB"), ("variance_off", "A"), ("variance_off", "B"))
        )
        for method in METHODS
        for less, more in pairwise(alphas)
    ]


def probabilistic_keeps_more(m: Measures, sample: Sample | None) -> list[bool]:
    """Probabilistic distortion keeps the mean and the variance of each column better than naïve distortion."""
    probable, naive = m[PROBABILISTIC, None], m[NAIVE, None]
    found = [probable["mean_shift", letter].mean < naive["mean_shift", letter].mean for letter in "AB"]
    if sample is not None:
        for letter, column in zip("AB", sample.features.utility.attributes.values(), strict=True):
            off, most = (abs(one["variance", letter].mean - column.variance.before) for one in (probable, naive))
            found.append(off < most)
    return found


def conclusions(
    one: Mapping[str, Sample],
    ours: Mapping[str, Measures],
    ours_of_two: Mapping[str, Measures],
    alphas: Sequence[float],
) -> list[Conclusion]:
    """The paper's conclusions."""
    everywhere: dict[str, Measures] = {OWN: theirs(), **ours}
    everywhere_of_two: dict[str, Measures] = {OWN: printed(TABLES_OF_TWO), **ours_of_two}
    small = [alpha for alpha in alphas if alpha <= 0.5]
    most = alphas[-1]

    def judged(
        rule: Callable[[Measures], Sequence[bool]], datasets: Mapping[str, Measures] = everywhere
    ) -> dict[str, Sequence[bool]]:
        return {dataset: rule(m) for dataset, m in datasets.items()}

    def counted(
        pairs: Callable[[Measures], Sequence[tuple[float, float]]], datasets: Mapping[str, Measures] = everywhere
    ) -> str:
        return "; ".join(f"{dataset}: {tallied(pairs(m))}" for dataset, m in datasets.items())

    return [
        Conclusion(
            "the greater α, the greater the RMSE",
            "N 5",
            judged(lambda m: rules.errors_grow(m, METHODS, alphas)),
            "So the noise is made: its variance is α times the data's.",
        ),
        Conclusion(
            "actual RMSE ≥ target for α ≤ 0.5",
            "N 5",
            judged(lambda m: rules.meets_target(m, METHODS, small)),
            "A value goes to the nearest concept that is at least as far as the error, and often there is "
            "none so near. At α = 1 errors end where the taxonomy ends: uncorrelated noise has 0.50 for 0.53 "
            "on A over ICD-9-CM, and 0.39 for 0.38 over MONDO (N 0.49 for 0.48).",
            key="noise-reaches-target",
        ),
        Conclusion(
            "actual and target differ the more, the smaller α is (up to α = 0.5: at 1 errors are cut off)",
            "N 5",
            judged(lambda m: rules.nearer_to_target(m, METHODS, small)),
            "A small error leads to the nearest concept, which is about as far away whatever the error.",
        ),
        Conclusion(
            "the mean is largely kept: it moves by 0.25 at most (the limit is ours)",
            "N 5",
            judged(lambda m: largely_kept(m, alphas)),
            "Over ICD-9-CM a mean moves from a disease to its block, 0.14, or stays; at α = 1 one seed of ten takes "
            "it farther with uncorrelated noise, and that of A with `mean` (0.16 on average). Over MONDO none moves. "
            "In N's own tables B moves by 0.45 with `mean` at α = 0.5 and 1, and with `pair` at 1.",
        ),
        Conclusion(
            "particularly where noise is small: at a lower level it moves no farther than at the next",
            "N 5",
            judged(lambda m: [less <= more + rules.EQUAL for less, more in by_level(m, alphas)]),
            "Most are ties. At the lower level it moves, of the cases, " + counted(lambda m: by_level(m, alphas)) + ".",
        ),
        Conclusion(
            "sVar* differs from (1 + α) sVar by less than α/4",
            "N 5",
            judged(lambda m: rules.variance_as_expected(m, METHODS, alphas)),
            "Over ICD-9-CM, 15 cases miss it: sVar* should grow by α sVar, and at α = 1 grows by a fifth of "
            "that at most. It has five levels, half of all concepts lie 0.78 or more from the mean, and a sign "
            "says closer or farther, not by how much. That it is found over MONDO means little: where sVar is "
            "less than 0.25, data without any noise are within α/4. So it is over MONDO (0.15 and 0.17), and so "
            "it was in N (0.07 to 0.24); over ICD-9-CM sVar is 0.28 and 0.27. N's own tables miss it all the same, "
            "where sVar(B*) is less than sVar(B): at α = 0.1 with each method (0.03, 0.04 and 0.03 beside 0.025) and "
            "at 0.3 with `mean` (0.08 beside 0.075). Its Table 8 misses it once more (A at α = 0.1: 0.04).",
            key="variance-as-expected",
        ),
        Conclusion(
            "sdCov* follows a pattern similar to that of sVar*: it differs from (1 + α) sdCov by less than α/4",
            "N 5",
            judged(lambda m: covariance_as_expected(m, alphas)),
            "At α = 0.1 sdCov* is off by 0.08 here and by 0.13 or 0.14 in N's own tables, where the bound is 0.025. "
            "Noise makes sdCov smaller: at α = 1 it is 0.04 to 0.11 here, of 0.20 and 0.17, and 0.08 or 0.09 in N, of "
            "0.26. sVar* grows from α = 0.3 to 1, here as in N.",
        ),
        Conclusion(
            "the same, read otherwise: both depart from what is expected the more, the greater α",
            "N 5",
            judged(lambda m: covariance_departs_alike(m, alphas)),
            "That much the two have in common, here as in N. An expectation that grows with α leaves little else.",
        ),
        Conclusion(
            "the correlation is largely kept for typical levels: of sdCor at most a quarter is lost, for α ≤ 0.5 (the "
            "limits are ours)",
            "N 6",
            judged(lambda m: correlation_largely_kept(m, small)),
            "It holds for `pair` here and in N. Over ICD-9-CM uncorrelated noise of level 0.5 leaves 0.58 of 0.90; "
            "over MONDO it leaves 0.59 and 0.48 of 0.86 at 0.3 and 0.5, and `mean` 0.62 and 0.56. N's own tables have "
            "0.65 and 0.57 of 0.94, and 0.69 with `mean` at 0.5.",
        ),
        Conclusion(
            "correlated noise keeps sdCor better than uncorrelated noise",
            "N 5, Tables 2–4",
            judged(lambda m: rules.keeps_sdcor(m, (MEAN, PAIR), UNCORRELATED, alphas)),
            "At α = 1 uncorrelated noise leaves 0.40 over ICD-9-CM and 0.32 over MONDO (N 0.38), correlated "
            "noise 0.66 to 0.80 and 0.48 to 0.59 (N 0.59). Where its errors are the greater ones, it keeps sdCor better"
            " in spite of them: over MONDO on A (RMSE 0.42 with `mean` and 0.41 with `pair` beside 0.39), and with "
            "`mean` on B (0.43 beside 0.41; with `pair` 0.40); in N on A (0.51 and 0.52 beside 0.49), and with `pair` "
            "on B (0.51 beside 0.50; with `mean` 0.49). Over ICD-9-CM its errors are the smaller ones (0.43 to 0.48 "
            "beside 0.49 and 0.50), and part of what it keeps it keeps by that.",
            key="correlated-noise-keeps-dependence",
        ),
        Conclusion(
            "and the more so, the greater α",
            "N 5, Tables 2–4",
            judged(lambda m: rules.gain_grows(m, (MEAN, PAIR), alphas)),
            "At α = 0.1 the gain is 0.04 at most, at α = 1 it is 0.17 to 0.40 (N 0.04 to 0.06, and 0.21).",
        ),
        Conclusion(
            "`pair` keeps sdCor better than `mean`",
            "N 5, Tables 3–4",
            judged(lambda m: rules.keeps_sdcor(m, (PAIR,), MEAN, alphas)),
            "At α = 1 `pair` leaves 0.80 over ICD-9-CM and 0.59 over MONDO, `mean` 0.66 and 0.48. In N's own tables "
            "both leave 0.59 there; at lower levels `pair` leaves more by 0.02 or 0.03.",
            key="pair-beats-mean",
        ),
        Conclusion(
            "`mean` gives a slightly better mean than `pair`: it moves the mean no farther",
            "N 5, Tables 3–4",
            judged(lambda m: rules.no_farther(m, MEAN, (PAIR,), alphas)),
            "With `mean` it moves, of the cases, "
            + counted(lambda m: rules.shifts(m, MEAN, (PAIR,), alphas))
            + ". Over ICD-9-CM A stays with `mean` at α = 0.1; at 1, nine seeds of ten take it to the same block "
            "with either, and one takes it farther with `mean`. In N's own tables B stays with `mean` at α = 0.1, and "
            "at 0.5 moves farther with it than with `pair` (0.45 beside 0.18).",
            key="mean-moves-mean-least",
        ),
        Conclusion(
            "distortions by chance have more RMSE than noise of level 1",
            "N Figs. 6–7",
            judged(lambda m: rules.chance_makes_more_errors(m, METHODS, most), ours),
            "Neither distortion knows distances: 0.63 to 0.72 beside 0.43 to 0.50 over ICD-9-CM, 0.53 to 0.57 "
            "beside 0.39 to 0.43 over MONDO.",
        ),
        Conclusion(
            "and break sdCor, more than noise of any level",
            "N Fig. 8",
            judged(lambda m: rules.chance_breaks_sdcor(m, METHODS, alphas), ours),
            "Probabilistic distortion draws the columns independently of each other. The 0.07 that it leaves are the "
            "floor in 1,350 records: a distance correlation is never 0 in a sample. Naïve distortion leaves 0.09.",
            key="chance-breaks-dependence",
        ),
        Conclusion(
            "yet distortions by chance keep the mean better in some cases, beside noise of level 1: in one at least",
            "N Table 5",
            judged(lambda m: rules.chance_keeps_a_mean(m, METHODS, most)),
            "In N, probabilistic distortion is better in all six cases, naïve distortion in two (B: 0.27 beside "
            "0.45). Over ICD-9-CM probabilistic distortion leaves both means in all six, while noise takes them from a "
            "disease to its block, one step up; naïve distortion moves them farther than any noise. Over MONDO noise "
            "of level 1 moves no mean with any seed, so that chance cannot do better.",
            key="chance-may-keep-mean",
        ),
        Conclusion(
            "probabilistic distortion keeps the features of the data better than naïve distortion: mean and sVar of "
            "both columns (of N the means, Table 5)",
            "N 5",
            {dataset: probabilistic_keeps_more(m, one.get(dataset)) for dataset, m in everywhere.items()},
            "The one case is the mean of B over MONDO: probabilistic distortion moves it with some seeds (by 0.13 on "
            "average), naïve distortion with none.",
        ),
        Conclusion(
            "`root` keeps sdCor better than `mean`",
            "N Tables 7–8",
            judged(lambda m: rules.keeps_sdcor(m, (ROOT,), MEAN, alphas), everywhere_of_two),
            "By 0.02 at α = 0.3 and 0.06 at α = 1 (N 0.04 and 0.05).",
            key="root-beats-mean",
        ),
        Conclusion(
            "`mean` keeps the mean better than `root`: it moves the mean no farther",
            "N Tables 7–8",
            judged(lambda m: rules.no_farther(m, MEAN, (ROOT,), alphas), everywhere_of_two),
            "With `mean` it moves, of the cases, "
            + counted(lambda m: rules.shifts(m, MEAN, (ROOT,), alphas), everywhere_of_two)
            + ". Here it moves with `root` at α = 1 with some seeds, and never with `mean`. In N's own tables A "
            "moves with `mean` once, and farther than with `root` (α = 0.1: 0.33 beside 0.23).",
        ),
    ]
