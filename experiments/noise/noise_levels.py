"""What noise of a level does to a column: errors, means and variances (Rodriguez-Garcia 2017, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from experiments.framework.claims import OTHER, TIE, VALUE, at_once, by_case, compared, computed, grows, less, smallest
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


# By how much a figure is below the other's. Where neither is above 0 with any seed, there is nothing to compare.
LESS_IF_ANY = pl.when((VALUE + OTHER).max().over("table", "columns", "method_other") > TIE).then(OTHER - VALUE)


def nearer_than_without(rows: Rows) -> pl.DataFrame:
    """The variance is nearer to (1 + α) times the original's than the original's own."""
    before = rows.where(measures="variance", methods=NONE).frame.select("table", "columns", before="value")
    after = rows.where(measures="variance_off", methods=NOISE).frame.join(before, on=["table", "columns"])
    return by_case(after, pl.col("level") * pl.col("before") - VALUE)


RULES = {
    "noise-reaches-target": computed(pl.col("rmse") - pl.col("target_rmse") + 1e-8, methods=NOISE, levels=ALPHAS[:3]),
    "small-noise-is-larger": grows(computed(pl.col("target_rmse") - pl.col("rmse"), methods=NOISE)),
    "mean-largely-kept": computed(0.25 + 1e-8 - pl.col("mean_shift"), methods=NOISE),
    "variance-as-expected": computed(pl.col("level") / 4 - pl.col("variance_off"), methods=NOISE),
    "variance-nearer-than-without": nearer_than_without,
    "covariance-as-expected": computed(pl.col("level") / 4 - pl.col("sdcov_off"), methods=NOISE),
    "mean-moves-mean-least": smallest("mean_shift", MEAN, (PAIR, ROOT), levels=ALPHAS, or_equal=True),
    "chance-may-keep-mean": at_once(compared("mean_shift", PROBABILISTIC, NOISE, LESS_IF_ANY, levels=ALPHAS[-1:])),
    "probabilistic-keeps-more": less(("mean_shift", "variance_change"), PROBABILISTIC, NAIVE),
}


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


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer, those of uncorrelated noise by table."""
    icd = "ICD-9-CM"

    def expected(table: str) -> str:
        off = rows.mean("variance_off", UNCORRELATED, 1, table, "A")
        before = rows.mean("variance", NONE, None, table, "A")
        return f"{before:.2f} to {2 * before - off:.2f} instead of {2 * before:.2f}"

    def farthest(method: str) -> float:
        ours = rows.where(pl.col("table") != PRINTED, measures="mean_shift", methods=method).frame
        return float(max(ours.group_by("table", "columns", "level").agg(pl.col("value").mean())["value"]))

    return {
        "weak": {table: excess(rows, UNCORRELATED, 0.1, table) for table in (icd, "MONDO", ADULT)},
        "strong": {table: excess(rows, UNCORRELATED, 1, table) for table in (icd, DIABETES)},
        "variance": {table: expected(table) for table in (icd, DIABETES)},
        "mean": farthest(MEAN),
        "root": farthest(ROOT),
        "values": [
            rows.mean("distinct", method, level, ADULT, "A") for method, level in ((NONE, None), (UNCORRELATED, 0.1))
        ],
    }


TITLES = {
    "rmse": "RMSE",
    "target_rmse": "Target RMSE",
    "mean_shift": "Shift of the mean",
    "variance_off": "Distance of sVar* from (1 + α) sVar",
}


def tables(rows: Rows) -> dict[str, str]:
    """Four figures of each column by level, and the tables themselves."""
    found = {
        f"{title} of {letter}": by_level(rows, measure, symbol="α", columns=letter)
        for measure, title in TITLES.items()
        for letter in "AB"
    }
    return found | {"The tables": noise.sample_features(rows)}


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables)
