"""Should noise be Normal or Laplace, and under which measure? (Rodriguez-Garcia 2017, section 4.2)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from math import nan
from statistics import fmean
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.at_equal import at_equal
from experiments.framework.claims import Claim, computed, less, together
from experiments.framework.measurements import Figures, Row, Rows, Spread, measure, rows
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, public_tables, under
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RECORDS = 1000
# Logarithms make a measure non-linear: of links, of shared ancestors, or in the information content.
LINEAR = ("wu_palmer", "path")
NON_LINEAR = ("leacock_chodorow", "log_sc", "lin", "jiang_conrath")
# Of each family one; the measure that masked never judges.
JUDGES = ("wu_palmer", "log_sc", "jiang_conrath")
NORMAL, LAPLACE = ("Normal", "Laplace")
ALPHAS = (0.1, 0.5, 1.0)
# More levels of Normal noise, only to interpolate at equal strength.
BETWEEN = (0.05, 2.0)
STRENGTH, MISFIT = "rmse_of_both", "off_target"
CHANGE, LINKED = OUTCOMES = ("sdcor_change", "srl")


def of(distribution: str, measures: Sequence[str]) -> list[str]:
    """The noise of a distribution under some measures, by name."""
    return [f"{distribution}, {measure}" for measure in measures]


def run(setting: Setting) -> Iterator[Row]:
    """How far noise misses its size, and what Laplace noise has more than Normal noise of the same RMSE."""
    measures = (*LINEAR[:1], *NON_LINEAR[1:2]) if setting.quick else (*LINEAR, *NON_LINEAR)
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


SOURCE, OURS = "Rodriguez-Garcia 2017, section 4.2", "ours, on Rodriguez-Garcia 2017, section 4.2"
CLAIMS = (
    Claim("linear-fits-normal",
          "Normal noise comes nearer to its intended RMSE with linear measures than with non-linear ones",
          SOURCE, less(MISFIT, of(NORMAL, LINEAR), of(NORMAL, NON_LINEAR))),
    Claim("non-linear-fits-laplace", "Laplace noise comes nearer to it with non-linear measures than with linear ones",
          SOURCE, less(MISFIT, of(LAPLACE, NON_LINEAR), of(LAPLACE, LINEAR)),
          "A logarithm stretches small distances: under `leacock_chodorow` and `log_sc`, the nearest concept is about "
          "twice as far away as under `wu_palmer`, and the noise is too large.",
          glance="Non-linear measures meet the size of Laplace noise better than linear ones"),
    Claim("laplace-fits-non-linear", "With non-linear measures, Laplace noise comes nearer to it than Normal noise",
          SOURCE, together(*(less(MISFIT, of(LAPLACE, [name]), of(NORMAL, [name])) for name in NON_LINEAR))),
    Claim("laplace-keeps-dependence",
          "With non-linear measures, Laplace noise changes sdCor less than Normal noise of the same RMSE",
          OURS, computed(-pl.col(CHANGE), methods=NON_LINEAR),
          glance="With non-linear measures, Laplace noise keeps the dependence better than Normal noise of equal RMSE"),
    Claim("laplace-links-less", "… and has fewer linked records (SRL)",
          OURS, computed(-pl.col(LINKED), methods=NON_LINEAR),
          "Of two noises of the same RMSE, Laplace noise has more small errors, which leave values where an intruder "
          "finds them.",
          glance="… and has fewer linked records"),
    Claim("normal-keeps-dependence",
          "With linear measures, Normal noise changes sdCor less than Laplace noise of the same RMSE",
          OURS, computed(pl.col(CHANGE), methods=LINEAR)),
    Claim("normal-links-less", "… and has fewer linked records (SRL)", OURS, computed(pl.col(LINKED), methods=LINEAR)),
)  # fmt: skip


def more(rows: Rows, outcome: str, masker: str, table: str) -> Spread:
    """The mean difference over levels and judges, with the smallest and largest seed."""
    found = rows.frame.filter(table=table, method=masker, measure=outcome)
    seeds: list[float] = found.group_by("seed").agg(pl.col("value").mean())["value"].to_list()
    return Spread(fmean(seeds), 0.0, min(seeds), max(seeds)) if seeds else Spread(nan, nan, nan, nan)


def figure(rows: Rows) -> Figure:
    """Laplace minus Normal noise, one panel per outcome."""
    measures = [name for name in (*LINEAR, *NON_LINEAR) if name in rows.methods()]
    charts = []
    for outcome, title in ((LINKED, "Linked records (SRL)"), (CHANGE, "Change of sdCor, times 100")):
        bars = []
        for style, table in enumerate(rows.tables):
            found = [more(rows, outcome, name, table) for name in measures]
            mean, low, high = ([getattr(one, part) for one in found] for part in ("mean", "low", "high"))
            bars.append(Bars(table, mean, low=low, high=high, style=style))
        names = [f"{name} ({'linear' if name in LINEAR else 'log'})" for name in measures]
        charts.append(BarChart(names, bars, value_title="Laplace minus Normal, points", title=title, width=290))
    return small_multiples(charts, columns=2, title="What Laplace noise adds to Normal noise of the same RMSE")


def answer(rows: Rows) -> str:
    """The answer with its figures."""

    def spread(outcome: str, measures: Sequence[str], table: str) -> str:
        found = [more(rows, outcome, name, table).mean for name in measures]
        return f"{min(found):.2f} to {max(found):.2f}".replace("-", "−")

    def off(measures: Sequence[str], alpha: float) -> str:
        found = [rows.mean(MISFIT, name, alpha, table) for table in rows.tables for name in of(LAPLACE, measures)]
        return f"{min(found):.0f} to {max(found):.0f} %"

    return (
        "No. Rodriguez-Garcia 2017 expects that Laplace noise finds concepts at the intended distance more easily "
        f"under a non-linear measure. But its RMSE differs from the intended one by {off(NON_LINEAR, 0.1)} under "
        f"non-linear and by {off(LINEAR, 0.1)} under linear measures at α = 0.1, and by {off(NON_LINEAR, 1)} and "
        f"{off(LINEAR, 1)} at α = 1. Nor does it pay: on diabetes130, under every measure, it leaves more records "
        f"linked than Normal noise of the same RMSE, by {spread(LINKED, (*LINEAR, *NON_LINEAR), DIABETES)} points. On "
        f"Adult there is no clear difference ({spread(LINKED, (*LINEAR, *NON_LINEAR), ADULT)} points). The change of "
        f"sdCor hardly depends on the distribution ({spread(CHANGE, (*LINEAR, *NON_LINEAR), DIABETES)} hundredths on "
        f"diabetes130, {spread(CHANGE, (*LINEAR, *NON_LINEAR), ADULT)} on Adult), and seeds differ more than that. "
        "Normal noise is the better default, whatever the measure."
    )


def table_of(rows: Rows, outcome: str) -> str:
    """The mean differences over the judges, by measure and level."""
    lines = []
    for table, name in product(rows.tables, (*LINEAR, *NON_LINEAR)):
        found = rows.frame.filter(table=table, method=name, measure=outcome)
        means = [found.filter(level=level)["value"].to_list() for level in ALPHAS]
        lines.append([table, name, *(f"{fmean(values):+.2f}" if values else "—" for values in means)])
    return markdown(["", "", *(f"α = {level:g}" for level in ALPHAS)], lines, left=2)


EXPERIMENT = Experiment(
    title="Laplace or Normal noise",
    question="Does Laplace noise fit non-linear (logarithmic) distances better than Normal noise?",
    measure=run,
    figure=figure,
    caption=(
        "Laplace minus Normal noise of the same RMSE: means over α = 0.1, 0.5 and 1 and over the judging "
        "measures, with the smallest and largest seed. Below 0, Laplace noise is better."
    ),
    answer=answer,
    setup=(
        f"{RECORDS:,} random records of each table, another sample for each seed: 10 on Adult, 5 on diabetes130; "
        "uncorrelated noise; each measure inside the domain. Rodriguez-Garcia 2017 asks for measures with values well "
        "spread (non-logarithmic, non-exponential) if noise is Normal, and expects that non-linear ones fit Laplace "
        f"noise. Linear here: {', '.join(LINEAR)}. Non-linear, with a logarithm: {', '.join(NON_LINEAR)}. The intended "
        "RMSE is that of the errors drawn; how far the actual one misses it is measured by the measure that masks. "
        f"RMSE, SRL and sdCor are judged by {', '.join(JUDGES)}, but never by the measure that masked. The RMSE is the "
        "mean of both columns; Normal noise of the same RMSE is interpolated along α, seed by seed (α = "
        f"{', '.join(f'{alpha:g}' for alpha in BETWEEN)} were measured for this only). The results have these "
        "differences, one per seed, measure, level and judge."
    ),
    claims=CLAIMS,
    tables=lambda rows: {
        "Distance of the RMSE from the intended one, in percent of it": by_level(rows, MISFIT, symbol="α", digits=0),
        "SRL, Laplace minus Normal of the same RMSE": table_of(rows, LINKED),
        "Change of sdCor times 100, Laplace minus Normal of the same RMSE": table_of(rows, CHANGE),
    },
)
