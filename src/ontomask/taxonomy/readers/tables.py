"""Release tables: tab-separated files of millions of rows, with column names in the first line and no quoting.

Terminologies are published so that databases can load them. Here they are streamed: a row is cut into
cells only if it can be of use, and terms stay bytes until their concept is asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.text import join_some
from ontomask.errors import ReadError
from ontomask.taxonomy.graph import group_starts
from ontomask.taxonomy.readers.source import lines

__all__ = ["Terms", "TermsOf", "counted", "table"]


def table(
    path: Path, columns: Sequence[str], *, where: tuple[str, Collection[str]] | None = None
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line and the cells under ``columns`` of every row.

    ``where`` names one of the columns and the values wanted there. Most rows of a table of relationships
    are passed over by it, so the values are looked for in the whole line before the line is split.
    """
    stream = lines(path)
    _, head = next(stream, (1, ""))
    names = head.split("\t")
    missing = [column for column in columns if column not in names]
    if missing:
        found = f"It has: {join_some(names, most=12)}." if head else "It is empty."
        raise ReadError(
            f"the header lacks {join_some(missing)}. {found} Use the file as it was published.", path=path, line=1
        )
    cells_of = itemgetter(*[names.index(column) for column in columns])
    tabs = len(names) - 1
    column, values = where or ("", ())
    wanted = columns.index(column) if where else -1
    for number, text in stream:
        if text.count("\t") != tabs:
            if not text:
                continue
            raise ReadError(
                f"has {text.count(chr(9)) + 1} cells, but the header has {tabs + 1}. "
                f"Cells are separated by one tab each; the file may be cut off or edited. Unpack the release again.",
                path=path,
                line=number,
            )
        if where:
            for value in values:
                if value in text:
                    break
            else:
                continue
        cells: tuple[str, ...] = cells_of(text.split("\t"))
        if not where or cells[wanted] in values:
            yield number, cells


def counted(found: Mapping[str, int]) -> str:
    """Names with how often each was found, most frequent first, for error messages.

    >>> counted({"SNOMED": 2, "ICD10CM": 3000})
    "'ICD10CM' (3,000), 'SNOMED' (2)"
    """
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name!r} ({count:,})" for name, count in ordered) or "none"


class Terms:
    """Terms in the order they were read, each for the concept of a row number; one text with offsets."""

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
    """Terms by concept id: what `Taxonomy.from_edges` takes as labels, without a string for each of them.

    Parameters
    ----------
    terms
        The terms.
    row_of
        The row number of each concept, 0 … n−1.
    chosen
        Which terms, in the order in which a concept shall have them.
    """

    def __init__(self, terms: Terms, row_of: Mapping[str, int], chosen: NDArray[np.integer]) -> None:
        rows = terms.rows()[chosen]
        by_row = np.argsort(rows, kind="stable")
        self._terms = terms
        self._row_of = row_of
        self._start = group_starts(rows, len(row_of))
        self._entry = chosen[by_row].astype(np.int32)

    def __getitem__(self, concept: str) -> tuple[str, ...]:
        row = self._row_of[concept]
        return tuple(self._terms[i] for i in self._entry[self._start[row] : self._start[row + 1]].tolist())

    def __iter__(self) -> Iterator[str]:
        return iter(self._row_of)

    def __len__(self) -> int:
        return len(self._row_of)
