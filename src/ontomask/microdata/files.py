"""Tables in files: CSV, TSV and Parquet; with the extra ``files`` also Excel, SPSS, Stata and SAS.

Delimited files are read as text, every column: a code such as ``038`` or ``250.10`` is lost once it has been a number,
while a text of digits can become a number at any time. The other formats say themselves what their columns hold.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import IO, Any, cast

from ontomask.base.atomic import write_atomic
from ontomask.base.drafts import DraftFolder
from ontomask.base.limits import UnpackedTooLargeError, irregular, unpacked_limit
from ontomask.base.text import join_some
from ontomask.errors import MissingExtraError, OntomaskError, TableError, is_panic
from ontomask.microdata import frames
from ontomask.microdata.backends import polars_column
from ontomask.microdata.delimited import (
    AGAIN,
    check_delimiter,
    delimited_writer,
    fail,
    read_delimited,
    refuse_same_names,
)
from ontomask.microdata.formulas import FORMULAS, Formulas, unescape_formulas
from ontomask.microdata.metadata import is_telling, strip_metadata
from ontomask.microdata.workbook import check_workbook
from ontomask.taxonomy.readers.source import sniff_delimiter

__all__ = ["delimiter_of", "file_metadata", "is_delimited", "read_table", "save_table", "write_table"]

_DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_STATISTICS = {".sav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS transport"}
_NAMES = {".parquet": "Parquet", ".xlsx": "an Excel file"} | {s: f"a {name} file" for s, name in _STATISTICS.items()}
_KNOWN = (*_DELIMITED, ".parquet", ".xlsx", *_STATISTICS)
_READ_ONLY = (".sas7bdat", ".xpt")
_MOST_EXCEL_ROWS = 1_048_575
_FOLDER = "this is a folder, not a file. Name a file in it."


def read_table(
    path: str | PathLike[str],
    *,
    as_: frames.Kind | None = None,
    text: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    sheet: str | None = None,
    formulas: Formulas = "as_is",
) -> Any:
    """Read a table from a file; the end of its name tells the format.

    Parameters
    ----------
    path
        A ``.csv`` or ``.tsv`` file (also ``.gz``), ``.parquet``, ``.xlsx``, ``.sav``, ``.dta``, ``.sas7bdat`` or
        ``.xpt``. Excel numbers and SPSS and SAS numbers that are whole throughout a column are read as integers, since
        these formats do not tell; an SPSS or Stata column whose values all have labels is read as the labels.
    as_
        The kind of table wanted: ``"polars"`` (the default), ``"pandas"`` or ``"pyarrow"``.
    text
        Columns to be read as text. By default that is all of them for a delimited file, and those which the file
        itself holds as text for any other. If columns are named, types of the others in a delimited file are inferred.
    delimiter, encoding
        Of a delimited file. The delimiter is found out unless it is given. An empty cell is missing.
    decimal
        Of a delimited file: the mark before the decimals, ``"."`` or ``","``. With a comma, columns of such numbers are
        read with points instead (27,9 as 27.9); columns that also have other cells with digits are left as they are.
    sheet
        Of an Excel file; the first by default.
    formulas
        Of a delimited file: ``"escape"`` if it was written with ``formulas="escape"``, to get the cells as they were.
    """
    path = Path(path)
    suffix = _suffix(path)
    _check_decimal(path, suffix, decimal)
    if as_ is not None:
        frames.check_installed(as_)
    if text is not None and isinstance(text, str):
        raise TableError(f"'text' must be a list of column names. Got the text {text!r}: write [{text!r}].")
    if delimiter is not None and suffix not in _DELIMITED:
        fail(path, "a delimiter was given, and only .csv and .tsv files have one. Leave it out.")
    _check_formulas(path, suffix, formulas)
    if delimiter is not None:
        check_delimiter(path, delimiter)
    if sheet is not None and suffix != ".xlsx":
        fail(path, "a sheet was given, and only .xlsx files have sheets. Leave it out.")
    reason = irregular(path)
    if reason is not None:
        fail(path, f"{reason}.")
    if not path.is_file():
        fail(path, _FOLDER if path.is_dir() else "there is no such file. Check its name.")
    with _reading(path, suffix):
        if suffix in _DELIMITED:
            frame = read_delimited(path, text, delimiter or ("\t" if ".tsv" in suffix else None), encoding, decimal)
            frame = unescape_formulas(frame) if formulas == "escape" else frame
        elif suffix == ".parquet":
            frame = _read_parquet(path, as_)
        elif suffix == ".xlsx":
            frame = _read_excel(path, sheet)
        else:
            frame = _read_statistics(path, suffix)
        for name in text or ():
            frame = frames.as_text(frame, name)
        return frames.convert(frame, as_ or "polars")


@contextmanager
def _reading(path: Path, suffix: str) -> Iterator[None]:
    """Turn what other libraries raise on a damaged file into our error, without their words, which may quote cells."""
    try:
        yield
    except OntomaskError:
        raise
    except UnpackedTooLargeError as problem:
        fail(path, f"{problem}.")
    except BaseException as problem:
        if not isinstance(problem, Exception) and not is_panic(problem):
            raise
        fail(
            path,
            f"cannot be read as {_NAMES.get(suffix, 'delimited text')} ({type(problem).__name__}): it is damaged or of "
            f"another format. {AGAIN}",
        )


def write_table(
    frame: Any,
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    numbers: Collection[str] = (),
    formulas: Formulas = "as_is",
    overwrite: bool = False,
) -> None:
    """Write a table whole or not at all; the end of the name tells the format.

    The columns are written and nothing else: no index, no attributes, no metadata. Call ``reset_index()`` first where
    the labels of an index matter.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table.
    path
        Where to: ``.csv``, ``.tsv`` (also ``.gz``), ``.parquet``, ``.xlsx``, ``.sav`` or ``.dta``.
    delimiter
        Of a ``.csv`` file; a comma by default. (In ``.tsv`` files it is the tab.)
    decimal
        Of a ``.csv`` or ``.tsv`` file: the mark before the decimals, ``"."`` or ``","``.
    numbers
        Columns of texts that hold numbers, and get the decimal mark, too: a text such as 250.1 may be a code.
    formulas
        Of a ``.csv`` or ``.tsv`` file: ``"escape"`` puts an apostrophe before cells and column names that a
        spreadsheet would run as formulas. (Excel files hold text as text.)
    overwrite
        Replace the file if there is one; otherwise that is an error.
    """
    save_table(
        frame,
        Path(path),
        delimiter=delimiter,
        decimal=decimal,
        numbers=numbers,
        formulas=formulas,
        overwrite=overwrite,
    )


def save_table(
    frame: Any,
    path: Path,
    *,
    delimiter: str | None,
    decimal: str,
    numbers: Collection[str],
    formulas: Formulas,
    overwrite: bool,
) -> int:
    """What `write_table` does. Returns how many cells and column names were escaped."""
    suffix = _suffix(path)
    _check_decimal(path, suffix, decimal)
    _check_formulas(path, suffix, formulas)
    escaped = 0
    if delimiter is not None and not suffix.startswith(".csv"):
        fail(path, "a delimiter was given, and only .csv files have one to choose. Leave it out.")
    if delimiter is not None:
        check_delimiter(path, delimiter)
    frames.columns(frame)
    if suffix in _READ_ONLY:
        fail(path, f"SAS files can only be read. Write one of {_listed(writable=True)}.")
    if path.is_dir():
        fail(path, _FOLDER)
    if path.exists() and not overwrite:
        fail(path, "the file exists already. Give another name, or overwrite=True to replace it.")
    if not path.parent.is_dir():
        fail(path, f"the folder {str(path.parent)!r} does not exist. Make it first.")
    if suffix in _DELIMITED:
        mark = delimiter or ("\t" if ".tsv" in suffix else ",")
        write, escaped = delimited_writer(frame, suffix, mark, decimal, numbers, formulas)
    elif suffix == ".parquet":
        write = _parquet_writer(frame)
    elif suffix == ".xlsx":
        write = _excel_writer(frame, path)
    else:
        write = _statistics_writer(frame, suffix, path.parent)
    try:
        write_atomic(path, write)
    except OntomaskError:
        raise
    except OSError as problem:
        fail(path, f"cannot be written: {problem.strerror or problem}. Check that there is room, and that you may.")
    except BaseException as problem:
        if not isinstance(problem, Exception) and not is_panic(problem):
            raise
        # What the libraries say may quote cells: name the kind of problem only.
        fail(path, f"the table cannot be written in this format ({type(problem).__name__}). {_advice(suffix)}")
    return escaped


def delimiter_of(path: Path) -> str | None:
    """The delimiter that a file is read with unless another is given; none of a file of another kind."""
    suffix = _suffix(path)
    if suffix not in _DELIMITED:
        return None
    return "\t" if ".tsv" in suffix else sniff_delimiter(path) or ","


def file_metadata(path: Path) -> tuple[str, ...]:
    """Which kinds of metadata a file has besides its columns, in words. `read_table` leaves them behind."""
    suffix = _suffix(path)
    if suffix == ".parquet":
        import polars as pl

        keys = pl.read_parquet_metadata(path).keys()
        return ("file metadata",) if any(is_telling(key.encode()) for key in keys) else ()
    if suffix not in _STATISTICS:
        return ()
    _, about = _statistics_reader(suffix)(str(path), metadataonly=True, output_format="polars")
    found = {
        "the file label": about.file_label,
        "notes of the file": about.notes,
        "variable labels": any(about.column_labels),
        "value labels": about.variable_value_labels,
    }
    return tuple(what for what, value in found.items() if value)


def _check_decimal(path: Path, suffix: str, decimal: str) -> None:
    if decimal not in (".", ","):
        fail(path, f"the decimal mark must be '.' or ','. Got {decimal!r} instead.")
    if decimal != "." and suffix not in _DELIMITED:
        fail(path, "a decimal mark was given, and only .csv and .tsv files have one. Leave it out.")


def _check_formulas(path: Path, suffix: str, formulas: str) -> None:
    if formulas not in FORMULAS:
        fail(path, f"The 'formulas' must be one of {', '.join(FORMULAS)}. Got {formulas!r} instead.")
    if formulas == "escape" and suffix not in _DELIMITED:
        fail(path, "Formulas are escaped in .csv and .tsv files only. Leave 'formulas' out.")


def is_delimited(path: Path) -> bool:
    """Whether the end of a file's name says that it is delimited text."""
    return path.name.lower().endswith(_DELIMITED)


def _listed(*, writable: bool = False) -> str:
    return ", ".join(suffix for suffix in _KNOWN if not writable or suffix not in _READ_ONLY)


def _suffix(path: Path) -> str:
    name = path.name.lower()
    suffix = next((suffix for suffix in _KNOWN if name.endswith(suffix)), None)
    if suffix is None:
        fail(path, f"the end of the name tells no format that is known. Those known are {_listed()}.")
    return suffix


def _advice(suffix: str) -> str:
    if suffix in _STATISTICS:
        return "Column names must be short and of letters, digits and underscores, and each column of one type."
    return "Each column must be of one type, without lists or other compound cells."


def _check_cells(path: Path, cells: int) -> None:
    """Refuse a file that states to have far more cells than its size suggests; a cell takes a byte at least."""
    limit = unpacked_limit(path.stat().st_size)
    if cells > limit:
        raise UnpackedTooLargeError(limit)


# Parquet


def _read_parquet(path: Path, as_: str | None) -> Any:
    import polars as pl

    # A column of equal cells takes a few bytes however long it is, so that the size of the file says little.
    scan = pl.scan_parquet(path, glob=False)
    _check_cells(path, scan.select(pl.len()).collect().item() * len(scan.collect_schema()))
    if as_ in ("pandas", "pyarrow") and find_spec("pyarrow"):
        # pyarrow knows the metadata and the index that these kinds keep in the file.
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            table = file.read()
        # Texts that are not UTF-8 would raise only when they are looked at.
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
            # pandas' own metadata describe its index and types; what pyarrow needs is in its schema.
            table = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
        pq.write_table(table, file)

    return write


# Excel


def _read_excel(path: Path, sheet: str | None) -> Any:
    try:
        import fastexcel
    except ImportError:
        raise MissingExtraError("Reading Excel files", "files") from None
    check_workbook(path)
    book = fastexcel.read_excel(path)
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        fail(path, f"there is no sheet {sheet!r}. There are {join_some(names, 12)}.")
    header = book.load_sheet(sheet or 0, header_row=None, n_rows=1, dtypes="string").to_polars()
    table = book.load_sheet(sheet or 0, schema_sample_rows=None).to_polars()
    if not table.columns:
        fail(path, f"the sheet {sheet or names[0]!r} is empty. Name another in sheet=.")
    refuse_same_names(path, header.row(0), 1)
    return _whole_numbers(table)


def _excel_writer(frame: Any, path: Path) -> Callable[[IO[bytes]], None]:
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("Writing Excel files", "files") from None
    if frames.length(frame) > _MOST_EXCEL_ROWS:
        fail(path, f"an Excel sheet holds {_MOST_EXCEL_ROWS:,} records at most. Write .csv or .parquet.")
    table = frames.convert(frame, "polars")

    def write(file: IO[bytes]) -> None:
        # In memory: its temporary files would lie outside the folder of the table, and stay there if the run is killed.
        with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
            sheet = book.add_worksheet("table")
            # A text is what it says: not a formula, not a link.
            sheet.add_write_handler(str, lambda sheet, *cell: sheet.write_string(*cell))
            table.write_excel(book, sheet, autofilter=False)

    return write


# SPSS, Stata, SAS


def _statistics_reader(suffix: str) -> Callable[..., Any]:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(f"Reading {_STATISTICS[suffix]} files", "files") from None
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
    return table if suffix == ".dta" else _whole_numbers(table)


def _statistics_writer(frame: Any, suffix: str, folder: Path) -> Callable[[IO[bytes]], None]:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(f"Writing {_STATISTICS[suffix]} files", "files") from None
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


def _whole_numbers(table: Any) -> Any:
    """Floats that are whole throughout as integers, for formats that know floats only."""
    import polars as pl

    made = []
    for name, dtype in table.schema.items():
        cells = polars_column(table, name)
        if dtype.is_float() and cells.null_count() < len(cells) and (cells.is_null() | (cells == cells.round(0))).all():
            made += [cells.cast(pl.Int64).alias(name)] if cells.abs().max() < 2**53 else []
    return table.with_columns(made)
