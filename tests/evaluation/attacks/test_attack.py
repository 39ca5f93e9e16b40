"""All intruders together: the worst of them, sentences that name their columns, and requirements."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.evaluation.attacks.requirements import AllColumnsK, LinkedAtMost

from support.errors import raises


@pytest.fixture
def data():
    frame = pd.DataFrame(
        {"age": [30, 32, 40, 42], "town": ["Ely", "Rye", "Ely", "Ely"], "illness": ["flu", "gout", "flu", "flu"]}
    )
    return om.Microdata(frame, {"age": om.Numeric()}, other=["town"], confidential=["illness"])


@pytest.fixture
def result(data):
    return om.Microaggregation(k=2).mask(data)


def test_the_worst_intruder_links_the_most_records(data, result):
    found = om.attack(data, result)
    assert (found.worst.intruder, found.worst.percent) == ("all_columns", 75)
    assert found.worst.columns == ("age", "town")
    assert found.exposed(2).tolist() == [0, 1]
    assert found.record_risk().tolist() == [1, 1, 0.5, 0.5]


def test_every_sentence_names_columns_and_no_values(data, result):
    sentences = om.attack(data, result).sentences
    assert len(sentences) >= 5
    assert all("age" in sentence or "town" in sentence for sentence in sentences)
    assert not any(value in sentence for sentence in sentences for value in ("Ely", "Rye", "flu", "gout"))


def test_figures_as_frame_and_json(data, result):
    found = om.attack(data, result)
    frame = found.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["intruder"].to_list()[:2] == ["quasi_identifiers", "all_columns"]
    told = json.loads(found.to_json())
    assert told["worst"]["percent"] == 75
    assert told["all_columns"]["k"] == 1
    assert told["all_columns"]["shares"]["town"]["linked_without"] == 50
    assert not re.search("Ely|Rye|flu|gout", json.dumps(told))


def test_a_frame_of_another_tool_is_attacked_without_its_method(data):
    found = om.attack(
        data, pd.DataFrame({"age": [31, 31, 41, 41], "town": data.frame["town"], "illness": data.frame["illness"]})
    )
    assert found.method is None
    assert found.all_columns.linked == 75


def test_every_evaluation_has_the_intruders(data, result):
    score = om.evaluate(data, result)
    assert (score.all_columns.k, score.all_columns.uniques, score.all_columns.linked) == (1, 50, 75)
    assert score.worst == score.attacks.worst.percent == 75
    assert score.linked_by_method == score.attacks.method.linked
    assert score.recovered == score.attacks.method.recovered
    names = {m.name for m in score.measures}
    assert {"all columns k", "all columns uniques", "all columns linked", "linked by method", "recovered"} <= names
    assert {"worst linked", "homogeneous"} <= names


def test_without_attacks_only_columns_are_measured(data, result):
    score = om.evaluate(data, result, attacks=False)
    assert (score.attacks, score.linked_by_method, score.recovered) == (None, None, None)
    assert (score.all_columns.linked, score.worst) == (75, 75)


def test_nothing_is_known_of_a_method_that_is_not_given(data, result):
    score = om.evaluate(data, result.frame)
    assert (score.linked_by_method, score.recovered) == (None, None)
    assert score.attacks.all_columns.linked == 75


def test_nothing_released(data):
    suppressed = om.Suppression(4).mask(data)
    score = om.evaluate(data, suppressed)
    assert len(suppressed.data) == 0
    assert (score.all_columns.k, score.all_columns.uniques, score.all_columns.linked) == (0, 0, 0)
    assert score.attacks.worst.percent == 0


def test_equal_values_say_nothing_where_no_value_stays(data):
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    words = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"] * 3}), {"symptom": om.Nominal(taxonomy)})
    shown = {m.name: m for m in om.evaluate(words, om.NaiveDistortion().mask(words, seed=0)).measures}
    assert (shown["RL"].shown, shown["RL"].value, shown["MRL"].value) == ("not meaningful", None, None)
    shown = {m.name: m for m in om.evaluate(words, om.PRAM(0.5).mask(words, seed=0)).measures}
    assert shown["RL"].value is not None


def test_requirements_on_the_whole_row(data):
    with raises(MaskingError, code="k-too-small"):
        om.Microaggregation(k=2, require=[AllColumnsK(2)]).mask(data)
    with raises(MaskingError, code="linked-too-often"):
        om.Microaggregation(k=2, require=[LinkedAtMost(60)]).mask(data)
    result = om.Microaggregation(k=4, require=[LinkedAtMost(60)]).mask(data)
    assert result.guarantee.also == ("at most 60 % of the records linked by the worst intruder",)
    whole = om.Microdata(data.frame.drop(columns="town"), {"age": om.Numeric()}, confidential=["illness"])
    assert om.Microaggregation(k=2, require=[AllColumnsK(2)]).mask(whole).guarantee.k == 2


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: AllColumnsK(1), "k"),
        (lambda: AllColumnsK(2.5), "k"),
        (lambda: LinkedAtMost(101), "percent"),
        (lambda: LinkedAtMost("5"), "percent"),
        (lambda: LinkedAtMost(float("nan")), "percent"),
    ],
)
def test_requirements_are_validated(make, parameter):
    with raises(MaskingError, parameter=parameter):
        make()


def test_mask_warns_where_kept_columns_make_rows_unique(data, result):
    (note,) = result.notes
    assert "k = 2 over age" in note
    assert "50 %" in note
    assert "town" in note
    # Of noise-like methods nothing is promised, and nothing is said about k.
    assert not any("k = " in note for note in om.PRAM(0.5).mask(data, seed=0).notes)
    whole = om.Microdata(data.frame.drop(columns="town"), {"age": om.Numeric()}, confidential=["illness"])
    assert om.Microaggregation(k=2).mask(whole).notes == ()


def test_all_intruders_are_determined_by_their_seed(data, result):
    first, second = (om.attack(data, result, seed=1) for _ in range(2))
    assert first.to_json() == second.to_json()
    np.testing.assert_array_equal(first.record_risk(), second.record_risk())


def test_no_measure_of_risk_speaks_for_the_whole_row(data, result):
    # Everything that is counted over some columns says over which.
    for measure in om.evaluate(data, result).measures:
        if measure.about == "risk" and measure.name not in ("entropy l", "t") and "town" not in measure.columns:
            assert "age" in measure.meaning, measure.name
    words = {"age": om.Numeric(), "town": om.Ordinal(["Ely", "Rye"])}
    both = om.Microdata(data.frame, words, confidential=["illness"])
    score = om.evaluate(both, om.Recoding(2).mask(both, seed=0), known=["town"])
    meanings = {measure.name: measure.meaning for measure in score.measures}
    assert "age" not in meanings["SRL"]
    assert "age, town" in meanings["k"]


def test_control_characters_in_column_names_are_shown_as_escapes():
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "to\u202ewn\x1b[2J": ["Ely", "Rye", "Ely", "Ely"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, other=[frame.columns[1]])
    found = om.attack(data, om.Microaggregation(k=2).mask(data, seed=0))
    for text in (str(found), found.to_json()):
        assert "\\u202ewn\\u001b[2J" in text
        assert not {"\u202e", "\x1b"} & set(text)
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))


def test_a_release_of_another_table_is_refused():
    ages, more, others = (
        om.Microdata(pd.DataFrame({name: range(size)}), {name: om.Numeric()})
        for name, size in (("age", 4), ("age", 6), ("years", 4))
    )
    of_ages, of_more = (om.Microaggregation(k=2).mask(table, seed=0) for table in (ages, more))
    for table, release in ((ages, of_more), (more, of_ages), (others, of_ages)):
        with raises(TableError, code="other-table"):
            om.attack(table, release)
    with raises(TableError, code="other-table"):
        om.attack(ages, of_more.data)


@pytest.mark.parametrize("seed", [-1, True, 0.5, None])
def test_the_seed_of_attacks_is_validated(data, result, seed):
    with raises(TableError, parameter="seed"):
        om.attack(data, result, seed=seed)
