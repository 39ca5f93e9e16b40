"""Delimited text. polars reads it; if a file is damaged, Python's own reader finds the line."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from ontomask.base.limits import UnpackedTooLargeError, is_unpacked
from ontomask.errors import ReadError, Setting, TableError
from ontomask.microdata import frames
from ontomask.microdata.backends import polars_column
from ontomask.microdata.decimals import comma_columns, with_commas, with_points
from ontomask.microdata.formulas import Formulas, escape_formulas
from ontomask.taxonomy.readers.source import open_binary, sniff_delimiter

__all__ = ["EXPORT_AGAIN", "check_unique_names", "delimited_writer", "is_delimiter", "read_delimited"]

EXPORT_AGAIN = "Export it again, or give it the extension of its own format."


def is_delimiter(text: str) -> bool:
    """Whether a text can be a delimiter: polars needs one byte that is neither a quote nor a line end."""
    return len(text) == 1 and text.isascii() and text not in '"\r\n\0'


def check_unique_names(path: Path, header: Sequence[str], line: int) -> None:
    """Reject duplicate column names. The message gives positions: without a header, names are cells of a record."""
    count = Counter(header)
    same = [str(position) for position, name in enumerate(header, start=1) if count[name] > 1]
    if same:
        raise TableError(
            f"These columns have the same name as another: {', '.join(same[:12])}. Rename them. If the first row is a "
            f"record, put a row of column names above it.",
            path=path,
            line=line,
        )


def read_delimited(path: Path, text: Sequence[str] | None, delimiter: str | None, encoding: str, decimal: str) -> Any:
    """The table of a file. All columns are text, or those that ``text`` names; the types of the others are inferred."""
    try:
        encoding = codecs.lookup(encoding).name
    except LookupError:
        message = f"There is no encoding {encoding!r}. Try 'utf-8' or 'latin-1'."
        raise TableError(message, path=path, parameter="encoding") from None
    frame = _Delimited(path, delimiter or sniff_delimiter(path) or ",", encoding).frame(text)
    if decimal == ".":
        return frame
    columns = comma_columns(frame)
    frame = with_points(frame, columns)
    return frame if text is None else _as_numbers(frame, set(columns) - set(text))


def _as_numbers(frame: Any, columns: Collection[str]) -> Any:
    """Convert text columns to numbers. A column that also has other tokens stays text."""
    import polars as pl

    for name in columns:
        texts = polars_column(frame, name)
        numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count() == texts.null_count():
            frame = frame.with_columns(numbers.alias(name))
    return frame


class _Delimited:
    """A delimited file."""

    def __init__(self, path: Path, delimiter: str, encoding: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self.encoding = "utf-8-sig" if encoding == "utf-8" else encoding
        first = next(((line, cells) for line, cells in self.records() if cells), None)
        if first is None:
            raise TableError("The file is empty, even without column names. Export the table again.", path=path)
        self.header_line, self.header = first
        check_unique_names(path, self.header, self.header_line)

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
        """The path, or the content as UTF-8 if the file is compressed or has another encoding."""
        with self._open() as file:
            if self.encoding == "utf-8-sig" and not is_unpacked(file):
                return self.path
            raw = self._read(file)
        return raw if self.encoding == "utf-8-sig" else self._decode(raw).encode()

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """The first line and the cells of every row; a blank line has no cells."""
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
                text = f"This is not well-formed delimited text: {problem}. Check the quotes."
                raise TableError(text, path=self.path, line=line) from None
            except (OSError, EOFError, zlib.error) as problem:
                raise self._damaged(problem, line) from None

    def _open(self) -> IO[bytes]:
        try:
            return open_binary(self.path)
        except ReadError as problem:
            raise TableError(problem.reason, path=problem.path, line=problem.line) from None

    def _damaged(self, problem: Exception, line: int | None = None) -> TableError:
        if isinstance(problem, UnpackedTooLargeError):
            return TableError(f"{problem}.", path=self.path)
        text = f"The file is truncated or damaged: {problem}. {EXPORT_AGAIN}"
        return TableError(text, path=self.path, line=line)

    def _read(self, file: IO[bytes]) -> bytes:
        try:
            return file.read()
        except (OSError, EOFError, zlib.error) as problem:
            raise self._damaged(problem) from None

    def _decode(self, raw: bytes) -> str:
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as problem:
            name = "utf-8" if self.encoding == "utf-8-sig" else self.encoding
            likely = ["utf-8"] if name == "iso8859-1" else ["latin-1", "cp1252"]
            raise TableError(
                f"This is not {name} text: byte {raw[problem.start]:#04x} cannot be decoded. Give the encoding that "
                f"the file was saved in, for example ",
                Setting("input", "encoding", values=likely),
                ".",
                path=self.path,
                line=raw[: problem.start].count(b"\n") + 1,
                parameter="encoding",
            ) from None

    def _check(self, cells: Sequence[str], line: int) -> None:
        if len(cells) != len(self.header):
            raise TableError(
                f"The row has {len(cells):,} cells, and the header has {len(self.header):,}. Check its quotes and its "
                f"delimiters. The delimiter is {self.delimiter!r}; to use another, set ",
                Setting("input", "delimiter"),
                ".",
                path=self.path,
                line=line,
            ) from None

    def _blank_rows(self, rows: int) -> list[int]:
        """The rows that come from blank lines. A row that is too short is an error."""
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
        """The lines of a file without quotes, where a row is a line; ``None`` for a file with quotes."""
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
        """Read a file that polars rejects, such as one with quotes inside cells. Real damage raises an error."""
        import polars as pl

        found: list[list[str | None]] = [[] for _ in self.header]
        for line, cells in self._body():
            if cells or len(self.header) == 1:
                cells = cells or [""]
                self._check(cells, line)
                for values, cell in zip(found, cells, strict=True):
                    values.append(cell or None)
        return pl.DataFrame(dict(zip(self.header, found, strict=True)), schema=dict.fromkeys(self.header, pl.String))


def delimited_writer(
    frame: Any, suffix: str, delimiter: str, decimal: str, numbers: Collection[str], formulas: Formulas
) -> tuple[Callable[[IO[bytes]], None], int]:
    """A function that writes a table as delimited text, and the number of cells that it escapes."""
    comma = decimal == ","
    table = frames.convert(frame, "polars")
    table = with_commas(table, numbers) if comma else table
    table, escaped = escape_formulas(table) if formulas == "escape" else (table, 0)

    def write(file: IO[bytes]) -> None:
        if not suffix.endswith(".gz"):
            table.write_csv(file, separator=delimiter, decimal_comma=comma)
            return
        # Without a name and a time, equal tables give equal files.
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
            table.write_csv(cast("IO[bytes]", packed), separator=delimiter, decimal_comma=comma)

    return write, escaped
