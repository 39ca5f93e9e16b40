"""What can be scanned, what is refused at once, and what is written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import duckdb
import numpy as np
import polars as pl
import pytest

import ontomask as om
from engines.conftest import WORDS, make_table
from ontomask.base.keyed_hash import draw_secret, hash_keys, order_within
from ontomask.engines.base import Sample
from ontomask.engines.spark import SparkSource
from ontomask.masking.seeds import order_generator
from ontomask.report import build_report

STRONG = 2**64 + 1


@pytest.fixture
def few():
    return make_table(120).select("record", "who", "first", "year", "cost")


def words_of(table, taxonomy, **roles):
    given = {"identifiers": ["who"], "other": ["record", "year"], "confidential": ["cost"], "missing": "root"}
    return om.Microdata(table, {"first": om.Nominal(taxonomy)}, **given | roles)


def read(result):
    return pl.from_arrow(result.frame.table).sort("record")


def code_of(call, *arguments, **options):
    """The class and the code of the error that a call raises."""
    with pytest.raises(om.OntomaskError) as raised:
        call(*arguments, **options)
    return type(raised.value), raised.value.code


def test_delimited_files_have_the_cells_of_read_table(tmp_path, taxonomy):
    path = tmp_path / "data.csv"
    cells = [' pain0 ,"a, b",1', 'skin1,"",', "pain0,\u00a0x\t,007", ",' ,2"] * 8
    path.write_text("\n".join(["first,text,code", *cells]) + "\n")
    roles = {"confidential": ["text", "code"], "missing": "keep"}
    kinds = {"first": om.Nominal(taxonomy)}
    memory = om.DataSwapping().mask(om.Microdata(om.read_table(path), kinds, **roles), seed=1).frame
    engine = om.DataSwapping().mask(om.Microdata(om.scan(path), kinds, **roles), seed=1)
    found = pl.from_arrow(engine.frame.table)
    assert found.sort(found.columns).equals(memory.sort(memory.columns))


def test_other_delimiters_are_detected(tmp_path, taxonomy, few):
    few.write_csv(tmp_path / "data.csv", separator=";")
    few.write_csv(tmp_path / "data.tsv", separator="\t")
    made = [
        read(om.PRAM().mask(words_of(om.scan(tmp_path / name), taxonomy), seed=2)) for name in ("data.csv", "data.tsv")
    ]
    assert made[0].equals(made[1])


def test_files_folders_patterns_databases_and_relations_are_the_same_table(tmp_path, taxonomy, few):
    (tmp_path / "parts" / "year").mkdir(parents=True)
    few[:50].write_parquet(tmp_path / "parts" / "a.parquet")
    few[50:].write_parquet(tmp_path / "parts" / "year" / "b.parquet")
    few.write_parquet(tmp_path / "whole.parquet")
    connection = duckdb.connect(str(tmp_path / "data.duckdb"))
    connection.register("given", few.to_arrow())
    connection.execute("CREATE TABLE people AS SELECT * FROM given ORDER BY record").fetchall()
    relation = om.scan(connection.sql("SELECT * FROM people ORDER BY random()"), key="record")
    connection.close()
    sources = [
        few,
        om.scan(tmp_path / "whole.parquet"),
        om.scan(tmp_path / "parts"),
        om.scan(f"{tmp_path}/parts/**/*.parquet"),
        om.scan(tmp_path / "data.duckdb", name="people"),
        relation,
    ]
    made = [om.PRAM(stay=0.5).mask(words_of(source, taxonomy), seed=3) for source in sources]
    tables = [made[0].frame, *(read(result) for result in made[1:])]
    assert all(table.equals(tables[0]) for table in tables[1:])


def test_names_of_files_are_no_patterns(tmp_path, taxonomy):
    """Otherwise DuckDB reads a1.csv in the place of a[1].csv, and counts another file than the one that it wrote."""
    for folder in ("x[1]", "x1", "x*y", "x-y"):
        (tmp_path / folder).mkdir()
        frame = pl.DataFrame({"first": [folder] * 3, "n": [1, 2, 3]})
        for name in ("a[1]", "a1", "a?", "ab", "it's"):
            frame.with_columns(name=pl.lit(name)).write_parquet(tmp_path / folder / f"{name}.parquet")
            frame.with_columns(name=pl.lit(name)).write_csv(tmp_path / folder / f"{name}.csv")
    for folder, name in (("x[1]", "a[1]"), ("x*y", "a?"), ("x1", "it's")):
        for suffix in ("parquet", "csv"):
            source = om.scan(tmp_path / folder / f"{name}.{suffix}")
            assert source.count(["first", "name"])[0].rows() == [(folder, name)]
            result = om.Suppression(k=2).mask(
                om.Microdata(source, {"first": om.Category()}, other=["n", "name"]), seed=1
            )
            for new in (f"new{suffix}.parquet", f"new{suffix}.csv", f"new{suffix}"):
                assert result.write(tmp_path / folder / new).records == 3


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
def test_delimited_files_have_the_cells_of_read_table_on_spark(tmp_path, spark, spark_server, suffix, delimiter):
    cells = [
        " x ",
        "it's",
        'a "quoted" word',
        "a, b; c",
        "two\nlines",
        "back\\slash",
        '"',
        None,
        "",
        "\u2003y\u3000",
        "007",
    ]
    frame = pl.DataFrame({"id": range(11), "a.b": cells, "c": cells[::-1]})
    frame.write_csv(tmp_path / f"whole.{suffix}", separator=delimiter)
    (tmp_path / "parts" / "more").mkdir(parents=True)
    frame[:6].write_csv(tmp_path / "parts" / f"1.{suffix}", separator=delimiter)
    frame[6:].write_csv(tmp_path / "parts" / "more" / f"2.{suffix}", separator=delimiter)
    expected = om.read_table(tmp_path / f"whole.{suffix}")
    expected = expected.sort(expected.columns).rows()
    for path in (tmp_path / f"whole.{suffix}", tmp_path / "parts"):
        source = om.scan(path, key="id", engine="spark", remote=spark_server)
        assert source.count(source.columns)[0].rows() == expected


def test_all_parquet_files_in_a_folder_are_read_on_spark(tmp_path, spark, spark_server, few):
    (tmp_path / "more").mkdir()
    few[:50].write_parquet(tmp_path / "a.parquet")
    few[50:].write_parquet(tmp_path / "more" / "b.parquet")
    for source in (
        om.scan(tmp_path, key="record", engine="spark", remote=spark_server),
        om.scan(tmp_path, key="record"),
    ):
        assert source.columns == few.columns
        assert source.count(["record"])[0]["record"].to_list() == list(range(120))


def test_a_server_may_have_another_working_folder(tmp_path, monkeypatch, spark, spark_server, taxonomy, few):
    few.write_parquet(tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)
    source = om.scan("a.parquet", key="record", engine="spark", remote=spark_server)
    assert om.PRAM().mask(words_of(source, taxonomy), seed=1).write("masked").records == 120
    assert sum(len(pl.read_parquet(file)) for file in (tmp_path / "masked").glob("*.parquet")) == 120


def test_errors_of_spark_are_ours(tmp_path, spark, spark_server):
    assert code_of(om.scan, tmp_path / "no.parquet", key="a", engine="spark", remote=spark_server)[0] is om.TableError
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 no table")
    wrong = code_of(om.scan, tmp_path / "damaged.parquet", key="a", engine="spark", remote=spark_server)
    assert wrong == (om.TableError, "engine-failed")


@pytest.mark.skipif(os.environ.get("ONTOMASK_SPARK") == "local", reason="needs the client of a Spark server")
def test_a_server_that_does_not_answer_is_an_error_at_once(tmp_path):
    start = time.monotonic()
    missing = code_of(om.scan, tmp_path, engine="spark", key="a", remote="sc://localhost:1")
    assert missing == (om.TableError, "no-server")
    assert time.monotonic() - start < 20


def test_keys_may_be_texts(in_engine, taxonomy, few):
    """They are hashed as texts, alike in all engines."""
    named = few.with_columns(key="R" + pl.col("record").cast(pl.String) + "é")
    secret = draw_secret(np.random.default_rng(5))
    order = np.argsort(hash_keys(secret, named["key"].to_list()))
    result = om.PRAM().mask(words_of(in_engine(named, key="key"), taxonomy, other=["record", "year", "key"]), seed=2)
    found = [result.frame.joint(["record"], Sample(secret, share / 120))[0]["record"].to_list() for share in (30, 120)]
    assert sorted(found[1]) == list(range(120))
    assert sorted(found[0]) == sorted(order[: len(found[0])].tolist())
    assert 0 < len(found[0]) < 120


def test_a_wrong_table_is_refused_at_once(tmp_path, few):
    few.write_parquet(tmp_path / "a.parquet")
    few.write_csv(tmp_path / "b.csv")
    assert code_of(om.scan, tmp_path / "nothing.parquet") == (om.TableError, "no-file")
    assert code_of(om.scan, tmp_path) == (om.TableError, "unknown-format")
    assert code_of(om.scan, few) == (om.TableError, "not-a-table")
    assert code_of(om.scan, tmp_path / "a.parquet", engine="abacus") == (om.TableError, "unknown-engine")
    relation = duckdb.sql("SELECT 1 AS a, 'x' AS b, 0.5 AS c UNION ALL SELECT 1, NULL, 1.5")
    assert code_of(om.scan, relation, engine="spark") == (om.TableError, "unknown-engine")
    for option in ({"name": "people"}, {"remote": "sc://localhost:1"}):
        assert code_of(om.scan, relation, key="a", **option) == (om.TableError, "unused-option")
    assert code_of(om.scan, tmp_path / "a.parquet", engine="spark", name="a") == (om.TableError, "unused-option")
    assert code_of(om.scan, relation) == (om.TableError, "no-key")
    assert code_of(om.scan, relation, key="c") == (om.TableError, "no-key")
    assert code_of(om.scan, duckdb.sql("SELECT INTERVAL 1 DAY AS a"), key="a") == (om.TableError, "no-key")
    assert code_of(om.scan, relation, key="z") == (om.TableError, "no-key")
    for name in ("a", "b"):
        assert code_of(om.scan, relation, key=name) == (om.TableError, "key-not-unique")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 no table")
    assert code_of(om.scan, tmp_path / "damaged.parquet") == (om.TableError, "engine-failed")


OUR_NAMES = ["#key", "#tuple", "#outcome", "#records", "#row", "#0", "#"]
ENGINE_NAMES = ["filename", "file_row_number", "Filename", "select", 'a"; --', "a'b", "^a", "a*"]


@pytest.mark.parametrize("name", [*OUR_NAMES, *ENGINE_NAMES])
def test_names_are_not_confused_with_our_own(in_engine, name):
    """A column "#tuple" once made a quarter of the records disappear."""
    frame = pl.DataFrame({"record": range(60), name: [1, 2, 3, None] * 15})
    ours, theirs = (
        om.PRAM(stay=0.5).mask(om.Microdata(table, {name: om.Numeric()}, other=["record"], missing="root"), seed=7)
        for table in (frame, in_engine(frame))
    )
    found = theirs.frame.table
    found = pl.from_arrow(found.toArrow() if hasattr(found, "toArrow") else found)
    assert found.sort("record").equals(ours.frame)


@pytest.mark.parametrize("name", ["#ontomask-key", "#ontomask-tuple", "#Ontomask-0"])
def test_names_like_our_own_are_refused(in_engine, name):
    frame = pl.DataFrame({"record": range(60), name: [1, 2, 3, None] * 15})
    assert code_of(in_engine, frame) == (om.TableError, "reserved-name")


def test_what_no_engine_can_do_is_refused_at_once(tmp_path, taxonomy, few):
    few.write_parquet(tmp_path / "a.parquet")
    source = om.scan(tmp_path / "a.parquet")
    roles = {"identifiers": [], "person": "who"}
    assert code_of(words_of, source, taxonomy, pseudonyms=True, **roles) == (om.TableError, "engine-cannot")
    weights = {"weights": "cost", "confidential": []}
    assert code_of(words_of, source, taxonomy, **weights) == (om.TableError, "engine-cannot")
    data = words_of(source, taxonomy, **roles)
    assert code_of(om.PRAM(consistent=True).mask, data) == (om.MaskingError, "engine-cannot")
    levels = om.UncorrelatedNoise(alpha=[0.3] * 120)
    assert code_of(levels.mask, words_of(source, taxonomy)) == (om.MaskingError, "engine-cannot")
    result = om.PRAM().mask(data, seed=1)
    for call in (om.evaluate, om.attack):
        assert code_of(call, data, few) == (om.TableError, "engine-cannot")
    assert code_of(om.evaluate, data, result, records=[0]) == (om.TableError, "engine-cannot")
    assert code_of(om.compose, result, result) == (om.TableError, "engine-cannot")
    score = om.evaluate(data, result)
    assert code_of(build_report, data, result, score, exposed=True) == (om.TableError, "engine-cannot")
    assert code_of(om.attack, words_of(few, taxonomy, **roles), result) == (om.TableError, "other-table")


@pytest.fixture
def result(tmp_path, taxonomy, few):
    (tmp_path / "in").mkdir()
    few.write_parquet(tmp_path / "in" / "a.parquet")
    return om.Generalisation(k=3).mask(words_of(om.scan(tmp_path / "in"), taxonomy), seed=3)


def test_rows_are_written_in_the_order_of_the_hash(tmp_path, result, few):
    written = result.write(tmp_path / "masked.parquet", seed=STRONG)
    order = order_within(np.zeros(120, dtype=int), hash_keys(draw_secret(order_generator(STRONG)), np.arange(120)))
    assert pl.read_parquet(written.path)["record"].to_list() == order.tolist()
    assert [note.code for note in written.notes] == ["rows-shuffled"]
    in_order = result.write(tmp_path / "in_order.parquet", order="as_is")
    assert pl.read_parquet(in_order.path)["record"].to_list() == few["record"].to_list()
    assert written.records == 120
    others = [result.write(tmp_path / f"{n}.parquet") for n in range(2)]
    orders = [pl.read_parquet(other.path)["record"].to_list() for other in others]
    assert orders[0] != orders[1]


def test_a_folder_and_delimited_files(tmp_path, result):
    expected = read(result)
    folder = result.write(tmp_path / "masked").path
    assert [file.name for file in folder.iterdir()] == ["part-0.parquet"]
    assert pl.read_parquet(folder / "*.parquet").sort("record").equals(expected)
    result.write(tmp_path / "masked", overwrite=True)
    text = om.read_table(result.write(tmp_path / "masked.csv").path)
    assert sorted(text["first"]) == sorted(expected["first"])
    assert result.write(tmp_path / "masked.tsv").path.read_text().startswith("record\tfirst")


def test_formulas_are_escaped(tmp_path, taxonomy):
    frame = pl.DataFrame({"first": ["pain0"] * 4, "=x": ["=1+1", "-3", "plain", "'@y"]})
    frame.write_parquet(tmp_path / "a.parquet")
    data = om.Microdata(om.scan(tmp_path / "a.parquet"), {"first": om.Nominal(taxonomy)}, confidential=["=x"])
    result = om.Suppression(k=2).mask(data, seed=1)
    memory = om.Suppression(k=2).mask(om.Microdata(frame, {"first": om.Nominal(taxonomy)}, confidential=["=x"]), seed=1)
    ours = memory.write(tmp_path / "ours.csv", order="as_is").path.read_text()
    assert result.write(tmp_path / "theirs.csv", order="as_is").path.read_text() == ours
    assert "=1+1" in result.write(tmp_path / "as_is.csv", formulas="as_is").path.read_text()


def test_nothing_is_written_over_the_input_or_by_accident(tmp_path, result):
    for path in (tmp_path / "in" / "a.parquet", tmp_path / "in", tmp_path / "in" / "b.parquet"):
        assert code_of(result.write, path, overwrite=True) == (om.MaskingError, "over-input")
    assert code_of(result.write, tmp_path / "none" / "b.parquet") == (om.MaskingError, "no-folder")
    assert code_of(result.write, tmp_path / "masked.xlsx") == (om.MaskingError, "unknown-format")
    assert code_of(result.write, tmp_path / "masked.csv", delimiter=";") == (om.MaskingError, "engine-cannot")
    result.write(tmp_path / "masked.parquet")
    assert code_of(result.write, tmp_path / "masked.parquet") == (om.MaskingError, "exists")


def test_nothing_is_written_where_a_pattern_would_read_it(tmp_path, taxonomy, few):
    """The next run would take masked records for originals."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "in")
    few.write_parquet(tmp_path / "in" / "deep" / "a-1.parquet")
    few.write_parquet(tmp_path / "in" / "a-1.parquet")
    for pattern, new in (
        ("in/a-*.parquet", "in/a-2.parquet"),
        ("in/**/*.parquet", "in/masked"),
        ("in/*", "link/b.csv"),
    ):
        result = om.Generalisation(k=3).mask(words_of(om.scan(tmp_path / pattern), taxonomy), seed=3)
        assert code_of(result.write, tmp_path / new) == (om.MaskingError, "over-input")
    result = om.Generalisation(k=3).mask(words_of(om.scan(tmp_path / "in" / "a-*.parquet"), taxonomy), seed=3)
    assert result.write(tmp_path / "in" / "masked.parquet").records == 120


def test_spark_never_replaces_its_input(tmp_path, spark, taxonomy, few):
    """Not even if the server does not tell which files it reads."""
    (tmp_path / "in").mkdir()
    few.write_parquet(tmp_path / "in" / "a.parquet")
    sources = [om.scan(spark.read.parquet(str(tmp_path / "in")), key="record")]
    for path in (tmp_path / "in", f"{tmp_path}/in/*.parquet"):
        sources.append(SparkSource(spark.read.parquet(str(path)), key="record", path=str(path)))
    for source in sources:
        result = om.Generalisation(k=3).mask(words_of(source, taxonomy), seed=3)
        assert code_of(result.write, tmp_path / "in", overwrite=True) == (om.MaskingError, "over-input")
    assert [file.name for file in (tmp_path / "in").iterdir()] == ["a.parquet"]


def test_a_folder_with_other_files_is_never_removed(tmp_path, result, monkeypatch):
    folder = result.write(tmp_path / "masked").path
    before = (folder / "part-0.parquet").read_bytes()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("precious")
    (tmp_path / "above" / "masked").mkdir(parents=True)
    for name in ("mine", "above"):
        assert code_of(result.write, tmp_path / name, overwrite=True) == (om.MaskingError, "not-a-table")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "precious"

    def fail(*_):
        raise PermissionError

    monkeypatch.setattr(type(folder), "replace", fail)
    with pytest.raises(PermissionError):
        result.write(folder, overwrite=True)
    assert (folder / "part-0.parquet").read_bytes() == before


def test_what_was_written_is_counted(tmp_path, result, monkeypatch):
    monkeypatch.setattr(type(result.frame), "count_written", lambda *_: (pl.DataFrame(), np.array([119, 1])))
    assert code_of(result.write, tmp_path / "masked.parquet") == (om.MaskingError, "table-changed")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_originals_do_not_show_in_errors_and_handles(tmp_path, result):
    assert not any(word in repr(result.frame) + repr(result.data) + repr(result.data.source) for word in WORDS)
    assert list(tmp_path.iterdir()) == [tmp_path / "in"]


SLOW = """
import sys
import numpy as np, polars as pl, ontomask as om
from ontomask.base.keyed_hash import hash_keys
folder = sys.argv[1]
data = om.Microdata(om.scan(folder + "/in.parquet"), {"a": om.Category(), "b": om.Category()}, other=["n", "m"])
result = om.PRAM(stay=0.5).mask(data, seed=2**64)
print("writing", flush=True)
result.write(folder + "/masked.parquet", seed=2**64)
print("written", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "after"), [(signal.SIGINT, 0.2), (signal.SIGINT, 0.5), (signal.SIGKILL, 0.2)])
def test_an_interrupted_run_stops_soon_and_leaves_nothing_that_looks_finished(tmp_path, how, after):
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 30, 2_000_000).astype(str) for name in "ab"}
    pl.DataFrame({**columns, "n": rng.random(2_000_000), "m": rng.random(2_000_000)}).write_parquet(
        tmp_path / "in.parquet"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", SLOW, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"writing\n"
        time.sleep(after)
        start = time.monotonic()
        process.send_signal(how)
        rest, errors = process.communicate(timeout=60)
        assert rest == b""
        assert errors.rstrip().endswith(b"KeyboardInterrupt" if how is signal.SIGINT else b"")
        assert process.returncode != 0
        assert time.monotonic() - start < 2
    assert not (tmp_path / "masked.parquet").exists()
    if how is signal.SIGINT:
        assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


KILLED = """
import os, signal
import duckdb, ontomask as om
source = om.scan(duckdb.sql("SELECT range AS n FROM range(9)"), key="n")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_originals_that_a_killed_run_left_are_removed_by_the_next_one(tmp_path, monkeypatch, few):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False).returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert (left / "relation.parquet").exists()
    assert left.stat().st_mode & 0o077 == 0
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = om.scan(duckdb.sql("SELECT range AS n FROM range(9)"), key="n")
    assert not left.exists()
    assert len(list(tmp_path.iterdir())) == 1
    del source
    assert not list(tmp_path.iterdir())
