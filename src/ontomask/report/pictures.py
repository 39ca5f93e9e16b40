"""The figures of a report, drawn from its plain data."""

from __future__ import annotations

from typing import Any

from ontomask.comparison.results import Comparison
from ontomask.figures import BarChart, Bars, Figure, Heatmap, small_multiples
from ontomask.report.contents import ComparisonFacts, Dependence, Distribution, Exposure

__all__ = ["MOST_IN_MATRIX", "draw_comparison", "draw_dependence", "draw_distribution", "draw_exposure"]

# Larger matrices cannot be read on paper, and make a heavy page.
MOST_IN_MATRIX = 24
_SIDE_BY_SIDE = 12


def draw_distribution(told: Distribution) -> Figure:
    """Bars before and after, one pair a category."""
    return BarChart(
        told.categories,
        [Bars("original", told.original), Bars("masked", told.masked)],
        value_title="records",
        title=told.column,
        horizontal=True,
        width=280,
        height=max(60, 24 * len(told.categories)),
    ).figure()


def draw_dependence(told: Dependence) -> Figure:
    """The correlation matrices side by side; those of many columns one above the other."""
    names = told.columns[:MOST_IN_MATRIX]
    charts = [
        Heatmap(
            [[float("nan") if value is None else value for value in row[: len(names)]] for row in matrix[: len(names)]],
            names,
            names,
            title=title,
            value_title="sdCor",
            value_range=(0.0, 1.0),
        )
        for title, matrix in (("original", told.before), ("masked", told.after))
    ]
    return small_multiples(charts, columns=2 if len(names) <= _SIDE_BY_SIDE else 1, same_scale=True)


def draw_comparison(told: ComparisonFacts) -> Figure:
    """The map of risk and loss."""
    rows: list[dict[str, Any]] = []
    for m in told.methods:
        run = {"method": m.method, "family": m.family, "seed": 0, "columns": m.columns, "error": None}
        rows.append({**run, **m.measures})
        if m.failed:
            rows.append({**run, "error": "failed"})
    return Comparison(tuple(rows)).figure(told.risk, told.loss)


def draw_exposure(told: Exposure) -> Figure:
    """How many records are linked with which chance."""
    return BarChart(
        [band.chance for band in told.bands],
        [Bars("", [band.records for band in told.bands])],
        value_title="records",
        horizontal=True,
        title="Records by the chance of being linked",
    ).figure()
