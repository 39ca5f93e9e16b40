from __future__ import annotations

import csv
import gzip
import os
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontomask.errors import MissingExtraError, TableError
from ontomask.microdata import binary_files, frames
from ontomask.microdata.files import read_table, write_table

from support.errors import raises

KINDS = ("pandas", "polars", "pyarrow")
DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
CELLS = {"code": ["038", "250.10", None], "job": ["clerk", 'say "no"', "a,b;\tc\nd"], "age": [39, 50, None]}


def cells(frame):
    found = {}
    for name in frames.columns(frame):
        codes, distinct = frames.factorise(frame, name)
        found[name] = [distinct[code] for code in codes]
    return found


def read(tmp_path, content, name="table.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return cells(read_table(path, **options))


def refused(tmp_path, content, name="table.csv", **options):
    with pytest.raises(TableError) as caught:
        read(tmp_path, content, name, **options)
    problem = caught.value
    assert problem.path == tmp_path / name
    assert problem.__cause__ is None
    assert problem.__suppress_context__ or problem.__context__ is None
    return problem


# Delimited text


@pytest.mark.parametrize("suffix", DELIMITED)
def test_delimited_files_come_back_as_text(tmp_path, kind, suffix):
    path = tmp_path / f"table{suffix}"
    write_table(frames.from_columns(CELLS, kind), path)
    frame = read_table(path, as_=kind)
    assert frames.kind(frame) == kind
    # pandas has made floats of integers with a missing one
    ages = ["39.0", "50.0", None] if kind == "pandas" else ["39", "50", None]
    assert cells(frame) == {**CELLS, "age": ages}


def test_polars_is_the_default_kind(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert isinstance(read_table(tmp_path / "a.csv"), pl.DataFrame)
    assert isinstance(read_table(str(tmp_path / "a.csv"), as_="pandas"), pd.DataFrame)
    with raises(TableError, values=("spark",), code="unknown-library"):
        read_table(tmp_path / "a.csv", as_="spark")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_out(tmp_path, delimiter):
    rows = [["name", "note"], ["Ann", f"x{delimiter}y"], ["Bob", "1.5"]]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert cells(read_table(tmp_path / "a.csv")) == {"name": ["Ann", "Bob"], "note": [f"x{delimiter}y", "1.5"]}


def test_the_delimiter_can_be_given(tmp_path):
    assert read(tmp_path, "a b\n1 2\n", delimiter=" ") == {"a": ["1"], "b": ["2"]}
    assert read(tmp_path, "a;b\n1;2\n", delimiter=",") == {"a;b": ["1;2"]}
    assert read(tmp_path, "a,b\tc\n1,2\t3\n", "t.tsv") == {"a,b": ["1,2"], "c": ["3"]}
    assert refused(tmp_path, "a\n", delimiter=", ").parameter == "delimiter"


def test_decimal_commas_do_not_mislead(tmp_path):
    assert read(tmp_path, "a;b\n1,5;2,5\n3,5;4,5\n") == {"a": ["1,5", "3,5"], "b": ["2,5", "4,5"]}


def test_named_text_columns_leave_the_others_to_inference(tmp_path):
    found = read(tmp_path, "code,age\n038,39\n250.10,50\n", text=["code"])
    assert found == {"code": ["038", "250.10"], "age": [39, 50]}
    with raises(TableError, column="id"):
        read_table(tmp_path / "table.csv", text=["id"])
    with raises(TableError, parameter="text"):
        read_table(tmp_path / "table.csv", text="code")


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n", {"a": ["1"], "b": ["2"]}),
        (b"a,b\n1,\n,2", {"a": ["1", None], "b": [None, "2"]}),
        (b'a,b\n"1","x ""y"" z"\n', {"a": ["1"], "b": ['x "y" z']}),
        (b'a,b\n1,5" pipe\n2,7" pipe\n3,\n', {"a": ["1", "2", "3"], "b": ['5" pipe', '7" pipe', None]}),
        (b"a,b\n1,2\n\n3,4\n\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        (b'a,b\n1,2\n\n3,"x"\n,\n\n', {"a": ["1", "3", None], "b": ["2", "x", None]}),
        (b'a,b\n1,5" pipe\n\n3,4\n', {"a": ["1", "3"], "b": ['5" pipe', "4"]}),
        (b"\n\na,b\n1,\n", {"a": ["1"], "b": [None]}),
        (b'"a\nb",c\n1,\n', {"a\nb": ["1"], "c": [None]}),
        (b'"",a\n1,x\n', {"": ["1"], "a": ["x"]}),
        (b"a\n1\n\n2\n", {"a": ["1", None, "2"]}),
        (b'a\n1"\n\n2\n', {"a": ['1"', None, "2"]}),
        (b"a,b\n", {"a": [], "b": []}),
        (b"a,b\n a , 'b\n", {"a": ["a"], "b": ["'b"]}),
    ],
    ids=range(14),
)
def test_cells_are_what_the_file_says(tmp_path, content, wanted):
    assert read(tmp_path, content) == wanted
    assert read(tmp_path, gzip.compress(content), "table.csv.gz") == wanted


def test_other_encodings(tmp_path):
    text = "a,b\nMünchen,café\n"
    wanted = {"a": ["München"], "b": ["café"]}
    for encoding in ("utf-8", "latin-1", "utf-16", "cp1252"):
        assert read(tmp_path, text.encode(encoding), encoding=encoding) == wanted
    assert read(tmp_path, gzip.compress(text.encode("latin-1")), "t.csv.gz", encoding="latin-1") == wanted


def test_a_wrong_encoding_is_told_with_its_place(tmp_path):
    content = "a,b\n1,2\nMünchen,3\n".encode("latin-1")
    for name, data in (("t.csv", content), ("t.csv.gz", gzip.compress(content))):
        problem = refused(tmp_path, data, name)
        assert (problem.line, problem.parameter) == (3, "encoding")
        assert "0xfc" in problem.reason
        assert "encoding='latin-1'" in problem.reason
    assert refused(tmp_path, content, encoding="ascii").line == 3
    unknown = refused(tmp_path, content, encoding="utf-9")
    assert (unknown.line, unknown.parameter) == (None, "encoding")
    far = b"a,b\n" + b"1,2\n" * 20_000 + b"\xff,2\n"
    assert refused(tmp_path, far).line == 20_002


@pytest.mark.parametrize(
    ("content", "line", "count"),
    [
        ("a,b,c\n1,2,3\nsecret,2\n4,5,6\n", 3, 2),
        ("a,b,c\n1,2,3\n\n1,secret,3,4\n", 4, 4),
        ('a,b,c\n1,"2\n2",\n1,secret\n', 4, 2),
        ('a,b,c\n1,2,3"\n1,secret\n', 3, 2),
        ("a,b,c\n1,2,3\n1,2,secret,\n", 3, 4),
    ],
)
def test_ragged_rows_are_told_with_their_line(tmp_path, content, line, count):
    problem = refused(tmp_path, content)
    assert problem.line == line
    assert f"{count} cells" in problem.reason
    assert "secret" not in problem.reason


def test_an_open_quote_is_told_with_its_line(tmp_path):
    problem = refused(tmp_path, 'a,b\n1,2\n"secret,4\n5,6\n')
    assert problem.line == 3
    assert "secret" not in problem.reason


def test_header_and_content_that_are_wanting(tmp_path):
    same = refused(tmp_path, "a,b,a\n1,2,3\n")
    assert same.line == 1
    assert "1, 3" in same.reason
    for empty in ("", "\n\n"):
        assert "empty" in refused(tmp_path, empty).reason
    assert "damaged" in refused(tmp_path, gzip.compress(b"a,b\n" * 9999)[:-20], "t.csv.gz").reason


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name in ("none.csv", "folder.csv"):
        with pytest.raises(TableError) as caught:
            read_table(tmp_path / name)
        assert caught.value.path == tmp_path / name


def test_names_are_no_patterns(tmp_path):
    assert read(tmp_path, "a,b\n1,\n", "t[1]*.csv") == {"a": ["1"], "b": [None]}
    write_table(pl.DataFrame({"a": ["1"]}), tmp_path / "t[1]*.parquet")
    assert cells(read_table(tmp_path / "t[1]*.parquet")) == {"a": ["1"]}


@pytest.mark.parametrize("name", ["table", "table.xls", "table.parquet.gz", "csv"])
def test_an_unknown_format_lists_those_known(tmp_path, name):
    for ask in (lambda: read_table(tmp_path / name), lambda: write_table(pl.DataFrame({"a": [1]}), tmp_path / name)):
        with raises(TableError, code="unknown-format"):
            ask()


def test_options_of_other_formats_are_refused(tmp_path):
    assert refused(tmp_path, b"", "a.parquet", delimiter=",").parameter == "delimiter"
    assert refused(tmp_path, b"", "a.csv", sheet="one").parameter == "sheet"


# Parquet


def test_parquet_keeps_types(tmp_path, kind):
    frame = frames.from_columns({**CELLS, "f": [1.5, None, 2.0], "b": [True, False, None]}, kind)
    write_table(frame, tmp_path / "a.parquet")
    result = read_table(tmp_path / "a.parquet", as_=kind)
    assert frames.kind(result) == kind
    assert cells(result) == cells(frame)
    assert cells(read_table(tmp_path / "a.parquet", text=["f"]))["f"] == ["1.5", None, "2"]


def test_parquet_keeps_categories(tmp_path):
    frame = pd.DataFrame({"x": pd.Categorical(["a", None], categories=["b", "a"], ordered=True)})
    write_table(frame, tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.parquet", as_="pandas"), frame)
    enum = pl.DataFrame({"x": pl.Series(["a"], dtype=pl.Enum(["b", "a"]))})
    write_table(enum, tmp_path / "c.parquet")
    assert read_table(tmp_path / "c.parquet").schema == enum.schema


def test_damaged_parquet(tmp_path, kind):
    assert "Parquet" in refused(tmp_path, b"PAR1 this is not Parquet", "a.parquet", as_=kind).reason


def test_without_pyarrow_pandas_is_written_and_read(tmp_path, monkeypatch):
    for module in (frames, binary_files):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name == "pyarrow" else True)
    frame = pd.DataFrame({"x": ["a", None, "c"], "m": ["V58", 250, None], "n": [1, 2, 3]})
    for name in ("a.csv", "a.parquet"):
        write_table(frame, tmp_path / name)
        found = cells(read_table(tmp_path / name, as_="pandas", text=["n"]))
        assert found == {"x": ["a", None, "c"], "m": ["V58", "250", None], "n": ["1", "2", "3"]}


# Excel


def test_excel(tmp_path, kind):
    frame = frames.from_columns(CELLS, kind)
    write_table(frame, tmp_path / "a.xlsx")
    result = read_table(tmp_path / "a.xlsx", as_=kind)
    assert frames.kind(result) == kind
    assert cells(result) == CELLS
    assert cells(read_table(tmp_path / "a.xlsx", text=["age"]))["age"] == ["39", "50", None]


def test_excel_cells_are_no_formulas(tmp_path):
    frame = pl.DataFrame({"x": ["=1+1", "https://example.org", "007", "{=2}"]})
    write_table(frame, tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").equals(frame)


def workbook(path, sheets):
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                sheet.write_row(i, 0, row)


def test_sheets(tmp_path):
    path = tmp_path / "a.xlsx"
    workbook(path, {"one": [["a"], ["x"]], "two": [["b", "c"], [38, 1.5], ["V58", 2]], "none": []})
    assert cells(read_table(path)) == {"a": ["x"]}
    assert cells(read_table(path, sheet="two")) == {"b": ["38", "V58"], "c": [1.5, 2.0]}
    with raises(TableError, values=("three",), parameter="sheet", code="no-sheet"):
        read_table(path, sheet="three")
    with raises(TableError, parameter="sheet", code="empty"):
        read_table(path, sheet="none")


def test_excel_headers_and_damage(tmp_path):
    workbook(tmp_path / "a.xlsx", {"one": [["a", "b", "a"], [1, 2, 3]]})
    with raises(TableError, line=1, code="names-not-unique"):
        read_table(tmp_path / "a.xlsx")
    assert "an Excel file" in refused(tmp_path, b"PK not a workbook", "b.xlsx").reason


def test_excel_has_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(binary_files, "_MAX_EXCEL_ROWS", 2)
    with raises(TableError, code="too-many-records"):
        write_table(pl.DataFrame({"a": [1, 2, 3]}), tmp_path / "a.xlsx")


# SPSS, Stata, SAS


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_statistics_packages(tmp_path, kind, suffix):
    wanted = {"code": ["038", "250.10", "x"], "age": [39, 50, None], "f": [1.5, None, 2.0]}
    frame = frames.from_columns(wanted, kind)
    write_table(frame, tmp_path / f"a{suffix}")
    result = read_table(tmp_path / f"a{suffix}", as_=kind)
    assert frames.kind(result) == kind
    assert cells(result) == wanted


def test_transport_files_are_read(tmp_path):
    import pyreadstat

    pyreadstat.write_xport(pl.DataFrame({"CODE": ["038", "x"], "AGE": [39.0, 50.0]}), str(tmp_path / "a.xpt"))
    assert cells(read_table(tmp_path / "a.xpt")) == {"CODE": ["038", "x"], "AGE": [39, 50]}


@pytest.mark.parametrize("suffix", ["sav", "dta"])
def test_columns_whose_values_are_all_labelled_are_read_as_labels(tmp_path, suffix):
    import pyreadstat

    path = str(tmp_path / f"a.{suffix}")
    table = pl.DataFrame({"sex": [1, 2, None], "age": [39, 50, 99]})
    labels = {"sex": {1: "male", 2: "female"}, "age": {99: "unknown"}}
    getattr(pyreadstat, f"write_{suffix}")(table, path, variable_value_labels=labels)
    assert cells(read_table(path)) == {"sex": ["male", "female", None], "age": [39, 50, 99]}


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".xpt"])
def test_damaged_statistics_files(tmp_path, suffix):
    assert "damaged" in refused(tmp_path, b"nothing of the kind", f"a{suffix}").reason


def test_what_cannot_be_written(tmp_path):
    frame = pl.DataFrame({"native-country": ["secret"]})
    for suffix in (".sas7bdat", ".xpt"):
        with raises(TableError, code="read-only"):
            write_table(frame, tmp_path / f"a{suffix}")
    with raises(TableError, code="not-written") as caught:
        write_table(frame, tmp_path / "a.sav")
    assert "secret" not in str(caught.value)
    with raises(TableError, code="not-written"):
        write_table(pl.DataFrame({"a": [["secret"]]}), tmp_path / "a.csv")
    with raises(TableError, code="not-written"):
        write_table(pd.DataFrame({"a": ["x", 1]}), tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def write_one(path):
    write_table(pl.DataFrame({"a": [1]}), path, overwrite=True)


@pytest.mark.parametrize(
    ("module", "name", "feature"),
    [
        ("fastexcel", "a.xlsx", "Reading Excel files"),
        ("xlsxwriter", "b.xlsx", "Writing Excel files"),
        ("pyreadstat", "a.sav", "Reading SPSS files"),
        ("pyreadstat", "b.dta", "Writing Stata files"),
    ],
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, module, name, feature):
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / name).touch()
    with raises(MissingExtraError, extra="files"):
        (read_table if "Reading" in feature else write_one)(tmp_path / name)


# Writing


@pytest.mark.parametrize("suffix", [*DELIMITED, ".parquet", ".xlsx", ".sav", ".dta"])
def test_no_file_is_replaced_unasked(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_table(pl.DataFrame({"a": ["old"]}), path)
    with raises(TableError, parameter="overwrite"):
        write_table(pl.DataFrame({"a": ["new"]}), path)
    assert cells(read_table(path)) == {"a": ["old"]}
    write_table(pl.DataFrame({"a": ["new"]}), path, overwrite=True)
    assert cells(read_table(path)) == {"a": ["new"]}
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write_table(pl.DataFrame({"a": ["old"]}), path)

    def full(self, file, **options):
        file.write(b"a\nne")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with raises(TableError, code="not-written"):
        write_table(pl.DataFrame({"a": ["new"]}), path, overwrite=True)
    assert path.read_text() == "a\nold\n"
    assert list(tmp_path.iterdir()) == [path]


def test_places_where_nothing_can_be_written(tmp_path):
    frame = pl.DataFrame({"a": [1]})
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "none" / "a.csv", tmp_path / "folder.csv"):
        with pytest.raises(TableError) as caught:
            write_table(frame, path, overwrite=True)
        assert caught.value.path == path
    with raises(TableError, values=("dict",), parameter="frame"):
        write_table({"a": [1]}, tmp_path / "a.csv")


def test_equal_tables_give_equal_packed_files(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(pl.DataFrame({"a": ["x"] * 100}), tmp_path / name)
        os.utime(tmp_path / name, (0, 0))
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


# Round trips

TEXTS = st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5)


@settings(max_examples=50, deadline=None)
@given(
    columns=st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[TEXTS] * width), max_size=8).map(np.array)),
    suffix=st.sampled_from([*DELIMITED, ".parquet"]),
)
def test_any_text_comes_back(tmp_path_factory, columns, suffix):
    width = columns.shape[1] if columns.ndim == 2 else 2
    table = {f"c{i}": [row[i] for row in columns.tolist()] if columns.ndim == 2 else [] for i in range(width)}
    frame = pl.DataFrame(table, schema=dict.fromkeys(table, pl.String))
    path = tmp_path_factory.mktemp("trip") / f"a{suffix}"
    write_table(frame, path)
    if suffix != ".parquet":
        frame = frame.select(pl.col(table).str.strip_chars().replace("", None))
    assert read_table(path).equals(frame)


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.tuples(st.text("a,;|\"\n\r\t '", max_size=6), st.text('b",\n', max_size=4)), max_size=6))
def test_what_python_writes_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("trip") / "a.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["x", "y"], *rows])
    found = cells(read_table(path, delimiter=","))
    wanted = [(x.strip(), y.strip()) for x, y in rows]
    assert [(x or "", y or "") for x, y in zip(found["x"], found["y"], strict=True)] == wanted


def test_written_files_keep_to_the_umask_and_to_the_mode_they_had(tmp_path):
    import os
    import stat

    path = tmp_path / "t.csv"
    mask = os.umask(0o077)
    try:
        write_table(pl.DataFrame({"x": ["a"]}), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(mask)
    write_table(pl.DataFrame({"x": ["b"]}), path, overwrite=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
