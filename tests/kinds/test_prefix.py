"""Codes whose first characters mean something."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MappingError, TableError
from ontomask.kinds.prefix import _prefixes

from support.errors import raises

codes_of_one_length = st.integers(2, 5).flatmap(lambda n: st.lists(st.text("012", min_size=n, max_size=n), min_size=2))
any_codes = st.lists(st.text("01*.", min_size=1, max_size=7), min_size=1, max_size=12).map(
    lambda codes: [code.strip(".") + "1" for code in codes]
)


def column_of(cells, kind=None, **options):
    return om.Microdata(pd.DataFrame({"x": cells}), {"x": kind or om.Prefix()}, **options).quasi_identifiers["x"]


def common(codes):
    """The length of the longest common prefix."""
    return next((i for i, chars in enumerate(zip(*codes, strict=True)) if len(set(chars)) > 1), len(codes[0]))


@given(codes_of_one_length)
def test_the_distance_is_the_share_of_characters_after_the_common_prefix(codes):
    column = column_of(codes)
    longest, shared = len(codes[0]), common(codes)
    for a in codes:
        for b in codes:
            expected = 0.0 if a == b else (longest - common([a, b])) / (longest - shared)
            pair = column.points_of_keys([a]), column.points_of_keys([b])
            assert column.space.pairs(*pair).tolist() == [pytest.approx(expected)]


@given(any_codes, st.none() | st.lists(st.integers(1, 8), min_size=1, max_size=4))
def test_groups_are_a_tree_of_true_prefixes_that_are_read_back(codes, lengths):
    kind = om.Prefix(lengths)
    counts = dict.fromkeys(codes, 1)
    above = kind.groups_of(counts)
    for code in codes:
        at, seen = code, [code]
        while at in above:
            at = above[at]
            assert at not in seen
            seen.append(at)
            prefix = at.rstrip("*")
            assert code.startswith(prefix)
            assert at != prefix
    column = column_of(codes, kind)
    release = column.release(column.safe_spellings(None, 10))
    points = np.arange(len(column.domain))
    assert [release.find(str(release.cell(point))) for point in points] == points.tolist()


@pytest.mark.parametrize(
    ("code", "length", "usual", "group"),
    [
        ("47906", 2, 5, "47***"),
        ("47906", 5, 5, "47906*"),
        ("01.11", 2, 4, "01**"),
        ("01.11", 3, 4, "01.1*"),
        ("SW1A 1AA", 4, 7, "SW1A***"),
        ("47906-1234", 3, 5, "479**"),
        ("47", 3, 5, None),
        ("47***", 2, 5, "47***"),
        ("47***", 3, 5, None),
        ("4*9", 2, 3, "4**"),
    ],
)
def test_the_name_of_a_group(code, length, usual, group):
    assert _prefixes(code, [length], usual) == ([] if group is None else [group])


def test_every_length_by_default_and_others_on_request():
    cells = ["47906", "47907", "47304", "86201"]
    assert {t.rstrip("*") for t in column_of(cells).domain.ids} >= {"", "4", "47", "479", "4790", "47906"}
    assert set(column_of(cells, om.Prefix([3, 2])).domain.ids) == {
        *cells,
        "*",
        "47***",
        "86***",
        "479**",
        "473**",
        "862**",
    }
    assert om.Prefix([3, 2, 3]).lengths == (2, 3)


def test_one_odd_length_does_not_change_the_names_of_others():
    usual = column_of(["47906", "47907", "86201"] * 5)
    odd = column_of(["47906", "47907", "86201"] * 5 + ["47906-1234"])
    assert set(usual.domain.ids) < set(odd.domain.ids)


def test_codes_that_were_masked_before_are_masked_again():
    data = om.Microdata(pd.DataFrame({"x": ["47906", "47***", "47907", "86201", "86202"] * 3}), {"x": om.Prefix([2])})
    column = data.quasi_identifiers["x"]
    assert column.domain.code("47***") in column.all_points
    assert set(om.Generalisation(6).mask(data, seed=0).frame["x"]) == {"47***", "86***"}


def test_the_top_and_the_common_prefix():
    assert column_of(["471", "472"]).domain.root == "47*"
    column = column_of(["471", "472"], om.Prefix(top="any code"))
    assert column.release({}).cell(0) == "any code"


@pytest.mark.parametrize("cells", [[47906, 86201], [47906.0, 86201.0]])
def test_numbers_of_one_length_are_codes(cells):
    column = column_of(cells, om.Prefix([2]))
    assert {"47***", "86***"} < set(column.domain.ids)


@pytest.mark.parametrize("cells", [[47906, 2139], [47906.0, 2139.0, None]])
def test_numbers_of_several_lengths_have_lost_their_zeros(cells):
    with raises(TableError, column="x"):
        column_of(cells, missing="keep")


@pytest.mark.parametrize("lengths", [[], [0], [2.5], [True], "23", 2])
def test_wrong_lengths(lengths):
    with raises(TableError, parameter="lengths"):
        om.Prefix(lengths)


def test_a_star_alone_is_no_code():
    with raises(MappingError, column="x", values=("*",)):
        column_of(["471", "*"])
