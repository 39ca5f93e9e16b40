"""k over chosen combinations of columns: `ColumnsK`."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import JobError, MaskingError
from ontomask.job.methods import make_method, to_toml_dict

from support.tables import microdata, personal_microdata, records_of

MERGING = [
    om.Microaggregation(k=2),
    om.Microaggregation(k=2, variant="sa_mdav"),
    om.Recoding(k=2),
    om.Generalisation(k=2),
    om.Suppression(k=2, mode="cells"),
]


def with_requirement(method, *required):
    return type(method)(**{**vars(method), "require": list(required)})


def smallest(frame, columns, who=None):
    """The fewest records, or persons, that share a combination of columns: counted record by record."""
    found = defaultdict(set)
    for row, record in enumerate(records_of(frame, list(columns))):
        found[record].add(row if who is None else who[row])
    return min(map(len, found.values()))


@pytest.mark.parametrize("method", MERGING, ids=repr)
@given(st.data())
def test_groups_are_merged_until_every_combination_is_frequent_enough(method, draw):
    data = draw.draw(microdata(least=6, mixed=not method.nominal_only))
    names = draw.draw(st.lists(st.sampled_from(list(data.quasi_identifiers)), min_size=1, unique=True))
    k = draw.draw(st.integers(3, 6))
    result = with_requirement(method, om.ColumnsK(k, names)).mask(data, seed=0)
    assert smallest(result.frame, names) >= k
    assert smallest(result.frame, data.quasi_identifiers) >= method.k
    assert result.guarantee.also == (f"k = {k} over {', '.join(names)}",)


@given(st.data())
def test_persons_are_counted(draw):
    data = draw.draw(personal_microdata())
    who = data.frame["who"].tolist()
    if len(set(who)) < 3:
        return
    names = list(data.quasi_identifiers)[:1]
    result = om.Microaggregation(k=2, require=[om.ColumnsK(3, names)]).mask(data, seed=0)
    assert smallest(result.frame, names, who) >= 3


def visits(records=60):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {"age": rng.integers(20, 60, records), "days": rng.integers(1, 9, records), "ward": ["a", "b", "c"] * 20}
    )


@pytest.fixture
def data():
    return om.Microdata(visits(), {"age": om.Numeric(), "days": om.Numeric()}, other=["ward"])


def test_a_smaller_k_over_fewer_columns_follows_and_changes_nothing(data):
    plain = om.Microaggregation(k=5).mask(data)
    asked = om.Microaggregation(k=5, require=[om.ColumnsK(5, ["age"]), om.ColumnsK(3, ["days"])]).mask(data)
    assert asked.frame.equals(plain.frame)
    assert len(asked.guarantee.also) == 2


def test_less_is_merged_than_for_a_larger_k_over_all_columns(data):
    asked = om.Microaggregation(k=3, require=[om.ColumnsK(9, ["days"])]).mask(data)
    assert smallest(asked.frame, ["days"]) >= 9
    assert om.evaluate(data, asked).sse < om.evaluate(data, om.Microaggregation(k=9).mask(data)).sse


def test_kept_columns_are_verified(data):
    with pytest.raises(MaskingError) as caught:
        om.Microaggregation(k=5, require=[om.ColumnsK(5, ["age", "ward"])]).mask(data)
    assert caught.value.parameter == "require"
    by_ward = om.Microaggregation(k=5, by=["ward"], require=[om.ColumnsK(5, ["age", "ward"])]).mask(data)
    assert smallest(by_ward.frame, ["age", "ward"]) >= 5
    assert om.PRAM(require=[om.ColumnsK(20, ["ward"])]).mask(data).guarantee.also == ("k = 20 over ward",)


@pytest.mark.parametrize("method", [om.PRAM, om.NaiveDistortion, om.DataSwapping])
def test_methods_that_do_not_merge_fail_if_they_fall_short(data, method):
    with pytest.raises(MaskingError) as caught:
        method(require=[om.ColumnsK(30, ["age", "days"])]).mask(data, seed=0)
    assert caught.value.parameter == "require"


def test_divided_groups_are_verified(data):
    with pytest.raises(MaskingError) as caught:
        om.Resampling(k=2, require=[om.ColumnsK(30, ["age"])]).mask(data, seed=0)
    assert caught.value.parameter == "require"


def test_confidential_columns_are_refused():
    data = om.Microdata(visits(), {"age": om.Numeric(), "days": om.Numeric()}, confidential=["ward"])
    with pytest.raises(MaskingError) as caught:
        om.Microaggregation(k=2, require=[om.ColumnsK(3, ["age", "ward"])]).mask(data)
    assert (caught.value.parameter, caught.value.column) == ("require", "ward")
    with pytest.raises(MaskingError) as caught:
        om.Microaggregation(k=2, require=[om.ColumnsK(61, ["age"])]).mask(data)
    assert caught.value.parameter == "require"


@pytest.mark.parametrize(
    ("parameters", "wrong"),
    [
        ((1, ["age"]), "k"),
        ((True, ["age"]), "k"),
        ((2.0, ["age"]), "k"),
        ((3, []), "columns"),
        ((3, "age"), "columns"),
        ((3, ["age", "age"]), "columns"),
    ],
)
def test_wrong_parameters(parameters, wrong):
    with pytest.raises(MaskingError) as caught:
        om.ColumnsK(*parameters)
    assert caught.value.parameter == wrong


def test_in_a_job(tmp_path):
    asked = {"k": 2, "require": [{"k": 5, "columns": ["age", "ward"]}, {"column": "illness", "l": 2}]}
    method = make_method("Recoding", asked, path=tmp_path / "job.toml")
    assert method.require == [om.ColumnsK(5, ["age", "ward"]), om.Diversity("illness", 2)]
    again = to_toml_dict(method)
    assert make_method(again.pop("name"), again, path=tmp_path / "job.toml") == method
    for wrong in ({"k": 5, "l": 3}, {"k": 1, "columns": ["age"]}, {"k": 5}, {"k": 5, "columns": ["age"], "t": 0.1}):
        with pytest.raises(JobError) as caught:
            make_method("Recoding", {"k": 2, "require": [wrong]}, path=tmp_path / "job.toml")
        assert caught.value.key.startswith("method.require.0")
