"""Delimited text. polars reads it; if a file is damaged, Python's own reader finds the line.

Blanks around cells and column names are removed. Columns at the end that have neither a name nor a cell come from
delimiters at the ends of lines, and are left out.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from ontomask.base.limits import UnpackedTooLargeError, is_unpacked
from ontomask.errors import ReadError, Setting, TableError
from ontomask.microdata.backends import polars_column
from ontomask.microdata.decimals import number_columns, with_points
from ontomask.taxonomy.readers.source import open_binary, peek, sniff_delimiter

__all__ = [
    "EXPORT_AGAIN",
    "DelimitedFile",
    "TextOptions",
    "check_unique_names",
    "codec_of",
    "column_names",
    "find_delimiter",
    "is_delimiter",
    "read_delimited",
    "strip_cells",
]

EXPORT_AGAIN = "Export it again, or give it the extension of its own format."

# Excel writes and reads such a first line.
_DECLARED = re.compile(r'"?sep=(.)"?')
_BLOCK = 1 << 24
_BEYOND_ASCII = "\x7f"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class TextOptions:
    """How a delimited file is read: see `ontomask.read_table`."""

    delimiter: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    decimal: str = "."
    thousands: str | None = None
    numbers: Collection[str] | None = None


def is_delimiter(text: str) -> bool:
    """Whether a text can be a delimiter: polars needs one byte that is neither a quote nor a line end."""
    return len(text) == 1 and text.isascii() and text not in '"\r\n\0'


def check_unique_names(path: Path, header: Sequence[str], line: int) -> None:
    """Reject duplicate column names. The message gives positions: without a header, names are cells of a record."""
    count = Counter(header)
    same = [str(position) for position, name in enumerate(header, start=1) if count[name] > 1]
    if same:
        raise TableError(
            f"These columns have the same name as another, or none: {', '.join(same[:12])}. Rename them. If the first "
            f"row is a record, set ",
            Setting("input", "header", values=[False]),
            ".",
            path=path,
            line=line,
            code="names-not-unique",
        )


def column_names(number: int) -> list[str]:
    """The names of the columns of a file without a header."""
    return [f"column_{position}" for position in range(1, number + 1)]


def codec_of(path: Path, encoding: str) -> str:
    """The name of an encoding in Python. An unknown one is an error."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        message = f"There is no encoding {encoding!r}. Try 'utf-8' or 'latin-1'."
        raise TableError(message, path=path, parameter="encoding") from None


def _declared_delimiter(path: Path) -> str | None:
    """The delimiter that the first line declares, as ``sep=;``."""
    declared = _DECLARED.fullmatch(peek(path).partition("\n")[0].rstrip("\r"))
    return declared[1] if declared and is_delimiter(declared[1]) else None


def find_delimiter(path: Path) -> str:
    """The delimiter of a file: the one that it declares, or the one that its first lines suggest."""
    return _declared_delimiter(path) or sniff_delimiter(path) or ","


def read_delimited(path: Path, text: Sequence[str] | None, options: TextOptions) -> Any:
    """The table of a file. All columns are text, or those that ``text`` names; the types of the others are inferred."""
    encoding = codec_of(path, options.encoding)
    delimiter = options.delimiter or find_delimiter(path)
    frame = DelimitedFile(path, delimiter, encoding, header=options.header).frame(text)
    marks = options.decimal, options.thousands
    columns = number_columns(frame, *marks)
    if options.numbers is not None:
        columns = [name for name in columns if name in options.numbers]
    frame = with_points(frame, columns, *marks)
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


def strip_cells(frame: Any) -> Any:
    """A polars frame without blanks around the cells of text columns. A cell of blanks is missing."""
    import polars as pl
    import polars.selectors as cs

    texts = cs.string()
    last = texts.cast(pl.Binary).bin.get(-1, null_on_oob=True)
    # All ASCII blanks sort before "!", and other blanks begin and end with bytes above ASCII.
    maybe = (texts < "!") | (texts >= _BEYOND_ASCII) | (last < ord("!")) | (last >= ord(_BEYOND_ASCII))
    found = frame.select(maybe.any())
    names = [name for name in found.columns if found[name].item()]
    stripped = cs.by_name(*names).str.strip_chars()
    return frame.with_columns(pl.when(stripped != "").then(stripped)) if names else frame


class DelimitedFile:
    """A delimited file."""

    def __init__(self, path: Path, delimiter: str, encoding: str, *, header: bool = True) -> None:
        self.path = path
        self.delimiter = delimiter
        self.encoding = "utf-8-sig" if encoding == "utf-8" else encoding
        declared = 1 if _declared_delimiter(path) else 0
        rows = ((line, cells) for line, cells in self.records() if line > declared and not _is_blank(cells))
        first = next(rows, None)
        if first is None:
            raise TableError(
                "The file is empty, even without column names. Export the table again.", path=path, code="empty"
            )
        line, self.first_row = first
        self.has_header = header
        # The last line before the records.
        self.header_line = line if header else line - 1
        names = [name.strip() for name in self.first_row] if header else column_names(len(self.first_row))
        named = max((position for position, name in enumerate(names, start=1) if name), default=0)
        check_unique_names(path, names[:named], line)
        self.header = [*names[:named], *map(_nameless, range(named, len(names)))]

    @property
    def names(self) -> list[str]:
        """The names of the columns, empty where there is none."""
        return ["" if name.startswith(_NAMELESS) else name for name in self.header]

    def frame(self, text: Sequence[str] | None) -> Any:
        """The table, checked to have the same number of cells in every row."""
        import polars as pl

        types: dict[str, Any] = {"schema": dict.fromkeys(self.header, pl.String)}
        if text is not None:
            raw = self.first_row if self.has_header else self.header
            as_text = [given for given, name in zip(raw, self.header, strict=True) if name in text]
            types = {"schema_overrides": dict.fromkeys(as_text, pl.String), "infer_schema_length": None}
            types |= {} if self.has_header else {"new_columns": self.header}
        skipped = self.header_line - 1 if self.has_header else self.header_line
        options: dict[str, Any] = {
            "separator": self.delimiter,
            "skip_lines": skipped,
            "has_header": self.has_header,
            **types,
        }
        try:
            frame = pl.read_csv(self.source(), glob=False, **options)
        except pl.exceptions.PolarsError:
            return self._tidy(self._frame_by_rows())
        if len(self.header) > 1 and frame[:, -1].null_count():
            # polars fills a row that is too short, or blank, with missing cells.
            blank = self._blank_rows(len(frame))
            if blank:
                frame = frame[np.setdiff1d(np.arange(len(frame)), blank)]
        return self._tidy(frame)

    def _tidy(self, frame: Any) -> Any:
        """Remove blanks around cells, and empty columns without a name at the end."""
        frame.columns = self.header
        frame = strip_cells(frame)
        names = list(self.header)
        while names and names[-1].startswith(_NAMELESS) and frame[:, len(names) - 1].null_count() == len(frame):
            names.pop()
        frame = frame[:, : len(names)]
        names = ["" if name.startswith(_NAMELESS) else name for name in names]
        check_unique_names(self.path, names, self.header_line)
        frame.columns = names
        return frame

    def source(self) -> Path | bytes:
        """The path, or the content as UTF-8 if the file is compressed or has another encoding."""
        with self.open() as file:
            if self.encoding == "utf-8-sig" and not is_unpacked(file):
                return self.path
            raw = self._read(file)
        return raw if self.encoding == "utf-8-sig" else self._decode(raw).encode()

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """The first line and the cells of every row; a blank line has no cells."""
        with self.open() as file:
            rows = csv.reader(
                io.TextIOWrapper(file, encoding=self.encoding, newline=""), delimiter=self.delimiter, strict=True
            )
            line = 1
            try:
                for cells in rows:
                    yield line, cells
                    line = rows.line_num + 1
            except UnicodeDecodeError:
                with self.open() as again:
                    self._decode(self._read(again))
                raise
            except csv.Error as problem:
                text = f"This is not well-formed delimited text: {problem}. Check the quotes."
                raise TableError(text, path=self.path, line=line) from None
            except (OSError, EOFError, zlib.error) as problem:
                raise self.damaged(problem, line) from None

    def open(self) -> IO[bytes]:
        """Open it, and unpack it if it is compressed."""
        try:
            return open_binary(self.path)
        except ReadError as problem:
            raise TableError(problem.reason, path=problem.path, line=problem.line, code=problem.code) from None

    def damaged(self, problem: Exception, line: int | None = None) -> TableError:
        """Return the error for a file that cannot be read or unpacked."""
        if isinstance(problem, UnpackedTooLargeError):
            return TableError(f"{problem}.", path=self.path, code="too-large")
        text = f"The file is truncated or damaged: {problem}. {EXPORT_AGAIN}"
        return TableError(text, path=self.path, line=line, code="damaged")

    def _read(self, file: IO[bytes]) -> bytes:
        try:
            return file.read()
        except (OSError, EOFError, zlib.error) as problem:
            raise self.damaged(problem) from None

    def _decode(self, raw: bytes) -> str:
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as problem:
            name = "utf-8" if self.encoding == "utf-8-sig" else self.encoding
            likely = ["utf-8"] if name == "iso8859-1" else ["latin-1", "cp1252"]
            likely = ["utf-16"] if raw.startswith(_UTF_16) else likely
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
        if self._has_all_delimiters(rows):
            return []
        lines = self._plain_lines()
        if lines is not None and len(lines) == self.header_line + rows:
            found = lines.str.count_matches(self.delimiter, literal=True)[self.header_line :]
            if ((found == len(self.header) - 1) | found.is_null()).all():
                return cast("list[int]", found.is_null().arg_true().to_list())
        blank = []
        for row, (line, cells) in enumerate(self._body()):
            if _is_blank(cells):
                blank.append(row)
            else:
                self._check(cells, line)
        return blank

    def _has_all_delimiters(self, rows: int) -> bool:
        """Whether a file without quotes has so many delimiters that no row is too short: polars refuses longer ones."""
        source, found = self.source(), 0
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            while block := file.read(_BLOCK):
                if b'"' in block:
                    return False
                found += block.count(self.delimiter.encode())
        # Lines before the header may have delimiters, too.
        is_first = self.header_line == int(self.has_header)
        return is_first and found == (rows + self.header_line) * (len(self.header) - 1)

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

    def check_rows(self) -> None:
        """Raise an error for the first row that is damaged."""
        for line, cells in self._body():
            if not _is_blank(cells):
                self._check(cells, line)

    def _frame_by_rows(self) -> Any:
        """Read a file that polars rejects, such as one with quotes inside cells. Real damage raises an error."""
        import polars as pl

        width, is_single = len(self.header), len(self.header) == 1
        if all(len(cells) == width + 1 and not cells[-1] for _, cells in self._body() if not _is_blank(cells)):
            # Every row but the header ends with a delimiter.
            self.header.append(_nameless(width))
        found: list[list[str | None]] = [[] for _ in self.header]
        for line, cells in self._body():
            if is_single or not _is_blank(cells):
                cells = cells or [""]
                self._check(cells, line)
                for values, cell in zip(found, cells, strict=True):
                    values.append(cell or None)
        return pl.DataFrame(dict(zip(self.header, found, strict=True)), schema=dict.fromkeys(self.header, pl.String))


def _is_blank(cells: Sequence[str]) -> bool:
    """Whether a row is a line without cells."""
    return not cells or (len(cells) == 1 and cells[0].isspace())


# Begins the name of a column without a name, until it is known whether it has cells.
_NAMELESS = "\0"


def _nameless(position: int) -> str:
    return f"{_NAMELESS}{position}"
