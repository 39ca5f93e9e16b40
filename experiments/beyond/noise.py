"""Which distribution should noise have, and under which measure? Rodriguez-Garcia 2017 leaves this open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isnan
from statistics import fmean
from typing import Any, NamedTuple

import ontomask as om
from experiments.beyond.answer import Answer, difference, row
from experiments.shared.findings import Setting, Spread, interpolate, markdown
from experiments.shared.samples import draw, public_tables, under
from ontomask.figures import Line, LineChart, small_multiples

__all__ = ["distance_and_noise"]

RECORDS = 1000
MEASURES = ("wu_palmer", "path", "log_sc", "lin", "jiang_conrath")
# Normal noise is the reference at equal strength. It has more levels, and those of the yardstick
# reach further at both ends.
ALPHAS, BETWEEN, BEYOND = (0.1, 0.5, 1.0), (0.05, 0.3), (0.02, 3.0)
YARDSTICK = MEASURES[0]
DISTRIBUTIONS = ("normal", "laplace")
NOISES = {"uncorrelated": om.UncorrelatedNoise, "correlated": om.CorrelatedNoise}
OUTCOMES = {
    "rmse": "RMSE",
    "of_target": "RMSE / target",
    "mean_shift": "shift of the mean",
    "sdcor_change": "change of sdCor",
    "srl": "SRL (%)",
}
DIGITS = {"srl": 2, "sdcor_change": 3}


class Noise(NamedTuple):
    """A kind of noise, its table, and the measure that evaluates it."""

    dataset: str
    measure: str
    kind: str
    distribution: str
    alpha: float
    judge: str


# One value per seed.
Found = Mapping[tuple[Noise, str], Sequence[float]]
Differences = Mapping[tuple[Noise, str], Spread]


def distance_and_noise(setting: Setting) -> Answer:
    """Compare both distributions under every measure, at equal α and at equal strength."""
    measures, alphas = MEASURES[:2] if setting.quick else MEASURES, setting.parameters(ALPHAS)
    tables, size = public_tables(setting), setting.size(RECORDS)
    found: defaultdict[tuple[Noise, str], list[float]] = defaultdict(list)
    for (dataset, table), seed in product(tables.items(), setting.seeds(5)):
        data = draw(table, size, seed)
        for measure in measures:
            seen = under(data, measure)
            for kind, distribution, alpha in _levels(setting, measure):
                result = NOISES[kind](alpha, distribution=distribution).mask(seen, seed=seed)
                # Correlated noise is evaluated only by the measure that masks.
                for judge in dict.fromkeys((measure, YARDSTICK) if kind == "uncorrelated" else (measure,)):
                    noise = Noise(dataset, measure, kind, distribution, alpha, judge)
                    for outcome, value in _outcomes(
                        om.evaluate(seen, result, distance=judge, attacks=False), noise
                    ).items():
                        found[noise, outcome].append(value)
    laplace = _beside_normal(found)
    yardstick = _beside_yardstick(found, alphas)
    text = [
        "Rodriguez-Garcia 2017 leaves distributions other than the Normal to future work. Here errors of the same "
        f"variance are drawn from both, for {size:,} random records of each table and the {setting.seeds_text(5)}, "
        f"under {len(measures)} measures. The masking measure also evaluates. Figures are means over the two "
        "columns: Normal / Laplace.",
        *(_noise_table(dataset, kind, found, measures, alphas) for dataset, kind in product(tables, NOISES)),
        "The same α is not the same strength. The table shows the SRL of Laplacian noise minus that of Normal noise "
        "with the same RMSE, which has another α (interpolated "
        f"between {', '.join(f'{alpha:g}' for alpha in sorted({*alphas, *setting.parameters(BETWEEN)}))}, sample by "
        "sample). The unit is percentage points, mean ± standard deviation over the samples. The last column counts "
        "the cases with a mean above 0, and those more than a standard deviation above or below 0.",
        _differences_table(laplace, "srl", measures),
        "The same for the change of sdCor:",
        _differences_table(laplace, "sdcor_change", measures),
        "RMSEs of different measures are not comparable either. So all uncorrelated noise is also evaluated and "
        f"linked with one common measure ({YARDSTICK}): its SRL minus that of Normal noise under this measure with "
        "the same L; Normal / Laplace. A dash means that there is no such L in some samples.",
        _yardstick_table(yardstick, "srl", measures),
        "The same for the change of sdCor:",
        _yardstick_table(yardstick, "sdcor_change", measures),
    ]
    charts = [
        _chart(dataset, distribution, found, measures) for dataset, distribution in product(tables, DISTRIBUTIONS)
    ]
    return Answer(
        "noise",
        "Does the measure or the distribution of the noise matter?",
        text,
        SHORT,
        LEARNED,
        small_multiples(charts, columns=2, title="Linkage by loss for different noise"),
        f"Uncorrelated noise of both distributions under {len(measures)} measures, all evaluated with {YARDSTICK}: "
        "means over the samples, one line per measure, one point per α.",
        [
            *_rows(found),
            *_rows(laplace, " less that of Normal noise, same RMSE"),
            *_rows(yardstick, " less that of the yardstick's, same L"),
        ],
    )


def _levels(setting: Setting, measure: str) -> Iterator[tuple[str, str, float]]:
    """The kinds of noise to add under a measure."""
    alphas, more = setting.parameters(ALPHAS), setting.parameters(BETWEEN)
    for kind in NOISES:
        beyond = BEYOND if measure == YARDSTICK and kind == "uncorrelated" else ()
        yield from product([kind], ["normal"], sorted({*alphas, *more, *beyond}))
        yield from product([kind], ["laplace"], alphas)


def _outcomes(score: om.Evaluation, noise: Noise) -> dict[str, float]:
    columns = score.utility.attributes.values()
    (sdcor,) = score.sdcor.values()
    shared = {"sdcor_change": sdcor.difference, "srl": score.srl, "loss_percent": score.loss_percent}
    if noise.judge != noise.measure:
        return shared
    return shared | {
        "rmse": fmean(column.rmse for column in columns),
        "of_target": fmean(column.rmse / column.target_rmse for column in columns if column.target_rmse),
        "mean_shift": fmean(column.mean_shift for column in columns),
    }


def _beside(found: Found, noise: Noise, others: Sequence[Noise], strength: str, outcome: str) -> Spread:
    """The difference between an outcome of noise and of other noise of equal strength, sample by sample."""
    return Spread.of(
        [
            value
            - interpolate([(found[o, strength][i], found[o, outcome][i]) for o in others], found[noise, strength][i])
            for i, value in enumerate(found[noise, outcome])
        ]
    )


def _beside_normal(found: Found) -> Differences:
    """Laplacian noise compared with Normal noise of the same RMSE under the same measure."""
    own = [noise for noise, outcome in found if outcome == "rmse"]
    differences = {}
    for noise, outcome in product([noise for noise in own if noise.distribution == "laplace"], DIGITS):
        normal = [o for o in own if o == noise._replace(distribution="normal", alpha=o.alpha)]
        differences[noise, outcome] = _beside(found, noise, normal, "rmse", outcome)
    return differences


def _beside_yardstick(found: Found, alphas: Sequence[float]) -> Differences:
    """All noise compared with Normal noise of the same L under the yardstick."""
    judged = [
        noise
        for noise, outcome in found
        if outcome == "loss_percent" and (noise.judge, noise.kind) == (YARDSTICK, "uncorrelated")
    ]
    differences = {}
    for noise, outcome in product([noise for noise in judged if noise.alpha in alphas], DIGITS):
        normal = [o for o in judged if o[:4] == (noise.dataset, YARDSTICK, noise.kind, "normal")]
        differences[noise, outcome] = _beside(found, noise, normal, "loss_percent", outcome)
    return differences


def _noise_table(dataset: str, kind: str, found: Found, measures: Sequence[str], alphas: Sequence[float]) -> str:
    def cell(measure: str, alpha: float, outcome: str) -> str:
        both = (Noise(dataset, measure, kind, distribution, alpha, measure) for distribution in DISTRIBUTIONS)
        return " / ".join(f"{fmean(found[noise, outcome]):.3f}" for noise in both)

    return markdown(
        [f"{dataset}, {kind}", "α", *OUTCOMES.values()],
        [
            [measure if number == 0 else "", f"{alpha:g}", *(cell(measure, alpha, outcome) for outcome in OUTCOMES)]
            for measure in measures
            for number, alpha in enumerate(alphas)
        ],
    )


def _differences_table(differences: Differences, outcome: str, measures: Sequence[str]) -> str:
    lines = []
    for dataset, kind in dict.fromkeys((noise.dataset, noise.kind) for noise, _ in differences):
        here = {n: d for (n, o), d in differences.items() if (n.dataset, n.kind, o) == (dataset, kind, outcome)}
        for alpha in dict.fromkeys(noise.alpha for noise in here):
            at = {noise.measure: spread for noise, spread in here.items() if noise.alpha == alpha}
            lines.append([dataset, kind, f"{alpha:g}", *(difference(at[m], DIGITS[outcome]) for m in measures), ""])
        known = [spread for spread in here.values() if not isnan(spread.mean)]
        counts = (sum(s.mean > 0 for s in known), sum(s.low > 0 for s in known), sum(s.high < 0 for s in known))
        lines[-1][-1] = f"{counts[0]} of {len(known)}; {counts[1]} above, {counts[2]} below"
    return markdown(["", "noise", "α", *measures, "more with Laplace"], lines, left=2)


def _yardstick_table(differences: Differences, outcome: str, measures: Sequence[str]) -> str:
    lines = []
    for dataset, alpha in dict.fromkeys((noise.dataset, noise.alpha) for noise, _ in differences):
        cells = []
        for measure in measures:
            both = (Noise(dataset, measure, "uncorrelated", d, alpha, YARDSTICK) for d in DISTRIBUTIONS)
            cells.append(" / ".join(difference(differences[noise, outcome], DIGITS[outcome]) for noise in both))
        lines.append([dataset, f"{alpha:g}", *cells])
    return markdown(["", "α", *measures], lines)


def _chart(dataset: str, distribution: str, found: Found, measures: Sequence[str]) -> LineChart:
    """SRL by L, one line per measure; Laplacian noise is shown with Normal noise under the yardstick."""

    def line(measure: str, kept: str, name: str, style: int) -> Line:
        judged = [
            noise
            for noise, outcome in found
            if outcome == "loss_percent" and noise[:4] == (dataset, measure, "uncorrelated", kept)
        ]
        points = sorted(
            (fmean(found[noise, "loss_percent"]), fmean(found[noise, "srl"]))
            for noise in judged
            if noise.judge == YARDSTICK
        )
        return Line(name, [x for x, _ in points], [y for _, y in points], style=style)

    lines = [line(measure, distribution, measure, style) for style, measure in enumerate(measures)]
    if distribution != "normal":
        lines.append(line(YARDSTICK, "normal", f"{YARDSTICK}, Normal", len(measures)))
    return LineChart(
        lines,
        x_title="loss L (%)",
        y_title="SRL (%)",
        title=f"{distribution.capitalize()}, {dataset}",
        width=330,
        height=220,
    )


def _rows(values: Mapping[tuple[Noise, str], Sequence[float] | Spread], less: str = "") -> Iterator[dict[str, Any]]:
    for (noise, outcome), value in values.items():
        yield row(
            "measure and noise",
            noise.dataset,
            f"{noise.kind} noise",
            outcome + less,
            value,
            masker=noise.measure,
            evaluated_by=noise.judge,
            alpha=noise.alpha,
            distribution=noise.distribution,
        )


SHORT = (
    "At the same RMSE, Laplacian noise is linked more than Normal noise in all 30 cases on diabetes130, and in 20 of "
    "30 on Adult. At equal loss, the measure matters about as much as the distribution."
)

LEARNED = (
    "At the same α, Laplacian noise is weaker: its RMSE is up to 10 % smaller, in 57 of 60 cases. The taxonomy "
    "limits its large errors, and its many small errors lead to the nearest concept, like any other small error. So "
    "it is linked more, on diabetes130 by up to 9 points of SRL (29 of 30 cases), on Adult by up to half a point (25 "
    "of 30). At the same RMSE, it is still linked more on diabetes130: in all 30 cases, in 25 by more than a "
    "standard deviation, and by up to seven points. On Adult it is in 20 of 30, in 8 clearly more and in 3 clearly "
    "less. Its advantages are small. On diabetes130 it changes sdCor less in 26 of 30 cases, but by more than a "
    "standard deviation only in three, all with correlated noise (0.012 at most). On Adult it changes sdCor more as "
    "often as less, and more in 12 of 15 with correlated noise. At equal loss, the measure matters about as much as "
    "the distribution. Under Lin, α = 0.5 leaves 10 % linked on diabetes130, under the others 23 to 31 %. But Lin "
    "loses more. With the common measure, it leaves as many linked as Wu–Palmer noise with the same L (+0.2 ± 1.0 "
    "points), and changes sdCor by 0.02 more. With the common measure, Normal noise under the different measures is "
    "between 2.2 points below (Jiang and Conrath) and 4.2 above (LogSC) on diabetes130. There, Laplacian noise is "
    "0.3 to 3.3 points above Normal noise under the same measure. On Adult both are within 0.6. Only Jiang and "
    "Conrath leaves less linked at every α on both tables (on diabetes130 by 1.0 to 2.2 points, clearly), and "
    "changes sdCor by up to 0.014 more there. Finally, small noise is larger than intended: at α = 0.1 the RMSE is "
    "1.3 to 3.1 times its target, and 1.3 to 4.3 times with correlated noise. At α = 1 it is 0.8 to 1.3 and 1.0 to "
    "1.6 times."
)
