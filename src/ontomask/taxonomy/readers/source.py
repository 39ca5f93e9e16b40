"""Open source files, plain or gzip, and read their lines and rows.

All readers use these functions, so that a damaged file of any format raises a `ReadError` with file and line.
"""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ontomask.base.limits import UnpackedTooLargeError, irregular, open_gzip
from ontomask.base.progress import progress
from ontomask.errors import Alternatives, ReadError, Wording, given

__all__ = [
    "DELIMITERS",
    "cannot_open",
    "check_option",
    "check_width",
    "damaged",
    "data_name",
    "file_title",
    "first_lines",
    "head",
    "is_delimited",
    "lines",
    "open_binary",
    "peek",
    "read_bytes",
    "reading",
    "rows",
    "sniff_delimiter",
]

DELIMITERS = (";", "\t", ",", "|")

_TEXT_NAMES = (".csv", ".tsv", ".tab", ".txt")
_GZIP = b"\x1f\x8b"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PEEK = 16384
_BLOCK = 1 << 16


def check_option(path: Path, name: str, value: object, *, example: str, optional: bool = False) -> None:
    """Validate that an option is a text, or None if it is optional."""
    if not (isinstance(value, str) or (optional and value is None)):
        raise ReadError(
            f"The {name!r} must be a text such as {example!r}",
            Wording(" or None" if optional else ""),
            ". Got ",
            given(value),
            " instead.",
            path=path,
            parameter=name,
        )


def data_name(path: Path) -> str:
    """The file's name in lower case without a final ``.gz``."""
    return path.name.lower().removesuffix(".gz")


def file_title(path: Path) -> str:
    """The file's name without its suffix, for a source that does not state its own name."""
    return data_name(path).rsplit(".", 1)[0]


class _Counted(io.FileIO):
    """A file that reports how many bytes of it are read."""

    def __init__(self, path: Path, advance: Callable[[int], None]) -> None:
        # RDF libraries take the name of the file as a text.
        super().__init__(str(path))
        self._advance = advance

    def readinto(self, buffer: Any) -> int | None:
        count = super().readinto(buffer)
        self._advance(count or 0)
        return count


def open_binary(path: Path, advance: Callable[[int], None] | None = None) -> IO[bytes]:
    """Open a file for reading, and decompress gzip, which is recognised by its content.

    ``advance`` is called with the number of bytes read, before they are unpacked.
    """
    reason = irregular(path)
    if reason is not None:
        raise ReadError(f"This {reason}.", path=path, code="not-a-file")
    try:
        file = path.open("rb") if advance is None else io.BufferedReader(_Counted(path, advance), _BLOCK)
        if file.peek(2)[:2] != _GZIP:
            return file
        return open_gzip(path, file)
    except OSError as problem:
        raise cannot_open(path, problem) from problem


@contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """Open a file as `open_binary` does, for reading all of it. A step reports how much is read."""
    with progress(f"Reading {path.name}", _size(path)) as advance, open_binary(path, advance) as file:
        yield file


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        # Opening the file raises the error.
        return None


def cannot_open(path: Path, problem: OSError) -> ReadError:
    """The error for a file or folder that cannot be opened."""
    text = f"It cannot be opened: {problem.strerror or problem}. Check that it exists and that you may read it."
    return ReadError(text, path=path, code="unreadable")


def damaged(path: Path, problem: Exception, line: int | None) -> ReadError:
    """The error for a file whose content cannot be read or unpacked."""
    if isinstance(problem, UnpackedTooLargeError):
        return ReadError(f"{problem}.", path=path, code="too-large")
    return ReadError(
        f"The file is damaged or incomplete: {problem}. Download it again.", path=path, line=line, code="damaged"
    )


def peek(path: Path, size: int = 4096) -> str:
    """The beginning of a file as text, to recognise its format. Empty for a folder or an unreadable file.

    UTF-16 with a byte order mark is decoded, so that a reader can report it, or read it if the user gave the encoding.
    """
    try:
        with open_binary(path) as file:
            raw = file.read(size)
        return raw.decode("utf-16" if raw.startswith(_UTF_16) else "utf-8", errors="replace").lstrip("\ufeff")
    except (ReadError, OSError, EOFError, zlib.error):
        return ""


def head(path: Path) -> str:
    """The beginning of an ontology file, to recognise its format. Ontologies may have long headers."""
    return peek(path, 1 << 16)


def is_delimited(path: Path) -> bool:
    """Whether a path is a file with the suffix of delimited text."""
    return path.is_file() and data_name(path).endswith(_TEXT_NAMES)


def read_bytes(path: Path) -> bytes:
    """The unpacked content of a file."""
    with reading(path) as file:
        try:
            return file.read()
        except (OSError, EOFError, zlib.error) as problem:
            raise damaged(path, problem, None) from problem


def lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Number and text of every line, without its line end."""
    try:
        by_byte = "\n".encode(encoding) == b"\n"
    except (LookupError, TypeError, ValueError):
        raise ReadError(f"{encoding!r} is not a text encoding. Try 'utf-8'.", path=path, parameter="encoding") from None
    number = 0
    with reading(path) as file:
        try:
            for texts in _decoded_blocks(file, encoding) if by_byte else _decoded_lines(file, encoding):
                if number == 0 and texts:
                    texts[0] = texts[0].removeprefix("\ufeff")
                for number, text in enumerate(texts, start=number + 1):  # noqa: B020
                    yield number, text
        except UnicodeError as problem:
            raise _undecodable(path, encoding, problem, number + 1) from None
        except (OSError, EOFError, zlib.error) as problem:
            raise damaged(path, problem, number + 1) from problem


def _decoded_blocks(file: IO[bytes], encoding: str) -> Iterator[list[str]]:
    """The lines of a file, many at a time, without their line ends."""
    while raw := file.readlines(_BLOCK):
        try:
            text = b"".join(raw).decode(encoding)
        except UnicodeError:
            text = ""
        found = text.split("\n")
        if not found[-1]:
            found.pop()
        if len(found) == len(raw):
            yield [line.rstrip("\r") for line in found] if "\r" in text else found
        else:
            # Some bytes cannot be decoded: find their line.
            for line in raw:
                yield [line.decode(encoding).rstrip("\r\n")]


def _decoded_lines(file: IO[bytes], encoding: str) -> Iterator[list[str]]:
    """The lines of a file in an encoding such as UTF-16, where a line end is not the byte of a newline."""
    decoder = codecs.getincrementaldecoder(encoding)()
    rest = ""
    for raw in file:
        *complete, rest = (rest + decoder.decode(raw)).split("\n")
        yield [line.rstrip("\r") for line in complete]
    rest += decoder.decode(b"", final=True)
    if rest:
        yield [rest.rstrip("\r")]


def _undecodable(path: Path, encoding: str, problem: UnicodeError, line: int) -> ReadError:
    """The error for bytes that are not in the encoding."""
    if not isinstance(problem, UnicodeDecodeError):
        return ReadError(
            f"This is not {encoding} text: {problem}. Save the file as UTF-8.", path=path, line=line, code="encoding"
        )
    if line == 1 and problem.start == 0 and problem.object.startswith(_UTF_16):
        return ReadError(
            f"This is UTF-16 text, not {encoding}. Save the file as UTF-8 (spreadsheets call it 'CSV UTF-8'), or give ",
            _encoding("utf-16"),
            " if the reader has that option.",
            path=path,
            line=line,
            code="utf-16",
        )
    if "\n".encode(encoding) != b"\n":
        # The decoder may have buffered line ends before the undecodable bytes.
        line += problem.object[: problem.start].decode(problem.encoding, errors="ignore").count("\n")
    return ReadError(
        f"This is not {encoding} text: the byte {problem.object[problem.start]:#04x} cannot be decoded. Save the file "
        f"as UTF-8, or give ",
        _encoding("latin-1"),
        " if the reader has that option.",
        path=path,
        line=line,
        code="encoding",
    )


def _encoding(name: str) -> Alternatives:
    return Alternatives([name], Wording(f"encoding={name!r}", f'encoding = "{name}"'))


def rows(path: Path, delimiter: str = ",", encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """The number of the first line and the cells of every non-empty row of a delimited file."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise ReadError(
            f"The 'delimiter' must be one character, but not a quote or a line end. Got {delimiter!r} instead.",
            path=path,
            parameter="delimiter",
        )
    parser = csv.reader((text + "\n" for _, text in lines(path, encoding)), delimiter=delimiter, strict=True)
    before = 0
    try:
        for cells in parser:
            start, before = before + 1, parser.line_num
            if cells:
                yield start, cells
    except csv.Error as problem:
        raise ReadError(
            f"This is not well-formed delimited text: {problem}. Check the quotes.",
            path=path,
            line=parser.line_num,
            code="quotes",
        ) from None


def check_width(path: Path, line: int, cells: Sequence[str], width: int, hint: str) -> None:
    """Raise an error if a row has more cells than the first one."""
    if any(cell.strip() for cell in cells[width:]):
        text = f"The row has {len(cells)} cells, but the first row has {width}. {hint}"
        raise ReadError(text, path=path, line=line, code="cells")


def first_lines(path: Path) -> list[str]:
    """The first lines of a file, to recognise its format, without a last line that may be incomplete."""
    text = peek(path, _PEEK)
    found = text.splitlines()
    return found[:-1] if len(found) > 1 and peek(path, 2 * _PEEK) != text else found


def sniff_delimiter(path: Path, *columns: Collection[str]) -> str | None:
    """The delimiter that splits each of the first lines into several cells. ``None`` if there is none.

    A header with one of each kind of ``columns`` tells it, even if other rows have one cell.
    """
    found = [line for line in first_lines(path) if line.strip()]
    for delimiter in DELIMITERS if columns else ():
        names = {cell.strip().lower() for cell in next(csv.reader(found[:1], delimiter=delimiter), ())}
        if not any(names.isdisjoint(kind) for kind in columns):
            return delimiter
    best, most = None, 1
    for delimiter in DELIMITERS:
        sizes = [len(cells) for cells in csv.reader(found, delimiter=delimiter)]
        if sizes and min(sizes) > 1 and min(sizes) > most:
            best, most = delimiter, min(sizes)
    return best
