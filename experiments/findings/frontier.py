"""Which methods are on the frontier of risk and loss, if judged by distances that did not mask?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import nan

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, Rule, by_case
from experiments.framework.measurements import Figures, Make, Row, Rows, figures, measure
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import draw, public_tables
from ontomask.figures import Figure, Points, ScatterChart, small_multiples

RECORDS = 3000
# All methods mask by Wu–Palmer. The others judge without having masked.
OWN = "wu_palmer"
YARDSTICKS = ("path", "log_sc", "jiang_conrath")
REFINED = "microaggregation"
KS = (2, 3, 5, 10, 20, 50, 100, 200, 500)

# By family: the function that makes a method, and its levels (none if it has no level).
FAMILIES: Mapping[str, tuple[Make | om.Method, Sequence[float | None]]] = {
    REFINED: (om.Microaggregation, KS),
    "SA-MDAV": (lambda k: om.Microaggregation(k, variant="sa_mdav"), KS),
    "recoding": (om.Recoding, KS),
    "resampling": (om.Resampling, KS),
    "generalisation": (om.Generalisation, KS),
    "suppression": (om.Suppression, (2, 10)),
    "uncorrelated noise": (om.UncorrelatedNoise, (0.1, 0.5)),
    "correlated noise": (om.CorrelatedNoise, (0.1, 0.5)),
    "rank swapping": (om.RankSwapping, (2, 5, 10, 20, 50, 100)),
    "PRAM": (om.PRAM, (0.8, 0.5)),
    "data swapping": (om.DataSwapping(), (None,)),
}
# Methods of a kind have a colour, and each its own marker. Generalisation, the strongest rival, has its own colour.
STYLES = dict(zip(FAMILIES, (0, 7, 14, 21, 4, 3, 2, 9, 1, 16, 8), strict=True))
LABELLED = (2, 5, 50, 500)


def run(setting: Setting) -> Iterator[Row]:
    """Mask samples with every method; judge each result by every distance."""
    size = setting.size(RECORDS)
    for (table, whole), seed in product(public_tables(setting).items(), setting.seeds(5)):
        data = draw(whole, size, seed)
        for family, (make, levels) in FAMILIES.items():
            few = [level for level in setting.levels(levels) if level is None or 2 * level <= size]
            yield from measure(table, data, {family: make}, few, [seed], judge=judged)


def judged(data: om.Microdata, result: om.Result) -> Figures:
    """Loss, linkage and the change of dependence by distance."""
    found: dict[tuple[str, str], float | None] = {}
    for yardstick in (OWN, *YARDSTICKS):
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


def losses_at_equal_linkage(measured: Rows, table: str, yardstick: str) -> dict[str, float]:
    """For each family, the smallest loss relative to the line of refined microaggregation at the same linkage."""
    points = measured.where(tables=table, columns=yardstick, measures=("srl", "loss")).wide()
    means = points.group_by("method", "level", maintain_order=True).agg(pl.col("srl").mean(), pl.col("loss").mean())
    line, others = means.filter(method=REFINED).sort("srl"), means.filter(pl.col("method") != REFINED)
    others = others.filter(pl.col("srl").is_between(line["srl"].min(), line["srl"].max()))
    risk, line_risk, line_loss = (part.log().to_numpy() for part in (others["srl"], line["srl"], line["loss"]))
    shares = others.with_columns(share=pl.col("loss") / np.exp(np.interp(risk, line_risk, line_loss)))
    return dict(shares.group_by("method", maintain_order=True).agg(pl.col("share").min()).iter_rows())


GENERALISED = (
    "Where it is not, generalisation is better: it minimises its own cost, which counts leaves, and ancestors are near "
    "by this distance."
)
CLAIMS = (
    *(
        Claim(f"refined-on-frontier-by-{judge}",
              f"Microaggregation (`refined`) is on the frontier of linkage and loss, judged by `{judge}`",
              "ours", on_frontier(REFINED, judge), why,
              glance=f"Microaggregation (`refined`) is on the frontier of risk and loss, judged by `{judge}`")
        for judge, why in {
            "path": GENERALISED, "jiang_conrath": GENERALISED,
            "log_sc": "LogSC counts subsumers, so it punishes values that become more general.",
        }.items()
    ),
    Claim("refined-on-frontier-by-itself", "… and judged by Wu–Palmer, the distance that masked",
          "ours", on_frontier(REFINED, OWN),
          "Masking, loss and linkage by one distance favour the method that minimises this distance."),
    Claim("swapping-on-frontier-of-dependence",
          "Rank swapping is on the frontier of linkage and the change of dependence (sdCor)",
          "ours", on_frontier("rank swapping", YARDSTICKS, "sdcor_change"),
          "Swapping keeps the distribution of each column exactly, and near records keep pairs together.",
          glance="Rank swapping is on the frontier of risk and dependence"),
)  # fmt: skip


def figure(measured: Rows) -> Figure:
    """Linkage by loss, judged by the path distance, and the frontier."""
    charts = []
    for table in measured.tables:
        series = []
        for family, style in STYLES.items():
            levels = measured.levels(table, family) or (None,)
            xs, ys = ([measured.mean(what, family, k, table, "path") for k in levels] for what in ("loss", "srl"))
            labels = [f"k = {level:g}" if family == REFINED and level in LABELLED else "" for level in levels]
            # A logarithmic axis has no 0.
            series.append(Points(family, xs, [y if y > 0 else nan for y in ys], labels=labels, style=style))
        spots = [(x, y) for one in series for x, y, _ in one.drawn if x > 0]
        best = [p for p in spots if not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in spots)]
        charts.append(ScatterChart(
            series, frontier=best, frontier_name="frontier", x_title="loss L (%)",
            y_title="linked by nearest meaning, SRL (%)", title=table, log_x=True, log_y=True, width=380, height=300,
        ))  # fmt: skip
    return small_multiples(charts, columns=2, title="Risk and loss, judged by the path distance")


def answer(measured: Rows) -> str:
    """The answer with its figures."""
    texts = []
    for table in measured.tables:
        lost = {y: losses_at_equal_linkage(measured, table, y)["generalisation"] for y in (OWN, *YARDSTICKS)}
        texts.append(
            f"on {table} it is {lost['path']:.1f} times by path, {lost['jiang_conrath']:.1f} by Jiang–Conrath, "
            f"{lost['log_sc']:.1f} by LogSC and {lost[OWN]:.1f} by Wu–Palmer, which masked"
        )
    return (
        "Microaggregation (`refined`, the default) or generalisation by cost; which of both depends on the distance "
        "that judges. The loss of generalisation, relative to microaggregation with the same linkage, at its best "
        f"level: {'; '.join(texts)}. To keep the dependence between columns, look at rank swapping; it gives no "
        "guarantee."
    )


def tables(measured: Rows) -> dict[str, str]:
    """Loss and linkage of every method, judged by each distance."""
    found = {}
    for table in measured.tables:
        lines = []
        for family in FAMILIES:
            for level in measured.levels(table, family) or (None,):
                shown = [[measured.mean(what, family, level, table, y) for what in ("loss", "srl")]
                         for y in (OWN, *YARDSTICKS)]  # fmt: skip
                name = f"{family} {'' if level is None else f'{level:g}'}".strip()
                lines.append([name, *(f"{loss:.1f} / {srl:.2f}" for loss, srl in shown)])
        found[f"{table}: L / SRL in percent, by judging distance"] = markdown(["", OWN, *YARDSTICKS], lines)
    return found


EXPERIMENT = Experiment(
    title="The frontier of risk and loss",
    question="Which methods lose least at the same risk?",
    measure=run,
    figure=figure,
    caption="Every method and level by its mean over five samples. A method is on the frontier if no other method has "
    "both less loss and fewer linked records.",
    answer=answer,
    setup=(
        f"{RECORDS:,} random records of each table, five seeds, every method with its default Wu–Palmer distance. "
        f"Loss and linkage are judged by {', '.join(YARDSTICKS)}, which did not mask, and by Wu–Palmer itself. A "
        "record that is left out counts as moved by 1 in every column. Methods that group records have the same nine "
        "levels. The claims ask for each level and judging "
        "distance whether another method is better in both figures, sample by sample."
    ),
    claims=CLAIMS,
    tables=tables,
)
