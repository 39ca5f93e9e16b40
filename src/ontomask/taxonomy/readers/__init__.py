"""Readers: one module a format, each with ``can_read(path)`` and ``read(path, **options)``.

`read_taxonomy` asks them in the order below, most particular first.
"""

from __future__ import annotations

import inspect
import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ontomask.base.limits import is_unpacked
from ontomask.errors import ReadError, UnknownFormatError
from ontomask.taxonomy.readers import arx_csv
from ontomask.taxonomy.readers.source import TEXT_NAMES, data_name, lines, open_binary, peek, sniff_delimiter
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["FORMATS", "read_taxonomy"]

FORMATS = ("saved", "wordnet", "rf2", "omop", "obographs", "obo", "skos", "owl", "arx_csv", "edges")


def read_taxonomy(path: str | Path, format: str | None = None, **options: Any) -> Taxonomy:
    """Read a taxonomy from a file or a folder; the format is recognised unless it is given.

    Parameters
    ----------
    path
        A file (plain or gzip) or a release folder.
    format
        One of `FORMATS`; by default the first reader that recognises the input takes it.
    options
        Passed to that format's ``read``; an option it does not know is an error.
    """
    path = Path(path).expanduser()
    _check_access(path)
    if format is None:
        reader = next((module for module in map(_module, FORMATS) if module.can_read(path)), None)
        if reader is None:
            raise UnknownFormatError(
                f"{_diagnose(path)}. Pass format= with one of: {', '.join(FORMATS)}. "
                f"A hierarchy of your own can be given as CSV with the columns child,parent,labels.",
                path=path,
            )
    elif format in FORMATS:
        reader = _module(format)
    else:
        raise UnknownFormatError(f"{format!r} is not a format. Choose one of: {', '.join(FORMATS)}.", path=path)
    known = list(inspect.signature(reader.read).parameters)[1:]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise ReadError(
            f"the reader {reader.__name__.rsplit('.', 1)[-1]!r} has no option {unknown[0]!r}. "
            f"It knows: {', '.join(known) or 'none'}.",
            path=path,
        )
    taxonomy: Taxonomy = reader.read(path, **options)
    return taxonomy


def _check_access(path: Path) -> None:
    """Tell what is not there or may not be read, which to the readers would be a file of no known format."""
    try:
        if not path.exists():
            raise ReadError("there is no such file or folder. Check its name.", path=path)
        if path.is_dir():
            os.scandir(path).close()
            return
    except OSError as problem:
        raise ReadError(
            f"cannot be opened: {problem.strerror or problem}. Check that you may read it.", path=path
        ) from problem
    open_binary(path).close()


def _diagnose(path: Path) -> str:
    """Why no reader takes a file, in a few words; what is broken in it is raised with its line."""
    unknown = "is of no format known here"
    if path.is_dir():
        return unknown
    if path.stat().st_size == 0:
        return "is an empty file"
    is_text = data_name(path).endswith(TEXT_NAMES)
    with open_binary(path) as file:
        is_packed = is_unpacked(file)
    # Damage and a wrong encoding may come after the beginning, by which the readers go.
    for _ in lines(path, "utf-8" if is_text else "latin-1") if is_text or is_packed else ():
        pass
    if not is_text:
        return unknown
    if not peek(path).strip():
        return "is an empty file"
    if "\0" in peek(path):
        return f"{unknown}: it holds zero bytes, so it is UTF-16 or no text at all. Save it as UTF-8"
    if arx_csv.has_top(path):
        arx_csv.read(path)
        return f"{unknown}: some rows end in '*' as those of a hierarchy, others do not. If it is one, say 'arx_csv'"
    if sniff_delimiter(path) is None:
        return (
            "has one column, or rows of one cell. A hierarchy needs at least two columns: a child and its parent, or "
            "a value and what it generalises to, level by level, separated by a comma, a semicolon, a tab or '|'"
        )
    return (
        f"{unknown}: it has several columns, but no header that names a child and a parent, and it may be a table of "
        f"data. If each row is a link, say 'edges'; if it is a value with the levels above it, 'arx_csv'"
    )


def _module(name: str) -> ModuleType:
    return import_module(f"ontomask.taxonomy.readers.{name}")
