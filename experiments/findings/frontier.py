"""Which methods are on the frontier of risk and loss, if judged by distances that did not mask?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import nan
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import Rule, by_case
from experiments.framework.measurements import Figures, Make, Row, Rows, figures, measure
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import draw, public_tables
from ontomask.figures import Figure, Points, ScatterChart, small_multiples

RECORDS = 3000
# All methods mask by Wu–Palmer. The others judge without having masked.
OWN = "wu_palmer"
YARDSTICKS = ("path", "log_sc", "jiang_conrath")
JUDGES = (OWN, *YARDSTICKS)
REFINED, GENERALISED, SWAPPED = "microaggregation", "generalisation", "rank swapping"
KS = (2, 3, 5, 10, 20, 50, 100, 200, 500)

# By family: the function that makes a method, its levels (none if it has no level), and its style in the figure.
# The methods that microaggregation and generalisation are compared with have other colours or markers.
FAMILIES: Mapping[str, tuple[Make | om.Method, Sequence[float | None], int]] = {
    REFINED: (om.Microaggregation, KS, 0),
    "SA-MDAV": (lambda k: om.Microaggregation(k, variant="sa_mdav"), KS, 55),
    "recoding": (om.Recoding, KS, 5),
    "resampling": (om.Resampling, KS, 3),
    GENERALISED: (om.Generalisation, KS, 4),
    "suppression": (om.Suppression, (2, 10), 18),
    "uncorrelated noise": (om.UncorrelatedNoise, (0.1, 0.5), 2),
    "correlated noise": (om.CorrelatedNoise, (0.1, 0.5), 9),
    SWAPPED: (om.RankSwapping, (2, 5, 10, 20, 50, 100), 1),
    "PRAM": (om.PRAM, (0.8, 0.5), 16),
    "data swapping": (om.DataSwapping(), (None,), 8),
}


def run(setting: Setting) -> Iterator[Row]:
    """Mask samples with every method; judge each result by every distance."""
    size = setting.size(RECORDS)
    for (table, whole), seed in product(public_tables(setting).items(), setting.seeds(5)):
        data = draw(whole, size, seed)
        for family, (make, levels, _) in FAMILIES.items():
            few = [level for level in setting.levels(levels) if level is None or 2 * level <= size]
            yield from measure(table, data, {family: make}, few, [seed], judge=judged)


def judged(data: om.Microdata, result: om.Result) -> Figures:
    """Loss, linkage and the change of dependence by distance."""
    found: dict[tuple[str, str], float | None] = {}
    for yardstick in JUDGES:
        score = om.evaluate(data, result, distance=yardstick, attacks=False)
        found |= {("loss", yardstick): score.loss_percent, ("srl", yardstick): score.srl}
        if yardstick != OWN:
            found["sdcor_change", yardstick] = figures(score)["sdcor_change", "AB"]
    return found


def on_frontier(family: str, yardsticks: str | Sequence[str], cost: str = "loss") -> Rule:
    """No other method has both less linkage and less loss.

    The margin is the smallest factor (as a logarithm) by which every other method is worse in one of the two. Figures
    below a thousandth count as that.
    """

    def rule(measured: Rows) -> pl.DataFrame:
        points = measured.where(columns=yardsticks, measures=("srl", cost)).wide().drop_nulls(("srl", cost))
        ours, others = points.filter(pl.col("method") == family), points.filter(pl.col("method") != family)
        both = ours.join(others, on=["table", "columns", "seed"], suffix="_other")
        factors = (pl.col(f"{name}_other").clip(1e-3) / pl.col(name).clip(1e-3) for name in ("srl", cost))
        worse = pl.max_horizontal(*factors).log().min()
        return by_case(both.group_by("table", "columns", "method", "level", "seed").agg(worse=worse), pl.col("worse"))

    return rule


def generalised_at_equal_linkage(measured: Rows, table: str, judge: str) -> dict[float, float]:
    """The loss of generalisation by level, relative to the line of refined microaggregation at the same linkage."""
    points = measured.where(tables=table, columns=judge, measures=("srl", "loss")).wide()
    means = points.group_by("method", "level").agg(pl.col("srl", "loss").mean()).sort("srl")
    line, others = means.filter(method=REFINED), means.filter(method=GENERALISED)
    others = others.filter(pl.col("srl").is_between(line["srl"].min(), line["srl"].max())).sort("level")
    risk, line_risk, line_loss = (part.log().to_numpy() for part in (others["srl"], line["srl"], line["loss"]))
    times = others["loss"].to_numpy() / np.exp(np.interp(risk, line_risk, line_loss))
    return dict(zip(others["level"].to_list(), times.tolist(), strict=True))


RULES = {
    "refined-on-frontier-by-path": on_frontier(REFINED, "path"),
    "refined-on-frontier-by-jiang_conrath": on_frontier(REFINED, "jiang_conrath"),
    "refined-on-frontier-by-log_sc": on_frontier(REFINED, "log_sc"),
    "refined-on-frontier-by-itself": on_frontier(REFINED, OWN),
    "swapping-on-frontier-of-dependence": on_frontier(SWAPPED, YARDSTICKS, "sdcor_change"),
}


def figure(measured: Rows) -> Figure:
    """Linkage by loss, judged by the path distance, and the frontier."""
    charts = []
    for table in measured.tables:
        series = []
        for family, (_, _, style) in FAMILIES.items():
            levels = measured.levels(table, family) or (None,)
            xs, ys = ([measured.mean(what, family, k, table, "path") for k in levels] for what in ("loss", "srl"))
            labels = [f"k = {level:g}" if family == REFINED and level in (2, 5, 50, 500) else "" for level in levels]
            # A logarithmic axis has no 0.
            series.append(Points(family, xs, [y if y > 0 else nan for y in ys], labels=labels, style=style))
        spots = [(x, y) for one in series for x, y, _ in one.drawn if x > 0]
        best = [p for p in spots if not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in spots)]
        charts.append(ScatterChart(
            series, frontier=best, frontier_name="frontier", x_title="loss L (%)",
            y_title="linked by nearest meaning, SRL (%)", title=table, log_x=True, log_y=True, width=380, height=300,
        ))  # fmt: skip
    return small_multiples(charts, columns=2, title="Risk and loss, judged by the path distance", same_scale=True)


def facts(measured: Rows) -> dict[str, Any]:
    """The relative loss of generalisation, and the k at which it loses less, by table and judging distance."""
    found: dict[str, Any] = {table: {} for table in measured.tables}
    for table, judge in product(measured.tables, JUDGES):
        times = generalised_at_equal_linkage(measured, table, judge)
        won = " and ".join(f"{level:g}" for level, share in times.items() if share < 1)
        found[table][judge] = {"times": f"{min(times.values()):.2f} to {max(times.values()):.2f}", "won": won}
    return found


def tables(measured: Rows) -> dict[str, str]:
    """Loss and linkage of every method, judged by each distance."""
    found, head = {}, ["", *(f"k = {k}" for k in KS)]
    for table in measured.tables:
        shares = {judge: generalised_at_equal_linkage(measured, table, judge) for judge in JUDGES}
        lines = [[judge, *(f"{of[k]:.2f}" if k in of else "—" for k in KS)] for judge, of in shares.items()]
        title = f"{table}: L of generalisation, times that of microaggregation with the same linkage"
        found[title] = markdown(head, lines)
    for table in measured.tables:
        lines = []
        for family in FAMILIES:
            for level in measured.levels(table, family) or (None,):
                of = partial(measured.mean, method=family, level=level, table=table)
                name = family if level is None else f"{family} {level:g}"
                lines.append([name, *(f"{of('loss', columns=y):.1f} / {of('srl', columns=y):.2f}" for y in JUDGES)])
        found[f"{table}: L / SRL in percent, by judging distance"] = markdown(["", *JUDGES], lines)
    return found


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"records": RECORDS})
