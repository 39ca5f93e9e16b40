from __future__ import annotations

import re
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, PlanError
from ontomask.examples import adult_data
from ontomask.masking import cell_suppression
from ontomask.masking.rare_kept import RareKept
from ontomask.masking.suppression import Suppression

from support import literal_generalisation as lit
from support import literal_suppression as cells
from support.errors import raises
from support.tables import microdata, nominal_data, records_of

TREE = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
KIND = om.Nominal(TREE, domain="symptom")


table = partial(nominal_data, taxonomy=TREE)


def points_of(data, columns):
    return list(zip(*(column.point[column.code].tolist() for column in columns.values()), strict=True))


# Records


def test_records_that_fewer_share_are_left_out():
    frame = pd.DataFrame({"c0": ["ache", "rash", "ache", "colic"], "c1": ["rash"] * 4, "income": [1, 2, 3, 4]})
    data = om.Microdata(frame, {"c0": KIND, "c1": KIND}, confidential=["income"])
    result = Suppression(k=2).mask(data)
    assert result.frame.equals(frame.loc[[0, 2]].reset_index(drop=True))
    assert result.data.rows.tolist() == [0, 2]
    assert result.details == {"groups": 1, "suppressed": 2}
    assert result.guarantee.k == 2
    assert "2 records were suppressed" in result.guarantee.text


@given(st.data())
@settings(max_examples=60)
def test_records_are_those_of_the_definition(draw):
    data = draw.draw(microdata(least=2, kept=draw.draw(st.booleans())))
    k = draw.draw(st.integers(2, len(data)))
    result = Suppression(k=k).mask(data)
    before = records_of(data.frame, list(data.quasi_identifiers))
    assert result.data.rows.tolist() == lit.without_rare(before, k)
    assert records_of(result.frame, list(data.quasi_identifiers)) == [before[row] for row in result.data.rows]
    assert result.details["suppressed"] == len(before) - len(result.frame)


def test_persons_are_counted():
    frame = pd.DataFrame({"who": list("AABC"), "c0": ["ache", "ache", "rash", "rash"]})
    assert len(Suppression(k=2).mask(om.Microdata(frame, {"c0": KIND}, identifiers=["who"])).frame) == 4
    result = Suppression(k=2).mask(om.Microdata(frame, {"c0": KIND}, person="who"))
    assert result.frame["c0"].tolist() == ["rash", "rash"]
    assert (result.guarantee.k, result.guarantee.unit) == (2, "persons")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
def test_where_nothing_is_shared_nothing_is_released(kind):
    data = om.Microdata(kind({"c0": ["ache", "colic", "rash"], "n": [1, 2, 3]}), {"c0": KIND}, other=["n"])
    result = Suppression(k=2).mask(data)
    assert len(result.frame) == len(result.data) == 0
    assert result.guarantee.k is None
    assert "Every record was suppressed" in result.guarantee.text


@pytest.mark.parametrize("mode", ["records", "cells"])
def test_equal_records_stay(mode):
    result = Suppression(k=3, mode=mode).mask(table(["ache"] * 3, ["rash"] * 3))
    assert result.frame.to_dict("list") == {"c0": ["ache"] * 3, "c1": ["rash"] * 3}
    assert not result.notes


def test_numbers_can_be_left_out_too():
    data = om.Microdata(pd.DataFrame({"age": [30, 30, 31]}), {"age": om.Numeric()})
    assert Suppression(k=2).mask(data).frame["age"].tolist() == [30, 30]
    result = Suppression(k=3, mode="cells").mask(data)
    assert result.frame["age"].tolist() == ["*"] * 3
    (note,) = [note for note in result.notes if note.code == "root-released"]
    assert (note.values["column"], note.values["root"].values) == ("age", ("*",))


# Cells


def test_cells_become_the_root():
    data = table(["ache", "ache", "rash"], ["rash", "colic", "colic"])
    result = Suppression(k=3, mode="cells").mask(data)
    assert result.frame.to_dict("list") == {"c0": ["symptom"] * 3, "c1": ["symptom"] * 3}
    result = Suppression(k=2, mode="cells").mask(
        table(["ache", "ache", "rash", "rash"], ["ache", "rash", "rash", "rash"])
    )
    assert result.frame.to_dict("list") == {"c0": ["ache"] * 2 + ["rash"] * 2, "c1": ["symptom"] * 2 + ["rash"] * 2}
    assert result.details == {
        "groups": 2,
        "suppressed": 0,
        "suppressed_cells": {"c0": 0, "c1": 2},
    }
    (note,) = [note for note in result.notes if note.code == "root-released"]
    assert (note.values["column"], note.values["root"].values) == ("c1", ("symptom",))


def test_cells_of_common_records_are_spared():
    # (ache, rash) could join (ache, colic), four records, at five cells, or (pain, colic), one, at four.
    data = table(["ache"] * 5 + ["pain"], ["rash"] + ["colic"] * 5)
    result = Suppression(k=2, mode="cells").mask(data)
    assert sum(result.details["suppressed_cells"].values()) == 4
    assert result.frame["c1"].tolist() == ["symptom"] + ["colic"] * 4 + ["symptom"]


def test_a_value_that_is_the_root_counts_with_the_suppressed():
    # One record says symptom of its own; the single other joins it at the cost of its own cell only.
    data = table(["symptom", "ache", *["rash"] * 2])
    result = Suppression(k=2, mode="cells").mask(data)
    assert result.frame["c0"].tolist() == ["symptom", "symptom", "rash", "rash"]
    assert result.details["suppressed_cells"] == {"c0": 1}


def instance(data):
    """The table as plain tuples, counts, columns in which each is the top already, and weights."""
    table = data.table
    tops = [column.anything for column in table.columns]
    own = [{j for j, v in enumerate(t) if table.values[j].point[v] == tops[j]} for t in table.tuples.tolist()]
    weights = [column.space.weight for column in table.columns]
    return [tuple(t) for t in table.tuples.tolist()], table.counts.tolist(), own, weights


def suppressed_by(data, result):
    """Which columns of which tuples are released as the top, by the released points."""
    tops = [column.anything for column in data.table.columns]
    found = {}
    for number, record in zip(data.table.inverse.tolist(), points_of(data, result.data.columns), strict=True):
        found.setdefault(number, set()).add(frozenset(j for j, v in enumerate(record) if v == tops[j]))
    # Equal records are treated alike.
    return [set(*found[number]) for number in range(len(data.table))]


LITERAL = {"equality": cells.equal_cells, "wildcard": cells.matching_cells}


@pytest.mark.parametrize("semantics", ["equality", "wildcard"])
@given(draw=st.data())
@settings(max_examples=60)
def test_cells_are_those_of_the_definition(semantics, draw):
    data = draw.draw(microdata(least=2, most=14))
    k = draw.draw(st.integers(2, len(data)))
    result = Suppression(k=k, mode="cells", semantics=semantics).mask(data)
    tuples, counts, own, weights = instance(data)
    assert suppressed_by(data, result) == LITERAL[semantics](tuples, counts, own, weights, k)


@pytest.mark.parametrize("semantics", ["equality", "wildcard"])
@given(draw=st.data())
@settings(max_examples=60)
def test_laws_of_cells(semantics, draw):
    data = draw.draw(microdata(least=2, most=20, kept=draw.draw(st.booleans())))
    k = draw.draw(st.integers(2, len(data)))
    method = Suppression(k=k, mode="cells", semantics=semantics)
    if RareKept.of(data, k).records:
        with raises(MaskingError, parameter="k"):
            method.mask(data)
        return
    result = method.mask(data)
    names = list(data.quasi_identifiers)
    tops = [str(data.releases[name].cell(data.quasi_identifiers[name].anything)) for name in names]
    released = [tuple(map(str, record)) for record in records_of(result.frame, names)]
    # k holds on the released text under the semantics.
    if semantics == "wildcard":
        assert min(cells.matches(released, tops)) == result.guarantee.k >= k
        assert result.guarantee.claim == "k-anonymity with wildcards"
        assert result.guarantee.text.values["equal"] == min(Counter(released).values())
    else:
        assert min(Counter(released).values()) == result.guarantee.k >= k
        assert result.guarantee.claim == "k-anonymity"
    # Cells are suppressed, or as they were.
    changed = dict.fromkeys(names, 0)
    for old, new in zip(points_of(data, data.quasi_identifiers), points_of(data, result.data.columns), strict=True):
        for name, a, b in zip(names, old, new, strict=True):
            assert a == b or b == data.quasi_identifiers[name].anything or (a != a and b != b)
            changed[name] += bool(a != b)
    assert result.details["suppressed_cells"] == changed
    # The limit is kept: one cell less is refused.
    total = sum(changed.values())
    if total:
        with raises(MaskingError, parameter="limit"):
            Suppression(k=k, mode="cells", semantics=semantics, limit=(total - 1) / (len(data) * len(names))).mask(data)
    assert method.mask(data).frame.equals(result.frame)


def test_few_sets_of_columns(monkeypatch):
    # If not all sets of columns can be held, k still holds.
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"c{j}": rng.integers(0, 4, 60).astype(str) for j in range(5)})
    data = om.Microdata(frame, dict.fromkeys(frame.columns, om.Category()))
    best = sum(Suppression(k=4, mode="cells").mask(data).details["suppressed_cells"].values())
    monkeypatch.setattr(cell_suppression, "_MOST_ENTRIES", 1)
    result = Suppression(k=4, mode="cells").mask(data)
    assert result.guarantee.k >= 4
    assert best < sum(result.details["suppressed_cells"].values()) < 5 * 60
    monkeypatch.setattr(cell_suppression, "_MOST_COLUMNS", 4)
    assert Suppression(k=4, mode="cells", semantics="wildcard").mask(data).guarantee.k >= 4


# Wildcards


def test_a_suppressed_cell_matches_any_value():
    data = table(["ache", "ache", "rash"], ["rash", "colic", "colic"])
    result = Suppression(k=2, mode="cells", semantics="wildcard").mask(data)
    # (ache, *) matches (ache, colic), and so does (*, colic).
    assert result.details["suppressed_cells"] == {"c0": 1, "c1": 1}
    assert (result.guarantee.k, result.guarantee.text.values["equal"]) == (3, 1)
    assert sum(Suppression(k=2, mode="cells").mask(data).details["suppressed_cells"].values()) > 2
    (note,) = [note for note in result.notes if note.code == "equal-groups-below-k"]
    assert (note.values["records"], note.values["k"]) == (3, 2)


def test_only_records_below_k_are_suppressed():
    # Four records that nobody else is equal to. A fully suppressed fifth would match all of them.
    data = table(["ache", "colic", "rash", "pain", *["ache"] * 5], ["ache", "colic", "rash", "pain", *["rash"] * 5])
    result = Suppression(k=2, mode="cells", semantics="wildcard").mask(data)
    assert result.frame.iloc[4:].to_dict("list") == {"c0": ["ache"] * 5, "c1": ["rash"] * 5}


def test_wildcards_are_counted_in_each_stratum():
    frame = pd.DataFrame({"year": [1, 1, 2, 2], "c0": ["ache", "rash", "ache", "colic"], "c1": ["rash"] * 4})
    data = om.Microdata(frame, {"c0": KIND, "c1": KIND}, other=["year"])
    result = Suppression(k=2, mode="cells", semantics="wildcard", by=["year"]).mask(data)
    assert result.details["suppressed_cells"] == {"c0": 2, "c1": 0}
    assert result.guarantee.k == 2


def test_a_plan_with_wildcards_is_verified_when_it_is_applied():
    data = table(["ache", "ache", "rash"], ["rash", "colic", "colic"])
    plan = Suppression(k=2, mode="cells", semantics="wildcard").plan(data)
    plan.plan.apply(data)
    with raises(PlanError):
        plan.plan.apply(table(["ache"], ["colic"]))


def test_wildcards_do_not_count_persons():
    data = om.Microdata(pd.DataFrame({"who": list("AABC"), "c0": ["ache"] * 4}), {"c0": KIND}, person="who")
    with raises(MaskingError, parameter="semantics"):
        Suppression(k=2, mode="cells", semantics="wildcard").mask(data)
    with raises(MaskingError, parameter="require"):
        Suppression(k=2, mode="cells", semantics="wildcard", require=[om.ColumnsK(3, ["c0"])])


@pytest.mark.parametrize("policy", ["root", "category", "keep"])
@pytest.mark.parametrize(
    ("kind", "values", "top"),
    [
        (om.Category(), ["A"] * 6, "*"),
        (om.Category({"red": ["crimson", "scarlet"], "blue": ["navy"]}), ["crimson"] * 3 + ["scarlet"] * 3, "*"),
        (om.Prefix(), ["47906"] * 3 + ["47907"] * 3, "*"),
        (om.Nominal(TREE), ["ache"] * 6, "symptom"),
    ],
)
def test_missing_cells_are_not_released_as_what_all_others_are(kind, values, top, policy):
    # All values may share a group, or be equal. It says nothing about cells that have none.
    frame = pd.DataFrame({"x": [*values, None, None]})
    data = om.Microdata(frame, {"x": kind}, missing=policy, rare_kept="root")
    for method in (Suppression(3, mode="cells"), om.Generalisation(3), om.Generalisation(3, mode="full_domain")):
        assert set(method.mask(data).frame["x"][6:]) == {top}


def test_wildcards_do_not_average_weights():
    # A record that is unique in the release would show its own weight.
    frame = pd.DataFrame({"age": [30, 31, 45], "ward": ["n", "s", "s"], "weight": [1.5, 2.5, 7.25]})
    kinds = {"age": om.Numeric(), "ward": om.Category()}
    method = Suppression(k=2, mode="cells", semantics="wildcard")
    with raises(MaskingError, parameter="average_weights", column="weight"):
        method.mask(om.Microdata(frame, kinds, weights="weight"))
    kept = om.Microdata(frame, kinds, weights="weight", average_weights=False)
    assert method.mask(kept).guarantee.k == 2


def test_adult_needs_fewer_cells_than_sdcmicro(shared_data):
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    frame = pd.read_csv(shared_data / "arx_adult" / "adult.csv", sep=";", dtype=str)[names]
    data = om.Microdata(frame, dict.fromkeys(names, om.Category()))
    number = {
        semantics: sum(
            Suppression(k=5, mode="cells", semantics=semantics).mask(data).details["suppressed_cells"].values()
        )
        for semantics in ("equality", "wildcard")
    }
    # sdcMicro suppresses 26,755 with wildcards.
    assert number["wildcard"] < 12_000
    assert number["equality"] < 33_000


# Limits and misuse


@pytest.mark.parametrize("mode", ["records", "cells"])
def test_what_would_be_needed_is_enough(mode):
    data = table(["ache", "ache", "colic", "rash", "rash", "pain", "pain"], ["rash"] * 7)
    with raises(MaskingError, parameter="limit") as refused:
        Suppression(k=2, mode=mode, limit=0.01).mask(data)
    needed = re.search(r"Use limit=([\d.]+) ", str(refused.value)).group(1)
    result = Suppression(k=2, mode=mode, limit=float(needed)).mask(data)
    gone = result.details["suppressed"] or sum(result.details["suppressed_cells"].values())
    number = 7 if mode == "records" else 14
    assert f"{gone} of {number} {mode}" in str(refused.value)
    with raises(MaskingError, parameter="limit"):
        Suppression(k=2, mode=mode, limit=(gone - 1) / number).mask(data)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"k": 0}, "k"),
        ({"mode": "rows"}, "mode"),
        ({"limit": -0.1}, "limit"),
        ({"limit": "5%"}, "limit"),
        ({"semantics": "wildcard"}, "semantics"),
        ({"mode": "cells", "semantics": "any"}, "semantics"),
    ],
)
def test_wrong_parameters(options, parameter):
    with raises(MaskingError, parameter=parameter):
        Suppression(**{"k": 2, **options})


def test_more_than_there_are():
    with pytest.raises(MaskingError) as caught:
        Suppression(k=3).mask(table(["ache", "rash"]))
    assert caught.value.parameter == "k"


def test_adult_has_497_records_in_groups_below_5():
    result = Suppression(k=5).mask(adult_data())
    assert (result.details["suppressed"], len(result.frame)) == (497, 30162 - 497)
