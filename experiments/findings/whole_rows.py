"""A release is the whole row: what kept columns give away, and all eight quasi-identifiers of Adult beside ARX."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ontomask as om
from experiments.framework.claims import computed
from experiments.framework.measurements import Figures, Make, Row, Rows, measure, rows
from experiments.framework.pages import Experiment, by_level
from experiments.framework.settings import Setting
from experiments.framework.tables import ADULT, other_ties
from ontomask.distance.information import summed_below
from ontomask.examples.adult import adult_attributes, adult_data, full_adult_data
from ontomask.figures import Figure, LineChart, small_multiples
from ontomask.hierarchy import with_true_ranges
from ontomask.kinds import NominalColumn

KS = (2, 5, 10, 50)
PAIR = "two columns masked, six kept"
OURS = "generalisation, ARX's files"
MEANING = "microaggregation by meaning"
ARX = "ARX 3.9.2, local recoding"
# NCP and L in percent of ARX's local recoding (step 1/n) of this table. They are given, not measured here: no claim.
ARX_FIGURES = {5: {("ncp", ""): 5.4, ("loss", ""): 6.2}, 10: {("ncp", ""): 8.4}, 50: {("ncp", ""): 15.7}}


def over_arx_hierarchies(folder: Path) -> om.Microdata:
    """All eight columns as nominal values over ARX's hierarchies."""
    names = list(adult_attributes())
    frame = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False).select(names)
    files = {name: om.read_hierarchy(folder / f"adult_hierarchy_{name}.csv") for name in names}
    return om.Microdata(frame, {name: om.Nominal(with_true_ranges(h).to_taxonomy()) for name, h in files.items()})


def penalty(data: om.Microdata, result: om.Result) -> float:
    """NCP: for each cell (leaves below the released node − 1) / (leaves − 1), the mean in percent (Xu 2006)."""
    found = []
    for name, column in data.quasi_identifiers.items():
        released = result.data.columns[name]
        assert isinstance(column, NominalColumn)
        assert isinstance(released, NominalColumn)
        graph = column.domain.graph
        leaves = summed_below(column.domain, (np.diff(graph.child_start) == 0).astype(float))
        before, after = column.point[column.code], released.point[released.code]
        found.append(np.where(before == after, 0.0, (leaves[after] - 1) / (leaves[0] - 1)).mean())
    return 100 * float(np.mean(found))


def run(setting: Setting) -> Iterator[Row]:
    """Mask two columns and keep six; mask all eight by meaning; and all eight over ARX's hierarchies."""
    runs: dict[str, tuple[om.Microdata, Make]] = {
        PAIR: (adult_data(), om.Microaggregation),
        MEANING: (full_adult_data(), om.Microaggregation),
    }
    if setting.arx_adult is not None:
        runs[OURS] = over_arx_hierarchies(setting.arx_adult), om.Generalisation
    ks, seeds, kept = setting.levels(KS), setting.seeds(5), ("loss", "srl")
    for name, (data, make) in runs.items():
        tied = partial(retied, data, setting.size(len(data)))
        yield from measure(ADULT, tied, {name: make}, ks, seeds, only=kept, more=whole_row)
    for k, known in ARX_FIGURES.items():
        yield from rows(known, table=ADULT, method=ARX, level=k)


def whole_row(data: om.Microdata, result: om.Result, score: om.Evaluation) -> Figures:
    """What all columns give away, and the penalty of generalisation."""
    found = {("uniques", ""): score.all_columns.uniques, ("linked", ""): score.all_columns.linked}
    return found | ({("ncp", ""): penalty(data, result)} if isinstance(result.method, om.Generalisation) else {})


def retied(data: om.Microdata, size: int, seed: int) -> om.Microdata:
    """The first records with another order of ties, and with the columns that are kept."""
    tied, kept = other_ties(data, seed), data.frame.select(*data.other, *data.confidential)
    kinds = {name: column.kind for name, column in tied.quasi_identifiers.items()}
    return om.Microdata(tied.frame.hstack(kept).head(size), kinds, other=data.other, confidential=data.confidential)


RULES = {
    "kept-columns-single-out": computed(pl.col("uniques") - 100 / 3, methods=PAIR),
    "half-of-the-limit-is-linked": computed(50 / pl.col("level") - pl.col("linked"), methods=(MEANING, OURS)),
}


def figure(measured: Rows) -> Figure:
    """Linked records over the whole row, and the penalty of generalisation, by k."""
    charts = []
    for what, title in (("linked", "linked over the whole row (%)"), ("ncp", "penalty NCP (%)")):
        # What was not measured has no line, and a logarithmic axis has no 0.
        lines = [
            measured.line(name, what, name, ADULT, style=style, levels=ks)
            for style, name in enumerate((PAIR, MEANING, OURS, ARX))
            if (ks := [k for k in KS if measured.mean(what, name, k, ADULT) > 0])
        ]
        charts.append(LineChart(lines, x_title="k", y_title=title, log_x=True, log_y=True, width=360, height=240))
    return small_multiples(charts, columns=2, title="Eight quasi-identifiers of Adult")


def facts(measured: Rows) -> dict[str, dict[str, Any]]:
    """The figures of the answer, by method: at k = 5, and all penalties that are given for ARX."""
    whats, methods = ("uniques", "linked", "loss", "ncp"), {"pair": PAIR, "meaning": MEANING, "ours": OURS, "arx": ARX}
    found: dict[str, dict[str, Any]] = {}
    for name, method in methods.items():
        by_k = ", ".join(f"{measured.mean('ncp', method, k, ADULT):.1f}" for k in ARX_FIGURES)
        found[name] = {"by_k": by_k, **{what: measured.mean(what, method, 5, ADULT) for what in whats}}
    return found


def tables(measured: Rows) -> dict[str, str]:
    """All figures by k."""
    titles = {"loss": "L in percent", "srl": "SRL in percent", "linked": "Linked over the whole row, in percent",
              "uniques": "Unique rows, in percent", "ncp": "NCP in percent (ARX: given, not measured)"}  # fmt: skip
    return {title: by_level(measured, what) for what, title in titles.items()}


EXPERIMENT = Experiment(__file__, run, figure, facts, RULES, tables, {"given": tuple(ARX_FIGURES)})
