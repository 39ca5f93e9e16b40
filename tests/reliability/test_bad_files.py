from __future__ import annotations

import gzip
import os
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from support.bad_inputs import Bad, check, in_job, lines, nothing, with_file
from support.marked import HEADER, MARK, marked_rows

ROWS = marked_rows()
TABLE = lines(HEADER, *ROWS)
PACKED = gzip.compress(TABLE.encode(), mtime=0)
MASKED = 'masked = "masked.csv"'


def table(content: str | bytes):
    """The job's table with other content."""
    return with_file("data.csv", content)


def named(name: str, content: bytes | None = None):
    """The job's table under another name; without content the file does not exist."""
    change = in_job(('path = "data.csv"', f'path = "{name}"'))
    return change if content is None else with_file(name, content, then=change)


def excel(frame: pl.DataFrame | None = None, *, sheet: str = ""):
    """An Excel file instead of the job's table."""

    def prepare(folder: Path) -> None:
        with xlsxwriter.Workbook(folder / "data.xlsx") as book:
            page = book.add_worksheet()
            if frame is not None:
                frame.write_excel(book, page)
        in_job(('path = "data.csv"', f'path = "data.xlsx"\n{sheet}'))(folder)

    return prepare


def parquet(change=lambda raw: raw, **columns):
    """A Parquet file instead of the job's table, with other columns or changed bytes."""

    def prepare(folder: Path) -> None:
        frame = pl.read_csv(TABLE.encode(), infer_schema=False)
        frame.with_columns(**columns).write_parquet(folder / "data.parquet")
        raw = (folder / "data.parquet").read_bytes()
        (folder / "data.parquet").write_bytes(change(raw))
        in_job(('path = "data.csv"', 'path = "data.parquet"'))(folder)

    return prepare


def unreadable(name: str):
    """Make a file unreadable. The superuser can read every file and gets a folder instead."""

    def prepare(folder: Path) -> None:
        if os.geteuid() == 0:
            (folder / name).unlink()
            (folder / name).mkdir()
        else:
            (folder / name).chmod(0)

    return prepare


def made_folder(name: str, then=nothing):
    """A folder where a file is expected."""

    def prepare(folder: Path) -> None:
        (folder / name).mkdir()
        then(folder)

    return prepare


def column(position: int, cell: str, row: int = 7) -> str:
    """The table with another cell."""
    rows = [list(r.split(",")) for r in ROWS]
    rows[row][position] = cell
    return lines(HEADER, *map(",".join, rows))


def whole_column(position: int, cell: str) -> str:
    rows = [r.split(",") for r in ROWS]
    return lines(HEADER, *(",".join([*r[:position], cell, *r[position + 1 :]]) for r in rows))


READ = [
    Bad("empty file", table(""), "input", "empty"),
    Bad("blank lines only", table("\n\n\n"), "input", "empty"),
    Bad("header only", table(HEADER + "\n"), "columns", "records"),
    Bad("no header", table(lines(*ROWS)), "columns", "columns"),
    Bad("column name twice", table(lines(HEADER.replace("age", "name"), *ROWS)), "input", "1, 3"),
    Bad("empty column name", table(lines(HEADER.replace("age", ""), *ROWS)), "columns.age columns", "column"),
    Bad("row too short", table(lines(HEADER, *ROWS, f"{MARK},ache,30,low")), "input", "line 42"),
    Bad("row too long", table(lines(HEADER, *ROWS, f"{MARK},ache,30,low,1,{MARK}")), "input", "line 42"),
    Bad("quote left open", table(lines(HEADER, *ROWS[:5], f'"{MARK},ache,30,low,1', *ROWS[5:])), "input", "quotes"),
    Bad("latin-1 as utf-8", table(TABLE.replace("rash", f"{MARK}é").encode("latin-1")), "input", "latin-1"),
    Bad("utf-16", table(TABLE.encode("utf-16")), "input", "utf-8"),
    Bad("zero bytes", table(TABLE.replace("rash", "ra\0sh")), "columns", "symptom"),
    Bad("binary", table(bytes(range(256)) * 40), "input", "utf-8"),
    Bad("wrong delimiter", in_job(('path = "data.csv"', 'path = "data.csv"\ndelimiter = ";"')), "columns", "columns"),
    *(
        Bad(
            f"delimiter {text}",
            in_job(('path = "data.csv"', f'path = "data.csv"\ndelimiter = "{text}"')),
            "input.delimiter",
            "character",
        )
        for text in ("é", "", ";;", "\\u0000")
    ),
    *(
        Bad(
            f"output delimiter {text}",
            in_job((MASKED, f'{MASKED}\ndelimiter = "{text}"')),
            "output.delimiter",
            "character",
        )
        for text in ("é", "")
    ),
    Bad("unknown ending", named("data.dbf", TABLE.encode()), "input", "\\.csv"),
    Bad("no ending", named("data", TABLE.encode()), "input", "format"),
    Bad("no such file", named("dota.csv"), "input", "file"),
    Bad("a folder", made_folder("sub.csv", then=named("sub.csv")), "input", "folder"),
    Bad("may not be read", unreadable("data.csv"), "input", "folder|opened|read"),
    Bad("gzip cut off", named("data.csv.gz", PACKED[: len(PACKED) // 2]), "input", "damaged"),
    Bad("gzip damaged", named("data.csv.gz", PACKED[:40] + b"\0\1\2\3" * 9 + PACKED[76:]), "input", "damaged"),
    Bad("gzip in name only", named("data.csv.gz", b"\x1f\x8b"), "input", "damaged|empty"),
    Bad("parquet cut off", parquet(lambda raw: raw[: len(raw) // 2]), "input", "Parquet"),
    Bad("parquet damaged", parquet(lambda raw: raw[:4] + b"\xff" * 500 + raw[504:]), "input", "Parquet"),
    Bad("parquet in name only", named("data.parquet", TABLE.encode()), "input", "Parquet"),
    Bad("empty parquet", named("data.parquet", b""), "input", "Parquet"),
    Bad("parquet with lists", parquet(symptom=pl.Series([["ache", MARK]] * 40)), "columns", "symptom"),
    Bad("parquet with NaN", parquet(age=pl.Series([1.5, float("nan")] * 20)), "columns", "missing"),
    Bad("parquet with infinity", parquet(age=pl.Series([1.5, float("inf")] * 20)), "columns", "finite|numbers"),
    Bad("empty sheet", excel(), "input", "empty"),
    Bad("Excel in name only", named("data.xlsx", TABLE.encode()), "input", "Excel"),
    Bad("Excel cut off", named("data.xlsx", b"PK\x03\x04" + bytes(200)), "input", "Excel"),
    Bad("other sheet", excel(pl.DataFrame({"a": [1]})), "columns", "columns"),
    Bad("no such sheet", excel(pl.DataFrame({"a": [1]}), sheet='sheet = "x"'), "input", "'x'"),
    Bad("SPSS in name only", named("data.sav", TABLE.encode()), "input", "SPSS"),
    Bad("Stata in name only", named("data.dta", TABLE.encode()), "input", "Stata"),
    Bad("SAS in name only", named("data.sas7bdat", TABLE.encode()), "input", "SAS"),
    Bad("column missing", table(lines(*(r.rpartition(",")[0] for r in [HEADER, *ROWS]))), "columns.cost", "column"),
    Bad("column too many", table(lines(HEADER + ",extra", *(r + f",{MARK}" for r in ROWS))), "columns", "'extra'"),
    Bad("column without a cell", table(whole_column(2, "")), "columns", "'age'"),
    Bad("words without a cell", table(whole_column(1, "")), "columns", "'symptom'"),
    Bad("missing cell", table(column(1, "")), "columns", "1 missing"),
    Bad("missing number", table(column(2, "")), "columns", "1 missing"),
    Bad("blank cell", table(column(1, "   ")), "columns", "missing|symptom"),
    Bad("word unknown", table(column(1, f"{MARK}-ache")), "columns", "1 of 4"),
    Bad("all words unknown", table(whole_column(1, f"{MARK}-ache")), "columns", "1 of 1"),
    Bad("text among numbers", table(column(2, f"{MARK}30")), "columns", "'age'"),
    Bad("NaN among numbers", table(column(2, "NaN")), "columns", "finite|numbers"),
    Bad("infinity among numbers", table(column(2, "inf")), "columns", "finite|numbers"),
    Bad("number too large", table(column(2, "1e300")), "columns", "large"),
    Bad("number with an underscore", table(column(2, "1_000")), "columns", "finite|numbers"),
    Bad("category not listed", table(column(3, f"{MARK}-mid")), "columns", "categories"),
    Bad(
        "nothing left",
        with_file("data.csv", whole_column(2, ""), then=in_job((MASKED, MASKED + '\n[policies]\nmissing = "drop"'))),
        "columns",
        "'age'",
    ),
    Bad(
        "every record dropped",
        with_file(
            "data.csv",
            lines(HEADER, f"{MARK},,30,low,1", f"{MARK}2,ache,,low,2"),
            then=in_job((MASKED, MASKED + '\n[policies]\nmissing = "drop"')),
        ),
        "columns",
        "record",
    ),
]

WRITE = [
    Bad("over the input", in_job((MASKED, 'masked = "data.csv"\noverwrite = true')), "output", "input"),
    Bad("over the input by another way", in_job((MASKED, 'masked = "./../sub/../data.csv"')), "output", "exist|input"),
    Bad("into no folder", in_job((MASKED, 'masked = "no/masked.csv"')), "output", "folder"),
    Bad("over a folder", made_folder("masked.csv"), "output", "folder"),
    Bad("a file where a folder should be", in_job((MASKED, 'masked = "data.csv/m.csv"')), "output", "directory|folder"),
    Bad("over an earlier output", with_file("masked.csv", "mine"), "output", "exists"),
    Bad("over an earlier private file", with_file("masked.private.toml", "mine"), "output", "exists"),
    Bad("format that is only read", in_job((MASKED, 'masked = "m.sas7bdat"')), "output.masked", "sas7bdat"),
    Bad("name too long", in_job((MASKED, f'masked = "{"m" * 300}.csv"')), "output", "long|written"),
    Bad("zero byte in a name", in_job((MASKED, 'masked = "m\\u0000.csv"')), "output", "zero|null"),
    Bad("empty name", in_job((MASKED, 'masked = ""')), "output", "folder|must"),
    Bad("report of an unknown kind", in_job((MASKED, MASKED + '\nreport = "r.docx"')), "output.report", "end"),
    Bad("report over the table", in_job((MASKED, MASKED + '\nreport = "masked.csv"')), "output.report", "end|both"),
    Bad("private file over the job", in_job((MASKED, MASKED + '\nprivate = "job.toml"')), "output", "job"),
]

ALL = [*READ, *WRITE]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_file(bad, tmp_path):
    check(bad, tmp_path)
