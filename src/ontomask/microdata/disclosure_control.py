"""Disclosure control of values: a value that few records have must not appear in reports, notes, errors or logs."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_holders
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.kinds import Column, ConceptSetColumn
from ontomask.kinds.base import RARE
from ontomask.mapping import ColumnMapping
from ontomask.taxonomy.labels import normalise

__all__ = ["RARE", "DisclosureControl"]

_UNCHECKED = Note.of(
    "unchecked-text", "A text of the method is withheld: its values cannot be checked. Create it with Note.of."
)


class DisclosureControl:
    """Decides which values of a table may be shown. Rare ones may not.

    A value is rare if fewer than ten persons have it, or records if persons are not known. The records that remain
    under the policies are counted; for a value that only dropped records had, all records of the input. A column is
    counted at its first use.

    Parameters
    ----------
    columns
        The encoded columns. Values of other columns may not be named.
    mappings
        How values were mapped before records were dropped, by column.
    rare_before
        The cells that were rare before records were dropped, by column.
    persons
        The person of each record, if persons are known.
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        mappings: Mapping[str, ColumnMapping],
        rare_before: Mapping[str, Iterable[object]],
        persons: NDArray[np.integer] | None,
    ) -> None:
        self.persons = persons
        self._columns = columns
        self._mappings = mappings
        self._rare_before = rare_before
        self._counted: dict[str, _RareValues | _RareSets] = {}

    def may_name(self, column: str, text: str) -> bool:
        """Whether a text may be named as a value, or as the name of a concept, of the column."""
        return column in self._columns and self._of(column).may_name(text)

    def may_name_point(self, column: str, point: float, *texts: str) -> bool:
        """Whether a concept, a number or a category may be named, by these texts if any are given."""
        if column not in self._columns or self._of(column).is_rare_point(point):
            return False
        return not any(self._of(column).is_rare_text(text) for text in texts)

    def redact(self, text: str) -> Note:
        """A note without rare values. Plain text, whose values cannot be checked, is withheld as a whole."""
        return text.redacted(self.may_name) if isinstance(text, Note) else _UNCHECKED

    def _of(self, column: str) -> _RareValues | _RareSets:
        if column not in self._counted:
            encoded, before = self._columns[column], self._rare_before.get(column, ())
            of_kind = _RareSets if encoded.holds_sets else _RareValues
            self._counted[column] = of_kind(encoded, self._mappings.get(column), before, self.persons)  # type: ignore[arg-type]
        return self._counted[column]


class _RareValues:
    """The rare values of one column: texts of cells, their normal forms, and points."""

    def __init__(
        self,
        column: Column,
        mapped: ColumnMapping | None,
        rare_before: Iterable[object],
        persons: NDArray[np.integer] | None,
    ) -> None:
        self._column, self._persons = column, persons
        self._texts_before, self._points_before = column.count_before(mapped, rare_before)

    @cached_property
    def _points(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The distinct points in order, and the number of holders of each."""
        column, persons = self._column, self._persons
        points, at = np.unique(column.point, return_inverse=True)
        has_point = ~column.kept[column.code]
        people = None if persons is None else persons[has_point]
        records = None if column.records is None else column.records[has_point]
        held = count_holders(at[column.code[has_point]], len(points), people, records)
        return points, held

    def is_rare_point(self, point: Any) -> bool:
        """Whether few records have a concept, a number or a category."""
        points, held = self._points
        at = int(np.searchsorted(points, point))
        now = int(held[at]) if at < len(points) and points[at] == point else 0
        return 0 < (now or self._points_before[point]) < RARE

    @cached_property
    def _own(self) -> list[str]:
        return [cell_text(cell) or "" for cell in self._column.cells]

    @cached_property
    def _held(self) -> dict[str, int]:
        return _count(self._own, self._column, self._persons)

    @cached_property
    def texts(self) -> set[str]:
        """Texts of cells that few records have."""
        return _rare(self._held, self._texts_before)

    @cached_property
    def forms(self) -> set[str]:
        """Normal forms of cells that few records have."""
        before: Counter[str] = Counter()
        for text, count in self._texts_before.items():
            before[_normal_form(text)] += count
        return _rare(_count([_normal_form(text) for text in self._own], self._column, self._persons), before)

    def is_rare_text(self, text: str) -> bool:
        """Whether the text is a rare value, or spelt like one."""
        return text in self.texts or _normal_form(text) in self.forms

    def may_name(self, text: str) -> bool:
        """Whether a text may be shown: it is neither a rare value nor another name of one."""
        if self.is_rare_text(text):
            return False
        return bool(self._held.get(text)) or not any(map(self.is_rare_point, self._column.meanings(text)))


class _RareSets:
    """The rare values of a column of sets: elements that few records have, and sets that few records have."""

    def __init__(
        self,
        column: ConceptSetColumn,
        mapped: ColumnMapping | None,
        rare_before: Iterable[object],
        persons: NDArray[np.integer] | None,
    ) -> None:
        self._column = column
        self._sets = _RareValues(column, None, rare_before, persons)
        # A record that has a concept in two spellings counts once.
        record = column.record_of_element
        self._elements = _RareValues(column.elements, mapped, (), record if persons is None else persons[record])

    def is_rare_point(self, point: Any) -> bool:
        """Whether few records have a set, or one of its concepts."""
        codes = self._column.sets[int(point)]
        return self._sets.is_rare_point(point) or any(map(self._elements.is_rare_point, codes))

    def is_rare_text(self, text: str) -> bool:
        """Whether the text is, or contains, a rare value, or is spelt like one."""
        parts = self._column.kind.split(text)
        return (len(parts) > 1 and self._sets.is_rare_text(text)) or any(map(self._elements.is_rare_text, parts))

    def may_name(self, text: str) -> bool:
        """Whether a text may be shown: an element that is not rare, or a set that is not, of such elements."""
        parts = self._column.kind.split(text)
        return all(map(self._elements.may_name, parts)) and (len(parts) < 2 or self._sets.may_name(text))


def _count(keys: list[str], column: Column, persons: NDArray[np.integer] | None) -> dict[str, int]:
    """The number of holders of each key, given the key of every distinct cell."""
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    of_cell = np.array([number[key] for key in keys], dtype=np.int64)
    return dict(zip(number, column.count_holders(of_cell, len(number), persons).tolist(), strict=True))


def _rare(now: Mapping[Any, int], before: Mapping[Any, int]) -> set[Any]:
    """The keys with few holders. A key that nobody has now is judged by its count before records were dropped."""
    gone = {key for key, count in before.items() if not now.get(key) and 0 < count < RARE}
    return gone | {key for key, count in now.items() if 0 < count < RARE}


def _normal_form(text: str) -> str:
    """One form for spellings that look alike: without invisible characters, then normalised as labels are."""
    if not text.isprintable():
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    return normalise(text) or text.strip()
