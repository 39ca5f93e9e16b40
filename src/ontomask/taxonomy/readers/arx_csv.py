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
from ontomask.taxonomy.readers.source import TEXT_NAMES, data_name, first_lines, rows, sniff_delimiter
from ontomask.taxonomy.taxonomy import Annotations, Taxonomy

__all__ = ["can_read", "has_top", "read", "read_rows"]

_TOP = "*"
_DELIMITERS = (";", "\t", ",", "|")


def can_read(path: Path) -> bool:
    """A delimited file whose rows all end in ``*``, or have three cells or more with ever fewer labels to the right.

    Shorter rows without ``*`` may be links and are left to the reader of those. The count of labels tells a
    hierarchy from a table of data; rows of three cells need one label at their end too, as they may be either.
    """
    if not path.is_file() or not data_name(path).endswith(TEXT_NAMES):
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
    """Whether some row ends in ``*``: if the file is not recognised then, other rows have something wrong."""
    return any(len(cells) > 1 and cells[-1] == _TOP for cells in _first_rows(path))


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
    for line, raw in rows(path, _guess_delimiter(path) if delimiter is None else delimiter, encoding=encoding):
        cells = _clean(raw)
        if not cells:
            continue
        if "" in cells:
            raise ReadError(
                f"cell {cells.index('') + 1} of {len(cells)} is empty. Every level needs a label; where a "
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
            "is empty. Give a row for each value: the value, what it generalises to, and so on up.",
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
    """How many labels each level has."""
    levels = range(max(map(len, found)))
    return [len({cells[i] for cells in found if i < len(cells)}) for i in levels]


def _guess_delimiter(path: Path) -> str:
    """The delimiter that splits every line, or else most of them: then the row that is short gets reported."""
    lines = first_lines(path)
    return sniff_delimiter(path, _DELIMITERS) or max(_DELIMITERS, key=lambda d: sum(d in line for line in lines))


def _first_rows(path: Path) -> list[list[str]]:
    """Rows to recognise the format by."""
    found = (_clean(cells) for cells in csv.reader(first_lines(path), delimiter=_guess_delimiter(path)))
    return [cells for cells in found if cells]
