"""Names, keys and types of columns that an engine would confuse, and targets that may be the input."""

from __future__ import annotations

import os

import duckdb
import numpy as np
import polars as pl
import pytest

import ontomask as om

from support.errors import raises

IS_LOCAL = os.environ.get("ONTOMASK_SPARK") == "local"


@pytest.mark.parametrize(
    ("names", "wrong", "code"),
    [
        (("w", "W"), "w", "names-not-unique"),
        (("w", ""), "", "no-name"),
        (("w", " "), " ", "no-name"),
        (("w", "*"), "*", "reserved-name"),
        (("w", "^w$"), "^w$", "reserved-name"),
    ],
)
def test_names_that_engines_confuse_are_refused_at_once(in_engine, request, names, wrong, code):
    if code == "names-not-unique" and request.node.callspec.params["in_engine"] == "spark" and IS_LOCAL:
        pytest.skip("Spark with Java refuses such a file itself.")
    frame = pl.DataFrame({"record": range(60), names[0]: [1, 2, 3, None] * 15, names[1]: [1, 2, 3, 4] * 15})
    with raises(om.TableError, column=wrong, code=code):
        in_engine(frame)


def test_a_column_may_be_called_rowid(tmp_path):
    """It would hide the number of the row."""
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT range % 3 AS rowid, range AS n FROM range(60)")
    memory = pl.DataFrame({"rowid": [0, 1, 2] * 20, "n": range(60)})
    ours, theirs = (
        om.PRAM(stay=0.5).mask(om.Microdata(table, {"rowid": om.Numeric()}, other=["n"]), seed=7)
        for table in (memory, om.scan(tmp_path / "data.duckdb", name="t"))
    )
    assert pl.from_arrow(theirs.frame.table).equals(ours.frame)


def test_names_in_relations_are_checked():
    with raises(om.TableError, column="w", code="names-not-unique"):
        om.scan(duckdb.sql("SELECT 1 AS id, 2 AS w, 3 AS W"), key="id")


@pytest.mark.parametrize("kind", ["UBIGINT", "HUGEINT"])
def test_keys_beyond_64_bits_are_refused_at_once(tmp_path, kind):
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(f"CREATE TABLE small AS SELECT CAST(range AS {kind}) AS id, range % 3 AS w FROM range(9)")
        connection.execute(f"CREATE TABLE big AS SELECT id + CAST({2**63} AS {kind}) AS id, w FROM small")
    result = om.PRAM(stay=0.5).mask(
        om.Microdata(om.scan(tmp_path / "data.duckdb", name="small", key="id"), {"w": om.Numeric()}, other=["id"]),
        seed=3,
    )
    memory = pl.DataFrame({"id": range(9), "w": [0, 1, 2] * 3})
    expected = om.PRAM(stay=0.5).mask(om.Microdata(memory, {"w": om.Numeric()}, other=["id"]), seed=3)
    assert pl.from_arrow(result.frame.table)["w"].to_list() == expected.frame["w"].to_list()
    with raises(om.TableError, column="id", code="key-too-large"):
        om.scan(tmp_path / "data.duckdb", name="big", key="id")


@pytest.mark.parametrize("role", ["confidential", "other", "kind"])
@pytest.mark.parametrize("cell", [[1, 2], {"x": 1}, [{"x": "a"}]])
def test_compound_cells_are_refused_as_in_memory(in_engine, role, cell):
    frame = pl.DataFrame({"record": range(12), "age": [1, 2, 3] * 4, "deep": [cell] * 12})
    kinds = {"age": om.Numeric()} | ({"deep": om.Category()} if role == "kind" else {})
    roles = {"identifiers": ["record"]} | ({} if role == "kind" else {role: ["deep"]})
    with raises(om.TableError, code=None, column="deep"):
        om.Microdata(in_engine(frame), kinds, **roles)
    with raises(om.TableError, code=None, column="deep"):
        data = om.Microdata(frame, kinds, **roles)
        om.evaluate(data, om.Microaggregation(k=2).mask(data, seed=1))
    dropped = om.Microdata(in_engine(frame), {"age": om.Numeric()}, identifiers=["record"], drop=["deep"])
    assert len(om.Microaggregation(k=2).mask(dropped, seed=1).data) == 12


def test_a_relation_may_be_read_from_everything_that_exists(tmp_path):
    (tmp_path / "in").mkdir()
    for name in "ab":
        pl.DataFrame({"id": [f"{name}{i}" for i in range(6)], "age": np.arange(6)}).write_parquet(
            tmp_path / "in" / f"{name}.parquet"
        )
    source = om.scan(duckdb.read_parquet(f"{tmp_path}/in/*.parquet"), key="id")
    result = om.Microaggregation(k=2).mask(om.Microdata(source, {"age": om.Numeric()}, identifiers=["id"]), seed=1)
    for path in (tmp_path / "in", tmp_path / "in" / "a.parquet"):
        with raises(om.MaskingError, code="over-input"):
            result.write(path, overwrite=True)
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["a.parquet", "b.parquet"]
    assert result.write(tmp_path / "masked").records == 12


def test_a_folder_replaces_a_file(in_engine, tmp_path, monkeypatch):
    frame = pl.DataFrame({"record": range(60), "age": [1, 2, 3, 4] * 15})
    # With Spark, what exists may be the input if the server does not tell its files.
    data = om.Microdata(in_engine(frame), {"age": om.Numeric()}, other=["record"])
    monkeypatch.setattr(data.source, "is_input", lambda _: False)
    result, target = om.Microaggregation(k=2).mask(data, seed=1), tmp_path / "masked"
    target.write_text("before")
    with raises(om.MaskingError, code="exists"):
        result.write(target)
    with monkeypatch.context() as patched:
        patched.setattr(type(target), "replace", fail)
        with pytest.raises(PermissionError):
            result.write(target, overwrite=True)
    assert target.read_text() == "before"
    result.write(target, overwrite=True)
    assert sum(len(pl.read_parquet(file)) for file in target.glob("*.parquet")) == 60
    assert [path.name for path in tmp_path.iterdir()] == ["masked"]


def fail(*_):
    raise PermissionError
