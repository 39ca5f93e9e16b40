"""What noise leaves of the dependence between columns (Rodriguez-Garcia 2017, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import isnan, nan
from typing import Any

import polars as pl

from experiments.framework.at_equal import at_equal, less_at_equal
from experiments.framework.claims import Rule, computed, grows, largest, less, smallest
from experiments.framework.measurements import Row, Rows
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES
from experiments.noise import noise_tables as noise
from experiments.noise.noise_tables import ALPHAS, CHANCE, CORRELATED, NOISE, NONE, STRENGTH, UNCORRELATED
from ontomask.figures import Figure, Line, LineChart, small_multiples

MEAN, PAIR, ROOT = CORRELATED
# More levels, only to interpolate at equal strength.
BETWEEN = (0.02, 0.05, 0.2, 2)
KEPT = (STRENGTH, "sdcor_change")


def run(setting: Setting) -> Iterator[Row]:
    """The printed figures, samples like those of the paper, and the public tables."""
    yield from noise.published((*KEPT, "sdcor"))
    for name, data in noise.tables(setting).items():
        seeds = setting.seeds(5 if name == DIABETES else 10)
        yield from noise.original(name, data)
        yield from noise.measure_noise(name, data, setting.levels(ALPHAS), seeds, (*KEPT, "sdcor"))
        yield from noise.measure_noise(name, data, setting.levels(BETWEEN), seeds, KEPT)
        yield from noise.measure_noise(name, data, [None], seeds, (*KEPT, "sdcor"), CHANCE)


keeps = partial(less, "sdcor_change", levels=ALPHAS)
keeps_at_equal = partial(less_at_equal, STRENGTH, "sdcor_change", levels=ALPHAS)


def better(method: str, other: str) -> dict[str, Rule]:
    """That a method keeps sdCor better than another, at equal α and at equal RMSE."""
    key = f"{method.split()[-1]}-beats-{other.split()[-1]}"
    return {key: keeps(method, other), f"{key}-at-equal-error": keeps_at_equal(method, other)}


RULES = {
    "dependence-largely-kept": computed(
        (pl.col("sdcor") - 3 * pl.col("sdcor_change")) / 4, methods=NOISE, levels=ALPHAS[:3]
    ),
    **better(MEAN, UNCORRELATED),
    **better(PAIR, UNCORRELATED),
    **better(ROOT, UNCORRELATED),
    "advantage-grows": grows(keeps(CORRELATED, UNCORRELATED)),
    "same-level-is-weaker": largest(STRENGTH, UNCORRELATED, CORRELATED, levels=ALPHAS),
    **better(PAIR, MEAN),
    **better(ROOT, MEAN),
    "chance-breaks-dependence": smallest("sdcor_change", NOISE, CHANCE, levels=ALPHAS),
    "chance-is-stronger": smallest(STRENGTH, NOISE, CHANCE, levels=ALPHAS[-1:]),
}


def figure(rows: Rows) -> Figure:
    """Rodriguez-Garcia 2017, Fig. 8, in percent of the original, by strength instead of level."""
    charts = []
    for table in rows.tables:
        lines = [kept(rows, method, table, style) for style, method in enumerate((*NOISE, *CHANCE))]
        title = f"{table}: {rows.mean('sdcor', NONE, None, table, 'AB'):.2f}"
        lines = [line for line in lines if len(line.x) > 2]
        charts.append(LineChart(lines, title=title, x_title="RMSE", y_title="sdCor kept (%)", width=230, height=170))
    return small_multiples(charts, columns=3, title="Dependence kept, by the strength of the noise", same_scale=True)


def kept(rows: Rows, method: str, table: str, style: int) -> Line:
    """sdCor in percent of the original's, by strength; one point per level."""
    before = rows.mean("sdcor", NONE, None, table, "AB")
    at = partial(rows.mean, method=method, table=table, columns="AB")
    levels = [level for level in ALPHAS if not isnan(at("sdcor", level=level))]
    y = [100 * at("sdcor", level=level) / before for level in levels]
    # The gaps at both ends give all panels the same horizontal axis.
    x = [0, *(at(STRENGTH, level=level) for level in levels), 0.8]
    return Line(method, x, [nan, *y, nan], style=style)


def explained(rows: Rows, method: str, table: str) -> float:
    """The part, in percent, of a method's gain over uncorrelated noise of the same α that weaker noise explains."""
    equal = at_equal(rows, STRENGTH, "sdcor_change", method, UNCORRELATED, levels=ALPHAS).filter(table=table)
    change = partial(rows.mean, "sdcor_change", table=table, columns="AB")
    gain = sum(change(UNCORRELATED, level) - change(method, level) for level in equal["level"].unique())
    left = float((equal["value_other"] - equal["value"]).sum()) / (equal["seed"].n_unique() or nan)
    return 100 - 100 * left / (gain or nan)


def explained_table(rows: Rows) -> str:
    """How much of the gain weaker noise explains."""
    shares = {method: [explained(rows, method, table) for table in rows.tables] for method in CORRELATED}
    lines = [[method, *("—" if isnan(one) else f"{one:.0f}" for one in line)] for method, line in shares.items()]
    return markdown(["", *rows.tables], lines)


def facts(rows: Rows) -> dict[str, Any]:
    """The figures of the answer."""
    icd = "ICD-9-CM"
    cor, size = (partial(rows.mean, measure, columns="AB") for measure in ("sdcor", STRENGTH))
    return {
        "original": cor(NONE, None, icd),
        "left": {name: cor(name, 1, icd) for name in NOISE},
        "size": {name: size(name, 0.5, DIABETES) for name in NOISE},
        "explained": {name: explained(rows, name, DIABETES) for name in CORRELATED},
        "explained_icd": explained(rows, MEAN, icd),
        "adult": cor(NONE, None, ADULT),
        "independent": cor(CHANCE[1], None, ADULT),
    }


def tables(rows: Rows) -> dict[str, str]:
    """Dependence and strength by level, what weaker noise explains, and the tables themselves."""
    return {
        "sdCor by level": by_level(rows.where(levels=ALPHAS), "sdcor", symbol="α", columns="AB"),
        "RMSE by level": by_level(rows.where(levels=ALPHAS), STRENGTH, symbol="α", columns="AB"),
        "Part of the gain that weaker noise explains, in percent": explained_table(rows),
        "The tables": noise.sample_features(rows),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"between": BETWEEN})
