"""Generalisation hierarchies in ARX's CSV format: one row per value, from the value to the top.

::

    Bachelors;Undergraduate;Higher education;*
    Some-college;Undergraduate;Higher education;*
    11th;High School;Secondary education;*

Each cell is a child of the next one. A concept is identified by its text: a label that is repeated on the next level
is one concept, and a label under two parents has both. Rows may differ in length: the last cell of a row is its top.
The delimiter may be ``;``, a tab, ``,`` or ``|``.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers import edges
from ontomask.taxonomy.readers.source import DELIMITERS, file_title, first_lines, is_delimited, rows, sniff_delimiter
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy

__all__ = ["can_read", "has_top", "read", "read_rows"]

_TOP = "*"


def can_read(path: Path) -> bool:
    """Whether the file is delimited text whose rows end in ``*``, or get fewer distinct labels from left to right.

    A table of data does not have fewer labels in each column. Rows of three cells without ``*`` must also share one
    label at the end. Shorter ones may be links, which another reader recognises.
    """
    if not is_delimited(path):
        return False
    found = _first_rows(path)
    if not found or any("\0" in cell for cells in found for cell in cells) or edges.can_read(path):
        return False
    if all(len(cells) > 1 and cells[-1] == _TOP for cells in found):
        return True
    sizes = _level_sizes(found)
    if sizes != sorted(sizes, reverse=True):
        return False
    if all(len(cells) > 3 for cells in found):
        return True
    return all(len(cells) == 3 and "" not in cells for cells in found) and sizes[1] > sizes[2] == 1


def has_top(path: Path) -> bool:
    """Whether any row ends in ``*``. If the file is not recognised then, other rows are wrong."""
    return any(len(cells) > 1 and cells[-1] == _TOP for cells in _first_rows(path))


def read(path: Path, *, delimiter: str | None = None, encoding: str = "utf-8") -> Taxonomy:
    """Read a hierarchy. The delimiter is recognised unless it is given.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "country.csv"
    >>> _ = file.write_text("Spain;Europe;*\\nMalta;Europe;*\\nMalta;Commonwealth;*\\n*;*;*\\n")
    >>> hierarchy = read(file)
    >>> hierarchy.root, hierarchy.parents("Malta")
    ('*', ('Commonwealth', 'Europe'))
    """
    concepts: dict[str, None] = {}
    links: dict[tuple[str, str], int] = {}
    for line, cells in read_rows(path, delimiter, encoding):
        concepts.update(dict.fromkeys(cells))
        for child, parent in pairwise(cells):
            if child != parent:
                links.setdefault((child, parent), line)
    return Taxonomy.from_edges(
        list(links),
        concepts=list(concepts),
        annotations=Annotations(name=file_title(path)),
        path=path,
        lines=list(links.values()),
    )


def read_rows(path: Path, delimiter: str | None = None, encoding: str = "utf-8") -> list[tuple[int, list[str]]]:
    """The line and the cells of each row, value first, without surrounding spaces and trailing empty cells."""
    found = []
    for line, raw in rows(path, _guess_delimiter(path) if delimiter is None else delimiter, encoding=encoding):
        cells = _clean(raw)
        if not cells:
            continue
        if "" in cells:
            raise ReadError(
                f"Cell {cells.index('') + 1} of {len(cells)} is empty. Give every level a label. If a level adds "
                f"nothing, repeat the label before it.",
                path=path,
                line=line,
                code="empty-cell",
            )
        if len(cells) == 1:
            raise ReadError(
                f"The row has one level, {cells[0]!r}. Give at least two: a value and its generalisation, such as "
                f"'Spain;Europe;*'. Give delimiter= if it is none of {' '.join(map(repr, DELIMITERS))}.",
                path=path,
                line=line,
                code="one-level",
            )
        found.append((line, cells))
    if not found:
        raise ReadError(
            "The file is empty. Give a row for each value: the value, its generalisation, and so on to the top.",
            path=path,
            code="T105",
        )
    return found


def _clean(cells: list[str]) -> list[str]:
    cells = [cell.strip() for cell in cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _level_sizes(found: list[list[str]]) -> list[int]:
    """Number of distinct labels on each level."""
    levels = range(max(map(len, found)))
    return [len({cells[i] for cells in found if i < len(cells)}) for i in levels]


def _guess_delimiter(path: Path) -> str:
    """The delimiter that splits all lines, or else most of them. A row that is too short is then reported."""
    lines = first_lines(path)
    return sniff_delimiter(path) or max(DELIMITERS, key=lambda d: sum(d in line for line in lines))


def _first_rows(path: Path) -> list[list[str]]:
    """The first rows, to recognise the format."""
    found = (_clean(cells) for cells in csv.reader(first_lines(path), delimiter=_guess_delimiter(path)))
    return [cells for cells in found if cells]
