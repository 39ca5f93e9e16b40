"""What distances of numbers are divided by."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import TableError
from ontomask.kinds.scales import width_of
from ontomask.operators.ranges import ANY

SCALES = ("sd", "iqr", "range")


def column_of(cells, **options):
    data = om.Microdata(pd.DataFrame({"x": cells}), {"x": om.Numeric(**options)})
    return data.quasi_identifiers["x"]


def distance(column, a, b):
    return float(column.space.pairs(np.array([a]), np.array([b]))[0])


def test_widths_by_hand():
    points, counts = np.array([0.0, 10.0, 20.0, 100.0]), np.array([1, 4, 4, 1])
    assert width_of(points, counts, "range") == 100
    # The mean is 22, the variance (22² + 4·12² + 4·2² + 78²) / 10.
    assert width_of(points, counts, "sd") == pytest.approx(2 * np.sqrt((484 + 576 + 16 + 6084) / 10))
    assert width_of(points, counts, "iqr") == pytest.approx(1.5 * 10)


def test_equal_quartiles_mean_standard_deviations_and_equal_values_mean_1():
    mostly_0 = (np.array([0.0, 5.0]), np.array([90, 10]))
    assert width_of(*mostly_0, "iqr") == width_of(*mostly_0, "sd") == pytest.approx(2 * 5 * 0.3)
    for scale in SCALES:
        assert width_of(np.array([7.0]), np.array([3]), scale) == 1


def test_the_largest_distance_is_bounded():
    points, counts = np.array([0.0, 1.0, 2.0, 1e9]), np.array([10, 10, 10, 1])
    assert width_of(points, counts, "iqr") == 1e9 / 1000


@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=30).filter(lambda x: len(set(x)) > 1),
    st.sampled_from(SCALES),
    st.integers(1, 9),
    st.integers(-99, 99),
)
def test_units_and_repetitions_of_a_table_make_no_difference(cells, scale, factor, shift):
    column, other = column_of(cells, scale=scale), column_of([factor * x + shift for x in cells] * 2, scale=scale)
    a, b = cells[0], cells[-1]
    assert distance(other, factor * a + shift, factor * b + shift) == pytest.approx(distance(column, a, b))


@pytest.mark.parametrize("scale", SCALES)
def test_a_suppressed_cell_is_at_distance_1_from_every_number(scale):
    space = column_of([0, 1, 2, 3, 100], scale=scale).space
    points = np.array([0, 100, ANY])
    assert space.matrix(points, points)[2].tolist() == [1, 1, 0]
    assert space.pairs(points[:2], points[[2, 2]]).tolist() == [1, 1]


def test_numbers_beyond_the_range_are_not_farther_than_its_ends():
    column = column_of([0, 10, 20, 100], scale="sd")
    assert distance(column, -500, 900) == distance(column, 0, 100) == column.space.largest > 1


def test_an_outlier_does_not_flatten_the_others():
    cells = [*range(20, 60), 10_000]
    assert distance(column_of(cells, scale="range"), 20, 59) < 0.004
    assert distance(column_of(cells, scale="iqr"), 20, 59) > 1


def test_the_scale_is_reported_with_a_rounded_bound():
    frame = pd.DataFrame({"x": [*range(40), 300]})
    for scale, expected in (
        ("sd", "share of 2 standard deviations, at most 5"),
        ("iqr", "share of 1.5 interquartile ranges, at most 10"),
        ("range", "share of the range"),
    ):
        data = om.Microdata(frame, {"x": om.Numeric(scale=scale)})
        result = om.Microaggregation(2).mask(data, seed=0)
        score = om.evaluate(data, result)
        assert score.distances["x"] == expected
        assert expected in om.build_report(data, result, score).to_text()


def test_an_unknown_scale_is_an_error():
    with pytest.raises(TableError) as error:
        om.Numeric(scale="mad")
    assert error.value.parameter == "scale"
