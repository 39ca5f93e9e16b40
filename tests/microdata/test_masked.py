from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.evaluation.reading import read_masked
from ontomask.microdata.masked import MaskedData
from ontomask.microdata.plan import SUPPRESSED, TuplePlan

T = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")])


def data_of(values: list[str | None], **options: object) -> om.Microdata:
    frame = pd.DataFrame({"x": values, "age": range(len(values)), "id": [f"p{i}" for i in range(len(values))]})
    attributes = {"x": om.Nominal(T, domain="symptom"), "age": om.Numeric()}
    return om.Microdata(frame, attributes, identifiers=["id"], **options)


def masked_by(data: om.Microdata, outcome: list[int]) -> MaskedData:
    table = data.table
    plan = TuplePlan.of(table, outcome=np.array(outcome), outcome_tuples=table.tuples)
    return MaskedData.of_plan(data, plan.apply(data, np.random.default_rng(0)))


def test_a_plan_makes_a_table_without_identifiers_and_suppressed_records():
    data = data_of(["ache", "colic", "fever"])
    masked = masked_by(data, [1, SUPPRESSED, 1])
    assert list(masked.frame.columns) == ["x", "age"]
    assert len(masked) == len(masked.frame) == 2
    assert len(masked.rows) == 2
    assert masked.frame.index.equals(pd.RangeIndex(2))
    assert len(masked.table) == 1


@given(st.lists(st.sampled_from(["ache", "colic", "fever", None]), min_size=1, max_size=12), st.data())
def test_a_frame_reads_back_to_the_points_of_its_plan(values, draw):
    if all(v is None for v in values):
        values.append("ache")
    data = data_of(values, missing="keep")
    outcome = draw.draw(
        st.lists(st.integers(0, len(data.table) - 1), min_size=len(data.table), max_size=len(data.table))
    )
    made = masked_by(data, outcome)
    read = read_masked(data, made.frame)[0]
    for name, column in made.columns.items():
        again = read.columns[name]
        kept = column.kept[column.code]
        assert (again.kept[again.code] == kept).all()
        assert (again.point[again.code][~kept] == column.point[column.code][~kept]).all()
        assert (np.unique(read.codes(name), return_inverse=True)[1] >= 0).all()
        # Equal numbers for equal text, and only for that.
        texts = made.frame[name].astype(str).tolist()
        assert len(set(zip(texts, made.codes(name).tolist(), strict=True))) == len(set(texts))


def test_frames_of_another_kind_are_read_too():
    data = data_of(["ache", "colic"])
    read, _ = read_masked(data, pl.DataFrame({"x": ["pain", "colic"], "age": [0, 1]}))
    assert [T.domain("symptom").ids[p] for p in read.columns["x"].point[read.columns["x"].code]] == ["pain", "colic"]


def test_a_table_of_which_nothing_is_left():
    data = data_of(["ache", "colic"])
    masked = masked_by(data, [SUPPRESSED, SUPPRESSED])
    assert len(masked) == len(masked.frame) == 0
    assert list(masked.frame.columns) == ["x", "age"]
