"""Recognise how the file of a table is written, and show its first rows."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.base.text import cell_text
from ontomask.engines.base import Source
from ontomask.microdata import frames
from ontomask.microdata.files import delimiter_of, is_delimited
from ontomask.taxonomy.readers.source import open_binary

__all__ = [
    "DELIMITERS",
    "ENCODINGS",
    "TablePreview",
    "found_delimiter",
    "preview",
    "recognise_reading",
    "rows_at",
]

DELIMITERS: Mapping[str, str] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", ":": "colon"}
ENCODINGS: Mapping[str, str] = {
    "utf-8": "UTF-8 (most files)",
    "cp1252": "Western European (Latin-1)",
    "cp1250": "Central European (Windows)",
    "utf-16": "UTF-16 (Unicode text of Excel)",
}

_BLOCK = 1 << 20
_PREVIEWED = 8
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class TablePreview:
    """The first rows of a table as text, and its size."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    records: int


def recognise_reading(path: Path) -> dict[str, Any]:
    """The options to read a file with, besides those that `ontomask.read_table` finds by itself: the encoding.

    Most bytes that are not UTF-8 were written by Windows in Western Europe. A person sees in the preview whether that
    is right.
    """
    if not is_delimited(path) or not path.is_file():
        return {}
    try:
        encoding = _encoding(path)
    except (OSError, EOFError, zlib.error):
        # A damaged file. Reading the table says what is wrong.
        return {}
    return {} if encoding == "utf-8" else {"encoding": encoding}


def _encoding(path: Path) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_binary(path) as file:
        first = True
        while block := file.read(_BLOCK):
            if first and block.startswith(_UTF_16):
                return "utf-16"
            first = False
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                return "cp1252" if _is_readable(path, "cp1252") else "latin-1"
    return "utf-8"


def _is_readable(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_binary(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        except UnicodeDecodeError:
            return False
    return True


def found_delimiter(path: Path, given: str | None) -> str | None:
    """The delimiter that a file is read with; ``None`` if it is not delimited text."""
    return (given or delimiter_of(path)) if is_delimited(path) and path.is_file() else None


def preview(frame: Any) -> TablePreview:
    """The first rows of a frame; none of a table whose rows stay in an engine."""
    if isinstance(frame, Source):
        names = tuple(frame.columns)
        return TablePreview(names, (), int(frame.count(names[:1])[1].sum()))
    columns = tuple(frames.columns(frame))
    records = frames.length(frame)
    return TablePreview(columns, rows_at(frame, np.arange(min(_PREVIEWED, records)), columns), records)


def rows_at(frame: Any, positions: Any, columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Some rows of a frame as text. A missing cell is an empty text."""
    part = frames.take_rows(frame, np.asarray(positions, dtype=np.int64))
    cells = [frames.factorise(part, name) for name in columns]
    texts = [[cell_text(value) or "" for value in values] for _, values in cells]
    found = [[texts[i][code] for code in cells[i][0].tolist()] for i in range(len(columns))]
    return tuple(zip(*found, strict=True)) if columns else ()
