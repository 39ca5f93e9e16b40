"""Methods as printed, and tables of two to six columns on which options of methods are compared, and how to draw them.

The tables are for ``microaggregation_variants`` and ``recoding_and_resampling``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ontomask as om
from experiments.framework.measurements import Make, Row, Rows, measure
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, DIABETES, draw, other_ties
from ontomask.examples import adult_data, diabetes130_data
from ontomask.figures import Line, LineChart
from ontomask.masking.cluster_index import cluster_index
from ontomask.masking.groups import Groups, centroids_of, columns_of
from ontomask.masking.mdav import clusters_around_extremes
from ontomask.microdata.tuples import Tuples
from ontomask.operators.space import Sets

# All methods mask by Wu–Palmer, so the loss is measured by another distance.
YARDSTICK = "path"
# Of diabetes130, by seed.
RECORDS = 10_000


@dataclass(frozen=True, repr=False)
class WeighedMDAV(om.Microaggregation):
    """MDAV with ω, the records of a tuple, in all searches (Martínez 2012, eq. 4.2)."""

    def _group(self, tuples: Tuples, rng: np.random.Generator) -> Groups:  # noqa: ARG002
        index = cluster_index(tuples, strategy=self.centroid, equality=False)
        found = clusters_around_extremes(index, self.k, fixed=True, weigh_distant=True, weigh_closest=True)
        points = centroids_of(tuples, Sets.of(found.cluster_of, found.tuple_of, found.records), self.centroid)
        start = np.searchsorted(found.tuple_of, np.arange(len(tuples) + 1))
        return Groups(found.cluster_of, points, start, found.records)


@dataclass(frozen=True, repr=False)
class AsPrinted(om.Resampling):
    """Resampling sorted by Martínez 2012, Algorithm 1, as printed.

    Both the most distant record and the order go by the distance times ω, a tuple's records in the sample (eq. 4.2).
    """

    def _extremes(self, tuples: Tuples, sets: Sets, rng: np.random.Generator) -> NDArray[np.intp]:
        centres = [points[sets.number] for points in centroids_of(tuples, sets, self.centroid)]
        weighed = self._apart(tuples, columns_of(tuples, sets.index), centres) * sets.counts
        return np.lexsort((rng.random(len(weighed)), -weighed, sets.number))[sets.start[:-1]]

    def _from_reference(self, tuples: Tuples, sets: Sets, rng: np.random.Generator) -> NDArray[np.float64]:
        distances = super()._from_reference(tuples, sets, rng)
        # The extreme itself stays first, at -1.
        return np.where(distances > 0, distances * sets.counts, distances)


def _wide(path: Path) -> om.Microdata:
    """diabetes130 with three diagnoses, age, race and gender: most records are unique."""
    frame = pl.read_csv(path, infer_schema=False, columns=["age", "race", "gender"])
    values = {name: sorted(set(frame[name])) for name in frame.columns}
    kinds: dict[str, Any] = {
        name: om.Nominal(om.Taxonomy.from_edges([(value, f"any {name}") for value in values[name]]))
        for name in ("race", "gender")
    }
    return diabetes130_data(path, others={"age": om.Ordinal(values["age"]), **kinds})


def measured(
    setting: Setting, methods: Mapping[str, Make], only: Sequence[str], nominal: Mapping[str, Make] | None = None
) -> Iterator[Row]:
    """Mask and evaluate all tables; the methods in ``nominal`` only those that have nominal columns alone."""

    def part(table: str, columns: str, data: om.Microdata, ks: Sequence[int], seeds: int = 5) -> Iterator[Row]:
        size = setting.size(RECORDS) if table == DIABETES else len(data)

        def sample(seed: int) -> om.Microdata:
            return other_ties(draw(data, size, seed), seed)

        made = {**methods, **(nominal or {})} if columns not in ("with age", "6 columns") else methods
        levels = setting.levels(ks)
        for row in measure(table, sample, made, levels, setting.seeds(seeds), distance=YARDSTICK, only=only):
            yield {**row, "columns": columns}

    yield from part(ADULT, "2 columns", adult_data(), (2, 5, 20, 100, 500, 1800), 10)
    yield from part(ADULT, "with age", adult_data(numeric=("age",), scale="range"), (2, 5, 20, 100, 500))
    if (path := setting.diabetes130) is not None:
        yield from part(DIABETES, "2 diagnoses", diabetes130_data(path, "diag_1", "diag_2"), (2, 5, 20, 100))
        yield from part(DIABETES, "3 diagnoses", diabetes130_data(path), (2, 5, 20))
        yield from part(DIABETES, "6 columns", _wide(path), (5, 20))


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
        # The levels are texts: a logarithmic axis would end at the next power of ten.
        lines = [
            Line(method, [f"{k:,g}" for k in of["level"]], of["mean"], low=of["low"], high=of["high"], style=style)
            for style, method in enumerate(methods, start=first_style)
            if len(of := times.filter(method=method))
        ]
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
