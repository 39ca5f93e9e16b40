"""Should noise be Normal or Laplace, and under which measure? (Rodriguez-Garcia 2017, section 4.2)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import isnan
from statistics import fmean
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.at_equal import at_equal
from experiments.framework.claims import OTHER, VALUE, Rule, by_case, counts, less
from experiments.framework.measurements import UNKNOWN, Figures, Row, Rows, Spread, bars, measure
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, draw, public_tables, under
from ontomask.figures import BarChart, Figure, small_multiples

RECORDS = 1000
# Logarithms make a measure non-linear: of links, of shared ancestors, or in the information content.
LINEAR = ("wu_palmer", "path")
NON_LINEAR = ("leacock_chodorow", "log_sc", "lin", "jiang_conrath")
MEASURES = (*LINEAR, *NON_LINEAR)
# Of each family one; the measure that masked never judges.
JUDGES = ("wu_palmer", "log_sc", "jiang_conrath")
NORMAL, LAPLACE = ("Normal", "Laplace")
ALPHAS = (0.1, 0.5, 1.0)
# More levels of Normal noise, only to interpolate at equal strength.
BETWEEN = (0.05, 2)
STRENGTH, MISFIT = "rmse_of_both", "off_target"
CHANGE, LINKED = OUTCOMES = ("sdcor_change", "srl")


def of(distribution: str, measures: Sequence[str]) -> list[str]:
    """The noise of a distribution under some measures, by name."""
    return [f"{distribution}, {measure}" for measure in measures]


def run(setting: Setting) -> Iterator[Row]:
    """The size and the outcomes of noise under each measure."""
    measures = ("wu_palmer", "log_sc") if setting.quick else MEASURES
    for table, data in public_tables(setting).items():
        for seed in setting.seeds(10 if table == ADULT else 5):
            sample = draw(data, setting.size(RECORDS), seed)
            for masker in measures:
                yield from masked(table, sample, masker, seed)


def masked(table: str, sample: om.Microdata, masker: str, seed: int) -> Iterator[Row]:
    """Noise of both distributions under a measure, judged by measures that did not mask."""
    data, judge = under(sample, masker), partial(outcomes, masker)
    for distribution, levels in ((NORMAL, (*ALPHAS, *BETWEEN)), (LAPLACE, ALPHAS)):
        shape: Any = distribution.lower()
        make = {f"{distribution}, {masker}": partial(om.UncorrelatedNoise, distribution=shape)}
        yield from measure(table, data, make, levels, [seed], judge=judge)


def differences(found: Rows, outcome: str, measures: Sequence[str] = MEASURES) -> pl.DataFrame:
    """Laplace minus Normal noise under each measure (the method): of equal α for the misfit, else of equal RMSE."""

    def pairs(masker: str) -> pl.DataFrame:
        laplace, normal = of(LAPLACE, [masker]), of(NORMAL, [masker])
        if outcome != MISFIT:
            return at_equal(found, STRENGTH, outcome, laplace, normal, levels=ALPHAS)
        ours, theirs = (
            found.where(measures=outcome, methods=names, levels=ALPHAS).frame for names in (laplace, normal)
        )
        return ours.join(theirs, on=["table", "columns", "level", "seed"], suffix="_other")

    names = ("table", "columns", "level", "seed")
    return pl.concat(pairs(name).select(*names, method=pl.lit(name), value=VALUE - OTHER) for name in measures)


def favours(sign: int, outcome: str, measures: Sequence[str]) -> Rule:
    """One distribution has the smaller outcome: Laplace noise if the sign is -1, Normal noise if it is 1."""
    return lambda found: by_case(differences(found, outcome, measures), sign * VALUE)


def outcomes(masker: str, data: om.Microdata, result: om.Result) -> Figures:
    """How far the noise misses its intended size, and what measures that did not mask say about it."""
    own = om.evaluate(data, result, attacks=False).utility.attributes.values()
    found: dict[tuple[str, str], float | None] = {
        (MISFIT, ""): 100 * fmean(abs(column.rmse / column.target_rmse - 1) for column in own if column.target_rmse)
    }
    for judge in JUDGES:
        if judge != masker:
            score = om.evaluate(data, result, distance=judge, attacks=False)
            (sdcor,) = score.sdcor.values()
            found[STRENGTH, judge] = fmean(column.rmse for column in score.utility.attributes.values())
            found[CHANGE, judge] = 100 * sdcor.difference
            found[LINKED, judge] = score.srl
    return found


RULES = {
    "linear-fits-normal": less(MISFIT, of(NORMAL, LINEAR), of(NORMAL, NON_LINEAR), levels=ALPHAS),
    "non-linear-fits-laplace": less(MISFIT, of(LAPLACE, NON_LINEAR), of(LAPLACE, LINEAR), levels=ALPHAS),
    "laplace-fits-non-linear": favours(-1, MISFIT, NON_LINEAR),
    "laplace-keeps-dependence": favours(-1, CHANGE, NON_LINEAR),
    "laplace-links-less": favours(-1, LINKED, NON_LINEAR),
    "normal-keeps-dependence": favours(1, CHANGE, LINEAR),
    "normal-links-less": favours(1, LINKED, LINEAR),
}


def more(found: pl.DataFrame, masker: str, table: str, level: float | None = None) -> Spread:
    """The mean difference over judges (and levels, or at one), with the smallest and largest seed."""
    found = found.filter(table=table, method=masker, **({} if level is None else {"level": level}))
    seeds: list[float] = found.group_by("seed").agg(pl.col("value").mean())["value"].to_list()
    return Spread(fmean(seeds), 0.0, min(seeds), max(seeds)) if seeds else UNKNOWN


def figure(rows: Rows) -> Figure:
    """Laplace minus Normal noise: how far the size is missed on each table, and both outcomes."""
    misfits, panels = differences(rows, MISFIT), []
    names = [f"{name} ({'linear' if name in LINEAR else 'log'})" for name in MEASURES]
    for table in rows.tables:
        series = [
            bars(f"α = {level:g}", (more(misfits, name, table, level) for name in MEASURES), style)
            for style, level in enumerate(ALPHAS)
        ]
        panels.append(
            (f"{table}: RMSE's distance from the intended", "Laplace minus Normal, % of the intended", series)
        )
    for outcome, title in (
        (LINKED, "Linked records (SRL), at the same RMSE"),
        (CHANGE, "100 times the change of sdCor, at the same RMSE"),
    ):
        found = differences(rows, outcome)
        # Other looks than those of the levels, and not black, which would hide the spreads.
        series = [
            bars(table, (more(found, name, table) for name in MEASURES), style)
            for style, table in enumerate(rows.tables, start=5)
        ]
        panels.append((title, "Laplace minus Normal, points", series))
    charts = [
        BarChart(names, series, value_title=axis, title=title, width=290, height=30 * len(names))
        for title, axis, series in panels
    ]
    above = charts[: len(rows.tables)]
    lows, highs = zip(*(chart.covered for chart in above), strict=True)
    above = [replace(chart, value_range=(min(lows), max(highs))) for chart in above]
    return small_multiples([*above, *charts[len(above) :]], columns=2, title="Laplace noise beside Normal noise")


def facts(rows: Rows) -> dict[str, Any]:
    """The ranges of the answer: of the differences, and of how far Laplace noise misses its size in percent."""

    def differ(outcome: str, table: str) -> str:
        both = differences(rows, outcome)
        found = [more(both, name, table).mean for name in MEASURES]
        return f"{min(found):.2f} to {max(found):.2f}".replace("-", "−")

    def off(measures: Sequence[str], alpha: float) -> str:
        found = [rows.mean(MISFIT, name, alpha, table) for table in rows.tables for name in of(LAPLACE, measures)]
        return f"{min(found):.0f} to {max(found):.0f}"

    found = {f"{outcome}_{table}": differ(outcome, table) for outcome, table in product(OUTCOMES, rows.tables)}
    return {
        **found,
        "fits": counts(RULES["laplace-fits-non-linear"], rows),
        "weak_non_linear": off(NON_LINEAR, 0.1),
        "weak_linear": off(LINEAR, 0.1),
        "strong_non_linear": off(NON_LINEAR, 1),
        "strong_linear": off(LINEAR, 1),
    }


def table_of(rows: Rows, outcome: str) -> str:
    """The mean differences over the judges, by measure and level."""
    found, lines = differences(rows, outcome), []
    for table, name in product(rows.tables, MEASURES):
        means = [more(found, name, table, level).mean for level in ALPHAS]
        lines.append([table, name, *("—" if isnan(mean) else f"{mean:+.2f}" for mean in means)])
    return markdown(["", "", *(f"α = {level:g}" for level in ALPHAS)], lines, left=2)


def tables(rows: Rows) -> dict[str, str]:
    """How far noise misses its size, and both outcomes by level."""
    misfits = by_level(rows.where(levels=ALPHAS), MISFIT, symbol="α", digits=0)
    return {
        "Distance of the RMSE from the intended one, in percent of it": misfits,
        "SRL, Laplace minus Normal of the same RMSE": table_of(rows, LINKED),
        "Change of sdCor times 100, Laplace minus Normal of the same RMSE": table_of(rows, CHANGE),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"records": RECORDS, "between": BETWEEN})
