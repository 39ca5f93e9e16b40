"""Kept cells that fewer than k records share: found before masking, and dropped or sent to the root."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.masking.rare_kept import RareKept

from support.errors import note_codes, raises
from support.literal_rare_kept import patterns_after_rooting, rare_rows

SYMPTOMS = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
KIND = om.Nominal(SYMPTOMS, domain="symptom")
METHODS = [
    om.Microaggregation(3),
    om.Microaggregation(3, variant="mdav"),
    om.Recoding(3),
    om.Resampling(3),
    om.Generalisation(3),
    om.Generalisation(3, mode="full_domain", suppression=0.5),
    om.Suppression(3),
    om.Suppression(3, mode="cells"),
]


def table(rows, rare_kept="error", person=None):
    frame = pl.DataFrame(rows, schema=["x", "y", "z"], orient="row")
    roles = {}
    if person is not None:
        frame, roles = frame.with_columns(pl.Series("who", person)), {"person": "who"}
    return om.Microdata(frame, dict.fromkeys("xyz", KIND), missing="keep", rare_kept=rare_kept, **roles)


# Six complete records, three without x, one without y, and one without x and y.
ROWS = [
    *([("ache", "ache", "rash")] * 3),
    *([("colic", "rash", "rash")] * 3),
    *([(None, "ache", "ache")] * 3),
    ("ache", None, "ache"),
    (None, None, "rash"),
]


def test_the_check_says_how_many_where_and_what_to_do():
    data = table(ROWS)
    with raises(om.MaskingError, parameter="k", column="x") as caught:
        om.Microaggregation(3).check(data)
    message = str(caught.value)
    assert "2 records" in message
    assert "1 in 'x', 2 in 'y'" in message
    assert "rare_kept='drop' or 'root'" in message
    assert RareKept.of(data, 3).cells == {"x": 1, "y": 2}
    assert RareKept.of(data, 2).records == 2
    assert not RareKept.of(table(ROWS[:9]), 3).records


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_records_are_left_out(method):
    data = table(ROWS, "drop")
    result = method.mask(data, seed=0)
    assert not {9, 10} & set(result.data.rows.tolist())
    assert result.guarantee.k >= 3
    assert "rare-kept-dropped" in note_codes(result.notes)
    assert om.evaluate(data, result).k == result.guarantee.k


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_cells_become_the_root(method):
    data = table(ROWS, "root")
    result = method.mask(data, seed=0)
    assert result.guarantee.k >= 3
    assert "rare-kept-rooted" in note_codes(result.notes)
    assert om.evaluate(data, result).k == result.guarantee.k
    released = dict(zip(result.data.rows.tolist(), result.frame.rows(), strict=True))
    # The record without x and y keeps x, which three others lack as well; the record without y keeps nothing.
    assert all(9 not in released or cell is not None for cell in released.get(9, ()))
    assert 10 not in released or released[10][0] is None
    assert 10 not in released or released[10][1] is not None
    # Cells that enough records share stay as they are.
    assert all(released[i][0] is None for i in (6, 7, 8) if i in released)


def test_methods_without_k_keep_the_cells():
    for rare_kept in ("error", "drop", "root"):
        result = om.PRAM(stay=0.5).mask(table(ROWS, rare_kept), seed=0)
        assert [row[1] for row in result.frame.rows()[9:]] == [None, None]


def test_too_few_complete_records_take_the_rarest_pattern_with_them():
    rows = [("ache", "ache", "rash"), *([(None, "ache", "ache")] * 3), *([("ache", None, "ache")] * 4)]
    with raises(om.MaskingError, parameter="k", column=None):
        om.Recoding(3).check(table(rows))
    result = om.Microaggregation(3).mask(table(rows, "root"), seed=0)
    assert [row.count(None) for row in result.frame.rows()] == [0, 0, 0, 0, 1, 1, 1, 1]
    result = om.Microaggregation(3).mask(table(rows, "drop"), seed=0)
    assert result.data.rows.tolist() == list(range(1, 8))


def test_full_domain_generalisation_may_leave_them_out():
    om.Generalisation(3, mode="full_domain", suppression=0.2).mask(table(ROWS), seed=0)
    with raises(om.MaskingError, parameter="k"):
        om.Generalisation(3, mode="full_domain").check(table(ROWS))
    om.Suppression(3).mask(table(ROWS), seed=0)


def test_persons_are_counted_where_they_are_known():
    person = [0, 1, 2, 3, 4, 5, 6, 6, 6, 9, 10]
    with raises(om.MaskingError, parameter="k") as caught:
        om.Microaggregation(3).check(table(ROWS, person=person))
    assert "5 records" in str(caught.value)
    assert "persons" in str(caught.value)
    for rare_kept in ("drop", "root"):
        result = om.Microaggregation(3).mask(table(ROWS, rare_kept, person), seed=0)
        assert (result.guarantee.unit, result.guarantee.k >= 3) == ("persons", True)


def test_a_saved_plan_is_applied_again(tmp_path):
    for rare_kept in ("drop", "root"):
        data = table(ROWS, rare_kept)
        result = om.Resampling(3).mask(data, seed=0)
        om.save_plan(result.plan, tmp_path / f"{rare_kept}.plan")
        again = om.load_plan(tmp_path / f"{rare_kept}.plan").apply(table(ROWS, rare_kept), 0)
        assert int(again.suppressed.sum()) == len(data) - len(result.frame)


def test_an_unknown_policy_is_an_error():
    with raises(om.TableError, parameter="rare_kept"):
        table(ROWS, "keep")


@pytest.mark.parametrize("kind", [om.Numeric(), om.Ordinal(list("123456")), om.Category()], ids=repr)
def test_every_kind_has_a_root(kind):
    frame = pl.DataFrame({"x": ["ache"] * 4 + ["rash"] * 3, "n": ["1", "2", "3", "4", "5", "6", None]})
    data = om.Microdata(frame, {"x": KIND, "n": kind}, missing="keep", rare_kept="root")
    result = om.Microaggregation(3).mask(data, seed=0)
    assert result.guarantee.k == 3
    assert not result.frame["n"].is_null().any()


CELLS = st.sampled_from(["ache", "colic", "rash", None])


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=4, max_size=30), k=st.integers(2, 4))
def test_rooting_follows_the_literal_rule_and_reaches_k(rows, k):
    if not any(all(row[j] is not None for row in rows[:1]) for j in range(3)):
        rows = [*rows, *([("ache", "ache", "ache")] * k)]
    if any(all(row[j] is None for row in rows) for j in range(3)):
        return
    data = table(rows, "root")
    rare = RareKept.of(data, k)
    assert sorted(np.flatnonzero(rare.tuples[data.table.inverse]).tolist()) == rare_rows(rows, k)
    if len(rows) < k:
        return
    kept = np.stack([column.kept[column.code] for column in data.quasi_identifiers.values()], axis=1)
    after = kept & ~rare.rooted[data.table.inverse]
    assert after.tolist() == patterns_after_rooting(rows, k)
    assert min(Counter(map(tuple, after.tolist())).values()) >= k
    assert om.Microaggregation(k).mask(data, seed=0).guarantee.k >= k
