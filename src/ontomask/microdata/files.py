"""Tables in files: CSV, TSV and Parquet; with the extra ``files`` also Excel, SPSS, Stata and SAS.

Delimited files are read as text, every column: a code such as ``038`` or ``250.10`` is lost once it has been a number,
while a text of digits can become a number at any time. The other formats say themselves what their columns hold.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import IO, Any, NoReturn, cast

import numpy as np

from ontomask.errors import MissingExtraError, OntomaskError, ReadError, TableError
from ontomask.microdata import frames
from ontomask.microdata.decimals import comma_columns, with_commas, with_points
from ontomask.taxonomy.readers.source import open_binary, sniff_delimiter
from ontomask.taxonomy.validate import some
from ontomask.whole import write_whole

__all__ = ["delimiter_of", "read_table", "write_table"]

_DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_STATISTICS = {".sav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS transport"}
_KNOWN = (*_DELIMITED, ".parquet", ".xlsx", *_STATISTICS)
_READ_ONLY = (".sas7bdat", ".xpt")
_MOST_EXCEL_ROWS = 1_048_575
_FOLDER = "this is a folder, not a file. Name a file in it."
_AGAIN = "Export it again, or give it the ending of its own format."


def read_table(
    path: str | PathLike[str],
    *,
    as_: frames.Kind | None = None,
    text: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    sheet: str | None = None,
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
    """
    path = Path(path)
    suffix = _suffix(path)
    _check_decimal(path, suffix, decimal)
    if as_ is not None:
        frames.check_installed(as_)
    if text is not None and isinstance(text, str):
        raise TableError(f"'text' must be a list of column names. Got the text {text!r}: write [{text!r}].")
    if delimiter is not None and suffix not in _DELIMITED:
        _fail(path, "a delimiter was given, and only .csv and .tsv files have one. Leave it out.")
    if sheet is not None and suffix != ".xlsx":
        _fail(path, "a sheet was given, and only .xlsx files have sheets. Leave it out.")
    if not path.is_file():
        _fail(path, _FOLDER if path.is_dir() else "there is no such file. Check its name.")
    if suffix in _DELIMITED:
        frame = _read_delimited(path, text, delimiter or ("\t" if ".tsv" in suffix else None), encoding, decimal)
    elif suffix == ".parquet":
        frame = _read_parquet(path, as_)
    elif suffix == ".xlsx":
        frame = _read_excel(path, sheet)
    else:
        frame = _read_statistics(path, suffix)
    for name in text or ():
        frame = frames.as_text(frame, name)
    return frames.convert(frame, as_ or "polars")


def write_table(
    frame: Any,
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    numbers: Collection[str] = (),
    overwrite: bool = False,
) -> None:
    """Write a table whole or not at all; the end of the name tells the format.

    An index is written by Parquet only, as pandas does it: call ``reset_index()`` first where the labels matter.

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
    overwrite
        Replace the file if there is one; otherwise that is an error.
    """
    path = Path(path)
    suffix = _suffix(path)
    _check_decimal(path, suffix, decimal)
    if delimiter is not None and not suffix.startswith(".csv"):
        _fail(path, "a delimiter was given, and only .csv files have one to choose. Leave it out.")
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        _fail(path, f"the delimiter must be one plain character. Got {delimiter!r} instead.")
    frames.columns(frame)
    if suffix in _READ_ONLY:
        _fail(path, f"SAS files can only be read. Write one of {_listed(writable=True)}.")
    if path.is_dir():
        _fail(path, _FOLDER)
    if path.exists() and not overwrite:
        _fail(path, "the file exists already. Give another name, or overwrite=True to replace it.")
    if not path.parent.is_dir():
        _fail(path, f"the folder {str(path.parent)!r} does not exist. Make it first.")
    if suffix in _DELIMITED:
        write = _delimited_writer(frame, suffix, delimiter or ("\t" if ".tsv" in suffix else ","), decimal, numbers)
    elif suffix == ".parquet":
        write = _parquet_writer(frame)
    elif suffix == ".xlsx":
        write = _excel_writer(frame, path)
    else:
        write = _statistics_writer(frame, suffix)
    try:
        write_whole(path, write)
    except OntomaskError:
        raise
    except OSError as problem:
        _fail(path, f"cannot be written: {problem.strerror or problem}. Check that there is room, and that you may.")
    except Exception as problem:
        # What the libraries say may quote cells: name the kind of problem only.
        _fail(path, f"the table cannot be written in this format ({type(problem).__name__}). {_advice(suffix)}")


def delimiter_of(path: Path) -> str | None:
    """The delimiter that a file is read with unless another is given; none of a file of another kind."""
    suffix = _suffix(path)
    if suffix not in _DELIMITED:
        return None
    return "\t" if ".tsv" in suffix else sniff_delimiter(path) or ","


def _check_decimal(path: Path, suffix: str, decimal: str) -> None:
    if decimal not in (".", ","):
        _fail(path, f"the decimal mark must be '.' or ','. Got {decimal!r} instead.")
    if decimal != "." and suffix not in _DELIMITED:
        _fail(path, "a decimal mark was given, and only .csv and .tsv files have one. Leave it out.")


def _fail(path: Path, message: str, line: int | None = None) -> NoReturn:
    raise TableError(f"{path}, line {line}: {message}" if line else f"{path}: {message}") from None


def _listed(*, writable: bool = False) -> str:
    return ", ".join(suffix for suffix in _KNOWN if not writable or suffix not in _READ_ONLY)


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for suffix in _KNOWN:
        if name.endswith(suffix):
            return suffix
    _fail(path, f"the end of the name tells no format that is known. Those known are {_listed()}.")


def _refuse_same_names(path: Path, header: Sequence[str], line: int) -> None:
    """Refuse a name that two columns have. By their places: in a file without a header, names are cells of a record."""
    often = Counter(header)
    same = [str(place) for place, name in enumerate(header, start=1) if often[name] > 1]
    if same:
        _fail(
            path,
            f"some columns have the same name: the columns {', '.join(same[:12])}. Rename them; where the first row is "
            f"a record, put a row of column names above it.",
            line,
        )


def _advice(suffix: str) -> str:
    if suffix in _STATISTICS:
        return "Column names must be short and of letters, digits and underscores, and each column of one type."
    return "Each column must be of one type, without lists or other compound cells."


# Delimited text


def _read_delimited(path: Path, text: Sequence[str] | None, delimiter: str | None, encoding: str, decimal: str) -> Any:
    try:
        encoding = codecs.lookup(encoding).name
    except LookupError:
        _fail(path, f"cannot be read as {encoding!r}: there is no such encoding. Try 'utf-8' or 'latin-1'.")
    if delimiter is not None and len(delimiter) != 1:
        _fail(path, f"the delimiter must be one character. Got {delimiter!r} instead.")
    frame = _Delimited(path, delimiter or sniff_delimiter(path) or ",", encoding).frame(text)
    if decimal == ".":
        return frame
    columns = comma_columns(frame)
    return _as_numbers(with_points(frame, columns), columns, text)


def _as_numbers(frame: Any, columns: Sequence[str], text: Sequence[str] | None) -> Any:
    """Where types are inferred, those of numbers with commas as well; tokens among them leave a column text."""
    import polars as pl

    if text is None:
        return frame
    for name in set(columns) - set(text):
        numbers = frame[name].str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count() == frame[name].null_count():
            frame = frame.with_columns(numbers.alias(name))
    return frame


class _Delimited:
    """A delimited file: polars reads it, and Python's own reader says what is wrong with it and where."""

    def __init__(self, path: Path, delimiter: str, encoding: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self.encoding = "utf-8-sig" if encoding == "utf-8" else encoding
        first = next(((line, cells) for line, cells in self.records() if cells), None)
        if first is None:
            _fail(path, "the file is empty: it has not even a row of column names. Export the table again.")
        self.header_line, self.header = first
        _refuse_same_names(path, self.header, self.header_line)

    def frame(self, text: Sequence[str] | None) -> Any:
        """The table, checked to have the same number of cells in every row."""
        import polars as pl

        types: dict[str, Any] = (
            {"schema": dict.fromkeys(self.header, pl.String)}
            if text is None
            else {"schema_overrides": dict.fromkeys(text, pl.String), "infer_schema_length": None}
        )
        try:
            frame = pl.read_csv(
                self.source(), separator=self.delimiter, skip_lines=self.header_line - 1, glob=False, **types
            )
        except pl.exceptions.PolarsError:
            return self._frame_by_rows()
        if len(self.header) > 1 and frame[:, -1].null_count():
            # polars fills a row that is too short, or blank, with missing cells.
            blank = self._blank_rows(len(frame))
            if blank:
                frame = frame[np.setdiff1d(np.arange(len(frame)), blank)]
        return frame

    def source(self) -> Path | bytes:
        """The file, or its text as UTF-8 where it is compressed or encoded in another way."""
        with self._open() as file:
            if self.encoding == "utf-8-sig" and not isinstance(file, gzip.GzipFile):
                return self.path
            raw = self._read(file)
        return raw if self.encoding == "utf-8-sig" else self._decode(raw).encode()

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """First line and cells of every row; a blank line has none."""
        with self._open() as file:
            rows = csv.reader(
                io.TextIOWrapper(file, encoding=self.encoding, newline=""), delimiter=self.delimiter, strict=True
            )
            line = 1
            try:
                for cells in rows:
                    yield line, cells
                    line = rows.line_num + 1
            except UnicodeDecodeError:
                with self._open() as again:
                    self._decode(self._read(again))
                raise
            except csv.Error as problem:
                _fail(self.path, f"this is not well-formed delimited text: {problem}. Check the quotes.", line)
            except (OSError, EOFError, zlib.error) as problem:
                _fail(self.path, f"the file breaks off or is damaged: {problem}. {_AGAIN}", line)

    def _open(self) -> IO[bytes]:
        try:
            return open_binary(self.path)
        except ReadError as problem:
            raise TableError(str(problem)) from None

    def _read(self, file: IO[bytes]) -> bytes:
        try:
            return file.read()
        except (OSError, EOFError, zlib.error) as problem:
            _fail(self.path, f"the file breaks off or is damaged: {problem}. {_AGAIN}")

    def _decode(self, raw: bytes) -> str:
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as problem:
            name = "utf-8" if self.encoding == "utf-8-sig" else self.encoding
            other = "'utf-8'" if name == "iso8859-1" else "'latin-1' (Western Europe) or 'cp1252' (Windows)"
            _fail(
                self.path,
                f"this is not {name} text: byte {raw[problem.start]:#04x} cannot be decoded. Give the encoding that "
                f"the file was saved in, for example encoding={other}.",
                raw[: problem.start].count(b"\n") + 1,
            )

    def _check(self, cells: Sequence[str], line: int) -> None:
        if len(cells) != len(self.header):
            _fail(
                self.path,
                f"the row has {len(cells):,} cells, and the header has {len(self.header):,}. Check its delimiters and "
                f"quotes (the delimiter is {self.delimiter!r}; another can be given with delimiter=).",
                line,
            )

    def _blank_rows(self, rows: int) -> list[int]:
        """Which rows come from blank lines; a row that is too short is an error."""
        lines = self._plain_lines()
        if lines is not None and len(lines) == self.header_line + rows:
            found = lines.str.count_matches(self.delimiter, literal=True)[self.header_line :]
            if ((found == len(self.header) - 1) | found.is_null()).all():
                return cast("list[int]", found.is_null().arg_true().to_list())
        blank = []
        for row, (line, cells) in enumerate(self._body()):
            if cells:
                self._check(cells, line)
            else:
                blank.append(row)
        return blank

    def _plain_lines(self) -> Any:
        """The lines of a file without quotes, where a row is a line; none of a file with them."""
        import polars as pl

        try:
            lines = pl.read_csv(
                self.source(), has_header=False, separator="\x1f", quote_char=None, schema={"": pl.String}, glob=False
            )[""]
        except pl.exceptions.PolarsError:
            return None
        return None if lines.str.contains('"', literal=True).any() else lines

    def _body(self) -> Iterator[tuple[int, list[str]]]:
        return ((line, cells) for line, cells in self.records() if line > self.header_line)

    def _frame_by_rows(self) -> Any:
        """Read row by row what polars refuses, a quote inside a cell above all; real damage is an error here."""
        import polars as pl

        found: list[list[str | None]] = [[] for _ in self.header]
        for line, cells in self._body():
            if cells or len(self.header) == 1:
                cells = cells or [""]
                self._check(cells, line)
                for values, cell in zip(found, cells, strict=True):
                    values.append(cell or None)
        return pl.DataFrame(dict(zip(self.header, found, strict=True)), schema=dict.fromkeys(self.header, pl.String))


def _delimited_writer(
    frame: Any, suffix: str, delimiter: str, decimal: str, numbers: Collection[str]
) -> Callable[[IO[bytes]], None]:
    comma = decimal == ","
    table = frames.convert(frame, "polars")
    if comma:
        table = with_commas(table, numbers)

    def write(file: IO[bytes]) -> None:
        if not suffix.endswith(".gz"):
            table.write_csv(file, separator=delimiter, decimal_comma=comma)
            return
        # Without a name and a time, equal tables give equal files.
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            table.write_csv(packed, separator=delimiter, decimal_comma=comma)

    return write


# Parquet


def _read_parquet(path: Path, as_: str | None) -> Any:
    try:
        if as_ in ("pandas", "pyarrow") and find_spec("pyarrow"):
            # pyarrow knows the metadata and the index that these kinds keep in the file.
            import pyarrow.parquet as pq

            with pq.ParquetFile(path) as file:
                table = file.read()
            return table.to_pandas() if as_ == "pandas" else table
        import polars as pl

        return pl.read_parquet(path, glob=False)
    except Exception as problem:
        _fail(
            path, f"cannot be read as Parquet ({type(problem).__name__}): it is damaged or of another format. {_AGAIN}"
        )


def _parquet_writer(frame: Any) -> Callable[[IO[bytes]], None]:
    if frames.kind(frame) == "polars" or not find_spec("pyarrow"):
        return cast("Callable[[IO[bytes]], None]", frames.convert(frame, "polars").write_parquet)

    def write(file: IO[bytes]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame), file)

    return write


# Excel


def _read_excel(path: Path, sheet: str | None) -> Any:
    try:
        import fastexcel
    except ImportError:
        raise MissingExtraError("Reading Excel files", "files") from None
    try:
        book = fastexcel.read_excel(path)
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            _fail(path, f"there is no sheet {sheet!r}. There are {some(names, 12)}.")
        header = book.load_sheet(sheet or 0, header_row=None, n_rows=1, dtypes="string").to_polars()
        table = book.load_sheet(sheet or 0, schema_sample_rows=None).to_polars()
    except OntomaskError:
        raise
    except Exception as problem:
        _fail(
            path,
            f"cannot be read as an Excel file ({type(problem).__name__}): it is damaged or of another format. {_AGAIN}",
        )
    if not table.columns:
        _fail(path, f"the sheet {sheet or names[0]!r} is empty. Name another in sheet=.")
    _refuse_same_names(path, header.row(0), 1)
    return _whole_numbers(table)


def _excel_writer(frame: Any, path: Path) -> Callable[[IO[bytes]], None]:
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("Writing Excel files", "files") from None
    if frames.length(frame) > _MOST_EXCEL_ROWS:
        _fail(path, f"an Excel sheet holds {_MOST_EXCEL_ROWS:,} records at most. Write .csv or .parquet.")
    table = frames.convert(frame, "polars")

    def write(file: IO[bytes]) -> None:
        with xlsxwriter.Workbook(file) as book:
            sheet = book.add_worksheet("table")
            # A text is what it says: not a formula, not a link.
            sheet.add_write_handler(str, lambda sheet, *cell: sheet.write_string(*cell))
            table.write_excel(book, sheet, autofilter=False)

    return write


# SPSS, Stata, SAS


def _read_statistics(path: Path, suffix: str) -> Any:
    name = _STATISTICS[suffix]
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(f"Reading {name} files", "files") from None
    read: dict[str, Callable[..., Any]] = {
        ".sav": pyreadstat.read_sav,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    try:
        table, about = read[suffix](str(path), output_format="polars")
    except Exception as problem:
        _fail(
            path,
            f"cannot be read as a {name} file ({type(problem).__name__}): it is damaged or of another format. {_AGAIN}",
        )
    for column, labels in about.variable_value_labels.items():
        _, cells = frames.factorise(table, column)
        if all(cell is None or cell in labels for cell in cells):
            table = frames.as_text(table, column, labels)
    return table if suffix == ".dta" else _whole_numbers(table)


def _statistics_writer(frame: Any, suffix: str) -> Callable[[IO[bytes]], None]:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(f"Writing {_STATISTICS[suffix]} files", "files") from None
    table = frames.convert(frame, "polars")

    def write(file: IO[bytes]) -> None:
        # pyreadstat writes to a path, not to an open file.
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / f"table{suffix}"
            (pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta)(table, str(whole))
            with whole.open("rb") as written:
                shutil.copyfileobj(written, file)

    return write


def _whole_numbers(table: Any) -> Any:
    """Floats that are whole throughout as integers, for formats that know floats only."""
    import polars as pl

    floats = [name for name, dtype in table.schema.items() if dtype.is_float()]
    whole = [name for name in floats if (table[name].is_null() | (table[name] == table[name].round(0))).all()]
    exact = [name for name in whole if table[name].null_count() < len(table) and table[name].abs().max() < 2**53]
    return table.with_columns(pl.col(exact).cast(pl.Int64))
