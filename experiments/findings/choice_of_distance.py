"""Does the choice of a distance matter? Mask with every distance, and evaluate with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import polars as pl

import ontomask as om
from experiments.framework.claims import Claim, margins
from experiments.framework.measurements import Row, Rows, rows
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import PUBLISHED, draw, public_tables, under
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RECORDS = 1000
# The distances for evaluation and linkage: one or two per family.
YARDSTICKS = ("wu_palmer", "path", "log_sc", "lin", "jiang_conrath")
METHODS: Mapping[str, om.Method] = {
    "microaggregation, k = 5": om.Microaggregation(5),
    "rank swapping, k = 10": om.RankSwapping(10),
}
GROUPED, SWAPPED = METHODS


def run(setting: Setting) -> Iterator[Row]:
    """The loss and linkage of each method, masking distance and evaluating distance."""
    maskers = YARDSTICKS[:2] if setting.quick else PUBLISHED
    yardsticks = YARDSTICKS[:2] if setting.quick else YARDSTICKS
    for (table, whole), seed in product(public_tables(setting).items(), setting.seeds(5)):
        data = draw(whole, setting.size(RECORDS), seed)
        for masker, (name, method) in product(maskers, METHODS.items()):
            result = method.mask(under(data, masker), seed=seed)
            for yardstick in yardsticks:
                score = om.evaluate(data, result, distance=yardstick, attacks=False)
                found = {("loss", yardstick): score.loss_percent, ("srl", yardstick): score.srl}
                yield from rows(found, table=table, method=f"{name}: {masker}", seed=seed)


def beside_own(measured: Rows, method: str) -> pl.DataFrame:
    """Every figure divided by that of masking with the evaluating distance itself, which is left out."""
    frame = measured.frame.filter(pl.col("method").str.starts_with(f"{method}: "))
    frame = frame.with_columns(masker=pl.col("method").str.split(": ").list.last())
    own = frame.filter(pl.col("masker") == pl.col("columns"))
    keys = ["table", "measure", "columns", "seed"]
    return (
        frame.filter(pl.col("masker") != pl.col("columns"))
        .join(own.select(*keys, own="value"), on=keys)
        .with_columns(ratio=pl.col("value") / pl.col("own"))
    )


def ratios(measured: Rows, method: str, table: str, measure: str) -> dict[str, float]:
    """For each masking distance, the mean ratio over the evaluating distances that did not mask, and the seeds."""
    chosen = beside_own(measured, method).filter((pl.col("table") == table) & (pl.col("measure") == measure))
    means = chosen.group_by("masker", maintain_order=True).agg(pl.col("ratio").mean())
    return dict(means.iter_rows())


def another_loses_more(measured: Rows) -> pl.DataFrame:
    """Another distance loses at least a tenth more than the evaluating one."""
    found = beside_own(measured, GROUPED).filter(pl.col("measure") == "loss")
    return _margins(found, pl.col("ratio") - 1.1)


def linkage_stays(measured: Rows) -> pl.DataFrame:
    """Another distance changes the linked records by less than a fifth."""
    found = beside_own(measured, GROUPED).filter(pl.col("measure") == "srl")
    return _margins(found, 0.2 - (pl.col("ratio") - 1).abs())


def _margins(found: pl.DataFrame, margin: pl.Expr) -> pl.DataFrame:
    case = pl.concat_str("masker", "columns", separator="|")
    return found.select("table", case.alias("case"), "seed", margin.alias("margin"))


def wu_palmer_is_near_the_best(measured: Rows) -> pl.DataFrame:
    """Under each other distance, Wu–Palmer loses at most a quarter more than the best of the others."""
    found = beside_own(measured, GROUPED).filter(pl.col("measure") == "loss")
    means = found.group_by("table", "columns", "masker").agg(pl.col("value").mean()).sort("value")
    best = means.filter(pl.col("masker") != "wu_palmer").group_by("table", "columns", maintain_order=True).first()

    def cases() -> Iterator[tuple[str, str, int, float]]:
        for table, yardstick, masker, _ in best.select("table", "columns", "masker", "value").iter_rows():
            here = found.filter((pl.col("table") == table) & (pl.col("columns") == yardstick))
            wide = here.pivot("masker", index="seed", values="value")
            if "wu_palmer" in wide.columns:
                for seed, ours, least in wide.select("seed", "wu_palmer", masker).iter_rows():
                    yield table, yardstick, seed, 1.25 * least - ours

    return margins(cases())


CLAIMS = (
    Claim(
        "another-distance-loses-more",
        "Microaggregation with another distance than the evaluating one loses at least a tenth more",
        "ours",
        another_loses_more,
        glance="The choice of a distance matters for the loss",
    ),
    Claim(
        "distance-hardly-changes-linkage",
        "It changes the linked records by less than a fifth",
        "ours",
        linkage_stays,
        glance="… and hardly for linkage",
    ),
    Claim(
        "wu-palmer-is-near-the-best",
        "Judged by distances that did not mask, Wu–Palmer loses at most a quarter more than the best other distance",
        "ours",
        wu_palmer_is_near_the_best,
    ),
)


def figure(measured: Rows) -> Figure:
    """Loss and linkage relative to masking with the evaluating distance."""
    charts = []
    for table in measured.tables:
        found = {what: ratios(measured, GROUPED, table, what) for what in ("loss", "srl")}
        maskers = sorted(found["loss"], key=lambda masker: found["loss"][masker])
        bars = [
            Bars(title, [found[what][masker] for masker in maskers])
            for what, title in (("loss", "loss (L)"), ("srl", "linked records (SRL)"))
        ]
        charts.append(BarChart(maskers, bars, title=table, value_title="ratio to the evaluating distance", width=420))
    return small_multiples(charts, columns=2, title="Microaggregation, k = 5, by masking distance", same_scale=True)


def answer(measured: Rows) -> str:
    """The answer with its figures."""
    parts = []
    for table in measured.tables:
        losses = ratios(measured, GROUPED, table, "loss")
        best, worst = min(losses, key=losses.__getitem__), max(losses, key=losses.__getitem__)
        parts.append(
            f"on {table} from {100 * (losses[best] - 1):.0f} % more ({best}) to {100 * (losses[worst] - 1):.0f} % more "
            f"({worst}), with Wu–Palmer {100 * (losses['wu_palmer'] - 1):.0f} %"
        )
    srl = [ratio for table in measured.tables for ratio in ratios(measured, GROUPED, table, "srl").values()]
    return (
        "It matters for the loss, and hardly for linkage. If records are grouped by another distance than the one that "
        f"judges them, they lose more: {'; '.join(parts)}. The linked records change by a factor of {min(srl):.2f} to "
        f"{max(srl):.2f}. So choose the distance by what the data are for, and evaluate with a second one: a distance "
        "that judges its own masking flatters."
    )


def tables(measured: Rows) -> dict[str, str]:
    """The ratios of all methods and distances."""
    found = {}
    for what, title in (("loss", "Loss"), ("srl", "Linked records")):
        columns = [(table, name) for table in measured.tables for name in METHODS]
        shown = [ratios(measured, name, table, what) for table, name in columns]
        lines = [[masker, *(f"{one[masker]:.2f}" for one in shown)] for masker in shown[0]]
        head = ["masked with", *(f"{table}: {name}" for table, name in columns)]
        found[f"{title} relative to masking with the evaluating distance"] = markdown(head, lines)
    return found


EXPERIMENT = Experiment(
    title="The choice of a distance",
    question="Does the choice of a distance matter for loss and linkage?",
    measure=run,
    figure=figure,
    caption="A ratio of 1 means that masking with this distance is as good as with the evaluating one. Less is better.",
    answer=answer,
    setup=(
        f"{RECORDS:,} random records of each table, five seeds. They are masked with each distance and evaluated with "
        f"{', '.join(YARDSTICKS)}. Each figure is divided by that of masking with the evaluating distance, and "
        "averaged over the evaluating distances that did not mask. Noise is left out: its α is relative to the "
        "variance under the masking distance, so equal levels are not comparable."
    ),
    claims=CLAIMS,
    tables=tables,
)
