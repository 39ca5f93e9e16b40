"""Should noise be Normal or Laplace, and under which measure? (Rodriguez-Garcia 2017, section 4.2)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

import polars as pl

import ontomask as om
from experiments.framework.at_equal import at_equal, less_at_equal
from experiments.framework.claims import Claim, Rule, less
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, by_level, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import draw, public_tables, under
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RECORDS = 1000
# Logarithms make a measure non-linear: of links, of shared ancestors, or in the information content.
LINEAR = ("wu_palmer", "path")
NON_LINEAR = ("leacock_chodorow", "log_sc", "lin", "jiang_conrath")
# Of each family one; the measure that masked never judges.
JUDGES = ("wu_palmer", "log_sc", "jiang_conrath")
NORMAL, LAPLACE = DISTRIBUTIONS = ("Normal", "Laplace")
ALPHAS = (0.1, 0.5, 1.0)
# More levels of Normal noise, only to interpolate at equal strength.
BETWEEN = (0.05, 2.0)
STRENGTH, MISFIT = "rmse_of_both", "misfit"


def of(distribution: str, measures: Sequence[str]) -> list[str]:
    """The noise of a distribution under some measures, by name."""
    return [f"{distribution}, {measure}" for measure in measures]


def run(setting: Setting) -> Iterator[Row]:
    """Noise of both distributions under every measure, judged by measures that did not mask."""
    measures = (*LINEAR[:1], *NON_LINEAR[1:2]) if setting.quick else (*LINEAR, *NON_LINEAR)
    for (table, data), seed in product(public_tables(setting).items(), setting.seeds(5)):
        sample = draw(data, setting.size(RECORDS), seed)
        for masker in measures:
            seen = under(sample, masker)
            for distribution in DISTRIBUTIONS:
                (name,) = of(distribution, [masker])
                for alpha in sorted((*ALPHAS, *BETWEEN)) if distribution == NORMAL else ALPHAS:
                    noise: Any = distribution.lower()
                    result = om.UncorrelatedNoise(alpha, distribution=noise).mask(seen, seed=seed)
                    found = outcomes(seen, result, masker, [judge for judge in JUDGES if judge in measures])
                    yield from rows(found, table=table, method=name, level=alpha, seed=seed)


def outcomes(
    data: om.Microdata, result: om.Result, masker: str, judges: Sequence[str]
) -> Mapping[tuple[str, str], float | None]:
    """How far the noise misses its intended size, and what measures that did not mask say about it."""
    own = om.evaluate(data, result, attacks=False).utility.attributes.values()
    found: dict[tuple[str, str], float | None] = {
        (MISFIT, ""): fmean(abs(column.rmse / column.target_rmse - 1) for column in own if column.target_rmse)
    }
    for judge in judges:
        if judge != masker:
            score = om.evaluate(data, result, distance=judge, attacks=False)
            (sdcor,) = score.sdcor.values()
            found[STRENGTH, judge] = fmean(column.rmse for column in score.utility.attributes.values())
            found["sdcor_change", judge] = 100 * sdcor.difference
            found["srl", judge] = score.srl
    return found


def at_equal_error(outcome: str, measures: Sequence[str], ours: str, other: str) -> Rule:
    """With each measure, one distribution has less of an outcome than the other of the same RMSE."""

    def rule(rows: Rows) -> pl.DataFrame:
        return pl.concat(
            less_at_equal(STRENGTH, outcome, f"{ours}, {name}", f"{other}, {name}", levels=ALPHAS)(rows)
            for name in measures
        )

    return rule


def fits_better(measures: Sequence[str]) -> Rule:
    """With each measure, Laplace noise comes nearer to its intended size than Normal noise of the same level."""
    return lambda rows: pl.concat(
        less(MISFIT, of(LAPLACE, [name]), of(NORMAL, [name]), levels=ALPHAS)(rows) for name in measures
    )


SOURCE, OURS = "Rodriguez-Garcia 2017, section 4.2", "ours, on Rodriguez-Garcia 2017, section 4.2"
CLAIMS = (
    Claim(
        "linear-fits-normal",
        "Normal noise comes nearer to its intended RMSE with linear measures than with non-linear ones",
        SOURCE,
        less(MISFIT, of(NORMAL, LINEAR), of(NORMAL, NON_LINEAR), levels=ALPHAS),
    ),
    Claim(
        "non-linear-fits-laplace",
        "Laplace noise comes nearer to it with non-linear measures than with linear ones",
        SOURCE,
        less(MISFIT, of(LAPLACE, NON_LINEAR), of(LAPLACE, LINEAR), levels=ALPHAS),
        glance="Non-linear measures meet the size of Laplace noise better than linear ones",
    ),
    Claim(
        "laplace-fits-non-linear",
        "With non-linear measures, Laplace noise comes nearer to it than Normal noise",
        SOURCE,
        fits_better(NON_LINEAR),
    ),
    Claim(
        "laplace-keeps-dependence",
        "With non-linear measures, Laplace noise changes sdCor less than Normal noise of the same RMSE",
        OURS,
        at_equal_error("sdcor_change", NON_LINEAR, LAPLACE, NORMAL),
        glance="With non-linear measures, Laplace noise keeps the dependence better than Normal noise of equal RMSE",
    ),
    Claim(
        "laplace-links-less",
        "… and has fewer linked records (SRL)",
        OURS,
        at_equal_error("srl", NON_LINEAR, LAPLACE, NORMAL),
        glance="… and has fewer linked records",
    ),
    Claim(
        "normal-keeps-dependence",
        "With linear measures, Normal noise changes sdCor less than Laplace noise of the same RMSE",
        OURS,
        at_equal_error("sdcor_change", LINEAR, NORMAL, LAPLACE),
    ),
    Claim(
        "normal-links-less",
        "… and has fewer linked records (SRL)",
        OURS,
        at_equal_error("srl", LINEAR, NORMAL, LAPLACE),
    ),
)


def differences(rows: Rows, outcome: str, measure: str, table: str) -> list[float]:
    """An outcome of Laplace noise less that of Normal noise of the same RMSE: one mean per seed."""
    found = at_equal(rows, STRENGTH, outcome, f"{LAPLACE}, {measure}", f"{NORMAL}, {measure}", levels=ALPHAS)
    found = found.filter(pl.col("table") == table).with_columns(more=pl.col("value") - pl.col("other_value"))
    return found.group_by("seed").agg(pl.col("more").mean()).sort("seed")["more"].to_list()


def figure(rows: Rows) -> Figure:
    """Laplace less Normal noise, one panel per outcome."""
    measures = [name for name in (*LINEAR, *NON_LINEAR) if f"{NORMAL}, {name}" in rows.methods()]
    charts = []
    for outcome, title in (("srl", "Linked records (SRL)"), ("sdcor_change", "Change of sdCor, times 100")):
        bars = []
        for style, table in enumerate(rows.tables):
            seeds = [differences(rows, outcome, name, table) or [float("nan")] for name in measures]
            bars.append(
                Bars(
                    table,
                    [fmean(values) for values in seeds],
                    low=[min(values) for values in seeds],
                    high=[max(values) for values in seeds],
                    style=style,
                )
            )
        names = [f"{name} ({'linear' if name in LINEAR else 'non-linear'})" for name in measures]
        charts.append(BarChart(names, bars, value_title="Laplace less Normal, points", title=title))
    return small_multiples(charts, columns=2, title="What Laplace noise adds to Normal noise of the same RMSE")


def answer(rows: Rows) -> str:
    """The answer with its figures."""
    return ""


def differences_table(rows: Rows, outcome: str) -> str:
    """The mean differences by measure and level."""
    lines = []
    for table, name in product(rows.tables, (*LINEAR, *NON_LINEAR)):
        found = at_equal(rows, STRENGTH, outcome, f"{LAPLACE}, {name}", f"{NORMAL}, {name}", levels=ALPHAS)
        more = found.filter(pl.col("table") == table).with_columns(more=pl.col("value") - pl.col("other_value"))
        means = [more.filter(pl.col("level") == level)["more"].to_list() for level in ALPHAS]
        lines.append([table, name, *(f"{fmean(values):+.2f}" if values else "—" for values in means)])
    return markdown(["", "", *(f"α = {level:g}" for level in ALPHAS)], lines, left=2)


EXPERIMENT = Experiment(
    title="Laplace or Normal noise",
    question="Does Laplace noise suit non-linear measures?",
    measure=run,
    figure=figure,
    caption=(
        "Laplace noise less Normal noise of the same RMSE: means over α = 0.1, 0.5 and 1 and over the judging "
        "measures, with the smallest and largest seed. Below 0, Laplace noise is better."
    ),
    answer=answer,
    setup=(
        f"{RECORDS:,} random records of each table, another sample for each of 5 seeds; uncorrelated noise; each "
        "measure inside the domain. Rodriguez-Garcia 2017 asks for measures with values well spread (non-logarithmic, "
        "non-exponential) if noise is Normal, and expects that non-linear ones fit Laplace noise. Linear here: "
        f"{', '.join(LINEAR)}. Non-linear, with a logarithm: {', '.join(NON_LINEAR)}. The intended RMSE is that of the "
        "errors drawn; how far the actual one misses it is measured by the measure that masks. RMSE, SRL and sdCor "
        f"are judged by {', '.join(JUDGES)}, but never by the measure that masked. The RMSE is the mean of both "
        "columns; Normal noise of the same RMSE is interpolated along α, seed by seed (α = "
        f"{', '.join(f'{alpha:g}' for alpha in BETWEEN)} were measured for this only)."
    ),
    claims=CLAIMS,
    tables=lambda rows: {
        "Relative distance of the RMSE from the intended one": by_level(rows, MISFIT, symbol="α"),
        "SRL, Laplace less Normal of the same RMSE": differences_table(rows, "srl"),
        "Change of sdCor times 100, Laplace less Normal of the same RMSE": differences_table(rows, "sdcor_change"),
    },
)
