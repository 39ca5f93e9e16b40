"""Ranges as points: their distances, their text, and that every generalised cell is true."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.evaluation.reading import read_masked
from ontomask.microdata import frames
from ontomask.operators.line import NumericSpace, OrdinalSpace
from ontomask.operators.ranges import ANY, ends_of, is_range, make_ranges
from ontomask.operators.space import Sets

from support.errors import raises
from support.literal_ranges import says_category, says_date, says_number
from support.tables import microdata, records_of


def column_of(kind, cells, **options):
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": kind}, **options).quasi_identifiers["x"]


# Points


@given(st.lists(st.tuples(*[st.floats(-1e15, 1e15, allow_nan=False)] * 2), min_size=1))
def test_a_range_contains_its_ends(pairs):
    low, high = np.sort(np.array(pairs), axis=1).T
    ranges = make_ranges(low, high)
    first, last = ends_of(ranges)
    assert (first <= low).all()
    assert (high <= last).all()
    assert (is_range(ranges) == (low < high)).all()


def test_ranges_are_measured_by_their_middle_and_anything_is_far_from_all():
    space = NumericSpace(0, 100)
    points = np.array([10, 30 + 5j, 30 + 10j, ANY])
    assert space.matrix(points, np.array([10.0, 40.0])).tolist() == [[0, 0.3], [0.2, 0.1], [0.2, 0.1], [1, 1]]
    assert space.matrix(points, points)[3].tolist() == [1, 1, 1, 0]
    assert space.pairs(points, points[::-1]).tolist() == [1, 0, 0, 1]
    # They are different values all the same.
    assert len(np.unique(points)) == 4
    assert space.differ(points, points[[0, 2, 1, 3]]).tolist() == [False, True, True, False]
    # Anything is left out of means.
    assert space.mean(points, np.array([1, 2, 1, 7])) == 25
    assert space.mean(points[3:], np.array([2])) == ANY
    assert space.positions(points) is None
    assert space.positions(points[:3]).tolist() == pytest.approx([-2 / 15, 1 / 15, 1 / 15])


def test_a_range_beyond_the_values_lies_at_the_nearest():
    # Ages up to 90: 90-94 can only be 90.
    space = NumericSpace(20, 90)
    assert space.pairs(np.array([90.0]), np.array([92 + 2j])).tolist() == [0]
    assert space.positions(np.array([20, 92 + 2j])) is not None


def test_the_median_of_ranges_is_one_of_them():
    space = OrdinalSpace(4)
    assert space.mean(np.array([0.5 + 0.5j, 2, 2.5 + 0.5j]), np.array([2, 1, 1])) == 0.5 + 0.5j


def test_the_narrowest_range_of_numbers():
    sets = Sets.of(np.array([0, 0, 1]), np.array([0, 2, 1]))
    assert NumericSpace(0, 9).generalise(np.array([1.0, 4.0, 9.0]), sets).tolist() == [5 + 4j, 4 + 0j]


# Intervals of numbers


def levels_of(kind, cells):
    """The texts that each distinct value is generalised to, level by level."""
    column = column_of(kind, cells)
    release = column.release({})
    found = column.generalisations(np.unique(column.point))
    return [[str(cell) for cell in release.cells(level)] for level in found.levels]


def test_intervals_are_built_with_round_ends():
    ages = list(range(17, 91))
    levels = levels_of(om.Numeric(), ages)
    assert [level[ages.index(17)] for level in levels] == ["17", "15-19", "10-19", "0-19", "*"]
    # The oldest is 90, and nothing says so.
    assert [level[ages.index(90)] for level in levels] == ["90", "90-94", "90-99", "80-99", "*"]


def test_the_width_follows_the_middle_of_the_values_not_the_outliers():
    incomes = [*range(1000, 3000, 10), 10_000_000]
    levels = levels_of(om.Numeric(), incomes)
    assert [level[0] for level in levels] == ["1000", "1000-1199", "1000-1999", "0-4999", "*"]
    assert [level[-1] for level in levels[:1:-1]] == ["*", "10000000-10004999", "10000000-10000999"]


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([1.5, 2.5, 7.25, 9.0], "[0, 5)"),
        (["1.50", "2.50", "7.25"], "[0, 5)"),
        ([-5, -1, 0, 3, 9, 12], "[-10, -1]"),
        ([0.1 + 0.2, 0.5, 1.7, 2.4], "[0, 2]"),
        ([2, 3, 5, 9], "0-4"),
        ([0, 1], "*"),
        ([7, 7], "*"),
    ],
)
def test_one_style_for_a_column(cells, text):
    assert levels_of(om.Numeric(), cells)[1][0] == text


def test_given_intervals():
    cells = [0, 17, 18, 64, 119]
    levels = levels_of(om.Numeric(intervals=[0, 18, 40, 65, 120]), cells)
    assert levels[1] == ["0-17", "0-17", "18-39", "40-64", "65-119"]
    assert levels[2] == ["0-39", "0-39", "0-39", "40-119", "40-119"]
    assert levels[3] == ["*"] * 5
    nested = om.Numeric(intervals=[[0, 18, 40, 65, 120], [0, 65, 120], [0, 120]])
    assert levels_of(nested, cells)[2:] == [["0-64"] * 4 + ["65-119"], ["0-119"] * 5, ["*"] * 5]
    # Ends between two integers belong to neither side.
    assert levels_of(om.Numeric(intervals=[0.5, 10.5, 20.5]), [1, 10, 11])[1] == ["1-10", "1-10", "11-20"]
    assert levels_of(om.Numeric(intervals=[0, 2.5, 5]), [1.5, 2.4, 2.5])[1] == ["[0, 2.5)", "[0, 2.5)", "[2.5, 5)"]


@pytest.mark.parametrize(
    "intervals",
    [
        [],
        [5],
        [0, 5, 5],
        [5, 0],
        [0, float("inf")],
        ["0", "5"],
        "0-5",
        7,
        [[0, 5, 10], [0, 7, 10]],
        [[0, 5, 10], [2, 10]],
        [[0, 5, 10], [0, 9]],
        [[0, 5, 10], [0]],
        [True, 2],
    ],
)
def test_intervals_that_do_not_fit_are_refused(intervals):
    with raises(TableError, parameter="intervals"):
        om.Numeric(intervals=intervals)


@pytest.mark.parametrize("outside", [9, 20, 25])
def test_values_outside_given_intervals_are_an_error_with_the_values(outside):
    with raises(TableError, column="x", parameter="intervals") as caught:
        column_of(om.Numeric(intervals=[10, 15, 20]), [10, 19, outside])
    assert caught.value.values == (str(outside),)
    assert str(outside) not in str(caught.value)


NUMBERS = st.one_of(
    st.lists(st.integers(-60, 1500), min_size=1, max_size=25),
    st.lists(st.decimals(-3, 90, places=2).map(float), min_size=1, max_size=25),
    st.lists(st.floats(-10, 1e6, allow_nan=False, width=32).map(float), min_size=1, max_size=25),
    st.lists(st.floats(-1, 1, allow_nan=False), min_size=1, max_size=25),
)


@given(NUMBERS)
@settings(max_examples=200)
def test_built_intervals_nest_and_are_true(cells):
    column = column_of(om.Numeric(), cells)
    points = np.unique(column.point)
    found, release = column.generalisations(points), column.release({})
    assert found.is_nested
    assert (found.levels[-1] == ANY).all()
    low, high = ends_of(found.levels)
    # But for rounding errors, wider ranges contain the narrower ones.
    assert (np.diff(low, axis=0) <= 1e-9).all()
    assert (np.diff(high, axis=0) >= -1e-9).all()
    for level in found.levels:
        texts = [str(cell) for cell in release.cells(level)]
        assert release.points(texts).tolist() == level.tolist(), "read back otherwise"
        assert all(says_number(text, repr(value)) for text, value in zip(texts, points.tolist(), strict=True))
    keys = [column.key(point) for point in found.levels.ravel().tolist()]
    assert column.points_of_keys(keys).tolist() == found.levels.ravel().tolist()


@given(NUMBERS, st.data())
@settings(max_examples=200)
def test_narrowest_ranges_of_numbers_are_true(cells, draw):
    column = column_of(om.Numeric(), cells)
    points = np.unique(column.point)
    some = np.unique(draw.draw(st.lists(st.sampled_from(range(len(points))), min_size=1)))
    point = column.space.generalise(points, Sets.of(np.zeros(len(some), dtype=int), some))
    (text,) = column.release({}).cells(point)
    assert all(says_number(str(text), repr(points[i].item())) for i in some.tolist())


# Reading


TEXTS = ["{0}-{1}", "{0}–{1}", "{0}..{1}", "[{0}, {1}]", "[{0}, {1})", "[{0}; {1}[", "]{0}, {1}]", "({0}, {1})"]


@given(st.sampled_from(TEXTS), st.integers(-3, 12), st.integers(-3, 12))
@settings(max_examples=200)
def test_an_interval_is_read_as_the_numbers_that_it_contains(form, low, high):
    release = column_of(om.Numeric(), list(range(-3, 13))).release({})
    text = form.format(low, high)
    inside = [n for n in range(-3, 13) if says_number(text, n)] if low <= high else []
    point = release.find(text)
    if not inside:
        # An interval without an integer keeps its own ends; one without any number is not read.
        assert point is None or (low < high and ends_of(np.array([point]))[0] == low)
    else:
        assert [end.item() for end in ends_of(np.asarray(point))] == [inside[0], inside[-1]]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        # Ends that are not given are round, so that they do not show the smallest and the largest value.
        (">=65", (65, 99)),
        (">65", (66, 99)),
        ("<18", (0, 17)),
        ("≤ 18", (0, 18)),
        ("[37, 44[", (37, 43)),
        ("37..44", (37, 44)),
        ("[20.5, 30]", (21, 30)),
        ("37-37", (37, 37)),
        (">=105", (105, 106)),
    ],
)
def test_texts_of_other_tools(text, ends):
    point = column_of(om.Numeric(), [10, 50, 90]).release({}).find(text)
    assert tuple(end.item() for end in ends_of(np.asarray(point))) == ends


@pytest.mark.parametrize("text", ["20,5", "30-20", "(20 30)", "(20, 20)", "old", "1-2-3", f"0-{10**400}"])
def test_texts_that_are_no_interval(text):
    assert column_of(om.Numeric(), [10, 50, 90]).release({}).find(text) is None


def test_ranges_with_the_same_middle_are_different_groups():
    data = om.Microdata(pd.DataFrame({"age": [31, 38, 34, 36]}), {"age": om.Numeric(scale="range")})
    released = pd.DataFrame({"age": ["30-39", "30-39", "33-36", "33-36"]})
    masked, _ = read_masked(data, released)
    assert len(masked.table) == 2
    score = om.evaluate(data, released)
    assert (score.k, score.utility.discernibility.after) == (2, 8)
    assert score.rmse["age"] ** 2 == pytest.approx(np.mean(np.array([3.5, 3.5, 0.5, 1.5]) ** 2) / 7**2)


# Ordered categories

NASTY = ["low", "low – mid", "mid – –", "– high", "a–b", "*", "**", "1", "mid"]


@given(st.lists(st.one_of(st.sampled_from(NASTY), st.text("a –*", min_size=1, max_size=5)), min_size=2, max_size=9))
@settings(max_examples=150)
def test_ranges_of_any_categories_are_read_back(given_categories):
    categories = list(dict.fromkeys(text.strip() for text in given_categories if text.strip()))
    if len(categories) < 2:
        return
    column = column_of(om.Ordinal(categories), categories)
    release = column.release({})
    levels = column.generalisations(column.all_points).levels
    low, high = np.triu_indices(len(categories), 1)
    for points in (*levels, make_ranges(low, high)):
        texts = [str(cell) for cell in release.cells(points)]
        assert release.points(texts).tolist() == points.tolist()
        keys = [column.key(point) for point in points.tolist()]
        assert column.points_of_keys(keys).tolist() == points.tolist()
    for level in levels:
        texts = [str(cell) for cell in release.cells(level)]
        assert all(says_category(t, c, categories) for t, c in zip(texts, categories, strict=True))


def test_neighbours_are_merged_in_pairs():
    assert levels_of(om.Ordinal(list("abcde")), list("abcde")) == [
        ["a", "b", "c", "d", "e"],
        ["a – b", "a – b", "c – d", "c – d", "e"],
        ["a – d", "a – d", "a – d", "a – d", "e"],
        ["*"] * 5,
    ]


def test_the_text_for_anything_is_not_that_of_a_missing_cell():
    frame = pd.DataFrame({"x": ["1", "2", "9", "*", "*"]})
    data = om.Microdata(frame, {"x": om.Numeric()}, missing="keep", missing_tokens=["*"])
    result = om.Suppression(k=2, mode="cells").mask(data)
    assert result.frame["x"].fillna("missing").tolist() == ["**"] * 3 + ["missing"] * 2
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse


@pytest.mark.parametrize(
    ("kind", "cells"),
    [(om.Numeric, [1, 5]), (partial(om.Ordinal, ["a", "b"]), ["a", "b"]), (om.Date, ["2021-03-05", "1999-01-01"])],
    ids=["numeric", "ordinal", "date"],
)
def test_the_text_for_anything_can_be_chosen(kind, cells):
    frame = pd.DataFrame({"x": cells})
    data = om.Microdata(frame, {"x": kind(top="any value")})
    result = om.Suppression(k=2, mode="cells").mask(data)
    assert result.frame["x"].tolist() == ["any value"] * 2
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse == 2
    for top in (str(cells[0]), "?"):
        with raises(TableError, parameter="top", column="x"):
            om.Microdata(frame, {"x": kind(top=top)}, missing_tokens=["?"])
    with raises(TableError, parameter="top"):
        kind(top=" ")


# Generalisation of whole tables


def is_true(column, cell, original):
    """Whether a released cell is true of the original, judged by its text."""
    if column.space.domain is not None:
        release = column.release({})
        above = column.domain.subsumers(column.key(release.find(str(original))))
        return column.key(release.find(str(cell))) in above
    if isinstance(column.kind, om.Ordinal):
        return says_category(str(cell), original, column.categories)
    if isinstance(column.kind, om.Date):
        return says_date(str(cell), date.fromisoformat(original))
    return says_number(str(cell), original)


METHODS = [
    om.Generalisation(k=2),
    om.Generalisation(k=3, variant="best_first", steps="records", suppression=0.2),
    om.Generalisation(k=2, mode="full_domain", suppression=0.1),
    om.Suppression(k=2, mode="cells"),
    om.Microaggregation(k=2, centroid="lcs"),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(st.data())
@settings(max_examples=60)
def test_every_released_cell_is_true(method, draw):
    data = draw.draw(microdata(least=3, kept=draw.draw(st.booleans())))
    try:
        result = method.mask(data, seed=0)
    except MaskingError:
        return
    names = list(data.quasi_identifiers)
    before, after = records_of(data.frame, names), records_of(result.frame, names)
    if after:
        assert min(Counter(after).values()) >= method.k
    for row, record in zip(result.data.rows, after, strict=True):
        for name, cell, original in zip(names, record, before[row], strict=True):
            if original is not None:
                assert is_true(data.quasi_identifiers[name], cell, original), (cell, original)
    if len(after) == len(before):
        expected = om.evaluate(data, result, attacks=False)
        assert om.evaluate(data, result.frame, attacks=False).sse == pytest.approx(expected.sse)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_columns_of_every_kind_of_frame(kind):
    cells = {"age": [17, 19, 34, 38], "bmi": [20.5, 21.5, 31.5, 32.5], "edu": ["a", "b", "c", "d"]}
    frame = frames.from_columns(cells, kind)
    kinds = {"age": om.Numeric(), "bmi": om.Numeric(), "edu": om.Ordinal(list("abcd"))}
    result = om.Generalisation(k=2).mask(om.Microdata(frame, kinds))
    released = {name: frames.factorise(result.frame, name)[1] for name in cells}
    assert released == {"age": ["0-19", "20-39"], "bmi": ["[20, 30)", "[30, 40)"], "edu": ["a – b", "c – d"]}


def test_a_plan_with_ranges_survives_a_file(tmp_path):
    frame = pd.DataFrame({"age": [17, 19, 34, 38], "edu": ["a", "b", "c", "d"], "seen": ["2021-03-05"] * 4})
    kinds = {"age": om.Numeric(), "edu": om.Ordinal(list("abcd")), "seen": om.Date()}
    data = om.Microdata(frame, kinds)
    result = om.Generalisation(k=4).mask(data)
    assert result.frame["age"].tolist() == ["*"] * 4
    for method in (om.Generalisation(k=4), om.Generalisation(k=2), om.Microaggregation(k=2, centroid="lcs")):
        result = method.mask(data, seed=0)
        om.save_plan(result, tmp_path / "one.plan")
        loaded = om.load_plan(tmp_path / "one.plan")
        again = om.Microdata(frame.iloc[::-1].reset_index(drop=True), kinds)
        masked = loaded.apply(again)
        texts = [masked.cells["age"][code] for code in masked.codes["age"]][::-1]
        assert texts == result.frame["age"].tolist()


@pytest.mark.parametrize("mode", ["local", "full_domain"])
def test_the_smallest_and_the_largest_value_show_nowhere(mode):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"pay": [10613, *rng.integers(20000, 60000, 200).tolist(), 98217], "born": "1950-06-01"})
    frame["born"] = ["1901-02-03", *["1950-06-01", "1950-07-02", "1961-03-04", "1961-12-05"] * 50, "2019-10-11"]
    rows = [(pay, "under 50000" if pay < 50000 else "more", "*") for pay in sorted(set(frame["pay"]))]
    data = om.Microdata(frame, {"pay": om.Numeric(), "born": om.Date()})
    for hierarchies in (None, {"pay": om.Hierarchy.from_rows(rows)}):
        method = om.Generalisation(k=5, mode=mode, hierarchies=hierarchies, suppression=0.02)
        result = method.mask(data, seed=1)
        score = om.evaluate(data, result)
        shown = [*result.frame["pay"], *result.frame["born"], *result.notes, *score.notes, str(score)]
        text = " ".join([*map(str, shown), om.build_report(data, result, score).to_html()])
        assert not re.search(r"(?<![\d.])(10613|98217|1901-02-03|2019-10-11)(?![\d.])", text)
