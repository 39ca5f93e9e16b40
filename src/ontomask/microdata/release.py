"""From points to the text that is released, and from that text back to points.

A concept that occurs in the data is released in the data's own spelling, the commonest where there are several. Any
other is released by its id where the column holds codes, else by its first label; a label that would be read back as
another concept is told apart by the id: ``bank (bank.n.02)``. So a released table can be read without a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import TableError
from ontomask.mapping.words import cell_text
from ontomask.microdata.columns import Column, NominalColumn, NumericColumn, OrdinalColumn
from ontomask.taxonomy.labels import normalise
from ontomask.taxonomy.validate import some

__all__ = ["Release", "release_of"]


class Release(Protocol):
    """How one column's points are written and read."""

    def cell(self, point: Any) -> object:
        """The cell that a point is released as."""
        ...

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """The points of released cells; what cannot be read is an error that lists it."""
        ...


def release_of(column: Column) -> Release:
    """The way a column is released."""
    if isinstance(column, NominalColumn):
        return NominalRelease(column)
    if isinstance(column, NumericColumn):
        return NumericRelease(column)
    assert isinstance(column, OrdinalColumn)
    return OrdinalRelease(column)


def _own_spelling(column: Column) -> dict[Any, object]:
    """For each point in the data the commonest cell that stands for it (the first of equals)."""
    counts = column.counts
    best: dict[Any, int] = {}
    for i, point in enumerate(column.point.tolist()):
        if column.kept[i] or column.dropped[i] or counts[i] == 0:
            continue
        if point not in best or counts[i] > counts[best[point]]:
            best[point] = i
    return {point: column.cells[i] for point, i in best.items()}


class NominalRelease:
    """Concepts as the data spell them, or by code or label."""

    def __init__(self, column: NominalColumn) -> None:
        self._column = column
        self._domain = column.domain
        self._spelling = _own_spelling(column)
        rules = column.mapping.rules
        by_code = sum(n for rule, n in rules.items() if rule not in ("explicit", "label", "stem", "unmapped"))
        by_word = rules.get("label", 0) + rules.get("stem", 0)
        self._codes = self._domain.annotations.code_ids and by_code >= by_word

    @cached_property
    def _read(self) -> dict[str, int]:
        """Every spelling of the data, by its text, and the concept it stands for."""
        column = self._column
        live = ~(column.kept | column.dropped)
        return {
            cell_text(column.cells[i]) or "": int(column.point[i]) for i in np.flatnonzero(live & (column.counts > 0))
        }

    @cached_property
    def _taken(self) -> dict[str, int]:
        return {normalise(text): point for text, point in self._read.items()}

    def cell(self, point: Any) -> object:
        """The data's own spelling; else the code, or the label, told apart by the id where need be."""
        point = int(point)
        if point in self._spelling:
            return self._spelling[point]
        name = self._domain.ids[point]
        text = name if self._codes else self._domain.texts.first(point)
        return text if self._point(text) == point else f"{text} ({name})"

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Concepts of released cells."""
        found = [self._point(cell_text(cell) or "") for cell in cells]
        unread = [str(cell) for cell, point in zip(cells, found, strict=True) if point is None]
        if unread:
            raise TableError(
                f"the column {self._column.name!r} holds values that are neither in the original data nor concepts of "
                f"its domain {self._domain.root!r}: {some(unread, 12)}. Name what they mean in mapping=."
            )
        return np.array(found, dtype=np.int32)

    def _point(self, text: str) -> int | None:
        if text in self._read:
            return self._read[text]
        if text in self._domain:
            return self._domain.code(text)
        for told in _told_apart(text):
            if told in self._domain:
                return self._domain.code(told)
        alias = self._domain.find_alias(text)
        if alias is not None:
            return self._domain.code(alias[1][0])
        if normalise(text) in self._taken:
            return self._taken[normalise(text)]
        senses = self._domain.texts.find(text)
        return senses[0] if senses else None


def _told_apart(text: str) -> Iterator[str]:
    """What could be the id in ``label (id)``; labels and ids may hold brackets themselves."""
    at = text.find(" (")
    while at >= 0 and text.endswith(")"):
        yield text[at + 2 : -1]
        at = text.find(" (", at + 1)


class NumericRelease:
    """Numbers, rounded to the decimals that the data have; whole numbers stay whole."""

    def __init__(self, column: NumericColumn) -> None:
        self._column = column
        self._spelling = _own_spelling(column)

    def cell(self, point: Any) -> object:
        """The number as the data write it, else rounded to the data's decimals."""
        value = round(float(point), self._column.decimals)
        if value in self._spelling:
            return self._spelling[value]
        number = int(value) if self._column.decimals == 0 else value
        return str(number) if isinstance(next(iter(self._spelling.values())), str) else number

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Numbers of released cells."""
        try:
            return np.array([float(cell_text(cell) or "") for cell in cells])
        except ValueError:
            raise TableError(f"the column {self._column.name!r} holds cells that are no numbers.") from None


class OrdinalRelease:
    """Categories as the data spell them, else as they were declared."""

    def __init__(self, column: OrdinalColumn) -> None:
        self._column = column
        self._spelling = _own_spelling(column)

    def cell(self, point: Any) -> object:
        """The category."""
        return self._spelling.get(int(point), self._column.categories[int(point)])

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Places of released categories."""
        place = {category: i for i, category in enumerate(self._column.categories)}
        texts = [cell_text(cell) or "" for cell in cells]
        unread = [text for text in texts if text not in place]
        if unread:
            raise TableError(f"the column {self._column.name!r} holds values that are no category: {some(unread)}.")
        return np.array([place[text] for text in texts], dtype=np.int32)
