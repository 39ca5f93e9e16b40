"""Tables of terminology releases: tab-separated, unquoted, with a header and millions of rows; or CSV with quotes.

The tables are streamed. A row is split into cells only if it may be needed, and terms stay bytes until they are read.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.text import join_some
from ontomask.errors import Alternatives, ReadError
from ontomask.taxonomy.graph import group_by
from ontomask.taxonomy.readers.source import lines, rows
from ontomask.taxonomy.taxonomy import Retired

__all__ = [
    "Terms",
    "TermsOf",
    "check_header",
    "counted",
    "csv_table",
    "ragged_row",
    "table",
    "withdrawn_concept",
]


def table(
    path: Path,
    columns: Sequence[str],
    *,
    where: tuple[str, Collection[str]] | None = None,
    names: Sequence[str] | None = None,
    delimiter: str = "\t",
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line number of every row, and its cells in ``columns``.

    ``where`` is one of the columns and the values to select. It excludes most rows of a table of relationships, so the
    values are searched for in the whole line before the line is split. ``names`` are the columns of a table without a
    header.
    """
    stream = lines(path)
    if names is None:
        _, head = next(stream, (1, ""))
        names = head.split(delimiter)
        check_header(path, columns, names if head else ())
    cells_of = itemgetter(*[names.index(column) for column in columns])
    between = len(names) - 1
    column, values = where or ("", ())
    wanted = columns.index(column) if where else -1
    for number, text in stream:
        if text.count(delimiter) != between:
            if not text:
                continue
            raise ragged_row(path, number, text.count(delimiter) + 1, between + 1)
        if where:
            for value in values:
                if value in text:
                    break
            else:
                continue
        cells: tuple[str, ...] = cells_of(text.split(delimiter))
        if not where or cells[wanted] in values:
            yield number, cells


def csv_table(
    path: Path, columns: Sequence[str], optional: Collection[str] = ()
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line number of every row of a CSV file, and its cells in ``columns``.

    The cells of an ``optional`` column that the file lacks are empty.
    """
    place: list[int] | None = None
    width = 0
    for line, cells in rows(path):
        if place is None:
            check_header(path, [column for column in columns if column not in optional], cells)
            place, width = [cells.index(column) if column in cells else -1 for column in columns], len(cells)
        elif len(cells) != width:
            raise ragged_row(path, line, len(cells), width)
        else:
            yield line, tuple(cells[i].strip() if i >= 0 else "" for i in place)
    if place is None:
        check_header(path, columns, ())


def check_header(path: Path, columns: Sequence[str], names: Sequence[str]) -> None:
    """Raise an error if the header of a table, ``names``, lacks one of the columns."""
    missing = [column for column in columns if column not in names]
    if missing:
        found = f"Its columns: {join_some(names, most=12)}." if names else "It is empty."
        raise ReadError(
            f"The header has no column {join_some(missing)}. {found} Use the file as it was published.",
            path=path,
            line=1,
            column=missing[0],
            code="no-column",
        )


def ragged_row(path: Path, line: int, cells: int, columns: int) -> ReadError:
    """The error for a row with too many or too few cells."""
    return ReadError(
        f"The row has {cells} cells, but there are {columns} columns. The file is incomplete or was edited. Unpack the "
        f"release again.",
        path=path,
        line=line,
        code="cells",
    )


def counted(found: Mapping[str, int]) -> Alternatives:
    """Names with their counts, most frequent first, for error messages.

    >>> str(counted({"SNOMED": 2, "ICD10CM": 3000}))
    "'ICD10CM' (3,000), 'SNOMED' (2)"
    """
    ordered = dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
    return Alternatives(ordered, ", ".join(f"{name!r} ({count:,})" for name, count in ordered.items()) or "none")


def withdrawn_concept(reason: str, replacements: Iterable[tuple[int, str]]) -> Retired:
    """A withdrawn concept with its replacements by rank. Those of the same rank keep the order of the file."""
    ranked = sorted(replacements, key=itemgetter(0))
    return Retired(reason, tuple(dict.fromkeys(concept for _, concept in ranked))) if ranked else _plain(reason)


# Many withdrawn concepts have no replacement. They share one object per reason.
_plain = cache(Retired)


class Terms:
    """Terms in the order they were read, each with the row of its concept. Stored as one text with offsets."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._end = array("q", [0])
        self._row = array("i")

    def __len__(self) -> int:
        return len(self._row)

    def add(self, row: int, term: str) -> None:
        """Append a term for a concept."""
        self._text += term.encode()
        self._end.append(len(self._text))
        self._row.append(row)

    def __getitem__(self, i: int) -> str:
        return self._text[self._end[i] : self._end[i + 1]].decode()

    def rows(self) -> IntArray:
        """The concept of each term."""
        return np.array(self._row, dtype=np.int32)


class TermsOf(Mapping[str, tuple[str, ...]]):
    """Terms by concept id, for the labels of `Taxonomy.from_edges`. Strings are made when they are needed.

    Parameters
    ----------
    terms
        The terms.
    row_of
        The row of each concept, 0 … n−1.
    chosen
        The indices of the terms to use. A concept has its terms in this order.
    """

    def __init__(self, terms: Terms, row_of: Mapping[str, int], chosen: NDArray[np.integer]) -> None:
        rows = terms.rows()[chosen]
        self._terms = terms
        self._row_of = row_of
        self._start, self._entry = group_by(rows, chosen.astype(np.int32), len(row_of))

    def __getitem__(self, concept: str) -> tuple[str, ...]:
        row = self._row_of[concept]
        return tuple(self._terms[i] for i in self._entry[self._start[row] : self._start[row + 1]].tolist())

    def __iter__(self) -> Iterator[str]:
        return iter(self._row_of)

    def __len__(self) -> int:
        return len(self._row_of)
