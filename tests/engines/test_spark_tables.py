"""Names, types and addresses that Spark or Sail would change or mix up."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ontomask as om
from engines.conftest import LINKS, WORDS

from support.errors import raises

pytest.importorskip("pyspark")

RECORDS = 256
STRONG = 2**64 + 5
METHODS = [om.Generalisation(k=3), om.PRAM(stay=0.5)]


@pytest.fixture
def masked(tmp_path, spark, spark_server):
    """Mask a table on Spark, write it, and read what was written, with the row keys of `base`."""

    def mask(method, **columns):
        base = pl.DataFrame({"id": np.arange(RECORDS), "w": [WORDS[i % 17] for i in range(RECORDS)]})
        frame = base.with_columns(*(pl.Series(name, cells) for name, cells in columns.items()))
        frame.write_parquet(tmp_path / "in.parquet")
        source = om.scan(tmp_path / "in.parquet", engine="spark", key="id", remote=spark_server)
        kinds = {"w": om.Nominal(om.Taxonomy.from_edges(LINKS))}
        result = method.mask(om.Microdata(source, kinds, identifiers=["id"], other=list(columns)), seed=STRONG)
        result.write(tmp_path / "out", seed=STRONG, overwrite=True)
        return pl.read_parquet(tmp_path / "out" / "*.parquet")

    return mask


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_no_column_takes_the_place_of_another_with_a_similar_name(masked, method):
    given = {"ID ": 7, " id": 8, "a.b": 9, "a": 10, "a.`b`": 11, "`": 12, "W ": 13}
    found = masked(method, **{name: [number] * RECORDS for name, number in given.items()})
    assert found.columns == ["w", *given]
    assert {name: found[name].unique().to_list() for name in given} == {name: [cell] for name, cell in given.items()}


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_large_unsigned_integers_stay(masked, method, bits):
    cells = [2**bits - 1 - i for i in range(RECORDS)]
    found = masked(method, pay=pl.Series(cells, dtype=getattr(pl, f"UInt{bits}")))
    assert sorted(int(cell) for cell in found["pay"]) == sorted(cells)


def test_an_unsigned_key_gives_the_order_of_a_signed_one(tmp_path, spark, spark_server):
    released = []
    for kind in (pl.UInt8, pl.Int64):
        frame = pl.DataFrame({"id": pl.Series(list(range(RECORDS)), dtype=kind), "w": ["a", "b"] * (RECORDS // 2)})
        frame.write_parquet(tmp_path / "in.parquet")
        source = om.scan(tmp_path / "in.parquet", engine="spark", key="id", remote=spark_server)
        data = om.Microdata(source, {"w": om.Category()}, other=["id"])
        result = om.PRAM(stay=0.5).mask(data, seed=STRONG)
        result.write(tmp_path / "out", seed=STRONG, overwrite=True)
        released.append(pl.read_parquet(tmp_path / "out" / "*.parquet").cast({"id": pl.Int64}))
    assert released[0].equals(released[1])
    pl.DataFrame({"id": pl.Series([2**64 - 1, 1], dtype=pl.UInt64), "w": ["a", "b"]}).write_parquet(
        tmp_path / "in.parquet"
    )
    with raises(om.TableError, code="no-key"):
        om.scan(tmp_path / "in.parquet", engine="spark", key="id", remote=spark_server)


@pytest.mark.parametrize(
    "address", ["", "localhost:15002", "http://localhost:15002", "sc://", "sc://localhost:99999", "sc://localhost:0"]
)
def test_addresses_of_another_form_are_refused(tmp_path, address):
    with raises(om.TableError, code="no-server", parameter="remote"):
        om.scan(tmp_path, engine="spark", key="id", remote=address)


def test_each_server_reads_its_own_table(tmp_path, spark, spark_server, server):
    if spark_server is None:
        pytest.skip("Spark in this process has no address.")
    pl.DataFrame({"id": [1, 2]}).write_parquet(tmp_path / "in.parquet")
    first, second, third = (
        om.scan(tmp_path / "in.parquet", engine="spark", key="id", remote=address)._frame.sparkSession
        for address in (spark_server, f"sc://localhost:{server}", spark_server)
    )
    assert first is third
    assert first.session_id != second.session_id
    second.stop()


def test_a_url_of_a_file_is_its_path(tmp_path, spark, spark_server):
    (tmp_path / "in").mkdir()
    frame = pl.DataFrame({"id": range(6), "w": ["a", "b"] * 3})
    frame.write_parquet(tmp_path / "in" / "a.parquet")
    for form in ("file:", "file://"):
        source = om.scan(f"{form}{tmp_path}/in", engine="spark", key="id", remote=spark_server)
        result = om.PRAM(stay=0.5).mask(om.Microdata(source, {"w": om.Category()}, identifiers=["id"]), seed=STRONG)
        for target in ("in", "in/new"):
            with raises(om.MaskingError, code="over-input"):
                result.write(tmp_path / target, overwrite=True)
