"""Endless files, files that unpack to gigabytes, and huge graphs are an error, or are read in limited time."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import tracemalloc
import zipfile
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.base.limits import VARIABLE, UnpackedTooLargeError, check_zip, open_gzip, unpacked_limit
from ontomask.hierarchy import read_mapping
from ontomask.job import Job
from ontomask.job.private_file import PrivateFile
from ontomask.microdata import load_plan
from ontomask.taxonomy import validate

from support.errors import raises
from support.jobs import JOB, make_job
from support.marked import says_what_to_do

MEGABYTE = 1 << 20
READERS = {
    "t.csv": om.read_table,
    "t.parquet": om.read_table,
    "t.xlsx": om.read_table,
    "t.sav": om.read_table,
    "o.csv": om.read_taxonomy,
    "o.owl": om.read_taxonomy,
    "h.csv": om.read_hierarchy,
    "m.csv": read_mapping,
    "v.json": om.read_value_set,
    "job.toml": Job.from_toml,
    "p.plan": load_plan,
    "p.toml": PrivateFile.load,
}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_devices_and_pipes_are_refused(tmp_path, name, kind):
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with raises(om.OntomaskError, code="not-a-file") as caught:
        READERS[name](path)
    assert says_what_to_do(str(caught.value))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_a_journal_is_a_regular_file(tmp_path):
    make_job(tmp_path, JOB + '[compare]\nseeds = 1\nmethods = [{ name = "PRAM" }]\n')
    (tmp_path / "runs.jsonl").symlink_to("/dev/zero")
    with raises(om.OntomaskError, parameter="journal", code="not-a-file"):
        Job.from_toml(tmp_path / "job.toml").compare(journal=tmp_path / "runs.jsonl")


def test_a_link_to_a_file_is_read(tmp_path):
    (tmp_path / "there.csv").write_text("a\n1\n")
    (tmp_path / "t.csv").symlink_to(tmp_path / "there.csv")
    assert om.read_table(tmp_path / "t.csv").rows() == [("1",)]


def test_the_limit_grows_with_the_file_and_can_be_set(monkeypatch):
    assert unpacked_limit(1000) == 64 * MEGABYTE
    assert unpacked_limit(10 * MEGABYTE) == 1000 * MEGABYTE
    monkeypatch.setenv(VARIABLE, "7")
    assert unpacked_limit(1000) == 7 * MEGABYTE
    monkeypatch.setenv(VARIABLE, "all")
    assert unpacked_limit(1000) == 64 * MEGABYTE


@pytest.fixture(scope="module")
def bomb(tmp_path_factory) -> Path:
    """A gzip file of about 100 kB that unpacks to 100 MB."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(1000):
            file.write(b"a," + b"b" * 100_000 + b"\n")
    return path


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv.gz", "o.csv.gz", "o.json.gz"])
def test_gzip_bombs_are_refused(tmp_path, bomb, name):
    (tmp_path / name).symlink_to(bomb)
    format = {"csv": "edges", "json": "obographs"}.get(name.split(".")[1])
    with raises(om.OntomaskError, code="too-large"):
        om.read_table(tmp_path / name) if name.startswith("t") else om.read_taxonomy(tmp_path / name, format)


def test_a_packed_file_may_unpack_further_where_that_is_allowed(tmp_path, monkeypatch):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * MEGABYTE, mtime=0))
    assert len(om.read_table(path)) == MEGABYTE
    monkeypatch.setenv(VARIABLE, "1")
    with raises(om.TableError, code="too-large"):
        om.read_table(path)
    with path.open("rb") as packed, open_gzip(path, packed) as file, pytest.raises(UnpackedTooLargeError):
        file.read()


def cells(*addresses: tuple[str, int]) -> bytes:
    """A sheet with a number at each address, given as column and row."""
    rows = "".join(f'<row r="{row}"><c r="{column}{row}"><v>1</v></c></row>' for column, row in addresses)
    head = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    return head + rows.encode() + b"</sheetData></worksheet>"


def workbook(path: Path, sheet: bytes) -> Path:
    """A small Excel file with another sheet."""
    om.write_table(pl.DataFrame({"a": [1]}), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["xl/worksheets/sheet1.xml"] = sheet
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_excel_files_that_unpack_beyond_measure_are_refused(tmp_path):
    with raises(om.TableError, code="too-large"):
        om.read_table(workbook(tmp_path / "t.xlsx", cells(("A", 1)) + b" " * 100 * MEGABYTE))


def test_excel_files_whose_cells_lie_far_apart_are_refused(tmp_path):
    with raises(om.TableError, code="too-large"):
        om.read_table(workbook(tmp_path / "t.xlsx", cells(("A", 1), ("XFD", 1_048_576))))
    assert om.read_table(workbook(tmp_path / "near.xlsx", cells(("A", 1), ("B", 3)))).shape == (2, 2)


def test_the_size_that_an_archive_states_is_not_believed(tmp_path, monkeypatch):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"\0" * (3 * MEGABYTE))
    size = (3 * MEGABYTE).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (5).to_bytes(4, "little")))
    with zipfile.ZipFile(path) as archive:
        assert archive.infolist()[0].file_size == 5
    check_zip(path)
    monkeypatch.setenv(VARIABLE, "2")
    with pytest.raises(UnpackedTooLargeError):
        check_zip(path)


@pytest.mark.parametrize(("name", "read"), [("p.plan", load_plan), ("t.taxonomy", om.read_taxonomy)])
def test_archives_of_ours_are_bounded(tmp_path, name, read):
    with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("header.npy", "w", force_zip64=True) as member:
            for _ in range(100):
                member.write(bytes(MEGABYTE))
        archive.writestr("parent_start.npy", b"")
    tracemalloc.start()
    try:
        with raises(om.OntomaskError, code="too-large"):
            read(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 50 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_parquet_file_of_equal_cells_is_bounded(tmp_path):
    pl.select(pl.repeat("equal", 80_000_000).alias("a")).write_parquet(tmp_path / "t.parquet")
    with raises(om.TableError, code="too-large"):
        om.read_table(tmp_path / "t.parquet")


def test_a_long_chain_is_refused_and_a_concept_with_many_parents_is_read(tmp_path):
    chain = [(f"c{i + 1}", f"c{i}") for i in range(100_000)]
    with raises(om.TaxonomyError, code="T114") as caught:
        om.Taxonomy.from_edges(chain)
    assert says_what_to_do(str(caught.value))
    (tmp_path / "row.csv").write_text(";".join(f"c{i}" for i in range(100_000)) + ";*\n" + "a;b;*\n")
    for read in (om.read_taxonomy, om.read_hierarchy):
        with pytest.raises(om.OntomaskError):
            read(tmp_path / "row.csv")

    links = [("x", f"p{i}") for i in range(100_000)] + [(f"p{i}", "top") for i in range(100_000)]
    wide = om.Taxonomy.from_edges([*links, ("y", "x"), ("z", "x"), ("x", "top")])
    assert wide.lcs("x", "y", "z") == "x"
    assert [str(finding)[:6] for finding in validate(wide)] == ["T108: "]
    assert om.distance("log_sc", wide)("y", "z") == pytest.approx(2.885e-05, rel=1e-3)


def test_a_long_cycle_is_shown_in_part():
    with raises(om.TaxonomyError, code="T101") as caught:
        om.Taxonomy.from_edges([(f"c{(i + 1) % 50_000}", f"c{i}") for i in range(50_000)])
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ["t.csv", "o.obo", "o.csv", "h.csv"])
def test_a_line_of_fifty_megabytes_is_read_or_refused(tmp_path, name):
    long = b"x" * (50 * MEGABYTE)
    content = {
        "t.csv": b"a,b\n1," + long + b"\n",
        "o.obo": b"format-version: 1.2\n\n[Term]\nid: S:1\nname: " + long + b"\n",
        "o.csv": b"child,parent\na,b\n" + long + b",b\n",
        "h.csv": b"a;b;*\n" + long + b";b;*\n",
    }[name]
    (tmp_path / name).write_bytes(content)
    read = {"t": om.read_table, "o": om.read_taxonomy, "h": om.read_hierarchy}[name[0]]
    with contextlib.suppress(om.OntomaskError):
        read(tmp_path / name)
