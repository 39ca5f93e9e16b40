"""Which distribution should noise have, and under which measure? N leaves other distributions for later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from statistics import fmean

import numpy as np
from beyond_answer import Answer, row
from findings import Setting, Spread, markdown
from public_tables import draw, public_tables, under

import ontomask as om
from ontomask.figures import Line, LineChart, small_multiples

__all__ = ["distance_and_noise"]

RECORDS = 1000
MEASURES = ("wu_palmer", "path", "log_sc", "lin", "jiang_conrath")
ALPHAS = (0.1, 0.5, 1.0)
DISTRIBUTIONS = ("normal", "laplace")
NOISES = {"uncorrelated": om.UncorrelatedNoise, "correlated": om.CorrelatedNoise}
OUTCOMES = {
    "rmse": "RMSE",
    "of_target": "RMSE / target",
    "mean_shift": "shift of the mean",
    "sdcor_change": "change of sdCor",
    "srl": "SRL (%)",
}


# Table, measure, noise, α, distribution and outcome.
Case = tuple[str, str, str, float, str, str]
Spreads = Mapping[Case, Spread]


def distance_and_noise(setting: Setting) -> Answer:
    """Both distributions under every measure; masked and evaluated by the same."""
    measures = MEASURES[:2] if setting.quick else MEASURES
    alphas = setting.some(ALPHAS)
    tables = public_tables(setting)
    found: defaultdict[Case, list[float]] = defaultdict(list)
    for (place, table), seed in product(tables.items(), setting.seeds(5)):
        data = draw(table, setting.size(RECORDS), seed)
        for measure in measures:
            seen = under(data, measure)
            for (noise, kind), alpha, distribution in product(NOISES.items(), alphas, DISTRIBUTIONS):
                result = kind(alpha, distribution=distribution).mask(seen, seed=seed)
                for outcome, value in _outcomes(om.evaluate(seen, result)).items():
                    found[place, measure, noise, alpha, distribution, outcome].append(value)
    spreads = {case: Spread.of(values) for case, values in found.items()}
    text = [
        "N leaves other distributions than the Normal for later. Here errors of the same variance are drawn from "
        f"both, for {RECORDS:,} records at random from each table and the seeds 0 to 4, under five measures; the "
        "measure that masks evaluates, too. Figures are means over the two columns. Normal / Laplace, uncorrelated "
        "noise; correlated noise is in the results, and behaves alike.",
        *(_noise_table(place, spreads, measures, alphas) for place in tables),
        "What Laplacian noise leaves to be linked at α = 1, beside Normal noise with the same RMSE, which has a "
        "smaller α (interpolated): Laplace / Normal, SRL in percent; and in how many cases, above the least α, it "
        "is more.",
        _at_equal_strength(spreads, tables, measures, alphas),
    ]
    shown = ("of_target", "sdcor_change", "srl")
    middle = alphas[len(alphas) // 2]
    charts = [
        LineChart(
            [
                Line(
                    distribution,
                    list(measures),
                    [case.mean for case in cases],
                    low=[case.low for case in cases],
                    high=[case.high for case in cases],
                    style=style,
                )
                for style, distribution in enumerate(DISTRIBUTIONS)
                for cases in [[spreads[place, m, "uncorrelated", middle, distribution, outcome] for m in measures]]
            ],
            title=f"{OUTCOMES[outcome]}, {place}",
            spread="bars",
            width=220,
            height=160,
        )
        for place in tables
        for outcome in shown
    ]
    return Answer(
        "noise",
        "Measure and distribution of the noise",
        text,
        LEARNED,
        small_multiples(charts, columns=3, title=f"Normal and Laplacian noise, α = {middle:g}"),
        "Uncorrelated noise of both distributions under five measures, mean ± standard deviation over seeds.",
        [
            row(
                "measure and noise",
                place,
                f"{noise} noise",
                outcome,
                values,
                masker=measure,
                evaluated_by=measure,
                alpha=alpha,
                distribution=distribution,
            )
            for (place, measure, noise, alpha, distribution, outcome), values in found.items()
        ],
    )


def _outcomes(score: om.Evaluation) -> dict[str, float]:
    columns = score.utility.attributes.values()
    (sdcor,) = score.sdcor.values()
    return {
        "rmse": fmean(column.rmse for column in columns),
        "of_target": fmean(column.rmse / column.target_rmse for column in columns if column.target_rmse),
        "mean_shift": fmean(column.mean_shift for column in columns),
        "sdcor_change": sdcor.difference,
        "srl": score.srl,
    }


def _noise_table(place: str, spreads: Spreads, measures: Sequence[str], alphas: Sequence[float]) -> str:
    def cell(measure: str, alpha: float, outcome: str) -> str:
        both = (spreads[place, measure, "uncorrelated", alpha, distribution, outcome] for distribution in DISTRIBUTIONS)
        return " / ".join(f"{spread.mean:.3f}" for spread in both)

    return markdown(
        [place, "α", *OUTCOMES.values()],
        [
            [measure if number == 0 else "", f"{alpha:g}", *(cell(measure, alpha, outcome) for outcome in OUTCOMES)]
            for measure in measures
            for number, alpha in enumerate(alphas)
        ],
    )


def _at_equal_strength(
    spreads: Spreads, places: Iterable[str], measures: Sequence[str], alphas: Sequence[float]
) -> str:
    """What Laplacian noise leaves to be linked, beside Normal noise of another α that has the same RMSE."""

    def curve(place: str, measure: str, noise: str, distribution: str, outcome: str) -> list[float]:
        return [spreads[place, measure, noise, alpha, distribution, outcome].mean for alpha in alphas]

    lines = []
    for place, noise in product(places, NOISES):
        told, more = [], []
        for measure in measures:
            strength, linked = (curve(place, measure, noise, "normal", outcome) for outcome in ("rmse", "srl"))
            ours = curve(place, measure, noise, "laplace", "srl")
            theirs = np.interp(curve(place, measure, noise, "laplace", "rmse"), strength, linked)
            told.append(f"{ours[-1]:.1f} / {theirs[-1]:.1f}")
            # At the least α Laplacian noise is weaker than any Normal one that was tried.
            more += [a > b for a, b in zip(ours[1:], theirs[1:], strict=True)]
        lines.append([place, noise, *told, f"{sum(more)} of {len(more)}"])
    return markdown(["", "noise", *measures, "more with Laplace"], lines, left=2)


LEARNED = (
    "Laplacian noise has nothing to offer here. Of the same α it is weaker: RMSE is up to 10 % less, since its large "
    "errors end where the taxonomy ends, and its many small ones lead to the nearest concept as any other small error "
    "does. So it is linked more, on diabetes130 by 1 to 9 points of SRL. Of the same RMSE it is still linked more "
    "there, by up to six points; the dependence of the columns changes as much with either. The measure matters far "
    "more than the distribution. Under Lin's, α = 0.5 leaves 10 % linked on diabetes130, under the others 23 to 31 %, "
    "and changes sdCor by 0.10 instead of 0.01 to 0.04: under it the nearest other concept is far away. And "
    "everywhere small noise is larger than it should be: at α = 0.1 RMSE is 1.4 to 3.1 times its target, at α = 1 0.8 "
    "to 1.3 times."
)
