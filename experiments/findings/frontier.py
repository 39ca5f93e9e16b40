"""Which methods are on the frontier of risk and loss, if judged by distances that did not mask?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log

import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, Rule, margins
from experiments.framework.measurements import Make, Row, Rows, figures, rows
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import DIABETES, draw, public_tables
from ontomask.figures import Figure, Points, ScatterChart, small_multiples

RECORDS = 3000
# All methods mask by Wu–Palmer. The others judge without having masked.
OWN = "wu_palmer"
YARDSTICKS = ("path", "log_sc", "jiang_conrath")
REFINED = "microaggregation"
KS = (2, 5, 10, 50, 200)

# By family: the function that makes a method, and its levels (none if it has no level).
FAMILIES: Mapping[str, tuple[Make, Sequence[float | None]]] = {
    REFINED: (om.Microaggregation, (2, 3, 5, 10, 20, 50, 100, 200, 500)),
    "SA-MDAV": (lambda k: om.Microaggregation(k, variant="sa_mdav"), KS),
    "recoding": (om.Recoding, KS),
    "resampling": (om.Resampling, KS),
    "generalisation": (om.Generalisation, KS),
    "suppression": (om.Suppression, (2, 10)),
    "uncorrelated noise": (om.UncorrelatedNoise, (0.1, 0.5)),
    "correlated noise": (om.CorrelatedNoise, (0.1, 0.5)),
    "rank swapping": (om.RankSwapping, (2, 5, 10, 20, 50, 100)),
    "PRAM": (om.PRAM, (0.8, 0.5)),
    "data swapping": (lambda _: om.DataSwapping(), (None,)),
}


def run(setting: Setting) -> Iterator[Row]:
    """Mask samples with every method; judge each result by every distance."""
    seeds = setting.seeds(5)
    size = setting.size(RECORDS)
    for table, whole in public_tables(setting).items():
        for seed in seeds:
            data = draw(whole, size, seed)
            for family, (make, levels) in FAMILIES.items():
                for level in setting.levels(levels):
                    if level is not None and 2 * level > size:
                        continue
                    result = make(level).mask(data, seed=seed)
                    found: dict[tuple[str, str], float | None] = {}
                    for yardstick in (OWN, *YARDSTICKS):
                        score = om.evaluate(data, result, distance=yardstick, attacks=False)
                        found |= {("loss", yardstick): score.loss_percent, ("srl", yardstick): score.srl}
                        if yardstick != OWN:
                            found["sdcor_change", yardstick] = figures(score)["sdcor_change", "AB"]
                    yield from rows(found, table=table, method=family, level=level, seed=seed)


def on_frontier(family: str, yardsticks: Sequence[str], cost: str = "loss") -> Rule:
    """No other method has both less linkage and less loss.

    The margin is the smallest factor (as a logarithm) by which every other method is worse in one of the two.
    """

    def rule(measured: Rows) -> pl.DataFrame:
        def cases() -> Iterator[tuple[str, str, int, float]]:
            for (table, seed, yardstick), here in points(measured, cost).group_by("table", "seed", "columns"):
                if yardstick not in yardsticks:
                    continue
                all_points = list(here.select("method", "level", "srl", cost).iter_rows())
                for method, level, risk, loss in all_points:
                    if method == family:
                        beaten = [max(_factor(r, risk), _factor(c, loss)) for m, _, r, c in all_points if m != family]
                        yield str(table), f"{yardstick}|{level:g}", int(str(seed)), min(beaten)

        return margins(cases())

    return rule


def _factor(other: float, own: float) -> float:
    """The logarithm of the factor by which the other is larger; figures below a thousandth count as that."""
    return log(max(other, 1e-3) / max(own, 1e-3))


def points(measured: Rows, cost: str = "loss") -> pl.DataFrame:
    """Linkage and cost of every method, level, seed and judging distance."""
    keys = ["table", "method", "level", "columns", "seed"]
    frame = measured.frame.filter(pl.col("measure").is_in(["srl", cost]))
    return frame.pivot("measure", index=keys, values="value").drop_nulls(["srl", cost])


def losses_at_equal_linkage(measured: Rows, table: str, yardstick: str) -> dict[str, float]:
    """For each family, the smallest loss relative to the line of refined microaggregation at the same linkage."""
    means = (
        points(measured).filter((pl.col("table") == table) & (pl.col("columns") == yardstick))
        .group_by("method", "level", maintain_order=True)
        .agg(pl.col("srl").mean(), pl.col("loss").mean())
    )  # fmt: skip
    line = sorted(means.filter(pl.col("method") == REFINED).select("srl", "loss").iter_rows())
    found: dict[str, float] = {}
    for method, risk, loss in means.select("method", "srl", "loss").iter_rows():
        if method != REFINED and line[0][0] <= risk <= line[-1][0]:
            above = next(i for i, (r, _) in enumerate(line) if r >= risk)
            (r0, l0), (r1, l1) = line[max(above - 1, 0)], line[above]
            part = (log(risk) - log(r0)) / (log(r1) - log(r0)) if r1 > r0 else 0.0
            expected = l0 * (l1 / l0) ** part
            found[method] = min(found.get(method, loss / expected), loss / expected)
    return found


CLAIMS = (
    Claim(
        "refined-on-frontier-by-others",
        "Microaggregation is on the frontier of linkage and loss, judged by distances that did not mask",
        "ours",
        on_frontier(REFINED, YARDSTICKS),
        glance="Refined microaggregation is on the frontier of risk and loss",
    ),
    Claim(
        "refined-on-frontier-by-itself",
        "… and judged by the distance that masked",
        "ours",
        on_frontier(REFINED, (OWN,)),
        "Masking, loss and linkage by one distance flatter the method that minimises this distance. Generalisation "
        "minimises its own cost, which counts leaves, not distances.",
    ),
    Claim(
        "swapping-on-frontier-of-dependence",
        "Rank swapping is on the frontier of linkage and the change of dependence (sdCor)",
        "ours",
        on_frontier("rank swapping", YARDSTICKS, "sdcor_change"),
        "Swapping keeps the distribution of each column exactly, and near records keep pairs together.",
        glance="Rank swapping is on the frontier of risk and dependence",
    ),
)


def figure(measured: Rows) -> Figure:
    """Linkage by loss, judged by the path distance, and the frontier."""
    charts = []
    for table in measured.tables:
        series = []
        for style, family in enumerate(FAMILIES):
            levels = measured.levels(table, family) or (None,)
            xs = [measured.mean("loss", family, level, table, "path") for level in levels]
            ys = [measured.mean("srl", family, level, table, "path") for level in levels]
            labels = [f"k = {level:g}" if family == REFINED else "" for level in levels]
            series.append(Points(family, xs, ys, labels=labels, style=style))
        spots = [(x, y) for one in series for x, y, _ in one.drawn if x > 0]
        best = [p for p in spots if not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in spots)]
        charts.append(
            ScatterChart(
                series,
                frontier=best,
                frontier_name="frontier",
                x_title="loss L (%)",
                y_title="linked by nearest meaning, SRL (%)",
                title=table,
                log_x=True,
                width=520,
                height=340,
            )
        )
    return small_multiples(charts, columns=2, title="Risk and loss, judged by the path distance")


def answer(measured: Rows) -> str:
    """The answer with its figures."""
    parts = []
    for table in measured.tables:
        found = losses_at_equal_linkage(measured, table, "path")
        ranked = sorted(found, key=found.__getitem__)
        shown = ", ".join(f"{name} {found[name]:.1f}" for name in ranked[:4])
        parts.append(f"on {table}: {shown}")
    flat = losses_at_equal_linkage(measured, DIABETES, OWN)
    return (
        "Refined microaggregation, the default, or generalisation by cost. Judged by the path distance, the best "
        "level of other methods loses this many times as much as microaggregation with the same linkage: "
        f"{'; '.join(parts)}. So over ICD-9-CM, a tree, generalisation is better than microaggregation if another "
        f"distance judges; judged by the distance that masked, it loses {flat['generalisation']:.1f} times as much. "
        "If the dependence between columns counts instead of the loss, look at rank swapping; it gives no guarantee."
    )


def tables(measured: Rows) -> dict[str, str]:
    """Loss and linkage of every method, judged by each distance."""
    found = {}
    for table in measured.tables:
        lines = []
        for family in FAMILIES:
            for level in measured.levels(table, family) or (None,):
                cells = [
                    f"{measured.mean('loss', family, level, table, y):.1f} / "
                    f"{measured.mean('srl', family, level, table, y):.2f}"
                    for y in (OWN, *YARDSTICKS)
                ]
                lines.append([f"{family} {'' if level is None else f'{level:g}'}".strip(), *cells])
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
        "record that is left out counts as moved by 1 in every column. The claims ask for each level and judging "
        "distance whether another method is better in both figures, sample by sample."
    ),
    claims=CLAIMS,
    tables=tables,
)
