"""Opening source files: gzip or plain, UTF-8, with the place of every problem.

All readers get their text from here, so that a broken file always ends in a `ReadError` that names file
and line, whatever the format.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

from ontomask.errors import ReadError

__all__ = ["data_name", "lines", "open_binary", "peek", "rows", "sniff_delimiter", "write_whole"]

_GZIP = b"\x1f\x8b"


def data_name(path: Path) -> str:
    """The file's name in lower case without a final ``.gz``."""
    return path.name.lower().removesuffix(".gz")


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressing gzip (recognised by content, not by name)."""
    try:
        file = path.open("rb")
        if file.peek(2)[:2] != _GZIP:
            return file
        file.close()
        return cast("IO[bytes]", gzip.open(path, "rb"))
    except OSError as problem:
        raise ReadError(f"cannot be opened: {problem.strerror or problem}.", path=path) from problem


def peek(path: Path, size: int = 4096) -> str:
    """The beginning of a file as text for recognising its format; empty for a folder or an unreadable file."""
    try:
        with open_binary(path) as file:
            return file.read(size).decode("utf-8", errors="replace").lstrip("\ufeff")
    except (ReadError, OSError, EOFError, zlib.error):
        return ""


def lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Number and text of every line, without its line end."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise ReadError(f"cannot be read as {encoding!r}: there is no such encoding. Try 'utf-8'.", path=path) from None
    number = 0
    with open_binary(path) as file:
        try:
            for number, raw in enumerate(file, start=1):
                text = raw.decode(encoding)
                yield number, (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r\n")
        except UnicodeDecodeError as problem:
            raise ReadError(
                f"is not {encoding} text (byte {problem.object[problem.start]:#04x} cannot be decoded). "
                f"Save the file as UTF-8; readers with the option also take encoding='latin-1'.",
                path=path,
                line=number,
            ) from None
        except (OSError, EOFError, zlib.error) as problem:
            raise ReadError(f"the file breaks off or is damaged: {problem}.", path=path, line=number + 1) from problem


def rows(
    path: Path, delimiter: str = ",", *, quoting: bool = True, encoding: str = "utf-8"
) -> Iterator[tuple[int, list[str]]]:
    """Number of the first line and the cells of every non-empty row of a delimited file."""
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ReadError(f"the delimiter must be one character. Got {delimiter!r} instead.", path=path)
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


def sniff_delimiter(path: Path, choices: Sequence[str] = (";", "\t", ",", "|")) -> str | None:
    """The delimiter that splits every one of the first lines into more than one cell, if any."""
    text = peek(path, 16384)
    first_lines = [line for line in text.splitlines() if line.strip()]
    if len(first_lines) > 1 and peek(path, 2 * 16384) != text:
        first_lines.pop()  # the peek cut it
    best, most = None, 1
    for delimiter in choices:
        sizes = [len(cells) for cells in csv.reader(io.StringIO("\n".join(first_lines)), delimiter=delimiter)]
        if sizes and min(sizes) > 1 and min(sizes) > most:
            best, most = delimiter, min(sizes)
    return best


def _umask() -> int:
    """The user's mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_whole(path: Path, write: Callable[[IO[bytes]], None], *, mode: int | None = None) -> None:
    """Write a file whole or not at all: into a temporary neighbour that nobody else can read, then rename.

    Without a ``mode`` a file that is there keeps its own, and a new one gets what the user's umask leaves.
    """
    if mode is None:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
