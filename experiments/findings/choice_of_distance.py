"""Does the choice of a distance matter? Mask with every distance, and evaluate with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import polars as pl

import ontomask as om
from experiments.framework.claims import VALUE, Claim, by_case
from experiments.framework.measurements import Figures, Row, Rows, measure
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import PUBLISHED, draw, public_tables, under
from ontomask.figures import BarChart, Bars, Figure, small_multiples

RECORDS = 1000
# The distances for evaluation and linkage: one or two per family.
YARDSTICKS = ("wu_palmer", "path", "log_sc", "lin", "jiang_conrath")
GROUPED, SWAPPED = "microaggregation, k = 5", "rank swapping, k = 10"
METHODS: Mapping[str, om.Method] = {GROUPED: om.Microaggregation(5), SWAPPED: om.RankSwapping(10)}


def run(setting: Setting) -> Iterator[Row]:
    """The loss and linkage of each method, masking distance and evaluating distance."""
    judges = YARDSTICKS[:2] if setting.quick else YARDSTICKS

    def judged(data: om.Microdata, result: om.Result) -> Figures:
        scores = {name: om.evaluate(data, result, distance=name, attacks=False) for name in judges}
        both = ({("loss", name): score.loss_percent, ("srl", name): score.srl} for name, score in scores.items())
        return {key: value for found in both for key, value in found.items()}

    for (table, whole), seed in product(public_tables(setting).items(), setting.seeds(5)):
        data = draw(whole, setting.size(RECORDS), seed)
        for masker in judges if setting.quick else PUBLISHED:
            methods = {f"{name}: {masker}": method for name, method in METHODS.items()}
            yield from measure(table, under(data, masker), methods, [None], [seed], judge=judged)


def beside_own(measured: Rows, method: str, what: str) -> pl.DataFrame:
    """Every figure divided by that of masking with the evaluating distance itself, which is left out."""
    frame = measured.where(pl.col("method").str.starts_with(f"{method}: "), measures=what).frame
    frame = frame.with_columns(masker=pl.col("method").str.split(": ").list.last())
    keys = ["table", "columns", "seed"]
    own = frame.filter(pl.col("masker") == pl.col("columns")).select(*keys, own="value")
    others = frame.filter(pl.col("masker") != pl.col("columns")).join(own, on=keys)
    return others.with_columns(ratio=VALUE / pl.col("own"))


def ratios(measured: Rows, method: str, table: str, what: str) -> dict[str, float]:
    """For each masking distance, the mean ratio over the evaluating distances that did not mask, and the seeds."""
    found = beside_own(measured, method, what).filter(table=table)
    return dict(found.group_by("masker", maintain_order=True).agg(pl.col("ratio").mean()).iter_rows())


def wu_palmer_is_near_the_best(measured: Rows) -> pl.DataFrame:
    """Under each other distance, Wu–Palmer loses at most a quarter more than the best of the others."""
    found = beside_own(measured, GROUPED, "loss").with_columns(mean=VALUE.mean().over("table", "columns", "masker"))
    others = found.filter(pl.col("masker") != "wu_palmer")
    best = others.filter(pl.col("mean") == pl.col("mean").min().over("table", "columns"))
    both = found.filter(masker="wu_palmer").join(best, on=["table", "columns", "seed"], suffix="_best")
    return by_case(both, 1.25 * pl.col("value_best") - VALUE)


TENTH = 1.1 - pl.col("ratio")
CLAIMS = (
    Claim("another-distance-loses-more",
          "Microaggregation with another distance than the evaluating one loses at least a tenth more",
          "ours", lambda measured: by_case(beside_own(measured, GROUPED, "loss"), pl.col("ratio") - 1.1),
          glance="The choice of a distance matters for the loss"),
    Claim("distance-hardly-changes-linkage", "It links at most a tenth more records",
          "ours", lambda measured: by_case(beside_own(measured, GROUPED, "srl"), TENTH),
          "Records with more loss are also linked less.",
          glance="… but another one hardly links more records after microaggregation"),
    Claim("distance-hardly-changes-linkage-of-swapping", "… also after rank swapping",
          "ours", lambda measured: by_case(beside_own(measured, SWAPPED, "srl"), TENTH),
          "Which records are near enough to be swapped depends on the distance.",
          glance="… or after rank swapping"),
    Claim("wu-palmer-is-near-the-best",
          "Judged by distances that did not mask, Wu–Palmer loses at most a quarter more than the best other distance",
          "ours", wu_palmer_is_near_the_best),
)  # fmt: skip


def figure(measured: Rows) -> Figure:
    """Loss and linkage relative to masking with the evaluating distance."""
    charts = []
    for table in measured.tables:
        found = {what: ratios(measured, GROUPED, table, what) for what in ("loss", "srl")}
        maskers = list(found["loss"])
        bars = [
            Bars(title, [found[what][masker] for masker in maskers])
            for what, title in (("loss", "loss (L)"), ("srl", "linked records (SRL)"))
        ]
        charts.append(BarChart(maskers, bars, title=table, value_title="ratio to the evaluating distance", width=300))
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
    srl = beside_own(measured, GROUPED, "srl")["ratio"].to_list()
    return (
        "It matters for the loss, and less for linkage. If records are grouped by another distance than the one that "
        f"judges them, they lose more: {'; '.join(parts)}. The linked records of single samples change by a factor of "
        f"{min(srl):.2f} to {max(srl):.2f}. So choose the distance by what the data are for, and evaluate with a "
        "second one: a distance that judges its own masking favours it."
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
    caption="Loss and linked records, divided by those of masking with the distance that evaluates. 1: equally good.",
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
