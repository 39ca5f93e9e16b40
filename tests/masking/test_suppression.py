from __future__ import annotations

import re
from collections import Counter
from functools import partial

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError
from ontomask.examples import adult_data
from ontomask.masking.suppression import Suppression

from support import literal_generalisation as lit
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
        "mergers": 1,
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


@given(st.data())
@settings(max_examples=60)
def test_cells_are_those_of_the_definition(draw):
    data = draw.draw(microdata(least=2, most=14, mixed=False))
    k = draw.draw(st.integers(2, len(data)))
    result = Suppression(k=k, mode="cells").mask(data)
    domains = [column.domain for column in data.quasi_identifiers.values()]
    stars = [{d.root: []} | {c: [d.root] for c in d.ids if c != d.root} for d in domains]
    records = [
        tuple(d.ids[p] for d, p in zip(domains, record, strict=True))
        for record in points_of(data, data.quasi_identifiers)
    ]
    weights = [column.space.weight for column in data.quasi_identifiers.values()]
    expected = lit.local(records, stars, k, by_records=True, weights=weights)
    found = points_of(data, result.data.columns)
    assert [tuple(d.ids[p] for d, p in zip(domains, r, strict=True)) for r in found] == expected
    changed = [sum(old[j] != new[j] for old, new in zip(records, expected, strict=True)) for j in range(len(domains))]
    assert list(result.details["suppressed_cells"].values()) == changed
    assert min(Counter(found).values()) == result.guarantee.k >= k


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
    [({"k": 0}, "k"), ({"mode": "rows"}, "mode"), ({"limit": -0.1}, "limit"), ({"limit": "5%"}, "limit")],
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
