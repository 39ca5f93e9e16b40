"""Opening source files: gzip or plain, UTF-8, with the place of every problem.

All readers get their text from here, so that a broken file always ends in a `ReadError` that names file
and line, whatever the format.
"""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from ontomask.base.limits import UnpackedTooLargeError, irregular, open_gzip
from ontomask.errors import ReadError

__all__ = [
    "TEXT_NAMES",
    "check_option",
    "data_name",
    "first_lines",
    "lines",
    "open_binary",
    "peek",
    "rows",
    "sniff_delimiter",
]

TEXT_NAMES = (".csv", ".tsv", ".tab", ".txt")
"""How the names of delimited files end."""

_GZIP = b"\x1f\x8b"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PEEK = 16384


def check_option(path: Path, name: str, value: object, *, example: str, optional: bool = False) -> None:
    """Refuse an option that is no text, before a reader works on it and fails in its own words."""
    if not (isinstance(value, str) or (optional and value is None)):
        raise ReadError(
            f"{name} must be a text such as {example!r}{' or None' if optional else ''}. Got {value!r} instead.",
            path=path,
        )


def data_name(path: Path) -> str:
    """The file's name in lower case without a final ``.gz``."""
    return path.name.lower().removesuffix(".gz")


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressing gzip (recognised by content, not by name)."""
    reason = irregular(path)
    if reason is not None:
        raise ReadError(f"{reason}.", path=path)
    try:
        file = path.open("rb")
        if file.peek(2)[:2] != _GZIP:
            return file
        file.close()
        return open_gzip(path)
    except OSError as problem:
        raise ReadError(
            f"cannot be opened: {problem.strerror or problem}. Check that it is a file and that you may read it.",
            path=path,
        ) from problem


def peek(path: Path, size: int = 4096) -> str:
    """The beginning of a file as text for recognising its format; empty for a folder or an unreadable file.

    UTF-16 is seen through if it has its byte order mark: a reader then says what is wrong, or was told to take it.
    """
    try:
        with open_binary(path) as file:
            raw = file.read(size)
        return raw.decode("utf-16" if raw.startswith(_UTF_16) else "utf-8", errors="replace").lstrip("\ufeff")
    except (ReadError, OSError, EOFError, zlib.error):
        return ""


def lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Number and text of every line, without its line end."""
    try:
        # Decoding nothing succeeds in any encoding, so one is tried by what it makes of a line end.
        by_byte = "\n".encode(encoding) == b"\n"
    except (LookupError, TypeError, ValueError):
        raise ReadError(
            f"cannot be read as {encoding!r}: there is no such encoding of text. Try 'utf-8'.", path=path
        ) from None
    number = 0
    with open_binary(path) as file:
        try:
            if by_byte:
                for number, raw in enumerate(file, start=1):
                    text = raw.decode(encoding)
                    yield number, (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r\n")
            else:
                for number, text in enumerate(_decoded_lines(file, encoding), start=1):
                    yield number, (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r")
        except UnicodeError as problem:
            raise _undecodable(path, encoding, problem, number if by_byte else number + 1) from None
        except UnpackedTooLargeError as problem:
            raise ReadError(f"{problem}.", path=path) from None
        except (OSError, EOFError, zlib.error) as problem:
            raise ReadError(
                f"the file breaks off or is damaged: {problem}. Download it again.", path=path, line=number + 1
            ) from problem


def _decoded_lines(file: IO[bytes], encoding: str) -> Iterator[str]:
    """The lines in an encoding whose line end is not one byte (UTF-16), so that only its decoder can find it."""
    decoder = codecs.getincrementaldecoder(encoding)()
    rest = ""
    for raw in file:
        *whole, rest = (rest + decoder.decode(raw)).split("\n")
        yield from whole
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest


def _undecodable(path: Path, encoding: str, problem: UnicodeError, line: int) -> ReadError:
    """What to do about bytes that are not in the encoding."""
    if not isinstance(problem, UnicodeDecodeError):
        return ReadError(f"is not {encoding} text: {problem}. Save the file as UTF-8.", path=path, line=line)
    if line == 1 and problem.start == 0 and problem.object.startswith(_UTF_16):
        return ReadError(
            f"is UTF-16 text, not {encoding}. Save the file as UTF-8 (spreadsheets call it 'CSV UTF-8'); readers with "
            f"the option also take encoding='utf-16'.",
            path=path,
            line=line,
        )
    if "\n".encode(encoding) != b"\n":
        # A decoder that holds bytes back tells of a line end only along with what follows it.
        line += problem.object[: problem.start].decode(problem.encoding, errors="ignore").count("\n")
    return ReadError(
        f"is not {encoding} text (byte {problem.object[problem.start]:#04x} cannot be decoded). "
        f"Save the file as UTF-8; readers with the option also take encoding='latin-1'.",
        path=path,
        line=line,
    )


def rows(
    path: Path, delimiter: str = ",", *, quoting: bool = True, encoding: str = "utf-8"
) -> Iterator[tuple[int, list[str]]]:
    """Number of the first line and the cells of every non-empty row of a delimited file."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise ReadError(
            f"the delimiter must be one character, and no quote or line end. Got {delimiter!r} instead.", path=path
        )
    if not quoting:
        for number, text in lines(path, encoding):
            if text:
                yield number, text.split(delimiter)
        return
    place = 0

    def feed() -> Iterator[str]:
        nonlocal place
        for place, text in lines(path, encoding):  # noqa: B007 (read by the loop below)
            yield text + "\n"

    parser = csv.reader(feed(), delimiter=delimiter, strict=True)
    before = 0
    try:
        for cells in parser:
            start, before = before + 1, place
            if cells:
                yield start, cells
    except csv.Error as problem:
        raise ReadError(
            f"is not well-formed delimited text: {problem}. Check the quotes.", path=path, line=place
        ) from None


def first_lines(path: Path) -> list[str]:
    """Lines to recognise a format by, without the one that the peek may have cut."""
    text = peek(path, _PEEK)
    found = text.splitlines()
    return found[:-1] if len(found) > 1 and peek(path, 2 * _PEEK) != text else found


def sniff_delimiter(path: Path, choices: Sequence[str] = (";", "\t", ",", "|")) -> str | None:
    """The delimiter that splits every one of the first lines into more than one cell, if any."""
    found = [line for line in first_lines(path) if line.strip()]
    best, most = None, 1
    for delimiter in choices:
        sizes = [len(cells) for cells in csv.reader(io.StringIO("\n".join(found)), delimiter=delimiter)]
        if sizes and min(sizes) > 1 and min(sizes) > most:
            best, most = delimiter, min(sizes)
    return best
