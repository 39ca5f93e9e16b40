"""Does the choice of a distance matter? Mask with every distance, and evaluate with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import polars as pl

import ontomask as om
from experiments.framework.claims import VALUE, Rule, by_case
from experiments.framework.measurements import Figures, Row, Rows, Spread, bars, measure
from experiments.framework.pages import Experiment, markdown
from experiments.framework.settings import Setting
from experiments.framework.tables import PUBLISHED, draw, public_tables, under
from ontomask.figures import BarChart, Figure, small_multiples

RECORDS = 1000
# The distances for evaluation and linkage: one or two per family.
YARDSTICKS = ("wu_palmer", "path", "log_sc", "lin", "jiang_conrath")
GROUPED, SWAPPED = "microaggregation, k = 5", "rank swapping, k = 10"
METHODS: Mapping[str, om.Method] = {GROUPED: om.Microaggregation(5), SWAPPED: om.RankSwapping(10)}


def run(setting: Setting) -> Iterator[Row]:
    """The loss and linkage of each method, masking distance and evaluating distance."""
    judges = YARDSTICKS[:2] if setting.quick else YARDSTICKS

    def judged(data: om.Microdata, result: om.Result) -> Figures:
        found = {}
        for name in judges:
            score = om.evaluate(data, result, distance=name, attacks=False)
            found |= {("loss", name): score.loss_percent, ("srl", name): score.srl}
        return found

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


def ratios(measured: Rows, method: str, table: str, what: str) -> dict[str, Spread]:
    """For each masking distance, the mean ratio over the evaluating distances that did not mask, over the seeds."""
    found, ratio = beside_own(measured, method, what).filter(table=table), pl.col("ratio")
    by_seed = found.group_by("masker", "seed", maintain_order=True).agg(ratio.mean())
    spreads = by_seed.group_by("masker", maintain_order=True).agg(
        mean=ratio.mean(), sd=ratio.std(), low=ratio.min(), high=ratio.max()
    )
    return {masker: Spread(*of) for masker, *of in spreads.iter_rows()}


def wu_palmer_is_near_the_best(measured: Rows) -> pl.DataFrame:
    """Under each other distance, Wu–Palmer loses at most a quarter more than the best of the others."""
    found = beside_own(measured, GROUPED, "loss").with_columns(mean=VALUE.mean().over("table", "columns", "masker"))
    others = found.filter(pl.col("masker") != "wu_palmer")
    best = others.filter(pl.col("mean") == pl.col("mean").min().over("table", "columns"))
    both = found.filter(masker="wu_palmer").join(best, on=["table", "columns", "seed"], suffix="_best")
    return by_case(both, 1.25 * pl.col("value_best") - VALUE)


MORE = pl.col("ratio") - 1.1
RULES: Mapping[str, Rule] = {
    "another-distance-loses-more": lambda measured: by_case(beside_own(measured, GROUPED, "loss"), MORE),
    "distance-hardly-changes-linkage": lambda measured: by_case(beside_own(measured, GROUPED, "srl"), -MORE),
    "distance-hardly-changes-linkage-of-swapping": lambda measured: by_case(
        beside_own(measured, SWAPPED, "srl"), -MORE
    ),
    "wu-palmer-is-near-the-best": wu_palmer_is_near_the_best,
}


def figure(measured: Rows) -> Figure:
    """Loss and linkage relative to masking with the evaluating distance."""
    charts = []
    for table in measured.tables:
        loss, linked = (ratios(measured, GROUPED, table, what) for what in ("loss", "srl"))
        series = [bars("loss (L)", loss.values()), bars("linked records (SRL)", linked.values())]
        title = "ratio to the evaluating distance"
        charts.append(BarChart(list(loss), series, title=table, value_title=title, width=300))
    return small_multiples(charts, columns=2, title="Microaggregation, k = 5, by masking distance", same_scale=True)


def facts(measured: Rows) -> dict[str, object]:
    """The figures of the answer: by table, how many percent more is lost."""
    found: dict[str, object] = {}
    for table in measured.tables:
        more = {masker: 100 * (ratio.mean - 1) for masker, ratio in ratios(measured, GROUPED, table, "loss").items()}
        best, *_, worst = sorted(more, key=more.__getitem__)
        found[table] = {**more, "best": best, "worst": worst, "least": more[best], "most": more[worst]}
    for name, method in (("grouped", GROUPED), ("swapped", SWAPPED)):
        linked, ratio = beside_own(measured, method, "srl"), pl.col("ratio")
        means = linked.group_by("table", "columns", "masker").agg(ratio.mean())["ratio"].to_list()
        single, mean = (f"{min(of):.2f} to {max(of):.2f}" for of in (linked["ratio"].to_list(), means))
        more = f"{sum(one > 1.1 for one in means)} of {len(means)}"
        found[name] = {"single": single, "mean": mean, "more": more}
    return found


def tables(measured: Rows) -> dict[str, str]:
    """The ratios of all methods and distances."""
    found = {}
    for what, title in (("loss", "Loss"), ("srl", "Linked records")):
        both = product(measured.tables, METHODS)
        shown = {f"{table}: {method}": ratios(measured, method, table, what) for table, method in both}
        maskers = next(iter(shown.values()))
        lines = [[masker, *(f"{one[masker].mean:.2f}" for one in shown.values())] for masker in maskers]
        found[f"{title} relative to masking with the evaluating distance"] = markdown(["masked with", *shown], lines)
    return found


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"records": RECORDS})
