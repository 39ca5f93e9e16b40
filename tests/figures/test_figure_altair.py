"""Figures as Vega-Lite specifications: plain data that Altair accepts."""

from __future__ import annotations

import json
import sys

import pytest

import ontomask as om
from ontomask.figures import BarChart, Bars, Chart, Line, LineChart, Points, ScatterChart, Tree, small_multiples

CHARTS = [
    LineChart([Line("a", [1, 2, 3], [1, None, 3], low=[0, 1, 2], high=[2, 3, 4])], log_x=True, title="lines"),
    LineChart([Line("a", ["x", "__proto__"], [1, 2])], spread="bars"),
    BarChart(["b", "a", "__proto__"], [Bars("<b>", [1, 2, 3]), Bars("y", [None, 2, 3])]),
    ScatterChart([Points("a", [1, 2], [3, None], labels=["p", "q"])], frontier=[(0, 1), (1, 0)]),
    Tree(["root", "a", "b"], [-1, 0, 0], values=[0.5, None, 1], value_title="loss"),
]


@pytest.mark.parametrize("chart", CHARTS)
def test_a_specification_is_plain_data(chart: Chart):
    spec = chart.figure().vega_lite
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert spec["title"] == chart.title


def test_a_specification_has_the_values_of_the_chart_in_their_order():
    spec = CHARTS[2].figure().vega_lite
    assert spec["encoding"]["y"]["sort"] == ["b", "a", "__proto__"]
    assert [(row["category"], row["series"], row["value"]) for row in spec["data"]["values"]] == [
        ("b", "<b>", 1), ("a", "<b>", 2), ("__proto__", "<b>", 3), ("a", "y", 2), ("__proto__", "y", 3)
    ]  # fmt: skip
    assert [row["y"] for row in CHARTS[0].figure().vega_lite["data"]["values"]] == [1, None, 3]
    panels = small_multiples(CHARTS, columns=2, title="all").vega_lite
    assert (panels["title"], panels["columns"], len(panels["concat"])) == ("all", 2, len(CHARTS))


@pytest.mark.parametrize("chart", CHARTS)
def test_altair_accepts_the_specification(chart: Chart):
    altair = pytest.importorskip("altair")
    made = chart.figure().to_altair()
    assert isinstance(made, altair.TopLevelMixin)
    made.to_dict()
    small_multiples([chart, chart]).to_altair().to_dict()


def test_without_altair_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(om.MissingExtraError) as error:
        CHARTS[0].figure().to_altair()
    assert error.value.extra == "charts"
