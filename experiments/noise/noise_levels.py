"""What noise of a level does to a column: errors, means and variances (Rodriguez-Garcia 2017, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl

from experiments.framework.claims import VALUE, Claim, by_case, computed, grows, less
from experiments.framework.measurements import PRINTED, Row, Rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES
from experiments.noise import noise_tables as noise
from experiments.noise.noise_tables import ALPHAS, CHANCE, NOISE, NONE
from ontomask.figures import Figure, Line, LineChart, small_multiples

UNCORRELATED, MEAN, PAIR, ROOT = NOISE
NAIVE, PROBABILISTIC = CHANCE
MEASURES = ("rmse", "target_rmse", "mean_shift", "variance_off", "sdcov_off")


def run(setting: Setting) -> Iterator[Row]:
    """The printed figures, samples like those of the paper, and the public tables."""
    yield from noise.published(MEASURES)
    for name, data in noise.tables(setting).items():
        seeds = setting.seeds(10 if name == ADULT else 5)
        yield from noise.original(name, data)
        yield from noise.measure_noise(name, data, setting.levels(ALPHAS), seeds, MEASURES)
        # The number of values hardly varies.
        yield from noise.measure_noise(name, data, ALPHAS[:1], seeds[:1], ("distinct",), (UNCORRELATED,))
        yield from noise.measure_noise(name, data, [None], seeds, ("mean_shift", "variance_change"), CHANCE)


def nearer_than_without(rows: Rows) -> pl.DataFrame:
    """The variance is nearer to (1 + α) times the original's than the original's own."""
    before = rows.where(measures="variance", methods=NONE).frame.select("table", "columns", before="value")
    after = rows.where(measures="variance_off", methods=NOISE).frame.join(before, on=["table", "columns"])
    return by_case(after, pl.col("level") * pl.col("before") - VALUE)


SOURCE, OURS = "Rodriguez-Garcia 2017, section 5", "ours"
CLAIMS = (
    Claim("noise-reaches-target", "Up to α = 0.5, the noise is at least as large as intended: RMSE ≥ target",
          SOURCE, computed(pl.col("rmse") - pl.col("target_rmse") + 1e-8, methods=NOISE, levels=ALPHAS[:3]),
          "A value moves to the nearest concept at least as far away as the error; often it is farther than needed.",
          glance="Noise is at least as large as intended, for α ≤ 0.5"),
    Claim("small-noise-is-larger", "The smaller α, the more the RMSE exceeds its target; at α = 1 it may fall short",
          SOURCE, grows(computed(pl.col("target_rmse") - pl.col("rmse"), methods=NOISE)),
          "A small error leads to the nearest concept, whose distance does not depend on the error. For a large "
          "error there may be no concept far enough."),
    Claim("mean-largely-kept", "The semantic mean is largely kept: it moves by at most 0.25 (our limit)",
          SOURCE, computed(0.25 + 1e-8 - pl.col("mean_shift"), methods=NOISE)),
    Claim("variance-as-expected", "sVar* differs from (1 + α) sVar by less than α/4",
          SOURCE, computed(pl.col("level") / 4 - pl.col("variance_off"), methods=NOISE),
          "Where sVar is below 0.25, as in MONDO and the paper, data without any noise are within α/4 already. Where "
          "it is larger, the next reason counts.",
          glance="Variances are within α/4 of the expected values"),
    Claim("variance-nearer-than-without", "… and is nearer to (1 + α) sVar than sVar itself is",
          OURS, nearer_than_without,
          "Noise should make a column more varied. The sign of an error says closer or farther, not how much, and a "
          "shallow ontology has little room farther away.",
          glance="… and nearer to them than without noise"),
    Claim("covariance-as-expected", "sdCov* behaves like sVar*: it differs from (1 + α) sdCov by less than α/4",
          SOURCE, computed(pl.col("level") / 4 - pl.col("sdcov_off"), methods=NOISE),
          "Noise reduces sdCov, while the expected value grows with α. Where sdCov is small, as on Adult and "
          "diabetes130, the bound is wide."),
    Claim("mean-moves-mean-least", "The reference `mean` moves the mean no farther than `pair` and `root`",
          SOURCE, less("mean_shift", MEAN, (PAIR, ROOT), levels=ALPHAS, or_equal=True),
          glance="The reference `mean` moves the mean no farther than `pair` and `root`"),
    Claim("chance-may-keep-mean", "Probabilistic distortion moves the mean less than noise of α = 1",
          "Rodriguez-Garcia 2017, Table 5", less("mean_shift", PROBABILISTIC, NOISE, levels=ALPHAS[-1:]),
          "Over MONDO the semantic mean is stable: noise does not move it, and random draws sometimes do. For "
          "diabetes130, we do not know why.",
          glance="Probabilistic distortion keeps the mean better than noise of α = 1"),
    Claim("probabilistic-keeps-more", "Probabilistic distortion keeps mean and variance better than naïve distortion",
          SOURCE, less(("mean_shift", "variance_change"), PROBABILISTIC, NAIVE)),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """RMSE in percent of its target, by level."""
    charts = []
    for table in rows.tables:
        lines = [
            Line(method, levels, [excess(rows, method, level, table) for level in levels], style=style)
            for style, method in enumerate(NOISE)
            if (levels := [level for level in rows.levels(table, method) if excess(rows, method, level, table) > 0])
        ]
        charts.append(LineChart(lines, title=table, x_title="α", y_title="% of target", width=230, height=150))
    return small_multiples(charts, columns=3, title="Actual size of noise, in percent of the intended", same_scale=True)


def excess(rows: Rows, method: str, level: float, table: str) -> float:
    """The RMSE in percent of its target, both summed over both columns."""
    actual, target = (sum(rows.mean(of, method, level, table, c) for c in "AB") for of in MEASURES[:2])
    return 100 * actual / target


def answer(rows: Rows) -> str:
    """The answer with its figures."""
    times = partial(excess, rows, UNCORRELATED)
    icd, mondo = "ICD-9-CM", "MONDO"

    def expected(table: str) -> str:
        off = rows.mean("variance_off", UNCORRELATED, 1, table, "A")
        before = rows.mean("variance", NONE, None, table, "A")
        return f"{before:.2f} to {2 * before - off:.2f} instead of {2 * before:.2f}"

    def farthest(method: str) -> float:
        ours = rows.where(pl.col("table") != PRINTED, measures="mean_shift", methods=method).frame
        return float(max(ours.group_by("table", "columns", "level").agg(pl.col("value").mean())["value"]))

    values = [rows.mean("distinct", method, level, ADULT, "A") for method, level in ((NONE, None), (UNCORRELATED, 0.1))]
    return (
        "Up to α = 0.5, it moves values at least as far as intended; small noise moves them much farther: uncorrelated "
        f"noise of α = 0.1 has {times(0.1, icd):.0f} % of the intended RMSE over ICD-9-CM, {times(0.1, mondo):.0f} % "
        f"over MONDO and {times(0.1, ADULT):.0f} % on Adult, since the nearest concept is often farther away than the "
        f"error. At α = 1 it has {times(1, icd):.0f} % over ICD-9-CM and {times(1, DIABETES):.0f} % on diabetes130: no "
        "concept is far enough for the largest errors. The semantic mean moves by at most "
        f"{farthest(MEAN):.2f} with the reference `mean`, and by up to {farthest(ROOT):.2f} with `root`. Variances "
        "grow far less than they should, or shrink: uncorrelated noise of α = 1 brings that of A from "
        f"{expected(icd)} over ICD-9-CM, and from {expected(DIABETES)} on diabetes130. Noise also releases concepts "
        f"that did not occur in the data: on Adult, {values[0]:.0f} occupations become {values[1]:.0f} at α = 0.1."
    )


EXPERIMENT = Experiment(
    title="Noise levels",
    question="What does noise of level α do to a column?",
    measure=run,
    figure=figure,
    caption=(
        "The RMSE in percent of its target (that of the errors drawn), both columns together; means over the seeds. "
        "100 % is as intended."
    ),
    answer=answer,
    setup=(
        "Tables, methods and distances are those of [A framework for noise](noise_framework.md). Seeds: 10 on Adult, "
        "5 on the others. *as printed*: Rodriguez-Garcia 2017, Tables 2–5, 7 and 8; C and D are the columns of Tables "
        "7 and 8."
    ),
    claims=CLAIMS,
    tables=lambda rows: (
        {
            f"{title} of {letter}": by_level(rows, measure, symbol="α", columns=letter)
            for measure, title in (
                ("rmse", "RMSE"),
                ("target_rmse", "Target RMSE"),
                ("mean_shift", "Shift of the mean"),
                ("variance_off", "Distance of sVar* from (1 + α) sVar"),
            )
            for letter in "AB"
        }
        | {"The tables": noise.sample_features(rows)}
    ),
    needs=("diabetes130", "mondo"),
)
