"""Generalisation hierarchies as ARX keeps them: a row a value, from the value up to the top.

::

    Bachelors;Undergraduate;Higher education;*
    Some-college;Undergraduate;Higher education;*
    11th;High School;Secondary education;*

Each cell is a kind of the next one. Concepts go by their text, so ARX's habit of repeating a label on the
next level adds nothing, and a label under two different parents has both. Rows may differ in length: the
last cell of a row is its top. The delimiter may be ``;``, a tab, ``,`` or ``|``.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

from ontomask.errors import ReadError
from ontomask.taxonomy.readers import edges
from ontomask.taxonomy.readers.source import data_name, peek, rows, sniff_delimiter
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy

__all__ = ["can_read", "read", "read_rows"]

_TOP = "*"
_DELIMITERS = (";", "\t", ",", "|")
_PEEK = 16384


def can_read(path: Path) -> bool:
    """A delimited file whose rows all end in ``*``, or have four cells or more with ever fewer labels to the right.

    Shorter rows without ``*`` may be links and are left to the reader of those. The count of labels tells a
    hierarchy from a table of data.
    """
    if not path.is_file() or not data_name(path).endswith((".csv", ".tsv", ".tab", ".txt")):
        return False
    first_rows = [_clean(cells) for cells in csv.reader(_first_lines(path), delimiter=_guess_delimiter(path))]
    first_rows = [cells for cells in first_rows if cells]
    if not first_rows or edges.can_read(path):
        return False
    if all(len(cells) > 1 and cells[-1] == _TOP for cells in first_rows):
        return True
    return all(len(cells) > 3 for cells in first_rows) and _narrows(first_rows)


def read(path: Path, *, delimiter: str | None = None, encoding: str = "utf-8") -> Taxonomy:
    """Read a hierarchy; the delimiter is recognised unless it is given.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "country.csv"
    >>> _ = file.write_text("Spain;Europe;*\\nMalta;Europe;*\\nMalta;Commonwealth;*\\n*;*;*\\n")
    >>> hierarchy = read(file)
    >>> hierarchy.root, hierarchy.parents("Malta")
    ('*', ('Europe', 'Commonwealth'))
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
        annotations=Annotations(name=data_name(path).rsplit(".", 1)[0]),
        path=path,
        lines=list(links.values()),
    )


def read_rows(path: Path, delimiter: str | None = None, encoding: str = "utf-8") -> list[tuple[int, list[str]]]:
    """The line and the cells of each row, value first, without the spaces around them and empty cells behind."""
    found = []
    for line, raw in rows(path, delimiter or _guess_delimiter(path), encoding=encoding):
        cells = _clean(raw)
        if not cells:
            continue
        if "" in cells:
            raise ReadError(
                f"cell {cells.index('') + 1} of {len(cells)} is empty: {cells}. Every level needs a label; where a "
                f"level adds nothing, repeat the one before it.",
                path=path,
                line=line,
            )
        if len(cells) == 1:
            raise ReadError(
                f"has only one level, {cells[0]!r}. A hierarchy needs at least two in every row: a value and what "
                f"it generalises to, such as 'Spain;Europe;*'. Add them, or pass delimiter= if it is none of "
                f"{' '.join(map(repr, _DELIMITERS))}.",
                path=path,
                line=line,
            )
        found.append((line, cells))
    if not found:
        raise ReadError(
            "is empty. A hierarchy has a row for each value: the value, what it generalises to, and so on up.",
            path=path,
            code="T105",
        )
    return found


def _clean(cells: list[str]) -> list[str]:
    cells = [cell.strip() for cell in cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _narrows(found: list[list[str]]) -> bool:
    """Whether no level has more labels than the one below it."""
    levels = range(max(map(len, found)))
    sizes = [len({cells[i] for cells in found if i < len(cells)}) for i in levels]
    return sizes == sorted(sizes, reverse=True)


def _guess_delimiter(path: Path) -> str:
    """The delimiter that splits every line, or else most of them: then the row that is short gets reported."""
    lines = _first_lines(path)
    return sniff_delimiter(path, _DELIMITERS) or max(_DELIMITERS, key=lambda d: sum(d in line for line in lines))


def _first_lines(path: Path) -> list[str]:
    """Lines to recognise the format by, without the one that the peek may have cut."""
    text = peek(path, _PEEK)
    found = text.splitlines()
    return found[:-1] if len(found) > 1 and peek(path, 2 * _PEEK) != text else found
