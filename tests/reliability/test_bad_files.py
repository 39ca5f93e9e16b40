from __future__ import annotations

import gzip
import os
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from support.bad_inputs import Bad, check, in_job, lines, nothing, write
from support.marked import HEADER, MARK, marked_rows

ROWS = marked_rows()
TABLE = lines(HEADER, *ROWS)
PACKED = gzip.compress(TABLE.encode(), mtime=0)
MASKED = 'masked = "masked.csv"'


def table(content: str | bytes):
    """The job's table, with another content."""
    return write("data.csv", content)


def named(name: str, content: bytes | None = None):
    """The job's table under another name, with a content if it is to be there."""
    change = in_job(('path = "data.csv"', f'path = "{name}"'))
    return change if content is None else write(name, content, then=change)


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
    """Take away the right to read; who may read everything gets a folder instead, which nobody can read as a file."""

    def prepare(folder: Path) -> None:
        if os.geteuid() == 0:
            (folder / name).unlink()
            (folder / name).mkdir()
        else:
            (folder / name).chmod(0)

    return prepare


def made_folder(name: str, then=nothing):
    """A folder where a file is looked for."""

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
    Bad("empty file", table(""), "the file is empty"),
    Bad("blank lines only", table("\n\n\n"), "the file is empty"),
    Bad("header only", table(HEADER + "\n"), "the table has no records"),
    Bad("no header", table(lines(*ROWS)), "none of these columns"),
    Bad("column name twice", table(lines(HEADER.replace("age", "name"), *ROWS)), "same name.*1, 3"),
    Bad("empty column name", table(lines(HEADER.replace("age", ""), *ROWS)), "no such column"),
    Bad("row too short", table(lines(HEADER, *ROWS, f"{MARK},ache,30,low")), "line 42: the row has 4 cells"),
    Bad("row too long", table(lines(HEADER, *ROWS, f"{MARK},ache,30,low,1,{MARK}")), "line 42: the row has 6 cells"),
    Bad("quote left open", table(lines(HEADER, *ROWS[:5], f'"{MARK},ache,30,low,1', *ROWS[5:])), "Check the quotes"),
    Bad("latin-1 as utf-8", table(TABLE.replace("rash", f"{MARK}é").encode("latin-1")), 'encoding = "latin-1"'),
    Bad("utf-16", table(TABLE.encode("utf-16")), "not utf-8 text"),
    Bad("zero bytes", table(TABLE.replace("rash", "ra\0sh")), "no concept|zero"),
    Bad("binary", table(bytes(range(256)) * 40), "utf-8"),
    Bad(
        "wrong delimiter", in_job(('path = "data.csv"', 'path = "data.csv"\ndelimiter = ";"')), "none of these columns"
    ),
    *(
        Bad(
            f"delimiter {text}",
            in_job(('path = "data.csv"', f'path = "data.csv"\ndelimiter = "{text}"')),
            "input.delimiter: ",
        )
        for text in ("é", "", ";;", "\\u0000")
    ),
    *(
        Bad(
            f"output delimiter {text}",
            in_job((MASKED, f'{MASKED}\ndelimiter = "{text}"')),
            "output.delimiter: ",
        )
        for text in ("é", "")
    ),
    Bad("unknown ending", named("data.dbf", TABLE.encode()), "one of .csv"),
    Bad("no ending", named("data", TABLE.encode()), "format was not recognised"),
    Bad("no such file", named("dota.csv"), "there is no such file"),
    Bad("a folder", made_folder("sub.csv", then=named("sub.csv")), "this is a folder"),
    Bad("may not be read", unreadable("data.csv"), "folder|cannot be opened|cannot be read"),
    Bad("gzip cut off", named("data.csv.gz", PACKED[: len(PACKED) // 2]), "damaged"),
    Bad("gzip damaged", named("data.csv.gz", PACKED[:40] + b"\0\1\2\3" * 9 + PACKED[76:]), "damaged"),
    Bad("gzip in name only", named("data.csv.gz", b"\x1f\x8b"), "damaged|empty"),
    Bad("parquet cut off", parquet(lambda raw: raw[: len(raw) // 2]), "cannot be read as Parquet"),
    Bad("parquet damaged", parquet(lambda raw: raw[:4] + b"\xff" * 500 + raw[504:]), "cannot be read as Parquet"),
    Bad("parquet in name only", named("data.parquet", TABLE.encode()), "cannot be read as Parquet"),
    Bad("empty parquet", named("data.parquet", b""), "cannot be read as Parquet"),
    Bad("parquet with lists", parquet(symptom=pl.Series([["ache", MARK]] * 40)), "symptom"),
    Bad("parquet with NaN", parquet(age=pl.Series([1.5, float("nan")] * 20)), "missing cells"),
    Bad("parquet with infinity", parquet(age=pl.Series([1.5, float("inf")] * 20)), "not finite numbers"),
    Bad("empty sheet", excel(), "is empty"),
    Bad("Excel in name only", named("data.xlsx", TABLE.encode()), "cannot be read as an Excel file"),
    Bad("Excel cut off", named("data.xlsx", b"PK\x03\x04" + bytes(200)), "cannot be read as an Excel file"),
    Bad("other sheet", excel(pl.DataFrame({"a": [1]})), "none of these columns"),
    Bad("no such sheet", excel(pl.DataFrame({"a": [1]}), sheet='sheet = "x"'), "there is no sheet 'x'"),
    Bad("SPSS in name only", named("data.sav", TABLE.encode()), "cannot be read as a SPSS file"),
    Bad("Stata in name only", named("data.dta", TABLE.encode()), "cannot be read as a Stata file"),
    Bad("SAS in name only", named("data.sas7bdat", TABLE.encode()), "cannot be read as a SAS file"),
    Bad("column missing", table(lines(*(r.rpartition(",")[0] for r in [HEADER, *ROWS]))), "no such column"),
    Bad("column too many", table(lines(HEADER + ",extra", *(r + f",{MARK}" for r in ROWS))), "have no role: 'extra'"),
    Bad("column without a cell", table(whole_column(2, "")), "'age' has no value at all"),
    Bad("words without a cell", table(whole_column(1, "")), "'symptom' has no value at all"),
    Bad("missing cell", table(column(1, "")), "1 missing cells"),
    Bad("missing number", table(column(2, "")), "1 missing cells"),
    Bad("blank cell", table(column(1, "   ")), "missing cells|no concept"),
    Bad("word unknown", table(column(1, f"{MARK}-ache")), "1 of 4 values of the column 'symptom' have no concept"),
    Bad("all words unknown", table(whole_column(1, f"{MARK}-ache")), "1 of 1 values"),
    Bad("text among numbers", table(column(2, f"{MARK}30")), "'age' is numeric, but 1"),
    Bad("NaN among numbers", table(column(2, "NaN")), "not finite numbers"),
    Bad("infinity among numbers", table(column(2, "inf")), "not finite numbers"),
    Bad("number too large", table(column(2, "1e300")), "too large"),
    Bad("number with an underscore", table(column(2, "1_000")), "not finite numbers"),
    Bad("category not listed", table(column(3, f"{MARK}-mid")), "not among its categories"),
    Bad(
        "nothing left",
        write("data.csv", whole_column(2, ""), then=in_job((MASKED, MASKED + '\n[policies]\nmissing = "drop"'))),
        "no value at all",
    ),
    Bad(
        "every record dropped",
        write(
            "data.csv",
            lines(HEADER, f"{MARK},,30,low,1", f"{MARK}2,ache,,low,2"),
            then=in_job((MASKED, MASKED + '\n[policies]\nmissing = "drop"')),
        ),
        "no record is left",
    ),
]

WRITE = [
    Bad("over the input", in_job((MASKED, 'masked = "data.csv"\noverwrite = true')), "is the input"),
    Bad("over the input by another way", in_job((MASKED, 'masked = "./../sub/../data.csv"')), "does not exist|never"),
    Bad("into no folder", in_job((MASKED, 'masked = "no/masked.csv"')), "does not exist. Make it first"),
    Bad("over a folder", made_folder("masked.csv"), "this is a folder"),
    Bad("a file where a folder should be", in_job((MASKED, 'masked = "data.csv/m.csv"')), "Not a directory"),
    Bad("over an earlier output", write("masked.csv", "mine"), "exists already"),
    Bad("over an earlier private file", write("masked.private.toml", "mine"), "exists already"),
    Bad("format that is only read", in_job((MASKED, 'masked = "m.sas7bdat"')), "can only be read"),
    Bad("name too long", in_job((MASKED, f'masked = "{"m" * 300}.csv"')), "name too long|cannot be written"),
    Bad("zero byte in a name", in_job((MASKED, 'masked = "m\\u0000.csv"')), "zero|null"),
    Bad("empty name", in_job((MASKED, 'masked = ""')), "folder|must"),
    Bad("report of an unknown kind", in_job((MASKED, MASKED + '\nreport = "r.docx"')), "must end in one of"),
    Bad("report over the table", in_job((MASKED, MASKED + '\nreport = "masked.csv"')), "must end in one of|both"),
    Bad("private file over the job", in_job((MASKED, MASKED + '\nprivate = "job.toml"')), "is the job"),
]

ALL = [*READ, *WRITE]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_file(bad, tmp_path):
    check(bad, tmp_path)
