"""Correlated noise on strongly and weakly dependent columns (Rodriguez-Garcia 2016, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from math import nan

import polars as pl

import ontomask as om
from experiments.framework.at_equal import less_at_equal
from experiments.framework.claims import OTHER, VALUE, Rule, by_case, compared, computed, grows, less
from experiments.framework.measurements import PRINTED, Row, Rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, every, in_one_chapter, one_taxonomy, public_tables
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


keeps = partial(less, "sdcor_change", PAIR, UNCORRELATED, levels=ALPHAS)
keeps_at_equal = partial(less_at_equal, STRENGTH, "sdcor_change", PAIR, UNCORRELATED, levels=ALPHAS)
RULES = {
    "strong-dependence-gains": keeps(columns=STRONG),
    "strong-dependence-gains-at-equal-error": keeps_at_equal(columns=STRONG),
    "strong-dependence-gain-grows": grows(keeps(columns=STRONG)),
    "weak-dependence-gains-at-equal-error": keeps_at_equal(columns=WEAK),
    "weak-dependence-gains-less": smaller_gain("sdcor", 1 / 2),
    "weak-dependence-gains-less-above-floor": smaller_gain(ABOVE, 1 / 2),
    "weak-dependence-gains-less-in-proportion": smaller_gain(ABOVE, in_proportion=True),
    "error-near-target": computed(1 / 3 + 0.005 - (pl.col("rmse") / pl.col("target_rmse") - 1).abs()),
    "means-alike": compared("mean_shift", PAIR, UNCORRELATED, OTHER - VALUE + 0.1),
    "dispersions-as-controlled": compared(
        ("variance_off", "sdcov_off"), PAIR, UNCORRELATED, OTHER - VALUE + 0.01 + 1e-6
    ),
    "variances-near-expected": computed(0.1 - pl.col("variance_off"), methods=METHODS),
}


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


def facts(rows: Rows) -> dict[str, list[float]]:
    """The figures of the answer: of a weak dependence, what each noise keeps at the largest α, and one sdCor."""
    tables = ("ICD-9-CM", "MONDO", DIABETES)
    shown = {"pair": PAIR, "uncorrelated": UNCORRELATED}
    found = {name: [kept(rows, method, table, WEAK).y[-1] for table in tables] for name, method in shown.items()}
    sdcor = [rows.mean("sdcor", method, ALPHAS[-1], tables[0], WEAK) for method in (NONE, PAIR)]
    return {**found, "sdcor": sdcor}


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


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"between": BETWEEN})
