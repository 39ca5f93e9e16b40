"""Readers: one module per format, each with ``can_read(path)`` and ``read(path, **options)``.

`FORMATS` lists them in the order in which `read_taxonomy` tries them, most specific first. A new reader is a module
and its name in that list.
"""

from __future__ import annotations

import inspect
import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ontomask.base.limits import is_unpacked
from ontomask.base.progress import progress
from ontomask.errors import ReadError, UnknownFormatError
from ontomask.taxonomy.readers import arx_csv
from ontomask.taxonomy.readers.source import cannot_open, is_delimited, lines, open_binary, peek, sniff_delimiter
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["FORMATS", "has_definitions", "read_taxonomy"]

FORMATS = (
    "saved",
    "wordnet",
    "rf2",
    "omop",
    "umls",
    "mesh",
    "claml",
    "wn_lmf",
    "icd11",
    "loinc",
    "esco",
    "obographs",
    "fhir",
    "obo",
    "skos",
    "owl",
    "prefix",
    "arx_csv",
    "edges",
)


@progress("Reading the ontology")
def read_taxonomy(path: str | Path, format: str | None = None, **options: Any) -> Taxonomy:
    """Read a taxonomy from a file or a folder. The format is recognised unless it is given.

    Parameters
    ----------
    path
        A file (plain or gzip) or a release folder.
    format
        One of `FORMATS`. By default the first reader that recognises the input reads it.
    options
        Options of that format's ``read``. Unknown options raise an error.
    """
    path = Path(path).expanduser()
    _check_access(path)
    if format is None:
        reader = _recognise(path)
        if reader is None:
            code, reason = _diagnose(path)
            raise UnknownFormatError(
                f"{reason} Give format= one of: {', '.join(FORMATS)}. For an ontology of your own, write a "
                f"CSV file with the columns child,parent,labels.",
                path=path,
                code=code,
            )
    elif format in FORMATS:
        reader = _module(format)
    else:
        raise UnknownFormatError(
            f"{format!r} is not a format. Choose one of: {', '.join(FORMATS)}.",
            path=path,
            parameter="format",
            values=[format],
        )
    known = list(inspect.signature(reader.read).parameters)[1:]
    unknown = [option for option in options if option not in known]
    if unknown:
        hint = f"Choose from: {', '.join(known)}." if known else "Leave it out."
        name = reader.__name__.rpartition(".")[2]
        raise ReadError(f"The reader {name!r} has no option {unknown[0]!r}. {hint}", path=path, parameter=unknown[0])
    taxonomy: Taxonomy = reader.read(path, **options)
    return taxonomy


def has_definitions(path: Path) -> bool:
    """Whether the reader of a file or folder can read definitions of concepts (the option ``glosses``)."""
    reader = _recognise(path)
    return reader is not None and "glosses" in inspect.signature(reader.read).parameters


def _recognise(path: Path) -> ModuleType | None:
    return next((module for module in map(_module, FORMATS) if module.can_read(path)), None)


def _check_access(path: Path) -> None:
    """Raise an error if the path does not exist or may not be read. The readers would just not recognise it."""
    try:
        if not path.exists():
            raise ReadError("The file or folder does not exist. Check its name.", path=path, code="no-file")
        if path.is_dir():
            os.scandir(path).close()
            return
    except OSError as problem:
        raise cannot_open(path, problem) from problem
    open_binary(path).close()


def _diagnose(path: Path) -> tuple[str, str]:
    """A code and a text: why no reader recognises a file. A damaged file raises its own error, with the line."""
    unknown = "The format was not recognised."
    if path.is_dir():
        return "unknown-format", unknown
    if path.stat().st_size == 0:
        return "empty", "The file is empty."
    is_text = is_delimited(path)
    with open_binary(path) as file:
        is_packed = is_unpacked(file)
    # Readers look at the beginning only. Damage or a wrong encoding may come later.
    for _ in lines(path, "utf-8" if is_text else "latin-1") if is_text or is_packed else ():
        pass
    if not is_text:
        return "unknown-format", unknown
    if not peek(path).strip():
        return "empty", "The file is empty."
    if "\0" in peek(path):
        return "utf-16", f"{unknown} The file contains zero bytes, so it is UTF-16 or not text. Save it as UTF-8."
    if arx_csv.has_top(path):
        arx_csv.read(path)
        return "arx_csv", f"{unknown} Only some rows end in '*'. If the file is a hierarchy, the format is 'arx_csv'."
    if sniff_delimiter(path) is None:
        return (
            "one-column",
            f"{unknown} The file has one column, or rows with one cell. An ontology needs at least two: a child and "
            f"its parent, or a value and its generalisations, separated by a comma, a semicolon, a tab or '|'.",
        )
    return (
        "no-header",
        f"{unknown} The file has several columns, but no header with a child and a parent, so it may be a table of "
        f"data. If each row is a link, the format is 'edges'. If it is a value with its generalisations, the format is "
        f"'arx_csv'.",
    )


def _module(name: str) -> ModuleType:
    return import_module(f"ontomask.taxonomy.readers.{name}")
