"""Masked tables from elsewhere: other tools' texts, other orders, fewer records."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.errors import TableError
from ontomask.evaluation.reading import read_masked

from support.errors import raises

TAXONOMY = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom"), ("symptom", "finding")]
)
AGES = om.Hierarchy.from_rows([("20", "20-29", "*"), ("25", "20-29", "*"), ("31", "30-39", "*"), ("38", "30-39", "*")])


def table(**options):
    frame = pd.DataFrame({"key": ["a", "b", "c"], "symptom": ["ache", "colic", "fever"], "age": [20, 31, 38]})
    kinds = {"symptom": om.Nominal(TAXONOMY, domain="symptom"), "age": om.Numeric()}
    return om.Microdata(frame, kinds, other=["key"], **options)


def points(masked, name):
    column = masked.columns[name]
    return [None if column.kept[i] else column.key(column.point[i]) for i in column.code.tolist()]


def masked(symptom=("ache", "pain", "fever"), age=(20, 31, 38), key=("a", "b", "c")):
    return pd.DataFrame({"key": list(key), "symptom": list(symptom), "age": list(age)})


def test_concepts_and_suppressed_cells():
    found, notes = read_masked(table(), masked(symptom=["pain", "*", None], age=["20", "*", "38"]))
    assert points(found, "symptom") == ["pain", "symptom", "symptom"]
    assert points(found, "age") == [20.0, "*", 38.0]
    assert any((note.code, note.values["column"]) == ("cells-suppressed", "age") for note in notes)


def test_what_is_wider_than_the_domain_is_its_root_and_reported():
    found, notes = read_masked(table(), masked(symptom=["ache", "finding", "fever"]))
    assert points(found, "symptom") == ["ache", "symptom", "fever"]
    assert any("wider" in note and "finding" in note for note in notes)


def test_labels_of_a_hierarchy_are_the_common_subsumer_of_their_values():
    tree = om.Hierarchy.from_rows([("ache", "visceral", "*"), ("colic", "visceral", "*"), ("fever", "systemic", "*")])
    released = masked(symptom=["visceral", "visceral", "systemic"])
    found, _ = read_masked(table(), released, hierarchies={"symptom": tree})
    assert points(found, "symptom") == ["pain", "pain", "fever"]
    with raises(TableError, column="symptom", values=("visceral", "systemic"), code="no-meaning"):
        read_masked(table(), released)


def test_meanings_can_be_given():
    released = masked(symptom=["hurts", "hurts", "fever"])
    found, _ = read_masked(table(), released, mapping={"symptom": {"hurts": "pain"}})
    assert points(found, "symptom") == ["pain", "pain", "fever"]


def test_intervals_and_labels_of_numbers_are_ranges():
    found, notes = read_masked(table(), masked(age=["[20, 30)", "30-39", "38"]))
    assert points(found, "age") == ["24.5±4.5", "34.5±4.5", 38.0]
    assert [note.values["number"] for note in notes if note.code == "intervals-read"] == [2]
    found, _ = read_masked(table(), masked(age=["20-29", "30-39", "38"]), hierarchies={"age": AGES})
    assert points(found, "age") == ["24.5±4.5", "34.5±4.5", 38.0]
    # A label that says nothing, or less than its values, means the range of its values.
    for label in ("young", "20-22"):
        named = om.Hierarchy.from_rows([("20", label, "*"), ("25", label, "*"), ("38", "38", "*")])
        found, _ = read_masked(table(), masked(age=[label, "31", "38"]), hierarchies={"age": named})
        assert points(found, "age") == ["22.5±2.5", 31.0, 38.0]


def test_records_are_found_by_their_key():
    found, notes = read_masked(table(), masked(key=["c", "a", "b"]).iloc[:2], key="key")
    assert found.rows.tolist() == [2, 0]
    assert any("suppressed" in note for note in notes)
    score = om.evaluate(table(), masked(key=["c", "a", "b"]).iloc[:2], key="key")
    assert score.utility.suppressed == 1


def test_evaluation_from_a_file_is_that_of_the_result(tmp_path):
    data = table()
    result = om.NaiveDistortion().mask(data, seed=1)
    om.write_table(result.frame, tmp_path / "masked.csv")
    read = om.read_table(tmp_path / "masked.csv")
    assert isinstance(read, pl.DataFrame)
    expected = {m.title: m.value for m in om.evaluate(data, result.data).measures}
    assert {m.title: m.value for m in om.evaluate(data, read).measures} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("frame", "options", "fields"),
    [
        (masked().iloc[:2], {}, {"code": "other-length"}),
        (masked().drop(columns="age"), {}, {"column": "age", "code": "no-column"}),
        (
            masked(symptom=["rash", "ache", "ache"]),
            {},
            {"column": "symptom", "values": ("rash",), "code": "no-meaning"},
        ),
        (masked(age=["old", "31", "38"]), {}, {"column": "age", "values": ("old",), "code": "no-meaning"}),
        (masked(), {"key": "id"}, {"column": "id", "parameter": "key", "code": "no-column"}),
        (masked(key=["a", "a", "b"]), {"key": "key"}, {"parameter": "key", "code": "not-unique"}),
        (masked(key=["a", "b", "z"]), {"key": "key"}, {"parameter": "key", "code": "unknown-records"}),
        (masked(), {"mapping": {"symptoms": {}}}, {"code": "unknown-column"}),
        (masked(), {"hierarchies": {"ages": AGES}}, {"code": "unknown-column"}),
    ],
)
def test_what_cannot_be_read_is_said(frame, options, fields):
    with raises(TableError, **fields):
        om.evaluate(table(), frame, **options)


def test_a_result_is_not_read():
    data = table()
    result = om.NaiveDistortion().mask(data, seed=0)
    with pytest.raises(TableError):
        om.evaluate(data, result, key="key")


def test_results_of_other_data_are_refused():
    data = table()
    other = om.Microdata(data.frame[["symptom"]], {"symptom": om.Nominal(TAXONOMY)})
    with raises(TableError, code="other-table"):
        om.evaluate(data, om.NaiveDistortion().mask(other, seed=0))


ARX = """id,symptom,age,income
a,visceral,20-29,low
b,visceral,[20; 30[,high
c,fever,*,low
d,*,*,high
"""


def test_an_export_of_arx_as_a_whole(tmp_path):
    original = pd.DataFrame(
        {
            "id": ["a", "b", "c", "d"],
            "symptom": ["ache", "colic", "fever", "ache"],
            "age": [20, 24, 31, 40],
            "income": ["low", "high", "low", "high"],
        }
    )
    kinds = {"symptom": om.Nominal(TAXONOMY, domain="symptom"), "age": om.Numeric(scale="range")}
    data = om.Microdata(original, kinds, confidential=["income"], other=["id"])
    tree = om.Hierarchy.from_rows([("ache", "visceral", "*"), ("colic", "visceral", "*"), ("fever", "fever", "*")])
    ages = om.Hierarchy.from_rows([("20", "20-29", "*"), ("24", "20-29", "*"), ("31", "30-39", "*")])
    (tmp_path / "arx.csv").write_text(ARX)
    read = om.read_table(tmp_path / "arx.csv")
    score = om.evaluate(data, read, hierarchies={"symptom": tree, "age": ages}, key="id")
    # visceral is pain, 1/5 from ache and colic; * is symptom, 1 - 2/4 from ache; ages by their share of 20 years
    assert score.rmse["symptom"] ** 2 == pytest.approx((1 / 25 + 1 / 25 + 0 + 1 / 4) / 4)
    # Both intervals are the ages from 20 to 29, with the middle 24.5.
    assert score.rmse["age"] ** 2 == pytest.approx(((4.5 / 20) ** 2 + (0.5 / 20) ** 2 + 1 + 1) / 4)
    lost = (1 / 5 + 4.5 / 20) / 2 + (1 / 5 + 0.5 / 20) / 2 + 1 / 2 + (1 / 2 + 1) / 2
    assert score.semantic_loss == pytest.approx(lost / 4)
    assert score.utility.attributes["age"].lm == pytest.approx((9 / 20 + 9 / 20 + 1 + 1) / 4)
    # from ache 0, 1/3, 3/5, 0; after, from pain 0, 0, 1/2, 1/3
    assert score.utility.attributes["symptom"].mean == ("ache", "pain")
    assert score.utility.attributes["symptom"].lm == pytest.approx((1 / 2 + 1 / 2 + 0 + 1) / 4)
    assert (score.rl, score.mrl, score.k) == (0, 0, 1)
    assert score.confidential["income"].distinct_l == 1
    assert "cells-suppressed" in [note.code for note in score.notes if hasattr(note, "code")]


@pytest.mark.parametrize("text", ["20,5", "30-20", "(20 30)"])
def test_what_is_no_interval_is_not_taken_for_one(text):
    with raises(TableError, column="age", code="no-meaning"):
        read_masked(table(), masked(age=[text, "31", "38"]))


def test_confidential_columns_are_there_and_as_they_were():
    original = table().frame.assign(income=[1.5, None, 3])
    kinds = {"symptom": om.Nominal(TAXONOMY, domain="symptom"), "age": om.Numeric()}
    data = om.Microdata(original, kinds, confidential=["income"], other=["key"])
    with raises(TableError, column="income", code="no-column"):
        om.evaluate(data, masked())
    assert om.evaluate(data, masked().assign(income=["1.5", None, "3"])).notes == ()
    score = om.evaluate(data, masked(key=["c", "b", "a"]).assign(income=["3", None, "9"]), key="key")
    assert score.notes == ("1 cells of the confidential 'income' were changed; l and t are of its originals.",)


def test_the_mapping_of_the_original_counts_for_values_that_it_lacks():
    taxonomy = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")])
    kind = om.Nominal(taxonomy, mapping={"gripes": "colic"})
    data = om.Microdata(pd.DataFrame({"symptom": ["ache", "fever"]}), {"symptom": kind})
    score = om.evaluate(data, pd.DataFrame({"symptom": ["gripes", "fever"]}))
    assert score.rmse == om.evaluate(data, pd.DataFrame({"symptom": ["colic", "fever"]})).rmse
