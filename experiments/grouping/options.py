"""Tables of two to six columns on which options of k-anonymous methods are compared, and how they are drawn.

For ``microaggregation_variants`` and ``recoding_and_resampling``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.measurements import Make, Row, Rows, measure
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, other_ties
from ontomask.examples import adult_data, diabetes130_data
from ontomask.figures import Line, LineChart
from ontomask.masking.cluster_index import cluster_index
from ontomask.masking.groups import Groups, centroids_of
from ontomask.masking.mdav import clusters_around_extremes
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Sets

__all__ = ["SETUP", "YARDSTICK", "WeighedMDAV", "mean_share", "measured", "relative", "share_text"]

# Makes a table for a seed.
Table = Callable[[int], om.Microdata]

# All methods mask by Wu–Palmer, so the loss is measured by another distance.
YARDSTICK = "path"
RECORDS = 10_000
NOMINAL = ("2 columns", "2 diagnoses", "3 diagnoses")
SETUP = (
    "*Adult*: occupation and native-country over WordNet, alone and with age. *diabetes130*: two and three diagnoses "
    "over ICD-9-CM, and three with age, race and gender; samples of 10,000 records, another with each seed. All mask "
    "with the defaults (Wu–Palmer inside each column's domain); loss and linkage are measured by path length, which "
    "did not mask. Each seed has another order of ties: 10 on two columns of Adult, otherwise 5."
)


@dataclass(frozen=True, repr=False)
class WeighedMDAV(om.Microaggregation):
    """MDAV with ω, the records of a tuple, in all searches (Martínez 2012, eq. 4.2)."""

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        index = cluster_index(tuples, strategy=self.centroid, equality=False)
        found = clusters_around_extremes(index, self.k, fixed=True, weigh_distant=True, weigh_closest=True)
        points = centroids_of(tuples, Sets.of(found.cluster_of, found.tuple_of, found.records), self.centroid)
        start = np.searchsorted(found.tuple_of, np.arange(len(tuples) + 1))
        return Groups(found.cluster_of, points, start, found.records)


def _drawn(data: om.Microdata, size: int, seed: int) -> om.Microdata:
    return other_ties(draw(data, size, seed), seed)


def _wide(path: Path) -> om.Microdata:
    """diabetes130 with three diagnoses, age, race and gender: most records are unique."""
    frame = pl.read_csv(path, infer_schema=False, columns=["age", "race", "gender"])

    def unordered(name: str) -> om.Nominal:
        return om.Nominal(om.Taxonomy.from_edges([(value, f"any {name}") for value in sorted(set(frame[name]))]))

    ages = om.Ordinal(sorted(set(frame["age"])))
    return diabetes130_data(path, others={"age": ages, "race": unordered("race"), "gender": unordered("gender")})


def measured(
    setting: Setting, methods: Mapping[str, Make], only: Sequence[str], nominal: Mapping[str, Make] | None = None
) -> Iterator[Row]:
    """Mask and evaluate all tables; the methods in ``nominal`` only those that have nominal columns alone."""

    def part(table: str, columns: str, of: Table, ks: Sequence[int], seeds: int = 5) -> Iterator[Row]:
        made = {**methods, **(nominal or {})} if columns in NOMINAL else methods
        levels = setting.levels(ks)
        for row in measure(table, of, made, levels, setting.seeds(seeds), distance=YARDSTICK, only=only):
            yield {**row, "columns": columns}

    pair, aged = adult_data(), adult_data(numeric=("age",), scale="range")
    yield from part(ADULT, "2 columns", partial(other_ties, pair), (2, 5, 20, 100, 500, 1800), 10)
    yield from part(ADULT, "with age", partial(other_ties, aged), (2, 5, 20, 100, 500))
    if setting.diabetes130 is not None:
        path, size = setting.diabetes130, setting.size(RECORDS)
        two, three = diabetes130_data(path, "diag_1", "diag_2"), diabetes130_data(path)
        yield from part(DIABETES, "2 diagnoses", partial(_drawn, two, size), (2, 5, 20, 100))
        yield from part(DIABETES, "3 diagnoses", partial(_drawn, three, size), (2, 5, 20))
        yield from part(DIABETES, "6 columns", partial(_drawn, _wide(path), size), (5, 20))


def relative(
    rows: Rows, name: str, methods: Sequence[str], beside: str, *, title: str = "", first_style: int = 0, **shape: Any
) -> list[LineChart]:
    """For each table, a measure of methods as a multiple of another's; bands: smallest and largest seed."""
    charts = []
    shape = {"width": 220, "height": 150, **shape}
    share = pl.col("value") / pl.col("other")
    for table, columns in rows.frame.select("table", "columns").unique(maintain_order=True).iter_rows():
        part = rows.where(measures=name, tables=table, columns=columns).frame
        other = part.filter(method=beside).select("level", "seed", other="value")
        groups = part.join(other, on=["level", "seed"]).group_by("method", "level")
        times = groups.agg(mean=share.mean(), low=share.min(), high=share.max()).sort("level")
        lines = []
        for style, method in enumerate(methods, start=first_style):
            line = times.filter(method=method)
            if len(line):
                ks, mean, low, high = (line[name].to_list() for name in ("level", "mean", "low", "high"))
                # A logarithmic axis would end at the next power of ten.
                lines.append(Line(method, [f"{k:,g}" for k in ks], mean, low=low, high=high, style=style))
        heading = title + ", ".join(filter(None, (table, columns)))
        charts.append(LineChart(lines, title=heading, x_title="k", **shape))
    return charts


def mean_share(rows: Rows, name: str, method: str, other: str) -> tuple[float, float]:
    """The smallest and the largest multiple that the mean of a method is of another's."""
    by_method = rows.where(measures=name, methods=(method, other)).wide("method")
    means = by_method.group_by("table", "columns", "level").agg(pl.col(method, other).mean())
    shares = (means[method] / means[other]).drop_nulls().to_list()
    return min(shares), max(shares)


def share_text(rows: Rows, name: str, method: str, other: str) -> str:
    """The range of `mean_share` in words."""
    low, high = mean_share(rows, name, method, other)
    return f"{low:.2f} to {high:.2f} times"
