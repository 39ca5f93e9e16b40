"""Delimited files that an engine reads: their header, and damage as `ontomask.read_table` reports it."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from ontomask.engines.files import Layout
from ontomask.errors import TableError
from ontomask.microdata.delimited import DelimitedFile
from ontomask.microdata.files import delimiter_of

__all__ = ["check_rows", "read_layout"]

_BLOCK = 1 << 24
# An engine reads cells up to this number of bytes.
_LARGEST = 64_000_000


def read_layout(files: Sequence[Path]) -> Layout:
    """The header of delimited files, which must be the same in all of them."""
    delimiter = delimiter_of(files[0]) or ","
    found = [DelimitedFile(path, delimiter, "utf-8") for path in files]
    for file in found:
        if (file.names, file.header_line) != (found[0].names, found[0].header_line):
            raise TableError(
                f"The first lines of this file are not those of {files[0].name}. Give all files of a table the same "
                f"columns in the same order, or name those that belong together with a pattern.",
                path=file.path,
                code="other-columns",
            )
    for file in found:
        _check_blanks(file)
    return Layout(delimiter, found[0].names, found[0].header_line - 1)


def check_rows(files: Sequence[Path], layout: Layout) -> None:
    """Raise the error of `ontomask.read_table`, which names the line, if a file has a damaged row."""
    former = csv.field_size_limit(_LARGEST)
    try:
        for path in files:
            DelimitedFile(path, layout.delimiter, "utf-8").check_rows()
    finally:
        csv.field_size_limit(former)


def _check_blanks(file: DelimitedFile) -> None:
    """Refuse a cell with blanks before its quotes: they are a part of the cell, but not to DuckDB."""
    mark = re.escape(file.delimiter).encode()
    # Within a quoted cell each quote is doubled, or ends the cell.
    quoted = re.compile(rb'(?:^|%b) +(?:(?:"")*"[^"\r\n%b]|(?:"")+(?:%b|\r|$))' % (mark, mark, mark), re.MULTILINE)
    line = 1
    try:
        with file.open() as opened:
            while block := opened.read(_BLOCK) + opened.readline():
                found = quoted.search(block) if b' "' in block else None
                if found:
                    raise TableError(
                        "A cell has blanks before its quotes. DuckDB reads it in another way than ontomask.read_table. "
                        "Remove these blanks, or read the table into memory.",
                        path=file.path,
                        line=line + block.count(b"\n", 0, found.end() - 1),
                        code="blanks-before-quotes",
                    )
                line += block.count(b"\n")
    except (OSError, EOFError, zlib.error) as problem:
        raise file.damaged(problem) from None
