"""Lines, bars and points: what is drawn lies where the numbers say."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.figures import BarChart, Bars, Chart, Line, LineChart, Points, ScatterChart, small_multiples
from ontomask.figures.axes import Area
from ontomask.figures.scatter import place_labels

from support.errors import raises
from support.pictures import SVG, centre, check_lettering, corners, of_class, parse, text_boxes, texts, tooltip

NUMBERS = st.floats(-1e6, 1e6)


def bar_boxes(chart: Chart) -> list[tuple[float, float, float, float]]:
    return [
        tuple(float(bar.get(key, "")) for key in ("x", "y", "width", "height"))
        for bar in of_class(parse(chart), "om-bar")
    ]


def grid_box(root) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the plot, from its grid."""
    path = of_class(root, "om-grid")[0].get("d", "")
    lines = [line.replace("V", "H").split("H") for line in path.split("M")[1:]]
    starts = [tuple(map(float, start.split())) for start, _ in lines]
    ends = [
        (float(end), start[1]) if "H" in line else (start[0], float(end))
        for line, start, (_, end) in zip(path.split("M")[1:], starts, lines, strict=True)
    ]
    xs, ys = zip(*starts, *ends, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


@given(st.floats(0.01, 1e5))
def test_a_bar_of_twice_the_value_is_twice_as_long(value):
    lengths = [box[2] for box in bar_boxes(BarChart(["a", "b", "c"], [Bars("", [value, 2 * value, -value])]))]
    assert lengths[1] == pytest.approx(2 * lengths[0], abs=0.02)
    assert lengths[2] == pytest.approx(lengths[0], abs=0.02)
    assert lengths[0] > 20


def test_a_bar_ends_at_the_tick_of_its_value():
    chart = BarChart(["a"], [Bars("", [10])])
    left, _, right, _ = grid_box(parse(chart))
    (box,) = bar_boxes(chart)
    assert box[2] == pytest.approx(right - left, abs=0.02)


def test_bars_start_at_zero_below_each_other_in_order():
    first, second, below = bar_boxes(BarChart(["a", "b"], [Bars("x", [3, -1]), Bars("y", [2, math.nan])]))
    assert first[0] == second[0] == pytest.approx(below[0] + below[2], abs=0.02)
    assert first[1] + first[3] <= second[1] < below[1]


def test_bars_have_tooltips_and_spreads_between_their_ends():
    chart = BarChart(["a", "b"], [Bars("x", [4, 2], low=[3, math.nan], high=[6, 3])], value_title="bits")
    root = parse(chart)
    assert [tooltip(group) for group in of_class(root, "om-group")] == ["a, x: 4 (3 to 6)", "b, x: 2 (no value to 3)"]
    (spread,) = of_class(root, "om-spread")
    (low, y), (high, _) = corners(spread)[:2]
    left, top, width, height = bar_boxes(chart)[0]
    assert y == pytest.approx(top + height / 2, abs=0.02)
    assert (low - left) / width == pytest.approx(3 / 4, abs=0.01)
    assert (high - left) / width == pytest.approx(6 / 4, abs=0.01)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8), st.integers(60, 500))
@settings(max_examples=50)
def test_points_lie_inside_the_axes_and_labels_clear_of_each_other(places, size):
    x, y = zip(*places, strict=True)
    chart = ScatterChart([Points("", x, y, labels=[f"k={i}" for i in range(len(x))])], width=size, height=size)
    root = parse(chart)
    left, top, right, bottom = grid_box(root)
    points = [centre(point) for point in of_class(root, "om-point")]
    assert len(points) == len(places)
    for across, down in points:
        assert left <= across <= right
        assert top <= down <= bottom
    check_lettering(root)
    words = set(texts(root, "om-label"))
    for l, t, r, b, word in text_boxes(root):  # noqa: E741
        if word in words:
            assert not any(l < px < r and t < py < b for px, py in points)


def test_numbers_and_pixels_keep_their_proportions():
    root = parse(LineChart([Line("", [0, 10, 5], [0, 1, 0.25])], value_range=(0, 2)))
    (x0, y0), (x5, y5), (x10, y10) = (centre(point) for point in of_class(root, "om-point"))
    assert x5 - x0 == pytest.approx(x10 - x5, abs=0.02)
    assert (y0 - y5) / (y0 - y10) == pytest.approx(1 / 4, abs=1e-3)
    _, top, _, bottom = grid_box(root)
    assert (y0 - y10) / (bottom - top) == pytest.approx(1 / 2, abs=1e-3)
    assert corners(of_class(root, "om-stroke")[0]) == [(x0, y0), (x5, y5), (x10, y10)]


def test_logarithmic_axes_step_by_factors():
    root = parse(LineChart([Line("", [1, 10, 100], [1, 1, 1])], log_x=True))
    first, second, third = (centre(point)[0] for point in of_class(root, "om-point"))
    assert second - first == pytest.approx(third - second, abs=0.02)
    assert texts(root, "om-tick-x") == ["1", "2", "5", "10", "20", "50", "100"]
    values = parse(LineChart([Line("", [1, 2, 3], [1, 10, 100], low=[1, 5, None], high=[2, 20, 100])], log_y=True))
    first, second, third = (centre(point)[1] for point in of_class(values, "om-point"))
    assert first - second == pytest.approx(second - third, abs=0.02)
    assert LineChart([Line("", [1], [None])], log_y=True).figure().svg
    points = parse(ScatterChart([Points("", [1, 2, 3], [1, 10, 100])], log_y=True))
    first, second, third = (centre(point)[1] for point in of_class(points, "om-point"))
    assert first - second == pytest.approx(second - third, abs=0.02)


def test_lines_break_at_gaps():
    y = [1, 2, math.nan, 3, None, 4, 5]
    root = parse(LineChart([Line("a", range(7), y, low=[0.5] * 7, high=[6] * 7)]))
    assert [len(corners(stroke)) for stroke in of_class(root, "om-stroke")] == [2, 2]
    assert [len(corners(band)) for band in of_class(root, "om-band")] == [4, 4]
    assert len(of_class(root, "om-spread")) == 1, "a value alone shows its spread as a bar"
    assert [tooltip(point) for point in of_class(root, "om-point")][:2] == [
        "a, x 0: 1 (0.5 to 6)",
        "a, x 1: 2 (0.5 to 6)",
    ]
    bars = parse(LineChart([Line("a", range(7), y, low=[0.5] * 7, high=[6] * 7)], spread="bars"))
    assert len(of_class(bars, "om-spread")) == 5
    assert not of_class(bars, "om-band")


def test_categories_keep_their_order_and_stand_beside_each_other():
    lines = [Line("one", ["b", "a"], [1, 2], [0, 1], [2, 3]), Line("two", ["a", "c"], [3, 4], [2, 3], [4, 5])]
    root = parse(LineChart(lines, spread="bars"))
    assert texts(root, "om-tick-x") == ["b", "a", "c"]
    places = [centre(point)[0] for point in of_class(root, "om-point") if point.find(f"{SVG}circle") is not None]
    assert places == sorted(places)
    caps = [corners(spread)[0][0] for spread in of_class(root, "om-spread")]
    assert caps[2] - caps[1] == pytest.approx(5, abs=0.02), "the spreads of one category do not cover each other"


@pytest.mark.parametrize("count", [1, 3, 9, 31, 90])
@pytest.mark.parametrize("name", ["value {}", "a rather long label with number {} in it", "{}"])
def test_any_number_of_categories_stays_readable(count, name):
    names = [name.format(i) for i in range(count)]
    for chart in (
        BarChart(names, [Bars("x", range(count)), Bars("y", [1] * count)]),
        LineChart([Line("x", names, range(count))]),
    ):
        root = parse(chart)
        check_lettering(root)
        turned = [label for label in of_class(root, "om-tick-x") if label.get("transform")]
        places = [float(label.get("x", "")) for label in turned]
        assert all(after - before >= 11 for before, after in pairwise(places))


def test_series_differ_by_more_than_colour():
    root = parse(LineChart([Line(str(i), [1, 2], [i, i]) for i in range(5)]))
    assert len({stroke.get("stroke-dasharray") for stroke in of_class(root, "om-stroke")}) == 5
    root = parse(BarChart(["a"], [Bars(str(i), [1]) for i in range(4)]))
    hatched = [len(list(group.iter(f"{SVG}path"))) for group in of_class(root, "om-group")]
    assert hatched == [0, 1, 1, 1]
    root = parse(ScatterChart([Points(str(i), [i], [i]) for i in range(8)]))
    shapes = []
    for point in of_class(root, "om-point"):
        shape = list(point)[1]
        found = corners(shape)
        shapes.append(tuple((round(x - found[0][0], 1), round(y - found[0][1], 1)) for x, y in found))
    assert len(set(shapes)) == len(shapes) == 8


def test_hatching_stays_inside_its_bar():
    chart = BarChart(["a", "b"], [Bars(str(i), [3, 1]) for i in range(6)])
    for group in of_class(parse(chart), "om-group"):
        bar = group.find(f"{SVG}rect")
        x, y, width, height = (float(bar.get(key)) for key in ("x", "y", "width", "height"))
        for path in group.iter(f"{SVG}path"):
            for across, down in corners(path):
                assert x - 0.02 <= across <= x + width + 0.02
                assert y - 0.02 <= down <= y + height + 0.02


def test_the_frontier_runs_through_the_given_points_from_left_to_right():
    points = Points("m", [30, 12, 20, 25], [0.1, 0.3, 0.25, 0.5], labels=["k=2", "k=10", "k=5", "bad"])
    root = parse(ScatterChart([points], frontier=[(30, 0.1), (12, 0.3), (20, 0.25)], x_title="risk", y_title="loss"))
    (line,) = of_class(root, "om-frontier")
    places = {tooltip(point): centre(point) for point in of_class(root, "om-point")}
    assert corners(line) == [places[f"m, {k}: risk {x}, loss {y}"] for k, x, y in
                             [("k=10", 12, 0.3), ("k=5", 20, 0.25), ("k=2", 30, 0.1)]]  # fmt: skip
    assert texts(root, "om-name") == ["m", "Pareto frontier"]
    assert set(texts(root, "om-label")) == {"k=2", "k=10", "k=5", "bad"}
    alone = parse(ScatterChart([points], frontier=[(30, 0.1)]))
    assert not of_class(alone, "om-frontier")
    assert texts(alone, "om-name") == ["m"]


def test_labels_in_a_crowd_are_left_out_rather_than_over_each_other():
    points = [(50 + i % 3, 50 + i // 3) for i in range(60)]
    placed = place_labels(points, [f"number {i}" for i in range(60)], Area(0, 0, 100, 100))
    assert 1 <= sum(box is not None for box in placed) < 60
    assert place_labels([], [], Area(0, 0, 100, 100)) == []
    assert place_labels([(50, 50)], [""], Area(0, 0, 100, 100)) == [None]


def test_a_label_keeps_off_the_line_if_it_can():
    area = Area(0, 0, 200, 200)
    (free,) = place_labels([(50, 50)], ["abc"], area)
    (moved,) = place_labels([(50, 50)], ["abc"], area, path=[(50, 50), (150, 50)])
    assert free.x > 50
    assert moved.x + moved.width <= 50
    (least,) = place_labels([(50, 50)], ["abc"], area, path=[(x, y) for x in range(0, 200, 4) for y in (0, 200)])
    assert least == free, "with lines everywhere the best side is used"


def test_panels_are_aligned_and_share_one_key():
    a, b = Line("A", [1, 2], [1, 2], style=0), Line("B", [1, 2], [1000, 2000], style=1)
    charts = [
        LineChart([a], title="one", y_title="y"),
        LineChart([a, b], title="two"),
        LineChart([b], title="three", x_title="x"),
    ]
    root = parse(small_multiples(charts, columns=2, title="All"))
    assert texts(root, "om-title") == ["All"]
    assert texts(root, "om-panel-title") == ["one", "two", "three"]
    assert texts(root, "om-name") == ["A", "B"]
    boxes = [grid_box(panel) for panel in of_class(root, "om-chart")]
    assert boxes[0][1] == boxes[1][1] < boxes[2][1]
    assert boxes[0][0] == boxes[2][0] < boxes[1][0]
    check_lettering(root)
    clash = parse(small_multiples([LineChart([a]), LineChart([Line("A", [1], [1], style=3)])]))
    assert texts(clash, "om-name") == ["A", "A"], "one name with two looks: each panel keeps its key"
    assert len(of_class(root, "om-legend")) == 1


def test_panels_on_one_scale_have_the_same_ticks():
    charts = [
        LineChart([Line("x", [1, 2], [0, 1])]),
        LineChart([Line("x", [1, 2], [-3, 40])], value_range=(0, 50)),
    ]
    ticks = [
        texts(panel, "om-tick-y") for panel in of_class(parse(small_multiples(charts, same_scale=True)), "om-chart")
    ]
    assert ticks[0] == ticks[1] == ["−10", "0", "10", "20", "30", "40", "50"]
    free = [texts(panel, "om-tick-y") for panel in of_class(parse(small_multiples(charts)), "om-chart")]
    assert free[0][-1] == "1.0"


def test_series_are_frozen_copies_of_what_was_given():
    y = np.array([1.0, 2.0])
    line = Line("a", [1, 2], y)
    y[0] = 9
    assert line.y == (1.0, 2.0)
    assert line == Line("a", (1, 2), (1, 2))


@pytest.mark.parametrize(
    ("build", "parameter"),
    [
        (lambda: Line("a", [1, 2], [1]), "y"),
        (lambda: Line("a", [1, "b"], [1, 2]), "x"),
        (lambda: Line("a", [1, math.nan], [1, 2]), "x"),
        (lambda: Line("a", [1], [math.inf]), "y"),
        (lambda: Line("a", [1], ["much"]), "y"),
        (lambda: Line("a", [1], [[1]]), "y"),
        (lambda: Line("a", [1], [1], low=[0]), "low"),
        (lambda: Line("a", [1], [1], low=[2], high=[1]), "low"),
        (lambda: Line("a", [1], [1], low=[2, 3], high=[4]), "low"),
        (lambda: Line("a", [1], [1], style=-1), "style"),
        (lambda: LineChart([Line("a", [1], [1]), Line("b", ["x"], [1])]), "lines"),
        (lambda: LineChart([Line("a", [0, 1], [1, 1])], log_x=True), "log_x"),
        (lambda: LineChart([Line("a", ["x"], [1])], log_x=True), "log_x"),
        (lambda: LineChart([Line("a", [1, 2], [1, 0])], log_y=True), "log_y"),
        (lambda: LineChart([Line("a", [1], [1], low=[-1], high=[1])], log_y=True), "log_y"),
        (lambda: LineChart([], spread="fog"), "spread"),
        (lambda: LineChart([], width=3), "width"),
        (lambda: LineChart([], height=math.inf), "height"),
        (lambda: LineChart([], value_range=(2, 1)), "value_range"),
        (lambda: LineChart([], value_range=3), "value_range"),
        (lambda: BarChart(["a", "b"], [Bars("x", [1])]), "bars"),
        (lambda: BarChart(["a"], [Bars("x", [-math.inf])]), "values"),
        (lambda: Points("p", [1], [1, 2]), "y"),
        (lambda: Points("p", [1], [1], labels=["a", "b"]), "labels"),
        (lambda: ScatterChart([Points("p", [0], [1])], log_x=True), "log_x"),
        (lambda: ScatterChart([Points("p", [1, 2], [1, 0])], log_y=True), "log_y"),
        (lambda: ScatterChart([], frontier=[(1, math.nan)]), "frontier"),
        (lambda: small_multiples([]), "charts"),
        (lambda: small_multiples([LineChart([])], columns=0), "columns"),
    ],
)
def test_what_cannot_be_drawn_is_refused(build, parameter):
    with raises(om.FigureError, parameter=parameter):
        build()
