"""Should noise be Normal or Laplace, and under which measure? (Rodriguez-Garcia 2017, section 4.2)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.at_equal import at_equal
from experiments.framework.claims import computed, counts, less, together
from experiments.framework.measurements import UNKNOWN, Figures, Row, Rows, Spread, bars, measure, rows
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
    """How far noise misses its size, and what Laplace noise has more than Normal noise of the same RMSE."""
    measures = ("wu_palmer", "log_sc") if setting.quick else MEASURES
    for table, data in public_tables(setting).items():
        for seed in setting.seeds(10 if table == ADULT else 5):
            sample = draw(data, setting.size(RECORDS), seed)
            found = Rows.of(row for masker in measures for row in masked(table, sample, masker, seed))
            yield from found.where(levels=ALPHAS, measures=MISFIT).frame.iter_rows(named=True)
            yield from differences(found, measures)


def masked(table: str, sample: om.Microdata, masker: str, seed: int) -> Iterator[Row]:
    """Noise of both distributions under a measure, judged by measures that did not mask."""
    data, judge = under(sample, masker), partial(outcomes, masker)
    for distribution, levels in ((NORMAL, (*ALPHAS, *BETWEEN)), (LAPLACE, ALPHAS)):
        shape: Any = distribution.lower()
        make = {f"{distribution}, {masker}": partial(om.UncorrelatedNoise, distribution=shape)}
        yield from measure(table, data, make, levels, [seed], judge=judge)


def differences(found: Rows, measures: Sequence[str]) -> Iterator[Row]:
    """The outcomes of Laplace noise minus those of Normal noise of the same RMSE, under each measure."""
    for masker, outcome in product(measures, OUTCOMES):
        both = at_equal(found, STRENGTH, outcome, of(LAPLACE, [masker]), of(NORMAL, [masker]), levels=ALPHAS)
        for one in both.iter_rows(named=True):
            more = {(outcome, one["columns"]): one["value"] - one["value_other"]}
            yield from rows(more, table=one["table"], method=masker, level=one["level"], seed=one["seed"])


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
    "linear-fits-normal": less(MISFIT, of(NORMAL, LINEAR), of(NORMAL, NON_LINEAR)),
    "non-linear-fits-laplace": less(MISFIT, of(LAPLACE, NON_LINEAR), of(LAPLACE, LINEAR)),
    "laplace-fits-non-linear": together(
        *(less(MISFIT, of(LAPLACE, [name]), of(NORMAL, [name])) for name in NON_LINEAR)
    ),
    "laplace-keeps-dependence": computed(-pl.col(CHANGE), methods=NON_LINEAR),
    "laplace-links-less": computed(-pl.col(LINKED), methods=NON_LINEAR),
    "normal-keeps-dependence": computed(pl.col(CHANGE), methods=LINEAR),
    "normal-links-less": computed(pl.col(LINKED), methods=LINEAR),
}


def more(rows: Rows, outcome: str, masker: str, table: str) -> Spread:
    """The mean difference over levels and judges, with the smallest and largest seed."""
    found = rows.frame.filter(table=table, method=masker, measure=outcome)
    seeds: list[float] = found.group_by("seed").agg(pl.col("value").mean())["value"].to_list()
    return Spread(fmean(seeds), 0.0, min(seeds), max(seeds)) if seeds else UNKNOWN


def figure(rows: Rows) -> Figure:
    """Laplace minus Normal noise, one panel per outcome."""
    measures = [name for name in MEASURES if name in rows.methods()]
    charts = []
    for outcome, title in ((LINKED, "Linked records (SRL)"), (CHANGE, "Change of sdCor, times 100")):
        series = [
            bars(table, (more(rows, outcome, name, table) for name in measures), style)
            for style, table in enumerate(rows.tables)
        ]
        names = [f"{name} ({'linear' if name in LINEAR else 'log'})" for name in measures]
        charts.append(BarChart(names, series, value_title="Laplace minus Normal, points", title=title, width=290))
    return small_multiples(charts, columns=2, title="What Laplace noise adds to Normal noise of the same RMSE")


def facts(rows: Rows) -> dict[str, Any]:
    """The ranges of the answer: of the differences, and of how far Laplace noise misses its size in percent."""

    def differ(outcome: str, table: str) -> str:
        found = [more(rows, outcome, name, table).mean for name in MEASURES]
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
    lines = []
    for table, name in product(rows.tables, MEASURES):
        found = rows.frame.filter(table=table, method=name, measure=outcome)
        means = [found.filter(level=level)["value"].to_list() for level in ALPHAS]
        lines.append([table, name, *(f"{fmean(values):+.2f}" if values else "—" for values in means)])
    return markdown(["", "", *(f"α = {level:g}" for level in ALPHAS)], lines, left=2)


def tables(rows: Rows) -> dict[str, str]:
    """How far noise misses its size, and both outcomes by level."""
    return {
        "Distance of the RMSE from the intended one, in percent of it": by_level(rows, MISFIT, symbol="α", digits=0),
        "SRL, Laplace minus Normal of the same RMSE": table_of(rows, LINKED),
        "Change of sdCor times 100, Laplace minus Normal of the same RMSE": table_of(rows, CHANGE),
    }


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"records": RECORDS, "between": BETWEEN})
