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
from ontomask.errors import TableError, is_foreign
from ontomask.microdata import frames
from ontomask.microdata.binary_files import STATISTICS, binary_metadata, binary_writer, read_binary
from ontomask.microdata.delimited import EXPORT_AGAIN, delimited_writer, is_delimiter, read_delimited
from ontomask.microdata.formulas import FORMULAS, Formulas, unescape_formulas
from ontomask.taxonomy.readers.source import sniff_delimiter

__all__ = [
    "READ_ONLY",
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
_FOLDER = "This is a folder, not a file. Name a file in it."


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
        Of a delimited file. The delimiter is detected unless it is given. An empty cell is missing.
    decimal
        Of a delimited file: the decimal mark, ``"."`` or ``","``. With a comma, columns of such numbers are read with
        points instead (27,9 as 27.9). Columns that also have other cells with digits are left as they are.
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
    reason = irregular(path)
    if reason is not None:
        raise TableError(f"It {reason}.", path=path)
    if not path.is_file():
        raise TableError(_FOLDER if path.is_dir() else "There is no such file. Check its name.", path=path)
    with _reading(path, suffix):
        if suffix in _DELIMITED:
            frame = read_delimited(path, text, delimiter or ("\t" if ".tsv" in suffix else None), encoding, decimal)
            frame = unescape_formulas(frame) if formulas == "escape" else frame
        else:
            frame = read_binary(path, suffix, as_=as_, sheet=sheet)
        for name in text or ():
            frame = frames.as_text(frame, name)
        return frames.convert(frame, as_ or "polars")


@contextmanager
def _reading(path: Path, suffix: str) -> Iterator[None]:
    """Convert errors of other libraries into ours, without their messages, which may quote cells."""
    try:
        yield
    except UnpackedTooLargeError as problem:
        raise TableError(f"{problem}.", path=path) from None
    except BaseException as problem:
        if not is_foreign(problem):
            raise
        format_name = _NAMES.get(suffix, "delimited text")
        raise TableError(
            f"It cannot be read as {format_name} ({type(problem).__name__}): it is damaged or has another format. "
            f"{EXPORT_AGAIN}",
            path=path,
        ) from None


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
    save_table(frame, Path(path), delimiter, decimal, numbers, formulas, overwrite=overwrite)


def save_table(
    frame: Any,
    path: Path,
    delimiter: str | None,
    decimal: str,
    numbers: Collection[str],
    formulas: Formulas,
    *,
    overwrite: bool,
) -> int:
    """Write a table as `write_table` does. Returns how many cells and column names were escaped."""
    suffix = extension_of(path)
    _check_options(path, suffix, delimiter, decimal, formulas)
    if delimiter is not None and not suffix.startswith(".csv"):
        text = "The delimiter of a .tsv file is the tab. Leave it out."
        raise TableError(text, path=path, parameter="delimiter")
    frames.columns(frame)
    if suffix in READ_ONLY:
        writable = ", ".join(suffix for suffix in _SUPPORTED if suffix not in READ_ONLY)
        raise TableError(f"SAS files can only be read. Write one of {writable}.", path=path)
    if path.is_dir():
        raise TableError(_FOLDER, path=path)
    if path.exists() and not overwrite:
        text = "The file exists already. Give another name, or overwrite=True to replace it."
        raise TableError(text, path=path, parameter="overwrite")
    if not path.parent.is_dir():
        raise TableError(f"The folder {str(path.parent)!r} does not exist. Make it first.", path=path)
    if suffix in _DELIMITED:
        mark = delimiter or ("\t" if ".tsv" in suffix else ",")
        write, escaped = delimited_writer(frame, suffix, mark, decimal, numbers, formulas)
    else:
        write, escaped = binary_writer(frame, path, suffix), 0
    try:
        write_atomic(path, write)
    except OSError as problem:
        text = f"It cannot be written: {problem.strerror or problem}. Check the free space and your permissions."
        raise TableError(text, path=path) from None
    except BaseException as problem:
        if not is_foreign(problem):
            raise
        # Messages of the libraries may quote cells: name the kind of problem only.
        text = f"The table cannot be written in this format ({type(problem).__name__}). {_advice(suffix)}"
        raise TableError(text, path=path) from None
    return escaped


def delimiter_of(path: Path) -> str | None:
    """The delimiter that a file is read with by default; ``None`` for other formats."""
    suffix = extension_of(path)
    if suffix not in _DELIMITED:
        return None
    return "\t" if ".tsv" in suffix else sniff_delimiter(path) or ","


def file_metadata(path: Path) -> tuple[str, ...]:
    """Kinds of metadata that a file has besides its columns. `read_table` drops them."""
    return binary_metadata(path, extension_of(path))


def is_delimited(path: Path) -> bool:
    """Whether the extension of a file is that of delimited text."""
    return path.name.lower().endswith(_DELIMITED)


def _check_options(
    path: Path, suffix: str, delimiter: str | None, decimal: str, formulas: str, sheet: str | None = None
) -> None:
    text_only, is_text = "is for .csv and .tsv files only. Leave it out.", suffix in _DELIMITED
    for option, is_wrong, reason in (
        ("decimal", decimal not in (".", ","), f"must be '.' or ','. Got {decimal!r} instead."),
        ("decimal", decimal != "." and not is_text, text_only),
        ("formulas", formulas not in FORMULAS, f"must be one of {', '.join(FORMULAS)}. Got {formulas!r} instead."),
        ("formulas", formulas == "escape" and not is_text, text_only),
        ("delimiter", delimiter is not None and not is_text, text_only),
        (
            "delimiter",
            delimiter is not None and not is_delimiter(delimiter),
            f"must be one ASCII character, such as ',' or ';'. Got {delimiter!r} instead.",
        ),
        ("sheet", sheet is not None and suffix != ".xlsx", "is for .xlsx files only. Leave it out."),
    ):
        if is_wrong:
            raise TableError(f"The option {option!r} {reason}", path=path, parameter=option)


def extension_of(path: Path) -> str:
    """The extension that decides the format of a file, such as ``.csv.gz``."""
    name = path.name.lower()
    suffix = next((suffix for suffix in _SUPPORTED if name.endswith(suffix)), None)
    if suffix is None:
        supported = ", ".join(_SUPPORTED)
        raise TableError(f"The format was not recognised. The name must end in one of {supported}.", path=path)
    return suffix


def _advice(suffix: str) -> str:
    if suffix in STATISTICS:
        return "Use short column names of letters, digits and underscores, and one type per column."
    return "Each column must have one type, without lists or other compound cells."
