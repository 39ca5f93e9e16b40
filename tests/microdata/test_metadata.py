"""An index and metadata have no role: the one is refused, the other is dropped on every way out."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import ontomask as om
from ontomask.microdata.files import file_metadata, read_table, write_table
from ontomask.microdata.metadata import find_metadata, strip_metadata

from support.errors import raises

SECRET = "Jane Roe, bed 7"
PAIN = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])


def pandas_frame(**options):
    return pd.DataFrame({"symptom": ["ache", "colic", "ache", "colic"], "cost": [1, 2, 3, 4]}, **options)


def arrow_table():
    fields = [pa.field("symptom", pa.string(), metadata={"asked": SECRET}), pa.field("cost", pa.int64())]
    return pa.table(
        [["ache", "colic", "ache", "colic"], [1, 2, 3, 4]], schema=pa.schema(fields, metadata={"source": SECRET})
    )


def microdata(frame, **options):
    return om.Microdata(frame, {"symptom": om.Nominal(PAIN)}, confidential=["cost"], **options)


def masked(frame, **options):
    return om.PRAM(stay=0.5).mask(microdata(frame, **options), seed=2**100)


# Index


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([0, 1, 2, 3], name="patient"),
        pd.Index(["p1", "p2", "p3", "p4"]),
        pd.Index([0, 2, 5, 9]),
        pd.RangeIndex(1, 5),
        pd.RangeIndex(0, 8, 2),
        pd.RangeIndex(4, name="patient"),
        pd.Index([0.0, 1.0, 2.0, 3.0]),
        pd.Index([0, 1, 3, 2]),
        pd.MultiIndex.from_arrays([[0, 0, 1, 1], range(4)]),
        pd.date_range("2020-01-01", periods=4),
    ],
    ids=["named", "text", "filtered", "start", "step", "named-range", "floats", "sorted", "levels", "dates"],
)
def test_an_index_of_its_own_is_refused(index):
    with raises(om.TableError, code="custom-index") as caught:
        microdata(pandas_frame(index=index))
    assert "p1" not in str(caught.value)
    frame = pandas_frame(index=index)
    assert len(microdata(frame.reset_index(drop=True))) == 4
    with raises(om.TableError, column="level 0", code="no-role"):
        microdata(frame.rename_axis(index=[f"level {i}" for i in range(index.nlevels)]).reset_index())


@pytest.mark.parametrize("index", [None, pd.Index([0, 1, 2, 3]), pd.Index(np.arange(4, dtype="uint8"))])
def test_a_default_index_is_fine(index):
    assert masked(pandas_frame(index=index)).frame.index.equals(pd.RangeIndex(4))


def test_a_filtered_table_is_refused():
    frame = pandas_frame()
    with raises(om.TableError, code="custom-index"):
        microdata(frame[frame["cost"] != 2])


def test_columns_in_levels_are_refused():
    frame = pandas_frame()
    frame.columns = pd.MultiIndex.from_tuples([("a", "symptom"), ("b", "cost")])
    with raises(om.TableError, values=("('a', 'symptom')", "('b', 'cost')"), code="names-not-text"):
        microdata(frame)


def test_rows_are_numbered_anew_where_some_left():
    frame = pandas_frame().assign(symptom=["ache", None, "colic", "ache"])
    data = microdata(frame, missing="drop")
    assert data.frame.index.equals(pd.RangeIndex(3))
    assert om.PRAM(stay=0.5).mask(data, seed=0).frame.index.equals(pd.RangeIndex(3))


# Metadata


def test_metadata_of_pandas_is_dropped():
    frame = pandas_frame()
    frame.attrs = {"source": SECRET}
    frame.columns.name = SECRET
    result = masked(frame)
    assert (result.frame.attrs, result.frame.columns.name) == ({}, None)
    assert (frame.attrs, frame.columns.name) == ({"source": SECRET}, SECRET)
    (note,) = [note for note in result.notes if getattr(note, "code", "") == "metadata-dropped"]
    assert "attrs" in note
    assert SECRET not in note


def test_categories_of_the_column_index_are_dropped():
    frame = pandas_frame()
    frame.columns = pd.CategoricalIndex(["symptom", "cost"], categories=["symptom", "cost", SECRET])
    assert type(masked(frame).frame.columns) is pd.Index


def test_metadata_of_arrow_is_dropped():
    result = masked(arrow_table())
    assert result.frame.schema.metadata is None
    assert not any(field.metadata for field in result.frame.schema)
    assert SECRET.encode() not in result.frame.schema.serialize().to_pybytes()
    assert any("schema metadata, column metadata" in note for note in result.notes)


def test_metadata_inside_types_is_dropped():
    inner = pa.field("inner", pa.int64(), metadata={"asked": SECRET})
    types = [
        pa.struct([inner]),
        pa.list_(inner),
        pa.large_list(inner),
        pa.list_(inner, 1),
        pa.map_(pa.string(), pa.field("value", pa.int64(), metadata={"asked": SECRET})),
        pa.list_(pa.field("item", pa.struct([inner]), metadata={"asked": SECRET})),
    ]
    table = pa.table({f"c{i}": pa.array([None], type_) for i, type_ in enumerate(types)})
    assert SECRET.encode() in table.schema.serialize().to_pybytes()
    stripped = strip_metadata(table)
    assert SECRET.encode() not in stripped.schema.serialize().to_pybytes()
    assert stripped.schema.equals(table.schema)


def test_without_metadata_there_is_no_note():
    for frame in (pandas_frame(), pl.from_pandas(pandas_frame()), pa.Table.from_pandas(pandas_frame())):
        assert masked(frame).notes == ()
        assert find_metadata(frame) == ()


# Files


def described(kind):
    if kind == "pyarrow":
        return arrow_table()
    frame = pandas_frame(index=pd.Index([SECRET, "b", "c", "d"], name="who"))
    frame.attrs = {"source": SECRET}
    return frame


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_parquet_holds_columns_alone(tmp_path, kind):
    write_table(described(kind), tmp_path / "a.parquet")
    assert SECRET.encode() not in (tmp_path / "a.parquet").read_bytes()
    assert set(pq.read_metadata(tmp_path / "a.parquet").metadata or {}) <= {b"ARROW:schema"}
    assert read_table(tmp_path / "a.parquet").columns == ["symptom", "cost"]


def test_results_in_arrow_files_hold_columns_alone():
    for frame in (arrow_table(), pl.from_arrow(arrow_table())):
        file = io.BytesIO()
        pa.feather.write_feather(
            masked(frame).frame.to_arrow() if isinstance(frame, pl.DataFrame) else masked(frame).frame, file
        )
        assert SECRET.encode() not in file.getvalue()


def test_a_parquet_index_comes_as_a_column_or_is_refused(tmp_path):
    described("pandas").to_parquet(tmp_path / "a.parquet")
    assert file_metadata(tmp_path / "a.parquet") == ("file metadata",)
    with raises(om.TableError, values=("who",), code="custom-index"):
        microdata(read_table(tmp_path / "a.parquet", as_="pandas"))
    with raises(om.TableError, column="who", values=("who",), code="no-role"):
        microdata(read_table(tmp_path / "a.parquet"))


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_and_notes_of_statistics_files_are_dropped(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}[ending]
    options = {"note": SECRET} if ending == ".sav" else {}
    source, target = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
    write(
        pandas_frame(),
        str(source),
        file_label=SECRET,
        column_labels=[SECRET, SECRET],
        variable_value_labels={"cost": {1: SECRET}},
        **options,
    )
    assert SECRET.encode() in source.read_bytes()
    assert {"the file label", "variable labels", "value labels"} <= set(file_metadata(source))
    result = masked(read_table(source))
    result.write(target)
    assert SECRET.encode() not in target.read_bytes()
    assert file_metadata(target) == ()
    assert sorted(read_table(target)["cost"]) == [1, 2, 3, 4]
