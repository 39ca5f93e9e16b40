"""Missing cells that are kept: one value, however they are spelt, and released alike."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import ontomask as om

SYMPTOMS = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("rash", "pain")])
SPELLINGS = ["NA", "?", "n/a", None]
TOKENS = ["NA", "?", "n/a"]
CELLS = ["ache", "colic", "rash", "ache", "colic", "rash", *(3 * SPELLINGS)]


def masked(frame, attribute):
    data = om.Microdata(frame, {"x": attribute}, missing="keep", missing_tokens=TOKENS)
    return data, om.Microaggregation(k=5).mask(data, seed=0)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame], ids=["polars", "pandas"])
@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        (om.Nominal(SYMPTOMS), ["ache", "colic", "rash"]),
        (om.Numeric(), ["1", "2", "3"]),
        (om.Ordinal(["low", "mid", "high"]), ["low", "mid", "high"]),
    ],
    ids=["nominal", "numeric", "ordinal"],
)
@pytest.mark.parametrize("spellings", [SPELLINGS, TOKENS], ids=["with empty cells", "tokens only"])
def test_spellings_of_missing_are_one_kept_value(make, attribute, values, spellings, tmp_path):
    cells = [*(2 * values), *(spellings * (12 // len(spellings)))]
    data, result = masked(make({"x": cells}), attribute)
    assert sorted(data.table.counts.tolist()) == [2, 2, 2, 12]
    assert result.guarantee.k == 6
    out = list(result.frame["x"])
    assert all(cell is None or cell != cell for cell in out[6:])
    assert all(isinstance(cell, str) for cell in out[:6])
    om.write_table(result.frame, tmp_path / "masked.csv")
    back = om.read_table(tmp_path / "masked.csv")
    assert back["x"].is_null().to_list() == [False] * 6 + [True] * 12
    score = om.evaluate(data, back)
    assert (score.k, score.loss_percent) == (6, om.evaluate(data, result).loss_percent)


def test_another_tool_may_release_the_tokens_as_they_stand():
    frame = pl.DataFrame({"x": CELLS})
    data, _ = masked(frame, om.Nominal(SYMPTOMS))
    assert om.evaluate(data, frame).loss_percent == 0


def test_cells_without_a_concept_stay_apart():
    data = om.Microdata(
        pl.DataFrame({"x": ["ache", "odd", "strange", "NA", None]}),
        {"x": om.Nominal(SYMPTOMS)},
        missing="keep",
        missing_tokens=TOKENS,
        unmapped="keep",
    )
    assert sorted(data.table.counts.tolist()) == [1, 1, 1, 2]


def test_empty_cells_of_another_tool_may_be_anything_where_the_original_has_none():
    data = om.Microdata(pd.DataFrame({"x": ["ache", "colic"]}), {"x": om.Nominal(SYMPTOMS)}, missing="keep")
    theirs = om.evaluate(data, pd.DataFrame({"x": ["", ""]}))
    assert theirs.loss_percent == om.evaluate(data, pd.DataFrame({"x": ["*", "*"]})).loss_percent
