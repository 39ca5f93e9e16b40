from __future__ import annotations

import itertools
import time
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.privacy import encode, group_records, k_anonymity, l_diversity, t_closeness

from support import literal_privacy as lit

JOB = ["clerk", "clerk", "cook", "clerk", "cook", "smith"]
CITY = ["Leeds", "Leeds", "York", "York", "York", "York"]


@st.composite
def tables(draw: st.DrawFn) -> list[list[str | None]]:
    records = draw(st.integers(1, 12))
    cell = st.sampled_from(["a", "b", "ab", "", "nan", None])
    return draw(st.lists(st.lists(cell, min_size=records, max_size=records), min_size=1, max_size=4))


@st.composite
def grouped(draw: st.DrawFn, values: int = 4) -> tuple[list[int], list[int]]:
    """Groups numbered without gaps, and a code (or −1) for every record."""
    records = draw(st.integers(1, 14))
    raw = draw(st.lists(st.integers(0, 4), min_size=records, max_size=records))
    codes = draw(st.lists(st.integers(-1, values - 1), min_size=records, max_size=records))
    return [sorted(set(raw)).index(g) for g in raw], codes


def test_records_with_the_same_text_are_one_group():
    groups = group_records([JOB, CITY])
    assert groups.tolist() == [0, 0, 2, 1, 2, 3]


def test_text_and_codes_of_it_give_the_same_groups():
    codes = [encode(column).codes for column in (JOB, CITY)]
    for columns in (codes, [np.array(JOB), np.array(CITY, dtype=object)], [JOB, codes[1]]):
        assert (group_records(columns) == group_records([JOB, CITY])).all()


def test_a_kept_or_missing_cell_is_a_value_of_its_own():
    assert group_records([["a", None, "?", float("nan"), "nan", ""]]).tolist() == [3, 0, 2, 0, 4, 1]
    assert group_records([np.array([1.5, np.nan, np.nan])]).tolist() == [1, 0, 0]


def test_neighbouring_columns_do_not_run_together():
    assert len(set(group_records([["a", "ab"], ["bc", "c"]]).tolist())) == 2


def test_many_columns_of_many_values_do_not_overflow():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 10**6, 300) for _ in range(9)]
    columns = [np.append(column, column[:50]) for column in columns]
    groups = group_records(columns)
    assert len(set(groups.tolist())) == 300
    assert (groups[300:] == groups[:50]).all()


@given(tables())
def test_groups_are_the_distinct_tuples(columns):
    groups = group_records(columns)
    wanted = lit.groups_of(columns)
    assert {frozenset(records) for records in wanted.values()} == {frozenset(g) for g in lit.members(groups.tolist())}
    assert sorted(set(groups.tolist())) == list(range(len(wanted)))


@pytest.mark.parametrize(
    ("column", "codes", "values"),
    [
        (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
        ([30, -5, 10**12], [1, 0, 2], [-5, 30, 10**12]),
        (np.array([True, False]), [1, 0], [False, True]),
        ([2.5, float("nan"), -1.0], [1, -1, 0], [-1.0, 2.5]),
        (["1", 1, None], [0, 0, -1], ["1"]),
        ([None, None], [-1, -1], []),
        ([], [], []),
    ],
)
def test_values_become_codes_in_their_order(column, codes, values):
    found = encode(np.array(column, dtype=object) if None in list(column) else column)
    assert (found.codes.tolist(), found.values.tolist()) == (codes, values)


def test_the_gap_of_pandas_is_missing():
    pandas = pytest.importorskip("pandas")
    assert encode(pandas.Series(["a", pandas.NA, None, "a"], dtype=object)).codes.tolist() == [0, -1, -1, 0]


def test_k_counts_records():
    found = k_anonymity(group_records([JOB, CITY]))
    assert (found.k, found.unit, found.groups, found.sizes.tolist()) == (1, "records", 4, [2, 1, 2, 1])
    assert (found.uniques, found.records_below(2), found.records_below(3), found.worst) == (2, 2, 6, 1)
    assert found.average_risk == 100 * 4 / 6
    assert found.highest_risk == 100
    assert str(found) == "k = 1 record (4 groups of 6 records, 2 unique)"


def test_k_counts_persons():
    groups = [0, 0, 0, 1, 1, 1]
    found = k_anonymity(groups, persons=["Ann", "Ann", "Bea", "Bea", "Cleo", "Dora"])
    assert (found.k, found.unit, found.sizes.tolist()) == (2, "persons", [2, 3])
    assert found.average_risk == 100 * 2 / 5
    assert found.records_below(3) == 3
    assert k_anonymity(groups).k == 3


def test_records_without_a_person_hide_nobody():
    assert k_anonymity([0, 0, 0], persons=[None, None, "Ann"]).k == 2


def test_one_record_and_one_group():
    alone = k_anonymity(group_records([["x"]]))
    assert (alone.k, alone.uniques, alone.highest_risk) == (1, 1, 100)
    together = k_anonymity(group_records([["x"] * 5]))
    assert (together.k, together.uniques, together.average_risk, together.highest_risk) == (5, 0, 20, 20)
    assert str(together) == "k = 5 records (1 group of 5 records, 0 unique)"


@given(grouped())
def test_k_agrees_with_its_definition(table):
    groups, persons = table
    assert k_anonymity(groups).sizes.tolist() == lit.sizes(groups)
    assert k_anonymity(groups, persons=np.array(persons)).sizes.tolist() == lit.sizes(groups, persons)


def test_l_of_three_groups():
    # aabc, aaab and bb.
    found = l_diversity([0] * 4 + [1] * 4 + [2] * 2, [0, 0, 1, 2, 0, 0, 0, 1, 1, 1])
    assert found.distinct.tolist() == [3, 2, 1]
    assert found.entropy.tolist() == pytest.approx(
        [exp(0.5 * log(2) + 0.5 * log(4)), exp(0.75 * log(4 / 3) + 0.25 * log(4)), 1]
    )
    assert (found.distinct_l, found.entropy_l, found.worst_distinct, found.worst_entropy) == (1, 1.0, 2, 2)
    assert str(found) == "l = 1 distinct, 1.00 by entropy (3 groups)"


def test_the_worst_group_may_differ_by_entropy():
    found = l_diversity([0] * 2 + [1] * 30, [0, 1] + [0] * 28 + [1, 2])
    assert (found.worst_distinct, found.worst_entropy) == (0, 1)


def test_l_of_one_value_is_one():
    found = l_diversity([0, 0, 1], [0, 0, 0])
    assert (found.distinct_l, found.entropy_l) == (1, 1.0)


def test_a_missing_confidential_value_is_a_value_of_its_own():
    assert l_diversity([0, 0, 1, 1], [0, -1, -1, -1]).distinct.tolist() == [2, 1]


@given(grouped())
def test_l_agrees_with_its_definition(table):
    groups, codes = table
    found = l_diversity(groups, codes)
    assert found.distinct.tolist() == lit.distinct(groups, codes)
    assert found.entropy.tolist() == pytest.approx(lit.entropy(groups, codes))
    assert (found.entropy <= found.distinct + 1e-9).all()


def test_results_cannot_be_written_into():
    with pytest.raises(ValueError, match="read-only"):
        k_anonymity([0, 0]).sizes[0] = 9


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: group_records([]), "columns"),
        (lambda: group_records([[], []]), "columns"),
        (lambda: group_records([["a"], ["b", "c"]]), "columns"),
        (lambda: group_records([[["a"], ["b"]]]), "columns"),
        (lambda: k_anonymity([]), "groups"),
        (lambda: k_anonymity(["a"]), "groups"),
        (lambda: k_anonymity([0, 2]), "groups"),
        (lambda: k_anonymity([0, -1]), "groups"),
        (lambda: k_anonymity([0, 10**12]), "groups"),
        (lambda: k_anonymity([0, 0], persons=["Ann"]), "persons"),
        (lambda: l_diversity([], []), "groups"),
        (lambda: l_diversity([0, 0], [0]), "confidential"),
        (lambda: t_closeness([0, 0], ["flu", "flu"], ground="ordered"), "confidential"),
        (lambda: l_diversity([0, 0], [0, -2]), "confidential"),
    ],
)
def test_bad_input_is_refused(call, parameter):
    with pytest.raises(om.PrivacyError) as caught:
        call()
    assert caught.value.parameter == parameter


def test_a_million_records_take_a_moment():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, size, 10**6) for size in (90, 700, 700, 40)]
    begun = time.process_time()
    groups = group_records(columns)
    k_anonymity(groups, persons=rng.integers(0, 10**6, 10**6))
    l_diversity(groups, rng.integers(0, 700, 10**6))
    assert time.process_time() - begun < 10


def test_numbers_with_gaps_go_by_their_order():
    from ontomask.privacy.groups import encode as encoded

    found = encoded([10, 9, None, 100])
    assert found.values.tolist() == [9, 10, 100]
    assert found.codes.tolist() == [1, 0, -1, 2]


def test_values_need_no_codes_where_nothing_depends_on_them():
    groups, values = [0, 0, 0, 1, 1], ["flu", "gout", None, "flu", "flu"]
    codes = [0, 1, -1, 0, 0]
    assert l_diversity(groups, values).distinct.tolist() == l_diversity(groups, codes).distinct.tolist() == [3, 1]
    np.testing.assert_array_equal(t_closeness(groups, values).distances, t_closeness(groups, codes).distances)


@given(st.lists(st.integers(1, 700), min_size=1, max_size=40), st.sampled_from([None, 2, 5]), st.integers(1, 400))
def test_bands_of_sizes_count_every_group_once(sizes, k, fewest):
    found = k_anonymity(np.repeat(np.arange(len(sizes)), sizes))
    bands = found.size_bands(k, fewest=fewest)
    assert sum(band.groups for band in bands) == len(sizes)
    assert sum(band.records for band in bands) == sum(sizes)
    for band in bands:
        inside = [size for size in sizes if band.least <= size and (band.most is None or size <= band.most)]
        assert (band.groups, band.records) == (len(inside), sum(inside))
        assert band.records >= min(fewest, sum(sizes))
    assert all(a.most < b.least for a, b in itertools.pairwise(bands))


def test_bands_of_sizes_begin_with_k():
    bands = k_anonymity(np.repeat(np.arange(6), [5, 5, 7, 10, 30, 900])).size_bands(5)
    assert [(band.least, band.most, band.groups, band.records) for band in bands] == [
        (5, 5, 2, 10),
        (6, 9, 1, 7),
        (10, 24, 1, 10),
        (25, 49, 1, 30),
        (500, None, 1, 900),
    ]
