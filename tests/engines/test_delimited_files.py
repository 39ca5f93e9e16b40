"""Delimited files in DuckDB: nothing is guessed, and the cells are those of `read_table`."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

import ontomask as om

from support.errors import raises

MANY = "".join(f"{i},pain1,1\n" for i in range(30_000))
HEADER = "id,w,z\n"


def cells(source):
    """The rows in some order, as often as they occur."""
    frame, records = source.count(source.columns)
    return sorted((row for row, n in zip(frame.rows(), records, strict=True) for _ in range(n)), key=repr)


def check_same(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    memory, source = om.read_table(path), om.scan(path)
    assert source.columns == memory.columns
    assert cells(source) == sorted(memory.rows(), key=repr)


@pytest.mark.parametrize(
    "late",
    [
        '30000,"pain1","5"\n30001,"pain2",""\n',
        '30000,"a, b","two\nlines"\n30001,"a ""b""",x"y\n',
        "30000,'pain1','it''s'\n",
        '30000,#x,\\\n30001,NULL,"\\"\n',
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_quotes_far_down_are_quotes(tmp_path, late, ending):
    check_same(tmp_path / "a.csv", (HEADER + MANY + late).replace("\n", ending))


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nid;w\n1;2\n",
        "\n\nid,w\n1,2\n\n3,4\n",
        ' id ,"w ""x"", y"\n1, 2 \n',
        "id,w,\n1,2,\n3,4,\n",
        "id,w\n1,2,\n3,4,\n",
        "w\na\n\nb\n",
        "\ufeffid,w\n1,2\n",
        '"i\nd",w\n1,2',
        "id;w\n1;2,5\n",
    ],
)
def test_the_header_is_that_of_read_table(tmp_path, text):
    check_same(tmp_path / "a.csv", text)


def test_compressed_files_and_long_cells(tmp_path):
    check_same(tmp_path / "a.csv.gz", gzip.compress((HEADER + '1,"a, b",c\n').encode()))
    check_same(tmp_path / "a.csv", HEADER + f"1,{'x' * 3_000_000},c\n")


def test_records_within_a_cell_do_not_mislead_threads(tmp_path):
    inside = "\n".join(f"{i},x" for i in range(2000))
    path = tmp_path / "a.csv"
    rows = "".join(f'{i},"{inside}"\n' for i in range(1500))
    path.write_text("id,w\n" + rows)
    assert cells(om.scan(path)) == sorted(((str(i), inside) for i in range(1500)), key=repr)
    # DuckDB would leave out the last record.
    path.write_text("id,w\n" + rows + '1500,"x\n')
    with raises(om.TableError, line=1500 * 2000 + 2):
        om.scan(path)


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("id,w\n" + "1,pain0,secret0\n" * 30, 2, None),
        ("id,w,z\n" + "1,2,3\n" * 30 + "1,2,3,4\n", 32, None),
        ("id,w,z\n" + "1,2,3\n" * 30 + "1,2\n", 32, None),
        ("# made by hand\nid,w,z\n1,2,3\n", 2, None),
        ("id,w\n1,2\n3,a\n4,\"secret'\n", 4, None),
        ('id,w\n1,2\n3,"a"b\n', 3, None),
        ("id,w,w\n1,2,3\n", 1, "names-not-unique"),
        ("id,,\n1,2,3\n", None, "no-name"),
        ("id,w,\n1,2,secret\n", None, "no-name"),
        ("id,W,w\n1,2,3\n", None, "names-not-unique"),
        ("", None, "empty"),
        ('id,w\n1,2\n3, "secret"\n', 3, "blanks-before-quotes"),
        ('id,w\n1,2\n   "",3\n', 3, "blanks-before-quotes"),
        ("id,w\n1,secret\n  \n3,4\n", None, "engine-failed"),
        ("id,w\n1,secret\r\n3,4\n", None, "engine-failed"),
    ],
)
def test_what_is_not_read_alike_is_refused_at_once_without_cells(tmp_path, text, line, code):
    (tmp_path / "a.csv").write_bytes(text.encode())
    with raises(om.TableError, line=line, code=code) as caught:
        om.scan(tmp_path / "a.csv")
    assert "secret" not in str(caught.value)
    assert "pain" not in str(caught.value)


def test_damaged_bytes_are_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"id,w\n1,2\n3,caf\xe9\n")
    with raises(om.TableError, line=3, parameter="encoding"):
        om.scan(tmp_path / "a.csv")
    packed = gzip.compress((HEADER + MANY).encode())
    (tmp_path / "b.csv.gz").write_bytes(packed[: len(packed) // 2])
    with raises(om.TableError, code="damaged"):
        om.scan(tmp_path / "b.csv.gz")


def test_quotes_that_do_not_begin_a_cell_are_read(tmp_path):
    """A quoted cell may have doubled quotes after a blank."""
    check_same(tmp_path / "a.csv", 'id,w\n1,"He said, ""no"""\n2,"so, "\n3,"{\n  ""a"": ""b""\n}"\n4,5" x\n')


def test_all_files_have_the_same_header(tmp_path):
    (tmp_path / "a.csv").write_text("id,w\n1,2\n")
    for number, header in enumerate(["w,id", "id,w,z", "\nid,w", "id,v"]):
        other = tmp_path / f"b{number}.csv"
        other.write_text(f"{header}\n1,2\n")
        with raises(om.TableError, code="other-columns", path=other):
            om.scan(tmp_path)
        other.unlink()
    (tmp_path / "c.csv").write_text('"id", w\n3,"4"\n')
    assert cells(om.scan(tmp_path)) == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_what_was_written_is_counted_with_the_same_quotes(tmp_path, suffix):
    words = ["a", "b", "c"] * 20_000 + ["x, y\tz"] * 5 + ["'", '"'] * 3
    frame = pl.DataFrame({"w": words, "=n": range(len(words))})
    frame.write_parquet(tmp_path / "a.parquet")
    data = om.Microdata(om.scan(tmp_path / "a.parquet"), {"w": om.Category()}, other=["=n"])
    result = om.Suppression(k=3).mask(data, seed=1)
    path = result.write(tmp_path / f"masked.{suffix}", order="as_is").path
    assert om.read_table(path)["w"].to_list() == words


def test_a_written_file_with_misleading_cells_is_counted(tmp_path):
    inside = "\n".join(f"{i},x" for i in range(2000))
    pl.DataFrame({"w": [inside] * 1500, "n": range(1500)}).write_parquet(tmp_path / "a.parquet")
    data = om.Microdata(om.scan(tmp_path / "a.parquet"), {"n": om.Numeric()}, other=["w"])
    assert om.Microaggregation(k=1500).mask(data, seed=1).write(tmp_path / "masked.csv").records == 1500
