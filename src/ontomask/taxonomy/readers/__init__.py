"""Readers: one module a format, each with ``can_read(path)`` and ``read(path, **options)``.

`read_taxonomy` asks them in the order below, most particular first.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ontomask.errors import ReadError, UnknownFormatError
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
    if not path.exists():
        raise ReadError("there is no such file or folder.", path=path)
    if format is None:
        reader = next((module for module in map(_module, FORMATS) if module.can_read(path)), None)
        if reader is None:
            what = "an empty file" if path.is_file() and path.stat().st_size == 0 else "of no format known here"
            raise UnknownFormatError(
                f"is {what}. Pass format= with one of: {', '.join(FORMATS)}. "
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


def _module(name: str) -> ModuleType:
    return import_module(f"ontomask.taxonomy.readers.{name}")
