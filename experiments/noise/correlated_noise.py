"""Correlated noise on strongly and weakly dependent columns (Rodriguez-Garcia 2016, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from math import nan

import polars as pl

import ontomask as om
from experiments.framework.at_equal import less_at_equal
from experiments.framework.claims import OTHER, VALUE, Claim, Rule, by_case, compared, computed, grows, less
from experiments.framework.measurements import PRINTED, Row, Rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, RULE, every, in_one_chapter, one_taxonomy, public_tables
from experiments.noise import noise_tables as noise
from experiments.noise.noise_tables import ABOVE, NONE, STRENGTH
from ontomask.figures import Figure, Line, LineChart, small_multiples

ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5)
# More levels of uncorrelated noise, only to interpolate at equal strength.
BETWEEN = (0.02, 0.05, 0.7)
UNCORRELATED, PAIR = METHODS = (noise.UNCORRELATED, noise.PAIR)
# The columns of the strongly and of the weakly dependent sample.
STRONG, WEAK = "AB", "CD"
MEASURES = ("sdcor", "sdcor_change", ABOVE, STRENGTH, "rmse", "target_rmse", "mean_shift", "variance_off", "sdcov_off")


def samples(setting: Setting) -> Iterator[tuple[str, str, om.Microdata]]:
    """Each table with its strongly and its weakly dependent columns."""
    for name, data in noise.strong_samples(setting).items():
        yield name, STRONG, data
    for name, source in one_taxonomy(setting).items():
        yield name, WEAK, source.sample(setting.size(1049), 0.24)
    whole = public_tables(setting).get(DIABETES)
    if whole is not None:
        thinner = 20 if setting.quick else 1
        yield DIABETES, STRONG, every(whole, 5 * thinner, in_one_chapter(whole))
        yield DIABETES, WEAK, every(whole, noise.EVERY[DIABETES] * thinner)


def run(setting: Setting) -> Iterator[Row]:
    """The printed figures, samples like those of the paper, and diabetes130."""
    yield from noise.printed_noise(2016)
    seeds = setting.seeds(5)
    for name, columns, data in samples(setting):
        measured: list[Row] = list(noise.original(name, data))
        measured += noise.measure_noise(name, data, setting.levels(ALPHAS), seeds, MEASURES, METHODS)
        measured += noise.measure_noise(name, data, BETWEEN, seeds, (STRENGTH, "sdcor_change"), (UNCORRELATED,))
        yield from lettered(measured, columns)


def lettered(measured: Iterable[Row], columns: str) -> Iterator[Row]:
    """Measurements of columns A and B under other letters."""
    letters = str.maketrans("AB", columns)
    return ({**row, "columns": row["columns"].translate(letters)} for row in measured)


def smaller_gain(measure: str, share: float = 1.0, *, in_proportion: bool = False) -> Rule:
    """The gain of correlated noise is smaller for the weakly dependent columns: less than a share of the other gain.

    The gain is what correlated noise changes the measure less than uncorrelated noise, also in proportion to its value
    without noise.
    """

    def rule(rows: Rows) -> pl.DataFrame:
        before = rows.where(measures=measure, methods=NONE).frame.select("table", "columns", before="value")
        both = rows.where(measures=measure, methods=METHODS).wide("method").join(before, on=["table", "columns"])
        uncorrelated, pair = ((pl.col(method) - pl.col("before")).abs() for method in METHODS)
        both = both.with_columns(gain=(uncorrelated - pair) / (pl.col("before") if in_proportion else 1.0))
        gains = both.pivot("columns", index=["table", "level", "seed"], values="gain")
        return by_case(gains, share * pl.col(STRONG) - pl.col(WEAK)).filter(pl.col("margin").is_finite())

    return rule


OURS = "ours"
DISPERSION = ("variance_off", "sdcov_off")
CLAIMS = (
    Claim("strong-dependence-gains",
          "Where the dependence is strong, correlated noise (`pair`) keeps sdCor better than uncorrelated noise, at "
          "equal α",
          "Rodriguez-Garcia 2016, Fig. 1", less("sdcor_change", PAIR, UNCORRELATED, levels=ALPHAS, columns=STRONG)),
    Claim("strong-dependence-gains-at-equal-error", "… and better than uncorrelated noise of the same RMSE",
          OURS, less_at_equal(STRENGTH, "sdcor_change", PAIR, UNCORRELATED, levels=ALPHAS, columns=STRONG),
          "In one chapter of diabetes130, sdCor rises with little noise of either kind, and more with correlated "
          "noise, which counts as a change."),
    Claim("strong-dependence-gain-grows", "Its advantage at the same α grows with α",
          "Rodriguez-Garcia 2016, Fig. 1",
          grows(less("sdcor_change", PAIR, UNCORRELATED, levels=ALPHAS, columns=STRONG))),
    Claim("weak-dependence-gains-at-equal-error",
          "Where the dependence is weak, it also keeps sdCor better than uncorrelated noise of the same RMSE",
          OURS, less_at_equal(STRENGTH, "sdcor_change", PAIR, UNCORRELATED, levels=ALPHAS, columns=WEAK),
          "Over ICD-9-CM, 1,049 records are few for the many values that noise adds. They raise the floor of sdCor, "
          "so that sdCor ends above the original with correlated noise, although the part above the floor is the "
          "same."),
    Claim("weak-dependence-gains-less", "There, the advantage at the same α is much smaller: at most half (our limit)",
          "Rodriguez-Garcia 2016, Fig. 2", smaller_gain("sdcor", 1 / 2),
          "In one chapter of diabetes130, even uncorrelated noise keeps most of a strong dependence.",
          glance="For weakly dependent columns, correlated noise gains at most half as much"),
    Claim("weak-dependence-gains-less-above-floor",
          "The advantage is also at most half as large in the part of sdCor above the floor",
          OURS, smaller_gain(ABOVE, 1 / 2), "The floor hides a part of what uncorrelated noise takes from a weak one."),
    Claim("weak-dependence-gains-less-in-proportion",
          "… and it is smaller in proportion to the dependence that there is",
          OURS, smaller_gain(ABOVE, in_proportion=True),
          "Over MONDO and on diabetes130, uncorrelated noise takes a larger share of a weak dependence than of a "
          "strong one."),
    Claim("error-near-target",
          "Actual and target RMSE are similar: they differ by at most a third of the target, as in Table 1",
          "Rodriguez-Garcia 2016, Table 1",
          computed(1 / 3 + 0.005 - (pl.col("rmse") / pl.col("target_rmse") - 1).abs())),
    Claim("means-alike",
          "Correlated noise keeps the mean to a similar or better degree: its shift is at most 0.1 larger (our limit)",
          "Rodriguez-Garcia 2016, Table 1", compared("mean_shift", PAIR, UNCORRELATED, OTHER - VALUE + 0.1)),
    Claim("dispersions-as-controlled",
          "Correlated noise brings variances and sdCov as near to (1 + α) times the original as uncorrelated noise: "
          "at most 0.01 farther away",
          "Rodriguez-Garcia 2016, Table 1", compared(DISPERSION, PAIR, UNCORRELATED, OTHER - VALUE + 0.01 + 1e-6)),
    Claim("variances-near-expected",
          "Variances are close to (1 + α) times the original: within 0.1 (our limit)",
          "Rodriguez-Garcia 2016, Table 1", computed(0.1 - pl.col("variance_off"), methods=METHODS),
          "Variances grow little with noise, or shrink ([Noise "
          "levels](noise_levels.md)). For sdCov the paper says the same, but its Table 1 has differences of 0.17 to "
          "0.26."),
)  # fmt: skip


def figure(rows: Rows) -> Figure:
    """Rodriguez-Garcia 2016, Figs. 1–2: one row for each, in percent of the original."""
    charts = []
    for (columns, what), table in product(((STRONG, "strong"), (WEAK, "weak")), rows.tables):
        if table != PRINTED:
            lines = [kept(rows, method, table, columns, style) for style, method in enumerate(METHODS)]
            title = f"{table}, {what}: {rows.mean('sdcor', NONE, None, table, columns):.2f}"
            charts.append(LineChart(lines, title=title, x_title="α", y_title="kept (%)", width=230, height=150))
    return small_multiples(charts, columns=len(charts) // 2, title="Dependence kept", same_scale=True)


def kept(rows: Rows, method: str, table: str, columns: str, style: int | None = None) -> Line:
    """The dependence above that of independent columns, in percent of the original's."""
    line = rows.line(method, ABOVE, method, table, columns, style=style, levels=rows.levels(table, PAIR))
    before = rows.mean(ABOVE, NONE, None, table, columns) / 100 or nan
    y, low, high = ([value / before for value in part or line.y] for part in (line.y, line.low, line.high))
    return replace(line, y=y, low=low, high=high)


def answer(rows: Rows) -> str:
    """The answer with its figures."""

    def weak(method: str) -> list[str]:
        return [f"{kept(rows, method, table, WEAK).y[-1]:.0f}" for table in ("ICD-9-CM", "MONDO", DIABETES)]

    (icd, mondo, whole), without = weak(PAIR), weak(UNCORRELATED)
    return (
        "Yes, often. Of a weak dependence, correlated noise (`pair`: errors follow the value in the other column) "
        f"keeps {icd} % over ICD-9-CM, {mondo} % over MONDO and {whole} % on diabetes130 at α = 0.5. Uncorrelated "
        f"noise keeps {without[0]}, {without[1]} and {without[2]} %. At equal RMSE the gain remains over MONDO and on "
        "diabetes130, but not over ICD-9-CM. Rodriguez-Garcia 2016 saw small differences, because it shows sdCor "
        "itself, which is never 0 in a sample. The figure shows the part above this floor. In proportion to the "
        "dependence that there is, the advantage is clearly larger for weakly than for strongly dependent columns over "
        "MONDO and on diabetes130, and about equal over ICD-9-CM."
    )


def tables(rows: Rows) -> dict[str, str]:
    """sdCor and RMSE by level."""
    judged = rows.where(levels=ALPHAS)
    shown = {
        "sdCor, strongly dependent": ("sdcor", STRONG),
        "sdCor, weakly dependent": ("sdcor", WEAK),
        "The part of sdCor above that of independent columns, strongly dependent": (ABOVE, STRONG),
        "The same, weakly dependent": (ABOVE, WEAK),
        "RMSE of A and B together": (STRENGTH, STRONG),
    }
    return {title: by_level(judged, name, symbol="α", columns=of) for title, (name, of) in shown.items()}


EXPERIMENT = Experiment(
    title="Correlated noise",
    question="Does correlated noise pay where columns depend weakly on each other?",
    measure=run,
    figure=figure,
    caption=(
        "The part of sdCor above that of independent columns, in percent of the original's, by α; mean, smallest and "
        "largest seed. Above strongly, below weakly dependent columns; their sdCor without noise is in the titles. "
        "Rodriguez-Garcia 2016, Figs. 1–2, shows sdCor."
    ),
    answer=answer,
    setup=(
        "Errors are Normal, and distances are Wu–Palmer inside the domain. `pair` is the method of Rodriguez-Garcia "
        "2016: correlated errors that move a value towards or away from the record's other value. A and B are "
        "strongly, C and D weakly dependent columns. *as printed*: Table 1, which has the strongly dependent ones "
        "only. *ICD-9-CM* and *MONDO*: 1,350 and 1,049 records of diabetes130's first two diagnoses, as many as the "
        f"paper's and as near to its sdCor of 0.94 and 0.24 as this rule allows. {RULE} *diabetes130*: C and D are the "
        "two diagnoses of every 25th record, A and B those of every 5th record whose diagnoses lie in one chapter. "
        "Seeds: 5. The *floor* of sdCor is that of the same columns with the second shuffled; the part above it is "
        "√(sdCor² − floor²). At equal RMSE: see [A framework for noise](noise_framework.md); here α = "
        f"{', '.join(map(str, BETWEEN))} were measured for it."
    ),
    claims=CLAIMS,
    tables=tables,
    needs=("diabetes130", "mondo"),
)
