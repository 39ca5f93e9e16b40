"""Policies for missing cells and for values that a column cannot hold, for all columns or one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ontomask as om
from ontomask.distance import MEASURES

from support.errors import note_codes, raises

SYMPTOMS = om.Taxonomy.from_edges(
    [("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("itch", "rash"), ("rash", "symptom")]
)
KIND = om.Nominal(SYMPTOMS)
CELLS = ["ache", None, "colic", "NA", "itch", "odd", "rash", "strange"] * 4


def data_of(cells=CELLS, kind=KIND, **policies):
    return om.Microdata(pl.DataFrame({"x": cells}), {"x": kind}, **policies)


# One for all, or by column


def test_policies_by_column():
    frame = pl.DataFrame({"x": ["ache", None, "-"], "y": ["rash", "?", None], "z": ["1", "2", "?"]})
    data = om.Microdata(
        frame,
        {"x": KIND, "y": KIND},
        confidential={"z": om.Numeric()},
        missing={"x": "root", "z": "keep", None: "drop"},
        missing_tokens={"x": ["-"], None: ["?"]},
    )
    assert [(p.missing, p.missing_tokens) for p in data.policies.values()] == [
        ("root", ("-",)),
        ("drop", ("?",)),
        ("keep", ("?",)),
    ]
    assert data.frame["x"].to_list() == ["ache"]


def test_columns_that_a_dictionary_does_not_name_have_the_default():
    frame = pl.DataFrame({"x": ["ache", None], "y": ["rash", None]})
    with raises(om.MappingError, column="y"):
        om.Microdata(frame, {"x": KIND, "y": KIND}, missing={"x": "root"})


@pytest.mark.parametrize(
    ("policies", "fields"),
    [
        ({"missing": "ignore"}, {"parameter": "missing"}),
        ({"missing": {"x": "ignore"}}, {"parameter": "missing"}),
        ({"unmapped": None}, {"parameter": "unmapped"}),
        ({"missing": {"who": "drop"}}, {"parameter": "missing", "column": "who"}),
        ({"missing": {"nobody": "drop"}}, {"parameter": "missing", "column": "nobody"}),
        ({"missing_tokens": "NA"}, {"parameter": "missing_tokens"}),
        ({"missing_tokens": {"x": "NA"}}, {"parameter": "missing_tokens"}),
    ],
)
def test_policies_that_cannot_be(policies, fields):
    frame = pl.DataFrame({"x": ["ache", "rash"], "who": ["a", "b"]})
    with raises(om.TableError, **fields):
        om.Microdata(frame, {"x": KIND}, identifiers=["who"], **policies)


def test_tokens_may_be_numbers():
    data = om.Microdata(pd.DataFrame({"n": [1, 2, 999]}), {"n": om.Numeric()}, missing="drop", missing_tokens=[999])
    assert data.frame["n"].tolist() == [1, 2]


# Columns to leave out


def test_a_dropped_column_is_left_out_silently():
    frame = pl.DataFrame({"x": ["ache", "rash"], "note": ["a", "a"], "who": ["1", "2"], "list": [[1], [2]]})
    data = om.Microdata(frame, {"x": KIND}, identifiers=["who"], drop=["note", "list"])
    assert data.notes == ()
    assert data.frame.columns == ["x", "who"]
    assert om.PRAM().mask(data, seed=0).frame.columns == ["x"]
    assert frame.columns == ["x", "note", "who", "list"]
    assert "identifier-repeats" in note_codes(
        om.Microdata(frame, {"x": KIND}, identifiers=["who", "note"], drop=["list"]).notes
    )
    with raises(om.TableError, column="x", code="several-roles"):
        om.Microdata(frame, {"x": KIND}, identifiers=["who"], drop=["note", "list", "x"])


def test_a_noise_model_leaves_the_column_out():
    frame = pl.DataFrame({"x": ["ache", "rash", "itch"], "note": ["a", "b", "c"]})
    model = om.UncorrelatedNoise(alpha=0.5).fit(om.Microdata(frame, {"x": KIND}, drop=["note"]))
    assert model.mask_batch(frame, seed=0).columns == ["x"]
    assert list(model.mask_record({"x": "ache", "note": "a"}, seed=0)) == ["x"]


# The root


def test_missing_cells_become_the_root():
    data = data_of(missing="root", missing_tokens=["NA"], unmapped="drop")
    column = data.quasi_identifiers["x"]
    assert not column.kept.any()
    assert column.domain.root == "symptom"
    assert data.table.show()[0] == (("symptom",), 8)
    # The domain is that of the values: the root adds nothing to it.
    assert (
        column.domain.ids
        == data_of(missing="drop", missing_tokens=["NA"], unmapped="drop").quasi_identifiers["x"].domain.ids
    )
    result = om.Microaggregation(8).mask(data, seed=0)
    assert set(result.frame["x"].to_list()[1:4:2]) == {"symptom"}
    assert om.evaluate(data, result.frame).sse == om.evaluate(data, result).sse


# A value of its own


@pytest.mark.parametrize("measure", sorted(MEASURES))
@pytest.mark.parametrize("scope", ["domain", "ontology"])
def test_a_value_of_its_own_is_far_from_all_and_changes_no_other_distance(measure, scope):
    kind = om.Nominal(SYMPTOMS, distance=measure, scope=scope)
    plain = data_of(kind=kind, missing="drop", missing_tokens=["NA"], unmapped="drop").quasi_identifiers["x"]
    column = data_of(kind=kind, missing="category", missing_tokens=["NA"], unmapped="category").quasi_identifiers["x"]
    assert {which: value.text for which, value in column.own.items()} == {"missing": "NA", "unmapped": "unmapped"}
    before, after = (c.domain.codes(plain.domain.ids) for c in (plain, column))
    np.testing.assert_array_equal(plain.space.matrix(before, before), column.space.matrix(after, after))
    everything = np.arange(len(column.domain))
    for own in column.own.values():
        row = column.space.matrix(np.array([own.point]), everything)[0]
        assert row.tolist() == [float(code != own.point) for code in everything.tolist()]
        pairs = column.space.pairs(np.full(len(everything), own.point), everything)
        assert pairs.tolist() == row.tolist()
        assert column.distance.row(int(own.point) if scope == "domain" else own.text).max() == 1
        assert column.domain.parents(own.text) == ("symptom",)
    assert column.distance.options() == plain.distance.options()


def test_a_distance_that_counts_links_has_the_longest_one():
    kind = om.Nominal(SYMPTOMS, distance={"name": "path", "raw": True})
    column = data_of(["ache", "rash", None], kind, missing="category").quasi_identifiers["x"]
    own = np.array([column.own["missing"].point])
    assert column.space.matrix(own, column.domain.codes(["ache"]))[0, 0] == column.space.longest == 4


METHODS = [
    om.Microaggregation(4),
    om.Recoding(4),
    om.Resampling(4),
    om.Generalisation(4),
    om.Generalisation(4, mode="full_domain"),
    om.Suppression(4, mode="cells"),
    om.PRAM(stay=0.5),
    om.RankSwapping(3),
    om.UncorrelatedNoise(alpha=0.5),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_it_is_masked_released_and_read_back(method, tmp_path):
    data = data_of(missing="category", missing_tokens=["NA"], unmapped="category")
    assert sorted(data.table.counts.tolist()) == [4, 4, 4, 4, 8, 8]
    assert data.notes == ()
    result = method.mask(data, seed=3)
    assert not result.frame["x"].is_null().any()
    assert not {"odd", "strange"} & set(result.frame["x"])
    om.write_table(result.frame, tmp_path / "masked.csv")
    back = om.read_table(tmp_path / "masked.csv")
    options = {"rows": result.data.rows} if len(back) < len(data) else {}
    assert om.evaluate(data, back, **options).sse == pytest.approx(om.evaluate(data, result).sse)


def test_it_is_generalised_to_the_root():
    data = data_of([*(["ache"] * 5), *(["rash"] * 5), None, None], missing="category")
    assert om.Generalisation(5).mask(data, seed=0).frame["x"].to_list()[-1] == "symptom"


def test_another_tool_may_leave_the_cells_as_they_were():
    data = data_of(missing="category", missing_tokens=["NA", "?"], unmapped="category")
    assert om.evaluate(data, data.frame).loss_percent == 0
    theirs = data.frame.with_columns(pl.col("x").replace("NA", "?"))
    assert om.evaluate(data, theirs).loss_percent == 0


def test_its_text_means_nothing_else():
    taxonomy = om.Taxonomy.from_edges([("NA", "top"), ("missing", "top"), ("x", "top")], labels={"x": ["unmapped"]})
    kind = om.Nominal(taxonomy, mapping={"sodium": "NA"})
    cells = ["sodium", "missing", "NA", "x", "?!"] * 2
    data = data_of(cells, kind, missing="category", missing_tokens=["NA"], unmapped="category")
    own = data.quasi_identifiers["x"].own
    assert {which: value.text for which, value in own.items()} == {
        "missing": "missing value",
        "unmapped": "unmapped value",
    }
    released = om.Recoding(2).mask(data, seed=0).frame
    # NA means a missing cell, so the concept NA needs another text.
    assert set(released["x"]) == {"NA (NA)", "missing", "missing value", "x", "unmapped value"}
    assert om.evaluate(data, released).loss_percent == 0


def test_without_tokens_it_is_released_as_missing():
    data = data_of(["ache", None, "rash"] * 3, missing="category")
    assert om.Recoding(3).mask(data, seed=0).frame["x"].to_list()[1] == "missing"


def test_a_plan_knows_it(tmp_path):
    data = data_of(missing="category", unmapped="category", missing_tokens=["NA"])
    result = om.Microaggregation(4).mask(data, seed=0)
    om.save_plan(result.plan, tmp_path / "x.plan")
    again = om.load_plan(tmp_path / "x.plan").apply(
        data_of(missing="category", unmapped="category", missing_tokens=["NA"])
    )
    assert [again.cells["x"][i] for i in again.codes["x"]] == result.frame["x"].to_list()


@pytest.mark.parametrize(("policy", "wanted"), [("root", "symptom"), ("category", "NA")])
def test_a_noise_model_masks_missing_cells(policy, wanted):
    data = data_of(missing=policy, missing_tokens=["NA"], unmapped="drop")
    model = om.UncorrelatedNoise(alpha=0.5).fit(data)
    released = model.mask_batch(pl.DataFrame({"x": [None, "NA", "ache"]}), alpha=0, seed=0)
    assert released["x"].to_list() == [wanted, wanted, "ache"]
    assert model.mask_record({"x": None}, alpha=0, seed=0) == {"x": wanted}


def test_a_noise_model_without_the_value_says_so():
    model = om.UncorrelatedNoise(alpha=0.5).fit(data_of(["ache", "rash", "itch"], missing="category"))
    with raises(om.MaskingError, column="x"):
        model.mask_record({"x": None}, seed=0)


# Kept cells


def test_blanks_around_kept_cells_are_not_released():
    data = data_of(
        ["ache", "rash", " odd", "odd ", "odd", None, " NA"], missing="keep", missing_tokens=["NA"], unmapped="keep"
    )
    assert sorted(data.table.counts.tolist()) == [1, 1, 2, 3]
    assert om.PRAM(stay=0.5).mask(data, seed=0).frame["x"].to_list()[2:] == ["odd", "odd", "odd", None, None]
    model = om.UncorrelatedNoise(alpha=0.5).fit(data)
    assert model.mask_record({"x": " odd "}, seed=0) == {"x": "odd"}


# Values that other kinds cannot hold


@pytest.mark.parametrize(
    ("kind", "good"),
    [(om.Numeric(), ["1", "2", "3"]), (om.Ordinal(["a", "b", "c"]), ["a", "b", "c"])],
    ids=["numeric", "ordinal"],
)
def test_unmapped_values_of_other_kinds_follow_the_policy(kind, good):
    cells = [*good, "many", None]
    with raises(om.TableError, column="x", values=("many",)):
        data_of(cells, kind, missing="keep")
    assert len(data_of(cells, kind, missing="keep", unmapped="drop")) == 4
    kept = data_of(cells, kind, missing="drop", unmapped="keep")
    assert om.PRAM(stay=0.5).mask(kept, seed=0).frame["x"].to_list()[3:] == ["many"]
