"""Any labels and any numbers give well-formed XML, the same bytes each time, and no clipped text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.base.text import one_line
from ontomask.figures import BarChart, Bars, Line, LineChart, Points, ScatterChart, Tree, small_multiples

from support.pictures import SVG, check_lettering, of_class, parse, tooltip

NASTY = st.text(max_size=60) | st.sampled_from(
    ['<script>alert("x")</script>', "a & b < c > d", "]]>", "'\"", "\x00\x1b\x7f\x85", "\ud800", "￾￿", "x" * 500, ""]
)
VALUES = st.floats(-1e6, 1e6) | st.just(math.nan)


def all_charts(a: str, b: str, values: list[float]) -> list:
    v, w = values
    return [
        LineChart([Line(a, [a + "1", b + "2"], [v, w]), Line(b, [b], [v])], title=a, x_title=b, y_title=a),
        LineChart([Line(a, [1, 2], [v, w], low=[v, w], high=[v, w])], title=b, spread="bars"),
        BarChart([a, b], [Bars(b, [v, w]), Bars(a, [w, v])], title=a, value_title=a),
        BarChart([a, b], [Bars(b, [v, w])], description=b),
        ScatterChart([Points(a, [v, w], [w, v], labels=[a, b])], frontier=[(0, 1), (1, 0)], frontier_name=b, title=b),
        Tree([a, b, a], [-1, 0, 0], values=[0.5, math.nan, 1], links=[0, 1, 0.2], title=b, value_title=a),
    ]


@given(NASTY, NASTY, st.lists(VALUES, min_size=2, max_size=2))
@settings(max_examples=40)
def test_any_label_makes_well_formed_pictures_that_repeat(a, b, values):
    charts = all_charts(a, b, values)
    for chart, again in zip(charts, all_charts(a, b, values), strict=True):
        root = parse(chart)
        check_lettering(root)
        assert root.get("role") == "img"
        assert root.get("aria-label") == root.findtext(f"{SVG}title")
        assert root.findtext(f"{SVG}desc")
        assert chart.figure().svg == again.figure().svg
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            "svg", "g", "path", "rect", "circle", "text", "tspan", "title", "desc"
        }  # fmt: skip
    check_lettering(parse(small_multiples(charts, title=a, description=b, same_scale=True)))


def test_texts_come_back_as_they_were():
    label = "a < b & \"c\" 'd'"
    root = parse(BarChart([label], [Bars(label, [1])], title=label))
    assert root.findtext(f"{SVG}title") == label
    assert tooltip(of_class(root, "om-group")[0]) == f"{label}, {label}: 1"
    assert one_line("a\x00b\n\t c\ud800\uffff") == "a\\u0000b c\\ud800\ufffd"


def test_long_labels_are_cut_and_told_in_full():
    label = "chronic obstructive pulmonary disease with acute exacerbation, unspecified"
    root = parse(BarChart([label, "flu"], [Bars("patients", [1, 2])]))
    cut = of_class(root, "om-tick-y")[0]
    assert cut.text.endswith("…")
    assert label.startswith(cut.text[:-1])
    assert tooltip(cut) == label
    assert not tooltip(of_class(root, "om-tick-y")[1])


def test_nothing_outside_the_picture_is_needed():
    for chart in all_charts("a", "b", [1.0, 2.0]):
        svg = chart.figure().svg
        assert svg.count("http") == 1, "only the namespace"
        for word in ("<style", "<script", "<image", "href", "url(", " id=", "@import"):
            assert word not in svg


@pytest.mark.parametrize(
    "chart",
    [
        LineChart([]),
        LineChart([Line("a", [], [])], log_x=True),
        LineChart([Line("a", [1, 2], [math.nan, None])]),
        BarChart([], []),
        BarChart(["a"], []),
        BarChart(["a"], [Bars("b", [math.nan])]),
        ScatterChart([]),
        ScatterChart([Points("a", [1], [math.nan])]),
        Tree([], []),
    ],
)
def test_without_data_the_picture_says_so(chart):
    root = parse(chart)
    check_lettering(root)
    assert [element.text for element in of_class(root, "om-empty")] == ["no data"]


@pytest.mark.parametrize(
    "chart",
    [
        LineChart([Line("a", [1], [0.3])]),
        LineChart([Line("a", [7], [0.3], low=[0.1], high=[0.4])], log_x=True),
        LineChart([Line("a", ["one"], [1e9])]),
        BarChart(["a"], [Bars("", [0])]),
        BarChart(["a"], [Bars("b", [-5])]),
        ScatterChart([Points("a", [1, 1], [2, 2], labels=["x", "y"])]),
        Tree(["root"], [-1]),
        LineChart([Line("a", [-1e100, 1e100], [1e-100, 5e-324])]),
    ],
)
def test_one_value_and_equal_values(chart):
    root = parse(chart)
    check_lettering(root)
    assert not of_class(root, "om-empty")
    assert "nan" not in chart.figure().svg.lower().replace("figure", "")
    assert "inf" not in chart.figure().svg


def test_save_writes_whole_files(tmp_path, monkeypatch):
    figure = BarChart(["é < ü"], [Bars("", [1])], title="Bars").figure()
    figure.save(tmp_path / "bars.svg")
    assert (tmp_path / "bars.svg").read_text(encoding="utf-8") == figure.svg == figure._repr_svg_()
    assert [path.name for path in tmp_path.iterdir()] == ["bars.svg"]
    monkeypatch.setenv("HOME", str(tmp_path))
    figure.save("~/home.SVG")
    assert (tmp_path / "home.SVG").is_file()
    with pytest.raises(om.FigureError):
        figure.save(tmp_path / "bars.png")
    with pytest.raises(om.FigureError):
        figure.save(tmp_path / "none" / "bars.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(om.FigureError):
        figure.save(tmp_path / "folder.svg")


def test_charts_show_themselves_in_notebooks():
    chart = Tree(["a"], [-1], title="One")
    assert chart._repr_svg_() == chart.figure().svg
    assert chart.figure().title == "One"
    assert "body" not in repr(chart.figure())
