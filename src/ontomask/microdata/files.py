"""Tables in files: CSV, TSV and Parquet; with the extra ``files`` also Excel, SPSS, Stata and SAS.

All columns of delimited files are read as text. A code such as ``038`` or ``250.10`` is lost once it has been a number,
while text of digits can become a number at any time. The other formats declare the types of their columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask.base.atomic import write_atomic
from ontomask.base.limits import UnpackedTooLargeError, irregular
from ontomask.base.progress import progress
from ontomask.base.text import join_some
from ontomask.errors import Setting, TableError, is_foreign
from ontomask.microdata import frames
from ontomask.microdata.binary_files import STATISTICS, binary_metadata, binary_writer, read_binary
from ontomask.microdata.decimals import THOUSANDS, Thousands
from ontomask.microdata.delimited import (
    EXPORT_AGAIN,
    TextOptions,
    find_delimiter,
    is_delimiter,
    read_delimited,
)
from ontomask.microdata.delimited_output import delimited_writer
from ontomask.microdata.formulas import FORMULAS, Formulas, unescape_formulas

__all__ = [
    "READ_ONLY",
    "WITH_HEADER",
    "delimiter_of",
    "extension_of",
    "file_metadata",
    "is_delimited",
    "read_table",
    "save_table",
    "write_table",
]

_DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_NAMES = {".parquet": "Parquet", ".xlsx": "an Excel file"} | {s: f"a {name} file" for s, name in STATISTICS.items()}
_SUPPORTED = (*_DELIMITED, ".parquet", ".xlsx", *STATISTICS)
READ_ONLY = (".sas7bdat", ".xpt")
WITH_HEADER = (*_DELIMITED, ".xlsx")
"""Formats in which the names of the columns are a row, which may be absent."""
_FOLDER = "This is a folder, not a file. Name a file in it."
_TEXT_ONLY = "is for .csv and .tsv files only. Leave it out."


@progress("Reading the table")
def read_table(
    path: str | PathLike[str],
    *,
    as_: frames.Kind | None = None,
    text: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
    decimal: str = ".",
    thousands: Thousands | None = None,
    numbers: Collection[str] | None = None,
    sheet: str | None = None,
    formulas: Formulas = "as_is",
) -> Any:
    """Read a table from a file. The extension of its name decides the format.

    Parameters
    ----------
    path
        A ``.csv`` or ``.tsv`` file (also ``.gz``), ``.parquet``, ``.xlsx``, ``.sav``, ``.dta``, ``.sas7bdat`` or
        ``.xpt``. A column of Excel, SPSS or SAS numbers that are all integers is read as integers, since these formats
        know floats only. An SPSS or Stata column whose values all have labels is read as the labels.
    as_
        The kind of table to return: ``"polars"`` (the default), ``"pandas"`` or ``"pyarrow"``.
    text
        Columns to read as text. By default these are all columns of a delimited file, and the text columns of any
        other file. If columns are named, the types of the other columns of a delimited file are inferred.
    delimiter, encoding
        Of a delimited file. The delimiter is detected unless it is given. An empty cell is missing. In delimited and
        Excel files, blanks around cells and column names are removed.
    header
        Of a delimited or Excel file: whether the first row holds the column names. Otherwise they are ``column_1``,
        ``column_2`` and so on.
    decimal
        Of a delimited file: the decimal mark, ``"."`` or ``","``. With a comma, columns of such numbers are read with
        points instead (27,9 as 27.9). Columns that also have other cells with digits are left as they are.
    thousands
        Of a delimited file: the mark between thousands, ``","``, ``"."``, ``" "`` or ``"'"``. Columns of such numbers
        are read without it (1,234.5 as 1234.5).
    numbers
        Columns that may hold numbers with these marks; by default all. (250,401 may be a list of codes.)
    sheet
        Of an Excel file; the first by default.
    formulas
        Of a delimited file: ``"escape"`` if it was written with ``formulas="escape"``, to get the original cells.
    """
    path = Path(path)
    suffix = extension_of(path)
    if as_ is not None:
        frames.check_installed(as_)
    if isinstance(text, str):
        message = f"'text' must be a list of column names. Got the text {text!r}: write [{text!r}]."
        raise TableError(message, parameter="text")
    _check_options(path, suffix, delimiter, decimal, formulas, sheet)
    _check_reading(path, suffix, header, decimal, thousands)
    reason = irregular(path)
    if reason is not None:
        raise TableError(f"It {reason}.", path=path, code="not-a-file")
    if not path.is_file():
        if path.is_dir():
            raise TableError(_FOLDER, path=path, code="is-a-folder")
        raise TableError("There is no such file. Check its name.", path=path, code="no-file")
    with _reading(path, suffix):
        if suffix in _DELIMITED:
            delimiter = delimiter or ("\t" if ".tsv" in suffix else None)
            options = TextOptions(delimiter, encoding, header, decimal, thousands, numbers)
            frame = read_delimited(path, text, options)
            frame = unescape_formulas(frame) if formulas == "escape" else frame
        else:
            frame = read_binary(path, suffix, as_=as_, sheet=sheet, header=header)
        for name in text or ():
            frame = frames.as_text(frame, name)
        return frames.convert(frame, as_ or "polars")


@contextmanager
def _reading(path: Path, suffix: str) -> Iterator[None]:
    """Convert errors of other libraries into ours, without their messages, which may quote cells."""
    try:
        yield
    except UnpackedTooLargeError as problem:
        raise TableError(f"{problem}.", path=path, code="too-large") from None
    except BaseException as problem:
        if not is_foreign(problem):
            raise
        format_name = _NAMES.get(suffix, "delimited text")
        raise TableError(
            f"It cannot be read as {format_name} ({type(problem).__name__}): it is damaged or has another format. "
            f"{EXPORT_AGAIN}",
            path=path,
            code="damaged",
        ) from None


def write_table(
    frame: Any,
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    numbers: Collection[str] = (),
    formulas: Formulas = "as_is",
    overwrite: bool = False,
) -> None:
    """Write a table atomically. The extension of the name decides the format.

    Only the columns are written: no index, no attributes, no metadata. Call ``reset_index()`` first to keep the labels
    of an index.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table.
    path
        The file: ``.csv``, ``.tsv`` (also ``.gz``), ``.parquet``, ``.xlsx``, ``.sav`` or ``.dta``.
    delimiter
        Of a ``.csv`` file; a comma by default. (In ``.tsv`` files it is the tab.)
    encoding
        Of a ``.csv`` or ``.tsv`` file. Excel recognises ``"utf-8-sig"``. A character that the encoding does not have is
        an error.
    decimal
        Of a ``.csv`` or ``.tsv`` file: the decimal mark, ``"."`` or ``","``.
    numbers
        Text columns that hold numbers and also get the decimal mark. (A text such as 250.1 may be a code.)
    formulas
        Of a ``.csv`` or ``.tsv`` file: ``"escape"`` puts an apostrophe before cells and column names that a
        spreadsheet would run as formulas. (Excel files hold text as text.)
    overwrite
        Replace the file if it exists; otherwise that is an error.
    """
    save_table(frame, Path(path), delimiter, encoding, decimal, numbers, formulas, overwrite=overwrite)


@progress("Writing the table")
def save_table(
    frame: Any,
    path: Path,
    delimiter: str | None,
    encoding: str,
    decimal: str,
    numbers: Collection[str],
    formulas: Formulas,
    *,
    overwrite: bool,
) -> int:
    """Write a table as `write_table` does. Returns how many cells and column names were escaped."""
    suffix = extension_of(path)
    _check_options(path, suffix, delimiter, decimal, formulas)
    if encoding != "utf-8" and suffix not in _DELIMITED:
        raise TableError(f"The option 'encoding' {_TEXT_ONLY}", path=path, parameter="encoding")
    if delimiter is not None and not suffix.startswith(".csv"):
        text = "The delimiter of a .tsv file is the tab. Leave it out."
        raise TableError(text, path=path, parameter="delimiter")
    frames.columns(frame)
    if suffix in READ_ONLY:
        writable = ", ".join(suffix for suffix in _SUPPORTED if suffix not in READ_ONLY)
        raise TableError(f"SAS files can only be read. Write one of {writable}.", path=path, code="read-only")
    if path.is_dir():
        raise TableError(_FOLDER, path=path, code="is-a-folder")
    if path.exists() and not overwrite:
        text = "The file exists already. Give another name, or allow replacing it: "
        raise TableError(text, Setting("output", "overwrite", values=[True]), ".", path=path, parameter="overwrite")
    if not path.parent.is_dir():
        raise TableError(f"The folder {str(path.parent)!r} does not exist. Make it first.", path=path, code="no-folder")
    if suffix in _DELIMITED:
        mark = delimiter or ("\t" if ".tsv" in suffix else ",")
        write, escaped = delimited_writer(frame, path, suffix, mark, encoding, decimal, numbers, formulas)
    else:
        write, escaped = binary_writer(frame, path, suffix), 0
    try:
        write_atomic(path, write)
    except OSError as problem:
        text = f"It cannot be written: {problem.strerror or problem}. Check the free space and your permissions."
        raise TableError(text, path=path, code="not-written") from None
    except BaseException as problem:
        if not is_foreign(problem):
            raise
        # Messages of the libraries may quote cells: name the kind of problem only.
        text = f"The table cannot be written in this format ({type(problem).__name__}). {_advice(suffix)}"
        raise TableError(text, path=path, code="not-written") from None
    return escaped


def delimiter_of(path: Path) -> str | None:
    """The delimiter that a file is read with by default; ``None`` for other formats."""
    suffix = extension_of(path)
    if suffix not in _DELIMITED:
        return None
    return "\t" if ".tsv" in suffix else find_delimiter(path)


def file_metadata(path: Path) -> tuple[str, ...]:
    """Kinds of metadata that a file has besides its columns. `read_table` drops them."""
    return binary_metadata(path, extension_of(path))


def is_delimited(path: Path) -> bool:
    """Whether the extension of a file is that of delimited text."""
    return path.name.lower().endswith(_DELIMITED)


def _check_options(
    path: Path, suffix: str, delimiter: str | None, decimal: str, formulas: str, sheet: str | None = None
) -> None:
    is_text = suffix in _DELIMITED
    for option, is_wrong, reason in (
        ("decimal", decimal not in (".", ","), f"must be '.' or ','. Got {decimal!r} instead."),
        ("decimal", decimal != "." and not is_text, _TEXT_ONLY),
        ("formulas", formulas not in FORMULAS, f"must be one of {', '.join(FORMULAS)}. Got {formulas!r} instead."),
        ("formulas", formulas == "escape" and not is_text, _TEXT_ONLY),
        ("delimiter", delimiter is not None and not is_text, _TEXT_ONLY),
        (
            "delimiter",
            delimiter is not None and not is_delimiter(delimiter),
            f"must be one ASCII character, such as ',' or ';'. Got {delimiter!r} instead.",
        ),
        ("sheet", sheet is not None and suffix != ".xlsx", "is for .xlsx files only. Leave it out."),
    ):
        if is_wrong:
            raise TableError(f"The option {option!r} {reason}", path=path, parameter=option)


def _check_reading(path: Path, suffix: str, header: object, decimal: str, thousands: str | None) -> None:
    is_text = suffix in _DELIMITED
    for option, is_wrong, reason in (
        ("header", not isinstance(header, bool), f"must be true or false. Got {header!r} instead."),
        ("header", header is False and suffix not in WITH_HEADER, "is for .csv, .tsv and .xlsx files only."),
        (
            "thousands",
            thousands is not None and thousands not in THOUSANDS,
            f"must be one of {join_some(THOUSANDS)}. Got {thousands!r} instead.",
        ),
        ("thousands", thousands is not None and not is_text, _TEXT_ONLY),
        ("thousands", thousands == decimal, f"is {thousands!r}, and so is 'decimal'. Choose two different marks."),
    ):
        if is_wrong:
            raise TableError(f"The option {option!r} {reason}", path=path, parameter=option)


def extension_of(path: Path) -> str:
    """The extension that decides the format of a file, such as ``.csv.gz``."""
    name = path.name.lower()
    suffix = next((suffix for suffix in _SUPPORTED if name.endswith(suffix)), None)
    if suffix is None:
        supported = ", ".join(_SUPPORTED)
        raise TableError(
            f"The format was not recognised. The name must end in one of {supported}.", path=path, code="unknown-format"
        )
    return suffix


def _advice(suffix: str) -> str:
    if suffix in STATISTICS:
        return "Use short column names of letters, digits and underscores, and one type per column."
    return "Each column must have one type, without lists or other compound cells."
