from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.base.text import readable
from ontomask.figures.axes import category_axis, check_log, log_axis, number_axis
from ontomask.figures.styles import LOSS, PALETTE, look
from ontomask.figures.svg import shorten, text_width, wrap

from support.errors import raises

SIZES = st.floats(-1e100, 1e100, allow_nan=False)


@given(SIZES, SIZES, st.integers(1, 20))
@settings(max_examples=300)
def test_ticks_cover_the_data_evenly_and_are_not_too_many(a, b, most):
    low, high = min(a, b), max(a, b)
    axis = number_axis(low, high, most=most)
    slack = 1e-6 * (axis.high - axis.low)
    assert axis.low <= low + slack
    assert axis.high >= high - slack
    assert (axis.low, axis.high) == (axis.ticks[0], axis.ticks[-1])
    assert 2 <= len(axis.ticks) <= max(most, 3)
    steps = [after - before for before, after in pairwise(axis.ticks)]
    assert max(steps) - min(steps) <= slack
    assert len(set(axis.labels)) == len(axis.labels)
    assert axis.fraction(axis.low) == 0
    assert axis.fraction(axis.high) == 1


@given(st.floats(1e-90, 1e90), st.floats(1, 1e9), st.integers(2, 20))
def test_logarithmic_ticks_cover_the_data(low, factor, most):
    high = low * factor
    axis = log_axis(low, high, most=most)
    assert axis.low <= low * (1 + 1e-6)
    assert axis.high >= high * (1 - 1e-6)
    assert len(axis.ticks) == len(set(axis.ticks)) >= 2
    assert all(-1e-6 <= axis.fraction(value) <= 1 + 1e-6 for value in (low, high))


def test_ticks_by_hand():
    assert number_axis(0, 1, most=6).labels == ("0", "0.2", "0.4", "0.6", "0.8", "1.0")
    assert number_axis(-5, 17, most=6).ticks == (-5, 0, 5, 10, 15, 20)
    assert number_axis(0.3, 0.9, most=6).ticks == (0.2, 0.4, 0.6, 0.8, 1.0)
    assert number_axis(0, 0, most=6).ticks[:2] == (0, 0.2)
    assert number_axis(5, 5, most=6).ticks == (4.5, 5, 5.5)
    assert log_axis(2, 100, most=8).ticks == (2, 5, 10, 20, 50, 100)
    assert log_axis(1, 1e6, most=4).labels == ("1", "100", "10,000", "1,000,000")
    assert log_axis(5, 5, most=8).ticks == (5, 10)
    assert log_axis(1, 100, most=8).fraction(10) == pytest.approx(1 / 2)


def test_categories_have_equal_places():
    axis = category_axis(["a", "b", "c", "d"])
    assert [axis.fraction(tick) for tick in axis.ticks] == [1 / 8, 3 / 8, 5 / 8, 7 / 8]
    assert category_axis([]).ticks == ()


def test_logarithms_need_positive_numbers():
    check_log([1, 0.5], "log_x")
    for values in ([1, 0], [-1], ["a"], [5e-324]):
        with raises(om.FigureError, parameter="log_y"):
            check_log(values, "log_y")


def test_numbers_are_written_for_people():
    assert number_axis(-0.5, 0.5, most=3).labels == ("−0.5", "0", "0.5")
    assert number_axis(0, 2e-7, most=3).labels == ("0", "1×10⁻⁷", "2×10⁻⁷")
    assert readable(1234.5678) == "1,235"
    assert readable(-0.00001234) == "−1.234×10⁻⁵"
    assert readable(math.nan) == "no value"


@given(st.floats(-1e100, 1e100, allow_nan=False).filter(lambda x: abs(x) > 1e-90))
def test_readable_numbers_keep_four_digits(value):
    back = readable(value).replace("−", "-").replace(",", "")
    if "×10" in back:
        mantissa, power = back.split("×10")
        back = f"{mantissa}e{power.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}"
    assert float(back) == pytest.approx(value, rel=1e-3)


def test_the_scale_darkens_steadily_and_looks_differ():
    greys = [sum(int(LOSS.colour(i / 50)[at : at + 2], 16) for at in (1, 3, 5)) for i in range(51)]
    assert all(before > after for before, after in pairwise(greys))
    assert LOSS.colour(-3) == LOSS.stops[0]
    looks = [look(number) for number in range(28)]
    assert len({(one.colour, one.marker) for one in looks}) == 28
    assert len({(one.colour, one.dash) for one in looks}) == 28
    assert len({(one.colour, one.hatch) for one in looks}) == 28


def test_palette_is_that_of_okabe_and_ito_without_yellow():
    assert set(PALETTE) == {"#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7"}


@given(st.text(), st.floats(20, 300))
def test_shortened_text_fits_its_room(text, room):
    short = shorten(text, room)
    assert text_width(short) <= room or len(short) <= 2
    for line in (lines := wrap(text, room, most=2)):
        assert text_width(line) <= room or len(line) <= 2
    assert len(lines) <= 2
    if text_width(text) <= room and text.isascii() and text.isalpha():
        assert short == text
        assert lines == [text]
