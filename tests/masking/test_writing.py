"""`Result.write`: rows in random order, which only its caller learns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.masking.seeds import draw_seed, is_weak
from ontomask.masking.writing import row_order

from support.errors import note_codes, raises
from support.frame_kinds import KINDS

STRONG = 2**100
PAIN = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("cramp", "colic"), ("sting", "ache")])
VALUES = ["ache", "colic", "cramp", "sting"]


def microdata(kind="pandas", n=60, **options):
    frame = pd.DataFrame({"symptom": [VALUES[i % 4] for i in range(n)], "note": [f"n{i}" for i in range(n)]})
    made = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame), "pyarrow": lambda: pl.from_pandas(frame)}
    table = made[kind]()
    table = table.to_arrow() if kind == "pyarrow" else table
    return om.Microdata(table, {"symptom": om.Nominal(PAIN)}, **({"other": ["note"]} | options))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.tsv", "a.xlsx", "a.dta", "a.sav"])
def test_rows_are_shuffled(tmp_path, kind, name):
    data = microdata(kind)
    result = om.PRAM(stay=0.5).mask(data, seed=STRONG)
    written = result.write(tmp_path / name, seed=STRONG)
    read = om.read_table(tmp_path / name)
    assert read["note"].to_list() == [f"n{row}" for row in written.rows]
    assert sorted(written.rows) == list(range(60))
    assert np.mean(written.rows == np.arange(60)) < 0.2
    assert note_codes(written.notes) == ["rows-shuffled"]
    # Not in the frame, which stays in order.
    assert om.evaluate(data, result.frame).srl == om.evaluate(data, read, rows=written.rows).srl


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "pandas of pyarrow", "polars"])
@pytest.mark.parametrize("ordered", [False, True])
def test_categories_do_not_tell_the_order_of_the_rows(tmp_path, kind, ordered):
    words = [f"w{i:02}" for i in np.random.default_rng(0).permutation(60)]
    # "filtered" is a value of a record that was removed before.
    listed = pa.DictionaryArray.from_arrays(np.arange(60), [*words, "filtered"], ordered=ordered)
    table = pa.table({"symptom": [VALUES[i % 4] for i in range(60)], "note": listed})
    frame = {
        "pyarrow": lambda: table,
        "pandas": table.to_pandas,
        "pandas of pyarrow": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.DataFrame(table),
    }[kind]()
    result = om.PRAM(stay=0.5).mask(om.Microdata(frame, {"symptom": om.Nominal(PAIN)}, other=["note"]))
    written = result.write(tmp_path / "a.parquet")
    note = pq.read_table(tmp_path / "a.parquet")["note"].unify_dictionaries()
    assert note.to_pylist() == [words[row] for row in written.rows]
    found = note.chunk(0).dictionary.to_pylist()
    assert "filtered" not in found
    if kind != "polars":
        # An order that somebody declared stays.
        assert found == (words if ordered else sorted(words))
    else:
        assert found != words


def test_the_order_follows_from_the_seed(tmp_path):
    result = om.PRAM(stay=0.5).mask(microdata(), seed=STRONG)
    for name, seed in (("a.csv", STRONG), ("b.csv", STRONG), ("c.csv", STRONG + 1), ("d.csv", None), ("e.csv", None)):
        result.write(tmp_path / name, seed=seed)
    a, b, c, d, e = ((tmp_path / f"{letter}.csv").read_bytes() for letter in "abcde")
    assert a == b
    assert len({a, c, d, e}) == 4
    generators = (np.random.default_rng(3), np.random.default_rng(3))
    orders = [row_order(60, rng).tolist() for rng in generators]
    assert orders[0] == orders[1]


def test_the_order_says_nothing_about_what_was_drawn():
    # The generator of a seed would draw the same numbers for the masking and for the order.
    assert (row_order(1000, STRONG) != np.random.default_rng(STRONG).permutation(1000)).any()
    assert abs(np.corrcoef(row_order(1000, STRONG), np.arange(1000))[0, 1]) < 0.1


def test_masking_is_the_same_as_before():
    # The order of rows is drawn apart, so that a seed masks as it did.
    result = om.PRAM(stay=0.5).mask(microdata(n=8), seed=0)
    again = om.PRAM(stay=0.5).mask(microdata(n=8), seed=np.random.default_rng(0))
    assert result.frame.equals(again.frame)
    assert result.frame["note"].tolist() == [f"n{i}" for i in range(8)]


def test_suppressed_records_leave_no_gaps(tmp_path):
    frame = pd.DataFrame({"symptom": ["ache"] * 20 + ["cramp"] + ["colic"] * 20, "note": [f"n{i}" for i in range(41)]})
    data = om.Microdata(frame, {"symptom": om.Nominal(PAIN)}, other=["note"])
    result = om.Suppression(k=5).mask(data, seed=STRONG)
    written = result.write(tmp_path / "a.csv")
    read = om.read_table(tmp_path / "a.csv")
    assert read["note"].to_list() == [f"n{row}" for row in written.rows]
    assert 20 not in written.rows
    score = om.evaluate(data, read, rows=written.rows)
    assert score.loss_percent == om.evaluate(data, result).loss_percent


def test_order_as_it_is(tmp_path):
    data = microdata()
    result = om.PRAM(stay=0.5).mask(data, seed=STRONG)
    written = result.write(tmp_path / "a.csv", order="as_is")
    assert written.rows.tolist() == list(range(60))
    assert note_codes(written.notes) == ["rows-in-order"]
    assert om.evaluate(data, om.read_table(tmp_path / "a.csv")).srl == om.evaluate(data, result).srl


def test_formulas_are_escaped_and_counted(tmp_path):
    frame = pd.DataFrame({"symptom": ["ache", "colic"] * 5, "=note": ["=1", "b"] * 5})
    data = om.Microdata(frame, {"symptom": om.Nominal(PAIN)}, other=["=note"])
    result = om.PRAM(stay=0.5).mask(data, seed=STRONG)
    written = result.write(tmp_path / "a.csv")
    (note,) = [note for note in written.notes if note.code == "formulas-escaped"]
    assert note.values["cells"] == 6
    assert set(om.read_table(tmp_path / "a.csv")["'=note"]) == {"'=1", "b"}
    as_is = result.write(tmp_path / "b.csv", formulas="as_is")
    assert note_codes(as_is.notes) == ["rows-shuffled"]
    assert set(om.read_table(tmp_path / "b.csv")["=note"]) == {"=1", "b"}
    result.write(tmp_path / "a.parquet")
    assert set(om.read_table(tmp_path / "a.parquet")["=note"]) == {"=1", "b"}


def test_options_arrive_and_wrong_ones_are_refused(tmp_path):
    result = om.PRAM(stay=0.5).mask(microdata(), seed=STRONG)
    result.write(tmp_path / "a.csv", delimiter=";")
    assert (tmp_path / "a.csv").read_text().startswith("symptom;note\n")
    with raises(TableError, parameter="overwrite"):
        result.write(tmp_path / "a.csv")
    result.write(tmp_path / "a.csv", overwrite=True)
    with raises(MaskingError, parameter="order"):
        result.write(tmp_path / "b.csv", order="random")
    with raises(MaskingError, parameter="seed", code="not-shuffled"):
        result.write(tmp_path / "b.csv", order="as_is", seed=STRONG)
    with raises(MaskingError, parameter="seed"):
        result.write(tmp_path / "b.csv", seed=-1)
    assert not (tmp_path / "b.csv").exists()


def test_which_row_is_whose_is_not_printed(tmp_path):
    written = om.PRAM(stay=0.5).mask(microdata(), seed=STRONG).write(tmp_path / "a.csv")
    assert repr(written) == f"<Written: 60 records in {tmp_path / 'a.csv'}>"


# Files in another order are not compared by position


def test_a_shuffled_file_is_not_compared_by_position(tmp_path):
    data = microdata()
    result = om.PRAM(stay=0.5).mask(data, seed=STRONG)
    written = result.write(tmp_path / "a.csv")
    read = om.read_table(tmp_path / "a.csv")
    with raises(TableError, code="other-order"):
        om.evaluate(data, read)
    assert om.evaluate(data, read, key="note").srl == om.evaluate(data, result).srl
    with pytest.raises(TableError):
        om.evaluate(data, read, key="note", rows=written.rows)
    with pytest.raises(TableError):
        om.evaluate(data, result, rows=written.rows)


@pytest.mark.parametrize("rows", [[0, 1], [0] * 60, [*range(59), 60], [*range(59), -1], [0.5] * 60, "x"])
def test_wrong_rows(rows):
    data = microdata()
    with pytest.raises(TableError) as error:
        om.evaluate(data, data.frame, rows=rows)
    assert error.value.parameter == "rows"


def test_tables_of_other_tools_in_the_same_order_are_compared():
    data = microdata(other=[], confidential=["note"])
    frame = data.frame.assign(symptom="ache")
    assert om.evaluate(data, frame).k == 60
    # One kept column was swapped, another shows that the order is the same.
    more = data.frame.assign(ward=[i % 7 for i in range(60)])
    both = om.Microdata(more, {"symptom": om.Nominal(PAIN)}, confidential=["note"], other=["ward"])
    swapped = more.assign(note=more["note"].to_numpy()[::-1])
    assert any("were changed" in note for note in om.evaluate(both, swapped).notes)
    # Where nothing shows it, the caller has to say so.
    alone = swapped.drop(columns="ward")
    with raises(TableError, code="other-order"):
        om.evaluate(data, alone)
    assert om.evaluate(data, alone, rows=range(60)).k == om.evaluate(both, swapped).k


@pytest.mark.parametrize("method", [om.PRAM(stay=0.3), om.UncorrelatedNoise(0.5), om.Microaggregation(k=5)], ids=repr)
def test_without_kept_columns_rows_in_another_order_are_noted(tmp_path, method):
    frame = pd.DataFrame({"symptom": [VALUES[i * i % 7 % 4] for i in range(400)]})
    data = om.Microdata(frame, {"symptom": om.Nominal(PAIN)})
    result = method.mask(data, seed=STRONG)
    written = result.write(tmp_path / "a.csv", seed=STRONG)
    read = om.read_table(tmp_path / "a.csv")
    assert "rows-unrelated" in note_codes(om.evaluate(data, read).notes)
    assert note_codes(om.evaluate(data, read, rows=written.rows).notes) == []
    assert note_codes(om.evaluate(data, result.frame).notes) == []


def test_records_that_are_all_alike_have_no_order():
    data = om.Microdata(pd.DataFrame({"symptom": VALUES * 50}), {"symptom": om.Nominal(PAIN)})
    assert om.evaluate(data, data.frame.assign(symptom="pain")).notes == ()


# Seeds


def test_weak_seeds():
    assert [is_weak(seed) for seed in (0, 2**64 - 1, np.int64(7), 2**64, None, np.random.default_rng(0))] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
    assert not is_weak(draw_seed())


def test_a_weak_seed_leaves_a_note(tmp_path):
    data, method = microdata(), om.PRAM(stay=0.5)
    assert "weak-seed" in note_codes(method.mask(data, seed=0).notes)
    for seed in (None, STRONG, np.random.default_rng(0)):
        assert "weak-seed" not in note_codes(method.mask(data, seed=seed).notes)
    result = method.mask(data, seed=STRONG)
    assert note_codes(result.write(tmp_path / "a.csv", seed=7).notes) == ["rows-shuffled", "weak-seed"]
