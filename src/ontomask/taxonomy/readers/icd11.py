"""ICD-11: the tab-separated file of a linearization, such as ``SimpleTabulation-ICD-11-MMS-en.txt``.

The file has no column for the parent. Rows are in the order of the classification, and hyphens before the title tell
the depth: ``- - Cholera`` is below the row before it that has one hyphen. Ids are the codes (``1A00``), the ids of
blocks (``BlockL1-1A0``), and ``Chapter 01``. The addresses of an entity are its aliases.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers.source import file_title, lines, peek
from ontomask.taxonomy.readers.tables import check_header, ragged_row
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy
from ontomask.taxonomy.validate import fail

__all__ = ["can_read", "read"]

_ROOT = "ICD-11"
_COLUMNS = ("Title", "Code", "BlockId", "ClassKind", "ChapterNo")
# The second column has had both names.
_ADDRESSES = ("Foundation URI", "Linearization URI", "Linearization (release) URI")
_DEPTH = re.compile(r"((?:-\s+)*)(.*)", re.DOTALL)
_LICENCE = "ICD-11 is © World Health Organization, CC BY-ND 3.0 IGO."


def can_read(path: Path) -> bool:
    """Whether the file is tab-separated with the columns of a linearization."""
    names = {name.strip('"') for name in peek(path).partition("\n")[0].rstrip("\r").split("\t")}
    return {"BlockId", "Title", "ClassKind", "DepthInKind"} <= names


def read(path: Path, *, encoding: str = "utf-8") -> Taxonomy:
    """Read a linearization: all chapters, blocks and categories."""
    names: list[str] = []
    width = 0
    above: list[str] = []
    links: list[tuple[str, str]] = []
    at: list[int] = []
    labels: dict[str, list[str]] = {_ROOT: ["International Classification of Diseases, 11th revision"]}
    addresses: dict[str, tuple[str, ...]] = {}
    for line, text in lines(path, encoding):
        if not names:
            names = [name.strip() for name in _cells(text)]
            check_header(path, _COLUMNS, names)
            place = {name: names.index(name) for name in _COLUMNS}
            addressed = [names.index(name) for name in _ADDRESSES if name in names]
            continue
        if not text.strip():
            continue
        cells = _cells(text)
        # The header has one column more in some releases: the version.
        width = width or (len(cells) if len(cells) == len(names) - 1 else len(names))
        if len(cells) != width:
            raise ragged_row(path, line, len(cells), width)
        code, block, kind, chapter = (cells[place[name]].strip() for name in _COLUMNS[1:])
        concept = code or block or (f"Chapter {chapter}" if kind == "chapter" and chapter else "")
        hyphens, words = _depth(cells[place["Title"]])
        if not concept or not words:
            fail("T106", "The row has no code or no title. Use the file as published.", path=path, line=line)
        if concept in labels:
            fail("T104", f"{concept!r} is repeated. Use the file as published.", path=path, line=line, values=[concept])
        if hyphens > len(above):
            raise ReadError(
                f"The title has {hyphens} hyphens, but the row before it has {len(above) - 1}. A level is missing. "
                f"Use the file in its published order.",
                path=path,
                line=line,
                code="levels",
            )
        del above[hyphens:]
        links.append((concept, above[-1] if above else _ROOT))
        at.append(line)
        above.append(concept)
        labels[concept] = [words]
        for column in addressed:
            address = cells[column].strip() if column < len(cells) else ""
            if address:
                addresses[address] = (*addresses.get(address, ()), concept)
    if not links:
        fail("T105", "The file has no rows. Check that it is the right file.", path=path)
    return Taxonomy.from_edges(
        links,
        labels,
        concepts=list(labels),
        annotations=Annotations(
            name=f"ICD-11 ({file_title(path)})",
            licence=_LICENCE,
            code_ids=True,
            aliases={"IRI": addresses} if addresses else {},
        ),
        path=path,
        lines=at,
    )


def _cells(text: str) -> Sequence[str]:
    """The cells of a row. Some releases put titles into quotes."""
    return next(csv.reader([text], delimiter="\t")) if '"' in text else text.split("\t")


def _depth(title: str) -> tuple[int, str]:
    """The number of hyphens before a title, and the title.

    >>> _depth("- - Cholera"), _depth("-"), _depth("X-rays - all")
    ((2, 'Cholera'), (0, '-'), (0, 'X-rays - all'))
    """
    found = _DEPTH.fullmatch(title)
    hyphens, words = (found[1], found[2]) if found else ("", title)
    return hyphens.count("-"), words.strip()
