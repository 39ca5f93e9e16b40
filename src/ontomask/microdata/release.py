"""From points to the text that is released, and from that text back to points.

A concept that occurs in the data is released in the data's own spelling, the commonest where there are several. Any
other is released by its id where the column holds codes, else by its first label; a label that would be read back as
another concept is told apart by the id: ``bank (bank.n.02)``. So a released table can be read without a key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import TableError
from ontomask.mapping.words import cell_text
from ontomask.microdata.cells import read_number
from ontomask.microdata.columns import Column, NominalColumn, NumericColumn, OrdinalColumn
from ontomask.taxonomy.labels import normalise

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


def _own_spelling(column: Column, without: Collection[str] = ()) -> dict[Any, object]:
    """For each point in the data the commonest cell that stands for it (the first of equals)."""
    counts = column.counts
    best: dict[Any, int] = {}
    for i, point in enumerate(column.point.tolist()):
        if column.kept[i] or column.dropped[i] or counts[i] == 0 or cell_text(column.cells[i]) in without:
            continue
        if point not in best or counts[i] > counts[best[point]]:
            best[point] = i
    return {point: column.cells[i] for point, i in best.items()}


class NominalRelease:
    """Concepts as the data spell them, or by code or label."""

    def __init__(self, column: NominalColumn) -> None:
        self._column = column
        self._domain = column.domain
        # A value that the policy sends to the root is not the root's name: it would be given to whatever becomes root.
        self._spelling = _own_spelling(column, {v.value for v in column.mapping.unmapped})
        rules = column.mapping.rules
        by_code = sum(n for rule, n in rules.items() if rule not in ("explicit", "label", "stem", "unmapped"))
        by_word = rules.get("label", 0) + rules.get("stem", 0)
        self._codes = self._domain.annotations.code_ids and by_code >= by_word
        # Texts that concepts were written as, so that reading them back is no second search.
        self._written: dict[str, int] = {}
        # The first sense of texts that were looked up: many concepts share one label.
        self._senses: dict[str, list[int]] = {}

    @cached_property
    def _read(self) -> dict[str, int]:
        """Every spelling of the data, by its text, and the concept it stands for."""
        column = self._column
        live = ~(column.kept | column.dropped) & (column.counts > 0)
        texts = ((cell_text(column.cells[i]), int(column.point[i])) for i in np.flatnonzero(live))
        return {text: point for text, point in texts if text is not None}

    @cached_property
    def _normal(self) -> dict[str, int]:
        return {normalise(text): point for text, point in self._read.items() if normalise(text)}

    @cached_property
    def _kept(self) -> set[str | None]:
        """Texts that stand in the table as they are: no concept may be released under them."""
        return {cell_text(self._column.cells[i]) for i in np.flatnonzero(self._column.kept)}

    def cell(self, point: Any) -> object:
        """The data's own spelling; else the code, or the label, told apart by the id where need be."""
        point = int(point)
        if point in self._spelling:
            own = self._spelling[point]
            # A code that was read as a number is released as its digits: 250.0 is another code than 250.
            return cell_text(own) if isinstance(own, float) else own
        name, label = self._domain.ids[point], self._domain.texts.first(point)
        for wording in ("{1}" if self._codes else "{0}", "{0} ({1})", "{1}", "{1} ({1})"):
            text = wording.format(label, name)
            # A label that nothing else has needs no search.
            alone = text if text == label and self._domain.texts.first_is_unique(point) else None
            if text not in self._kept and self._find(text, alone, point) == point:
                self._written[text] = point
                return text
        raise TableError(
            f"A concept cannot be released in the column {self._column.name!r}: every text for it already stands for "
            f"something else there. Map those values to other concepts. The concept is in this error's 'values'.",
            column=self._column.name,
            values=[name],
        )

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Concepts of released cells."""
        texts = [cell_text(cell) for cell in cells]
        found = [None if text is None else self.find(text) for text in texts]
        unread = [str(text or "a missing cell") for text, point in zip(texts, found, strict=True) if point is None]
        if unread:
            raise TableError(
                f"The column {self._column.name!r} holds {len(unread):,} values that are neither in the original data "
                f"nor concepts of its domain. Name what they mean in mapping=. They are in this error's 'values'.",
                column=self._column.name,
                values=unread,
            )
        return np.array(found, dtype=np.int32)

    def find(self, text: str) -> int | None:
        """The concept that a text is read as: the data's own spellings first, then ids, labels, ``label (id)``."""
        return self._find(text)

    def _find(self, text: str, alone: str | None = None, owner: int | None = None) -> int | None:
        """The same; ``alone`` is a label that only its ``owner`` has."""
        if text in self._read:
            return self._read[text]
        if text in self._written:
            return self._written[text]
        if text in self._domain:
            return self._domain.code(text)
        alias = self._domain.find_alias(text)
        if alias is not None:
            return self._domain.code(alias[1][0])
        normal = normalise(text)
        if normal in self._normal:
            return self._normal[normal]
        if normal and text == alone:
            return owner
        if text not in self._senses:
            self._senses[text] = self._domain.texts.find(text, normal)[:1]
        if self._senses[text]:
            return self._senses[text][0]
        for label, name in _told_apart(text):
            if name in self._domain and label in (name, self._domain.label(name)):
                return self._domain.code(name)
        return None


def _told_apart(text: str) -> Iterator[tuple[str, str]]:
    """What could be label and id in ``label (id)``; both may hold brackets themselves."""
    at = text.find(" (")
    while at >= 0 and text.endswith(")"):
        yield text[:at], text[at + 2 : -1]
        at = text.find(" (", at + 1)


class NumericRelease:
    """Numbers, rounded to the decimals that the data have; whole numbers stay whole."""

    def __init__(self, column: NumericColumn) -> None:
        self._column = column
        self._spelling = _own_spelling(column)

    def cell(self, point: Any) -> object:
        """The number as the data write it, else rounded to the data's decimals."""
        value = float(point)
        if value in self._spelling:
            return self._spelling[value]
        value = round(value, self._column.decimals)
        if value in self._spelling:
            return self._spelling[value]
        number = int(value) if self._column.decimals == 0 else value
        return str(number) if isinstance(next(iter(self._spelling.values())), str) else number

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Numbers of released cells."""
        found = [read_number(cell) for cell in cells]
        wrong = sum(number is None or number != number for number in found)
        if wrong:
            raise TableError(f"the column {self._column.name!r} holds {wrong:,} cells that are no numbers.")
        return np.array(found, dtype=np.float64)


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
            raise TableError(
                f"The column {self._column.name!r} holds {len(unread):,} values that are no category. Replace them by "
                f"categories; they are in this error's 'values'.",
                column=self._column.name,
                values=unread,
            )
        return np.array([place[text] for text in texts], dtype=np.int32)
