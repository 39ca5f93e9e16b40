"""The kind `Date`: what its cells mean, calendar units, and the types of released columns."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import TableError
from ontomask.evaluation.reading import read_masked
from ontomask.kinds.calendar import read_span, span_text, starts_between
from ontomask.operators.ranges import ANY, make_ranges

from support.errors import raises
from support.literal_ranges import says_date

DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))
PRECISIONS = ["day", "month", "quarter", "year"]


def column_of(cells, **options):
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Date(**options)}).quasi_identifiers["x"]


def texts_of(cells, **options):
    """What each cell is encoded as."""
    column = column_of(cells, **options)
    return [column.key(point) for point in column.point[column.code].tolist()]


# Cells


def test_cells_of_many_types_mean_the_same_day():
    for cell in (
        "2021-03-05",
        "20210305",
        "2021-03-05 00:00:00",
        "2021-03-05T23:59:59.999",
        date(2021, 3, 5),
        datetime(2021, 3, 5, 17, 30),
        pd.Timestamp("2021-03-05 17:30:00.000000001"),
        20210305,
    ):
        assert texts_of([cell, cell]) == ["2021-03-05"] * 2


@pytest.mark.parametrize(
    ("precision", "texts"),
    [
        ("day", ["2021-03-05", "2021-11-30"]),
        ("month", ["2021-03", "2021-11"]),
        ("quarter", ["2021-Q1", "2021-Q4"]),
        ("year", ["2021", "2021"]),
    ],
)
def test_values_have_the_precision(precision, texts):
    assert texts_of(["2021-03-05", "2021-11-30"], precision=precision) == texts
    # What is released can be read as such a column again.
    assert texts_of(texts, precision=precision) == texts


def test_formats():
    assert texts_of(["05/03/2021", "31/12/2021"], formats=["%d/%m/%Y"]) == ["2021-03-05", "2021-12-31"]
    assert texts_of(["05/03/2021", "12/31/2021"], formats=["%m/%d/%Y"]) == ["2021-05-03", "2021-12-31"]
    assert texts_of(["5.3.2021", "2021-12-31"], formats=["%d.%m.%Y"]) == ["2021-03-05", "2021-12-31"]
    assert texts_of(["03/2021"], formats=["%m/%Y"], precision="month") == ["2021-03"]
    # 31/12 can be read in one way, 05/03 in two, 03/03 in two that agree.
    both = ["%d/%m/%Y", "%m/%d/%Y"]
    assert texts_of(["31/12/2021", "03/03/2021"], formats=both) == ["2021-12-31", "2021-03-03"]
    with raises(TableError, column="x") as caught:
        column_of(["31/12/2021", "05/03/2021"], formats=both)
    assert caught.value.values == ("05/03/2021",)


@pytest.mark.parametrize(
    "wrong",
    [
        "03/04/2021",
        "31.12.2021",
        "2021-02-30",
        "2021-3-5",
        "yesterday",
        "2021-03",
        "0000-01-01",
        "2021-03-05/2021-03-06",
    ],
)
def test_cells_that_are_no_day_are_an_error_with_the_values(wrong):
    with raises(TableError, column="x") as caught:
        column_of(["2021-03-05", wrong])
    assert caught.value.values == (wrong,)
    assert wrong not in str(caught.value).replace("2021-12-31", "")
    assert "'formats'" in str(caught.value)


@pytest.mark.parametrize("cell", ["2021-03-05T10:00:00Z", "2021-03-05 10:00+02:00", datetime(2021, 3, 5, tzinfo=UTC)])
def test_time_zones_are_refused(cell):
    with raises(TableError, column="x", values=(str(cell),)):
        column_of(["2021-03-05", cell])
    with raises(TableError, column="x"):
        om.Microdata(pd.DataFrame({"x": pd.to_datetime(["2021-03-05"], utc=True)}), {"x": om.Date()})


def test_times_of_day_are_dropped_and_noted():
    frame = pd.DataFrame({"x": pd.to_datetime(["2021-03-05 10:30", "2021-03-05 23:00", "2021-04-01 00:00"])})
    data = om.Microdata(frame, {"x": om.Date()})
    assert [(note.code, note.values["column"]) for note in data.notes] == [("times-dropped", "x")]
    assert len(data.table) == 2
    assert not om.Microdata(frame.assign(x=frame["x"].dt.normalize()), {"x": om.Date()}).notes


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"precision": "week"}, "precision"),
        ({"centre": "mode"}, "centre"),
        ({"scale": "variance"}, "scale"),
        ({"weight": 0}, "weight"),
        ({"formats": "%d/%m/%Y"}, "formats"),
        ({"formats": ["%d/%m/%y"]}, "formats"),
        ({"formats": ["%Y-%m-%d %z"]}, "formats"),
        ({"formats": ["%m/%Y"]}, "formats"),
        ({"formats": ["day"]}, "formats"),
        ({"formats": [3]}, "formats"),
    ],
)
def test_options_are_checked(options, parameter):
    with raises(TableError, parameter=parameter):
        om.Date(**options)


# Calendar units


def test_generalisations_are_calendar_units():
    column = column_of(["2021-03-05", "2021-11-30"])
    found, release = column.generalisations(column.all_points), column.release({})
    assert [release.cells(level) for level in found.levels] == [
        ["2021-03-05", "2021-11-30"],
        ["2021-03", "2021-11"],
        ["2021-Q1", "2021-Q4"],
        ["2021"] * 2,
        ["2020-2024"] * 2,
        ["2020-2029"] * 2,
        ["*"] * 2,
    ]
    by_year = column_of(["2021-03-05", "2021-11-30"], precision="year")
    assert len(by_year.generalisations(by_year.all_points).levels) == 4


@given(st.lists(DAYS, min_size=1, max_size=8, unique=True), st.sampled_from(PRECISIONS))
@settings(max_examples=200)
def test_units_nest_are_true_and_are_read_back(days, precision):
    column = column_of([day.isoformat() for day in days], precision=precision)
    points = column.point
    unique, index = np.unique(points, return_inverse=True)
    found, release = column.generalisations(unique), column.release({})
    assert found.is_nested
    assert (found.levels[-1] == ANY).all()
    for level in found.levels:
        texts = [str(cell) for cell in release.cells(level)]
        assert release.points(texts).tolist() == level.tolist()
        assert all(says_date(texts[i], day) for i, day in zip(index, days, strict=True))
        assert column.points_of_keys([column.key(point) for point in level.tolist()]).tolist() == level.tolist()


@given(DAYS, DAYS, st.sampled_from(PRECISIONS))
@settings(max_examples=200)
def test_any_range_is_read_back_and_contains_its_days(first, last, precision):
    first, last = sorted((first, last))
    column = column_of([first.isoformat(), last.isoformat()], precision=precision)
    point = complex(make_ranges(*column.point[column.code]))
    text = column.key(point)
    assert column.points_of_keys([text]).tolist() == [point]
    assert says_date(text, first)
    assert says_date(text, last)


@given(DAYS, DAYS)
@settings(max_examples=200)
def test_spans_as_text(first, last):
    low, high = sorted((first.toordinal(), last.toordinal()))
    assert read_span(span_text(low, high)) == (low, high)


@pytest.mark.parametrize("text", ["2021Q1", "2021-Q1", "2021-01/2021-03", "2021-01-01/2021-03-31", "2021-01 / 2021-03"])
def test_other_spellings(text):
    assert read_span(text) == (date(2021, 1, 1).toordinal(), date(2021, 3, 31).toordinal())
    assert read_span("2019–2021") == read_span("2019-2021") == read_span("2019/2021")


@pytest.mark.parametrize(
    "text",
    ["", "2021-13", "2021-Q5", "21", "2021-2019", "2021/2020", "a/b", "2019/2020/21", "\u0662\u0660\u0662\u0661"],
)
def test_texts_that_are_no_dates(text):
    assert read_span(text) is None


@given(DAYS, st.integers(0, 5000), st.integers(1, 15))
def test_units_between_two_days(first, days, most):
    low = min(first.toordinal(), date(9980, 1, 1).toordinal())
    starts, months = starts_between(low, low + days, most)
    assert len(starts) <= most
    assert all(low < start <= low + days for start in starts)
    begin = {date.fromordinal(start) for start in starts}
    if months:
        every = (date.fromordinal(day) for day in range(low + 1, low + days + 1))
        assert begin == {d for d in every if d.day == 1 and (12 * d.year + d.month - 1) % months == 0}


# Masking


def test_means_are_rounded_to_the_precision():
    cells = ["2021-01-01", "2021-01-04", "2022-05-01", "2022-07-30"]
    for precision, expected in [
        ("day", ["2021-01-02"] * 2 + ["2022-06-15"] * 2),
        ("month", ["2021-01"] * 2 + ["2022-06"] * 2),
        ("year", ["2021"] * 2 + ["2022"] * 2),
    ]:
        data = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Date(precision)})
        assert om.Microaggregation(k=2).mask(data).frame["x"].tolist() == expected
    data = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Date(centre="median")})
    assert om.Microaggregation(k=2).mask(data).frame["x"].tolist() == [cells[0]] * 2 + [cells[2]] * 2


FRAMES = [
    pd.DataFrame({"x": pd.to_datetime(["2021-03-05", "2021-03-07", "2022-03-05", "2022-03-07"])}),
    pd.DataFrame({"x": [date(2021, 3, 5), date(2021, 3, 7), date(2022, 3, 5), date(2022, 3, 7)]}),
    pl.DataFrame({"x": [date(2021, 3, 5), date(2021, 3, 7), date(2022, 3, 5), date(2022, 3, 7)]}),
    pl.DataFrame({"x": [datetime(2021, 3, 5), datetime(2021, 3, 7), datetime(2022, 3, 5), datetime(2022, 3, 7)]}),
    pa.table({"x": [date(2021, 3, 5), date(2021, 3, 7), date(2022, 3, 5), date(2022, 3, 7)]}),
]


def cells_of(frame):
    return frame["x"].to_pylist() if isinstance(frame, pa.Table) else frame["x"].to_list()


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: str(type(frame)))
def test_a_column_of_dates_stays_one_if_all_cells_are_days(frame):
    data = om.Microdata(frame, {"x": om.Date()})
    released = om.Microaggregation(k=2).mask(data).frame
    assert [str(cell)[:10] for cell in cells_of(released)] == ["2021-03-06"] * 2 + ["2022-03-06"] * 2
    assert type(cells_of(released)[0]) is type(cells_of(frame)[0])
    if not isinstance(frame, pd.DataFrame):
        assert released.schema == frame.schema
    texts = om.Generalisation(k=2).mask(data).frame
    assert cells_of(texts) == ["2021-03"] * 2 + ["2022-03"] * 2
    assert cells_of(om.Microaggregation(k=2).mask(om.Microdata(frame, {"x": om.Date("year")})).frame) == [
        "2021",
        "2021",
        "2022",
        "2022",
    ]
    for result in (released, texts):
        score = om.evaluate(data, result)
        assert score.k == 2
        assert not [note for note in score.notes if note.code == "cells-suppressed"]


def test_days_and_months_in_one_column_are_texts():
    frame = pd.DataFrame({"x": pd.to_datetime(["2021-03-05", "2021-03-05", "2022-03-05", "2022-03-07"])})
    data = om.Microdata(frame, {"x": om.Date()})
    result = om.Generalisation(k=2).mask(data)
    assert result.frame["x"].tolist() == ["2021-03-05"] * 2 + ["2022-03"] * 2
    read, _ = read_masked(data, result.frame)
    assert len(read.table) == 2


def test_distances_are_shares_of_a_width_in_days():
    days = ["2021-01-01", "2021-01-11", "2021-04-11"]
    for scale, width in (("range", 100), ("sd", 2 * np.std([0, 10, 100])), ("iqr", 1.5 * 100)):
        column = column_of(days, scale=scale)
        first, second, third = np.unique(column.point)
        assert column.space.pairs(np.array([first]), np.array([second])).tolist() == pytest.approx([10 / width])
        assert column.space.pairs(np.array([first]), np.array([third])).tolist() == pytest.approx([100 / width])


def test_reports_name_no_rare_day():
    days = [date(2020, 1, 1) + timedelta(days=7 * i) for i in range(100)]
    data = om.Microdata(pd.DataFrame({"x": days}), {"x": om.Date()})
    result = om.Generalisation(k=5).mask(data)
    report = om.build_report(data, result, om.evaluate(data, result))
    html = report.to_html()
    assert not any(day.isoformat() in html for day in days)
    (bars,) = report.distributions
    assert sum(bars.original) == 100
    assert min(bars.original) >= 10
    assert bars.categories[0].startswith("before ")


def test_dates_can_be_confidential():
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "died": ["2021-03-05", "2021-03-06", "2022-01-01", "2022-01-02"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential={"died": om.Date()})
    score = om.evaluate(data, om.Microaggregation(k=2).mask(data, seed=0))
    assert score.confidential["died"].ground == "ordered"
