"""Tables in Parquet, Excel, SPSS, Stata and SAS files. Each has a reader and, except SAS, a writer.

Excel files are checked before they are read. A reader builds the full rectangle of cells, so a sheet with only its
first and last possible cell would take hundreds of gigabytes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, cast

from ontomask.base.drafts import DraftFolder
from ontomask.base.limits import UnpackedTooLargeError, check_zip, unpacked_limit
from ontomask.base.text import join_some
from ontomask.errors import MissingExtraError, Setting, TableError
from ontomask.microdata import frames
from ontomask.microdata.backends import polars_column
from ontomask.microdata.delimited import check_unique_names, column_names, strip_cells
from ontomask.microdata.metadata import is_custom_metadata, strip_metadata

__all__ = ["STATISTICS", "binary_metadata", "binary_writer", "read_binary"]

STATISTICS = {".sav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS transport"}

_MAX_EXCEL_ROWS = 1_048_575
# The position of a row or a cell: r="12" or r="AB12".
_POSITION = re.compile(rb"""\br\s*=\s*["']([A-Za-z]*)(\d+)["']""")
_LONGEST_POSITION = 64
_CELL_BYTES = 16


def read_binary(path: Path, suffix: str, *, as_: str | None, sheet: str | None, header: bool = True) -> Any:
    """The table of a file in the format of ``suffix``."""
    if suffix == ".parquet":
        return _read_parquet(path, as_)
    return _read_excel(path, sheet, header) if suffix == ".xlsx" else _read_statistics(path, suffix)


def binary_writer(frame: Any, path: Path, suffix: str) -> Callable[[IO[bytes]], None]:
    """A function that writes a table to an open file in the format of ``suffix``."""
    if suffix == ".parquet":
        return _parquet_writer(frame)
    return _excel_writer(frame, path) if suffix == ".xlsx" else _statistics_writer(frame, suffix, path.parent)


def binary_metadata(path: Path, suffix: str) -> tuple[str, ...]:
    """Kinds of metadata that a file has besides its columns."""
    if suffix == ".parquet":
        import polars as pl

        keys = pl.read_parquet_metadata(path).keys()
        return ("file metadata",) if any(is_custom_metadata(key.encode()) for key in keys) else ()
    if suffix not in STATISTICS:
        return ()
    _, about = _statistics_reader(suffix)(str(path), metadataonly=True, output_format="polars")
    found = {
        "the file label": about.file_label,
        "notes of the file": about.notes,
        "variable labels": any(about.column_labels),
        "value labels": about.variable_value_labels,
    }
    return tuple(what for what, value in found.items() if value)


def _check_cells(path: Path, cells: int) -> None:
    """Reject a file that declares far more cells than its size suggests. A cell takes at least one byte."""
    limit = unpacked_limit(path.stat().st_size)
    if cells > limit:
        raise UnpackedTooLargeError(limit)


# Parquet


def _read_parquet(path: Path, as_: str | None) -> Any:
    import polars as pl

    # A column of equal cells takes a few bytes however long it is, so the file size says little.
    scan = pl.scan_parquet(path, glob=False)
    _check_cells(path, scan.select(pl.len()).collect().item() * len(scan.collect_schema()))
    if as_ in ("pandas", "pyarrow") and find_spec("pyarrow"):
        # pyarrow restores the metadata and the index that these libraries keep in the file.
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            table = file.read()
        # Text that is not UTF-8 would otherwise raise only when it is used.
        table.validate(full=True)
        return table.to_pandas() if as_ == "pandas" else table
    return pl.read_parquet(path, glob=False)


def _parquet_writer(frame: Any) -> Callable[[IO[bytes]], None]:
    if frames.kind(frame) == "polars" or not find_spec("pyarrow"):
        return cast("Callable[[IO[bytes]], None]", frames.convert(frame, "polars").write_parquet)

    def write(file: IO[bytes]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = strip_metadata(frame)
        if not isinstance(table, pa.Table):
            # pandas' own metadata describes its index and types. What pyarrow needs is in its schema.
            table = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
        pq.write_table(table, file)

    return write


# Excel


def _read_excel(path: Path, sheet: str | None, has_header: bool) -> Any:
    try:
        import fastexcel
    except ImportError:
        raise MissingExtraError("Reading Excel files", "files") from None
    _check_workbook(path)
    book = fastexcel.read_excel(path)
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        text = f"There is no sheet {sheet!r}. There are {join_some(names, 12)}."
        raise TableError(text, path=path, parameter="sheet", values=[sheet], code="no-sheet")
    header = book.load_sheet(sheet or 0, header_row=None, n_rows=1, dtypes="string").to_polars()
    table = book.load_sheet(sheet or 0, schema_sample_rows=None, header_row=0 if has_header else None).to_polars()
    if not table.columns:
        text = f"The sheet {sheet or names[0]!r} is empty. Name another in "
        raise TableError(text, Setting("input", "sheet"), ".", path=path, parameter="sheet", code="empty")
    names = column_names(len(table.columns))
    if has_header:
        check_unique_names(path, [name and name.strip() for name in header.row(0)], 1)
        names = [name.strip() for name in table.columns]
    table.columns = names
    return _floats_to_integers(strip_cells(table))


def _excel_writer(frame: Any, path: Path) -> Callable[[IO[bytes]], None]:
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("Writing Excel files", "files") from None
    if frames.length(frame) > _MAX_EXCEL_ROWS:
        raise TableError(
            f"An Excel sheet holds at most {_MAX_EXCEL_ROWS:,} records. Write .csv or .parquet.",
            path=path,
            code="too-many-records",
        )
    table = frames.convert(frame, "polars")

    def write(file: IO[bytes]) -> None:
        # In memory: temporary files would lie outside the folder of the table, and stay there if the run is killed.
        with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
            sheet = book.add_worksheet("table")
            # Write text as text, never as a formula or a link.
            sheet.add_write_handler(str, lambda sheet, *cell: sheet.write_string(*cell))
            table.write_excel(book, sheet, autofilter=False)

    return write


def _check_workbook(path: Path) -> None:
    """Reject a workbook that would take far more memory than its size suggests."""
    limit = unpacked_limit(path.stat().st_size)
    extents: dict[str, _Extent] = {}

    def look(name: str, block: bytes) -> None:
        if name.lower().startswith("xl/worksheets/"):
            extent = extents.setdefault(name, _Extent())
            extent.add(block)
            if extent.rows * extent.columns * _CELL_BYTES > limit:
                raise UnpackedTooLargeError(limit)

    check_zip(path, look)


class _Extent:
    """The last row and the last column of a sheet, found in its XML block by block."""

    def __init__(self) -> None:
        self.rows = self.columns = 1
        self._rest = b""

    def add(self, block: bytes) -> None:
        """Read the next block. A position may begin at the end of the previous one."""
        text = self._rest + block
        found = set(_POSITION.findall(text))
        self._rest = text[-_LONGEST_POSITION:]
        self.rows = max([self.rows, *(int(row[:12]) for _, row in found)])
        self.columns = max([self.columns, *(_column_number(letters) for letters, _ in found)])


def _column_number(letters: bytes) -> int:
    """The number of an Excel column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + letter - 64
    return number


# SPSS, Stata, SAS


def _statistics_reader(suffix: str) -> Callable[..., Any]:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(f"Reading {STATISTICS[suffix]} files", "files") from None
    read: dict[str, Callable[..., Any]] = {
        ".sav": pyreadstat.read_sav,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    return read[suffix]


def _read_statistics(path: Path, suffix: str) -> Any:
    read = _statistics_reader(suffix)
    _, about = read(str(path), metadataonly=True, output_format="polars")
    _check_cells(path, (about.number_rows or 0) * (about.number_columns or 0))
    table, about = read(str(path), output_format="polars")
    for column, labels in about.variable_value_labels.items():
        _, cells = frames.factorise(table, column)
        if all(cell is None or cell in labels for cell in cells):
            table = frames.as_text(table, column, labels)
    return table if suffix == ".dta" else _floats_to_integers(table)


def _statistics_writer(frame: Any, suffix: str, folder: Path) -> Callable[[IO[bytes]], None]:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(f"Writing {STATISTICS[suffix]} files", "files") from None
    table = frames.convert(frame, "polars")

    def write(file: IO[bytes]) -> None:
        # pyreadstat writes to a path, not to an open file.
        drafts = DraftFolder.create(folder)
        try:
            draft = drafts.path / f"table{suffix}"
            (pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta)(table, str(draft))
            with draft.open("rb") as written:
                shutil.copyfileobj(written, file)
        finally:
            drafts.remove()

    return write


def _floats_to_integers(table: Any) -> Any:
    """Convert float columns that hold only integers, for formats that know floats only."""
    import polars as pl

    made = []
    for name, dtype in table.schema.items():
        cells = polars_column(table, name)
        if dtype.is_float() and cells.null_count() < len(cells) and (cells.is_null() | (cells == cells.round(0))).all():
            made += [cells.cast(pl.Int64).alias(name)] if cells.abs().max() < 2**53 else []
    return table.with_columns(made)
