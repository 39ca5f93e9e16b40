"""Which values of a table may be named in what is meant to be read by others: none that only a few records have."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_holders
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.mapping import ColumnMapping
from ontomask.mapping.mapper import named_concepts
from ontomask.microdata.cells import read_number
from ontomask.microdata.columns import Column, NominalColumn, NumericColumn
from ontomask.taxonomy.labels import normalise

__all__ = ["RARE", "DisclosureControl"]

# Original values that fewer persons or records have are not to be found in anything that is meant to be shared.
RARE = 10

_UNCHECKED = Note.of(
    "unchecked-text", "A text of the method is withheld: its values cannot be checked. Make it with Note.of."
)


class DisclosureControl:
    """Knows which values of a table are rare: held by fewer than ten records, or persons where these are known.

    Counted are the records that remain under the policies. A value that only dropped records had is counted among the
    records that came in. Each column is counted when it is asked for first.

    Parameters
    ----------
    columns
        The encoded columns. Of any other column nothing may be named.
    mappings
        How values were mapped before records were dropped, by column.
    rare_before
        The cells that were rare before records were dropped, by column.
    persons
        The person of each record, where persons are known.
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
        self._counted: dict[str, _RareValues] = {}

    def may_name(self, column: str, text: str) -> bool:
        """Whether a text may be named as a value, or as the name of a concept, of the column."""
        return column in self._columns and self._of(column).may_name(text)

    def may_name_point(self, column: str, point: float) -> bool:
        """Whether a concept, a number or a category may be named."""
        return column in self._columns and not self._of(column).is_rare_point(point)

    def may_name_concept(self, column: str, code: int, *texts: str) -> bool:
        """Whether a concept of the column's domain may be named by these texts."""
        if not self.may_name_point(column, code):
            return False
        return not any(self._of(column).is_rare_text(text) for text in texts)

    def redact(self, text: str) -> Note:
        """A note without rare values. Plain text, whose values cannot be checked, is withheld as a whole."""
        return text.redacted(self.may_name) if isinstance(text, Note) else _UNCHECKED

    def _of(self, column: str) -> _RareValues:
        if column not in self._counted:
            before = self._rare_before.get(column, ())
            self._counted[column] = _RareValues(self._columns[column], self._mappings.get(column), before, self.persons)
        return self._counted[column]


class _RareValues:
    """What is rare in one column: cells by their own text, cells by their normal form, and points."""

    def __init__(
        self,
        column: Column,
        mapped: ColumnMapping | None,
        rare_before: Iterable[object],
        persons: NDArray[np.integer] | None,
    ) -> None:
        self._column, self._persons = column, persons
        self._texts_before: Counter[str] = Counter()
        self._points_before: Counter[Any] = Counter()
        if mapped is not None and isinstance(column, NominalColumn):
            for value in mapped.values:
                self._texts_before[value.value] += value.count
                if value.concept is not None and value.concept in column.domain:
                    self._points_before[column.domain.code(value.concept)] += value.count
        else:
            self._texts_before.update(cell_text(cell) or "" for cell in rare_before)
            if isinstance(column, NumericColumn):
                numbers = (read_number(text) for text in self._texts_before)
                self._points_before.update(number for number in numbers if number is not None)

    @cached_property
    def _points(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The distinct points in order, and how many hold each."""
        column, persons = self._column, self._persons
        points, at = np.unique(column.point, return_inverse=True)
        has_point = ~column.kept[column.code]
        held = count_holders(at[column.code[has_point]], len(points), None if persons is None else persons[has_point])
        return points, held

    def is_rare_point(self, point: Any) -> bool:
        """Whether a concept, a number or a category is held by a few."""
        points, held = self._points
        at = int(np.searchsorted(points, point))
        now = int(held[at]) if at < len(points) and points[at] == point else 0
        return 0 < (now or self._points_before[point]) < RARE

    @cached_property
    def _own(self) -> list[str]:
        return [cell_text(cell) or "" for cell in self._column.cells]

    @cached_property
    def _held(self) -> dict[str, int]:
        return _count(self._own, self._column.code, self._persons)

    @cached_property
    def texts(self) -> set[str]:
        """Cells that a few hold."""
        return _rare(self._held, self._texts_before)

    @cached_property
    def forms(self) -> set[str]:
        """Normal forms of cells that a few hold."""
        before: Counter[str] = Counter()
        for text, count in self._texts_before.items():
            before[_normal_form(text)] += count
        return _rare(_count([_normal_form(text) for text in self._own], self._column.code, self._persons), before)

    def is_rare_text(self, text: str) -> bool:
        """Whether the text is a rare value, or spelt like one."""
        return text in self.texts or _normal_form(text) in self.forms

    def may_name(self, text: str) -> bool:
        """Whether the text is no rare value and, where it is no value of the column, does not name anything rare."""
        if self.is_rare_text(text):
            return False
        return bool(self._held.get(text)) or not any(map(self.is_rare_point, self._meanings(text)))

    def _meanings(self, text: str) -> Iterator[Any]:
        """The points that a text which is no cell of the column could stand for."""
        column = self._column
        if isinstance(column, NominalColumn):
            named = named_concepts(column.domain, text)
            yield from (column.domain.code(concept) for concept in named if concept in column.domain)
        elif isinstance(column, NumericColumn):
            number = read_number(text)
            yield from () if number is None else (number,)


def _count(keys: list[str], code: NDArray[np.integer], persons: NDArray[np.integer] | None) -> dict[str, int]:
    """How many hold each key, given the key of every distinct cell."""
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    place = np.array([number[key] for key in keys], dtype=np.int64)[code]
    return dict(zip(number, count_holders(place, len(number), persons).tolist(), strict=True))


def _rare(now: Mapping[Any, int], before: Mapping[Any, int]) -> set[Any]:
    """What is held by a few: now or, where nobody holds it any longer, before records were dropped."""
    gone = {key for key, count in before.items() if not now.get(key) and 0 < count < RARE}
    return gone | {key for key, count in now.items() if 0 < count < RARE}


def _normal_form(text: str) -> str:
    """Spellings that look alike have one form: without characters that cannot be seen, then as labels are compared."""
    if not text.isprintable():
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    return normalise(text) or text.strip()
