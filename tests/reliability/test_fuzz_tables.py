"""Every reader of tables, on thousands of damaged files."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

import ontomask as om
from ontomask.microdata import frames

from support.mutations import Target, fuzz, mutate_zip

CSV = 'name;job;age;cost\nAnn;"clerk; senior";31;1,5\nBob;nurse;;2,25\n"C ""x""";cook;40;\n'
FRAME = pl.DataFrame({"name": ["Ann", "Bob", None], "age": [31, 40, 52], "cost": [1.5, None, 2.25]})
DELIMITED = [b";", b",", b"\t", b'"', b'""', b"\n", b"\r\n", b"\n\n", b'"\n"', b"name", b"1,5"]
SHEET = [
    b"<c",
    b"<row",
    b"<v>",
    b"</v>",
    b'r="A1"',
    b'r="XFD1048576"',
    b't="s"',
    b't="b"',
    b't="d"',
    b't="e"',
    b"<is>",
    b"</c>",
]


def table(**options):
    """Read a table and every column of it."""

    def read(path: Path) -> None:
        found = om.read_table(path, **options)
        for name in frames.columns(found):
            frames.factorise(found, name)

    return read


def written(ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{ending}"
        if ending == ".xpt":
            pyreadstat.write_xport(FRAME, str(path))
        elif ending == ".sav":
            labels = {"age": {31: "thirties", 40: "forties", 52: "fifties"}}
            pyreadstat.write_sav(FRAME, str(path), variable_value_labels=labels)
        else:
            om.write_table(FRAME, path)
        return path.read_bytes()


TARGETS = [
    Target("csv", {"t.csv": CSV.encode()}, table(), DELIMITED),
    Target("csv with types", {"t.csv": CSV.encode()}, table(text=["name"], decimal=","), DELIMITED),
    Target("csv in latin-1", {"t.csv": CSV.encode("latin-1")}, table(encoding="latin-1", delimiter=";"), DELIMITED),
    Target("tsv", {"t.tsv": CSV.replace(";", "\t").encode()}, table(), DELIMITED),
    Target("packed csv", {"t.csv.gz": gzip.compress(CSV.encode(), mtime=0)}, table()),
    Target("parquet", {"t.parquet": written(".parquet")}, table()),
    Target("parquet for pandas", {"t.parquet": written(".parquet")}, table(as_="pandas")),
    Target("xlsx", {"t.xlsx": written(".xlsx")}, table(), SHEET, mutate_zip),
    Target("sav", {"t.sav": written(".sav")}, table()),
    Target("dta", {"t.dta": written(".dta")}, table()),
    Target("xpt", {"t.xpt": written(".xpt")}, table()),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_damaged_tables(target):
    fuzz(target)
