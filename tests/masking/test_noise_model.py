"""Noise for streams: fitted once, applied to records and batches."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import MappingError, MaskingError
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise

from support.errors import raises

BODY = om.Taxonomy.from_edges(
    [
        ("pain", "symptom"),
        ("ache", "pain"),
        ("colic", "pain"),
        ("cramp", "pain"),
        ("rash", "symptom"),
        ("hives", "rash"),
        ("tool", "thing"),
        ("symptom", "thing"),
    ],
    labels={"ache": ["ache", "soreness"], "hives": ["hives", "nettle rash"]},
)
METHODS = [UncorrelatedNoise(0.5), *(CorrelatedNoise(0.5, reference=r) for r in ("mean", "pair", "root"))]


def records(n=300, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.choice(["Ache", "colic", "CRAMP", "rash", "hives"], n)
    then = np.where(rng.random(n) < 0.6, first, rng.choice(["Ache", "colic", "pain"], n))
    return pd.DataFrame({"id": np.arange(n), "first": first, "then": then, "ward": rng.choice(["a", "b"], n)})


def microdata(frame, **options):
    attribute = om.Nominal(BODY, domain="symptom")
    other = [name for name in frame.columns if name not in ("id", "first", "then")]
    return om.Microdata(frame, {"first": attribute, "then": attribute}, identifiers=["id"], other=other, **options)


DATA = microdata(records())


def check_like_the_data(method, data, fold=lambda frame: frame):
    """A batch whose records are listed by tuple gets the errors that the data get.

    Which of several equal records has which outcome is drawn for the data only.
    """
    model = method.fit(data)
    order = np.argsort(data.table.inverse, kind="stable")
    batch = data.frame.iloc[order].reset_index(drop=True)
    result = method.mask(data, seed=1)
    expected = joint(data, np.arange(len(data)), fold(result.frame))
    assert joint(data, order, fold(model.mask_batch(batch, seed=1))) == expected
    again = pickle.loads(pickle.dumps(model))
    assert joint(data, order, fold(again.mask_batch(batch, seed=1))) == expected
    assert result.frame.dtypes.equals(model.mask_batch(batch, seed=1).dtypes)


def joint(data, order, released):
    """How many records of each original tuple have which released values."""
    masked = released[list(data.quasi_identifiers)].astype(object).where(released.notna(), None)
    return Counter(zip(data.table.inverse[order].tolist(), map(tuple, masked.to_numpy().tolist()), strict=True))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_batch_is_masked_like_the_data(method):
    check_like_the_data(method, DATA)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_records_one_by_one(method):
    model = method.fit(DATA)
    frame = records(40, seed=5)
    rows = frame.to_dict("records")
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    masked = [model.mask_record(row, seed=one) for row in rows]
    assert [list(row) for row in masked] == [["first", "then", "ward"]] * 40
    assert [row["ward"] for row in masked] == frame["ward"].tolist()
    # A record is a batch of one.
    batches = [
        model.mask_batch(frame.iloc[[i]].reset_index(drop=True), seed=other).to_dict("records")[0] for i in range(40)
    ]
    assert masked == batches
    assert len({tuple(row.values()) for row in masked}) > 5
    assert rows == frame.to_dict("records")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_kinds_of_frames(kind):
    frame = records(50)
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pa.Table.from_pandas(frame)}[kind]
    out = UncorrelatedNoise().fit(DATA).mask_batch(given, seed=0)
    assert type(out) is type(given)
    expected = UncorrelatedNoise().fit(DATA).mask_batch(frame, seed=0)
    plain = out if kind == "pandas" else out.to_pandas()
    assert plain.values.tolist() == expected.values.tolist()


def test_other_columns_stay_and_metadata_does_not():
    frame = records(30)[["ward", "first", "then"]]
    frame.attrs = {"source": "survey"}
    model = UncorrelatedNoise().fit(DATA)
    out = model.mask_batch(frame, seed=0)
    assert list(out.columns) == ["ward", "first", "then"]
    assert out["ward"].tolist() == frame["ward"].tolist()
    assert (out.attrs, frame.attrs) == ({}, {"source": "survey"})
    with raises(om.TableError, code="custom-index"):
        model.mask_batch(frame.set_index(np.arange(100, 130)), seed=0)
    described = pa.Table.from_pandas(frame).replace_schema_metadata({"source": "survey"})
    assert model.mask_batch(described, seed=0).schema.metadata is None


def test_no_originals():
    # 'soreness' and 'nettle rash' are written by few; 'Ache' by many.
    frame = records()
    frame.loc[[0, 1], "first"] = ["soreness", "Nettle-Rash"]
    model = UncorrelatedNoise(0.5).fit(microdata(frame))
    small, large = (len(pickle.dumps(UncorrelatedNoise().fit(microdata(records(n))))) for n in (300, 3000))
    assert abs(large - small) < 200
    assert b"Nettle-Rash" not in pickle.dumps(model)
    out = model.mask_batch(pd.DataFrame({"first": ["soreness"] * 500, "then": ["pain"] * 500}), seed=0)
    assert "Ache" not in set(out["first"])  # its own value is never what noise makes of it
    assert {"CRAMP", "colic", "pain"} & set(out["first"])
    spelt = set(model.mask_batch(frame, seed=0)["first"])
    assert "Nettle-Rash" not in spelt
    assert "Ache" in spelt


def test_statistics_are_those_of_the_data():
    model = UncorrelatedNoise(0.5).fit(DATA)
    figures = UncorrelatedNoise(0.5).mask(DATA, seed=0).details["columns"]
    assert model.statistics == {
        name: {key: figures[name][key] for key in ("semantic_mean", "semantic_variance")} for name in figures
    }
    assert model.alpha == 0.5
    assert repr(model) == "<NoiseModel for first, then: level 0.5>"


def test_new_values_of_the_domain():
    frame = records()
    frame = frame[(frame["first"] != "hives") & (frame["then"] != "hives")].reset_index(drop=True)
    model = UncorrelatedNoise().fit(microdata(frame))
    assert model.mask_record({"first": "nettle rash", "then": "pain"}, seed=0)["first"] in BODY.domain("symptom")
    with raises(MappingError, column="first", values=("tool",), code="unmapped") as problem:
        model.mask_record({"first": "tool", "then": "pain"})
    assert "tool" not in str(problem.value)


def test_domain_of_the_values_present_stays():
    # Without a name the domain is the LCS of the values; the model keeps it, and a mapping beyond it is no matter.
    frame = pd.DataFrame({"x": ["ache", "colic", "sore"] * 20})
    attribute = om.Nominal(BODY, mapping={"sore": "ache", "hammer": "tool"})
    model = UncorrelatedNoise().fit(om.Microdata(frame, {"x": attribute}, unmapped="keep"))
    assert model.mask_record({"x": "rash"}, seed=0) == {"x": "rash"}
    assert model.mask_record({"x": "hammer"}, seed=0) == {"x": "hammer"}
    assert model.mask_record({"x": "sore"}, seed=0)["x"] in BODY.domain("pain")


def test_senses_are_those_of_the_data():
    # Both the domain and the target of the mapping are given by words, and the target's first sense is no animal.
    t = om.Taxonomy.from_edges(
        [("person", "thing"), ("animal", "thing"), ("hothead", "person"), ("cat", "animal"), ("dog", "animal")],
        labels={"hothead": ["tiger"], "cat": ["cat", "tiger"], "animal": ["creature"]},
    )
    frame = pd.DataFrame({"x": ["stripes", "dog", "cat"] * 20})
    data = om.Microdata(frame, {"x": om.Nominal(t, mapping={"stripes": "tiger"}, domain="creature")})
    check_like_the_data(UncorrelatedNoise(0.5), data)


@pytest.mark.parametrize("scope", ["domain", "ontology"])
def test_scopes(scope):
    frame = records()[["first"]]
    data = om.Microdata(frame, {"first": om.Nominal(BODY, scope=scope, domain="symptom")})
    check_like_the_data(UncorrelatedNoise(0.5), data)


# Policies


def gaps(n=60):
    frame = records(n)
    frame.loc[::5, "first"] = None
    frame.loc[1::7, "then"] = "?"
    return frame


def lower(frame):
    return frame.map(lambda cell: cell.lower() if isinstance(cell, str) else cell)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("policy", ["keep", "drop"])
def test_missing_cells_follow_the_policy(method, policy):
    data = microdata(gaps(), missing=policy, missing_tokens=["?"])
    model = method.fit(data)
    out = model.mask_batch(gaps(), seed=1)
    # The spelling of values that fewer than ten records have is not kept: they come out by their labels.
    check_like_the_data(method, data, fold=lower)
    whole = {"first": "colic", "then": "pain"}
    for gap in ({"first": None}, {"then": "?"}, {"first": float("nan")}):
        masked = model.mask_record({**whole, **gap}, seed=0)
        if policy == "drop":
            assert masked is None
        else:
            assert masked[next(iter(gap))] is None
    if policy == "drop":
        assert len(out) == len(data)
        assert out.index.equals(data.frame.index)
    else:
        assert out["then"].isna().sum() == ((gaps()["then"] == "?") | gaps()["then"].isna()).sum()
        empty = model.mask_batch(pd.DataFrame({"first": [None, None], "then": ["?", "?"]}, dtype=object))
        assert empty["first"].isna().all()


def test_unmapped_values_follow_the_policy():
    record = {"first": "nonsense", "then": "pain"}
    assert UncorrelatedNoise().fit(microdata(records(), unmapped="keep")).mask_record(record)["first"] == "nonsense"
    assert UncorrelatedNoise().fit(microdata(records(), unmapped="drop")).mask_record(record) is None
    masked = UncorrelatedNoise().fit(microdata(records(), unmapped="root")).mask_record(record, seed=0)
    assert masked["first"] in BODY.domain("symptom")
    assert masked["first"] != "symptom"
    with raises(MappingError, column="first", values=("nonsense",), code="unmapped"):
        UncorrelatedNoise().fit(DATA).mask_record(record)
    with raises(MappingError, column="first", code="missing"):
        UncorrelatedNoise().fit(DATA).mask_record({"first": None, "then": "pain"})


def test_categories_do_not_tell():
    frame = records().astype({"first": "category", "ward": "category"})
    data = microdata(frame, missing="drop")
    batch = frame.iloc[:6].copy()
    batch["ward"] = batch["ward"].cat.add_categories("secret").astype(object)
    batch.loc[0, ["ward", "then"]] = ["secret", None]
    batch["ward"] = batch["ward"].astype("category")
    out = UncorrelatedNoise().fit(data).mask_batch(batch, seed=0)
    assert len(out) == 5
    assert "secret" not in out["ward"].cat.categories
    assert set(out["first"].cat.categories) == set(out["first"])


def test_codes_read_as_numbers():
    icd9 = om.load_icd9cm()
    frame = pd.DataFrame({"x": [250.0, 401.0, 428.0, 414.0] * 20})
    data = om.Microdata(frame, {"x": om.Nominal(icd9)})
    check_like_the_data(UncorrelatedNoise(0.5), data)


# Levels and seeds


def test_levels():
    model = UncorrelatedNoise(0.5).fit(DATA)
    frame = DATA.frame.iloc[:100]
    levels = np.where(np.arange(100) < 50, 0.0, 0.5)
    out = model.mask_batch(frame, alpha=levels, seed=2)
    assert (out["first"] == frame["first"])[:50].all()
    assert out[50:].equals(model.mask_batch(frame, seed=2)[50:])
    assert model.mask_record({"first": "Ache", "then": "pain"}, alpha=0) == {"first": "Ache", "then": "pain"}
    by_record = UncorrelatedNoise([0.5] * len(DATA)).fit(DATA)
    assert by_record.mask_batch(frame, alpha=0.5, seed=2).equals(model.mask_batch(frame, seed=2))
    with raises(MaskingError, parameter="alpha"):
        by_record.mask_batch(frame)
    for wrong in (-0.1, float("nan"), [0.1, 0.2], "much", "0.3", True, [True] * 100, float("inf")):
        with raises(MaskingError, parameter="alpha"):
            model.mask_batch(frame, alpha=wrong)


def test_without_a_seed_nobody_can_repeat_it():
    model = UncorrelatedNoise(0.5).fit(DATA)
    assert not model.mask_batch(DATA.frame).equals(model.mask_batch(DATA.frame))
    with raises(MaskingError, parameter="seed"):
        model.mask_batch(DATA.frame, seed="once")


# Columns


def test_columns_that_do_not_fit():
    model = UncorrelatedNoise().fit(DATA)
    with raises(MaskingError, column="then"):
        model.mask_record({"first": "pain"})
    with raises(MaskingError, column="name"):
        model.mask_batch(records(3).assign(name="Ada"))


def test_no_records():
    model = UncorrelatedNoise().fit(DATA)
    assert len(model.mask_batch(records(3).iloc[:0])) == 0
